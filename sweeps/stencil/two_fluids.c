#include "sweeps/stencil/two_fluids.h"

#include "sweeps/cell/stencil_attributes.h"

#include <math.h>
#include <string.h>

/* Sweeps, in the order of a step; the last one shows the pressure. */
enum { PHASE, COLLIDE, PRESSURE };

/* Bits of the numbers that a mirror normal to each axis turns round. */
static wabe_odd odd_numbers(void) {
    wabe_odd odd = {{0}};
    for (int axis = 0; axis < 3; axis++) {
        odd.across[axis] = 1u << (WABE_TWO_FLUIDS_X + axis) | 1u << (WABE_TWO_FLUIDS_FLUX + axis);
        for (int other = 0; other < 3; other++)
            if (other != axis)
                odd.across[axis] |= 1u << (WABE_TWO_FLUIDS_XY + axis + other - 1);
    }
    return odd;
}

static void set_fields(wabe_type type, const wabe_two_fluids_place *place, wabe_grid_model *m) {
    static const char *const names[WABE_TWO_FLUIDS_NUMBERS] = {"flow_base", "flow_x",  "flow_y",
                                                               "flow_z",    "flow_xx", "flow_yy",
                                                               "flow_zz",   "flow_xy", "flow_xz",
                                                               "flow_yz",   "phase",   "flux_x",
                                                               "flux_y",    "flux_z"};
    static const char *const shown[] = {"pressure", "density"};
    m->field_count = 4;
    m->fields[WABE_TWO_FLUIDS_STATE] = (wabe_grid_field_row){.name = "state",
                                                             .type = type,
                                                             .role = WABE_FIELD_STATE,
                                                             .components = WABE_TWO_FLUIDS_NUMBERS,
                                                             .names = names,
                                                             .grids = 2,
                                                             .odd = odd_numbers()};
    m->fields[WABE_TWO_FLUIDS_VELOCITY] = (wabe_grid_field_row){.name = "velocity",
                                                                .type = WABE_TYPE_f32,
                                                                .role = WABE_FIELD_STATE,
                                                                .components = 3,
                                                                .grids = 1};
    /* In a step C and v of what arrives; between steps what is shown. */
    m->fields[WABE_TWO_FLUIDS_SCRATCH] =
        (wabe_grid_field_row){.name = "arrives",
                              .type = type,
                              .role = WABE_FIELD_SCRATCH,
                              .components = WABE_TWO_FLUIDS_ARRIVED,
                              .names = shown,
                              .grids = 1};
    m->fields[WABE_TWO_FLUIDS_KIND] =
        (wabe_grid_field_row){.name = "kind",
                              .type = WABE_TYPE_f32,
                              .role = WABE_FIELD_CONSTANT,
                              .components = place->wetting_differs ? 2 : 1,
                              .grids = 1};
    for (int face = 0; face < 6; face++) {
        const wabe_two_fluids_face kind = place->faces[face];
        const bool returns = kind == WABE_TWO_FLUIDS_NO_SLIP || kind == WABE_TWO_FLUIDS_OPEN;
        const double slips = returns ? 0.0 : 1.0;
        m->fields[WABE_TWO_FLUIDS_STATE].walls[face] = (wabe_wall){slips, 0.0};
        m->fields[WABE_TWO_FLUIDS_SCRATCH].walls[face] = (wabe_wall){1.0, 0.0};
    }
}

wabe_grid_model wabe_two_fluids_model(wabe_type type, const wabe_two_fluids_place *place,
                                      const char *kernel) {
    static const wabe_grid_sweep_row rows[] = {
        {.name = "phase",
         .sweep = &wabe_sweep_two_fluids_phase,
         .write_count = 1,
         .writes = {WABE_TWO_FLUIDS_SCRATCH},
         .read_count = 2,
         .reads = {{WABE_TWO_FLUIDS_STATE, WABE_STENCIL_AROUND, 1, false},
                   {WABE_TWO_FLUIDS_KIND, WABE_STENCIL_AROUND, 1, false}}},
        {.name = "collide",
         .sweep = &wabe_sweep_two_fluids_collide,
         .write_count = 2,
         .writes = {WABE_TWO_FLUIDS_STATE, WABE_TWO_FLUIDS_VELOCITY},
         .read_count = 3,
         .reads = {{WABE_TWO_FLUIDS_STATE, WABE_STENCIL_AROUND, 1, false},
                   {WABE_TWO_FLUIDS_SCRATCH, WABE_STENCIL_AROUND, 1, false},
                   {WABE_TWO_FLUIDS_KIND, WABE_STENCIL_AROUND, 1, false}}},
        {.name = "pressure",
         .sweep = &wabe_sweep_two_fluids_pressure,
         .write_count = 1,
         .writes = {WABE_TWO_FLUIDS_SCRATCH},
         .read_count = 2,
         .reads = {{WABE_TWO_FLUIDS_STATE, WABE_STENCIL_AROUND, 1, false},
                   {WABE_TWO_FLUIDS_KIND, WABE_STENCIL_AROUND, 1, false}}}};
    wabe_grid_model m = {.sweep_count = 3,
                         .entry_count = 2,
                         .entries = {{.kind = WABE_STEP_SWEEP, .number = PHASE},
                                     {.kind = WABE_STEP_SWEEP, .number = COLLIDE}},
                         .look_count = 1,
                         .looks = {PRESSURE},
                         .wraps = {true, true, true},
                         .depth = 1};
    for (int i = 0; i < 3; i++) {
        m.sweeps[i] = rows[i];
        m.sweeps[i].kernel = kernel;
        m.sweeps[i].type = type;
        m.cells[i] = place->cells[i];
        m.periodic[i] = place->faces[2 * i] == WABE_TWO_FLUIDS_PERIODIC;
    }
    set_fields(type, place, &m);
    return m;
}

