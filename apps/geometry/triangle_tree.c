/* Triangles are sorted along a curve through space (Morton, 1966), so that those that follow each
 * other lie close together; each four of them are a leaf of a binary tree that has all levels. */
#include "apps/geometry/triangle_tree.h"

#include "core/base/sort.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBERS = 9, /* coordinates of a triangle */
    IN_LEAF = 4,
    BITS = 21,     /* of the key, for each axis */
    STACK = 2 * 64 /* at most one node waits on each level */
};

/* Corners within so much of a triangle's edge, relative to its length, count as met: ways that pass
 * between two triangles would meet none. */
static const double tolerance = 1e-6;

typedef struct {
    float low[3], high[3];
} bounds;

typedef struct {
    uint64_t key, triangle;
} item;

struct wabe_triangle_tree {
    const float *corners;  /* of triangles in the order of their keys */
    int64_t count, leaves; /* leaves: a power of two */
    bounds *nodes;         /* node i has the nodes 2 i and 2 i + 1; the leaves come last */
};

/* Faster than fmin and fmax, which handle NAN. */
static float smaller(float a, float b) { return a < b ? a : b; }
static float larger(float a, float b) { return a > b ? a : b; }

static void include(bounds *b, const float *point) {
    for (int d = 0; d < 3; d++) {
        b->low[d] = smaller(b->low[d], point[d]);
        b->high[d] = larger(b->high[d], point[d]);
    }
}

