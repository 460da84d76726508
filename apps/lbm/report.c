/* Reports of a flow: the derived table before the run, and its part of the results afterwards. */
#include "apps/lbm/lbm.h"
#include "apps/lbm/mean_profiles.h"

#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/sum_over_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNDERSHOOT 0.15 /* share of its rise by which a scalar falls too low, and is warned of */

/* ---- before the run ----------------------------------------------------------------- */

static void print_in_time(const wabe_lbm_case *c) {
    wabe_in_time_print("force", c->simulation.model.force_in_time);
    for (int face = 0; face < WABE_FACES; face++)
        wabe_in_time_print(wabe_face_name(face), c->conditions[face].in_time);
}

static void print_units(const wabe_lbm_case *c, const wabe_lbm_options *o) {
    if (!c->physical)
        return;
    wabe_log_line("units      dx %.4g m, dt %.4g s, velocity %.4g m/s, simulated time %.4g s; what "
                  "is written is in %s units, other numbers here in lattice units",
                  c->dx, c->dt, c->velocity * c->dx / c->dt, c->dt * (double)o->run.steps,
                  c->units.si ? "SI" : "lattice");
}

static void print_mesh(const wabe_lbm_mesh *m) {
    const wabe_mesh_count *n = &m->count;
    wabe_log_line("mesh       %s: %lld triangles from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) "
                  "cells; %lld cells inside%s, %.3g %% in doubt",
                  m->file, (long long)m->triangles, m->mesh.low[0], m->mesh.low[1], m->mesh.low[2],
                  m->mesh.high[0], m->mesh.high[1], m->mesh.high[2], (long long)n->inside,
                  m->around ? ", of the fluid" : "", 100.0 * (double)n->doubt / (double)n->some);
}

/* Where an image lies that does not fill the domain. */
static void print_voxels(const wabe_voxels *v, const int64_t cells[3]) {
    const wabe_box box = wabe_voxels_box(v), domain = {.end = {cells[0], cells[1], cells[2]}};
    if (wabe_box_cells(box) < wabe_box_cells(domain))
        wabe_log_line(
            "voxels     %s: from (%lld, %lld, %lld) to (%lld, %lld, %lld) cells, %.3g %% of the "
            "domain; beside the image is fluid, but for other solids",
            v->file, (long long)box.begin[0], (long long)box.begin[1], (long long)box.begin[2],
            (long long)box.end[0], (long long)box.end[1], (long long)box.end[2],
            100.0 * (double)wabe_box_cells(box) / (double)wabe_box_cells(domain));
}

/* Whether the fluid is between solids, and not around bodies. */
static bool has_pores(const wabe_flow *flow) {
    const wabe_lbm_solids *s = &flow->lbm_case.solids;
    bool inside = false;
    for (int k = 0; k < s->mesh_count; k++)
        inside |= s->meshes[k].around;
    return inside || wabe_flow_is_porous(flow) || s->voxels.file || s->particles.count > 0;
}

void wabe_flow_print_solids(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_solids *s = &flow->lbm_case.solids;
    for (int k = 0; k < s->mesh_count; k++)
        print_mesh(&s->meshes[k]);
    if (s->heights.heights)
        wabe_log_line("heights    %s: %.6g to %.6g cells along %c",
                      flow->options.geometry.heights.file, 1e-6 * round(1e6 * s->heights.low),
                      s->heights.high, 'x' + s->heights.up);
    if (s->city.heights)
        wabe_log_line("city       %lld buildings and %lld towers, %.0f to %.0f cells high, on %.3g "
                      "of the ground",
                      (long long)s->city_report.buildings, (long long)s->city_report.towers,
                      s->city_report.lowest, s->city_report.highest, s->city_report.share);
    if (s->voxels.file)
        print_voxels(&s->voxels, flow->options.run.domain.cells);
    if (s->has_bed)
        wabe_log_line("bed        %d particles up to z = %.1f, porosity %.4f there, %.2f contacts "
                      "each, deepest overlap %.2g cells",
                      s->bed.particles, s->bed.top, s->bed.porosity, s->bed.contacts,
                      s->bed.overlap);
    if (flow->lbm_case.simulation.geometry.filled)
        wabe_log_line("filled     %lld cells, %.3g %% of the fluid, that lead nowhere",
                      (long long)flow->fill.cells,
                      100.0 * (double)flow->fill.cells /
                          (double)(flow->fill.cells + flow->fill.left));
    if (has_pores(flow))
        wabe_porous_print_pores(flow->lbm_case.porous.axis, &flow->pores);
    else
        wabe_log_line("solids     %.4g %% of the domain, wetted area %.6g cells^2",
                      100.0 * (1.0 - (double)flow->pores.fluid / (double)flow->pores.cells),
                      flow->pores.wetted_area);
}

