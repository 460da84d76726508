/* Tiles: every fluid cell is updated once, in the region that it belongs to, and every link to a
 * wall has a place of its own in the wall buffer. */
#include "sweeps/cell/lattice.h"
#include "sweeps/lattice/tiles.h"
#include "tests/conformance/cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static wabe_lattice lattice_under_test;
static int populations(void) { return wabe_lattice_count(lattice_under_test); }

typedef struct {
    test_case c;
    wabe_geometry geometry;
    wabe_box block, inner;
    bool wraps[3];
    wabe_layout layout;
    wabe_flags flags;
    wabe_tiles *tiles;
} setting;

/* wrap: along periodic axes. */
static void setting_open(setting *s, case_name name, const int64_t cells[3], wabe_box block,
                         wabe_box inner, bool wrap) {
    s->c = case_make(name, cells[0], cells[1], cells[2]);
    s->geometry = case_geometry(&s->c);
    s->block = block;
    s->inner = inner;
    wabe_geometry_periodic(&s->geometry, s->wraps);
    for (int d = 0; d < 3; d++)
        s->wraps[d] &= wrap;
    const int64_t n[3] = {wabe_box_extent(block, 0), wabe_box_extent(block, 1),
                          wabe_box_extent(block, 2)};
    s->layout = wabe_layout_make(n, NULL, populations(), WABE_TYPE_f64, WABE_TARGET_cpu);
    assert_int_equal(wabe_geometry_flags(&s->geometry, wabe_box_grow(block, 1), &s->flags),
                     WABE_OK);
    assert_int_equal(wabe_tiles_create(lattice_under_test, &s->layout, NULL, &s->geometry,
                                       &s->flags, block, inner, s->wraps, 128, &s->tiles),
                     WABE_OK);
}

static void setting_close(setting *s) {
    wabe_tiles_destroy(&s->tiles);
    assert_null(s->tiles);
    wabe_flags_free(&s->flags);
}

static int64_t cell_number(const setting *s, const int64_t cell[3]) {
    return wabe_layout_cell(&s->layout, cell[0] - s->block.begin[0], cell[1] - s->block.begin[1],
                            cell[2] - s->block.begin[2]);
}

static bool is_fluid(const setting *s, const int64_t cell[3]) {
    return wabe_flags_at(&s->flags, cell[0], cell[1], cell[2]) == 0;
}

#define FOR_CELLS(box, cell)                                                                       \
    for (int64_t cell[3] = {0, 0, (box).begin[2]}; cell[2] < (box).end[2]; cell[2]++)              \
        for (cell[1] = (box).begin[1]; cell[1] < (box).end[1]; cell[1]++)                          \
            for (cell[0] = (box).begin[0]; cell[0] < (box).end[0]; cell[0]++)

/* ---- what the lists say ------------------------------------------------------------- */

/* Per cell number: 1 + the region that updates it, 0 none; and whether the region's tiles hold it.
 */
typedef struct {
    int64_t count;
    char *updated, *held[WABE_REGION_COUNT];
} census;

static census take_census(const setting *s) {
    census c = {.count = (s->layout.cells[2] + 1) * s->layout.plane + WABE_TILE};
    c.updated = calloc((size_t)c.count, 1);
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        c.held[name] = calloc((size_t)c.count, 1);
        const wabe_region *r = &s->tiles->regions[name];
        int64_t cells = 0;
        for (int64_t i = 0; i < r->chunk_count; i++) {
            int64_t record = r->chunks[i].first_record;
            for (uint32_t k = 0; k < r->chunks[i].tile_count; k++) {
                const uint32_t tile = r->chunks[i].first_tile + k;
                unsigned fluid = 0xffff;
                if (record < r->chunks[i + 1].first_record &&
                    wabe_tiles_record(s->tiles, r, record)->tile == tile) {
                    fluid = wabe_tiles_record(s->tiles, r, record)->fluid;
                    while (!wabe_tiles_record(s->tiles, r, record++)->last)
                        assert_int_equal(wabe_tiles_record(s->tiles, r, record)->tile, tile);
                }
                for (int lane = 0; lane < WABE_TILE; lane++) {
                    const int64_t n = (int64_t)tile * WABE_TILE + lane;
                    c.held[name][n] = 1;
                    if (!(fluid & 1u << lane))
                        continue;
                    assert_int_equal(c.updated[n], 0);
                    c.updated[n] = (char)(1 + name);
                    cells++;
                }
            }
            assert_int_equal(record, r->chunks[i + 1].first_record);
        }
        assert_int_equal(cells, r->cells);
    }
    return c;
}

