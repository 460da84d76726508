/* The case of a flow, derived from its options part by part. */
#include "apps/lbm/case.h"
#include "apps/lbm/faces.h"
#include "apps/lbm/forces.h"

#include <stdlib.h>
#include <string.h>

/* Rejects a roughness without use, and wall functions of solids in flows that cannot have them. */
static wabe_status check_solid_walls(const wabe_config *config, const wabe_lbm_options *o,
                                     wabe_lbm_case *c) {
    const wabe_condition *first = wabe_geometry_law(&c->simulation.geometry);
    wabe_surface_options surface;
    char group[64], kind[80], roughness[80];
    for (int k = WABE_FACES; k < c->simulation.geometry.condition_count; k++) {
        const wabe_condition *condition = &c->conditions[k];
        if (!wabe_case_surface_at(o, c, k, group, &surface))
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
        WABE_TRY(wabe_case_check_turbulence(config, c, kind));
    }
    return WABE_OK;
}

/* A flow may seem steady before a table changes what drives it. */
static wabe_status check_steadiness(const wabe_config *config, const wabe_lbm_options *o,
                                    wabe_lbm_case *c) {
    const bool waits = o->run.monitor.steady > 0.0 || c->porous.axis >= 0;
    const char *key = c->porous.axis >= 0 ? "porous.axis" : "monitor.steady";
    const int64_t last = wabe_run_last_step(&o->run, c->units.time);
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
        if (waits && (c->sources.list[i].begin > 0 || c->sources.list[i].end < last))
            return wabe_config_fail(config, key,
                                    "waits for a steady flow, and scalar.sources[%d] starts or "
                                    "stops in mid-run",
                                    i);
    return WABE_OK;
}

/* Is a list taken if it moves fewer bytes? */
static bool may_be_list(const wabe_lbm_options *o) {
    return o->lbm.streaming == WABE_STREAMING_any && !o->lbm.kernel[0] &&
           wabe_lbm_patterns_of(wabe_lbm_lattice_with_kernels(o)) >> WABE_STREAMING_list & 1;
}

static void make_simulation(const wabe_lbm_options *o, wabe_lbm_case *c) {
    wabe_simulation_options *s = &c->simulation;
    s->model = (wabe_lbm_model){
        .type = (wabe_type)(o->lbm.storage + 1),
        .lattice = c->scalar.present ? c->scalar.lattice : wabe_lbm_lattice_of(o),
        .collision = wabe_lbm_collision_of(o),
        .streaming = o->lbm.streaming ? (wabe_streaming)o->lbm.streaming : WABE_STREAMING_in_place,
        .list_cost_ratio = may_be_list(o) && !wabe_geometry_law(&s->geometry) ? 1.0 : 0.0,
        .tau = c->tau,
        .magic = o->lbm.magic,
        .smagorinsky = o->lbm.les.model ? o->lbm.les.constant : 0.0,
        .bulk_is_one = wabe_lbm_bulk_of(o) == WABE_BULK_ONE,
        .corrects = o->lbm.correction,
        .rheology = c->rheology,
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

static wabe_status make_scalar(const wabe_config *config, const wabe_lbm_options *o,
                               wabe_lbm_case *c) {
    return wabe_scalar_make(config, &o->scalar, c->viscosity,
                            wabe_config_is_given(config, "lbm.length") ? c->length : 0.0,
                            &c->simulation.geometry, &c->scalar);
}

static wabe_status make_sources(const wabe_config *config, const wabe_lbm_options *o,
                                wabe_lbm_case *c) {
    WABE_TRY(wabe_sources_make(config, o->scalar.sources.count, o->scalar.sources.items, &c->scalar,
                               c->simulation.geometry.cells, &c->sources));
    c->simulation.geometry.source_count = c->sources.count;
    c->simulation.geometry.sources = c->sources.list;
    return WABE_OK;
}

static wabe_status choose_scalar_lattice(const wabe_config *config, const wabe_lbm_options *o,
                                         wabe_lbm_case *c) {
    if (!c->scalar.present)
        return WABE_OK;
    WABE_TRY(wabe_scalar_choose_lattice(config, o, c));
    return wabe_scalar_check_tau(config, &c->scalar);
}

/* The parts of a case; each may use those before it. A feature of flows is a row. */
static wabe_status (*const parts[])(const wabe_config *config, const wabe_lbm_options *options,
                                    wabe_lbm_case *lbm_case) = {
    wabe_case_check_keys, wabe_faces_make,   wabe_case_drive,        wabe_case_solids,
    wabe_case_turning,    wabe_case_inflows, wabe_case_velocities,   wabe_case_viscosity,
    wabe_case_rheology,   check_solid_walls, wabe_case_output_units, wabe_case_start,
    make_scalar,          make_sources,      check_steadiness,       choose_scalar_lattice,
    wabe_forces_bodies};

wabe_status wabe_lbm_case_make(const wabe_config *config, const wabe_lbm_options *options,
                               wabe_lbm_case *out) {
    wabe_status status = WABE_OK;
    *out = (wabe_lbm_case){0};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == WABE_OK; i++)
        status = parts[i](config, options, out);
    if (status != WABE_OK)
        wabe_lbm_case_free(out);
    else
        make_simulation(options, out);
    return status;
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
