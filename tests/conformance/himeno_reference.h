/* The plain loop that defines Himeno's benchmark, as published, with general coefficients (the
 * benchmark's own are zero in nine of nineteen places). */
#pragma once

#include "sweeps/stencil/himeno.h"

#include <math.h>
#include <stdlib.h>

/* All points, including the fixed ones at both ends of each axis; k is along x. */
typedef struct {
    int imax, jmax, kmax;
    float *p, *wrk2, *constants[WABE_HIMENO_CONSTANTS];
} arrays;

static inline size_t at(const arrays *a, int i, int j, int k) {
    return ((size_t)i * (size_t)a->jmax + (size_t)j) * (size_t)a->kmax + (size_t)k;
}

static inline double scatter(int component, const int64_t cell[3], int64_t x) {
    return sin(1.0 + component + 12.9898 * (double)(cell[0] + x) + 78.233 * (double)cell[1] +
               37.719 * (double)cell[2]);
}
static inline wabe_status scattered(const void *component, const int64_t cell[3], int64_t count,
                                    double *row) {
    for (int64_t x = 0; x < count; x++)
        row[x] = 0.1 * scatter(*(const int *)component, cell, x);
    return WABE_OK;
}
static inline wabe_status pressure(const void *context, const int64_t cell[3], int64_t count,
                                   double *row) {
    (void)context;
    for (int64_t x = 0; x < count; x++)
        row[x] = scatter(20, cell, x);
    return WABE_OK;
}

static inline arrays make_arrays(const int64_t cells[3]) {
    arrays a = {(int)cells[2] + 2, (int)cells[1] + 2, (int)cells[0] + 2, NULL, NULL, {NULL}};
    const size_t n = (size_t)a.imax * (size_t)a.jmax * (size_t)a.kmax;
    double *row = malloc((size_t)a.kmax * sizeof *row);
    a.p = calloc(n, sizeof *a.p);
    a.wrk2 = calloc(n, sizeof *a.wrk2);
    for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++)
        a.constants[c] = calloc(n, sizeof *a.p);
    for (int i = 0; i < a.imax; i++)
        for (int j = 0; j < a.jmax; j++) {
            const int64_t cell[3] = {-1, j - 1, i - 1};
            pressure(NULL, cell, a.kmax, row);
            for (int k = 0; k < a.kmax; k++)
                a.p[at(&a, i, j, k)] = a.wrk2[at(&a, i, j, k)] = (float)row[k];
            for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++) {
                scattered(&c, cell, a.kmax, row);
                for (int k = 0; k < a.kmax; k++)
                    a.constants[c][at(&a, i, j, k)] = (float)row[k];
            }
        }
    free(row);
    return a;
}

static inline void free_arrays(arrays *a) {
    free(a->p);
    free(a->wrk2);
    for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++)
        free(a->constants[c]);
}

/* The benchmark's formula as published, each operation rounded. */
static inline float change_of(const arrays *m, int i, int j, int k) {
#define P(di, dj, dk) m->p[at(m, i + (di), j + (dj), k + (dk))]
#define C(n) m->constants[n][at(m, i, j, k)]
    const float s0 = C(0) * P(1, 0, 0) + C(1) * P(0, 1, 0) + C(2) * P(0, 0, 1) +
                     C(4) * (P(1, 1, 0) - P(1, -1, 0) - P(-1, 1, 0) + P(-1, -1, 0)) +
                     C(5) * (P(0, 1, 1) - P(0, -1, 1) - P(0, 1, -1) + P(0, -1, -1)) +
                     C(6) * (P(1, 0, 1) - P(-1, 0, 1) - P(1, 0, -1) + P(-1, 0, -1)) +
                     C(7) * P(-1, 0, 0) + C(8) * P(0, -1, 0) + C(9) * P(0, 0, -1) + C(11);
    return (s0 * C(3) - P(0, 0, 0)) * C(10);
#undef P
#undef C
}

static inline long double iterate(arrays *a) {
    long double gosa = 0.0L;
    for (int i = 1; i < a->imax - 1; i++)
        for (int j = 1; j < a->jmax - 1; j++)
            for (int k = 1; k < a->kmax - 1; k++) {
                const float change = change_of(a, i, j, k), square = change * change;
                gosa += (long double)square;
                a->wrk2[at(a, i, j, k)] = a->p[at(a, i, j, k)] + 0.8f * change;
            }
    float *const other = a->p;
    a->p = a->wrk2;
    a->wrk2 = other;
    return gosa;
}