/* ---- what cells are ------------------------------------------------------------------ */

/* Is there a solid? Behind faces are the cells at the other end, mirror images, walls, or what
 * flows through them. Sets angle, unless it is NULL, to the contact angle if it is one of its own,
 * otherwise to NAN. */
static int kind_at(const wabe_two_fluids_place *p, const int64_t cell[3], double *angle) {
    int64_t at[3];
    int behind = -1, open = -1;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = p->cells[axis];
        const wabe_two_fluids_face face = p->faces[2 * axis + (cell[axis] >= n)];
        const bool inside = cell[axis] >= 0 && cell[axis] < n;
        at[axis] = inside                             ? cell[axis]
                   : face == WABE_TWO_FLUIDS_PERIODIC ? (cell[axis] + n) % n
                   : cell[axis] < 0                   ? 0
                                                      : n - 1;
        if (!inside && face == WABE_TWO_FLUIDS_NO_SLIP && behind < 0)
            behind = 2 * axis + (cell[axis] >= n);
        if (!inside && face == WABE_TWO_FLUIDS_OPEN && open < 0)
            open = 2 * axis + (cell[axis] >= n);
    }
    const bool solid = behind < 0 && p->is_solid && p->is_solid(p->context, at);
    if (angle)
        *angle = behind >= 0                  ? p->angles[behind]
                 : solid && p->angle_of_solid ? p->angle_of_solid(p->context, at)
                                              : NAN;
    return behind >= 0 ? WABE_TWO_FLUIDS_BEHIND
           : solid     ? WABE_TWO_FLUIDS_SOLID
           : open >= 0 ? WABE_TWO_FLUIDS_BEHIND_OPEN + open
                       : WABE_TWO_FLUIDS_INSIDE;
}

/* Is a cell around this one fluid, or are all? */
static bool has_fluid(const wabe_two_fluids_place *p, const int64_t cell[3], bool all) {
    for (int i = 0; i < 27; i++) {
        const int64_t at[3] = {cell[0] + i % 3 - 1, cell[1] + i / 3 % 3 - 1, cell[2] + i / 9 - 1};
        if ((kind_at(p, at, NULL) == WABE_TWO_FLUIDS_INSIDE) != all)
            return !all;
    }
    return all;
}

static bool is_beside_open(const wabe_two_fluids_place *p, const int64_t cell[3]) {
    for (int axis = 0; axis < 3; axis++)
        if ((cell[axis] == 0 && p->faces[2 * axis] == WABE_TWO_FLUIDS_OPEN) ||
            (cell[axis] == p->cells[axis] - 1 && p->faces[2 * axis + 1] == WABE_TWO_FLUIDS_OPEN))
            return true;
    return false;
}

static wabe_status kind_row(const void *context, const int64_t cell[3], int64_t count,
                            double *row) {
    const wabe_two_fluids_place *p = context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        int kind = kind_at(p, at, NULL);
        if (kind == WABE_TWO_FLUIDS_INSIDE && !has_fluid(p, at, true))
            kind = is_beside_open(p, at) ? WABE_TWO_FLUIDS_BESIDE_OPEN : WABE_TWO_FLUIDS_BESIDE;
        if (kind == WABE_TWO_FLUIDS_SOLID && !has_fluid(p, at, false))
            kind = WABE_TWO_FLUIDS_DEEP;
        row[i] = kind;
    }
    return WABE_OK;
}

