/* The sweeps of two-phase flow in the registry, and the case that wabe bench measures their kernels
 * on: a drop in the middle of a box, at rest but for a small velocity that turns round it. */
#include "sweeps/stencil/two_phase.h"

#include "sweeps/cell/stencil_attributes.h"

#include <math.h>
#include <string.h>

static wabe_two_phase_case case_of(const int64_t cells[3], bool walls) {
    wabe_two_phase_case c = {.spacing = 1.0,
                             .time_step = 0.1,
                             .last_time_step = 0.1,
                             .liquid = {1.0, 0.1},
                             .gas = {1e-3, 1e-4},
                             .tension = 1e-3,
                             .gravity = {0.0, -1e-4, 0.0},
                             .sharpness = 2.3,
                             .cycles = 2}; /* of a step; they find the pressure of most */
    for (int face = 0; face < 6; face++)
        c.faces[face] = walls ? WABE_TWO_PHASE_NO_SLIP : WABE_TWO_PHASE_PERIODIC,
        c.angles[face] = acos(0.0);
    memcpy(c.cells, cells, sizeof c.cells);
    return c;
}

static wabe_grid_model sample_step(wabe_type type, const int64_t cells[3], bool walls) {
    const wabe_two_phase_case c = case_of(cells, walls);
    wabe_multigrid_goal goal;
    return wabe_two_phase_model(type, &c, "", &goal).model;
}

static wabe_grid_model sample_model(const wabe_kernel *kernel, const int64_t cells[3], bool walls) {
    const wabe_grid_model step = sample_step(kernel->storage, cells, walls);
    return wabe_grid_model_of_one(&step, kernel);
}

/* The fraction, a velocity, or 0. */
typedef struct {
    const int64_t *cells;
    int number;
} sample_row;

static wabe_status row_of(const void *context, const int64_t cell[3], int64_t count, double *row) {
    const sample_row *s = context;
    for (int64_t i = 0; i < count; i++) {
        const double n = (double)s->cells[0];
        const double x = ((double)(cell[0] + i) + 0.5) / n - 0.5;
        const double y = ((double)cell[1] + 0.5) / (double)s->cells[1] - 0.5;
        const double z = ((double)cell[2] + 0.5) / (double)s->cells[2] - 0.5;
        row[i] = s->number == 0   ? 0.5 + 0.5 * tanh(2.3 * n * (0.25 - sqrt(x * x + y * y + z * z)))
                 : s->number == 1 ? -0.01 * y
                 : s->number == 2 ? 0.01 * x
                                  : 0.0;
    }
    return WABE_OK;
}

static wabe_status sample_fill(wabe_grid_slab *slab) {
    const wabe_two_phase_case c = case_of(slab->model.cells, !slab->model.periodic[0]);
    wabe_multigrid_goal goal;
    const wabe_multigrid multigrid =
        wabe_two_phase_model(slab->model.fields[0].type, &c, "", &goal).multigrid;
    wabe_grid_number numbers[WABE_GRID_NUMBERS_MAX];
    const int count = wabe_grid_state(&slab->model, numbers);
    for (int i = 0; i < count; i++) {
        const sample_row row = {slab->model.cells, numbers[i].field - WABE_TWO_PHASE_FRACTION};
        WABE_TRY(wabe_grid_set(slab, numbers[i].field, numbers[i].component, row_of, &row));
    }
    return wabe_two_phase_set(slab, &c, &multigrid);
}

static const wabe_grid_sample sample = {.model = sample_model, .fill = sample_fill};
static const wabe_grid_sample step = {.application = "two_phase",
                                      .walls = true,
                                      .model = sample_model,
                                      .fill = sample_fill,
                                      .step = sample_step};

#define TWO_PHASE_SAMPLED(name, does, layers, from, to, of)                                        \
    WABE_SWEEP(two_phase_##name, does, from, to, .halo = layers, .exchanged = true,                \
               .phase = WABE_PHASE_inner, .family = &wabe_stencil_family, .sample = of)
#define TWO_PHASE_SWEEP(name, does, layers, from, to)                                              \
    TWO_PHASE_SAMPLED(name, does, layers, from, to, &sample)

TWO_PHASE_SAMPLED(advect, "advection of the fraction of liquid along an axis", 2,
                  "fraction, velocities", "fraction, flux", &step);
TWO_PHASE_SWEEP(distance, "a first distance from the interface", 0, "fraction", "distance");
TWO_PHASE_SWEEP(redistance, "makes the slope of the distance 1", 1, "distance", "distance");
TWO_PHASE_SWEEP(curvature, "curvature of the distance", 1, "distance, fluid", "curvature");
TWO_PHASE_SWEEP(heights, "curvature of heights of columns", 3, "fraction, curvature, wall",
                "curvature");
TWO_PHASE_SWEEP(spread, "curvature where columns do not reach", 1, "curvature, reach", "curvature");
TWO_PHASE_SWEEP(momentum, "velocities of two fluids before the pressure acts", 2,
                "velocities, fraction, flux, curvature, fluid", "velocities");
TWO_PHASE_SWEEP(source, "right-hand side and coefficients of the pressure's equation", 1,
                "velocities, fraction, fluid", "source, weights");
TWO_PHASE_SWEEP(project, "what the pressure does to velocities", 1, "velocities, pressure, weights",
                "velocities");
TWO_PHASE_SWEEP(show, "velocities at the middle of cells, surface, divergence", 1,
                "velocities, fraction", "velocity, surface, divergence");
TWO_PHASE_SWEEP(fill, "numbers in solids of the fluid beside them", 3, "fraction or distance, wall",
                "the same");
TWO_PHASE_SWEEP(stop, "velocities in solids that make those on their surface 0", 1,
                "velocities, fluid", "velocities");
