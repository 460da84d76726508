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

/* Adds count transfers each way: as wabe_model_host_seconds, bus and network apart. */
static void add_transfers(const wabe_model_machine *m, bool apart, double count, double bytes,
                          wabe_model_step *step) {
    if (m->has_bus)
        step->bus += count * 2.0 * wabe_model_link_seconds(m->bus, bytes);
    if (apart)
        step->network += count * 2.0 * m->per_node * wabe_model_link_seconds(m->network, bytes);
}

/* Adds count neighbours with a message of so many numbers each way. Packing and unpacking read and
 * write what goes and what comes. */
static void add_messages(const wabe_model_machine *m, const wabe_model_block *b, bool apart,
                         int count, double numbers, wabe_model_step *step) {
    const double bytes = numbers * b->fluid_share * b->number;
    step->buffers += count * 4.0 * bytes / m->processor.bandwidth;
    add_transfers(m, apart, count, bytes, step);
}

wabe_model_step wabe_model_step_of(const wabe_model_machine *m, const wabe_model_block *b,
                                   bool apart) {
    const double rate = m->efficiency * wabe_model_lightspeed(m->processor, b->work).updates;
    double all = b->fluid_share, inner = b->fluid_share;
    wabe_model_step step = {0};
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        all *= b->cells[d];
        inner *= fmax(b->cells[d] - b->neighbours[d], 0.0);
        add_messages(m, b, apart, b->neighbours[d], 5.0 * b->cells[e] * b->cells[f], &step);
        add_messages(m, b, apart, b->neighbours[e] * b->neighbours[f], b->cells[d], &step);
    }
    step.inner = inner / rate;
    step.outer = (all - inner) / rate;
    return step;
}

double wabe_model_step_seconds(wabe_model_step s, bool overlap) {
    const double exchange = s.buffers + s.bus + s.network;
    return s.outer + (overlap ? fmax(s.inner, exchange) : s.inner + exchange);
}

double wabe_model_domain_transfer(const wabe_model_domain *domain, double blocks) {
    const int first = 3 - domain->cut_axes;
    double cells[3], largest = 0.0;
    for (int d = 0; d < 3; d++)
        cells[d] = domain->cells[d] / (d < first ? 1.0 : pow(blocks, 1.0 / domain->cut_axes));
    for (int d = first; d < 3; d++)
        largest = fmax(largest, cells[(d + 1) % 3] * cells[(d + 2) % 3]);
    return domain->crossing * largest;
}

static double domain_flops(const wabe_model_domain *domain) {
    return domain->work.flops * domain->cells[0] * domain->cells[1] * domain->cells[2];
}

wabe_model_step wabe_model_domain_step(const wabe_model_machine *machine,
                                       const wabe_model_domain *domain, double blocks) {
    const double rate = machine->efficiency * wabe_model_roofline(machine->processor, domain->work);
    wabe_model_step step = {.inner = domain_flops(domain) / blocks / rate};
    if (blocks > 1.0)
        add_transfers(machine, true, domain->transfers, wabe_model_domain_transfer(domain, blocks),
                      &step);
    return step;
}

double wabe_model_domain_rate(const wabe_model_machine *machine, const wabe_model_domain *domain,
                              double blocks, bool overlap) {
    const wabe_model_step step = wabe_model_domain_step(machine, domain, blocks);
    return domain_flops(domain) / wabe_model_step_seconds(step, overlap);
}
