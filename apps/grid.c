#include "apps/grid_internal.h"

#include "apps/balance.h"
#include "apps/commands.h"
#include "apps/domain_report.h"
#include "apps/limits.h"
#include "apps/report.h"
#include "apps/restart.h"
#include "apps/time_series.h"
#include "comm/node.h"
#include "core/image.h"
#include "core/log.h"
#include "core/output.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static double cells_of(const grid_run *run) {
    const int64_t *n = run->o->domain.cells;
    return (double)n[0] * (double)n[1] * (double)n[2];
}

/* ---- before the run ----------------------------------------------------------------- */

static wabe_status check_options(const grid_run *run) {
    const wabe_component_options *items = run->o->node.components.items;
    if (run->o->parallel.balance == WABE_BALANCE_MODEL)
        return wabe_config_fail(run->config, "parallel.balance",
                                "\"model\" is for application = \"lbm\"; there is \"measured\", "
                                "\"equal\", \"explicit\"");
    for (int i = 0; i < run->o->node.components.count; i++)
        if (items[i].rate_limit > 0.0)
            return wabe_config_fail(run->config, "node.components",
                                    "rate_limit is for application = \"lbm\"");
    return WABE_OK;
}

/* Of component i. */
static wabe_status pick_kernel(const grid_run *run, int i, const wabe_kernel **out) {
    const wabe_grid_model *m = &run->slabs.model;
    const wabe_kernel_request request = {.sweep = m->sweep,
                                         .storage = m->type,
                                         .name_part = m->kernel};
    const wabe_status status = wabe_registry_select(wabe_kernels(), &run->components.list[i],
                                                    &request, out);
    char why[1024];
    snprintf(why, sizeof why, "%s", wabe_error_message());
    if (status == WABE_INPUT && m->kernel[0])
        return wabe_config_fail(run->config, run->app->kernel_key, "cannot be met: %s", why);
    return status;
}

/* The processors among them, or those that a process has beside its GPUs. */
static wabe_component host_of(const wabe_components *c) {
    for (int i = 0; i < c->count; i++)
        if (!c->list[i].device)
            return c->list[i];
    return wabe_component_detect(0);
}

/* Planes that each component is given to begin with. Collective. */
static wabe_status share_planes(grid_run *run, wabe_box block) {
    wabe_status status = wabe_balance_prepare((wabe_balance)run->o->parallel.balance, block,
                                              &run->components);
    char why[1024];
    snprintf(why, sizeof why, "%s", wabe_error_message());
    if (status != WABE_OK)
        status = wabe_config_fail(run->config, "parallel.balance", "cannot be met: %s", why);
    return wabe_agree(run->comm, status);
}

/* Several steps a pass that are asked for need slabs of as many planes, whatever rates say. */
static void keep_passes(const grid_run *run, int64_t planes, int64_t *cuts) {
    const int count = run->components.count;
    const int64_t least = run->app->depth;
    if (least <= 1 || planes < count * least)
        return;
    for (int i = 1; i < count; i++) {
        const int64_t low = cuts[i - 1] + least, high = planes - (count - i) * least;
        cuts[i] = cuts[i] < low ? low : cuts[i] < high ? cuts[i] : high;
    }
}

/* In proportion to what the components copy: grids are bound by memory. Local. */
static wabe_status share_by_copies(grid_run *run, const double *rates) {
    wabe_components *c = &run->components;
    int64_t planes = 0, cuts[WABE_SLABS_MAX + 1];
    for (int i = 0; i < c->count; i++)
        planes += c->planes[i];
    int64_t *below = malloc((size_t)(planes + 1) * sizeof *below);
    WABE_CHECK(below, WABE_MEMORY, "no memory for the balance");
    for (int64_t k = 0; k <= planes; k++)
        below[k] = k;
    wabe_decomposition_share(below, planes, c->count, rates, cuts);
    free(below);
    keep_passes(run, planes, cuts);
    for (int i = 0; i < c->count; i++) {
        c->planes[i] = cuts[i + 1] - cuts[i];
        wabe_log_line("balance    %s copies %.1f GB/s: %lld of %lld planes", c->list[i].name,
                      1e-9 * rates[i], (long long)c->planes[i], (long long)planes);
    }
    return WABE_OK;
}

