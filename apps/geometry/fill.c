#include "apps/geometry/fill.h"

#include "apps/geometry/clusters.h"
#include "apps/geometry/pores.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- filled cells ------------------------------------------------------------------- */

static wabe_status add_plane(void *context, const wabe_flags *flags, int64_t z) {
    wabe_clusters *c = context;
    const int64_t ny = wabe_box_extent(c->block, 1);
    for (int64_t y = 0; y < ny; y++)
        WABE_TRY(wabe_clusters_add_row(c, (z - c->block.begin[2]) * ny + y,
                                       wabe_flags_place(flags, c->block.begin[0],
                                                        c->block.begin[1] + y, z)));
    return WABE_OK;
}

static wabe_status find_clusters(const wabe_geometry *geometry, wabe_box block, wabe_clusters *c) {
    const int64_t *n = geometry->cells;
    WABE_TRY(wabe_clusters_begin(block, (const int64_t[3]){n[0] - 1, n[1] - 1, n[2] - 1}, c));
    return wabe_geometry_visit(geometry, block, 0, 0, add_plane, c);
}

/* Fills the clusters that do not percolate. */
static void fill_rest(const wabe_clusters *c, const uint8_t *leads, wabe_fill *out) {
    const int64_t nx = wabe_box_extent(c->block, 0);
    const int64_t rows = wabe_box_extent(c->block, 1) * wabe_box_extent(c->block, 2);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = c->rows[row]; k < c->rows[row + 1]; k++) {
            const wabe_cluster_run *run = &c->runs[k];
            const bool kept = leads[wabe_clusters_root(c, (uint32_t)k)];
            *(kept ? &out->left : &out->cells) += run->end - run->begin;
            for (int64_t x = run->begin; x < run->end && !kept; x++)
                wabe_bits_add(out->mask.bits, row * nx + x);
        }
}

static wabe_status fill_clusters(MPI_Comm comm, const wabe_clusters *c, const wabe_decomposition *d,
                                 unsigned axes, wabe_fill *out) {
    uint8_t *leads = calloc((size_t)c->count + 1, 1);
    wabe_status status = wabe_mask_make(c->block, &out->mask);
    if (!leads)
        status = WABE_FAIL(WABE_MEMORY, "no memory for the analysis of the pores");
    status = wabe_agree(comm, status);
    for (int axis = 0; axis < 3 && status == WABE_OK; axis++)
        if (axes >> axis & 1)
            status = wabe_clusters_mark(comm, c, d, axis, leads);
    if (status == WABE_OK) {
        fill_rest(c, leads, out);
        MPI_Allreduce(MPI_IN_PLACE, &out->cells, 1, MPI_INT64_T, MPI_SUM, comm);
        MPI_Allreduce(MPI_IN_PLACE, &out->left, 1, MPI_INT64_T, MPI_SUM, comm);
    }
    free(leads);
    return status;
}

wabe_status wabe_fill_find(MPI_Comm comm, const wabe_geometry *geometry,
                           const wabe_decomposition *decomposition, unsigned axes, wabe_fill *out) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    wabe_clusters clusters = {0};
    *out = (wabe_fill){0};
    wabe_status status =
        wabe_agree(comm, find_clusters(geometry, wabe_decomposition_block(decomposition, rank),
                                       &clusters));
    if (status == WABE_OK)
        status = fill_clusters(comm, &clusters, decomposition, axes, out);
    wabe_clusters_free(&clusters);
    if (status != WABE_OK)
        wabe_fill_free(out);
    return status;
}

void wabe_fill_free(wabe_fill *fill) { wabe_mask_free(&fill->mask); }

/* ---- redistribution ----------------------------------------------------------------- */

/* A process that knows its block's filled cells, and one that needs those of its block and
 * surroundings. */
typedef struct {
    const wabe_decomposition *from, *to;
    int planes; /* see wabe_fill_spread */
    int sender, receiver;
} transfer;

enum { IMAGES = 27 }; /* of the domain, across its faces, edges and corners */

/* The box to send in a periodic image; empty if there is no such image. shift: from the box to its
 * image, which the receiver sees. */
static wabe_box part_of(const transfer *t, int image, int64_t shift[3]) {
    const int step[3] = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
    wabe_box wanted = wabe_pores_surroundings(wabe_decomposition_block(t->to, t->receiver),
                                              t->planes);
    for (int d = 0; d < 3; d++) {
        if (step[d] != 0 && !t->to->periodic[d])
            return (wabe_box){{0}, {0}};
        shift[d] = step[d] * t->to->cells[d];
        wanted.begin[d] -= shift[d];
        wanted.end[d] -= shift[d];
    }
    return wabe_box_intersect(wanted, wabe_decomposition_block(t->from, t->sender));
}

