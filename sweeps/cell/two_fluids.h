/* Two fluids, a liquid and a gas, of any ratio of densities: a conservative phase field beside a
 * flow of velocity and pressure. A. Fakhari, T. Mitchell, C. Leonardi, D. Bolster, Phys. Rev. E 96
 * (2017) 053301; here the moments of the populations are the state, as in sweeps/cell/moments.h.
 * Lattice units. With C from 0 (gas) to 1 (liquid), the width xi of the interface, the mobility M,
 * the tension sigma, f_i of sum p*, v = 1 / rho and V = v + lap v / 4:
 *
 *     rho = rho_g + C (rho_l - rho_g), n = grad C / |grad C|, p = p* / (3 V)
 *     mu_C = (48 s / xi) C (C - 1) (C - 1/2) - (3/2) s xi lap C, s sigma, corrected as below
 *     F / rho = (V - |grad v|^2 / (4 V)) mu_C grad C + p grad v + D + v ((rho - rho_0) g + f)
 *     u = sum c_i f_i + F / (2 rho), N = sum c_i c_i f_i - u u, without its trace
 *     N_s = n q + q n, q = N n - n (n . N n), nu_s = V / (1 / mu + (3/2) lap v), 1 / mu linear in C
 *     N_r = N - N_s, nu_r = mu v, mu linear in C; omega = 1 / (3 nu + 1/2) of either
 *     D = (3 / V) (nu_s omega_s N_s + nu_r omega_r N_r) . grad v, 3 nu omega = 1 - omega / 2
 *
 * A collision leaves p*, the momentum u + F / (2 rho) and the second moments p* / 3 + u u +
 * (1 - omega_s) N_s + (1 - omega_r) N_r, whose trace relaxes at the rate 1, which damps sound; of
 * the phase it leaves C and a flux that relaxes to C u + 4 M C (1 - C) / xi n at the rate
 * 1 / (3 M + 1/2). C u u is left out: it changes the mobility by u^2 / (3 M).
 *
 * What is not in the paper makes neighbouring cells balance, whatever the densities.
 * Pressure: where nothing moves, populations differ along a link by p*(x + c) - p*(x) =
 * (3/2) c . (a(x) + a(x + c)), a = F / rho. Along an axis, with central differences, a = p grad v
 * meets that exactly for p* = 3 p V, any v, and the same p everywhere, which so moves nothing.
 * (With p = rho p* / 3 it would drive one fluid into the other, at a ratio of 1000 by as much as
 * p.) The force of the tension accelerates by V - |grad v|^2 / (4 V) times itself: differences of p
 * along links then add up to that force. s is sigma over what central differences leave of the mean
 * square of an interface's slope (wabe_two_fluids_set_step).
 * Stress: where something shears, velocities differ along a link by half the sum of the stress over
 * mu at both ends with this nu_s and D, exactly. What shears along an interface so has the mean of
 * 1 / mu, as layers have; the rest, stretching for one, that of mu. D takes grad v to lie along n.
 * Behind walls and faces that fluid flows through v is mirrored, and solids have that of the fluid
 * beside them: populations that come back balance by themselves, so differences of v along a wall
 * must be as they are away from it.
 *
 * With eddies 1 / omega is (T + sqrt(T^2 + 18 C_s^2 sqrt(2 N : N))) / 2, T that of the fluid: where
 * omega_s = omega_r, N = -2 S / (3 omega), so that their viscosity is that of Smagorinsky, C_s^2
 * sqrt(2 S : S).
 *
 * Solids, and all that is behind faces of walls, bounce back what reaches them; their numbers are
 * 0. Faces of given velocity u add 6 w c.u to that; behind those of given pressure p is what is
 * before them, but with the pressure 2 p minus that before the face. The phase goes along with
 * either flow. */
#pragma once

#include "sweeps/cell/grid.h"

extern const struct wabe_sweep wabe_sweep_two_fluids_phase, wabe_sweep_two_fluids_collide,
    wabe_sweep_two_fluids_pressure;

/* Operations of a cell inside a fluid, of a march that reads each plane once. */
enum { WABE_FLOPS_TWO_FLUIDS_PHASE = 50, WABE_FLOPS_TWO_FLUIDS_COLLIDE = 390 };

/* The numbers of a cell, so that what leaves it along c is its weight times a plain sum:
 * BASE + sum over the axes of c of (c_a X_a + XX_aa) + c_a c_b XY_ab. With the second moments S
 * less p* / 3, BASE = p* - (3/2) tr S, X = 3 u, XX = (9/2) S_aa, XY = 9 S_ab; of the phase PHASE +
 * sum of c_a FLUX_a, FLUX three times the flux. */
enum {
    WABE_TWO_FLUIDS_BASE,
    WABE_TWO_FLUIDS_X,
    WABE_TWO_FLUIDS_XX = 4,
    WABE_TWO_FLUIDS_XY = 7, /* xy, xz, yz */
    WABE_TWO_FLUIDS_PHASE = 10,
    WABE_TWO_FLUIDS_FLUX,
    WABE_TWO_FLUIDS_NUMBERS = 14
};

/* What cells are: component 0. */
enum {
    WABE_TWO_FLUIDS_INSIDE,      /* fluid */
    WABE_TWO_FLUIDS_BESIDE,      /* fluid beside what is none */
    WABE_TWO_FLUIDS_BESIDE_OPEN, /* the same, and beside a face through which fluid flows */
    WABE_TWO_FLUIDS_SOLID,       /* beside fluid */
    WABE_TWO_FLUIDS_BEHIND,      /* behind a face that is a wall: C there is a mirror image */
    WABE_TWO_FLUIDS_BEHIND_OPEN, /* behind a face through which fluid flows, plus its number */
    WABE_TWO_FLUIDS_DEEP = WABE_TWO_FLUIDS_BEHIND_OPEN + 6 /* solid, with nothing else around */
};

/* A face through which fluid flows. */
typedef struct {
    int is_open;
    int has_pressure;             /* it is given, and not the velocity */
    int has_phase;                /* C of what flows in is given, and not that of the cell before */
    wabe_coefficient velocity[3]; /* 3 u */
    wabe_coefficient pressure;    /* 3 p */
    wabe_coefficient phase;
} wabe_two_fluids_open_face;

typedef struct {
    wabe_two_fluids_open_face faces[6];
} wabe_two_fluids_open_faces;

/* What is linear in C: that of the gas, and by how much the liquid's is more. */
typedef struct {
    wabe_coefficient gas, more;
} wabe_two_fluids_mean;

/* How walls and solids are wetted, (4 / xi) cos(contact angle): all the same, or component 1 of
 * what cells are says it of each, in solids times how far the fluid beside them is along their
 * normal. */
typedef struct {
    wabe_coefficient all;
    int differs;
} wabe_two_fluids_wetting;

/* Computes C from what arrives, and v of it; in solids what C is there so that the interface meets
 * them at the contact angle, and v of the fluid beside them. */
typedef struct wabe_two_fluids_phase_args {
    wabe_grid_args grid;
    wabe_two_fluids_mean density;
    wabe_two_fluids_wetting wetting;
    wabe_two_fluids_open_faces open_faces;
} wabe_two_fluids_phase_args;
enum { WABE_TWO_FLUIDS_PHASE_TO, WABE_TWO_FLUIDS_PHASE_FROM, WABE_TWO_FLUIDS_PHASE_KIND };

/* Streams and collides; writes the velocity, too. */
typedef struct wabe_two_fluids_collide_args {
    wabe_grid_args grid;
    wabe_two_fluids_mean density;
    wabe_two_fluids_wetting wetting;
    wabe_two_fluids_open_faces open_faces;
    wabe_coefficient reference;               /* rho_0 */
    wabe_two_fluids_mean viscosity, fluidity; /* mu, 1 / mu */
    int has_eddies;
    wabe_coefficient eddies;          /* 648 C_s^4 */
    wabe_coefficient well, stiffness; /* 48 s / xi, (3/2) s xi */
    wabe_coefficient sharpness;       /* 4 / xi */
    wabe_coefficient phase_rate;
    wabe_coefficient gravity[3], force[3]; /* force: of a volume */
} wabe_two_fluids_collide_args;
enum {
    WABE_TWO_FLUIDS_COLLIDE_TO,
    WABE_TWO_FLUIDS_COLLIDE_VELOCITY,
    WABE_TWO_FLUIDS_COLLIDE_FROM,
    WABE_TWO_FLUIDS_COLLIDE_ARRIVED,
    WABE_TWO_FLUIDS_COLLIDE_KIND
};

