/* Vector kernels of stencil sweeps, made from functions of a cell (sweeps/cell/stencil.h): rows of
 * cells, with special cases at walls and ends. For files that are compiled once per flavour. */
#pragma once

#include "kernels_cpu/vector.h"

#include "kernels_cpu/rows.h"
#include "sweeps/cell/stencil.h"

#include <string.h>

enum { WABE_ROWS_AROUND = 2 * WABE_STENCIL_LAYERS + 1 };

/* Vectors of the other types with the same number of lanes. */
typedef double wabe_wide_vector __attribute__((vector_size(WABE_LANES * sizeof(double))));
typedef float wabe_narrow_vector __attribute__((vector_size(WABE_LANES * sizeof(float))));

/* A row around the present one: position of its cell 0, and what walls in between make of its
 * numbers. */
typedef struct {
    int64_t place;
    wabe_reflection image;
    bool walled;
} wabe_row_beside;

/* By plane and row around the present one, from the furthest below on. */
typedef wabe_row_beside wabe_rows_beside[WABE_ROWS_AROUND][WABE_ROWS_AROUND];

/* What surrounds a run of cells. LINES: plain memory, and the run consists of whole cache lines.
 * PLAIN: plain memory. ENDS: walls, or the slab's other end, at the row's ends. BESIDE: these
 * beside the row. CORNERS: both. */
typedef enum {
    WABE_RUN_LINES,
    WABE_RUN_PLAIN,
    WABE_RUN_ENDS,
    WABE_RUN_BESIDE,
    WABE_RUN_CORNERS,
    WABE_RUN_KINDS
} wabe_run_kind;

/* The cells whose lanes are computed together, from cell x of a row on. */
typedef struct {
    const wabe_grid_args *grid;
    const wabe_rows_beside *beside; /* by access; NULL: the rows beside are plain memory */
    wabe_run_kind kind;
    unsigned wide, narrow; /* accesses of these types, whatever the kernel's type */
    bool column;           /* reads along y stop at the column's ends */
    bool much;             /* the function reads so much that it calls wabe_at_edge */
    int64_t x, y, z;
    wabe_vector *carry; /* of a strip's vectors, from the one of cell carry_begin on */
    int64_t carry_begin;
    /* By access: the row's cell 0, and its strides. They are copied here so that compilers know
     * that stores do not change them. */
    const void *own[WABE_GRID_ACCESSES_MAX];
    int64_t pitch[WABE_GRID_ACCESSES_MAX], plane[WABE_GRID_ACCESSES_MAX];
    int64_t stride[WABE_GRID_ACCESSES_MAX];
} wabe_cell;

/* What a function that is called gets of a cell. */
typedef wabe_cell wabe_cell_copy;
WABE_INLINE wabe_cell_copy wabe_copy_cell(const wabe_cell *c) { return *c; }
WABE_INLINE wabe_cell wabe_copied_cell(wabe_cell_copy copy) { return copy; }

WABE_INLINE bool wabe_is_lowest(const wabe_cell *c) { return c->y == 0; }
WABE_INLINE bool wabe_is_highest(const wabe_cell *c) { return c->y == c->grid->cells[1] - 1; }

WABE_INLINE bool wabe_is_wide(const wabe_cell *c, int access) {
    const bool own = sizeof(wabe_scalar) == sizeof(double);
    return own ? !(c->narrow >> access & 1) : c->wide >> access & 1;
}

/* Loads lanes of a field from this position on. */
WABE_INLINE wabe_vector wabe_load_lanes(const wabe_cell *c, int access, const void *data,
                                        int64_t place) {
    if (wabe_is_wide(c, access) == (sizeof(wabe_scalar) == sizeof(double)))
        return WABE_LOAD((const wabe_scalar *)data + place);
    if (wabe_is_wide(c, access)) {
        wabe_wide_vector wide;
        memcpy(&wide, (const double *)data + place, sizeof wide);
        return __builtin_convertvector(wide, wabe_vector);
    }
    wabe_narrow_vector narrow;
    memcpy(&narrow, (const float *)data + place, sizeof narrow);
    return __builtin_convertvector(narrow, wabe_vector);
}

