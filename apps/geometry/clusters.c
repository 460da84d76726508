#include "apps/geometry/clusters.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- clusters of a block ------------------------------------------------------------ */

uint32_t wabe_clusters_root(const wabe_clusters *c, uint32_t at) {
    while (c->runs[at].parent != at) {
        c->runs[at].parent = c->runs[c->runs[at].parent].parent;
        at = c->runs[at].parent;
    }
    return at;
}

/* The lower number becomes the root. */
static void join(wabe_clusters *c, uint32_t a, uint32_t b) {
    const uint32_t x = wabe_clusters_root(c, a), y = wabe_clusters_root(c, b);
    c->runs[x > y ? x : y].parent = x < y ? x : y;
}

wabe_status wabe_clusters_begin(wabe_box block, const int64_t last[3], wabe_clusters *out) {
    const int64_t rows = wabe_box_extent(block, 1) * wabe_box_extent(block, 2);
    *out = (wabe_clusters){.block = block,
                           .last = {last[0], last[1], last[2]},
                           .rows = malloc((size_t)(rows + 1) * sizeof *out->rows)};
    WABE_CHECK(out->rows, WABE_MEMORY, "no memory for the analysis of the pores");
    return WABE_OK;
}

void wabe_clusters_free(wabe_clusters *c) {
    free(c->runs);
    free(c->rows);
    *c = (wabe_clusters){0};
}

static wabe_status append(wabe_clusters *c, int32_t begin, int32_t end) {
    if (c->count == c->room) {
        const int64_t room = 2 * c->room + 1024;
        wabe_cluster_run *more = room < UINT32_MAX ? realloc(c->runs, (size_t)room * sizeof *more)
                                                   : NULL;
        WABE_CHECK(more, WABE_MEMORY, "no memory for the analysis of the pores");
        c->runs = more;
        c->room = room;
    }
    c->runs[c->count] = (wabe_cluster_run){begin, end, (uint32_t)c->count};
    c->count++;
    return WABE_OK;
}

/* Joins the runs of a row with those of another row that they touch. Both are sorted. */
static void join_rows(wabe_clusters *c, int64_t row, int64_t other) {
    int64_t a = c->rows[row], b = c->rows[other];
    while (a < c->rows[row + 1] && b < c->rows[other + 1]) {
        const wabe_cluster_run *p = &c->runs[a], *q = &c->runs[b];
        if (p->begin < q->end && q->begin < p->end)
            join(c, (uint32_t)a, (uint32_t)b);
        if (p->end < q->end)
            a++;
        else
            b++;
    }
}