/* Computes p and rho of the state, to be shown. */
typedef struct wabe_two_fluids_pressure_args {
    wabe_grid_args grid;
    wabe_two_fluids_mean density;
} wabe_two_fluids_pressure_args;
enum { WABE_TWO_FLUIDS_PRESSURE_TO, WABE_TWO_FLUIDS_PRESSURE_FROM, WABE_TWO_FLUIDS_PRESSURE_KIND };

/* Components of what the phase's sweep writes. */
enum { WABE_TWO_FLUIDS_ARRIVED_C, WABE_TWO_FLUIDS_ARRIVED_V, WABE_TWO_FLUIDS_ARRIVED };

/* See sweeps/cell/stencils.h: velocities and kinds are in f32. */
#define WABE_TWO_FLUIDS_PLANEWISE(X)                                                               \
    X(two_fluids_phase, WABE_TWO_FLUIDS_ARRIVED, 0, 0x4, 0, 6, 4, WABE_FLOPS_TWO_FLUIDS_PHASE)     \
    X(two_fluids_collide, WABE_TWO_FLUIDS_NUMBERS + 3, 0, 0x12, 0,                                 \
      2 * WABE_TWO_FLUIDS_NUMBERS + WABE_TWO_FLUIDS_ARRIVED, 16, WABE_FLOPS_TWO_FLUIDS_COLLIDE)
enum {
    WABE_BEGINS_two_fluids_phase = 1,
    WABE_BEGINS_two_fluids_pressure = 1,
    WABE_BEGINS_two_fluids_collide = 1 | 1 << WABE_TWO_FLUIDS_NUMBERS
};
#define WABE_TWO_FLUIDS_CELLWISE(X) X(two_fluids_pressure, 2, 0, 0x4, 0, 7, 4, 120)

#ifdef WABE_AT

#include "sweeps/cell/stencil_math.h"

/* Sums over populations are in 36ths: the weights of D3Q19 are 12, 2 and 1 of them. */
#define WABE_36TH WABE_REAL_OF(1.0 / 36.0)
/* Of the kinds of cells. */
#define WABE_TWO_FLUIDS_FLUID_BELOW WABE_REAL_OF(2.5)

/* sum + sign number, sign -1, 0 or 1. */
WABE_INLINE WABE_REAL wabe_signed_add(WABE_REAL sum, int sign, WABE_REAL number) {
    if (sign == 0)
        return sum;
    return sum + (sign > 0 ? number : -number);
}

/* sum + 2 number */
WABE_INLINE WABE_REAL wabe_add_twice(WABE_REAL sum, WABE_REAL number) {
    return WABE_FMA(WABE_REAL_OF(2.0), number, sum);
}

/* Where the numbers of a cell are: in numbers, or, if that is NULL, in memory, s cells away. */
typedef struct {
    const wabe_cell *cell;
    int access, s[3];
    const WABE_REAL *numbers;
} wabe_two_fluids_source;

/* The cell from which a population along c comes to one in the plane dz above the cell's. */
WABE_INLINE wabe_two_fluids_source wabe_two_fluids_from(const wabe_cell *c, int access, int dz,
                                                        const int along[3]) {
    const wabe_two_fluids_source source = {c, access, {-along[0], -along[1], dz}, NULL};
    return source;
}

WABE_INLINE WABE_REAL wabe_two_fluids_number(wabe_two_fluids_source from, int q) {
    if (from.numbers)
        return from.numbers[q];
    return WABE_AT(from.cell, from.access, q, from.s[0], from.s[1], from.s[2]);
}

/* A population along c of the flow, and of the phase, of a cell, without its weight. */
WABE_INLINE WABE_REAL wabe_two_fluids_flow(wabe_two_fluids_source from, const int along[3]) {
    WABE_REAL sum = wabe_two_fluids_number(from, WABE_TWO_FLUIDS_BASE);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        if (along[axis])
            sum = wabe_signed_add(sum, along[axis],
                                  wabe_two_fluids_number(from, WABE_TWO_FLUIDS_X + axis)) +
                  wabe_two_fluids_number(from, WABE_TWO_FLUIDS_XX + axis);
    WABE_UNROLL
    for (int pair = 0; pair < 3; pair++) {
        const int sign = along[pair == 2] * along[pair == 0 ? 1 : 2];
        if (sign)
            sum = wabe_signed_add(sum, sign,
                                  wabe_two_fluids_number(from, WABE_TWO_FLUIDS_XY + pair));
    }
    return sum;
}

WABE_INLINE WABE_REAL wabe_two_fluids_carried(wabe_two_fluids_source from, const int along[3]) {
    WABE_REAL sum = wabe_two_fluids_number(from, WABE_TWO_FLUIDS_PHASE);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        if (along[axis])
            sum = wabe_signed_add(sum, along[axis],
                                  wabe_two_fluids_number(from, WABE_TWO_FLUIDS_FLUX + axis));
    return sum;
}

/* Sums over the five populations with c_z = up that come from the plane dz above the cell's: all,
 * those with c_x = 1 less those with -1, the same of y, and those with c_x^2 = 1 and c_y^2 = 1. */
typedef struct {
    WABE_REAL all, x, y, xx, yy;
} wabe_two_fluids_five;

/* Sums over the nine populations with c_z = 0 that come from that plane. */
typedef struct {
    WABE_REAL all, x, y, xx, yy, xy;
} wabe_two_fluids_nine;

/* of: wabe_two_fluids_flow or wabe_two_fluids_carried. Opposite cells are added up first. */
#define WABE_TWO_FLUIDS_SUMS(name, of)                                                             \
    WABE_INLINE WABE_REAL wabe_two_fluids_##name##_along(const wabe_cell *c, int access, int dz,   \
                                                         int x, int y, int z) {                    \
        const int along[3] = {x, y, z};                                                            \
        return of(wabe_two_fluids_from(c, access, dz, along), along);                              \
    }                                                                                              \
    WABE_INLINE wabe_two_fluids_five wabe_two_fluids_##name##_five(const wabe_cell *c, int access, \
                                                                   int dz, int up) {               \
        const WABE_REAL middle = wabe_two_fluids_##name##_along(c, access, dz, 0, 0, up);          \
        const WABE_REAL east = wabe_two_fluids_##name##_along(c, access, dz, 1, 0, up);            \
        const WABE_REAL west = wabe_two_fluids_##name##_along(c, access, dz, -1, 0, up);           \
        const WABE_REAL north = wabe_two_fluids_##name##_along(c, access, dz, 0, 1, up);           \
        const WABE_REAL south = wabe_two_fluids_##name##_along(c, access, dz, 0, -1, up);          \
        wabe_two_fluids_five s;                                                                    \
        s.x = east - west, s.y = north - south;                                                    \
        s.xx = east + west, s.yy = north + south;                                                  \
        s.all = wabe_add_twice(s.xx + s.yy, middle);                                               \
        return s;                                                                                  \
    }                                                                                              \
    WABE_INLINE wabe_two_fluids_nine wabe_two_fluids_##name##_nine(const wabe_cell *c, int access, \
                                                                   int dz) {                       \
        const WABE_REAL middle = wabe_two_fluids_##name##_along(c, access, dz, 0, 0, 0);           \
        const WABE_REAL east = wabe_two_fluids_##name##_along(c, access, dz, 1, 0, 0);             \
        const WABE_REAL west = wabe_two_fluids_##name##_along(c, access, dz, -1, 0, 0);            \
        const WABE_REAL north = wabe_two_fluids_##name##_along(c, access, dz, 0, 1, 0);            \
        const WABE_REAL south = wabe_two_fluids_##name##_along(c, access, dz, 0, -1, 0);           \
        const WABE_REAL ne = wabe_two_fluids_##name##_along(c, access, dz, 1, 1, 0);               \
        const WABE_REAL sw = wabe_two_fluids_##name##_along(c, access, dz, -1, -1, 0);             \
        const WABE_REAL se = wabe_two_fluids_##name##_along(c, access, dz, 1, -1, 0);              \
        const WABE_REAL nw = wabe_two_fluids_##name##_along(c, access, dz, -1, 1, 0);              \
        const WABE_REAL rising = ne + sw, falling = se + nw, corners = rising + falling;           \
        wabe_two_fluids_nine s;                                                                    \
        s.x = wabe_add_twice((ne - sw) + (se - nw), east - west);                                  \
        s.y = wabe_add_twice((ne - sw) - (se - nw), north - south);                                \
        s.xx = wabe_add_twice(corners, east + west);                                               \
        s.yy = wabe_add_twice(corners, north + south);                                             \
        s.xy = rising - falling;                                                                   \
        s.all = WABE_FMA(WABE_REAL_OF(12.0), middle,                                               \
                         wabe_add_twice(corners, (east + west) + (north + south)));                \
        return s;                                                                                  \
    }

