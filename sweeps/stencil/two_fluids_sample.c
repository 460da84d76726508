/* The sweeps of two fluids in the registry, and the case that wabe bench and wabe calibrate measure
 * them on: a drop at rest in the middle of a box. */
#include "sweeps/stencil/two_fluids.h"

#include "sweeps/cell/stencil_attributes.h"

#include <math.h>

#define WIDTH 4.0

static const wabe_two_fluids_step sample_numbers = {.liquid = {1.0, 0.1},
                                                    .gas = {0.1, 0.01},
                                                    .tension = 1e-3,
                                                    .width = WIDTH,
                                                    .mobility = 0.05,
                                                    .contact_angle = 1.5707963267948966};

static wabe_two_fluids_place place_of(const int64_t cells[3], bool walls) {
    wabe_two_fluids_place place = {.cells = {cells[0], cells[1], cells[2]}};
    for (int face = 0; face < 6; face++) {
        place.faces[face] = walls ? WABE_TWO_FLUIDS_NO_SLIP : WABE_TWO_FLUIDS_PERIODIC;
        place.angles[face] = NAN;
    }
    return place;
}

static wabe_grid_model sample_step(wabe_type type, const int64_t cells[3], bool walls) {
    const wabe_two_fluids_place place = place_of(cells, walls);
    return wabe_two_fluids_model(type, &place, "");
}

static wabe_grid_model sample_model(const wabe_kernel *kernel, const int64_t cells[3], bool walls) {
    const wabe_grid_model step = sample_step(kernel->storage, cells, walls);
    return wabe_grid_model_of_one(&step, kernel);
}

typedef struct {
    const int64_t *cells;
    int number;
} sample_row;

static wabe_status row_of(const void *context, const int64_t cell[3], int64_t count, double *row) {
    const sample_row *s = context;
    const double still[3] = {0.0, 0.0, 0.0}, radius = 0.25 * (double)s->cells[0];
    for (int64_t i = 0; i < count; i++) {
        const double x = (double)(cell[0] + i) + 0.5 - 0.5 * (double)s->cells[0];
        const double y = (double)cell[1] + 0.5 - 0.5 * (double)s->cells[1];
        const double z = (double)cell[2] + 0.5 - 0.5 * (double)s->cells[2];
        const double inside = radius - sqrt(x * x + y * y + z * z);
        const double c = 0.5 + 0.5 * tanh(2.0 * inside / WIDTH);
        row[i] = wabe_two_fluids_initial(s->number, c,
                                         wabe_two_fluids_volume_of(&sample_numbers, c), 0.0, still);
    }
    return WABE_OK;
}

static wabe_status sample_fill(wabe_grid_slab *slab) {
    const wabe_two_fluids_place place = place_of(slab->model.cells, !slab->model.periodic[0]);
    for (int i = 0; i < WABE_TWO_FLUIDS_NUMBERS; i++)
        WABE_TRY(wabe_grid_set(slab, WABE_TWO_FLUIDS_STATE, i, row_of,
                               &(sample_row){slab->model.cells, i}));
    return wabe_two_fluids_set(slab, &sample_numbers, &place);
}

static const wabe_grid_sample sample = {.model = sample_model, .fill = sample_fill};
static const wabe_grid_sample step = {.application = "two_fluids",
                                      .walls = true,
                                      .model = sample_model,
                                      .fill = sample_fill,
                                      .step = sample_step};

#define TWO_FLUIDS_SAMPLED(name, does, from, to, of)                                               \
    WABE_SWEEP(two_fluids_##name, does, from, to, .halo = 1, .exchanged = true,                    \
               .phase = WABE_PHASE_inner, .family = &wabe_stencil_family, .sample = of)
#define TWO_FLUIDS_SWEEP(name, does, from, to) TWO_FLUIDS_SAMPLED(name, does, from, to, &sample)

TWO_FLUIDS_SAMPLED(phase, "phase of what arrives at a cell of two fluids, and 1 / density",
                   "state, kind", "phase, 1 / density", &step);
TWO_FLUIDS_SWEEP(collide, "streaming and collision of two fluids",
                 "state, phase, 1 / density, kind", "state, velocity");
TWO_FLUIDS_SWEEP(pressure, "pressure and density of two fluids", "state, kind",
                 "pressure, density");