static void print_list_choice(const wabe_run *run, bool list) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_model *m = &flow->lbm_case.simulation.model;
    const double price = m->list_cost_ratio;
    char by_machine[WABE_STRING_SIZE + 64] = "";
    if (price != 1.0)
        snprintf(by_machine, sizeof by_machine, ", each byte taking %.2f times as long by %s",
                 price, run->model.file);
    wabe_log_detail(
        "streaming  %s: without a list a step works on %.2f cells for each fluid one, with "
        "one it moves %d B more for each%s",
        list ? "a list of the fluid cells" : "no list of the fluid cells",
        (double)flow->pores.touched / (double)flow->pores.fluid,
        WABE_NEIGHBOURS_BYTES(wabe_lattice_count(m->lattice)), by_machine);
}

static void print_turnings(const wabe_flow *flow) {
    const wabe_lbm_case *c = &flow->lbm_case;
    char solid[64];
    for (int k = 0; k < c->turning_count; k++) {
        const wabe_turning *t = &c->turnings[k];
        wabe_log_line("turning    %s: its surface moves at up to %.4g cells a step, with %d "
                      "velocities that differ from the exact ones by %.2g at most",
                      wabe_lbm_solid_of(&flow->options, c, t->condition, solid), t->most, t->count,
                      t->error);
    }
}

/* The equilibria of the other operators lack u^3 (docs/validation.md, viscosity in a stream). */
static void print_viscosity_error(const wabe_lbm_case *c) {
    const double u = fmax(c->fastest, c->velocity), part = 3.0 * u * u;
    if (part > 0.01 && !WABE_HAS_ALL_TERMS(c->simulation.model.collision))
        wabe_log_line("           where the flow crosses layers of shear at %.4g cells a step, the "
                      "viscosity is %.2g %% too small (3 u^2), except with recursive_regularized "
                      "and cumulant",
                      u, 100.0 * part);
}

/* What of the domain sponges take, so that nobody measures there. */
static void print_sponges(const wabe_lbm_case *c) {
    const wabe_geometry *g = &c->simulation.geometry;
    for (int face = 0; face < WABE_FACES; face++) {
        const int width = (int)c->conditions[face].sponge_width;
        const int64_t cells = g->cells[face / 2];
        if (width > 0)
            wabe_log_line("sponge     %s: from %c = %lld to %lld, %.3g %% of the domain",
                          wabe_face_name(face), 'x' + face / 2,
                          (long long)(face % 2 ? cells - width : 0),
                          (long long)(face % 2 ? cells : width),
                          100.0 * (double)width / (double)cells);
    }
}

