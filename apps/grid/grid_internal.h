/* A run on a grid, as its files share it: grid.c, grid_prepare.c, grid_restart.c, grid_output.c,
 * grid_report.c. */
#ifndef WABE_APPS_GRID_GRID_INTERNAL_H
#define WABE_APPS_GRID_GRID_INTERNAL_H

#include "apps/grid/grid.h"
#include "apps/grid/grid_state.h"
#include "apps/runtime/async_output.h"
#include "apps/runtime/time_series.h"

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
    wabe_async_output async; /* its one output: the field */
    char directory[WABE_STRING_SIZE + 8];
    bool checks;         /* nothing is measured, nothing large is allocated */
    int64_t step, steps; /* of time: done, and in all, the rehearsal included */
    int64_t first_step;  /* that it has begun at */
    const char *restart; /* what --restart says, or NULL */
    wabe_time_series monitor;
    wabe_checkpoint_policy policy;
    bool begun;   /* results.json says so */
    bool stopped; /* before the last step */
    double copy, seconds, bytes;
    wabe_grid_state first, last;
    double mean_at_start; /* at step 0, whoever has computed it; NAN: it was this run */
} grid_run;

/* Of the domain. Local. */
static inline double wabe_grid_cells(const grid_run *run) {
    const int64_t *n = run->o->domain.cells;
    return (double)n[0] * (double)n[1] * (double)n[2];
}

/* grid_prepare.c. Chooses components, kernel, planes and steps a pass, and says so. WABE_INPUT:
 * what cannot be had, and the key. WABE_MEMORY. Collective. */
wabe_status wabe_grid_prepare(grid_run *run);

/* grid_restart.c. The values before the first step, known to all neighbours: the application's, or
 * those of a checkpoint. WABE_INPUT: it is damaged, or of another case. Begins a checkpoint of the
 * present values: see wabe_async_save. Collective. */
wabe_status wabe_grid_begin(grid_run *run);
wabe_status wabe_grid_save(grid_run *run, wabe_decision decision);

/* grid_output.c. The first cell of a state whose value is broken. Local. */
void wabe_grid_name_cell(const grid_run *run, wabe_grid_state state, char text[], size_t size);
/* Looks at all values. WABE_DIVERGED: one is broken. Collective. */
wabe_status wabe_grid_check_state(grid_run *run);
/* A line of monitor.csv about the last look. WABE_FILE. Collective. */
wabe_status wabe_grid_note_state(grid_run *run);
/* Opens what is written on the way, and the log. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_grid_open_output(grid_run *run);
/* The field and the picture that are asked for. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_grid_write_state(grid_run *run);
/* config.resolved.cfg. WABE_FILE. Rank 0. */
wabe_status wabe_grid_write_configuration(const grid_run *run);

/* grid_report.c. Prints rates and writes results.json and timing.json; status_word: how it ended.
 * WABE_FILE. Collective. */
wabe_status wabe_grid_write_results(grid_run *run, const char *status_word);

#endif
