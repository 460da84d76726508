#include "sweeps/stencil/weather.h"

#include "sweeps/cell/stencil_attributes.h"

#include <string.h>

enum {
    STATE,
    OLD,
    FAST_WINDS,
    FAST_COLUMN,
    SLOW_SCALARS,
    SLOW_WINDS,
    CARRIED,
    PRESSURE,
    STIFFNESS,
    PIVOTS,
    ROWS,
    LEVELS,
    FIELDS
};
enum { KEEP, BEGIN, SCALARS, WINDS, ELIMINATE, PUSH, RISE, SINK, FINISH, SHOW, SWEEPS };
enum { STAGES = 3 };

/* ---- fields ------------------------------------------------------------------------- */

static const char *const state_names[] = {"density", "heat", "momentum_x", "momentum_y",
                                          "momentum_z"};
static const char *const wind_names[] = {"velocity_x", "velocity_y", "velocity_z"};
static const char *const scalar_names[] = {"theta", "pressure"};

/* The slow tendencies' memory has what is shown between steps. */
static const struct {
    const char *name;
    wabe_field_role role;
    int components;
    const char *const *names;
} fields[FIELDS] = {[STATE] = {"state", WABE_FIELD_STATE, WABE_WEATHER_STATE, state_names},
                    [OLD] = {"old state", WABE_FIELD_SCRATCH, WABE_WEATHER_STATE, NULL},
                    [FAST_WINDS] = {"fast winds", WABE_FIELD_SCRATCH, 2, NULL},
                    [FAST_COLUMN] = {"fast column", WABE_FIELD_SCRATCH, 3, NULL},
                    [SLOW_SCALARS] = {"slow scalars", WABE_FIELD_SCRATCH, 2, scalar_names},
                    [SLOW_WINDS] = {"slow winds", WABE_FIELD_SCRATCH, 3, wind_names},
                    [CARRIED] = {"carried", WABE_FIELD_SCRATCH, WABE_WEATHER_CARRIED, NULL},
                    [PRESSURE] = {"pressure", WABE_FIELD_SCRATCH, 1, NULL},
                    [STIFFNESS] = {"stiffness", WABE_FIELD_SCRATCH, 1, NULL},
                    [PIVOTS] = {"pivots", WABE_FIELD_SCRATCH, 2, NULL},
                    [ROWS] = {"rows", WABE_FIELD_SCRATCH, 3, NULL},
                    [LEVELS] = {"levels", WABE_FIELD_CONSTANT, WABE_LEVELS, NULL}};

static void add_fields(wabe_grid_model *m, wabe_type type) {
    m->field_count = FIELDS;
    for (int f = 0; f < FIELDS; f++) {
        m->fields[f] = (wabe_grid_field_row){.name = fields[f].name,
                                             .type = type,
                                             .role = fields[f].role,
                                             .components = fields[f].components,
                                             .names = fields[f].names,
                                             .grids = 1};
        for (int face = 0; face < 6; face++)
            m->fields[f].walls[face] = (wabe_wall){1.0, 0.0};
    }
    m->fields[LEVELS].flat[2] = true;
}

/* ---- sweeps ------------------------------------------------------------------------- */

#define OWN(field)                                                                                 \
    { field, WABE_STENCIL_OWN, 0, false }
#define ALONG(field, layers)                                                                       \
    { field, WABE_STENCIL_ALONG, layers, false }
#define AROUND(field)                                                                              \
    { field, WABE_STENCIL_AROUND, 1, false }

