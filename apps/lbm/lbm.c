#include "apps/lbm/lbm.h"
#include "apps/runtime/domain_report.h"
#include "apps/runtime/report.h"

#include "comm/node.h"
#include "core/base/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- before the run ----------------------------------------------------------------- */

/* OUTPUT DIRECTORY, or out/NAME; of a run for a tensor the axis's folder in it. */
static void name_directory(wabe_lbm_run_state *run) {
    if (run->options.output.directory[0])
        snprintf(run->directory, sizeof run->directory, "%s", run->options.output.directory);
    else
        snprintf(run->directory, sizeof run->directory, "out/%s", run->options.name);
    for (size_t n = strlen(run->directory); n > 1 && run->directory[n - 1] == '/'; n--)
        run->directory[n - 1] = '\0';
    const size_t used = strlen(run->directory);
    if (run->tensor)
        snprintf(run->directory + used, sizeof run->directory - used, "/%c",
                 'x' + run->lbm_case.porous.axis);
}

static wabe_status read_options(wabe_lbm_run_state *run, int axis) {
    const wabe_option_table table = {wabe_lbm_option_rows, &run->options};
    WABE_TRY(wabe_config_read(run->config, 1, &table));
    run->tensor = run->options.porous.axis == WABE_POROUS_ALL;
    for (int other = 0; other < 3 && run->tensor; other++) { /* before the first of three runs */
        run->options.porous.axis = 1 + other;
        WABE_TRY(wabe_lbm_check_drive(run->config, &run->options));
    }
    if (run->tensor)
        run->options.porous.axis = 1 + axis;
    WABE_TRY(wabe_lbm_case_make(run->config, &run->options, &run->lbm_case));
    if (strchr(run->options.name, '/') || run->options.name[0] == '.' || !run->options.name[0])
        return wabe_config_fail(run->config, "name", "must be a plain name, such as \"cavity\"");
    name_directory(run);
    return WABE_OK;
}

static wabe_status decompose(wabe_lbm_run_state *run) {
    const wabe_geometry *g = &run->lbm_case.simulation.geometry;
    bool periodic[3];
    wabe_geometry_periodic(g, periodic);
    if (wabe_decomposition_make(g->cells, periodic, run->options.parallel.processes, run->size,
                                &run->decomposition) == WABE_OK) {
        run->block = wabe_decomposition_block(&run->decomposition, run->rank);
        return WABE_OK;
    }
    return wabe_config_fail_because(run->config, "parallel.processes", "cannot be met");
}

static bool is_porous(const wabe_lbm_run_state *run) { return run->lbm_case.porous.axis >= 0; }

static bool has_solids(const wabe_lbm_run_state *run) {
    const wabe_geometry *g = &run->lbm_case.simulation.geometry;
    return g->voxels || g->particle_count > 0 || run->options.fill;
}

/* What is wrong with the labels of an image, which are read late, told with the key's line. */
static wabe_status blame_image(const wabe_lbm_run_state *run, wabe_status status) {
    return status == WABE_INPUT
               ? wabe_config_fail_because(run->config, "geometry.voxels.file", "cannot be used")
               : status;
}

/* The fluid cells in all planes along z, of which each process has counted its own. Collective. */
static wabe_status count_fluid(const wabe_lbm_run_state *run, int64_t *fluid) {
    const int64_t planes = run->options.domain.cells[2];
    WABE_TRY(wabe_agree(run->comm, wabe_geometry_count(&run->lbm_case.simulation.geometry,
                                                       run->block, fluid + run->block.begin[2])));
    MPI_Allreduce(MPI_IN_PLACE, fluid, (int)planes, MPI_INT64_T, MPI_SUM, run->comm);
    return WABE_OK;
}

/* Where the domain is cut along z alone, processes get equal shares of the fluid. Collective. */
static wabe_status cut_by_fluid(wabe_lbm_run_state *run) {
    const int64_t planes = run->options.domain.cells[2];
    if (run->decomposition.processes[2] < run->size || run->size == 1)
        return WABE_OK;
    int64_t *below = calloc((size_t)planes + 1, sizeof *below);
    double *rates = malloc((size_t)run->size * sizeof *rates);
    run->cuts = malloc(((size_t)run->size + 1) * sizeof *run->cuts);
    wabe_status status =
        wabe_agree(run->comm, below && rates && run->cuts
                                  ? WABE_OK
                                  : WABE_FAIL(WABE_MEMORY, "no memory for %d cuts", run->size));
    if (status == WABE_OK)
        status = count_fluid(run, below + 1);
    if (status == WABE_OK) {
        for (int64_t z = 0; z < planes; z++)
            below[z + 1] += below[z];
        for (int i = 0; i < run->size; i++)
            rates[i] = 1.0;
        wabe_decomposition_share(below, planes, run->size, rates, run->cuts);
        run->decomposition.cuts = run->lbm_case.simulation.cuts = run->cuts;
        run->block = wabe_decomposition_block(&run->decomposition, run->rank);
    }
    free(below);
    free(rates);
    return status;
}

