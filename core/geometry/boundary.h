/* Boundary conditions of the domain's faces and of solids. Where two faces that are not periodic
 * meet, the condition that comes first in their list applies. */
#pragma once

#include "core/base/enums.h"

#include <stdbool.h>

#define WABE_FACE_BOUNDARIES(X)                                                                    \
    X(periodic)                                                                                    \
    X(no_slip)                                                                                     \
    X(moving_wall) X(velocity) X(pressure) X(pressure_normal) X(free_slip) X(wall_function)
#define WABE_SOLID_BOUNDARIES(X)                                                                   \
    X(no_slip) X(curved_wall) X(moving_wall) X(velocity) X(pressure) X(wall_function)
#define WABE_BOUNDARIES(X) WABE_FACE_BOUNDARIES(X) X(curved_wall)
#define WABE_ENUM_DECLARE_boundary(word) WABE_BOUNDARY_##word,
WABE_ENUM_DECLARE(boundary, WABE_BOUNDARY_, WABE_BOUNDARIES)

/* Does the boundary set the pressure of the fluid that crosses it? Local. */
static inline bool wabe_is_pressure(wabe_boundary kind) {
    return kind == WABE_BOUNDARY_pressure || kind == WABE_BOUNDARY_pressure_normal;
}

/* Does fluid cross it? Local. */
static inline bool wabe_is_open(wabe_boundary kind) {
    return wabe_is_pressure(kind) || kind == WABE_BOUNDARY_velocity;
}

/* Is what arrives from the boundary the unchanged mirror image of the fluid, as it is not with a
 * given pressure? Friction along a wall_function comes on top. Local. */
static inline bool wabe_is_mirror(wabe_boundary kind) {
    return kind == WABE_BOUNDARY_free_slip || kind == WABE_BOUNDARY_wall_function;
}
