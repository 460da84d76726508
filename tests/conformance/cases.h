/* Cases that cover all features, and random initial states that do not depend on the domain
 * decomposition. */
#pragma once

#include "sweeps/lattice/lbm.h"

#include <stdint.h>
#include <string.h>

/* cavity: closed, with a moving lid. obstacles: periodic, driven by a force around a sphere
 * (curved_wall), a box that extends across a periodic face, and a moving box. channel: velocity
 * inlet, an outlet with normal velocity (pressure_normal), a pressure side and free-slip sides,
 * obstacles that touch some of them, one of them curved. mixed: different kinds of faces next to
 * each other, with a force. Both have sponges, which in the channel overlap. */
typedef enum { CASE_CAVITY, CASE_OBSTACLES, CASE_CHANNEL, CASE_MIXED, CASE_COUNT } case_name;

static const char *const case_words[CASE_COUNT] = {"cavity", "obstacles", "channel", "mixed"};

enum { CASE_OBJECTS_MAX = 5 };

/* Contains everything that a geometry points to: after a copy, make the geometry again with
 * case_geometry. */
typedef struct {
    int64_t cells[3];
    double force[3], tau; /* tau: 0: that of all cases */
    int object_count;
    wabe_object objects[CASE_OBJECTS_MAX];
    wabe_condition conditions[WABE_FACES + CASE_OBJECTS_MAX];
    int source_count; /* of what is carried */
    wabe_source source;
} test_case;

static inline wabe_condition case_condition(wabe_boundary kind, double x, double y, double z) {
    return (wabe_condition){.kind = kind, .velocity = {x, y, z}};
}

static inline void case_add(test_case *c, wabe_object object, wabe_condition condition) {
    c->objects[c->object_count] = object;
    c->conditions[WABE_FACES + c->object_count++] = condition;
}

static inline void case_obstacles(test_case *c) {
    const double x = (double)c->cells[0], y = (double)c->cells[1], z = (double)c->cells[2];
    const wabe_condition wall = case_condition(WABE_BOUNDARY_no_slip, 0, 0, 0);
    const wabe_condition curved = case_condition(WABE_BOUNDARY_curved_wall, 0, 0, 0);
    const wabe_condition belt = case_condition(WABE_BOUNDARY_moving_wall, 0.01, -0.02, 0.015);
    case_add(c,
             (wabe_object){.shape = WABE_SHAPE_SPHERE,
                           .center = {0.61 * x, 0.47 * y, 0.53 * z},
                           .radius = 0.31 * (y < z ? y : z)},
             curved);
    case_add(c, (wabe_object){.low = {-1, -1, -1}, .high = {2.1, 0.4 * y, 1.3}}, wall);
    case_add(c, (wabe_object){.low = {0.2 * x, 0.7 * y, 0.2 * z}, .high = {0.37 * x, y, 0.7 * z}},
             belt);
    memcpy(c->force, (double[3]){1e-4, -2e-5, 3e-5}, sizeof c->force);
}

static inline void case_channel(test_case *c) {
    const double x = (double)c->cells[0], y = (double)c->cells[1], z = (double)c->cells[2];
    for (int face = 2; face < WABE_FACES; face++)
        c->conditions[face].kind = WABE_BOUNDARY_free_slip;
    c->conditions[0] = case_condition(WABE_BOUNDARY_velocity, 0.03, 0.004, -0.002);
    c->conditions[1] = (wabe_condition){.kind = WABE_BOUNDARY_pressure_normal,
                                        .density = 0.01,
                                        .sponge_width = (c->cells[0] + 2) / 3,
                                        .sponge_strength = 0.7};
    c->conditions[5] = (wabe_condition){.kind = WABE_BOUNDARY_pressure,
                                        .density = 0.003,
                                        .sponge_width = (c->cells[2] + 1) / 2,
                                        .sponge_strength = 0.4};
    case_add(c, (wabe_object){.low = {0.3 * x, -1, -1}, .high = {0.42 * x, 0.45 * y, 0.3 * z}},
             case_condition(WABE_BOUNDARY_no_slip, 0, 0, 0));
    case_add(c,
             (wabe_object){.shape = WABE_SHAPE_CYLINDER,
                           .low = {0.71 * x, 0.55 * y, 0.6 * z},
                           .high = {0.73 * x, y + 1, z + 0.5},
                           .radius = 1.3},
             case_condition(WABE_BOUNDARY_no_slip, 0, 0, 0));
    case_add(c,
             (wabe_object){.shape = WABE_SHAPE_SPHERE,
                           .center = {0.52 * x, 0.31 * y, 0.9 * z},
                           .radius = 0.23 * (y < z ? y : z)},
             case_condition(WABE_BOUNDARY_curved_wall, 0, 0, 0));
}

