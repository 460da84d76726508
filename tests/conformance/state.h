/* The populations that have left the cells of a slab, copied from the memory of its component. */
#pragma once

#include "core/device/memory.h"
#include "sweeps/lbm.h"
#include "tests/conformance/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct {
    const wabe_lbm_slab *lbm;
    void *memory;         /* of the whole field */
    uint32_t *neighbours; /* of a list */
    uint32_t *slots;      /* of a list: for each cell of the dense layout */
} state_copy;

static inline size_t state_number_size(const wabe_lbm_slab *lbm) {
    return wabe_type_size(lbm->model.type);
}

static inline void *state_fetch(const wabe_lbm_slab *lbm, const void *from, size_t bytes) {
    void *memory = malloc(bytes);
    assert_non_null(memory);
    assert_int_equal(wabe_memory_read(lbm->component, lbm->timeline.streams[WABE_REGION_OUTER],
                                      memory, from, (int64_t)bytes),
                     WABE_OK);
    return memory;
}

static inline void state_read_list(const wabe_lbm_slab *lbm, state_copy *copy) {
    const int64_t *n = lbm->layout.cells;
    const wabe_list *list = lbm->list;
    copy->neighbours = state_fetch(lbm, list->neighbours,
                                   (size_t)((WABE_Q - 1) * list->count) * sizeof *copy->neighbours);
    copy->slots =
        malloc((size_t)wabe_layout_cell(&lbm->layout, n[0], n[1], n[2]) * sizeof *copy->slots);
    assert_non_null(copy->slots);
    for (int64_t slot = 0; slot < list->count; slot++)
        if (list->cells[slot] != WABE_NO_CELL)
            copy->slots[list->cells[slot]] = (uint32_t)slot;
}

static inline state_copy state_read(const wabe_lbm_slab *lbm) {
    const char *start = (const char *)wabe_lbm_state(lbm)->data -
                        (size_t)lbm->layout.front * state_number_size(lbm);
    state_copy copy = {.lbm = lbm};
    wabe_lbm_synchronise(lbm);
    copy.memory = state_fetch(lbm, start, (size_t)wabe_layout_bytes(&lbm->layout));
    if (lbm->list)
        state_read_list(lbm, &copy);
    return copy;
}

static inline void state_free(state_copy *copy) {
    free(copy->memory);
    free(copy->neighbours);
    free(copy->slots);
}

/* Returns the index of population q of a cell, relative to the data of the slab's field. */
static inline int64_t state_place(const state_copy *copy, const int64_t cell[3], int q) {
    const wabe_lbm_slab *lbm = copy->lbm;
    const int parity = (int)((lbm->timeline.step + 1) & 1);
    int64_t n = wabe_layout_cell(&lbm->layout, cell[0], cell[1], cell[2]);
    n = lbm->list ? copy->slots[n] : n;
    if (lbm->list && parity == 0 && q > 0)
        return copy->neighbours[wabe_neighbour_entry(wabe_lattice_opposite(q), n)];
    return n + lbm->offsets.out[parity][q];
}

/* Returns population q (the library's numbering) that has left a cell. */
static inline double state_sent(const state_copy *copy, const int64_t cell[3], int q) {
    const int64_t at = state_place(copy, cell, q) + copy->lbm->layout.front;
    if (copy->lbm->model.type == WABE_TYPE_f16)
        return half_population(((const uint16_t *)copy->memory)[at]);
    return copy->lbm->model.type == WABE_TYPE_f64 ? ((const double *)copy->memory)[at]
                                                  : (double)((const float *)copy->memory)[at];
}
