/* Plans of passes: what a window on a slab's populations or moments has room for, and how far a
 * step reaches. Needs a layout alone, so that runs are planned before there is a slab. */
#include "sweeps/lattice/internal.h"

#include "sweeps/stream/pass.h"

#include <math.h>

enum {
    BEHIND = 2,  /* slots for pieces that come and go while others are in use */
    ADVANCE = 2, /* pieces in a round, of those below WABE_WINDOW_PIECE_MOST: fewer, longer kernels
                    take less time */
    PLANES_MOST = 16,  /* moments: of a round; more gain little */
    STEPS_CHOSEN = 40, /* more hardly gain anything */
    ROOM = 11          /* twelfths of the slots for a chosen pass; the others even out copies */
};
/* Moments: what columns of n planes take longer than those of many, times n (H100, 12 and 32
 * planes); steps of a pass that take as long as copies of all of the slab. */
#define BESIDE_COLUMN 0.3
#define STEPS_OF_COPIES 40.0

/* ---- the plan ----------------------------------------------------------------------- */

static int64_t size_of(const wabe_layout *l) { return (int64_t)wabe_type_size(l->type); }

static int64_t cells_of_plane(const wabe_layout *l) {
    return is_of_moments(l) ? l->plane / l->components : l->plane;
}

/* Bytes of a cell: of its populations or moments, and of a list's neighbour indices. */
static int64_t slot_bytes(const wabe_layout *l) { return l->components * size_of(l); }
static int64_t index_bytes(const wabe_layout *l) {
    return (l->components - 1) * (int64_t)sizeof(uint32_t);
}

/* Cells that are on the device around those of a range. */
static int64_t around(const wabe_lbm_pass_plan *p) {
    return 2 * (p->reach + PASS_BESIDE + p->image_plane);
}

/* Cells that are on the device in a round of a pass. */
static int64_t cells_of_round(const wabe_lbm_pass_plan *p, int steps) {
    return wabe_pass_span(steps, p->reach, p->advance, p->grain) + around(p) + p->beside +
           p->reach; /* looks come later than the last step */
}

/* Any so many successive cells, of so many bytes in an array, fit all but a few slots, wherever
 * pieces begin. */
static int64_t cells_in(const wabe_ring_shape *ring, int64_t spare, int64_t bytes) {
    const bool all = ring->slots == ring->pieces; /* nothing ever goes */
    return all ? INT64_MAX / 4 : (ring->slots - spare - 1) * ring->piece / bytes;
}

static int64_t cells_that_fit(const wabe_lbm_pass_plan *p, const wabe_layout *l, int64_t spare) {
    const int64_t cells = cells_in(&p->ring, spare, cell_bytes(l));
    const int64_t others = p->places.arrays > 0 ? cells_in(&p->places, spare, index_bytes(l))
                                                : INT64_MAX / 4;
    return cells < others ? cells : others;
}

static int most_steps(const wabe_lbm_pass_plan *p, int64_t cells) {
    int steps = 0;
    while (steps < WABE_PASS_LEVELS_MAX && cells_of_round(p, steps + 1) <= cells)
        steps++;
    return steps;
}

/* The largest distance from a cell of a number that its step accesses, or whose image it reads;
 * wraps: axes whose ends are in the slab. */
static int64_t reach_of(const wabe_layout *l, const bool wraps[3]) {
    return wabe_layout_cell(l, wraps[0] ? l->cells[0] : 1, wraps[1] ? l->cells[1] : 1, 1);
}

/* Mirrors of given pressure read all that has left a cell, before neighbours write over it. */
static bool has_pressure_mirrors(const wabe_geometry *geometry) {
    bool found = false;
    for (int face = 0; face < WABE_FACES; face++)
        found |= geometry->conditions[face].kind == WABE_BOUNDARY_pressure_normal;
    return found;
}

int wabe_lbm_more_planes(const wabe_geometry *geometry, wabe_streaming streaming) {
    return streaming != WABE_STREAMING_in_place || has_pressure_mirrors(geometry);
}

/* The part of a list's memory that is for populations, so that both windows hold as many slots. */
static int64_t memory_of_populations(const wabe_lbm_residency *residency, const wabe_layout *l) {
    const double share = (double)slot_bytes(l) / (double)(slot_bytes(l) + index_bytes(l));
    return (int64_t)(share * (double)residency->memory);
}

int64_t wabe_lbm_piece_of_list(int64_t unit, const wabe_lbm_residency *residency,
                               const wabe_layout *layout) {
    return wabe_window_piece(unit, layout->components, memory_of_populations(residency, layout)) /
           size_of(layout);
}

