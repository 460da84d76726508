/* Functions that host and device code share. */
#pragma once

#ifdef __CUDACC__
#define WABE_HOST_DEVICE static inline __host__ __device__
#else
#define WABE_HOST_DEVICE static inline
#endif