wabe_status wabe_clusters_add_row(wabe_clusters *c, int64_t row, const uint8_t *closed) {
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

/* ---- between blocks ----------------------------------------------------------------- */

/* A cluster that touches a face of its block or of the domain. label: rank and root; touches: bit f
 * for domain face f. */
typedef struct {
    int64_t label, cells, touches;
} cluster;

/* Clusters that meet at a face between blocks. */
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

/* Labels the cells of a face of the block, -1 where they are not fluid; of the other two axes the
 * lower one varies first. */
static void label_face(const wabe_clusters *c, int rank, int face, int64_t *labels) {
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
            const int64_t label = (int64_t)rank << 32 | wabe_clusters_root(c, (uint32_t)k);
            const wabe_cluster_run *r = &c->runs[k];
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

/* Exchanges labels: sends those of the high face, receives those of the neighbour below, and lists
 * the clusters that meet there. mine, theirs: room for a face each. */
static wabe_status meet(MPI_Comm comm, const wabe_clusters *c, const wabe_decomposition *d,
                        int axis, bool wraps, int64_t *mine, int64_t *theirs, list *contacts) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    const int count = (int)face_cells(c->block, axis);
    const int above = wabe_decomposition_neighbour(d, rank, axis, 1, wraps);
    const int below = wabe_decomposition_neighbour(d, rank, axis, -1, wraps);
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

/* The faces that a run touches: a bit for each of the domain, bit 6 for any face of the block. */
static int64_t touched(const wabe_clusters *c, int64_t row, const wabe_cluster_run *r) {
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

/* Lists the clusters that touch a face of the block or of the domain, with all of their cells. */
static wabe_status list_clusters(const wabe_clusters *c, int rank, list *out) {
    cluster *sums = calloc((size_t)c->count + 1, sizeof *sums);
    WABE_CHECK(sums, WABE_MEMORY, "no memory for the analysis of the pores");
    const int64_t rows = wabe_box_extent(c->block, 1) * wabe_box_extent(c->block, 2);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = c->rows[row]; k < c->rows[row + 1]; k++) {
            cluster *sum = &sums[wabe_clusters_root(c, (uint32_t)k)];
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

/* Concatenates the lists of all processes on process 0. Collective. */
static wabe_status gather(MPI_Comm comm, const list *mine, size_t size, list *out) {
    int rank, processes;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &processes);
    int *counts = calloc(2 * (size_t)processes, sizeof *counts), *places = counts + processes;
    const int64_t bytes = mine->count * (int64_t)size;
    int64_t total = 0;
    wabe_status status = wabe_agree(comm,
                                    counts && bytes < INT_MAX
                                        ? WABE_OK
                                        : WABE_FAIL(WABE_MEMORY, "too many pores to compare"));
    if (status != WABE_OK) {
        free(counts);
        return status;
    }
    const int sent = (int)bytes;
    MPI_Gather(&sent, 1, MPI_INT, counts, 1, MPI_INT, 0, comm);
    for (int i = 0; i < processes && rank == 0; i++) {
        places[i] = (int)total;
        total += counts[i];
    }
    void *all = rank == 0 && total < INT_MAX ? malloc((size_t)total + 1) : NULL;
    status = wabe_agree(comm, rank > 0 || all
                                  ? WABE_OK
                                  : WABE_FAIL(WABE_MEMORY, "too many pores to compare"));
    if (status == WABE_OK) {
        MPI_Gatherv(mine->items, sent, MPI_BYTE, all, counts, places, MPI_BYTE, 0, comm);
        *out = (list){total / (int64_t)size, total / (int64_t)size, all};
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

/* Sorts the clusters and merges those in contact; roots, which precede their members, get the cells
 * and faces of all. parents: to be freed. */
static wabe_status join_all(list *all, const list *contacts, int64_t **out) {
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
    for (int64_t i = 0; i < all->count; i++) {
        parents[i] = find(parents, i);
        if (parents[i] == i)
            continue;
        items[parents[i]].cells += items[i].cells;
        items[parents[i]].touches |= items[i].touches;
    }
    *out = parents;
    return WABE_OK;
}

static bool leads_through(const cluster *c, int axis) { return (c->touches >> 2 * axis & 3) == 3; }

static wabe_status count_all(list *all, const list *contacts, int64_t connected[3]) {
    const cluster *items = all->items;
    int64_t *parents;
    WABE_TRY(join_all(all, contacts, &parents));
    for (int64_t i = 0; i < all->count; i++)
        for (int axis = 0; axis < 3 && parents[i] == i; axis++)
            if (leads_through(&items[i], axis))
                connected[axis] += items[i].cells;
    free(parents);
    return WABE_OK;
}

/* A byte per cluster; to be freed. */
static wabe_status mark_all(list *all, const list *contacts, int axis, uint8_t **out) {
    const cluster *items = all->items;
    int64_t *parents;
    uint8_t *marks = malloc((size_t)all->count + 1);
    *out = marks;
    WABE_CHECK(marks, WABE_MEMORY, "no memory for the analysis of the pores");
    WABE_TRY(join_all(all, contacts, &parents));
    for (int64_t i = 0; i < all->count; i++)
        marks[i] = leads_through(&items[parents[i]], axis);
    free(parents);
    return WABE_OK;
}

/* ---- all processes ------------------------------------------------------------------ */

/* The data compared: of this process and, on process 0, of all. */
typedef struct {
    list mine, contacts, all, all_contacts;
} comparison;

static void comparison_free(comparison *c) {
    free(c->mine.items);
    free(c->contacts.items);
    free(c->all.items);
    free(c->all_contacts.items);
}

/* wraps: bit d: clusters are connected across the domain's faces normal to axis d. */
static wabe_status meet_all(MPI_Comm comm, const wabe_clusters *c, const wabe_decomposition *d,
                            unsigned wraps, list *contacts) {
    int64_t most = 0;
    for (int axis = 0; axis < 3; axis++)
        most = face_cells(c->block, axis) > most ? face_cells(c->block, axis) : most;
    int64_t *labels = most < INT_MAX ? malloc(2 * (size_t)most * sizeof *labels) : NULL;
    wabe_status status = wabe_agree_memory(comm, labels, "the analysis of the pores");
    for (int axis = 0; axis < 3 && status == WABE_OK; axis++)
        status = wabe_agree(comm, meet(comm, c, d, axis, wraps >> axis & 1, labels, labels + most,
                                       contacts));
    free(labels);
    return status;
}

static wabe_status compare(MPI_Comm comm, const wabe_clusters *c, const wabe_decomposition *d,
                           unsigned wraps, comparison *out) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    *out = (comparison){0};
    WABE_TRY(meet_all(comm, c, d, wraps, &out->contacts));
    WABE_TRY(wabe_agree(comm, list_clusters(c, rank, &out->mine)));
    WABE_TRY(gather(comm, &out->mine, sizeof(cluster), &out->all));
    return gather(comm, &out->contacts, sizeof(contact), &out->all_contacts);
}

wabe_status wabe_clusters_count(MPI_Comm comm, const wabe_clusters *c, const wabe_decomposition *d,
                                int64_t connected[3]) {
    comparison all;
    int rank;
    MPI_Comm_rank(comm, &rank);
    memset(connected, 0, 3 * sizeof connected[0]);
    wabe_status status = compare(comm, c, d, 0, &all);
    if (status == WABE_OK)
        status = wabe_agree(comm, rank == 0 ? count_all(&all.all, &all.all_contacts, connected)
                                            : WABE_OK);
    MPI_Bcast(connected, 3, MPI_INT64_T, 0, comm);
    comparison_free(&all);
    return status;
}

/* Sends each process the marks of its own clusters, which it has listed in sorted order. marks: on
 * process 0, of all clusters. */
static void hand_out(MPI_Comm comm, const list *all, const uint8_t *marks, int count,
                     uint8_t *mine) {
    const cluster *items = all->items;
    int rank, processes;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &processes);
    if (rank > 0) {
        MPI_Recv(mine, count, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
        return;
    }
    memcpy(mine, marks, (size_t)count);
    int64_t begin = count, end = count;
    for (int to = 1; to < processes; to++, begin = end) {
        while (end < all->count && items[end].label >> 32 == to)
            end++;
        MPI_Send(marks + begin, (int)(end - begin), MPI_BYTE, to, 0, comm);
    }
}

wabe_status wabe_clusters_mark(MPI_Comm comm, const wabe_clusters *c, const wabe_decomposition *d,
                               int axis, uint8_t *leads) {
    comparison all;
    int rank;
    unsigned wraps = 0;
    uint8_t *marks = NULL, *mine = NULL;
    MPI_Comm_rank(comm, &rank);
    for (int k = 0; k < 3; k++)
        wraps |= (unsigned)(d->periodic[k] && k != axis) << k;
    wabe_status status = compare(comm, c, d, wraps, &all);
    if (status == WABE_OK) {
        mine = malloc((size_t)all.mine.count + 1);
        status = mine ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for the analysis of the pores");
        if (rank == 0 && mine)
            status = mark_all(&all.all, &all.all_contacts, axis, &marks);
        status = wabe_agree(comm, status);
    }
    if (status == WABE_OK) {
        hand_out(comm, &all.all, marks, (int)all.mine.count, mine);
        const cluster *items = all.mine.items;
        for (int64_t i = 0; i < all.mine.count; i++)
            leads[items[i].label & UINT32_MAX] |= mine[i];
    }
    free(marks);
    free(mine);
    comparison_free(&all);
    return status;
}
