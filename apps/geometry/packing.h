/* Beds of particles that are dropped into a channel or tube and come to rest under gravity. */
#pragma once

#include "apps/geometry/particles.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { WABE_PARTICLE_SPHERE, WABE_PARTICLE_CYLINDER, WABE_PARTICLE_RING } wabe_particle;

typedef struct {
    wabe_particle particle;
    double diameter;        /* cells */
    double length;          /* of cylinders and rings, cells */
    double bore;            /* of rings, a diameter, cells */
    double spread;          /* relative standard deviation of sizes, 0 to 0.3; shapes stay similar,
                               and no size is further from the mean than three times the spread */
    double low[3], high[3]; /* the container, cells; gravity is along -z */
    bool tube;              /* the cylinder that the container's cross-section holds */
    bool periodic[2];       /* no walls along x, y (not of a tube): the container's width is the
                               period */
    double porosity;        /* wanted; 0: as it comes */
    uint64_t seed;
    /* After each particle: how many there are, and how much of the container's height they take;
     * false: leave it. NULL: nobody is told. */
    bool (*go_on)(void *context, int particles, double share);
    void *context;
} wabe_packing_options;

/* The bed is full up to the height of one particle (the sphere around it) below the highest point
 * of all: that is top. What lies above it counts neither as solid nor as volume. */
typedef struct {
    int particles;   /* images across periodic faces not counted */
    double porosity; /* of the container, from its bottom to the bed's top */
    double top;      /* cells from the domain's corner */
    double contacts; /* mean number of contacts of a particle, walls included; a contact is a
                        distance of less than about 0.01 diameters */
    double overlap;  /* deepest overlap of two particles or with a wall, cells */
} wabe_packing_report;

/* Drops particles one after the other until the container is full; each comes to rest where it
 * cannot sink any further by small moves and turns, and stays there. Of a few random starts the one
 * that leads lowest counts. Particles do not overlap, they do not even touch: between them is a gap
 * of about 0.001 diameters (of spheres less).
 *
 * A wanted porosity is met to 0.01: beds become looser if a share of the particles stick where they
 * first touch something, and a little denser if there are more starts. Which share is found by
 * trying, so this takes a few times as long.
 *
 * Across periodic faces the list has an object for every image that reaches into the container. The
 * same options give the same bed on every machine. WABE_INPUT: no particle fits, sizes that are not
 * positive, the wanted porosity is not reached (the message says what is, and what would help);
 * WABE_NOT_CONVERGED: go_on has had enough; WABE_MEMORY. Local. */
wabe_status wabe_packing_make(const wabe_packing_options *options, wabe_particles *out,
                              wabe_packing_report *report);
