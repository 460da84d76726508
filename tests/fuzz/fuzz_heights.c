/* Any bytes as a grey PNG of heights must be read or refused; a cell is solid if it is below what
 * was read. HDF5 files are left to fuzz_hdf5. */
#include "apps/geometry/heights.h"
#include "core/io/dataset.h"
#include "tests/fuzz/target.h"

#include <math.h>

enum { COLUMNS = 8, ROWS = 6, LEVELS = 5 };

static void check_cells(const wabe_heights *h) {
    static uint8_t solid[COLUMNS * LEVELS * ROWS];
    const wabe_raster raster = wabe_heights_raster(h, 0);
    const wabe_box all = {.end = {COLUMNS, LEVELS, ROWS}};
    if (raster.read(h, all, solid) != WABE_OK || !(h->low <= h->high) || !isfinite(h->high))
        abort();
    for (int64_t z = 0; z < ROWS; z++)
        for (int64_t x = 0; x < COLUMNS; x++)
            for (int64_t y = 1; y < LEVELS; y++)
                if (solid[wabe_box_place(all, x, y, z)] > solid[wabe_box_place(all, x, y - 1, z)])
                    abort();
}

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    const char *path = fuzz_file(data, size);
    const wabe_heights_source source = {.file = path, .dataset = "heights", .scale = 1e-4};
    wabe_heights heights = {.up = 1, .cells = {COLUMNS, LEVELS, ROWS}};
    fuzz_forget_message();
    if (wabe_dataset_is_hdf5(path))
        return 0;
    if (fuzz_good(wabe_heights_read(&source, &heights), WABE_INPUT, WABE_FILE))
        check_cells(&heights);
    wabe_heights_free(&heights);
    return 0;
}
