/* Boxes of cells: begin included, end excluded, x first. Empty when any end <= begin. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t begin[3], end[3];
} wabe_box;

/* The faces of a box or the domain, by name and number; opposite faces differ in bit 0. */
#define WABE_EACH_FACE(face)                                                                       \
    face("x_low", 0), face("x_high", 1), face("y_low", 2), face("y_high", 3), face("z_low", 4),    \
        face("z_high", 5)

enum { WABE_FACES = 6 };

/* Returns the name of a face: "x_low" for 0, and so on. Local. */
static inline const char *wabe_face_name(int face) {
#define WABE_FACE_NAME(name, place) name
    static const char *const names[WABE_FACES] = {WABE_EACH_FACE(WABE_FACE_NAME)};
#undef WABE_FACE_NAME
    return names[face];
}

static inline int64_t wabe_box_extent(wabe_box box, int axis) {
    return box.end[axis] > box.begin[axis] ? box.end[axis] - box.begin[axis] : 0;
}

/* Finds the extents along x, y and z. Local. */
static inline void wabe_box_extents(wabe_box box, int64_t out[3]) {
    for (int axis = 0; axis < 3; axis++)
        out[axis] = wabe_box_extent(box, axis);
}

static inline int64_t wabe_box_cells(wabe_box box) {
    return wabe_box_extent(box, 0) * wabe_box_extent(box, 1) * wabe_box_extent(box, 2);
}

/* Returns the cells of one plane normal to z. */
static inline int64_t wabe_box_plane_cells(wabe_box box) {
    return wabe_box_extent(box, 0) * wabe_box_extent(box, 1);
}

/* Returns the plane z of a box. */
static inline wabe_box wabe_box_plane(wabe_box box, int64_t z) {
    box.begin[2] = z;
    box.end[2] = z + 1;
    return box;
}

/* Returns the index of a cell within the box, x fastest. */
static inline int64_t wabe_box_place(wabe_box box, int64_t x, int64_t y, int64_t z) {
    return x - box.begin[0] +
           wabe_box_extent(box, 0) *
               (y - box.begin[1] + wabe_box_extent(box, 1) * (z - box.begin[2]));
}

static inline bool wabe_box_is_empty(wabe_box box) { return wabe_box_cells(box) == 0; }

static inline wabe_box wabe_box_intersect(wabe_box a, wabe_box b) {
    for (int d = 0; d < 3; d++) {
        a.begin[d] = a.begin[d] > b.begin[d] ? a.begin[d] : b.begin[d];
        a.end[d] = a.end[d] < b.end[d] ? a.end[d] : b.end[d];
    }
    return a;
}

static inline wabe_box wabe_box_shift(wabe_box box, const int64_t offset[3]) {
    for (int d = 0; d < 3; d++) {
        box.begin[d] += offset[d];
        box.end[d] += offset[d];
    }
    return box;
}

/* Returns the box with width cells added (removed, if negative) at every face. */
static inline wabe_box wabe_box_grow(wabe_box box, int64_t width) {
    for (int d = 0; d < 3; d++) {
        box.begin[d] -= width;
        box.end[d] += width;
    }
    return box;
}

/* Returns the number of samples in a row of cells if every stride-th is taken, from the first one
 * on. */
static inline int64_t wabe_samples(int64_t cells, int64_t stride) {
    return cells > 0 ? (cells - 1) / stride + 1 : 0;
}

static inline bool wabe_box_contains(wabe_box box, int64_t x, int64_t y, int64_t z) {
    return x >= box.begin[0] && x < box.end[0] && y >= box.begin[1] && y < box.end[1] &&
           z >= box.begin[2] && z < box.end[2];
}
