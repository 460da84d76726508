/* Arrays of spheres have the share of solid that they must have; files of spheres. */
#include "apps/geometry/particles.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- arrays ------------------------------------------------------------------------- */

enum { FINE = 5 }; /* points per cell and axis */

/* Share of the points of a domain that lie in a sphere. */
static double solid_share(const wabe_particles *p, const int64_t cells[3]) {
    int64_t inside = 0, all = 0;
    for (int64_t z = 0; z < FINE * cells[2]; z++)
        for (int64_t y = 0; y < FINE * cells[1]; y++)
            for (int64_t x = 0; x < FINE * cells[0]; x++, all++) {
                const double at[3] = {((double)x + 0.5) / FINE, ((double)y + 0.5) / FINE,
                                      ((double)z + 0.5) / FINE};
                bool solid = false;
                for (int k = 0; k < p->count && !solid; k++) {
                    const wabe_object *o = &p->list[k];
                    double square = 0.0;
                    for (int d = 0; d < 3; d++)
                        square += (at[d] - o->center[d]) * (at[d] - o->center[d]);
                    solid = square <= o->radius * o->radius;
                }
                inside += solid;
            }
    return (double)inside / (double)all;
}

static void arrays_have_their_share(void **state) {
    (void)state;
    static const struct {
        wabe_array array;
        int spheres; /* of a cube */
        double radius;
    } rows[] = {{WABE_ARRAY_SIMPLE_CUBIC, 1, 4.9},
                {WABE_ARRAY_BODY_CENTRED, 2, 4.2},
                {WABE_ARRAY_FACE_CENTRED, 4, 3.4}};
    const int64_t cells[3] = {20, 10, 30};
    for (int k = 0; k < 3; k++) {
        wabe_particles p;
        assert_int_equal(wabe_particles_array(rows[k].array, 10.0, rows[k].radius, cells, &p),
                         WABE_OK);
        const double share = rows[k].spheres * 4.0 / 3.0 * acos(-1.0) *
                             pow(rows[k].radius / 10.0, 3.0);
        assert_float_equal(solid_share(&p, cells), share, 0.01 * share);
        wabe_particles_free(&p);
    }
}

/* Those alone that reach into the domain, and all of them: spheres that are larger than their cube
 * come from far away. */
static void arrays_end_with_the_domain(void **state) {
    (void)state;
    wabe_particles p;
    assert_int_equal(wabe_particles_array(WABE_ARRAY_SIMPLE_CUBIC, 10.0, 4.9,
                                          (const int64_t[3]){20, 10, 30}, &p),
                     WABE_OK);
    assert_int_equal(p.count, 6);
    assert_true(p.list[0].shape == WABE_SHAPE_SPHERE && p.list[0].radius == 4.9);
    for (int d = 0; d < 3; d++)
        assert_true(p.list[0].center[d] == 5.0);
    wabe_particles_free(&p);
    assert_int_equal(wabe_particles_array(WABE_ARRAY_SIMPLE_CUBIC, 10.0, 5.1,
                                          (const int64_t[3]){10, 10, 10}, &p),
                     WABE_OK);
    assert_int_equal(p.count, 7);
    wabe_particles_free(&p);
    assert_int_equal(wabe_particles_array(WABE_ARRAY_BODY_CENTRED, 10.0, 4.0,
                                          (const int64_t[3]){10, 10, 10}, &p),
                     WABE_OK);
    assert_int_equal(p.count, 9);
    wabe_particles_free(&p);
    assert_int_equal(wabe_particles_array(WABE_ARRAY_FACE_CENTRED, 10.0, 3.0,
                                          (const int64_t[3]){10, 10, 10}, &p),
                     WABE_OK);
    assert_int_equal(p.count, 14);
    wabe_particles_free(&p);
}

static void bad_arrays_are_refused(void **state) {
    (void)state;
    wabe_particles p;
    const int64_t cells[3] = {10, 10, 10};
    const wabe_array array = WABE_ARRAY_SIMPLE_CUBIC;
    assert_int_equal(wabe_particles_array(array, 0.0, 1.0, cells, &p), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "lattice constant"));
    assert_int_equal(wabe_particles_array(array, 5.0, -1.0, cells, &p), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "radius"));
    assert_int_equal(wabe_particles_array(array, NAN, 1.0, cells, &p), WABE_INPUT);
    assert_int_equal(wabe_particles_array(array, 1e-6, 1.0, cells, &p), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "larger"));
    assert_int_equal(p.count, 0);
}

/* ---- files -------------------------------------------------------------------------- */

static char name[] = "/tmp/wabe_particles_XXXXXX";

static wabe_status read_text(const char *text, wabe_particles *out) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return wabe_particles_read(name, out);
}

