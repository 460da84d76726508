#include "apps/lbm/case.h"
#include "apps/lbm/faces.h"

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

wabe_status wabe_case_inflows(const wabe_config *config, const wabe_lbm_options *o,
                              wabe_lbm_case *c) {
    c->simulation.geometry.ramp = o->lbm.ramp;
    WABE_TRY(check_ramp(config, o, c));
    WABE_TRY(make_turbulence(config, o, c));
    return make_inflows(config, o, c);
}
