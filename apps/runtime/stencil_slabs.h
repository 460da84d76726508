/* The slabs of a grid in a domain: how they are made, and what crosses between them. */
#pragma once

#include "apps/runtime/domain.h"
#include "sweeps/grid.h"

/* Of this process. */
typedef struct {
    wabe_grid_model model;
    void *context;
    /* Sets the sweeps' own arguments, and constants; or NULL. Local. */
    wabe_status (*fill)(void *context, wabe_grid_slab *slab);
    MPI_Comm comm;
    double values[WABE_GRID_REDUCTIONS_MAX]; /* of reductions, as far as they have been reduced */
    wabe_grid_slab *list[WABE_SLABS_MAX];
} wabe_grid_slabs;

/* For wabe_domain_create. slabs must stay where it is. Local. */
wabe_domain_slabs wabe_grid_slabs_of_domain(MPI_Comm comm, wabe_grid_slabs *slabs);
void wabe_grid_slabs_destroy(wabe_grid_slabs *slabs);

/* All numbers of the state, or one of them, for wabe_domain_read and wabe_domain_gather; of must
 * stay where it is. Local. */
typedef struct {
    const wabe_grid_slabs *slabs;
    wabe_grid_number at; /* see wabe_grid_state */
} wabe_grid_slabs_number;
wabe_values wabe_grid_slabs_values(const wabe_grid_slabs *slabs);
wabe_values wabe_grid_slabs_values_of(const wabe_grid_slabs_number *of);

/* A number on a box of this process's block as f64 or f32, [z][y][x]: of fields of that type, or
 * of a narrower one, unchanged. WABE_MEMORY. Local. */
wabe_status wabe_grid_slabs_read(const wabe_grid_slabs_number *of, const wabe_domain *domain,
                                 wabe_box box, wabe_type type, void *out);

/* A reduction of the last pass of its sweep, over all slabs of all processes; NAN: without memory
 * for it. Collective. */
double wabe_grid_slabs_reduce(wabe_grid_slabs *slabs, int reduction);

/* A number of the state in so many cells of a row, see wabe_grid_values. */
typedef wabe_status (*wabe_grid_state_values)(const void *context, int number,
                                              const int64_t cell[3], int64_t count, double *row);

/* The state before step 0; wabe_domain_initialise comes next. WABE_MEMORY, or what values returns.
 * Local. */
wabe_status wabe_grid_slabs_initialise(wabe_grid_slabs *slabs, wabe_grid_state_values values,
                                       const void *context);

/* Time steps of the next pass, the model's depth at most. Local. */
void wabe_grid_slabs_set_steps(const wabe_grid_slabs *slabs, int steps);
