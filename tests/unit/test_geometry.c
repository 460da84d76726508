/* Flags of cells: obstacles, periodic wrapping, and who wins where faces meet. */
#include "core/geometry/geometry.h"
#include "core/geometry/voxels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { NX = 7, NY = 6, NZ = 5 };

typedef struct {
    wabe_condition conditions[WABE_FACES + 3];
    wabe_object objects[3];
    wabe_geometry geometry;
    wabe_flags flags;
} setting;

/* Flags of the domain and one cell around it. */
static void make(setting *s, const wabe_boundary faces[WABE_FACES], int object_count) {
    for (int face = 0; face < WABE_FACES; face++)
        s->conditions[face] = (wabe_condition){.kind = faces[face]};
    for (int k = 0; k < object_count; k++)
        s->conditions[WABE_FACES + k] = (wabe_condition){.kind = WABE_BOUNDARY_no_slip};
    s->geometry = (wabe_geometry){.cells = {NX, NY, NZ},
                                  .object_count = object_count,
                                  .objects = s->objects,
                                  .condition_count = WABE_FACES + object_count,
                                  .conditions = s->conditions};
    const wabe_box domain = {.end = {NX, NY, NZ}};
    assert_int_equal(wabe_geometry_flags(&s->geometry, wabe_box_grow(domain, 1), &s->flags),
                     WABE_OK);
}

static int at(const setting *s, int64_t x, int64_t y, int64_t z) {
    return wabe_flags_at(&s->flags, x, y, z);
}

static const wabe_boundary all_walls[WABE_FACES] = {WABE_BOUNDARY_no_slip, WABE_BOUNDARY_no_slip,
                                                    WABE_BOUNDARY_no_slip, WABE_BOUNDARY_no_slip,
                                                    WABE_BOUNDARY_no_slip, WABE_BOUNDARY_no_slip};
static const wabe_boundary all_periodic[WABE_FACES] = {
    WABE_BOUNDARY_periodic, WABE_BOUNDARY_periodic, WABE_BOUNDARY_periodic,
    WABE_BOUNDARY_periodic, WABE_BOUNDARY_periodic, WABE_BOUNDARY_periodic};

static void faces_have_their_conditions(void **state) {
    (void)state;
    setting s;
    make(&s, all_walls, 0);
    assert_int_equal(at(&s, -1, 3, 2), 1);
    assert_int_equal(at(&s, NX, 3, 2), 2);
    assert_int_equal(at(&s, 3, -1, 2), 3);
    assert_int_equal(at(&s, 3, NY, 2), 4);
    assert_int_equal(at(&s, 3, 2, -1), 5);
    assert_int_equal(at(&s, 3, 2, NZ), 6);
    for (int64_t z = 0; z < NZ; z++)
        for (int64_t y = 0; y < NY; y++)
            for (int64_t x = 0; x < NX; x++)
                assert_int_equal(at(&s, x, y, z), 0);
    wabe_flags_free(&s.flags);
    assert_null(s.flags.ids);
}

/* The kind that a cell behind the faces x low, y low (and z low) has, for all pairs of kinds. */
static void edges_follow_the_order_of_kinds(void **state) {
    (void)state;
    static const wabe_boundary order[] = {WABE_BOUNDARY_no_slip,         WABE_BOUNDARY_moving_wall,
                                          WABE_BOUNDARY_velocity,        WABE_BOUNDARY_pressure,
                                          WABE_BOUNDARY_pressure_normal, WABE_BOUNDARY_free_slip};
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) {
            const wabe_boundary faces[WABE_FACES] = {order[a],
                                                     order[a],
                                                     order[b],
                                                     order[b],
                                                     WABE_BOUNDARY_free_slip,
                                                     WABE_BOUNDARY_free_slip};
            const wabe_boundary winner = order[a < b ? a : b];
            setting s;
            make(&s, faces, 0);
            assert_int_equal(s.conditions[at(&s, -1, -1, 2) - 1].kind, winner);
            assert_int_equal(s.conditions[at(&s, NX, -1, 2) - 1].kind, winner);
            assert_int_equal(s.conditions[at(&s, -1, NY, -1) - 1].kind, winner);
            assert_int_equal(s.conditions[at(&s, NX, NY, NZ) - 1].kind, winner);
            wabe_flags_free(&s.flags);
        }
}

/* A face's levels count from the domain's corner, whatever part of it is looked at, and at its
 * edges the last of them goes on. */
