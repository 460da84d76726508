#include "apps/lbm/case.h"
#include "apps/lbm/faces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rejects a spin that the kind ignores, and a pivot without a spin. */
static wabe_status check_spin(const wabe_config *config, const char *group, wabe_boundary kind,
                              const wabe_surface_options *o) {
    char path[64];
    const bool turns = wabe_length_of(o->spin) > 0.0;
    snprintf(path, sizeof path, "%s.spin", group);
    if (turns && kind != WABE_BOUNDARY_moving_wall)
        return wabe_config_fail(config, path,
                                "is not used: %s.kind is \"%s\"; only a moving_wall turns", group,
                                wabe_boundary_word(kind));
    snprintf(path, sizeof path, "%s.pivot", group);
    if (!turns && isfinite(o->pivot[0]))
        return wabe_config_fail(config, path, "is not used: %s.spin is 0", group);
    return WABE_OK;
}

#define BOUNDARY(word) WABE_BOUNDARY_##word,
#define WORD_NUMBER(word) SOLID_##word,
enum { WABE_SOLID_BOUNDARIES(WORD_NUMBER) };

/* Makes the condition of a solid ("geometry.objects[0]"). */
static wabe_status make_surface(const wabe_config *config, const wabe_lbm_options *o,
                                const char *group, const wabe_surface_options *from,
                                wabe_condition *to) {
    static const wabe_boundary kinds[] = {WABE_SOLID_BOUNDARIES(BOUNDARY)};
    const wabe_boundary kind = kinds[from->kind];
    WABE_TRY(check_spin(config, group, kind, from));
    if (wabe_length_of(from->spin) == 0.0 || wabe_length_of(from->velocity) > 0.0)
        WABE_TRY(wabe_check_surface_velocity(config, group, kind, from->velocity));
    const bool has_law = kind == WABE_BOUNDARY_wall_function;
    *to = (wabe_condition){.kind = has_law ? WABE_BOUNDARY_no_slip : kind,
                           .has_law = has_law,
                           .roughness = isfinite(from->roughness) ? from->roughness : 0.0};
    memcpy(to->velocity, from->velocity, sizeof to->velocity);
    return wabe_scalar_condition(config, group, &o->scalar, &from->scalar, to);
}

static wabe_status make_object(const wabe_config *config, const wabe_lbm_options *o,
                               const wabe_object_options *from, int k, wabe_lbm_case *c) {
    char path[64];
    snprintf(path, sizeof path, "geometry.objects[%d]", k);
    WABE_TRY(make_surface(config, o, path, &from->surface, &c->conditions[WABE_FACES + k]));
    return wabe_lbm_object_make(config, from, k, c->simulation.geometry.cells, &c->objects[k]);
}

/* Finds the extent of the porous medium along its axis: that of the image or of the bed. Arrays of
 * spheres fill the domain. */
static void find_medium(wabe_lbm_case *c) {
    wabe_porous *p = &c->porous;
    if (p->axis >= 0 && c->solids.voxels.file) {
        const wabe_box box = wabe_voxels_box(&c->solids.voxels);
        p->begin = box.begin[p->axis];
        p->end = box.end[p->axis];
    }
    p->trimmed = p->axis == 2 && c->solids.has_bed;
}

/* Each object and mesh, heights and the city have a condition of their own; other solids share one.
 */
static wabe_status check_count(const wabe_config *config, const wabe_lbm_options *o) {
    const int64_t most = WABE_CONDITIONS_MAX - WABE_FACES - 4;
    const int64_t objects = o->geometry.objects.count;
    const int64_t all = objects + o->geometry.meshes.count;
    if (all > most)
        return wabe_config_fail(config, objects > most ? "geometry.objects" : "geometry.meshes",
                                "at most %lld objects and meshes, there are %lld", (long long)most,
                                (long long)all);
    return WABE_OK;
}

/* Finds the surface of the k-th solid, other than objects, that has a condition of its own, and its
 * group ("geometry.meshes[0]"). Returns false if there are no more. */
static bool surface_of(const wabe_geometry_options *g, int k, char group[64],
                       wabe_surface_options *out) {
    const wabe_mesh_options *meshes = g->meshes.items;
    if (k < g->meshes.count) {
        snprintf(group, 64, "geometry.meshes[%d]", k);
        *out = meshes[k].surface;
        return true;
    }
    const int rest = k - (int)g->meshes.count, city = g->heights.file[0] ? 1 : 0;
    snprintf(group, 64, "geometry.%s", rest < city ? "heights" : "city");
    *out = rest < city
               ? g->heights.surface
               : (wabe_surface_options){.kind = g->city.kind ? SOLID_wall_function : SOLID_no_slip,
                                        .roughness = g->city.roughness,
                                        .pivot = {NAN, NAN, NAN},
                                        .scalar = {NAN, NAN}};
    return rest < city || (rest == city && isfinite(g->city.pitch));
}

