/* Pores are found by runs: stretches of fluid cells along x, which are joined where they touch in
 * the rows above and behind. Only what touches a block's faces is then compared between processes:
 * process 0 joins these clusters. So no array of the size of the domain is needed. */
#include "apps/pores.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- clusters of a block ------------------------------------------------------------ */

typedef struct {
    int32_t begin, end; /* x, counted from the block's corner */
    uint32_t parent;    /* a run of the same cluster; its own number: the cluster's root */
} run;

typedef struct {
    wabe_box block;
    int64_t count, room;
    run *runs;
    int64_t *rows;   /* first run of each row of the block, and the end */
    int64_t last[3]; /* of the domain: who is there is at the high face */
} clusters;

static uint32_t root_of(const clusters *c, uint32_t at) {
    while (c->runs[at].parent != at) {
        c->runs[at].parent = c->runs[c->runs[at].parent].parent;
        at = c->runs[at].parent;
    }
    return at;
}

/* The lower number becomes the root. */
static void join(clusters *c, uint32_t a, uint32_t b) {
    const uint32_t x = root_of(c, a), y = root_of(c, b);
    c->runs[x > y ? x : y].parent = x < y ? x : y;
}

static wabe_status append(clusters *c, int32_t begin, int32_t end) {
    if (c->count == c->room) {
        const int64_t room = 2 * c->room + 1024;
        run *more = room < UINT32_MAX ? realloc(c->runs, (size_t)room * sizeof *more) : NULL;
        WABE_CHECK(more, WABE_MEMORY, "no memory for the analysis of the pores");
        c->runs = more;
        c->room = room;
    }
    c->runs[c->count] = (run){begin, end, (uint32_t)c->count};
    c->count++;
    return WABE_OK;
}

/* Joins the runs of a row with those of another that they touch. Both are in order. */
static void join_rows(clusters *c, int64_t row, int64_t other) {
    int64_t a = c->rows[row], b = c->rows[other];
    while (a < c->rows[row + 1] && b < c->rows[other + 1]) {
        const run *p = &c->runs[a], *q = &c->runs[b];
        if (p->begin < q->end && q->begin < p->end)
            join(c, (uint32_t)a, (uint32_t)b);
        if (p->end < q->end)
            a++;
        else
            b++;
    }
}

/* The runs of a row of cells that are open. */
static wabe_status add_row(clusters *c, int64_t row, const uint8_t *closed) {
    const int64_t nx = wabe_box_extent(c->block, 0), ny = wabe_box_extent(c->block, 1);
    c->rows[row] = c->count;
    for (int32_t x = 0; x < nx; x++) {
        const int32_t begin = x;
        while (x < nx && !closed[x])
            x++;
        if (x > begin)
            WABE_TRY(append(c, begin, x));
    }
    c->rows[row + 1] = c->count;
    if (row % ny > 0)
        join_rows(c, row, row - 1);
    if (row >= ny)
        join_rows(c, row, row - ny);
    return WABE_OK;
}

/* ---- planes of flags ---------------------------------------------------------------- */

enum {
    THROAT = 4, /* cells that a way should be wide */
    PIECE = 16,
    PLANES_AT_ONCE = 32, /* images of voxels are read in such pieces */
};

/* Flags of some planes of the block with what the planes' cells look at around them. */
static wabe_status flags_around(const wabe_geometry *geometry, wabe_box planes, wabe_flags *out) {
    for (int d = 0; d < 3; d++) {
        planes.begin[d] -= d < 2;
        planes.end[d] += THROAT - 1;
    }
    return wabe_geometry_flags(geometry, planes, out);
}

static const uint8_t *row_of(const wabe_flags *f, int64_t x, int64_t y, int64_t z) {
    return f->ids + (x - f->box.begin[0]) +
           wabe_box_extent(f->box, 0) *
               ((y - f->box.begin[1]) + wabe_box_extent(f->box, 1) * (z - f->box.begin[2]));
}

static bool is_solid(uint8_t id) { return id > WABE_FACES; }

