/* Fields of a slab: several components q per cell, stored as f[q][z][y][x] or interleaved along x.
 *
 * wabe_layout_make, for populations, has one ghost layer. Successive rows and planes share ghost
 * cells: the cell after the end of a row is also the one before the next row, so that a row has a
 * pitch of nx + 1 and a plane has ny + 1 rows. Since a population crosses a face in one direction
 * only, both sides never use the same number. Every neighbour is at a constant linear offset, a
 * whole slab is a contiguous range of cells, and a component needs little more than (nx+1)(ny+1)
 * (nz+2) elements. Along a flat axis the slab is one cell thick and its own neighbour: the
 * offset is 0, and there are no ghost cells. Strides between populations suit the target: on CPUs
 * they spread over the sets of the caches, on GPUs they are multiples of 256 bytes (smaller
 * alignment costs loads 2 to 4 % of the bandwidth, larger gains nothing). */
#pragma once

#include "core/base/box.h"
#include "core/device/component.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t cells[3];
    bool flat[3];         /* one cell along this axis, which is its own neighbour */
    int64_t pitch, plane; /* in elements: from row to row, from plane to plane */
    int64_t stride;       /* elements from component to component */
    int64_t front;        /* elements of a component before its cell (0, 0, 0) */
    int64_t elements;     /* of all components */
    int group; /* cells along x whose components are interleaved, [z][y][x / group][q][x % group];
                  0: not interleaved, [q][z][y][x] */
    int components;
    wabe_type type;
} wabe_layout;

/* The location of numbers: at cell centres, or on the cells' low faces normal to an axis. If the
 * axis is not periodic, these include the domain's high face: one layer more than there are
 * cells. */
typedef enum { WABE_AT_CELLS, WABE_AT_X_FACES, WABE_AT_Y_FACES, WABE_AT_Z_FACES } wabe_location;

/* Returns a box of cells, extended by that layer if it reaches the domain's high face. Local. */
static inline wabe_box wabe_location_box(wabe_location location, wabe_box box,
                                         const int64_t domain[3], const bool periodic[3]) {
    const int axis = (int)location - 1;
    if (axis >= 0 && !periodic[axis] && box.end[axis] == domain[axis])
        box.end[axis]++;
    return box;
}

/* Returns the linear index of a cell relative to (0, 0, 0), x fastest; ghost cells have the
 * coordinates -1 and n. Local. */
static inline int64_t wabe_layout_cell(const wabe_layout *layout, int64_t x, int64_t y, int64_t z) {
    const bool *flat = layout->flat;
    return (flat[0] ? 0 : x) + (flat[1] ? 0 : y * layout->pitch) +
           (flat[2] ? 0 : z * layout->plane);
}

/* Returns the index of component q of a cell, relative to the field's data. Local. */
static inline int64_t wabe_layout_place(const wabe_layout *l, int q, int64_t x, int64_t y,
                                        int64_t z) {
    if (l->group == 0)
        return q * l->stride + wabe_layout_cell(l, x, y, z);
    const int64_t lane = (x % l->group + l->group) % l->group;
    return (x - lane) * l->components + q * l->stride + lane + y * l->pitch + z * l->plane;
}

/* Returns the bytes of an element; 0 for a type that cannot be stored. Local. */
size_t wabe_type_size(wabe_type type);
/* Returns a layout for populations, see above. flat: NULL for none. Local. */
wabe_layout wabe_layout_make(const int64_t cells[3], const bool flat[3], int components,
                             wabe_type type, wabe_target target);
/* Returns a layout for grids that are read on both sides of a cell: with so many ghost layers at
 * all faces but those of flat axes (y, z), not shared, and rows aligned to cache lines (GPUs: 128
 * bytes). Local. */
wabe_layout wabe_layout_grid(const int64_t cells[3], const bool flat[3], int ghosts, int components,
                             wabe_type type, wabe_target target);
/* Same without flat axes, with the components of group cells along x interleaved
 * (wabe_layout.group). Local. */
wabe_layout wabe_layout_grouped(const int64_t cells[3], int ghosts, int components, int group,
                                wabe_type type, wabe_target target);
/* Changes a layout from wabe_layout_make to one for a list of cells: room for elements numbers per
 * component, none in front. Local. */
void wabe_layout_shorten(wabe_layout *layout, int64_t elements, wabe_target target);
/* Makes the strides of a layout of separate components multiples of so many elements. Local. */
void wabe_layout_widen(wabe_layout *layout, int64_t multiple);
/* Returns the layout of a one-dimensional array, without ghost cells. Local. */
wabe_layout wabe_layout_line(int64_t count, wabe_type type);
/* Returns the bytes of a field of this layout. Local. */
int64_t wabe_layout_bytes(const wabe_layout *layout);

typedef struct {
    wabe_layout layout;
    void *data; /* component 0 of cell (0, 0, 0), aligned to 64 bytes */
    const wabe_component *component;
    void *memory; /* NULL: it is not the field's own */
    size_t memory_size;
} wabe_field;

/* Allocates a field in the component's memory. GPUs: uninitialised. CPUs: zero, on huge pages if
 * the system has them, and untouched, so that first touch places the pages. component must outlive
 * the field. WABE_MEMORY: the message says how much was requested. Local. */
wabe_status wabe_field_create(const wabe_component *component, const wabe_layout *layout,
                              wabe_field **out);
/* Makes a field of this layout in memory of a device, which must outlive it. WABE_MEMORY. Local. */
wabe_status wabe_field_over(const wabe_component *component, const wabe_layout *layout,
                            void *memory, wabe_field **out);
void wabe_field_destroy(wabe_field **field);
/* Sets a field to zero: on CPUs by the threads that will work on it, on GPUs queued in the stream.
 * Local. */
void wabe_field_zero(wabe_field *field, wabe_stream *stream);
