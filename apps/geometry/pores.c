#include "apps/geometry/pores.h"

#include "apps/geometry/clusters.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows of flags ------------------------------------------------------------------ */

enum { THROAT = WABE_PORES_THROAT, PIECE = 16 };

static bool is_solid(uint8_t id) { return id > WABE_FACES; }

/* Closes cells where a cube of the throat's width, with its lowest corner there, is not all fluid.
 * room: THROAT - 1 cells longer than closed. */
static void close_narrow(const wabe_flags *flags, wabe_box block, int64_t y, int64_t z,
                         uint8_t *room, uint8_t *closed) {
    const int64_t nx = wabe_box_extent(block, 0);
    memset(room, 0, (size_t)(nx + THROAT - 1));
    for (int k = 0; k < THROAT * THROAT; k++) {
        const uint8_t *ids = wabe_flags_place(flags, block.begin[0], y + k % THROAT,
                                              z + k / THROAT);
        for (int64_t x = 0; x < nx + THROAT - 1; x++)
            room[x] |= ids[x];
    }
    _Static_assert((int)THROAT == 4, "as many of room as follow");
    for (int64_t x = 0; x < nx; x++)
        closed[x] = room[x] | room[x + 1] | room[x + 2] | room[x + 3];
}

/* ---- wetted area -------------------------------------------------------------------- */

/* Half of the 26 neighbours. A line along e represents an area of 1 / |e| normal to it. */
static const int directions[13][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {-1, 1, 0},
                                      {1, 0, 1},  {-1, 0, 1}, {0, 1, 1},  {0, -1, 1}, {1, 1, 1},
                                      {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}};
static const double lengths[4] = {0.0, 1.0, 1.4142135623730951, 1.7320508075688772};
static const double weights[4] = {0.0, 0.091556, 0.073961, 0.070391}; /* 3, 6, 4 of them: sum 1 */

static bool is_surface(uint8_t a, uint8_t b) {
    const int fluid_a = a == 0, fluid_b = b == 0, solid_a = is_solid(a), solid_b = is_solid(b);
    return (fluid_a & solid_b) | (fluid_b & solid_a); /* branch-free */
}

enum { COUNT_MAX = 255 }; /* of a byte */

/* Counts in bytes as far as possible, since a vector holds many. */
static int64_t count_surfaces(const uint8_t *from, const uint8_t *to, int64_t cells) {
    int64_t count = 0;
    for (int64_t x = 0; x < cells; x += COUNT_MAX) {
        const int64_t end = x + COUNT_MAX < cells ? x + COUNT_MAX : cells;
        uint8_t some = 0;
        for (int64_t i = x; i < end; i++)
            some = (uint8_t)(some + is_surface(from[i], to[i]));
        count += some;
    }
    return count;
}

/* Counts crossings within a plane of the block and to the next plane, by direction. */
static void count_crossings(const wabe_flags *flags, wabe_box block, int64_t z,
                            int64_t counts[13]) {
    for (int64_t y = block.begin[1]; y < block.end[1]; y++)
        for (int k = 0; k < 13; k++) {
            const int *e = directions[k];
            const uint8_t *from = wabe_flags_place(flags, block.begin[0], y, z);
            const uint8_t *to = wabe_flags_place(flags, block.begin[0] + e[0], y + e[1], z + e[2]);
            counts[k] += count_surfaces(from, to, wabe_box_extent(block, 0));
        }
}

static double area_of(const int64_t counts[13]) {
    double area = 0.0;
    for (int k = 0; k < 13; k++) {
        const int *e = directions[k];
        const int norm = abs(e[0]) + abs(e[1]) + abs(e[2]);
        area += 2.0 * weights[norm] * (double)counts[k] / lengths[norm];
    }
    return area;
}

/* ---- a block ------------------------------------------------------------------------ */

/* All pores, and the positions of a cube in them. */
enum { PORES, WIDE, KINDS };

typedef struct {
    wabe_clusters of[KINDS];
    int64_t touched;
    int64_t crossings[13];
    uint8_t *room; /* for two rows */
} analysis;

/* Cells of those 16-cell pieces of a row that have fluid. */
static int64_t touched_in(const uint8_t *ids, int64_t count) {
    int64_t touched = 0;
    for (int64_t x = 0; x < count; x += PIECE) {
        const int64_t end = x + PIECE < count ? x + PIECE : count;
        bool any = false;
        for (int64_t i = x; i < end; i++)
            any |= ids[i] == 0;
        touched += any ? end - x : 0;
    }
    return touched;
}

