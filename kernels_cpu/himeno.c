/* The Himeno benchmark: rows of cells, compiled once per instruction set. */
#include "kernels_cpu/vector.h"

#include "kernels_cpu/functions.h"
#include "sweeps/cell/himeno.h"

#include <string.h>

#ifdef WABE_VECTOR_F32 /* there is no other flavour */

#include "kernels_cpu/rows.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name) JOIN(wabe_##name, WABE_FLAVOUR)

/* Half of a vector's lanes as doubles. */
#if defined(WABE_PORTABLE)
typedef double wide __attribute__((vector_size(16)));
#define WIDE_LOW(v) ((wide){(v)[0], (v)[1]})
#define WIDE_HIGH(v) ((wide){(v)[2], (v)[3]})
#elif defined(__AVX512F__)
typedef __m512d wide;
#define WIDE_LOW(v) _mm512_cvtps_pd(_mm512_castps512_ps256(v))
#define WIDE_HIGH(v) _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1))
#elif defined(__AVX2__)
typedef __m256d wide;
#define WIDE_LOW(v) _mm256_cvtps_pd(_mm256_castps256_ps128(v))
#define WIDE_HIGH(v) _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1))
#else
typedef __m128d wide;
#define WIDE_LOW(v) _mm_cvtps_pd(v)
#define WIDE_HIGH(v) _mm_cvtps_pd(_mm_movehl_ps(v, v))
#endif

enum { AHEAD = 64 }; /* floats by which constants are prefetched ahead */

WABE_INLINE void add_squares(wide bins[WABE_BINS], wabe_vector change) {
    const wabe_vector square = change * change;
    wide low = WIDE_LOW(square), high = WIDE_HIGH(square);
    WABE_BINS_ADD(bins, low);
    WABE_BINS_ADD(bins, high);
}

/* A row, the rows around it, and its constants. */
typedef struct {
    const float *p[3][3], *k[WABE_HIMENO_CONSTANTS];
    float *to;
} rows;

static rows rows_of(const wabe_himeno_args *a, wabe_row row) {
    const wabe_grid_field *f = a->grid.fields;
    const int64_t pitch = f[WABE_HIMENO_FROM].pitch, plane = f[WABE_HIMENO_FROM].plane;
    const int64_t at = row.y * pitch + row.z * plane; /* the same in all three fields */
    rows r = {.to = (float *)f[WABE_HIMENO_TO].data + at};
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 3; y++)
            r.p[z][y] = (const float *)f[WABE_HIMENO_FROM].data + at + (z - 1) * plane +
                        (y - 1) * pitch;
    for (int i = 0; i < WABE_HIMENO_CONSTANTS; i++)
        r.k[i] = (const float *)f[WABE_HIMENO_BY].data + at + i * f[WABE_HIMENO_BY].stride;
    return r;
}

WABE_INLINE wabe_vector change_at(const rows *r, int64_t at) {
    wabe_vector constants[WABE_HIMENO_CONSTANTS], p[3][3][3];
    for (int i = 0; i < WABE_HIMENO_CONSTANTS; i++)
        constants[i] = WABE_LOAD(r->k[i] + at);
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++)
                if (x == 1 || y == 1 || z == 1)
                    p[z][y][x] = WABE_LOAD(r->p[z][y] + at + x - 1);
    return wabe_himeno_change(constants, p);
}

/* A vector of which the row has only some cells. */
WABE_INLINE void do_some(const rows *r, wabe_row row, int64_t x, wide bins[WABE_BINS]) {
    const wabe_vector change = change_at(r, x);
    wabe_store_of_row(r->to, x, wabe_himeno_relax(WABE_LOAD(r->p[1][1] + x), change), row);
    add_squares(bins, WABE_KEEP(change, wabe_lanes_of_row(row, x)));
}

static void do_row(const wabe_himeno_args *a, wabe_row row, wide bins[WABE_BINS]) {
    const rows r = rows_of(a, row);
    const int64_t begin = wabe_lines_begin(row), end = wabe_lines_end(row);
    wide sums[WABE_BINS] = {bins[0], bins[1], bins[2]};
    int64_t x = row.begin / WABE_LANES * WABE_LANES;
    for (; x < begin && x < row.end; x += WABE_LANES)
        do_some(&r, row, x, sums);
    for (; x < end; x += WABE_LANES) {
        for (int i = 0; i < WABE_HIMENO_CONSTANTS; i++)
            WABE_PREFETCH(r.k[i] + x + AHEAD);
        WABE_PREFETCH(r.p[2][2] + x + a->grid.fields[WABE_HIMENO_FROM].pitch);
        const wabe_vector change = change_at(&r, x);
        WABE_STREAM(r.to + x, wabe_himeno_relax(WABE_LOAD(r.p[1][1] + x), change));
        add_squares(sums, change);
    }
    for (; x < row.end; x += WABE_LANES)
        do_some(&r, row, x, sums);
    memcpy(bins, sums, sizeof sums);
}

static void add(double *sum, double value) {
    double is, wanted;
    __atomic_load(sum, &is, __ATOMIC_RELAXED);
    do
        wanted = is + value;
    while (!__atomic_compare_exchange(sum, &is, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void KERNEL(himeno)(const wabe_himeno_args *a, int64_t begin, int64_t end) {
    wabe_reduction_slot *slots = a->grid.reductions[0].slots;
    wide bins[WABE_BINS];
    memset(bins, 0, sizeof bins);
    if (begin == 0)
        memset(slots[(a->grid.pass + 1) % WABE_REDUCTION_SLOTS], 0, sizeof *slots);
    for (int64_t item = begin; item < end; item++)
        do_row(a, wabe_row_of(&a->grid, item), bins);
    WABE_FENCE();
    double *sums = slots[a->grid.pass % WABE_REDUCTION_SLOTS][0];
    for (int i = 0; i < WABE_BINS; i++) {
        double sum = 0.0;
        for (size_t lane = 0; lane < sizeof(wide) / sizeof(double); lane++)
            sum += bins[i][lane];
        add(&sums[i], sum);
    }
}

#endif
