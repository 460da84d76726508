#include "apps/lbm/options.h"

#include "apps/lbm/faces.h"
#include "apps/lbm/flux.h"
#include "apps/lbm/forces.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* ---- flow through a porous medium --------------------------------------------------- */

/* Sets the densities at the faces for a pressure gradient g rho along the axis (p = rho / 3). */
static void set_pressures(const wabe_lbm_options *o, int axis, wabe_lbm_case *c) {
    const double half = 1.5 * o->porous.gradient * (double)o->run.domain.cells[axis];
    for (int side = 0; side < 2; side++)
        c->conditions[2 * axis + side] = (wabe_condition){.kind = WABE_BOUNDARY_pressure,
                                                          .density = side ? -half : half,
                                                          .scalar.kind = WABE_SCALAR_OPEN};
}

/* Rejects keys that are unused without porous.axis. */
static wabe_status check_unused(const wabe_config *config, const wabe_lbm_options *o) {
    const struct {
        const char *key;
        bool is_default;
    } rows[] = {{"porous.drive", o->porous.drive == 0},
                {"porous.gradient", o->porous.gradient == WABE_POROUS_GRADIENT},
                {"porous.tolerance", o->porous.tolerance == WABE_POROUS_TOLERANCE},
                {"porous.interval", o->porous.interval == WABE_POROUS_INTERVAL},
                {"porous.begin", o->porous.begin == 0},
                {"porous.end", o->porous.end == 0},
                {"porous.tracers", o->porous.tracers == 0},
                {"porous.cell", !isfinite(o->porous.cell)}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].is_default)
            return wabe_config_fail(config, rows[i].key, "needs porous.axis");
    return WABE_OK;
}

/* Pressure is measured between slices, so that the part must end inside the domain. */
static wabe_status check_part(const wabe_config *config, const wabe_lbm_options *o, int axis) {
    const int64_t begin = o->porous.begin, end = o->porous.end, cells = o->run.domain.cells[axis];
    if (begin == 0 && end == 0)
        return WABE_OK;
    if (begin == 0)
        return wabe_config_fail(config, "porous.end",
                                "is %lld, but porous.begin is not given; it is 1 at least",
                                (long long)end);
    if (end <= begin || end >= cells)
        return wabe_config_fail(config, end == 0 ? "porous.begin" : "porous.end",
                                "porous.begin is %lld, porous.end %lld: the end must be from %lld "
                                "to %lld, as the domain has %lld slices along %c",
                                (long long)begin, (long long)end, (long long)begin + 1,
                                (long long)cells - 1, (long long)cells, 'x' + axis);
    return WABE_OK;
}

wabe_status wabe_lbm_check_drive(const wabe_config *config, const wabe_lbm_options *o) {
    const int axis = o->porous.axis - 1;
    if (axis < 0)
        return check_unused(config, o);
    for (int side = 0; side < 2; side++)
        if (o->faces[2 * axis + side].kind != 0)
            return wabe_config_fail(config, wabe_face_kind_key(2 * axis + side),
                                    "belongs to the axis along which porous.axis drives the flow; "
                                    "porous.drive says what happens at its faces: take it away, or "
                                    "drive along another axis");
    if (length_of(o->lbm.force) > 0.0)
        return wabe_config_fail(config, "lbm.force", "contradicts porous.gradient, which drives");
    if (length_of(o->scalar.buoyancy) > 0.0)
        return wabe_config_fail(config, "scalar.buoyancy",
                                "contradicts porous.gradient, which drives");
    WABE_TRY(check_part(config, o, axis));
    const double change = 3.0 * o->porous.gradient * (double)o->run.domain.cells[axis];
    if (o->porous.drive == 1 && change > 0.1)
        return wabe_config_fail(config, "porous.gradient",
                                "makes the density change by %.3g over the domain, which must stay "
                                "below 0.1: lower it",
                                change);
    return WABE_OK;
}

static wabe_status make_force_in_time(const wabe_config *config, const wabe_lbm_options *o,
                                      wabe_lbm_case *c) {
    const wabe_in_time_key key = {"lbm.force", wabe_largest_of(o->lbm.force), "", 1.0};
    return wabe_in_time_make(config, "lbm.force_in_time", &o->lbm.force_in_time, &key,
                             &c->force_in_time);
}

static wabe_status make_drive(const wabe_config *config, const wabe_lbm_options *o,
                              wabe_lbm_case *c) {
    WABE_TRY(wabe_flux_check(config, o));
    WABE_TRY(make_force_in_time(config, o, c));
    c->porous = (wabe_porous){.axis = o->porous.axis - 1,
                              .forced = o->porous.drive == 0,
                              .gradient = o->porous.gradient,
                              .tolerance = o->porous.tolerance,
                              .interval = o->porous.interval,
                              .part_begin = o->porous.begin,
                              .part_end = o->porous.end,
                              .tracers = o->porous.tracers,
                              .cell = o->porous.cell};
    WABE_TRY(wabe_lbm_check_drive(config, o));
    if (c->porous.axis >= 0 && o->porous.drive == 1)
        set_pressures(o, c->porous.axis, c);
    return WABE_OK;
}

/* ---- obstacles ---------------------------------------------------------------------- */

/* An object without volume, because of a missing or reversed length, would silently be absent. */
static bool has_volume(const wabe_object_options *o) {
    bool above = true, apart = false;
    for (int d = 0; d < 3; d++) {
        above &= o->high[d] > o->low[d];
        apart |= o->high[d] != o->low[d];
    }
    if (o->shape == WABE_SHAPE_BOX)
        return above;
    return o->radius > o->bore && (apart || o->shape == WABE_SHAPE_SPHERE);
}

