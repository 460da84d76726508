/* Meshes: spheres and boxes from files are as large as they should be, and the same in any box;
 * holes are found; files that are damaged or none are refused. */
#include "apps/geometry/mesh.h"
#include "apps/geometry/stl.h"
#include "core/base/hash.h"
#include "core/base/sort.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

enum { TRIANGLES_MAX = 40000, CELLS_MAX = 100 * 100 * 100 };

static float corners[TRIANGLES_MAX][3][3];
static int count;
static uint8_t inside[CELLS_MAX], part[CELLS_MAX];
static char directory[] = "/tmp/wabe_mesh_XXXXXX", file[64];

static int make_directory(void **state) {
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(file, sizeof file, "%s/mesh.stl", directory);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    unlink(file);
    return rmdir(directory);
}

/* ---- files -------------------------------------------------------------------------- */

static void write_bytes(const void *bytes, size_t size) {
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

/* All triangles; as many bytes more or fewer as stated. */
static void write_binary(const char *header, int more) {
    static uint8_t bytes[84 + 50 * TRIANGLES_MAX + 100];
    const uint32_t triangles = (uint32_t)count;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, header, strlen(header));
    memcpy(bytes + 80, &triangles, sizeof triangles);
    for (int i = 0; i < count; i++)
        memcpy(bytes + 84 + 50 * i + 12, corners[i], sizeof corners[i]);
    write_bytes(bytes, 84 + 50 * (size_t)count + (size_t)more);
}

static void write_text(void) {
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fprintf(out, "solid a name of several words\n");
    for (int i = 0; i < count; i++) {
        fprintf(out, "  facet normal 0 0 0\r\n\touter loop\n");
        for (int k = 0; k < 3; k++)
            fprintf(out, "VERTEX %.9g %.9e  %.9g\n", corners[i][k][0], corners[i][k][1],
                    corners[i][k][2]);
        fprintf(out, "endloop\n\nendfacet\n");
    }
    fprintf(out, "endsolid");
    fclose(out);
}

static wabe_mesh read_mesh(double scale, double x, double y, double z) {
    const wabe_mesh_placement placement = {.scale = scale, .place = {x, y, z}};
    wabe_mesh mesh;
    if (wabe_mesh_read(file, &placement, &mesh) != WABE_OK)
        fail_msg("%s", wabe_error_message());
    return mesh;
}

/* ---- surfaces ----------------------------------------------------------------------- */

static void add(const double a[3], const double b[3], const double c[3]) {
    const double *const all[3] = {a, b, c};
    assert_true(count < TRIANGLES_MAX);
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++)
            corners[count][k][d] = (float)all[k][d];
    count++;
}

/* The box between the origin and a corner, moved; its triangles face outward. */
static void add_box(const double size[3], double moved) {
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            double p[4][3];
            for (int i = 0; i < 4; i++) {
                p[i][d] = side * size[d];
                p[i][(d + 1) % 3] = i == 1 || i == 2 ? size[(d + 1) % 3] : 0.0;
                p[i][(d + 2) % 3] = i >= 2 ? size[(d + 2) % 3] : 0.0;
                for (int e = 0; e < 3; e++)
                    p[i][e] += moved;
            }
            add(p[0], p[2 - side], p[1 + side]);
            add(p[0], p[3 - side], p[2 + side]);
        }
}

/* Of radius 1 about the origin, with n points around. */
static void point_of(int i, int j, int n, double p[3]) {
    const double a = 2.0 * PI * (i % n) / n, b = 2.0 * PI * j / n;
    const double ring = j == 0 || 2 * j == n ? 0.0 : sin(b);
    p[0] = ring * cos(a), p[1] = ring * sin(a), p[2] = cos(b);
}

static void add_sphere(int n) {
    for (int j = 0; j < n / 2; j++)
        for (int i = 0; i < n; i++) {
            double p[4][3];
            for (int k = 0; k < 4; k++)
                point_of(i + (k == 1 || k == 2), j + k / 2, n, p[k]);
            add(p[0], p[1], p[2]);
            add(p[0], p[2], p[3]);
        }
}