static void print_rheology(const wabe_lbm_case *c) {
    const wabe_rheology *r = &c->rheology;
    const wabe_lbm_units *u = &c->units;
    const double viscosity = u->length * u->velocity;
    if (!wabe_lbm_has_rheology(c))
        return;
    wabe_log_line("rheology   %s: viscosity %.4g at a rate of strain of %.4g, %.4g at a tenth and "
                  "%.4g at ten times of it (%s); tau from %.6g to %.6g",
                  wabe_rheology_word(r->model), viscosity * wabe_rheology_viscosity(r, r->rate),
                  r->rate / u->time, viscosity * wabe_rheology_viscosity(r, 0.1 * r->rate),
                  viscosity * wabe_rheology_viscosity(r, 10.0 * r->rate),
                  wabe_lbm_unit(u, "m^2/s, 1/s"), r->lowest_tau, r->highest_tau);
}

static void print_model(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    const wabe_lbm_model *m = &c->simulation.model;
    const bool list = wabe_simulation_expects_list(&c->simulation);
    if (flow->tensor)
        wabe_log_line("axis       %c, run %d of 3 for the tensor", 'x' + c->porous.axis,
                      1 + c->porous.axis);
    wabe_log_line("model      D3Q%d %s, %s, %s streaming", wabe_lattice_flow(m->lattice),
                  wabe_collision_operator_word(m->collision), wabe_type_word(m->type),
                  wabe_streaming_word(list ? WABE_STREAMING_list : m->streaming));
    wabe_flow_print_residency(run);
    wabe_log_line("numbers    tau %.8g, viscosity %.8g%s%s", c->tau, c->viscosity,
                  m->bulk_is_one ? ", bulk viscosity 1/9" : "",
                  m->corrects ? ", lbm.correction" : "");
    print_rheology(c);
    if (c->velocity > 0.0)
        wabe_log_line(
            "           Re %.6g (velocity %.4g, length %.6g cells), Ma %.4g, grid Re %.4g",
            c->reynolds, c->velocity, c->length, c->mach, c->grid_reynolds);
    else if (c->porous.axis < 0)
        wabe_log_line("           Re unknown: no velocity is given (lbm.velocity)");
    print_viscosity_error(c);
    wabe_scalar_print(&c->scalar, wabe_collision_operator_word(m->collision), m->smagorinsky > 0.0,
                      c->viscosity, c->velocity);
    wabe_sources_print(&c->sources);
    print_units(c, &flow->options);
    wabe_inflow_print(c->inflows, c->conditions);
    print_in_time(c);
    print_sponges(c);
    if (c->simulation.geometry.turbulence)
        wabe_turbulence_print(&c->turbulence, &flow->options.faces[c->turbulence.face].turbulence);
    if (flow->options.initial.kind == WABE_INITIAL_TURBULENT_CHANNEL)
        wabe_channel_print(&c->channel);
    if (c->perturbation)
        wabe_perturbation_print(c->perturbation);
    print_turnings(flow);
}

/* auto does not choose moments, with which bits differ; on GPUs it is worth a line. */
static void print_moments_choice(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_model *m = &flow->lbm_case.simulation.model;
    const int number = (int)wabe_type_size(m->type);
    bool has_gpu = false, possible = wabe_is_regularized(m->collision) &&
                                     wabe_lbm_patterns_of(m->lattice) >> WABE_STREAMING_moments & 1;
    for (int i = 0; i < run->components.count; i++)
        has_gpu |= run->components.list[i].device != NULL;
    for (int face = 0; face < WABE_FACES; face++)
        possible &= flow->lbm_case.conditions[face].kind != WABE_BOUNDARY_pressure_normal;
    if (has_gpu && possible && flow->options.lbm.streaming == WABE_STREAMING_any &&
        !wabe_simulation_expects_list(&flow->lbm_case.simulation))
        wabe_log_line("streaming  \"moments\" would move %d B per cell and step instead of %d "
                      "(lbm.streaming)",
                      2 * WABE_MOMENTS * number, 2 * wabe_lattice_count(m->lattice) * number);
}

