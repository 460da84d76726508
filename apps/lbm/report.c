/* What a run says about itself: the derived table before it, results.json, timing.json and the
 * table of phases after it. */
#include "apps/runtime/report.h"
#include "apps/lbm/lbm.h"
#include "apps/runtime/domain_report.h"

#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/sum_over_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- before ------------------------------------------------------------------------- */

static void print_units(const wabe_lbm_case *c, const wabe_lbm_options *o) {
    if (!c->physical)
        return;
    wabe_log_line("units      dx %.4g m, dt %.4g s, velocity %.4g m/s, simulated time %.4g s",
                  c->dx, c->dt, c->velocity * c->dx / c->dt, c->dt * (double)o->steps);
}

void wabe_lbm_print_solids(const wabe_lbm_run_state *run) {
    const wabe_lbm_solids *s = &run->lbm_case.solids;
    if (s->has_bed)
        wabe_log_line("bed        %d particles up to z = %.1f, porosity %.4f there, %.2f contacts "
                      "each, deepest overlap %.2g cells",
                      s->bed.particles, s->bed.top, s->bed.porosity, s->bed.contacts,
                      s->bed.overlap);
    if (run->lbm_case.simulation.geometry.filled)
        wabe_log_line("filled     %lld cells, %.3g %% of the fluid, that lead nowhere",
                      (long long)run->fill.cells,
                      100.0 * (double)run->fill.cells / (double)(run->fill.cells + run->fill.left));
    wabe_porous_print_pores(&run->lbm_case.porous, &run->pores);
}

static void print_list_choice(const wabe_lbm_run_state *run, bool list) {
    const double price = run->lbm_case.simulation.model.list_price;
    char by_machine[WABE_STRING_SIZE + 64] = "";
    if (price != 1.0)
        snprintf(by_machine, sizeof by_machine, ", each byte taking %.2f times as long by %s",
                 price, run->machine_file);
    wabe_log_line("           dense, it works on %.2f cells for each fluid one; a list moves %d B "
                  "more for each%s: %s",
                  (double)run->pores.touched / (double)run->pores.fluid, WABE_PLACES_BYTES,
                  by_machine, list ? "a list is taken" : "no list");
}

static void print_parts(const wabe_lbm_run_state *run) {
    const wabe_lbm_options *o = &run->options;
    for (int i = 0; i < run->part_count; i++) {
        const wabe_lbm_part *part = &run->parts[i];
        int64_t n[3], numbers = 0;
        for (int d = 0; d < 3; d++)
            n[d] = wabe_samples(wabe_box_extent(part->box, d), part->stride);
        for (int f = 0; f < part->field_count; f++)
            numbers += part->fields[f].field.components;
        const double bytes = (double)(n[0] * n[1]) * (double)n[2] * (double)numbers *
                             (double)wabe_type_size(part->type);
        char every[64] = "after the last step";
        if (part->every > 0)
            snprintf(every, sizeof every, "every %lld steps", (long long)part->every);
        wabe_log_line("%-10s %s: %lld x %lld x %lld cells, %lld numbers of %s each, %.1f MB %s",
                      i == 0 ? "output" : "", part->name, (long long)n[0], (long long)n[1],
                      (long long)n[2], (long long)numbers, wabe_type_word(part->type), 1e-6 * bytes,
                      every);
    }
    if (run->probe_count > 0)
        wabe_log_line("%-10s %d, every %lld steps", "probes", run->probe_count,
                      (long long)o->output.probe_every);
    const int64_t first = o->output.average.begin + o->output.average.every;
    if (wabe_lbm_has_averages(run) && first > o->steps)
        wabe_log_warning("output.average: means are of states from step %lld on, and the run ends "
                         "after %lld: they will not be numbers",
                         (long long)first, (long long)o->steps);
}

/* Populations, and the sums of means over time. */
static void print_checkpoints(const wabe_lbm_run_state *run) {
    const wabe_checkpoint_options *o = &run->options.checkpoint;
    const int64_t *n = run->options.domain.cells;
    const double cell = WABE_Q * (double)wabe_type_size(run->lbm_case.simulation.model.type) +
                        (wabe_lbm_has_averages(run) ? WABE_SUM_ROWS * sizeof(double) : 0);
    char when[96] = "at a signal or the limit of time alone";
    if (o->every > 0)
        snprintf(when, sizeof when, "every %lld steps", (long long)o->every);
    else if (o->minutes > 0.0)
        snprintf(when, sizeof when, "every %g minutes", o->minutes);
    wabe_log_line("%-10s %s, %.1f MB each%s, %lld are kept", "checkpoint", when,
                  1e-6 * cell * (double)n[0] * (double)n[1] * (double)n[2],
                  o->compress ? " before compression" : "", (long long)o->keep);
}