/* Enclosed by the triangles. */
static double volume_of(const wabe_mesh *m) {
    double sum = 0.0;
    for (int64_t i = 0; i < m->count; i++) {
        const float *a = m->corners + 9 * i, *b = a + 3, *c = a + 6;
        sum += (double)a[0] * ((double)b[1] * c[2] - (double)b[2] * c[1]) +
               (double)a[1] * ((double)b[2] * c[0] - (double)b[0] * c[2]) +
               (double)a[2] * ((double)b[0] * c[1] - (double)b[1] * c[0]);
    }
    return fabs(sum) / 6.0;
}

static wabe_mesh_count count_of(const wabe_mesh *mesh) {
    wabe_mesh_count n = {0};
    assert_int_equal(wabe_mesh_cells(mesh, wabe_mesh_box(mesh), NULL, &n), WABE_OK);
    return n;
}

/* ---- what is inside ----------------------------------------------------------------- */

/* Root mean square of the relative errors of the volume at several places. */
static double sphere_error(double radius) {
    double sum = 0.0;
    enum { PLACES = 8 };
    for (int i = 0; i < PLACES; i++) {
        wabe_mesh mesh = read_mesh(radius, 50 + 0.37 * i, 50 + 0.61 * i, 50 + 0.17 * i);
        const wabe_mesh_count n = count_of(&mesh);
        const double error = (double)n.inside / volume_of(&mesh) - 1.0;
        assert_int_equal(n.doubt, 0);
        assert_true(fabs(error) < 0.01 * 20.0 / radius);
        sum += error * error / PLACES;
        wabe_mesh_free(&mesh);
    }
    return sqrt(sum);
}

static void spheres_have_their_volume(void **state) {
    (void)state;
    count = 0;
    add_sphere(100);
    write_binary("", 0);
    const double coarse = sphere_error(10.0), medium = sphere_error(20.0),
                 fine = sphere_error(40.0);
    print_message("relative errors of the volume: %.2g, %.2g, %.2g\n", coarse, medium, fine);
    assert_true(medium < 0.5 * coarse && fine < 0.5 * medium);
}

/* Faces and edges lie exactly on the centres of cells: the cells on one side count, no others. */
static void boxes_between_centres_have_their_cells(void **state) {
    (void)state;
    count = 0;
    add_box((double[3]){5, 6, 7}, 0.0);
    write_binary("solid", 0);
    wabe_mesh mesh = read_mesh(2.0, 3.5, 4.5, 5.5);
    assert_int_equal(count_of(&mesh).inside, 10 * 12 * 14);
    assert_int_equal(count_of(&mesh).doubt, 0);
    wabe_mesh_free(&mesh);
}

/* Is a cell's centre inside a box of half these sizes about a place, turned about x, y, z? NAN: at
 * its surface. */
static double is_in_turned(const int64_t cell[3], const double half[3], const double place[3],
                           const double degrees[3]) {
    double p[3];
    for (int d = 0; d < 3; d++)
        p[d] = (double)cell[d] + 0.5 - place[d];
    for (int axis = 2; axis >= 0; axis--) { /* back */
        const double angle = degrees[axis] * PI / 180.0;
        const int a = (axis + 1) % 3, b = (axis + 2) % 3;
        const double pa = p[a], pb = p[b];
        p[a] = cos(angle) * pa + sin(angle) * pb;
        p[b] = cos(angle) * pb - sin(angle) * pa;
    }
    double depth = INFINITY;
    for (int d = 0; d < 3; d++)
        depth = fmin(depth, half[d] - fabs(p[d]));
    return fabs(depth) < 0.01 ? NAN : depth > 0.0;
}