static const wabe_grid_sweep_row sweeps[SWEEPS] = {
    [KEEP] = {.sweep = &wabe_sweep_weather_keep,
              .write_count = 1,
              .writes = {OLD},
              .read_count = 1,
              .reads = {OWN(STATE)}},
    [BEGIN] = {.sweep = &wabe_sweep_weather_begin,
               .write_count = 5,
               .writes = {FAST_WINDS, FAST_COLUMN, CARRIED, PRESSURE, STIFFNESS},
               .read_count = 3,
               .reads = {ALONG(STATE, 1), OWN(OLD), OWN(LEVELS)}},
    [SCALARS] = {.sweep = &wabe_sweep_weather_slow_scalars,
                 .write_count = 1,
                 .writes = {SLOW_SCALARS},
                 .read_count = 3,
                 .reads = {ALONG(STATE, 1), ALONG(CARRIED, 3), OWN(LEVELS)}},
    [WINDS] = {.sweep = &wabe_sweep_weather_slow_winds,
               .write_count = 1,
               .writes = {SLOW_WINDS},
               .read_count = 4,
               .reads = {AROUND(STATE), ALONG(CARRIED, 3), ALONG(PRESSURE, 1), OWN(LEVELS)}},
    [ELIMINATE] = {.sweep = &wabe_sweep_weather_pivots,
                   .write_count = 2,
                   .writes = {PIVOTS, PRESSURE},
                   .read_count = 4,
                   .reads = {OWN(STIFFNESS), OWN(CARRIED), OWN(FAST_COLUMN), OWN(LEVELS)}},
    [PUSH] = {.sweep = &wabe_sweep_weather_push,
              .write_count = 1,
              .writes = {FAST_WINDS},
              .read_count = 3,
              .reads = {OWN(FAST_WINDS), OWN(SLOW_WINDS), ALONG(PRESSURE, 1)}},
    [RISE] = {.sweep = &wabe_sweep_weather_rise,
              .write_count = 1,
              .writes = {ROWS},
              .read_count = 8,
              .reads = {ALONG(FAST_WINDS, 1), OWN(FAST_COLUMN), OWN(SLOW_SCALARS), OWN(SLOW_WINDS),
                        ALONG(CARRIED, 1), OWN(STIFFNESS), OWN(PIVOTS), OWN(LEVELS)}},
    [SINK] = {.sweep = &wabe_sweep_weather_sink,
              .write_count = 2,
              .writes = {FAST_COLUMN, PRESSURE},
              .read_count = 6,
              .reads = {OWN(FAST_COLUMN), OWN(ROWS), OWN(PIVOTS), OWN(CARRIED), OWN(STIFFNESS),
                        OWN(LEVELS)}},
    [FINISH] = {.sweep = &wabe_sweep_weather_finish,
                .write_count = 1,
                .writes = {STATE},
                .read_count = 3,
                .reads = {OWN(STATE), OWN(FAST_WINDS), OWN(FAST_COLUMN)}},
    [SHOW] = {.sweep = &wabe_sweep_weather_show,
              .write_count = 2,
              .writes = {SLOW_WINDS, SLOW_SCALARS},
              .read_count = 2,
              .reads = {ALONG(STATE, 1), OWN(LEVELS)}}};

static void add_sweeps(wabe_grid_model *m, wabe_type type, const char *kernel) {
    m->sweep_count = SWEEPS;
    memcpy(m->sweeps, sweeps, sizeof sweeps);
    for (wabe_grid_sweep_row *s = m->sweeps; s < m->sweeps + SWEEPS; s++) {
        s->name = s->sweep->name;
        s->kernel = kernel;
        s->type = type;
        s->whole[1] = true;
    }
    m->look_count = 1;
    m->looks[0] = SHOW;
}

/* ---- the step ----------------------------------------------------------------------- */

/* The substeps of a stage: 1, half of a step's, all (Wicker and Skamarock 2002). */
static int substeps_of(const wabe_weather_step *step, int stage) {
    return stage == 0 ? 1 : stage == 1 ? step->substeps / 2 : step->substeps;
}

static bool has_substep(void *context, const wabe_position *at, const double values[]) {
    (void)values;
    return at->index[1] < substeps_of(context, (int)at->index[0]);
}

static void add_entry(wabe_grid_model *m, wabe_step_kind kind, int number,
                      const wabe_weather_step *step) {
    wabe_grid_entry *e = &m->entries[m->entry_count++];
    *e = (wabe_grid_entry){.kind = kind, .number = number};
    for (int stage = 0; stage < STAGES && kind == WABE_STEP_SWEEP; stage++)
        e->values[stage] = step->time_step / (STAGES - stage) / substeps_of(step, stage);
}

