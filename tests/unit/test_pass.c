/* The order of a pass (sweeps/stream/pass.h): each number is accessed by each step once, after all
 * steps before it, and lies within the cells that a round says. */
#include "sweeps/stream/panels.h"
#include "sweeps/stream/pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GRAIN = 16 * WABE_TILE, CHUNKS = 60, CELLS = CHUNKS * GRAIN, OFFSETS = 5 };

/* Numbers 0 to OFFSETS - 1 of a cell; number k lies at the cell in even steps, and that far from it
 * in odd ones, as populations do in place. */
typedef struct {
    int64_t reach, offsets[OFFSETS];
    int8_t steps[OFFSETS][CELLS]; /* that have accessed a number */
    int64_t low, high;            /* of the round: numbers that may be accessed */
} field;

static void access_number(field *f, int k, int64_t place, int step) {
    assert_true(place >= f->low && place < f->high);
    if (place < f->reach || place >= CELLS - f->reach)
        return; /* in some steps it is a ghost cell's */
    assert_int_equal(f->steps[k][place], step);
    f->steps[k][place]++;
}

static void do_part(field *f, const wabe_chunk *chunks, const wabe_pass_part *part, int first) {
    for (int64_t i = part->begin; i < part->end; i++)
        for (int64_t n = 0; n < chunks[i].tile_count * WABE_TILE; n++)
            for (int k = 0; k < OFFSETS; k++) {
                const int64_t cell = (int64_t)chunks[i].first_tile * WABE_TILE + n;
                const bool odd = (first + part->level) % 2;
                access_number(f, k, cell + (odd ? f->offsets[k] : 0), part->level);
            }
}

/* first: parity of the first step. */
static void run_pass(int levels, int64_t reach, int64_t advance, bool up, int first) {
    static field f;
    wabe_chunk chunks[CHUNKS];
    wabe_pass pass;
    wabe_pass_round round;
    f = (field){.reach = reach, .offsets = {0, 1, -1, reach, -reach}};
    for (int64_t i = 0; i < CHUNKS; i++)
        chunks[i] = (wabe_chunk){.first_tile = (uint32_t)(i * GRAIN / WABE_TILE),
                                 .tile_count = GRAIN / WABE_TILE};
    wabe_pass_begin(&pass, chunks, CHUNKS, reach, advance, levels, up);
    int64_t left = up ? 0 : CELLS;
    while (wabe_pass_next(&pass, &round)) {
        assert_true(round.high - round.low <= wabe_pass_span(levels, reach, advance, GRAIN));
        assert_true(up ? round.low >= left : round.high <= left);
        f.low = round.low - reach;
        f.high = round.high + reach;
        for (int i = 0; i < round.count; i++)
            do_part(&f, chunks, &round.parts[i], first);
        left = round.left;
    }
    for (int64_t n = reach; n < CELLS - reach; n++)
        for (int k = 0; k < OFFSETS; k++)
            assert_int_equal(f.steps[k][n], levels);
}

static void each_number_once_per_step(void **state) {
    (void)state;
    const int64_t reaches[] = {1, 17, GRAIN, GRAIN + 1, 5 * GRAIN + 3};
    for (int levels = 1; levels <= 8; levels++)
        for (size_t r = 0; r < sizeof reaches / sizeof reaches[0]; r++)
            for (int way = 0; way < 4; way++) {
                run_pass(levels, reaches[r], GRAIN, way & 1, way >> 1);
                run_pass(levels, reaches[r], 7 * GRAIN + 5, way & 1, way >> 1);
                run_pass(levels, reaches[r], 2 * CELLS, way & 1, way >> 1);
            }
}

/* A slab that knows its neighbours as they were before the pass: what level l computes of the cells
 * that it covers for all levels to come is what a pass over cells without end computes, and rounds
 * to come keep within the limit. The value of a cell after l steps is l if all that it depends on
 * was computed, or known at the start; otherwise it stays behind. */
static void run_narrow_pass(int levels, int64_t reach, int64_t advance, bool up) {
    enum { GHOSTS = 20 * GRAIN };
    static int8_t value[2][CELLS]; /* after so many steps; of even and odd ones */
    static int8_t level_of[CELLS];
    wabe_chunk chunks[CHUNKS];
    wabe_pass pass;
    wabe_pass_round round;
    int64_t limit = up ? INT64_MAX : INT64_MIN, left = up ? 0 : CELLS;
    for (int64_t i = 0; i < CHUNKS; i++)
        chunks[i] = (wabe_chunk){.first_tile = (uint32_t)(i * GRAIN / WABE_TILE),
                                 .tile_count = GRAIN / WABE_TILE};
    memset(value, 0, sizeof value);
    memset(level_of, 0, sizeof level_of);
    wabe_pass_begin(&pass, chunks, CHUNKS, reach, advance, levels, up);
    for (int level = 0; level < levels; level++) {
        const int64_t beyond = (levels - level) * reach;
        wabe_pass_shrink(&pass, level, (GHOSTS - beyond) / GRAIN,
                         CHUNKS - (GHOSTS - beyond) / GRAIN);
    }
    while (wabe_pass_next(&pass, &round)) {
        assert_true(up ? round.high <= limit : round.low >= limit);
        assert_true(up ? round.low >= left : round.high <= left);
        limit = round.limit;
        left = round.left;
        for (int i = 0; i < round.count; i++)
            for (int64_t n = round.parts[i].begin * GRAIN; n < round.parts[i].end * GRAIN; n++) {
                const int level = round.parts[i].level;
                const int8_t *before = value[level % 2];
                bool known = level_of[n] == level;
                for (int64_t k = n - reach; k <= n + reach; k += reach)
                    known &= k >= 0 && k < CELLS && before[k] == level;
                value[1 - level % 2][n] = (int8_t)(known ? level + 1 : -1);
                level_of[n] = (int8_t)(level + 1);
            }
    }
    for (int64_t n = GHOSTS; n < CELLS - GHOSTS; n++)
        assert_int_equal(value[levels % 2][n], levels);
}