/* Their conditions follow that of the solids without one of their own. */
static wabe_status make_surfaces(const wabe_config *config, const wabe_lbm_options *o,
                                 wabe_lbm_case *c) {
    wabe_geometry *g = &c->simulation.geometry;
    wabe_surface_options surface;
    char group[64];
    for (int k = 0; surface_of(&o->geometry, k, group, &surface); k++)
        WABE_TRY(make_surface(config, o, group, &surface, &c->conditions[g->condition_count++]));
    return WABE_OK;
}

/* Finds the surface of the solid with this condition, and its group. Returns false if it has none
 * of its own. */
bool wabe_case_surface_at(const wabe_lbm_options *o, const wabe_lbm_case *c, int condition,
                          char group[64], wabe_surface_options *out) {
    const int solid = c->simulation.geometry.solid;
    const wabe_object_options *objects = o->geometry.objects.items;
    if (condition > solid)
        return surface_of(&o->geometry, condition - solid - 1, group, out);
    if (condition < WABE_FACES || condition == solid)
        return false;
    snprintf(group, 64, "geometry.objects[%d]", condition - WABE_FACES);
    *out = objects[condition - WABE_FACES].surface;
    return true;
}

const char *wabe_lbm_solid_of(const wabe_lbm_options *options, const wabe_lbm_case *c,
                              int condition, char text[64]) {
    const wabe_geometry *g = &c->simulation.geometry;
    if (condition >= WABE_FACES && condition < g->solid) {
        snprintf(text, 64, "geometry.objects[%d]", condition - WABE_FACES);
        return text;
    }
    if (condition == g->solid) {
        const wabe_lbm_solids *s = &c->solids;
        snprintf(text, 64, "geometry.%s",
                 s->voxels.file ? "voxels"
                 : s->has_bed   ? "bed"
                                : "spheres");
        return s->voxels.file || s->particles.count > 0 ? text : NULL;
    }
    wabe_surface_options surface;
    return condition > g->solid &&
                   surface_of(&options->geometry, condition - g->solid - 1, text, &surface)
               ? text
               : NULL;
}

/* The scalar at solids that have no other keys of a surface; the city's condition is the last. */
static wabe_status take_other_scalars(const wabe_config *config, const wabe_lbm_options *o,
                                      wabe_lbm_case *c) {
    const wabe_geometry *g = &c->simulation.geometry;
    const wabe_geometry_options *from = &o->geometry;
    const wabe_scalar_surface *heights = &from->heights.surface.scalar;
    const bool given = isfinite(from->scalar.value) || isfinite(from->scalar.flux);
    if (!from->heights.file[0] && (isfinite(heights->value) || isfinite(heights->flux)))
        return wabe_config_fail(config,
                                isfinite(heights->value) ? "geometry.heights.scalar.value"
                                                         : "geometry.heights.scalar.flux",
                                "is not used: there is no geometry.heights.file");
    const bool has = from->voxels.file[0] || from->spheres.file[0] || from->spheres.array > 0 ||
                     from->bed.particle > 0 || isfinite(from->city.pitch);
    if (given && !has)
        return wabe_config_fail(config,
                                isfinite(from->scalar.value) ? "geometry.scalar.value"
                                                             : "geometry.scalar.flux",
                                "is not used: there are no voxels, spheres, bed or city");
    const int city = isfinite(o->geometry.city.pitch) ? g->condition_count - 1 : g->solid;
    WABE_TRY(wabe_scalar_condition(config, "geometry", &o->scalar, &o->geometry.scalar,
                                   &c->conditions[g->solid]));
    return wabe_scalar_condition(config, "geometry", &o->scalar, &o->geometry.scalar,
                                 &c->conditions[city]);
}

wabe_status wabe_case_solids(const wabe_config *config, const wabe_lbm_options *o,
                             wabe_lbm_case *c) {
    memcpy(c->simulation.geometry.cells, o->run.domain.cells, sizeof o->run.domain.cells);
    WABE_TRY(check_count(config, o));
    c->object_count = (int)o->geometry.objects.count;
    c->objects = calloc((size_t)c->object_count + 1, sizeof *c->objects);
    WABE_CHECK(c->objects, WABE_MEMORY, "no memory for %d objects", c->object_count);
    const wabe_object_options *items = o->geometry.objects.items;
    for (int k = 0; k < c->object_count; k++)
        WABE_TRY(make_object(config, o, &items[k], k, c));
    wabe_geometry *g = &c->simulation.geometry;
    g->object_count = c->object_count;
    g->objects = c->objects;
    g->solid = WABE_FACES + c->object_count;
    c->conditions[g->solid] = (wabe_condition){.kind = wabe_lbm_particles_kind(&o->geometry)};
    g->condition_count = g->solid + 1;
    g->conditions = c->conditions;
    WABE_TRY(make_surfaces(config, o, c));
    WABE_TRY(take_other_scalars(config, o, c));
    WABE_TRY(wabe_lbm_solids_make(config, &o->geometry, g, &c->solids));
    find_medium(c);
    return WABE_OK;
}
