#include "sweeps/stencil/two_phase.h"

#include <math.h>
#include <string.h>

enum {
    ADVECT,
    DISTANCE,
    REDISTANCE,
    CURVATURE,
    HEIGHTS,
    SPREAD,
    MOMENTUM,
    SOURCE,
    PROJECT,
    SHOW,
    STOP, /* and the next ones: in solids */
    FILL_FRACTION,
    FILL_DISTANCE,
    SWEEPS
};
enum { SWEEPS_OF_DISTANCE = 5 };

/* Below these fractions a cell counts as one fluid's: the profile could not be found. */
#define PURE_F64 1e-8
#define PURE_F32 1e-4

/* ---- tables -------------------------------------------------------------------------- */

static void set_field(wabe_grid_model *m, wabe_type type, int field, const char *name,
                      wabe_field_role role, int components, int grids) {
    m->fields[field] = (wabe_grid_field_row){
        .name = name, .type = type, .role = role, .components = components, .grids = grids};
    for (int face = 0; face < 6; face++)
        m->fields[field].walls[face] = (wabe_wall){1.0, 0.0};
}

/* 0 for right angles, which stay mirrors. */
static double exact(double of_angle) { return fabs(of_angle) < 1e-12 ? 0.0 : of_angle; }

/* Nothing flows through walls; of the velocities along them they turn round what they hold. */
static wabe_wall velocity_wall(const wabe_two_phase_case *c, int face, int axis) {
    const bool across = face / 2 == axis;
    const double given = c->inflows[face].velocity[axis];
    switch (c->faces[face]) {
    case WABE_TWO_PHASE_INFLOW:
        return across ? (wabe_wall){0.0, given} : (wabe_wall){-1.0, 2.0 * given};
    case WABE_TWO_PHASE_OUTFLOW:
        return (wabe_wall){1.0, 0.0};
    case WABE_TWO_PHASE_NO_SLIP:
        return (wabe_wall){across ? 0.0 : -1.0, 0.0};
    default:
        return (wabe_wall){across ? 0.0 : 1.0, 0.0};
    }
}

/* What ties the layer outside to the pressure 0 behind it, more than to any cell. */
static double outer_weight(const wabe_two_phase_case *c) {
    return 4.0 / fmin(c->gas.density, c->liquid.density);
}

/* Of the fields whose walls are not mirrors, or not at all faces. */
static void set_walls(const wabe_two_phase_case *c, wabe_grid_model *m) {
    for (int face = 0; face < 6; face++) {
        const bool in = c->faces[face] == WABE_TWO_PHASE_INFLOW;
        const bool out = c->faces[face] == WABE_TWO_PHASE_OUTFLOW;
        const double fraction = c->inflows[face].fraction;
        for (int axis = 0; axis < 3; axis++)
            m->fields[WABE_TWO_PHASE_VELOCITY + axis].walls[face] = velocity_wall(c, face, axis);
        if (in)
            m->fields[WABE_TWO_PHASE_FRACTION].walls[face] = (wabe_wall){0.0, fraction};
        m->fields[WABE_TWO_PHASE_FLUX].walls[face] =
            (wabe_wall){out && fraction != 0.0 ? 1.0 : 0.0,
                        in ? fraction * c->inflows[face].velocity[face / 2] : 0.0};
        m->fields[WABE_TWO_PHASE_WEIGHT].walls[face] = (wabe_wall){0.0,
                                                                   out ? outer_weight(c) : 0.0};
        m->fields[WABE_TWO_PHASE_PRESSURE].walls[face].factor = 0.0; /* nothing flows there, or p is
                                                                        0 */
        /* The distance's slope is 1. */
        m->fields[WABE_TWO_PHASE_DISTANCE].walls[face].offset = exact(cos(c->angles[face]));
    }
}

