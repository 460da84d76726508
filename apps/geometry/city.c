#include "apps/geometry/city.h"

#include "core/base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define NARROWEST                                                                                  \
    2.0 /* cells, of streets and buildings: what is narrower has no flow, or holes                 \
         */

/* Axes of the ground, and of height. */
typedef struct {
    const wabe_city_plan *plan;
    const wabe_heights *ground;
    wabe_heights *out;
    int axis[2], up;
    int64_t lots[2];
    double edge; /* of a building */
} city;

/* ---- chance ------------------------------------------------------------------------- */

/* Numbers of a lot, independent of those of others: between 0 and 1, both excluded. */
static double uniform(const city *c, int64_t i, int64_t j, uint64_t draw) {
    uint64_t hash = wabe_hash_mix(c->plan->seed + 0x9e3779b97f4a7c15u);
    hash = wabe_hash_mix(hash + (uint64_t)i);
    hash = wabe_hash_mix(hash + (uint64_t)j);
    hash = wabe_hash_mix(hash + draw);
    return ((double)(hash >> 11) + 0.5) / 9007199254740992.0;
}

/* Log-normal. */
static double building_height(const city *c, int64_t i, int64_t j) {
    const double sigma = c->plan->sigma;
    const double normal = sqrt(-2.0 * log(uniform(c, i, j, 1))) *
                          cos(2.0 * PI * uniform(c, i, j, 2));
    return c->plan->height * exp(sigma * (normal - 0.5 * sigma));
}

/* ---- buildings ---------------------------------------------------------------------- */

static double ground_at(const city *c, double u, double v) {
    const wabe_heights *g = c->ground;
    const int64_t i = (int64_t)u, j = (int64_t)v;
    return c->plan->low[c->up] + (g ? g->heights[i + g->cells[c->axis[0]] * j] : 0.0);
}

/* Returns the first cell whose centre does not lie below a place. */
static int64_t first_at(double place) { return (int64_t)ceil(place - 0.5); }

/* Raises the columns of a building; the height is above the ground at its centre. */
static wabe_status build(const city *c, int64_t i, int64_t j, double height,
                         wabe_city_report *report) {
    const wabe_city_plan *o = c->plan;
    const int64_t lot[2] = {i, j};
    int64_t begin[2], end[2];
    double center[2];
    for (int d = 0; d < 2; d++) {
        center[d] = o->low[c->axis[d]] + o->pitch * ((double)lot[d] + 0.5);
        begin[d] = first_at(center[d] - 0.5 * c->edge);
        end[d] = first_at(center[d] + 0.5 * c->edge);
    }
    const double roof = ground_at(c, center[0], center[1]) + height;
    WABE_CHECK(roof <= o->high[c->up], WABE_INPUT,
               "a building at %c = %.6g, %c = %.6g is %.6g cells high, and reaches to %.6g cells "
               "along %c; there is room up to %.6g",
               'x' + c->axis[0], center[0], 'x' + c->axis[1], center[1], height, roof, 'x' + c->up,
               o->high[c->up]);
    for (int64_t v = begin[1]; v < end[1]; v++)
        for (int64_t u = begin[0]; u < end[0]; u++)
            c->out->heights[u + c->out->cells[c->axis[0]] * v] = (float)roof;
    c->out->high = fmax(c->out->high, roof);
    report->lowest = fmin(report->lowest, height);
    report->highest = fmax(report->highest, height);
    report->share += (double)(end[0] - begin[0]) * (double)(end[1] - begin[1]);
    return WABE_OK;
}

static wabe_status build_all(const city *c, wabe_city_report *report) {
    for (int64_t j = 0; j < c->lots[1]; j++)
        for (int64_t i = 0; i < c->lots[0]; i++) {
            const bool tower = uniform(c, i, j, 0) < c->plan->towers;
            const double height = tower ? c->plan->tower_height : building_height(c, i, j);
            WABE_TRY(build(c, i, j, fmax(1.0, floor(height + 0.5)), report));
            report->towers += tower;
            report->buildings += !tower;
        }
    return WABE_OK;
}

/* ---- the grid ----------------------------------------------------------------------- */

static wabe_status lay_out(city *c) {
    const wabe_city_plan *o = c->plan;
    c->edge = o->pitch * sqrt(o->share);
    WABE_CHECK(o->pitch - c->edge >= NARROWEST && c->edge >= NARROWEST, WABE_INPUT,
               "streets are %.3g cells wide and buildings %.3g; both have to have two cells at "
               "least: change the share that is built on, or widen the pitch",
               o->pitch - c->edge, c->edge);
    for (int d = 0; d < 2; d++) {
        const int axis = c->axis[d];
        c->lots[d] = (int64_t)floor((o->high[axis] - o->low[axis]) / o->pitch);
        WABE_CHECK(c->lots[d] > 0, WABE_INPUT,
                   "the city extends from %.6g to %.6g cells along %c, which is less than a pitch "
                   "of %.6g",
                   o->low[axis], o->high[axis], 'x' + axis, o->pitch);
    }
    return WABE_OK;
}

wabe_status wabe_city_make(const wabe_city_plan *plan, const wabe_heights *ground,
                           wabe_heights *out, wabe_city_report *report) {
    city c = {.plan = plan,
              .ground = ground,
              .out = out,
              .axis = {out->up == 0 ? 1 : 0, out->up == 2 ? 1 : 2},
              .up = out->up};
    const int64_t *n = out->cells;
    *report = (wabe_city_report){.lowest = INFINITY};
    WABE_TRY(lay_out(&c));
    out->heights = calloc((size_t)(n[c.axis[0]] * n[c.axis[1]]), sizeof *out->heights);
    WABE_CHECK(out->heights, WABE_MEMORY, "no memory for the heights of a city");
    out->low = out->high = 0.0;
    const wabe_status status = build_all(&c, report);
    for (int d = 0; d < 2; d++)
        report->share /= plan->high[c.axis[d]] - plan->low[c.axis[d]];
    if (status != WABE_OK)
        wabe_heights_free(out);
    return status;
}
