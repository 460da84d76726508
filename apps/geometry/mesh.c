/* For each axis, every triangle is drawn onto the columns of cells along that axis: it flips the
 * state, inside or outside, of all cells behind it. A cell has a bit per axis, so a flip is one
 * bit, and the bits of a column are then summed modulo 2; along z modulo 4, a triangle counting as
 * 1 or -1 by the side that it shows, so that cells in two parts at once are found. Which columns a
 * triangle covers follows from its edges alone, by arithmetic that is the same for both triangles
 * at an edge: so the columns of a closed surface are flipped an even number of times, whatever is
 * rounded. */
#include "apps/geometry/mesh.h"

#include "apps/geometry/stl.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define FARTHEST 1e9   /* cells */
#define GAP 1e-3       /* cells: less than that between a centre and the point that is tested */
#define DIGITS 0x1p-22 /* two of the last digits of a number of a file, relative to it */

/* From a cell's centre to the point that is tested: irrational, larger than what corners are
 * rounded by, and too small to matter. */
static const double beside[3] = {1.4142135623730951e-3, 1.7320508075688772e-3,
                                 2.2360679774997897e-3};

/* ---- placement ---------------------------------------------------------------------- */

/* Multiplies a matrix from the left by a rotation about an axis. */
static void turn(double m[3][3], int axis, double degrees) {
    const double angle = degrees * PI / 180.0, c = cos(angle), s = sin(angle);
    double *a = m[(axis + 1) % 3], *b = m[(axis + 2) % 3];
    for (int i = 0; i < 3; i++) {
        const double ai = a[i], bi = b[i];
        a[i] = c * ai - s * bi;
        b[i] = s * ai + c * bi;
    }
}

/* What is only known before placement: how large the file's mesh is, and how exact. */
static void measure(double scale, wabe_mesh *mesh) {
    double farthest = 0.0;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (const float *at = mesh->corners + d; at < mesh->corners + 9 * mesh->count; at += 3) {
            low = *at < low ? *at : low;
            high = *at > high ? *at : high;
        }
        mesh->size[d] = scale * (high - low);
        farthest = fmax(farthest, scale * fmax(fabs(low), fabs(high)));
    }
    mesh->gap = GAP + DIGITS * farthest;
}

static wabe_status place(const char *file, const wabe_mesh_placement *p, wabe_mesh *mesh) {
    double m[3][3] = {{p->scale, 0, 0}, {0, p->scale, 0}, {0, 0, p->scale}};
    measure(p->scale, mesh);
    for (int d = 0; d < 3; d++) {
        turn(m, d, p->rotation[d]);
        mesh->low[d] = INFINITY;
        mesh->high[d] = -INFINITY;
    }
    for (int64_t i = 0; i < 3 * mesh->count; i++) {
        float *corner = mesh->corners + 3 * i;
        const double x = corner[0], y = corner[1], z = corner[2];
        for (int d = 0; d < 3; d++) {
            const double at = m[d][0] * x + m[d][1] * y + m[d][2] * z + p->place[d];
            WABE_CHECK(fabs(at) <= FARTHEST, WABE_INPUT,
                       "%s: triangle %lld reaches to %.3g cells along %c; check the scale", file,
                       (long long)(i / 3) + 1, at, 'x' + d);
            corner[d] = (float)at + 0.0f; /* no negative zero: equal corners have equal bytes */
            mesh->low[d] = fmin(mesh->low[d], corner[d]);
            mesh->high[d] = fmax(mesh->high[d], corner[d]);
        }
    }
    return WABE_OK;
}

wabe_status wabe_mesh_read(const char *file, const wabe_mesh_placement *placement, wabe_mesh *out) {
    wabe_stl stl;
    *out = (wabe_mesh){0};
    WABE_TRY(wabe_stl_read(file, &stl));
    out->count = stl.count;
    out->corners = stl.corners;
    out->surplus = stl.surplus;
    const wabe_status status = place(file, placement, out);
    if (status != WABE_OK)
        wabe_mesh_free(out);
    return status;
}

void wabe_mesh_free(wabe_mesh *mesh) {
    wabe_triangle_tree_destroy(&mesh->tree);
    free(mesh->corners);
    *mesh = (wabe_mesh){0};
}

/* ---- flips -------------------------------------------------------------------------- */

/* Returns the first cell along an axis whose point does not lie below a place. */
static int64_t first_at(double at, int axis) { return (int64_t)ceil(at - 0.5 - beside[axis]); }

static double point_of(int64_t cell, int axis) { return (double)cell + 0.5 + beside[axis]; }