static void turned_boxes_are_where_they_should_be(void **state) {
    (void)state;
    const double size[3] = {10, 16, 24}, half[3] = {5, 8, 12};
    const wabe_mesh_placement placement = {1.0, {30, -50, 70}, {20.2, 21.3, 19.4}};
    const wabe_box box = {.end = {40, 40, 40}};
    count = 0;
    add_box(size, 0.0);
    for (int i = 0; i < 3 * count; i++)
        for (int d = 0; d < 3; d++)
            corners[i / 3][i % 3][d] -= (float)half[d];
    write_text();
    wabe_mesh mesh;
    assert_int_equal(wabe_mesh_read(file, &placement, &mesh), WABE_OK);
    assert_int_equal(wabe_mesh_cells(&mesh, box, inside, NULL), WABE_OK);
    int64_t at[3], solid = 0;
    for (at[2] = 0; at[2] < 40; at[2]++)
        for (at[1] = 0; at[1] < 40; at[1]++)
            for (at[0] = 0; at[0] < 40; at[0]++) {
                const double expected = is_in_turned(at, half, placement.place, placement.rotation);
                const uint8_t found = inside[wabe_box_place(box, at[0], at[1], at[2])];
                assert_true(isnan(expected) || found == expected);
                solid += found;
            }
    assert_true(fabs((double)solid / (10.0 * 16.0 * 24.0) - 1.0) < 0.02);
    wabe_mesh_free(&mesh);
}

static void overlaps_are_outside(void **state) {
    (void)state;
    count = 0;
    add_box((double[3]){10, 10, 10}, 0.0);
    add_box((double[3]){10, 10, 10}, 5.0);
    write_binary("", 0);
    wabe_mesh mesh = read_mesh(1.0, 0, 0, 0);
    assert_int_equal(count_of(&mesh).inside, 2 * (1000 - 125));
    assert_int_equal(count_of(&mesh).doubt, 0);
    assert_int_equal(count_of(&mesh).twice, 125);
    wabe_mesh_free(&mesh);
}

/* Makes triangles face the other way. */
static void turn_over(int begin, int end) {
    for (int i = begin; i < end; i++)
        for (int d = 0; d < 3; d++) {
            const float kept = corners[i][1][d];
            corners[i][1][d] = corners[i][2][d];
            corners[i][2][d] = kept;
        }
}

/* A surface that faces inward bounds a cavity; the same part twice is in itself; parts that touch
 * do not overlap. */
static void cavities_are_no_overlaps(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        count = 0;
        add_box((double[3]){20, 20, 20}, 0.0);
        if (k < 2)
            add_box((double[3]){10, 10, 10}, 5.0);
        else
            add_box((double[3]){20, 20, 20}, k == 2 ? 0.0 : 20.0);
        if (k == 0)
            turn_over(12, 24);
        write_binary("", 0);
        wabe_mesh mesh = read_mesh(1.0, 0.2, 0.3, 0.4);
        const wabe_mesh_count n = count_of(&mesh);
        assert_int_equal(n.inside, k < 2 ? 7000 : k == 2 ? 0 : 16000);
        assert_int_equal(n.twice, k == 0 ? 0 : k == 1 ? 1000 : k == 2 ? 8000 : 0);
        wabe_mesh_free(&mesh);
    }
}

/* Holes too: what a cell is does not depend on where else one looks. */
static void parts_are_those_of_the_whole(void **state) {
    (void)state;
    count = 0;
    add_sphere(60);
    count -= 7;
    write_binary("", 0);
    wabe_mesh mesh = read_mesh(31.0, 40.3, 41.7, 39.9);
    const wabe_box all = {{-3, 5, 2}, {90, 84, 77}};
    wabe_mesh_count whole = {0}, sum = {0};
    assert_int_equal(wabe_mesh_cells(&mesh, all, inside, &whole), WABE_OK);
    for (int i = 0; i < 27; i++) {
        const int step[3] = {i % 3, i / 3 % 3, i / 9};
        wabe_box box;
        for (int d = 0; d < 3; d++) {
            const int64_t cuts[4] = {all.begin[d], 13 + d, 63, all.end[d]};
            box.begin[d] = cuts[step[d]];
            box.end[d] = cuts[step[d] + 1];
        }
        assert_int_equal(wabe_mesh_cells(&mesh, box, part, &sum), WABE_OK);
        for (int64_t z = box.begin[2], k = 0; z < box.end[2]; z++)
            for (int64_t y = box.begin[1]; y < box.end[1]; y++)
                for (int64_t x = box.begin[0]; x < box.end[0]; x++, k++)
                    assert_int_equal(part[k], inside[wabe_box_place(all, x, y, z)]);
    }
    assert_true(whole.doubt > 0 && whole.some - whole.inside <= whole.doubt);
    assert_memory_equal(&whole, &sum, sizeof sum);
    wabe_mesh_free(&mesh);
}

