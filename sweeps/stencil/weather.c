#include "sweeps/stencil/weather.h"

#include "sweeps/cell/stencil_attributes.h"

#include <math.h>
#include <string.h>

enum {
    STATE,
    OLD,
    FAST_WINDS,
    FAST_COLUMN,
    SLOW_SCALARS,
    SLOW_X,
    SLOW_Y,
    SLOW_Z,
    VELOCITY,
    THETA,
    PRESSURE,
    STIFFNESS,
    PIVOT,
    UPPER,
    ROWS,
    REST,
    GROUND,
    LEVELS,
    DRY_FIELDS,
    WATER = DRY_FIELDS, /* and the two that follow: with water */
    OLD_WATER,
    FALLEN,
    MIXING, /* with eddies */
    FIELDS
};
enum {
    KEEP,
    BEGIN,
    MOVE,
    SCALARS,
    ALONG_X,
    ALONG_Y,
    ALONG_Z,
    ELIMINATE,
    PUSH,
    RISE,
    SINK,
    WEIGH,
    FINISH,
    SHOW,
    DRY_SWEEPS,
    KEEP_WATER = DRY_SWEEPS,
    HUMIDITY,
    CARRY_WATER,
    RAIN,
    SETTLE,
    EDDIES,
    SWEEPS
};
enum { STAGES = 3 };
/* M and theta' are where the elimination is once a stage's substeps begin; what these move is where
 * the velocity was, and what a stage carries where its rows and theta were. */
enum {
    CROSSING = PIVOT,
    WARMER = UPPER,
    MOVED = VELOCITY,
    SHARES = ROWS,
    DENSITIES = SLOW_SCALARS
};

/* ---- fields ------------------------------------------------------------------------- */

static const char *const state_names[] = {"density", "heat", "momentum_x", "momentum_y",
                                          "momentum_z"};
static const char *const wind_names[] = {"velocity_x", "velocity_y", "velocity_z"};
static const char *const scalar_names[] = {"theta", "pressure"};
static const char *const height_names[] = {"height"};
static const char *const temperature_names[] = {"temperature"};
static const char *const water_names[] = {"vapour_density", "cloud_density", "rain_density"};
static const char *const share_names[] = {"humidity", "cloud", "rain"};
static const char *const fallen_names[] = {"rain_on_ground"};

/* The memory of slow tendencies, theta, the stiffness and rows has what is shown between steps. */
static const struct {
    const char *name;
    wabe_field_role role;
    int components;
    const char *const *names;
} fields[FIELDS] = {[STATE] = {"state", WABE_FIELD_STATE, WABE_WEATHER_STATE, state_names},
                    [OLD] = {"old state", WABE_FIELD_SCRATCH, WABE_WEATHER_STATE, NULL},
                    [FAST_WINDS] = {"fast winds", WABE_FIELD_SCRATCH, 2, NULL},
                    [FAST_COLUMN] = {"fast column", WABE_FIELD_SCRATCH, 3, NULL},
                    [SLOW_SCALARS] = {"slow scalars, then densities", WABE_FIELD_SCRATCH, 2,
                                      scalar_names},
                    [SLOW_X] = {"slow x", WABE_FIELD_SCRATCH, 1, &wind_names[0]},
                    [SLOW_Y] = {"slow y", WABE_FIELD_SCRATCH, 1, &wind_names[1]},
                    [SLOW_Z] = {"slow z", WABE_FIELD_SCRATCH, 1, &wind_names[2]},
                    [VELOCITY] = {"velocity, then moved", WABE_FIELD_SCRATCH, 3, NULL},
                    [THETA] = {"theta", WABE_FIELD_SCRATCH, 1, temperature_names},
                    [PRESSURE] = {"pressure", WABE_FIELD_SCRATCH, 1, NULL},
                    [STIFFNESS] = {"stiffness", WABE_FIELD_SCRATCH, 1, height_names},
                    [PIVOT] = {"crossing, then pivot", WABE_FIELD_SCRATCH, 1, NULL},
                    [UPPER] = {"warmer, then upper", WABE_FIELD_SCRATCH, 1, NULL},
                    [ROWS] = {"rows, then shares", WABE_FIELD_SCRATCH, 3, share_names},
                    [REST] = {"air at rest", WABE_FIELD_CONSTANT, WABE_RESTS, NULL},
                    [GROUND] = {"ground", WABE_FIELD_CONSTANT, WABE_GROUNDS, NULL},
                    [LEVELS] = {"levels", WABE_FIELD_CONSTANT, WABE_LEVELS, NULL},
                    [WATER] = {"water", WABE_FIELD_STATE, WABE_WATERS, water_names},
                    [OLD_WATER] = {"old water", WABE_FIELD_SCRATCH, WABE_WATERS, NULL},
                    [FALLEN] = {"rain on the ground", WABE_FIELD_STATE, 1, fallen_names},
                    [MIXING] = {"mixing", WABE_FIELD_SCRATCH, 1, NULL}};