static void narrow_passes_know_all_they_need(void **state) {
    (void)state;
    for (int levels = 1; levels <= 8; levels++)
        for (int up = 0; up < 2; up++) {
            run_narrow_pass(levels, GRAIN + 37, 3 * GRAIN, up);
            run_narrow_pass(levels, 2 * GRAIN, GRAIN, up);
        }
}

/* A pass through panels: each number that a cell sends to another is accessed once in each step,
 * after all steps before it. Numbers as above: at the cell in even steps, beside it in odd ones. */
enum { PITCH = 37, ROWS = 23, PLANES = 9, PLANE = PITCH * ROWS, ALL = PLANE * PLANES };

static bool is_updated(int64_t n) {
    return n >= 0 && n < ALL && n % PITCH < PITCH - 1 && n % PLANE / PITCH < ROWS - 1;
}

/* Chunks of tiles with a cell that is updated. */
static int64_t make_chunks(wabe_chunk *chunks, uint32_t grain) {
    int64_t count = 0;
    for (uint32_t tile = 0; tile * WABE_TILE < ALL; tile++) {
        bool any = false;
        for (int lane = 0; lane < WABE_TILE; lane++)
            any |= is_updated((int64_t)tile * WABE_TILE + lane);
        wabe_chunk *last = count > 0 ? &chunks[count - 1] : NULL;
        if (any && last && last->first_tile + last->tile_count == tile && last->tile_count < grain)
            last->tile_count++;
        else if (any)
            chunks[count++] = (wabe_chunk){.first_tile = tile, .tile_count = 1};
    }
    return count;
}

static void run_panels(int levels, int64_t rows, uint32_t grain, int first) {
    enum { WAYS = 27 };
    static int8_t steps[WAYS][ALL];
    wabe_chunk chunks[ALL / WABE_TILE + 1];
    wabe_panels panels;
    wabe_pass_part part;
    int64_t accessed = 0, wanted = 0;
    memset(steps, 0, sizeof steps);
    assert_int_equal(wabe_panels_create(chunks, make_chunks(chunks, grain), PLANE, PLANES,
                                        rows * PITCH, PITCH + 1, levels, &panels),
                     WABE_OK);
    wabe_panels_begin(&panels, levels);
    while (wabe_panels_next(&panels, &part))
        for (int64_t n = wabe_chunk_begin(&chunks[part.begin]);
             n < wabe_chunk_end(&chunks[part.end - 1]); n++)
            for (int way = 0; way < WAYS && is_updated(n); way++) {
                const int64_t e = way % 3 - 1 + (way / 3 % 3 - 1) * PITCH + (way / 9 - 1) * PLANE;
                const int64_t place = (first + part.level) % 2 ? n + e : n;
                if (!is_updated(place) || !is_updated(place - e))
                    continue; /* of a wall */
                assert_int_equal(steps[way][place], part.level);
                steps[way][place]++;
                accessed++;
            }
    for (int64_t n = 0; n < ALL; n++)
        for (int way = 0; way < WAYS; way++)
            wanted += is_updated(n) && is_updated(n - (way % 3 - 1 + (way / 3 % 3 - 1) * PITCH +
                                                       (way / 9 - 1) * PLANE));
    assert_int_equal(accessed, wanted * levels);
    wabe_panels_destroy(&panels);
}

static void panels_access_each_number_once_per_step(void **state) {
    (void)state;
    for (int levels = 1; levels <= 6; levels++)
        for (int64_t rows = 3; rows < 2 * ROWS; rows += 5)
            for (int first = 0; first < 2; first++)
                run_panels(levels, rows, rows % 2 ? 1 : 4, first);
}

/* Chunks that are missing, as where all is solid, delay nothing and are no obstacle. */
static void chunks_may_be_missing(void **state) {
    (void)state;
    wabe_chunk chunks[3] = {{.first_tile = 0, .tile_count = 16},
                            {.first_tile = 160, .tile_count = 3},
                            {.first_tile = 163, .tile_count = 16}};
    for (int up = 0; up < 2; up++) {
        wabe_pass pass;
        wabe_pass_round round;
        int64_t done[4] = {0};
        wabe_pass_begin(&pass, chunks, 3, 40, 256, 4, up);
        while (wabe_pass_next(&pass, &round))
            for (int i = 0; i < round.count; i++) {
                const wabe_pass_part *part = &round.parts[i];
                assert_int_equal(up ? part->begin : 3 - part->end, done[part->level]);
                done[part->level] += part->end - part->begin;
                if (part->level > 0)
                    assert_true(done[part->level] <= done[part->level - 1]);
            }
        for (int level = 0; level < 4; level++)
            assert_int_equal(done[level], 3);
    }
}

static void a_slab_without_cells_has_no_rounds(void **state) {
    (void)state;
    wabe_pass pass;
    wabe_pass_round round;
    wabe_pass_begin(&pass, NULL, 0, 40, 256, 4, true);
    assert_false(wabe_pass_next(&pass, &round));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_number_once_per_step),
                                       cmocka_unit_test(narrow_passes_know_all_they_need),
                                       cmocka_unit_test(panels_access_each_number_once_per_step),
                                       cmocka_unit_test(chunks_may_be_missing),
                                       cmocka_unit_test(a_slab_without_cells_has_no_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