static void trimmed_meshes_have_the_same_cells(void **state) {
    (void)state;
    const wabe_box parts[2] = {{{20, 10, 30}, {45, 30, 50}}, {{60, 50, 40}, {75, 80, 60}}};
    uint8_t whole[25 * 20 * 20 + 15 * 30 * 20], *at = whole;
    count = 0;
    add_sphere(100);
    write_binary("", 0);
    wabe_mesh mesh = read_mesh(31.0, 40.3, 41.7, 39.9);
    for (int i = 0; i < 2; at += wabe_box_cells(parts[i++]))
        assert_int_equal(wabe_mesh_cells(&mesh, parts[i], at, NULL), WABE_OK);
    wabe_mesh_trim(&mesh, 2, parts);
    assert_in_range(mesh.count, 1, count * 3 / 4);
    at = whole;
    for (int i = 0; i < 2; at += wabe_box_cells(parts[i++])) {
        assert_int_equal(wabe_mesh_cells(&mesh, parts[i], part, NULL), WABE_OK);
        assert_memory_equal(part, at, wabe_box_cells(parts[i]));
    }
    assert_int_equal(wabe_mesh_cells(&mesh, (wabe_box){{20, 10, 30}, {45, 31, 50}}, part, NULL),
                     WABE_INTERNAL);
    wabe_mesh_free(&mesh);
}

/* What is around a mesh is what is not inside, also in boxes that it does not reach. */
static void what_is_around_is_all_else(void **state) {
    (void)state;
    const wabe_box domain = {{0, 0, 0}, {60, 50, 40}};
    const wabe_box boxes[] = {domain, {{10, 0, 5}, {31, 50, 40}}, {{0, 0, 0}, {4, 3, 2}}};
    count = 0;
    add_sphere(40);
    write_binary("", 0);
    wabe_mesh mesh = read_mesh(18.0, 30.3, 21.7, 44.0); /* cut off at the domain's face */
    const wabe_raster raster = wabe_mesh_raster_around(&mesh, domain, 7);
    assert_int_equal(raster.condition, 7);
    assert_memory_equal(&raster.box, &domain, sizeof domain);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wabe_mesh_cells(&mesh, boxes[i], inside, NULL), WABE_OK);
        assert_int_equal(raster.read(raster.source, boxes[i], part), WABE_OK);
        for (int64_t k = 0; k < wabe_box_cells(boxes[i]); k++)
            assert_true(inside[k] + part[k] == 1);
    }
    wabe_mesh_free(&mesh);
}

/* The part of a way of one cell, from cell - way, that lies outside a sphere; NAN: all or nothing.
 */
static double cut_of_sphere(const double centre[3], double radius, const int64_t cell[3],
                            const int way[3]) {
    double a = 0.0, b = 0.0, c = -radius * radius, to = c;
    for (int d = 0; d < 3; d++) {
        const double end = (double)cell[d] + 0.5 - centre[d], from = end - way[d];
        a += way[d] * way[d];
        b += way[d] * from;
        c += from * from;
        to += end * end;
    }
    return c > 0.0 && to < 0.0 ? (-b - sqrt(b * b - a * c)) / a : NAN;
}

/* Triangles lie up to 2 radius (1 - cos(pi / 100)), 0.009, within the sphere, which ways that graze
 * it meet later. A trimmed mesh has the same bits. */
