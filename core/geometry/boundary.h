/* Boundary conditions of the domain's faces and of obstacles; curved_wall is for obstacles. Where
 * two faces that are not periodic meet, the condition that comes first in this list applies. */
#pragma once

#include "core/base/enums.h"

#define WABE_BOUNDARIES(X)                                                                         \
    X(periodic)                                                                                    \
    X(no_slip) X(moving_wall) X(velocity) X(pressure) X(pressure_normal) X(free_slip) X(curved_wall)
#define WABE_ENUM_DECLARE_boundary(word) WABE_BOUNDARY_##word,
WABE_ENUM_DECLARE(boundary, WABE_BOUNDARY_, WABE_BOUNDARIES)
