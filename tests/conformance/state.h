/* What has left the cells of a slab, read back from the memory of its component. */
#ifndef WABE_TESTS_CONFORMANCE_STATE_H
#define WABE_TESTS_CONFORMANCE_STATE_H

#include "core/memory.h"
#include "sweeps/lbm.h"
#include "tests/conformance/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct {
    const wabe_lbm *lbm;
    void *memory; /* of the whole field */
} state_copy;

static inline size_t state_number_size(const wabe_lbm *lbm) {
    return wabe_type_size(lbm->model.type);
}

static inline state_copy state_read(const wabe_lbm *lbm) {
    const size_t bytes = (size_t)wabe_layout_bytes(&lbm->layout);
    const char *start = (const char *)wabe_lbm_state(lbm)->data -
                        (size_t)lbm->layout.front * state_number_size(lbm);
    const state_copy copy = {lbm, malloc(bytes)};
    assert_non_null(copy.memory);
    wabe_lbm_synchronise(lbm);
    assert_int_equal(wabe_memory_read(lbm->component, lbm->streams[WABE_REGION_OUTER], copy.memory,
                                      start, (int64_t)bytes),
                     WABE_OK);
    return copy;
}

static inline void state_free(state_copy *copy) { free(copy->memory); }

/* Where population q of a cell stands, in numbers from the data of the slab's field. */
static inline int64_t state_place(const wabe_lbm *lbm, const int64_t cell[3], int q) {
    return wabe_layout_cell(&lbm->layout, cell[0], cell[1], cell[2]) +
           lbm->offsets.out[(lbm->step + 1) & 1][q];
}

/* What has left a cell as population q of the library. */
static inline double state_sent(const state_copy *copy, const int64_t cell[3], int q) {
    const int64_t at = state_place(copy->lbm, cell, q) + copy->lbm->layout.front;
    if (copy->lbm->model.type == WABE_TYPE_f16)
        return half_population(((const uint16_t *)copy->memory)[at]);
    return copy->lbm->model.type == WABE_TYPE_f64 ? ((const double *)copy->memory)[at]
                                                  : (double)((const float *)copy->memory)[at];
}

#endif