static inline void case_mixed(test_case *c) {
    c->conditions[2].kind = WABE_BOUNDARY_free_slip;
    c->conditions[3] = (wabe_condition){.kind = WABE_BOUNDARY_pressure_normal,
                                        .density = -0.004,
                                        .sponge_width = (c->cells[1] + 1) / 2,
                                        .sponge_strength = 0.5};
    c->conditions[4] = (wabe_condition){.kind = WABE_BOUNDARY_pressure_normal, .density = 0.006};
    c->conditions[5] = case_condition(WABE_BOUNDARY_velocity, 0.01, -0.01, -0.003);
    memcpy(c->force, (double[3]){-5e-5, 1e-4, 7e-5}, sizeof c->force);
}

/* A scalar's conditions: each kind at walls. */
static inline void case_scalar(test_case *c) {
    for (int k = 0; k < WABE_FACES + c->object_count; k++) {
        wabe_condition *condition = &c->conditions[k];
        condition->scalar.kind = (wabe_scalar_kind)((k + 1) % 3); /* insulated, value, flux */
        if (condition->kind == WABE_BOUNDARY_velocity)
            condition->scalar.kind = k % 2 ? WABE_SCALAR_OPEN : WABE_SCALAR_VALUE;
        if (condition->kind == WABE_BOUNDARY_pressure ||
            condition->kind == WABE_BOUNDARY_pressure_normal)
            condition->scalar.kind = k % 2 ? WABE_SCALAR_OPEN : WABE_SCALAR_VALUE;
        condition->scalar.value = condition->scalar.kind == WABE_SCALAR_FLUX ? 0.003
                                                                             : 0.02 - 0.01 * k;
    }
}

static inline test_case case_make(case_name name, int64_t x, int64_t y, int64_t z) {
    test_case c = {.cells = {x, y, z}};
    for (int face = 0; face < WABE_FACES; face++)
        c.conditions[face].kind = name == CASE_CAVITY ? WABE_BOUNDARY_no_slip
                                                      : WABE_BOUNDARY_periodic;
    if (name == CASE_CAVITY)
        c.conditions[5] = case_condition(WABE_BOUNDARY_moving_wall, 0.05, 0.02, 0);
    if (name == CASE_OBSTACLES)
        case_obstacles(&c);
    if (name == CASE_CHANNEL)
        case_channel(&c);
    if (name == CASE_MIXED)
        case_mixed(&c);
    case_scalar(&c);
    c.source_count = 1; /* in the second step and the third one */
    c.source = (wabe_source){.box = {{1, 1, 2}, {18, 4, 4}}, .amount = 2e-3, .begin = 1, .end = 3};
    return c;
}

/* Lists have no mirrors, moments none but free slip. */
static inline bool case_has_face(wabe_streaming streaming, wabe_boundary kind) {
    if (kind == WABE_BOUNDARY_free_slip)
        return streaming != WABE_STREAMING_list;
    return kind != WABE_BOUNDARY_pressure_normal ||
           (streaming != WABE_STREAMING_list && streaming != WABE_STREAMING_moments);
}

/* The collision that stands for others where it does not matter. */
static inline wabe_collision_operator case_collision(wabe_streaming streaming) {
    return streaming == WABE_STREAMING_moments ? WABE_COLLISION_recursive_regularized
                                               : WABE_COLLISION_trt;
}

/* Same, with the features that a streaming pattern supports. */
static inline test_case case_for(wabe_streaming streaming, case_name name, int64_t x, int64_t y,
                                 int64_t z) {
    test_case c = case_make(name, x, y, z);
    for (int face = 0; face < WABE_FACES; face++)
        if (!case_has_face(streaming, c.conditions[face].kind))
            c.conditions[face].kind = WABE_BOUNDARY_no_slip;
    return c;
}