static wabe_status fail_volume(const wabe_config *config, const wabe_object_options *o, int k) {
    static const struct {
        const char *key, *need;
    } rows[] = {[WABE_SHAPE_BOX] = {"high", "a box needs high above low"},
                [WABE_SHAPE_SPHERE] = {"radius", "a sphere needs a radius above 0"},
                [WABE_SHAPE_CYLINDER] = {
                    "radius", "a cylinder needs two ends and a radius above 0 and above its "
                              "bore"}};
    char path[64];
    snprintf(path, sizeof path, "geometry.objects[%d].%s", k, rows[o->shape].key);
    if (!wabe_config_is_given(config, path))
        snprintf(path, sizeof path, "geometry.objects[%d].shape", k);
    return wabe_config_fail(config, path, "gives no volume: %s", rows[o->shape].need);
}

/* Does the object's bounding box miss the domain? */
static bool misses(const wabe_object *object, const int64_t cells[3]) {
    for (int d = 0; d < 3; d++) {
        const bool sphere = object->shape == WABE_SHAPE_SPHERE;
        const double reach = object->shape == WABE_SHAPE_BOX ? 0.0 : object->radius;
        const double a = sphere ? object->center[d] : object->low[d];
        const double b = sphere ? object->center[d] : object->high[d];
        if (fmax(a, b) + reach < 0.0 || fmin(a, b) - reach > (double)cells[d])
            return true;
    }
    return false;
}

/* Rejects lengths that the shape ignores. */
static wabe_status check_object_keys(const wabe_config *config, const wabe_object_options *o,
                                     int k) {
    static const char *const shapes[] = {"box", "sphere", "cylinder"};
    const bool box = o->shape == WABE_SHAPE_BOX, sphere = o->shape == WABE_SHAPE_SPHERE;
    const struct {
        const char *key;
        bool taken;
        double size;
    } rows[] = {{"low", !sphere, length_of(o->low)},
                {"high", !sphere, length_of(o->high)},
                {"center", sphere, length_of(o->center)},
                {"radius", !box, o->radius},
                {"bore", !box && !sphere, o->bore}};
    char path[64];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(path, sizeof path, "geometry.objects[%d].%s", k, rows[i].key);
        if (!rows[i].taken && rows[i].size > 0.0)
            return wabe_config_fail(config, path,
                                    "is not used: geometry.objects[%d].shape is \"%s\", which "
                                    "takes none",
                                    k, shapes[o->shape]);
    }
    return WABE_OK;
}

