#include "apps/simulation.h"

#include "apps/commands.h"
#include "core/lattice.h"
#include "core/sum_over_ranks.h"

#include <stdlib.h>
#include <string.h>

/* ---- set-up ------------------------------------------------------------------------- */

/* The part of a slab that neighbours (itself, across periodic faces) neither need nor provide. */
static wabe_box inner_of(const wabe_simulation *s, wabe_box slab) {
    const wabe_partition *p = &s->partition;
    if (!s->options.communicate)
        return slab;
    bool exchanges = false;
    for (int axis = 0; axis < 3; axis++) {
        const bool low = slab.begin[axis] > 0 || p->periodic[axis];
        const bool high = slab.end[axis] < p->cells[axis] || p->periodic[axis];
        slab.begin[axis] += low;
        slab.end[axis] -= high;
        exchanges |= low || high;
    }
    if (exchanges && !s->options.overlap) /* nothing is computed while the exchange runs */
        return (wabe_box){{0}, {0}};
    return slab;
}

static int parity_of(const wabe_simulation *s) { return (int)(s->slabs[0]->step & 1); }

static void exchange_begin(void *context, bool devices) {
    wabe_simulation *s = context;
    wabe_exchange_begin(s->exchange, parity_of(s), devices, &s->profile);
}
static bool exchange_drive(void *context) {
    return wabe_exchange_drive(((wabe_simulation *)context)->exchange);
}
static void exchange_end(void *context) {
    wabe_simulation *s = context;
    wabe_exchange_end(s->exchange, &s->profile);
}

static void make_crossings(const wabe_lbm *lbm, wabe_crossing crossings[WABE_Q - 1]) {
    for (int q = 1; q < WABE_Q; q++) {
        wabe_crossing *c = &crossings[q - 1];
        memcpy(c->e, wabe_lattice_e[q], sizeof c->e);
        /* What the step of this parity wrote, the step after it reads. */
        for (int parity = 0; parity < 2; parity++) {
            c->out[parity] = lbm->offsets.out[parity][q];
            c->in[parity] = lbm->offsets.in[1 - parity][q];
        }
    }
}

static uint32_t place_of(const void *lbm, const int64_t cell[3], int crossing, int parity,
                         bool sending) {
    return wabe_lbm_place(lbm, cell, crossing + 1, parity, sending);
}

static wabe_status make_exchange(wabe_simulation *s) {
    wabe_exchange_data data[WABE_SLABS_MAX];
    wabe_crossing crossings[WABE_SLABS_MAX][WABE_Q - 1];
    wabe_exchange_options options = {.transport = s->options.transport};
    for (int face = 0; face < WABE_FACES; face++)
        options.behind_faces |= s->options.geometry.conditions[face].kind ==
                                WABE_BOUNDARY_free_slip;
    for (int i = 0; i < s->slab_count; i++) {
        const wabe_lbm *lbm = s->slabs[i];
        const bool two_grids = lbm->offsets.grids == 2;
        const wabe_kernel *main_kernel = lbm->kernels[WABE_SWEEP_stream_collide];
        make_crossings(lbm, crossings[i]);
        data[i] = (wabe_exchange_data){.component = lbm->component,
                                       .pack = lbm->kernels[WABE_SWEEP_pack],
                                       .unpack = lbm->kernels[WABE_SWEEP_unpack],
                                       .layout = lbm->layout,
                                       .field = {lbm->fields[two_grids ? 1 : 0]->data,
                                                 lbm->fields[0]->data},
                                       .crossing_count = WABE_Q - 1,
                                       .crossings = crossings[i],
                                       .flags = main_kernel->wall_buffer || lbm->list ? NULL
                                                                                      : &lbm->flags,
                                       .wraps = lbm->list != NULL,
                                       .place = lbm->list ? place_of : NULL,
                                       .place_context = lbm,
                                       .stream = lbm->streams[WABE_REGION_OUTER]};
    }
    return wabe_exchange_create(s->comm, &s->partition, data, &options, &s->exchange);
}

static wabe_status make_slabs(wabe_simulation *s) {
    for (int i = 0; i < s->components.count; i++) {
        const wabe_box box = s->partition.slabs[s->partition.first + i].box;
        WABE_TRY(wabe_lbm_create(wabe_kernels(), &s->components.list[i], &s->options.model,
                                 &s->options.geometry, box, inner_of(s, box), &s->slabs[i]));
        s->slab_count++;
    }
    return WABE_OK;
}