/* What walls make of a number of component q. */
WABE_INLINE wabe_vector wabe_behind_wall(const wabe_reflection *image, int q, wabe_vector value) {
    if (wabe_reflection_is_odd(image, q))
        value = -value;
    if (wabe_reflection_is_plain(image))
        return value;
    return WABE_FMA(WABE_SET1((wabe_scalar)image->factor), value,
                    WABE_SET1((wabe_scalar)image->offset));
}

/* One number at any cell, also behind walls; without c->beside its row is plain memory. */
WABE_INLINE wabe_scalar wabe_number_at(const wabe_cell *c, int access, int q, int64_t x, int dy,
                                       int dz) {
    const wabe_grid_field *f = &c->grid->fields[access];
    wabe_reflection image = wabe_reflection_of_nothing();
    int64_t y = c->y + dy, z = c->z + dz;
    if (c->beside) {
        z = wabe_grid_mirror(c->grid, f, 2, z, &image);
        y = wabe_grid_mirror(c->grid, f, 1, y, &image);
    }
    x = wabe_grid_mirror(c->grid, f, 0, x, &image);
    const int64_t place = wabe_grid_place(f, q, x, y, z);
    const wabe_scalar value = WABE_GRID_NUMBER(wabe_scalar, wabe_is_wide(c, access), f, place);
    if (image.odd == 0 && wabe_reflection_is_plain(&image))
        return value;
    return wabe_behind_wall(&image, q, WABE_SET1(value))[0];
}

/* Lanes of interleaved components, one by one. */
WABE_NOINLINE wabe_vector wabe_gather(const wabe_cell *c, int access, int q, int dx, int dy,
                                      int dz) {
    wabe_vector v = WABE_SET1((wabe_scalar)0);
    for (int lane = 0; lane < WABE_LANES && c->x + lane <= c->grid->cells[0]; lane++)
        v[lane] = wabe_number_at(c, access, q, c->x + dx + lane, dy, dz);
    return v;
}

/* Lanes of a row beside the present one; place: the position in the row. */
WABE_INLINE wabe_vector wabe_load_beside(const wabe_cell *c, int access, int q, int64_t place,
                                         int dy, int dz) {
    const wabe_row_beside *row =
        &c->beside[access][dz + WABE_STENCIL_LAYERS][dy + WABE_STENCIL_LAYERS];
    wabe_vector v = wabe_load_lanes(c, access, c->grid->fields[access].data, place + row->place);
    if (row->walled)
        v = wabe_behind_wall(&row->image, q, v);
    return v;
}

/* One number, for the few lanes that lie beyond a row's ends. */
WABE_NOINLINE wabe_scalar wabe_number_beyond(const wabe_cell *c, int access, int q, int64_t x,
                                             int dy, int dz) {
    return wabe_number_at(c, access, q, x, dy, dz);
}

/* Corrects the lanes that lie beyond the row's ends. Lanes are set by comparisons, since a vector
 * that is stored in parts waits when it is loaded. */
WABE_INLINE wabe_vector wabe_mend_ends(const wabe_cell *c, int access, int q, int dx, int dy,
                                       int dz, wabe_vector v) {
    const int64_t n = c->grid->cells[0], first = c->x + dx;
    for (int lane = 0; first + lane < 0; lane++)
        v = wabe_set_lane(v, lane, wabe_number_beyond(c, access, q, first + lane, dy, dz));
    for (int64_t lane = n - first > 0 ? n - first : 0; lane < WABE_LANES && c->x + lane <= n;
         lane++)
        v = wabe_set_lane(v, (int)lane, wabe_number_beyond(c, access, q, first + lane, dy, dz));
    return v;
}

/* Do lanes of a run at the row's ends lie beyond these? */
WABE_INLINE bool wabe_is_beyond(const wabe_cell *c, int access, int dx) {
    const int64_t first = c->x + dx;
    return (first < 0 || first + WABE_LANES > c->grid->cells[0]) && !c->grid->fields[access].ghosts;
}

