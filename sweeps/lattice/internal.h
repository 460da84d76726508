/* Shared by the files of a slab's sweeps: lbm.c, state.c, results.c, and those of its
 * passes: pass_plan.c, passes.c, pass_ghosts.c. */
#pragma once

#include "sweeps/lattice/lbm.h"

enum {
    PARTS_MAX = 1024,                        /* maximal number of partial sums of a region */
    PASS_GRAIN = WABE_GPU_GRAIN * WABE_TILE, /* cells of a GPU's chunk */
    PASS_BESIDE = 2 * PASS_GRAIN /* cells beyond those of its numbers that a block of threads may
                                    load */
};

/* The number of its lattice's populations. */
static inline int populations_of(const wabe_lbm_slab *lbm) {
    return wabe_lattice_count(lbm->model.lattice);
}

static inline bool holds_moments(const wabe_lbm_slab *lbm) {
    return lbm->model.streaming == WABE_STREAMING_moments;
}

static inline bool is_list(const wabe_lbm_slab *lbm) {
    return lbm->model.streaming == WABE_STREAMING_list;
}

static inline bool has_passes(const wabe_lbm_slab *lbm) {
    return lbm->model.residency.memory > 0 || lbm->model.residency.steps_per_pass > 0;
}

/* Layouts of moments have all ten numbers of a cell in one array, others one number. */
static inline bool is_of_moments(const wabe_layout *layout) { return layout->group > 0; }
static inline int64_t cell_bytes(const wabe_layout *layout) {
    return (is_of_moments(layout) ? layout->components : 1) * (int64_t)wabe_type_size(layout->type);
}

/* Cells are numbered plane by plane, and so are the slots of a list by planes; the first number of
 * a plane of the slab. z: from the layout's first plane on, and at most two beyond its ends. */
static inline int64_t wabe_lbm_plane_begin(const wabe_lbm_slab *lbm, int64_t z) {
    if (!lbm->list)
        return z * lbm->layout.plane;
    const int64_t last = lbm->layout.cells[2] + 1;
    return lbm->list->planes[z < -1 ? 0 : z > last ? last + 1 : z + 1];
}

/* The number of the block's first cell, and one past the last. */
static inline int64_t wabe_lbm_first_cell(const wabe_lbm_slab *lbm) {
    return wabe_lbm_plane_begin(lbm, lbm->block.begin[2] - lbm->held.begin[2]);
}
static inline int64_t wabe_lbm_end_cell(const wabe_lbm_slab *lbm) {
    return wabe_lbm_plane_begin(lbm, lbm->block.end[2] - lbm->held.begin[2]);
}

static inline int parity_of(const wabe_lbm_slab *lbm) {
    return wabe_timeline_parity(&lbm->timeline);
}

static inline wabe_stream *stream_of(const wabe_lbm_slab *lbm) {
    return lbm->timeline.streams[WABE_REGION_OUTER];
}

/* What walls return so that the next step reads it (ahead 0), or the one after it (1). Brings it
 * into memory if need be, after all work that is queued. A pass asks for fewer steps than are in
 * memory from the present one on, so that its arguments stay valid. */
static inline const wabe_patch *patches_of(const wabe_lbm_slab *lbm, int steps) {
    const int64_t present = lbm->first_step + lbm->timeline.step;
    wabe_patches *patches = &lbm->tiles->patches;
    if (!wabe_patches_have(patches, present + steps)) {
        wabe_lbm_synchronise(lbm);
        wabe_patches_load(patches, stream_of(lbm), present);
    }
    return wabe_patches_of(patches, present + steps);
}
_Static_assert(WABE_LBM_GHOSTS_MAX + 1 < WABE_PATCH_STEPS_MAX, "the patches of a pass fit");

/* The parity of the step that left the present state. */
static inline int last_parity(const wabe_lbm_slab *lbm) {
    return (int)((lbm->timeline.step + 1) & 1);
}

/* The grid that holds the state after so many more steps, and its numbers. */
static inline int grid_after(const wabe_lbm_slab *lbm, int steps) {
    return lbm->offsets.grids == 2 ? (parity_of(lbm) + steps) & 1 : 0;
}
static inline void *numbers_after(const wabe_lbm_slab *lbm, int steps) {
    return lbm->fields[grid_after(lbm, steps)]->data;
}

/* Do steps of this parity use the list's neighbour indices, that is, are they odd AA steps? */
static inline bool moves(const wabe_lbm_slab *lbm, int parity) { return lbm->list && parity == 0; }

static inline wabe_neighbours places_of(const wabe_lbm_slab *lbm, int parity) {
    return wabe_list_neighbours(lbm->list, &lbm->layout, moves(lbm, parity));
}

/* In the step that is so many steps after the present one. */
static inline wabe_arrivals arrivals_of(const wabe_lbm_slab *lbm, int steps) {
    const int parity = (parity_of(lbm) + steps) & 1;
    return (wabe_arrivals){.in = lbm->offsets.in[parity],
                           .neighbours = places_of(lbm, parity),
                           .marching = lbm->moments.marching};
}

/* Are forces and drag made of populations that arrive in the next step, too? */
static inline bool looks_at_arrivals(const wabe_lbm_slab *lbm) {
    return lbm->tiles->kinds >> WABE_BOUNDARY_curved_wall & 1;
}