static wabe_status add_plane(void *context, const wabe_flags *flags, int64_t z) {
    analysis *a = context;
    const wabe_box block = a->of[PORES].block;
    const int64_t ny = wabe_box_extent(block, 1), nx = wabe_box_extent(block, 0);
    uint8_t *closed = a->room + nx + THROAT;
    for (int64_t y = block.begin[1]; y < block.end[1]; y++) {
        const int64_t row = (z - block.begin[2]) * ny + y - block.begin[1];
        WABE_TRY(wabe_clusters_add_row(&a->of[PORES], row,
                                       wabe_flags_place(flags, block.begin[0], y, z)));
        a->touched += touched_in(wabe_flags_place(flags, block.begin[0], y, z), nx);
        close_narrow(flags, block, y, z, a->room, closed);
        WABE_TRY(wabe_clusters_add_row(&a->of[WIDE], row, closed));
    }
    count_crossings(flags, block, z, a->crossings);
    return WABE_OK;
}

static wabe_status analyse_block(const wabe_geometry *geometry, wabe_box block, analysis *a) {
    bool periodic[3];
    wabe_geometry_periodic(geometry, periodic);
    for (int k = 0; k < KINDS; k++) {
        int64_t last[3];
        for (int d = 0; d < 3; d++)
            last[d] = geometry->cells[d] - (k == WIDE && !periodic[d] ? THROAT : 1);
        WABE_TRY(wabe_clusters_begin(block, last, &a->of[k]));
    }
    a->room = malloc(2 * (size_t)(wabe_box_extent(block, 0) + THROAT));
    WABE_CHECK(a->room, WABE_MEMORY, "no memory for the analysis of the pores");
    return wabe_geometry_visit(geometry, block, 1, THROAT - 1, add_plane, a);
}

static void analysis_free(analysis *a) {
    for (int k = 0; k < KINDS; k++)
        wabe_clusters_free(&a->of[k]);
    free(a->room);
}

/* ---- all blocks --------------------------------------------------------------------- */

static wabe_status connect_all(MPI_Comm comm, const analysis *a, const wabe_decomposition *d,
                               wabe_pores *out) {
    int64_t wide[3];
    WABE_TRY(wabe_clusters_count(comm, &a->of[PORES], d, out->connected));
    WABE_TRY(wabe_clusters_count(comm, &a->of[WIDE], d, wide));
    for (int axis = 0; axis < 3; axis++)
        out->wide[axis] = wide[axis] > 0;
    return WABE_OK;
}

wabe_box wabe_pores_surroundings(wabe_box block, int planes) {
    const int64_t own = wabe_box_extent(block, 2);
    const int64_t more = (planes < own ? planes : own) + 1;
    wabe_box box = wabe_box_grow(block, WABE_PORES_THROAT);
    if (planes > 0 && more > WABE_PORES_THROAT) {
        box.begin[2] = block.begin[2] - more;
        box.end[2] = block.end[2] + more;
    }
    return box;
}

wabe_status wabe_pores_analyse(MPI_Comm comm, const wabe_geometry *geometry,
                               const wabe_decomposition *decomposition, wabe_pores *out) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    analysis a = {0};
    *out = (wabe_pores){.cells = geometry->cells[0] * geometry->cells[1] * geometry->cells[2]};
    wabe_status status =
        wabe_agree(comm,
                   analyse_block(geometry, wabe_decomposition_block(decomposition, rank), &a));
    if (status == WABE_OK) {
        const wabe_clusters *pores = &a.of[PORES];
        for (int64_t k = 0; k < pores->count; k++)
            out->fluid += pores->runs[k].end - pores->runs[k].begin;
        MPI_Allreduce(MPI_IN_PLACE, &out->fluid, 1, MPI_INT64_T, MPI_SUM, comm);
        out->touched = a.touched;
        MPI_Allreduce(MPI_IN_PLACE, &out->touched, 1, MPI_INT64_T, MPI_SUM, comm);
        MPI_Allreduce(MPI_IN_PLACE, a.crossings, 13, MPI_INT64_T, MPI_SUM, comm);
        out->wetted_area = area_of(a.crossings);
        status = connect_all(comm, &a, decomposition, out);
    }
    analysis_free(&a);
    return status;
}
