/* The mean velocity of a turbulent flow between two walls, or over one below a free surface. */
#pragma once

#include "core/config/option.h"
#include "core/geometry/geometry.h"

typedef struct {
    int axis;            /* normal to the walls */
    bool walls[2];       /* at its low and its high end */
    double roughness[2]; /* theirs, z0 in cells; 0: smooth */
    double direction[3]; /* of the flow: a unit vector */
    double friction;     /* velocity: root of the wall stress over the density */
    double bulk;         /* mean velocity */
    double height;       /* from a wall to the middle, or to the free surface */
    double cells, viscosity;
} wabe_channel;

/* Makes the channel whose mean velocity is this one, or, if that is 0, whose walls hold back this
 * force. WABE_INPUT: the domain is no channel, or nothing drives it, with the key's line. Local. */
wabe_status wabe_channel_make(const wabe_config *config, const wabe_geometry *geometry,
                              const double velocity[3], const double force[3], double viscosity,
                              wabe_channel *out);
/* Returns the speed in the cells at this place along the axis: Reichardt's law (Z. angew. Math.
 * Mech. 31 (1951) 208) from the next wall, or that of a rough wall function. Local. */
double wabe_channel_speed(const wabe_channel *channel, int64_t cell);

/* Prints a line. Local. */
void wabe_channel_print(const wabe_channel *channel);
