/* Preparation of a run: components, their planes, kernels; and the table of the case. */
#include "apps/runtime/balance.h"
#include "apps/runtime/residency.h"
#include "apps/runtime/run_internal.h"

#include "core/base/log.h"
#include "core/io/image.h"

static wabe_status choose_residency(wabe_run *run) {
    run->pass_steps = 0;
    run->streamed = (wabe_run_streamed){.told = run->streamed.told};
    if (run->app->choose_residency)
        return run->app->choose_residency(run);
    if (run->o->parallel.steps_per_pass > 1)
        return wabe_config_fail(run->config, "parallel.steps_per_pass",
                                "is for flows: application = \"%s\" does not use it",
                                run->app->name);
    return run->o->parallel.residency != WABE_RESIDENCY_STREAMED
               ? WABE_OK
               : wabe_config_fail(run->config, "parallel.residency",
                                  "cannot be \"streamed\": application = \"%s\" is always resident",
                                  run->app->name);
}

/* ---- components and planes ---------------------------------------------------------- */

wabe_status wabe_run_prepare(wabe_run *run) {
    const wabe_node_options node = wabe_run_node(run->o);
    WABE_CHECK(!run->input->restart || run->app->array_count > 0, WABE_INPUT,
               "--restart: application = \"%s\" has no checkpoints", run->app->name);
    WABE_CHECK(run->input->restart || !run->input->change_physics, WABE_INPUT,
               "--change-physics is for runs that go on from a checkpoint: give --restart, too");
    WABE_TRY(wabe_components_choose(run->comm, run->config, &node, &run->components));
    wabe_status status = wabe_balance_prepare((wabe_balance)run->o->parallel.balance, run->block,
                                              run->app->grain[2], &run->components);
    if (status != WABE_OK)
        status = wabe_config_fail_because(run->config, "parallel.balance", "cannot be met");
    WABE_TRY(wabe_agree(run->comm, status));
    WABE_TRY(choose_residency(run));
    if (run->app->survey) {
        WABE_TRY(
            wabe_run_check_memory(run, WABE_AT_LEAST)); /* surveying too many cells takes minutes */
        WABE_TRY(run->app->survey(run));
        WABE_TRY(choose_residency(run)); /* by the share of fluid cells */
    }
    WABE_TRY(wabe_run_read_machine(run));
    WABE_TRY(run->app->plan(run));
    return wabe_run_check_memory(run, WABE_ABOUT);
}

wabe_status wabe_run_balance(wabe_run *run) {
    if (wabe_run_is_balance(run, WABE_BALANCE_MEASURED))
        WABE_TRY(wabe_balance_measure(run));
    if (wabe_run_is_balance(run, WABE_BALANCE_MODEL))
        WABE_TRY(wabe_balance_predict(run));
    WABE_TRY(run->app->plan(run)); /* for the present planes */
    return wabe_agree(run->comm, wabe_run_check_devices(run));
}

/* ---- the table ---------------------------------------------------------------------- */

static void print_part(const wabe_run_part *part, bool first) {
    int64_t n[3], numbers = 0;
    double layers = 1.0;
    char every[64] = "after the last step";
    for (int d = 0; d < 3; d++)
        n[d] = wabe_samples(wabe_box_extent(part->box, d), part->stride);
    for (int f = 0; f < part->field_count; f++)
        numbers += part->fields[f]->count;
    if (part->every > 0)
        snprintf(every, sizeof every, "every %lld steps", (long long)part->every);
    else if (part->interval > 0.0)
        snprintf(every, sizeof every, "at each %g of time", part->interval);
    for (int d = 0; d < 3; d++)
        layers *= (double)wabe_output_layers(n[d]);
    const double bytes = layers * (double)numbers * (double)wabe_type_size(part->type);
    if (part->drawn)
        wabe_log_line("%-10s %s: %lld x %lld x %lld cells, a picture of %s%s%s %s",
                      first ? "output" : "", part->name, (long long)n[0], (long long)n[1],
                      (long long)n[2], part->fields[0]->name, part->field_count > 1 ? " and " : "",
                      part->field_count > 1 ? part->fields[1]->name : "", every);
    else
        wabe_log_line("%-10s %s: %lld x %lld x %lld cells, %lld numbers of %s each, %.1f MB %s",
                      first ? "output" : "", part->name, (long long)n[0], (long long)n[1],
                      (long long)n[2], (long long)numbers, wabe_type_word(part->type), 1e-6 * bytes,
                      every);
}