/* Is a field or a sweep that follows the dry ones, of which the last is that of eddies, in the
 * model? */
static bool is_there(int number, int dry, int last, const wabe_weather_parts *parts) {
    return number < dry || (number == last - 1 ? parts->eddies : parts->water);
}

/* The number of a field in the model. */
static int number_of(int field, const wabe_weather_parts *parts) {
    return field == MIXING && !parts->water ? DRY_FIELDS : field;
}

static void add_fields(wabe_grid_model *m, wabe_type type, const wabe_weather_parts *parts) {
    for (int f = 0; f < FIELDS; f++) {
        if (!is_there(f, DRY_FIELDS, FIELDS, parts))
            continue;
        wabe_grid_field_row *row = &m->fields[m->field_count++];
        *row = (wabe_grid_field_row){.name = fields[f].name,
                                     .type = type,
                                     .role = fields[f].role,
                                     .components = fields[f].components,
                                     .names = fields[f].names,
                                     .grids = 1};
        for (int face = 0; face < 6; face++)
            row->walls[face] = (wabe_wall){1.0, 0.0};
    }
    if (!parts->water)
        m->fields[REST].components = WABE_REST_VAPOUR;
    m->fields[LEVELS].flat[2] = true;
    m->fields[GROUND].flat[1] = true;
    m->fields[REST].flat[2] = parts->flat;
}

/* ---- sweeps ------------------------------------------------------------------------- */

#define OWN(field)                                                                                 \
    { field, WABE_STENCIL_OWN, 0, false }
#define ALONG(field, layers)                                                                       \
    { field, WABE_STENCIL_ALONG, layers, false }
#define AROUND(field, layers)                                                                      \
    { field, WABE_STENCIL_AROUND, layers, false }

