/* Diffusion, as emulated devices run it. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/scalar.h"

#include "kernels_gpu/diffusion.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

void JOIN(wabe_emulated_diffuse, WABE_FLAVOUR)(const wabe_diffuse_args *a, int64_t begin,
                                               int64_t end) {
    for (int64_t item = begin; item < end; item++) {
        const wabe_row r = wabe_row_of(&a->grid, item);
        for (int64_t x = r.begin; x < r.end; x++)
            wabe_diffuse_cell(a, x, r.y, r.z);
    }
}