/* Along which axes fluid has to lead through, so as not to be filled. */
static unsigned axes_to_fill(const wabe_lbm_run_state *run) {
    return run->tensor || !is_porous(run) ? 7 : 1u << run->lbm_case.porous.axis;
}

/* If it would leave nothing, nothing is filled: then wabe_lbm_check_pores says so. Collective. */
static wabe_status fill_pores(wabe_lbm_run_state *run) {
    wabe_geometry *g = &run->lbm_case.simulation.geometry;
    if (!run->options.fill)
        return WABE_OK;
    WABE_TRY(wabe_fill_find(run->comm, g, &run->decomposition, axes_to_fill(run), &run->fill));
    if (run->fill.left > 0)
        g->filled = &run->fill.mask;
    return WABE_OK;
}

/* What is filled is not counted as fluid. But it is found in blocks, before these are cut, and has
 * to follow them. Collective. */
static wabe_status fill_and_cut(wabe_lbm_run_state *run) {
    const wabe_decomposition before = run->decomposition;
    WABE_TRY(fill_pores(run));
    WABE_TRY(cut_by_fluid(run));
    return run->lbm_case.simulation.geometry.filled
               ? wabe_fill_spread(run->comm, &before, &run->decomposition, &run->fill)
               : WABE_OK;
}

/* The same question as at set-up, but for the boundaries, which need the cells' flags: whoever asks
 * for a kernel that is not there should hear of it before anything is allocated or written. */
static wabe_status check_kernels(wabe_lbm_run_state *run) {
    const wabe_lbm_model *m = &run->lbm_case.simulation.model;
    const wabe_kernel_request request = {.sweep = WABE_SWEEP_stream_collide,
                                         .storage = m->type,
                                         .collision = m->collision,
                                         .streaming =
                                             wabe_simulation_expects_list(&run->lbm_case.simulation)
                                                 ? WABE_STREAMING_list
                                                 : m->streaming,
                                         .name_part = m->kernel};
    wabe_status status = WABE_OK;
    for (int i = 0; i < run->components.count && status == WABE_OK; i++)
        status = wabe_registry_select(wabe_kernels(), &run->components.list[i], &request,
                                      &run->kernels[i]);
    if (status == WABE_OK || !wabe_config_is_given(run->config, "lbm.kernel"))
        return status;
    return wabe_config_fail_because(run->config, "lbm.kernel", "names no kernel to take");
}

/* Bytes of a component's slab. Far beyond any memory the fields' size alone will do: it may not fit
 * into 64 bits, in which the forecast is made. */
static double forecast(const wabe_lbm_run_state *run, int component) {
    const wabe_simulation_options *s = &run->lbm_case.simulation;
    const int64_t cells[3] = {wabe_box_extent(run->block, 0), wabe_box_extent(run->block, 1),
                              run->components.planes[component]};
    const double fields = (double)cells[0] * (double)cells[1] * (double)cells[2] * WABE_Q *
                          (double)wabe_type_size(s->model.type) *
                          wabe_streaming_grids(s->model.streaming);
    if (fields > 1e16)
        return fields;
    return (double)wabe_simulation_forecast(s, cells, run->components.list[component].target);
}

double wabe_lbm_forecast(const wabe_lbm_run_state *run) {
    double bytes = 0.0;
    for (int i = 0; i < run->components.count; i++)
        bytes += forecast(run, i);
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, run->comm);
    return bytes;
}

static wabe_status too_large(const wabe_lbm_run_state *run, const char *who, double wanted,
                             double available) {
    const int64_t *n = run->options.domain.cells;
    const double fitting = available / wanted * (double)n[0] * (double)n[1] * (double)n[2];
    wabe_config_fail(run->config, "domain.cells",
                     "gives more cells than fit the memory: %s %.1f GB, %.1f GB are available; "
                     "about %.3g million cells would fit, such as %.0f^3%s",
                     who, 1e-9 * wanted, 1e-9 * available, 1e-6 * fitting, floor(cbrt(fitting)),
                     run->lbm_case.simulation.model.streaming == WABE_STREAMING_pull
                         ? ", or twice as many with lbm.streaming = \"in_place\""
                         : "");
    return WABE_MEMORY;
}

