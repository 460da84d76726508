/* The performance model for a run: its forecast compared with measurement, and wabe predict. */
#include "apps/model/predict.h"
#include "apps/runtime/run_internal.h"

#include "core/base/log.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- machine file and forecast ------------------------------------------------------ */

wabe_status wabe_run_read_machine(wabe_run *run) {
    wabe_run_model *m = &run->model;
    const bool needed = run->o->parallel.balance == WABE_BALANCE_MODEL;
    m->asked = run->input->machine != NULL;
    m->file = m->asked ? run->input->machine : WABE_MACHINE_FILE;
    int there = m->asked || access(m->file, R_OK) == 0;
    MPI_Bcast(&there, 1, MPI_INT, 0, run->comm);
    if (!there && needed)
        return wabe_config_fail(run->config, "parallel.balance",
                                "is \"model\", which needs a machine file: --machine FILE, or %s "
                                "here, which wabe calibrate writes",
                                WABE_MACHINE_FILE);
    if (!there)
        return WABE_OK;
    const wabe_status status = wabe_machine_read(run->comm, m->file, &m->machine);
    if (status == WABE_OK && run->app->price) /* all slabs choose as the first one does */
        run->app->price(run, &m->machine, run->components.list[0].target,
                        (double)wabe_box_cells(run->block) / run->components.count);
    if (status != WABE_INPUT || m->asked || needed)
        return status;
    wabe_log_warning("no forecast: %s", wabe_error_message()); /* the user did not name it */
    return WABE_OK;
}

void wabe_run_forecast_step(wabe_run *run) {
    wabe_run_model *m = &run->model;
    const wabe_forecast *f = &m->forecast;
    wabe_step_cost costs[WABE_SLABS_MAX];
    run->app->slab_costs(run, costs);
    run->work = costs[0].flavour.work;
    if (m->machine.component_count == 0)
        return;
    if (wabe_forecast_make(&m->machine, run->domain, costs, &m->forecast) == WABE_OK) {
        if (costs[0].passes.steps > 0.0)
            wabe_log_detail("forecast   %.2f of a resident state's rate", f->resident / f->seconds);
        wabe_log_line("forecast   %.4g ms a step, by %s (%s)%s%s", 1e3 * f->seconds, m->file,
                      m->machine.name, f->measured ? "" : "; kernels not measured",
                      f->inside ? "" : "; slabs far from the sizes in it: extrapolated");
        return;
    }
    wabe_log_warning("no forecast from %s: %s", m->file, wabe_error_message());
    wabe_machine_free(&m->machine); /* the run can do without */
    m->machine.component_count = 0;
}

/* ---- comparison with measurement ---------------------------------------------------- */

/* In milliseconds per step. */
typedef struct {
    const char *what;
    double predicted, measured;
} row;

enum { ROWS = 3 };

static double per_step(const wabe_run *run, double seconds) {
    const double steps = (double)wabe_run_timed_steps(run);
    return steps > 0.0 ? 1e3 * seconds / steps : 0.0;
}

/* A step without what is done between steps. */
static row step_row(const wabe_run *run, const wabe_spread *phases) {
    const double looks = run->app->checks_are_timed ? phases[WABE_PHASE_monitor].max : 0.0;
    return (row){"step", 1e3 * run->model.forecast.seconds, per_step(run, run->seconds - looks)};
}

/* The rows of a slab of this process. Of a device, the host can time only the kernels; CPUs
 * compute all of their slabs in one phase. For the exchange, the minimum over processes is taken,
 * that of a process which does not wait for slower ones. */
static int slab_rows(const wabe_run *run, const wabe_spread *phases, int slab, row rows[ROWS]) {
    const wabe_domain *d = run->domain;
    const wabe_model_step *p = &run->model.forecast.slabs[slab];
    const double *seconds = d->profile.seconds;
    if (p->device) {
        rows[0] = (row){"kernels", 1e3 * (p->outer + p->inner),
                        per_step(run, wabe_timeline_seconds(d->slabs[slab].timeline))};
        return 1;
    }
    const double exchange = phases[WABE_PHASE_pack].min + phases[WABE_PHASE_wait].min +
                            phases[WABE_PHASE_unpack].min;
    rows[0] = (row){"outer", 1e3 * p->outer, per_step(run, seconds[WABE_PHASE_outer])};
    rows[1] = (row){"inner", 1e3 * p->inner, per_step(run, seconds[WABE_PHASE_inner])};
    rows[2] = (row){"exchange",
                    1e3 * (wabe_model_step_seconds(*p, d->options.overlap) - p->outer - p->inner),
                    per_step(run, exchange)};
    return ROWS;
}

/* Memory may be slower or faster than at calibration: the ratio of this run's copy to the
 * file's. */
static double memory_mood(const wabe_run *run) { return run->copy / run->model.forecast.copy; }

static double deviation(row r) { return r.measured > 0.0 ? r.predicted / r.measured - 1.0 : NAN; }

static void print_row(const char *who, row r) {
    if (r.predicted > 0.0 && r.measured > 0.0)
        wabe_log_detail("%-18s %-14s %10.4f %10.4f %+9.1f %%", who, r.what, r.predicted, r.measured,
                        100.0 * deviation(r));
}

