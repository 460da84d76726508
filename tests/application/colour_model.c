#include "tests/application/colour_model.h"

#include "tests/application/colour.h"

#include <math.h>
#include <string.h>

static const int velocities[COLOUR_Q][3] = {
#define X(q, x, y, z, opposite, weight) {x, y, z},
    COLOUR_POPULATIONS(X)
#undef X
};

static const double weights[COLOUR_Q] = {
#define X(q, x, y, z, opposite, weight) 1.0 / (weight),
    COLOUR_POPULATIONS(X)
#undef X
};

wabe_grid_model colour_model(const int64_t cells[3], const bool periodic[3]) {
    static const wabe_wall mirror = {1.0, 0.0};
    wabe_grid_model m = {.field_count = COLOUR_FIELDS,
                         .fields = {[COLOUR_RED] = {.name = "red",
                                                    .type = WABE_TYPE_f64,
                                                    .role = WABE_FIELD_STATE,
                                                    .components = COLOUR_Q,
                                                    .velocities = velocities,
                                                    .grids = 2},
                                    [COLOUR_BLUE] = {.name = "blue",
                                                     .type = WABE_TYPE_f64,
                                                     .role = WABE_FIELD_STATE,
                                                     .components = COLOUR_Q,
                                                     .velocities = velocities,
                                                     .grids = 2},
                                    [COLOUR_PHASE] = {.name = "phase",
                                                      .type = WABE_TYPE_f32,
                                                      .role = WABE_FIELD_SCRATCH,
                                                      .components = 1,
                                                      .grids = 1},
                                    [COLOUR_SOLID] = {.name = "solid",
                                                      .type = WABE_TYPE_f32,
                                                      .role = WABE_FIELD_CONSTANT,
                                                      .components = 1,
                                                      .grids = 1}},
                         .sweep_count = 2,
                         .sweeps = {{.name = "measure",
                                     .sweep = &wabe_sweep_measure,
                                     .kernel = "",
                                     .type = WABE_TYPE_f64,
                                     .write_count = 1,
                                     .writes = {COLOUR_PHASE},
                                     .read_count = 2,
                                     .reads = {{.field = COLOUR_RED}, {.field = COLOUR_BLUE}}},
                                    {.name = "collide",
                                     .sweep = &wabe_sweep_collide,
                                     .kernel = "",
                                     .type = WABE_TYPE_f64,
                                     .write_count = 2,
                                     .writes = {COLOUR_RED, COLOUR_BLUE},
                                     .read_count = 4,
                                     .reads = {{COLOUR_RED, WABE_STENCIL_AROUND, 1, false},
                                               {COLOUR_BLUE, WABE_STENCIL_AROUND, 1, false},
                                               {COLOUR_PHASE, WABE_STENCIL_AROUND, 1, false},
                                               {COLOUR_SOLID, WABE_STENCIL_AROUND, 1, false}}}},
                         .entry_count = 2,
                         .entries = {{.kind = WABE_STEP_SWEEP, .number = 0},
                                     {.kind = WABE_STEP_SWEEP, .number = 1}},
                         .wraps = {true, true, true},
                         .depth = 1};
    memcpy(m.cells, cells, sizeof m.cells);
    memcpy(m.periodic, periodic, sizeof m.periodic);
    for (int face = 0; face < 6; face++)
        for (int f = COLOUR_RED; f < COLOUR_SOLID; f++)
            m.fields[f].walls[face] = mirror;
    return m;
}

/* A corner of four cells and a cell by itself. */
static bool is_solid(const int64_t cell[3]) {
    return (cell[0] >= 7 && cell[0] < 9 && cell[1] >= 1 && cell[1] < 3 && cell[2] == 2) ||
           (cell[0] == 3 && cell[1] == 5 && cell[2] == 9);
}

double colour_value(int field, int q, const int64_t cell[3]) {
    if (field == COLOUR_SOLID)
        return is_solid(cell) ? 1.0 : 0.0;
    const double noise = sin(1.0 + (double)field + 0.5 * q + 12.9898 * (double)cell[0] +
                             78.233 * (double)cell[1] + 37.719 * (double)cell[2]);
    const double off = hypot(hypot((double)cell[0] - 5.0, (double)cell[1] - 4.0),
                             (double)cell[2] - 6.0);
    const double share = (off < 3.0) == (field == COLOUR_RED) ? 0.96875 : 0.03125;
    return weights[q] * share * (1.0 + 0.03125 * noise);
}

/* Around the domain is what is at its other end, or a wall, which is solid. context: the model. */
static wabe_status solid_row(const void *context, const int64_t cell[3], int64_t count,
                             double *row) {
    const wabe_grid_model *m = context;
    for (int64_t i = 0; i < count; i++) {
        int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        bool behind = false;
        for (int axis = 0; axis < 3; axis++) {
            behind |= !m->periodic[axis] && (at[axis] < 0 || at[axis] >= m->cells[axis]);
            at[axis] = (at[axis] + m->cells[axis]) % m->cells[axis];
        }
        row[i] = behind ? 1.0 : colour_value(COLOUR_SOLID, 0, at);
    }
    return WABE_OK;
}

wabe_status colour_fill(void *context, wabe_grid_slab *slab) {
    (void)context;
    return wabe_grid_set(slab, COLOUR_SOLID, 0, solid_row, &slab->model);
}
