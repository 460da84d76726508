#include "core/geometry.h"

#include <math.h>
#include <stdlib.h>

static bool is_inside(const wabe_object *object, const double p[3]) {
    if (object->shape == WABE_SHAPE_BOX) {
        for (int d = 0; d < 3; d++)
            if (p[d] < object->low[d] || p[d] > object->high[d])
                return false;
        return true;
    }
    double axis[3] = {0, 0, 0}, from[3], along = 0.0, length = 0.0, distance = 0.0;
    for (int d = 0; d < 3; d++) {
        const bool sphere = object->shape == WABE_SHAPE_SPHERE;
        axis[d] = sphere ? 0.0 : object->high[d] - object->low[d];
        from[d] = p[d] - (sphere ? object->center[d] : object->low[d]);
        along += axis[d] * from[d];
        length += axis[d] * axis[d];
    }
    const double share = length > 0.0 ? along / length : 0.0;
    for (int d = 0; d < 3; d++)
        distance += (from[d] - share * axis[d]) * (from[d] - share * axis[d]);
    return share >= 0.0 && share <= 1.0 && distance <= object->radius * object->radius;
}

void wabe_geometry_periodic(const wabe_geometry *geometry, bool periodic[3]) {
    for (int d = 0; d < 3; d++)
        periodic[d] = geometry->conditions[2 * d].kind == WABE_BOUNDARY_periodic;
}

unsigned wabe_geometry_outside(const wabe_geometry *geometry, const int64_t cell[3]) {
    unsigned axes = 0;
    for (int d = 0; d < 3; d++)
        if ((cell[d] < 0 || cell[d] >= geometry->cells[d]) &&
            geometry->conditions[2 * d].kind != WABE_BOUNDARY_periodic)
            axes |= 1u << d;
    return axes;
}

/* The order in which conditions win where two faces meet is that of wabe_boundary. */
static uint8_t id_behind_faces(const wabe_geometry *geometry, const int64_t cell[3],
                               unsigned axes) {
    int best = -1;
    for (int d = 0; d < 3; d++) {
        if (!(axes >> d & 1))
            continue;
        const int face = 2 * d + (cell[d] < 0 ? 0 : 1);
        if (best < 0 || geometry->conditions[face].kind < geometry->conditions[best].kind)
            best = face;
    }
    return (uint8_t)(best + 1);
}

static uint8_t id_of_cell(const wabe_geometry *geometry, const int64_t cell[3]) {
    const unsigned axes = wabe_geometry_outside(geometry, cell);
    if (axes)
        return id_behind_faces(geometry, cell, axes);
    double center[3];
    for (int d = 0; d < 3; d++) {
        const int64_t n = geometry->cells[d];
        center[d] = (double)((cell[d] + n) % n) + 0.5;
    }
    for (int k = 0; k < geometry->object_count; k++)
        if (is_inside(&geometry->objects[k], center))
            return (uint8_t)(WABE_FACES + k + 1);
    return 0;
}

wabe_status wabe_geometry_flags(const wabe_geometry *geometry, wabe_box box, wabe_flags *flags) {
    flags->box = box;
    flags->ids = malloc((size_t)wabe_box_cells(box));
    WABE_CHECK(flags->ids, WABE_MEMORY, "no memory for the flags of %lld cells",
               (long long)wabe_box_cells(box));
    uint8_t *id = flags->ids;
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++)
            for (int64_t x = box.begin[0]; x < box.end[0]; x++)
                *id++ = id_of_cell(geometry, (int64_t[3]){x, y, z});
    return WABE_OK;
}

void wabe_flags_free(wabe_flags *flags) {
    free(flags->ids);
    flags->ids = NULL;
}
