#include "apps/simulation.h"

#include "apps/commands.h"
#include "core/lattice.h"
#include "core/log.h"
#include "core/sum_over_ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int wabe_simulation_threads(MPI_Comm comm, int asked) {
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int threads = wabe_component_detect(asked).threads, all = threads, processes;
    MPI_Comm node;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, node);
    MPI_Comm_size(node, &processes);
    MPI_Comm_free(&node);
    if (all > cores && asked <= 0 && !getenv("OMP_NUM_THREADS")) {
        threads = cores / processes > 0 ? cores / processes : 1;
        all = threads * processes;
    }
    if (all > cores)
        wabe_log_warning("%d threads in %d processes on a node of %d cores: they will wait for "
                         "each other",
                         all, processes, cores);
    return threads;
}

/* The part of a block that neighbours (itself, across periodic faces) neither need nor provide. */
static wabe_box inner_of(const wabe_simulation *s, wabe_box block) {
    const wabe_decomposition *d = &s->decomposition;
    if (!s->options.communicate)
        return block;
    if (!s->options.overlap) /* nothing is computed while the exchange runs */
        return (wabe_box){{0}, {0}};
    for (int axis = 0; axis < 3; axis++) {
        const bool wraps = d->periodic[axis];
        if (block.begin[axis] > 0 || wraps)
            block.begin[axis]++;
        if (block.end[axis] < d->cells[axis] || wraps)
            block.end[axis]--;
    }
    return block;
}

static void exchange_begin(void *context, bool devices) {
    wabe_simulation *s = context;
    if (!devices)
        wabe_exchange_begin(s->exchange, (int)(s->lbm->step & 1), &s->profile);
}
static bool exchange_drive(void *context) {
    wabe_exchange_test(((wabe_simulation *)context)->exchange);
    return true;
}
static void exchange_end(void *context) {
    wabe_simulation *s = context;
    wabe_exchange_end(s->exchange, &s->profile);
}

static wabe_status make_exchange(wabe_simulation *s) {
    const wabe_lbm *lbm = s->lbm;
    wabe_crossing crossings[WABE_Q - 1];
    for (int q = 1; q < WABE_Q; q++) {
        wabe_crossing *c = &crossings[q - 1];
        memcpy(c->e, wabe_lattice_e[q], sizeof c->e);
        /* What the step of this parity wrote, the step after it reads. */
        for (int parity = 0; parity < 2; parity++) {
            c->out[parity] = lbm->offsets.out[parity][q];
            c->in[parity] = lbm->offsets.in[1 - parity][q];
        }
    }
    bool mirrors = false;
    for (int face = 0; face < WABE_FACES; face++)
        mirrors |= s->options.geometry.conditions[face].kind == WABE_BOUNDARY_free_slip;
    const bool two_grids = lbm->offsets.grids == 2;
    const wabe_exchange_data data = {.component = &s->component,
                                     .pack = lbm->kernels[WABE_SWEEP_pack],
                                     .unpack = lbm->kernels[WABE_SWEEP_unpack],
                                     .layout = lbm->layout,
                                     .field = {lbm->fields[two_grids ? 1 : 0]->data,
                                               lbm->fields[0]->data},
                                     .crossing_count = WABE_Q - 1,
                                     .crossings = crossings,
                                     .behind_faces = mirrors};
    return wabe_exchange_create(s->comm, &s->decomposition, &data, &s->exchange);
}

static wabe_status create(wabe_simulation *s) {
    int rank, size;
    MPI_Comm_rank(s->comm, &rank);
    MPI_Comm_size(s->comm, &size);
    s->options.overlap &= size > 1; /* what a process sends to itself takes no time to hide */
    bool periodic[3];
    wabe_geometry_periodic(&s->options.geometry, periodic);
    WABE_TRY(wabe_agree(s->comm,
                        wabe_decomposition_make(s->options.geometry.cells, periodic,
                                                s->options.processes, size, &s->decomposition)));
    const wabe_box block = wabe_decomposition_block(&s->decomposition, rank);
    WABE_TRY(wabe_agree(s->comm,
                        wabe_lbm_create(wabe_kernels(), &s->component, &s->options.model,
                                        &s->options.geometry, block, inner_of(s, block), &s->lbm)));
    WABE_TRY(make_exchange(s));
    s->schedule = (wabe_schedule){.profile = &s->profile};
    if (s->options.communicate)
        s->schedule.exchange = (wabe_schedule_exchange){.context = s,
                                                        .begin = exchange_begin,
                                                        .drive = exchange_drive,
                                                        .end = exchange_end};
    wabe_lbm_schedule(1, &s->lbm, &s->schedule);
    return WABE_OK;
}