/* Fluid cells are updated by one region, those outside the inner box by the outer one; no region's
 * tiles hold fluid cells of the other, and a tile is outer for a reason. */
static void check_cells(const setting *s) {
    census c = take_census(s);
    char *outside = calloc((size_t)(c.count / WABE_TILE + 1), 1);
    FOR_CELLS(s->block, cell) {
        const int64_t n = cell_number(s, cell);
        const bool inner = wabe_box_contains(s->inner, cell[0], cell[1], cell[2]);
        const bool fluid = is_fluid(s, cell);
        const int region = c.updated[n] - 1;
        assert_int_equal(c.updated[n] > 0, fluid);
        assert_false(fluid && !inner && region != WABE_REGION_OUTER);
        assert_false(fluid && c.held[1 - region][n]);
        outside[n / WABE_TILE] |= fluid && !inner;
    }
    FOR_CELLS(s->block, cell) {
        const int64_t n = cell_number(s, cell);
        if (c.updated[n] == 1 + WABE_REGION_OUTER)
            assert_true(outside[n / WABE_TILE]);
        c.updated[n] = 0;
    }
    for (int64_t n = 0; n < c.count; n++)
        assert_int_equal(c.updated[n], 0);
    free(outside);
    free(c.updated);
    free(c.held[0]);
    free(c.held[1]);
}

/* ---- links -------------------------------------------------------------------------- */

static bool is_of(const setting *s, int id, wabe_boundary kind) {
    return id > 0 && s->c.conditions[id - 1].kind == kind;
}

static bool is_wall(const setting *s, int id) {
    return is_of(s, id, WABE_BOUNDARY_no_slip) || is_of(s, id, WABE_BOUNDARY_moving_wall) ||
           is_of(s, id, WABE_BOUNDARY_curved_wall);
}

/* Of the boundaries beside an oblique link and the one behind it: a velocity, if there is one, then
 * a wall, first the one behind, then that along x, y, z. */
static int first_in_edge(const setting *s, const int64_t cell[3], const int e[3], int behind) {
    int ids[4] = {behind}, count = 1;
    for (int d = 0; d < 3; d++) {
        int64_t beside[3] = {cell[0], cell[1], cell[2]};
        beside[d] -= e[d];
        if (e[d])
            ids[count++] = wabe_flags_at(&s->flags, beside[0], beside[1], beside[2]);
    }
    for (int i = 0; i < count; i++)
        if (is_of(s, ids[i], WABE_BOUNDARY_velocity))
            return ids[i];
    for (int i = 0; i < count; i++)
        if (is_wall(s, ids[i]))
            return ids[i];
    return behind;
}

/* The wall that population q of a cell arrives from, -1 if it is none; *mirrors says that it is
 * thrown back by a mirror. Behind a mirror an obstacle has an image. */
static int wall_of(const setting *s, const int64_t cell[3], int q, bool *mirrors) {
    const int *e = wabe_lattice_e(lattice_under_test, q);
    const int64_t from[3] = {cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]};
    const int id = wabe_flags_at(&s->flags, from[0], from[1], from[2]);
    *mirrors = false;
    if (id == 0)
        return -1;
    if (!(WABE_MIRRORS >> s->c.conditions[id - 1].kind & 1))
        return first_in_edge(s, cell, e, id);
    int64_t image[3];
    const unsigned axes = wabe_geometry_outside(&s->geometry, from);
    for (int d = 0; d < 3; d++)
        image[d] = axes >> d & 1 ? cell[d] : from[d];
    *mirrors = is_fluid(s, image);
    return *mirrors
               ? -1
               : first_in_edge(s, cell, e, wabe_flags_at(&s->flags, image[0], image[1], image[2]));
}

/* The axes along which the image that population q of a cell arrives from lies behind a face of the
 * slab, and is taken from its other end; there is none if that is no fluid. */
static unsigned wrapped_axes(const setting *s, const int64_t cell[3], int q, bool mirror) {
    const int *e = wabe_lattice_e(lattice_under_test, q);
    int64_t image[3] = {cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]};
    const unsigned mirrored = mirror ? wabe_geometry_outside(&s->geometry, image) : 0;
    unsigned axes = 0;
    for (int d = 0; d < 3; d++) {
        image[d] = mirrored >> d & 1 ? cell[d] : image[d];
        if (s->wraps[d] && (image[d] < s->block.begin[d] || image[d] >= s->block.end[d]))
            axes |= 1u << d;
    }
    return is_fluid(s, image) ? axes : 0;
}

