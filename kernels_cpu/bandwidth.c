/* The kernels that measure the bandwidth limit: compiled once per flavour. */
#if defined(WABE_VECTOR_F16) /* pairs of f16 as floats: only the bytes matter */
#undef WABE_VECTOR_F16
#define WABE_VECTOR_F32
#endif
#include "kernels_cpu/vector.h"

#include "core/registry/transfer.h"
#include "kernels_cpu/functions.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name) JOIN(wabe_##name, WABE_FLAVOUR)

enum { LINE = 64 / sizeof(wabe_scalar) };

void KERNEL(copy)(const wabe_copy_args *a, int64_t begin, int64_t end) {
    const wabe_scalar *from = a->from;
    wabe_scalar *to = a->to;
    for (int64_t i = begin * LINE; i < end * LINE; i += WABE_LANES)
        WABE_STREAM(to + i, WABE_LOAD(from + i));
    WABE_FENCE();
}

/* Zeros stay zeros, so nothing overflows however often it runs. */
void KERNEL(update)(const wabe_update_args *a, int64_t begin, int64_t end) {
    const int64_t stride = a->stride / (int64_t)sizeof(wabe_scalar);
    const wabe_vector factor = WABE_REAL_OF(0.999);
    wabe_scalar *data = a->data;
    for (int64_t i = begin * LINE; i < end * LINE; i += WABE_LANES)
        for (int k = 0; k < a->count; k++)
            WABE_STORE(data + k * stride + i, WABE_LOAD(data + k * stride + i) * factor);
}
