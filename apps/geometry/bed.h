/* Bodies at rest in a container, and one free body that falls on them and slides down. All
 * functions are Local. */
#pragma once

#include "apps/geometry/body.h"
#include "core/base/status.h"

#include <stdint.h>

/* Splitmix64: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators,
 * OOPSLA 2014. */
typedef struct {
    uint64_t state;
} wabe_random;

/* Returns a number, uniform in [0, 1). */
double wabe_random_next(wabe_random *random);

typedef struct {
    double low[3], high[3]; /* gravity is along -z; bodies may fall in from above */
    bool tube;              /* the cylinder inscribed in the cross-section */
    bool periodic[2];
} wabe_container;

typedef struct {
    wabe_container container;
    wabe_random random;
    double gap;     /* minimum distance of bodies: at least the error of computed distances */
    double stride;  /* longest move: half of the thinnest wall, so that no body is jumped over */
    double finest;  /* shortest move: a body that can only make shorter moves is at rest */
    double reach;   /* of the largest body that can be added */
    wabe_body wall; /* of the tube, moved to the height where it is needed */
    int count, capacity; /* bodies at rest */
    wabe_body *bodies;
    double highest; /* highest point of all bodies */
    /* A list for each cell of a grid, of the bodies with their centre in it: next[i] follows body
     * i. */
    int64_t cells[3];
    double spacing[3];
    int *first, *next; /* -1: none */
    /* Bodies, and their images across periodic faces, that a body with its centre close to
     * near_center could touch. */
    double near_center[3], near_reach;
    int near_count, near_capacity;
    wabe_body *near;
    wabe_status status; /* WABE_MEMORY: the list of neighbours is incomplete; no body counts as free
                           from then on */
} wabe_bed;

/* Creates an empty bed. reach: of the largest body; thinnest: the thinnest wall of all bodies;
 * exact: all are spheres, whose distances are computed exactly. WABE_MEMORY. */
wabe_status wabe_bed_create(const wabe_container *container, double reach, double thinnest,
                            bool exact, uint64_t seed, wabe_bed *bed);
void wabe_bed_destroy(wabe_bed *bed);

/* Is the body inside the walls, not counting the top? */
bool wabe_bed_contains(wabe_bed *bed, const wabe_body *body);
/* Is the body below the top? */
bool wabe_bed_is_below_top(const wabe_bed *bed, const wabe_body *body);

/* Drops a free body vertically until it touches something. */
void wabe_bed_drop(wabe_bed *bed, wabe_body *body);

/* Lets a free body slide, roll and turn until it cannot sink any further. */
void wabe_bed_sink(wabe_bed *bed, wabe_body *body);

/* Adds a free body to the bed, across a periodic face if its centre is outside. WABE_MEMORY. */
wabe_status wabe_bed_add(wabe_bed *bed, const wabe_body *body);

/* Returns the number of neighbours and walls closer to body i than within; least: the smallest
 * distance, or within if that is smaller. */
int wabe_bed_contacts(wabe_bed *bed, int i, double within, double *least);

/* Sets a random direction, uniform on a sphere. */
void wabe_bed_direction(wabe_bed *bed, double direction[3]);
