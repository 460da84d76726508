#include "apps/lbm/faces.h"

#include "sweeps/lattice/wall_law.h"

#include <math.h>
#include <string.h>

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

const char *wabe_face_kind_key(int face) {
#define KIND_KEY(face, place) "boundaries." face ".kind"
    static const char *const keys[WABE_FACES] = {WABE_EACH_FACE(KIND_KEY)};
#undef KIND_KEY
    return keys[face];
}

wabe_boundary wabe_face_boundary(int word) { return (wabe_boundary)(WABE_BOUNDARY_any + 1 + word); }

bool wabe_takes_velocity(wabe_boundary kind) {
    return kind == WABE_BOUNDARY_moving_wall || kind == WABE_BOUNDARY_velocity;
}

wabe_status wabe_check_velocity(const wabe_config *config, const char *group, const char *kind,
                                bool taken, const char *takers, const double velocity[3]) {
    char path[64], kind_path[64];
    snprintf(path, sizeof path, "%s.velocity", group);
    snprintf(kind_path, sizeof kind_path, "%s.kind", group);
    if (!taken && length_of(velocity) > 0.0)
        return wabe_config_fail(config, path, "is not used: %s is \"%s\", which takes none; %s do",
                                kind_path, kind, takers);
    if (taken && !wabe_config_is_given(config, path))
        return wabe_config_fail(config, kind_path, "is \"%s\", which needs %s: it is missing", kind,
                                path);
    return WABE_OK;
}

wabe_status wabe_check_surface_velocity(const wabe_config *config, const char *group,
                                        wabe_boundary kind, const double velocity[3]) {
    return wabe_check_velocity(config, group, wabe_boundary_word(kind), wabe_takes_velocity(kind),
                               "moving_wall and velocity", velocity);
}

/* Rejects a velocity or density that the face would ignore, and a velocity that is missing. */
static wabe_status check_face_keys(const wabe_config *config, int face, wabe_boundary kind,
                                   const wabe_condition_options *from) {
    const bool presses = kind == WABE_BOUNDARY_pressure || kind == WABE_BOUNDARY_pressure_normal;
    char path[64];
    snprintf(path, sizeof path, "boundaries.%s", wabe_face_name(face));
    WABE_TRY(wabe_check_surface_velocity(config, path, kind, from->velocity));
    snprintf(path, sizeof path, "boundaries.%s.roughness", wabe_face_name(face));
    if (kind != WABE_BOUNDARY_wall_function && isfinite(from->roughness))
        return wabe_config_fail(config, path,
                                "is not used: %s is \"%s\"; a wall_function takes one",
                                wabe_face_kind_key(face), wabe_boundary_word(kind));
    snprintf(path, sizeof path, "boundaries.%s.density", wabe_face_name(face));
    if (!presses && from->density != 1.0)
        return wabe_config_fail(config, path,
                                "is not used: %s is \"%s\", which takes none; pressure and "
                                "pressure_normal do",
                                wabe_face_kind_key(face), wabe_boundary_word(kind));
    return WABE_OK;
}

/* Rejects sponges that no boundary absorbs, or that leave no room. */
static wabe_status check_sponge(const wabe_config *config, const wabe_lbm_options *o, int face) {
    const wabe_condition_options *from = &o->faces[face], *opposite = &o->faces[face ^ 1];
    const wabe_boundary kind = wabe_face_boundary(from->kind);
    const int64_t cells = o->run.domain.cells[face / 2];
    char width[64], strength[64];
    snprintf(width, sizeof width, "boundaries.%s.sponge.width", wabe_face_name(face));
    snprintf(strength, sizeof strength, "boundaries.%s.sponge.strength", wabe_face_name(face));
    if (from->sponge.width == 0)
        return from->sponge.strength == WABE_LBM_SPONGE_STRENGTH
                   ? WABE_OK
                   : wabe_config_fail(config, strength, "is not used: it needs %s", width);
    if (kind != WABE_BOUNDARY_pressure && kind != WABE_BOUNDARY_pressure_normal)
        return wabe_config_fail(config, width,
                                "is not used: %s is \"%s\"; a sponge belongs to pressure and "
                                "pressure_normal",
                                wabe_face_kind_key(face), wabe_boundary_word(kind));
    if (from->sponge.width + opposite->sponge.width > cells)
        return wabe_config_fail(config, width, "leaves no room: domain.cells has %lld along %c%s",
                                (long long)cells, 'x' + face / 2,
                                opposite->sponge.width > 0 ? ", for both of its sponges" : "");
    return WABE_OK;
}

static wabe_status take_face_scalar(const wabe_config *config, const wabe_lbm_options *o, int face,
                                    wabe_condition *condition) {
    char group[64];
    snprintf(group, sizeof group, "boundaries.%s", wabe_face_name(face));
    return wabe_scalar_condition(config, group, &o->scalar, &o->faces[face].scalar, condition);
}

