/* What applications have in common whose state is one field of values that a stencil works on
 * (sweeps/grid.h): such an application is a model, what its kernels need, and an initial state. */
#ifndef WABE_APPS_RUNTIME_STENCIL_H
#define WABE_APPS_RUNTIME_STENCIL_H

#include "apps/runtime/field_scan.h"
#include "apps/runtime/run.h"
#include "apps/runtime/stencil_slabs.h"

typedef struct {
    /* What the application says. */
    const char *field;        /* what its values are, in files and pictures */
    wabe_grid_slabs slabs;    /* as they are before there is one */
    int depth;                /* time steps of a pass; 0: what wabe_grid_depth finds best */
    const char *depth_key;    /* of the input, or NULL: 0 */
    const char *kernel_key;   /* of the input: names a part of the kernel */
    wabe_grid_values initial; /* gets the slabs' context */
    wabe_status (*conclude)(wabe_run *run); /* see wabe_application; its own part. Or NULL. */
    void (*put)(const wabe_run *run, wabe_json *json);
    void (*print)(const wabe_run *run); /* or NULL */
    /* What becomes of it. */
    bool wraps_x;    /* what kernels could do */
    int application; /* see wabe_machine_flavour */
    bool walls;
    char mean_name[32], rms_name[32];
    wabe_state_number number;
    wabe_output_quantity quantities[3];
    wabe_component host; /* threads that look at values */
    wabe_domain domain;
    wabe_field_state first, last;
} wabe_stencil_case;

/* Enters what follows from it into the application, whose context it becomes: the state, and all
 * functions but print_model. stencil must stay where it is. Local. */
void wabe_stencil_enter(wabe_stencil_case *stencil, wabe_application *application);

/* Of a run whose application has entered one. Local. */
static inline wabe_stencil_case *wabe_stencil_case_of(const wabe_run *run) {
    return run->app->context;
}

#endif