static int group_of(int q) {
    const int x = wabe_lattice_e(lattice_under_test, q)[0];
    return x > 0 ? WABE_LINKS_EAST : x < 0 ? WABE_LINKS_WEST : WABE_LINKS_MIDDLE;
}

/* Enters the links of a record, each of which must have a place of its own below room; returns how
 * many there are. */
static int64_t list_record(const wabe_tile_record *r, int64_t room, char *places, int *links) {
    int64_t count = 0, place[WABE_LINK_GROUPS];
    unsigned lanes[WABE_LINK_GROUPS] = {0};
    for (int group = 0; group < WABE_LINK_GROUPS; group++)
        place[group] = r->first_link + r->group_offset[group];
    for (int q = 1; q < populations(); q++)
        for (int lane = 0; lane < WABE_TILE; lane++) {
            if (!(r->links[q - 1] >> lane & 1))
                continue;
            const int group = group_of(q);
            int *link = &links[((int64_t)r->tile * WABE_TILE + lane) * populations() + q];
            assert_int_equal(*link, 0);
            *link = 1 + r->patch;
            assert_true(place[group] < room);
            assert_int_equal(places[place[group]++]++, 0);
            lanes[group] |= 1u << lane;
            count++;
        }
    for (int group = 0; group < WABE_LINK_GROUPS; group++)
        assert_int_equal(r->lanes[group], lanes[group]);
    return count;
}

/* Per cell number and population: 1 + the patch of its link, 0 none. */
static int *list_links(const setting *s, int64_t *count) {
    int *links =
        calloc((size_t)((s->layout.cells[2] + 1) * s->layout.plane + WABE_TILE) * populations(),
               sizeof *links);
    char *places = calloc((size_t)s->tiles->link_count + 1, 1);
    *count = 0;
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        const wabe_region *r = &s->tiles->regions[name];
        for (int64_t i = 0; i < r->record_count; i++)
            *count += list_record(wabe_tiles_record(s->tiles, r, i), s->tiles->link_count, places,
                                  links);
    }
    free(places);
    return links;
}

/* A curved wall, a sphere: d of the row is that of its surface on the link to a step of 1/32, or
 * the wall is that of cells if neither fluid nor a mirror is at the cell's other side, and for a
 * scalar that is not carried or has a value. */
static void check_place(const setting *s, const int64_t cell[3], int q, int row, int patch) {
    const int *e = wabe_lattice_e(lattice_under_test, q);
    const wabe_object *sphere = &s->geometry.objects[patch - 1 - WABE_FACES];
    double a = 0.0, b = 0.0, c = -sphere->radius * sphere->radius;
    assert_int_equal(row, wabe_tiles_patch(lattice_under_test, &s->geometry, &s->flags, cell, q));
    bool mirrors;
    const bool insulated = s->geometry.conditions[patch - 1].scalar.kind == WABE_SCALAR_INSULATED;
    if ((q >= wabe_lattice_flow(lattice_under_test) &&
         !(wabe_lattice_carries(lattice_under_test) && insulated)) ||
        wall_of(s, cell, wabe_lattice_opposite(populations(), q), &mirrors) >= 0) {
        assert_int_equal(row, patch);
        return;
    }
    for (int d = 0; d < 3; d++) {
        const int64_t n = s->geometry.cells[d]; /* the solid cell is one of the domain */
        const bool periodic = s->c.conditions[2 * d].kind == WABE_BOUNDARY_periodic;
        const int64_t solid = periodic ? (cell[d] - e[d] + n) % n : cell[d] - e[d];
        const double from = (double)(solid + e[d]) + 0.5 - sphere->center[d];
        a += e[d] * e[d];
        b -= e[d] * from;
        c += from * from;
    }
    const bool meets = a + 2.0 * b + c <= 0.0; /* otherwise the wall is an image, or beside */
    const double place = meets ? (-b - sqrt(b * b - a * c)) / a : 0.5;
    const double k = s->tiles->patches.rows[row].interpolation;
    assert_float_equal(0.5 * (1.0 - k) / (1.0 + k), fmax(place, 1.0 / 32.0), 0.5 / 32.0 + 1e-6);
}