static void print_more(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_simulation_options *s = &flow->lbm_case.simulation;
    print_moments_choice(run);
    if (s->model.list_cost_ratio > 0.0 && flow->pores.cells > 0)
        print_list_choice(run, wabe_simulation_expects_list(s));
    if (flow->pores.cells > 0)
        wabe_flow_print_solids(run);
    wabe_flow_warn_of_extents(run);
    wabe_flow_warn(run);
}

/* ---- after the run ------------------------------------------------------------------ */

/* Adds the squares of error and velocity of a row of cells, relative to the vortex's present
 * amplitude. Larger errors count as 1. */
static void add_row_error(const wabe_lbm_case_initial *exact, const int64_t first[3], int64_t nx,
                          const double *moments, int64_t stride, double amplitude, wabe_sum *error,
                          wabe_sum *norm) {
    for (int64_t x = 0; x < nx; x++) {
        double known[WABE_MOMENTS_GIVEN];
        wabe_lbm_case_moments(exact, (int64_t[3]){first[0] + x, first[1], first[2]}, known);
        for (int d = 1; d < 4; d++) {
            const double deviation = (moments[d * stride + x] - known[d]) / amplitude;
            wabe_sum_add(error, fabs(deviation) < 1.0 ? deviation * deviation : 1.0);
            wabe_sum_add(norm, known[d] / amplitude * (known[d] / amplitude));
        }
        wabe_sum_carry(error);
        wabe_sum_carry(norm);
    }
}

/* Relative L2 error of the velocity against the exact solution, if known; otherwise NAN.
 * Collective. */
static wabe_status error_against_exact(const wabe_run *run, double *out) {
    const wabe_flow *flow = wabe_flow_of(run);
    *out = NAN;
    wabe_lbm_case_initial exact = wabe_lbm_case_initial_of(&flow->options, &flow->lbm_case);
    exact.time = (double)wabe_simulation_steps(flow->simulation);
    const double amplitude = wabe_lbm_case_vortex(&exact);
    if (!(amplitude > 0.0) || flow->lbm_case.vortex_disturbed_by)
        return WABE_OK;
    const wabe_box block = run->block;
    const int64_t nx = wabe_box_extent(block, 0), ny = wabe_box_extent(block, 1);
    double *moments = malloc((size_t)(4 * nx * ny + 1) * sizeof *moments);
    wabe_status status = moments ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for a plane");
    wabe_sum error = {0}, norm = {0};
    for (int64_t z = block.begin[2]; z < block.end[2] && status == WABE_OK; z++) {
        status = wabe_simulation_moments(flow->simulation, wabe_box_plane(block, z), moments);
        for (int64_t y = 0; y < ny && status == WABE_OK; y++)
            add_row_error(&exact, (int64_t[3]){block.begin[0], block.begin[1] + y, z}, nx,
                          moments + y * nx, nx * ny, amplitude, &error, &norm);
    }
    free(moments);
    WABE_TRY(wabe_agree(run->comm, status));
    wabe_sum_over_ranks(run->comm, &error);
    wabe_sum_over_ranks(run->comm, &norm);
    *out = sqrt(wabe_sum_value(error) / wabe_sum_value(norm));
    return WABE_OK;
}

/* What find_scalar_ends hands to each plane. */
typedef struct {
    const wabe_run *run;
    wabe_quantity scalar;
    double *values, low, high;
} scalar_search;

static wabe_status add_scalars(void *context, const wabe_flags *flags, int64_t z) {
    scalar_search *s = context;
    const wabe_box plane = wabe_box_plane(s->run->block, z);
    const double *value = s->values;
    WABE_TRY(wabe_simulation_quantity(wabe_flow_of(s->run)->simulation, &s->scalar, plane, 1,
                                      WABE_TYPE_f64, s->values));
    for (int64_t y = plane.begin[1]; y < plane.end[1]; y++)
        for (int64_t x = plane.begin[0]; x < plane.end[0]; x++, value++)
            if (wabe_flags_at(flags, x, y, z) == 0) {
                s->low = fmin(s->low, *value);
                s->high = fmax(s->high, *value);
            }
    return WABE_OK;
}