static void set_fields(wabe_type type, const wabe_two_phase_case *c, wabe_grid_model *m) {
    static const char *const velocities[] = {"face_velocity_x", "face_velocity_y",
                                             "face_velocity_z"};
    static const char *const advections[] = {"advection_x", "advection_y", "advection_z"};
    static const char *const shown[] = {"velocity_x", "velocity_y", "velocity_z"};
    static const char *const surface[] = {"surface"}, *const divergence[] = {"divergence"};
    m->field_count = WABE_TWO_PHASE_FIELDS;
    set_field(m, type, WABE_TWO_PHASE_FRACTION, "fraction", WABE_FIELD_STATE, 1, 2);
    for (int axis = 0; axis < 3; axis++)
        set_field(m, type, WABE_TWO_PHASE_VELOCITY + axis, velocities[axis], WABE_FIELD_STATE, 1,
                  2);
    set_field(m, type, WABE_TWO_PHASE_ADVECTION, "advection", WABE_FIELD_STATE, 3, 1);
    m->fields[WABE_TWO_PHASE_ADVECTION].names = advections;
    set_field(m, type, WABE_TWO_PHASE_PRESSURE, "pressure", WABE_FIELD_STATE, 1, 2);
    set_field(m, type, WABE_TWO_PHASE_FLUID, "fluid", WABE_FIELD_CONSTANT, 1, 1);
    set_field(m, type, WABE_TWO_PHASE_WALL, "wall", WABE_FIELD_CONSTANT, 1, 1);
    set_field(m, type, WABE_TWO_PHASE_HALF, "half", WABE_FIELD_SCRATCH, 1, 1);
    set_field(m, type, WABE_TWO_PHASE_FLUX, "flux", WABE_FIELD_SCRATCH, 3, 1);
    set_field(m, type, WABE_TWO_PHASE_DISTANCE, "distance", WABE_FIELD_SCRATCH, 1, 2);
    set_field(m, type, WABE_TWO_PHASE_FIRST_DISTANCE, "first distance", WABE_FIELD_SCRATCH, 1, 1);
    set_field(m, type, WABE_TWO_PHASE_CURVATURE, "curvature", WABE_FIELD_SCRATCH, 1, 1);
    set_field(m, type, WABE_TWO_PHASE_SOURCE, "source", WABE_FIELD_SCRATCH, 1, 1);
    set_field(m, type, WABE_TWO_PHASE_WEIGHT, "weight", WABE_FIELD_SCRATCH, 3, 1);
    m->fields[WABE_TWO_PHASE_SOURCE].names = surface;
    m->fields[WABE_TWO_PHASE_CURVATURE].names = divergence;
    m->fields[WABE_TWO_PHASE_WEIGHT].names = shown;
    set_walls(c, m);
}

#define OWN(field)                                                                                 \
    { field, WABE_STENCIL_OWN, 0, false }
#define ALONG(field)                                                                               \
    { field, WABE_STENCIL_ALONG, 1, false }
#define AROUND(field, layers)                                                                      \
    { field, WABE_STENCIL_AROUND, layers, false }

