/* Fields of a slab: some numbers for each cell, f[q][z][y][x], or interleaved along x.
 *
 * wabe_layout_make, for populations, has one ghost layer. Ghost cells along x and y are shared:
 * what lies behind the end of a row is what lies before the next one, so a row has a pitch of nx +
 * 1 and a plane ny + 1 rows. A population crosses a face in one sense only, so the two sides never
 * use the same number. Every neighbour is a constant linear offset away, whole slabs are one
 * contiguous range of cells, and the memory stays within (nx+1)(ny+1) (nz+2) cells. Along a flat
 * axis the slab is one cell thick and its own neighbour: that offset is 0, and there are no ghosts.
 * Strides between populations suit the target: spread over the sets of the caches of a CPU,
 * multiples of 256 bytes for a GPU (anything less costs its loads 2 to 4 % of the bandwidth,
 * anything more gains nothing).
 */
#pragma once

#include "core/base/box.h"
#include "core/device/component.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t cells[3];
    bool flat[3];         /* of one cell along this axis, which is its own neighbour */
    int64_t pitch, plane; /* elements from row to row, from plane to plane */
    int64_t stride;       /* elements from component to component */
    int64_t front;        /* elements of a component before its cell (0, 0, 0) */
    int64_t elements;     /* of all components */
    int group; /* cells along x whose components stand together, [z][y][x / group][q][x % group];
                  0: components stand apart, [q][z][y][x] */
    int components;
    wabe_type type;
} wabe_layout;

/* Where numbers stand in their cell: in its middle, or on its low face normal to an axis. Of an
 * axis that is not periodic they stand on the domain's high face, too: a layer more than there are
 * cells.
 */
typedef enum { WABE_AT_CELLS, WABE_AT_X_FACES, WABE_AT_Y_FACES, WABE_AT_Z_FACES } wabe_location;

/* A box of cells with the layer more, if it reaches to the domain's high face. Local. */
static inline wabe_box wabe_location_box(wabe_location at, wabe_box box, const int64_t domain[3],
                                         const bool periodic[3]) {
    const int axis = (int)at - 1;
    if (axis >= 0 && !periodic[axis] && box.end[axis] == domain[axis])
        box.end[axis]++;
    return box;
}

/* Cells are counted from (0, 0, 0), x fastest; ghost cells have the coordinates -1 and n. */
static inline int64_t wabe_layout_cell(const wabe_layout *layout, int64_t x, int64_t y, int64_t z) {
    const bool *flat = layout->flat;
    return (flat[0] ? 0 : x) + (flat[1] ? 0 : y * layout->pitch) +
           (flat[2] ? 0 : z * layout->plane);
}

/* Where component q of a cell stands, from the field's data on. Local. */
static inline int64_t wabe_layout_place(const wabe_layout *l, int q, int64_t x, int64_t y,
                                        int64_t z) {
    if (l->group == 0)
        return q * l->stride + wabe_layout_cell(l, x, y, z);
    const int64_t lane = (x % l->group + l->group) % l->group;
    return (x - lane) * l->components + q * l->stride + lane + y * l->pitch + z * l->plane;
}

size_t wabe_type_size(wabe_type type);
/* flat: NULL for none. Local. */
wabe_layout wabe_layout_make(const int64_t cells[3], const bool flat[3], int components,
                             wabe_type type, wabe_target target);
/* Grids that are read on both sides of a cell: ghost layers so thick at all faces, none of them
 * shared, rows that begin on a cache line (GPUs: 128 bytes). Local. */
wabe_layout wabe_layout_grid(const int64_t cells[3], int ghosts, int components, wabe_type type,
                             wabe_target target);
/* The same with the components of so many cells along x interleaved (wabe_layout.group). Local. */
wabe_layout wabe_layout_grouped(const int64_t cells[3], int ghosts, int components, int group,
                                wabe_type type, wabe_target target);
/* The same as wabe_layout_make for a list of cells in place of a box of them: room for so many
 * elements in each component, none in front. Local. */
void wabe_layout_shorten(wabe_layout *layout, int64_t elements, wabe_target target);
/* A plain row of numbers: no ghost cells. */
wabe_layout wabe_layout_line(int64_t count, wabe_type type);
/* Bytes of a field of this layout. Local. */
int64_t wabe_layout_bytes(const wabe_layout *layout);

typedef struct {
    wabe_layout layout;
    void *data; /* component 0 of cell (0, 0, 0), aligned to 64 bytes */
    const wabe_component *component;
    void *memory;
    size_t memory_size;
} wabe_field;

/* Memory of the component, of any content. On CPUs on huge pages where the system has them, zero,
 * and not touched: its pages go to whoever writes first. component must outlive the field.
 * WABE_MEMORY: how much was asked for. Local. */
wabe_status wabe_field_create(const wabe_component *component, const wabe_layout *layout,
                              wabe_field **out);
void wabe_field_destroy(wabe_field **field);
/* Zeroes it; on CPUs by the threads that will work on it. Given to the stream on GPUs. Local. */
void wabe_field_zero(wabe_field *field, wabe_stream *stream);