static void spheres_are_read(void **state) {
    (void)state;
    wabe_particles p;
    assert_int_equal(read_text("# from a tomography\n\nx, y, z, radius\n1,2,3,4\n"
                               "  -1.5e1 ,\t.25 , 3 , 0.5 \r\n# the end\n7,8,9,10",
                               &p),
                     WABE_OK);
    static const double expected[3][4] = {{1, 2, 3, 4}, {-15, 0.25, 3, 0.5}, {7, 8, 9, 10}};
    assert_int_equal(p.count, 3);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(p.list[k].shape, WABE_SHAPE_SPHERE);
        assert_memory_equal(p.list[k].center, expected[k], sizeof p.list[k].center);
        assert_true(p.list[k].radius == expected[k][3] && p.list[k].bore == 0.0);
    }
    wabe_particles_free(&p);
    assert_int_equal(read_text("1,2,3,4\n", &p), WABE_OK);
    assert_int_equal(p.count, 1);
    wabe_particles_free(&p);
}

static void many_spheres_are_read(void **state) {
    (void)state;
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    for (int k = 0; k < 1000; k++)
        fprintf(file, "%d,%d,%d,%g\n", k, 2 * k, 3 * k, 0.5 * (k + 1));
    fclose(file);
    wabe_particles p;
    assert_int_equal(wabe_particles_read(name, &p), WABE_OK);
    assert_int_equal(p.count, 1000);
    for (int k = 0; k < 1000; k++)
        assert_true(p.list[k].center[2] == 3.0 * k && p.list[k].radius == 0.5 * (k + 1));
    wabe_particles_free(&p);
}

static void bad_lines_are_named(void **state) {
    (void)state;
    static const char *const lines[] = {"1,2,3",        "1,2,3,4,5", "1 2 3 4",   "1,2,3,0",
                                        "1,2,3,-4",     "1,2,3,nan", "1,2,inf,4", "1,2,three,4",
                                        "x,y,z,radius", ",2,3,4",    "1,2,3,4 m", "1,2,3,"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char text[100], place[100];
        wabe_particles p;
        snprintf(text, sizeof text, "x,y,z,r\n1,2,3,4\n%s\n1,2,3,4\n", lines[k]);
        assert_int_equal(read_text(text, &p), WABE_INPUT);
        snprintf(place, sizeof place, "%s:3: \"%s\"", name, lines[k]);
        assert_non_null(strstr(wabe_error_message(), place));
        assert_non_null(strstr(wabe_error_message(), "x, y, z, radius"));
        assert_true(p.count == 0 && p.list == NULL);
    }
}

static void files_without_spheres_are_refused(void **state) {
    (void)state;
    wabe_particles p;
    assert_int_equal(read_text("", &p), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), name));
    assert_int_equal(read_text("x,y,z,radius\n# none\n", &p), WABE_INPUT);
    assert_int_equal(read_text("x,y,z,radius\nx,y,z,radius\n", &p), WABE_INPUT);
    assert_int_equal(wabe_particles_read("/nowhere/spheres.csv", &p), WABE_FILE);
    assert_non_null(strstr(wabe_error_message(), "/nowhere/spheres.csv"));
    assert_int_equal(wabe_particles_read("/tmp", &p), WABE_FILE);
}

/* Opening a FIFO would wait, a device never ends, and of a line without an end there is no telling.
 */
static void other_files_are_refused(void **state) {
    (void)state;
    wabe_particles p;
    assert_int_equal(wabe_particles_read("/dev/zero", &p), WABE_FILE);
    assert_non_null(strstr(wabe_error_message(), "/dev/zero"));
    char fifo[64];
    snprintf(fifo, sizeof fifo, "%s.fifo", name);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    const wabe_status status = wabe_particles_read(fifo, &p);
    unlink(fifo);
    assert_int_equal(status, WABE_FILE);
    assert_int_equal(read_text("", &p), WABE_INPUT);
    assert_int_equal(truncate(name, 1 << 20), 0); /* of NULs */
    assert_int_equal(wabe_particles_read(name, &p), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), ":1: "));
    if (truncate(name, (off_t)1 << 40) == 0) /* which takes no room */
        assert_int_equal(wabe_particles_read(name, &p), WABE_INPUT);
}

static int open_file(void **state) {
    (void)state;
    const int file = mkstemp(name);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state) {
    (void)state;
    return remove(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_have_their_share),
        cmocka_unit_test(arrays_end_with_the_domain),
        cmocka_unit_test(bad_arrays_are_refused),
        cmocka_unit_test(spheres_are_read),
        cmocka_unit_test(many_spheres_are_read),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(files_without_spheres_are_refused),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, open_file, remove_file);
}
