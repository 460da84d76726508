#include "apps/model/forecast.h"

#include "apps/runtime/kernels.h"
#include "comm/node.h"

#include <math.h>
#include <unistd.h>

/* Threads of a component that compute, and those of all components of the node (busy): one of a
 * process drives its GPUs, and a node has no more than its cores. Collective. */
static double threads_of(const wabe_simulation *s, const wabe_component *component, double *busy) {
    double mine = 0.0;
    bool drives = false;
    for (int i = 0; i < s->domain.slab_count; i++) {
        mine += s->domain.components.list[i].device ? 0.0 : s->domain.components.list[i].threads;
        drives |= s->domain.components.list[i].device != NULL;
    }
    const double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    const double all = wabe_node_sum(s->domain.comm, mine + (drives && mine == 0.0));
    double threads = component->device ? 1.0 : component->threads;
    if (drives && !component->device && threads > 1.0)
        threads -= 1.0;
    *busy = fmin(all, cores);
    return threads * *busy / all;
}

/* What its kernel costs; instruction sets move the same bytes. false: this build has none. */
static bool find_work(wabe_collision_operator collision, wabe_machine_flavour *out) {
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *kernel = wabe_registry_row(wabe_kernels(), i);
        if (kernel->sweep == &wabe_sweep_stream_collide && kernel->storage == out->storage &&
            wabe_lbm_attributes_of(kernel)->collision == collision &&
            wabe_lbm_attributes_of(kernel)->streaming == out->streaming) {
            out->work = (wabe_model_work){.bytes = kernel->bytes, .flops = kernel->flops};
            return true;
        }
    }
    return false;
}

