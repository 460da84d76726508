/* Solidification of a dilute binary alloy at constant temperature, without diffusion in the solid:
 * Karma, Phys. Rev. Lett. 87, 115701 (2001), with its anti-trapping current; see also Echebarria,
 * Folch, Karma and Plapp, Phys. Rev. E 70, 061604 (2004). The state is the phase phi from -1 (melt)
 * to 1 and the concentration c, of which melt in equilibrium with a flat crystal has 1 and the
 * crystal k, the partition coefficient. With
 *
 *     m = c / ((1 + k) / 2 - (1 - k) / 2 phi)       concentration of melt in equilibrium with c
 *
 * a step is that of karma_rappel (sweeps/cell/dendrite.h) with u = (m - 1) / (1 - k), then
 *
 *     c' = c + diffusion div((1 - phi) / 2 grad m) + trapping div(m (phi' - phi) n)
 *
 * where n = grad phi / |grad phi|, and trapping = (1 - k) W / (2 sqrt(2)) in cells. */
#pragma once

#include "sweeps/cell/dendrite.h"

extern const struct wabe_sweep wabe_sweep_alloy_phase, wabe_sweep_alloy_solute;

/* As WABE_FLOPS_SOLIDIFY. */
enum { WABE_FLOPS_ALLOY_PHASE = 410, WABE_FLOPS_ALLOY_SOLUTE = 270 };

/* driving: over 1 - k. */
WABE_ARGS_LIKE_SOLIDIFY(alloy_phase)

typedef struct wabe_alloy_solute_args {
    wabe_grid_args grid;
    wabe_coefficient diffusion, trapping;
    wabe_coefficient partition_mean, partition_half; /* (1 + k) / 2, (1 - k) / 2 */
} wabe_alloy_solute_args;

/* The sweeps' accesses; BEFORE: phi before the step. */
enum { WABE_ALLOY_PHASE_TO, WABE_ALLOY_PHASE_PHI, WABE_ALLOY_PHASE_C };
enum { WABE_ALLOY_SOLUTE_TO, WABE_ALLOY_SOLUTE_C, WABE_ALLOY_SOLUTE_PHI, WABE_ALLOY_SOLUTE_BEFORE };

#ifdef WABE_AT

/* m, see above. */
WABE_INLINE WABE_REAL wabe_alloy_melt(wabe_coefficient mean, wabe_coefficient half, WABE_REAL phi,
                                      WABE_REAL c) {
    return c / WABE_FMA(-WABE_COEFFICIENT(half), phi, WABE_COEFFICIENT(mean));
}

WABE_INLINE void wabe_alloy_phase_cell(const wabe_alloy_phase_args *args, const wabe_cell *c,
                                       WABE_REAL out[], WABE_REAL reduced[]) {
    const wabe_solidify_args *a = &args->same;
    const WABE_REAL melt = wabe_alloy_melt(a->partition_mean, a->partition_half,
                                           WABE_AT(c, WABE_ALLOY_PHASE_PHI, 0, 0, 0, 0),
                                           WABE_AT(c, WABE_ALLOY_PHASE_C, 0, 0, 0, 0));
    WABE_REAL released;
    (void)reduced;
    out[0] = wabe_solidify_phase(a, c, WABE_ALLOY_PHASE_PHI, melt - WABE_REAL_OF(1.0), 1, 1,
                                 &released);
}

/* Cells around one, numbered as in sweeps/cell/dendrite.h; of melt and change those along axes. */
typedef struct {
    WABE_REAL phi[WABE_SOLIDIFY_AROUND], melt[WABE_SOLIDIFY_AROUND], change[WABE_SOLIDIFY_AROUND];
} wabe_alloy_cells;

/* Diffusion through the face between cell i and the next one along axis. */
WABE_INLINE WABE_REAL wabe_alloy_diffusion(const wabe_alloy_solute_args *a,
                                           const wabe_alloy_cells *s, int i, int axis) {
    const int next = i + wabe_solidify_next(axis);
    const WABE_REAL share = WABE_FMA(WABE_REAL_OF(-0.25), s->phi[i] + s->phi[next],
                                     WABE_REAL_OF(0.5));
    return WABE_COEFFICIENT(a->diffusion) * share * (s->melt[next] - s->melt[i]);
}

/* The anti-trapping current there. Gradients below 1e-10 per cell count as none. */
WABE_INLINE WABE_REAL wabe_alloy_current(const wabe_alloy_solute_args *a, const wabe_alloy_cells *s,
                                         int i, int axis) {
    const int next = i + wabe_solidify_next(axis);
    WABE_REAL g[3];
    wabe_solidify_gradient(s->phi + i, axis, g);
    const WABE_REAL other = g[(axis + 1) % 3] * g[(axis + 1) % 3] +
                            g[(axis + 2) % 3] * g[(axis + 2) % 3];
    const WABE_REAL length = WABE_SQRT(WABE_FMA(g[axis], g[axis], other) + WABE_REAL_OF(1e-20));
    const WABE_REAL solidified = (s->melt[i] + s->melt[next]) * (s->change[i] + s->change[next]);
    return WABE_COEFFICIENT(a->trapping) * WABE_REAL_OF(0.25) * solidified * (g[axis] / length);
}

/* Where no phase changes, groups of cells leave out the current: it is zero. */
WABE_INLINE void wabe_alloy_solute_cell(const wabe_alloy_solute_args *a, const wabe_cell *c,
                                        WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL own = WABE_AT(c, WABE_ALLOY_SOLUTE_C, 0, 0, 0, 0);
    wabe_alloy_cells s;
    WABE_REAL net[3];
    wabe_bits changes = wabe_bits_of(own) ^ wabe_bits_of(own);
    (void)reduced;
    WABE_UNROLL
    for (int i = 0; i < WABE_SOLIDIFY_AROUND; i++) {
        const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
        if (x * x + y * y + z * z > 1)
            continue;
        s.phi[i] = WABE_AT(c, WABE_ALLOY_SOLUTE_BEFORE, 0, x, y, z);
        s.change[i] = WABE_AT(c, WABE_ALLOY_SOLUTE_PHI, 0, x, y, z) - s.phi[i];
        s.melt[i] = wabe_alloy_melt(a->partition_mean, a->partition_half, s.phi[i],
                                    WABE_AT(c, WABE_ALLOY_SOLUTE_C, 0, x, y, z));
        changes |= wabe_bits_of(s.change[i]);
    }
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        net[axis] = wabe_alloy_diffusion(a, &s, WABE_SOLIDIFY_CENTRE, axis) -
                    wabe_alloy_diffusion(a, &s, WABE_SOLIDIFY_CENTRE - wabe_solidify_next(axis),
                                         axis);
    if (wabe_any(changes)) {
        WABE_UNROLL
        for (int i = 0; i < WABE_SOLIDIFY_AROUND; i++) {
            const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
            if (x * x + y * y + z * z == 2)
                s.phi[i] = WABE_AT(c, WABE_ALLOY_SOLUTE_BEFORE, 0, x, y, z);
        }
        WABE_UNROLL
        for (int axis = 0; axis < 3; axis++)
            net[axis] =
                net[axis] +
                (wabe_alloy_current(a, &s, WABE_SOLIDIFY_CENTRE, axis) -
                 wabe_alloy_current(a, &s, WABE_SOLIDIFY_CENTRE - wabe_solidify_next(axis), axis));
    }
    out[0] = own + wabe_sum_of_three(net[0], net[1], net[2]);
}

#endif
