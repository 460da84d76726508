/* A run on a grid, as its files share it: grid.c, grid_restart.c. */
#ifndef WABE_APPS_GRID_INTERNAL_H
#define WABE_APPS_GRID_INTERNAL_H

#include "apps/backlog.h"
#include "apps/grid.h"
#include "apps/grid_state.h"
#include "apps/time_series.h"

typedef struct {
    MPI_Comm comm;
    int rank, size;
    wabe_config *config;
    const wabe_grid_options *o;
    const wabe_grid_application *app;
    int table_count;
    const wabe_option_table *tables;
    wabe_components components;
    const wabe_kernel *kernel; /* of the first component */
    wabe_component host;       /* threads that look at values */
    wabe_grid_slabs slabs;
    wabe_domain domain;
    wabe_backlog backlog; /* its one output: the field */
    char directory[WABE_STRING_SIZE + 8];
    bool checks;         /* nothing is measured, nothing large is allocated */
    int64_t step, steps; /* of time: done, and in all, the rehearsal included */
    int64_t first_step;  /* that it has begun at */
    const char *restart; /* what --restart says, or NULL */
    wabe_time_series monitor;
    wabe_lifetime lifetime;
    bool stopped; /* before the last step */
    double copy, seconds, bytes;
    wabe_grid_state first, last;
    double mean_at_start; /* at step 0, whoever has computed it; NAN: it was this run */
} grid_run;

/* grid_restart.c. The values before the first step, known to all neighbours: the application's, or
 * those of a checkpoint. WABE_INPUT: it is damaged, or of another case. Begins a checkpoint of the
 * present values: see wabe_backlog_save. Collective. */
wabe_status wabe_grid_begin(grid_run *run);
wabe_status wabe_grid_save(grid_run *run, wabe_decision decision);

#endif