/* smaller: pieces are so many times smaller than the bus' bandwidth asks for, if they can. */
static void shape_windows(int64_t unit, int smaller, const wabe_lbm_residency *residency,
                          const wabe_list_extent *list, const wabe_layout *l,
                          wabe_lbm_pass_plan *p) {
    const int64_t memory = list ? memory_of_populations(residency, l) : residency->memory;
    const int64_t rest = residency->memory - memory;
    const bool moments = is_of_moments(l);
    const int arrays = moments ? 2 : l->components;
    const int64_t piece = wabe_window_piece(unit, arrays, memory) / smaller;
    const int64_t other = wabe_window_piece(unit, 1, rest) / smaller;
    p->ring = wabe_window_shape(piece < unit ? unit : piece,
                                (moments ? l->elements : l->stride) * size_of(l), arrays, memory);
    p->moved = wabe_window_all_moved(moments ? 1 : arrays);
    if (list)
        p->places = wabe_window_shape(other < unit ? unit : other,
                                      wabe_list_neighbour_bytes(l->components, list->slots), 1,
                                      rest);
}

/* What a pass must know of the slab, whatever the memory. */
static void measure(const wabe_lbm_residency *residency, const wabe_geometry *geometry,
                    const wabe_list_extent *list, const wabe_layout *layout,
                    wabe_lbm_pass_plan *p) {
    const bool moments = is_of_moments(layout);
    const int64_t plane = list ? list->plane : cells_of_plane(layout);
    bool periodic[3];
    wabe_geometry_periodic(geometry, periodic);
    *p = (wabe_lbm_pass_plan){.reach = list      ? list->reach
                                       : moments ? plane
                                                 : reach_of(layout, periodic),
                              .grain = moments ? 0 : PASS_GRAIN}; /* parts are whole planes */
    p->more_planes = wabe_lbm_more_planes(geometry, list      ? WABE_STREAMING_list
                                                    : moments ? WABE_STREAMING_moments
                                                              : WABE_STREAMING_in_place);
    p->ahead = !moments && has_pressure_mirrors(geometry) ? p->reach : 0;
    p->reach += p->ahead;
    p->ahead = moments ? plane : p->ahead; /* the level before has made that plane */
    p->beside = (residency->neighbours ? 4 * p->reach : 0) + (residency->summed ? plane : 0);
    p->image_plane = moments ? plane : 0;
    p->plane_bytes = plane * slot_bytes(layout);
}

void wabe_lbm_plan_cached_passes(const wabe_geometry *geometry, const wabe_list_extent *list,
                                 const wabe_layout *layout, wabe_lbm_pass_plan *out) {
    measure(&(wabe_lbm_residency){0}, geometry, list, layout, out);
    out->advance = list ? list->plane : layout->plane;
}

/* A number of steps for which pieces of a round come before it: others even out copies. */
static void choose_advance(int64_t cells, int given, const wabe_layout *l, wabe_lbm_pass_plan *p) {
    const int64_t piece = p->ring.piece / size_of(l);
    p->advance = (p->ring.piece < WABE_WINDOW_PIECE_MOST ? ADVANCE : 1) * piece;
    if (most_steps(p, cells) < (given > 0 ? given : 1) || cells < cells_of_round(p, 1) + l->plane)
        p->advance = piece;
    p->room_steps = most_steps(p, cells / 12 * ROOM);
    if (p->room_steps < 1)
        p->room_steps = most_steps(p, cells);
}

/* The rounds and steps that a trial proposes, if they are faster than those so far: *time, of a
 * step. early: a round's planes come during the round before. */
static void propose_planes(int64_t cells, bool early, int given, const wabe_lbm_pass_plan *trial,
                           int planes, double *time, wabe_lbm_pass_plan *p) {
    const double moved = (double)(p->ring.pieces - p->ring.slots) / (double)p->ring.pieces;
    const int room = most_steps(trial, early ? cells - trial->advance : cells);
    const int steps = given > 0 ? given : room < STEPS_CHOSEN ? room : STEPS_CHOSEN;
    const double kernel = 1.0 + BESIDE_COLUMN / planes, copies = STEPS_OF_COPIES * moved / steps;
    const double its = early ? fmax(kernel, copies) : kernel + copies;
    if (steps < 1 || room < steps || its >= *time)
        return;
    *time = its;
    p->advance = trial->advance;
    p->room_steps = room;
}

/* Of moments, whose rounds are whole planes. Few of them leave room for steps, many make the
 * kernels faster. */
static void choose_planes(int64_t cells, int given, const wabe_layout *l, wabe_lbm_pass_plan *p) {
    const int64_t plane = cells_of_plane(l);
    double time = INFINITY;
    p->advance = plane;
    p->room_steps = most_steps(p, cells);
    for (int planes = 1; planes <= PLANES_MOST; planes++) {
        wabe_lbm_pass_plan trial = *p;
        trial.advance = planes * plane;
        propose_planes(cells, true, given, &trial, planes, &time, p);
        propose_planes(cells, false, given, &trial, planes, &time, p);
    }
}

/* Cells of the smallest window with such rounds; a look has a plane at once. */
static int64_t least_cells(const wabe_layout *l, int64_t plane, const wabe_lbm_pass_plan *p) {
    return cells_of_round(p, 1) + (is_of_moments(l) ? 0 : plane);
}