/* Processes may have different numbers of components. Collective. */
static wabe_status balance(grid_run *run) {
    double rates[WABE_SLABS_MAX];
    WABE_TRY(wabe_limits_of_components(run->comm, &run->components, rates, &run->copy));
    const bool measured = run->o->parallel.balance == WABE_BALANCE_MEASURED;
    return wabe_agree(run->comm, measured && run->components.count > 1 ? share_by_copies(run, rates)
                                                                       : WABE_OK);
}

static wabe_status check_room(const grid_run *run, const char *who, double wanted, double there) {
    const double fitting = cells_of(run) * there / wanted;
    if (wanted <= there)
        return WABE_OK;
    wabe_config_fail(
        run->config, run->app->size_key,
        "gives more cells than fit the memory: %s %.1f GB, %.1f GB are available, %.1f "
        "GB too little; about %.3g million cells would fit, of a cube %.0f^3",
        who, 1e-9 * wanted, 1e-9 * there, 1e-9 * (wanted - there), 1e-6 * fitting,
        floor(cbrt(fitting)));
    return WABE_MEMORY;
}

/* Cells of a component, of which there are several along z. Local. */
static void cells_of_component(const grid_run *run, int i, wabe_box block, int64_t out[3]) {
    for (int axis = 0; axis < 3; axis++)
        out[axis] = wabe_box_extent(block, axis);
    if (run->components.count > 1)
        out[2] = run->components.planes[i];
}

/* Time steps of a pass, and whether rows can wrap round: all slabs must do alike. Local. */
static wabe_status plan_passes(const grid_run *run, wabe_box block, int *out, int *wraps) {
    const wabe_grid_model *model = &run->slabs.model;
    const int wanted = run->app->depth;
    *out = wanted ? wanted : INT_MAX;
    *wraps = model->wraps[0];
    for (int i = 0; i < run->components.count; i++) {
        const wabe_kernel *kernel;
        int64_t cells[3];
        WABE_TRY(pick_kernel(run, i, &kernel));
        cells_of_component(run, i, block, cells);
        *wraps &= kernel->wraps_by == 0 || cells[0] % kernel->wraps_by == 0;
        if (wanted == 0)
            *out = (int)min_of(*out, wabe_grid_depth(kernel, model, cells));
        else if (wanted > 1 && wanted > kernel->depth)
            return wabe_config_fail(run->config, run->app->depth_key,
                                    "is more than kernel %s can do: %d at most", kernel->name,
                                    kernel->depth > 1 ? kernel->depth : 1);
        else if (!wabe_grid_fits(model, cells, wanted))
            return wabe_config_fail(run->config, run->app->depth_key,
                                    "is more than a slab has cells along an axis that is cut, or "
                                    "periodic: %lld x %lld x %lld",
                                    (long long)cells[0], (long long)cells[1], (long long)cells[2]);
    }
    return WABE_OK;
}

/* Collective. */
static wabe_status choose_passes(grid_run *run, wabe_box block) {
    int least[2] = {1, 0};
    WABE_TRY(wabe_agree(run->comm, plan_passes(run, block, &least[0], &least[1])));
    MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, run->comm);
    run->slabs.model.depth = least[0];
    run->slabs.model.wraps[0] = least[1];
    return WABE_OK;
}