static const wabe_grid_sweep_row sweeps[SWEEPS] = {
    [KEEP] = {.sweep = &wabe_sweep_weather_keep,
              .write_count = 1,
              .writes = {OLD},
              .read_count = 3,
              .reads = {ALONG(STATE, 1), ALONG(REST, 1), ALONG(GROUND, 1)}},
    [BEGIN] = {.sweep = &wabe_sweep_weather_begin,
               .write_count = 4,
               .writes = {WARMER, THETA, PRESSURE, STIFFNESS},
               .read_count = 2,
               .reads = {OWN(STATE), OWN(REST)}},
    [MOVE] = {.sweep = &wabe_sweep_weather_velocity,
              .write_count = 4,
              .writes = {VELOCITY, CROSSING, FAST_WINDS, FAST_COLUMN},
              .read_count = 5,
              .reads = {ALONG(STATE, 1), OWN(OLD), ALONG(REST, 1), ALONG(GROUND, 1), OWN(LEVELS)}},
    [SCALARS] = {.sweep = &wabe_sweep_weather_slow_scalars,
                 .write_count = 1,
                 .writes = {SLOW_SCALARS},
                 .read_count = 6,
                 .reads = {ALONG(STATE, 1), OWN(CROSSING), ALONG(WARMER, 3), ALONG(REST, 3),
                           OWN(GROUND), OWN(LEVELS)}},
    [ALONG_X] = {.sweep = &wabe_sweep_weather_slow_x,
                 .write_count = 1,
                 .writes = {SLOW_X},
                 .read_count = 7,
                 .reads = {AROUND(STATE, 1), ALONG(VELOCITY, 3), ALONG(CROSSING, 1),
                           ALONG(PRESSURE, 1), ALONG(REST, 1), ALONG(GROUND, 1), OWN(LEVELS)}},
    [ALONG_Y] = {.sweep = &wabe_sweep_weather_slow_y,
                 .write_count = 1,
                 .writes = {SLOW_Y},
                 .read_count = 7,
                 .reads = {ALONG(STATE, 1), ALONG(VELOCITY, 3), OWN(CROSSING), OWN(PRESSURE),
                           OWN(REST), OWN(GROUND), OWN(LEVELS)}},
    [ALONG_Z] = {.sweep = &wabe_sweep_weather_slow_z,
                 .write_count = 1,
                 .writes = {SLOW_Z},
                 .read_count = 7,
                 .reads = {AROUND(STATE, 1), ALONG(VELOCITY, 3), ALONG(CROSSING, 1),
                           ALONG(PRESSURE, 1), ALONG(REST, 1), ALONG(GROUND, 1), OWN(LEVELS)}},
    [ELIMINATE] = {.sweep = &wabe_sweep_weather_pivots,
                   .write_count = 3,
                   .writes = {PIVOT, UPPER, PRESSURE},
                   .read_count = 5,
                   .reads = {OWN(STIFFNESS), OWN(THETA), OWN(FAST_COLUMN), OWN(GROUND),
                             OWN(LEVELS)}},
    [PUSH] = {.sweep = &wabe_sweep_weather_push,
              .write_count = 1,
              .writes = {FAST_WINDS},
              .read_count = 6,
              .reads = {OWN(FAST_WINDS), OWN(SLOW_X), OWN(SLOW_Z), ALONG(PRESSURE, 1),
                        ALONG(GROUND, 1), OWN(LEVELS)}},
    [RISE] = {.sweep = &wabe_sweep_weather_rise,
              .write_count = 1,
              .writes = {ROWS},
              .read_count = 9,
              .reads = {ALONG(FAST_WINDS, 1), OWN(FAST_COLUMN), OWN(SLOW_SCALARS), OWN(SLOW_Y),
                        ALONG(THETA, 1), OWN(STIFFNESS), OWN(PIVOT), ALONG(GROUND, 1),
                        OWN(LEVELS)}},
    [SINK] = {.sweep = &wabe_sweep_weather_sink,
              .write_count = 2,
              .writes = {FAST_COLUMN, PRESSURE},
              .read_count = 7,
              .reads = {OWN(FAST_COLUMN), OWN(ROWS), OWN(UPPER), OWN(THETA), OWN(STIFFNESS),
                        OWN(GROUND), OWN(LEVELS)}},
    [WEIGH] = {.sweep = &wabe_sweep_weather_densities,
               .write_count = 1,
               .writes = {DENSITIES},
               .read_count = 3,
               .reads = {OWN(STATE), OWN(FAST_COLUMN), OWN(REST)}},
    [FINISH] = {.sweep = &wabe_sweep_weather_finish,
                .write_count = 1,
                .writes = {STATE},
                .read_count = 4,
                .reads = {OWN(STATE), OWN(FAST_WINDS), OWN(FAST_COLUMN), ALONG(DENSITIES, 1)}},
    [SHOW] = {.sweep = &wabe_sweep_weather_show,
              .write_count = 6,
              .writes = {SLOW_X, SLOW_Y, SLOW_Z, SLOW_SCALARS, STIFFNESS, THETA},
              .read_count = 4,
              .reads = {ALONG(STATE, 1), OWN(REST), ALONG(GROUND, 1), OWN(LEVELS)}},
    [KEEP_WATER] = {.sweep = &wabe_sweep_weather_keep_water,
                    .write_count = 1,
                    .writes = {OLD_WATER},
                    .read_count = 1,
                    .reads = {OWN(WATER)}},
    [HUMIDITY] = {.sweep = &wabe_sweep_weather_humidity,
                  .write_count = 2,
                  .writes = {SHARES, MOVED},
                  .read_count = 4,
                  .reads = {OWN(STATE), OWN(WATER), OWN(MOVED), OWN(DENSITIES)}},
    [CARRY_WATER] = {.sweep = &wabe_sweep_weather_carry_water,
                     .write_count = 1,
                     .writes = {WATER},
                     .read_count = 7,
                     .reads = {OWN(OLD_WATER), ALONG(SHARES, 2), ALONG(MOVED, 1),
                               ALONG(DENSITIES, 1), ALONG(REST, 1), ALONG(GROUND, 1), OWN(LEVELS)}},
    [RAIN] = {.sweep = &wabe_sweep_weather_rain,
              .write_count = 3,
              .writes = {WATER, FALLEN, FAST_COLUMN},
              .read_count = 6,
              .reads = {OWN(STATE), OWN(WATER), OWN(FALLEN), OWN(REST), OWN(GROUND), OWN(LEVELS)}},
    [SETTLE] = {.sweep = &wabe_sweep_weather_settle,
                .write_count = 1,
                .writes = {STATE},
                .read_count = 2,
                .reads = {OWN(STATE), ALONG(FAST_COLUMN, 1)}},
    [EDDIES] = {.sweep = &wabe_sweep_weather_eddies,
                .write_count = 1,
                .writes = {MIXING},
                .read_count = 6,
                .reads = {AROUND(VELOCITY, 1), OWN(THETA), OWN(STATE), OWN(REST), OWN(GROUND),
                          OWN(LEVELS)}}};