static const wabe_grid_sweep_row rows[SWEEPS] = {
    [ADVECT] = {.name = "advect",
                .sweep = &wabe_sweep_two_phase_advect,
                .write_count = 3,
                .writes = {WABE_TWO_PHASE_FRACTION, WABE_TWO_PHASE_HALF, WABE_TWO_PHASE_FLUX},
                .read_count = 4,
                .reads = {AROUND(WABE_TWO_PHASE_FRACTION, 2), ALONG(WABE_TWO_PHASE_VELOCITY),
                          ALONG(WABE_TWO_PHASE_VELOCITY + 1), ALONG(WABE_TWO_PHASE_VELOCITY + 2)}},
    [DISTANCE] = {.name = "distance",
                  .sweep = &wabe_sweep_two_phase_distance,
                  .write_count = 2,
                  .writes = {WABE_TWO_PHASE_DISTANCE, WABE_TWO_PHASE_FIRST_DISTANCE},
                  .read_count = 1,
                  .reads = {OWN(WABE_TWO_PHASE_FRACTION)}},
    [REDISTANCE] = {.name = "redistance",
                    .sweep = &wabe_sweep_two_phase_redistance,
                    .write_count = 1,
                    .writes = {WABE_TWO_PHASE_DISTANCE},
                    .read_count = 2,
                    .reads = {ALONG(WABE_TWO_PHASE_DISTANCE), OWN(WABE_TWO_PHASE_FIRST_DISTANCE)}},
    [CURVATURE] = {.name = "curvature",
                   .sweep = &wabe_sweep_two_phase_curvature,
                   .write_count = 1,
                   .writes = {WABE_TWO_PHASE_CURVATURE},
                   .read_count = 2,
                   .reads = {AROUND(WABE_TWO_PHASE_DISTANCE, 1), ALONG(WABE_TWO_PHASE_FLUID)}},
    [HEIGHTS] = {.name = "heights",
                 .sweep = &wabe_sweep_two_phase_heights,
                 .write_count = 2,
                 .writes = {WABE_TWO_PHASE_CURVATURE, WABE_TWO_PHASE_REACH},
                 .read_count = 2,
                 .reads = {AROUND(WABE_TWO_PHASE_FRACTION, 3), ALONG(WABE_TWO_PHASE_WALL)}},
    [SPREAD] = {.name = "spread",
                .sweep = &wabe_sweep_two_phase_spread,
                .write_count = 1,
                .writes = {WABE_TWO_PHASE_SPREAD_CURVATURE},
                .read_count = 2,
                .reads = {AROUND(WABE_TWO_PHASE_CURVATURE, 1), AROUND(WABE_TWO_PHASE_REACH, 1)}},
    [MOMENTUM] = {.name = "momentum",
                  .sweep = &wabe_sweep_two_phase_momentum,
                  .write_count = 4,
                  .writes = {WABE_TWO_PHASE_VELOCITY, WABE_TWO_PHASE_VELOCITY + 1,
                             WABE_TWO_PHASE_VELOCITY + 2, WABE_TWO_PHASE_ADVECTION},
                  .read_count = 7,
                  .reads = {AROUND(WABE_TWO_PHASE_VELOCITY, 2),
                            AROUND(WABE_TWO_PHASE_VELOCITY + 1, 2),
                            AROUND(WABE_TWO_PHASE_VELOCITY + 2, 2),
                            AROUND(WABE_TWO_PHASE_FRACTION, 2),
                            ALONG(WABE_TWO_PHASE_SPREAD_CURVATURE), ALONG(WABE_TWO_PHASE_FLUID),
                            AROUND(WABE_TWO_PHASE_FLUX, 1)}},
    [SOURCE] = {.name = "source",
                .sweep = &wabe_sweep_two_phase_source,
                .write_count = 2,
                .writes = {WABE_TWO_PHASE_SOURCE, WABE_TWO_PHASE_WEIGHT},
                .read_count = 5,
                .reads = {ALONG(WABE_TWO_PHASE_VELOCITY), ALONG(WABE_TWO_PHASE_VELOCITY + 1),
                          ALONG(WABE_TWO_PHASE_VELOCITY + 2), ALONG(WABE_TWO_PHASE_FRACTION),
                          ALONG(WABE_TWO_PHASE_FLUID)}},
    [PROJECT] = {.name = "project",
                 .sweep = &wabe_sweep_two_phase_project,
                 .write_count = 3,
                 .writes = {WABE_TWO_PHASE_VELOCITY, WABE_TWO_PHASE_VELOCITY + 1,
                            WABE_TWO_PHASE_VELOCITY + 2},
                 .reduction_count = 1,
                 .read_count = 5,
                 .reads = {OWN(WABE_TWO_PHASE_VELOCITY), OWN(WABE_TWO_PHASE_VELOCITY + 1),
                           OWN(WABE_TWO_PHASE_VELOCITY + 2), ALONG(WABE_TWO_PHASE_PRESSURE),
                           OWN(WABE_TWO_PHASE_WEIGHT)}},
    [SHOW] = {.name = "show",
              .sweep = &wabe_sweep_two_phase_show,
              .write_count = 3,
              .writes = {WABE_TWO_PHASE_WEIGHT, WABE_TWO_PHASE_SOURCE, WABE_TWO_PHASE_CURVATURE},
              .read_count = 5,
              .reads = {ALONG(WABE_TWO_PHASE_VELOCITY), ALONG(WABE_TWO_PHASE_VELOCITY + 1),
                        ALONG(WABE_TWO_PHASE_VELOCITY + 2), AROUND(WABE_TWO_PHASE_FRACTION, 1),
                        OWN(WABE_TWO_PHASE_WALL)}},
    [STOP] = {.name = "stop",
              .sweep = &wabe_sweep_two_phase_stop,
              .write_count = 3,
              .writes = {WABE_TWO_PHASE_VELOCITY, WABE_TWO_PHASE_VELOCITY + 1,
                         WABE_TWO_PHASE_VELOCITY + 2},
              .read_count = 4,
              .reads = {ALONG(WABE_TWO_PHASE_VELOCITY), ALONG(WABE_TWO_PHASE_VELOCITY + 1),
                        ALONG(WABE_TWO_PHASE_VELOCITY + 2), AROUND(WABE_TWO_PHASE_FLUID, 1)}},
    [FILL_FRACTION] = {.name = "fill fraction",
                       .sweep = &wabe_sweep_two_phase_fill,
                       .write_count = 1,
                       .writes = {WABE_TWO_PHASE_FRACTION},
                       .read_count = 2,
                       .reads = {AROUND(WABE_TWO_PHASE_FRACTION, 3),
                                 AROUND(WABE_TWO_PHASE_WALL, 3)}},
    [FILL_DISTANCE] = {.name = "fill distance",
                       .sweep = &wabe_sweep_two_phase_fill,
                       .write_count = 1,
                       .writes = {WABE_TWO_PHASE_DISTANCE},
                       .read_count = 2,
                       .reads = {AROUND(WABE_TWO_PHASE_DISTANCE, 3),
                                 AROUND(WABE_TWO_PHASE_WALL, 3)}}};

