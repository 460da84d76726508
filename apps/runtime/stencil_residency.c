/* Whether the fields of a stencil application are on the GPU, or streamed through it. */
#include "apps/runtime/residency.h"
#include "apps/runtime/stencil_internal.h"

/* ---- memory ------------------------------------------------------------------------- */

/* Bytes on a device beside the window: of reductions, those aside too. */
static double beside(const wabe_grid_model *m) {
    return (double)((m->reduction_count + 1) * WABE_REDUCTION_SLOTS *
                    (int64_t)sizeof(wabe_reduction_slot));
}

static bool is_streamed(const wabe_run *run) { return run->streamed.ring.pieces > 0; }

double wabe_stencil_streamed_memory(const wabe_run *run) {
    return is_streamed(run) ? (double)wabe_ring_bytes(&run->streamed.ring) +
                                  beside(&wabe_stencil_case_of(run)->slabs.model)
                            : 0.0;
}

/* ---- the plan ----------------------------------------------------------------------- */

/* The model with what its kernel can do on the block. */
static wabe_status model_of(const wabe_run *run, wabe_grid_model *out) {
    int wraps = 0;
    *out = wabe_stencil_case_of(run)->slabs.model;
    WABE_TRY(wabe_stencil_plan_passes(run, &out->depth, &wraps));
    out->wraps[0] = wraps;
    return WABE_OK;
}

/* Why this process cannot stream its slab; NULL: it can. */
static const char *obstacle(const wabe_run *run, const wabe_grid_model *model) {
    if (run->size > 1)
        return "there must be one process: only flows are streamed by several";
    if (run->components.count != 1 || !run->components.list[0].device)
        return "there must be one component, a GPU";
    return wabe_grid_obstacle(model);
}

static wabe_grid_residency residency_of(const wabe_run *run, const wabe_grid_model *model,
                                        double room) {
    const double window = (1.0 - WABE_RESIDENCY_SPARE) * room - beside(model);
    return (wabe_grid_residency){window > 1.0 ? (int64_t)window : 1,
                                 (int)run->o->parallel.steps_per_pass};
}

static wabe_model_passes passes_of(const wabe_grid_pass_plan *p) {
    const wabe_window_traffic t = wabe_window_traffic_of(&p->ring, p->arrays);
    return (wabe_model_passes){.steps = p->steps_per_pass,
                               .computed = 1.0,
                               .bytes = (double)(t.loaded > t.stored ? t.loaded : t.stored)};
}

static wabe_status plan_stream(wabe_run *run, wabe_grid_model *model) {
    const wabe_component *component = &run->components.list[0];
    const double room = wabe_run_device_memory(run, 0);
    const int64_t cells[3] = {wabe_box_extent(run->block, 0), wabe_box_extent(run->block, 1),
                              wabe_box_extent(run->block, 2)};
    wabe_grid_pass_plan plan;
    model->residency = residency_of(run, model, room);
    const wabe_status status = wabe_grid_plan_passes(wabe_device_ring_unit(component->device),
                                                     model, cells, &plan);
    WABE_TRY(wabe_residency_blame(run, status, (double)plan.least, beside(model), room));
    wabe_stencil_case_of(run)->slabs.model.residency = model->residency;
    run->pass_steps = plan.steps_per_pass;
    run->streamed =
        (wabe_run_streamed){.what = "fields",
                            .ring = plan.ring,
                            .host = (double)wabe_window_home_bytes(&plan.ring, plan.arrays)};
    return WABE_OK;
}

static wabe_status check_keys(const wabe_run *run) {
    const bool resident = run->o->parallel.residency == WABE_RESIDENCY_RESIDENT ||
                          !run->components.list[0].device;
    if (resident && run->o->parallel.steps_per_pass > 1)
        return wabe_config_fail(run->config, "parallel.steps_per_pass",
                                "is for flows, and for fields that are streamed through a GPU");
    return WABE_OK;
}

static wabe_status choose_residency(wabe_run *run) {
    wabe_grid_model model;
    bool streamed;
    wabe_stencil_case_of(run)->slabs.model.residency = (wabe_grid_residency){0};
    WABE_TRY(wabe_agree(run->comm, check_keys(run)));
    WABE_TRY(wabe_agree(run->comm, model_of(run, &model)));
    WABE_TRY(wabe_residency_decide(run, obstacle(run, &model), &streamed));
    if (streamed)
        return wabe_agree(run->comm, plan_stream(run, &model));
    return WABE_OK;
}

/* For a slab that is not there, on a GPU of any kind. */
static wabe_status stream(const wabe_run *run, const int64_t cells[3], int neighbours, int per_node,
                          double room, wabe_model_passes *out, double *host) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    wabe_grid_model model = s->slabs.model;
    const wabe_kernel *kernel = wabe_stencil_find_kernel(&model.sweeps[0], WABE_TARGET_gpu);
    wabe_grid_pass_plan plan;
    (void)per_node; /* slabs with neighbours are not streamed */
    const char *why = wabe_grid_obstacle(&model);
    WABE_CHECK(kernel, WABE_INPUT, "there is no kernel for GPUs");
    WABE_CHECK(neighbours == 0, WABE_INPUT, "fields are streamed in one process alone");
    WABE_CHECK(!why, WABE_INPUT, "%s", why);
    model.depth = s->depth ? s->depth : wabe_grid_depth(kernel, &model, cells);
    model.residency = residency_of(run, &model, room);
    WABE_TRY(wabe_grid_plan_passes(WABE_RESIDENCY_UNIT, &model, cells, &plan));
    *out = passes_of(&plan);
    *host = (double)wabe_window_home_bytes(&plan.ring, plan.arrays);
    return WABE_OK;
}

/* ---- results ------------------------------------------------------------------------ */

wabe_model_passes wabe_stencil_passes(const wabe_run *run) {
    const wabe_grid_slab *slab = wabe_stencil_case_of(run)->slabs.list[0];
    return is_streamed(run) ? passes_of(&slab->streamed.plan) : (wabe_model_passes){.steps = 0.0};
}

static wabe_streamed_work work_of(const wabe_grid_slab *slab) {
    return (wabe_streamed_work){slab->streamed.plan.ring, slab->passes[0],
                                wabe_window_moved(slab->streamed.window),
                                wabe_grid_kernel_seconds(slab)};
}

void wabe_stencil_put_residency(const wabe_run *run, wabe_json *json) {
    const wabe_grid_slab *slab = wabe_stencil_case_of(run)->slabs.list[0];
    if (!is_streamed(run) || !slab)
        return;
    const wabe_streamed_work work = work_of(slab);
    wabe_residency_put(&work, json);
}

void wabe_stencil_print_copies(const wabe_run *run) {
    if (!is_streamed(run))
        return;
    const wabe_streamed_work work = work_of(wabe_stencil_case_of(run)->slabs.list[0]);
    wabe_residency_print_copies(run, &work);
}

void wabe_stencil_enter_residency(wabe_application *app) {
    app->choose_residency = choose_residency;
    app->stream = stream;
}
