/* What the triangles of a mesh share. A corner is known by a hash of its coordinates; an edge or a
 * triangle by one of its corners' sum, so whatever begins with the same corner is the same. */
#include "apps/geometry/mesh.h"

#include "core/base/hash.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_corner(const float *corner) {
    return wabe_hash_bytes(corner, 3 * sizeof *corner);
}

/* ---- edges -------------------------------------------------------------------------- */

/* The lowest bit is the direction; the others are the same for both directions. */
static uint64_t key_of(uint64_t from, uint64_t to) {
    return (wabe_hash_mix(from + to) & ~(uint64_t)1) | (from < to);
}

static bool are_one(uint64_t key, uint64_t other) { return (key ^ other) < 2; }

/* Edges that triangles run along one way more often than the other: those of open surfaces. */
typedef struct {
    int64_t keys;  /* different ones */
    int64_t edges; /* of triangles */
} open_count;

/* Sorts edges by their keys, and counts them. The first keys become those of open. */
static wabe_status sort_edges(uint64_t *keys, int64_t count, open_count *open,
                              wabe_mesh_surface *out) {
    *open = (open_count){0};
    out->open_edges = out->turned_edges = 0;
    WABE_TRY(wabe_sort_words(keys, count, 1));
    for (int64_t i = 0, end; i < count; i = end) {
        int64_t forward = 0;
        for (end = i; end < count && are_one(keys[end], keys[i]); end++)
            forward += (int64_t)(keys[end] & 1);
        const bool odd = (end - i) % 2 != 0;
        out->shared_edges += end - i > 2;
        out->open_edges += odd;
        out->turned_edges += !odd && 2 * forward != end - i;
        if (2 * forward == end - i)
            continue;
        keys[open->keys++] = keys[i];
        open->edges += end - i;
    }
    return WABE_OK;
}

/* Calls visit for each edge of a triangle that is not a point, with its key. */
typedef void edge_visitor(void *context, const float *from, const float *to, uint64_t key);

static void visit_edges(const wabe_mesh *mesh, edge_visitor *visit, void *context) {
    for (int64_t i = 0; i < mesh->count; i++) {
        const float *corners = mesh->corners + 9 * i;
        uint64_t hashes[3];
        for (int k = 0; k < 3; k++)
            hashes[k] = hash_corner(corners + 3 * k);
        for (int k = 0; k < 3; k++) {
            const int next = (k + 1) % 3;
            if (hashes[k] != hashes[next])
                visit(context, corners + 3 * k, corners + 3 * next,
                      key_of(hashes[k], hashes[next]));
        }
    }
}

typedef struct {
    uint64_t *keys;
    int64_t count;
} key_list;

static void append_key(void *context, const float *from, const float *to, uint64_t key) {
    key_list *list = context;
    (void)from, (void)to;
    list->keys[list->count++] = key;
}

/* ---- corners that differ by their last digits --------------------------------------- */

/* Of points so close to each other, the first one stands for all. It is looked for in the cells of
 * a grid twice as wide, of which a point's neighbourhood meets two along each axis. */
typedef struct {
    double gap;
    int64_t mask;          /* of the number of a bucket of cells */
    int64_t *first, *next; /* by bucket, by point: a point that stands for others; -1: none */
    const float (*points)[3];
} welder;

static int64_t *bucket_of(const welder *w, const float *point, const int way[3]) {
    int64_t cell[3];
    for (int d = 0; d < 3; d++)
        cell[d] = (int64_t)floor((point[d] + way[d] * w->gap) / (2.0 * w->gap));
    return &w->first[(int64_t)wabe_hash_bytes(cell, sizeof cell) & w->mask];
}

static bool are_close(const welder *w, const float *a, const float *b) {
    bool close = true;
    for (int d = 0; d < 3; d++)
        close &= fabs((double)a[d] - b[d]) <= w->gap;
    return close;
}

/* Returns the point that stands for this one. */
static int64_t weld(welder *w, int64_t point) {
    for (int i = 0; i < 8; i++) {
        const int way[3] = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
        for (int64_t k = *bucket_of(w, w->points[point], way); k >= 0; k = w->next[k])
            if (are_close(w, w->points[point], w->points[k]))
                return k;
    }
    int64_t *bucket = bucket_of(w, w->points[point], (const int[3]){0, 0, 0});
    w->next[point] = *bucket;
    return *bucket = point;
}

/* ---- open edges --------------------------------------------------------------------- */

typedef struct {
    int64_t keys, edges;
    const uint64_t *key; /* in ascending order */
    float (*ends)[3];    /* two for each edge */
} open_list;

static int compare_edges(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return are_one(x, y) ? 0 : x < y ? -1 : 1;
}