/* Where a cube of the throat's width, with its lowest corner in this row, is not in the fluid.
 * room: THROAT - 1 more than closed has. */
static void close_narrow(const wabe_flags *flags, wabe_box block, int64_t y, int64_t z,
                         uint8_t *room, uint8_t *closed) {
    const int64_t nx = wabe_box_extent(block, 0);
    memset(room, 0, (size_t)(nx + THROAT - 1));
    for (int k = 0; k < THROAT * THROAT; k++) {
        const uint8_t *ids = row_of(flags, block.begin[0], y + k % THROAT, z + k / THROAT);
        for (int64_t x = 0; x < nx + THROAT - 1; x++)
            room[x] |= ids[x];
    }
    for (int64_t x = 0; x < nx; x++)
        closed[x] = room[x] | room[x + 1] | room[x + 2] | room[x + 3];
}

/* ---- wetted area -------------------------------------------------------------------- */

/* Half of the 26 neighbours. Lines along e lie 1 / |e| of an area apart. */
static const int directions[13][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {-1, 1, 0},
                                      {1, 0, 1},  {-1, 0, 1}, {0, 1, 1},  {0, -1, 1}, {1, 1, 1},
                                      {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}};
static const double lengths[4] = {0.0, 1.0, 1.4142135623730951, 1.7320508075688772};
static const double weights[4] = {0.0, 0.091556, 0.073961, 0.070391}; /* 3, 6, 4 of them: 1 */

static bool is_surface(uint8_t a, uint8_t b) {
    return ((a == 0) & is_solid(b)) | ((b == 0) & is_solid(a)); /* without branches */
}

enum { COUNT_MAX = 255 }; /* what a byte can count */

/* In bytes as far as they reach: a vector holds many of them. */
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

