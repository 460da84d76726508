/* How much of the processor time that this process's threads asked for they got: less than all
 * where other programs, or more threads than there are cores, share its cores. */
#pragma once

#include <mpi.h>
#include <stdint.h>

/* Nanoseconds of all threads since they began: at work, and ready for it without a core. */
typedef struct {
    int64_t ran, waited;
} wabe_cpu_time;

/* Zeros if the system does not tell. Local. */
wabe_cpu_time wabe_cpu_time_now(void);
/* The share since then, 0 to 1, of the process that got least; NAN: unknown. Collective. */
double wabe_cpu_share(MPI_Comm comm, wabe_cpu_time since);
