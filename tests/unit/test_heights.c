/* Maps of heights: images and datasets give each column of cells its height, along any axis; files
 * of another shape or kind, and damaged ones, are refused. */
#include "apps/geometry/heights.h"

#include <hdf5.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { COLUMNS = 5, ROWS = 4, TOP = 6 };

static char directory[] = "/tmp/wabe_heights_XXXXXX", file[64];

static int make_directory(void **state) {
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(file, sizeof file, "%s/map", directory);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    unlink(file);
    return rmdir(directory);
}

/* Values without symmetry; the height is half of it less one. */
static int value_at(int64_t column, int64_t row) { return (int)(3 * column + 7 * row) % 13; }

static const wabe_heights_source half = {.file = file,
                                         .dataset = "map",
                                         .scale = 0.5,
                                         .offset = -1};

/* ---- files -------------------------------------------------------------------------- */

/* With channels numbers for each pixel. */
static void write_png(int bits, int channels, int colour) {
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, out);
    png_set_IHDR(png, info, COLUMNS, ROWS, bits, colour, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int row = 0; row < ROWS; row++) {
        uint8_t bytes[COLUMNS * 8] = {0};
        for (int column = 0; column < COLUMNS; column++)
            bytes[bits / 8 * (channels * column + 1) - 1] = (uint8_t)value_at(column, row);
        png_write_row(png, bytes);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(out);
}

/* Of this shape; the value at a place may be another. */
static void write_dataset(int rank, const hsize_t shape[], int place, double value) {
    double values[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++)
        values[i] = i == place ? value : value_at(i % COLUMNS, i / COLUMNS);
    const hid_t out = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(rank, shape, NULL);
    const hid_t set = H5Dcreate2(out, "map", H5T_IEEE_F32BE, space, H5P_DEFAULT, H5P_DEFAULT,
                                 H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(out);
}

/* ---- what is solid ------------------------------------------------------------------ */

static wabe_heights describe(int up) {
    wabe_heights h = {.up = up};
    const int first = up == 0 ? 1 : 0, second = up == 2 ? 1 : 2;
    h.cells[up] = TOP;
    h.cells[first] = COLUMNS;
    h.cells[second] = ROWS;
    return h;
}

static void check_cells(int up) {
    static const int axes[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    wabe_heights h = describe(up);
    uint8_t solid[COLUMNS * ROWS * TOP];
    int64_t at[3], k = 0;
    if (wabe_heights_read(&half, &h) != WABE_OK)
        fail_msg("%s", wabe_error_message());
    const wabe_raster raster = wabe_heights_raster(&h, 7);
    assert_int_equal(raster.box.end[up], 5); /* the largest value is 12 */
    assert_true(h.low == -1.0 && h.high == 5.0);
    assert_int_equal(raster.read(raster.source, raster.box, solid), WABE_OK);
    for (at[2] = 0; at[2] < raster.box.end[2]; at[2]++)
        for (at[1] = 0; at[1] < raster.box.end[1]; at[1]++)
            for (at[0] = 0; at[0] < raster.box.end[0]; at[0]++, k++)
                assert_int_equal(solid[k],
                                 (double)at[up] + 0.5 <
                                     0.5 * value_at(at[axes[up][0]], at[axes[up][1]]) - 1.0);
    wabe_heights_free(&h);
}

static void columns_have_their_heights(void **state) {
    (void)state;
    for (int up = 0; up < 3; up++) {
        write_png(16, 1, PNG_COLOR_TYPE_GRAY);
        check_cells(up);
        write_png(8, 1, PNG_COLOR_TYPE_GRAY);
        check_cells(up);
        write_dataset(2, (hsize_t[]){ROWS, COLUMNS}, -1, 0.0);
        check_cells(up);
    }
}

/* ---- what is refused ---------------------------------------------------------------- */

static void refuse(const wabe_heights_source *source, wabe_status expected, const char *reason) {
    wabe_heights h = describe(1);
    assert_int_equal(wabe_heights_read(source, &h), expected);
    assert_null(h.heights);
    assert_int_equal(strncmp(wabe_error_message(), file, strlen(file)), 0);
    if (!strstr(wabe_error_message(), reason))
        fail_msg("\"%s\" lacks \"%s\"", wabe_error_message(), reason);
}

static void images_of_other_kinds_are_refused(void **state) {
    (void)state;
    write_png(8, 3, PNG_COLOR_TYPE_RGB);
    refuse(&half, WABE_INPUT, "only grey images of 8 or 16 bits");
    write_png(16, 2, PNG_COLOR_TYPE_GRAY_ALPHA);
    refuse(&half, WABE_INPUT, "only grey images of 8 or 16 bits");
    write_png(16, 1, PNG_COLOR_TYPE_GRAY);
    wabe_heights other = describe(1);
    other.cells[2] = ROWS + 1;
    assert_int_equal(wabe_heights_read(&half, &other), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "has 5 x 4 pixels; it has to have 5 x 5"));
    const wabe_heights_source large = {file, "", 1e39, 0.0};
    refuse(&large, WABE_INPUT, "the height at x = 1, z = 0 is not a finite number");
    assert_int_equal(truncate(file, 60), 0);
    refuse(&half, WABE_INPUT, "cannot be read as PNG");
    assert_int_equal(truncate(file, 12), 0);
    refuse(&half, WABE_INPUT, "cannot be read as PNG");
    assert_int_equal(truncate(file, 0), 0);
    refuse(&half, WABE_INPUT, "is empty");
    unlink(file);
    refuse(&half, WABE_FILE, "cannot be read");
}

static void datasets_of_other_kinds_are_refused(void **state) {
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    write_dataset(2, (hsize_t[]){COLUMNS, ROWS}, -1, 0.0);
    refuse(&half, WABE_INPUT, "has the shape (5, 4); it has to be (4, 5), rows and columns");
    write_dataset(3, (hsize_t[]){1, ROWS, COLUMNS}, -1, 0.0);
    refuse(&half, WABE_INPUT, "has 3 dimensions; it has to have two, rows and columns");
    write_dataset(2, (hsize_t[]){ROWS, COLUMNS}, 2 * COLUMNS + 3, NAN);
    refuse(&half, WABE_INPUT, "the height at x = 3, z = 2 is not a finite number");
    const wabe_heights_source absent = {file, "other", 1.0, 0.0};
    refuse(&absent, WABE_INPUT, "has no dataset \"other\"; at its top level there is: map");
    assert_int_equal(truncate(file, 1000), 0);
    refuse(&half, WABE_FILE, "cannot be read");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_their_heights),
        cmocka_unit_test(images_of_other_kinds_are_refused),
        cmocka_unit_test(datasets_of_other_kinds_are_refused),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
