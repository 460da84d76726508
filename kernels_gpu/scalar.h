/* How the numbers of a kernel file for CUDA and emulated devices lie in memory, wabe_stored; they
 * compute with those of sweeps/cell/number.h. */
#pragma once

#include "sweeps/cell/number.h"

#if defined(WABE_STORE_F16) && defined(__CUDACC__)
#include <cuda_fp16.h>
typedef __half wabe_stored;
#elif defined(WABE_STORE_F16) && defined(__F16C__)
#include <immintrin.h>
typedef uint16_t wabe_stored; /* _Float16 is missing in clang 14 */
#elif defined(WABE_STORE_F16)
typedef _Float16 wabe_stored;
#else
typedef wabe_real wabe_stored;
#endif

#if defined(WABE_STORE_F16) && defined(__CUDACC__)
WABE_INLINE wabe_real wabe_from_stored(wabe_stored value) { return __half2float(value); }
WABE_INLINE wabe_stored wabe_to_stored(wabe_real value) { return __float2half_rn(value); }
#elif defined(WABE_STORE_F16) && defined(__F16C__)
WABE_INLINE wabe_real wabe_from_stored(wabe_stored value) { return _cvtsh_ss(value); }
WABE_INLINE wabe_stored wabe_to_stored(wabe_real value) {
    return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}
#else
WABE_INLINE wabe_real wabe_from_stored(wabe_stored value) { return (wabe_real)value; }
WABE_INLINE wabe_stored wabe_to_stored(wabe_real value) { return (wabe_stored)value; }
#endif
