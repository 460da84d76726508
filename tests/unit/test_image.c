/* Pictures: written, read back by libpng, and looked at pixel by pixel. */
#include "core/io/disk.h"
#include "core/io/image.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LOW = 0x440154, HIGH = 0xfde725, GREY = 0xa0a0a0, PAGE = 0xffffff };

typedef struct {
    char directory[64], file[80];
    png_image about;
    uint8_t *pixels;
} picture;

static int set_up(void **state) {
    picture *p = calloc(1, sizeof *p);
    strcpy(p->directory, "/tmp/wabe_image_XXXXXX");
    if (!mkdtemp(p->directory))
        return -1;
    strcpy(p->file, p->directory);
    strcat(p->file, "/slice.png");
    *state = p;
    return 0;
}

static int tear_down(void **state) {
    picture *p = *state;
    unlink(p->file);
    int result = rmdir(p->directory); /* fails if a temporary file was left */
    free(p->pixels);
    free(p);
    return result;
}

static void read_back(picture *p) {
    memset(&p->about, 0, sizeof p->about);
    p->about.version = PNG_IMAGE_VERSION;
    assert_true(png_image_begin_read_from_file(&p->about, p->file));
    assert_int_equal(p->about.format, PNG_FORMAT_RGB);
    free(p->pixels);
    p->pixels = malloc(PNG_IMAGE_SIZE(p->about));
    assert_true(png_image_finish_read(&p->about, NULL, p->pixels, 0, NULL));
}

static int colour_at(const picture *p, int64_t x, int64_t y) {
    const uint8_t *rgb = p->pixels + 3 * (y * (int64_t)p->about.width + x);
    return rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

/* The smallest rectangle around all pixels of a colour, and how many there are. */
typedef struct {
    int64_t left, top, right, bottom, count;
} extent;

static extent find(const picture *p, int colour) {
    extent e = {p->about.width, p->about.height, -1, -1, 0};
    for (int64_t y = 0; y < (int64_t)p->about.height; y++)
        for (int64_t x = 0; x < (int64_t)p->about.width; x++)
            if (colour_at(p, x, y) == colour) {
                e.left = x < e.left ? x : e.left;
                e.right = x > e.right ? x : e.right;
                e.top = y < e.top ? y : e.top;
                e.bottom = y > e.bottom ? y : e.bottom;
                e.count++;
            }
    return e;
}

/* One cell without a value, at the bottom left: a grey square whose side is the magnification. */
static void test_corners(void **state) {
    picture *p = *state;
    enum { W = 50, H = 20, ZOOM = 10 };
    float values[W * H];
    for (int i = 0; i < W * H; i++)
        values[i] = 0.5f;
    values[0] = NAN;
    values[W - 1] = -7;       /* below the range: the lowest colour */
    values[W * (H - 1)] = 99; /* above it: the highest */
    values[W * H - 1] = INFINITY;
    assert_int_equal(wabe_image_write(p->file, W, H, values, 0, 1, "u_x"), WABE_OK);
    read_back(p);
    assert_true(p->about.width > W * ZOOM && p->about.height > H * ZOOM);
    extent grey = find(p, GREY);
    assert_int_equal(grey.count, ZOOM * ZOOM);
    assert_int_equal(grey.right - grey.left, ZOOM - 1);
    assert_int_equal(grey.bottom - grey.top, ZOOM - 1);
    int64_t right = grey.left + W * ZOOM - 1, top = grey.bottom - H * ZOOM + 1;
    assert_int_equal(colour_at(p, right, grey.bottom), LOW);
    assert_int_equal(colour_at(p, grey.left, top), HIGH);
    assert_int_equal(colour_at(p, right, top), HIGH);
    int middle = colour_at(p, (grey.left + right) / 2, (top + grey.bottom) / 2);
    assert_in_range(middle >> 16, 28, 36); /* viridis(0.5) is 21918c or 20908d */
    assert_in_range(middle >> 8 & 255, 141, 149);
    assert_in_range(middle & 255, 136, 144);
    assert_int_equal(colour_at(p, 0, 0), PAGE);
    assert_true(find(p, LOW).bottom > grey.bottom); /* the bar lies below */
}

static void test_upright(void **state) {
    picture *p = *state;
    enum { W = 3, H = 600 };
    static float values[W * H];
    for (int i = 0; i < W * H; i++)
        values[i] = (float)i;
    assert_int_equal(wabe_image_write(p->file, W, H, values, 0, 0, NULL), WABE_OK);
    read_back(p);
    assert_true(p->about.height > H && p->about.height < H + 100);
    extent low = find(p, LOW), high = find(p, HIGH);
    assert_true(low.top > high.bottom);        /* row 0 is at the bottom */
    assert_true(low.right > low.left + 2 * W); /* the bar stands to the right */
}

static void test_odd_fields(void **state) {
    picture *p = *state;
    float one = 3, none = NAN;
    assert_int_equal(wabe_image_write(p->file, 1, 1, &one, 0, 0, "uniform"), WABE_OK);
    read_back(p);
    assert_true(p->about.width >= 480 && p->about.height >= 480);
    assert_true(find(p, 0xffffff).count > 0);
    assert_int_equal(wabe_image_write(p->file, 1, 1, &none, 0, 0, "\xc3\xa9 {|}~"), WABE_OK);
    read_back(p);
    assert_int_equal(find(p, GREY).count, 480 * 480);
    assert_int_equal(wabe_image_write(p->file, 1, 1, &one, 1, -1, "turned round"), WABE_OK);
    assert_int_equal(wabe_image_write(p->file, 0, 1, &one, 0, 1, "empty"), WABE_INTERNAL);
}

static void test_bad_path(void **state) {
    picture *p = *state;
    float value = 1;
    const char *nowhere = "/tmp/wabe_no_such_directory/slice.png";
    assert_int_equal(wabe_image_write(nowhere, 1, 1, &value, 0, 1, ""), WABE_FILE);
    assert_non_null(strstr(wabe_error_message(), nowhere));
    assert_non_null(strstr(wabe_error_message(), "No such file or directory"));
    assert_int_equal(wabe_image_write(p->directory, 1, 1, &value, 0, 1, ""), WABE_FILE);
    char part[96];
    snprintf(part, sizeof part, "%s%s", p->directory, wabe_disk_part_ending());
    assert_int_not_equal(access(part, F_OK), 0);
}

/* /dev/full takes nothing: what fopen accepts still has to be seen to reach the disk. */
static void test_full_disk(void **state) {
    picture *p = *state;
    char part[96];
    snprintf(part, sizeof part, "%s%s", p->file, wabe_disk_part_ending());
    float value = 1;
    if (symlink("/dev/full", part) != 0)
        skip();
    assert_int_equal(wabe_image_write(p->file, 1, 1, &value, 0, 1, ""), WABE_FILE);
    assert_non_null(strstr(wabe_error_message(), "No space left on device"));
    assert_int_not_equal(access(p->file, F_OK), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_corners, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_upright, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_fields, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_path, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_disk, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