static void surfaces_are_found_between_cells(void **state) {
    (void)state;
    const double radius = 9.0, centre[3] = {20.3, 21.7, 19.9};
    const wabe_box box = {{9, 10, 8}, {32, 33, 24}};
    int64_t found = 0, exact = 0;
    count = 0;
    add_sphere(100);
    write_binary("", 0);
    wabe_mesh whole = read_mesh(radius, centre[0], centre[1], centre[2]);
    wabe_mesh trimmed = read_mesh(radius, centre[0], centre[1], centre[2]);
    wabe_mesh_trim(&trimmed, 1, &box);
    assert_true(trimmed.count < whole.count);
    assert_int_equal(wabe_mesh_find_surface(&whole), WABE_OK);
    assert_int_equal(wabe_mesh_find_surface(&trimmed), WABE_OK);
    const wabe_raster a = wabe_mesh_raster(&whole, 7), b = wabe_mesh_raster(&trimmed, 7);
    for (int64_t i = 0; i < wabe_box_cells(box) * 27; i++) {
        const int64_t n = i / 27, nx = wabe_box_extent(box, 0), ny = wabe_box_extent(box, 1);
        const int64_t cell[3] = {box.begin[0] + n % nx, box.begin[1] + n / nx % ny,
                                 box.begin[2] + n / nx / ny};
        const int way[3] = {(int)(i % 3) - 1, (int)(i / 3 % 3) - 1, (int)(i / 9 % 3) - 1};
        const double expected = cut_of_sphere(centre, radius, cell, way);
        const int64_t from[3] = {cell[0] - way[0], cell[1] - way[1], cell[2] - way[2]};
        if (isnan(expected) || !wabe_box_contains(box, from[0], from[1], from[2]))
            continue;
        const double cut = a.cut(a.source, cell, way), same = b.cut(b.source, cell, way);
        assert_true(cut == same || (isnan(cut) && isnan(same)));
        found++;
        exact += fabs(cut - expected) < 0.03;
        assert_false(cut < 0.0 || cut > 1.0);
    }
    print_message("%lld of %lld cuts are right to 0.03\n", (long long)exact, (long long)found);
    assert_true(found > 3000 && exact > found * 95 / 100);
    wabe_mesh_free(&whole);
    wabe_mesh_free(&trimmed);
}

/* Processor time, in seconds, to look for a sphere's surface on ways of which most are far from it,
 * as those along other meshes are. */
static double time_to_find(void) {
    enum { WAYS = 20000 };
    write_binary("", 0);
    wabe_mesh mesh = read_mesh(20.0, 30.3, 30.7, 30.9);
    assert_int_equal(wabe_mesh_find_surface(&mesh), WABE_OK);
    const wabe_raster raster = wabe_mesh_raster(&mesh, 7);
    const clock_t began = clock();
    for (int i = 0; i < WAYS; i++) {
        const int64_t cell[3] = {i % 60, i / 60 % 60, 7 + i / 3600};
        raster.cut(raster.source, cell, (const int[3]){1, 0, 0});
    }
    const double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    wabe_mesh_free(&mesh);
    return seconds;
}

/* With one triangle more than leaves hold, the tree has twice as many of them: those without a
 * triangle are not to be looked at. (Each query once took hundreds of times as long.) */
static void leaves_without_triangles_take_no_time(void **state) {
    (void)state;
    count = 0;
    add_sphere(128);
    assert_int_equal(count, 1 << 14);
    const double full = time_to_find();
    add((double[3]){0, 0, 0}, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    const double half_full = time_to_find();
    print_message("%.3g s, with one triangle more %.3g s\n", full, half_full);
    assert_true(half_full < 5.0 * full + 0.01);
}

static void numbers_are_sorted(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    static uint64_t items[COUNT][2];
    for (uint64_t i = 0; i < COUNT; i++) {
        items[i][0] = wabe_hash_mix(i % 2000) >> i % 2000 % 64;
        items[i][1] = i;
    }
    assert_int_equal(wabe_sort_words(items[0], COUNT, 2), WABE_OK);
    for (int i = 1; i < COUNT; i++) {
        const uint64_t *a = items[i - 1], *b = items[i];
        assert_true(a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]));
        assert_true(b[0] == wabe_hash_mix(b[1] % 2000) >> b[1] % 2000 % 64);
    }
}

static wabe_mesh_surface surface_of(wabe_mesh *mesh) {
    wabe_mesh_surface s;
    write_binary("", 0);
    *mesh = read_mesh(20.0, 30.3, 30.7, 30.9);
    assert_int_equal(wabe_mesh_examine(mesh, &s), WABE_OK);
    return s;
}