/* GPUs have their own memory, processors share that of their node. Collective. */
static wabe_status check_memory(grid_run *run, wabe_box block) {
    double of_processors = 0.0;
    wabe_status status = WABE_OK;
    run->bytes = 0.0;
    for (int i = 0; i < run->components.count; i++) {
        const wabe_component *c = &run->components.list[i];
        int64_t cells[3];
        cells_of_component(run, i, block, cells);
        const double wanted = (double)wabe_grid_bytes(&run->slabs.model, cells, c->target);
        char who[96];
        snprintf(who, sizeof who, "%s needs", c->name);
        run->bytes += wanted;
        const wabe_kernel *kernel = NULL;
        of_processors += c->device ? 0.0 : wanted;
        if (!c->device && status == WABE_OK)
            status = pick_kernel(run, i, &kernel);
        if (kernel)
            of_processors += (double)c->threads *
                             (double)wabe_grid_scratch(kernel, &run->slabs.model, cells);
        if (c->device && status == WABE_OK)
            status = check_room(run, who, wanted, (double)wabe_component_memory(c));
    }
    const double of_node = wabe_node_sum(run->comm, of_processors);
    if (status == WABE_OK)
        status = check_room(run, "the processes of a node need", of_node,
                            (double)wabe_component_available_memory());
    MPI_Allreduce(MPI_IN_PLACE, &run->bytes, 1, MPI_DOUBLE, MPI_SUM, run->comm);
    return wabe_agree(run->comm, status);
}

/* What a pass over memory does. */
static const char *passes_of(const grid_run *run, char text[], size_t size) {
    const int depth = run->slabs.model.depth;
    text[0] = '\0';
    if (depth > 1)
        snprintf(text, size, ", %d time steps a pass", depth);
    return text;
}

static wabe_status prepare(grid_run *run) {
    wabe_decomposition decomposition;
    const wabe_parallel_options *p = &run->o->parallel;
    const wabe_node_options node = wabe_parallel_node(p, &run->o->node);
    WABE_TRY(wabe_agree(run->comm, check_options(run)));
    wabe_status status = wabe_decomposition_make(run->o->domain.cells, run->slabs.model.periodic,
                                                 p->processes, run->size, &decomposition);
    char why[1024];
    snprintf(why, sizeof why, "%s", wabe_error_message());
    if (status != WABE_OK)
        status = wabe_config_fail(run->config, "parallel.processes", "cannot be met: %s", why);
    WABE_TRY(wabe_agree(run->comm, status));
    WABE_TRY(wabe_components_choose(run->comm, run->config, &node, &run->components));
    WABE_TRY(wabe_agree(run->comm, pick_kernel(run, 0, &run->kernel)));
    run->host = host_of(&run->components);
    const wabe_box block = wabe_decomposition_block(&decomposition, run->rank);
    WABE_TRY(share_planes(run, block));
    if (!run->checks)
        WABE_TRY(balance(run));
    WABE_TRY(choose_passes(run, block));
    WABE_TRY(check_memory(run, block));
    const int64_t *n = run->o->domain.cells;
    char steps[64];
    snprintf(steps, sizeof steps, "%lld steps", (long long)run->o->steps);
    if (run->app->duration > 0.0 && run->o->steps == 0)
        snprintf(steps, sizeof steps, "steps for %g s", run->app->duration);
    wabe_log_line("case       %s: %lld x %lld x %lld cells, %s", run->o->name, (long long)n[0],
                  (long long)n[1], (long long)n[2], steps);
    wabe_log_line("processes  %d = %d x %d x %d, %s, overlap %s%s", run->size,
                  decomposition.processes[0], decomposition.processes[1],
                  decomposition.processes[2], wabe_mode_word(node.mode), p->overlap ? "on" : "off",
                  p->communication == 0 ? "" : ", NO COMMUNICATION: results will be wrong");
    wabe_log_line("memory     %.1f MB, %.1f B per cell", 1e-6 * run->bytes,
                  run->bytes / cells_of(run));
    wabe_log_line("cost       %s: moves %d B, %d flop per cell%s", run->kernel->name,
                  run->kernel->bytes, run->kernel->flops, passes_of(run, steps, sizeof steps));
    return WABE_OK;
}

/* ---- looks at all values ------------------------------------------------------------ */

