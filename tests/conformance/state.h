/* The populations that have left the cells of a slab, copied from the memory of its component. */
#pragma once

#include "core/device/memory.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/lattice/lbm.h"
#include "tests/conformance/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct {
    const wabe_lbm_slab *lbm;
    void *memory;         /* of the whole field */
    uint32_t *neighbours; /* of a list */
    uint32_t *slots;      /* of a list: for each cell of the dense layout */
} state_copy;

static inline size_t state_number_size(const wabe_lbm_slab *lbm) {
    return wabe_type_size(lbm->model.type);
}

static inline void *state_fetch(const wabe_lbm_slab *lbm, const void *from, size_t bytes) {
    void *memory = malloc(bytes);
    assert_non_null(memory);
    assert_int_equal(wabe_memory_read(lbm->component, lbm->timeline.streams[WABE_REGION_OUTER],
                                      memory, from, (int64_t)bytes),
                     WABE_OK);
    return memory;
}

static inline void state_read_list(const wabe_lbm_slab *lbm, state_copy *copy) {
    const int64_t *n = lbm->layout.cells;
    const wabe_list *list = lbm->list;
    copy->neighbours =
        state_fetch(lbm, list->neighbours,
                    (size_t)((list->populations - 1) * list->count) * sizeof *copy->neighbours);
    copy->slots =
        malloc((size_t)wabe_layout_cell(&lbm->layout, n[0], n[1], n[2]) * sizeof *copy->slots);
    assert_non_null(copy->slots);
    for (int64_t slot = 0; slot < list->count; slot++)
        if (list->cells[slot] != WABE_NO_CELL)
            copy->slots[list->cells[slot]] = (uint32_t)slot;
}

static inline state_copy state_read(const wabe_lbm_slab *lbm) {
    const char *start = (const char *)wabe_lbm_state(lbm)->data -
                        (size_t)lbm->stored.front * state_number_size(lbm);
    state_copy copy = {.lbm = lbm};
    wabe_lbm_synchronise(lbm);
    copy.memory = state_fetch(lbm, start, (size_t)wabe_layout_bytes(&lbm->stored));
    if (lbm->list)
        state_read_list(lbm, &copy);
    return copy;
}

static inline void state_free(state_copy *copy) {
    free(copy->memory);
    free(copy->neighbours);
    free(copy->slots);
}

/* Returns the index of population q of a cell, relative to the data of the slab's field. */
static inline int64_t state_place(const state_copy *copy, const int64_t cell[3], int q) {
    const wabe_lbm_slab *lbm = copy->lbm;
    const int parity = (int)((lbm->timeline.step + 1) & 1);
    int64_t n = wabe_layout_cell(&lbm->layout, cell[0], cell[1], cell[2]);
    n = lbm->list ? copy->slots[n] : n;
    if (lbm->list && parity == 0 && q > 0)
        return copy->neighbours[wabe_neighbour_entry(
            lbm->list->populations, wabe_lattice_opposite(lbm->list->populations, q), n)];
    return n + lbm->offsets.out[parity][q];
}

static inline double state_number(const state_copy *copy, int64_t place) {
    if (copy->lbm->model.type == WABE_TYPE_f16)
        return half_population(((const uint16_t *)copy->memory)[place]);
    return copy->lbm->model.type == WABE_TYPE_f64 ? ((const double *)copy->memory)[place]
                                                  : (double)((const float *)copy->memory)[place];
}

/* The moment x^l y^m z^n of a Gaussian with mean u and second moments a + 1/3 (a: with u u). */
static inline long double state_gaussian_moment(const double u[3], double a[3][3], int l, int m,
                                                int n) {
    const int order[3] = {l, m, n};
    for (int d = 0; d < 3; d++) {
        if (order[d] == 0)
            continue;
        int less[3] = {l, m, n};
        less[d]--;
        long double sum = u[d] * state_gaussian_moment(u, a, less[0], less[1], less[2]);
        for (int b = 0; b < 3; b++) {
            if (less[b] == 0)
                continue;
            const long double c = (long double)a[d][b] - (long double)u[d] * u[b] +
                                  (d == b ? 1.0L / 3.0L : 0.0L);
            int rest[3] = {less[0], less[1], less[2]};
            rest[b]--;
            sum += c * less[b] * state_gaussian_moment(u, a, rest[0], rest[1], rest[2]);
        }
        return sum;
    }
    return 1.0;
}

/* The population of D3Q27 with velocity e of such a fluid of density 1. */
static inline long double state_gaussian(const double u[3], double a[3][3], const int e[3]) {
    long double sum = 0.0L;
    for (int i = 0; i < 27; i++) {
        const int n[3] = {i % 3, i / 3 % 3, i / 9};
        double factor = 1.0;
        for (int d = 0; d < 3; d++)
            factor *= e[d] == 0   ? (n[d] == 0   ? 1.0
                                     : n[d] == 1 ? 0.0
                                                 : -1.0)
                      : n[d] == 0 ? 0.0
                      : n[d] == 1 ? 0.5 * e[d]
                                  : 0.5;
        sum += factor == 0.0 ? 0.0 : factor * state_gaussian_moment(u, a, n[0], n[1], n[2]);
    }
    return sum;
}

/* Population q of a cell that has these moments (sweeps/cell/moments.h): their expansion in Hermite
 * polynomials, with or without third moments. */
static inline double state_expanded(const double s[WABE_MOMENTS], int q, bool third,
                                    wabe_lattice lattice) {
    const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    double a[3][3], u[3], odd = 0.0, even = 0.0;
    for (int d = 0; d < 3; d++) {
        u[d] = 12.0 * s[1 + d];
        a[d][d] = 8.0 * s[4 + d];
        const int *p = pairs[d];
        a[p[0]][p[1]] = a[p[1]][p[0]] = 8.0 * s[7 + d];
    }
    const int *e = wabe_lattice_e(lattice, q);
    if (lattice == WABE_LATTICE_d3q27) {
        const int speed = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        const long double weights[4] = {8.0L / 27.0L, 2.0L / 27.0L, 1.0L / 54.0L, 1.0L / 216.0L};
        const long double rho = 36.0 * s[0] + 1.5 * (a[0][0] + a[1][1] + a[2][2]);
        return (double)(state_gaussian(u, a, e) + weights[speed] * (rho - 1.0L));
    }
    const int square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    for (int b = 0; b < 3; b++) {
        odd += 3.0 * e[b] * u[b];
        for (int d = 0; d < 3; d++) {
            even += 4.5 * e[b] * e[d] * a[b][d];
            const double t = 2.0 * u[d] * a[d][b] + u[b] * (a[d][d] - 2.0 * u[d] * u[d]);
            if (third && d != b && square == 1)
                odd -= 9.0 * e[b] * t;
            if (third && d != b && square == 2)
                odd += 9.0 * e[b] * e[d] * e[d] * t;
        }
    }
    return wabe_lattice_weight(lattice, q) * (36.0 * s[0] + even + odd);
}

/* Returns population q (the library's numbering) that has left a cell. */
static inline double state_sent(const state_copy *copy, const int64_t cell[3], int q) {
    const wabe_layout *l = &copy->lbm->stored;
    double s[WABE_MOMENTS];
    if (copy->lbm->form == WABE_STATE_POPULATIONS)
        return state_number(copy, state_place(copy, cell, q) + l->front);
    for (int i = 0; i < WABE_MOMENTS; i++)
        s[i] = state_number(copy, l->front + wabe_layout_place(l, i, cell[0], cell[1], cell[2]));
    return state_expanded(s, q, copy->lbm->form == WABE_STATE_THIRD, copy->lbm->model.lattice);
}