static void add_step(wabe_grid_model *m, const wabe_weather_step *step) {
    enum { LOOP = -1, END = -2 };
    static const int order[] = {KEEP, LOOP, BEGIN, SCALARS, WINDS,  ELIMINATE, LOOP,
                                PUSH, RISE, SINK,  END,     FINISH, END};
    double all = 0.0;
    for (int stage = 0; stage < STAGES; stage++)
        all += substeps_of(step, stage);
    m->loops[0] = (wabe_grid_loop_row){.name = "stages", .count = STAGES};
    m->loops[1] = (wabe_grid_loop_row){.name = "substeps",
                                       .again = has_substep,
                                       .context = (void *)step,
                                       .average = all / STAGES};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (order[i] == LOOP)
            add_entry(m, WABE_STEP_LOOP, m->loop_count++, step);
        else
            add_entry(m, order[i] == END ? WABE_STEP_END : WABE_STEP_SWEEP,
                      order[i] == END ? 0 : order[i], step);
}

wabe_grid_model wabe_weather_model(wabe_type type, const int64_t cells[3],
                                   const wabe_weather_step *step, const char *kernel) {
    wabe_grid_model m = {.periodic = {true, false, true}, .wraps = {true, true, true}, .depth = 1};
    memcpy(m.cells, cells, sizeof m.cells);
    add_fields(&m, type);
    add_sweeps(&m, type, kernel);
    add_step(&m, step);
    return m;
}

/* ---- arguments ---------------------------------------------------------------------- */

static wabe_weather_air air_of(const wabe_weather_step *step) {
    const double dx = step->spacing, now = 0.5 + 0.5 * step->off_centring;
    return (wabe_weather_air){.per_length = wabe_coefficient_of(1.0 / dx),
                              .gravity = wabe_coefficient_of(step->gravity),
                              .gamma = wabe_coefficient_of(step->gamma),
                              .now = wabe_coefficient_of(now),
                              .before = wabe_coefficient_of(1.0 - now),
                              .damping = wabe_coefficient_of(step->damping),
                              .diffusivity = wabe_coefficient_of(step->diffusivity / (dx * dx))};
}

typedef struct {
    const wabe_weather_level *levels;
    int64_t count;
    int number;
} level_source;

/* Beyond the ends nothing is read. */
static wabe_status level_row(const void *context, const int64_t cell[3], int64_t count,
                             double *row) {
    const level_source *s = context;
    const int64_t y = cell[1] < 0 ? 0 : cell[1] >= s->count ? s->count - 1 : cell[1];
    for (int64_t i = 0; i < count; i++)
        row[i] = s->levels[y][s->number];
    return WABE_OK;
}

wabe_status wabe_weather_set(wabe_grid_slab *slab, const wabe_weather_step *step,
                             const wabe_weather_level levels[]) {
    const wabe_weather_air air = air_of(step);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int name = 0; name < WABE_REGION_COUNT; name++)
            ((wabe_weather_begin_args *)(void *)slab->args[sweep][name])->air = air;
    for (int number = 0; number < WABE_LEVELS; number++)
        WABE_TRY(wabe_grid_set(slab, LEVELS, number, level_row,
                               &(level_source){levels, slab->model.cells[1], number}));
    return WABE_OK;
}

/* ---- the sweeps' entries in the registry -------------------------------------------- */

#define WEATHER_SWEEP(name, does, from, to)                                                        \
    WABE_SWEEP(weather_##name, does, from, to, .halo = 3, .exchanged = true,                       \
               .phase = WABE_PHASE_inner, .family = &wabe_stencil_family)

WEATHER_SWEEP(keep, "the state at the begin of a step of weather", "state", "old state");
WEATHER_SWEEP(begin, "the begin of a stage of weather: pressure, velocity", "state, old state",
              "fast fields, carried, pressure, stiffness");
WEATHER_SWEEP(slow_scalars, "advection and diffusion of density and heat", "state, carried",
              "slow scalars");
WEATHER_SWEEP(slow_winds, "advection, pressure and weight of winds", "state, carried, pressure",
              "slow winds");
WEATHER_SWEEP(pivots, "the elimination of columns, upwards", "stiffness, carried, fast column",
              "pivots, pressure");
WEATHER_SWEEP(push, "a substep of horizontal winds", "fast winds, slow winds, pressure",
              "fast winds");
WEATHER_SWEEP(rise, "a substep of columns, upwards", "fast fields, slow fields, carried", "rows");
WEATHER_SWEEP(sink, "a substep of columns, downwards", "rows, pivots", "fast column, pressure");
WEATHER_SWEEP(finish, "the end of a stage of weather", "state, fast fields", "state");
WEATHER_SWEEP(show, "the velocity, theta and pressure of a state of weather", "state",
              "slow winds, slow scalars");
