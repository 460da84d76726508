/* Arguments of kernels that work on rows of cells of a grid. A sweep's own arguments begin with
 * these. */
#pragma once

#include "core/base/bins.h"
#include "core/base/host_device.h"
#include "sweeps/cell/coefficient.h"

#include <stdint.h>

/* What lies behind a face of a slab. */
typedef enum {
    WABE_SIDE_NEIGHBOUR, /* memory: ghosts that the exchange fills, or that keep their values */
    WABE_SIDE_WALL,      /* a mirror: see wabe_wall */
    WABE_SIDE_ITSELF     /* the slab's other end, across periodic faces */
} wabe_side_kind;

/* A number behind a wall is factor times its mirror image in front of the wall, plus offset. Walls
 * lie on the domain's faces: half a cell behind the last cell, and on the last number of a field on
 * faces normal to the wall. */
typedef struct {
    double factor, offset;
} wabe_wall;

/* Components of a field, bit q for component q, that change their sign in a mirror normal to each
 * axis, beside what wabe_wall says: those of vectors along the axis, and of tensors. */
typedef struct {
    uint32_t across[3]; /* of components up to 31 */
} wabe_odd;

/* A field as a kernel sees it. */
typedef struct {
    void *data; /* of cell (0, 0, 0) of the slab, component 0 */
    int64_t pitch, plane, stride;
    int components;
    int group;    /* cells along x whose components are interleaved; 0: none */
    int is_f64;   /* otherwise f32 */
    int ghosts;   /* memory holds the values behind all faces */
    int faces;    /* axis normal to the faces that its numbers are on; -1: cells */
    int fills;    /* its ghosts are filled before the sweep reads them; on CPUs: if filled */
    int finer[3]; /* 1: it has twice as many cells along the axis as the sweep's grid, whose sweep
                     reads them by WABE_AT_CHILD; -1: half as many, see WABE_AT_PARENT; 0: as many
                   */
    wabe_odd odd;
    wabe_wall walls[6]; /* x low, x high, y low, ... */
} wabe_grid_field;

typedef struct {
    int64_t begin[3], end[3];
    int64_t first, first_tile, first_strip; /* rows, tiles and strips of the boxes before it */
} wabe_row_box;

/* A pass leaves its sums and extremes in slot pass % WABE_REDUCTION_SLOTS, on GPUs spread over
 * several places so that threads do not contend. A sum is in bins (core/base/bins.h), an extreme in
 * the first of them. A pass resets the slot of the next one, so the slots of the last two can be
 * read. */
enum { WABE_REDUCTION_SLOTS = 3, WABE_REDUCTION_PLACES = 64 };
typedef double wabe_reduction_slot[WABE_REDUCTION_PLACES][WABE_BINS];

typedef enum { WABE_REDUCE_SUM, WABE_REDUCE_MIN, WABE_REDUCE_MAX } wabe_reduction;

/* The neutral element: it changes nothing. */
WABE_HOST_DEVICE double wabe_reduction_neutral(wabe_reduction operation) {
    return operation == WABE_REDUCE_SUM ? 0.0 : operation == WABE_REDUCE_MIN ? 1e308 : -1e308;
}

typedef struct {
    wabe_reduction_slot *slots;
    wabe_reduction operation;
} wabe_grid_reduction;

WABE_HOST_DEVICE double wabe_reduce_two(wabe_reduction operation, double a, double b) {
    return operation == WABE_REDUCE_SUM   ? a + b
           : operation == WABE_REDUCE_MIN ? (b < a ? b : a)
                                          : (b > a ? b : a);
}

/* Maximal number of layers that a sweep reads around a cell. */
enum { WABE_STENCIL_LAYERS = 3 };

enum { WABE_ROW_BOXES_MAX = 6, WABE_GRID_ACCESSES_MAX = 12, WABE_GRID_REDUCED_MAX = 2 };
enum { WABE_GRID_VALUES = 4, WABE_GRID_NESTED_MAX = 4 /* loops */ };

/* Items are the rows of the boxes, in panels of rows along y, plane by plane in each panel: what a
 * plane needs of the one below it is still in the cache. Or items are tiles: up to chunk planes of
 * a panel, panel by panel. Or they are strips: columns along y, beside each other along x. */
