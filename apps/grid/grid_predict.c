/* What wabe predict has to know of a grid: the kernel's row tells what a pass costs. */
#include "apps/grid/grid.h"
#include "apps/model/predict.h"
#include "apps/runtime/kernels.h"
#include "sweeps/cell/diffusion.h"
#include "sweeps/cell/himeno.h"

#include <string.h>

typedef struct {
    const wabe_grid_application *app;
    const wabe_kernel *kernels[WABE_TARGET_end]; /* of the sweep, on processors and on GPUs */
} grid;

/* Kernels of other instruction sets move the same bytes. */
static const wabe_kernel *find_kernel(const wabe_grid_model *model, wabe_target target) {
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i);
        if (row->sweep == model->sweeps[0].sweep && row->storage == model->sweeps[0].type &&
            row->target == target)
            return row;
    }
    return NULL;
}

/* Others are measured by no one. */
static wabe_measured_application application_of(const wabe_sweep *sweep) {
    return sweep == &wabe_sweep_diffuse  ? WABE_APPLICATION_diffusion
           : sweep == &wabe_sweep_himeno ? WABE_APPLICATION_himeno
                                         : WABE_APPLICATION_end;
}

static bool has_walls(const wabe_grid_model *m) {
    return m->sweeps[0].sweep == &wabe_sweep_diffuse &&
           !(m->periodic[0] && m->periodic[1] && m->periodic[2]);
}

static bool needs_edges(const wabe_grid_model *m) {
    return m->depth > 1 || m->sweeps[0].reads[0].stencil == WABE_STENCIL_AROUND;
}

static wabe_grid_model model_of(const grid *g, const wabe_kernel *kernel, const int64_t cells[3]) {
    wabe_grid_model model = g->app->slabs.model;
    model.depth = g->app->depth ? g->app->depth : wabe_grid_depth(kernel, &model, cells);
    return model;
}

static wabe_scaling_pass pass_of(const void *context, const int64_t cells[3], wabe_target target) {
    const grid *g = context;
    const wabe_kernel *kernel = g->kernels[target];
    const wabe_grid_model model = model_of(g, kernel, cells);
    const double work = wabe_stencil_of(kernel)->work;
    const double layers = model.depth, edges = needs_edges(&model);
    return (wabe_scaling_pass){.steps = model.depth,
                               .cost = (1.0 + work * layers) / (1.0 + work),
                               .crossing = {layers, edges * layers * layers,
                                            edges * layers * layers * layers}};
}

static int64_t memory_of(const void *context, const int64_t cells[3], wabe_target target) {
    const grid *g = context;
    const wabe_grid_model model = model_of(g, g->kernels[target], cells);
    return wabe_grid_bytes(&model, cells, target);
}

wabe_status wabe_grid_predict(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                              const wabe_grid_options *options,
                              const wabe_grid_application *application) {
    const wabe_grid_model *model = &application->slabs.model;
    grid g = {.app = application};
    wabe_prediction prediction;
    g.kernels[WABE_TARGET_cpu] = find_kernel(model, WABE_TARGET_cpu);
    g.kernels[WABE_TARGET_gpu] = find_kernel(model, WABE_TARGET_gpu);
    const wabe_kernel *kernel = g.kernels[WABE_TARGET_cpu];
    wabe_scaling_case scaling = {
        .name = options->name,
        .steps = options->steps,
        .wraps = true,
        .overlap = options->parallel.overlap,
        .fluid_share = 1.0,
        .type = model->sweeps[0].type,
        .transport = (wabe_transport)options->parallel.transport,
        .node = wabe_parallel_node(&options->parallel, &options->node),
        .flavour = {.storage = model->sweeps[0].type,
                    .application = application_of(model->sweeps[0].sweep),
                    .steps = 1,
                    .walls = has_walls(model),
                    .fluid = 1.0,
                    .work = {.bytes = kernel->bytes, .flops = kernel->flops}},
        .context = &g,
        .pass = pass_of,
        .memory = memory_of,
    };
    memcpy(scaling.cells, options->domain.cells, sizeof scaling.cells);
    memcpy(scaling.periodic, model->periodic, sizeof scaling.periodic);
    if (application->depth > wabe_stencil_of(kernel)->depth)
        return wabe_config_fail(config, application->depth_key,
                                "is more than kernels can do: %d at most",
                                wabe_stencil_of(kernel)->depth);
    wabe_status status = wabe_predict_open(comm, input, &prediction);
    if (status == WABE_OK)
        status = wabe_predict(comm, input, &prediction, &scaling);
    wabe_predict_close(&prediction);
    return status;
}
