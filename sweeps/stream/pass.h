/* The order of a pass: several time steps on a slab of which only a part is in memory, without
 * computing or moving anything twice. The part goes up through the slab, or down. Step l of the
 * pass, its level, follows level l - 1 at the distance of a step's reach: the numbers that a step
 * in place accesses have then been written by all cells that the level before accesses them from.
 *
 * Where a slab has a neighbour, whose planes it knows only as they were before the pass, each level
 * covers fewer planes than the one before: wabe_pass_shrink.
 *
 * Plain data, for any slab whose items (chunks of cells) are in the order of their cells. */
#pragma once

#include "sweeps/cell/chunk.h"

#include <stdbool.h>

enum { WABE_PASS_LEVELS_MAX = 128 };

/* Items begin to end - 1 at a level. */
typedef struct {
    int level;
    int64_t begin, end;
} wabe_pass_part;

typedef struct {
    const wabe_chunk *chunks; /* on the host */
    int64_t count;
    int64_t reach;   /* cells: the largest distance from a cell of a number that a step accesses */
    int64_t advance; /* cells by which the first level goes on in a round */
    int levels;
    bool up;       /* from the first item to the last, or the other way */
    int64_t front; /* cells that the first level has come */
    /* Items of each level from the end where the pass begins: from first to stop - 1, of which
     * those before done are done. */
    int64_t first[WABE_PASS_LEVELS_MAX], stop[WABE_PASS_LEVELS_MAX], done[WABE_PASS_LEVELS_MAX];
} wabe_pass;

/* A round: a part of each level, in the order in which they must run. */
typedef struct {
    int count;
    wabe_pass_part parts[WABE_PASS_LEVELS_MAX];
    int64_t low, high; /* the parts' cells, low to high - 1; their steps reach beyond */
    int64_t known; /* all levels have done the cells of the last one before this one (up), or from
                      it on (down) */
    int64_t left;  /* rounds to come have cells from here on alone (up), or below (down) */
    int64_t limit; /* and at the other end below here alone (up), or from here on (down) */
} wabe_pass_round;

/* Return the first of count items that ends behind a cell; the first one that begins at it or
 * behind it; and those that have any of cells first to end - 1. Local. */
int64_t wabe_items_behind(const wabe_chunk *items, int64_t count, int64_t cell);
int64_t wabe_items_from(const wabe_chunk *items, int64_t count, int64_t cell);
void wabe_items_of(const wabe_chunk *items, int64_t count, int64_t first, int64_t end,
                   int64_t *begin_item, int64_t *end_item);

/* Starts a pass. Local. */
void wabe_pass_begin(wabe_pass *pass, const wabe_chunk *chunks, int64_t count, int64_t reach,
                     int64_t advance, int levels, bool up);
/* Makes a level cover items begin to end - 1 alone: at least those of cells within the reach of the
 * cells of the next level. Before the first round. Local. */
void wabe_pass_shrink(wabe_pass *pass, int level, int64_t begin, int64_t end);
/* Finds the next round; false: the pass is over. Local. */
bool wabe_pass_next(wabe_pass *pass, wabe_pass_round *out);

/* Returns how many cells a round spans at most, without the reach beyond them. grain: cells of the
 * largest item. Local. */
int64_t wabe_pass_span(int levels, int64_t reach, int64_t advance, int64_t grain);
