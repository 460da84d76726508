/* What a GPU does with one cell: the threads of the CUDA kernels and the loops of emulated devices
 * call the same functions. */
#ifndef WABE_KERNELS_GPU_CELL_H
#define WABE_KERNELS_GPU_CELL_H

#include "kernels_gpu/scalar.h"

#include "sweeps/cell/d3q19.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

/* Pointers to the populations of cell 0. */
typedef struct {
    const wabe_stored *q[WABE_Q];
} wabe_sources;

typedef struct {
    wabe_stored *q[WABE_Q];
} wabe_targets;

static inline wabe_sources wabe_sources_of(const void *field, const ptrdiff_t *offsets) {
    wabe_sources p;
    for (int q = 0; q < WABE_Q; q++)
        p.q[q] = (const wabe_stored *)field + offsets[q];
    return p;
}

static inline wabe_targets wabe_targets_of(void *field, const ptrdiff_t *offsets) {
    wabe_targets p;
    for (int q = 0; q < WABE_Q; q++)
        p.q[q] = (wabe_stored *)field + offsets[q];
    return p;
}

WABE_INLINE wabe_cell wabe_cell_load(const wabe_sources *p, int64_t n) {
    wabe_cell f;
#define X(name, cx, cy, cz, weight) f.name = wabe_from_stored(p->q[WABE_Q_##name][n]);
    WABE_D3Q19(X)
#undef X
    return f;
}

WABE_INLINE void wabe_cell_store(const wabe_targets *p, int64_t n, wabe_cell f) {
#define X(name, cx, cy, cz, weight) p->q[WABE_Q_##name][n] = wabe_to_stored(f.name);
    WABE_D3Q19(X)
#undef X
}

/* ---- walls -------------------------------------------------------------------------- */

/* The first record of the tile among those from begin to end - 1, or NULL. */
WABE_INLINE const wabe_tile_record *wabe_record_find(const wabe_tile_record *records,
                                                     uint32_t begin, uint32_t end, uint32_t tile) {
    for (uint32_t i = begin; i < end; i++)
        if (records[i].tile == tile)
            return &records[i];
    return NULL;
}

WABE_INLINE unsigned wabe_fluid_lanes(const wabe_tile_record *record) {
    return record ? record->fluid : 0xffffu;
}

/* Does X for each population of each group in which the record has a link of this lane. */
#define WABE_FOR_LINKS(r, lane, X)                                                                 \
    if ((r)->lanes[WABE_LINKS_EAST] >> (lane)&1) {                                                 \
        WABE_D3Q19_EAST(X)                                                                         \
    }                                                                                              \
    if ((r)->lanes[WABE_LINKS_WEST] >> (lane)&1) {                                                 \
        WABE_D3Q19_WEST(X)                                                                         \
    }                                                                                              \
    if ((r)->lanes[WABE_LINKS_MIDDLE] >> (lane)&1) {                                               \
        WABE_D3Q19_MIDDLE(X)                                                                       \
    }

#define WEIGHT_axis WABE_WEIGHT_AXIS
#define WEIGHT_diagonal WABE_WEIGHT_DIAGONAL

/* What walls return of the populations of cell n goes to where the next step reads it (next). f has
 * collided and had moments m. quadratic (a constant at every call): walls with a quadratic part may
 * be there. */
WABE_INLINE void wabe_walls_return(wabe_cell f, wabe_moments m, const wabe_tile_record *r, int lane,
                                   const wabe_patch *patches, const wabe_targets *next, int64_t n,
                                   int quadratic) {
    const wabe_real ux = m.ux, uy = m.uy, uz = m.uz, base = quadratic ? wabe_wall_base(m) : 0;
#define RETURN(name, opposite, projection, weight)                                                 \
    if (r->links[WABE_Q_##name - 1] >> lane & 1) {                                                 \
        wabe_real back = wabe_wall_return(f.opposite, sign,                                        \
                                          WABE_REAL_OF(patch->term[WABE_Q_##name]));               \
        if (quadratic && patch->quadratic != 0.0)                                                  \
            back = wabe_wall_add_quadratic(back, WABE_REAL_OF(patch->quadratic * WEIGHT_##weight), \
                                           projection, base);                                      \
        next->q[WABE_Q_##name][n] = wabe_to_stored(back);                                          \
    }
    (void)ux, (void)uy, (void)uz;
    for (;; r++) {
        const wabe_patch *patch = &patches[r->patch];
        const wabe_real sign = WABE_REAL_OF(patch->sign);
        WABE_FOR_LINKS(r, lane, RETURN)
        if (r->last)
            return;
    }
#undef RETURN
}

static inline int wabe_has_quadratic_walls(unsigned kinds) {
    return kinds >> WABE_BOUNDARY_pressure & 1;
}

static inline int wabe_has_force(const double force[3]) {
    return force[0] != 0.0 || force[1] != 0.0 || force[2] != 0.0;
}

/* ---- the other sweeps --------------------------------------------------------------- */

WABE_INLINE void wabe_initialise_cell(const wabe_targets *out, const wabe_initialise_args *a,
                                      int64_t i) {
    const double *m = a->moments + i;
    wabe_moments moments;
    moments.rho = (wabe_real)m[0];
    moments.ux = (wabe_real)m[a->moment_stride];
    moments.uy = (wabe_real)m[2 * a->moment_stride];
    moments.uz = (wabe_real)m[3 * a->moment_stride];
    wabe_cell_store(out, a->first + i, wabe_equilibrium(moments));
}

WABE_INLINE void wabe_macroscopic_cell(const wabe_sources *out, const wabe_macroscopic_args *a,
                                       const wabe_collision *k, int64_t row, int64_t x) {
    const int64_t n = a->first + row % a->rows * a->pitch + row / a->rows * a->plane + x;
    const wabe_moments m = wabe_cell_moments_after(wabe_cell_load(out, n), k);
    double *values = a->moments + row * a->length + x;
    values[0] = (double)m.rho;
    values[a->moment_stride] = (double)m.ux;
    values[2 * a->moment_stride] = (double)m.uy;
    values[3 * a->moment_stride] = (double)m.uz;
}

WABE_INLINE void wabe_monitor_cell(const wabe_sources *out, const wabe_collision *k, int64_t n,
                                   wabe_monitor_result *result) {
    const wabe_moments m = wabe_cell_moments_after(wabe_cell_load(out, n), k);
    wabe_monitor_add_cell(result, n, (double)m.rho, (double)m.ux, (double)m.uy, (double)m.uz);
}

WABE_INLINE uint64_t wabe_hash_cell(const wabe_sources *out, const wabe_hash_args *a, int64_t n) {
    const uint64_t id = wabe_hash_id(a, n);
    uint64_t sum = 0;
    for (int q = 0; q < WABE_Q; q++)
        sum += wabe_hash_value(id + (uint64_t)q, (double)wabe_from_stored(out->q[q][n]));
    return sum;
}

#endif