static int count_axes(const wabe_two_phase_case *c) {
    return (c->cells[0] > 1) + (c->cells[1] > 1) + (c->cells[2] > 1);
}

static bool flows_out(const wabe_two_phase_case *c) {
    bool out = false;
    for (int face = 0; face < 6; face++)
        out |= c->faces[face] == WABE_TWO_PHASE_OUTFLOW;
    return out;
}

static void set_step(const wabe_two_phase_case *c, const wabe_two_phase_tables *t,
                     wabe_multigrid_goal *goal, wabe_grid_model *m) {
    const wabe_multigrid *g = &t->multigrid;
    const bool fills = c->has_solids || flows_out(c);
    wabe_grid_loop_row pressure = {.name = "pressure", .count = c->cycles};
    if (c->cycles == 0)
        pressure = (wabe_grid_loop_row){.name = "pressure",
                                        .again = wabe_multigrid_goes_on,
                                        .context = goal,
                                        .average = 2.0};
    const wabe_grid_loop_row distance = {.name = "distance", .count = SWEEPS_OF_DISTANCE};
    const int cycles = wabe_grid_add_loop(m, &pressure);
    const int sweeps = wabe_grid_add_loop(m, &distance);
    if (fills)
        wabe_grid_add_entry(m, WABE_STEP_SWEEP, STOP, 0.0);
    for (int place = 0; place < count_axes(c); place++) {
        if (fills)
            wabe_grid_add_entry(m, WABE_STEP_SWEEP, FILL_FRACTION, 0.0);
        wabe_grid_add_entry(m, WABE_STEP_SWEEP, ADVECT, place);
    }
    if (fills)
        wabe_grid_add_entry(m, WABE_STEP_SWEEP, FILL_FRACTION, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_SWEEP, DISTANCE, 0.0);
    if (fills)
        wabe_grid_add_entry(m, WABE_STEP_SWEEP, FILL_DISTANCE, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_LOOP, sweeps, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_SWEEP, REDISTANCE, 0.0);
    if (fills)
        wabe_grid_add_entry(m, WABE_STEP_SWEEP, FILL_DISTANCE, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_END, 0, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_SWEEP, CURVATURE, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_SWEEP, HEIGHTS, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_SWEEP, SPREAD, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_SWEEP, MOMENTUM, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_SWEEP, SOURCE, 0.0);
    wabe_multigrid_add_coarsening(m, g);
    wabe_grid_add_entry(m, WABE_STEP_LOOP, cycles, 0.0);
    wabe_multigrid_add_cycle(m, g);
    wabe_grid_add_entry(m, WABE_STEP_END, 0, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_SWEEP, PROJECT, 0.0);
    if (c->steps_differ)
        wabe_grid_add_entry(m, WABE_STEP_REDUCE, t->fastest, 0.0);
}

double wabe_two_phase_limit(const wabe_two_phase_case *c) {
    const double per_length = c->time_step / c->spacing;
    return c->tolerance / (per_length * per_length);
}

