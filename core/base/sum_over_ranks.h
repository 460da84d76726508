/* Sums of all ranks. */
#ifndef WABE_CORE_BASE_SUM_OVER_RANKS_H
#define WABE_CORE_BASE_SUM_OVER_RANKS_H

#include "core/base/sum.h"

#include <mpi.h>

/* Collective. */
static inline void wabe_sum_over_ranks(MPI_Comm comm, wabe_sum *sum) {
    wabe_sum_carry(sum);
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT64_T, MPI_SUM, comm);
}

#endif
