/* A slab that is the whole domain, on the hardware of the test program. Include it after cmocka.h.
 */
#pragma once

#include "apps/runtime/kernels.h"
#include "sweeps/stencil/grid.h"
#include "tests/conformance/hardware.h"

#include <stdlib.h>
#include <string.h>

/* Must not be moved: the slab points to component. */
typedef struct {
    wabe_grid_slab *slab;
    wabe_component component;
    wabe_schedule schedule;
    wabe_profile profile;
    double values[WABE_GRID_REDUCTIONS_MAX];
} alone;

static inline wabe_box all_of(const int64_t n[3]) { return (wabe_box){.end = {n[0], n[1], n[2]}}; }

/* The processor, or a GPU. */
static inline wabe_component hardware_component(void) {
    wabe_component component = wabe_component_detect(2);
    if (hardware_gpus > 0)
        assert_int_equal(hardware_gpu(0, &component), WABE_OK);
    return component;
}

static inline void reduce_alone(void *context, int reduction) {
    alone *a = context;
    const wabe_reduction operation = a->slab->model.reductions[reduction].operation;
    const double neutral = wabe_reduction_neutral(operation);
    double bins[WABE_BINS] = {neutral, neutral, neutral};
    assert_int_equal(wabe_grid_reduce(a->slab, reduction, bins), WABE_OK);
    a->values[reduction] = operation == WABE_REDUCE_SUM ? wabe_bins_value(bins) : bins[0];
}

static inline bool again_alone(void *context, int loop, const wabe_position *position) {
    const alone *a = context;
    const wabe_grid_loop_row *row = &a->slab->model.loops[loop];
    return row->again(row->context, position, a->values);
}

/* inner: the rest is computed as if neighbours needed it. */
static inline void open_slab(alone *a, const wabe_grid_model *model, wabe_box inner) {
    memset(a, 0, sizeof *a);
    a->component = hardware_component();
    assert_int_equal(wabe_grid_create(wabe_kernels(), &a->component, model, all_of(model->cells),
                                      inner, &a->slab),
                     WABE_OK);
    a->schedule.profile = &a->profile;
    wabe_grid_schedule(1, &a->slab, &(wabe_grid_control){a, reduce_alone, again_alone},
                       &a->schedule);
}

static inline void set_field(const alone *a, int field, int component, wabe_grid_values values,
                             const void *context) {
    assert_int_equal(wabe_grid_set(a->slab, field, component, values, context), WABE_OK);
}

/* In passes of slab->steps, and a shorter last one. */
static inline void run_slab(alone *a, int steps) {
    const int most = a->slab->steps;
    for (int left = steps; left > 0; left -= a->slab->steps) {
        a->slab->steps = left < most ? left : most;
        wabe_schedule_run(&a->schedule);
        a->slab->step += a->slab->steps;
    }
    a->slab->steps = most;
}

/* Of all cells; to be freed. */
static inline double *read_field(const alone *a, int field) {
    double *values = malloc((size_t)wabe_box_cells(a->slab->block) * sizeof *values);
    assert_non_null(values);
    assert_int_equal(wabe_grid_read_field(a->slab, field, 0, a->slab->block, values), WABE_OK);
    return values;
}
