#include "comm/model.h"

#include <math.h>
#include <stddef.h>

wabe_model_bound wabe_model_lightspeed(wabe_model_processor p, wabe_model_work w) {
    wabe_model_bound bound = {.machine_balance = p.bandwidth / p.peak,
                              .code_balance = w.bytes / w.flops};
    bound.lightspeed = fmin(1.0, bound.machine_balance / bound.code_balance);
    bound.updates = bound.lightspeed * p.peak / w.flops;
    return bound;
}

double wabe_model_roofline(wabe_model_processor p, wabe_model_work w) {
    return w.flops / (w.flops / p.peak + w.bytes / p.bandwidth + p.overhead);
}

double wabe_model_link_seconds(wabe_model_link link, double bytes) {
    if (bytes <= WABE_MODEL_EAGER && link.eager > 0.0)
        return link.eager;
    return bytes / link.bandwidth + link.latency;
}

/* A message there and one back, of so many bytes each. */
static double exchange_seconds(wabe_model_link link, double bytes) {
    return (link.duplex ? 1.0 : 2.0) * wabe_model_link_seconds(link, bytes);
}

#define SLOPE_MIN 1e-15 /* seconds per byte, if larger messages take no longer */

wabe_model_link wabe_model_link_tapered(wabe_model_link link, double taper) {
    link.bandwidth /= taper;
    return link;
}

/* Least squares of (a bytes + b) / seconds - 1, so that all sizes have the same weight. */
wabe_model_link wabe_model_link_fit(int count, const double bytes[], const double seconds[],
                                    double *deviation) {
    double uu = 0.0, uv = 0.0, vv = 0.0, u = 0.0, v = 0.0, square = 0.0;
    for (int i = 0; i < count; i++) {
        const double p = bytes[i] / seconds[i], q = 1.0 / seconds[i];
        uu += p * p, uv += p * q, vv += q * q, u += p, v += q;
    }
    const double determinant = uu * vv - uv * uv;
    double a = (u * vv - v * uv) / determinant, b = (v * uu - u * uv) / determinant;
    if (!(a > 0.0))
        a = SLOPE_MIN, b = v / vv;
    if (!(b >= 0.0))
        a = u / uu, b = 0.0;
    for (int i = 0; i < count; i++)
        square += pow((a * bytes[i] + b) / seconds[i] - 1.0, 2.0);
    *deviation = sqrt(square / count);
    return (wabe_model_link){.bandwidth = 1.0 / a, .latency = b};
}

double wabe_model_curve_seconds(const wabe_model_curve *c, double size) {
    if (c->count == 0)
        return 0.0;
    const int last = c->count - 1;
    if (size >= c->size[last])
        return c->seconds[last] * size / c->size[last];
    int i = 0;
    while (c->size[i] < size)
        i++;
    if (i == 0)
        return c->seconds[0];
    const double power = log(c->seconds[i] / c->seconds[i - 1]) / log(c->size[i] / c->size[i - 1]);
    return c->seconds[i - 1] * pow(size / c->size[i - 1], power);
}

#define FAR 8.0

bool wabe_model_curve_is_near(const wabe_model_curve *c, double size) {
    return c->count < 2 || (size * FAR >= c->size[0] && size <= FAR * c->size[c->count - 1]);
}

wabe_model_kernel wabe_model_kernel_of_rate(double cells_per_second) {
    return (wabe_model_kernel){
        .whole = {.count = 1, .size = {1.0}, .seconds = {1.0 / cells_per_second}}};
}

/* Adds the seconds of the outer and the inner region. The cost of splitting counts for the outer
 * one. */
static void add_kernels(const wabe_model_component *c, const wabe_model_block *b,
                        wabe_model_step *step) {
    double all = b->fluid_share, inner = b->fluid_share, split = 0.0;
    for (int d = 0; d < 3; d++) {
        const double layers = 2.0 * b->cells[(d + 1) % 3] * b->cells[(d + 2) % 3] * b->fluid_share;
        all *= b->cells[d];
        inner *= fmax(b->cells[d] - b->neighbours[d], 0.0);
        /* Every row has cells at both ends along x, so one cut end interrupts it as much as two
         * do. */
        const double ends = d == 0 && b->neighbours[d] > 0 ? 1.0 : 0.5 * b->neighbours[d];
        split += ends * wabe_model_curve_seconds(&c->kernel.split[d], layers / c->share);
    }
    const double seconds = wabe_model_curve_seconds(&c->kernel.whole, all / c->share);
    step->inner = all > 0.0 ? seconds * inner / all : 0.0;
    step->outer = all > 0.0 ? fmax(0.0, seconds - step->inner) + split : 0.0;
}

static double or_one(double times) { return times > 0.0 ? times : 1.0; }

/* Of all times that it goes in a step. */
static double over_network(const wabe_model_links *l, const wabe_model_message *m) {
    return or_one(m->times) *
           exchange_seconds(m->path == WABE_MODEL_FAR ? l->far : l->network, m->bytes);
}

double wabe_model_network_seconds(const wabe_model_links *links, int count,
                                  const wabe_model_message messages[]) {
    double seconds = 0.0;
    for (int i = 0; i < count; i++)
        if (messages[i].path >= WABE_MODEL_NETWORK)
            seconds += over_network(links, &messages[i]);
    return seconds;
}