static void check_links(const setting *s) {
    int64_t found, links = 0, images = 0;
    int *listed = list_links(s, &found);
    FOR_CELLS(s->block, cell)
    for (int q = 0; q < populations() && is_fluid(s, cell); q++) {
        bool mirror;
        const int patch = wall_of(s, cell, q, &mirror);
        const int row = listed[cell_number(s, cell) * populations() + q] - 1;
        if (patch > 0 && s->geometry.conditions[patch - 1].kind == WABE_BOUNDARY_curved_wall)
            check_place(s, cell, q, row, patch);
        else
            assert_int_equal(row, patch);
        links += patch >= 0;
        images += mirror || (q > 0 && wrapped_axes(s, cell, q, false));
    }
    assert_int_equal(found, links);
    assert_int_equal(s->tiles->link_count, links);
    assert_int_equal(s->tiles->image_count, images);
    for (int64_t i = 0; i < images; i++) {
        const wabe_image_link *m = &s->tiles->images[i];
        const int64_t n = m->cell;
        const int64_t cell[3] = {s->block.begin[0] + n % s->layout.pitch,
                                 s->block.begin[1] + n % s->layout.plane / s->layout.pitch,
                                 s->block.begin[2] + n / s->layout.plane};
        const int *e = wabe_lattice_e(lattice_under_test, m->population);
        const int64_t from[3] = {cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]};
        bool mirror;
        wall_of(s, cell, m->population, &mirror);
        const unsigned around = wrapped_axes(s, cell, m->population, mirror);
        assert_true(mirror || around);
        assert_int_equal(m->mirrored, mirror ? wabe_geometry_outside(&s->geometry, from) : 0);
        assert_int_equal(m->wrapped, around);
        assert_true(i == 0 || n >= m[-1].cell);
    }
    free(listed);
}

/* ---- tests -------------------------------------------------------------------------- */

static void check(case_name name, const int64_t cells[3], wabe_box block, wabe_box inner,
                  bool wrap) {
    setting s;
    setting_open(&s, name, cells, block, inner, wrap);
    check_cells(&s);
    check_links(&s);
    setting_close(&s);
}

static void whole_domains(void **state) {
    (void)state;
    static const int64_t cells[][3] = {{33, 9, 6}, {16, 5, 4}, {15, 3, 3}, {1, 1, 1}, {70, 2, 3}};
    for (int name = 0; name < CASE_COUNT; name++)
        for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
            const wabe_box all = {.end = {cells[i][0], cells[i][1], cells[i][2]}};
            check((case_name)name, cells[i], all, all, false);
            check((case_name)name, cells[i], all, all, true);
        }
}

/* Rows of 34 numbers: tiles straddle rows, and the edges of the inner region. */
static void split_domains(void **state) {
    (void)state;
    static const int64_t cells[3] = {33, 9, 6};
    static const wabe_box inner[] = {{{16, 1, 1}, {17, 8, 5}}, {{1, 1, 1}, {32, 8, 5}},
                                     {{0, 0, 2}, {33, 9, 4}},  {{5, 3, 0}, {6, 4, 6}},
                                     {{0, 0, 0}, {0, 0, 0}},   {{20, 5, 5}, {10, 2, 2}}};
    const wabe_box all = {.end = {33, 9, 6}};
    for (int name = 0; name < CASE_COUNT; name++)
        for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++)
            check((case_name)name, cells, all, inner[i], false);
}

static void blocks_of_a_domain(void **state) {
    (void)state;
    static const int64_t cells[3] = {33, 9, 6};
    static const wabe_box blocks[] = {{{0, 0, 0}, {17, 9, 6}},
                                      {{17, 3, 2}, {33, 6, 6}},
                                      {{9, 4, 0}, {29, 5, 1}},
                                      {{8, 2, 2}, {24, 7, 4}}};
    for (int name = 0; name < CASE_COUNT; name++)
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
            check((case_name)name, cells, blocks[i], wabe_box_grow(blocks[i], -1), false);
}

/* A domain of more tiles than a chunk holds, most of them plain: they cost no records. */
static void plain_tiles_have_no_records(void **state) {
    (void)state;
    static const int64_t cells[3] = {127, 63, 8};
    const wabe_box all = {.end = {127, 63, 8}};
    setting s;
    setting_open(&s, CASE_MIXED, cells, all, all, false);
    check_cells(&s);
    const wabe_region *r = &s.tiles->regions[WABE_REGION_INNER];
    assert_true(r->chunk_count > 1);
    /* The first and last tile of each row of 8 may be irregular, and all of the outer planes. */
    assert_true(r->record_count < 63 * 6 * 2 + 2 * 63 * 8 * 2 + 6 * 2 * 8 * 3);
    setting_close(&s);
}

/* By lattice. */
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_domains),
        cmocka_unit_test(split_domains),
        cmocka_unit_test(blocks_of_a_domain),
        cmocka_unit_test(plain_tiles_have_no_records),
    };
    int failures = 0;
    for (int lattice = WABE_LATTICE_any + 1; lattice < WABE_LATTICE_end; lattice++) {
        lattice_under_test = (wabe_lattice)lattice;
        failures += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failures;
}