WABE_TWO_FLUIDS_SUMS(flow, wabe_two_fluids_flow)
WABE_TWO_FLUIDS_SUMS(phase, wabe_two_fluids_carried)

/* The 18 directions of populations, and others, by number; see WABE_AROUND_IS_ONE. */
#define WABE_AROUND_X(i) ((i) % 3 - 1)
#define WABE_AROUND_Y(i) ((i) / 3 % 3 - 1)
#define WABE_AROUND_Z(i) ((i) / 9 - 1)
#define WABE_AROUND_AXES(i)                                                                        \
    ((WABE_AROUND_X(i) != 0) + (WABE_AROUND_Y(i) != 0) + (WABE_AROUND_Z(i) != 0))
#define WABE_AROUND_IS_ONE(i) (WABE_AROUND_AXES(i) == 1 || WABE_AROUND_AXES(i) == 2)
#define WABE_AROUND_WEIGHT(i) WABE_REAL_OF(WABE_AROUND_AXES(i) == 1 ? 2.0 : 1.0)
enum { WABE_AROUND = 27 };

/* The cell itself, whose numbers are read once; only from first on. */
WABE_INLINE wabe_two_fluids_source wabe_two_fluids_itself(const wabe_cell *c, int access, int first,
                                                          WABE_REAL numbers[]) {
    const wabe_two_fluids_source own = {c, access, {0, 0, 0}, numbers};
    WABE_UNROLL
    for (int q = first; q < WABE_TWO_FLUIDS_NUMBERS; q++)
        numbers[q] = WABE_AT(c, access, q, 0, 0, 0);
    return own;
}

/* Of a wall or solid that is s away from a cell; kind: the access to what cells are. */
WABE_INLINE WABE_REAL wabe_two_fluids_wetting_at(const wabe_two_fluids_wetting *w,
                                                 const wabe_cell *c, int kind, const int s[3]) {
    if (w->differs)
        return WABE_AT(c, kind, 1, s[0], s[1], s[2]);
    return WABE_REAL_OF(0.0) + WABE_COEFFICIENT(w->all);
}

/* C behind a wall that the interface meets at the contact angle, from C before it: the difference
 * is wetting C (1 - C) of the mean of both, which is found in two steps. */
WABE_INLINE WABE_REAL wabe_two_fluids_wetted(WABE_REAL wetting, WABE_REAL c) {
    const WABE_REAL one = WABE_REAL_OF(1.0), half = WABE_REAL_OF(0.5);
    const WABE_REAL first = WABE_FMA(half * wetting, c * (one - c), c);
    return WABE_FMA(wetting, first * (one - first), c);
}

/* ---- what arrives --------------------------------------------------------------------- */

/* Moments of what arrives: p*, momentum, second moments xx, yy, zz, xy, xz, yz; of the phase its
 * flux. */
typedef struct {
    WABE_REAL pressure, momentum[3], square[3], cross[3], flux[3];
} wabe_two_fluids_moments;

WABE_INLINE void wabe_two_fluids_arrive(wabe_two_fluids_moments *m, const int along[3],
                                        WABE_REAL flow, WABE_REAL carried) {
    m->pressure = m->pressure + flow;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        m->momentum[axis] = wabe_signed_add(m->momentum[axis], along[axis], flow);
        m->flux[axis] = wabe_signed_add(m->flux[axis], along[axis], carried);
        if (along[axis])
            m->square[axis] = m->square[axis] + flow;
    }
    WABE_UNROLL
    for (int pair = 0; pair < 3; pair++)
        m->cross[pair] = wabe_signed_add(m->cross[pair],
                                         along[pair == 2] * along[pair == 0 ? 1 : 2], flow);
}

/* ---- faces through which fluid flows -------------------------------------------------- */

/* The liquid's share of a cell, of which density and viscosity are made. */
WABE_INLINE WABE_REAL wabe_two_fluids_share(WABE_REAL c) {
    return wabe_largest(WABE_REAL_OF(0.0), wabe_smallest(WABE_REAL_OF(1.0), c));
}

WABE_INLINE WABE_REAL wabe_two_fluids_mean_of(const wabe_two_fluids_mean *mean, WABE_REAL c) {
    return WABE_FMA(wabe_two_fluids_share(c), WABE_COEFFICIENT(mean->more),
                    WABE_COEFFICIENT(mean->gas));
}

/* v, the inverse of the density. */
WABE_INLINE WABE_REAL wabe_two_fluids_volume(const wabe_two_fluids_mean *density, WABE_REAL c) {
    return WABE_REAL_OF(1.0) / wabe_two_fluids_mean_of(density, c);
}

/* The phase of the state in a direction from a cell. That of walls, solids and what is behind faces
 * that fluid flows through is a mirror image: of the cell itself, own, across an axis, and of those
 * beside it that are fluid across an edge. access, kind: the sweep's accesses to the state and to
 * what cells are. */
WABE_INLINE WABE_REAL wabe_two_fluids_phase_beside(const wabe_cell *c, int access, int kind,
                                                   const int to[3], WABE_REAL own) {
    const WABE_REAL none = WABE_REAL_OF(0.0), one = WABE_REAL_OF(1.0);
    const wabe_bits fluid = WABE_AT(c, kind, 0, to[0], to[1], to[2]) < WABE_TWO_FLUIDS_FLUID_BELOW;
    const WABE_REAL there = WABE_AT(c, access, WABE_TWO_FLUIDS_PHASE, to[0], to[1], to[2]);
    WABE_REAL sum = none, count = none;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const int s[3] = {axis == 0 ? 0 : to[0], axis == 1 ? 0 : to[1], axis == 2 ? 0 : to[2]};
        if (to[axis] == 0 || (s[0] == 0 && s[1] == 0 && s[2] == 0))
            continue;
        const wabe_bits before = WABE_AT(c, kind, 0, s[0], s[1], s[2]) <
                                 WABE_TWO_FLUIDS_FLUID_BELOW;
        sum = sum + wabe_select(before, WABE_AT(c, access, WABE_TWO_FLUIDS_PHASE, s[0], s[1], s[2]),
                                none);
        count = count + wabe_select(before, one, none);
    }
    const WABE_REAL image = wabe_select(count > none, sum / wabe_largest(count, one), own);
    return wabe_select(fluid, there, image);
}

/* V of the state. */
WABE_INLINE WABE_REAL wabe_two_fluids_mean_volume(const wabe_two_fluids_mean *density,
                                                  const wabe_cell *c, int access, int kind) {
    const WABE_REAL own = WABE_AT(c, access, WABE_TWO_FLUIDS_PHASE, 0, 0, 0);
    const WABE_REAL volume = wabe_two_fluids_volume(density, own);
    WABE_REAL sum = WABE_REAL_OF(0.0);
    WABE_UNROLL
    for (int i = 0; i < WABE_AROUND; i++) {
        const int to[3] = {WABE_AROUND_X(i), WABE_AROUND_Y(i), WABE_AROUND_Z(i)};
        if (!WABE_AROUND_IS_ONE(i))
            continue;
        const WABE_REAL phase = wabe_two_fluids_phase_beside(c, access, kind, to, own);
        sum = WABE_FMA(WABE_AROUND_WEIGHT(i), wabe_two_fluids_volume(density, phase) - volume, sum);
    }
    return WABE_FMA(WABE_REAL_OF(0.25 * 6.0 / 36.0), sum, volume);
}

/* p* of numbers of a cell. */
WABE_INLINE WABE_REAL wabe_two_fluids_sum_of(wabe_two_fluids_source from) {
    const WABE_REAL trace = wabe_two_fluids_number(from, WABE_TWO_FLUIDS_XX) +
                            wabe_two_fluids_number(from, WABE_TWO_FLUIDS_XX + 1) +
                            wabe_two_fluids_number(from, WABE_TWO_FLUIDS_XX + 2);
    return WABE_FMA(WABE_REAL_OF(1.0 / 3.0), trace,
                    wabe_two_fluids_number(from, WABE_TWO_FLUIDS_BASE));
}

/* What a face through which fluid flows adds to the populations of flow and phase that bounce back
 * from it. */
