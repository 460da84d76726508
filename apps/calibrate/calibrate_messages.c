/* wabe calibrate: messages between processes. */
#include "apps/calibrate/calibration.h"

#include "comm/node.h"
#include "core/base/log.h"

#include <stdlib.h>

/* The pairs of processes that exchange messages. */
typedef enum { ONE_PAIR, ALL_PAIRS } pairs;

/* Finds this process's partner: its neighbour in the order of the node's processes, or the process
 * at the same place of a neighbouring node. Collective. */
static wabe_status partner_of(const wabe_calibration *c, bool between_nodes, pairs which,
                              int *out) {
    const wabe_node_place here = wabe_node_place_of(c->comm);
    int mine[2] = {here.lowest, here.rank}, node = 0;
    int *all = calloc(3 * (size_t)c->size, sizeof *all), nodes = 0;
    *out = MPI_PROC_NULL;
    WABE_TRY(wabe_agree_memory(c->comm, all != NULL, "places"));
    int *leaders = all + 2 * (size_t)c->size;
    MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, c->comm);
    for (int r = 0; r < c->size; r++)
        if (all[2 * r + 1] == 0) {
            node = all[2 * r] == here.lowest ? nodes : node;
            leaders[nodes++] = all[2 * r];
        }
    const int wanted_node = between_nodes ? node ^ 1 : node;
    const int wanted_place = between_nodes ? here.rank : here.rank ^ 1;
    const bool meant = which == ALL_PAIRS ||
                       (between_nodes ? here.rank == 0 && node < 2 : here.rank < 2 && node == 0);
    for (int r = 0; r < c->size && meant && wanted_node < nodes; r++)
        if (all[2 * r] == leaders[wanted_node] && all[2 * r + 1] == wanted_place)
            *out = r;
    free(all);
    return WABE_OK;
}

/* Fits a line to large messages; small ones are sent with their envelope (eager), all in the same
 * time. */
static void fit_messages(const wabe_calibration *c, const char *what, const char *of,
                         const wabe_probe *probe, wabe_model_link *out) {
    double eager = 0.0;
    int small = 0;
    while (small + 2 < probe->count && probe->bytes[small] <= WABE_MODEL_EAGER)
        eager += probe->seconds[small++];
    wabe_probe large = {.count = probe->count - small};
    for (int i = 0; i < large.count; i++) {
        large.bytes[i] = probe->bytes[small + i];
        large.seconds[i] = probe->seconds[small + i];
    }
    *out = wabe_calibration_fit(c, what, of, &large, 1.0);
    out->duplex = true;
    out->eager = small > 0 ? eager / small : 0.0;
    for (int i = 0; i < small; i++)
        wabe_calibration_point(c, what, of, probe->bytes[i], probe->seconds[i], out->eager);
}

/* out: unchanged if there is no such pair. Collective. */
static wabe_status measure_messages(wabe_calibration *c, bool between_nodes, pairs which,
                                    wabe_model_link *out) {
    int partner;
    WABE_TRY(partner_of(c, between_nodes, which, &partner));
    int any = partner != MPI_PROC_NULL;
    wabe_probe probe = {0};
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, c->comm);
    const double largest = c->quick ? 1e5 : 2e7;
    for (double bytes = 8.0; bytes <= largest && any; bytes *= 4.0, probe.count++) {
        probe.bytes[probe.count] = bytes;
        WABE_TRY(wabe_probe_message(c->comm, partner, bytes, &probe.seconds[probe.count]));
    }
    if (!any)
        return WABE_OK;
    fit_messages(c, between_nodes ? "network" : "node", which == ONE_PAIR ? "one pair" : "all",
                 &probe, out);
    return WABE_OK;
}

wabe_status wabe_calibrate_links(wabe_calibration *c) {
    wabe_model_links *l = &c->machine.links;
    wabe_model_link spare;
    wabe_calibration_note(c, "messages between processes");
    WABE_TRY(measure_messages(c, false, ONE_PAIR, &l->node));
    WABE_TRY(measure_messages(c, false, ALL_PAIRS, &c->machine.crowd));
    WABE_TRY(measure_messages(c, true, ALL_PAIRS, &spare));
    return measure_messages(c, true, ONE_PAIR, &l->network);
}
