/* Shared by the files of the application two_phase. */
#pragma once

#include "apps/runtime/fluid_survey.h"
#include "apps/two_phase/two_phase.h"

#define WABE_TWO_PHASE_FASTEST 0.3   /* cells that anything should go in a step */
#define WABE_TWO_PHASE_LEFT_MAX 1e-3 /* of a cell's volume that a step may lose */

typedef struct {
    wabe_two_phase_options options;
    wabe_stencil_case stencil;
    wabe_two_phase_case step;
    wabe_two_phase_tables tables;
    wabe_multigrid_goal pressure; /* unless it has a number of cycles */
    wabe_grid_solids solids;
    wabe_status (*survey)(wabe_run *run);                          /* of all stencil applications */
    void (*set_pass)(wabe_run *run, const wabe_coming_pass *pass); /* likewise */
    const char *limited_by; /* what the time step was chosen for; NULL: it is given */
    double longest;         /* time step, of those that differ, whatever the velocities */
    double volume;          /* of liquid at the start; NAN: not yet known */
    double lost;            /* of it since then, over it */
    bool told_left;         /* that the pressure was not found */
    bool told;              /* that something is too fast */
} wabe_two_phase;

static inline wabe_two_phase *wabe_two_phase_of(const wabe_run *run) {
    return wabe_stencil_case_of(run)->slabs.context;
}

static inline const wabe_fluid_shape *wabe_two_phase_shape_of(const wabe_two_phase *t,
                                                              int64_t number) {
    return (const wabe_fluid_shape *)t->options.two_phase.shapes.items + number;
}

/* Does fluid flow through a face? */
static inline bool wabe_two_phase_is_through(const wabe_two_phase *t) {
    bool through = false;
    for (int face = 0; face < WABE_FACES; face++)
        through |= t->step.faces[face] == WABE_TWO_PHASE_INFLOW ||
                   t->step.faces[face] == WABE_TWO_PHASE_OUTFLOW;
    return through;
}

/* Returns the number of axes that are more than a cell long. */
static inline int wabe_two_phase_axes(const wabe_two_phase *t) {
    return (t->step.cells[0] > 1) + (t->step.cells[1] > 1) + (t->step.cells[2] > 1);
}

/* two_phase_case.c: takes what the options say. Call wabe_grid_solids_free even if it fails.
 * WABE_INPUT, and as wabe_grid_solids_make. Local. */
wabe_status wabe_two_phase_take(const wabe_config *config, wabe_two_phase *t);
/* See wabe_application: of time steps that differ. Local. */
double wabe_two_phase_longest_step(const wabe_run *run);
void wabe_two_phase_set_pass(wabe_run *run, const wabe_coming_pass *pass);
/* See wabe_application; the second one warns of likely mistakes in the input. Local. */
void wabe_two_phase_print_model(const wabe_run *run);
void wabe_two_phase_print_more(const wabe_run *run);
/* See wabe_stencil_case.initial. */
wabe_status wabe_two_phase_initial_row(const void *context, int number, const int64_t cell[3],
                                       int64_t count, double *row);

/* two_phase_results.c: see wabe_stencil_case. */
extern const char wabe_two_phase_columns[];
enum { WABE_TWO_PHASE_COLUMNS = 32 };
wabe_status wabe_two_phase_monitor(wabe_run *run, double columns[]);
/* Returns the largest velocity on a face that the last statistics have found. Local. */
double wabe_two_phase_fastest(const wabe_two_phase *t);
int wabe_two_phase_recall(const wabe_run *run, wabe_checkpoint_number out[]);
wabe_status wabe_two_phase_resume(wabe_run *run, const wabe_checkpoint *checkpoint);
void wabe_two_phase_put(const wabe_run *run, wabe_json *json);