bool wabe_forecast_flavour(const wabe_simulation_options *s, wabe_machine_flavour *out) {
    const bool list = wabe_simulation_expects_list(s);
    *out = (wabe_machine_flavour){.storage = s->model.type,
                                  .streaming = list ? WABE_STREAMING_list : s->model.streaming,
                                  .fluid = list ? s->fluid_share : s->touched_share};
    out->fluid = out->fluid > 0.0 ? out->fluid : 1.0; /* not surveyed */
    return find_work(s->model.collision, out);
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

double wabe_forecast_list_price(const wabe_machine *machine, wabe_target target, double cells,
                                const wabe_simulation_options *s) {
    const int component = wabe_machine_find(machine, target);
    wabe_machine_flavour list = {.storage = s->model.type,
                                 .streaming = WABE_STREAMING_list,
                                 .fluid = s->fluid_share};
    wabe_machine_flavour dense = {.storage = s->model.type,
                                  .streaming = s->model.streaming,
                                  .fluid = s->touched_share};
    if (component < 0 || !(s->fluid_share > 0.0) || !(s->touched_share > 0.0) ||
        !find_work(s->model.collision, &list) || !find_work(s->model.collision, &dense))
        return 1.0;
    const double price = seconds_of_byte(machine, component, cells, &list) /
                         seconds_of_byte(machine, component, cells, &dense);
    return isfinite(price) && price > 0.0 ? price : 1.0;
}

static wabe_machine_flavour flavour_of(const wabe_simulation *s, const wabe_lbm *lbm) {
    const wabe_kernel *kernel = lbm->kernels[WABE_LBM_STREAM_COLLIDE];
    const double cells = (double)wabe_box_cells(lbm->block);
    const double fluid = (double)(lbm->tiles->regions[0].cells + lbm->tiles->regions[1].cells);
    const double touched = s->options.touched_share > 0.0 ? s->options.touched_share : 1.0;
    return (wabe_machine_flavour){.storage = kernel->storage,
                                  .streaming = lbm->model.streaming,
                                  .fluid = lbm->list ? fluid / cells : touched,
                                  .work = {.bytes = kernel->bytes, .flops = kernel->flops}};
}

static wabe_model_block block_of(const wabe_simulation *s, const wabe_lbm *lbm, double fluid) {
    wabe_model_block block = {.fluid_share = fluid};
    for (int d = 0; d < 3; d++) {
        const bool periodic = s->domain.partition.periodic[d];
        block.cells[d] = (double)wabe_box_extent(lbm->block, d);
        block.neighbours[d] = s->options.overlap && s->options.communicate
                                  ? (lbm->block.begin[d] > 0 || periodic) +
                                        (lbm->block.end[d] < s->domain.partition.cells[d] ||
                                         periodic)
                                  : 0;
    }
    return block;
}

static wabe_model_path path_of(const wabe_slab *from, const wabe_slab *to,
                               wabe_transport transport) {
    if (transport == WABE_TRANSPORT_local)
        return WABE_MODEL_HERE;
    if (transport == WABE_TRANSPORT_peer)
        return from->rank == to->rank ? WABE_MODEL_PEER : WABE_MODEL_IPC;
    if (from->rank == to->rank)
        return WABE_MODEL_HOST;
    return from->node == to->node ? WABE_MODEL_NODE : WABE_MODEL_NETWORK;
}

/* Of a message's bytes those that cross x: all if the slabs lie side by side along x, two faces' if
 * a slab is its own neighbour there. */
static double bytes_across(const wabe_simulation *s, const wabe_slab *from, const wabe_slab *to,
                           double bytes) {
    if (from->box.end[0] <= to->box.begin[0] || to->box.end[0] <= from->box.begin[0])
        return bytes;
    if (from != to || !s->domain.partition.periodic[0])
        return 0.0;
    return fmin(bytes, 2.0 * 5.0 * (double)wabe_box_extent(from->box, 1) *
                           (double)wabe_box_extent(from->box, 2) *
                           (double)wabe_type_size(s->options.model.type));
}

enum { MESSAGES_MAX = 256 };

/* What a slab sends, each with what comes back. */
static int messages_of(const wabe_simulation *s, int slab, wabe_model_message *out) {
    const wabe_partition *p = &s->domain.partition;
    int count = 0;
    const wabe_exchange *x = s->domain.exchanges[0].exchange;
    for (int i = 0; x && i < wabe_exchange_count(x); i++) {
        const wabe_exchange_route r = wabe_exchange_route_of(x, i);
        if (r.from != p->first + slab || count == MESSAGES_MAX)
            continue;
        const wabe_slab *from = &p->slabs[r.from], *to = &p->slabs[r.to];
        const wabe_model_path path = path_of(from, to, r.transport);
        out[count++] = (wabe_model_message){path, (double)r.bytes, 1,
                                            bytes_across(s, from, to, (double)r.bytes)};
    }
    return count;
}

/* Collective. */
static double network_messages_of_node(const wabe_simulation *s) {
    double mine = 0.0;
    for (int i = 0; i < s->domain.slab_count; i++) {
        wabe_model_message messages[MESSAGES_MAX];
        mine += wabe_model_over_network(messages_of(s, i, messages), messages);
    }
    return wabe_node_sum(s->domain.comm, mine);
}

static wabe_status check_links(const wabe_machine *m, int count,
                               const wabe_model_message messages[]) {
    for (int i = 0; i < count; i++) {
        WABE_CHECK((messages[i].path != WABE_MODEL_PEER && messages[i].path != WABE_MODEL_IPC) ||
                       m->links.peer.bandwidth > 0.0,
                   WABE_INPUT, "it has no figures for GPUs that reach each other (peer)");
        WABE_CHECK(messages[i].path != WABE_MODEL_NETWORK || m->links.network.bandwidth > 0.0,
                   WABE_INPUT, "it has no figures for messages between nodes (network)");
    }
    return WABE_OK;
}

/* What the thread that drives a process's GPUs takes to give them a step. */
static double launching(const wabe_machine *m, const wabe_simulation *s, int *devices) {
    const int gpu = wabe_machine_find(m, WABE_TARGET_gpu);
    *devices = 0;
    for (int i = 0; i < s->domain.slab_count; i++)
        *devices += s->domain.components.list[i].device != NULL;
    return gpu >= 0 ? *devices * m->components[gpu].launch : 0.0;
}

static wabe_status add_slab(const wabe_machine *machine, const wabe_simulation *s, int slab,
                            int count, const wabe_model_message messages[], double threads,
                            double busy, double processes, wabe_forecast *out) {
    const wabe_lbm *lbm = s->slabs[slab];
    const int component = wabe_machine_find(machine, lbm->component->target);
    WABE_CHECK(component >= 0, WABE_INPUT, "it has no component of kind \"%s\"",
               wabe_target_word(lbm->component->target));
    WABE_CHECK(count < MESSAGES_MAX, WABE_INPUT, "a slab has too many neighbours");
    WABE_TRY(check_links(machine, count, messages));
    const wabe_machine_flavour flavour = flavour_of(s, lbm);
    bool measured;
    const wabe_model_component c = wabe_machine_model(machine, component, &flavour, threads, busy,
                                                      &measured);
    const wabe_model_block block = block_of(s, lbm, flavour.fluid);
    const wabe_model_links links = wabe_machine_links(machine, processes);
    wabe_model_step step = wabe_model_step_with(&c, &links, &block, count, messages,
                                                s->options.overlap);
    if (!s->options.overlap && count > 0) { /* all of it is one region, and comes first */
        step.outer += step.inner;
        step.inner = 0.0;
    }
    if (!step.device) { /* it does so before it does its own work */
        int devices;
        step.sync += launching(machine, s, &devices);
    }
    out->copy += machine->components[component].processor.bandwidth * c.share;
    out->measured &= measured;
    out->inside &= wabe_model_curve_is_near(&c.kernel.whole, block.cells[0] * block.cells[1] *
                                                                 block.cells[2] *
                                                                 block.fluid_share / c.share);
    out->seconds = fmax(out->seconds, wabe_model_step_seconds(step, s->options.overlap));
    out->slabs[out->count++] = step;
    return WABE_OK;
}

wabe_status wabe_forecast_make(const wabe_machine *machine, const wabe_simulation *s,
                               wabe_forecast *out) {
    *out = (wabe_forecast){.measured = true, .inside = true};
    wabe_status status = WABE_OK;
    int most = s->domain.slab_count;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, s->domain.comm);
    const double processes = wabe_node_sum(s->domain.comm, 1.0);
    const double of_node = network_messages_of_node(s);
    for (int i = 0; i < most; i++) {
        wabe_model_message messages[MESSAGES_MAX];
        const int slab = i < s->domain.slab_count ? i : 0;
        const int count = i < s->domain.slab_count ? messages_of(s, i, messages) : 0;
        double busy;
        const double threads = threads_of(s, s->slabs[slab]->component, &busy);
        wabe_model_share_network(of_node, count, messages);
        if (i < s->domain.slab_count && status == WABE_OK)
            status = add_slab(machine, s, i, count, messages, threads, busy, processes, out);
    }
    int devices;
    const double launches = launching(machine, s, &devices);
    if (devices > 1) /* it gives one after the other its step */
        out->seconds = fmax(out->seconds, launches);
    int flags[2] = {out->measured, out->inside};
    MPI_Allreduce(MPI_IN_PLACE, &out->seconds, 1, MPI_DOUBLE, MPI_MAX, s->domain.comm);
    MPI_Allreduce(MPI_IN_PLACE, &out->copy, 1, MPI_DOUBLE, MPI_SUM, s->domain.comm);
    MPI_Allreduce(MPI_IN_PLACE, flags, 2, MPI_INT, MPI_MIN, s->domain.comm);
    out->measured = flags[0], out->inside = flags[1];
    return wabe_agree(s->domain.comm, status);
}