static wabe_status schedule_exchange(wabe_simulation *s) {
    WABE_TRY(make_exchange(s));
    s->schedule.exchange = (wabe_schedule_exchange){.context = s,
                                                    .begin = exchange_begin,
                                                    .drive = exchange_drive,
                                                    .end = exchange_end};
    for (int i = 0; i < s->slab_count; i++)
        s->schedule.exchange.drive_first |= s->components.list[i].device != NULL;
    return WABE_OK;
}

static wabe_status create(wabe_simulation *s) {
    int rank, size;
    MPI_Comm_rank(s->comm, &rank);
    MPI_Comm_size(s->comm, &size);
    bool periodic[3];
    wabe_geometry_periodic(&s->options.geometry, periodic);
    WABE_TRY(wabe_agree(s->comm,
                        wabe_decomposition_make(s->options.geometry.cells, periodic,
                                                s->options.processes, size, &s->decomposition)));
    s->decomposition.cuts = s->options.cuts;
    s->block = wabe_decomposition_block(&s->decomposition, rank);
    if (s->components.count == 1)
        s->components.planes[0] = wabe_box_extent(s->block, 2);
    WABE_TRY(wabe_partition_create(s->comm, &s->decomposition, s->components.count,
                                   s->components.list, s->components.planes, &s->partition));
    /* What a slab sends to itself takes no time to hide. */
    s->options.overlap &= s->partition.count > 1;
    WABE_TRY(wabe_agree(s->comm, make_slabs(s)));
    s->schedule = (wabe_schedule){.profile = &s->profile};
    wabe_lbm_schedule(s->slab_count, s->slabs, &s->schedule);
    if (s->options.communicate)
        WABE_TRY(schedule_exchange(s));
    for (int i = 0; i < s->slab_count; i++)
        wabe_lbm_forget(s->slabs[i]);
    return WABE_OK;
}

