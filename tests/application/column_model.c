#include "tests/application/column_model.h"

#include "tests/application/column.h"

#include <math.h>
#include <string.h>

static const char *const slopes[] = {"slope_x", "slope_y"};

const wabe_wall column_walls[6] = {{-1.0, 0.5}, {1.0, 0.25},   {0.0, 9e9},
                                   {0.0, 9e9},  {1.0, -0.125}, {-1.0, 1.0}}; /* none along y */

static const wabe_grid_field_row fields[COLUMN_FIELDS] = {
    {.name = "q", .type = WABE_TYPE_f64, .role = WABE_FIELD_STATE, .components = 1, .grids = 1},
    {.name = "spread",
     .type = WABE_TYPE_f64,
     .role = WABE_FIELD_SCRATCH,
     .components = 1,
     .grids = 1},
    {.name = "slopes",
     .type = WABE_TYPE_f64,
     .role = WABE_FIELD_SCRATCH,
     .components = 2,
     .grids = 1,
     .names = slopes},
    {.name = "map",
     .type = WABE_TYPE_f64,
     .role = WABE_FIELD_CONSTANT,
     .components = 1,
     .grids = 1,
     .flat = {false, true, false}},
    {.name = "levels",
     .type = WABE_TYPE_f64,
     .role = WABE_FIELD_CONSTANT,
     .components = 2,
     .grids = 1,
     .flat = {false, false, true}}};

static const wabe_grid_sweep_row sweeps[] = {
    {.name = "spread",
     .sweep = &wabe_sweep_spread,
     .read_count = 3,
     .reads = {{COLUMN_Q, WABE_STENCIL_ALONG, 2, false},
               {COLUMN_MAP, WABE_STENCIL_ALONG, 1, false},
               {COLUMN_LEVELS, WABE_STENCIL_OWN, 0, false}},
     .writes = {COLUMN_SPREAD}},
    {.name = "climb",
     .sweep = &wabe_sweep_climb,
     .read_count = 2,
     .reads = {{COLUMN_SPREAD, WABE_STENCIL_OWN, 0, false},
               {COLUMN_LEVELS, WABE_STENCIL_OWN, 0, false}},
     .writes = {COLUMN_ROWS}},
    {.name = "descend",
     .sweep = &wabe_sweep_descend,
     .read_count = 1,
     .reads = {{COLUMN_ROWS, WABE_STENCIL_OWN, 0, false}},
     .writes = {COLUMN_Q}},
    {.name = "slope",
     .sweep = &wabe_sweep_slope,
     .read_count = 1,
     .reads = {{COLUMN_Q, WABE_STENCIL_ALONG, 1, false}},
     .writes = {COLUMN_ROWS}}};

wabe_grid_model column_model(const int64_t cells[3], const bool periodic[3]) {
    enum { SWEEPS = sizeof sweeps / sizeof sweeps[0] };
    wabe_grid_model m = {.field_count = COLUMN_FIELDS,
                         .sweep_count = SWEEPS,
                         .look_count = 1,
                         .looks = {SWEEPS - 1},
                         .wraps = {true, true, true},
                         .depth = 1};
    memcpy(m.cells, cells, sizeof m.cells);
    memcpy(m.periodic, periodic, sizeof m.periodic);
    memcpy(m.fields, fields, sizeof fields);
    memcpy(m.fields[COLUMN_Q].walls, column_walls, sizeof column_walls);
    memcpy(m.sweeps, sweeps, sizeof sweeps);
    for (int i = 0; i < SWEEPS; i++) {
        m.sweeps[i].kernel = "";
        m.sweeps[i].type = WABE_TYPE_f64;
        m.sweeps[i].write_count = 1;
        m.sweeps[i].whole[1] = true;
        if (i < SWEEPS - 1)
            m.entries[m.entry_count++] = (wabe_grid_entry){.kind = WABE_STEP_SWEEP, .number = i};
    }
    return m;
}

double column_value(int field, int component, const int64_t cell[3]) {
    const double value = 0.5 *
                         sin(1.0 + (double)(field + 7 * component) + 12.9898 * (double)cell[0] +
                             78.233 * (double)cell[1] + 37.719 * (double)cell[2]);
    return field == COLUMN_Q ? value : field == COLUMN_MAP ? 0.0625 * value : 0.5 + value;
}

typedef struct {
    int field, component;
} constant;

static wabe_status constant_row(const void *context, const int64_t cell[3], int64_t count,
                                double *row) {
    const constant *is = context;
    for (int64_t i = 0; i < count; i++)
        row[i] = column_value(is->field, is->component,
                              (const int64_t[3]){cell[0] + i, cell[1], cell[2]});
    return WABE_OK;
}

wabe_status column_fill(void *context, wabe_grid_slab *slab) {
    (void)context;
    WABE_TRY(wabe_grid_set(slab, COLUMN_MAP, 0, constant_row, &(constant){COLUMN_MAP, 0}));
    for (int i = 0; i < 2; i++)
        WABE_TRY(
            wabe_grid_set(slab, COLUMN_LEVELS, i, constant_row, &(constant){COLUMN_LEVELS, i}));
    return WABE_OK;
}
