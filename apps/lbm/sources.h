/* Boxes of cells that give off the scalar, such as exhausts along a street: their keys, and how
 * much each cell gives off. */
#pragma once

#include "apps/lbm/scalar.h"
#include "core/geometry/geometry.h"

#include <stdint.h>

struct wabe_run;

enum { WABE_SOURCES_MAX = 64 };

/* As read, one member per key; the rows are in schema.c. begin, end: cells; start, stop: steps. */
typedef struct {
    int64_t begin[3], end[3], start, stop;
    double rate;
} wabe_source_options;

typedef struct {
    int count;
    wabe_source list[WABE_SOURCES_MAX]; /* amount: 0 until cells are counted */
    int64_t cells[WABE_SOURCES_MAX];    /* that are fluid */
    double rates[WABE_SOURCES_MAX];     /* of all cells, in the scalar's unit */
    double difference;                  /* scalar.difference */
} wabe_scalar_sources;

/* Checks the keys and derives the sources; options: count of them. WABE_INPUT, with the key's line.
 * Local. */
wabe_status wabe_sources_make(const wabe_config *config, int64_t count,
                              const wabe_source_options *options, const wabe_scalar_case *scalar,
                              const int64_t cells[3], wabe_scalar_sources *out);

/* Divides the rates among fluid cells. WABE_INPUT: a source has none, or a cell gives off more in a
 * step than scalar.difference. Collective. */
wabe_status wabe_sources_count(const struct wabe_run *run, wabe_scalar_sources *sources);

/* Prints a line for each source. Local. */
void wabe_sources_print(const wabe_scalar_sources *sources);

/* Returns what these sources give off before this step, in the scalar's unit. Local. */
double wabe_sources_released(const wabe_scalar_sources *sources, int64_t step);