/* The first cell whose value is broken. */
static void name_cell(const grid_run *run, wabe_grid_state state, char text[], size_t size) {
    const int64_t n = state.first_broken, *cells = run->o->domain.cells;
    snprintf(text, size, "(%lld, %lld, %lld)", (long long)(n % cells[0]),
             (long long)(n / cells[0] % cells[1]), (long long)(n / cells[0] / cells[1]));
}

/* What GPUs have yet to do is the steps' time, not the monitor's. */
static wabe_status check_state(grid_run *run) {
    const wabe_values values = wabe_grid_slabs_values(&run->slabs);
    wabe_domain_synchronise(&run->domain);
    MPI_Barrier(run->comm); /* nor is waiting for others */
    wabe_profile_start(&run->domain.profile);
    WABE_TRY(wabe_grid_look(&run->domain, &values, &run->host, &run->last));
    wabe_profile_stop(&run->domain.profile, WABE_PHASE_monitor);
    char cell[96];
    name_cell(run, run->last, cell, sizeof cell);
    WABE_CHECK(run->last.broken == 0, WABE_DIVERGED, "at step %lld a value is broken in cell %s",
               (long long)run->step, cell);
    return WABE_OK;
}

/* A line of monitor.csv. */
static wabe_status note_state(grid_run *run) {
    const double values[] = {(double)run->step * run->app->time_step, run->last.low, run->last.high,
                             run->last.mean};
    return wabe_agree(run->comm, wabe_time_series_add(&run->monitor, run->step, 4, values));
}

/* ---- output ------------------------------------------------------------------------- */

static wabe_status fill(void *context, int field, wabe_box part, void *buffer) {
    const grid_run *run = context;
    (void)field;
    return wabe_grid_slabs_read(&run->slabs, &run->domain, part, WABE_TYPE_f32, buffer);
}

static wabe_status draw(const grid_run *run, const double *values, int64_t width, int64_t height) {
    float *pixels = malloc((size_t)(width * height) * sizeof *pixels);
    char file[sizeof run->directory + WABE_STRING_SIZE];
    WABE_CHECK(pixels, WABE_MEMORY, "no memory for a picture");
    for (int64_t i = 0; i < width * height; i++)
        pixels[i] = (float)values[i];
    snprintf(file, sizeof file, "%s/%s_%08lld.png", run->directory, run->app->field,
             (long long)run->step);
    const wabe_status status = wabe_image_write(file, width, height, pixels, 0.0, 0.0,
                                                run->app->field);
    free(pixels);
    return status;
}

/* The middle plane normal to an axis; the first of the other two axes to the right. */
static wabe_status write_picture(const grid_run *run, int axis) {
    const int64_t *n = run->o->domain.cells;
    const wabe_values v = wabe_grid_slabs_values(&run->slabs);
    wabe_box plane = {.end = {n[0], n[1], n[2]}};
    plane.begin[axis] = n[axis] / 2;
    plane.end[axis] = n[axis] / 2 + 1;
    double *values = run->rank == 0 ? malloc((size_t)wabe_box_cells(plane) * sizeof *values) : NULL;
    wabe_status status = run->rank == 0 && !values ? WABE_FAIL(WABE_MEMORY, "no memory") : WABE_OK;
    status = wabe_agree(run->comm, status);
    if (status == WABE_OK)
        status = wabe_domain_gather(&run->domain, &v, plane, values);
    if (status == WABE_OK && run->rank == 0)
        status = draw(run, values, n[axis == 0 ? 1 : 0], n[axis == 2 ? 1 : 2]);
    free(values);
    return wabe_agree(run->comm, status);
}

static wabe_status write_state(grid_run *run) {
    wabe_profile_start(&run->domain.profile);
    wabe_output *output = run->backlog.outputs[0];
    wabe_status status = WABE_OK;
    if (run->o->output.fields) {
        char *text = wabe_restart_configuration(run->table_count, run->tables);
        status = wabe_output_end(output);
        if (status == WABE_OK)
            status = wabe_output_begin(output, run->step, (double)run->step * run->app->time_step,
                                       fill, run, text);
        free(text);
    }
    if (status == WABE_OK && run->o->output.picture > 0)
        status = write_picture(run, run->o->output.picture - 1);
    wabe_profile_stop(&run->domain.profile, WABE_PHASE_output);
    return status;
}