/* The largest pieces with which a step fits, or the smallest. Returns the cells that fit. */
static int64_t choose_pieces(int64_t unit, const wabe_lbm_residency *residency,
                             const wabe_list_extent *list, const wabe_layout *l,
                             wabe_lbm_pass_plan *p) {
    const int64_t plane = list ? list->plane : cells_of_plane(l);
    const int given = residency->steps_per_pass;
    int64_t cells = 0;
    for (int smaller = 1;; smaller *= 2) {
        shape_windows(unit, smaller, residency, list, l, p);
        cells = cells_that_fit(p, l, BEHIND);
        (is_of_moments(l) ? choose_planes : choose_advance)(cells, given, l, p);
        const bool smallest = p->ring.piece <= unit && p->places.piece <= unit;
        if (cells >= least_cells(l, plane, p) || smallest)
            return cells;
    }
}

/* Bytes of the smallest window. */
static int64_t least_window(const wabe_layout *l, const wabe_list_extent *list,
                            const wabe_lbm_pass_plan *p) {
    const int64_t cells = least_cells(l, list ? list->plane : cells_of_plane(l), p);
    const int64_t slots = cells * cell_bytes(l) / p->ring.piece + 2 + BEHIND;
    const int64_t bytes = slots * p->ring.piece * p->ring.arrays;
    return !list ? bytes
                 : bytes + bytes / slot_bytes(l) * index_bytes(l) + (2 + BEHIND) * p->places.piece;
}

wabe_status wabe_lbm_plan_passes(int64_t unit, const wabe_lbm_residency *residency,
                                 const wabe_geometry *geometry, const wabe_list_extent *list,
                                 wabe_layout *layout, wabe_lbm_pass_plan *out) {
    const int given = residency->steps_per_pass;
    wabe_lbm_pass_plan *p = out;
    WABE_CHECK(unit > 0, WABE_INPUT,
               "the GPU's driver cannot map memory more than once, as streamed slabs need");
    measure(residency, geometry, list, layout, p);
    const int64_t cells = choose_pieces(unit, residency, list, layout, p);
    p->at_once = cells_that_fit(p, layout, 0) - around(p);
    p->least = least_window(layout, list, p);
    WABE_CHECK(cells >= least_cells(layout, list ? list->plane : cells_of_plane(layout), p),
               WABE_MEMORY,
               "%.3g GB of a GPU's memory are too little for a streamed slab: its smallest window "
               "needs %.3g GB",
               (double)residency->memory * 1e-9, (double)p->least * 1e-9);
    const int most = most_steps(p, cells);
    WABE_CHECK(given <= most, WABE_INPUT, "the window has room for passes of %d step%s at most",
               most, most == 1 ? "" : "s");
    p->steps_per_pass = given > 0                      ? given
                        : p->room_steps < STEPS_CHOSEN ? p->room_steps
                                                       : STEPS_CHOSEN;
    if (!is_of_moments(layout))
        wabe_layout_widen(layout, p->ring.pieces * p->ring.piece / cell_bytes(layout));
    return WABE_OK;
}

/* ---- lists --------------------------------------------------------------------------- */

enum { PLANES_MEASURED = 16 }; /* at once */

/* Adds what a part of the box has; counted: of its planes. */
static wabe_status measure_part(wabe_lattice lattice, const wabe_geometry *geometry, wabe_box part,
                                int64_t counted, wabe_list_extent *out) {
    bool wraps[3];
    wabe_flags flags = {0};
    wabe_list_extent its;
    wabe_geometry_periodic(geometry, wraps);
    wraps[2] &= geometry->cells[2] == 1;
    WABE_TRY(wabe_geometry_flags(geometry, wabe_box_grow(part, 1), &flags));
    const wabe_status status = wabe_list_measure(lattice, geometry, &flags, part, wraps, counted,
                                                 &its);
    wabe_flags_free(&flags);
    WABE_TRY(status);
    out->slots += its.slots;
    out->plane = its.plane > out->plane ? its.plane : out->plane;
    out->reach = its.reach > out->reach ? its.reach : out->reach;
    return WABE_OK;
}

/* Parts of the box overlap by a plane, so that each pair of planes lies in one of them. */
wabe_status wabe_lbm_measure_list(wabe_lattice lattice, const wabe_geometry *geometry, wabe_box box,
                                  wabe_list_extent *out) {
    const int64_t end = box.end[2];
    bool last = false;
    *out = (wabe_list_extent){0};
    for (int64_t z = box.begin[2]; !last; z += PLANES_MEASURED - 1) {
        last = z + PLANES_MEASURED >= end;
        box.begin[2] = z;
        box.end[2] = last ? end : z + PLANES_MEASURED;
        WABE_TRY(measure_part(lattice, geometry, box, box.end[2] - z - !last, out));
    }
    return WABE_OK;
}