typedef struct {
    wabe_grid_field fields[WABE_GRID_ACCESSES_MAX]; /* first those that the sweep writes, then those
                                                       that it reads */
    wabe_side_kind sides[6];                        /* x low, x high, y low, ... */
    wabe_grid_reduction reductions[WABE_GRID_REDUCED_MAX];
    int accesses; /* number of fields that are set */
    int grouped;  /* does a field have interleaved components? */
    int layers;   /* maximal number of layers around a cell that the sweep reads */
    int column;   /* is it a column sweep, which may read more of them along y? */
    int filled;   /* on CPUs: do all cells see plain memory, once ghosts are filled? */
    int64_t pass; /* number of the sweep's passes before this one */
    int steps;    /* time steps of the pass */
    int64_t step; /* time steps of the run before the pass */
    wabe_coefficient values[WABE_GRID_VALUES]; /* of the entry of the step */
    int64_t index[WABE_GRID_NESTED_MAX];       /* iterations that the open loops have done, from the
                                                  outermost */
    int64_t cells[3];
    int64_t first[3]; /* global index of the slab's first cell */
    int64_t planes;   /* of the domain: a streamed slab has some beyond a periodic z axis */
    int64_t rows, tiles, strips; /* in all boxes */
    int box_count;
    int64_t panel, chunk; /* rows and planes */
    wabe_row_box boxes[WABE_ROW_BOXES_MAX];
} wabe_grid_args;

/* Of the sweep that fills the ghosts another one reads, on CPUs: that one's. */
extern const struct wabe_sweep wabe_sweep_fill;
typedef struct wabe_fill_args {
    wabe_grid_args grid;
} wabe_fill_args;

/* Cells x begin to end - 1 of a row. */
typedef struct {
    int64_t begin, end, y, z;
} wabe_row;

WABE_HOST_DEVICE wabe_row wabe_row_of(const wabe_grid_args *grid, int64_t item) {
    int i = 0;
    while (i + 1 < grid->box_count && item >= grid->boxes[i + 1].first)
        i++;
    const wabe_row_box *b = &grid->boxes[i];
    const int64_t height = b->end[1] - b->begin[1], depth = b->end[2] - b->begin[2];
    const int64_t at = item - b->first, low = at / (grid->panel * depth) * grid->panel;
    const int64_t rows = height - low < grid->panel ? height - low : grid->panel;
    const int64_t within = at - low * depth;
    wabe_row row;
    row.begin = b->begin[0], row.end = b->end[0];
    row.y = b->begin[1] + low + within % rows;
    row.z = b->begin[2] + within / rows;
    return row;
}

/* Numbers of panels of a box, and of tiles, which are chunks of panels. */
WABE_HOST_DEVICE int64_t wabe_panels_of(const wabe_grid_args *grid, const wabe_row_box *b) {
    return (b->end[1] - b->begin[1] + grid->panel - 1) / grid->panel;
}
WABE_HOST_DEVICE int64_t wabe_tiles_of(const wabe_grid_args *grid, const wabe_row_box *b) {
    return (b->end[2] - b->begin[2] + grid->chunk - 1) / grid->chunk * wabe_panels_of(grid, b);
}

/* A box is cut into tiles of nearly equal size. */
WABE_HOST_DEVICE wabe_row_box wabe_tile_of(const wabe_grid_args *grid, int64_t item) {
    int i = 0;
    while (i + 1 < grid->box_count && item >= grid->boxes[i + 1].first_tile)
        i++;
    const wabe_row_box *b = &grid->boxes[i];
    const int64_t at = item - b->first_tile, panels = wabe_panels_of(grid, b);
    const int64_t chunks = wabe_tiles_of(grid, b) / panels;
    const int64_t counts[2] = {panels, chunks}, places[2] = {at / chunks, at % chunks};
    wabe_row_box tile = *b;
    for (int d = 0; d < 2; d++) {
        const int64_t extent = b->end[d + 1] - b->begin[d + 1];
        tile.begin[d + 1] = b->begin[d + 1] + extent * places[d] / counts[d];
        tile.end[d + 1] = b->begin[d + 1] + extent * (places[d] + 1) / counts[d];
    }
    return tile;
}

