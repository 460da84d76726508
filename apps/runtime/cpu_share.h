/* The share of the requested processor time that this process's threads were given; less than 1 if
 * other programs, or more threads than cores, compete for its cores. */
#pragma once

#include <mpi.h>
#include <stdint.h>

/* Nanoseconds of all threads since their start: running, and ready but waiting for a core. */
typedef struct {
    int64_t ran, waited;
} wabe_cpu_time;

/* Returns the times so far; zeros if the system does not provide them. Local. */
wabe_cpu_time wabe_cpu_time_now(void);
/* Returns the smallest share of any process since then, 0 to 1; NAN: unknown. Collective. */
double wabe_cpu_share(MPI_Comm comm, wabe_cpu_time since);