static wabe_status open_output(grid_run *run) {
    wabe_output_request request = {.directory = run->directory,
                                   .name = "fields",
                                   .grid = {.block = run->domain.block,
                                            .spacing = run->o->domain.spacing},
                                   .field_count = 1,
                                   .fields = {{run->app->field, 1}},
                                   .type = WABE_TYPE_f32,
                                   .compress = run->o->output.compress};
    char path[sizeof run->directory + 32];
    memcpy(request.grid.cells, run->o->domain.cells, sizeof request.grid.cells);
    WABE_TRY(wabe_backlog_open(run->comm, &run->components, &run->backlog));
    wabe_backlog_widen(run->comm, &run->components, &run->backlog);
    WABE_TRY(wabe_backlog_add(run->comm, &run->backlog, &request));
    snprintf(path, sizeof path, "%s/run.log", run->directory);
    wabe_log_open(path, run->restart != NULL);
    return WABE_OK;
}

/* Rank 0. */
static wabe_status write_configuration(const grid_run *run) {
    char path[sizeof run->directory + 32];
    snprintf(path, sizeof path, "%s/config.resolved.cfg", run->directory);
    FILE *file = fopen(path, "w");
    WABE_CHECK(file, WABE_FILE, "%s: cannot be written: %s", path, strerror(errno));
    wabe_config_print_resolved(file, run->table_count, run->tables);
    const bool failed = ferror(file) != 0;
    WABE_CHECK(fclose(file) == 0 && !failed, WABE_FILE, "%s: cannot be written: %s", path,
               strerror(errno));
    return WABE_OK;
}

/* ---- the time loop ------------------------------------------------------------------ */

/* As many steps as a pass can do before something else is due. */
static void advance(grid_run *run, int64_t most) {
    const int64_t depth = run->slabs.model.depth;
    const int steps = (int)(most < depth ? most : depth);
    wabe_grid_slabs_set_steps(&run->slabs, steps);
    wabe_domain_step(&run->domain);
    run->step += steps;
}

/* Steps until the next one of every so many. */
static int64_t until(int64_t step, int64_t every) {
    return every > 0 ? every - step % every : INT64_MAX;
}

/* Steps that are not timed, and how many are to come. */
static void rehearse(grid_run *run) {
    double start = MPI_Wtime();
    int64_t before = 0; /* steps with what happens once, which takes time, too */
    while (run->step < run->app->rehearsal) {
        advance(run, run->app->rehearsal - run->step);
        if (before > 0)
            continue;
        before = run->step;
        wabe_domain_synchronise(&run->domain);
        MPI_Barrier(run->comm);
        start = MPI_Wtime();
    }
    wabe_domain_synchronise(&run->domain);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, run->comm);
    wabe_domain_restart_clocks(&run->domain);
    run->steps = run->app->rehearsal + run->o->steps;
    if (run->app->duration > 0.0 && run->o->steps == 0)
        run->steps += 1 + (int64_t)(run->app->duration / fmax(seconds, 1e-9) *
                                    (double)(run->app->rehearsal - before));
}

/* What is being written behind the run goes on, or, at its end, comes to an end. */
static wabe_status serve_backlog(grid_run *run, bool end) {
    wabe_profile_start(&run->domain.profile);
    const wabe_status status = wabe_backlog_serve(&run->backlog, end, &run->lifetime);
    wabe_profile_stop(&run->domain.profile, WABE_PHASE_output);
    return status;
}