typedef struct {
    WABE_REAL flow, carried;
} wabe_two_fluids_correction;

/* A link from a cell through such a face, which is normal to an axis; access, kind: the sweep's
 * accesses to the state and to what cells are. */
typedef struct {
    const wabe_two_fluids_open_faces *all;
    const wabe_two_fluids_open_face *face;
    const wabe_cell *cell;
    int access, kind;
    int axis, along[3];
    WABE_REAL mean_volume; /* V of the cell */
} wabe_two_fluids_link;

/* A given velocity: 3 times its part along the link, and that normal to the face, both inwards. */
WABE_INLINE void wabe_two_fluids_face_velocity(const wabe_two_fluids_link *link, WABE_REAL *along,
                                               WABE_REAL *inward) {
    const WABE_REAL none = WABE_REAL_OF(0.0);
    *along = none;
    for (int axis = 0; axis < 3; axis++)
        *along = wabe_signed_add(*along, -link->along[axis],
                                 none + WABE_COEFFICIENT(link->face->velocity[axis]));
    *inward = wabe_signed_add(none, -link->along[link->axis],
                              none + WABE_COEFFICIENT(link->face->velocity[link->axis]));
}

/* A given pressure: behind the face is a ghost of the cell before it, with the same velocity and
 * stress, and with a pressure that is as much above the given one as the own cell's is below. The
 * cell before it is not the link's own, from which shear along the face would come out wrong,
 * unless a solid is there. Sets 3 times the velocity inwards, too. */
WABE_INLINE WABE_REAL wabe_two_fluids_face_pressure(const wabe_two_fluids_link *link,
                                                    wabe_two_fluids_source own, WABE_REAL *inward) {
    const int up = link->along[link->axis];
    const int back[3] = {-link->along[0], -link->along[1], -link->along[2]};
    WABE_REAL numbers[WABE_TWO_FLUIDS_NUMBERS];
    const wabe_two_fluids_source behind = {link->cell, link->access, {0, 0, 0}, numbers};
    int s[3];
    for (int axis = 0; axis < 3; axis++)
        s[axis] = axis == link->axis ? 0 : link->along[axis];
    const wabe_bits fluid = WABE_AT(link->cell, link->kind, 0, s[0], s[1], s[2]) <
                            WABE_TWO_FLUIDS_FLUID_BELOW;
    for (int q = 0; q < WABE_TWO_FLUIDS_FLUX; q++)
        numbers[q] = wabe_select(fluid, WABE_AT(link->cell, link->access, q, s[0], s[1], s[2]),
                                 wabe_two_fluids_number(own, q));
    const WABE_REAL lacks = WABE_COEFFICIENT(link->face->pressure) * link->mean_volume -
                            wabe_two_fluids_sum_of(own);
    *inward = wabe_signed_add(lacks, -up, numbers[WABE_TWO_FLUIDS_X + link->axis]);
    return (wabe_two_fluids_flow(behind, back) - wabe_two_fluids_flow(own, link->along)) +
           (lacks + lacks);
}

/* The phase goes with the flow, so that a fluid stays pure: with C of the cell, but of what flows
 * in.
 */
WABE_INLINE wabe_two_fluids_correction wabe_two_fluids_correct(const wabe_two_fluids_link *link,
                                                               wabe_two_fluids_source own) {
    const WABE_REAL phase = wabe_two_fluids_number(own, WABE_TWO_FLUIDS_PHASE);
    wabe_two_fluids_correction correction;
    WABE_REAL inward;
    if (link->face->has_pressure) {
        correction.flow = wabe_two_fluids_face_pressure(link, own, &inward);
    } else {
        WABE_REAL along;
        wabe_two_fluids_face_velocity(link, &along, &inward);
        correction.flow = along + along;
    }
    correction.carried = phase * correction.flow;
    inward = wabe_largest(WABE_REAL_OF(0.0), inward);
    if (link->face->has_phase)
        correction.carried = WABE_FMA(inward + inward, WABE_COEFFICIENT(link->face->phase) - phase,
                                      correction.carried);
    return correction;
}

/* Does a population of number i (WABE_AROUND_X) leave through this face? Sets the link. */
WABE_INLINE bool wabe_two_fluids_is_link(wabe_two_fluids_link *link, int face, int i) {
    const int along[3] = {WABE_AROUND_X(i), WABE_AROUND_Y(i), WABE_AROUND_Z(i)};
    link->face = &link->all->faces[face];
    link->axis = face / 2;
    for (int axis = 0; axis < 3; axis++)
        link->along[axis] = along[axis];
    return WABE_AROUND_IS_ONE(i) && along[link->axis] == (face % 2 ? 1 : -1);
}

/* The correction in 36ths; 0 where the link does not lead through the face. */
WABE_INLINE wabe_two_fluids_correction wabe_two_fluids_through(const wabe_two_fluids_link *link,
                                                               int face,
                                                               wabe_two_fluids_source own) {
    const WABE_REAL none = WABE_REAL_OF(0.0);
    const int *to = link->along, axes = (to[0] != 0) + (to[1] != 0) + (to[2] != 0);
    const WABE_REAL weight = WABE_REAL_OF(axes == 1 ? 2.0 : 1.0);
    const WABE_REAL kind = WABE_AT(link->cell, link->kind, 0, to[0], to[1], to[2]);
    const wabe_bits there = kind == WABE_REAL_OF(WABE_TWO_FLUIDS_BEHIND_OPEN + face);
    wabe_two_fluids_correction correction = {none, none};
    if (!wabe_any(there))
        return correction;
    correction = wabe_two_fluids_correct(link, own);
    correction.flow = wabe_select(there, weight * correction.flow, none);
    correction.carried = wabe_select(there, weight * correction.carried, none);
    return correction;
}

/* Adds the corrections of all faces around a cell to what arrives at it, unless m is NULL, and
 * returns the sum of those of the phase. access, kind: as of a link. */
WABE_INLINE WABE_REAL wabe_two_fluids_through_faces(const wabe_two_fluids_open_faces *o,
                                                    const wabe_two_fluids_mean *density,
                                                    const wabe_cell *c, int access, int kind,
                                                    wabe_two_fluids_moments *m) {
    const wabe_two_fluids_source own = {c, access, {0, 0, 0}, NULL};
    wabe_two_fluids_link link = {o, NULL, c, access, kind, 0, {0, 0, 0}, WABE_REAL_OF(0.0)};
    link.mean_volume = wabe_two_fluids_mean_volume(density, c, access, kind);
    WABE_REAL sum = WABE_REAL_OF(0.0);
    for (int face = 0; face < 6; face++)
        for (int i = 0; i < WABE_AROUND && o->faces[face].is_open; i++)
            if (wabe_two_fluids_is_link(&link, face, i)) {
                const int back[3] = {-link.along[0], -link.along[1], -link.along[2]};
                const wabe_two_fluids_correction add = wabe_two_fluids_through(&link, face, own);
                if (m)
                    wabe_two_fluids_arrive(m, back, add.flow, add.carried);
                sum = sum + add.carried;
            }
    return sum;
}

/* ---- phase --------------------------------------------------------------------------- */

/* C in a solid beside fluid, before it is wetted, from that of the fluid in the step before: the
 * mean of cells beside it along the axes, so that flat surfaces are as walls at faces are; or, if
 * these are solid, of those across edges. */
WABE_INLINE WABE_REAL wabe_two_fluids_in_solid(const wabe_cell *c) {
    const WABE_REAL none = WABE_REAL_OF(0.0), one = WABE_REAL_OF(1.0);
    WABE_REAL sums[2] = {none, none}, counts[2] = {none, none}; /* along axes, across edges */
    WABE_UNROLL
    for (int i = 0; i < WABE_AROUND; i++) {
        const int x = WABE_AROUND_X(i), y = WABE_AROUND_Y(i), z = WABE_AROUND_Z(i);
        if (!WABE_AROUND_IS_ONE(i))
            continue;
        const int kind = WABE_AROUND_AXES(i) - 1;
        const wabe_bits fluid = WABE_AT(c, WABE_TWO_FLUIDS_PHASE_KIND, 0, x, y, z) <
                                WABE_TWO_FLUIDS_FLUID_BELOW;
        const WABE_REAL number = WABE_AT(c, WABE_TWO_FLUIDS_PHASE_FROM, WABE_TWO_FLUIDS_PHASE, x, y,
                                         z);
        sums[kind] = sums[kind] + wabe_select(fluid, number, none);
        counts[kind] = counts[kind] + wabe_select(fluid, one, none);
    }
    const wabe_bits axes = counts[0] > none;
    const WABE_REAL sum = wabe_select(axes, sums[0], sums[1]);
    const WABE_REAL count = wabe_select(axes, counts[0], counts[1]);
    return sum / wabe_largest(count, one);
}