/* In place of SINK and SHOW. */
static const wabe_grid_sweep_row sink_water = {.sweep = &wabe_sweep_weather_sink_water,
                                               .write_count = 3,
                                               .writes = {FAST_COLUMN, PRESSURE, MOVED},
                                               .read_count = 9,
                                               .reads = {OWN(FAST_COLUMN), OWN(ROWS), OWN(UPPER),
                                                         OWN(THETA), OWN(STIFFNESS), OWN(GROUND),
                                                         OWN(LEVELS), OWN(FAST_WINDS), OWN(MOVED)}};
static const wabe_grid_sweep_row show_water = {
    .sweep = &wabe_sweep_weather_show_water,
    .write_count = 7,
    .writes = {SLOW_X, SLOW_Y, SLOW_Z, SLOW_SCALARS, STIFFNESS, THETA, SHARES},
    .read_count = 5,
    .reads = {ALONG(STATE, 1), OWN(REST), ALONG(GROUND, 1), OWN(LEVELS), OWN(WATER)}};

/* With eddies these sweeps read the field of mixing, too, and velocities with the same stencil. */
static const struct {
    const wabe_sweep *sweep, *with_eddies;
    wabe_grid_read mixing;
} mixed[] = {{&wabe_sweep_weather_slow_scalars, &wabe_sweep_weather_slow_scalars_eddies,
              ALONG(MIXING, 1)},
             {&wabe_sweep_weather_slow_x, &wabe_sweep_weather_slow_x_eddies, AROUND(MIXING, 1)},
             {&wabe_sweep_weather_slow_y, &wabe_sweep_weather_slow_y_eddies, ALONG(MIXING, 1)},
             {&wabe_sweep_weather_slow_z, &wabe_sweep_weather_slow_z_eddies, AROUND(MIXING, 1)},
             {&wabe_sweep_weather_carry_water, &wabe_sweep_weather_carry_water_eddies,
              ALONG(MIXING, 1)}};