/* A checkpoint, if it is time for one, but not of broken values; or the run's end. */
static wabe_status save_or_stop(grid_run *run, bool last) {
    const wabe_decision decision = wabe_lifetime_decide(&run->lifetime, run->step, last,
                                                        wabe_backlog_is_busy(&run->backlog));
    if (run->lifetime.idle)
        WABE_TRY(serve_backlog(run, false));
    if (decision == WABE_GO_ON)
        return WABE_OK;
    WABE_TRY(check_state(run));
    if (run->app->options) /* others have no checkpoints */
        WABE_TRY(wabe_grid_save(run, decision));
    run->stopped = decision == WABE_SAVE_AND_STOP;
    return WABE_OK;
}

static wabe_status time_loop(grid_run *run) {
    wabe_status status = WABE_OK;
    rehearse(run);
    MPI_Barrier(run->comm);
    const double start = MPI_Wtime();
    wabe_report_clock clock = wabe_report_start(run->first_step);
    run->lifetime = wabe_lifetime_begin(run->comm, &run->o->checkpoint, run->step);
    if (run->step == run->steps || (run->first_step == 0 && run->o->output.every > 0))
        status = write_state(run);
    while (run->step < run->steps && status == WABE_OK && !run->stopped) {
        const int64_t before = run->step - run->app->rehearsal;
        const int64_t due = min_of(until(before, run->o->output.every),
                                   min_of(until(before, run->o->monitor.every),
                                          until(before, run->o->checkpoint.every)));
        advance(run, min_of(run->steps - run->step, due));
        const bool last = run->step == run->steps;
        const int64_t timed = run->step - run->app->rehearsal;
        const bool written = last || wabe_report_is_due(timed, run->o->output.every);
        const bool noted = wabe_report_is_due(timed, run->o->monitor.every);
        if (written || noted)
            status = check_state(run);
        if (noted && status == WABE_OK)
            status = note_state(run);
        if (written && status == WABE_OK)
            status = write_state(run);
        if (status == WABE_OK)
            status = save_or_stop(run, last);
        wabe_report_progress(&clock, timed, run->steps - run->app->rehearsal, cells_of(run),
                             run->kernel->bytes / run->slabs.model.depth);
    }
    if (status == WABE_OK)
        status = serve_backlog(run, true);
    wabe_domain_synchronise(&run->domain);
    MPI_Barrier(run->comm);
    const double *phases = run->domain.profile.seconds;
    run->seconds = MPI_Wtime() - start - phases[WABE_PHASE_output] - phases[WABE_PHASE_monitor];
    return status;
}

/* ---- results ------------------------------------------------------------------------ */

static double rate_of(const grid_run *run) {
    const double timed = (double)(run->step - run->app->rehearsal - run->first_step);
    return run->seconds > 0.0 ? cells_of(run) * timed / run->seconds : 0.0;
}

/* Share of what the memory allows: a copy of the bytes that a step moves. */
static double share_of_limit(const grid_run *run) {
    return rate_of(run) * run->kernel->bytes / run->copy;
}

static void put_run(const grid_run *run, wabe_json *json, const char *status) {
    const int64_t *n = run->o->domain.cells;
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)run->last.hash);
    wabe_json_text(json, "application", run->o->application);
    wabe_json_text(json, "name", run->o->name);
    wabe_json_text(json, "status", status);
    wabe_json_text(json, "mode", wabe_mode_word((wabe_mode)run->o->parallel.mode));
    wabe_json_integer(json, "steps", run->step);
    wabe_json_integer(json, "steps_timed", run->step - run->app->rehearsal - run->first_step);
    wabe_json_integer(json, "first_step", run->first_step);
    wabe_json_real(json, "time", (double)run->step * run->app->time_step);
    wabe_json_integer(json, "cells", n[0] * n[1] * n[2]);
    wabe_json_integer(json, "ranks", run->size);
    wabe_json_boolean(json, "communicates", run->o->parallel.communication == 0);
    wabe_json_text(json, "kernel", run->kernel->name);
    wabe_json_integer(json, "steps_per_pass", run->slabs.model.depth);
    wabe_json_real(json, "seconds", run->seconds);
    wabe_json_real(json, "mlups", 1e-6 * rate_of(run));
    wabe_json_real(json, "gflops", 1e-9 * rate_of(run) * run->kernel->flops);
    wabe_json_real(json, "copy_bandwidth", run->copy);
    wabe_json_real(json, "of_limit", share_of_limit(run));
    wabe_json_real(json, "memory", run->bytes);
    wabe_json_real(json, "lowest", run->last.low);
    wabe_json_real(json, "highest", run->last.high);
    wabe_json_real(json, "mean", run->last.mean);
    wabe_json_real(json, "mean_at_start", run->first.mean);
    wabe_json_text(json, "state_hash", hash);
}

