/* Bodies at rest in a container, and one more that falls on them and slides down. */
#pragma once

#include "apps/geometry/body.h"
#include "core/base/status.h"

#include <stdint.h>

/* Splitmix64: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators,
 * OOPSLA 2014. */
typedef struct {
    uint64_t state;
} wabe_random;

/* Uniform in [0, 1). */
double wabe_random_next(wabe_random *random);

typedef struct {
    double low[3], high[3]; /* gravity is along -z; bodies may fall in from above */
    bool tube;              /* the cylinder that the cross-section holds */
    bool periodic[2];
} wabe_container;

typedef struct {
    wabe_container container;
    wabe_random random;
    double gap;     /* bodies stay this far apart: what distances may be too large by, or more */
    double stride;  /* longest move: half of the thinnest wall, so that none is jumped over */
    double finest;  /* shortest move: a body that can only make shorter ones is at rest */
    double reach;   /* of the largest body that may come */
    wabe_body wall; /* of the tube, around the height where it is needed */
    int count, capacity; /* bodies at rest */
    wabe_body *bodies;
    double highest; /* point of any of them */
    /* Bodies whose centres are in the same cell of a grid are a list: next[i] follows body i. */
    int64_t cells[3];
    double spacing[3];
    int *first, *next; /* -1: none */
    /* Bodies, and images of them across periodic faces, that a body with a centre near here could
     * touch. */
    double near_center[3], near_reach;
    int near_count, near_capacity;
    wabe_body *near;
    wabe_status status; /* WABE_MEMORY: neighbours were lost, no body is free any more */
} wabe_bed;

/* reach, thinnest: of the largest body the reach, of all bodies the thinnest wall; exact: they are
 * spheres, whose distances need no searching. WABE_MEMORY. */
wabe_status wabe_bed_create(const wabe_container *container, double reach, double thinnest,
                            bool exact, uint64_t seed, wabe_bed *bed);
void wabe_bed_destroy(wabe_bed *bed);

/* Whether it is within the walls, that at the top not counted; below the top. */
bool wabe_bed_contains(wabe_bed *bed, const wabe_body *body);
bool wabe_bed_is_below_top(const wabe_bed *bed, const wabe_body *body);

/* A free body falls straight down until it touches something. */
void wabe_bed_drop(wabe_bed *bed, wabe_body *body);

/* A free body slides, rolls and turns until it cannot sink any further. */
void wabe_bed_sink(wabe_bed *bed, wabe_body *body);

/* Takes a free body into the bed, across periodic faces if its centre is outside. */
wabe_status wabe_bed_add(wabe_bed *bed, const wabe_body *body);

/* Distance of body i from its nearest neighbour or wall, and how many of them are nearer than
 * within. */
int wabe_bed_contacts(wabe_bed *bed, int i, double within, double *least);

/* Random, uniform on a sphere. */
void wabe_bed_direction(wabe_bed *bed, double direction[3]);