/* Is a cell solid, or its image, as it is periodic or mirrored at faces? */
static bool is_solid_near(const wabe_two_fluids_place *p, const int64_t cell[3]) {
    int64_t at[3];
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = p->cells[axis], once = (cell[axis] % n + n) % n;
        const bool turned = p->faces[2 * axis] != WABE_TWO_FLUIDS_PERIODIC &&
                            (cell[axis] - once) / n % 2 != 0;
        at[axis] = turned ? n - 1 - once : once;
    }
    return p->is_solid(p->context, at);
}

/* Sets the normal of a solid's surface near a cell, outwards: along it the solids around, those
 * near by more than others, lie most to one side. Its length is 0 where they lie to none. */
static void find_normal(const wabe_two_fluids_place *p, const int64_t cell[3], double normal[3]) {
    enum { REACH = WABE_TWO_FLUIDS_REACH };
    int64_t d[3];
    normal[0] = normal[1] = normal[2] = 0.0;
    for (d[2] = -REACH; d[2] <= REACH; d[2]++)
        for (d[1] = -REACH; d[1] <= REACH; d[1]++)
            for (d[0] = -REACH; d[0] <= REACH; d[0]++) {
                const int64_t square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                const int64_t at[3] = {cell[0] + d[0], cell[1] + d[1], cell[2] + d[2]};
                const double near = (double)((REACH + 1) * (REACH + 1) - square);
                const bool counts = near > 0.0 && is_solid_near(p, at);
                for (int axis = 0; axis < 3 && counts; axis++)
                    normal[axis] -= near * near * (double)d[axis];
            }
    const double length =
        sqrt(normal[0] * normal[0] + (normal[1] * normal[1] + normal[2] * normal[2]));
    for (int axis = 0; axis < 3 && length > 0.0; axis++)
        normal[axis] /= length;
}

/* How far the fluid from which C of a solid cell comes (wabe_two_fluids_in_solid) is from it along
 * the normal, in the mean: of a surface across the axes, whose steps have more area than it has,
 * less than the cell that it is of one along them. */
static double distance_of_fluid(const wabe_two_fluids_place *p, const int64_t cell[3]) {
    double normal[3], sums[2] = {0.0, 0.0}, counts[2] = {0.0, 0.0};
    if (!has_fluid(p, cell, false))
        return 0.0;
    find_normal(p, cell, normal);
    for (int i = 0; i < 27; i++) {
        const int64_t d[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        const int64_t at[3] = {cell[0] + d[0], cell[1] + d[1], cell[2] + d[2]};
        const int axes = (d[0] != 0) + (d[1] != 0) + (d[2] != 0);
        if ((axes != 1 && axes != 2) || kind_at(p, at, NULL) != WABE_TWO_FLUIDS_INSIDE)
            continue;
        counts[axes - 1] += 1.0;
        for (int axis = 0; axis < 3; axis++)
            sums[axes - 1] += (double)d[axis] * normal[axis];
    }
    const int kind = counts[0] > 0.0 ? 0 : 1;
    return counts[kind] > 0.0 ? fmax(sums[kind] / counts[kind], 0.0) : 0.0;
}

static double wetting_of(const wabe_two_fluids_step *step, double angle) {
    return 4.0 / step->width * cos(isnan(angle) ? step->contact_angle : angle);
}

typedef struct {
    const wabe_two_fluids_place *place;
    const wabe_two_fluids_step *step;
} wetted_place;

static wabe_status wetting_row(const void *context, const int64_t cell[3], int64_t count,
                               double *row) {
    const wetted_place *w = context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        double angle;
        const int kind = kind_at(w->place, at, &angle);
        const double distance = kind == WABE_TWO_FLUIDS_SOLID ? distance_of_fluid(w->place, at)
                                                              : 1.0;
        row[i] = wetting_of(w->step, angle) * distance;
    }
    return WABE_OK;
}

/* ---- arguments ----------------------------------------------------------------------- */

static wabe_two_fluids_open_faces open_faces_of(const wabe_two_fluids_place *place,
                                                const wabe_two_fluids_step *s) {
    wabe_two_fluids_open_faces o = {.faces[0].is_open = 0};
    for (int face = 0; face < 6; face++) {
        const wabe_two_fluids_boundary *flow = &s->through[face];
        wabe_two_fluids_open_face *to = &o.faces[face];
        if (place->faces[face] != WABE_TWO_FLUIDS_OPEN)
            continue;
        to->is_open = 1;
        to->has_pressure = flow->has_pressure;
        to->has_phase = isfinite(flow->phase);
        to->phase = wabe_coefficient_of(to->has_phase ? flow->phase : 0.0);
        to->pressure = wabe_coefficient_of(3.0 * flow->pressure);
        for (int axis = 0; axis < 3; axis++)
            to->velocity[axis] = wabe_coefficient_of(3.0 * flow->velocity[axis]);
    }
    return o;
}