/* Processors share the memory of their node. */
static wabe_status check_host_memory(const wabe_lbm_run_state *run) {
    double wanted = 0.0;
    for (int i = 0; i < run->components.count; i++)
        wanted += run->components.list[i].device ? 0.0 : forecast(run, i);
    wanted = wabe_node_sum(run->comm, wanted);
    const int processes = wabe_node_place_of(run->comm).size;
    const double available = (double)wabe_component_available_memory();
    char who[64];
    snprintf(who, sizeof who, "%d process%s of this node need%s", processes,
             processes > 1 ? "es" : "", processes > 1 ? "" : "s");
    return wanted <= available ? WABE_OK : too_large(run, who, wanted, available);
}

static wabe_status check_device_memory(const wabe_lbm_run_state *run) {
    for (int i = 0; i < run->components.count; i++) {
        const wabe_component *c = &run->components.list[i];
        if (!c->device)
            continue;
        const double wanted = forecast(run, i), available = (double)wabe_component_memory(c);
        char who[128];
        snprintf(who, sizeof who, "%s (%s) needs", c->name, wabe_device_describe(c->device)->name);
        if (wanted > available)
            return too_large(run, who, wanted, available);
    }
    return WABE_OK;
}

/* Planes that have yet to be measured are checked when they are. Collective. */
static wabe_status check_memory(const wabe_lbm_run_state *run) {
    const bool open = run->lbm_case.balance == WABE_BALANCE_MEASURED && run->components.count > 1;
    WABE_TRY(wabe_agree(run->comm, open ? WABE_OK : check_device_memory(run)));
    return wabe_agree(run->comm, check_host_memory(run));
}

static wabe_status balance(wabe_lbm_run_state *run) {
    if (wabe_balance_prepare(run->lbm_case.balance, run->block, &run->components) == WABE_OK)
        return WABE_OK;
    return wabe_config_fail_because(run->config, "parallel.balance", "cannot be met");
}

wabe_status wabe_lbm_analyse_pores(wabe_lbm_run_state *run) {
    const wabe_geometry *g = &run->lbm_case.simulation.geometry;
    WABE_TRY(blame_image(run, wabe_pores_analyse(run->comm, g, &run->decomposition, &run->pores)));
    wabe_simulation_options *s = &run->lbm_case.simulation;
    s->fluid_share = (double)run->pores.fluid / (double)run->pores.cells;
    s->touched_share = (double)run->pores.touched / (double)run->pores.cells;
    return WABE_OK;
}

wabe_status wabe_lbm_check_pores(const wabe_lbm_run_state *run) {
    const wabe_pores *p = &run->pores;
    if (wabe_porous_check(&run->lbm_case.porous, p) == WABE_OK)
        return run->options.fill && run->fill.left == 0
                   ? wabe_config_fail(run->config, "geometry.fill",
                                      "would fill everything: of %lld fluid cells (porosity %.4f) "
                                      "none is connected to both ends of the domain along any "
                                      "axis; check which labels are solid, or make it \"none\"",
                                      (long long)p->fluid, (double)p->fluid / (double)p->cells)
                   : WABE_OK;
    return wabe_config_fail_because(run->config, "porous.axis", "cannot be met");
}

wabe_status wabe_lbm_read(MPI_Comm comm, wabe_config *config, int axis, wabe_lbm_run_state *run) {
    *run = (wabe_lbm_run_state){.comm = comm,
                                .config = config,
                                .status = "prepared",
                                .watch.change = 1.0,
                                .calm.energy = NAN};
    MPI_Comm_rank(comm, &run->rank);
    MPI_Comm_size(comm, &run->size);
    WABE_TRY(wabe_agree(comm, read_options(run, axis)));
    WABE_TRY(wabe_agree(comm, wabe_lbm_choose_fields(run)));
    WABE_TRY(wabe_agree(comm, wabe_lbm_choose_probes(run)));
    WABE_TRY(wabe_agree(comm, decompose(run)));
    return has_solids(run) ? blame_image(run, fill_and_cut(run)) : WABE_OK;
}

wabe_status wabe_lbm_survey(wabe_lbm_run_state *run) {
    if (!is_porous(run) && !has_solids(run))
        return WABE_OK;
    WABE_TRY(wabe_lbm_analyse_pores(run));
    return wabe_lbm_check_pores(run);
}

