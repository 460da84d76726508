/* A flow on one process, for tests with known solutions. */
#pragma once

#include "apps/lbm/simulation.h"
#include "tests/conformance/hardware.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/* conditions is what geometry points to: of the faces, and of particles. */
typedef struct {
    wabe_condition conditions[WABE_FACES + 1];
    wabe_simulation_options options;
    wabe_simulation *simulation;
} flow;

/* All faces periodic, TRT, f64, nothing driving. */
static inline flow flow_of(int64_t x, int64_t y, int64_t z, double tau) {
    flow f = {.options = {.model = {.type = WABE_TYPE_f64,
                                    .lattice = WABE_LATTICE_d3q19,
                                    .collision = WABE_COLLISION_trt,
                                    .streaming = WABE_STREAMING_in_place,
                                    .tau = tau,
                                    .magic = 3.0 / 16.0,
                                    .kernel = ""},
                          .geometry = {.cells = {x, y, z},
                                       .solid = WABE_FACES,
                                       .condition_count = WABE_FACES + 1},
                          .communicate = true}};
    for (int face = 0; face < WABE_FACES; face++)
        f.conditions[face].kind = WABE_BOUNDARY_periodic;
    f.conditions[WABE_FACES].kind = WABE_BOUNDARY_no_slip;
    return f;
}

static inline double viscosity(const flow *f) { return (f->options.model.tau - 0.5) / 3.0; }

static inline void at_rest(const void *context, const int64_t cell[3], double moments[4]) {
    (void)context;
    (void)cell;
    memset(moments, 0, 4 * sizeof moments[0]);
}

static inline void flow_start(flow *f, wabe_lbm_initial initial, const void *context) {
    f->options.geometry.conditions = f->conditions;
    wabe_components components = {.count = 1};
    components.list[0] = wabe_component_detect(1);
    if (hardware_gpus > 0)
        assert_int_equal(hardware_gpu(0, &components.list[0]), WABE_OK);
    if (wabe_simulation_create(MPI_COMM_SELF, &f->options, &components, &f->simulation) != WABE_OK)
        fail_msg("%s", wabe_error_message());
    assert_int_equal(wabe_simulation_initialise(f->simulation, initial, context), WABE_OK);
}

static inline void flow_run(flow *f, int64_t steps) {
    for (int64_t step = 0; step < steps; step++)
        wabe_simulation_step(f->simulation);
}

static inline void flow_end(flow *f) { wabe_simulation_destroy(&f->simulation); }

/* Moments of all cells: WABE_MOMENTS_GIVEN rows of values; to be freed. */
static inline double *moments_of(const flow *f) {
    const wabe_lbm_slab *lbm = f->simulation->slabs[0];
    double *m =
        malloc((size_t)(WABE_MOMENTS_GIVEN * wabe_box_cells(lbm->block) + WABE_TILE) * sizeof *m);
    assert_non_null(m);
    assert_int_equal(wabe_lbm_moments(lbm, lbm->block, WABE_MOMENTS_GIVEN, m), WABE_OK);
    return m;
}
