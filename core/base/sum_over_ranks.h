/* Sums of all ranks. */
#pragma once

#include "core/base/sum.h"

#include <mpi.h>

/* Adds the sums of all ranks, on all ranks. Collective. */
static inline void wabe_sum_over_ranks(MPI_Comm comm, wabe_sum *sum) {
    wabe_sum_carry(sum);
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT64_T, MPI_SUM, comm);
}
