#include "apps/lbm/case.h"

#include <math.h>
#include <string.h>

/* The cells that the solid with this condition can have. */
static wabe_box box_of(const wabe_geometry *g, int condition) {
    for (int k = 0; k < g->raster_count; k++)
        if (g->rasters[k].condition == condition)
            return g->rasters[k].box;
    return wabe_geometry_object_box(&g->objects[condition - WABE_FACES]);
}

/* Where the axis lies if pivot is not given. */
static wabe_status find_pivot(const wabe_config *config, const char *group, const wabe_geometry *g,
                              wabe_turning *t) {
    char path[80];
    snprintf(path, sizeof path, "%s.spin", group);
    if (t->condition >= g->solid)
        return wabe_config_fail(config, path, "needs %s.pivot, a point on its axis", group);
    const wabe_object *object = &g->objects[t->condition - WABE_FACES];
    for (int d = 0; d < 3; d++)
        t->pivot[d] = object->shape == WABE_SHAPE_SPHERE ? object->center[d]
                      : object->shape == WABE_SHAPE_CYLINDER
                          ? object->low[d]
                          : 0.5 * (object->low[d] + object->high[d]);
    return WABE_OK;
}

static wabe_status make_turning(const wabe_config *config, const char *group,
                                const wabe_surface_options *from, int condition, int count,
                                wabe_lbm_case *c) {
    char path[80];
    wabe_geometry *g = &c->simulation.geometry;
    wabe_turning *t = &c->turnings[c->turning_count];
    snprintf(path, sizeof path, "%s.spin", group);
    if (c->turning_count == WABE_TURNING_MAX || count < WABE_TURNING_CONDITIONS_MIN)
        return wabe_config_fail(config, path,
                                "leaves too few boundary conditions for its places: at most %d "
                                "solids turn, and there are %d conditions for faces, solids and "
                                "profiles",
                                WABE_TURNING_MAX, WABE_CONDITIONS_MAX);
    t->condition = condition;
    memcpy(t->velocity, from->velocity, sizeof t->velocity);
    memcpy(t->spin, from->spin, sizeof t->spin);
    memcpy(t->pivot, from->pivot, sizeof t->pivot);
    if (!isfinite(from->pivot[0]))
        WABE_TRY(find_pivot(config, group, g, t));
    c->turning_count++;
    WABE_TRY(
        wabe_turning_make(g, box_of(g, condition), count, c->conditions, &g->condition_count, t));
    if (t->count == 0)
        return wabe_config_fail(config, path,
                                "is not used: no cell of the solid has fluid beside it");
    c->motions[c->turning_count - 1] = wabe_turning_motion(t);
    return t->most <= 1.0 ? WABE_OK
                          : wabe_config_fail(config, path,
                                             "makes the surface move by %.4g cells a step, at most "
                                             "1 is possible: lower it",
                                             t->most);
}

/* Solids that turn and faces with profiles share the conditions that are left. */
wabe_status wabe_case_turning(const wabe_config *config, const wabe_lbm_options *o,
                              wabe_lbm_case *c) {
    wabe_geometry *g = &c->simulation.geometry;
    const int solids = g->condition_count;
    wabe_surface_options surface;
    char group[64];
    int sharing = 0;
    for (int k = 0; k < WABE_TURNING_MAX; k++)
        c->turnings[k].lattice = wabe_lbm_lattice_of(o);
    for (int face = 0; face < WABE_FACES; face++)
        sharing += o->faces[face].profile.kind != WABE_PROFILE_NONE;
    for (int k = WABE_FACES; k < solids; k++)
        sharing += wabe_case_surface_at(o, c, k, group, &surface) &&
                   wabe_length_of(surface.spin) > 0.0;
    for (int k = WABE_FACES; k < solids; k++)
        if (wabe_case_surface_at(o, c, k, group, &surface) && wabe_length_of(surface.spin) > 0.0)
            WABE_TRY(make_turning(config, group, &surface, k,
                                  (WABE_CONDITIONS_MAX - g->condition_count) / sharing--, c));
    g->motions = c->motions;
    g->motion_count = c->turning_count;
    return WABE_OK;
}
