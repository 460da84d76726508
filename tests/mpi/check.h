/* Checks for programs that run on several ranks: failures are counted, no rank exits early, and all
 * ranks return the same exit code. */
#pragma once

#include <mpi.h>
#include <stdio.h>

static int check_rank, check_size, check_failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition) && check_failures++ < 20) {                                               \
            fprintf(stderr, "rank %d, %s:%d: %s: ", check_rank, __FILE__, __LINE__, #condition);   \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

static inline void check_begin(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
}

/* Returns the exit code: the given one, or 1 if a check has failed. Collective. */
static inline int check_end(int code) {
    MPI_Allreduce(MPI_IN_PLACE, &check_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (check_rank == 0)
        printf("%d failures on %d ranks\n", check_failures, check_size);
    MPI_Finalize();
    return check_failures > 0 ? 1 : code;
}