static void add_eddies(wabe_grid_sweep_row *s) {
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++) {
        if (s->sweep != mixed[i].sweep)
            continue;
        s->sweep = mixed[i].with_eddies;
        for (int r = 0; r < s->read_count; r++)
            if (s->reads[r].field == VELOCITY)
                s->reads[r].stencil = mixed[i].mixing.stencil;
        s->reads[s->read_count++] = mixed[i].mixing;
        return;
    }
}

/* The number of a sweep in the model. */
static int sweep_of(int sweep, const wabe_weather_parts *parts) {
    return sweep == EDDIES && !parts->water ? DRY_SWEEPS : sweep;
}

static void add_sweeps(wabe_grid_model *m, wabe_type type, const wabe_weather_parts *parts,
                       const char *kernel) {
    for (int i = 0; i < SWEEPS; i++)
        if (is_there(i, DRY_SWEEPS, SWEEPS, parts))
            m->sweeps[m->sweep_count++] = !parts->water ? sweeps[i]
                                          : i == SINK   ? sink_water
                                          : i == SHOW   ? show_water
                                                        : sweeps[i];
    for (wabe_grid_sweep_row *s = m->sweeps; s < m->sweeps + m->sweep_count; s++) {
        if (parts->eddies)
            add_eddies(s);
        for (int r = 0; r < s->read_count; r++)
            s->reads[r].field = number_of(s->reads[r].field, parts);
        for (int w = 0; w < s->write_count; w++)
            s->writes[w] = number_of(s->writes[w], parts);
        s->name = s->sweep->name;
        s->kernel = kernel;
        s->type = type;
        s->whole[1] = true;
    }
    m->look_count = 1;
    m->looks[0] = SHOW;
}

/* ---- the step ----------------------------------------------------------------------- */

/* The substeps of a stage: a third of a step's, so that none is longer than these; half; all. */
static int substeps_of(const wabe_weather_step *step, int stage) {
    return stage == 0 ? (step->substeps + 2) / 3 : stage == 1 ? step->substeps / 2 : step->substeps;
}

static bool has_substep(void *context, const wabe_position *at, const double values[]) {
    (void)values;
    return at->index[1] < substeps_of(context, (int)at->index[0]);
}

/* What a sweep finds in its arguments for a stage: the length of a substep, or what its cell
 * function says. */
static double value_of(const wabe_weather_step *step, int sweep, int stage) {
    const double length = step->time_step / (STAGES - stage);
    return sweep == RAIN          ? step->time_step
           : sweep == CARRY_WATER ? length
           : sweep == HUMIDITY    ? 1.0 / substeps_of(step, stage)
                                  : length / substeps_of(step, stage);
}

static void add_entry(wabe_grid_model *m, wabe_step_kind kind, int number,
                      const wabe_weather_step *step) {
    wabe_grid_entry *e = &m->entries[m->entry_count++];
    *e = (wabe_grid_entry){.kind = kind, .number = number};
    for (int stage = 0; stage < STAGES && kind == WABE_STEP_SWEEP; stage++)
        e->values[stage] = value_of(step, number, stage);
}

static void add_step(wabe_grid_model *m, const wabe_weather_parts *parts,
                     const wabe_weather_step *step) {
    enum { LOOP = -1, END = -2 };
    static const int order[] = {KEEP,        KEEP_WATER, LOOP,    BEGIN,   MOVE,      EDDIES,
                                SCALARS,     ALONG_X,    ALONG_Y, ALONG_Z, ELIMINATE, LOOP,
                                PUSH,        RISE,       SINK,    END,     WEIGH,     HUMIDITY,
                                CARRY_WATER, FINISH,     END,     RAIN,    SETTLE};
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
        else if (order[i] == END)
            add_entry(m, WABE_STEP_END, 0, step);
        else if (is_there(order[i], DRY_SWEEPS, SWEEPS, parts)) {
            add_entry(m, WABE_STEP_SWEEP, order[i], step);
            m->entries[m->entry_count - 1].number = sweep_of(order[i], parts);
        }
}