/* Crossings between a plane of the block and itself or the next one, by direction. */
static void count_crossings(const wabe_flags *flags, wabe_box block, int64_t z,
                            int64_t counts[13]) {
    for (int64_t y = block.begin[1]; y < block.end[1]; y++)
        for (int k = 0; k < 13; k++) {
            const int *e = directions[k];
            const uint8_t *from = row_of(flags, block.begin[0], y, z);
            const uint8_t *to = row_of(flags, block.begin[0] + e[0], y + e[1], z + e[2]);
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

/* The pores, and the ways that are wide enough. */
enum { PORES, WIDE, KINDS };

typedef struct {
    clusters of[KINDS];
    int64_t touched;
    int64_t crossings[13];
    uint8_t *room; /* for two rows */
} analysis;

/* Cells of the row's pieces that have fluid. */
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

static wabe_status add_plane(const wabe_flags *flags, analysis *a, int64_t z) {
    const wabe_box block = a->of[PORES].block;
    const int64_t ny = wabe_box_extent(block, 1), nx = wabe_box_extent(block, 0);
    uint8_t *closed = a->room + nx + THROAT;
    for (int64_t y = block.begin[1]; y < block.end[1]; y++) {
        const int64_t row = (z - block.begin[2]) * ny + y - block.begin[1];
        WABE_TRY(add_row(&a->of[PORES], row, row_of(flags, block.begin[0], y, z)));
        a->touched += touched_in(row_of(flags, block.begin[0], y, z), nx);
        close_narrow(flags, block, y, z, a->room, closed);
        WABE_TRY(add_row(&a->of[WIDE], row, closed));
    }
    count_crossings(flags, block, z, a->crossings);
    return WABE_OK;
}

static wabe_status add_planes(const wabe_geometry *geometry, wabe_box planes, analysis *a) {
    wabe_flags flags;
    WABE_TRY(flags_around(geometry, planes, &flags));
    wabe_status status = WABE_OK;
    for (int64_t z = planes.begin[2]; z < planes.end[2] && status == WABE_OK; z++)
        status = add_plane(&flags, a, z);
    wabe_flags_free(&flags);
    return status;
}

static wabe_status analyse_block(const wabe_geometry *geometry, wabe_box block, analysis *a) {
    const int64_t rows = wabe_box_extent(block, 1) * wabe_box_extent(block, 2);
    bool failed = false, periodic[3];
    wabe_geometry_periodic(geometry, periodic);
    for (int k = 0; k < KINDS; k++) {
        a->of[k].block = block;
        for (int d = 0; d < 3; d++)
            a->of[k].last[d] = geometry->cells[d] - (k == WIDE && !periodic[d] ? THROAT : 1);
        a->of[k].rows = malloc((size_t)(rows + 1) * sizeof *a->of[k].rows);
        failed |= !a->of[k].rows;
    }
    a->room = malloc(2 * (size_t)(wabe_box_extent(block, 0) + THROAT));
    WABE_CHECK(a->room && !failed, WABE_MEMORY, "no memory for the analysis of the pores");
    for (int64_t z = block.begin[2]; z < block.end[2]; z += PLANES_AT_ONCE) {
        wabe_box planes = block;
        planes.begin[2] = z;
        planes.end[2] = z + PLANES_AT_ONCE;
        WABE_TRY(add_planes(geometry, wabe_box_intersect(planes, block), a));
    }
    return WABE_OK;
}

static void analysis_free(analysis *a) {
    for (int k = 0; k < KINDS; k++) {
        free(a->of[k].runs);
        free(a->of[k].rows);
    }
    free(a->room);
}

/* ---- between blocks ----------------------------------------------------------------- */

/* A cluster that touches a face of its block or of the domain. label: rank and root. touches: bit
 * f, domain face f.
 */
typedef struct {
    int64_t label, cells, touches;
} cluster;

/* Clusters of both sides of a block's face. */
typedef struct {
    int64_t low, high;
} contact;

typedef struct {
    int64_t count, room;
    void *items;
} list;

static wabe_status list_add(list *l, const void *item, size_t size) {
    if (l->count == l->room) {
        l->room = 2 * l->room + 256;
        void *more = realloc(l->items, (size_t)l->room * size);
        WABE_CHECK(more, WABE_MEMORY, "no memory for the analysis of the pores");
        l->items = more;
    }
    memcpy((char *)l->items + (size_t)l->count++ * size, item, size);
    return WABE_OK;
}

/* Labels of the cells of a face of the block, -1 where they are not fluid; the lower of the other
 * two axes first. */
static void label_face(const clusters *c, int rank, int face, int64_t *labels) {
    const int64_t n[3] = {wabe_box_extent(c->block, 0), wabe_box_extent(c->block, 1),
                          wabe_box_extent(c->block, 2)};
    const int axis = face / 2;
    const int64_t at = face % 2 ? n[axis] - 1 : 0;
    for (int64_t i = 0; i < n[0] * n[1] * n[2] / n[axis]; i++)
        labels[i] = -1;
    for (int64_t row = 0; row < n[1] * n[2]; row++) {
        const int64_t y = row % n[1], z = row / n[1];
        if ((axis == 1 && y != at) || (axis == 2 && z != at))
            continue;
        for (int64_t k = c->rows[row]; k < c->rows[row + 1]; k++) {
            const int64_t label = (int64_t)rank << 32 | root_of(c, (uint32_t)k);
            const run *r = &c->runs[k];
            if (axis == 0 && r->begin <= at && at < r->end)
                labels[row] = label;
            for (int64_t x = r->begin; x < r->end && axis > 0; x++)
                labels[x + n[0] * (axis == 1 ? z : y)] = label;
        }
    }
}

static int64_t face_cells(wabe_box block, int axis) {
    return wabe_box_cells(block) / wabe_box_extent(block, axis);
}

/* Sends the labels of the high face on, receives those before the low one, and notes which clusters
 * meet there. mine and theirs have room for a face. */
static wabe_status meet(MPI_Comm comm, const clusters *c, const wabe_decomposition *d, int axis,
                        int64_t *mine, int64_t *theirs, list *contacts) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    const int stride = axis == 0 ? 1 : d->processes[0] * (axis == 1 ? 1 : d->processes[1]);
    const int place = rank / stride % d->processes[axis], count = (int)face_cells(c->block, axis);
    const int above = place + 1 < d->processes[axis] ? rank + stride : MPI_PROC_NULL;
    const int below = place > 0 ? rank - stride : MPI_PROC_NULL;
    label_face(c, rank, 2 * axis + 1, mine);
    MPI_Sendrecv(mine, count, MPI_INT64_T, above, axis, theirs, count, MPI_INT64_T, below, axis,
                 comm, MPI_STATUS_IGNORE);
    if (below == MPI_PROC_NULL)
        return WABE_OK;
    label_face(c, rank, 2 * axis, mine);
    contact last = {-1, -1};
    for (int i = 0; i < count; i++) {
        const contact now = {theirs[i], mine[i]};
        if (now.low < 0 || now.high < 0 || (now.low == last.low && now.high == last.high))
            continue;
        WABE_TRY(list_add(contacts, &now, sizeof now));
        last = now;
    }
    return WABE_OK;
}

/* Bits of the faces of the block that a run touches: those of the domain, and, as bit 6, any. */
static int64_t touched(const clusters *c, int64_t row, const run *r) {
    const int64_t ny = wabe_box_extent(c->block, 1);
    const int64_t low[3] = {r->begin, row % ny, row / ny};
    const int64_t high[3] = {r->end - 1, row % ny, row / ny};
    int64_t bits = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = wabe_box_extent(c->block, axis);
        if (low[axis] == 0)
            bits |= 1 << 6 | (c->block.begin[axis] == 0) << (2 * axis);
        if (high[axis] == n - 1)
            bits |= 1 << 6;
        if (c->block.begin[axis] + high[axis] == c->last[axis])
            bits |= 1 << (2 * axis + 1);
    }
    return bits;
}