static void faces_have_levels(void **state) {
    (void)state;
    static const uint8_t along_y[NY] = {6, 6, 7, 8, 8, 9}, along_x[NX] = {0, 1, 2, 3, 4, 5, 6};
    const wabe_boundary faces[WABE_FACES] = {WABE_BOUNDARY_velocity,  WABE_BOUNDARY_pressure,
                                             WABE_BOUNDARY_free_slip, WABE_BOUNDARY_no_slip,
                                             WABE_BOUNDARY_pressure,  WABE_BOUNDARY_velocity};
    setting s;
    make(&s, faces, 0);
    wabe_flags_free(&s.flags);
    s.geometry.levels[0] = (wabe_face_levels){.axis = 1, .conditions = along_y};
    s.geometry.levels[5] = (wabe_face_levels){.axis = 0, .conditions = along_x};
    const wabe_box box = {{-1, -1, 2}, {NX, NY + 1, NZ + 1}};
    assert_int_equal(wabe_geometry_flags(&s.geometry, box, &s.flags), WABE_OK);
    for (int64_t y = 0; y < NY; y++)
        assert_int_equal(at(&s, -1, y, 3), along_y[y] + 1);
    for (int64_t x = 0; x < NX; x++)
        assert_int_equal(at(&s, x, 2, NZ), along_x[x] + 1);
    assert_int_equal(at(&s, -1, -1, 3), along_y[0] + 1); /* velocity before free_slip */
    assert_int_equal(at(&s, -1, NY, 3), 4);              /* no_slip before velocity */
    assert_int_equal(at(&s, 3, 2, 3), 0);
    wabe_flags_free(&s.flags);
}

static void outside_is_told_by_axes(void **state) {
    (void)state;
    wabe_boundary faces[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++)
        faces[face] = face < 2 ? WABE_BOUNDARY_periodic : WABE_BOUNDARY_free_slip;
    setting s;
    make(&s, faces, 0);
    assert_int_equal(wabe_geometry_outside(&s.geometry, (int64_t[3]){-1, 0, 0}), 0);
    assert_int_equal(wabe_geometry_outside(&s.geometry, (int64_t[3]){NX, NY, 0}), 2);
    assert_int_equal(wabe_geometry_outside(&s.geometry, (int64_t[3]){0, -1, NZ}), 6);
    assert_int_equal(wabe_geometry_outside(&s.geometry, (int64_t[3]){0, 0, NZ - 1}), 0);
    /* Behind a periodic and another face: the other one's condition. */
    assert_int_equal(at(&s, -1, -1, 2), 3);
    assert_int_equal(at(&s, NX, 2, NZ), 6);
    assert_int_equal(at(&s, NX, 2, 2), 0);
    wabe_flags_free(&s.flags);
}

/* The cells of a box at the faces are seen behind the opposite ones, through edges and corners. */
static void obstacles_wrap_around(void **state) {
    (void)state;
    setting s = {.objects = {{.shape = WABE_SHAPE_BOX, .low = {0, 0, 0}, .high = {2, 1, 1}}}};
    make(&s, all_periodic, 1);
    for (int64_t z = -1; z <= NZ; z++)
        for (int64_t y = -1; y <= NY; y++)
            for (int64_t x = -1; x <= NX; x++) {
                const bool inside = (x + NX) % NX < 2 && (y + NY) % NY < 1 && (z + NZ) % NZ < 1;
                assert_int_equal(at(&s, x, y, z), inside ? WABE_FACES + 1 : 0);
            }
    wabe_flags_free(&s.flags);
}

static void centres_decide(void **state) {
    (void)state;
    setting s = {
        .objects = {{.shape = WABE_SHAPE_SPHERE, .center = {3.5, 3.5, 2.5}, .radius = 1.05},
                    {.shape = WABE_SHAPE_BOX, .low = {1.6, 0.0, 0.0}, .high = {3.4, 0.6, 0.4}},
                    {.shape = WABE_SHAPE_CYLINDER,
                     .low = {0.5, 0.5, 1.4},
                     .high = {0.5, 0.5, 3.6},
                     .radius = 0.3}}};
    make(&s, all_walls, 3);
    int count = 0;
    for (int64_t z = 0; z < NZ; z++)
        for (int64_t y = 0; y < NY; y++)
            for (int64_t x = 0; x < NX; x++) {
                const int64_t d = llabs(x - 3) + llabs(y - 3) + llabs(z - 2);
                const bool rod = x == 0 && y == 0 && (z == 2 || z == 3 || z == 1);
                const int wanted = d <= 1 ? WABE_FACES + 1 : rod ? WABE_FACES + 3 : 0;
                assert_int_equal(at(&s, x, y, z), wanted);
                count += wanted > 0;
            }
    assert_int_equal(count, 10);
    wabe_flags_free(&s.flags);
}