static inline wabe_geometry case_geometry(const test_case *c) {
    return (wabe_geometry){.cells = {c->cells[0], c->cells[1], c->cells[2]},
                           .object_count = c->object_count,
                           .objects = c->objects,
                           .condition_count = WABE_FACES + c->object_count,
                           .conditions = c->conditions,
                           .source_count = c->source_count,
                           .sources = &c->source};
}

static inline wabe_lbm_model case_model(const test_case *c, wabe_lattice lattice, wabe_type type,
                                        wabe_collision_operator collision,
                                        wabe_streaming streaming) {
    wabe_lbm_model model = {.type = type,
                            .lattice = lattice,
                            .collision = collision,
                            .streaming = streaming,
                            .tau = c->tau > 0.0                      ? c->tau
                                   : collision == WABE_COLLISION_srt ? 0.8
                                                                     : 0.6,
                            .magic = 3.0 / 16.0,
                            .kernel = ""};
    memcpy(model.force, c->force, sizeof model.force);
    if (collision == WABE_COLLISION_srt_smagorinsky ||
        (wabe_is_regularized(collision) && c->force[0] != 0.0))
        model.smagorinsky = 0.15;
    if (WABE_HAS_ALL_TERMS(collision)) {
        /* Each alone and both, with and without a force and a subgrid model, or a fluid whose
         * viscosity varies; neither: the cavity in f64 and f16. */
        const bool stream = c->conditions[0].kind == WABE_BOUNDARY_velocity;
        const bool forced = c->force[0] != 0.0;
        model.corrects = stream || (forced && type == WABE_TYPE_f32);
        model.bulk_is_one = forced || type == WABE_TYPE_f32;
        bool laws = false; /* wall functions need one viscosity */
        for (int k = 0; k < WABE_FACES + c->object_count; k++)
            laws |= c->conditions[k].kind == WABE_BOUNDARY_wall_function ||
                    c->conditions[k].has_law;
        if (!laws && ((stream && type != WABE_TYPE_f16) || (forced && type == WABE_TYPE_f16))) {
            model.smagorinsky = 0.0;
            model.rheology = (wabe_rheology){.model = WABE_RHEOLOGY_herschel_bulkley,
                                             .viscosity = 0.05,
                                             .rate = 0.01,
                                             .index = 0.6,
                                             .yield = 0.4,
                                             .growth = 100.0,
                                             .lowest_tau = 0.52,
                                             .highest_tau = 2.0};
        }
    }
    if (wabe_lattice_has_scalar(lattice)) {
        model.scalar.diffusivity = 0.04;
        model.scalar.magic = 0.2;
        model.scalar.turbulent_schmidt = 0.7;
        memcpy(model.scalar.buoyancy, (double[3]){2e-3, -3e-3, 1e-3}, sizeof model.scalar.buoyancy);
    }
    return model;
}

/* Returns a random number by splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t case_random(uint64_t *state) {
    uint64_t value = *state += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/* Sets density deviations, velocities and scalars between -0.02 and 0.02, which depend only on the
 * cell's position. */
static inline void case_initial(const void *context, const int64_t cell[3],
                                double moments[WABE_MOMENTS_GIVEN]) {
    (void)context;
    uint64_t state = 42u + (uint64_t)(cell[0] + 1009 * (cell[1] + 1013 * cell[2]));
    for (int k = 0; k < WABE_MOMENTS_GIVEN; k++)
        moments[k] = 0.04 * ((double)(case_random(&state) >> 11) * 0x1p-53 - 0.5);
}

static inline bool case_same_sum(wabe_sum a, wabe_sum b) {
    return wabe_sum_value(a) == wabe_sum_value(b);
}

static inline bool case_same_monitor(const wabe_monitor_result *a, const wabe_monitor_result *b) {
    for (int d = 0; d < 3; d++)
        if (!case_same_sum(a->momentum[d], b->momentum[d]) ||
            !case_same_sum(a->drag[d], b->drag[d]) ||
            !case_same_sum(a->scalar_flux[d], b->scalar_flux[d]))
            return false;
    return case_same_sum(a->scalar, b->scalar) &&
           case_same_sum(a->scalar_amount, b->scalar_amount) && case_same_sum(a->mass, b->mass) &&
           case_same_sum(a->energy, b->energy) && a->cells == b->cells && a->broken == b->broken &&
           a->speed_squared == b->speed_squared && a->fastest == b->fastest;
}