wabe_two_phase_tables wabe_two_phase_model(wabe_type type, const wabe_two_phase_case *c,
                                           const char *kernel, wabe_multigrid_goal *goal) {
    wabe_two_phase_tables t = {.model = {.sweep_count = SWEEPS,
                                         .look_count = 1,
                                         .looks = {SHOW},
                                         .wraps = {true, true, true},
                                         .depth = 1}};
    wabe_grid_model *m = &t.model;
    memcpy(m->sweeps, rows, sizeof rows);
    for (int i = 0; i < SWEEPS; i++) {
        m->sweeps[i].kernel = kernel;
        m->sweeps[i].type = type;
    }
    for (int axis = 0; axis < 3; axis++) {
        m->cells[axis] = c->cells[axis];
        m->periodic[axis] = c->faces[2 * axis] == WABE_TWO_PHASE_PERIODIC;
    }
    set_fields(type, c, m);
    const wabe_multigrid_fields finest = {.p = WABE_TWO_PHASE_PRESSURE,
                                          .b = WABE_TWO_PHASE_SOURCE,
                                          .w = WABE_TWO_PHASE_WEIGHT};
    *goal = (wabe_multigrid_goal){.limit = wabe_two_phase_limit(c),
                                  .most = WABE_TWO_PHASE_CYCLES_MAX,
                                  .stalls = type == WABE_TYPE_f32};
    t.fastest = wabe_grid_add_reduction(m, &(wabe_grid_reduction_row){"fastest", WABE_REDUCE_MAX});
    m->sweeps[PROJECT].reductions[0] = t.fastest;
    t.multigrid = wabe_multigrid_add(m, type, &finest, 1, kernel, c->cycles == 0 ? goal : NULL);
    set_step(c, &t, goal, m);
    return t;
}

/* ---- arguments ------------------------------------------------------------------------ */

static wabe_two_phase_mean mean_of(double gas, double liquid) {
    return (wabe_two_phase_mean){wabe_coefficient_of(gas), wabe_coefficient_of(liquid - gas)};
}

static void set_advect(wabe_two_phase_advect_args *a, const wabe_two_phase_case *c, bool wide) {
    const double beta = c->sharpness;
    a->count = 0;
    for (int axis = 0; axis < 3; axis++)
        if (c->cells[axis] > 1)
            a->axes[a->count++] = axis;
    a->pure = wabe_coefficient_of(wide ? PURE_F64 : PURE_F32);
    a->per_sharpness = wabe_coefficient_of(log(2.0) / beta);
    a->rise = wabe_coefficient_of(exp(beta));
    a->fall = wabe_coefficient_of(exp(-beta));
    a->fall_twice = wabe_coefficient_of(exp(-2.0 * beta));
    a->to_power = wabe_coefficient_of(beta / log(2.0));
}

static double most_viscous(const wabe_two_phase_case *c) {
    return fmax(c->gas.viscosity, c->liquid.viscosity);
}

static void set_momentum(wabe_two_phase_momentum_args *a, const wabe_two_phase_case *c) {
    const double most = most_viscous(c);
    a->density = mean_of(c->gas.density, c->liquid.density);
    a->viscosity = mean_of(c->gas.viscosity / most, c->liquid.viscosity / most);
    for (int axis = 0; axis < 3; axis++) {
        const bool in = c->faces[2 * axis] == WABE_TWO_PHASE_INFLOW;
        a->flat[axis] = c->cells[axis] == 1;
        a->inflow[axis] = wabe_coefficient_of(in ? c->inflows[2 * axis].velocity[axis] : 0.0);
    }
}

/* What changes with the time step. */
static void set_momentum_step(wabe_two_phase_momentum_args *a, const wabe_two_phase_case *c) {
    const double per_length = c->time_step / c->spacing, per_area = per_length / c->spacing;
    a->courant = wabe_coefficient_of(per_length);
    a->ahead = wabe_coefficient_of(0.5 * c->time_step / c->last_time_step);
    a->diffusion = wabe_coefficient_of(per_area * most_viscous(c));
    a->tension = wabe_coefficient_of(c->tension * per_area);
    for (int axis = 0; axis < 3; axis++)
        a->gravity[axis] = wabe_coefficient_of(c->gravity[axis] * c->time_step);
}

void wabe_two_phase_set_time_step(wabe_grid_slab *slab, const wabe_two_phase_case *c) {
    const double per_length = c->time_step / c->spacing;
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_two_phase_advect_args *advect = (void *)slab->args[ADVECT][name];
        wabe_two_phase_source_args *source = (void *)slab->args[SOURCE][name];
        wabe_two_phase_project_args *project = (void *)slab->args[PROJECT][name];
        advect->courant = project->courant = wabe_coefficient_of(per_length);
        advect->per_courant = source->per_courant = wabe_coefficient_of(c->spacing / c->time_step);
        set_momentum_step((void *)slab->args[MOMENTUM][name], c);
    }
}

