/* The records, words and runs of sweeps/cell/lbm.h as kernels of a lattice see them. */
#pragma once

#include "sweeps/cell/lattice_of_kernel.h"
#include "sweeps/cell/lbm.h"

/* A tile's words. */
#define WABE_CELL_WORD_d3q19 uint32_t
#define WABE_CELL_WORD_d3q27 uint64_t
#define WABE_CELL_WORD_d3q19_d3q7 uint64_t
#define WABE_CELL_WORD_d3q19_d3q19 uint64_t
typedef WABE_OF_LATTICE(WABE_CELL_WORD_) wabe_cell_word;
typedef struct {
    wabe_cell_word cells[WABE_TILE];
} wabe_cell_record;

/* A bit for each population. */
#define WABE_POPULATION_BITS_d3q19 uint32_t
#define WABE_POPULATION_BITS_d3q27 uint32_t
#define WABE_POPULATION_BITS_d3q19_d3q7 uint32_t
#define WABE_POPULATION_BITS_d3q19_d3q19 uint64_t
typedef WABE_OF_LATTICE(WABE_POPULATION_BITS_) wabe_population_bits;

/* Bits of a word. */
enum {
    WABE_CELL_PATCH = WABE_Q,
    WABE_CELL_LAST = WABE_CELL_PATCH + WABE_CELL_PATCH_BITS,
    WABE_CELL_RESTING /* the wall returns what leaves the cell */
};

#ifndef __cplusplus
_Static_assert(WABE_CELL_RESTING < 8 * sizeof(wabe_cell_word), "words have room for all bits");
#endif

WABE_HOST_DEVICE int wabe_cell_patch(wabe_cell_word cell) {
    return (int)(cell >> WABE_CELL_PATCH & (WABE_PATCHES_MAX - 1));
}

WABE_HOST_DEVICE uint32_t wabe_neighbour_index(const wabe_neighbours *neighbours, int q,
                                               int64_t n) {
    return neighbours->at[wabe_neighbour_entry(WABE_Q, q, n)];
}

/* Number in the domain of cell n's rest population. */
WABE_HOST_DEVICE uint64_t wabe_hash_id(const wabe_hash_args *a, int64_t n) {
    return wabe_hash_cell_number(a, n) * WABE_Q;
}
