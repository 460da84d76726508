#include "apps/lbm/grid_solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIAN (3.14159265358979323846 / 180.0)

/* All have the conditions of walls at rest; only which cells are solid matters. */
static wabe_status make_conditions(const wabe_boundary faces[WABE_FACES], int count,
                                   wabe_grid_solids *out) {
    out->conditions = calloc((size_t)count, sizeof *out->conditions);
    WABE_CHECK(out->conditions, WABE_MEMORY, "no memory for the solids");
    for (int i = 0; i < count; i++)
        out->conditions[i].kind = i < WABE_FACES ? faces[i] : WABE_BOUNDARY_no_slip;
    out->geometry.conditions = out->conditions;
    out->geometry.condition_count = count;
    return WABE_OK;
}

static wabe_status make_objects(const wabe_config *config, const wabe_option_list *list,
                                wabe_grid_solids *out) {
    const wabe_wetted_object *items = list->items;
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

wabe_status wabe_grid_solids_make(const wabe_config *config, wabe_geometry_options *o,
                                  const int64_t cells[3], const wabe_boundary faces[WABE_FACES],
                                  wabe_grid_solids *out) {
    const int64_t most = WABE_CONDITIONS_MAX - WABE_FACES - 1, objects = o->objects.count;
    *out = (wabe_grid_solids){.geometry = {.solid = WABE_FACES + (int)objects}};
    memcpy(out->geometry.cells, cells, sizeof out->geometry.cells);
    o->city = (wabe_city_options){.pitch = NAN, .height = NAN, .roughness = NAN};
    if (objects > most)
        return wabe_config_fail(config, "geometry.objects", "at most %lld, there are %lld",
                                (long long)most, (long long)objects);
    WABE_TRY(make_conditions(faces, WABE_FACES + (int)objects + 1, out));
    WABE_TRY(make_objects(config, &o->objects, out));
    return wabe_lbm_solids_make(config, o, &out->geometry, &out->solids);
}

void wabe_grid_solids_free(wabe_grid_solids *s) {
    wabe_lbm_solids_free(&s->solids);
    free(s->objects);
    free(s->angles);
    free(s->conditions);
    *s = (wabe_grid_solids){.objects = NULL};
}

/* ---- of a slab ------------------------------------------------------------------------ */

wabe_status wabe_solid_cells_find(const wabe_grid_solids *solids, wabe_box box, int layers,
                                  wabe_solid_cells *out) {
    *out = (wabe_solid_cells){.solids = solids};
    memcpy(out->cells, solids->geometry.cells, sizeof out->cells);
    for (int d = 0; d < 3; d++)
        if (out->cells[d] > layers)
            box.begin[d] -= layers, box.end[d] += layers;
        else
            box.begin[d] = 0, box.end[d] = out->cells[d];
    return wabe_geometry_flags(&solids->geometry, box, &out->flags);
}

void wabe_solid_cells_free(wabe_solid_cells *cells) { wabe_flags_free(&cells->flags); }

/* The flags' box may hold one of the cell's images across periodic faces. */
static int flag_of(const wabe_solid_cells *s, const int64_t cell[3]) {
    const wabe_box *box = &s->flags.box;
    int64_t at[3];
    for (int d = 0; d < 3; d++) {
        for (at[d] = cell[d]; at[d] < box->begin[d]; at[d] += s->cells[d])
            ;
        for (; at[d] >= box->end[d]; at[d] -= s->cells[d])
            ;
    }
    return wabe_flags_at(&s->flags, at[0], at[1], at[2]);
}

bool wabe_solid_cells_is_solid(const void *context, const int64_t cell[3]) {
    return flag_of(context, cell) != 0;
}

double wabe_solid_cells_angle(const void *context, const int64_t cell[3]) {
    const wabe_solid_cells *s = context;
    const int object = flag_of(s, cell) - 1 - WABE_FACES; /* below 0: behind a face */
    return object >= 0 && object < s->solids->geometry.object_count ? s->solids->angles[object]
                                                                    : NAN;
}
