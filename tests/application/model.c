#include "tests/application/model.h"

#include "tests/application/cell.h"
#include "tests/application/kernels.h"

#include <math.h>
#include <string.h>

const wabe_wall application_walls[FIELDS][6] = {
    [U] = {{-1.0, 0.5}, {1.0, 0.25}, {1.0, 0.0}, {-1.0, 0.0}, {1.0, -0.125}, {-1.0, 1.0}},
    [W] = {{1.0, 0.0}, {-1.0, 0.5}, {-1.0, 0.0}, {1.0, 0.0}, {-1.0, 0.0}, {-1.0, 0.25}}};

/* context: the domain's cells. */
static bool goes_on(void *context, const wabe_position *position, const double values[]) {
    const int64_t *cells = context, iterations = position->index[position->depth - 1];
    return iterations == 0 || (iterations < RELAXED_MAX &&
                               values[SQUARES] > CALM * (double)(cells[0] * cells[1] * cells[2]));
}

wabe_grid_model application_model(const int64_t cells[3], const bool periodic[3]) {
    wabe_grid_model m = {
        .field_count = FIELDS,
        .fields = {[U] = {.name = "u",
                          .type = WABE_TYPE_f64,
                          .role = WABE_FIELD_STATE,
                          .components = 1,
                          .grids = 2},
                   [K] = {.name = "k",
                          .type = WABE_TYPE_f64,
                          .role = WABE_FIELD_CONSTANT,
                          .components = 1,
                          .grids = 1},
                   [W] = {.name = "w",
                          .type = WABE_TYPE_f32,
                          .role = WABE_FIELD_STATE,
                          .components = 2,
                          .grids = 2,
                          .at = WABE_AT_Z_FACES}},
        .sweep_count = 2,
        .sweeps = {{.name = "drift",
                    .sweep = &wabe_sweep_drift,
                    .kernel = "",
                    .type = WABE_TYPE_f64,
                    .read_count = 3,
                    .reads = {{U, WABE_STENCIL_AROUND, 1, false},
                              {K, WABE_STENCIL_OWN, 0, false},
                              {W, WABE_STENCIL_OWN, 0, false}},
                    .write_count = 1,
                    .writes = {U}},
                   {.name = "relax",
                    .sweep = &wabe_sweep_relax,
                    .kernel = "",
                    .type = WABE_TYPE_f32,
                    .read_count = 3,
                    .reads = {{W, WABE_STENCIL_ALONG, 2, false},
                              {U, WABE_STENCIL_ALONG, 1, false},
                              {U, WABE_STENCIL_OWN, 0, true}},
                    .write_count = 1,
                    .writes = {W},
                    .reduction_count = 2,
                    .reductions = {SQUARES, LARGEST}}},
        .reduction_count = 2,
        .reductions = {{"squares", WABE_REDUCE_SUM}, {"largest", WABE_REDUCE_MAX}},
        .loop_count = 1,
        .loops = {{.name = "relaxing", .again = goes_on, .context = (void *)cells}},
        .entry_count = 5,
        .entries = {{.kind = WABE_STEP_SWEEP, .number = 0},
                    {.kind = WABE_STEP_LOOP, .number = 0},
                    {.kind = WABE_STEP_SWEEP, .number = 1},
                    {.kind = WABE_STEP_REDUCE, .number = SQUARES},
                    {.kind = WABE_STEP_END}},
        .wraps = {true, true, true},
        .depth = 1,
    };
    memcpy(m.cells, cells, sizeof m.cells);
    memcpy(m.periodic, periodic, sizeof m.periodic);
    for (int field = 0; field < FIELDS; field++)
        memcpy(m.fields[field].walls, application_walls[field], sizeof application_walls[field]);
    return m;
}

double application_value(int field, int q, const int64_t cell[3]) {
    const double value = sin(1.0 + (double)field + 0.5 * q + 12.9898 * (double)cell[0] +
                             78.233 * (double)cell[1] + 37.719 * (double)cell[2]);
    return field == K ? 1.0 + 0.0625 * value : field == W ? (double)(float)(0.5 * value) : value;
}

/* Beside the domain a constant is never read here. */
wabe_status application_values(const void *context, const int64_t cell[3], int64_t count,
                               double *row) {
    const int *which = context;
    for (int64_t i = 0; i < count; i++)
        row[i] = application_value(which[0], which[1],
                                   (const int64_t[3]){cell[0] + i, cell[1], cell[2]});
    return WABE_OK;
}

wabe_status application_fill(void *context, wabe_grid_slab *slab) {
    (void)context;
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        ((wabe_drift_args *)(void *)slab->args[0][name])->rate = DRIFT;
        ((wabe_relax_args *)(void *)slab->args[1][name])->rate = RELAX;
    }
    return wabe_grid_set(slab, K, 0, application_values, (const int[2]){K, 0});
}