/* What a flow through faces around a cell carries along, in 36ths. */
WABE_NOINLINE WABE_REAL wabe_two_fluids_phase_through(const wabe_two_fluids_phase_args *a,
                                                      wabe_cell_copy copy) {
    const wabe_cell cell = wabe_copied_cell(copy);
    return wabe_two_fluids_through_faces(&a->open_faces, &a->density, &cell,
                                         WABE_TWO_FLUIDS_PHASE_FROM, WABE_TWO_FLUIDS_PHASE_KIND,
                                         NULL);
}

/* What walls and solids around a cell return, in 36ths. */
WABE_INLINE WABE_REAL wabe_two_fluids_phase_back(const wabe_cell *c) {
    WABE_REAL sum = WABE_REAL_OF(0.0), numbers[WABE_TWO_FLUIDS_NUMBERS];
    const wabe_two_fluids_source own = wabe_two_fluids_itself(c, WABE_TWO_FLUIDS_PHASE_FROM,
                                                              WABE_TWO_FLUIDS_PHASE, numbers);
    WABE_UNROLL
    for (int i = 0; i < WABE_AROUND; i++) {
        const int to[3] = {WABE_AROUND_X(i), WABE_AROUND_Y(i), WABE_AROUND_Z(i)};
        if (!WABE_AROUND_IS_ONE(i))
            continue;
        const wabe_bits solid = WABE_AT(c, WABE_TWO_FLUIDS_PHASE_KIND, 0, to[0], to[1], to[2]) >
                                WABE_TWO_FLUIDS_FLUID_BELOW;
        if (!wabe_any(solid))
            continue;
        const WABE_REAL returned = WABE_AROUND_WEIGHT(i) * wabe_two_fluids_carried(own, to);
        sum = sum + wabe_select(solid, returned, WABE_REAL_OF(0.0));
    }
    return sum;
}

/* C, and C before it is wetted. */
typedef struct {
    WABE_REAL c, unwetted;
} wabe_two_fluids_phases;

/* Those of a cell that is, or is beside, a wall or a solid; arrived: what is carried from
 * elsewhere, in 36ths. Few cells are: here and below a call of a function keeps their registers
 * from the others. */
WABE_NOINLINE wabe_two_fluids_phases wabe_two_fluids_phase_there(
    const wabe_two_fluids_phase_args *a, wabe_cell_copy copy, WABE_REAL arrived) {
    const int own[3] = {0, 0, 0};
    const wabe_cell cell = wabe_copied_cell(copy), *c = &cell;
    const WABE_REAL kind = WABE_AT(c, WABE_TWO_FLUIDS_PHASE_KIND, 0, 0, 0, 0);
    arrived = arrived + wabe_two_fluids_phase_back(c);
    if (wabe_any(kind == WABE_REAL_OF(WABE_TWO_FLUIDS_BESIDE_OPEN)))
        arrived = arrived + wabe_two_fluids_phase_through(a, copy);
    const wabe_bits solid = kind > WABE_TWO_FLUIDS_FLUID_BELOW;
    wabe_two_fluids_phases there;
    there.c = there.unwetted = WABE_36TH * arrived;
    if (!wabe_any(solid))
        return there;
    const WABE_REAL mean = wabe_two_fluids_in_solid(c);
    const WABE_REAL wetting = wabe_two_fluids_wetting_at(&a->wetting, c, WABE_TWO_FLUIDS_PHASE_KIND,
                                                         own);
    there.c = wabe_select(solid, wabe_two_fluids_wetted(wetting, mean), there.c);
    there.unwetted = wabe_select(solid, mean, there.unwetted);
    return there;
}

typedef struct {
    WABE_REAL all;
} wabe_two_fluids_phase_below, wabe_two_fluids_phase_begun;

WABE_INLINE wabe_two_fluids_phase_below
wabe_two_fluids_phase_rise(const wabe_two_fluids_phase_args *a, const wabe_cell *c, int dz) {
    wabe_two_fluids_phase_below below;
    (void)a;
    below.all = wabe_two_fluids_phase_five(c, WABE_TWO_FLUIDS_PHASE_FROM, dz, 1).all;
    return below;
}

WABE_INLINE wabe_two_fluids_phase_begun
wabe_two_fluids_phase_begin(const wabe_two_fluids_phase_args *a, const wabe_cell *c, int dz,
                            const wabe_two_fluids_phase_below *below) {
    wabe_two_fluids_phase_begun begun;
    (void)a;
    begun.all = below->all + wabe_two_fluids_phase_nine(c, WABE_TWO_FLUIDS_PHASE_FROM, dz).all;
    return begun;
}

WABE_INLINE void wabe_two_fluids_phase_end(const wabe_two_fluids_phase_args *a, const wabe_cell *c,
                                           const wabe_two_fluids_phase_begun *begun,
                                           WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL kind = WABE_AT(c, WABE_TWO_FLUIDS_PHASE_KIND, 0, 0, 0, 0);
    const WABE_REAL all = begun->all +
                          wabe_two_fluids_phase_five(c, WABE_TWO_FLUIDS_PHASE_FROM, 1, -1).all;
    (void)reduced;
    wabe_two_fluids_phases phases;
    phases.c = phases.unwetted = WABE_36TH * all;
    if (wabe_any(wabe_bits_of(kind)))
        phases = wabe_two_fluids_phase_there(a, wabe_copy_cell(c), all);
    out[WABE_TWO_FLUIDS_ARRIVED_C] = phases.c;
    out[WABE_TWO_FLUIDS_ARRIVED_V] = wabe_two_fluids_volume(&a->density, phases.unwetted);
}

WABE_INLINE bool wabe_two_fluids_phase_is_idle(const wabe_cell *c) {
    return !wabe_any(WABE_AT(c, WABE_TWO_FLUIDS_PHASE_KIND, 0, 0, 0, 0) <
                     WABE_REAL_OF(WABE_TWO_FLUIDS_DEEP));
}

WABE_PLANEWISE_CELL(two_fluids_phase, WABE_TWO_FLUIDS_ARRIVED, wabe_two_fluids_phase_is_idle)

/* ---- collide ------------------------------------------------------------------------- */

/* A gradient and a Laplacian, of C or v, from the 18 cells around. */
typedef struct {
    WABE_REAL gradient[3], laplacian;
} wabe_two_fluids_slope;

typedef struct {
    wabe_two_fluids_moments moments;
    wabe_two_fluids_slope of_c, of_v;
} wabe_two_fluids_around;

/* Sums over the five cells of a plane around a middle one: differences from the middle, and those
 * along x and y. */
typedef struct {
    WABE_REAL middle, off, x, y;
} wabe_two_fluids_lean;

/* q: WABE_TWO_FLUIDS_ARRIVED_C or _V. */
WABE_INLINE WABE_REAL wabe_two_fluids_arrived(const wabe_cell *c, int q, int x, int y, int z) {
    return WABE_AT(c, WABE_TWO_FLUIDS_COLLIDE_ARRIVED, q, x, y, z);
}

WABE_INLINE wabe_two_fluids_lean wabe_two_fluids_lean_of(const wabe_cell *c, int q, int dz) {
    const WABE_REAL east = wabe_two_fluids_arrived(c, q, 1, 0, dz);
    const WABE_REAL west = wabe_two_fluids_arrived(c, q, -1, 0, dz);
    const WABE_REAL north = wabe_two_fluids_arrived(c, q, 0, 1, dz);
    const WABE_REAL south = wabe_two_fluids_arrived(c, q, 0, -1, dz);
    wabe_two_fluids_lean s;
    s.middle = wabe_two_fluids_arrived(c, q, 0, 0, dz);
    s.off = ((east - s.middle) + (west - s.middle)) + ((north - s.middle) + (south - s.middle));
    s.x = east - west, s.y = north - south;
    return s;
}

/* Weighted differences in another plane from the cell's own number: 2 of the middle, 1 of the four
 * around it. */
WABE_INLINE WABE_REAL wabe_two_fluids_off(const wabe_two_fluids_lean *s, WABE_REAL own) {
    return WABE_FMA(WABE_REAL_OF(6.0), s->middle - own, s->off);
}

/* Weighted differences from a cell's own number, those in the plane below apart, and those along x
 * and y; once the plane below and the cell's are read. */
