#include "apps/domain.h"

#include <string.h>

/* ---- set-up ------------------------------------------------------------------------- */

/* The part of a slab that neighbours (itself, across periodic faces) neither need nor provide. */
static wabe_box inner_of(const wabe_domain *d, wabe_box slab) {
    const wabe_partition *p = &d->partition;
    const int halo = d->options.halo;
    if (!d->options.communicate)
        return slab;
    bool exchanges = false;
    for (int axis = 0; axis < 3; axis++) {
        const bool low = slab.begin[axis] > 0 || p->periodic[axis];
        const bool high = slab.end[axis] < p->cells[axis] || p->periodic[axis];
        slab.begin[axis] += halo * low;
        slab.end[axis] -= halo * high;
        exchanges |= low || high;
    }
    if (exchanges && !d->options.overlap) /* nothing is computed while the exchange runs */
        return (wabe_box){{0}, {0}};
    return slab;
}

static int parity_of(const wabe_domain *d) { return (int)(d->step & 1); }

static void exchange_begin(void *context, bool devices) {
    wabe_domain *d = context;
    wabe_exchange_begin(d->exchange, parity_of(d), devices, &d->profile);
}
static bool exchange_drive(void *context) {
    return wabe_exchange_drive(((wabe_domain *)context)->exchange);
}
static void exchange_end(void *context) {
    wabe_domain *d = context;
    wabe_exchange_end(d->exchange, &d->profile);
}

static wabe_status make_slabs(wabe_domain *d, const wabe_domain_slabs *slabs) {
    for (int i = 0; i < d->components.count; i++) {
        const wabe_box box = d->partition.slabs[d->partition.first + i].box;
        WABE_TRY(slabs->create(slabs->context, i, &d->components.list[i], box, inner_of(d, box)));
        d->slab_count++;
    }
    return WABE_OK;
}

static wabe_status make_exchange(wabe_domain *d, const wabe_domain_slabs *slabs) {
    wabe_exchange_data data[WABE_SLABS_MAX];
    wabe_crossing crossings[WABE_SLABS_MAX][WABE_CROSSINGS_MAX];
    for (int i = 0; i < d->slab_count; i++) {
        data[i] = (wabe_exchange_data){.component = &d->components.list[i],
                                       .crossings = crossings[i]};
        slabs->describe(slabs->context, i, crossings[i], &data[i]);
        d->schedule.exchange.drive_first |= d->components.list[i].device != NULL;
    }
    WABE_TRY(
        wabe_exchange_create(d->comm, &d->partition, data, &d->options.exchange, &d->exchange));
    d->schedule.exchange.context = d;
    d->schedule.exchange.begin = exchange_begin;
    d->schedule.exchange.drive = exchange_drive;
    d->schedule.exchange.end = exchange_end;
    return WABE_OK;
}

wabe_status wabe_domain_create(MPI_Comm comm, const wabe_domain_options *options,
                               const wabe_components *components, const wabe_domain_slabs *slabs,
                               wabe_domain *d) {
    int rank, size;
    *d = (wabe_domain){.comm = comm, .options = *options, .components = *components};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    WABE_TRY(
        wabe_agree(comm, wabe_decomposition_make(options->cells, options->periodic,
                                                 options->processes, size, &d->decomposition)));
    d->decomposition.cuts = options->cuts;
    d->block = wabe_decomposition_block(&d->decomposition, rank);
    if (d->components.count == 1)
        d->components.planes[0] = wabe_box_extent(d->block, 2);
    WABE_TRY(wabe_partition_create(comm, &d->decomposition, d->components.count, d->components.list,
                                   d->components.planes, &d->partition));
    /* What a slab sends to itself takes no time to hide. */
    d->options.overlap &= d->partition.count > 1;
    WABE_TRY(wabe_agree(comm, make_slabs(d, slabs)));
    d->schedule.profile = &d->profile;
    slabs->schedule(slabs->context, d->slab_count, &d->schedule);
    return d->options.communicate ? make_exchange(d, slabs) : WABE_OK;
}

void wabe_domain_destroy(wabe_domain *d) {
    wabe_exchange_destroy(&d->exchange);
    wabe_partition_free(&d->partition);
}

/* ---- steps -------------------------------------------------------------------------- */

void wabe_domain_initialise(wabe_domain *d) {
    /* The initial state stands as if step -1, which is of parity 1, had left it. */
    if (d->exchange) {
        wabe_exchange_begin(d->exchange, 1, true, &d->profile);
        wabe_exchange_begin(d->exchange, 1, false, &d->profile);
        wabe_exchange_end(d->exchange, &d->profile);
    }
    memset(&d->profile, 0, sizeof d->profile);
    d->step = 0;
}

void wabe_domain_step(wabe_domain *d) {
    wabe_schedule_run(&d->schedule);
    d->step++;
}