/* Of the fluid's cells. Collective. */
static wabe_status find_scalar_ends(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    const wabe_scalar_case *c = &flow->lbm_case.scalar;
    scalar_search s = {.run = run,
                       .scalar = {WABE_OUTPUT_scalar, 1, c->reference / c->difference,
                                  c->difference},
                       .values = malloc((size_t)wabe_box_plane_cells(run->block) * sizeof(double)),
                       .low = INFINITY,
                       .high = -INFINITY};
    WABE_TRY(wabe_agree_memory(run->comm, s.values, "a plane of the scalar"));
    const wabe_status status = wabe_geometry_visit(&flow->lbm_case.simulation.geometry, run->block,
                                                   0, 0, add_scalars, &s);
    free(s.values);
    MPI_Allreduce(&s.low, &flow->scalar_low, 1, MPI_DOUBLE, MPI_MIN, run->comm);
    MPI_Allreduce(&s.high, &flow->scalar_high, 1, MPI_DOUBLE, MPI_MAX, run->comm);
    return wabe_agree(run->comm, status);
}

/* Sources that give off a scalar cannot make it lower than all that is given. */
static void warn_of_undershoot(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    const wabe_geometry *g = &c->simulation.geometry;
    bool adds = c->sources.count > 0;
    double least = fmin(0.0, c->scalar.initial); /* as kernels know it */
    for (int i = 0; i < c->sources.count; i++)
        adds &= c->sources.list[i].amount > 0.0;
    for (int k = 0; k < g->condition_count; k++) {
        adds &= g->conditions[k].scalar.kind != WABE_SCALAR_FLUX;
        if (isfinite(g->conditions[k].scalar.value))
            least = fmin(least, g->conditions[k].scalar.value);
    }
    least = c->scalar.reference + c->scalar.difference * least;
    const double below = least - flow->scalar_low, above = flow->scalar_high - least;
    if (adds && below > UNDERSHOOT * above)
        wabe_run_warn(run, "scalar.sources",
                      "the scalar falls to %.4g, below all that is given, %.4g, by %.0f %% of what "
                      "it rises: it oscillates near a source; take a source of several cells, a "
                      "larger diffusivity, or lbm.collision = \"recursive_regularized\"",
                      flow->scalar_low, least, 100.0 * below / above);
}

static wabe_status conclude(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    const bool ended = !run->stopped && flow->last.broken == 0 &&
                       strcmp(run->status, "diverged") != 0;
    if (wabe_flow_is_porous(flow) && ended) {
        WABE_TRY(wabe_porous_measure(&flow->lbm_case.porous, &flow->pores, flow->simulation,
                                     &flow->last, run->directory, &flow->porous));
        flow->porous_measured = true;
    }
    WABE_TRY(wabe_agree(run->comm, wabe_forces_conclude(run)));
    if (flow->last.broken == 0 && strcmp(run->status, "diverged") != 0)
        WABE_TRY(wabe_mean_profiles_write(run));
    WABE_TRY(wabe_simulation_hash(flow->simulation, &flow->hash));
    if (flow->lbm_case.scalar.present)
        WABE_TRY(find_scalar_ends(run));
    if (flow->lbm_case.scalar.present && flow->last.broken == 0)
        warn_of_undershoot(run);
    return flow->last.broken == 0 ? error_against_exact(run, &flow->error) : WABE_OK;
}