typedef struct {
    WABE_REAL own, off, off_below, x, y;
} wabe_two_fluids_slope_begun;

WABE_INLINE wabe_two_fluids_slope_begun
wabe_two_fluids_begin_slope(const wabe_cell *c, int q, int dz, const wabe_two_fluids_lean *below) {
    const wabe_two_fluids_lean lean = wabe_two_fluids_lean_of(c, q, dz);
    const WABE_REAL ne = wabe_two_fluids_arrived(c, q, 1, 1, dz);
    const WABE_REAL sw = wabe_two_fluids_arrived(c, q, -1, -1, dz);
    const WABE_REAL se = wabe_two_fluids_arrived(c, q, 1, -1, dz);
    const WABE_REAL nw = wabe_two_fluids_arrived(c, q, -1, 1, dz);
    wabe_two_fluids_slope_begun s;
    s.own = lean.middle;
    s.off = wabe_add_twice(((ne - s.own) + (sw - s.own)) + ((se - s.own) + (nw - s.own)), lean.off);
    s.off_below = wabe_two_fluids_off(below, s.own);
    s.x = wabe_add_twice((ne - sw) + (se - nw), lean.x) + below->x;
    s.y = wabe_add_twice((ne - sw) - (se - nw), lean.y) + below->y;
    return s;
}

/* In 36ths. */
WABE_INLINE wabe_two_fluids_slope wabe_two_fluids_end_slope(const wabe_two_fluids_slope_begun *b,
                                                            const wabe_two_fluids_lean *above) {
    const WABE_REAL off = wabe_two_fluids_off(above, b->own);
    wabe_two_fluids_slope s;
    s.gradient[0] = b->x + above->x;
    s.gradient[1] = b->y + above->y;
    s.gradient[2] = off - b->off_below;
    s.laplacian = b->off + (b->off_below + off);
    return s;
}

/* Adds a difference, in 36ths, of a cell that is s away. */
WABE_INLINE void wabe_two_fluids_lean_more(wabe_two_fluids_slope *s, const int to[3],
                                           WABE_REAL more) {
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        s->gradient[axis] = wabe_signed_add(s->gradient[axis], to[axis], more);
    s->laplacian = s->laplacian + more;
}

typedef struct {
    wabe_two_fluids_five flow, phase;
    wabe_two_fluids_lean of_c, of_v;
} wabe_two_fluids_collide_below;

/* Sums over what has arrived from below and from the cell's plane; up: of what goes up. */
typedef struct {
    WABE_REAL all, x, y, xx, yy, xy, up, up_x, up_y;
    WABE_REAL flux_x, flux_y, flux_up;
    wabe_two_fluids_slope_begun of_c, of_v;
} wabe_two_fluids_collide_begun;

WABE_INLINE wabe_two_fluids_collide_below wabe_two_fluids_from_plane(const wabe_cell *c, int dz,
                                                                     int up) {
    wabe_two_fluids_collide_below s;
    s.flow = wabe_two_fluids_flow_five(c, WABE_TWO_FLUIDS_COLLIDE_FROM, dz, up);
    s.phase = wabe_two_fluids_phase_five(c, WABE_TWO_FLUIDS_COLLIDE_FROM, dz, up);
    s.of_c = wabe_two_fluids_lean_of(c, WABE_TWO_FLUIDS_ARRIVED_C, dz);
    s.of_v = wabe_two_fluids_lean_of(c, WABE_TWO_FLUIDS_ARRIVED_V, dz);
    return s;
}

WABE_INLINE wabe_two_fluids_collide_below
wabe_two_fluids_collide_rise(const wabe_two_fluids_collide_args *a, const wabe_cell *c, int dz) {
    (void)a;
    return wabe_two_fluids_from_plane(c, dz, 1);
}

WABE_INLINE wabe_two_fluids_collide_begun
wabe_two_fluids_collide_begin(const wabe_two_fluids_collide_args *a, const wabe_cell *c, int dz,
                              const wabe_two_fluids_collide_below *below) {
    const wabe_two_fluids_nine flow = wabe_two_fluids_flow_nine(c, WABE_TWO_FLUIDS_COLLIDE_FROM,
                                                                dz);
    const wabe_two_fluids_nine phase = wabe_two_fluids_phase_nine(c, WABE_TWO_FLUIDS_COLLIDE_FROM,
                                                                  dz);
    wabe_two_fluids_collide_begun s;
    (void)a;
    s.all = flow.all + below->flow.all;
    s.x = flow.x + below->flow.x, s.y = flow.y + below->flow.y;
    s.xx = flow.xx + below->flow.xx, s.yy = flow.yy + below->flow.yy, s.xy = flow.xy;
    s.up = below->flow.all, s.up_x = below->flow.x, s.up_y = below->flow.y;
    s.flux_x = phase.x + below->phase.x, s.flux_y = phase.y + below->phase.y;
    s.flux_up = below->phase.all;
    s.of_c = wabe_two_fluids_begin_slope(c, WABE_TWO_FLUIDS_ARRIVED_C, dz, &below->of_c);
    s.of_v = wabe_two_fluids_begin_slope(c, WABE_TWO_FLUIDS_ARRIVED_V, dz, &below->of_v);
    return s;
}

/* The same with what the plane above gives; in 36ths. */
WABE_INLINE void wabe_two_fluids_gather(const wabe_cell *c, const wabe_two_fluids_collide_begun *b,
                                        wabe_two_fluids_around *all) {
    const wabe_two_fluids_collide_below above = wabe_two_fluids_from_plane(c, 1, -1);
    wabe_two_fluids_moments *m = &all->moments;
    m->pressure = b->all + above.flow.all;
    m->momentum[0] = b->x + above.flow.x;
    m->momentum[1] = b->y + above.flow.y;
    m->momentum[2] = b->up - above.flow.all;
    m->square[0] = b->xx + above.flow.xx;
    m->square[1] = b->yy + above.flow.yy;
    m->square[2] = b->up + above.flow.all;
    m->cross[0] = b->xy;
    m->cross[1] = b->up_x - above.flow.x;
    m->cross[2] = b->up_y - above.flow.y;
    m->flux[0] = b->flux_x + above.phase.x;
    m->flux[1] = b->flux_y + above.phase.y;
    m->flux[2] = b->flux_up - above.phase.all;
    all->of_c = wabe_two_fluids_end_slope(&b->of_c, &above.of_c);
    all->of_v = wabe_two_fluids_end_slope(&b->of_v, &above.of_v);
}

/* ---- walls and solids ---------------------------------------------------------------- */

/* Adds what flows through faces around a cell. */
WABE_NOINLINE wabe_two_fluids_moments wabe_two_fluids_collide_through(
    const wabe_two_fluids_collide_args *a, wabe_cell_copy copy, wabe_two_fluids_moments m) {
    const wabe_cell cell = wabe_copied_cell(copy);
    wabe_two_fluids_through_faces(&a->open_faces, &a->density, &cell, WABE_TWO_FLUIDS_COLLIDE_FROM,
                                  WABE_TWO_FLUIDS_COLLIDE_KIND, &m);
    return m;
}

/* What walls and solids around return, and what walls change C by that lies behind them. */
WABE_NOINLINE wabe_two_fluids_around wabe_two_fluids_returned(const wabe_two_fluids_collide_args *a,
                                                              wabe_cell_copy copy,
                                                              wabe_two_fluids_around all) {
    const WABE_REAL none = WABE_REAL_OF(0.0);
    const wabe_cell cell = wabe_copied_cell(copy), *c = &cell;
    WABE_REAL numbers[WABE_TWO_FLUIDS_NUMBERS];
    const wabe_two_fluids_source own = wabe_two_fluids_itself(c, WABE_TWO_FLUIDS_COLLIDE_FROM, 0,
                                                              numbers);
    WABE_UNROLL
    for (int i = 0; i < WABE_AROUND; i++) {
        const int to[3] = {WABE_AROUND_X(i), WABE_AROUND_Y(i), WABE_AROUND_Z(i)};
        const int back[3] = {-to[0], -to[1], -to[2]};
        if (!WABE_AROUND_IS_ONE(i))
            continue;
        const WABE_REAL weight = WABE_AROUND_WEIGHT(i);
        const WABE_REAL kind = WABE_AT(c, WABE_TWO_FLUIDS_COLLIDE_KIND, 0, to[0], to[1], to[2]);
        const wabe_bits solid = kind > WABE_TWO_FLUIDS_FLUID_BELOW;
        const wabe_bits behind = kind == WABE_REAL_OF(WABE_TWO_FLUIDS_BEHIND);
        if (!wabe_any(solid))
            continue;
        const WABE_REAL flow = weight * wabe_two_fluids_flow(own, to);
        const WABE_REAL carried = weight * wabe_two_fluids_carried(own, to);
        wabe_two_fluids_arrive(&all.moments, back, wabe_select(solid, flow, none),
                               wabe_select(solid, carried, none));
        if (!wabe_any(behind))
            continue;
        const WABE_REAL image = wabe_two_fluids_arrived(c, WABE_TWO_FLUIDS_ARRIVED_C, to[0], to[1],
                                                        to[2]);
        const WABE_REAL wetting = wabe_two_fluids_wetting_at(&a->wetting, c,
                                                             WABE_TWO_FLUIDS_COLLIDE_KIND, to);
        const WABE_REAL wetted = wabe_two_fluids_wetted(wetting, image);
        wabe_two_fluids_lean_more(&all.of_c, to,
                                  wabe_select(behind, weight * (wetted - image), none));
    }
    const WABE_REAL here = WABE_AT(c, WABE_TWO_FLUIDS_COLLIDE_KIND, 0, 0, 0, 0);
    if (wabe_any(here == WABE_REAL_OF(WABE_TWO_FLUIDS_BESIDE_OPEN)))
        all.moments = wabe_two_fluids_collide_through(a, copy, all.moments);
    return all;
}

