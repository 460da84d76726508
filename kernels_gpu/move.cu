/* Kernels that move data, for CUDA. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/move.h"

#include <cuda_runtime.h>

enum { THREADS = 256, WORDS_IN_LINE = 4 }; /* words of 16 bytes in a line of 64 */

static unsigned blocks_of(int64_t items) { return (unsigned)((items + THREADS - 1) / THREADS); }

template <typename number>
static __global__ void pack_kernel(const wabe_pack_args a, int64_t begin, int64_t end) {
    const int64_t i = begin + (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= end)
        return;
    const wabe_segment *s = wabe_segment_of(a.segments, a.segment_count, i);
    const int64_t place = wabe_segment_place(s, &a.strides, a.indices, i);
    ((number *)s->buffer)[i - s->first] = place == WABE_NOWHERE ? 0
                                                                : ((const number *)a.field)[place];
}

template <typename number>
static __global__ void unpack_kernel(const wabe_unpack_args a, int64_t begin, int64_t end) {
    const int64_t i = begin + (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= end || !wabe_is_wanted(a.mask, i))
        return;
    const wabe_segment *s = wabe_segment_of(a.segments, a.segment_count, i);
    const int64_t place = wabe_segment_place(s, &a.strides, a.indices, i);
    if (place != WABE_NOWHERE)
        ((number *)a.field)[place] = ((const number *)s->buffer)[i - s->first];
}

#define SIZE(size, number)                                                                         \
    void wabe_cuda_pack_##size(const wabe_pack_args *a, int64_t begin, int64_t end,                \
                               void *stream) {                                                     \
        pack_kernel<number>                                                                        \
            <<<blocks_of(end - begin), THREADS, 0, (cudaStream_t)stream>>>(*a, begin, end);        \
    }                                                                                              \
    void wabe_cuda_unpack_##size(const wabe_unpack_args *a, int64_t begin, int64_t end,            \
                                 void *stream) {                                                   \
        unpack_kernel<number>                                                                      \
            <<<blocks_of(end - begin), THREADS, 0, (cudaStream_t)stream>>>(*a, begin, end);        \
    }
SIZE(2, uint16_t)
SIZE(4, uint32_t)
SIZE(8, uint64_t)

static __global__ void copy_kernel(const int4 *from, int4 *to, int64_t words) {
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < words)
        to[i] = from[i];
}

void wabe_cuda_copy(const wabe_copy_args *a, int64_t begin, int64_t end, void *stream) {
    const int64_t words = (end - begin) * WORDS_IN_LINE;
    copy_kernel<<<blocks_of(words), THREADS, 0, (cudaStream_t)stream>>>(
        (const int4 *)a->from + begin * WORDS_IN_LINE, (int4 *)a->to + begin * WORDS_IN_LINE,
        words);
}

/* Writes the same values back (flip is 0), which the compiler cannot know. */
static __global__ void update_kernel(const wabe_update_args a, int64_t first, int64_t words,
                                     int flip) {
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= words)
        return;
    for (int k = 0; k < a.count; k++) {
        int4 *word = (int4 *)((char *)a.data + k * a.stride) + first + i;
        int4 value = *word;
        value.x ^= flip;
        *word = value;
    }
}

void wabe_cuda_update(const wabe_update_args *a, int64_t begin, int64_t end, void *stream) {
    const int64_t words = (end - begin) * WORDS_IN_LINE;
    update_kernel<<<blocks_of(words), THREADS, 0, (cudaStream_t)stream>>>(*a, begin * WORDS_IN_LINE,
                                                                          words, 0);
}