static void expect_edges(int64_t open, int64_t turned, int64_t repeated) {
    wabe_mesh mesh;
    const wabe_mesh_surface s = surface_of(&mesh);
    assert_int_equal(s.open_edges, open);
    assert_int_equal(s.turned_edges, turned);
    assert_int_equal(s.repeated, repeated);
    assert_true(open + turned > 0 ? isnan(s.mean_line) : s.mean_line > 0.0);
    wabe_mesh_free(&mesh);
}

static void take_out(int triangle) {
    memmove(corners[triangle], corners[triangle + 1],
            sizeof corners[0] * (size_t)(--count - triangle));
}

static void holes_are_found(void **state) {
    (void)state;
    count = 0;
    add_sphere(40);
    wabe_mesh mesh;
    assert_int_equal(surface_of(&mesh).open_edges, 0);
    const wabe_mesh_count whole = count_of(&mesh);
    wabe_mesh_free(&mesh);
    take_out(850);
    assert_int_equal(surface_of(&mesh).open_edges, 3);
    /* Rays of one axis enter by the hole; the two others outvote it but where theirs do so too. */
    assert_true(count_of(&mesh).doubt > 0);
    assert_true(fabs((double)(count_of(&mesh).inside - whole.inside)) <
                1e-3 * (double)whole.inside);
    wabe_mesh_free(&mesh);
    take_out(700);
    expect_edges(6, 0, 0);
}

/* Two boxes that share an edge or a side have edges of four triangles; they are closed. A triangle
 * that faces the other way disturbs no cell. */
static void edges_are_counted(void **state) {
    (void)state;
    count = 0;
    add_box((double[3]){1, 1, 1}, 0.0);
    expect_edges(0, 0, 0);
    turn_over(3, 4);
    expect_edges(0, 3, 0);
    turn_over(3, 4);
    memcpy(corners[count++], corners[3], sizeof corners[0]); /* three triangles at its edges */
    expect_edges(3, 0, 1);
    count = 0;
    add_box((double[3]){1, 1, 1}, 0.0);
    add_box((double[3]){1, 1, 1}, 0.0);
    expect_edges(0, 0, 12);
    for (int i = 36; i < 72; i++) /* to the other side of the plane z = 0 */
        corners[i / 3][i % 3][2] *= -1.0f;
    turn_over(12, 24);
    expect_edges(0, 0, 2);
    for (int i = 36; i < 72; i++) /* and of the plane y = 0: they share an edge */
        corners[i / 3][i % 3][1] *= -1.0f;
    turn_over(12, 24);
    expect_edges(0, 0, 0);
}

/* As where a program computes a corner in two ways. */
static void last_digits_do_not_open_edges(void **state) {
    (void)state;
    count = 0;
    add_sphere(100);
    for (int i = 0; i < 9 * count; i++) {
        float *at = &corners[i / 9][i / 3 % 3][i % 3];
        const uint64_t change = wabe_hash_mix((uint64_t)i) % 3;
        *at = change == 0 ? *at : nextafterf(*at, change == 1 ? 2.0f : -2.0f);
    }
    expect_edges(0, 0, 0);
    take_out(850);
    expect_edges(3, 0, 0);
}

/* 2/3 of a sphere's diameter; a plate's thickness, however it lies. */
static void lines_have_their_mean_length(void **state) {
    (void)state;
    wabe_mesh mesh;
    count = 0;
    add_sphere(100);
    const double sphere = surface_of(&mesh).mean_line;
    wabe_mesh_free(&mesh);
    print_message("mean line of a sphere of diameter 40: %.4f\n", sphere);
    assert_true(fabs(sphere / (40.0 * 2.0 / 3.0) - 1.0) < 0.002);
    for (int d = 0; d < 3; d++) {
        double size[3] = {3.0, 4.0, 5.0};
        size[d] = 0.125;
        count = 0;
        add_box(size, 7.0);
        turn_over(0, d * count / 2); /* outward, inward */
        const double plate = surface_of(&mesh).mean_line;
        wabe_mesh_free(&mesh);
        if (d != 1)
            assert_true(fabs(plate / 2.5 - 1.0) < 1e-5);
        else
            assert_true(isnan(plate));
    }
}

