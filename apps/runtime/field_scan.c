#include "apps/runtime/field_scan.h"

#include "core/base/sum_over_ranks.h"

#include <math.h>

/* Over the slabs of this process. scale: see wabe_scan_args. Collective. */
static wabe_status scan_slabs(const wabe_grid_slabs_number *n, double scale,
                              wabe_scan_result *out) {
    wabe_status status = WABE_OK;
    *out = wabe_scan_of_none();
    for (int i = 0; i < WABE_SLABS_MAX && status == WABE_OK; i++)
        if (n->slabs->list[i])
            status = wabe_grid_scan(n->slabs->list[i], n->at.field, n->at.component, scale, out);
    return wabe_agree(n->slabs->comm, status);
}

/* A power of two that makes values up to largest at most 1. */
static double scale_of(double largest) {
    return largest > 0.0 ? exp2(fmin(1000.0, -ceil(log2(largest)))) : 1.0;
}

/* Two passes, since fixed-point sums need the largest value first. */
wabe_status wabe_field_scan(const wabe_grid_slabs_number *number, wabe_field_state *out) {
    const MPI_Comm comm = number->slabs->comm;
    const int64_t *n = number->slabs->model.cells;
    const double cells = (double)n[0] * (double)n[1] * (double)n[2];
    wabe_scan_result s;
    WABE_TRY(scan_slabs(number, 0.0, &s));
    MPI_Allreduce(MPI_IN_PLACE, &s.low, 1, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, &s.high, 1, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, &s.broken, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &s.first_broken, 1, MPI_INT64_T, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, &s.hash, 1, MPI_UINT64_T, MPI_SUM, comm);
    *out = (wabe_field_state){s.low, s.high, NAN, NAN, s.broken, s.first_broken, s.hash};
    const double scale = scale_of(fmax(fabs(out->low), fabs(out->high)));
    WABE_TRY(scan_slabs(number, scale, &s));
    wabe_sum_over_ranks(comm, &s.sum);
    wabe_sum_over_ranks(comm, &s.squares);
    out->mean = wabe_sum_value(s.sum) / scale / cells;
    out->mean_square = wabe_sum_value(s.squares) / scale / scale / cells;
    return WABE_OK;
}