wabe_box wabe_mesh_box(const wabe_mesh *mesh) {
    wabe_box box;
    for (int d = 0; d < 3; d++) {
        box.begin[d] = first_at(mesh->low[d], d);
        box.end[d] = first_at(mesh->high[d], d);
    }
    return box;
}

typedef struct {
    wabe_box box;
    int64_t words, rows; /* of a row, of the box */
    uint64_t *bits[3];   /* of each axis: [z][y][word of 64 cells along x] */
    /* The upper bit of the surface's windings around a cell modulo 4, along z; the lower one is
     * that of bits. */
    uint64_t *windings;
} flips;

/* Flips the cells behind a place along an axis; cell: in which column; way: 1 or -1 winding. */
static void flip(const flips *f, int axis, double at, const int64_t cell[3], int way) {
    int64_t from[3] = {cell[0], cell[1], cell[2]};
    const int64_t first = first_at(at, axis);
    from[axis] = first > f->box.begin[axis] ? first : f->box.begin[axis];
    if (from[axis] >= f->box.end[axis])
        return;
    const int64_t x = from[0] - f->box.begin[0];
    const int64_t row = from[1] - f->box.begin[1] +
                        wabe_box_extent(f->box, 1) * (from[2] - f->box.begin[2]);
    const int64_t word = row * f->words + x / 64;
    const uint64_t bit = (uint64_t)1 << x % 64, before = f->bits[axis][word];
    f->bits[axis][word] = before ^ bit;
    if (axis == 2) /* the carry of one winding more or fewer */
        f->windings[word] ^= (way > 0 ? before : ~before) & bit;
}

/* A triangle seen along an axis: a row of columns along u, rows follow each other along v, and w is
 * the axis. first: as first_at of each corner. */
typedef struct {
    const float *corners;
    const int64_t (*first)[3];
    int u, v, w;
} view;

/* Interpolates, never beyond either end, so that no cell outside of a triangle's bounds is flipped.
 */
static double between(double a, double b, double share) {
    const double low = a < b ? a : b, high = a < b ? b : a, at = a + share * (b - a);
    return at < low ? low : at > high ? high : at;
}

/* Where an edge crosses a row: places along u and w. Both triangles at the edge find the same
 * numbers, since its lower end comes first. */
static void cross(const view *t, int low, int high, int64_t row, double out[2]) {
    const float *a = t->corners + 3 * low, *b = t->corners + 3 * high;
    const double share = (point_of(row, t->v) - a[t->v]) / ((double)b[t->v] - a[t->v]);
    out[0] = between(a[t->u], b[t->u], share);
    out[1] = between(a[t->w], b[t->w], share);
}

static void flip_row(const flips *f, const view *t, int64_t row) {
    double ends[2][2];
    bool rises[2] = {false, false};
    int count = 0;
    for (int i = 0; i < 3; i++) { /* none or two of the edges cross the row */
        const int j = (i + 1) % 3;
        const bool below = t->first[i][t->v] <= row;
        if (below == (t->first[j][t->v] <= row))
            continue;
        rises[count] = below;
        cross(t, below ? i : j, below ? j : i, row, ends[count++]);
    }
    if (count < 2)
        return;
    const int left = ends[0][0] > ends[1][0];
    const double *a = ends[left], *b = ends[!left];
    int64_t cell[3], begin = first_at(a[0], t->u), end = first_at(b[0], t->u);
    begin = begin > f->box.begin[t->u] ? begin : f->box.begin[t->u];
    end = end < f->box.end[t->u] ? end : f->box.end[t->u];
    cell[t->v] = row;
    cell[t->w] = 0;
    for (cell[t->u] = begin; cell[t->u] < end; cell[t->u]++) {
        const double share = (point_of(cell[t->u], t->u) - a[0]) / (b[0] - a[0]);
        flip(f, t->w, between(a[1], b[1], share), cell, rises[left] ? 1 : -1);
    }
}

/* The cells along each axis whose points a triangle can enclose; first: as first_at of each corner.
 */
static wabe_box span_of(const float *corners, int64_t first[3][3]) {
    wabe_box span;
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < 3; i++) {
            first[i][d] = first_at(corners[3 * i + d], d);
            span.begin[d] = i == 0 || first[i][d] < span.begin[d] ? first[i][d] : span.begin[d];
            span.end[d] = i == 0 || first[i][d] > span.end[d] ? first[i][d] : span.end[d];
        }
    }
    return span;
}

