/* The cost of a flow: kernels, memory, and steps by the performance model. */
#include "apps/lbm/lbm.h"

#include "apps/runtime/balance.h"
#include "apps/runtime/kernels.h"
#include "sweeps/cell/lattice.h"

#include <math.h>

/* ---- kernels ------------------------------------------------------------------------ */

/* The same selection as at set-up, except for boundaries, which need the cells' flags: a missing
 * kernel is reported before anything is allocated or written. */
static wabe_status pick_kernels(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_model *m = &flow->lbm_case.simulation.model;
    const bool list = wabe_simulation_expects_list(&flow->lbm_case.simulation);
    const wabe_lbm_attributes wanted = {.lattice = m->lattice,
                                        .collision = m->collision,
                                        .streaming = list ? WABE_STREAMING_list : m->streaming};
    const wabe_kernel_request request = {.sweep = &wabe_sweep_stream_collide,
                                         .storage = m->type,
                                         .attributes = &wanted,
                                         .name_part = m->kernel};
    const wabe_kernel *kernels[WABE_SLABS_MAX];
    wabe_status status = WABE_OK;
    for (int i = 0; i < run->components.count && status == WABE_OK; i++)
        status = wabe_registry_select(wabe_kernels(), &run->components.list[i], &request,
                                      &kernels[i]);
    run->kernel = kernels[0];
    if (status == WABE_OK || !wabe_config_is_given(run->config, "lbm.kernel"))
        return status;
    return wabe_config_fail_because(run->config, "lbm.kernel", "names no kernel to take");
}

static wabe_status plan(wabe_run *run) { return wabe_agree(run->comm, pick_kernels(run)); }

/* ---- memory and updates ------------------------------------------------------------- */

/* Until the solid fraction is known, only the flags are certain, a byte per cell in the host's
 * memory: a list may have few cells. Beyond any real memory, the fields' size suffices: the
 * forecast, in 64-bit integers, might overflow. */
static double memory(const wabe_run *run, const wabe_component *component, const int64_t cells[3]) {
    const wabe_flow *flow = wabe_flow_of(run);
    wabe_simulation_options s = flow->lbm_case.simulation;
    const double all = (double)cells[0] * (double)cells[1] * (double)cells[2];
    const double fields = all * wabe_lattice_count(s.model.lattice) *
                          (double)wabe_type_size(s.model.type) *
                          wabe_streaming_grids(s.model.streaming);
    const bool may_be_list = s.model.streaming == WABE_STREAMING_list ||
                             s.model.list_cost_ratio > 0.0;
    if (may_be_list && wabe_flow_needs_analysis(flow) && flow->pores.cells == 0)
        return component->target == WABE_TARGET_cpu ? all : 0.0;
    if (wabe_flow_is_streamed(flow))
        return wabe_flow_streamed_memory(run);
    s.sums = run->averages.rows;
    return fields > 1e16 ? fields : (double)wabe_simulation_forecast(&s, cells, component->target);
}

static wabe_status count(const wabe_run *run, wabe_box box, int64_t *planes) {
    return wabe_geometry_count(&wabe_flow_of(run)->lbm_case.simulation.geometry, box, planes);
}

static double seconds_of(wabe_lbm_slab *lbm) {
    wabe_profile profile = {0};
    wabe_schedule schedule = {.profile = &profile};
    wabe_lbm_schedule(1, &lbm, &schedule);
    return wabe_balance_seconds(&schedule, &lbm->timeline);
}

/* Of single steps: a part of the domain has no passes of several. */
static wabe_status rate(const wabe_run *run, const wabe_component *component, wabe_box box,
                        double *out) {
    const wabe_simulation_options *o = &wabe_flow_of(run)->lbm_case.simulation;
    wabe_lbm_model model = o->model;
    wabe_lbm_slab *lbm = NULL;
    *out = 0.0;
    model.residency = (wabe_lbm_residency){0};
    WABE_TRY(
        wabe_lbm_create(wabe_kernels(), component, &model, &o->geometry, box, box, NULL, &lbm));
    wabe_lbm_forget(lbm);
    const wabe_status status = wabe_lbm_initialise(lbm, wabe_lbm_at_rest, NULL);
    const double cells = (double)(lbm->tiles->regions[0].cells + lbm->tiles->regions[1].cells);
    if (status == WABE_OK && cells > 0.0)
        *out = cells / seconds_of(lbm);
    wabe_lbm_destroy(&lbm);
    return status;
}