/* The numbers of a cell in both constant fields. */
typedef struct {
    double fluid, wall;
} cell_kind;

static cell_kind wall_of(double angle) {
    return (cell_kind){WABE_TWO_PHASE_SOLID, exact(1.0 / tan(angle))};
}

static cell_kind behind(const wabe_two_phase_case *c, int face) {
    const cell_kind in = {WABE_TWO_PHASE_BEHIND_INFLOW, WABE_TWO_PHASE_NO_WALL};
    const cell_kind out = {WABE_TWO_PHASE_BEHIND_OUTFLOW, 0.0};
    return c->faces[face] == WABE_TWO_PHASE_INFLOW    ? in
           : c->faces[face] == WABE_TWO_PHASE_OUTFLOW ? out
                                                      : wall_of(c->angles[face]);
}

static double outside(double fraction) {
    return isnan(fraction)  ? 0.0
           : fraction > 0.5 ? WABE_TWO_PHASE_LIQUID_OUTSIDE
                            : WABE_TWO_PHASE_GAS_OUTSIDE;
}

static cell_kind kind_of(const wabe_two_phase_case *c, const int64_t cell[3]) {
    cell_kind kind = {WABE_TWO_PHASE_IN_FLUID, WABE_TWO_PHASE_NO_WALL};
    for (int face = 0; face < 6; face++) {
        const int64_t in = face % 2 ? c->cells[face / 2] - 1 - cell[face / 2] : cell[face / 2];
        if (c->faces[face] != WABE_TWO_PHASE_PERIODIC && in < 0)
            return behind(c, face);
        if (c->faces[face] == WABE_TWO_PHASE_OUTFLOW && in == 0)
            kind = (cell_kind){WABE_TWO_PHASE_OUTSIDE, outside(c->inflows[face].fraction)};
    }
    if (!c->has_solids || !c->is_solid(c->solids, cell))
        return kind;
    const double angle = c->angle_of_solid(c->solids, cell);
    return wall_of(isnan(angle) ? c->angle : angle);
}

static wabe_status wall_row(const void *context, const int64_t cell[3], int64_t count,
                            double *row) {
    for (int64_t i = 0; i < count; i++)
        row[i] = kind_of(context, (const int64_t[3]){cell[0] + i, cell[1], cell[2]}).wall;
    return WABE_OK;
}

static wabe_status fluid_row(const void *context, const int64_t cell[3], int64_t count,
                             double *row) {
    for (int64_t i = 0; i < count; i++)
        row[i] = kind_of(context, (const int64_t[3]){cell[0] + i, cell[1], cell[2]}).fluid;
    return WABE_OK;
}

wabe_status wabe_two_phase_set(wabe_grid_slab *slab, const wabe_two_phase_case *c,
                               const wabe_multigrid *multigrid) {
    const bool wide = slab->model.fields[WABE_TWO_PHASE_FRACTION].type == WABE_TYPE_f64;
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_two_phase_source_args *source = (void *)slab->args[SOURCE][name];
        wabe_two_phase_curvature_args *curvature = (void *)slab->args[CURVATURE][name];
        wabe_two_phase_heights_args *heights = (void *)slab->args[HEIGHTS][name];
        wabe_two_phase_show_args *show = (void *)slab->args[SHOW][name];
        wabe_two_phase_fill_args *fill = (void *)slab->args[FILL_DISTANCE][name];
        set_advect((void *)slab->args[ADVECT][name], c, wide);
        set_momentum((void *)slab->args[MOMENTUM][name], c);
        curvature->most = heights->most = wabe_coefficient_of(fmax(count_axes(c) - 1, 1));
        source->density = mean_of(c->gas.density, c->liquid.density);
        source->outside = wabe_coefficient_of(outer_weight(c));
        for (int axis = 0; axis < 3; axis++)
            source->flat[axis] = c->cells[axis] == 1;
        show->per_length = wabe_coefficient_of(1.0 / c->spacing);
        fill->is_distance = 1;
    }
    wabe_two_phase_set_time_step(slab, c);
    wabe_multigrid_set(slab, multigrid);
    WABE_TRY(wabe_grid_set(slab, WABE_TWO_PHASE_WALL, 0, wall_row, c));
    return wabe_grid_set(slab, WABE_TWO_PHASE_FLUID, 0, fluid_row, c);
}