static bounds nothing(void) {
    return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

/* An empty leaf, which includes nothing, adds nothing. */
static bounds join(const bounds *a, const bounds *b) {
    bounds both;
    for (int d = 0; d < 3; d++) {
        both.low[d] = smaller(a->low[d], b->low[d]);
        both.high[d] = larger(a->high[d], b->high[d]);
    }
    return both;
}

/* Puts two zeros between the bits of a number: each line moves the upper half of each group of
 * bits. */
static uint64_t spread(uint64_t bits) {
    bits = (bits | bits << 32) & 0x001f00000000ffff;
    bits = (bits | bits << 16) & 0x001f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

/* The place of a triangle's centre along the curve. */
static uint64_t key_of(const float *corners, const bounds *all) {
    uint64_t key = 0;
    for (int d = 0; d < 3; d++) {
        const double centre = ((double)corners[d] + corners[3 + d] + corners[6 + d]) / 3.0;
        const double width = (double)all->high[d] - all->low[d];
        const double part = width > 0.0 ? (centre - all->low[d]) / width : 0.0;
        key |= spread((uint64_t)(part * ((1 << BITS) - 1))) << d;
    }
    return key;
}

static void put_in_order(const item *items, int64_t count, const float *from, float *to) {
    for (int64_t i = 0; i < count; i++)
        memcpy(to + NUMBERS * i, from + NUMBERS * items[i].triangle, NUMBERS * sizeof *to);
}

/* Puts the triangles in the order of their keys. */
static wabe_status sort(int64_t count, float *corners) {
    bounds all = nothing();
    item *items = malloc((size_t)(count + 1) * sizeof *items);
    float *sorted = malloc((size_t)(count + 1) * NUMBERS * sizeof *sorted);
    wabe_status status = items && sorted
                             ? WABE_OK
                             : WABE_FAIL(WABE_MEMORY, "no memory to sort %lld triangles",
                                         (long long)count);
    for (int64_t i = 0; i < 3 * count; i++)
        include(&all, corners + 3 * i);
    for (int64_t i = 0; i < count && status == WABE_OK; i++)
        items[i] = (item){key_of(corners + NUMBERS * i, &all), (uint64_t)i};
    if (status == WABE_OK)
        status = wabe_sort_words(&items->key, count, sizeof *items / sizeof(uint64_t));
    if (status == WABE_OK) {
        put_in_order(items, count, corners, sorted);
        memcpy(corners, sorted, (size_t)count * NUMBERS * sizeof *corners);
    }
    free(items);
    free(sorted);
    return status;
}

static void bound(wabe_triangle_tree *t) {
    for (int64_t leaf = 0; leaf < t->leaves; leaf++) {
        bounds *b = &t->nodes[t->leaves + leaf];
        *b = nothing();
        for (int64_t i = leaf * IN_LEAF; i < (leaf + 1) * IN_LEAF && i < t->count; i++)
            for (int corner = 0; corner < 3; corner++)
                include(b, t->corners + NUMBERS * i + 3 * corner);
    }
    for (int64_t i = t->leaves - 1; i > 0; i--)
        t->nodes[i] = join(&t->nodes[2 * i], &t->nodes[2 * i + 1]);
}

wabe_status wabe_triangle_tree_create(int64_t count, float *corners, wabe_triangle_tree **out) {
    wabe_triangle_tree *t = calloc(1, sizeof *t);
    WABE_CHECK(t, WABE_MEMORY, "no memory for a tree of triangles");
    t->corners = corners;
    t->count = count;
    for (t->leaves = 1; t->leaves * IN_LEAF < count;)
        t->leaves *= 2;
    t->nodes = malloc((size_t)(2 * t->leaves) * sizeof *t->nodes);
    *out = t;
    const wabe_status status =
        t->nodes
            ? sort(count, corners)
            : WABE_FAIL(WABE_MEMORY, "no memory for a tree of %lld triangles", (long long)count);
    if (status == WABE_OK)
        bound(t);
    else
        wabe_triangle_tree_destroy(out);
    return status;
}

void wabe_triangle_tree_destroy(wabe_triangle_tree **tree) {
    if (!*tree)
        return;
    free((*tree)->nodes);
    free(*tree);
    *tree = NULL;
}

/* ---- a way -------------------------------------------------------------------------- */

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int d = 0; d < 3; d++)
        out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* The part of the way after which it meets a triangle; INFINITY: it does not (Moeller and Trumbore,
 * J. Graphics Tools 2 (1997) 21). */
static double meet(const float *corners, const double from[3], const double way[3]) {
    double a[3], b[3], start[3], p[3], q[3];
    for (int d = 0; d < 3; d++) {
        a[d] = (double)corners[3 + d] - corners[d];
        b[d] = (double)corners[6 + d] - corners[d];
        start[d] = from[d] - corners[d];
    }
    cross(way, b, p);
    cross(start, a, q);
    const double det = dot(a, p);
    if (det * det <= 1e-24 * dot(a, a) * dot(b, b) * dot(way, way))
        return INFINITY; /* along the triangle */
    const double u = dot(start, p) / det, v = dot(way, q) / det, part = dot(b, q) / det;
    const bool met = u >= -tolerance && v >= -tolerance && u + v <= 1.0 + tolerance &&
                     part >= -tolerance && part <= 1.0 + tolerance;
    return met ? fmin(fmax(part, 0.0), 1.0) : INFINITY;
}

/* Do two boxes meet, the second one being that around a way? */
static bool are_near(const bounds *b, const double low[3], const double high[3]) {
    for (int d = 0; d < 3; d++)
        if (low[d] > b->high[d] || high[d] < b->low[d])
            return false;
    return true;
}

double wabe_triangle_tree_first(const wabe_triangle_tree *t, const double from[3],
                                const double to[3]) {
    double way[3], low[3], high[3];
    for (int d = 0; d < 3; d++) {
        way[d] = to[d] - from[d];
        low[d] = fmin(from[d], to[d]) - tolerance;
        high[d] = fmax(from[d], to[d]) + tolerance;
    }
    int64_t waiting[STACK];
    waiting[0] = 1;
    double first = INFINITY;
    for (int count = 1; count > 0;) {
        const int64_t node = waiting[--count];
        if (!are_near(&t->nodes[node], low, high))
            continue;
        if (node < t->leaves) {
            waiting[count++] = 2 * node;
            waiting[count++] = 2 * node + 1;
            continue;
        }
        const int64_t begin = (node - t->leaves) * IN_LEAF;
        for (int64_t i = begin; i < begin + IN_LEAF && i < t->count; i++)
            first = fmin(first, meet(t->corners + NUMBERS * i, from, way));
    }
    return first;
}