/* ---- performance model -------------------------------------------------------------- */

/* Finds the work of the flow's kernel, which is the same for all instruction sets. false: this
 * build has none. */
static bool find_work(const wabe_lbm_model *model, wabe_machine_flavour *out) {
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *kernel = wabe_registry_row(wabe_kernels(), i);
        if (kernel->sweep == &wabe_sweep_stream_collide && kernel->storage == out->storage &&
            wabe_lbm_attributes_of(kernel)->lattice == model->lattice &&
            wabe_lbm_attributes_of(kernel)->collision == model->collision &&
            wabe_lbm_attributes_of(kernel)->streaming == out->streaming) {
            out->work = (wabe_model_work){.bytes = kernel->bytes, .flops = kernel->flops};
            return true;
        }
    }
    return false;
}

static bool find_flavour(const wabe_simulation_options *s, wabe_machine_flavour *out) {
    const bool list = wabe_simulation_expects_list(s);
    *out = (wabe_machine_flavour){.storage = s->model.type,
                                  .streaming = list ? WABE_STREAMING_list : s->model.streaming,
                                  .times = wabe_simulation_times(s->model.lattice),
                                  .fluid = list ? s->fluid_share : s->touched_share};
    out->fluid = out->fluid > 0.0 ? out->fluid : 1.0; /* 0: not surveyed */
    return find_work(&s->model, out);
}

/* 0: not measured. */
static double seconds_of_byte(const wabe_machine *machine, int component, double cells,
                              const wabe_machine_flavour *flavour) {
    bool measured;
    const double threads = machine->components[component].threads;
    const wabe_model_component c = wabe_machine_model(machine, component, flavour, threads, threads,
                                                      &measured);
    const double updates = cells * flavour->fluid;
    return measured ? wabe_model_curve_seconds(&c.kernel.whole, updates / c.share) /
                          (updates * flavour->work.bytes)
                    : 0.0;
}

static double list_cost_ratio(const wabe_machine *machine, wabe_target target, double cells,
                              const wabe_simulation_options *s) {
    const int component = wabe_machine_find(machine, target);
    wabe_machine_flavour list = {.storage = s->model.type,
                                 .streaming = WABE_STREAMING_list,
                                 .fluid = s->fluid_share};
    wabe_machine_flavour dense = {.storage = s->model.type,
                                  .streaming = s->model.streaming,
                                  .fluid = s->touched_share};
    if (component < 0 || !(s->fluid_share > 0.0) || !(s->touched_share > 0.0) ||
        !find_work(&s->model, &list) || !find_work(&s->model, &dense))
        return 1.0;
    const double price = seconds_of_byte(machine, component, cells, &list) /
                         seconds_of_byte(machine, component, cells, &dense);
    return isfinite(price) && price > 0.0 ? price : 1.0;
}

static void price(wabe_run *run, const wabe_machine *machine, wabe_target target, double cells) {
    wabe_simulation_options *s = &wabe_flow_of(run)->lbm_case.simulation;
    if (s->model.list_cost_ratio > 0.0)
        s->model.list_cost_ratio = list_cost_ratio(machine, target, cells, s);
}

static bool cost(const wabe_run *run, const int64_t cells[3], wabe_target target,
                 wabe_step_cost *out) {
    const wabe_simulation_options *s = &wabe_flow_of(run)->lbm_case.simulation;
    (void)cells, (void)target;
    *out = (wabe_step_cost){.pass = wabe_simulation_pass(&s->model),
                            .flows = true,
                            .wraps = s->model.streaming == WABE_STREAMING_moments,
                            .share = s->fluid_share > 0.0 ? s->fluid_share : 1.0};
    return find_flavour(s, &out->flavour);
}

static void slab_costs(const wabe_run *run, wabe_step_cost out[]) {
    wabe_simulation_costs(wabe_flow_of(run)->simulation, out);
}

void wabe_flow_enter_costs(wabe_application *app) {
    app->plan = plan;
    app->memory = memory;
    app->count = count;
    app->rate = rate;
    app->price = price;
    app->cost = cost;
    app->slab_costs = slab_costs;
}