static void put_scalar(const wabe_run *run, double cells, wabe_json *json) {
    const wabe_flow *flow = wabe_flow_of(run);
    static const char *const fluxes[] = {"mean_scalar_flux_x", "mean_scalar_flux_y",
                                         "mean_scalar_flux_z"};
    static const char *const numbers[] = {"nusselt_x", "nusselt_y", "nusselt_z"};
    const wabe_lbm_case *c = &flow->lbm_case;
    double means[5];
    wabe_flow_scalar_means(flow, cells, means);
    wabe_json_real(json, "mean_scalar", means[0]);
    wabe_json_real(json, "rms_scalar", means[1]);
    wabe_json_real(json, "lowest_scalar", flow->scalar_low);
    wabe_json_real(json, "highest_scalar", flow->scalar_high);
    if (c->sources.count > 0)
        wabe_json_real(json, "released_scalar", wabe_sources_released(&c->sources, run->step));
    for (int d = 0; d < 3; d++)
        wabe_json_real(json, fluxes[d], means[2 + d]);
    for (int d = 0; d < 3 && c->scalar.range > 0.0; d++)
        wabe_json_real(json, numbers[d],
                       wabe_scalar_nusselt(&c->scalar, d,
                                           wabe_sum_value(flow->last.scalar_flux[d]) / cells));
}

static void put_state(const wabe_run *run, wabe_json *json) {
    const wabe_flow *flow = wabe_flow_of(run);
    const double cells = (double)run->updates;
    const wabe_lbm_units *u = &flow->lbm_case.units;
    const double before = flow->mass_at_start, after = wabe_sum_value(flow->last.mass);
    static const char *const names[] = {"mean_velocity_x", "mean_velocity_y", "mean_velocity_z"};
    static const char *const force_names[] = {"body_force_x", "body_force_y", "body_force_z"};
    char text[32];
    double force[3];
    if (flow->last.broken > 0) { /* sums omit broken cells */
        wabe_json_integer(json, "broken_cells", flow->last.broken);
        return;
    }
    wabe_json_real(json, "mass_drift", (after - before) / (cells + before));
    wabe_json_real(json, "mean_density", u->density * (1.0 + after / cells));
    wabe_json_real(json, "mean_kinetic_energy",
                   u->energy * wabe_sum_value(flow->last.energy) / cells);
    wabe_json_real(json, "max_velocity", u->velocity * sqrt(flow->last.speed_squared));
    for (int d = 0; d < 3; d++)
        wabe_json_real(json, names[d],
                       u->velocity * wabe_sum_value(flow->last.momentum[d]) / cells);
    wabe_lbm_present_force(flow->simulation->slabs[0], force);
    for (int d = 0; d < 3; d++)
        wabe_json_real(json, force_names[d], u->density * u->velocity / u->time * force[d]);
    if (flow->lbm_case.scalar.present)
        put_scalar(run, cells, json);
    if (isfinite(flow->error))
        wabe_json_real(json, "velocity_error_l2", flow->error);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)flow->hash);
    wabe_json_text(json, "state_hash", text);
}

static void put_case(const wabe_run *run, wabe_json *json) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    const wabe_lbm_units *u = &c->units;
    wabe_json_real(json, "dx", c->dx); /* metres, seconds per lattice unit */
    wabe_json_real(json, "dt", c->dt);
    wabe_json_integer(json, "fluid_cells", run->updates);
    if (flow->options.geometry.fill)
        wabe_json_integer(json, "filled_cells", flow->fill.cells);
    wabe_json_real(json, "mflups", 1e-6 * wabe_run_rate(run, (double)run->updates));
    wabe_json_real(json, "reynolds", c->velocity > 0.0 ? c->reynolds : NAN);
    wabe_json_real(json, "tau", c->tau);
    wabe_json_real(json, "viscosity", u->length * u->velocity * c->viscosity);
    if (wabe_lbm_has_rheology(c)) {
        wabe_json_text(json, "rheology", wabe_rheology_word(c->rheology.model));
        wabe_json_real(json, "rheology_rate", c->rheology.rate / u->time);
    }
    wabe_json_real(json, "reference_velocity", u->velocity * c->velocity);
}

/* Units of the numbers in this file and of columns of CSV files. Numbers not listed are
 * dimensionless, or have the unit in their name. */