wabe_grid_model wabe_weather_model(wabe_type type, const int64_t cells[3],
                                   const wabe_weather_parts *parts, const wabe_weather_step *step,
                                   const char *kernel) {
    wabe_grid_model m = {.periodic = {true, false, true}, .wraps = {true, true, true}, .depth = 1};
    memcpy(m.cells, cells, sizeof m.cells);
    add_fields(&m, type, parts);
    add_sweeps(&m, type, parts, kernel);
    add_step(&m, parts, step);
    return m;
}

/* ---- arguments ---------------------------------------------------------------------- */

static wabe_weather_air air_of(const wabe_weather_step *step) {
    const double dx = step->spacing, dy = step->thickness, now = 0.5 + 0.5 * step->off_centring;
    const double pr = step->prandtl_number, volume = dx * dx * dy;
    const bool eddies = step->smagorinsky > 0.0;
    const double k = eddies ? 1.0 : step->diffusivity; /* see wabe_weather_air */
    const double lilly = step->smagorinsky * step->smagorinsky * pow(volume, 2.0 / 3.0);
    wabe_weather_air air;
    const struct {
        wabe_coefficient *to;
        double value;
    } all[] = {{&air.per_length, 1.0 / dx},
               {&air.per_level, 1.0 / dy},
               {&air.gravity, step->gravity},
               {&air.gamma, step->gamma},
               {&air.now, now},
               {&air.before, 1.0 - now},
               {&air.damping, step->damping},
               {&air.mixed_along, k / (dx * dx)},
               {&air.mixed_up, k / (dy * dy)},
               {&air.scalars_along, k / pr / (dx * dx)},
               {&air.scalars_up, k / pr / (dy * dy)},
               {&air.eddies, lilly},
               {&air.per_prandtl, 1.0 / pr},
               {&air.most_mixing, step->most_mixing},
               {&air.turning, step->coriolis},
               {&air.drag, step->drag},
               {&air.heating, step->heating},
               {&air.moistening, step->moistening},
               {&air.gas, step->gas},
               {&air.latent, step->latent},
               {&air.ground_density, step->ground_density}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i].to = wabe_coefficient_of(all[i].value);
    return air;
}

/* A number of a field, whatever the field. */
typedef struct {
    const wabe_weather_place *place;
    int number;
} source;

/* Ghosts have the values of the cells that they stand for. */
static int64_t around(int64_t index, int64_t cells) { return (index % cells + cells) % cells; }

static double ground_at(const wabe_weather_place *p, int64_t x, int64_t z) {
    return p->ground[around(z, p->cells[2]) * p->cells[0] + around(x, p->cells[0])];
}

static double ground_number(const wabe_weather_place *p, int number, int64_t x, int64_t z) {
    const double height = ground_at(p, x, z), share = 1.0 - height / p->faces[p->cells[1]];
    switch (number) {
    case WABE_GROUND_SHARE:
        return share;
    case WABE_GROUND_PER_SHARE:
        return 1.0 / share;
    case WABE_GROUND_SLOPE_X:
        return (height - ground_at(p, x - 1, z)) / p->spacing;
    case WABE_GROUND_SLOPE_Z:
        return (height - ground_at(p, x, z - 1)) / p->spacing;
    case WABE_GROUND_HEIGHT:
        return height;
    default:
        return p->column_rate(p->context, around(x, p->cells[0]), around(z, p->cells[2]));
    }
}

static wabe_status ground_row(const void *context, const int64_t cell[3], int64_t count,
                              double *row) {
    const source *s = context;
    for (int64_t i = 0; i < count; i++)
        row[i] = ground_number(s->place, s->number, cell[0] + i, cell[2]);
    return WABE_OK;
}

/* Beyond the ends of columns nothing is read. */
static int64_t within(int64_t level, int64_t levels) {
    return level < 0 ? 0 : level >= levels ? levels - 1 : level;
}