/* A strip of columns along y, as a row without y. Its cells begin where kernels' vectors do. */
enum {
    WABE_STRIP = 64,     /* cells along x at most */
    WABE_CARRIED_MAX = 8 /* numbers */
};
WABE_HOST_DEVICE int64_t wabe_strips_along(const wabe_row_box *b) {
    return (b->end[0] - 1) / WABE_STRIP - b->begin[0] / WABE_STRIP + 1;
}
WABE_HOST_DEVICE int64_t wabe_strips_of(const wabe_row_box *b) {
    return wabe_strips_along(b) * (b->end[2] - b->begin[2]);
}
WABE_HOST_DEVICE wabe_row wabe_strip_of(const wabe_grid_args *grid, int64_t item,
                                        const wabe_row_box **box) {
    int i = 0;
    while (i + 1 < grid->box_count && item >= grid->boxes[i + 1].first_strip)
        i++;
    const wabe_row_box *b = &grid->boxes[i];
    const int64_t at = item - b->first_strip, along = wabe_strips_along(b);
    const int64_t low = (b->begin[0] / WABE_STRIP + at % along) * WABE_STRIP;
    wabe_row strip;
    strip.begin = low > b->begin[0] ? low : b->begin[0];
    strip.end = low + WABE_STRIP < b->end[0] ? low + WABE_STRIP : b->end[0];
    strip.y = 0, strip.z = b->begin[2] + at / along;
    *box = b;
    return strip;
}

/* The scratch memory of a thread for a tile of a pass of several steps, in numbers: for each time
 * level between the first and the last a window of three planes, with the cells around the tile
 * that later levels need. line: numbers per cache line. */
enum {
    WABE_WINDOW = 3,
    WABE_WINDOW_MARGIN = 2 /* lines before the first row, and after the last */
};
WABE_HOST_DEVICE int64_t wabe_window_pitch(const wabe_grid_args *grid, int64_t line) {
    return (grid->cells[0] + line - 1) / line * line + WABE_WINDOW_MARGIN * line;
}
WABE_HOST_DEVICE int64_t wabe_window_plane(const wabe_grid_args *grid, int steps, int64_t line) {
    return (grid->panel + 2 * steps) * wabe_window_pitch(grid, line);
}
WABE_HOST_DEVICE int64_t wabe_windows(const wabe_grid_args *grid, int steps, int64_t line) {
    return (steps - 1) * WABE_WINDOW * wabe_window_plane(grid, steps, line) +
           2 * WABE_WINDOW_MARGIN * line;
}

/* What walls between a cell and a number make of it: factor times the number, its sign changed if
 * it is odd, plus offset. */
typedef struct {
    double factor, offset;
    uint32_t odd; /* bit q: component q changes its sign */
} wabe_reflection;

WABE_HOST_DEVICE wabe_reflection wabe_reflection_of_nothing(void) {
    wabe_reflection image;
    image.factor = 1.0, image.offset = 0.0, image.odd = 0;
    return image;
}

WABE_HOST_DEVICE int wabe_reflection_is_odd(const wabe_reflection *image, int q) {
    return q < 32 && (image->odd >> q & 1);
}

/* Are numbers as they are, but for their sign? */
WABE_HOST_DEVICE int wabe_reflection_is_plain(const wabe_reflection *image) {
    return image->factor == 1.0 && image->offset == 0.0;
}

/* The index along axis at which to read the number of cell at, counted from the slab's first cell,
 * which may lie behind faces. Behind a wall it is the index of the mirror image, and what the wall
 * makes of it is applied to *image. */
WABE_HOST_DEVICE int64_t wabe_grid_mirror(const wabe_grid_args *grid, const wabe_grid_field *f,
                                          int axis, int64_t index, wabe_reflection *image) {
    const int on_faces = f->faces == axis;
    const int64_t n = grid->cells[axis];
    if (f->ghosts || (index >= 0 && index < n))
        return index;
    double own = 1.0, added = 0.0; /* factor and offset of this axis, of all mirrors so far */
    uint32_t odd = 0;
    for (;;) { /* a slab may be thinner than the stencil is wide */
        const int high = index >= n + (on_faces && grid->sides[2 * axis + 1] == WABE_SIDE_WALL);
        const wabe_side_kind side = grid->sides[2 * axis + high];
        if ((index >= 0 && !high) || side == WABE_SIDE_NEIGHBOUR) {
            image->factor = image->factor * own;
            image->offset = own * image->offset + added;
            image->odd ^= odd;
            return index;
        }
        if (side == WABE_SIDE_ITSELF) {
            index += high ? -n : n;
            continue;
        }
        const wabe_wall *wall = &f->walls[2 * axis + high];
        added = added + own * wall->offset;
        own = own * wall->factor;
        odd ^= f->odd.across[axis];
        index = high ? 2 * n - 1 + on_faces - index : on_faces - 1 - index;
    }
}

/* Is this a number on the domain's high faces, which lie behind the last cell? */
WABE_HOST_DEVICE int wabe_grid_is_beyond(const wabe_grid_args *g, int64_t x, int64_t y, int64_t z) {
    return x >= g->cells[0] || y >= g->cells[1] || z >= g->cells[2];
}
