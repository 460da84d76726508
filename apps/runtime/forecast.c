#include "apps/runtime/forecast.h"

#include "comm/node.h"

#include <math.h>
#include <unistd.h>

/* Computing threads of a component, and of all components of the node (busy): one thread of a
 * process drives its GPUs, and at most as many threads as the node has cores count. Collective. */
static double threads_of(const wabe_domain *d, const wabe_component *component, double *busy) {
    double mine = 0.0;
    bool drives = false;
    for (int i = 0; i < d->slab_count; i++) {
        mine += d->components.list[i].device ? 0.0 : d->components.list[i].threads;
        drives |= d->components.list[i].device != NULL;
    }
    const double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    const double all = wabe_node_sum(d->comm, mine + (drives && mine == 0.0));
    double threads = component->device ? 1.0 : component->threads;
    if (drives && !component->device && threads > 1.0)
        threads -= 1.0;
    *busy = fmin(all, cores);
    return threads * *busy / all;
}

/* Does a slab wrap round an axis, so that it exchanges nothing there? */
static bool wraps(const wabe_domain *d, wabe_box slab, int axis) {
    return d->options.wraps[axis] && d->partition.periodic[axis] &&
           wabe_box_extent(slab, axis) == d->partition.cells[axis];
}

static wabe_model_block block_of(const wabe_domain *d, wabe_box slab, const wabe_step_cost *cost) {
    wabe_model_block block = {.fluid_share = cost->flavour.fluid};
    for (int k = 0; k < d->exchange_count; k++)
        block.exchanges += cost->times[k] > 0.0 ? cost->times[k] : 1.0;
    for (int axis = 0; axis < 3; axis++) {
        const bool periodic = d->partition.periodic[axis] && !wraps(d, slab, axis);
        block.cells[axis] = (double)wabe_box_extent(slab, axis);
        block.neighbours[axis] = d->options.overlap && d->options.communicate
                                     ? d->options.halo *
                                           ((slab.begin[axis] > 0 || periodic) +
                                            (slab.end[axis] < d->partition.cells[axis] || periodic))
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

/* Bytes of a message that cross x: all if the slabs are adjacent along x; two faces if a slab is
 * its own neighbour there. */
static double bytes_across(const wabe_domain *d, const wabe_step_cost *cost, const wabe_slab *from,
                           const wabe_slab *to, double bytes) {
    if (from->box.end[0] <= to->box.begin[0] || to->box.end[0] <= from->box.begin[0])
        return bytes;
    if (from != to || !d->partition.periodic[0])
        return 0.0;
    return fmin(bytes, 2.0 * cost->pass.crossing[0] * (double)wabe_box_extent(from->box, 1) *
                           (double)wabe_box_extent(from->box, 2) *
                           (double)wabe_type_size(cost->flavour.storage));
}

enum { MESSAGES_MAX = 32 * WABE_EXCHANGES_MAX };

/* The messages that a slab sends; each stands for the one received, too. */
static int messages_of(const wabe_domain *d, const wabe_step_cost *cost, int slab,
                       wabe_model_message *out) {
    const wabe_partition *p = &d->partition;
    int count = 0;
    for (int k = 0; k < d->exchange_count; k++) {
        const wabe_exchange *x = d->exchanges[k].exchange;
        for (int i = 0; i < wabe_exchange_count(x); i++) {
            const wabe_exchange_route r = wabe_exchange_route_of(x, i);
            if (r.from != p->first + slab || count == MESSAGES_MAX)
                continue;
            const wabe_slab *from = &p->slabs[r.from], *to = &p->slabs[r.to];
            const wabe_model_path path = path_of(from, to, r.transport);
            out[count++] =
                (wabe_model_message){path,     (double)r.bytes,
                                     1,        bytes_across(d, cost, from, to, (double)r.bytes),
                                     r.copied, cost->times[k]};
        }
    }
    return count;
}

/* Seconds of the node's link for the messages of all its slabs. Collective. */
static double network_seconds_of_node(const wabe_domain *d, const wabe_model_links *links,
                                      const wabe_step_cost costs[]) {
    double mine = 0.0;
    for (int i = 0; i < d->slab_count; i++) {
        wabe_model_message messages[MESSAGES_MAX];
        const int count = messages_of(d, &costs[i], i, messages);
        mine += wabe_model_network_seconds(links, count, messages);
    }
    return wabe_node_sum(d->comm, mine);
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

/* Seconds that the thread driving a process's GPUs needs to launch a step on all of them. */
static double launching(const wabe_machine *m, const wabe_domain *d, int *devices) {
    const int gpu = wabe_machine_find(m, WABE_TARGET_gpu);
    *devices = 0;
    for (int i = 0; i < d->slab_count; i++)
        *devices += d->components.list[i].device != NULL;
    return gpu >= 0 ? *devices * m->components[gpu].launch : 0.0;
}

wabe_model_component wabe_forecast_component(const wabe_machine *machine, int index,
                                             const wabe_step_cost *cost, double threads,
                                             double busy, bool *measured) {
    wabe_machine_flavour flavour = cost->flavour;
    wabe_model_component c;
    if (cost->pass.steps > 1) {
        flavour.steps = cost->pass.steps;
        c = wabe_machine_model(machine, index, &flavour, threads, busy, measured);
        if (*measured)
            return c;
    }
    c = wabe_machine_model(machine, index, &cost->flavour, threads, busy, measured);
    for (int i = 0; i < c.kernel.whole.count && cost->pass.steps > 1; i++)
        c.kernel.whole.seconds[i] *= cost->pass.cost;
    return c;
}

static wabe_status add_slab(const wabe_machine *machine, const wabe_domain *d, int slab,
                            const wabe_step_cost *cost, int count,
                            const wabe_model_message messages[], double threads, double busy,
                            double processes, wabe_forecast *out) {
    const wabe_component *owner = &d->components.list[slab];
    const int component = wabe_machine_find(machine, owner->target);
    WABE_CHECK(component >= 0, WABE_INPUT, "it has no component of kind \"%s\"",
               wabe_target_word(owner->target));
    WABE_CHECK(count < MESSAGES_MAX, WABE_INPUT, "a slab has too many neighbours");
    WABE_TRY(check_links(machine, count, messages));
    WABE_CHECK(cost->passes.steps == 0.0 || machine->both_ways > 0.0, WABE_INPUT,
               "it has no figures for copies between GPU and host (bus, both_ways)");
    bool measured;
    const wabe_model_component c = wabe_forecast_component(machine, component, cost, threads, busy,
                                                           &measured);
    const wabe_model_block block = block_of(d, d->partition.slabs[d->partition.first + slab].box,
                                            cost);
    const wabe_model_links links = wabe_machine_links(machine, processes);
    wabe_model_step step = wabe_model_step_with(&c, &links, &block, count, messages,
                                                d->options.overlap);
    if (!d->options.overlap && count > 0) { /* everything is one region, computed first */
        step.outer += step.inner;
        step.inner = 0.0;
    }
    if (!step.device) { /* launching precedes the thread's own work */
        int devices;
        step.sync += launching(machine, d, &devices);
    }
    out->copy += machine->components[component].processor.bandwidth * c.share;
    out->measured &= measured;
    out->inside &= wabe_model_curve_is_near(&c.kernel.whole, block.cells[0] * block.cells[1] *
                                                                 block.cells[2] *
                                                                 block.fluid_share / c.share);
    step = wabe_model_step_share(step, cost->pass.steps);
    out->resident = fmax(out->resident, wabe_model_step_seconds(step, d->options.overlap));
    if (cost->passes.steps > 0.0)
        step.inner = wabe_model_pass_seconds(cost->passes, step.inner,
                                             machine->components[component].processor.bandwidth,
                                             wabe_machine_both_ways(machine, processes));
    out->seconds = fmax(out->seconds, wabe_model_step_seconds(step, d->options.overlap));
    out->slabs[out->count++] = step;
    return WABE_OK;
}

wabe_status wabe_forecast_make(const wabe_machine *machine, const wabe_domain *d,
                               const wabe_step_cost costs[], wabe_forecast *out) {
    *out = (wabe_forecast){.measured = true, .inside = true};
    wabe_status status = WABE_OK;
    int most = d->slab_count, devices;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, d->comm);
    const double processes = wabe_node_sum(d->comm, 1.0);
    const wabe_model_links links = wabe_machine_links(machine, processes);
    const double of_node = network_seconds_of_node(d, &links, costs);
    for (int i = 0; i < most; i++) {
        wabe_model_message messages[MESSAGES_MAX];
        const bool mine = i < d->slab_count;
        const int count = mine ? messages_of(d, &costs[i], i, messages) : 0;
        double busy;
        const double threads = threads_of(d, &d->components.list[mine ? i : 0], &busy);
        wabe_model_share_network(of_node, &links, count, messages);
        if (mine && status == WABE_OK)
            status = add_slab(machine, d, i, &costs[i], count, messages, threads, busy, processes,
                              out);
    }
    const double launches = launching(machine, d, &devices) / costs[0].pass.steps;
    if (devices > 1) /* GPUs are launched one after another */
        out->seconds = fmax(out->seconds, launches);
    int flags[2] = {out->measured, out->inside};
    MPI_Allreduce(MPI_IN_PLACE, &out->seconds, 1, MPI_DOUBLE, MPI_MAX, d->comm);
    MPI_Allreduce(MPI_IN_PLACE, &out->resident, 1, MPI_DOUBLE, MPI_MAX, d->comm);
    MPI_Allreduce(MPI_IN_PLACE, &out->copy, 1, MPI_DOUBLE, MPI_SUM, d->comm);
    MPI_Allreduce(MPI_IN_PLACE, flags, 2, MPI_INT, MPI_MIN, d->comm);
    out->measured = flags[0], out->inside = flags[1];
    return wabe_agree(d->comm, status);
}