/* The thickness of a level over the mean one. */
static double thickness_of(const wabe_weather_place *p, int64_t level) {
    const int64_t y = within(level, p->cells[1]);
    return (p->faces[y + 1] - p->faces[y]) * (double)p->cells[1] / p->faces[p->cells[1]];
}

static double level_number(const wabe_weather_place *p, int number, int64_t y) {
    const double lid = p->faces[p->cells[1]];
    switch (number) {
    case WABE_LEVEL_THICKNESS:
        return thickness_of(p, y);
    case WABE_LEVEL_PER_THICKNESS:
        return 1.0 / thickness_of(p, y);
    case WABE_LEVEL_PER_BELOW:
        return 2.0 / (thickness_of(p, y - 1) + thickness_of(p, y));
    case WABE_LEVEL_PER_ABOVE:
        return 2.0 / (thickness_of(p, y) + thickness_of(p, y + 1));
    case WABE_LEVEL_SLOPE_BELOW:
        return 1.0 - p->faces[y] / lid;
    case WABE_LEVEL_SLOPE_ABOVE:
        return 1.0 - p->faces[y + 1] / lid;
    case WABE_LEVEL_HEIGHT:
        return 0.5 * (p->faces[y] + p->faces[y + 1]);
    case WABE_LEVEL_RATE:
        return p->level_rate(p->context, 0.5 * (p->faces[y] + p->faces[y + 1]));
    default:
        return p->wind(p->context, number == WABE_LEVEL_WIND_X ? 0 : 2,
                       0.5 * (p->faces[y] + p->faces[y + 1]));
    }
}

static wabe_status level_row(const void *context, const int64_t cell[3], int64_t count,
                             double *row) {
    const source *s = context;
    const int64_t y = within(cell[1], s->place->cells[1]);
    for (int64_t i = 0; i < count; i++)
        row[i] = level_number(s->place, s->number, y);
    return WABE_OK;
}

double wabe_weather_height(const wabe_weather_place *p, const int64_t cell[3]) {
    const int64_t y = within(cell[1], p->cells[1]);
    const double h = ground_at(p, cell[0], cell[2]), lid = p->faces[p->cells[1]];
    return 0.5 * (p->faces[y] + p->faces[y + 1]) * (1.0 - h / lid) + h;
}

void wabe_weather_rest_at(const wabe_weather_place *p, const int64_t cell[3],
                          double rest[WABE_RESTS]) {
    const double share = 1.0 - ground_at(p, cell[0], cell[2]) / p->faces[p->cells[1]];
    p->rest(p->context, wabe_weather_height(p, cell), rest);
    rest[WABE_REST_DENSITY] *= share * thickness_of(p, cell[1]);
}

static wabe_status rest_row(const void *context, const int64_t cell[3], int64_t count,
                            double *row) {
    const source *s = context;
    for (int64_t i = 0; i < count; i++) {
        double rest[WABE_RESTS];
        wabe_weather_rest_at(s->place, (const int64_t[3]){cell[0] + i, cell[1], cell[2]}, rest);
        row[i] = rest[s->number];
    }
    return WABE_OK;
}

wabe_status wabe_weather_set(wabe_grid_slab *slab, const wabe_weather_step *step,
                             const wabe_weather_place *place) {
    static const struct {
        int field;
        wabe_status (*row)(const void *, const int64_t[3], int64_t, double *);
    } constants[] = {{REST, rest_row}, {GROUND, ground_row}, {LEVELS, level_row}};
    const wabe_weather_air air = air_of(step);
    for (int sweep = 0; sweep < slab->model.sweep_count; sweep++)
        for (int name = 0; name < WABE_REGION_COUNT; name++)
            ((wabe_weather_begin_args *)(void *)slab->args[sweep][name])->air = air;
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++)
        for (int number = 0; number < slab->model.fields[constants[i].field].components; number++)
            WABE_TRY(wabe_grid_set(slab, constants[i].field, number, constants[i].row,
                                   &(source){place, number}));
    return WABE_OK;
}
