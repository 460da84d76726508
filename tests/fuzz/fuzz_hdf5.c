/* Any bytes as an HDF5 file, taken for a checkpoint, an image, and heights: read or refused. What
 * is found here is mostly HDF5's own: with damaged files it reads and writes outside of its memory.
 * The other targets leave it out: there HDF5 gets files that it has written itself. */
#include "apps/geometry/heights.h"
#include "core/geometry/voxels.h"
#include "core/io/checkpoint.h"
#include "tests/fuzz/target.h"

static void read_checkpoint(const char *path) {
    wabe_checkpoint *checkpoint;
    fuzz_forget_message();
    if (fuzz_good(wabe_checkpoint_open(MPI_COMM_SELF, path, &checkpoint), WABE_INPUT, WABE_FILE))
        fuzz_good(wabe_checkpoint_verify(MPI_COMM_SELF, checkpoint), WABE_INPUT, WABE_FILE);
    wabe_checkpoint_close(&checkpoint);
}

static void read_image(const char *path) {
    static uint8_t solid[8 * 8 * 8];
    wabe_voxels v = {.format = WABE_VOXELS_HDF5, .file = path, .dataset = "labels"};
    for (int label = 0; label < 128; label++)
        v.meaning[label] = WABE_LABEL_FLUID;
    fuzz_forget_message();
    if (fuzz_good(wabe_voxels_open(&v), WABE_INPUT, WABE_FILE)) {
        const wabe_box some = {{0, 0, 0}, {8, 8, 8}};
        fuzz_good(wabe_voxels_read(&v, wabe_box_intersect(some, wabe_voxels_box(&v)), solid),
                  WABE_INPUT, WABE_FILE);
    }
}

static void read_heights(const char *path) {
    const wabe_heights_source source = {.file = path, .dataset = "heights", .scale = 1.0};
    wabe_heights heights = {.up = 1, .cells = {8, 5, 6}};
    fuzz_forget_message();
    fuzz_good(wabe_heights_read(&source, &heights), WABE_INPUT, WABE_FILE);
    wabe_heights_free(&heights);
}

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    const char *path = fuzz_file(data, size);
    read_checkpoint(path);
    read_image(path);
    read_heights(path);
    return 0;
}