wabe_status wabe_lbm_prepare(MPI_Comm comm, const wabe_input *input, wabe_config *config, int axis,
                             wabe_lbm_run_state *run) {
    WABE_TRY(wabe_lbm_read(comm, config, axis, run));
    run->machine_file = input->machine ? input->machine : WABE_MACHINE_FILE;
    run->machine_asked = input->machine != NULL;
    run->restart = input->restart;
    WABE_CHECK(!run->tensor || !run->restart || strcmp(run->restart, "latest") == 0, WABE_INPUT,
               "--restart: with porous.axis = \"all\" there are three runs, each with its own "
               "checkpoints: latest, no file");
    WABE_TRY(wabe_components_choose(comm, config, &run->lbm_case.node, &run->components));
    WABE_TRY(wabe_agree(comm, balance(run)));
    WABE_TRY(wabe_lbm_survey(run));
    WABE_TRY(wabe_lbm_read_machine(run));
    WABE_TRY(wabe_agree(comm, check_kernels(run)));
    return check_memory(run);
}

void wabe_lbm_finish(wabe_lbm_run_state *run) {
    wabe_time_series_close(&run->monitor);
    for (int i = 0; i < run->probe_count; i++)
        wabe_time_series_close(&run->probes[i].file);
    wabe_async_close(&run->async);
    wabe_simulation_destroy(&run->simulation);
    wabe_lbm_case_free(&run->lbm_case);
    wabe_fill_free(&run->fill);
    wabe_machine_free(&run->machine);
    free(run->cuts);
    run->cuts = NULL;
}

wabe_status wabe_lbm_check(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    wabe_lbm_run_state run;
    wabe_status status = wabe_lbm_prepare(comm, input, config, 0, &run);
    if (status == WABE_OK)
        wabe_lbm_print_case(&run);
    wabe_lbm_finish(&run);
    return status;
}

/* ---- set-up ------------------------------------------------------------------------- */

static wabe_status open_output(wabe_lbm_run_state *run) {
    WABE_TRY(wabe_lbm_open_fields(run));
    char path[sizeof run->directory + 16];
    snprintf(path, sizeof path, "%s/run.log", run->directory);
    wabe_log_open(path, run->restart != NULL);
    return WABE_OK;
}

/* From here on results.json says what becomes of the run. */
static wabe_status begin(wabe_lbm_run_state *run) {
    const wabe_status status = run->rank == 0 ? wabe_report_state(run->directory, run->options.name,
                                                                  "running", "")
                                              : WABE_OK;
    run->begun = true;
    return wabe_agree(run->comm, status);
}

static wabe_status set_up(wabe_lbm_run_state *run) {
    WABE_TRY(open_output(run));
    wabe_lbm_print_case(run);
    if (run->lbm_case.balance == WABE_BALANCE_MEASURED)
        WABE_TRY(wabe_balance_measure(run->comm, &run->lbm_case.simulation, run->block,
                                      &run->components));
    if (run->lbm_case.balance == WABE_BALANCE_MODEL)
        WABE_TRY(wabe_lbm_balance_by_machine(run));
    WABE_TRY(wabe_agree(run->comm, check_device_memory(run)));
    WABE_TRY(wabe_limits_of_components(run->comm, &run->components, NULL, &run->copy_bandwidth));
    WABE_TRY(wabe_simulation_create(run->comm, &run->lbm_case.simulation, &run->components,
                                    &run->simulation));
    wabe_async_widen(run->comm, &run->components, &run->async);
    WABE_TRY(wabe_domain_print(&run->simulation->domain));
    wabe_lbm_foresee(run);
    WABE_TRY(wabe_lbm_begin(run));
    WABE_TRY(wabe_lbm_write_configuration(run)); /* of a run that is not refused */
    WABE_TRY(wabe_lbm_open_monitor(run));
    WABE_TRY(wabe_lbm_open_probes(run));
    run->last = run->first;
    run->fluid_cells = run->first.cells;
    run->memory = wabe_simulation_bytes(run->simulation);
    MPI_Allreduce(MPI_IN_PLACE, &run->memory, 1, MPI_INT64_T, MPI_SUM, run->comm);
    if (run->fluid_cells == 0)
        return wabe_config_fail(run->config, "geometry.objects",
                                "leaves no cell of the domain to the fluid");
    return begin(run);
}

/* ---- the time loop ------------------------------------------------------------------ */

