#include "apps/runtime/domain.h"

#include <stdlib.h>

/* ---- set-up ------------------------------------------------------------------------- */

/* Do all slabs span the domain along an axis? Neighbours must agree on whether to exchange. */
static bool all_span(const wabe_domain *d, int axis) {
    const wabe_partition *p = &d->partition;
    bool all = true;
    for (int i = 0; i < p->count; i++)
        all &= wabe_box_extent(p->slabs[i].box, axis) == p->cells[axis];
    return all;
}

/* The part of a slab that its neighbours neither need nor provide (including itself, across
 * periodic faces that it does not wrap round). */
static wabe_box inner_of(const wabe_domain *d, wabe_box slab, const bool wraps[3]) {
    const wabe_partition *p = &d->partition;
    const int halo = d->options.halo;
    if (!d->options.communicate)
        return slab;
    bool exchanges = false;
    for (int axis = 0; axis < 3; axis++) {
        const bool periodic = p->periodic[axis] && !wraps[axis];
        const bool low = slab.begin[axis] > 0 || periodic;
        const bool high = slab.end[axis] < p->cells[axis] || periodic;
        slab.begin[axis] += halo * low;
        slab.end[axis] -= halo * high;
        exchanges |= low || high;
    }
    if (exchanges && !d->options.overlap) /* nothing is computed during the exchange */
        return (wabe_box){{0}, {0}};
    return slab;
}

/* The initial state counts as written by a step of parity 1. */
static int parity_of(const wabe_domain_exchange *x) { return (int)(1 - (x->count & 1)); }

static void begin_all(wabe_domain_exchange *x) {
    wabe_exchange_begin(x->exchange, parity_of(x), true, &x->domain->profile);
    wabe_exchange_begin(x->exchange, parity_of(x), false, &x->domain->profile);
}

static void exchange_begin(void *context, bool devices) {
    wabe_domain_exchange *x = context;
    if (!x->domain->options.separate)
        wabe_exchange_begin(x->exchange, parity_of(x), devices, &x->domain->profile);
}
static bool exchange_drive(void *context) {
    return wabe_exchange_drive(((wabe_domain_exchange *)context)->exchange);
}
static void exchange_end(void *context, const wabe_progress *others) {
    wabe_domain_exchange *x = context;
    if (x->domain->options.separate) { /* message times include no waiting for computation */
        MPI_Barrier(x->domain->comm);
        begin_all(x);
    }
    wabe_exchange_end(x->exchange, others, &x->domain->profile);
    x->count++;
}

static void settle(const void *domain) { wabe_domain_synchronise(domain); }

static wabe_status make_slabs(wabe_domain *d, const wabe_domain_slabs *slabs) {
    for (int i = 0; i < d->components.count; i++) {
        wabe_domain_place place = {.box = d->partition.slabs[d->partition.first + i].box};
        for (int axis = 0; axis < 3; axis++) {
            place.spans[axis] = all_span(d, axis);
            place.wraps[axis] = d->options.wraps[axis] && d->partition.periodic[axis] &&
                                place.spans[axis];
        }
        place.inner = inner_of(d, place.box, place.wraps);
        WABE_TRY(slabs->create(slabs->context, i, &d->components.list[i], &place, &d->slabs[i]));
        d->slab_count++;
    }
    return WABE_OK;
}

/* The partition in a grid whose axes are halved so often. */
static wabe_status halve(const wabe_partition *p, const int halvings[3], wabe_partition *out) {
    *out = *p;
    out->slabs = malloc((size_t)p->count * sizeof *out->slabs);
    WABE_CHECK(out->slabs, WABE_MEMORY, "no memory for the exchange");
    for (int axis = 0; axis < 3; axis++)
        out->cells[axis] >>= halvings[axis];
    for (int i = 0; i < p->count; i++) {
        out->slabs[i] = p->slabs[i];
        for (int axis = 0; axis < 3; axis++) {
            out->slabs[i].box.begin[axis] >>= halvings[axis];
            out->slabs[i].box.end[axis] >>= halvings[axis];
        }
    }
    return WABE_OK;
}

