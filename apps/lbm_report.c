/* What a run says about itself: the derived table before it, results.json, timing.json and the
 * table of phases after it. */
#include "apps/lbm.h"

#include "core/json.h"
#include "core/log.h"
#include "core/sum_over_ranks.h"

#include <errno.h>
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

void wabe_lbm_print_case(const wabe_lbm_run_state *run) {
    const wabe_lbm_case *c = &run->lbm_case;
    const wabe_lbm_options *o = &run->options;
    const wabe_lbm_model *m = &c->simulation.model;
    const wabe_decomposition *d = &run->decomposition;
    const int64_t *n = o->domain.cells;
    const double cells = (double)n[0] * (double)n[1] * (double)n[2];
    int64_t bytes = 0;
    for (int rank = 0; rank < run->size; rank++)
        bytes += wabe_simulation_forecast(&c->simulation, d, rank);
    const wabe_component component = wabe_component_detect(c->simulation.threads);
    wabe_log_line("case       %s: %lld x %lld x %lld cells, %lld steps", o->name, (long long)n[0],
                  (long long)n[1], (long long)n[2], (long long)o->steps);
    wabe_log_line("model      D3Q19 %s, %s, %s streaming",
                  wabe_collision_operator_word(m->collision), wabe_type_word(m->type),
                  wabe_streaming_word(m->streaming));
    wabe_log_line("numbers    tau %.8g, viscosity %.8g", c->tau, c->viscosity);
    if (c->velocity > 0.0)
        wabe_log_line(
            "           Re %.6g (velocity %.4g, length %.6g cells), Ma %.4g, grid Re %.4g",
            c->reynolds, c->velocity, c->length, c->mach, c->grid_reynolds);
    else
        wabe_log_line("           Re unknown: no velocity is given (lbm.velocity)");
    print_units(c, o);
    wabe_log_line("processes  %d = %d x %d x %d, %d threads each, %s, overlap %s%s", run->size,
                  d->processes[0], d->processes[1], d->processes[2], component.threads,
                  wabe_instruction_set_word(component.instruction_set),
                  c->simulation.overlap ? "on" : "off",
                  c->simulation.communicate ? "" : ", NO COMMUNICATION: results will be wrong");
    wabe_log_line(
        "memory     %.1f MB, %.1f B per cell, ghost cells and walls included (fields alone: %.0f)",
        1e-6 * (double)bytes, (double)bytes / cells,
        (double)(19 * wabe_type_size(m->type)) * wabe_streaming_grids(m->streaming));
    wabe_log_line("cost       %s: moves %d B, %d flop per cell", run->kernel->name,
                  run->kernel->bytes, run->kernel->flops);
    wabe_lbm_case_warn(c);
}

/* ---- results.json ------------------------------------------------------------------- */

/* Adds the squares of error and velocity of a row of cells, in units of the vortex's present
 * amplitude. Errors that are not small against it count as one. */