wabe_status wabe_simulation_create(MPI_Comm comm, const wabe_simulation_options *options,
                                   const wabe_components *components, wabe_simulation **out) {
    *out = NULL;
    wabe_simulation *s = calloc(1, sizeof *s);
    wabe_status status =
        wabe_agree(comm, s ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for the simulation"));
    if (status == WABE_OK) {
        s->comm = comm;
        s->options = *options;
        s->components = *components;
        status = create(s);
    }
    if (status != WABE_OK)
        wabe_simulation_destroy(&s);
    *out = s;
    return status;
}

void wabe_simulation_destroy(wabe_simulation **simulation) {
    wabe_simulation *s = *simulation;
    if (!s)
        return;
    wabe_exchange_destroy(&s->exchange);
    for (int i = 0; i < s->slab_count; i++)
        wabe_lbm_destroy(&s->slabs[i]);
    wabe_partition_free(&s->partition);
    free(s);
    *simulation = NULL;
}

/* ---- steps -------------------------------------------------------------------------- */

int64_t wabe_simulation_steps(const wabe_simulation *s) { return s->slabs[0]->step; }

const wabe_kernel *wabe_simulation_kernel(const wabe_simulation *s, int slab, wabe_sweep sweep) {
    return s->slabs[slab]->kernels[sweep];
}

static wabe_status initialise_slabs(wabe_simulation *s, wabe_lbm_initial initial,
                                    const void *context) {
    for (int i = 0; i < s->slab_count; i++)
        WABE_TRY(wabe_lbm_initialise(s->slabs[i], initial, context));
    return WABE_OK;
}

wabe_status wabe_simulation_initialise(wabe_simulation *s, wabe_lbm_initial initial,
                                       const void *context) {
    WABE_TRY(wabe_agree(s->comm, initialise_slabs(s, initial, context)));
    /* The initial state stands as if step -1, which is of parity 1, had left it. */
    if (s->options.communicate) {
        wabe_exchange_begin(s->exchange, 1, true, &s->profile);
        wabe_exchange_begin(s->exchange, 1, false, &s->profile);
        wabe_exchange_end(s->exchange, &s->profile);
    }
    memset(&s->profile, 0, sizeof s->profile);
    return WABE_OK;
}

void wabe_simulation_step(wabe_simulation *s) { wabe_schedule_run(&s->schedule); }

void wabe_simulation_synchronise(const wabe_simulation *s) {
    for (int i = 0; i < s->slab_count; i++)
        wabe_lbm_synchronise(s->slabs[i]);
}

/* ---- memory ------------------------------------------------------------------------- */

bool wabe_simulation_expects_list(const wabe_simulation_options *o) {
    const double bytes = 2.0 * WABE_Q * (double)wabe_type_size(o->model.type);
    if (o->model.streaming == WABE_STREAMING_list)
        return true;
    return o->model.list_price > 0.0 && o->fluid_share > 0.0 &&
           o->fluid_share * (bytes + WABE_PLACES_BYTES) * o->model.list_price <
               o->touched_share * bytes;
}

/* Populations, places and numbers of the fluid cells, and the rest of what a list keeps. */
static double list_bytes(const wabe_simulation_options *o, double cells) {
    const double share = o->fluid_share > 0.0 ? o->fluid_share : 1.0;
    const double numbers = (double)(WABE_Q * wabe_type_size(o->model.type));
    return cells * share * (numbers + 4.0 * WABE_Q + 4.0 * WABE_Q / WABE_TILE);
}

int64_t wabe_simulation_forecast(const wabe_simulation_options *options, const int64_t n[3],
                                 wabe_target target) {
    const int64_t size = (int64_t)wabe_type_size(options->model.type);
    const int64_t faces = 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
    if (wabe_simulation_expects_list(options))
        return (int64_t)list_bytes(options, (double)(n[0] * n[1] * n[2])) + 5 * faces * (size + 16);
    /* Five populations cross a face: one wall link each, or one number in a buffer each way. Every
     * row has a tile or two that are not plain. */
    const int64_t rows = n[1] * n[2];
    return wabe_lbm_field_bytes(&options->model, n, target) + 5 * faces * size +
           rows * 2 * (int64_t)sizeof(wabe_tile_record);
}

int64_t wabe_simulation_bytes(const wabe_simulation *s) {
    int64_t bytes = s->exchange ? wabe_exchange_memory(s->exchange) : 0;
    for (int i = 0; i < s->slab_count; i++)
        bytes += wabe_lbm_bytes(s->slabs[i]);
    return bytes;
}

/* ---- results ------------------------------------------------------------------------ */

/* Number of a slab's cell in the domain. */
static int64_t number_of(const wabe_simulation *s, const wabe_lbm *lbm, int64_t n) {
    const int64_t *cells = s->options.geometry.cells;
    int64_t cell[3];
    wabe_lbm_cell(lbm, n, cell);
    return cell[0] + cells[0] * (cell[1] + cells[1] * cell[2]);
}

static wabe_status monitor_slabs(wabe_simulation *s, wabe_monitor_result *out) {
    *out = (wabe_monitor_result){0};
    for (int i = 0; i < s->slab_count; i++) {
        wabe_monitor_result r;
        WABE_TRY(wabe_lbm_monitor(s->slabs[i], &r));
        r.first_broken = number_of(s, s->slabs[i], r.first_broken);
        r.fastest = number_of(s, s->slabs[i], r.fastest);
        wabe_monitor_merge(out, &r);
    }
    return WABE_OK;
}

/* The smallest number over ranks that have one, -1 if none has. */
static int64_t first_over_ranks(const wabe_simulation *s, bool have, int64_t number) {
    if (!have)
        number = INT64_MAX;
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MIN, s->comm);
    return number == INT64_MAX ? -1 : number;
}

wabe_status wabe_simulation_monitor(wabe_simulation *s, wabe_monitor_result *out) {
    wabe_monitor_result r;
    WABE_TRY(wabe_agree(s->comm, monitor_slabs(s, &r)));
    const double mine = r.speed_squared;
    r.first_broken = first_over_ranks(s, r.broken > 0, r.first_broken);
    MPI_Allreduce(MPI_IN_PLACE, &r.speed_squared, 1, MPI_DOUBLE, MPI_MAX, s->comm);
    r.fastest = first_over_ranks(s, r.cells > 0 && mine == r.speed_squared, r.fastest);
    MPI_Allreduce(MPI_IN_PLACE, &r.cells, 1, MPI_INT64_T, MPI_SUM, s->comm);
    MPI_Allreduce(MPI_IN_PLACE, &r.broken, 1, MPI_INT64_T, MPI_SUM, s->comm);
    wabe_sum_over_ranks(s->comm, &r.mass);
    wabe_sum_over_ranks(s->comm, &r.energy);
    for (int d = 0; d < 3; d++)
        wabe_sum_over_ranks(s->comm, &r.momentum[d]);
    for (int d = 0; d < 3; d++)
        wabe_sum_over_ranks(s->comm, &r.drag[d]);
    *out = r;
    return WABE_OK;
}