/* The clusters that touch a face of the block or of the domain, with all of their cells. */
static wabe_status list_clusters(const clusters *c, int rank, list *out) {
    cluster *sums = calloc((size_t)c->count + 1, sizeof *sums);
    WABE_CHECK(sums, WABE_MEMORY, "no memory for the analysis of the pores");
    const int64_t rows = wabe_box_extent(c->block, 1) * wabe_box_extent(c->block, 2);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = c->rows[row]; k < c->rows[row + 1]; k++) {
            cluster *sum = &sums[root_of(c, (uint32_t)k)];
            sum->cells += c->runs[k].end - c->runs[k].begin;
            sum->touches |= touched(c, row, &c->runs[k]);
        }
    wabe_status status = WABE_OK;
    for (int64_t k = 0; k < c->count && status == WABE_OK; k++) {
        sums[k].label = (int64_t)rank << 32 | k;
        if (sums[k].touches)
            status = list_add(out, &sums[k], sizeof sums[k]);
    }
    free(sums);
    return status;
}

/* The lists of all processes, one behind the other, on process 0; replaces the list. Collective. */
static wabe_status gather(MPI_Comm comm, list *l, size_t size) {
    int rank, processes;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &processes);
    int *counts = calloc(2 * (size_t)processes, sizeof *counts), *places = counts + processes;
    const int64_t bytes = l->count * (int64_t)size;
    int64_t total = 0;
    wabe_status status = wabe_agree(comm,
                                    counts && bytes < INT_MAX
                                        ? WABE_OK
                                        : WABE_FAIL(WABE_MEMORY, "too many pores to compare"));
    if (status != WABE_OK) {
        free(counts);
        return status;
    }
    const int mine = (int)bytes;
    MPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, 0, comm);
    for (int i = 0; i < processes && rank == 0; i++) {
        places[i] = (int)total;
        total += counts[i];
    }
    void *all = rank == 0 && total < INT_MAX ? malloc((size_t)total + 1) : NULL;
    status = wabe_agree(comm, rank > 0 || all
                                  ? WABE_OK
                                  : WABE_FAIL(WABE_MEMORY, "too many pores to compare"));
    if (status == WABE_OK) {
        MPI_Gatherv(l->items, mine, MPI_BYTE, all, counts, places, MPI_BYTE, 0, comm);
        free(l->items);
        l->items = all;
        l->count = l->room = total / (int64_t)size;
    }
    free(counts);
    return status;
}