/* Can a triangle flip cells of a box along an axis? What lies behind the box does not. */
static bool flips_along(int axis, const wabe_box *span, const wabe_box *box) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return span->begin[u] < box->end[u] && span->end[u] > box->begin[u] &&
           span->begin[v] < box->end[v] && span->end[v] > box->begin[v] &&
           span->begin[axis] < box->end[axis];
}

static void flip_triangle(const flips *f, const float *corners) {
    int64_t first[3][3];
    const wabe_box span = span_of(corners, first);
    for (int w = 0; w < 3; w++) {
        if (!flips_along(w, &span, &f->box))
            continue;
        const view t = {corners, first, (w + 1) % 3, (w + 2) % 3, w};
        const wabe_box rows = wabe_box_intersect(span, f->box);
        for (int64_t row = rows.begin[t.v]; row < rows.end[t.v]; row++)
            flip_row(f, &t, row);
    }
}

/* ---- sums --------------------------------------------------------------------------- */

static void sum_along_x(const flips *f) {
    uint64_t *word = f->bits[0];
    for (int64_t row = 0; row < f->rows; row++) {
        uint64_t before = 0; /* all ones: the row is inside so far */
        for (int64_t i = 0; i < f->words; i++, word++) {
            for (int step = 1; step < 64; step *= 2)
                *word ^= *word << step;
            *word ^= before;
            before = *word >> 63 ? ~(uint64_t)0 : 0;
        }
    }
}

/* Words of a column are this far apart, as many as a row or a plane has. */
static void sum_along(uint64_t *bits, int64_t apart, int64_t count) {
    for (int64_t i = apart; i < count * apart; i++)
        bits[i] ^= bits[i - apart];
}

/* The same for numbers modulo 4, of a lower and an upper bit. */
static void sum_windings(uint64_t *low, uint64_t *high, int64_t apart, int64_t count) {
    for (int64_t i = apart; i < count * apart; i++) {
        high[i] ^= high[i - apart] ^ (low[i] & low[i - apart]);
        low[i] ^= low[i - apart];
    }
}

static void sum_all(const flips *f) {
    const int64_t ny = wabe_box_extent(f->box, 1), nz = wabe_box_extent(f->box, 2);
    sum_along_x(f);
    for (int64_t z = 0; z < nz; z++)
        sum_along(f->bits[1] + z * ny * f->words, f->words, ny);
    sum_windings(f->bits[2], f->windings, ny * f->words, nz);
}

/* Outvotes one axis by two: the first one's bits become the result. Words end with cells outside
 * the box. */
static void vote(const flips *f, wabe_mesh_count *count) {
    const int rest = (int)(wabe_box_extent(f->box, 0) % 64);
    const uint64_t last = rest ? ((uint64_t)1 << rest) - 1 : ~(uint64_t)0;
    for (int64_t i = 0; i < f->rows * f->words; i++) {
        const uint64_t a = f->bits[0][i], b = f->bits[1][i], c = f->bits[2][i];
        const uint64_t mask = i % f->words == f->words - 1 ? last : ~(uint64_t)0;
        const uint64_t inside = ((a & b) | (c & (a | b))) & mask, some = (a | b | c) & mask;
        f->bits[0][i] = inside;
        const uint64_t twice = f->windings[i] & ~c & ~inside & mask;
        count->inside += __builtin_popcountll(inside);
        count->twice += __builtin_popcountll(twice);
        count->some += __builtin_popcountll(some);
        count->doubt += __builtin_popcountll(some & ~(a & b & c));
    }
}

/* ---- cells -------------------------------------------------------------------------- */

static void copy(const flips *f, wabe_box box, uint8_t *inside) {
    const uint64_t *words = f->bits[0];
    for (int64_t z = f->box.begin[2]; z < f->box.end[2]; z++)
        for (int64_t y = f->box.begin[1]; y < f->box.end[1]; y++, words += f->words) {
            uint8_t *row = inside + wabe_box_place(box, f->box.begin[0], y, z);
            for (int64_t x = 0; x < wabe_box_extent(f->box, 0); x++)
                row[x] = words[x / 64] >> x % 64 & 1;
        }
}

static bool is_known(const wabe_mesh *mesh, wabe_box box) {
    bool known = mesh->part_count == 0;
    for (int i = 0; i < mesh->part_count && !known; i++)
        known = wabe_box_cells(wabe_box_intersect(box, mesh->parts[i])) == wabe_box_cells(box);
    return known;
}