void wabe_lbm_print_case(const wabe_lbm_run_state *run) {
    const wabe_lbm_case *c = &run->lbm_case;
    const wabe_lbm_options *o = &run->options;
    const wabe_lbm_model *m = &c->simulation.model;
    const wabe_decomposition *d = &run->decomposition;
    const int64_t *n = o->domain.cells;
    const double cells = (double)n[0] * (double)n[1] * (double)n[2];
    const double bytes = wabe_lbm_forecast(run);
    wabe_log_line("case       %s: %lld x %lld x %lld cells, %lld steps", o->name, (long long)n[0],
                  (long long)n[1], (long long)n[2], (long long)o->steps);
    const bool list = wabe_simulation_expects_list(&c->simulation);
    wabe_log_line("model      D3Q19 %s, %s, %s streaming",
                  wabe_collision_operator_word(m->collision), wabe_type_word(m->type),
                  wabe_streaming_word(list ? WABE_STREAMING_list : m->streaming));
    wabe_log_line("numbers    tau %.8g, viscosity %.8g", c->tau, c->viscosity);
    if (c->velocity > 0.0)
        wabe_log_line(
            "           Re %.6g (velocity %.4g, length %.6g cells), Ma %.4g, grid Re %.4g",
            c->reynolds, c->velocity, c->length, c->mach, c->grid_reynolds);
    else if (c->porous.axis < 0)
        wabe_log_line("           Re unknown: no velocity is given (lbm.velocity)");
    print_units(c, o);
    wabe_log_line("processes  %d = %d x %d x %d, %s, overlap %s%s", run->size, d->processes[0],
                  d->processes[1], d->processes[2], wabe_mode_word(c->node.mode),
                  c->simulation.overlap ? "on" : "off",
                  c->simulation.communicate ? "" : ", NO COMMUNICATION: results will be wrong");
    wabe_log_line(
        "memory     %.1f MB, %.1f B per cell, ghost cells and walls included (fields alone: %.0f)",
        1e-6 * bytes, bytes / cells,
        (double)(19 * wabe_type_size(m->type)) * wabe_streaming_grids(m->streaming));
    wabe_log_line("cost       %s: moves %d B, %d flop per cell", run->kernels[0]->name,
                  run->kernels[0]->bytes, run->kernels[0]->flops);
    print_parts(run);
    print_checkpoints(run);
    if (m->list_price > 0.0 && run->pores.cells > 0)
        print_list_choice(run, list);
    if (run->pores.cells > 0)
        wabe_lbm_print_solids(run);
    wabe_lbm_case_warn(c);
}

/* ---- results.json ------------------------------------------------------------------- */

/* Adds the squares of error and velocity of a row of cells, in units of the vortex's present
 * amplitude. Errors that are not small against it count as one. */