static void print_rate(const grid_run *run) {
    wabe_log_line(" ");
    wabe_log_line(
        "rate       %.1f MLUPS, %.2f GFLOPS: %.0f %% of what a copy of %.1f GB/s allows%s",
        1e-6 * rate_of(run), 1e-9 * rate_of(run) * run->kernel->flops, 100.0 * share_of_limit(run),
        1e-9 * run->copy, run->slabs.model.depth > 1 ? " to a step a pass" : "");
    wabe_log_line("%-10s %.9g to %.9g, mean %.9g (%.9g at the start)", run->app->field,
                  run->last.low, run->last.high, run->last.mean, run->first.mean);
}

/* What is known of a run when it has ended. */
typedef struct {
    const grid_run *run;
    const char *status;
    wabe_slab_report *slabs;
    wabe_domain_messages messages;
    wabe_spread phases[WABE_PHASE_COUNT];
} ending;

static void put_results(const void *context, wabe_json *json) {
    const ending *c = context;
    put_run(c->run, json, c->status);
    wabe_json_integer(json, "messages", c->messages.count);
    wabe_json_integer(json, "message_bytes", c->messages.bytes);
    wabe_domain_put_slabs(&c->run->domain, c->slabs, json);
    c->run->app->put(c->run->slabs.context, json);
}

static void put_timing(const void *context, wabe_json *json) {
    const ending *c = context;
    wabe_json_real(json, "seconds", c->run->seconds);
    wabe_json_integer(json, "ranks", c->run->size);
    wabe_report_put_phases(c->phases, json);
}

static wabe_status write_results(grid_run *run, const char *status_word) {
    ending c = {.run = run, .status = status_word};
    const double *seconds = run->domain.profile.seconds;
    const wabe_grid_view view = {&run->domain, run->step, &run->slabs, rate_of(run)};
    wabe_report_phases(run->comm, &run->domain.profile, c.phases);
    wabe_report_print_phases(
        c.phases,
        fmax(run->seconds + seconds[WABE_PHASE_output] + seconds[WABE_PHASE_monitor], 1e-9),
        run->o->parallel.separate);
    print_rate(run);
    WABE_TRY(run->app->conclude(run->slabs.context, &view));
    c.messages = wabe_domain_count_messages(&run->domain, WABE_TRANSPORT_any);
    wabe_status status = wabe_domain_report(&run->domain, &c.slabs);
    if (run->rank == 0 && status == WABE_OK)
        status = wabe_report_write(run->directory, "results.json", put_results, &c);
    if (run->rank == 0 && status == WABE_OK)
        status = wabe_report_write(run->directory, "timing.json", put_timing, &c);
    free(c.slabs);
    wabe_log_line("results    %s/results.json", run->directory);
    return wabe_agree(run->comm, status);
}

/* ---- the run ------------------------------------------------------------------------ */

static wabe_status initialise(grid_run *run) {
    WABE_TRY(wabe_grid_begin(run));
    WABE_TRY(wabe_agree(run->comm, run->rank == 0 ? write_configuration(run) : WABE_OK));
    const wabe_values values = wabe_grid_slabs_values(&run->slabs);
    WABE_TRY(wabe_grid_look(&run->domain, &values, &run->host, &run->first));
    run->last = run->first;
    WABE_TRY(wabe_time_series_open(run->comm, run->directory, "monitor.csv",
                                   "step,time,lowest,highest,mean", run->first_step,
                                   &run->monitor));
    run->first.mean = isfinite(run->mean_at_start) ? run->mean_at_start : run->first.mean;
    char cell[96];
    name_cell(run, run->first, cell, sizeof cell);
    WABE_CHECK(run->first.broken == 0, WABE_INPUT,
               "the initial state has %lld values that are no numbers, or too large for %s, the "
               "first in cell %s",
               (long long)run->first.broken, wabe_type_word(run->slabs.model.type), cell);
    return WABE_OK;
}

