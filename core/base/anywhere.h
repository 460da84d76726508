/* Functions that host and device code share. */
#ifndef WABE_CORE_BASE_ANYWHERE_H
#define WABE_CORE_BASE_ANYWHERE_H

#ifdef __CUDACC__
#define WABE_ANYWHERE static inline __host__ __device__
#else
#define WABE_ANYWHERE static inline
#endif

#endif