void wabe_model_share_network(double of_node, const wabe_model_links *links, int count,
                              wabe_model_message messages[]) {
    const double mine = wabe_model_network_seconds(links, count, messages);
    for (int i = 0; i < count; i++)
        if (messages[i].path >= WABE_MODEL_NETWORK && mine > 0.0)
            messages[i].sharers = of_node / mine;
}

/* Down to the host and up again. The copies of one direction follow those of the other, since what
 * arrives has first gone down on the other side. */
static double staging(wabe_model_link bus, double bytes, bool first) {
    if (bus.at_once && !first)
        bus.latency = 0.0;
    return 2.0 * wabe_model_link_seconds(bus, bytes);
}

/* Between devices; at once: only the first one waits. */
static double between_peers(wabe_model_link peer, double bytes, bool first) {
    if (peer.at_once && !first)
        peer.latency = 0.0;
    return exchange_seconds(peer, bytes);
}

static bool goes_to_peer(const wabe_model_message *m) {
    return m->path == WABE_MODEL_PEER || m->path == WABE_MODEL_IPC;
}
static bool goes_through_host(const wabe_model_message *m) { return m->path >= WABE_MODEL_HOST; }

/* first: of the slab's messages that take the same link. */
static void add_message(const wabe_model_component *c, const wabe_model_links *l,
                        const wabe_model_message *m, bool first, wabe_model_step *step) {
    const double times = or_one(m->times);
    if (goes_to_peer(m))
        step->bus += times * between_peers(l->peer, m->bytes, first);
    if (m->path == WABE_MODEL_IPC)
        step->network += times * exchange_seconds(l->node, 0.0);
    if (c->device && goes_through_host(m))
        step->bus += times * staging(c->bus, m->bytes, first);
    if (m->path == WABE_MODEL_NODE) {
        const double seconds = times * exchange_seconds(l->node, m->bytes);
        step->network += seconds;
        step->copied += c->device ? 0.0 : seconds / c->threads;
    }
    if (m->path >= WABE_MODEL_NETWORK)
        step->network += fmax(m->sharers, 1.0) * over_network(l, m);
}

/* Seconds of waiting for notification, where that is needed; the farthest path decides. */
static double waiting(const wabe_model_component *c, wabe_model_path path, bool overlap) {
    if (path < WABE_MODEL_IPC || (!c->device && path < WABE_MODEL_NODE))
        return 0.0;
    return c->device && path > WABE_MODEL_IPC ? c->staged : c->exchange[overlap ? 0 : 1];
}

/* Kernels of the exchange wait for running kernels; a short inner region on average for half of its
 * time. */
static double contention(const wabe_model_component *c, double inner) {
    return fmin(c->contention, 0.5 * inner);
}

/* Seconds of packing or unpacking. */
static double buffers(const wabe_model_component *c, double bytes, double across) {
    const double seconds = wabe_model_link_seconds(c->buffers, bytes / c->share);
    const double longer = c->across > 0.0 ? 1.0 / c->across - 1.0 / c->buffers.bandwidth : 0.0;
    return seconds + fmax(0.0, longer) * across / c->share;
}

wabe_model_step wabe_model_step_with(const wabe_model_component *c, const wabe_model_links *links,
                                     const wabe_model_block *block, int count,
                                     const wabe_model_message messages[], bool overlap) {
    wabe_model_step step = {.device = c->device};
    wabe_model_path farthest = WABE_MODEL_HERE;
    double bytes = 0.0, across = 0.0;
    int peers = 0, through_host = 0;
    add_kernels(c, block, &step);
    for (int i = 0; i < count; i++) {
        const bool peer = goes_to_peer(&messages[i]);
        add_message(c, links, &messages[i],
                    peer ? peers++ == 0 : goes_through_host(&messages[i]) && through_host++ == 0,
                    &step);
        bytes += messages[i].unpacked ? 0.0 : or_one(messages[i].times) * messages[i].bytes;
        across += messages[i].unpacked ? 0.0 : or_one(messages[i].times) * messages[i].across;
        farthest = messages[i].path > farthest ? messages[i].path : farthest;
    }
    step.sync = or_one(block->exchanges) * waiting(c, farthest, overlap);
    if (bytes > 0.0 && overlap)
        step.sync += contention(c, step.inner);
    if (bytes > 0.0)
        step.buffers = 2.0 * buffers(c, bytes, across);
    return step;
}

wabe_model_step wabe_model_step_share(wabe_model_step s, int steps) {
    double *const all[] = {&s.outer, &s.inner, &s.buffers, &s.bus, &s.network, &s.copied, &s.sync};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i] /= steps;
    return s;
}

double wabe_model_pass_seconds(wabe_model_passes p, double kernel, double memory,
                               double both_ways) {
    const double compute = p.steps * p.computed * kernel + 2.0 * p.bytes / memory;
    return fmax(compute, p.bytes / both_ways) / p.steps;
}

double wabe_model_step_seconds(wabe_model_step s, bool overlap) {
    const double exchange = fmax(0.0, s.buffers + s.bus + s.network + s.sync);
    if (!overlap)
        return s.outer + s.inner + exchange;
    if (s.device)
        return s.outer + fmax(s.inner, exchange);
    return s.outer + fmax(0.0, s.buffers + s.sync) + fmax(s.inner + s.copied, s.bus + s.network);
}
