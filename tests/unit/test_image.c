/* Pictures: written, read back by libpng, and looked at pixel by pixel. */
#include "core/io/disk.h"
#include "core/io/image.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { LOW = 0x440154, HIGH = 0xfde725, GREY = 0xa0a0a0 };

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
    assert_int_equal(p->about.format, PNG_FORMAT_RGB_COLORMAP);
    p->about.format = PNG_FORMAT_RGB;
    free(p->pixels);
    p->pixels = malloc(PNG_IMAGE_SIZE(p->about));
    assert_true(png_image_finish_read(&p->about, NULL, p->pixels, 0, NULL));
}

/* Writes what is at values, and reads it back. */
static wabe_image draw(picture *p, int64_t width, int64_t height, const float *values, double low,
                       double high) {
    wabe_image image = {.width = width,
                        .height = height,
                        .values = values,
                        .low = low,
                        .high = high,
                        .title = "u_x",
                        .unit = "m/s"};
    assert_int_equal(wabe_image_write(p->file, &image, NULL), WABE_OK);
    read_back(p);
    return image;
}

/* Does the file have a text chunk of this keyword with this text? */
static bool has_text(const picture *p, const char *keyword, const char *text) {
    char bytes[16384], wanted[128];
    FILE *file = fopen(p->file, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const size_t length = (size_t)snprintf(wanted, sizeof wanted, "tEXt%s%c%s", keyword, 0, text);
    for (size_t i = 4; i + length <= size; i++)
        if (memcmp(bytes + i, wanted, length) == 0)
            return (size_t)bytes[i - 1] + 4 == length;
    return false;
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
    draw(p, W, H, values, 0, 1);
    assert_int_equal(p->about.width, W * ZOOM);
    assert_int_equal(p->about.height, H * ZOOM);
    extent grey = find(p, GREY);
    assert_int_equal(grey.count, ZOOM * ZOOM);
    assert_int_equal(grey.left, 0);
    assert_int_equal(grey.right, ZOOM - 1);
    assert_int_equal(grey.top, (H - 1) * ZOOM);
    assert_int_equal(grey.bottom, H * ZOOM - 1);
    assert_int_equal(colour_at(p, W * ZOOM - 1, H * ZOOM - 1), LOW);
    assert_int_equal(colour_at(p, 0, 0), HIGH);
    assert_int_equal(colour_at(p, W * ZOOM - 1, 0), HIGH);
    int middle = colour_at(p, W * ZOOM / 2, H * ZOOM / 2);
    assert_in_range(middle >> 16, 28, 36); /* viridis(0.5) is 21918c or 20908d */
    assert_in_range(middle >> 8 & 255, 141, 149);
    assert_in_range(middle & 255, 136, 144);
}

static void test_upright(void **state) {
    picture *p = *state;
    enum { W = 3, H = 600 };
    static float values[W * H];
    for (int i = 0; i < W * H; i++)
        values[i] = (float)i;
    const wabe_image image = draw(p, W, H, values, 0, 0);
    assert_int_equal(p->about.width, W);
    assert_int_equal(p->about.height, H);
    assert_true(find(p, LOW).top > find(p, HIGH).bottom); /* row 0 is at the bottom */
    assert_true(image.low == 0.0 && image.high == W * H - 1.0);
}

/* Planes of 2 x 3 x 4 cells: where the coordinate along the axis grows to in the picture. */
static void test_views(void **state) {
    picture *p = *state;
    static const struct {
        int normal, upward, right, up;
        bool downwards;
    } rows[] = {{0, 0, 1, 2, false}, {0, 1, 2, 1, false}, {0, 2, 1, 2, false},
                {1, 0, 2, 0, false}, {1, 1, 0, 2, true},  {1, 2, 0, 2, false},
                {2, 0, 1, 0, false}, {2, 1, 0, 1, false}, {2, 2, 0, 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t cells[3] = {2, 3, 4}, at[3] = {0};
        float right[12], up[12], *values[2] = {right, up};
        const int normal = rows[i].normal;
        const wabe_image_view view = wabe_image_view_of(normal, rows[i].upward);
        assert_int_equal(view.right, rows[i].right);
        assert_int_equal(view.up, rows[i].up);
        assert_int_equal(view.downwards, rows[i].downwards);
        cells[normal] = 1;
        for (int64_t n = 0; n < cells[0] * cells[1] * cells[2]; n++) {
            for (int64_t d = 0, rest = n; d < 3; rest /= cells[d++])
                at[d] = rest % cells[d];
            right[n] = (float)at[view.right];
            up[n] = (float)at[view.up];
        }
        for (int axis = 0; axis < 2; axis++) {
            wabe_image image = {.title = "", .unit = ""};
            wabe_image_look(&image, view, cells, values[axis]);
            assert_int_equal(wabe_image_write(p->file, &image, NULL), WABE_OK);
            read_back(p);
            const extent low = find(p, LOW), high = find(p, HIGH);
            assert_int_equal(p->about.width * cells[view.up], p->about.height * cells[view.right]);
            assert_true(axis == 0        ? low.right < high.left && low.top == high.top
                        : view.downwards ? low.bottom < high.top && low.left == high.left
                                         : low.top > high.bottom && low.left == high.left);
        }
    }
}

/* What the colours mean: the range as it is given, or as the values have it. */
static void test_texts(void **state) {
    picture *p = *state;
    const float values[] = {0.25f, NAN, -1.5f, INFINITY};
    draw(p, 2, 2, values, 0, 0);
    assert_true(has_text(p, "Title", "u_x"));
    assert_true(has_text(p, "Minimum", "-1.5"));
    assert_true(has_text(p, "Maximum", "0.25"));
    assert_true(has_text(p, "Unit", "m/s"));
    draw(p, 2, 2, values, -3, 1e-9);
    assert_true(has_text(p, "Minimum", "-3"));
    assert_true(has_text(p, "Maximum", "1e-09"));
}

static void test_odd_fields(void **state) {
    picture *p = *state;
    float one = 3, none = NAN;
    draw(p, 1, 1, &one, 0, 0);
    assert_int_equal(p->about.width, 480);
    assert_int_equal(p->about.height, 480);
    const int uniform = colour_at(p, 0, 0);
    assert_true(uniform != LOW && uniform != HIGH && uniform != GREY);
    const float rounded[2] = {300.0f, 300.0001f}, apart[2] = {300.0f, 300.01f};
    draw(p, 2, 1, rounded, 0, 0); /* a float's next values */
    assert_true(has_text(p, "Maximum", "300.000046"));
    assert_int_equal(colour_at(p, 0, 0), uniform);
    assert_int_equal(colour_at(p, 479, 0), uniform);
    draw(p, 2, 1, apart, 0, 0);
    assert_int_equal(colour_at(p, 0, 0), LOW);
    assert_int_equal(colour_at(p, 479, 0), HIGH);
    draw(p, 1, 1, &none, 0, 0);
    assert_int_equal(find(p, GREY).count, 480 * 480);
    draw(p, 1, 1, &one, 1, -1);
    wabe_image empty = {0, 1, &one, 0, 1, false, "", "", NULL, 0, 0};
    assert_int_equal(wabe_image_write(p->file, &empty, NULL), WABE_INTERNAL);
}

static void test_bad_path(void **state) {
    picture *p = *state;
    float value = 1;
    wabe_image image = {1, 1, &value, 0, 1, false, "", "", NULL, 0, 0};
    const char *nowhere = "/tmp/wabe_no_such_directory/slice.png";
    assert_int_equal(wabe_image_write(nowhere, &image, NULL), WABE_FILE);
    assert_non_null(strstr(wabe_error_message(), nowhere));
    assert_non_null(strstr(wabe_error_message(), "No such file or directory"));
    assert_int_equal(wabe_image_write(p->directory, &image, NULL), WABE_FILE);
    char part[96];
    snprintf(part, sizeof part, "%s%s", p->directory, wabe_disk_part_ending());
    assert_int_not_equal(access(part, F_OK), 0);
}

/* Colours that diverge: those of a range of both signs have 0 in the middle. */
static void test_signs(void **state) {
    picture *p = *state;
    const float values[] = {-1.0f, 0.0f, 3.0f};
    wabe_image image = {3, 1, values, 0, 0, true, "vorticity", "1/s", NULL, 0, 0};
    assert_int_equal(wabe_image_write(p->file, &image, NULL), WABE_OK);
    read_back(p);
    assert_true(image.low == -3.0 && image.high == 3.0);
    const int middle = colour_at(p, 240, 0), last = colour_at(p, 479, 0);
    assert_true((middle >> 16) - (middle & 255) < 8 && (middle & 255) - (middle >> 16) < 8);
    assert_true((last >> 16) > 150 && (last & 255) < 60);               /* red */
    assert_true((colour_at(p, 0, 0) & 255) > colour_at(p, 0, 0) >> 16); /* blue */
}

/* A figure has the image's colours in its frame, on white, with text and a bar of all colours. */
static void test_legend(void **state) {
    picture *p = *state;
    enum { W = 320, H = 200, SIDE = 640 };
    static float values[W * H];
    for (int i = 0; i < W * H; i++)
        values[i] = i % W < W / 2 ? 0.0f : 1.0f;
    values[0] = NAN; /* at the bottom left: a grey square */
    wabe_image right = {W, H, values, -1, 1, true, "vorticity", "1/s", NULL, 0, 0};
    wabe_image image = {W, H, values, 0, 1, false, "velocity", "m/s", &right, 0, 0};
    const wabe_image_legend legend = {
        "case: y = 3 m, 2 s (step 10)", {"x", "m", 0, 0.4}, {"z", "m", 0, 0.25}, false, false};
    if (!wabe_image_has_legends())
        skip();
    assert_int_equal(wabe_image_write(p->file, &image, &legend), WABE_OK);
    read_back(p);
    const extent low = find(p, LOW), high = find(p, HIGH), grey = find(p, GREY);
    assert_in_range(low.count, SIDE / 2 * (SIDE * H / W) - 8 * SIDE, SIDE / 2 * (SIDE * H / W));
    assert_int_equal(low.bottom - low.top + 1, SIDE * H / W);
    assert_true(high.left > low.left + SIDE / 2 - 4);
    assert_int_equal(grey.count, 2 * 2 * 2); /* two pixels a cell, two panels */
    assert_int_equal(colour_at(p, 0, 0), 0xffffff);
    assert_true(find(p, 0).count > 4 * SIDE); /* frames */
    assert_true(has_text(p, "Title", "velocity") && has_text(p, "Title", "vorticity"));
    const int low_rows = find(p, LOW).count;
    wabe_image_legend plain = legend;
    plain.without_bar = true;
    assert_int_equal(wabe_image_write(p->file, &image, &plain), WABE_OK);
    read_back(p);
    assert_true(find(p, LOW).count < low_rows); /* the bar's lower end */
}

/* Returns the colours on the middle row of a written picture; of a change from LOW to HIGH. */
static int colours_on_the_way(picture *p) {
    read_back(p);
    const extent low = find(p, LOW);
    const int64_t y = (low.top + low.bottom) / 2;
    int before = -1, colours = 0;
    for (int64_t x = low.left; x < low.left + 640; x++) {
        colours += colour_at(p, x, y) != before;
        before = colour_at(p, x, y);
    }
    assert_int_equal(before, HIGH);
    return colours;
}

/* Between two cells colours change smoothly, and never to a value that no cell has; or not at all.
 */
static void test_smooth(void **state) {
    picture *p = *state;
    const float values[] = {0.0f, 1.0f};
    wabe_image image = {2, 1, values, 0, 1, false, "u", "", NULL, 0, 0};
    wabe_image_legend legend = {"", {"x", "", 0, 2}, {"z", "", 0, 1}, false, false};
    if (!wabe_image_has_legends())
        skip();
    assert_int_equal(wabe_image_write(p->file, &image, &legend), WABE_OK);
    assert_true(colours_on_the_way(p) > 100);
    legend.squares = true;
    assert_int_equal(wabe_image_write(p->file, &image, &legend), WABE_OK);
    assert_int_equal(colours_on_the_way(p), 2);
}

/* A limit on the size of files stands in for a full disk: what libpng could write still has to be
 * seen to reach the disk. */
static void test_full_disk(void **state) {
    picture *p = *state;
    float value = 1;
    wabe_image image = {1, 1, &value, 0, 1, false, "", "", NULL, 0, 0};
    struct rlimit old, low;
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 10;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &low);
    const wabe_status status = wabe_image_write(p->file, &image, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, WABE_FILE);
    assert_non_null(strstr(wabe_error_message(), "File too large"));
    assert_int_not_equal(access(p->file, F_OK), 0);
}

static int64_t bytes_of(const char *file) {
    struct stat about;
    assert_int_equal(lstat(file, &about), 0);
    return S_ISREG(about.st_mode) ? about.st_size : -1;
}

/* Links that lie where the picture and its temporary name are to be. */
static void test_links(void **state) {
    picture *p = *state;
    char part[112], other[96];
    float value = 1;
    wabe_image image = {1, 1, &value, 0, 1, false, "", "", NULL, 0, 0};
    snprintf(part, sizeof part, "%s%s", p->file, wabe_disk_part_ending());
    snprintf(other, sizeof other, "%s/other", p->directory);
    FILE *file = fopen(other, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(symlink(other, part), 0);
    assert_int_equal(symlink(other, p->file), 0);
    assert_int_equal(wabe_image_write(p->file, &image, NULL), WABE_OK);
    assert_int_equal(bytes_of(other), 0);
    assert_true(bytes_of(p->file) > 0);
    unlink(other);
}

/* Links, devices and folders are no targets for files that a user names. */
static void test_targets(void **state) {
    picture *p = *state;
    assert_int_equal(wabe_disk_check_target(p->file), WABE_OK);
    assert_int_not_equal(access(p->file, F_OK), 0);
    assert_int_equal(symlink("/nowhere/at/all", p->file), 0);
    assert_int_equal(wabe_disk_check_target(p->file), WABE_FILE);
    assert_non_null(strstr(wabe_error_message(), p->file));
    assert_non_null(strstr(wabe_error_message(), "symbolic link"));
    assert_int_equal(wabe_disk_check_target("/dev/null"), WABE_FILE);
    assert_int_equal(wabe_disk_check_target(p->directory), WABE_FILE);
    assert_int_equal(wabe_disk_check_target("/nowhere/at/all"), WABE_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_corners, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_upright, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_views, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_fields, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_signs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_legend, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_smooth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_path, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_disk, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_targets, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