/* Where obstacles overlap the first of the list counts; faces go before obstacles. */
static void first_obstacle_wins(void **state) {
    (void)state;
    setting s = {.objects = {{.low = {2, 2, 2}, .high = {4, 4, 4}},
                             {.low = {-3, -3, -3}, .high = {3, 30, 30}}}};
    make(&s, all_walls, 2);
    assert_int_equal(at(&s, 2, 2, 2), WABE_FACES + 1);
    assert_int_equal(at(&s, 2, 1, 2), WABE_FACES + 2);
    assert_int_equal(at(&s, 3, 3, 3), WABE_FACES + 1);
    assert_int_equal(at(&s, 3, 4, 3), 0);
    assert_int_equal(at(&s, -1, 1, 2), 1);
    wabe_flags_free(&s.flags);
}

/* ---- voxels ------------------------------------------------------------------------- */

static const int64_t image_at[3] = {NX - 2, -1, 0}; /* some of its cells are not of the domain */

/* A checkerboard of 3 x 3 x 2 voxels, with one odd label. */
static void write_image(char *name, int place, uint8_t label) {
    uint8_t labels[3 * 3 * 2];
    for (int i = 0; i < 3 * 3 * 2; i++)
        labels[i] = (uint8_t)((i % 3 + i / 3 % 3 + i / 9) % 2);
    labels[place] = label;
    const int file = mkstemp(name);
    assert_int_equal(write(file, labels, sizeof labels), sizeof labels);
    close(file);
}

/* The flags of the image of that name, which is removed, and of an object where it lies. */
static wabe_status make_with_image(setting *s, const wabe_boundary *faces, const char *name) {
    wabe_voxels voxels = {.file = name, .size = {3, 3, 2}};
    voxels.meaning[0] = WABE_LABEL_FLUID;
    voxels.meaning[1] = WABE_LABEL_SOLID;
    memcpy(voxels.at, image_at, sizeof image_at);
    const wabe_status opened = wabe_voxels_open(&voxels);
    const wabe_raster raster = wabe_voxels_raster(&voxels, WABE_FACES + 1);
    for (int k = 0; k < WABE_FACES + 2; k++)
        s->conditions[k].kind = k < WABE_FACES ? faces[k] : WABE_BOUNDARY_no_slip;
    s->objects[0] = (wabe_object){.low = {NX - 1, 0, 0}, .high = {NX, 1, 2}};
    s->geometry = (wabe_geometry){.cells = {NX, NY, NZ},
                                  .object_count = 1,
                                  .objects = s->objects,
                                  .raster_count = 1,
                                  .rasters = &raster,
                                  .solid = WABE_FACES + 1,
                                  .condition_count = WABE_FACES + 2,
                                  .conditions = s->conditions};
    const wabe_box domain = {.end = {NX, NY, NZ}};
    const wabe_status status = wabe_geometry_flags(&s->geometry, wabe_box_grow(domain, 1),
                                                   &s->flags);
    unlink(name);
    assert_int_equal(opened, WABE_OK);
    return status;
}

/* What a cell of the domain should be: objects go before voxels. */
static int flag_beside_image(int64_t x, int64_t y, int64_t z) {
    const int64_t i = x - image_at[0], j = y - image_at[1], k = z - image_at[2];
    if (x == NX - 1 && y == 0 && z < 2)
        return WABE_FACES + 1;
    return i >= 0 && j < 3 && k < 2 && (i + j + k) % 2 ? WABE_FACES + 2 : 0;
}

