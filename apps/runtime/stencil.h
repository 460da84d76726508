/* The common part of stencil applications, whose state is a set of fields (sweeps/stencil/grid.h).
 * Such an application provides a model, its kernels' arguments, and an initial state. */
#pragma once

#include "apps/runtime/field_scan.h"
#include "apps/runtime/run.h"
#include "apps/runtime/stencil_slabs.h"

/* A number of the state, or one that is shown: a field, or a component of one. */
typedef struct {
    wabe_grid_slabs_number of;
    wabe_type type;
    char name[32], mean[40], rms[40]; /* of the number itself and of its statistics over time */
    char prefix[40];                  /* of its columns and results, unique among the numbers */
    char mean_at_start[56];
    wabe_field_state first, last;
} wabe_stencil_number;

typedef struct {
    /* Set by the application. */
    wabe_grid_slabs slabs;          /* in their state before creation */
    int depth;                      /* time steps per pass; 0: the best by wabe_grid_depth */
    const char *depth_key;          /* input key; NULL: depth is 0 */
    const char *kernel_key;         /* input key with a part of the kernel's name */
    wabe_grid_state_values initial; /* called with the slabs' context */
    const wabe_state_number *units; /* of all numbers; NULL: stored in the run's units */
    const char *const *unit_words;  /* what these are called: "K"; NULL: not known */
    uint64_t signed_numbers; /* bit i: 0 is the middle of number i, and colours diverge from it */
    uint64_t inner_numbers;  /* bit i: number i tells users nothing, and is neither printed nor in
                                monitor.csv and results.json */
    /* Appends columns to a line of monitor.csv; or NULL. Also called at the start. Collective. */
    wabe_status (*monitor)(wabe_run *run, double columns[]);
    const char *monitor_columns; /* their names: "position,velocity" */
    int monitor_column_count;
    const char *likely_cause; /* of numbers that are broken, a clause; or NULL */
    /* Adds numbers to a checkpoint, and takes them from the one that a run begins with; or NULL.
     * WABE_INPUT: they are of another case. Local. */
    int (*recall)(const wabe_run *run, wabe_checkpoint_number out[]);
    wabe_status (*resume)(wabe_run *run, const wabe_checkpoint *checkpoint);
    wabe_status (*conclude)(wabe_run *run); /* its part of wabe_application.conclude; or NULL */
    void (*put)(const wabe_run *run, wabe_json *json); /* or NULL */
    void (*print)(const wabe_run *run);                /* or NULL */
    /* Set by stencil.c. */
    bool wraps_x;                  /* model.wraps[0] as set by the application */
    int number_count, state_count; /* the state's come first */
    wabe_stencil_number numbers[WABE_GRID_NUMBERS_MAX];
    wabe_state_number of_state[WABE_GRID_NUMBERS_MAX];
    wabe_output_quantity quantities[3 * WABE_GRID_NUMBERS_MAX];
    char columns[WABE_LINE_SIZE], names[WABE_LINE_SIZE];
    int application; /* see wabe_machine_flavour */
    bool walls;
    wabe_domain domain;
} wabe_stencil_case;

/* Fills in the application's table from stencil, which becomes its context: the state and all
 * functions except print_model. stencil must stay where it is in memory. Local. */
void wabe_stencil_enter(wabe_stencil_case *stencil, wabe_application *application);

/* Returns the stencil case of a run whose application has entered one. Local. */
static inline wabe_stencil_case *wabe_stencil_case_of(const wabe_run *run) {
    return run->app->context;
}
