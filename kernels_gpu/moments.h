/* What a GPU does with one cell of streaming pattern moments, for CUDA and emulated devices. */
#pragma once

#include "kernels_gpu/cell.h"

/* A wall that returns populations to a cell, from a record's word. */
typedef struct {
    const wabe_patch *patch;
    wabe_real sign, base, ux, uy, uz;
    double quadratic;
    bool rests;    /* returns what leaves: the patch is not read */
    bool by_place; /* curved walls, see wabe_patch */
} wabe_returning;

WABE_INLINE wabe_returning wabe_returning_of(wabe_cell_word cell, const wabe_patch *patches) {
    wabe_returning w;
    w.patch = &patches[wabe_cell_patch(cell)];
    w.rests = cell >> WABE_CELL_RESTING & 1;
    w.sign = w.rests ? WABE_REAL_OF(1.0) : WABE_REAL_OF(WABE_READ_ONLY(&w.patch->sign));
    w.quadratic = w.rests ? 0.0 : WABE_READ_ONLY(&w.patch->quadratic);
    w.by_place = !w.rests && WABE_READ_ONLY(&w.patch->by_place);
    w.ux = w.uy = w.uz = w.base = 0;
    return w;
}

/* What a wall with a quadratic term needs besides. s: the cell's moments. */
WABE_INLINE void wabe_returning_add(wabe_returning *w, wabe_ten s, const wabe_collision *k) {
    const wabe_moments m = wabe_ten_moments_after(s, k);
    w->ux = m.ux, w->uy = m.uy, w->uz = m.uz, w->base = wabe_wall_base(m);
}

/* Damps the wave along the walls of cell n (wabe_damp_at_walls), whose moments become s. record: of
 * its tile; source: moments before the step. third is a constant at every call. */
WABE_INLINE wabe_ten wabe_ten_damp(wabe_ten s, const wabe_collision *k,
                                   const wabe_cell_record *record, int lane,
                                   const wabe_patch *patches, const wabe_stored *source, int64_t n,
                                   int third) {
    const wabe_cell f = wabe_cell_of_ten(s, third);
    const wabe_cell g = wabe_cell_of_ten(wabe_ten_load(source, n), third);
    wabe_cell change = wabe_cell_of_zeros();
    wabe_population_bits links = 0;
    for (;; record++) {
        const wabe_cell_word cell = record->cells[lane];
        if (cell >> WABE_CELL_RESTING & 1 || wabe_patch_is_damped(&patches[wabe_cell_patch(cell)]))
            links |= wabe_link_bits(cell);
        if (cell >> WABE_CELL_LAST & 1)
            break;
    }
#define LEAVING(name, opposite, projection, class)                                                 \
    if (links >> WABE_Q_##name & 1)                                                                \
        change.opposite = f.opposite - g.opposite;
    WABE_FOR_LINKS(links, LEAVING)
#undef LEAVING
    return wabe_ten_damp_at_walls(s, change, k);
}

/* Population q, which comes back for one that has left. */
WABE_INLINE wabe_real wabe_returned(const wabe_returning *w, int q, wabe_real leaving,
                                    double weight, wabe_real eu) {
    const double term = w->rests ? 0.0 : WABE_READ_ONLY(&w->patch->term[q]);
    const wabe_real back = wabe_wall_return(leaving, w->sign, WABE_REAL_OF(term * WABE_SCALE));
    return w->quadratic == 0.0
               ? back
               : wabe_wall_add_quadratic(back, WABE_REAL_OF(w->quadratic * weight), eu, w->base);
}