static void put_units(const wabe_run *run, wabe_json *json) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    const char *const velocity = wabe_lbm_unit(&c->units, "m/s");
    const char *const density = wabe_lbm_unit(&c->units, "kg/m^3");
    const char *const energy = wabe_lbm_unit(&c->units, "m^2/s^2");
    const char *const rows[][2] = {
        {"time", run->app->time_unit},
        {"position", run->app->length_unit},
        {"density", density},
        {"velocity", velocity},
        {"ux", velocity},
        {"uy", velocity},
        {"uz", velocity},
        {"uxux", energy},
        {"uyuy", energy},
        {"uzuz", energy},
        {"uxuy", energy},
        {"uyuz", energy},
        {"uxuz", energy},
        {"pressure", wabe_lbm_unit(&c->units, "Pa")},
        {"mean_density", density},
        {"mean_kinetic_energy", energy},
        {"max_velocity", velocity},
        {"mean_scalar_flux_x", velocity},
        {"mean_scalar_flux_y", velocity},
        {"mean_scalar_flux_z", velocity},
        {"mean_velocity_x", velocity},
        {"mean_velocity_y", velocity},
        {"mean_velocity_z", velocity},
        {"body_force_x", wabe_lbm_unit(&c->units, "N/m^3")},
        {"body_force_y", wabe_lbm_unit(&c->units, "N/m^3")},
        {"body_force_z", wabe_lbm_unit(&c->units, "N/m^3")},
        {"viscosity", wabe_lbm_unit(&c->units, "m^2/s")},
        {"reference_velocity", velocity},
        {"force", wabe_lbm_unit(&c->units, "N")},
        {"torque", wabe_lbm_unit(&c->units, "N m")},
        {"dx", c->physical ? "m" : "cells"},
        {"dt", c->physical ? "s" : "steps"},
        {"tau", "steps"},
    };
    wabe_json_open(json, "units", '{');
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        wabe_json_text(json, rows[i][0], rows[i][1]);
    if (wabe_flow_is_porous(flow)) {
        wabe_json_text(json, "porous", "lattice units");
        wabe_json_text(json, "porous.csv", "lattice units");
        wabe_json_text(json, "residence.csv", "steps");
    }
    wabe_json_close(json, '}');
}

static void put(const wabe_run *run, wabe_json *json) {
    const wabe_flow *flow = wabe_flow_of(run);
    put_case(run, json);
    put_state(run, json);
    wabe_flow_put_residency(run, json);
    if (flow->porous_measured)
        wabe_porous_put(&flow->lbm_case.porous, &flow->porous, json);
    wabe_forces_put(run, json);
    put_units(run, json);
}

static void print_scalar(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_scalar_case *s = &flow->lbm_case.scalar;
    const double cells = (double)run->updates;
    double means[5], n[3];
    if (!s->present || flow->last.broken > 0)
        return;
    wabe_flow_scalar_means(flow, cells, means);
    for (int d = 0; d < 3; d++)
        n[d] = wabe_scalar_nusselt(s, d, wabe_sum_value(flow->last.scalar_flux[d]) / cells);
    wabe_log_line(
        "scalar     mean %.6g, from %.6g to %.6g; its mean flux along x, y, z %.4g, %.4g, %.4g",
        means[0], flow->scalar_low, flow->scalar_high, means[2], means[3], means[4]);
    if (s->range > 0.0)
        wabe_log_line("           over that of conduction %.4g, %.4g, %.4g, between two walls the "
                      "Nusselt number",
                      n[0], n[1], n[2]);
}

static void print(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    print_scalar(run);
    if (wabe_flow_is_porous(flow))
        wabe_porous_print(&flow->lbm_case.porous, &flow->porous);
    wabe_forces_print(run);
    wabe_flow_print_copies(run);
}

void wabe_flow_enter_report(wabe_application *app) {
    app->print_model = print_model;
    app->print_more = print_more;
    app->conclude = conclude;
    app->put = put;
    app->print = print;
}