static wabe_status run_all(grid_run *run) {
    const wabe_parallel_options *p = &run->o->parallel;
    const wabe_domain_slabs slabs = wabe_grid_slabs_of_domain(&run->slabs);
    wabe_domain_options d = {.halo = wabe_grid_halo(&run->slabs.model),
                             .overlap = p->overlap,
                             .communicate = p->communication == 0,
                             .separate = p->separate,
                             .exchange.transport = (wabe_transport)p->transport};
    memcpy(d.cells, run->o->domain.cells, sizeof d.cells);
    memcpy(d.processes, p->processes, sizeof d.processes);
    memcpy(d.periodic, run->slabs.model.periodic, sizeof d.periodic);
    memcpy(d.wraps, run->slabs.model.wraps, sizeof d.wraps);
    WABE_TRY(wabe_domain_create(run->comm, &d, &run->components, &slabs, &run->domain));
    WABE_TRY(wabe_domain_print(&run->domain));
    WABE_TRY(wabe_agree(run->comm, open_output(run)));
    WABE_TRY(initialise(run));
    const wabe_status status = time_loop(run);
    if (status != WABE_OK && status != WABE_DIVERGED)
        return status;
    char why[1024];
    snprintf(why, sizeof why, "%s", wabe_error_message());
    WABE_TRY(write_results(run, status != WABE_OK ? "diverged"
                                : run->stopped    ? "interrupted"
                                                  : "done"));
    if (run->stopped)
        wabe_log_line("interrupted after step %lld of %lld%s", (long long)run->step,
                      (long long)run->steps,
                      run->app->options ? "; --restart latest goes on from there" : "");
    return status == WABE_OK ? WABE_OK : WABE_FAIL(WABE_DIVERGED, "%s", why);
}

void wabe_grid_directory(const wabe_grid_options *options, char *out, size_t size) {
    if (options->output.directory[0])
        snprintf(out, size, "%s", options->output.directory);
    else
        snprintf(out, size, "out/%s", options->name);
}

wabe_status wabe_grid_run(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                          const wabe_grid_options *options,
                          const wabe_grid_application *application, int table_count,
                          const wabe_option_table tables[], wabe_grid_verb verb) {
    const bool check = verb == WABE_GRID_CHECK;
    if (verb == WABE_GRID_PREDICT)
        return wabe_grid_predict(comm, input, config, options, application);
    WABE_CHECK(!input->machine, WABE_INPUT,
               "--machine: forecasts beside a run are for application = \"lbm\" alone; there is "
               "wabe predict");
    grid_run run = {.comm = comm,
                    .config = config,
                    .o = options,
                    .app = application,
                    .table_count = table_count,
                    .tables = tables,
                    .checks = check,
                    .restart = input->restart,
                    .mean_at_start = NAN,
                    .slabs = application->slabs};
    MPI_Comm_rank(comm, &run.rank);
    MPI_Comm_size(comm, &run.size);
    wabe_grid_directory(options, run.directory, sizeof run.directory);
    WABE_CHECK(!run.restart || application->options, WABE_INPUT,
               "--restart: application = \"%s\" has no checkpoints", options->application);
    if (!check)
        wabe_lifetime_watch();
    wabe_status status = prepare(&run);
    if (status == WABE_OK && !check)
        status = run_all(&run);
    wabe_time_series_close(&run.monitor);
    wabe_backlog_close(&run.backlog);
    wabe_domain_destroy(&run.domain);
    wabe_grid_slabs_destroy(&run.slabs);
    return status;
}
