#include "core/base/profile.h"

const char *wabe_phase_text(wabe_phase phase) {
    static const char *const texts[] = {
#define X(name, text) text,
        WABE_PHASES(X)
#undef X
    };
    return phase < WABE_PHASE_COUNT ? texts[phase] : "?";
}

wabe_spread wabe_spread_over_ranks(MPI_Comm comm, double value) {
    struct {
        double value;
        int rank;
    } mine = {.value = value}, low, high;
    int size;
    double sum;
    MPI_Comm_rank(comm, &mine.rank);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&mine, &low, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm);
    MPI_Allreduce(&mine, &high, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return (wabe_spread){.min = low.value,
                         .mean = sum / size,
                         .max = high.value,
                         .min_rank = low.rank,
                         .max_rank = high.rank};
}
