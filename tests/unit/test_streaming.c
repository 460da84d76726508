/* Streaming patterns: what leaves a cell by out is what arrives at its neighbour by in. */
#include "sweeps/lattice/streaming.h"

#include "sweeps/cell/lattice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const wabe_streaming patterns[] = {WABE_STREAMING_pull, WABE_STREAMING_in_place};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

#define FOR_LATTICES(lattice)                                                                      \
    for (wabe_lattice lattice = WABE_LATTICE_any + 1; lattice < WABE_LATTICE_end; lattice++)

static wabe_layout layout_of(wabe_lattice lattice, wabe_type type) {
    return wabe_layout_make((int64_t[3]){7, 5, 4}, NULL, wabe_lattice_count(lattice), type,
                            WABE_TARGET_cpu);
}

static void what_leaves_arrives(void **state) {
    (void)state;
    FOR_LATTICES(lattice)
    for (int p = 0; p < PATTERNS; p++)
        for (int type = WABE_TYPE_f64; type < WABE_TYPE_end; type++) {
            const wabe_layout l = layout_of(lattice, (wabe_type)type);
            const wabe_streaming_offsets o = wabe_streaming_offsets_make(patterns[p], lattice, &l);
            for (int parity = 0; parity < 2; parity++)
                for (int q = 0; q < wabe_lattice_count(lattice); q++) {
                    const int *e = wabe_lattice_e(lattice, q);
                    const int64_t neighbour = wabe_layout_cell(&l, e[0], e[1], e[2]);
                    assert_int_equal(o.out[parity][q], neighbour + o.in[1 - parity][q]);
                }
        }
}

/* On one grid a step may write only where no other cell of that step reads: into the slots that the
 * cell itself has read. With two grids every slot of the target is written once. */
static void slots_are_no_one_elses(void **state) {
    (void)state;
    FOR_LATTICES(lattice)
    for (int p = 0; p < PATTERNS; p++) {
        const wabe_layout l = layout_of(lattice, WABE_TYPE_f64);
        const wabe_streaming_offsets o = wabe_streaming_offsets_make(patterns[p], lattice, &l);
        assert_int_equal(o.grids, wabe_streaming_grids(patterns[p]));
        for (int parity = 0; parity < 2; parity++)
            for (int q = 0; q < wabe_lattice_count(lattice); q++) {
                int same = 0;
                for (int r = 0; r < wabe_lattice_count(lattice); r++)
                    same += o.out[parity][q] == (o.grids == 1 ? o.in : o.out)[parity][r];
                assert_int_equal(same, 1);
            }
    }
}

static void offsets_stay_within_the_field(void **state) {
    (void)state;
    FOR_LATTICES(lattice)
    for (int p = 0; p < PATTERNS; p++) {
        const wabe_layout l = layout_of(lattice, WABE_TYPE_f64);
        const int64_t last = wabe_layout_cell(&l, 6, 4, 3);
        const wabe_streaming_offsets o = wabe_streaming_offsets_make(patterns[p], lattice, &l);
        for (int parity = 0; parity < 2; parity++)
            for (int q = 0; q < wabe_lattice_count(lattice); q++)
                for (int k = 0; k < 2; k++) {
                    const int64_t first = (k ? o.in : o.out)[parity][q];
                    /* Within the component that it begins in, tiles reaching beyond included. */
                    const int64_t within = (first + l.front) % l.stride;
                    assert_true(first + l.front >= 0);
                    assert_true(within + last + 16 < l.stride);
                }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_leaves_arrives),
        cmocka_unit_test(slots_are_no_one_elses),
        cmocka_unit_test(offsets_stay_within_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