static wabe_status hash_slabs(const wabe_simulation *s, uint64_t *out) {
    *out = 0;
    for (int i = 0; i < s->slab_count; i++) {
        uint64_t hash;
        WABE_TRY(wabe_lbm_hash(s->slabs[i], s->options.geometry.cells, &hash));
        *out += hash;
    }
    return WABE_OK;
}

wabe_status wabe_simulation_hash(const wabe_simulation *s, uint64_t *out) {
    WABE_TRY(wabe_agree(s->comm, hash_slabs(s, out)));
    MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_UINT64_T, MPI_SUM, s->comm);
    return WABE_OK;
}

/* Puts the values of part into those of box. */
static void place_part(wabe_box box, wabe_box part, const double *values, double *moments) {
    const int64_t n = wabe_box_cells(part), all = wabe_box_cells(box);
    for (int row = 0; row < 4; row++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t nx = wabe_box_extent(part, 0), ny = wabe_box_extent(part, 1);
            const int64_t x = i % nx + part.begin[0] - box.begin[0];
            const int64_t y = i / nx % ny + part.begin[1] - box.begin[1];
            const int64_t z = i / nx / ny + part.begin[2] - box.begin[2];
            const int64_t at = x + wabe_box_extent(box, 0) * (y + wabe_box_extent(box, 1) * z);
            moments[row * all + at] = values[row * n + i];
        }
}

wabe_status wabe_simulation_moments(const wabe_simulation *s, wabe_box box, double *moments) {
    for (int i = 0; i < s->slab_count; i++) {
        const wabe_box part = wabe_box_intersect(box, s->slabs[i]->block);
        if (wabe_box_is_empty(part))
            continue;
        if (wabe_box_cells(part) == wabe_box_cells(box))
            return wabe_lbm_moments(s->slabs[i], box, moments);
        double *values = malloc((size_t)(4 * wabe_box_cells(part)) * sizeof *values);
        WABE_CHECK(values, WABE_MEMORY, "no memory for the moments of %lld cells",
                   (long long)wabe_box_cells(part));
        const wabe_status status = wabe_lbm_moments(s->slabs[i], part, values);
        place_part(box, part, values, moments);
        free(values);
        WABE_TRY(status);
    }
    return WABE_OK;
}

wabe_status wabe_simulation_gather(const wabe_simulation *s, wabe_box box, double *moments) {
    int rank, size;
    MPI_Comm_rank(s->comm, &rank);
    MPI_Comm_size(s->comm, &size);
    const wabe_box mine = wabe_box_intersect(box, s->block);
    /* Rank 0 receives the others' parts one by one into the same room. */
    const int64_t room = rank == 0 ? wabe_box_cells(box) : wabe_box_cells(mine);
    double *values = 4 * room < INT32_MAX ? malloc((size_t)(4 * room + 1) * sizeof *values) : NULL;
    wabe_status status =
        wabe_agree(s->comm, values ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for a slice"));
    if (status != WABE_OK) {
        free(values);
        return status;
    }
    if (!wabe_box_is_empty(mine))
        status = wabe_simulation_moments(s, mine, values);
    if (rank != 0 && !wabe_box_is_empty(mine))
        MPI_Send(values, (int)(4 * wabe_box_cells(mine)), MPI_DOUBLE, 0, 1, s->comm);
    for (int other = 0; other < size && rank == 0; other++) {
        const wabe_box part =
            wabe_box_intersect(box, wabe_decomposition_block(&s->decomposition, other));
        if (wabe_box_is_empty(part))
            continue;
        if (other != 0)
            MPI_Recv(values, (int)(4 * wabe_box_cells(part)), MPI_DOUBLE, other, 1, s->comm,
                     MPI_STATUS_IGNORE);
        place_part(box, part, values, moments);
    }
    free(values);
    return wabe_agree(s->comm, status);
}