static wabe_two_fluids_mean mean_of(double gas, double liquid) {
    return (wabe_two_fluids_mean){wabe_coefficient_of(gas), wabe_coefficient_of(liquid - gas)};
}

/* What the kernels' tension must be: central differences of the profile of an interface have a mean
 * square that is less than that of its slope. For C = (1 + tanh(B x / 2)) / 2, B = 4 / xi, both are
 * known. */
static double tension_of_kernels(const wabe_two_fluids_step *s) {
    const double b = 4.0 / s->width;
    return s->tension * b * b / (3.0 * (b / tanh(b) - 1.0));
}

static void set_collide(wabe_two_fluids_collide_args *a, const wabe_two_fluids_step *s) {
    const double tension = tension_of_kernels(s);
    a->has_eddies = s->smagorinsky > 0.0;
    a->eddies = wabe_coefficient_of(648.0 * pow(s->smagorinsky, 4.0));
    a->reference = wabe_coefficient_of(s->reference);
    a->viscosity = mean_of(s->gas.viscosity, s->liquid.viscosity);
    a->fluidity = mean_of(1.0 / s->gas.viscosity, 1.0 / s->liquid.viscosity);
    a->well = wabe_coefficient_of(48.0 * tension / s->width);
    a->stiffness = wabe_coefficient_of(1.5 * tension * s->width);
    a->sharpness = wabe_coefficient_of(4.0 / s->width);
    a->phase_rate = wabe_coefficient_of(1.0 / (3.0 * s->mobility + 0.5));
    for (int axis = 0; axis < 3; axis++) {
        a->gravity[axis] = wabe_coefficient_of(s->gravity[axis]);
        a->force[axis] = wabe_coefficient_of(s->force[axis]);
    }
}

void wabe_two_fluids_set_step(wabe_grid_slab *slab, const wabe_two_fluids_step *step,
                              const wabe_two_fluids_place *place) {
    const wabe_two_fluids_wetting wetting = {wabe_coefficient_of(wetting_of(step, NAN)),
                                             place->wetting_differs};
    const wabe_two_fluids_mean density = mean_of(step->gas.density, step->liquid.density);
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_two_fluids_phase_args *phase = (void *)slab->args[PHASE][name];
        wabe_two_fluids_collide_args *collide = (void *)slab->args[COLLIDE][name];
        wabe_two_fluids_pressure_args *pressure = (void *)slab->args[PRESSURE][name];
        set_collide(collide, step);
        phase->density = collide->density = pressure->density = density;
        phase->wetting = collide->wetting = wetting;
        phase->open_faces = collide->open_faces = open_faces_of(place, step);
    }
}

wabe_status wabe_two_fluids_set(wabe_grid_slab *slab, const wabe_two_fluids_step *step,
                                const wabe_two_fluids_place *place) {
    const wetted_place wetted = {place, step};
    wabe_two_fluids_set_step(slab, step, place);
    WABE_TRY(wabe_grid_set(slab, WABE_TWO_FLUIDS_KIND, 0, kind_row, place));
    return place->wetting_differs
               ? wabe_grid_set(slab, WABE_TWO_FLUIDS_KIND, 1, wetting_row, &wetted)
               : WABE_OK;
}

double wabe_two_fluids_volume_of(const wabe_two_fluids_step *s, double c) {
    return 1.0 / (s->gas.density + c * (s->liquid.density - s->gas.density));
}

double wabe_two_fluids_initial(int number, double c, double volume, double pressure,
                               const double u[3]) {
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    if (number == WABE_TWO_FLUIDS_BASE)
        return 3.0 * pressure * volume - 1.5 * (u[0] * u[0] + (u[1] * u[1] + u[2] * u[2]));
    if (number < WABE_TWO_FLUIDS_XX)
        return 3.0 * u[number - WABE_TWO_FLUIDS_X];
    if (number < WABE_TWO_FLUIDS_XY)
        return 4.5 * u[number - WABE_TWO_FLUIDS_XX] * u[number - WABE_TWO_FLUIDS_XX];
    if (number < WABE_TWO_FLUIDS_PHASE) {
        const int *pair = pairs[number - WABE_TWO_FLUIDS_XY];
        return 9.0 * u[pair[0]] * u[pair[1]];
    }
    if (number == WABE_TWO_FLUIDS_PHASE)
        return c;
    return number < WABE_TWO_FLUIDS_NUMBERS ? 3.0 * c * u[number - WABE_TWO_FLUIDS_FLUX]
                                            : u[number - WABE_TWO_FLUIDS_NUMBERS];
}
