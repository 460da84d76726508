/* Himeno's benchmark, as emulated devices run it. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/scalar.h"

#include "sweeps/cell/himeno.h"

#include <string.h>

static float change_of(const wabe_himeno_args *a, int64_t at) {
    const float *own = (const float *)a->grid.source + at;
    float constants[WABE_HIMENO_CONSTANTS], p[3][3][3];
    for (int i = 0; i < WABE_HIMENO_CONSTANTS; i++)
        constants[i] = a->constants[at + i * a->stride];
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++)
                p[z][y][x] = own[(z - 1) * a->grid.plane + (y - 1) * a->grid.pitch + x - 1];
    return wabe_himeno_change(constants, p);
}

/* Emulated devices do one thing after the other. */
void wabe_emulated_himeno(const wabe_himeno_args *a, int64_t begin, int64_t end) {
    double *sums = a->sums[a->grid.step % WABE_HIMENO_SLOTS][0];
    if (begin == 0)
        memset(a->sums[(a->grid.step + 1) % WABE_HIMENO_SLOTS], 0, sizeof *a->sums);
    for (int64_t item = begin; item < end; item++) {
        const wabe_row r = wabe_row_of(&a->grid, item);
        for (int64_t x = r.begin; x < r.end; x++) {
            const int64_t at = x + r.y * a->grid.pitch + r.z * a->grid.plane;
            const float change = change_of(a, at);
            double square = (double)(change * change);
            ((float *)a->grid.target)[at] = wabe_himeno_relax(((const float *)a->grid.source)[at],
                                                              change);
            WABE_BINS_ADD(sums, square);
        }
    }
}