/* Rejects a spin that the kind ignores, and a pivot without a spin. */
static wabe_status check_spin(const wabe_config *config, const char *group, wabe_boundary kind,
                              const wabe_surface_options *o) {
    char path[64];
    const bool turns = length_of(o->spin) > 0.0;
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
    if (length_of(from->spin) == 0.0 || length_of(from->velocity) > 0.0)
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
    WABE_TRY(check_object_keys(config, from, k));
    if (!has_volume(from))
        return fail_volume(config, from, k);
    char center[sizeof path];
    snprintf(path, sizeof path, "geometry.objects[%d].shape", k);
    snprintf(center, sizeof center, "geometry.objects[%d].center", k);
    if (from->shape == WABE_SHAPE_SPHERE && !wabe_config_is_given(config, center))
        return wabe_config_fail(config, path, "lies nowhere: a sphere needs its center");
    wabe_object *to = &c->objects[k];
    *to =
        (wabe_object){.shape = (wabe_shape)from->shape, .radius = from->radius, .bore = from->bore};
    memcpy(to->low, from->low, sizeof to->low);
    memcpy(to->high, from->high, sizeof to->high);
    memcpy(to->center, from->center, sizeof to->center);
    if (misses(to, c->simulation.geometry.cells))
        return wabe_config_fail(
            config, path,
            "lies outside the domain; lengths are in cells from its corner, and "
            "domain.cells is [%lld, %lld, %lld]",
            (long long)c->simulation.geometry.cells[0], (long long)c->simulation.geometry.cells[1],
            (long long)c->simulation.geometry.cells[2]);
    return WABE_OK;
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
static bool surface_at(const wabe_lbm_options *o, const wabe_lbm_case *c, int condition,
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

/* The cells that the solid with this condition can have. */
static wabe_box box_of(const wabe_geometry *g, int condition) {
    for (int k = 0; k < g->raster_count; k++)
        if (g->rasters[k].condition == condition)
            return g->rasters[k].box;
    return wabe_geometry_object_box(&g->objects[condition - WABE_FACES]);
}

/* The flow's velocity set. */
static wabe_lattice lattice_of(const wabe_lbm_options *o) {
    return (wabe_lattice)(o->lbm.lattice + 1);
}

/* The lattice of this case, or of those it may be the one with the most kernels: which of both
 * kinds of a scalar it is, is chosen later. */
static wabe_lattice lattice_with_kernels(const wabe_lbm_options *o) {
    if (!wabe_scalar_is_wanted(&o->scalar))
        return lattice_of(o);
    return wabe_scalar_lattice_of_word(o->scalar.lattice) == WABE_LATTICE_d3q19_d3q7
               ? WABE_LATTICE_d3q19_d3q7
               : WABE_LATTICE_d3q19_d3q19;
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
static wabe_status make_turnings(const wabe_config *config, const wabe_lbm_options *o,
                                 wabe_lbm_case *c) {
    wabe_geometry *g = &c->simulation.geometry;
    const int solids = g->condition_count;
    wabe_surface_options surface;
    char group[64];
    int sharing = 0;
    for (int k = 0; k < WABE_TURNING_MAX; k++)
        c->turnings[k].lattice = lattice_of(o);
    for (int face = 0; face < WABE_FACES; face++)
        sharing += o->faces[face].profile.kind != WABE_PROFILE_NONE;
    for (int k = WABE_FACES; k < solids; k++)
        sharing += surface_at(o, c, k, group, &surface) && length_of(surface.spin) > 0.0;
    for (int k = WABE_FACES; k < solids; k++)
        if (surface_at(o, c, k, group, &surface) && length_of(surface.spin) > 0.0)
            WABE_TRY(make_turning(config, group, &surface, k,
                                  (WABE_CONDITIONS_MAX - g->condition_count) / sharing--, c));
    g->motions = c->motions;
    g->motion_count = c->turning_count;
    return WABE_OK;
}

/* The factors of a face's profile and those in time together. */
static wabe_status check_profiles_in_time(const wabe_config *config, const wabe_lbm_case *c) {
    char key[64];
    for (int face = 0; face < WABE_FACES; face++) {
        const double speed = wabe_table_most(c->conditions[face].in_time) * c->inflows[face].most;
        snprintf(key, sizeof key, "boundaries.%s.in_time.file", wabe_face_name(face));
        if (speed > 1.0)
            return wabe_config_fail(config, key,
                                    "makes the profile's fastest level %.4g cells a step fast, at "
                                    "most 1 is possible",
                                    speed);
    }
    return WABE_OK;
}

static wabe_status make_inflows(const wabe_config *config, const wabe_lbm_options *o,
                                wabe_lbm_case *c) {
    const wabe_profile_options *profiles[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++)
        profiles[face] = &o->faces[face].profile;
    WABE_TRY(
        wabe_inflow_make(config, profiles, &c->simulation.geometry, c->conditions, c->inflows));
    WABE_TRY(check_profiles_in_time(config, c));
    if (o->initial.kind == WABE_INITIAL_PROFILE && wabe_inflow_first(c->inflows) < 0)
        return wabe_config_fail(config, "initial.kind",
                                "is \"profile\", and no face has one: give "
                                "boundaries.x_low.profile, or that of another face");
    return WABE_OK;
}

static wabe_status make_turbulence(const wabe_config *config, const wabe_lbm_options *o,
                                   wabe_lbm_case *c) {
    wabe_geometry *g = &c->simulation.geometry;
    const wabe_turbulence_options *options[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++)
        options[face] = &o->faces[face].turbulence;
    WABE_TRY(wabe_turbulence_make(config, options, g, &c->turbulence));
    g->turbulence = c->turbulence.face >= 0 ? &c->turbulence : NULL;
    return WABE_OK;
}

/* Rejects a ramp of velocities that nothing has. */
static wabe_status check_ramp(const wabe_config *config, const wabe_lbm_options *o,
                              const wabe_lbm_case *c) {
    bool moves = false;
    for (int k = 0; k < c->simulation.geometry.condition_count; k++)
        moves |= wabe_takes_velocity(c->conditions[k].kind);
    if (o->lbm.ramp > 0 && !moves)
        return wabe_config_fail(config, "lbm.ramp",
                                "is not used: no face and no solid is a moving_wall or a "
                                "velocity boundary");
    return WABE_OK;
}

/* A flow may seem steady before a table changes what drives it. */
static wabe_status check_steadiness(const wabe_config *config, const wabe_lbm_options *o,
                                    const wabe_lbm_case *c) {
    const bool waits = o->run.monitor.steady > 0.0 || c->porous.axis >= 0;
    const char *key = c->porous.axis >= 0 ? "porous.axis" : "monitor.steady";
    for (int face = 0; face < WABE_FACES; face++)
        if (waits && c->conditions[face].in_time)
            return wabe_config_fail(config, key,
                                    "waits for a steady flow, and boundaries.%s.in_time may change "
                                    "it at any time",
                                    wabe_face_name(face));
    if (waits && c->force_in_time.count > 0)
        return wabe_config_fail(config, key,
                                "waits for a steady flow, and lbm.force_in_time may change it at "
                                "any time");
    for (int i = 0; i < c->sources.count; i++)
        if (waits && (c->sources.list[i].begin > 0 || c->sources.list[i].end < o->run.steps))
            return wabe_config_fail(config, key,
                                    "waits for a steady flow, and scalar.sources[%d] starts or "
                                    "stops in mid-run",
                                    i);
    return WABE_OK;
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

static wabe_status make_geometry(const wabe_config *config, const wabe_lbm_options *o,
                                 wabe_lbm_case *c) {
    WABE_TRY(wabe_faces_make(config, o, c));
    WABE_TRY(make_drive(config, o, c));
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
    WABE_TRY(make_turnings(config, o, c));
    g->ramp = o->lbm.ramp;
    WABE_TRY(check_ramp(config, o, c));
    WABE_TRY(make_turbulence(config, o, c));
    return make_inflows(config, o, c);
}

/* ---- numbers ------------------------------------------------------------------------ */

static bool is_vortex(const wabe_lbm_options *o) {
    return o->initial.kind == WABE_INITIAL_TAYLOR_GREEN ||
           o->initial.kind == WABE_INITIAL_TAYLOR_GREEN_3D;
}

wabe_collision_operator wabe_lbm_collision_of(const wabe_lbm_options *o) {
    if (o->lbm.collision == WABE_COLLISION_srt && o->lbm.les.model)
        return WABE_COLLISION_srt_smagorinsky;
    if (o->lbm.collision)
        return (wabe_collision_operator)o->lbm.collision;
    return o->lbm.les.model || o->lbm.streaming == WABE_STREAMING_moments
               ? WABE_COLLISION_recursive_regularized
               : WABE_COLLISION_trt;
}

/* Fails because the lattice has kernels only for the words with these bits, and not for this one.
 */
static wabe_status lacks(const wabe_config *config, const wabe_lbm_options *o, const char *key,
                         int wanted, unsigned has, const char *(*word)(int)) {
    char known[WABE_STRING_SIZE] = "";
    int used = 0;
    for (int i = 1; has >> i && used < (int)sizeof known; i++)
        if (has >> i & 1)
            used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", used ? ", " : "",
                             word(i));
    if (wabe_scalar_is_wanted(&o->scalar))
        return wabe_config_fail(config, key,
                                "is \"%s\", which has no kernels for a flow with a scalar: take "
                                "%s",
                                word(wanted), known);
    return wabe_config_fail(config, "lbm.lattice",
                            "is \"%s\", which has no kernels for %s = \"%s\": take %s, or "
                            "lbm.lattice = \"d3q19\"",
                            wabe_lattice_word(lattice_of(o)), key, word(wanted), known);
}

static const char *operator_word(int i) {
    return wabe_collision_operator_word((wabe_collision_operator)i);
}
static const char *streaming_word(int i) { return wabe_streaming_word((wabe_streaming)i); }

static bool has_subgrid(unsigned operators) {
    bool any = false;
    for (int op = WABE_COLLISION_any + 1; op < WABE_COLLISION_end; op++)
        any |= (operators >> op & 1) && wabe_has_subgrid((wabe_collision_operator)op);
    return any;
}

/* Which scalar the flow's collision can carry. */
static wabe_status check_scalar(const wabe_config *config, const wabe_lbm_options *o) {
    const wabe_collision_operator collision = wabe_lbm_collision_of(o);
    const unsigned operators = wabe_lbm_operators_of(lattice_with_kernels(o));
    const unsigned of_nineteen = wabe_lbm_operators_of(WABE_LATTICE_d3q19_d3q19);
    if (lattice_of(o) != WABE_LATTICE_d3q19)
        return wabe_config_fail(config, "lbm.lattice",
                                "is \"%s\", which carries no scalar: take \"d3q19\"",
                                wabe_lattice_word(lattice_of(o)));
    if (!(operators >> collision & 1) && of_nineteen >> collision & 1)
        return wabe_config_fail(config, "scalar.lattice",
                                "is \"d3q7\", which has no kernels for lbm.collision = \"%s\": "
                                "take \"d3q19\"",
                                wabe_collision_operator_word(collision));
    if (collision != WABE_COLLISION_trt && o->scalar.magic != WABE_SCALAR_MAGIC)
        return wabe_config_fail(config, "scalar.magic",
                                "is not used: lbm.collision is \"%s\", which takes none; trt does",
                                wabe_collision_operator_word(collision));
    if (!o->lbm.les.model && o->scalar.turbulent_schmidt != WABE_SCALAR_SCHMIDT)
        return wabe_config_fail(config, "scalar.turbulent_schmidt",
                                "is not used: lbm.les.model is \"none\"");
    return WABE_OK;
}

static wabe_status check_lattice(const wabe_config *config, const wabe_lbm_options *o) {
    if (wabe_scalar_is_wanted(&o->scalar))
        WABE_TRY(check_scalar(config, o));
    const unsigned patterns = wabe_lbm_patterns_of(lattice_with_kernels(o));
    const unsigned operators = wabe_lbm_operators_of(lattice_with_kernels(o));
    if (o->lbm.streaming && !(patterns >> o->lbm.streaming & 1))
        return lacks(config, o, "lbm.streaming", o->lbm.streaming, patterns, streaming_word);
    if (o->lbm.les.model && !has_subgrid(operators))
        return wabe_config_fail(config, "lbm.les.model",
                                "is not \"none\", but lbm.lattice = \"%s\" has no kernels with it: "
                                "take lbm.lattice = \"d3q19\"",
                                wabe_lattice_word(lattice_of(o)));
    if (!(operators >> wabe_lbm_collision_of(o) & 1))
        return lacks(config, o, "lbm.collision", (int)wabe_lbm_collision_of(o), operators,
                     operator_word);
    return WABE_OK;
}

/* Ten moments are all that regularized collisions leave. They have no populations that
 * pressure_normal could return, and lists have no cells behind faces, where images are. */
static wabe_status check_streaming(const wabe_config *config, const wabe_lbm_options *o) {
    const wabe_streaming streaming = (wabe_streaming)o->lbm.streaming;
    const unsigned unknown = streaming == WABE_STREAMING_list ? WABE_MIRRORS
                             : streaming == WABE_STREAMING_moments
                                 ? 1u << WABE_BOUNDARY_pressure_normal
                                 : 0;
    if (streaming == WABE_STREAMING_moments && !wabe_is_regularized(wabe_lbm_collision_of(o)))
        return wabe_config_fail(config, "lbm.collision",
                                "is \"%s\", but lbm.streaming = \"moments\" keeps what regularized "
                                "collisions leave: take \"recursive_regularized\"",
                                wabe_collision_operator_word(wabe_lbm_collision_of(o)));
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_boundary kind = wabe_face_boundary(o->faces[face].kind);
        if (unknown >> kind & 1)
            return wabe_config_fail(config, wabe_face_kind_key(face),
                                    "is \"%s\", which lbm.streaming = \"%s\" does not know: "
                                    "take lbm.streaming = \"in_place\"",
                                    wabe_boundary_word(kind), wabe_streaming_word(streaming));
    }
    return WABE_OK;
}

/* Rejects keys that other keys leave without a use, and a velocity that is missing. */
static wabe_status check_model_keys(const wabe_config *config, const wabe_lbm_options *o) {
    static const char *const kinds[] = {[WABE_INITIAL_REST] = "rest",
                                        [WABE_INITIAL_UNIFORM] = "uniform",
                                        [WABE_INITIAL_TAYLOR_GREEN] = "taylor_green",
                                        [WABE_INITIAL_TAYLOR_GREEN_3D] = "taylor_green_3d",
                                        [WABE_INITIAL_FILE] = "file",
                                        [WABE_INITIAL_PROFILE] = "profile",
                                        [WABE_INITIAL_TURBULENT_CHANNEL] = "turbulent_channel"};
    const int kind = o->initial.kind;
    const wabe_collision_operator collision = wabe_lbm_collision_of(o);
    if (collision != WABE_COLLISION_trt && o->lbm.magic != WABE_LBM_MAGIC)
        return wabe_config_fail(config, "lbm.magic",
                                "is not used: lbm.collision is \"%s\", which takes none; trt does",
                                wabe_collision_operator_word(collision));
    if (o->lbm.les.model == 0 && o->lbm.les.constant != WABE_LBM_LES_CONSTANT)
        return wabe_config_fail(config, "lbm.les.constant",
                                "is not used: lbm.les.model is \"none\"");
    if (o->lbm.les.model != 0 && !wabe_has_subgrid(collision))
        return wabe_config_fail(config, "lbm.collision",
                                "is \"%s\", with which Smagorinsky's model (lbm.les) diverges at "
                                "walls: take \"recursive_regularized\"",
                                wabe_collision_operator_word(collision));
    if (o->lbm.les.model == 0 && collision == WABE_COLLISION_srt_smagorinsky)
        return wabe_config_fail(config, "lbm.les.model",
                                "must be \"smagorinsky\" with lbm.collision = \"%s\"",
                                wabe_collision_operator_word(collision));
    WABE_TRY(check_lattice(config, o));
    WABE_TRY(check_streaming(config, o));
    WABE_TRY(wabe_faces_check_walls(config, o, collision));
    /* These need no velocity; one that is given beside a file counts as reference. */
    if (kind == WABE_INITIAL_FILE || kind == WABE_INITIAL_TURBULENT_CHANNEL)
        return WABE_OK;
    const double *velocity = o->initial.velocity;
    WABE_TRY(wabe_check_velocity(config, "initial", kinds[kind],
                                 kind != WABE_INITIAL_REST && kind != WABE_INITIAL_PROFILE,
                                 "uniform, taylor_green, taylor_green_3d and turbulent_channel",
                                 velocity));
    if (is_vortex(o) && (velocity[1] != 0.0 || velocity[2] != 0.0))
        return wabe_config_fail(config, "initial.velocity",
                                "must be [%g, 0.0, 0.0]: only x, the amplitude, is used by \"%s\"",
                                velocity[0], kinds[kind]);
    return WABE_OK;
}

/* The key with which a Taylor-Green vortex is no solution of the flow; NULL: none, or no vortex.
 * Free-slip faces lie in its planes of symmetry. */
static const char *find_disturbance(const wabe_lbm_options *o, const wabe_lbm_case *c) {
    const int64_t *n = o->run.domain.cells;
    const bool cube = n[0] == n[1] && n[1] == n[2];
    const bool three = o->initial.kind == WABE_INITIAL_TAYLOR_GREEN_3D;
    if (!is_vortex(o))
        return NULL;
    if (three ? !cube : n[0] == 1 || n[1] == 1)
        return "domain.cells";
    if (wabe_geometry_has_solids(&c->simulation.geometry))
        return "geometry";
    if (o->porous.axis)
        return "porous.axis";
    if (length_of(o->lbm.force) > 0.0)
        return "lbm.force";
    if (length_of(o->lbm.flux.velocity) > 0.0)
        return "lbm.flux.velocity";
    if (o->initial.perturbation.velocity > 0.0)
        return "initial.perturbation.velocity";
    if (length_of(o->scalar.buoyancy) > 0.0)
        return "scalar.buoyancy";
    for (int face = 0; face < WABE_FACES; face++)
        if (c->conditions[face].kind != WABE_BOUNDARY_periodic &&
            c->conditions[face].kind != WABE_BOUNDARY_free_slip)
            return wabe_face_kind_key(face);
    return NULL;
}

/* The edge over 2 pi is the unit of length of the vortex that becomes turbulent. */
static double default_length(const wabe_lbm_options *o) {
    const double cells = (double)o->run.domain.cells[0];
    return o->initial.kind == WABE_INITIAL_TAYLOR_GREEN_3D ? cells / (2.0 * PI) : cells;
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

/* Takes a velocity, if it is larger than those before. */
static void take_velocity(wabe_lbm_case *c, double speed, const char *format, ...) {
    va_list arguments;
    if (!(speed > c->fastest))
        return;
    c->fastest = speed;
    va_start(arguments, format);
    vsnprintf(c->fastest_key, sizeof c->fastest_key, format, arguments);
    va_end(arguments);
}

/* Finds the largest velocities and the key: a boundary rather than the initial state. */
static void find_fastest(const wabe_lbm_options *o, wabe_lbm_case *c) {
    const double initial = length_of(o->initial.velocity), kept = length_of(o->lbm.flux.velocity);
    const double eddies = o->initial.perturbation.velocity;
    char solid[64];
    c->given = fmax(fmax(initial, eddies), kept);
    take_velocity(c, kept, "lbm.flux.velocity");
    for (int face = 0; face < WABE_FACES; face++) {
        const double speed = length_of(c->conditions[face].velocity);
        const double factor = wabe_table_most(c->conditions[face].in_time);
        const bool even = c->inflows[face].kind == WABE_PROFILE_NONE;
        c->given = fmax(c->given, speed);
        take_velocity(c, factor * (even ? speed : c->inflows[face].most), "boundaries.%s.%s",
                      wabe_face_name(face),
                      factor > 1.0 ? "in_time"
                      : even       ? "velocity"
                                   : "profile");
        if (o->faces[face].turbulence.intensity >
            0.0) /* few gusts are twice the root mean square */
            take_velocity(c,
                          fmax(speed, c->inflows[face].most) +
                              2.0 * o->faces[face].turbulence.intensity * speed,
                          "boundaries.%s.turbulence.intensity", wabe_face_name(face));
    }
    for (int k = WABE_FACES; k < c->simulation.geometry.condition_count; k++) {
        const double speed = length_of(c->conditions[k].velocity);
        if (!wabe_lbm_solid_of(o, c, k, solid))
            continue;
        c->given = fmax(c->given, speed);
        take_velocity(c, speed, "%s.velocity", solid);
    }
    for (int k = 0; k < c->turning_count; k++) {
        const wabe_turning *t = &c->turnings[k];
        c->given = fmax(c->given, t->most);
        take_velocity(c, t->most, "%s.spin", wabe_lbm_solid_of(o, c, t->condition, solid));
    }
    take_velocity(c, initial, "initial.velocity");
    take_velocity(c, eddies, "initial.perturbation.velocity");
}

/* The key that sets the viscosity; exactly one is allowed. */
static wabe_status viscosity_key(const wabe_config *config, const char **out) {
    static const char *const keys[] = {"lbm.tau", "lbm.viscosity", "lbm.reynolds",
                                       "units.viscosity"};
    *out = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!wabe_config_is_given(config, keys[i]))
            continue;
        if (*out)
            return wabe_config_fail(config, keys[i],
                                    "contradicts %s: the viscosity is to be given once", *out);
        *out = keys[i];
    }
    if (!*out)
        return wabe_config_fail(config, "lbm.viscosity",
                                "the viscosity is missing: give one of lbm.tau, lbm.viscosity, "
                                "lbm.reynolds, or units.viscosity");
    return WABE_OK;
}

static wabe_status make_units(const wabe_config *config, const wabe_lbm_options *o,
                              wabe_lbm_case *c) {
    c->dx = c->dt = c->dm = 1.0;
    static const char *const keys[] = {"units.cell", "units.velocity", "units.viscosity"};
    int given = 0;
    for (int i = 0; i < 3; i++)
        given += wabe_config_is_given(config, keys[i]);
    if (given == 0)
        return WABE_OK;
    for (int i = 0; i < 3; i++)
        if (!wabe_config_is_given(config, keys[i]))
            return wabe_config_fail(config, keys[i],
                                    "missing: physical units need units.cell, units.velocity and "
                                    "units.viscosity");
    if (!(c->velocity > 0.0))
        return wabe_config_fail(config, "lbm.velocity",
                                "physical units need the velocity in lattice units too");
    c->physical = true;
    c->dx = o->units.cell;
    c->dt = c->dx * c->velocity / o->units.velocity; /* u_phys = u_lattice dx / dt */
    c->dm = o->units.density * c->dx * c->dx * c->dx;
    return WABE_OK;
}

/* Units of output: SI if the input has units, unless it selects lattice units. */
static wabe_status make_output_units(const wabe_config *config, const wabe_lbm_options *o,
                                     wabe_lbm_case *c) {
    wabe_lbm_units *u = &c->units;
    if (o->output_units == WABE_SI_UNITS && !c->physical)
        return wabe_config_fail(config, "output.units",
                                "\"si\" needs physical units: units.cell, units.velocity and "
                                "units.viscosity");
    u->si = c->physical && o->output_units != WABE_LATTICE_UNITS;
    u->length = u->si ? c->dx : 1.0;
    u->time = u->si ? c->dt : 1.0;
    u->density = u->si ? c->dm / (c->dx * c->dx * c->dx) : 1.0;
    u->velocity = u->length / u->time;
    u->energy = u->velocity * u->velocity;
    u->pressure = u->density * u->velocity * u->velocity;
    return WABE_OK;
}

/* Rejects viscosities that a wall function cannot have. kind: the key that asks for it. */
static wabe_status check_turbulence(const wabe_config *config, const wabe_lbm_case *c,
                                    const char *kind) {
    return c->tau < 1.0 ? WABE_OK
                        : wabe_config_fail(config, c->viscosity_key,
                                           "gives the relaxation time %.6g, and %s is "
                                           "\"wall_function\", which needs less than 1: such a "
                                           "flow is not turbulent; take \"no_slip\"",
                                           c->tau, kind);
}

static wabe_status make_viscosity(const wabe_config *config, const wabe_lbm_options *o,
                                  wabe_lbm_case *c) {
    const char *key;
    WABE_TRY(viscosity_key(config, &key));
    c->viscosity_key = key;
    WABE_TRY(make_units(config, o, c));
    if (strcmp(key, "lbm.reynolds") == 0 && !(c->velocity > 0.0))
        return wabe_config_fail(config, key, "needs a velocity: give lbm.velocity");
    if (strcmp(key, "lbm.tau") == 0)
        c->viscosity = (o->lbm.tau - 0.5) / 3.0;
    else if (strcmp(key, "lbm.viscosity") == 0)
        c->viscosity = o->lbm.viscosity;
    else if (strcmp(key, "lbm.reynolds") == 0)
        c->viscosity = c->velocity * c->length / o->lbm.reynolds;
    else
        c->viscosity = o->units.viscosity * c->dt / (c->dx * c->dx);
    c->tau = strcmp(key, "lbm.tau") == 0 ? o->lbm.tau : 3.0 * c->viscosity + 0.5;
    if (!(c->tau > 0.5) || !isfinite(c->tau))
        return wabe_config_fail(config, key,
                                "gives the relaxation time %.6g (viscosity %.6g in lattice "
                                "units); it must be above 1/2",
                                c->tau, c->viscosity);
    for (int face = 0; face < WABE_FACES; face++)
        if (c->conditions[face].kind == WABE_BOUNDARY_wall_function)
            WABE_TRY(check_turbulence(config, c, wabe_face_kind_key(face)));
    c->reynolds = c->velocity * c->length / c->viscosity;
    c->mach = c->velocity * sqrt(3.0);
    c->grid_reynolds = c->velocity / c->viscosity;
    return WABE_OK;
}

/* Rejects a roughness without use, and wall functions of solids in flows that cannot have them. */
static wabe_status check_solid_walls(const wabe_config *config, const wabe_lbm_options *o,
                                     const wabe_lbm_case *c) {
    const wabe_condition *first = wabe_geometry_law(&c->simulation.geometry);
    wabe_surface_options surface;
    char group[64], kind[80], roughness[80];
    for (int k = WABE_FACES; k < c->simulation.geometry.condition_count; k++) {
        const wabe_condition *condition = &c->conditions[k];
        if (!surface_at(o, c, k, group, &surface))
            continue;
        snprintf(kind, sizeof kind, "%s.kind", group);
        snprintf(roughness, sizeof roughness, "%s.roughness", group);
        if (!condition->has_law && isfinite(surface.roughness))
            return wabe_config_fail(config, roughness,
                                    "is not used: %s is \"%s\"; a wall_function takes one", kind,
                                    wabe_boundary_word(condition->kind));
        if (!condition->has_law)
            continue;
        WABE_TRY(wabe_check_wall_function(config, o, kind, wabe_lbm_collision_of(o)));
        if (o->lbm.streaming != 0 && o->lbm.streaming != WABE_STREAMING_in_place &&
            o->lbm.streaming != WABE_STREAMING_pull)
            return wabe_config_fail(config, kind,
                                    "is \"wall_function\", which lbm.streaming = \"%s\" does not "
                                    "know of solids: take \"in_place\"",
                                    wabe_streaming_word((wabe_streaming)o->lbm.streaming));
        if (condition->roughness != first->roughness)
            return wabe_config_fail(config, roughness,
                                    "must be the same for all solids of kind wall_function");
        WABE_TRY(check_turbulence(config, c, kind));
    }
    return WABE_OK;
}

/* What the initial state is computed from. */
static wabe_status make_start(const wabe_config *config, const wabe_lbm_options *o,
                              wabe_lbm_case *c) {
    const wabe_geometry *g = &c->simulation.geometry;
    double start = length_of(o->initial.velocity);
    const double *mean = start > 0.0 ? o->initial.velocity : o->lbm.flux.velocity;
    if (o->initial.kind == WABE_INITIAL_TURBULENT_CHANNEL)
        WABE_TRY(wabe_channel_make(config, g, mean, o->lbm.force, c->viscosity, &c->channel));
    if (o->initial.kind == WABE_INITIAL_TURBULENT_CHANNEL) {
        start = wabe_channel_speed(&c->channel, (int64_t)c->channel.height);
        take_velocity(c, start, "initial.kind");
    }
    if (o->initial.perturbation.velocity > 0.0) /* few eddies are twice the root mean square */
        take_velocity(c, start + 2.0 * o->initial.perturbation.velocity,
                      "initial.perturbation.velocity");
    return wabe_perturbation_make(config, &o->initial.perturbation, g, &c->perturbation);
}

/* Is a list taken if it moves fewer bytes? */
static bool may_be_list(const wabe_lbm_options *o) {
    return o->lbm.streaming == WABE_STREAMING_any && !o->lbm.kernel[0] &&
           wabe_lbm_patterns_of(lattice_with_kernels(o)) >> WABE_STREAMING_list & 1;
}

static void make_simulation(const wabe_lbm_options *o, wabe_lbm_case *c) {
    wabe_simulation_options *s = &c->simulation;
    s->model = (wabe_lbm_model){
        .type = (wabe_type)(o->lbm.storage + 1),
        .lattice = c->scalar.present ? c->scalar.lattice : lattice_of(o),
        .collision = wabe_lbm_collision_of(o),
        .streaming = o->lbm.streaming ? (wabe_streaming)o->lbm.streaming : WABE_STREAMING_in_place,
        .list_cost_ratio = may_be_list(o) && !wabe_geometry_law(&s->geometry) ? 1.0 : 0.0,
        .tau = c->tau,
        .magic = o->lbm.magic,
        .smagorinsky = o->lbm.les.model ? o->lbm.les.constant : 0.0,
        .force = {o->lbm.force[0], o->lbm.force[1], o->lbm.force[2]},
        .force_in_time = c->force_in_time.count > 0 ? &c->force_in_time : NULL,
        .scalar = {.diffusivity = c->scalar.diffusivity,
                   .magic = c->scalar.magic,
                   .turbulent_schmidt = c->scalar.turbulent_schmidt},
        .kernel = o->lbm.kernel,
    };
    memcpy(s->model.scalar.buoyancy, c->scalar.buoyancies, sizeof s->model.scalar.buoyancy);
    c->porous.viscosity = c->viscosity;
    if (c->porous.axis >= 0 && o->porous.drive == 0)
        s->model.force[c->porous.axis] = o->porous.gradient;
    memcpy(s->processes, o->run.parallel.processes, sizeof s->processes);
    s->overlap = o->run.parallel.overlap;
    s->communicate = o->run.parallel.communication == 0;
    s->separate = o->run.parallel.separate;
    s->forces = o->forces.every > 0;
    s->transport = (wabe_transport)o->run.parallel.transport; /* the first word is any */
}

wabe_status wabe_lbm_case_make(const wabe_config *config, const wabe_lbm_options *options,
                               wabe_lbm_case *out) {
    *out = (wabe_lbm_case){0};
    wabe_status status = check_model_keys(config, options);
    if (status == WABE_OK)
        status = make_geometry(config, options, out);
    if (status == WABE_OK) {
        find_fastest(options, out);
        out->velocity = wabe_config_is_given(config, "lbm.velocity") ? options->lbm.velocity
                                                                     : out->given;
        out->length = wabe_config_is_given(config, "lbm.length") ? options->lbm.length
                                                                 : default_length(options);
        out->vortex_disturbed_by = find_disturbance(options, out);
        status = make_viscosity(config, options, out);
        if (status == WABE_OK)
            status = check_solid_walls(config, options, out);
        if (status == WABE_OK)
            status = make_output_units(config, options, out);
        if (status == WABE_OK)
            status = make_start(config, options, out);
        if (status == WABE_OK)
            status = wabe_scalar_make(config, &options->scalar, out->viscosity,
                                      wabe_config_is_given(config, "lbm.length") ? out->length
                                                                                 : 0.0,
                                      &out->simulation.geometry, &out->scalar);
        if (status == WABE_OK)
            status = wabe_sources_make(config, options->scalar.sources.count,
                                       options->scalar.sources.items, &out->scalar,
                                       out->simulation.geometry.cells, &out->sources);
        if (status == WABE_OK)
            status = check_steadiness(config, options, out);
        out->simulation.geometry.source_count = out->sources.count;
        out->simulation.geometry.sources = out->sources.list;
        if (status == WABE_OK && out->scalar.present)
            status = wabe_scalar_choose_lattice(config, options, out);
        if (status == WABE_OK && out->scalar.present)
            status = wabe_scalar_check_tau(config, &out->scalar);
        if (status == WABE_OK)
            status = wabe_forces_bodies(config, options, out);
    }
    if (status != WABE_OK) {
        wabe_lbm_case_free(out);
        return status;
    }
    make_simulation(options, out);
    return WABE_OK;
}

void wabe_lbm_case_free(wabe_lbm_case *lbm_case) {
    wabe_inflow_free(lbm_case->inflows);
    for (int face = 0; face < WABE_FACES; face++)
        wabe_table_free(&lbm_case->faces_in_time[face]);
    wabe_table_free(&lbm_case->force_in_time);
    wabe_perturbation_free(&lbm_case->perturbation);
    for (int k = 0; k < lbm_case->turning_count; k++)
        wabe_turning_free(&lbm_case->turnings[k]);
    free(lbm_case->objects);
    lbm_case->objects = NULL;
    wabe_lbm_solids_free(&lbm_case->solids);
}

/* ---- initial states ----------------------------------------------------------------- */

wabe_lbm_case_initial wabe_lbm_case_initial_of(const wabe_lbm_options *options,
                                               const wabe_lbm_case *lbm_case) {
    wabe_lbm_case_initial initial = {.kind = (wabe_initial_kind)options->initial.kind,
                                     .viscosity = lbm_case->viscosity,
                                     .scalar = lbm_case->scalar.initial};
    memcpy(initial.cells, options->run.domain.cells, sizeof initial.cells);
    memcpy(initial.velocity, options->initial.velocity, sizeof initial.velocity);
    const int face = wabe_inflow_first(lbm_case->inflows);
    initial.inflow = face < 0 ? NULL : &lbm_case->inflows[face];
    initial.conditions = lbm_case->conditions;
    initial.channel = &lbm_case->channel;
    return initial;
}

static double wave_number(const wabe_lbm_case_initial *initial, int axis) {
    return 2.0 * PI / (double)initial->cells[axis];
}

double wabe_lbm_case_vortex(const wabe_lbm_case_initial *i) {
    const double k = wave_number(i, 0), l = wave_number(i, 1);
    return i->kind == WABE_INITIAL_TAYLOR_GREEN
               ? fabs(i->velocity[0]) * exp(-i->viscosity * (k * k + l * l) * i->time)
               : 0.0;
}

/* Taylor and Green 1937: u = u0 sin(kx) cos(ly), v = -u0 (k/l) cos(kx) sin(ly), decaying with
 * exp(-nu (k^2 + l^2) t); the pressure balances the convective term. */
static void taylor_green(const wabe_lbm_case_initial *i, const int64_t cell[3], double moments[4]) {
    const double k = wave_number(i, 0), l = wave_number(i, 1);
    const double x = k * ((double)cell[0] + 0.5), y = l * ((double)cell[1] + 0.5);
    const double u0 = copysign(wabe_lbm_case_vortex(i), i->velocity[0]);
    const double p = 0.25 * u0 * u0 * (cos(2.0 * x) + k * k / (l * l) * cos(2.0 * y));
    moments[0] = 3.0 * p;
    moments[1] = u0 * sin(x) * cos(y);
    moments[2] = -u0 * k / l * cos(x) * sin(y);
    moments[3] = 0.0;
}

/* The same in three dimensions, which becomes turbulent: u = u0 sin(kx)
 * cos(ly) cos(mz), v as above, w = 0 (Brachet et al., J. Fluid Mech. 130 (1983) 411). The pressure
 * is that of a cube. */
static void taylor_green_3d(const wabe_lbm_case_initial *i, const int64_t cell[3],
                            double moments[4]) {
    const double k = wave_number(i, 0), l = wave_number(i, 1), u0 = i->velocity[0];
    const double x = k * ((double)cell[0] + 0.5), y = l * ((double)cell[1] + 0.5);
    const double z = wave_number(i, 2) * ((double)cell[2] + 0.5);
    moments[0] = 3.0 * u0 * u0 / 16.0 * (cos(2.0 * x) + cos(2.0 * y)) * (cos(2.0 * z) + 2.0);
    moments[1] = u0 * sin(x) * cos(y) * cos(z);
    moments[2] = -u0 * k / l * cos(x) * sin(y) * cos(z);
}

static void channel(const wabe_channel *c, const int64_t cell[3], double moments[4]) {
    const double speed = wabe_channel_speed(c, cell[c->axis]);
    for (int d = 0; d < 3; d++)
        moments[1 + d] = speed * c->direction[d];
}

void wabe_lbm_case_moments(const void *context, const int64_t cell[3],
                           double moments[WABE_MOMENTS_GIVEN]) {
    const wabe_lbm_case_initial *initial = context;
    memset(moments, 0, WABE_MOMENTS_GIVEN * sizeof moments[0]);
    moments[4] = initial->scalar;
    if (initial->kind == WABE_INITIAL_UNIFORM)
        memcpy(&moments[1], initial->velocity, sizeof initial->velocity);
    if (initial->kind == WABE_INITIAL_PROFILE)
        for (int d = 0; d < 3; d++)
            moments[1 + d] = wabe_inflow_velocity(initial->inflow, initial->conditions,
                                                  cell[initial->inflow->up], d);
    if (initial->kind == WABE_INITIAL_TURBULENT_CHANNEL)
        channel(initial->channel, cell, moments);
    if (initial->kind == WABE_INITIAL_TAYLOR_GREEN)
        taylor_green(initial, cell, moments);
    if (initial->kind == WABE_INITIAL_TAYLOR_GREEN_3D)
        taylor_green_3d(initial, cell, moments);
}
