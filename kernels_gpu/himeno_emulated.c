/* The Himeno benchmark for emulated devices. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/scalar.h"

#include "sweeps/cell/himeno.h"

#include <string.h>

static float change_of(const wabe_himeno_args *a, int64_t at) {
    const wabe_grid_field *from = &a->grid.fields[WABE_HIMENO_FROM];
    const wabe_grid_field *by = &a->grid.fields[WABE_HIMENO_BY];
    const float *own = (const float *)from->data + at;
    float constants[WABE_HIMENO_CONSTANTS], p[3][3][3];
    for (int i = 0; i < WABE_HIMENO_CONSTANTS; i++)
        constants[i] = ((const float *)by->data)[at + i * by->stride];
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++)
                p[z][y][x] = own[(z - 1) * from->plane + (y - 1) * from->pitch + x - 1];
    return wabe_himeno_change(constants, p);
}

/* Not atomic: emulated devices run sequentially. */
void wabe_emulated_himeno(const wabe_himeno_args *a, int64_t begin, int64_t end) {
    const wabe_grid_field *to = &a->grid.fields[WABE_HIMENO_TO];
    const wabe_grid_field *from = &a->grid.fields[WABE_HIMENO_FROM];
    wabe_reduction_slot *slots = a->grid.reductions[0].slots;
    double *sums = slots[a->grid.pass % WABE_REDUCTION_SLOTS][0];
    if (begin == 0)
        memset(slots[(a->grid.pass + 1) % WABE_REDUCTION_SLOTS], 0, sizeof *slots);
    for (int64_t item = begin; item < end; item++) {
        const wabe_row r = wabe_row_of(&a->grid, item);
        for (int64_t x = r.begin; x < r.end; x++) {
            const int64_t at = x + r.y * to->pitch + r.z * to->plane;
            const float change = change_of(a, at);
            double square = (double)(change * change);
            ((float *)to->data)[at] = wabe_himeno_relax(((const float *)from->data)[at], change);
            WABE_BINS_ADD(sums, square);
        }
    }
}