/* Of runs that are neither LINES nor PLAIN. */
WABE_INLINE wabe_vector wabe_at_any_edge(const wabe_cell *c, int access, int q, int dx, int dy,
                                         int dz) {
    const int64_t at = q * c->stride[access] + c->x + dx;
    const int64_t plain = at + dy * c->pitch[access] + dz * c->plane[access];
    if (c->kind != WABE_RUN_ENDS && c->grid->fields[access].group)
        return wabe_gather(c, access, q, dx, dy, dz);
    wabe_vector v;
    if (c->kind == WABE_RUN_ENDS)
        v = wabe_load_lanes(c, access, c->own[access], plain);
    else
        v = wabe_load_beside(c, access, q, at, dy, dz);
    if (c->kind != WABE_RUN_BESIDE && wabe_is_beyond(c, access, dx))
        v = wabe_mend_ends(c, access, q, dx, dy, dz, v);
    return v;
}

/* The same of sweeps that read much: to inline it would take most of their compile time. */
WABE_NOINLINE wabe_vector wabe_at_edge(const wabe_cell *c, int access, int q, int dx, int dy,
                                       int dz) {
    return wabe_at_any_edge(c, access, q, dx, dy, dz);
}

#define WABE_AT wabe_at
WABE_INLINE wabe_vector wabe_at(const wabe_cell *c, int access, int q, int dx, int dy, int dz) {
    dy = c->column ? wabe_grid_stop(c->grid, c->y, dy) : dy;
    if (c->kind > WABE_RUN_PLAIN)
        return c->much ? wabe_at_edge(c, access, q, dx, dy, dz)
                       : wabe_at_any_edge(c, access, q, dx, dy, dz);
    const int64_t at = q * c->stride[access] + c->x + dx;
    return wabe_load_lanes(c, access, c->own[access],
                           at + dy * c->pitch[access] + dz * c->plane[access]);
}

static inline int64_t wabe_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t wabe_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- numbers of other grids ------------------------------------------------------------ */

/* Where the cells of lanes are in a row of a finer or a coarser grid. Those of lanes beyond the row
 * are that of its last cell. */
typedef struct {
    int64_t at[WABE_LANES];
} wabe_places;

WABE_INLINE int64_t wabe_lane_cell(const wabe_cell *c, int lane) {
    return wabe_min(c->x + lane, c->grid->cells[0] - 1);
}

/* Numbers of component q at these places of a row. */
WABE_INLINE wabe_vector wabe_load_places(const wabe_cell *c, int access, int q, int64_t y,
                                         int64_t z, const wabe_places *places) {
    const wabe_grid_field *f = &c->grid->fields[access];
    const int64_t row = q * f->stride + y * f->pitch + z * f->plane;
    wabe_vector v = WABE_SET1((wabe_scalar)0);
    for (int lane = 0; lane < WABE_LANES; lane++)
        v[lane] = WABE_GRID_NUMBER(wabe_scalar, wabe_is_wide(c, access), f, row + places->at[lane]);
    return v;
}

#define WABE_AT_CHILD wabe_at_child
WABE_INLINE wabe_vector wabe_at_child(const wabe_cell *c, int access, int q, int i, int j, int k) {
    const wabe_grid_field *f = &c->grid->fields[access];
    wabe_places places;
    for (int lane = 0; lane < WABE_LANES; lane++)
        places.at[lane] = wabe_grid_child(f, 0, wabe_lane_cell(c, lane), i);
    return wabe_load_places(c, access, q, wabe_grid_child(f, 1, c->y, j),
                            wabe_grid_child(f, 2, c->z, k), &places);
}

#define WABE_AT_PARENT wabe_at_parent
WABE_INLINE wabe_vector wabe_at_parent(const wabe_cell *c, int access, int q) {
    const wabe_grid_field *f = &c->grid->fields[access];
    wabe_places places;
    for (int lane = 0; lane < WABE_LANES; lane++)
        places.at[lane] = wabe_grid_parent(f, 0, wabe_lane_cell(c, lane));
    return wabe_load_places(c, access, q, wabe_grid_parent(f, 1, c->y),
                            wabe_grid_parent(f, 2, c->z), &places);
}

