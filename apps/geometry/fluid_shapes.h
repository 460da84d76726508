/* What two fluids fill at the start: spheres and boxes. */
#pragma once

#include "core/config/option.h"
#include "sweeps/stencil/fluid.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A sphere, if it has a radius, or a box; wabe_fluid_shape_rows has its keys. Lengths are those of
 * the run. */
typedef struct {
    int fluid;
    double center[3], radius, low[3], high[3], velocity[3];
} wabe_fluid_shape;

extern const wabe_option wabe_fluid_shape_rows[];

/* The domain that shapes are in. */
typedef struct {
    int64_t cells[3];
    bool periodic[3];
    double spacing;
} wabe_fluid_shape_space;

/* Is a vector of the input given? */
static inline bool wabe_is_given(const double v[3]) { return isfinite(v[0]); }

static inline bool wabe_fluid_shape_is_sphere(const wabe_fluid_shape *s) {
    return isfinite(s->radius);
}

/* Checks an element of the list at path: that it is a sphere or a box, and in the domain.
 * WABE_INPUT. Local. */
wabe_status wabe_fluid_shape_check(const wabe_config *config, const char *path, int number,
                                   const wabe_fluid_shape_space *space,
                                   const wabe_fluid_shape *shape);
/* Returns how far a place is from a shape's surface, negative inside. A sphere is a disc where the
 * domain is a cell thick; boxes that end with the domain go on behind its faces. Local. */
double wabe_fluid_shape_distance(const wabe_fluid_shape_space *space, const wabe_fluid_shape *shape,
                                 const double place[3]);