double wabe_largest_of(const double v[3]) { return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))); }

/* Reads the face's factors in time. Sponges and turbulence belong to one pressure and velocity. */
static wabe_status make_face_in_time(const wabe_config *config, const wabe_lbm_options *o, int face,
                                     wabe_lbm_case *c) {
    const wabe_condition_options *from = &o->faces[face];
    wabe_condition *condition = &c->conditions[face];
    const bool presses = wabe_is_pressure(condition->kind), has = from->in_time.file[0] != 0;
    const bool sponge = from->sponge.width > 0, turbulence = from->turbulence.intensity > 0.0;
    char group[64], file[80], key[64];
    snprintf(group, sizeof group, "boundaries.%s.in_time", wabe_face_name(face));
    snprintf(file, sizeof file, "%s.file", group);
    snprintf(key, sizeof key, "boundaries.%s.%s", wabe_face_name(face),
             presses ? "density" : "velocity");
    if (has && !presses && !wabe_takes_velocity(condition->kind))
        return wabe_config_fail(config, file,
                                "is not used: %s is \"%s\", which has neither velocity nor density",
                                wabe_face_kind_key(face), wabe_boundary_word(condition->kind));
    if (has && (sponge || turbulence))
        return wabe_config_fail(config, file, "goes with no %s: %s",
                                sponge ? "sponge" : "turbulence",
                                sponge ? "it holds the face's own density"
                                       : "it is that of the full velocity");
    const wabe_in_time_key scaled = {key,
                                     presses ? fabs(condition->density)
                                             : wabe_largest_of(condition->velocity),
                                     presses ? " away from 1" : "", presses ? 0.5 : 1.0};
    WABE_TRY(wabe_in_time_make(config, group, &from->in_time, &scaled, &c->faces_in_time[face]));
    condition->in_time = has ? &c->faces_in_time[face] : NULL;
    return WABE_OK;
}

wabe_status wabe_faces_make(const wabe_config *config, const wabe_lbm_options *o,
                            wabe_lbm_case *c) {
    bool periodic[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_condition_options *from = &o->faces[face];
        c->conditions[face] =
            (wabe_condition){.kind = wabe_face_boundary(from->kind),
                             .density = from->density - 1.0,
                             .roughness = isfinite(from->roughness) ? from->roughness : 0.0,
                             .sponge_width = from->sponge.width,
                             .sponge_strength = from->sponge.strength};
        memcpy(c->conditions[face].velocity, from->velocity, sizeof from->velocity);
        periodic[face] = c->conditions[face].kind == WABE_BOUNDARY_periodic;
        WABE_TRY(check_face_keys(config, face, c->conditions[face].kind, from));
        WABE_TRY(check_sponge(config, o, face));
        WABE_TRY(take_face_scalar(config, o, face, &c->conditions[face]));
        const bool wall = c->conditions[face].kind == WABE_BOUNDARY_moving_wall;
        char path[64];
        snprintf(path, sizeof path, "boundaries.%s.velocity", wabe_face_name(face));
        if (wall && from->velocity[face / 2] != 0.0)
            return wabe_config_fail(config, path,
                                    "must lie within the plane of a moving wall; use kind = "
                                    "\"velocity\" for flow through the face");
        WABE_TRY(make_face_in_time(config, o, face, c));
    }
    return wabe_run_check_periodic(config, periodic);
}

wabe_status wabe_check_wall_function(const wabe_config *config, const wabe_lbm_options *o,
                                     const char *kind, wabe_collision_operator collision) {
    if (o->lbm.rheology.model)
        return wabe_config_fail(config, kind,
                                "is \"wall_function\", whose law is that of a fluid of one "
                                "viscosity, which contradicts lbm.rheology.model");
    return o->lbm.les.model && wabe_is_regularized(collision)
               ? WABE_OK
               : wabe_config_fail(config, kind,
                                  "is \"wall_function\", which belongs to turbulent flow with "
                                  "large eddies: it needs lbm.les.model = \"smagorinsky\", and "
                                  "lbm.collision = \"recursive_regularized\" or \"regularized\"");
}

wabe_status wabe_faces_check_walls(const wabe_config *config, const wabe_lbm_options *o,
                                   wabe_collision_operator collision) {
    for (int face = 0; face < WABE_FACES; face++) {
        if (wabe_face_boundary(o->faces[face].kind) != WABE_BOUNDARY_wall_function)
            continue;
        WABE_TRY(wabe_check_wall_function(config, o, wabe_face_kind_key(face), collision));
        if (o->run.domain.cells[face / 2] < 2 * WABE_MIXED_LAYERS)
            return wabe_config_fail(config, wabe_face_kind_key(face),
                                    "is \"wall_function\", which needs %d cells along %c; "
                                    "domain.cells has %lld",
                                    2 * WABE_MIXED_LAYERS, 'x' + face / 2,
                                    (long long)o->run.domain.cells[face / 2]);
    }
    return WABE_OK;
}
