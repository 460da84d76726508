/* The slabs of a grid in a domain: their creation and exchanges. */
#pragma once

#include "apps/runtime/domain.h"
#include "sweeps/stencil/grid.h"

/* The slabs of this process. */
typedef struct {
    wabe_grid_model model;
    void *context;
    /* Sets the sweeps' own arguments and constants; or NULL. Local. */
    wabe_status (*fill)(void *context, wabe_grid_slab *slab);
    MPI_Comm comm;
    double values[WABE_GRID_REDUCTIONS_MAX]; /* of reductions, as far as they are complete */
    wabe_grid_slab *list[WABE_SLABS_MAX];
} wabe_grid_slabs;

/* Returns the slabs' functions for wabe_domain_create. slabs must not be moved. Local. */
wabe_domain_slabs wabe_grid_slabs_of_domain(MPI_Comm comm, wabe_grid_slabs *slabs);
void wabe_grid_slabs_destroy(wabe_grid_slabs *slabs);

/* A number of the state, or one that is shown. */
typedef struct {
    const wabe_grid_slabs *slabs;
    wabe_grid_number at; /* see wabe_grid_numbers */
} wabe_grid_slabs_number;

/* Returns access to all numbers (wabe_grid_numbers) for wabe_domain_read and wabe_domain_gather.
 * Local. */
wabe_values wabe_grid_slabs_values(const wabe_grid_slabs *slabs);
/* Returns access to one number, which must not be moved. Local. */
wabe_values wabe_grid_slabs_values_of(const wabe_grid_slabs_number *number);

/* Reads a number on a box of this process's block as f64 or f32, [z][y][x]; values of fields of
 * that type, or of a narrower one, are exact. WABE_MEMORY. Local. */
wabe_status wabe_grid_slabs_read(const wabe_grid_slabs_number *number, const wabe_domain *domain,
                                 wabe_box box, wabe_type type, void *out);

/* Returns a reduction of its sweep's last pass, over all slabs of all processes; NAN: out of
 * memory. Collective. */
double wabe_grid_slabs_reduce(wabe_grid_slabs *slabs, int reduction);

/* Sets a number of the state in count cells of a row; see wabe_grid_values. */
typedef wabe_status (*wabe_grid_state_values)(const void *context, int number,
                                              const int64_t cell[3], int64_t count, double *row);

/* Sets the state before step 0; call wabe_domain_initialise next. WABE_MEMORY, or the error of
 * values. Local. */
wabe_status wabe_grid_slabs_initialise(wabe_grid_slabs *slabs, wabe_grid_state_values values,
                                       const void *context);

/* Sets the number of time steps of the next pass, at most the model's depth, and the number of the
 * run's time steps before it. Local. */
void wabe_grid_slabs_set_steps(const wabe_grid_slabs *slabs, int64_t step, int steps);
