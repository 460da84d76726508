/* Ghost planes (sweeps/stream/ghosts.h) of a flow. Level l of a pass of s steps covers the slab and
 * s - l planes beyond each face to a neighbour; the last one therefore knows all that arrives in
 * the slab. (Some boundaries of the outermost cells need one plane more, which no level covers.)
 * After the pass what arrives in the neighbour's planes replaces what has become wrong.
 *
 * Planes of a list come as the numbers that lie in their own slots: in every other step these are
 * not what arrives there, but what has left, and then one plane more is needed. */
#include "sweeps/lattice/internal.h"

#include "sweeps/cell/lattice.h"

wabe_box wabe_lbm_held(const wabe_lbm_residency *residency, const wabe_geometry *geometry,
                       wabe_streaming streaming, wabe_box block) {
    bool periodic[3];
    wabe_geometry_periodic(geometry, periodic);
    return residency->memory == 0
               ? block
               : wabe_ghosts_around(block, geometry->cells, periodic,
                                    residency->steps_per_pass +
                                        wabe_lbm_more_planes(geometry, streaming));
}

/* ---- planes and what arrives there -------------------------------------------------- */

/* Where the numbers of a plane lie that belong to population q of its cells by these offsets. What
 * arrives in ghost cells, whose images are needed, begins before the plane if q goes down within
 * it.
 */
static wabe_window_part part_of(const wabe_lbm_slab *lbm, int64_t z, const ptrdiff_t *offsets,
                                bool arriving, int q) {
    const wabe_layout *l = &lbm->layout;
    const int *e = wabe_lattice_e(lbm->model.lattice, q);
    const int64_t within = wabe_layout_cell(l, e[0], e[1], 0);
    const int64_t size = (int64_t)wabe_type_size(l->type);
    const int64_t at = l->front + z * l->plane + (arriving && within < 0 ? within : 0) + offsets[q];
    return (wabe_window_part){.array = (int)(at / l->stride),
                              .begin = at % l->stride * size,
                              .bytes = l->plane * size};
}

/* A list: all numbers of the plane's slots. */
static wabe_window_part part_of_slots(const wabe_lbm_slab *lbm, int64_t z, int q) {
    const int64_t begin = wabe_lbm_plane_begin(lbm, z),
                  size = (int64_t)wabe_type_size(lbm->model.type);
    return (wabe_window_part){.array = q,
                              .begin = begin * size,
                              .bytes = (wabe_lbm_plane_begin(lbm, z + 1) - begin) * size};
}

/* Moments: those of the plane's cells, in the grid with the state after so many steps. */
static wabe_window_part part_of_moments(const wabe_lbm_slab *lbm, int64_t z, int after) {
    const int64_t begin = wabe_lbm_byte(lbm, wabe_lbm_plane_begin(lbm, z));
    return (wabe_window_part){.array = grid_after(lbm, after),
                              .begin = begin,
                              .bytes = wabe_lbm_byte(lbm, wabe_lbm_plane_begin(lbm, z + 1)) -
                                       begin};
}

static int parts_of(const void *slab, int64_t z, wabe_ghost_state s,
                    wabe_window_part parts[WABE_WINDOW_ARRAYS_MAX]) {
    const wabe_lbm_slab *lbm = slab;
    const ptrdiff_t *offsets = s.arriving ? lbm->offsets.in[(parity_of(lbm) + s.after) & 1]
                                          : lbm->offsets.out[(last_parity(lbm) + s.after) & 1];
    int count = 0;
    if (holds_moments(lbm))
        parts[count++] = part_of_moments(lbm, z, s.after);
    for (int q = 0; q < populations_of(lbm) && !holds_moments(lbm); q++) {
        parts[count] = lbm->list ? part_of_slots(lbm, z, q)
                                 : part_of(lbm, z, offsets, s.arriving, q);
        count += parts[count].bytes > 0;
    }
    return count;
}

static void bytes_of(const void *slab, int64_t z, int64_t *begin, int64_t *end) {
    const wabe_lbm_slab *lbm = slab;
    const int64_t reach = lbm->passes.plan.reach + lbm->layout.pitch;
    *begin = wabe_lbm_byte(lbm, wabe_lbm_plane_begin(lbm, z) - reach);
    *end = wabe_lbm_byte(lbm, wabe_lbm_plane_begin(lbm, z + 1) + reach);
}

static int64_t cell_of(const void *lbm, int64_t z) { return wabe_lbm_plane_begin(lbm, z); }

wabe_status wabe_lbm_meet_neighbours(wabe_lbm_slab *lbm, MPI_Comm comm, const int ranks[WABE_SIDES],
                                     bool share) {
    const wabe_lbm_pass_plan *plan = &lbm->passes.plan;
    const wabe_ghost_slab planes = {.device = lbm->component->device,
                                    .begin = lbm->block.begin[2] - lbm->held.begin[2],
                                    .end = lbm->block.end[2] - lbm->held.begin[2],
                                    .plane_bytes = plan->plane_bytes,
                                    .margin = lbm->layout.pitch,
                                    .planes_known_beside = 1, /* from which more arrives */
                                    .cell = cell_of,
                                    .bytes = bytes_of,
                                    .parts = parts_of};
    return wabe_pass_meet_neighbours(&lbm->driver, comm, planes,
                                     plan->steps_per_pass + plan->more_planes, ranks, share);
}

void wabe_lbm_drain_ghosts(wabe_lbm_slab *lbm) { wabe_ghosts_drain(&lbm->driver.ghosts); }

void wabe_lbm_fill_ghosts(wabe_lbm_slab *lbm) {
    wabe_ghosts *g = &lbm->driver.ghosts;
    if (g->count == 0)
        return;
    if (!holds_moments(lbm))
        wabe_ghosts_swap(g, 1, false);
    wabe_lbm_reflect_at_walls(lbm); /* now what arrives in the slab is known */
    wabe_ghosts_swap(g, g->count, true);
    wabe_ghosts_drain(g);
    wabe_ghosts_restart(g);
}
