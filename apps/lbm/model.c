/* The performance model's forecast of a run, beside what was measured. */
#include "apps/lbm/lbm.h"

#include "core/base/log.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

void wabe_lbm_price_lists(wabe_lbm_run_state *run, const wabe_machine *machine, wabe_target target,
                          double cells) {
    wabe_simulation_options *s = &run->lbm_case.simulation;
    if (s->model.list_price > 0.0)
        s->model.list_price = wabe_forecast_list_price(machine, target, cells, s);
}

wabe_status wabe_lbm_read_machine(wabe_lbm_run_state *run) {
    int there = run->machine_asked || access(run->machine_file, R_OK) == 0;
    MPI_Bcast(&there, 1, MPI_INT, 0, run->comm);
    if (!there && run->lbm_case.balance == WABE_BALANCE_MODEL)
        return wabe_config_fail(run->config, "parallel.balance",
                                "is \"model\", which needs a machine file: --machine FILE, or %s "
                                "here, which wabe calibrate writes",
                                WABE_MACHINE_FILE);
    if (!there)
        return WABE_OK;
    const wabe_status status = wabe_machine_read(run->comm, run->machine_file, &run->machine);
    if (status == WABE_OK) /* all slabs of a process choose as its first one */
        wabe_lbm_price_lists(run, &run->machine, run->components.list[0].target,
                             (double)wabe_box_cells(run->block) / run->components.count);
    if (status != WABE_INPUT || run->machine_asked || run->lbm_case.balance == WABE_BALANCE_MODEL)
        return status;
    wabe_log_warning("no forecast: %s", wabe_error_message()); /* nobody has named the file */
    return WABE_OK;
}

wabe_status wabe_lbm_balance_by_machine(wabe_lbm_run_state *run) {
    const wabe_status status = wabe_balance_foresee(run->comm, &run->lbm_case.simulation,
                                                    run->block, &run->machine, &run->components);
    return status == WABE_INPUT
               ? WABE_FAIL(WABE_INPUT, "%s: %s", run->machine_file, wabe_error_message())
               : status;
}

static void forget_machine(wabe_lbm_run_state *run) {
    wabe_machine_free(&run->machine);
    run->machine.component_count = 0;
}

void wabe_lbm_foresee(wabe_lbm_run_state *run) {
    const wabe_forecast *f = &run->forecast;
    if (run->machine.component_count == 0)
        return;
    if (wabe_forecast_make(&run->machine, run->simulation, &run->forecast) == WABE_OK) {
        wabe_log_line("forecast   %.4g ms a step, by %s (%s)%s%s", 1e3 * f->seconds,
                      run->machine_file, run->machine.name,
                      f->measured ? "" : "; kernels not measured",
                      f->inside ? "" : "; slabs far from the sizes in it: extrapolated");
        return;
    }
    wabe_log_warning("no forecast from %s: %s", run->machine_file, wabe_error_message());
    forget_machine(run); /* no reason not to run */
}

/* ---- predicted and measured --------------------------------------------------------- */

/* Milliseconds of a step. */
typedef struct {
    const char *what;
    double predicted, measured;
} row;

enum { ROWS = 3 };

static double per_step(const wabe_lbm_run_state *run, double seconds) {
    const double steps = (double)run->simulation->domain.step;
    return steps > 0.0 ? 1e3 * seconds / steps : 0.0;
}

/* A step without what comes between steps. */
static row step_row(const wabe_lbm_run_state *run, const wabe_spread *phases) {
    return (row){"step", 1e3 * run->forecast.seconds,
                 per_step(run, run->seconds - phases[WABE_PHASE_monitor].max)};
}

/* Of a slab of this process. The phases of a device's are hidden from the host but for its kernels;
 * processors work on all their slabs at once. Who waits least for messages waits for nobody. */
static int slab_rows(const wabe_lbm_run_state *run, const wabe_spread *phases, int slab,
                     row rows[ROWS]) {
    const wabe_simulation *s = run->simulation;
    const wabe_model_step *p = &run->forecast.slabs[slab];
    const double *seconds = s->domain.profile.seconds;
    if (p->device) {
        rows[0] = (row){"kernels", 1e3 * (p->outer + p->inner),
                        per_step(run, wabe_lbm_seconds(s->slabs[slab]))};
        return 1;
    }
    const double exchange = phases[WABE_PHASE_pack].min + phases[WABE_PHASE_wait].min +
                            phases[WABE_PHASE_unpack].min;
    rows[0] = (row){"outer", 1e3 * p->outer, per_step(run, seconds[WABE_PHASE_outer])};
    rows[1] = (row){"inner", 1e3 * p->inner, per_step(run, seconds[WABE_PHASE_inner])};
    rows[2] = (row){"exchange",
                    1e3 * (wabe_model_step_seconds(*p, s->options.overlap) - p->outer - p->inner),
                    per_step(run, exchange)};
    return ROWS;
}

/* Memory is not always as fast as when the machine was measured: this run's copy, of the file's. */
static double memory_mood(const wabe_lbm_run_state *run) {
    return run->copy_bandwidth / run->forecast.copy;
}

static double deviation(row r) { return r.measured > 0.0 ? r.predicted / r.measured - 1.0 : NAN; }

static void print_row(const char *who, row r) {
    if (r.predicted > 0.0 && r.measured > 0.0)
        wabe_log_line("%-18s %-14s %10.4f %10.4f %+9.1f %%", who, r.what, r.predicted, r.measured,
                      100.0 * deviation(r));
}

/* Rank 0's slabs stand for all. */
void wabe_lbm_print_forecast(const wabe_lbm_run_state *run, const wabe_spread *phases) {
    if (run->machine.component_count == 0 || run->simulation->domain.step == 0)
        return;
    wabe_log_line(" ");
    wabe_log_line("%-18s %-14s %10s %10s   ms a step", "model", "", "predicted", "measured");
    print_row("all", step_row(run, phases));
    for (int i = 0; i < run->forecast.count && run->rank == 0; i++) {
        row rows[ROWS];
        char who[64];
        const int count = slab_rows(run, phases, i, rows);
        snprintf(who, sizeof who, "rank 0 %s", run->simulation->domain.components.list[i].name);
        for (int k = 0; k < count; k++)
            print_row(who, rows[k]);
    }
    wabe_log_line("copies at %.1f GB/s now, %.2f times what %s has", 1e-9 * run->copy_bandwidth,
                  memory_mood(run), run->machine_file);
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

void wabe_lbm_put_forecast(const wabe_lbm_run_state *run, const wabe_spread *phases,
                           wabe_json *json) {
    if (run->machine.component_count == 0)
        return;
    wabe_json_text(json, "machine", run->machine.name);
    wabe_json_real(json, "copy_of_machine", memory_mood(run));
    wabe_json_boolean(json, "kernels_were_measured", run->forecast.measured);
    wabe_json_open(json, "model", '[');
    put_row(json, "all", step_row(run, phases));
    for (int i = 0; i < run->forecast.count; i++) {
        row rows[ROWS];
        const int count = slab_rows(run, phases, i, rows);
        for (int k = 0; k < count; k++)
            put_row(json, run->simulation->domain.components.list[i].name, rows[k]);
    }
    wabe_json_close(json, ']');
}
