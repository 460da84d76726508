#include "apps/runtime/cpu_share.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void add_thread(const char *number, wabe_cpu_time *sum) {
    char name[300];
    int64_t ran, waited;
    snprintf(name, sizeof name, "/proc/self/task/%s/schedstat", number);
    FILE *file = fopen(name, "r");
    if (!file)
        return;
    if (fscanf(file, "%" SCNd64 " %" SCNd64, &ran, &waited) == 2) {
        sum->ran += ran;
        sum->waited += waited;
    }
    fclose(file);
}

wabe_cpu_time wabe_cpu_time_now(void) {
    wabe_cpu_time sum = {0};
    DIR *threads = opendir("/proc/self/task");
    if (!threads)
        return sum;
    for (const struct dirent *entry; (entry = readdir(threads)) != NULL;)
        if (entry->d_name[0] != '.')
            add_thread(entry->d_name, &sum);
    closedir(threads);
    return sum;
}

double wabe_cpu_share(MPI_Comm comm, wabe_cpu_time since) {
    const wabe_cpu_time now = wabe_cpu_time_now();
    const double ran = (double)(now.ran - since.ran), waited = (double)(now.waited - since.waited);
    double share = ran > 0.0 && waited >= 0.0 ? ran / (ran + waited) : -1.0;
    MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_DOUBLE, MPI_MIN, comm);
    return share >= 0.0 ? share : NAN;
}
