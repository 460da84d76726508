/* What applications have in common whose state is fields of numbers that stencils work on
 * (sweeps/grid.h): such an application is a model, what its kernels need, and an initial state. */
#pragma once

#include "apps/runtime/field_scan.h"
#include "apps/runtime/run.h"
#include "apps/runtime/stencil_slabs.h"

/* A number of the state: a field, or a component of one. */
typedef struct {
    wabe_grid_slabs_number of;
    wabe_type type;
    char name[32], mean[40], rms[40]; /* itself, and its means over time */
    char prefix[40];                  /* of names that tell it from other numbers */
    char mean_at_start[56];
    wabe_field_state first, last;
} wabe_stencil_number;

typedef struct {
    /* What the application says. */
    wabe_grid_slabs slabs;          /* as they are before there is one */
    int depth;                      /* time steps of a pass; 0: what wabe_grid_depth finds best */
    const char *depth_key;          /* of the input, or NULL: 0 */
    const char *kernel_key;         /* of the input: names a part of the kernel */
    wabe_grid_state_values initial; /* gets the slabs' context */
    wabe_status (*conclude)(wabe_run *run); /* see wabe_application; its own part. Or NULL. */
    void (*put)(const wabe_run *run, wabe_json *json); /* or NULL */
    void (*print)(const wabe_run *run);                /* or NULL */
    /* What becomes of it. */
    bool wraps_x; /* what kernels could do */
    int number_count;
    wabe_stencil_number numbers[WABE_GRID_NUMBERS_MAX];
    wabe_state_number of_state[WABE_GRID_NUMBERS_MAX];
    wabe_output_quantity quantities[3 * WABE_GRID_NUMBERS_MAX];
    char columns[WABE_LINE_SIZE], names[WABE_LINE_SIZE];
    int application; /* see wabe_machine_flavour */
    bool walls;
    wabe_component host; /* threads that look at values */
    wabe_domain domain;
} wabe_stencil_case;

/* Enters what follows from it into the application, whose context it becomes: the state, and all
 * functions but print_model. stencil must stay where it is. Local. */
void wabe_stencil_enter(wabe_stencil_case *stencil, wabe_application *application);

/* Of a run whose application has entered one. Local. */
static inline wabe_stencil_case *wabe_stencil_case_of(const wabe_run *run) {
    return run->app->context;
}