static void add_row_error(const wabe_lbm_case_initial *exact, const int64_t first[3], int64_t nx,
                          const double *moments, double amplitude, wabe_sum *error,
                          wabe_sum *norm) {
    for (int64_t x = 0; x < nx; x++) {
        double known[4];
        wabe_lbm_case_moments(exact, (int64_t[3]){first[0] + x, first[1], first[2]}, known);
        for (int d = 1; d < 4; d++) {
            const double deviation = (moments[d * nx + x] - known[d]) / amplitude;
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
    exact.time = (double)run->simulation->lbm->step;
    const double amplitude = wabe_lbm_case_vortex(&exact);
    if (!(amplitude > 0.0))
        return WABE_OK;
    const wabe_box block = run->simulation->lbm->block;
    const int64_t nx = wabe_box_extent(block, 0);
    double *moments = malloc((size_t)(4 * nx + 1) * sizeof *moments);
    wabe_status status =
        wabe_agree(run->comm, moments ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for a row"));
    wabe_sum error = {0}, norm = {0};
    wabe_box row = block;
    for (int64_t z = block.begin[2]; z < block.end[2] && status == WABE_OK; z++)
        for (int64_t y = block.begin[1]; y < block.end[1]; y++) {
            row.begin[1] = y, row.end[1] = y + 1, row.begin[2] = z, row.end[2] = z + 1;
            wabe_lbm_moments(run->simulation->lbm, row, moments);
            add_row_error(&exact, row.begin, nx, moments, amplitude, &error, &norm);
        }
    free(moments);
    if (status != WABE_OK)
        return status;
    wabe_sum_over_ranks(run->comm, &error);
    wabe_sum_over_ranks(run->comm, &norm);
    *out = sqrt(wabe_sum_value(error) / wabe_sum_value(norm));
    return WABE_OK;
}

/* What each process has to say of its component. */
typedef struct {
    char name[32], kind[16], kernel[96];
    int threads;
    double seconds; /* of computing */
} component_report;

static component_report report_component(const wabe_lbm_run_state *run) {
    const wabe_simulation *s = run->simulation;
    component_report c = {.threads = s->component.threads,
                          .seconds = s->profile.seconds[WABE_PHASE_outer] +
                                     s->profile.seconds[WABE_PHASE_inner]};
    snprintf(c.name, sizeof c.name, "%s", s->component.name);
    snprintf(c.kind, sizeof c.kind, "%s", wabe_target_word(s->component.target));
    snprintf(c.kernel, sizeof c.kernel, "%s", s->lbm->kernels[WABE_SWEEP_stream_collide]->name);
    return c;
}

static void put_components(const wabe_lbm_run_state *run, wabe_json *json,
                           const component_report *reports) {
    static const char *const keys[3][2] = {{"x_begin", "x_end"},
                                           {"y_begin", "y_end"},
                                           {"z_begin", "z_end"}};
    wabe_json_open(json, "components", '[');
    for (int rank = 0; rank < run->size; rank++) {
        const wabe_box block = wabe_decomposition_block(&run->decomposition, rank);
        wabe_json_open(json, NULL, '{');
        wabe_json_text(json, "name", reports[rank].name);
        wabe_json_text(json, "kind", reports[rank].kind);
        wabe_json_integer(json, "rank", rank);
        for (int d = 0; d < 3; d++) {
            wabe_json_integer(json, keys[d][0], block.begin[d]);
            wabe_json_integer(json, keys[d][1], block.end[d]);
        }
        wabe_json_integer(json, "threads", reports[rank].threads);
        wabe_json_text(json, "kernel", reports[rank].kernel);
        wabe_json_real(json, "seconds", reports[rank].seconds);
        wabe_json_close(json, '}');
    }
    wabe_json_close(json, ']');
}

static double rate_of(const wabe_lbm_run_state *run, double cells) {
    return run->seconds > 0.0 ? cells * (double)run->simulation->lbm->step / run->seconds : 0.0;
}

static void put_state(const wabe_lbm_run_state *run, wabe_json *json, double error, uint64_t hash) {
    const double cells = (double)run->fluid_cells;
    const double before = wabe_sum_value(run->first.mass), after = wabe_sum_value(run->last.mass);
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
    wabe_json_text(json, "mode", "pure-mpi");
    wabe_json_integer(json, "steps", run->simulation->lbm->step);
    wabe_json_integer(json, "cells", n[0] * n[1] * n[2]);
    wabe_json_integer(json, "fluid_cells", run->fluid_cells);
    wabe_json_real(json, "seconds", run->seconds);
    wabe_json_real(json, "mlups", 1e-6 * rate_of(run, cells));
    wabe_json_real(json, "mflups", 1e-6 * rate_of(run, (double)run->fluid_cells));
    wabe_json_real(json, "copy_bandwidth", run->copy_bandwidth);
    wabe_json_integer(json, "memory", run->memory);
    wabe_json_real(json, "reynolds", run->lbm_case.reynolds);
    wabe_json_real(json, "tau", run->lbm_case.tau);
    wabe_json_real(json, "viscosity", run->lbm_case.viscosity);
    wabe_json_real(json, "reference_velocity", run->lbm_case.velocity);
}

/* Rank 0 opens DIRECTORY/NAME, writes through write, and closes it. Local. */
static wabe_status write_json(const wabe_lbm_run_state *run, const char *name,
                              void (*write)(const wabe_lbm_run_state *, wabe_json *, void *),
                              void *context) {
    char path[sizeof run->directory + 64];
    snprintf(path, sizeof path, "%s/%s", run->directory, name);
    FILE *file = fopen(path, "w");
    WABE_CHECK(file, WABE_FILE, "%s: cannot be written: %s", path, strerror(errno));
    wabe_json json = wabe_json_begin(file);
    wabe_json_open(&json, NULL, '{');
    write(run, &json, context);
    wabe_json_close(&json, '}');
    wabe_json_end(&json);
    const bool failed = ferror(file) != 0;
    WABE_CHECK(fclose(file) == 0 && !failed, WABE_FILE, "%s: cannot be written: %s", path,
               strerror(errno));
    return WABE_OK;
}

typedef struct {
    double error;
    component_report *components;
    uint64_t hash;
    wabe_spread phases[WABE_PHASE_COUNT];
} measured;

static void write_results(const wabe_lbm_run_state *run, wabe_json *json, void *context) {
    const measured *m = context;
    put_case(run, json);
    put_components(run, json, m->components);
    put_state(run, json, m->error, m->hash);
}

static void write_timing(const wabe_lbm_run_state *run, wabe_json *json, void *context) {
    const measured *m = context;
    wabe_json_real(json, "seconds", run->seconds);
    wabe_json_integer(json, "ranks", run->size);
    wabe_json_open(json, "phases", '{');
    for (int p = 0; p < WABE_PHASE_COUNT; p++) {
        wabe_json_open(json, wabe_phase_text((wabe_phase)p), '{');
        wabe_json_real(json, "min", m->phases[p].min);
        wabe_json_integer(json, "min_rank", m->phases[p].min_rank);
        wabe_json_real(json, "mean", m->phases[p].mean);
        wabe_json_real(json, "max", m->phases[p].max);
        wabe_json_integer(json, "max_rank", m->phases[p].max_rank);
        wabe_json_close(json, '}');
    }
    wabe_json_close(json, '}');
}

wabe_status wabe_lbm_write_results(wabe_lbm_run_state *run) {
    measured m = {.error = NAN};
    WABE_TRY(wabe_simulation_hash(run->simulation, &m.hash));
    component_report mine = report_component(run);
    m.components = calloc((size_t)run->size, sizeof *m.components);
    wabe_status status =
        wabe_agree(run->comm,
                   m.components ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for the results"));
    if (status == WABE_OK && run->last.broken == 0)
        status = error_against_exact(run, &m.error);
    if (status == WABE_OK) {
        MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, m.components, (int)sizeof mine, MPI_BYTE, 0,
                   run->comm);
        for (int p = 0; p < WABE_PHASE_COUNT; p++)
            m.phases[p] = wabe_spread_over_ranks(run->comm, run->simulation->profile.seconds[p]);
        if (run->rank == 0)
            status = write_json(run, "results.json", write_results, &m);
        if (run->rank == 0 && status == WABE_OK)
            status = write_json(run, "timing.json", write_timing, &m);
        status = wabe_agree(run->comm, status);
    }
    free(m.components);
    return status;
}

/* ---- after -------------------------------------------------------------------------- */

void wabe_lbm_print_timing(wabe_lbm_run_state *run) {
    const double *seconds = run->simulation->profile.seconds;
    wabe_log_line(" ");
    const double total = fmax(run->seconds + seconds[WABE_PHASE_output], 1e-9);
    wabe_log_line("%-18s %10s %10s %10s   of the run", "phase", "min s", "mean s", "max s");
    for (int p = 0; p < WABE_PHASE_COUNT; p++) {
        const wabe_spread s = wabe_spread_over_ranks(run->comm, seconds[p]);
        if (s.max > 0.0)
            wabe_log_line("%-18s %6.2f @%-2d %10.2f %6.2f @%-2d  %5.1f %%",
                          wabe_phase_text((wabe_phase)p), s.min, s.min_rank, s.mean, s.max,
                          s.max_rank, 100.0 * s.mean / total);
    }
    const int bytes = run->simulation->lbm->kernels[WABE_SWEEP_stream_collide]->bytes;
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