static inline void run_once(const wabe_lbm_slab *lbm, wabe_lbm_sweep sweep, const void *args,
                            int64_t count) {
    wabe_timeline_run(&lbm->timeline, lbm->kernels[sweep], args, count);
}

/* The collision of the step that is so many steps after the present one; -1: of that which has left
 * the present state, whose force the state's momentum contains. Its force is that of the time of
 * the state that it makes. Local. */
wabe_collision_parameters wabe_lbm_collision(const wabe_lbm_slab *lbm, int steps);
/* The arguments of sweeps in the step that is so many steps after the present one. Local. */
wabe_stream_collide_args wabe_lbm_step_args(const wabe_lbm_slab *lbm, wabe_region_name name,
                                            int steps);
wabe_absorb_args wabe_lbm_absorb_args(const wabe_lbm_slab *lbm, wabe_region_name name,
                                      const wabe_stream_collide_args *step, int steps);
wabe_boundary_args wabe_lbm_boundary_args(const wabe_lbm_slab *lbm, int steps);

/* results.c: looks at the state that are taken while a pass has it on the device, and sums over
 * time; those wanted (passing[].wanted, summing). chunks: of the inner region, after the last level
 * and what its cells receive are known; planes: of the block, likewise. Local. */
wabe_status wabe_lbm_prepare_looks(wabe_lbm_slab *lbm);
void wabe_lbm_begin_looks(wabe_lbm_slab *lbm);
void wabe_lbm_look_in_passing(wabe_lbm_slab *lbm, int64_t begin_chunk, int64_t end_chunk);
void wabe_lbm_sum_in_passing(const wabe_lbm_slab *lbm, int64_t begin_plane, int64_t end_plane);
/* After the pass, whose steps count as done. */
void wabe_lbm_end_looks(wabe_lbm_slab *lbm);

void wabe_lbm_destroy_sums(wabe_lbm_slab *lbm);

void wabe_lbm_reflect_at_walls(const wabe_lbm_slab *lbm);

/* The place of a cell's number in an array of the field, in bytes, or the array's end next to it.
 * Local. */
int64_t wabe_lbm_byte(const wabe_lbm_slab *lbm, int64_t cell);
/* Moves the list to the component's memory, or into a window on it. WABE_MEMORY. Local. */
wabe_status wabe_lbm_move_list(wabe_lbm_slab *lbm);
/* Allocates the window of a streamed slab. WABE_MEMORY. Local. */
wabe_status wabe_lbm_create_window(wabe_lbm_slab *lbm);
/* Fetches what a pass must know of the cells, which may be on a device. WABE_MEMORY; WABE_INPUT:
 * the slab cannot have passes. Local. */
wabe_status wabe_lbm_prepare_passes(wabe_lbm_slab *lbm);
void wabe_lbm_destroy_passes(wabe_lbm_slab *lbm);
/* Does passes.steps steps. Local. */
void wabe_lbm_pass(wabe_lbm_slab *lbm);

/* Makes the images that cells begin to end - 1 receive in the step that is so many after the
 * present one. A step makes them itself; what looks at arriving populations before it has to ask.
 * Images that are there already stay the same. Local. */
void wabe_lbm_make_images(const wabe_lbm_slab *lbm, int steps, int64_t begin, int64_t end);

/* Moves pieces of a streamed slab's window with the grid of the present state. Local. */
void wabe_lbm_settle_grids(const wabe_lbm_slab *lbm);

/* Makes cells begin to end - 1 of the slab, and what their steps access, present for the work
 * queued next. Nothing to do if the slab is resident. Local. */
void wabe_lbm_load(const wabe_lbm_slab *lbm, int64_t begin, int64_t end);
/* The elements that a window on a list's populations moves together: see wabe_list_order. Local. */
int64_t wabe_lbm_piece_of_list(int64_t unit, const wabe_lbm_residency *residency,
                               const wabe_layout *layout);

/* Brings the next range of chunks (of the inner region if the slab is streamed), or of planes: all
 * of them if the slab is resident; false: none is left. stride: ranges begin at multiples of it
 * from the first plane of all. Local. */
bool wabe_lbm_next_chunks(const wabe_lbm_slab *lbm, wabe_walk *walk);
bool wabe_lbm_next_planes(const wabe_lbm_slab *lbm, int64_t stride, wabe_walk *walk);

/* The slots of a list whose cells lie in these planes of the slab (global indices), as two ranges,
 * one per region; either may be empty. Local. */
typedef struct {
    int64_t begin[2], end[2];
} slot_ranges;
slot_ranges wabe_lbm_slots(const wabe_lbm_slab *lbm, int64_t z_begin, int64_t z_end);

/* Returns count, or as many slots as may be on the device at once, if these are fewer. Local. */
static inline int64_t wabe_lbm_at_once(const wabe_lbm_slab *lbm, int64_t count) {
    const int64_t most = lbm->driver.window ? lbm->passes.plan.at_once : INT64_MAX;
    return count < most ? count : most;
}

/* Index of a slot's cell in a box, [z][y][x]; -1: outside, or the slot has no cell. Local. */
int64_t wabe_lbm_slot_in_box(const wabe_lbm_slab *lbm, int64_t slot, wabe_box box);