/* ---- the collision ------------------------------------------------------------------- */

/* From 36ths; a gradient is 3, a Laplacian 6 times the weighted sum. */
WABE_INLINE void wabe_two_fluids_weigh_slope(wabe_two_fluids_slope *s) {
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        s->gradient[axis] = WABE_REAL_OF(3.0 / 36.0) * s->gradient[axis];
    s->laplacian = WABE_REAL_OF(6.0 / 36.0) * s->laplacian;
}

WABE_INLINE void wabe_two_fluids_weigh(wabe_two_fluids_around *all) {
    wabe_two_fluids_moments *m = &all->moments;
    m->pressure = WABE_36TH * m->pressure;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        m->momentum[axis] = WABE_36TH * m->momentum[axis];
        m->square[axis] = WABE_36TH * m->square[axis];
        m->cross[axis] = WABE_36TH * m->cross[axis];
        m->flux[axis] = WABE_36TH * m->flux[axis];
    }
    wabe_two_fluids_weigh_slope(&all->of_c);
    wabe_two_fluids_weigh_slope(&all->of_v);
}

/* The part of N of an axis with another one. */
WABE_INLINE WABE_REAL wabe_two_fluids_part(const WABE_REAL square[3], const WABE_REAL cross[3],
                                           int a, int b) {
    return a == b ? square[a] : cross[a + b - 1];
}

/* N of a velocity. */
WABE_INLINE void wabe_two_fluids_stress(const wabe_two_fluids_moments *m, const WABE_REAL u[3],
                                        WABE_REAL square[3], WABE_REAL cross[3]) {
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        square[axis] = WABE_FMA(-u[axis], u[axis], m->square[axis]);
    const WABE_REAL mean = WABE_REAL_OF(1.0 / 3.0) * (square[0] + square[1] + square[2]);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        square[axis] = square[axis] - mean;
    WABE_UNROLL
    for (int pair = 0; pair < 3; pair++)
        cross[pair] = WABE_FMA(-u[pair == 2], u[pair == 0 ? 1 : 2], m->cross[pair]);
}

/* What a fluid is like: C, v, 1 / V, V - |grad v|^2 / (4 V); the normal of C, and 4 C (1 - C) / xi,
 * the slope of an interface at rest; omega_s and omega_r. */
typedef struct {
    WABE_REAL c, volume, per_mean, for_tension, normal[3], slope, shear, rest;
} wabe_two_fluids_mixture;

WABE_INLINE WABE_REAL wabe_two_fluids_dot(const WABE_REAL a[3], const WABE_REAL b[3]) {
    return WABE_FMA(a[0], b[0], WABE_FMA(a[1], b[1], a[2] * b[2]));
}

WABE_INLINE wabe_two_fluids_mixture wabe_two_fluids_mix(const wabe_two_fluids_collide_args *a,
                                                        WABE_REAL c, WABE_REAL volume,
                                                        const wabe_two_fluids_around *all) {
    const WABE_REAL one = WABE_REAL_OF(1.0), lap = all->of_v.laplacian;
    const WABE_REAL *g = all->of_c.gradient, *grad_v = all->of_v.gradient;
    const WABE_REAL mean = WABE_FMA(WABE_REAL_OF(0.25), lap, volume);
    const WABE_REAL fluidity = wabe_two_fluids_mean_of(&a->fluidity, c);
    const WABE_REAL half = WABE_REAL_OF(0.5), three = WABE_REAL_OF(3.0);
    const WABE_REAL per_size = one / (WABE_SQRT(wabe_two_fluids_dot(g, g)) + WABE_REAL_OF(1e-12));
    const WABE_REAL nu = volume * wabe_two_fluids_mean_of(&a->viscosity, c);
    /* 1 / mu + (3/2) lap v; limited where v curves so much that it would be near 0, or below. */
    const WABE_REAL shears = wabe_largest(WABE_REAL_OF(0.25) * fluidity,
                                          WABE_FMA(WABE_REAL_OF(1.5), lap, fluidity));
    wabe_two_fluids_mixture mix;
    mix.c = c;
    mix.volume = volume;
    mix.per_mean = one / mean;
    mix.for_tension = WABE_FMA(WABE_REAL_OF(-0.25) * mix.per_mean,
                               wabe_two_fluids_dot(grad_v, grad_v), mean);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        mix.normal[axis] = per_size * g[axis];
    mix.slope = WABE_COEFFICIENT(a->sharpness) * c * (one - c);
    mix.shear = shears / WABE_FMA(half, shears, three * mean);
    mix.rest = one / WABE_FMA(three, nu, half);
    return mix;
}

/* omega with the viscosity of eddies: 18 C_s^2 sqrt(2 N : N). */
WABE_INLINE WABE_REAL wabe_two_fluids_with_eddies(WABE_REAL omega, WABE_REAL eddies) {
    const WABE_REAL time = WABE_REAL_OF(1.0) / omega;
    return WABE_REAL_OF(2.0) / (time + WABE_SQRT(WABE_FMA(time, time, eddies)));
}

/* Adds the eddies of N to a mixture. */
WABE_INLINE void wabe_two_fluids_stir(const wabe_two_fluids_collide_args *a,
                                      const WABE_REAL square[3], const WABE_REAL cross[3],
                                      wabe_two_fluids_mixture *mix) {
    const WABE_REAL twice = WABE_REAL_OF(2.0) * wabe_two_fluids_dot(cross, cross);
    const WABE_REAL eddies =
        WABE_SQRT(WABE_COEFFICIENT(a->eddies) * (wabe_two_fluids_dot(square, square) + twice));
    mix->shear = wabe_two_fluids_with_eddies(mix->shear, eddies);
    mix->rest = wabe_two_fluids_with_eddies(mix->rest, eddies);
}

/* The products of N with a vector. */
WABE_INLINE void wabe_two_fluids_times(const WABE_REAL square[3], const WABE_REAL cross[3],
                                       const WABE_REAL vector[3], WABE_REAL out[3]) {
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const WABE_REAL row[3] = {wabe_two_fluids_part(square, cross, axis, 0),
                                  wabe_two_fluids_part(square, cross, axis, 1),
                                  wabe_two_fluids_part(square, cross, axis, 2)};
        out[axis] = wabe_two_fluids_dot(row, vector);
    }
}

/* D. */
WABE_INLINE void wabe_two_fluids_drag(const wabe_two_fluids_mixture *mix, const WABE_REAL square[3],
                                      const WABE_REAL cross[3], const WABE_REAL grad_v[3],
                                      WABE_REAL out[3]) {
    const WABE_REAL less = WABE_REAL_OF(-0.5), per = mix->per_mean; /* 3 nu omega = 1 - omega / 2 */
    const WABE_REAL shear = WABE_FMA(less * mix->shear, per, per);
    const WABE_REAL rest = WABE_FMA(less * mix->rest, per, per);
    WABE_REAL all[3];
    wabe_two_fluids_times(square, cross, grad_v, all);
    const WABE_REAL along = (rest - shear) * wabe_two_fluids_dot(mix->normal, all);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        out[axis] = WABE_FMA(along, mix->normal[axis], shear * all[axis]);
}