/* last: no step follows, so that all is due. */
static wabe_status write_state(wabe_lbm_run_state *run, bool last) {
    wabe_profile_start(&run->simulation->domain.profile);
    wabe_status status = wabe_lbm_write_fields(run, last);
    if (status == WABE_OK && (last || wabe_report_is_due(wabe_simulation_steps(run->simulation),
                                                         run->options.output.every)))
        status = wabe_lbm_write_picture(run);
    wabe_profile_stop(&run->simulation->domain.profile, WABE_PHASE_output);
    return status;
}

static wabe_status look_at_flux(wabe_lbm_run_state *run) {
    wabe_profile_start(&run->simulation->domain.profile);
    const wabe_status status = wabe_porous_look(&run->lbm_case.porous, run->simulation, &run->last,
                                                &run->watch);
    wabe_profile_stop(&run->simulation->domain.profile, WABE_PHASE_monitor);
    return status;
}

static bool is_steady(const wabe_lbm_run_state *run) {
    return run->watch.steady || run->calm.steady;
}

/* One step and what is due after it. Broken values stop the run before they are written. */
static wabe_status advance(wabe_lbm_run_state *run, int64_t step) {
    const bool noted = wabe_report_is_due(step, run->options.monitor.every);
    const bool looked = is_porous(run) && wabe_report_is_due(step, run->lbm_case.porous.interval);
    const bool written = step == run->options.steps || wabe_lbm_fields_are_due(run, step);
    wabe_simulation_step(run->simulation);
    if (written || looked || noted)
        WABE_TRY(wabe_lbm_look(run, step));
    if (noted)
        WABE_TRY(wabe_lbm_note(run, step));
    if (looked)
        WABE_TRY(look_at_flux(run));
    wabe_lbm_average(run, step);
    WABE_TRY(wabe_lbm_probe(run, step));
    return written || is_steady(run)
               ? write_state(run, step == run->options.steps || is_steady(run))
               : WABE_OK;
}

/* A checkpoint, if it is time for one, but not of broken values; or the run's end. */
static wabe_status save_or_stop(wabe_lbm_run_state *run, int64_t step) {
    const bool last = step == run->options.steps || is_steady(run);
    uint64_t busy = wabe_async_busy(&run->async);
    const wabe_decision decision = wabe_checkpoint_decide(&run->policy, step, last, &busy);
    WABE_TRY(wabe_async_proceed(&run->async, busy, &run->simulation->domain.profile));
    if (decision == WABE_GO_ON)
        return WABE_OK;
    WABE_TRY(wabe_lbm_look(run, step));
    WABE_TRY(wabe_lbm_save(run, decision));
    run->stopped = decision == WABE_SAVE_AND_STOP;
    return WABE_OK;
}

static wabe_status time_loop(wabe_lbm_run_state *run) {
    const int64_t steps = run->options.steps, begin = wabe_simulation_steps(run->simulation);
    wabe_status status = WABE_OK;
    MPI_Barrier(run->comm);
    const double start = MPI_Wtime();
    wabe_report_clock clock = wabe_report_start(begin);
    run->policy = wabe_checkpoint_policy_begin(run->comm, &run->options.checkpoint, begin);
    run->async.known = begin;
    if (begin == steps || is_steady(run))
        status = write_state(run, true);
    else if (begin == 0 && wabe_lbm_fields_are_due(run, 0))
        status = write_state(run, false);
    for (int64_t step = begin + 1;
         step <= steps && status == WABE_OK && !is_steady(run) && !run->stopped; step++) {
        status = advance(run, step);
        if (status == WABE_OK)
            status = save_or_stop(run, step);
        wabe_report_progress(&clock, step, run->options.steps, (double)run->fluid_cells,
                             run->kernels[0]->bytes);
    }
    if (status == WABE_OK)
        status = wabe_async_end(&run->async, &run->simulation->domain.profile);
    wabe_domain_synchronise(&run->simulation->domain);
    MPI_Barrier(run->comm);
    run->seconds = MPI_Wtime() - start - run->simulation->domain.profile.seconds[WABE_PHASE_output];
    return status;
}

/* ---- the run ------------------------------------------------------------------------ */