static void append_open(void *context, const float *from, const float *to, uint64_t key) {
    open_list *list = context;
    if (!bsearch(&key, list->key, (size_t)list->keys, sizeof key, compare_edges))
        return;
    memcpy(list->ends[2 * list->edges], from, sizeof list->ends[0]);
    memcpy(list->ends[2 * list->edges++ + 1], to, sizeof list->ends[0]);
}

/* Counts again, with ends that are close to each other as one. keys are those of open edges, and
 * have room for all of them. */
static wabe_status join_ends(const wabe_mesh *mesh, uint64_t *keys, welder *w, open_list *list,
                             wabe_mesh_surface *out) {
    int64_t count = 0;
    open_count open;
    visit_edges(mesh, append_open, list);
    memset(w->first, -1, (size_t)(w->mask + 1) * sizeof *w->first);
    for (int64_t i = 0; i < list->edges; i++) {
        const int64_t from = weld(w, 2 * i), to = weld(w, 2 * i + 1);
        if (from != to)
            keys[count++] = key_of(wabe_hash_mix((uint64_t)from), wabe_hash_mix((uint64_t)to));
    }
    return sort_edges(keys, count, &open, out);
}

static wabe_status join_open(const wabe_mesh *mesh, uint64_t *keys, const open_count *open,
                             wabe_mesh_surface *out) {
    const size_t ends = 2 * (size_t)open->edges;
    size_t buckets = 1;
    while (buckets < ends)
        buckets *= 2;
    open_list list = {.keys = open->keys, .key = keys, .ends = malloc(ends * sizeof *list.ends)};
    welder w = {.gap = mesh->gap,
                .mask = (int64_t)buckets - 1,
                .first = malloc(buckets * sizeof *w.first),
                .next = malloc(ends * sizeof *w.next),
                .points = (const float(*)[3])list.ends};
    const wabe_status status = list.ends && w.first && w.next
                                   ? join_ends(mesh, keys, &w, &list, out)
                                   : WABE_FAIL(WABE_MEMORY, "no memory for %lld open edges",
                                               (long long)open->edges);
    free(list.ends);
    free(w.first);
    free(w.next);
    return status;
}

/* ---- triangles ---------------------------------------------------------------------- */

/* Counts triangles with the corners of another one; those without area do not count. A surface
 * whose edges all have two triangles, one along each way, has none. */
static wabe_status count_repeated(const wabe_mesh *mesh, uint64_t *keys, wabe_mesh_surface *out) {
    int64_t count = 0;
    for (int64_t i = 0; i < mesh->count; i++) {
        uint64_t hashes[3];
        for (int k = 0; k < 3; k++)
            hashes[k] = hash_corner(mesh->corners + 9 * i + 3 * k);
        if (hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[2] != hashes[0])
            keys[count++] = wabe_hash_mix(hashes[0] + hashes[1] + hashes[2]);
    }
    WABE_TRY(wabe_sort_words(keys, count, 1));
    for (int64_t i = 1; i < count; i++)
        out->repeated += keys[i] == keys[i - 1];
    return WABE_OK;
}

/* Of the volume's lines along the axis along which they are shortest: the volume, divided by half
 * the area of the triangles as seen along that axis. */
static double mean_line(const wabe_mesh *mesh) {
    double volume = 0.0, seen[3] = {0.0, 0.0, 0.0};
    for (int64_t i = 0; i < mesh->count; i++) {
        const float *a = mesh->corners + 9 * i, *b = a + 3, *c = a + 6;
        for (int d = 0; d < 3; d++) {
            const int u = (d + 1) % 3, v = (d + 2) % 3;
            const double area = 0.5 * (((double)b[u] - a[u]) * ((double)c[v] - a[v]) -
                                       ((double)b[v] - a[v]) * ((double)c[u] - a[u]));
            volume += area * (a[d] - mesh->low[d]) / 3.0;
            seen[d] += 0.5 * fabs(area);
        }
    }
    return fabs(volume) / fmax(seen[0], fmax(seen[1], seen[2]));
}

wabe_status wabe_mesh_examine(const wabe_mesh *mesh, wabe_mesh_surface *out) {
    *out = (wabe_mesh_surface){0};
    key_list edges = {.keys = malloc((size_t)(3 * mesh->count + 1) * sizeof *edges.keys)};
    WABE_CHECK(edges.keys, WABE_MEMORY, "no memory for the edges of %lld triangles",
               (long long)mesh->count);
    visit_edges(mesh, append_key, &edges);
    open_count open;
    wabe_status status = sort_edges(edges.keys, edges.count, &open, out);
    if (status == WABE_OK && open.edges > 0)
        status = join_open(mesh, edges.keys, &open, out);
    if (status == WABE_OK && out->open_edges + out->shared_edges + out->turned_edges > 0)
        status = count_repeated(mesh, edges.keys, out);
    out->mean_line = out->open_edges + out->turned_edges == 0 ? mean_line(mesh) : NAN;
    free(edges.keys);
    return status;
}