static wabe_status make_exchange(wabe_domain *d, const wabe_domain_slabs *slabs, int number) {
    wabe_domain_exchange *x = &d->exchanges[number];
    int halvings[3] = {0};
    x->coarse = (wabe_partition){.slabs = NULL};
    d->exchange_count++;
    if (slabs->halvings)
        slabs->halvings(slabs->context, number, halvings);
    const bool is_coarse = halvings[0] || halvings[1] || halvings[2];
    if (is_coarse)
        WABE_TRY(wabe_agree(d->comm, halve(&d->partition, halvings, &x->coarse)));
    wabe_exchange_data *data = calloc((size_t)d->slab_count, sizeof *data);
    wabe_status status = wabe_agree_memory(d->comm, data, "the exchange");
    for (int i = 0; i < d->slab_count && status == WABE_OK; i++) {
        data[i].component = &d->components.list[i];
        data[i].stream = d->slabs[i].timeline->streams[WABE_REGION_OUTER];
        slabs->describe(slabs->context, i, number, &data[i]);
    }
    if (status == WABE_OK)
        status = wabe_exchange_create(d->comm, is_coarse ? &x->coarse : &d->partition, data,
                                      &d->options.exchange, &x->exchange);
    free(data);
    x->domain = d;
    d->schedule.exchanges[number] =
        (wabe_schedule_exchange){x, exchange_begin, d->options.separate ? NULL : exchange_drive,
                                 exchange_end};
    return status;
}

static wabe_status make_exchanges(wabe_domain *d, const wabe_domain_slabs *slabs) {
    for (int i = 0; i < slabs->exchanges; i++)
        WABE_TRY(make_exchange(d, slabs, i));
    d->schedule.exchange_count = d->exchange_count;
    d->schedule.at_once = d->options.separate || !d->options.overlap;
    for (int i = 0; i < d->slab_count; i++)
        d->schedule.drive_first |= d->components.list[i].device != NULL;
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
        wabe_agree(comm, wabe_decomposition_make(options->cells, options->periodic, options->grain,
                                                 options->processes, size, &d->decomposition)));
    d->decomposition.cuts = options->cuts;
    d->block = wabe_decomposition_block(&d->decomposition, rank);
    if (d->components.count == 1)
        d->components.planes[0] = wabe_box_extent(d->block, 2);
    WABE_TRY(wabe_partition_create(comm, &d->decomposition, d->components.count, d->components.list,
                                   d->components.planes, &d->partition));
    /* With one slab there is no communication to hide. */
    d->options.overlap &= d->partition.count > 1;
    WABE_TRY(wabe_agree(comm, make_slabs(d, slabs)));
    d->schedule.profile = &d->profile;
    if (d->options.separate) {
        d->profile.settle = settle;
        d->profile.context = d;
    }
    slabs->schedule(slabs->context, d->slab_count, &d->schedule);
    return d->options.communicate ? make_exchanges(d, slabs) : WABE_OK;
}

void wabe_domain_destroy(wabe_domain *d) {
    for (int i = 0; i < d->exchange_count; i++) {
        wabe_exchange_destroy(&d->exchanges[i].exchange);
        wabe_partition_free(&d->exchanges[i].coarse);
    }
    wabe_partition_free(&d->partition);
}

/* The rank of the slab that ends where this one begins (below), or begins where it ends; -1: none.
 */
static int rank_beside(const wabe_partition *p, bool below) {
    const wabe_box own = p->slabs[p->first].box;
    const int64_t n = p->cells[2];
    if (n == 1 || (!p->periodic[2] && (below ? own.begin[2] == 0 : own.end[2] == n)))
        return -1;
    for (int i = 0; i < p->count; i++)
        if (below ? p->slabs[i].box.end[2] == (own.begin[2] > 0 ? own.begin[2] : n)
                  : p->slabs[i].box.begin[2] == own.end[2] % n)
            return p->slabs[i].rank;
    return -1;
}

void wabe_domain_ranks_beside(const wabe_domain *d, int ranks[WABE_SIDES]) {
    ranks[WABE_BELOW] = rank_beside(&d->partition, true);
    ranks[WABE_ABOVE] = rank_beside(&d->partition, false);
}

/* ---- steps -------------------------------------------------------------------------- */

void wabe_domain_exchange_all(wabe_domain *d) {
    for (int i = 0; i < d->exchange_count; i++) {
        begin_all(&d->exchanges[i]);
        wabe_exchange_end(d->exchanges[i].exchange, NULL, &d->profile);
        d->exchanges[i].count++;
    }
}

void wabe_domain_initialise(wabe_domain *d) {
    for (int i = 0; i < d->exchange_count; i++)
        d->exchanges[i].count = 0;
    if (d->exchange_count > 0) { /* neighbours may copy into this process's grids */
        wabe_domain_synchronise(d);
        MPI_Barrier(d->comm);
    }
    wabe_domain_exchange_all(d);
    wabe_domain_restart_clocks(d);
    d->step = 0;
}

