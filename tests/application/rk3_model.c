#include "tests/application/rk3_model.h"

#include "tests/application/rk3.h"

#include <math.h>
#include <string.h>

enum {
    KEEP,
    SLOW = KEEP + RK3_STATE,
    BACK = SLOW + 4,
    FALL = BACK + 4,
    SQUEEZE = FALL + 3,
    TRACE,
    SWEEPS = TRACE + 3
};

const wabe_wall rk3_walls[6] = {{-1.0, 0.5}, {1.0, 0.25},   {1.0, 0.0},
                                {-1.0, 0.0}, {1.0, -0.125}, {-1.0, 1.0}};

static bool substeps(void *context, const wabe_position *at, const double values[]) {
    static const int64_t count[3] = {1, RK3_SUBSTEPS / 2, RK3_SUBSTEPS};
    (void)context, (void)values;
    return at->index[1] < count[at->index[0]];
}

static void add_field(wabe_grid_model *m, const char *name, wabe_type type, wabe_field_role role,
                      int grids) {
    wabe_grid_field_row *f = &m->fields[m->field_count++];
    *f = (wabe_grid_field_row){
        .name = name, .type = type, .role = role, .components = 1, .grids = grids};
    memcpy(f->walls, rk3_walls, sizeof rk3_walls);
}

static void add_fields(wabe_grid_model *m) {
    static const char *const names[] = {"u", "v", "w", "p", "q0", "q1", "q2"};
    for (int f = 0; f < RK3_STATE;
         f++) /* u, v, w in place; their neighbours are read by others alone */
        add_field(m, names[f], f < RK3_Q ? WABE_TYPE_f64 : WABE_TYPE_f32, WABE_FIELD_STATE,
                  f < RK3_P ? 1 : 2);
    for (int f = 0; f < RK3_STATE; f++)
        add_field(m, "before", m->fields[f].type, WABE_FIELD_SCRATCH, 1);
    for (int f = 0; f < 4; f++)
        add_field(m, "slow", WABE_TYPE_f64, WABE_FIELD_SCRATCH, 1);
    add_field(m, "map", WABE_TYPE_f64, WABE_FIELD_CONSTANT, 1);
    add_field(m, "divergence", WABE_TYPE_f32, WABE_FIELD_SCRATCH, 1);
}

/* Reads: fields, and how many cells around. */
static void add_sweep(wabe_grid_model *m, const wabe_sweep *sweep, int to, int reads,
                      const int read[][2]) {
    wabe_grid_sweep_row *s = &m->sweeps[m->sweep_count++];
    *s = (wabe_grid_sweep_row){.name = sweep->name,
                               .sweep = sweep,
                               .kernel = "",
                               .type = m->fields[to].type,
                               .write_count = 1,
                               .writes = {to},
                               .read_count = reads};
    for (int i = 0; i < reads; i++)
        s->reads[i] = (wabe_grid_read){read[i][0],
                                       read[i][1] ? WABE_STENCIL_ALONG : WABE_STENCIL_OWN,
                                       read[i][1], false};
}

static void add_sweeps(wabe_grid_model *m) {
    for (int f = 0; f < RK3_STATE; f++)
        add_sweep(m, &wabe_sweep_keep, RK3_BEFORE + f, 1, (const int[][2]){{f, 0}});
    for (int f = 0; f < 4; f++)
        add_sweep(m, &wabe_sweep_slow, RK3_SLOW + f, 2, (const int[][2]){{f, 2}, {RK3_MAP, 0}});
    for (int f = 0; f < 4; f++)
        add_sweep(m, &wabe_sweep_keep, f, 1, (const int[][2]){{RK3_BEFORE + f, 0}});
    for (int f = 0; f < 3; f++)
        add_sweep(m, &wabe_sweep_fall, f, 3,
                  (const int[][2]){{f, 0}, {RK3_P, 1}, {RK3_SLOW + f, 0}});
    add_sweep(
        m, &wabe_sweep_squeeze, RK3_P, 5,
        (const int[][2]){{RK3_P, 0}, {RK3_U, 1}, {RK3_V, 1}, {RK3_W, 1}, {RK3_SLOW + RK3_P, 0}});
    m->sweeps[SQUEEZE].writes[m->sweeps[SQUEEZE].write_count++] = RK3_DIVERGENCE;
    for (int f = RK3_Q; f < RK3_STATE; f++)
        add_sweep(m, &wabe_sweep_trace, f, 4,
                  (const int[][2]){{RK3_BEFORE + f, 0}, {f, 1}, {RK3_U, 0}, {RK3_DIVERGENCE, 0}});
}

static void add_entries(wabe_grid_model *m, int first, int count, const double values[4]) {
    for (int i = first; i < first + count; i++) {
        m->entries[m->entry_count] = (wabe_grid_entry){.kind = WABE_STEP_SWEEP, .number = i};
        memcpy(m->entries[m->entry_count++].values, values, 4 * sizeof *values);
    }
}

wabe_grid_model rk3_model(const int64_t cells[3], const bool periodic[3]) {
    static const double none[4] = {0.0}, stage[4] = {1.0 / 3.0, 0.5, 1.0};
    static const double substep[4] = {1.0 / 3.0, 1.0 / RK3_SUBSTEPS, 1.0 / RK3_SUBSTEPS, 0.75};
    wabe_grid_model m = {.loop_count = 2,
                         .loops = {{.name = "stages", .count = 3},
                                   {.name = "substeps", .again = substeps}},
                         .wraps = {true, true, true},
                         .depth = 1};
    memcpy(m.cells, cells, sizeof m.cells);
    memcpy(m.periodic, periodic, sizeof m.periodic);
    add_fields(&m);
    add_sweeps(&m);
    add_entries(&m, KEEP, RK3_STATE, none);
    m.entries[m.entry_count++] = (wabe_grid_entry){.kind = WABE_STEP_LOOP, .number = 0};
    add_entries(&m, SLOW, 8, none);
    m.entries[m.entry_count++] = (wabe_grid_entry){.kind = WABE_STEP_LOOP, .number = 1};
    add_entries(&m, FALL, 4, substep);
    m.entries[m.entry_count++] = (wabe_grid_entry){.kind = WABE_STEP_END};
    add_entries(&m, TRACE, 3, stage);
    m.entries[m.entry_count++] = (wabe_grid_entry){.kind = WABE_STEP_END};
    return m;
}

double rk3_value(int field, const int64_t cell[3]) {
    const double value = 0.5 * sin(1.0 + (double)field + 12.9898 * (double)cell[0] +
                                   78.233 * (double)cell[1] + 37.719 * (double)cell[2]);
    return field >= RK3_Q && field < RK3_STATE ? (double)(float)value
           : field == RK3_MAP                  ? 1.0 + 0.125 * value
                                               : value;
}

static wabe_status map_row(const void *context, const int64_t cell[3], int64_t count, double *row) {
    (void)context;
    for (int64_t i = 0; i < count; i++)
        row[i] = rk3_value(RK3_MAP, (const int64_t[3]){cell[0] + i, cell[1], cell[2]});
    return WABE_OK;
}

wabe_status rk3_fill(void *context, wabe_grid_slab *slab) {
    (void)context;
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        for (int f = 0; f < 4; f++)
            ((wabe_slow_args *)(void *)slab->args[SLOW + f][name])->rate = 0.015625 * (1 + f);
        for (int f = 0; f < 3; f++)
            ((wabe_fall_args *)(void *)slab->args[FALL + f][name])->along[f] = 0.25;
    }
    return wabe_grid_set(slab, RK3_MAP, 0, map_row, NULL);
}