static void name_files(const wabe_lbm_run_state *run) {
    wabe_log_line(" ");
    wabe_log_line("results    %s/results.json, timing.json", run->directory);
    for (int i = 0; i < run->part_count; i++)
        wabe_log_line("%-10s open %s/%s.hdf.series (or %s.xdmf)", i == 0 ? "ParaView" : "",
                      run->directory, run->parts[i].name, run->parts[i].name);
    if (run->options.output.picture > 0)
        wabe_log_line("picture    %s/velocity_%08lld.png", run->directory,
                      (long long)wabe_simulation_steps(run->simulation));
    if (run->options.output.profiles)
        wabe_log_line("profiles   %s/profiles.csv", run->directory);
}

/* Who asks for no steps looks at the start, and at nothing that flows. */
static bool should_be_steady(const wabe_lbm_run_state *run) {
    const bool pores = is_porous(run) && run->lbm_case.porous.tolerance > 0.0;
    return (pores || run->options.monitor.steady > 0.0) && run->options.steps > 0;
}

/* The results so far, of a run that another one shall go on with. */
static wabe_status conclude_stopped(wabe_lbm_run_state *run) {
    run->status = "interrupted";
    WABE_TRY(wabe_lbm_write_results(run));
    wabe_log_line("interrupted after step %lld of %lld; --restart latest goes on from there",
                  (long long)wabe_simulation_steps(run->simulation), (long long)run->options.steps);
    return WABE_OK;
}

static wabe_status run_all(wabe_lbm_run_state *run) {
    WABE_TRY(set_up(run));
    wabe_status status = time_loop(run);
    if (status == WABE_DIVERGED) {
        char why[WABE_MESSAGE_SIZE];
        snprintf(why, sizeof why, "%s", wabe_error_message());
        wabe_lbm_write_results(run);
        return WABE_FAIL(WABE_DIVERGED, "%s", why);
    }
    WABE_TRY(status);
    if (run->stopped)
        return conclude_stopped(run);
    const bool open = should_be_steady(run) && !is_steady(run);
    if (run->watch.steady)
        wabe_log_line("steady     after %lld steps: the flux changes by %.2g of itself in %lld",
                      (long long)wabe_simulation_steps(run->simulation), run->watch.change,
                      (long long)run->lbm_case.porous.interval);
    run->status = open ? "not converged" : "done";
    if (is_porous(run))
        WABE_TRY(wabe_porous_measure(&run->lbm_case.porous, &run->pores, run->simulation,
                                     &run->last, run->directory, &run->porous));
    run->porous_measured = is_porous(run);
    if (run->options.output.profiles)
        WABE_TRY(wabe_lbm_write_profiles(run));
    WABE_TRY(wabe_lbm_write_results(run));
    wabe_lbm_print_timing(run);
    if (is_porous(run))
        wabe_porous_print(&run->lbm_case.porous, &run->porous);
    name_files(run);
    if (open && run->options.monitor.steady > 0.0)
        return wabe_lbm_not_calm(run);
    return open ? wabe_porous_not_steady(&run->lbm_case.porous, &run->watch, run->options.steps)
                : WABE_OK;
}

/* One run; the tensor's column along its axis. tensor: are there two more to come? */
static wabe_status run_along(MPI_Comm comm, const wabe_input *input, wabe_config *config, int axis,
                             double column[3], bool *tensor, bool *stopped) {
    wabe_lbm_run_state run;
    wabe_status status = wabe_lbm_prepare(comm, input, config, axis, &run);
    if (status == WABE_OK)
        status = run_all(&run);
    const bool told = status == WABE_OK || status == WABE_DIVERGED || status == WABE_NOT_CONVERGED;
    if (run.begun && !told && run.rank == 0)
        wabe_report_failure(run.directory, run.options.name, status);
    memcpy(column, run.porous.permeability, sizeof run.porous.permeability);
    *tensor = run.tensor;
    *stopped = run.stopped;
    wabe_lbm_finish(&run);
    return status;
}

wabe_status wabe_lbm_run(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    double columns[3][3] = {{0}};
    bool tensor = true, stopped = false;
    wabe_checkpoint_watch();
    for (int axis = 0; axis < 3 && tensor && !stopped; axis++)
        WABE_TRY(run_along(comm, input, config, axis, columns[axis], &tensor, &stopped));
    tensor &= !stopped;
    for (int axis = 0; axis < 3; axis++) /* unknown without a flow */
        tensor &= isfinite(columns[axis][axis]);
    for (int row = 0; row < 3 && tensor; row++)
        wabe_log_line("%-10s %15.8g %15.8g %15.8g%s", row == 0 ? "tensor" : "", columns[0][row],
                      columns[1][row], columns[2][row], row == 0 ? "  cells^2" : "");
    return WABE_OK;
}