static void add_row_error(const wabe_lbm_case_initial *exact, const int64_t first[3], int64_t nx,
                          const double *moments, int64_t stride, double amplitude, wabe_sum *error,
                          wabe_sum *norm) {
    for (int64_t x = 0; x < nx; x++) {
        double known[4];
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

/* Relative L2 error of the velocity against the exact solution, where one is known; else NAN.
 * Collective. */
static wabe_status error_against_exact(const wabe_lbm_run_state *run, double *out) {
    *out = NAN;
    wabe_lbm_case_initial exact = wabe_lbm_case_initial_of(&run->options, &run->lbm_case);
    exact.time = (double)wabe_simulation_steps(run->simulation);
    const double amplitude = wabe_lbm_case_vortex(&exact);
    if (!(amplitude > 0.0))
        return WABE_OK;
    const wabe_box block = run->block;
    const int64_t nx = wabe_box_extent(block, 0), ny = wabe_box_extent(block, 1);
    double *moments = malloc((size_t)(4 * nx * ny + 1) * sizeof *moments);
    wabe_status status = moments ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for a plane");
    wabe_sum error = {0}, norm = {0};
    wabe_box plane = block;
    for (int64_t z = block.begin[2]; z < block.end[2] && status == WABE_OK; z++) {
        plane.begin[2] = z, plane.end[2] = z + 1;
        status = wabe_simulation_moments(run->simulation, plane, moments);
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

static double rate_of(const wabe_lbm_run_state *run, double cells) {
    return run->seconds > 0.0 ? cells * (double)run->simulation->domain.step / run->seconds : 0.0;
}

static void put_state(const wabe_lbm_run_state *run, wabe_json *json, double error, uint64_t hash) {
    const double cells = (double)run->fluid_cells;
    const double before = run->mass_at_start, after = wabe_sum_value(run->last.mass);
    static const char *const names[] = {"mean_velocity_x", "mean_velocity_y", "mean_velocity_z"};
    char text[32];
    if (run->last.broken > 0) { /* sums leave broken cells out */
        wabe_json_integer(json, "broken_cells", run->last.broken);
        return;
    }
    wabe_json_real(json, "mass_drift", (after - before) / (cells + before));
    wabe_json_real(json, "mean_density", 1.0 + after / cells);
    wabe_json_real(json, "mean_kinetic_energy", wabe_sum_value(run->last.energy) / cells);
    wabe_json_real(json, "max_velocity", sqrt(run->last.speed_squared));
    for (int d = 0; d < 3; d++)
        wabe_json_real(json, names[d], wabe_sum_value(run->last.momentum[d]) / cells);
    if (isfinite(error))
        wabe_json_real(json, "velocity_error_l2", error);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    wabe_json_text(json, "state_hash", text);
}

static void put_case(const wabe_lbm_run_state *run, wabe_json *json) {
    const int64_t *n = run->options.domain.cells;
    const double cells = (double)n[0] * (double)n[1] * (double)n[2];
    wabe_json_text(json, "application", "lbm");
    wabe_json_text(json, "units", "lattice"); /* times dx, dt: metres, seconds */
    wabe_json_real(json, "dx", run->lbm_case.dx);
    wabe_json_real(json, "dt", run->lbm_case.dt);
    wabe_json_text(json, "name", run->options.name);
    wabe_json_text(json, "status", run->status);
    wabe_json_text(json, "mode", wabe_mode_word(run->lbm_case.node.mode));
    wabe_json_integer(json, "steps", wabe_simulation_steps(run->simulation));
    wabe_json_integer(json, "first_step", run->simulation->first_step);
    if (wabe_lbm_has_averages(run))
        wabe_json_integer(json, "averaged_states", run->samples);
    wabe_json_integer(json, "ranks", run->size);
    wabe_json_integer(json, "cells", n[0] * n[1] * n[2]);
    wabe_json_integer(json, "fluid_cells", run->fluid_cells);
    if (run->options.fill)
        wabe_json_integer(json, "filled_cells", run->fill.cells);
    wabe_json_real(json, "seconds", run->seconds);
    wabe_json_real(json, "mlups", 1e-6 * rate_of(run, cells));
    wabe_json_real(json, "mflups", 1e-6 * rate_of(run, (double)run->fluid_cells));
    wabe_json_real(json, "copy_bandwidth", run->copy_bandwidth);
    wabe_json_integer(json, "memory", run->memory);
    wabe_json_real(json, "reynolds", run->lbm_case.velocity > 0.0 ? run->lbm_case.reynolds : NAN);
    wabe_json_real(json, "tau", run->lbm_case.tau);
    wabe_json_real(json, "viscosity", run->lbm_case.viscosity);
    wabe_json_real(json, "reference_velocity", run->lbm_case.velocity);
}

typedef struct {
    const wabe_lbm_run_state *run;
    double error;
    wabe_slab_report *components;
    uint64_t hash;
    wabe_spread phases[WABE_PHASE_COUNT];
} measured;

static void write_results(const void *context, wabe_json *json) {
    const measured *m = context;
    const wabe_lbm_run_state *run = m->run;
    put_case(run, json);
    wabe_domain_put_slabs(&run->simulation->domain, m->components, json);
    put_state(run, json, m->error, m->hash);
    if (run->lbm_case.porous.axis >= 0 && run->porous_measured)
        wabe_porous_put(&run->lbm_case.porous, &run->porous, json);
}

static void write_timing(const void *context, wabe_json *json) {
    const measured *m = context;
    const wabe_lbm_run_state *run = m->run;
    wabe_json_real(json, "seconds", run->seconds);
    wabe_json_integer(json, "ranks", run->size);
    wabe_report_put_phases(m->phases, json);
    wabe_lbm_put_forecast(run, m->phases, json);
}

wabe_status wabe_lbm_write_results(wabe_lbm_run_state *run) {
    measured m = {.run = run, .error = NAN};
    WABE_TRY(wabe_simulation_hash(run->simulation, &m.hash));
    wabe_status status = wabe_domain_report(&run->simulation->domain, &m.components);
    if (status == WABE_OK && run->last.broken == 0)
        status = error_against_exact(run, &m.error);
    if (status == WABE_OK) {
        wabe_report_phases(run->comm, &run->simulation->domain.profile, m.phases);
        status = wabe_report_results(run->comm, run->directory,
                                     !run->restart || run->simulation->domain.step > 0,
                                     write_results, write_timing, &m);
    }
    free(m.components);
    return status;
}

/* ---- after -------------------------------------------------------------------------- */

void wabe_lbm_print_timing(wabe_lbm_run_state *run) {
    const wabe_profile *profile = &run->simulation->domain.profile;
    wabe_spread phases[WABE_PHASE_COUNT];
    wabe_report_phases(run->comm, profile, phases);
    wabe_report_print_phases(phases, fmax(run->seconds + profile->seconds[WABE_PHASE_output], 1e-9),
                             run->options.parallel.separate);
    wabe_lbm_print_forecast(run, phases);
    const int bytes = run->kernels[0]->bytes;
    const double rate = rate_of(run, (double)run->fluid_cells);
    wabe_log_line(" ");
    wabe_log_line(
        "rate       %.1f million fluid cells per second (MFLUPS) in %.2f s: %.1f GB/s, %.0f %% of "
        "the copy bandwidth (%.1f GB/s)",
        1e-6 * rate, run->seconds, 1e-9 * rate * bytes, 100.0 * rate * bytes / run->copy_bandwidth,
        1e-9 * run->copy_bandwidth);
    const int64_t *n = run->options.domain.cells;
    wabe_log_line("memory     %.1f MB, %.1f B per cell", 1e-6 * (double)run->memory,
                  (double)run->memory / ((double)n[0] * (double)n[1] * (double)n[2]));
}
