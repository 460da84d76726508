/* The kinds of boundaries, of a domain's faces and of obstacles. */
#ifndef WABE_CORE_GEOMETRY_BOUNDARY_H
#define WABE_CORE_GEOMETRY_BOUNDARY_H

#include "core/base/words.h"

#define WABE_BOUNDARIES(X)                                                                         \
    X(periodic) X(no_slip) X(moving_wall) X(velocity) X(pressure) X(free_slip)
#define WABE_WORDS_ENUM_boundary(word) WABE_BOUNDARY_##word,
WABE_WORDS_ENUM(boundary, WABE_BOUNDARY_, WABE_BOUNDARIES)

#endif