wabe_status wabe_simulation_create(MPI_Comm comm, const wabe_simulation_options *options,
                                   wabe_simulation **out) {
    *out = NULL;
    wabe_simulation *s = calloc(1, sizeof *s);
    wabe_status status =
        wabe_agree(comm, s ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for the simulation"));
    if (status == WABE_OK) {
        s->comm = comm;
        s->options = *options;
        s->component = wabe_component_detect(options->threads);
        status = create(s);
    }
    if (status != WABE_OK)
        wabe_simulation_destroy(&s);
    *out = s;
    return status;
}

void wabe_simulation_destroy(wabe_simulation **simulation) {
    if (!*simulation)
        return;
    wabe_exchange_destroy(&(*simulation)->exchange);
    wabe_lbm_destroy(&(*simulation)->lbm);
    free(*simulation);
    *simulation = NULL;
}

wabe_status wabe_simulation_initialise(wabe_simulation *s, wabe_lbm_initial initial,
                                       const void *context) {
    WABE_TRY(wabe_agree(s->comm, wabe_lbm_initialise(s->lbm, initial, context)));
    /* The initial state stands as if step -1, which is of parity 1, had left it. */
    if (s->options.communicate) {
        wabe_exchange_begin(s->exchange, 1, &s->profile);
        wabe_exchange_end(s->exchange, &s->profile);
    }
    memset(&s->profile, 0, sizeof s->profile);
    return WABE_OK;
}

void wabe_simulation_step(wabe_simulation *s) { wabe_schedule_run(&s->schedule); }

int64_t wabe_simulation_forecast(const wabe_simulation_options *options,
                                 const wabe_decomposition *decomposition, int rank) {
    const wabe_box block = wabe_decomposition_block(decomposition, rank);
    const int64_t n[3] = {wabe_box_extent(block, 0), wabe_box_extent(block, 1),
                          wabe_box_extent(block, 2)};
    const int64_t size = (int64_t)wabe_type_size(options->model.type);
    const int64_t faces = 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
    /* Five populations cross a face: one wall link each, or one number in a buffer each way. Every
     * row has a tile or two that are not plain. */
    const int64_t rows = n[1] * n[2];
    return wabe_lbm_field_bytes(&options->model, n, WABE_TARGET_cpu) + 5 * faces * size +
           rows * 2 * (int64_t)sizeof(wabe_tile_record);
}

int64_t wabe_simulation_bytes(const wabe_simulation *s) {
    return wabe_lbm_bytes(s->lbm) + 2 * wabe_exchange_bytes(s->exchange);
}

/* The smallest global number of a cell over ranks that have one, -1 if none has. */
static int64_t first_over_ranks(const wabe_simulation *s, bool have, int64_t n) {
    int64_t number = INT64_MAX, cell[3];
    if (have) {
        const int64_t *cells = s->options.geometry.cells;
        wabe_lbm_cell(s->lbm, n, cell);
        number = cell[0] + cells[0] * (cell[1] + cells[1] * cell[2]);
    }
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MIN, s->comm);
    return number == INT64_MAX ? -1 : number;
}

wabe_status wabe_simulation_monitor(wabe_simulation *s, wabe_monitor_result *out) {
    wabe_monitor_result r;
    WABE_TRY(wabe_agree(s->comm, wabe_lbm_monitor(s->lbm, &r)));
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
    *out = r;
    return WABE_OK;
}

wabe_status wabe_simulation_hash(const wabe_simulation *s, uint64_t *out) {
    WABE_TRY(wabe_agree(s->comm, wabe_lbm_hash(s->lbm, s->options.geometry.cells, out)));
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

wabe_status wabe_simulation_gather(const wabe_simulation *s, wabe_box box, double *moments) {
    int rank, size;
    MPI_Comm_rank(s->comm, &rank);
    MPI_Comm_size(s->comm, &size);
    const wabe_box mine = wabe_box_intersect(box, s->lbm->block);
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
        status = wabe_lbm_moments(s->lbm, mine, values);
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
