/* wabe calibrate, started without a launcher, restarts itself with several processes. */
#include "apps/commands.h"

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Was this process started by a launcher? */
static bool is_launched(void) {
    static const char *const signs[] = {"WABE_LAUNCHED", "OMPI_COMM_WORLD_SIZE",
                                        "PMI_SIZE",      "PMI_RANK",
                                        "PMIX_RANK",     "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (getenv(signs[i]))
            return true;
    return false;
}

void wabe_calibrate_launch(int argc, char *argv[]) {
    enum { ARGUMENTS_MAX = 16, BEFORE = 8 };
    char *command[BEFORE + ARGUMENTS_MAX + 1] = {"mpirun",    "-q",   "--oversubscribe",
                                                 "--bind-to", "none", "-np"};
    char count[16];
    cpu_set_t allowed;
#if !defined(OPEN_MPI)
    return; /* only Open MPI's options are known here: the user must start mpirun */
#endif
    if (argc < 2 || argc > ARGUMENTS_MAX || strcmp(argv[1], "calibrate") != 0 || is_launched())
        return;
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    int cores = CPU_COUNT(&allowed);
    for (int i = 2; i + 1 < argc; i++) /* a process per GPU */
        if (strcmp(argv[i], "--only") == 0 && strcmp(argv[i + 1], "gpu") == 0 && cores > 8)
            cores = 8;
    snprintf(count, sizeof count, "%d", cores > 2 ? cores : 2);
    command[BEFORE - 2] = count;
    for (int i = 0; i < argc; i++)
        command[BEFORE - 1 + i] = argv[i];
    if (geteuid() == 0) { /* in a container, say; mpirun demands both */
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    }
    setenv("WABE_LAUNCHED", "1", 1);
    execvp(command[0], command); /* returns only without mpirun: a single process then */
}