/* ---- what a row writes, and leaves for reductions ----------------------------------- */

/* Stores the lanes of the row to a field of either type. */
WABE_INLINE
void wabe_put_lanes(const wabe_cell *c, int access, int q, wabe_row row, wabe_vector v) {
    const wabe_grid_field *f = &c->grid->fields[access];
    const int64_t place = q * f->stride + row.y * f->pitch + row.z * f->plane;
    if (c->kind == WABE_RUN_LINES &&
        wabe_is_wide(c, access) == (sizeof(wabe_scalar) == sizeof(double))) {
        WABE_STREAM((wabe_scalar *)c->own[access] + q * c->stride[access] + c->x, v);
        return;
    }
    if (!f->group && wabe_is_wide(c, access) == (sizeof(wabe_scalar) == sizeof(double))) {
        wabe_store_of_row((wabe_scalar *)f->data + place, c->x, v, row);
        return;
    }
    const unsigned lanes = wabe_lanes_of_row(row, c->x);
    for (int lane = 0; lane < WABE_LANES; lane++) {
        const int64_t at = wabe_grid_place(f, q, c->x + lane, row.y, row.z);
        if (!(lanes >> lane & 1))
            continue;
        if (wabe_is_wide(c, access))
            ((double *)f->data)[at] = (double)v[lane];
        else
            ((float *)f->data)[at] = (float)v[lane];
    }
}

/* Partial results of the reductions, lane by lane. */
typedef struct {
    wabe_wide_vector bins[WABE_GRID_REDUCED_MAX][WABE_BINS];
} wabe_reduced;

WABE_INLINE wabe_wide_vector wabe_lower(wabe_wide_vector a, wabe_wide_vector b) {
    for (int lane = 0; lane < WABE_LANES; lane++)
        a[lane] = b[lane] < a[lane] ? b[lane] : a[lane];
    return a;
}

WABE_INLINE void wabe_reduce_lanes(const wabe_cell *c, int i, wabe_row row, wabe_vector v,
                                   wabe_reduced *r) {
    const wabe_reduction operation = c->grid->reductions[i].operation;
    const unsigned lanes = wabe_lanes_of_row(row, c->x);
    wabe_wide_vector wide = __builtin_convertvector(v, wabe_wide_vector);
    for (int lane = 0; lane < WABE_LANES && lanes != (1u << WABE_LANES) - 1u; lane++)
        wide[lane] = lanes >> lane & 1 ? wide[lane] : wabe_reduction_neutral(operation);
    if (operation == WABE_REDUCE_SUM)
        WABE_BINS_ADD(r->bins[i], wide);
    else if (operation == WABE_REDUCE_MIN)
        r->bins[i][0] = wabe_lower(r->bins[i][0], wide);
    else
        r->bins[i][0] = -wabe_lower(-r->bins[i][0], -wide);
}

static inline void wabe_reduced_begin(const wabe_grid_args *g, int count, wabe_reduced *r) {
    for (int i = 0; i < count; i++)
        for (int bin = 0; bin < WABE_BINS; bin++)
            for (int lane = 0; lane < WABE_LANES; lane++)
                r->bins[i][bin][lane] = wabe_reduction_neutral(g->reductions[i].operation);
}

