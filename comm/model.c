#include "comm/model.h"

#include <math.h>

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
    return bytes / link.bandwidth + link.latency;
}

double wabe_model_link_bandwidth(wabe_model_link link, double bytes) {
    return bytes / wabe_model_link_seconds(link, bytes);
}

double wabe_model_host_seconds(wabe_model_link network, wabe_model_link bus, int sharers,
                               double bytes) {
    return 2.0 * sharers * wabe_model_link_seconds(network, bytes) +
           2.0 * wabe_model_link_seconds(bus, bytes);
}

double wabe_model_step_seconds(wabe_model_step s, bool overlap) {
    const double exchange = s.buffers + s.bus + s.network;
    return s.outer + (overlap ? fmax(s.inner, exchange) : s.inner + exchange);
}
