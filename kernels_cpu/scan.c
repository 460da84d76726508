/* Statistics of a field (sweeps/cell/scan.h) for CPUs. */
#include "sweeps/cell/scan.h"

#include "kernels_cpu/functions.h"

void wabe_scan(const wabe_scan_args *a, int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; item++) {
        wabe_scan_result result = wabe_scan_of_none();
        for (int64_t row = wabe_scan_row(a, item); row < wabe_scan_row(a, item + 1); row++) {
            wabe_scan_cells(a, row, 0, 1, &result);
            wabe_sum_carry(&result.sum);
            wabe_sum_carry(&result.squares);
        }
        a->results[item] = result;
    }
}
