#include "tests/figures/papers.h"

#include <math.h>

double paper_host_seconds(wabe_model_link network, wabe_model_link bus, int sharers, double bytes) {
    return 2.0 * sharers * wabe_model_link_seconds(network, bytes) +
           2.0 * wabe_model_link_seconds(bus, bytes);
}

double paper_face_bytes(const wabe_model_block *b, int axis) {
    return 5.0 * b->cells[(axis + 1) % 3] * b->cells[(axis + 2) % 3] * b->fluid_share * b->number;
}

double paper_edge_bytes(const wabe_model_block *b, int axis) {
    return b->cells[axis] * b->fluid_share * b->number;
}

enum { NEIGHBOURS_MAX = 18 }; /* that a block of a grid has */

/* Packing and unpacking read and write what goes and what comes. */
static wabe_model_component component_of(const paper_machine *m, double cells_per_second) {
    return (wabe_model_component){.device = m->has_bus,
                                  .kernel = wabe_model_kernel_of_rate(cells_per_second),
                                  .share = 1.0,
                                  .threads = 1.0,
                                  .buffers = {.bandwidth = 0.5 * m->processor.bandwidth},
                                  .bus = m->bus};
}

static int add_neighbours(int count, double bytes, const paper_machine *m, bool apart,
                          wabe_model_message *out) {
    const wabe_model_path here = m->has_bus ? WABE_MODEL_HOST : WABE_MODEL_HERE;
    for (int i = 0; i < count; i++)
        out[i] = (wabe_model_message){
            apart ? WABE_MODEL_NETWORK : here, bytes, m->per_node, 0.0, false, 0.0};
    return count;
}

wabe_model_step paper_step_of(const paper_machine *m, const wabe_model_block *b, bool apart) {
    const wabe_model_component component =
        component_of(m, m->efficiency * wabe_model_lightspeed(m->processor, b->work).updates);
    const wabe_model_links links = {.network = m->network};
    wabe_model_message messages[NEIGHBOURS_MAX];
    int count = 0;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        count += add_neighbours(b->neighbours[d], paper_face_bytes(b, d), m, apart,
                                messages + count);
        count += add_neighbours(b->neighbours[e] * b->neighbours[f], paper_edge_bytes(b, d), m,
                                apart, messages + count);
    }
    return wabe_model_step_with(&component, &links, b, count, messages, true);
}

double paper_domain_transfer(const paper_domain *domain, double blocks) {
    const int first = 3 - domain->cut_axes;
    double cells[3], largest = 0.0;
    for (int d = 0; d < 3; d++)
        cells[d] = domain->cells[d] / (d < first ? 1.0 : pow(blocks, 1.0 / domain->cut_axes));
    for (int d = first; d < 3; d++)
        largest = fmax(largest, cells[(d + 1) % 3] * cells[(d + 2) % 3]);
    return domain->crossing * largest;
}

static double domain_flops(const paper_domain *domain) {
    return domain->work.flops * domain->cells[0] * domain->cells[1] * domain->cells[2];
}

wabe_model_step paper_domain_step(const paper_machine *machine, const paper_domain *domain,
                                  double blocks) {
    const double rate = machine->efficiency * wabe_model_roofline(machine->processor, domain->work);
    const wabe_model_component component = component_of(machine, rate);
    const wabe_model_links links = {.network = machine->network};
    const wabe_model_block nothing = {.fluid_share = 0.0};
    wabe_model_message messages[NEIGHBOURS_MAX];
    int count = 0;
    while (blocks > 1.0 && count < domain->transfers)
        messages[count++] = (wabe_model_message){.path = WABE_MODEL_NETWORK,
                                                 .bytes = paper_domain_transfer(domain, blocks),
                                                 .sharers = machine->per_node};
    const wabe_model_step sent = wabe_model_step_with(&component, &links, &nothing, count, messages,
                                                      true);
    return (wabe_model_step){.device = true,
                             .inner = domain_flops(domain) / blocks / rate,
                             .bus = sent.bus,
                             .network = sent.network};
}

double paper_domain_rate(const paper_machine *machine, const paper_domain *domain, double blocks,
                         bool overlap) {
    const wabe_model_step step = paper_domain_step(machine, domain, blocks);
    return domain_flops(domain) / wabe_model_step_seconds(step, overlap);
}
