#include "apps/two_fluids/two_fluids_solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIAN (3.14159265358979323846 / 180.0)
/* Cells around a slab that it asks for: its ghosts, and those around them. */
enum { AROUND = 1 + WABE_TWO_FLUIDS_REACH };

/* All have the conditions of walls at rest; only which cells are solid matters. */
static wabe_status make_conditions(const wabe_two_fluids_place *place, int count,
                                   wabe_two_fluids_solids *out) {
    static const wabe_boundary kinds[] = {[WABE_TWO_FLUIDS_PERIODIC] = WABE_BOUNDARY_periodic,
                                          [WABE_TWO_FLUIDS_NO_SLIP] = WABE_BOUNDARY_no_slip,
                                          [WABE_TWO_FLUIDS_FREE_SLIP] = WABE_BOUNDARY_free_slip,
                                          [WABE_TWO_FLUIDS_OPEN] = WABE_BOUNDARY_pressure};
    out->conditions = calloc((size_t)count, sizeof *out->conditions);
    WABE_CHECK(out->conditions, WABE_MEMORY, "no memory for the solids");
    for (int i = 0; i < count; i++)
        out->conditions[i].kind = i < WABE_FACES ? kinds[place->faces[i]] : WABE_BOUNDARY_no_slip;
    out->geometry.conditions = out->conditions;
    out->geometry.condition_count = count;
    return WABE_OK;
}

static wabe_status make_objects(const wabe_config *config, const wabe_option_list *list,
                                wabe_two_fluids_solids *out) {
    const wabe_two_fluids_object *items = list->items;
    out->objects = calloc((size_t)list->count + 1, sizeof *out->objects);
    out->angles = calloc((size_t)list->count + 1, sizeof *out->angles);
    WABE_CHECK(out->objects && out->angles, WABE_MEMORY, "no memory for %lld objects",
               (long long)list->count);
    for (int k = 0; k < list->count; k++) {
        WABE_TRY(wabe_lbm_object_make(config, &items[k].object, k, out->geometry.cells,
                                      &out->objects[k]));
        out->angles[k] = items[k].contact_angle * RADIAN;
    }
    out->geometry.objects = out->objects;
    out->geometry.object_count = (int)list->count;
    return WABE_OK;
}

wabe_status wabe_two_fluids_solids_make(const wabe_config *config, const wabe_geometry_options *o,
                                        const wabe_two_fluids_place *place,
                                        wabe_two_fluids_solids *out) {
    const int64_t most = WABE_CONDITIONS_MAX - WABE_FACES - 1, objects = o->objects.count;
    *out = (wabe_two_fluids_solids){.geometry = {.solid = WABE_FACES + (int)objects}};
    memcpy(out->geometry.cells, place->cells, sizeof place->cells);
    if (objects > most)
        return wabe_config_fail(config, "geometry.objects", "at most %lld, there are %lld",
                                (long long)most, (long long)objects);
    WABE_TRY(make_conditions(place, WABE_FACES + (int)objects + 1, out));
    WABE_TRY(make_objects(config, &o->objects, out));
    return wabe_lbm_solids_make(config, o, &out->geometry, &out->solids);
}

void wabe_two_fluids_solids_free(wabe_two_fluids_solids *s) {
    wabe_lbm_solids_free(&s->solids);
    free(s->objects);
    free(s->angles);
    free(s->conditions);
    *s = (wabe_two_fluids_solids){.objects = NULL};
}

/* ---- of a slab ------------------------------------------------------------------------ */

typedef struct {
    const int64_t *cells; /* of the domain */
    const wabe_two_fluids_solids *solids;
    wabe_flags flags;
} surroundings;

/* The flags' box may hold the cell's image across periodic faces. */
static int flag_of(const surroundings *s, const int64_t cell[3]) {
    const wabe_box *box = &s->flags.box;
    int64_t at[3];
    for (int d = 0; d < 3; d++)
        at[d] = cell[d] < box->begin[d]  ? cell[d] + s->cells[d]
                : cell[d] >= box->end[d] ? cell[d] - s->cells[d]
                                         : cell[d];
    return wabe_flags_at(&s->flags, at[0], at[1], at[2]);
}

static bool is_solid(const void *context, const int64_t cell[3]) {
    return flag_of(context, cell) != 0;
}

static double angle_of(const void *context, const int64_t cell[3]) {
    const surroundings *s = context;
    const int object = flag_of(s, cell) - 1 - WABE_FACES;
    return object < s->solids->geometry.object_count ? s->solids->angles[object] : NAN;
}

wabe_status wabe_two_fluids_solids_set(const wabe_two_fluids_solids *solids,
                                       const wabe_two_fluids_step *step,
                                       const wabe_two_fluids_place *place, wabe_grid_slab *slab) {
    surroundings around = {.cells = place->cells, .solids = solids};
    wabe_two_fluids_place with = *place;
    wabe_box box = slab->held;
    if (!wabe_geometry_has_solids(&solids->geometry))
        return wabe_two_fluids_set(slab, step, place);
    for (int d = 0; d < 3; d++)
        if (place->cells[d] > AROUND)
            box.begin[d] -= AROUND, box.end[d] += AROUND;
        else
            box.begin[d] = 0, box.end[d] = place->cells[d];
    WABE_TRY(wabe_geometry_flags(&solids->geometry, box, &around.flags));
    with.is_solid = is_solid;
    with.angle_of_solid = angle_of;
    with.context = &around;
    const wabe_status status = wabe_two_fluids_set(slab, step, &with);
    wabe_flags_free(&around.flags);
    return status;
}
