/* The test application as tables (sweeps/stencil/grid.h), and its initial values. */
#pragma once

#include "sweeps/stencil/grid.h"

enum { U, K, W, FIELDS };
enum { SQUARES, LARGEST };
enum { RELAXED_MAX = 4 };

#define DRIFT 0.25
#define RELAX 0.03125
#define CALM 0.003 /* mean square of changes below which relaxing ends */

extern const wabe_wall application_walls[FIELDS][6];

/* Returns the model. A step: drift, then relax until changes are small. cells must outlive the
 * model. Local. */
wabe_grid_model application_model(const int64_t cells[3], const bool periodic[3]);

/* Sets the sweeps' rates and the constant. WABE_MEMORY. Local. */
wabe_status application_fill(void *context, wabe_grid_slab *slab);

/* Returns component q of a field before the first step. Local. */
double application_value(int field, int q, const int64_t cell[3]);

/* Same for a row of cells; context: const int[2], field and component. Local. */
wabe_status application_values(const void *context, const int64_t cell[3], int64_t count,
                               double *row);
