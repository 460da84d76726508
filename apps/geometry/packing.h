/* Random packed beds: particles are dropped into a channel or tube and come to rest under
 * gravity. */
#pragma once

#include "apps/geometry/particles.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { WABE_PARTICLE_SPHERE, WABE_PARTICLE_CYLINDER, WABE_PARTICLE_RING } wabe_particle;

typedef struct {
    wabe_particle particle;
    double diameter; /* in cells */
    double length;   /* of cylinders and rings, in cells */
    double bore;     /* inner diameter of rings, in cells */
    double spread; /* relative standard deviation of sizes, 0 to 0.3; shapes remain similar, and no
                      size differs from the mean by more than three times the spread */
    double low[3], high[3]; /* the container, in cells; gravity is along -z */
    bool tube;              /* the cylinder inscribed in the container's cross-section */
    bool periodic[2]; /* no walls along x, y (channels only): the container's width is the period */
    double porosity;  /* target; 0: as it results */
    uint64_t seed;
    /* Called after each particle with the number of particles so far and the filled fraction of the
     * container's height; false: abort. May be NULL. */
    bool (*go_on)(void *context, int particles, double share);
    void *context;
} wabe_packing_options;

/* The bed counts as full up to top: below the highest point of all particles by the diameter of the
 * largest particle's bounding sphere, but at half the bed's height or above. Above top, neither
 * solid nor volume is counted. */
typedef struct {
    int particles;   /* without images across periodic faces */
    double porosity; /* of the container, from its bottom to top */
    double top;      /* in cells from the domain's corner */
    double contacts; /* mean number of contacts per particle, including walls; a contact is a
                        distance of less than about 0.01 diameters */
    double overlap;  /* deepest overlap of two particles, or with a wall, in cells */
} wabe_packing_report;

/* Drops particles one by one until the container is full. Each comes to rest where it cannot sink
 * any further by small moves and turns, and then stays there; of a few random starts, the one that
 * ends lowest is used. Particles neither overlap nor touch: there is a gap of about 0.001 diameters
 * between them (less for spheres).
 *
 * A target porosity is met to 0.01: beds are looser if a fraction of the particles stick where they
 * first touch something, and slightly denser with more starts. This fraction is found by trial,
 * which takes several times as long.
 *
 * With periodic faces, the list has an object for each image that reaches into the container. The
 * same options give the same bed on every machine. WABE_INPUT: no particle fits, sizes are not
 * positive, or the target porosity is not reached (the message gives the closest, and advice);
 * WABE_NOT_CONVERGED: go_on returned false; WABE_MEMORY. Local. */
wabe_status wabe_packing_make(const wabe_packing_options *options, wabe_particles *out,
                              wabe_packing_report *report);