static void voxels_are_marked(void **state) {
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++) {
        char name[] = "/tmp/wabe_geometry_XXXXXX";
        setting s;
        int count = 0;
        write_image(name, 1, 99); /* outside of the domain: nobody asks what it means */
        assert_int_equal(make_with_image(&s, periodic ? all_periodic : all_walls, name), WABE_OK);
        for (int64_t z = -1; z <= NZ; z++)
            for (int64_t y = -1; y <= NY; y++)
                for (int64_t x = -1; x <= NX; x++) {
                    const int64_t i = (x + NX) % NX, j = (y + NY) % NY, k = (z + NZ) % NZ;
                    if (periodic || (i == x && j == y && k == z))
                        assert_int_equal(at(&s, x, y, z), flag_beside_image(i, j, k));
                    else
                        assert_in_range(at(&s, x, y, z), 1, WABE_FACES);
                    count += at(&s, x, y, z) == WABE_FACES + 2;
                }
        assert_int_equal(count, periodic ? 9 : 3);
        wabe_flags_free(&s.flags);
    }
}

static void voxels_that_cannot_be_read_leave_no_flags(void **state) {
    (void)state;
    char name[] = "/tmp/wabe_geometry_XXXXXX";
    setting s;
    write_image(name, 4, 99);
    assert_int_equal(make_with_image(&s, all_walls, name), WABE_INPUT);
    assert_null(s.flags.ids);
    assert_non_null(strstr(wabe_error_message(), "label 99 of voxel (1, 1, 0)"));
}

/* What is not fluid keeps its condition. Bits are those of the flags' own cells: of each image. */
static void filled_cells_are_solid(void **state) {
    (void)state;
    setting s;
    wabe_mask filled;
    make(&s, all_periodic, 1); /* nothing but its conditions */
    wabe_flags_free(&s.flags);
    s.objects[0] = (wabe_object){.low = {2, 2, 2}, .high = {3, 3, 3}};
    s.conditions[WABE_FACES + 1] = (wabe_condition){.kind = WABE_BOUNDARY_no_slip};
    s.geometry.solid = WABE_FACES + 1;
    s.geometry.condition_count = WABE_FACES + 2;
    const wabe_box box = {{-1, 0, 0}, {NX, NY, NZ - 1}};
    assert_int_equal(wabe_mask_make(box, &filled), WABE_OK);
    const int64_t cells[3][3] = {{-1, 1, 0}, {2, 2, 2}, {NX - 1, NY - 1, NZ - 2}};
    for (int k = 0; k < 3; k++)
        wabe_bits_add(filled.bits, wabe_mask_place(&filled, cells[k][0], cells[k][1], cells[k][2]));
    s.geometry.filled = &filled;
    assert_int_equal(wabe_geometry_flags(&s.geometry, box, &s.flags), WABE_OK);
    int count = 0;
    for (int64_t i = 0; i < wabe_box_cells(box); i++)
        count += s.flags.ids[i] != 0;
    assert_int_equal(count, 3);
    assert_int_equal(at(&s, -1, 1, 0), WABE_FACES + 2);
    assert_int_equal(at(&s, 2, 2, 2), WABE_FACES + 1);
    assert_int_equal(at(&s, NX - 1, NY - 1, NZ - 2), WABE_FACES + 2);
    wabe_flags_free(&s.flags);
    wabe_mask_free(&filled);
}

static void flags_beyond_what_is_known_to_be_filled_are_refused(void **state) {
    (void)state;
    setting s;
    wabe_mask filled;
    make(&s, all_walls, 0);
    wabe_flags_free(&s.flags);
    const wabe_box box = {{0, 0, 0}, {NX, NY, NZ - 1}};
    assert_int_equal(wabe_mask_make(box, &filled), WABE_OK);
    s.geometry.filled = &filled;
    for (int d = 0; d < 3; d++) {
        wabe_box more = box;
        more.end[d]++;
        assert_int_equal(wabe_geometry_flags(&s.geometry, more, &s.flags), WABE_INTERNAL);
        assert_null(s.flags.ids);
        more = box;
        more.begin[d]--;
        assert_int_equal(wabe_geometry_flags(&s.geometry, more, &s.flags), WABE_INTERNAL);
    }
    wabe_mask_free(&filled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_have_their_conditions),
        cmocka_unit_test(edges_follow_the_order_of_kinds),
        cmocka_unit_test(faces_have_levels),
        cmocka_unit_test(outside_is_told_by_axes),
        cmocka_unit_test(obstacles_wrap_around),
        cmocka_unit_test(centres_decide),
        cmocka_unit_test(first_obstacle_wins),
        cmocka_unit_test(voxels_are_marked),
        cmocka_unit_test(voxels_that_cannot_be_read_leave_no_flags),
        cmocka_unit_test(filled_cells_are_solid),
        cmocka_unit_test(flags_beyond_what_is_known_to_be_filled_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