/* Bytes at one bit per cell. */
static int64_t bytes_of(const transfer *t) {
    int64_t cells = 0, shift[3];
    for (int image = 0; image < IMAGES; image++)
        cells += wabe_box_cells(part_of(t, image, shift));
    return (cells + 7) / 8;
}

static void pack(const transfer *t, const wabe_mask *mask, uint8_t *bits) {
    int64_t at = 0, shift[3];
    memset(bits, 0, (size_t)bytes_of(t));
    for (int image = 0; image < IMAGES; image++) {
        const wabe_box box = part_of(t, image, shift);
        for (int64_t z = box.begin[2]; z < box.end[2]; z++)
            for (int64_t y = box.begin[1]; y < box.end[1]; y++)
                for (int64_t x = box.begin[0]; x < box.end[0]; x++, at++)
                    if (wabe_bits_has(mask->bits, wabe_mask_place(mask, x, y, z)))
                        wabe_bits_add(bits, at);
    }
}

static void unpack(const transfer *t, const uint8_t *bits, wabe_mask *mask) {
    int64_t at = 0, shift[3];
    for (int image = 0; image < IMAGES; image++) {
        const wabe_box box = part_of(t, image, shift);
        for (int64_t z = box.begin[2]; z < box.end[2]; z++)
            for (int64_t y = box.begin[1]; y < box.end[1]; y++)
                for (int64_t x = box.begin[0]; x < box.end[0]; x++, at++)
                    if (wabe_bits_has(bits, at))
                        wabe_bits_add(mask->bits, wabe_mask_place(mask, x + shift[0], y + shift[1],
                                                                  z + shift[2]));
    }
}

/* Processes form a ring: in step k each sends to the one k places ahead. Both ends compute the
 * size. */
typedef struct {
    transfer out, in;
} exchange;

static exchange exchange_in(const transfer *all, int rank, int size, int step) {
    exchange e = {.out = *all, .in = *all};
    e.out.sender = e.in.receiver = rank;
    e.out.receiver = (rank + step) % size;
    e.in.sender = (rank - step + size) % size;
    return e;
}

static void exchange_bits(MPI_Comm comm, const exchange *e, const wabe_mask *known, uint8_t *sent,
                          uint8_t *received, wabe_mask *out) {
    const int going = (int)bytes_of(&e->out), coming = (int)bytes_of(&e->in);
    pack(&e->out, known, sent);
    MPI_Sendrecv(sent, going, MPI_BYTE, going > 0 ? e->out.receiver : MPI_PROC_NULL, 0, received,
                 coming, MPI_BYTE, coming > 0 ? e->in.sender : MPI_PROC_NULL, 0, comm,
                 MPI_STATUS_IGNORE);
    unpack(&e->in, received, out);
}

wabe_status wabe_fill_spread(MPI_Comm comm, const wabe_decomposition *from,
                             const wabe_decomposition *to, int planes, wabe_fill *fill) {
    const transfer all = {.from = from, .to = to, .planes = planes};
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int64_t most[2] = {0, 0};
    for (int step = 0; step < size; step++) {
        const exchange e = exchange_in(&all, rank, size, step);
        most[0] = bytes_of(&e.out) > most[0] ? bytes_of(&e.out) : most[0];
        most[1] = bytes_of(&e.in) > most[1] ? bytes_of(&e.in) : most[1];
    }
    wabe_mask mask;
    uint8_t *sent = malloc((size_t)most[0] + 1), *received = malloc((size_t)most[1] + 1);
    wabe_status status =
        wabe_mask_make(wabe_pores_surroundings(wabe_decomposition_block(to, rank), planes), &mask);
    if (!sent || !received || most[0] >= INT_MAX || most[1] >= INT_MAX)
        status = WABE_FAIL(WABE_MEMORY, "no memory to tell what is filled");
    status = wabe_agree(comm, status);
    for (int step = 0; step < size && status == WABE_OK; step++) {
        const exchange e = exchange_in(&all, rank, size, step);
        exchange_bits(comm, &e, &fill->mask, sent, received, &mask);
    }
    free(sent);
    free(received);
    wabe_mask_free(status == WABE_OK ? &fill->mask : &mask);
    if (status == WABE_OK)
        fill->mask = mask;
    return status;
}
