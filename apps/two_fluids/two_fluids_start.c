/* The initial state. */
#include "apps/two_fluids/two_fluids_case.h"

#include <stdlib.h>

#define PURE 1e-9 /* phase of a cell that is far from an interface */

/* The distance of a cell from the surface of a shape, negative inside. */
static double distance(const wabe_two_fluids_case *t, const wabe_fluid_shape *s,
                       const int64_t cell[3]) {
    const wabe_fluid_shape_space space = wabe_two_fluids_space(t);
    double place[3];
    for (int axis = 0; axis < 3; axis++)
        place[axis] = ((double)cell[axis] + 0.5) * t->options.spacing;
    return wabe_fluid_shape_distance(&space, s, place);
}

/* The density at a place, sharp, of boxes and what is outside of all shapes. */
static double density_of_boxes(const wabe_two_fluids_case *t, const double place[3]) {
    int fluid = t->options.two_fluids.fluid;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++) {
        const wabe_fluid_shape *s = wabe_two_fluids_shape_of(t, i);
        bool inside = !wabe_fluid_shape_is_sphere(s);
        for (int axis = 0; axis < 3 && inside; axis++) {
            const double edge = (double)t->place.cells[axis] * t->options.spacing;
            const int round = t->place.faces[2 * axis] == WABE_TWO_FLUIDS_PERIODIC;
            inside = t->place.cells[axis] == 1;
            for (int turn = -round; turn <= round; turn++)
                inside |= place[axis] + turn * edge >= s->low[axis] &&
                          place[axis] + turn * edge < s->high[axis];
        }
        fluid = inside ? s->fluid : fluid;
    }
    return fluid == WABE_LIQUID ? t->options.two_fluids.liquid.density
                                : t->options.two_fluids.gas.density;
}

/* The nearest face of a box beyond a place in a direction along an axis, or the domain's. */
static double next_face(const wabe_two_fluids_case *t, int axis, double from, bool up) {
    double next = up ? t->options.spacing * (double)t->place.cells[axis] : 0.0;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++) {
        const wabe_fluid_shape *s = wabe_two_fluids_shape_of(t, i);
        const double faces[2] = {s->low[axis], s->high[axis]};
        for (int face = 0; face < 2 && !wabe_fluid_shape_is_sphere(s); face++)
            if (up ? faces[face] > from && faces[face] < next
                   : faces[face] < from && faces[face] > next)
                next = faces[face];
    }
    return next;
}

/* The pressure of the weight above a cell between walls, of boxes and what is outside of all
 * shapes, as if these were at rest: without it all would begin to fall at once, and sound would run
 * up and down. Spheres are left out: they do rise and fall. */
static double weight_on(const wabe_two_fluids_case *t, const int64_t cell[3]) {
    const double *g = t->options.two_fluids.gravity, dx = t->options.spacing;
    const double lighter = fmin(t->options.two_fluids.liquid.density,
                                t->options.two_fluids.gas.density);
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const bool up = g[axis] < 0.0;
        double place[3], low = ((double)cell[axis] + 0.5) * dx;
        for (int other = 0; other < 3; other++)
            place[other] = ((double)cell[other] + 0.5) * dx;
        while (g[axis] != 0.0 && t->place.faces[2 * axis] != WABE_TWO_FLUIDS_PERIODIC) {
            const double high = next_face(t, axis, low, up);
            if (high == low)
                break;
            place[axis] = 0.5 * (low + high);
            sum += (density_of_boxes(t, place) - lighter) * fabs(g[axis] * (high - low));
            low = high;
        }
    }
    return sum;
}

/* (1 + tanh(x)) / 2; saves time where it is 0 or 1 in f64. */
static double step_at(double x) { return x > 20.0 ? 1.0 : x < -20.0 ? 0.0 : 0.5 + 0.5 * tanh(x); }

/* What the tension adds to the pressure in spheres of other fluid than what is around them. */
static double tension_on(const wabe_two_fluids_case *t, const int64_t cell[3]) {
    const double width = t->step.width * t->options.spacing;
    const double curved = fmax(wabe_two_fluids_axes(t) - 1, 0) * t->options.two_fluids.tension;
    double sum = 0.0;
    int fluid = t->options.two_fluids.fluid;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++) {
        const wabe_fluid_shape *s = wabe_two_fluids_shape_of(t, i);
        const double off = distance(t, s, cell), share = step_at(-2.0 * off / width);
        const double own = wabe_fluid_shape_is_sphere(s) && s->fluid != fluid ? curved / s->radius
                                                                              : 0.0;
        if (s->fluid != fluid)
            sum += share * (own - sum);
        fluid = off < 0.0 ? s->fluid : fluid;
    }
    return sum;
}

/* C of a cell, and its velocity in units of the lattice. */
static double initial_cell(const wabe_two_fluids_case *t, const int64_t cell[3],
                           double velocity[3]) {
    const double width = t->step.width * t->options.spacing;
    double into = t->options.two_fluids.fluid == WABE_LIQUID ? INFINITY
                                                             : -INFINITY; /* the liquid */
    for (int axis = 0; axis < 3; axis++)
        velocity[axis] = t->options.two_fluids.velocity[axis] / t->velocity;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++) {
        const wabe_fluid_shape *s = wabe_two_fluids_shape_of(t, i);
        const double off = distance(t, s, cell), share = step_at(-2.0 * off / width);
        into = s->fluid == WABE_LIQUID ? fmax(into, -off) : fmin(into, off);
        for (int axis = 0; axis < 3 && wabe_is_given(s->velocity); axis++)
            velocity[axis] += share * (s->velocity[axis] / t->velocity - velocity[axis]);
    }
    return step_at(2.0 * into / width);
}