/* ---- files that are read, and those that are refused
 * --------------------------------------------------------- */

static void refuse(wabe_status expected, const char *reason) {
    wabe_stl stl;
    assert_int_equal(wabe_stl_read(file, &stl), expected);
    assert_null(stl.corners);
    assert_int_equal(strncmp(wabe_error_message(), file, strlen(file)), 0);
    if (!strstr(wabe_error_message(), reason))
        fail_msg("\"%s\" lacks \"%s\"", wabe_error_message(), reason);
}

/* The triangles of all of a box's sides, as text: two solids, in capitals or not, with lines that
 * end as stated, behind some bytes. */
static void write_box_as_text(const char *before, const char *end, bool capitals) {
    static const char *const lines[2][7] = {{"solid", "facet normal 0 0 0", "outer loop", "vertex",
                                             "endloop", "endfacet", "endsolid"},
                                            {"SOLID A B", "\tFACET\tNORMAL 0 0 0", "OUTER LOOP",
                                             "\tVERTEX\t", "ENDLOOP", "ENDFACET", "ENDSOLID A B"}};
    const char *const *words = lines[capitals];
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    fprintf(out, "%s", before);
    for (int i = 0; i < count; i++) {
        if (i % 5 == 0)
            fprintf(out, "%s%s", words[0], end);
        fprintf(out, "%s%s%s%s", words[1], end, words[2], end);
        for (int k = 0; k < 3; k++)
            fprintf(out, "%s %.9g %.9g %.9g%s", words[3], corners[i][k][0], corners[i][k][1],
                    corners[i][k][2], end);
        fprintf(out, "%s%s%s%s", words[4], end, words[5], end);
        if (i % 5 == 4 || i == count - 1)
            fprintf(out, "%s%s", words[6], end);
    }
    fprintf(out, "%s  %s", end, end);
    fclose(out);
}

static void expect_all_triangles(int64_t surplus) {
    wabe_stl stl;
    if (wabe_stl_read(file, &stl) != WABE_OK)
        fail_msg("%s", wabe_error_message());
    assert_int_equal(stl.count, count);
    assert_int_equal(stl.surplus, surplus);
    assert_memory_equal(stl.corners, corners, (size_t)count * sizeof corners[0]);
    wabe_stl_free(&stl);
}

static void texts_of_all_systems_are_read(void **state) {
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    static const char *const before[] = {"",       "\n",           " \t ",
                                         "\r\n  ", "\xef\xbb\xbf", "\xef\xbb\xbf\n "};
    char blanks[200];
    memset(blanks, ' ', sizeof blanks - 1);
    blanks[sizeof blanks - 1] = '\0';
    count = 0;
    add_box((double[3]){1, 2.5, 1e-7}, 0.0);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 7; k++) {
            write_box_as_text(k < 6 ? before[k] : blanks, ends[i], k % 2 == 0);
            expect_all_triangles(0);
        }
}

/* Whatever their header says, and with something behind them. */
static void binary_files_are_read(void **state) {
    (void)state;
    static const char *const headers[] = {"", "solid a", "\xef\xbb\xbfsolid", "any"};
    count = 0;
    add_box((double[3]){1, 2.5, 1e-7}, 0.0);
    for (int i = 0; i < 4; i++)
        for (int more = 0; more < 3; more++) {
            write_binary(headers[i], 7 * more);
            expect_all_triangles(7 * more);
        }
}

static void damaged_binary_files_are_refused(void **state) {
    (void)state;
    count = 0;
    add_box((double[3]){1, 1, 1}, 0.0);
    write_binary("solid", -1);
    refuse(WABE_INPUT, "is truncated or no STL file: by its header it has 12 triangles, which take "
                       "684 bytes; there are 683");
    write_binary("any", -650);
    refuse(WABE_INPUT, "is no STL file");
    write_binary("any", -684);
    refuse(WABE_INPUT, "is empty");
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        corners[7][i][2 - i] = bad[i];
        write_binary("solid", 0);
        refuse(WABE_INPUT, "triangle 8 of 12 has a coordinate that is not a finite number");
        corners[7][i][2 - i] = 0.0f;
    }
    count = 0;
    write_binary("solid", 0);
    refuse(WABE_INPUT, "there is no triangle");
    unlink(file);
    refuse(WABE_FILE, "cannot be read");
}