/* Finds u, F / rho and N, from which D is found once; adds eddies to the mixture. */
WABE_INLINE void wabe_two_fluids_drive(const wabe_two_fluids_collide_args *a,
                                       wabe_two_fluids_mixture *mix,
                                       const wabe_two_fluids_around *all, WABE_REAL u[3],
                                       WABE_REAL push[3], WABE_REAL square[3], WABE_REAL cross[3]) {
    const WABE_REAL half = WABE_REAL_OF(0.5), one = WABE_REAL_OF(1.0), c = mix->c;
    const wabe_two_fluids_moments *m = &all->moments;
    const wabe_two_fluids_slope *s = &all->of_c;
    const WABE_REAL *grad_v = all->of_v.gradient;
    const WABE_REAL potential = WABE_FMA(WABE_COEFFICIENT(a->well) * c * (c - one), c - half,
                                         -(WABE_COEFFICIENT(a->stiffness) * s->laplacian));
    const WABE_REAL along = potential * mix->for_tension;
    const WABE_REAL pressure = WABE_REAL_OF(1.0 / 3.0) * (m->pressure * mix->per_mean);
    const WABE_REAL weight = one - WABE_COEFFICIENT(a->reference) * mix->volume;
    WABE_REAL more[3];
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        push[axis] = WABE_FMA(along, s->gradient[axis],
                              WABE_FMA(weight, WABE_COEFFICIENT(a->gravity[axis]),
                                       mix->volume * WABE_COEFFICIENT(a->force[axis])));
        push[axis] = WABE_FMA(pressure, grad_v[axis], push[axis]);
        u[axis] = WABE_FMA(half, push[axis], m->momentum[axis]);
    }
    wabe_two_fluids_stress(m, u, square, cross);
    if (a->has_eddies)
        wabe_two_fluids_stir(a, square, cross, mix);
    wabe_two_fluids_drag(mix, square, cross, grad_v, more);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        push[axis] = push[axis] + more[axis];
        u[axis] = WABE_FMA(half, more[axis], u[axis]);
    }
    wabe_two_fluids_stress(m, u, square, cross);
}

/* N as a collision leaves it. */
WABE_INLINE void wabe_two_fluids_relax(const wabe_two_fluids_mixture *mix, WABE_REAL square[3],
                                       WABE_REAL cross[3]) {
    const WABE_REAL one = WABE_REAL_OF(1.0), keep = one - mix->rest;
    const WABE_REAL differs = mix->rest - mix->shear, *n = mix->normal;
    WABE_REAL q[3];
    wabe_two_fluids_times(square, cross, n, q);
    const WABE_REAL along = wabe_two_fluids_dot(n, q);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        q[axis] = differs * WABE_FMA(-along, n[axis], q[axis]);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        square[axis] = WABE_FMA(keep, square[axis], WABE_REAL_OF(2.0) * n[axis] * q[axis]);
    WABE_UNROLL
    for (int pair = 0; pair < 3; pair++) {
        const int i = pair == 2, j = pair == 0 ? 1 : 2;
        cross[pair] = WABE_FMA(keep, cross[pair], WABE_FMA(n[i], q[j], n[j] * q[i]));
    }
}

/* Sets the numbers of the flow. */
WABE_INLINE void wabe_two_fluids_leave(WABE_REAL pressure, const WABE_REAL u[3],
                                       const WABE_REAL push[3], const WABE_REAL square[3],
                                       const WABE_REAL cross[3], WABE_REAL out[]) {
    WABE_REAL trace = WABE_REAL_OF(0.0);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const WABE_REAL left = WABE_FMA(u[axis], u[axis], square[axis]);
        trace = trace + left;
        out[WABE_TWO_FLUIDS_X + axis] = WABE_REAL_OF(3.0) *
                                        WABE_FMA(WABE_REAL_OF(0.5), push[axis], u[axis]);
        out[WABE_TWO_FLUIDS_XX + axis] = WABE_REAL_OF(4.5) * left;
    }
    WABE_UNROLL
    for (int pair = 0; pair < 3; pair++)
        out[WABE_TWO_FLUIDS_XY + pair] = WABE_REAL_OF(9.0) *
                                         WABE_FMA(u[pair == 2], u[pair == 0 ? 1 : 2], cross[pair]);
    out[WABE_TWO_FLUIDS_BASE] = WABE_FMA(WABE_REAL_OF(-1.5), trace, pressure);
}

/* Sets the numbers of the phase. */
WABE_INLINE void wabe_two_fluids_spread(const wabe_two_fluids_collide_args *a,
                                        const wabe_two_fluids_mixture *mix,
                                        const wabe_two_fluids_around *all, const WABE_REAL u[3],
                                        WABE_REAL out[]) {
    const WABE_REAL one = WABE_REAL_OF(1.0), third = WABE_REAL_OF(1.0 / 3.0);
    const WABE_REAL rate = WABE_COEFFICIENT(a->phase_rate), keep = one - rate;
    const WABE_REAL sharp = third * mix->slope * WABE_FMA(WABE_REAL_OF(-0.5), rate, one);
    out[0] = mix->c;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        out[1 + axis] = WABE_REAL_OF(3.0) * WABE_FMA(sharp, mix->normal[axis],
                                                     WABE_FMA(keep, all->moments.flux[axis],
                                                              rate * (mix->c * u[axis])));
}

WABE_INLINE void wabe_two_fluids_collide_end(const wabe_two_fluids_collide_args *a,
                                             const wabe_cell *c,
                                             const wabe_two_fluids_collide_begun *begun,
                                             WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL none = WABE_REAL_OF(0.0);
    const WABE_REAL kind = WABE_AT(c, WABE_TWO_FLUIDS_COLLIDE_KIND, 0, 0, 0, 0);
    wabe_two_fluids_around all;
    WABE_REAL u[3], push[3], square[3], cross[3];
    (void)reduced;
    wabe_two_fluids_gather(c, begun, &all);
    if (wabe_any(wabe_bits_of(kind)))
        all = wabe_two_fluids_returned(a, wabe_copy_cell(c), all);
    wabe_two_fluids_weigh(&all);
    wabe_two_fluids_mixture mix = wabe_two_fluids_mix(a, begun->of_c.own, begun->of_v.own, &all);
    wabe_two_fluids_drive(a, &mix, &all, u, push, square, cross);
    wabe_two_fluids_relax(&mix, square, cross);
    wabe_two_fluids_leave(all.moments.pressure, u, push, square, cross, out);
    wabe_two_fluids_spread(a, &mix, &all, u, out + WABE_TWO_FLUIDS_PHASE);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        out[WABE_TWO_FLUIDS_NUMBERS + axis] = u[axis];
    if (!wabe_any(wabe_bits_of(kind)))
        return;
    const wabe_bits solid = kind > WABE_TWO_FLUIDS_FLUID_BELOW;
    WABE_UNROLL
    for (int q = 0; q < WABE_TWO_FLUIDS_NUMBERS + 3; q++)
        out[q] = wabe_select(solid, none, out[q]);
}

WABE_INLINE bool wabe_two_fluids_collide_is_idle(const wabe_cell *c) {
    return !wabe_any(WABE_AT(c, WABE_TWO_FLUIDS_COLLIDE_KIND, 0, 0, 0, 0) <
                     WABE_TWO_FLUIDS_FLUID_BELOW);
}

WABE_PLANEWISE_CELL(two_fluids_collide, WABE_TWO_FLUIDS_NUMBERS + 3,
                    wabe_two_fluids_collide_is_idle)

/* ---- what is shown ------------------------------------------------------------------- */

WABE_INLINE void wabe_two_fluids_pressure_cell(const wabe_two_fluids_pressure_args *a,
                                               const wabe_cell *c, WABE_REAL out[],
                                               WABE_REAL reduced[]) {
    const wabe_two_fluids_source own = {c, WABE_TWO_FLUIDS_PRESSURE_FROM, {0, 0, 0}, NULL};
    const WABE_REAL mean = wabe_two_fluids_mean_volume(&a->density, c,
                                                       WABE_TWO_FLUIDS_PRESSURE_FROM,
                                                       WABE_TWO_FLUIDS_PRESSURE_KIND);
    (void)reduced;
    out[0] = wabe_two_fluids_sum_of(own) / (WABE_REAL_OF(3.0) * mean);
    out[1] = wabe_two_fluids_mean_of(&a->density,
                                     wabe_two_fluids_number(own, WABE_TWO_FLUIDS_PHASE));
}

#endif