wabe_status wabe_mesh_cells(const wabe_mesh *mesh, wabe_box box, uint8_t *inside,
                            wabe_mesh_count *count) {
    wabe_mesh_count none = {0};
    flips f = {.box = wabe_box_intersect(box, wabe_mesh_box(mesh))};
    if (inside)
        memset(inside, 0, (size_t)wabe_box_cells(box));
    if (wabe_box_is_empty(f.box))
        return WABE_OK;
    WABE_CHECK(is_known(mesh, f.box), WABE_INTERNAL, "cells of a mesh that was trimmed there");
    f.words = (wabe_box_extent(f.box, 0) + 63) / 64;
    f.rows = wabe_box_extent(f.box, 1) * wabe_box_extent(f.box, 2);
    uint64_t *bits = calloc((size_t)(4 * f.rows * f.words), sizeof *bits);
    WABE_CHECK(bits, WABE_MEMORY, "no memory for the cells of a mesh");
    for (int d = 0; d < 3; d++)
        f.bits[d] = bits + d * f.rows * f.words;
    f.windings = bits + 3 * f.rows * f.words;
    for (int64_t i = 0; i < mesh->count; i++)
        flip_triangle(&f, mesh->corners + 9 * i);
    sum_all(&f);
    vote(&f, count ? count : &none);
    if (inside)
        copy(&f, box, inside);
    free(bits);
    return WABE_OK;
}

static wabe_status read_raster(const void *source, wabe_box box, uint8_t *solid) {
    return wabe_mesh_cells(source, box, solid, NULL);
}

static wabe_status read_raster_around(const void *source, wabe_box box, uint8_t *solid) {
    WABE_TRY(wabe_mesh_cells(source, box, solid, NULL));
    for (int64_t i = 0; i < wabe_box_cells(box); i++)
        solid[i] = !solid[i];
    return WABE_OK;
}

static double cut(const void *source, const int64_t cell[3], const int way[3]) {
    const wabe_mesh *mesh = source;
    double from[3], to[3]; /* where cells are tested for being inside */
    for (int d = 0; d < 3; d++) {
        to[d] = point_of(cell[d], d);
        from[d] = to[d] - way[d];
    }
    const double first = mesh->tree ? wabe_triangle_tree_first(mesh->tree, from, to) : INFINITY;
    return isfinite(first) ? first : NAN;
}

wabe_raster wabe_mesh_raster(const wabe_mesh *mesh, int condition) {
    return (wabe_raster){.box = wabe_mesh_box(mesh),
                         .read = read_raster,
                         .cut = cut,
                         .source = mesh,
                         .condition = condition};
}

wabe_raster wabe_mesh_raster_around(const wabe_mesh *mesh, wabe_box domain, int condition) {
    return (wabe_raster){.box = domain,
                         .read = read_raster_around,
                         .cut = cut,
                         .source = mesh,
                         .condition = condition};
}

/* ---- trimming ----------------------------------------------------------------------- */

/* Does the box around a triangle meet that around a part's cells, and the links into them? */
static bool lies_in(const float *corners, int part_count, const wabe_box parts[]) {
    bool found = false;
    for (int i = 0; i < part_count; i++) {
        bool meets = true;
        for (int d = 0; d < 3; d++) {
            const float *c = corners + d;
            meets &= fmax(fmax(c[0], c[3]), c[6]) >= (double)parts[i].begin[d] - 0.5 - beside[d] &&
                     fmin(fmin(c[0], c[3]), c[6]) <= (double)parts[i].end[d] + 0.5 + beside[d];
        }
        found |= meets;
    }
    return found;
}

static bool is_needed(const float *corners, int part_count, const wabe_box parts[]) {
    int64_t first[3][3];
    const wabe_box span = span_of(corners, first);
    for (int i = 0; i < part_count; i++)
        for (int axis = 0; axis < 3; axis++)
            if (flips_along(axis, &span, &parts[i]))
                return true;
    return lies_in(corners, part_count, parts);
}

void wabe_mesh_trim(wabe_mesh *mesh, int part_count, const wabe_box parts[]) {
    int64_t kept = 0;
    for (int64_t i = 0; i < mesh->count; i++)
        if (is_needed(mesh->corners + 9 * i, part_count, parts))
            memmove(mesh->corners + 9 * kept++, mesh->corners + 9 * i, 9 * sizeof *mesh->corners);
    float *smaller = realloc(mesh->corners, (size_t)(9 * kept + 1) * sizeof *smaller);
    mesh->corners = smaller ? smaller : mesh->corners;
    mesh->count = kept;
    mesh->part_count = part_count;
    memcpy(mesh->parts, parts, (size_t)part_count * sizeof *parts);
}

wabe_status wabe_mesh_find_surface(wabe_mesh *mesh) {
    return wabe_triangle_tree_create(mesh->count, mesh->corners, &mesh->tree);
}