static bool is_at_rest(const wabe_two_fluids_case *t) {
    bool moves = false;
    for (int axis = 0; axis < 3; axis++)
        moves |= t->options.two_fluids.velocity[axis] != 0.0;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++)
        moves |= wabe_is_given(wabe_two_fluids_shape_of(t, i)->velocity);
    return !moves;
}

/* Finds the cell that is off another one, or its image across a periodic face or in a plane of
 * symmetry. Returns whether it is fluid. */
static bool find_fluid(const wabe_two_fluids_case *t, const int64_t cell[3], const int off[3],
                       int64_t at[3]) {
    int64_t flagged[3]; /* flags reach one cell beyond the block, also across periodic faces */
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = t->place.cells[axis], there = cell[axis] + off[axis];
        const wabe_two_fluids_face face = t->place.faces[2 * axis + (there >= n)];
        const bool inside = there >= 0 && there < n;
        if (!inside && (face == WABE_TWO_FLUIDS_NO_SLIP || face == WABE_TWO_FLUIDS_OPEN))
            return false;
        at[axis] = inside ? there : face == WABE_TWO_FLUIDS_PERIODIC ? (there + n) % n : cell[axis];
        flagged[axis] = face == WABE_TWO_FLUIDS_PERIODIC && n > 1 ? there : at[axis];
    }
    return !t->flags.ids || wabe_flags_at(&t->flags, flagged[0], flagged[1], flagged[2]) == 0;
}

/* The phase in a direction, as wabe_two_fluids_phase_beside has it; own: that of the cell. */
static double phase_beside(const wabe_two_fluids_case *t, const int64_t cell[3], const int off[3],
                           double own) {
    double velocity[3], sum = 0.0, count = 0.0;
    int64_t at[3];
    if (find_fluid(t, cell, off, at))
        return initial_cell(t, at, velocity);
    for (int axis = 0; axis < 3; axis++) {
        const int beside[3] = {axis == 0 ? 0 : off[0], axis == 1 ? 0 : off[1],
                               axis == 2 ? 0 : off[2]};
        if (off[axis] != 0 && (beside[0] != 0 || beside[1] != 0 || beside[2] != 0) &&
            find_fluid(t, cell, beside, at)) {
            sum += initial_cell(t, at, velocity);
            count += 1.0;
        }
    }
    return count > 0.0 ? sum / count : own;
}

/* V of sweeps/cell/two_fluids.h. */
static double volume_at(const wabe_two_fluids_case *t, const int64_t cell[3], double c) {
    const double own = wabe_two_fluids_volume_of(&t->step, c);
    double sum = 0.0;
    if (c < PURE || c > 1.0 - PURE) /* saves time */
        return own;
    for (int i = 0; i < 27; i++) {
        const int off[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        const int axes = abs(off[0]) + abs(off[1]) + abs(off[2]);
        if (axes == 1 || axes == 2)
            sum += (axes == 1 ? 2.0 : 1.0) *
                   (wabe_two_fluids_volume_of(&t->step, phase_beside(t, cell, off, c)) - own);
    }
    return own + 1.5 / 36.0 * sum;
}

wabe_status wabe_two_fluids_initial_row(const void *context, int number, const int64_t cell[3],
                                        int64_t count, double *row) {
    const wabe_two_fluids_case *t = context;
    const bool is_zero = number != WABE_TWO_FLUIDS_BASE && number != WABE_TWO_FLUIDS_PHASE &&
                         is_at_rest(t);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        double velocity[3];
        row[i] = 0.0;
        if (is_zero)
            continue; /* saves time */
        if (t->flags.ids && wabe_flags_at(&t->flags, at[0], at[1], at[2]) != 0)
            continue; /* what a solid holds would go on into the fluid beside it */
        const double shaped = initial_cell(t, at, velocity);
        const double c = t->blobs ? t->blobs[wabe_box_place(t->block, at[0], at[1], at[2])]
                                  : shaped;
        const double pressure = number == WABE_TWO_FLUIDS_BASE && !t->blobs
                                    ? (weight_on(t, at) + tension_on(t, at)) / t->pressure
                                    : 0.0;
        const double volume = pressure != 0.0 ? volume_at(t, at, c) : 0.0;
        row[i] = wabe_two_fluids_initial(number, c, volume, pressure, velocity);
    }
    return WABE_OK;
}

/* The block and a cell around. */
static wabe_box flagged_box(const wabe_run *run) {
    wabe_box box = run->block;
    for (int axis = 0; axis < 3; axis++)
        if (run->o->domain.cells[axis] > 1) {
            box.begin[axis]--;
            box.end[axis]++;
        }
    return box;
}

wabe_status wabe_two_fluids_initialise(wabe_run *run) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    t->block = run->block;
    wabe_status status = wabe_agree(run->comm, wabe_geometry_flags(&t->solids.geometry,
                                                                   flagged_box(run), &t->flags));
    if (status == WABE_OK && wabe_two_fluids_has_blobs(t))
        status = wabe_two_fluids_make_blobs(run);
    if (status == WABE_OK)
        status = t->initialise(run);
    free(t->blobs);
    t->blobs = NULL;
    wabe_flags_free(&t->flags);
    t->flags.ids = NULL;
    return status;
}

/* A byte of each cell's flag, and its phase. */
int64_t wabe_two_fluids_beside(const wabe_run *run) {
    const int64_t phase = wabe_two_fluids_has_blobs(wabe_two_fluids_of(run)) ? sizeof(double) : 0;
    return phase * wabe_box_cells(run->block) + wabe_box_cells(flagged_box(run));
}