/* Atomic, since other threads reduce into the same place. */
static void wabe_reduce_into(double *place, wabe_reduction operation, double value) {
    double is, wanted;
    __atomic_load(place, &is, __ATOMIC_RELAXED);
    do
        wanted = wabe_reduce_two(operation, is, value);
    while (
        !__atomic_compare_exchange(place, &is, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static inline void wabe_reduced_end(const wabe_grid_args *g, int count, const wabe_reduced *r) {
    for (int i = 0; i < count; i++) {
        const wabe_grid_reduction *to = &g->reductions[i];
        for (int bin = 0; bin < WABE_BINS; bin++) {
            double value = wabe_reduction_neutral(to->operation);
            for (int lane = 0; lane < WABE_LANES; lane++)
                value = wabe_reduce_two(to->operation, value, r->bins[i][bin][lane]);
            wabe_reduce_into(&to->slots[g->pass % WABE_REDUCTION_SLOTS][0][bin], to->operation,
                             value);
        }
    }
}

/* Sets the slots of the next pass to the neutral element. */
static inline void wabe_reductions_reset(const wabe_grid_args *g, int count) {
    for (int i = 0; i < count; i++) {
        const wabe_grid_reduction *r = &g->reductions[i];
        double *slot = &r->slots[(g->pass + 1) % WABE_REDUCTION_SLOTS][0][0];
        for (int k = 0; k < WABE_REDUCTION_PLACES * WABE_BINS; k++)
            slot[k] = wabe_reduction_neutral(r->operation);
    }
}

/* ---- rows --------------------------------------------------------------------------- */

/* A sweep's loop over a run of cells, one for each kind. */
typedef void wabe_run_function(const void *args, wabe_cell *c, wabe_row row, int64_t end,
                               wabe_reduced *reduced);

/* Sets the row's cells 0 and strides. */
static void wabe_point(const wabe_grid_args *g, int accesses, wabe_cell *c) {
    for (int i = 0; i < accesses; i++) {
        const wabe_grid_field *f = &g->fields[i];
        const int64_t size = f->is_f64 ? sizeof(double) : sizeof(float);
        c->own[i] = (const char *)f->data + (c->y * f->pitch + c->z * f->plane) * size;
        c->pitch[i] = f->pitch, c->plane[i] = f->plane, c->stride[i] = f->stride;
    }
}

static inline void wabe_find_rows(const wabe_cell *c, int access, wabe_rows_beside rows) {
    const wabe_grid_field *f = &c->grid->fields[access];
    const int layers = c->grid->layers, along_y = c->grid->column ? WABE_STENCIL_LAYERS : layers;
    for (int dz = -layers; dz <= layers; dz++)
        for (int dy = -along_y; dy <= along_y; dy++) {
            wabe_reflection image = wabe_reflection_of_nothing();
            const int64_t z = wabe_grid_mirror(c->grid, f, 2, c->z + dz, &image);
            const int64_t y = wabe_grid_mirror(c->grid, f, 1, c->y + dy, &image);
            rows[dz + WABE_STENCIL_LAYERS][dy + WABE_STENCIL_LAYERS] =
                (wabe_row_beside){.place = y * f->pitch + z * f->plane,
                                  .image = image,
                                  .walled = image.odd != 0 || !wabe_reflection_is_plain(&image)};
        }
}

/* Works on the row up to cell end. */
WABE_INLINE void wabe_do_run(wabe_run_function *const runs[WABE_RUN_KINDS], wabe_run_kind kind,
                             wabe_cell *c, wabe_row row, int64_t end, wabe_reduced *reduced) {
    c->kind = kind;
    if (c->x < end)
        runs[kind](c->grid, c, row, end, reduced);
}

/* A row: its ends where they see a wall or the slab's other end, and in between whole cache lines,
 * and partial ones. carry: of a march; or NULL. */
static inline void wabe_do_row(const wabe_grid_args *g, wabe_row row,
                               wabe_run_function *const runs[WABE_RUN_KINDS], wabe_vector *carry,
                               wabe_reduced *reduced) {
    const bool ends = !g->filled &&
                      (g->sides[0] != WABE_SIDE_NEIGHBOUR || g->sides[1] != WABE_SIDE_NEIGHBOUR);
    const bool beside = !g->filled && (g->grouped || wabe_grid_is_edge(g, 1, row.y, 1) ||
                                       wabe_grid_is_edge(g, 2, row.z, 1));
    const wabe_run_kind part = beside ? WABE_RUN_BESIDE : WABE_RUN_PLAIN;
    const wabe_run_kind end = beside ? WABE_RUN_CORNERS : WABE_RUN_ENDS;
    wabe_rows_beside rows[WABE_GRID_ACCESSES_MAX];
    wabe_cell c;
    c.grid = g, c.beside = beside ? rows : NULL, c.y = row.y, c.z = row.z;
    c.x = row.begin / WABE_LANES * WABE_LANES;
    c.column = c.much = false, c.carry = carry, c.carry_begin = c.x;
    wabe_point(g, g->accesses, &c);
    for (int i = 0; i < g->accesses && beside; i++)
        if (!g->fields[i].group)
            wabe_find_rows(&c, i, rows[i]);
    int64_t low = c.x, high = row.end; /* between the ends */
    if (ends && low < g->layers)
        low = (g->layers + WABE_LANES - 1) / WABE_LANES * WABE_LANES;
    if (ends && high > g->cells[0] - g->layers)
        high = wabe_max((g->cells[0] - g->layers) / WABE_LANES * WABE_LANES, low);
    wabe_do_run(runs, end, &c, row, wabe_min(low, row.end), reduced);
    wabe_do_run(runs, part, &c, row, wabe_min(wabe_lines_begin(row), high), reduced);
    if (!beside)
        wabe_do_run(runs, WABE_RUN_LINES, &c, row,
                    wabe_min(wabe_lines_end(row), high / WABE_LINE * WABE_LINE), reduced);
    wabe_do_run(runs, part, &c, row, wabe_min(high, row.end), reduced);
    wabe_do_run(runs, end, &c, row, row.end, reduced);
}

/* Stores the numbers that the function of a cell sets, in the order of the fields written. */
WABE_INLINE void wabe_put_all(const wabe_cell *c, wabe_row row, const wabe_vector *out, int count) {
    if (count == 1) {
        wabe_put_lanes(c, 0, 0, row, out[0]);
        return;
    }
    for (int access = 0, i = 0; i < count; access++)
        for (int q = 0; q < c->grid->fields[access].components; q++)
            wabe_put_lanes(c, access, q, row, out[i++]);
}

/* Prefetches the memory of access 1, which most sweeps read first, for the row after the next. */
WABE_INLINE void wabe_ask_ahead(const wabe_cell *c) {
    const int64_t ahead = c->plane[1] + 2 * c->pitch[1] + c->x;
    WABE_PREFETCH((const char *)c->own[1] + ahead * (int64_t)sizeof(wabe_scalar));
}

/* Runs of kind_ alone, or, for WABE_RUN_KINDS, of any kind of edges: these are few, and share code.
 */
#define WABE_STENCIL_RUN(name, run, kind_, numbers, wide_, narrow_, reductions, much_)             \
    static void name##_##run(const void *args, wabe_cell *cell, wabe_row row, int64_t end,         \
                             wabe_reduced *reduced) {                                              \
        wabe_cell c = *cell;                                                                       \
        c.wide = wide_, c.narrow = narrow_, c.much = much_;                                        \
        if (kind_ <= WABE_RUN_PLAIN)                                                               \
            c.kind = kind_;                                                                        \
        for (; c.x < end; c.x += WABE_LANES) {                                                     \
            if (kind_ == WABE_RUN_LINES)                                                           \
                wabe_ask_ahead(&c);                                                                \
            wabe_vector out[numbers], left[(reductions) + 1];                                      \
            name##_call(args, &c, out, left);                                                      \
            wabe_put_all(&c, row, out, numbers);                                                   \
            for (int i = 0; i < (reductions); i++)                                                 \
                wabe_reduce_lanes(&c, i, row, left[i], reduced);                                   \
        }                                                                                          \
        cell->x = c.x;                                                                             \
    }

/* Defines the runs of a row of a list (sweeps/cell/stencil.h). */
#define WABE_STENCIL_RUNS(name, numbers, wide, narrow, reductions, much)                           \
    WABE_STENCIL_RUN(name, lines, WABE_RUN_LINES, numbers, wide, narrow, reductions, much)         \
    WABE_STENCIL_RUN(name, plain, WABE_RUN_PLAIN, numbers, wide, narrow, reductions, much)         \
    WABE_STENCIL_RUN(name, edges, WABE_RUN_KINDS, numbers, wide, narrow, reductions, much)         \
    static wabe_run_function *const name##_runs[WABE_RUN_KINDS] = {name##_lines, name##_plain,     \
                                                                   name##_edges, name##_edges,     \
                                                                   name##_edges};

/* Defines the kernel of a row of a list of cell sweeps. */
#define WABE_STENCIL_KERNEL(name, numbers, wide, narrow, reductions, moved, more, flops)           \
    WABE_INLINE void name##_call(const void *args, const wabe_cell *c, wabe_vector out[],          \
                                 wabe_vector left[]) {                                             \
        wabe_##name##_cell(args, c, out, left);                                                    \
    }                                                                                              \
    WABE_STENCIL_RUNS(name, numbers, wide, narrow, reductions,                                     \
                      (moved) > 8 || ((moved) > 4 && (flops) > 300))                               \
    void WABE_STENCIL_JOIN(wabe_##name, WABE_FLAVOUR)(const wabe_##name##_args *a, int64_t begin,  \
                                                      int64_t end) {                               \
        const wabe_grid_args *g = (const wabe_grid_args *)a;                                       \
        wabe_reduced reduced;                                                                      \
        wabe_reduced_begin(g, reductions, &reduced);                                               \
        if (begin == 0)                                                                            \
            wabe_reductions_reset(g, reductions);                                                  \
        for (int64_t item = begin; item < end; item++)                                             \
            wabe_do_row(g, wabe_row_of(g, item), name##_runs, NULL, &reduced);                     \
        wabe_reduced_end(g, reductions, &reduced);                                                 \
        WABE_FENCE();                                                                              \
    }

/* Marches along the columns of a strip, or does the cells of a row. */
WABE_INLINE void wabe_do_columns(const wabe_grid_args *g, int64_t item, int direction, int carried,
                                 wabe_run_function *const runs[WABE_RUN_KINDS],
                                 wabe_reduced *reduced) {
    enum { NUMBERS = WABE_STRIP / WABE_LANES * WABE_CARRIED_MAX };
    if (direction == 0) {
        wabe_do_row(g, wabe_row_of(g, item), runs, NULL, reduced);
        return;
    }
    const wabe_row_box *box;
    wabe_row row = wabe_strip_of(g, item, &box);
    wabe_vector carry[NUMBERS];
    for (int i = 0; i < WABE_STRIP / WABE_LANES * carried; i++)
        carry[i] = WABE_SET1((wabe_scalar)0);
    for (int64_t i = box->begin[1]; i < box->end[1]; i++) {
        row.y = direction > 0 ? i : box->begin[1] + box->end[1] - 1 - i;
        wabe_do_row(g, row, runs, carry, reduced);
    }
}

/* Defines the kernel of a row of a list of column sweeps. */
#define WABE_COLUMN_KERNEL(name, direction, carried, numbers, wide, narrow, reductions, moved,     \
                           more, flops)                                                            \
    WABE_INLINE void name##_call(const void *args, wabe_cell *c, wabe_vector out[],                \
                                 wabe_vector left[]) {                                             \
        c->column = true;                                                                          \
        wabe_##name##_cell(args, c,                                                                \
                           (direction) == 0                                                        \
                               ? NULL                                                              \
                               : c->carry + (c->x - c->carry_begin) / WABE_LANES * (carried),      \
                           out, left);                                                             \
    }                                                                                              \
    _Static_assert((carried) <= WABE_CARRIED_MAX, "a strip has room for what is carried");         \
    WABE_STENCIL_RUNS(name, numbers, wide, narrow, reductions, true)                               \
    void WABE_STENCIL_JOIN(wabe_##name, WABE_FLAVOUR)(const wabe_##name##_args *a, int64_t begin,  \
                                                      int64_t end) {                               \
        const wabe_grid_args *g = (const wabe_grid_args *)a;                                       \
        wabe_reduced reduced;                                                                      \
        wabe_reduced_begin(g, reductions, &reduced);                                               \
        if (begin == 0)                                                                            \
            wabe_reductions_reset(g, reductions);                                                  \
        for (int64_t item = begin; item < end; item++)                                             \
            wabe_do_columns(g, item, direction, carried, name##_runs, &reduced);                   \
        wabe_reduced_end(g, reductions, &reduced);                                                 \
        WABE_FENCE();                                                                              \
    }