void wabe_domain_restart_clocks(wabe_domain *d) {
    wabe_profile_restart(&d->profile);
    for (int i = 0; i < d->slab_count; i++)
        wabe_timeline_restart_clock(d->slabs[i].timeline);
}

void wabe_domain_step(wabe_domain *d) {
    wabe_schedule_run(&d->schedule);
    d->step++;
}

void wabe_domain_synchronise(const wabe_domain *d) {
    for (int i = 0; i < d->slab_count; i++)
        wabe_timeline_synchronise(d->slabs[i].timeline);
}

/* ---- values ------------------------------------------------------------------------- */

/* Copies the values of part to their place in box. */
static void place_part(int rows, wabe_box box, wabe_box part, const double *values, double *out) {
    const int64_t n = wabe_box_cells(part), all = wabe_box_cells(box);
    for (int row = 0; row < rows; row++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t nx = wabe_box_extent(part, 0), ny = wabe_box_extent(part, 1);
            const int64_t x = i % nx + part.begin[0] - box.begin[0];
            const int64_t y = i / nx % ny + part.begin[1] - box.begin[1];
            const int64_t z = i / nx / ny + part.begin[2] - box.begin[2];
            const int64_t at = x + wabe_box_extent(box, 0) * (y + wabe_box_extent(box, 1) * z);
            out[row * all + at] = values[row * n + i];
        }
}

wabe_status wabe_domain_read(const wabe_domain *d, const wabe_values *v, wabe_box box,
                             double *out) {
    for (int i = 0; i < d->slab_count; i++) {
        const wabe_box slab = d->partition.slabs[d->partition.first + i].box;
        const wabe_box part = wabe_box_intersect(box, slab);
        if (wabe_box_is_empty(part))
            continue;
        if (wabe_box_cells(part) == wabe_box_cells(box))
            return v->read(v->context, i, box, out);
        double *values = malloc((size_t)(v->rows * wabe_box_cells(part)) * sizeof *values);
        WABE_CHECK(values, WABE_MEMORY, "no memory for the values of %lld cells",
                   (long long)wabe_box_cells(part));
        const wabe_status status = v->read(v->context, i, part, values);
        place_part(v->rows, box, part, values, out);
        free(values);
        WABE_TRY(status);
    }
    return WABE_OK;
}

/* Rank 0 receives the parts of the others one by one into one buffer. */
static void receive_parts(const wabe_domain *d, const wabe_values *v, wabe_box box, double *room,
                          double *out) {
    int size;
    MPI_Comm_size(d->comm, &size);
    for (int other = 0; other < size; other++) {
        const wabe_box part =
            wabe_box_intersect(box, wabe_decomposition_block(&d->decomposition, other));
        if (wabe_box_is_empty(part))
            continue;
        if (other != 0)
            MPI_Recv(room, (int)(v->rows * wabe_box_cells(part)), MPI_DOUBLE, other, 1, d->comm,
                     MPI_STATUS_IGNORE);
        place_part(v->rows, box, part, room, out);
    }
}

wabe_status wabe_domain_gather(const wabe_domain *d, const wabe_values *v, wabe_box box,
                               double *out) {
    int rank;
    MPI_Comm_rank(d->comm, &rank);
    const wabe_box mine = wabe_box_intersect(box, d->block);
    const int64_t room = v->rows * (rank == 0 ? wabe_box_cells(box) : wabe_box_cells(mine));
    WABE_TRY(wabe_agree(d->comm, room < INT32_MAX
                                     ? WABE_OK
                                     : WABE_FAIL(WABE_INPUT,
                                                 "a slice of %lld numbers is too large "
                                                 "to be gathered",
                                                 (long long)room)));
    double *values = malloc((size_t)(room + 1) * sizeof *values);
    wabe_status status = wabe_agree_memory(d->comm, values, "a slice");
    if (status != WABE_OK) {
        free(values);
        return status;
    }
    if (!wabe_box_is_empty(mine))
        status = wabe_domain_read(d, v, mine, values);
    if (rank == 0)
        receive_parts(d, v, box, values, out);
    else if (!wabe_box_is_empty(mine))
        MPI_Send(values, (int)(v->rows * wabe_box_cells(mine)), MPI_DOUBLE, 0, 1, d->comm);
    free(values);
    return wabe_agree(d->comm, status);
}