static void print_parts(const wabe_run *run) {
    const wabe_run_options *o = run->o;
    if (run->part_count > run->written_count && o->output.legend && !wabe_image_has_legends())
        wabe_log_line("%-10s without legends: Wabe was built without cairo", "pictures");
    for (int i = 0; i < run->part_count; i++)
        print_part(&run->parts[i], i == 0);
    if (run->probe_count > 0)
        wabe_log_line("%-10s %d, every %lld steps", "probes", run->probe_count,
                      (long long)o->output.probe_every);
    const int64_t first = o->output.average.begin + o->output.average.every;
    if (run->averages.kept && first > o->steps && run->app->duration == 0.0)
        wabe_run_warn(
            run, "output.average",
            "output.average: means are of states from step %lld on, and the run ends after "
            "%lld: they will be 0, of no state",
            (long long)first, (long long)o->steps);
}

/* Their size: the state and the sums over time. */
static void print_checkpoints(const wabe_run *run) {
    const wabe_checkpoint_options *o = &run->o->checkpoint;
    const double cell = (double)run->app->array_count *
                            (double)wabe_type_size(run->app->array_type) +
                        (double)run->averages.rows * sizeof(double);
    char when[96] = "at a signal or the limit of time alone";
    if (wabe_run_must_be_steady(run))
        snprintf(when, sizeof when, "if it is not steady, at a signal or the limit of time");
    if (o->every > 0)
        snprintf(when, sizeof when, "every %lld steps", (long long)o->every);
    else if (o->minutes > 0.0)
        snprintf(when, sizeof when, "every %g minutes", o->minutes);
    else if (o->last)
        snprintf(when, sizeof when, "after the last step");
    wabe_log_line("%-10s %s, %.1f MB each%s, %lld are kept", "checkpoint", when,
                  1e-6 * cell * wabe_run_cells(run), o->compress ? " before compression" : "",
                  (long long)o->keep);
}

/* Time steps per pass over memory. */
static const char *passes_of(const wabe_run *run, char text[], size_t size) {
    text[0] = '\0';
    if (run->depth > 1)
        snprintf(text, size, ", %d time steps at once", run->depth);
    return text;
}

/* What a process computes on: "NVIDIA H200 and 15 threads". */
static const char *hardware_of(const wabe_components *c, char text[], size_t size) {
    const wabe_device *gpu = NULL;
    int gpus = 0, threads = 0;
    size_t used = 0;
    for (int i = 0; i < c->count; i++) {
        gpu = c->list[i].device ? c->list[i].device : gpu;
        gpus += c->list[i].device != NULL;
        threads += c->list[i].device ? 0 : c->list[i].threads;
    }
    if (gpus > 1)
        used = (size_t)snprintf(text, size, "%d x ", gpus);
    if (gpus > 0)
        used += (size_t)snprintf(text + used, size - used, "%s%s", wabe_device_describe(gpu)->name,
                                 threads > 0 ? " and " : "");
    if (threads > 0)
        snprintf(text + used, size - used, "%d thread%s", threads, threads > 1 ? "s" : "");
    return text;
}

static void print_processes(const wabe_run *run) {
    const wabe_parallel_options *o = &run->o->parallel;
    const int *p = run->decomposition.processes;
    char hardware[256], how[64] = "";
    if (wabe_log_is_verbose())
        snprintf(how, sizeof how, ", %s, overlap %s", wabe_mode_word((wabe_mode)o->mode),
                 o->overlap ? "on" : "off");
    wabe_log_line("processes  %d = %d x %d x %d, %s %s%s%s", run->size, p[0], p[1], p[2],
                  run->size > 1 ? "the first with" : "with",
                  hardware_of(&run->components, hardware, sizeof hardware), how,
                  o->communication == 0 ? "" : ", NO COMMUNICATION: results will be wrong");
}

/* passes: how they are done, or "". */
static void print_cost(const wabe_run *run, const char *passes) {
    wabe_step_cost cost;
    if (run->app->cost(run, run->o->domain.cells, run->components.list[0].target, &cost))
        wabe_log_detail("cost       %s: a step moves %.0f B, %.0f flop per cell%s",
                        run->kernel->name, cost.flavour.work.bytes, cost.flavour.work.flops,
                        passes);
}

void wabe_run_print_case(const wabe_run *run) {
    const wabe_run_options *o = run->o;
    const int64_t *n = o->domain.cells;
    char length[WABE_RUN_LENGTH_SIZE], passes[64];
    wabe_log_line("case       %s: %lld x %lld x %lld cells, %s", o->name, (long long)n[0],
                  (long long)n[1], (long long)n[2], wabe_run_length(run, length));
    if (run->app->print_model)
        run->app->print_model(run);
    wabe_residency_print(run);
    print_processes(run);
    wabe_run_print_memory(run);
    print_cost(run, passes_of(run, passes, sizeof passes));
    print_parts(run);
    if (run->app->array_count > 0)
        print_checkpoints(run);
    if (run->app->print_more)
        run->app->print_more(run);
}