static void damaged_texts_are_refused(void **state) {
    (void)state;
#define FACET "facet normal 0 0 1\nouter loop\n"
#define CORNER "vertex 0 0 0\n"
    static const struct {
        const char *text, *reason;
    } rows[] = {
        {"solid a\nendsolid a\n", "there is no triangle"},
        {"solid a\n" FACET CORNER CORNER, "it ends after \"vertex\", without endsolid"},
        {"solid a\n" FACET CORNER CORNER "endloop\n", ":6: \"endloop\" cannot follow \"vertex\""},
        {"solid a\n" FACET CORNER CORNER CORNER CORNER, ":7: \"vertex 0 0 0\" cannot follow"},
        {"solid a\n" FACET "vertex 0 0 nan\n", ":4: \"vertex 0 0 nan\" has to be"},
        {"solid a\n" FACET "vertex 0 1e99 0\n", ":4: \"vertex 0 1e99 0\" has to be"},
        {"solid a\n" FACET "vertex 0 0\n", ":4: \"vertex 0 0\" has to be"},
        {"solid a\n" FACET "vertex 0 0 0 0\n", ":4: \"vertex 0 0 0 0\" has to be"},
        {"solid a\nfacette\n", ":2: \"facette\" cannot follow \"solid\" in an STL file"},
        {"solid a\nsolid b\n", ":2: \"solid b\" cannot follow \"solid\""},
        {"solid a\r\nfacette\r\n", ":2: \"facette\" cannot"},
        {"solid a\rfacette\r", ":2: \"facette\" cannot"},
        {"\xef\xbb\xbf\n\nsolid a\nfacette\n", ":4: \"facette\" cannot"},
        {"\xff\xfes", "is a text in UTF-16"},
        {"ply\n", "is no STL file"},
        {"# A text of another kind that is longer than the 84 bytes of a binary file's header, "
         "and has no NUL\n",
         "is no STL file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_bytes(rows[i].text, strlen(rows[i].text));
        refuse(WABE_INPUT, rows[i].reason);
    }
}

static void meshes_out_of_reach_are_refused(void **state) {
    (void)state;
    const wabe_mesh_placement placement = {.scale = 1e9};
    wabe_mesh mesh;
    count = 0;
    add_box((double[3]){1, 2, 1}, 0.0);
    write_binary("", 0);
    assert_int_equal(wabe_mesh_read(file, &placement, &mesh), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "reaches to 2e+09 cells along y"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_have_their_volume),
        cmocka_unit_test(boxes_between_centres_have_their_cells),
        cmocka_unit_test(turned_boxes_are_where_they_should_be),
        cmocka_unit_test(overlaps_are_outside),
        cmocka_unit_test(cavities_are_no_overlaps),
        cmocka_unit_test(parts_are_those_of_the_whole),
        cmocka_unit_test(trimmed_meshes_have_the_same_cells),
        cmocka_unit_test(what_is_around_is_all_else),
        cmocka_unit_test(surfaces_are_found_between_cells),
        cmocka_unit_test(leaves_without_triangles_take_no_time),
        cmocka_unit_test(numbers_are_sorted),
        cmocka_unit_test(holes_are_found),
        cmocka_unit_test(edges_are_counted),
        cmocka_unit_test(last_digits_do_not_open_edges),
        cmocka_unit_test(lines_have_their_mean_length),
        cmocka_unit_test(texts_of_all_systems_are_read),
        cmocka_unit_test(binary_files_are_read),
        cmocka_unit_test(damaged_binary_files_are_refused),
        cmocka_unit_test(damaged_texts_are_refused),
        cmocka_unit_test(meshes_out_of_reach_are_refused),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