/* ---- all blocks, on process 0 ------------------------------------------------------- */

static int by_label(const void *a, const void *b) {
    const cluster *x = a, *y = b;
    return (x->label > y->label) - (x->label < y->label);
}

static int64_t find(const int64_t *parents, int64_t at) {
    while (parents[at] != at)
        at = parents[at];
    return at;
}

static int64_t place_of(const list *all, int64_t label) {
    const cluster key = {.label = label};
    const cluster *found = bsearch(&key, all->items, (size_t)all->count, sizeof key, by_label);
    return found - (const cluster *)all->items;
}

/* Adds up the cells of the clusters that lead through. */
static wabe_status join_all(list *all, const list *contacts, int64_t connected[3]) {
    cluster *items = all->items;
    int64_t *parents = malloc(((size_t)all->count + 1) * sizeof *parents);
    WABE_CHECK(parents, WABE_MEMORY, "no memory for the analysis of the pores");
    qsort(items, (size_t)all->count, sizeof *items, by_label);
    for (int64_t i = 0; i < all->count; i++)
        parents[i] = i;
    for (int64_t k = 0; k < contacts->count; k++) {
        const contact *pair = (const contact *)contacts->items + k;
        const int64_t a = find(parents, place_of(all, pair->low));
        const int64_t b = find(parents, place_of(all, pair->high));
        parents[a > b ? a : b] = a < b ? a : b;
    }
    for (int64_t i = 0; i < all->count; i++) { /* roots come before all others */
        const int64_t root = find(parents, i);
        if (root == i)
            continue;
        items[root].cells += items[i].cells;
        items[root].touches |= items[i].touches;
    }
    for (int64_t i = 0; i < all->count; i++)
        for (int axis = 0; axis < 3 && parents[i] == i; axis++)
            if ((items[i].touches >> 2 * axis & 3) == 3)
                connected[axis] += items[i].cells;
    free(parents);
    return WABE_OK;
}

static wabe_status meet_all(MPI_Comm comm, const clusters *c, const wabe_decomposition *d,
                            list *contacts) {
    int64_t most = 0;
    for (int axis = 0; axis < 3; axis++)
        most = face_cells(c->block, axis) > most ? face_cells(c->block, axis) : most;
    int64_t *labels = most < INT_MAX ? malloc(2 * (size_t)most * sizeof *labels) : NULL;
    wabe_status status = wabe_agree(
        comm, labels ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for the analysis of the pores"));
    for (int axis = 0; axis < 3 && status == WABE_OK; axis++)
        status = wabe_agree(comm, meet(comm, c, d, axis, labels, labels + most, contacts));
    free(labels);
    return status;
}

static wabe_status connect(MPI_Comm comm, const clusters *c, const wabe_decomposition *d,
                           int64_t connected[3]) {
    list all = {0}, contacts = {0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    wabe_status status = meet_all(comm, c, d, &contacts);
    if (status == WABE_OK)
        status = wabe_agree(comm, list_clusters(c, rank, &all));
    if (status == WABE_OK)
        status = gather(comm, &all, sizeof(cluster));
    if (status == WABE_OK)
        status = gather(comm, &contacts, sizeof(contact));
    if (status == WABE_OK)
        status = wabe_agree(comm, rank == 0 ? join_all(&all, &contacts, connected) : WABE_OK);
    MPI_Bcast(connected, 3, MPI_INT64_T, 0, comm);
    free(all.items);
    free(contacts.items);
    return status;
}

static wabe_status connect_all(MPI_Comm comm, const analysis *a, const wabe_decomposition *d,
                               wabe_pores *out) {
    int64_t wide[3] = {0};
    WABE_TRY(connect(comm, &a->of[PORES], d, out->connected));
    WABE_TRY(connect(comm, &a->of[WIDE], d, wide));
    for (int axis = 0; axis < 3; axis++)
        out->wide[axis] = wide[axis] > 0;
    return WABE_OK;
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
        const clusters *pores = &a.of[PORES];
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
