/* A generated city: blocks of buildings in a grid of streets, with random heights. */
#pragma once

#include "apps/geometry/heights.h"

/* Lengths are in cells. */
typedef struct {
    double low[3], high[3]; /* the box in which the city stands; along up: its ground, and what no
                               building may exceed */
    double pitch;           /* from street to street */
    double share;           /* of the ground that is built on, streets excepted */
    double height, sigma;   /* mean of the buildings' heights, and deviation of their logarithm */
    double towers;          /* the share of buildings that are towers */
    double tower_height;
    uint64_t seed;
} wabe_city_plan;

typedef struct {
    int64_t buildings, towers;
    double lowest, highest; /* of buildings and towers */
    double share;           /* of the columns of cells in the box that are built on */
} wabe_city_report;

/* Makes the heights of a city. out: up and cells are set; ground: terrain with the same ones on
 * which the buildings stand, or NULL. A building's height is a whole number of cells, one at least,
 * above the ground at its centre. The same seed gives the same city. WABE_INPUT: streets or
 * buildings narrower than two cells, no room for a building, or one that is too high; WABE_MEMORY.
 * Local. */
wabe_status wabe_city_make(const wabe_city_plan *plan, const wabe_heights *ground,
                           wabe_heights *out, wabe_city_report *report);
