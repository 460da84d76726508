/* Kernels of stencil sweeps (sweeps/cell/stencil.h) for emulated devices: a plain loop. For files
 * that are compiled once per type. */
#pragma once

#include "kernels_gpu/stencil_cell.h"

/* Not atomic: emulated devices run sequentially. */
static inline void wabe_reduced_end(const wabe_grid_args *g, int count, const wabe_reduced *r) {
    for (int i = 0; i < count; i++)
        for (int bin = 0; bin < WABE_BINS; bin++) {
            double *place = &g->reductions[i].slots[g->pass % WABE_REDUCTION_SLOTS][0][bin];
            *place = wabe_reduce_two(g->reductions[i].operation, *place, r->bins[i][bin]);
        }
}

static inline void wabe_reductions_reset(const wabe_grid_args *g, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < WABE_REDUCTION_PLACES * WABE_BINS; k++)
            (&g->reductions[i].slots[(g->pass + 1) % WABE_REDUCTION_SLOTS][0][0])[k] =
                wabe_reduction_neutral(g->reductions[i].operation);
}

static inline void wabe_fill_all_ghosts(const wabe_grid_args *g) {
    const wabe_shell shell = wabe_shell_of(g);
    for (int i = 0; i < g->accesses; i++)
        for (unsigned cell = 0; cell < shell.cells && g->fields[i].fills; cell++)
            wabe_fill_ghost(g, &shell, cell, &g->fields[i]);
}

#define WABE_STENCIL_KERNEL(name, numbers, wide_, narrow_, reductions, moved, more, flops)         \
    void WABE_STENCIL_JOIN(wabe_emulated_##name, WABE_FLAVOUR)(const wabe_##name##_args *a,        \
                                                               int64_t begin, int64_t end) {       \
        const wabe_grid_args *g = (const wabe_grid_args *)a;                                       \
        wabe_reduced reduced;                                                                      \
        wabe_reduced_begin(g, reductions, &reduced);                                               \
        if (begin == 0) {                                                                          \
            wabe_reductions_reset(g, reductions);                                                  \
            wabe_fill_all_ghosts(g);                                                               \
        }                                                                                          \
        for (int64_t item = begin; item < end; item++) {                                           \
            const wabe_row row = wabe_row_of(g, item);                                             \
            wabe_cell c = {.grid = g, .wide = wide_, .narrow = narrow_, .y = row.y, .z = row.z};   \
            for (c.x = row.begin; c.x < row.end; c.x++) {                                          \
                wabe_real out[numbers], left[(reductions) + 1];                                    \
                c.edge = wabe_edge_of(g, c.x, c.y, c.z);                                           \
                wabe_point(&c);                                                                    \
                wabe_##name##_cell(a, &c, out, left);                                              \
                wabe_put_all(&c, out, numbers, WABE_BEGINS_##name);                                \
                wabe_reduce(g, reductions, left, &reduced);                                        \
            }                                                                                      \
        }                                                                                          \
        wabe_reduced_end(g, reductions, &reduced);                                                 \
    }

/* The same of a row of a list of column sweeps: cell by cell along each column, or in any order. */
#define WABE_COLUMN_KERNEL(name, direction, carried, numbers, wide_, narrow_, reductions, moved,   \
                           more, flops)                                                            \
    static void name##_do(const wabe_##name##_args *a, wabe_cell c, wabe_real carry[],             \
                          wabe_reduced *reduced) {                                                 \
        const wabe_grid_args *g = (const wabe_grid_args *)a;                                       \
        wabe_real out[numbers], left[(reductions) + 1];                                            \
        wabe_round round = {{0}, {0}};                                                             \
        c.edge = WABE_ROUND, c.round = &round, c.column = 1;                                       \
        if (wabe_column_is_general(g))                                                             \
            c.edge = WABE_ANY_EDGE;                                                                \
        else                                                                                       \
            wabe_column_look_round(g, &c, &round);                                                 \
        wabe_##name##_cell(a, &c, carry, out, left);                                               \
        wabe_put_column(&c, out, numbers);                                                         \
        wabe_reduce(g, reductions, left, reduced);                                                 \
    }                                                                                              \
    void WABE_STENCIL_JOIN(wabe_emulated_##name, WABE_FLAVOUR)(const wabe_##name##_args *a,        \
                                                               int64_t begin, int64_t end) {       \
        const wabe_grid_args *g = (const wabe_grid_args *)a;                                       \
        wabe_reduced reduced;                                                                      \
        wabe_reduced_begin(g, reductions, &reduced);                                               \
        if (begin == 0)                                                                            \
            wabe_reductions_reset(g, reductions);                                                  \
        for (int64_t item = begin; item < end; item++) {                                           \
            const wabe_row_box *box = NULL;                                                        \
            const wabe_row row = (direction) ? wabe_strip_of(g, item, &box)                        \
                                             : wabe_row_of(g, item);                               \
            const int64_t low = box ? box->begin[1] : row.y, high = box ? box->end[1] : row.y + 1; \
            wabe_cell c = {.grid = g, .wide = wide_, .narrow = narrow_, .z = row.z};               \
            for (c.x = row.begin; c.x < row.end; c.x++) {                                          \
                wabe_real carry[(carried) + 1] = {0};                                              \
                for (int64_t i = low; i < high; i++) {                                             \
                    c.y = (direction) < 0 ? low + high - 1 - i : i;                                \
                    name##_do(a, c, carry, &reduced);                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        wabe_reduced_end(g, reductions, &reduced);                                                 \
    }