/* Prints rank 0's slabs only. */
void wabe_run_print_forecast(const wabe_run *run, const wabe_spread *phases) {
    if (run->model.machine.component_count == 0 || wabe_run_timed_steps(run) == 0)
        return;
    wabe_log_detail(" ");
    wabe_log_detail("%-18s %-14s %10s %10s   ms a step", "model", "", "predicted", "measured");
    print_row("all", step_row(run, phases));
    for (int i = 0; i < run->model.forecast.count && run->rank == 0; i++) {
        row rows[ROWS];
        char who[64];
        const int count = slab_rows(run, phases, i, rows);
        snprintf(who, sizeof who, "rank 0 %s", run->domain->components.list[i].name);
        for (int k = 0; k < count; k++)
            print_row(who, rows[k]);
    }
    if (!isnan(run->copy))
        wabe_log_detail("copies at %.1f GB/s now, %.2f times what %s has", 1e-9 * run->copy,
                        memory_mood(run), run->model.file);
}

static void put_row(wabe_json *json, const char *who, row r) {
    wabe_json_open(json, NULL, '{');
    wabe_json_text(json, "of", who);
    wabe_json_text(json, "what", r.what);
    wabe_json_real(json, "predicted_ms", r.predicted);
    wabe_json_real(json, "measured_ms", r.measured);
    wabe_json_real(json, "deviation", deviation(r));
    wabe_json_close(json, '}');
}

void wabe_run_put_forecast(const wabe_run *run, const wabe_spread *phases, wabe_json *json) {
    const wabe_forecast *f = &run->model.forecast;
    if (run->model.machine.component_count == 0)
        return;
    wabe_json_text(json, "machine", run->model.machine.name);
    wabe_json_real(json, "copy_of_machine", memory_mood(run));
    wabe_json_boolean(json, "kernels_were_measured", f->measured);
    wabe_json_open(json, "model", '[');
    put_row(json, "all", step_row(run, phases));
    for (int i = 0; i < f->count; i++) {
        row rows[ROWS];
        const int count = slab_rows(run, phases, i, rows);
        for (int k = 0; k < count; k++)
            put_row(json, run->domain->components.list[i].name, rows[k]);
    }
    wabe_json_close(json, ']');
}

/* ---- prediction for nodes ----------------------------------------------------------- */

static wabe_scaling_pass pass_of(const void *context, const int64_t cells[3], wabe_target target) {
    const wabe_run *run = context;
    wabe_step_cost cost = {.pass = {.steps = 1, .cost = 1.0}};
    run->app->cost(run, cells, target, &cost);
    return cost.pass;
}

/* Independent of the number of threads, which is not known yet. */
static int64_t memory_of(const void *context, const int64_t cells[3], wabe_target target) {
    const wabe_run *run = context;
    const wabe_component component = {.target = target};
    return (int64_t)run->app->memory(run, &component, cells);
}

static wabe_status stream(const void *context, const int64_t cells[3], int neighbours, int per_node,
                          double room, wabe_model_passes *out, double *host) {
    const wabe_run *run = context;
    WABE_CHECK(run->o->parallel.residency != WABE_RESIDENCY_RESIDENT, WABE_INPUT,
               "parallel.residency is \"resident\"");
    return run->app->stream(run, cells, neighbours, per_node, room, out, host);
}

/* Axes with one process are not cut, unless all have one: then the case says nothing about it. */
static void find_uncut(const int64_t processes[3], bool uncut[3]) {
    const bool all = processes[0] == 1 && processes[1] == 1 && processes[2] == 1;
    for (int d = 0; d < 3; d++)
        uncut[d] = processes[d] == 1 && !all;
}

static wabe_status scaling_of(const wabe_run *run, wabe_scaling_case *out) {
    const wabe_run_options *o = run->o;
    wabe_step_cost cost;
    if (!run->app->cost(run, o->domain.cells, WABE_TARGET_cpu, &cost))
        return wabe_config_fail(run->config, "application",
                                "no kernel of this build is what the case asks for");
    *out = (wabe_scaling_case){.name = o->name,
                               .steps = (int64_t)wabe_run_steps_left(run),
                               .overlap = o->parallel.overlap,
                               .wraps = cost.wraps,
                               .flows = cost.flows,
                               .fluid_share = cost.share,
                               .type = cost.flavour.storage,
                               .transport = (wabe_transport)o->parallel.transport,
                               .node = wabe_run_node(o),
                               .flavour = cost.flavour,
                               .context = run,
                               .pass = pass_of,
                               .memory = memory_of,
                               .device_memory = 1e9 * o->parallel.device_memory_limit,
                               .stream = run->app->stream ? stream : NULL};
    memcpy(out->cells, o->domain.cells, sizeof out->cells);
    memcpy(out->periodic, run->app->periodic, sizeof out->periodic);
    find_uncut(o->parallel.processes, out->uncut);
    for (int d = 0; d < 3; d++)
        out->uncut[d] |= run->app->whole[d];
    return WABE_OK;
}

static void price(wabe_run *run, const wabe_machine *machine) {
    const int gpu = wabe_machine_find(machine, WABE_TARGET_gpu);
    const wabe_machine_component *c = &machine->components[gpu < 0 ? 0 : gpu];
    if (run->app->price)
        run->app->price(run, machine, c->target, wabe_run_cells(run) / c->count);
}

wabe_status wabe_run_predict(wabe_run *run) {
    wabe_prediction prediction;
    wabe_scaling_case scaling;
    wabe_status status = wabe_predict_open(run->comm, run->input, &prediction);
    if (status == WABE_OK && run->app->survey)
        status = run->app->survey(run);
    if (status == WABE_OK) {
        price(run, &prediction.machine);
        status = scaling_of(run, &scaling);
    }
    if (status == WABE_OK)
        status = wabe_predict(run->comm, run->input, &prediction, &scaling);
    wabe_predict_close(&prediction);
    return status;
}
