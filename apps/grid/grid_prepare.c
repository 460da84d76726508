/* What is settled before a run on a grid begins: its components, kernels, planes and memory. */
#include "apps/grid/grid_internal.h"

#include "apps/runtime/balance.h"
#include "apps/runtime/kernels.h"
#include "apps/runtime/limits.h"
#include "comm/node.h"
#include "core/base/log.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

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
    const wabe_grid_sweep_row *m = &run->slabs.model.sweeps[0];
    const wabe_kernel_request request = {.sweep = m->sweep,
                                         .storage = m->type,
                                         .name_part = m->kernel};
    const wabe_status status = wabe_registry_select(wabe_kernels(), &run->components.list[i],
                                                    &request, out);
    char why[WABE_MESSAGE_SIZE];
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
    char why[WABE_MESSAGE_SIZE];
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
    const double fitting = wabe_grid_cells(run) * there / wanted;
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
        *wraps &= wabe_stencil_wraps(kernel, cells[0]);
        const int depth = wabe_grid_depth(kernel, model, cells);
        if (wanted == 0)
            *out = depth < *out ? depth : *out;
        else if (wanted > wabe_stencil_of(kernel)->depth)
            return wabe_config_fail(run->config, run->app->depth_key,
                                    "is more than kernel %s can do: %d at most", kernel->name,
                                    wabe_stencil_of(kernel)->depth);
        else if (wabe_grid_fits(model, cells, wanted) != WABE_OK)
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

wabe_status wabe_grid_prepare(grid_run *run) {
    wabe_decomposition decomposition;
    const wabe_parallel_options *p = &run->o->parallel;
    const wabe_node_options node = wabe_parallel_node(p, &run->o->node);
    WABE_TRY(wabe_agree(run->comm, check_options(run)));
    wabe_status status = wabe_decomposition_make(run->o->domain.cells, run->slabs.model.periodic,
                                                 p->processes, run->size, &decomposition);
    char why[WABE_MESSAGE_SIZE];
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
    char steps[64], passes[64];
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
                  run->bytes / wabe_grid_cells(run));
    wabe_log_line("cost       %s: moves %d B, %d flop per cell%s", run->kernel->name,
                  run->kernel->bytes, run->kernel->flops, passes_of(run, passes, sizeof passes));
    return WABE_OK;
}
