/* Statistics of a field (sweeps/cell/scan.h) for emulated devices. */
#include "sweeps/cell/scan.h"

#include "kernels_gpu/functions.h"

void wabe_emulated_scan(const wabe_scan_args *a, int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; item++)
        a->results[item] = wabe_scan_share(a, item, 0, 1, 0, 1);
}
