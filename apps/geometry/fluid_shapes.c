#include "apps/geometry/fluid_shapes.h"

#include <math.h>
#include <stdio.h>

#define KEY(type, member) WABE_KEY(#member, type, wabe_fluid_shape, member)

const wabe_option wabe_fluid_shape_rows[] = {
    {KEY(WORD, fluid), .words = "gas|liquid", .help = "What it consists of."},
    {KEY(REAL3, center), .default_value = "unset", .unit = "length",
     .help = "Of a sphere, from the domain's corner. Along an axis of one cell it does not matter: "
             "the sphere is a disc."},
    {KEY(REAL, radius), .default_value = "unset", WABE_POSITIVE, .unit = "length",
     .help = "Of a sphere."},
    {KEY(REAL3, low), .default_value = "unset", .unit = "length",
     .help = "The lower corner of a box, which may lie outside of the domain. Along an axis "
             "of one cell it does not matter."},
    {KEY(REAL3, high), .default_value = "unset", .unit = "length",
     .help = "The upper corner of a box, which may lie outside of the domain."},
    {KEY(REAL3, velocity), .default_value = "unset", .unit = "length / time",
     .help = "At the start; unset: that of all fluid."},
    {.path = NULL},
};

/* Is a part of a shape between the domain's faces, or are they periodic? */
static bool is_inside(const wabe_fluid_shape_space *space, const wabe_fluid_shape *s) {
    bool inside = true;
    for (int axis = 0; axis < 3; axis++) {
        const double edge = space->spacing * (double)space->cells[axis];
        const double low = wabe_fluid_shape_is_sphere(s) ? s->center[axis] - s->radius
                                                         : s->low[axis];
        const double high = wabe_fluid_shape_is_sphere(s) ? s->center[axis] + s->radius
                                                          : s->high[axis];
        inside &= space->cells[axis] == 1 || space->periodic[axis] || (high > 0.0 && low < edge);
    }
    return inside;
}

wabe_status wabe_fluid_shape_check(const wabe_config *config, const char *list, int number,
                                   const wabe_fluid_shape_space *space, const wabe_fluid_shape *s) {
    const bool low = isfinite(s->low[0]), high = isfinite(s->high[0]);
    const bool center = isfinite(s->center[0]);
    char path[96];
    snprintf(path, sizeof path, "%s[%d]", list, number);
    if (wabe_fluid_shape_is_sphere(s) ? !center || low || high : center || !low || !high)
        return wabe_config_fail(config, path,
                                "must be a sphere, with center and radius, or a box, with low and "
                                "high");
    snprintf(path, sizeof path, "%s[%d].high", list, number);
    for (int axis = 0; axis < 3 && !wabe_fluid_shape_is_sphere(s); axis++)
        if (space->cells[axis] > 1 && !(s->high[axis] > s->low[axis]))
            return wabe_config_fail(config, path, "must be above low along all axes");
    snprintf(path, sizeof path, "%s[%d].%s", list, number,
             wabe_fluid_shape_is_sphere(s) ? "center" : "low");
    return is_inside(space, s)
               ? WABE_OK
               : wabe_config_fail(
                     config, path,
                     "is of a shape outside of the domain, which is %.4g x %.4g x %.4g "
                     "long",
                     space->spacing * (double)space->cells[0],
                     space->spacing * (double)space->cells[1],
                     space->spacing * (double)space->cells[2]);
}

/* From a place along an axis to another one, the shorter way round; 0 along an axis of one cell. */
static double away(const wabe_fluid_shape_space *space, int axis, double place, double from) {
    const double edge = (double)space->cells[axis] * space->spacing, off = place - from;
    if (space->cells[axis] == 1)
        return 0.0;
    return space->periodic[axis] ? off - edge * round(off / edge) : off;
}

/* How far a place is from a box along an axis, negative inside. Where the box ends with the domain
 * it goes on behind the face. */
static double beyond_box(const wabe_fluid_shape_space *space, const wabe_fluid_shape *s, int axis,
                         double place) {
    const double low = s->low[axis], high = s->high[axis];
    const double edge = (double)space->cells[axis] * space->spacing;
    if (space->periodic[axis])
        return high - low >= edge
                   ? -INFINITY
                   : fabs(away(space, axis, place, 0.5 * (low + high))) - 0.5 * (high - low);
    return fmax(low <= 0.0 ? -INFINITY : low - place, high >= edge ? -INFINITY : place - high);
}

double wabe_fluid_shape_distance(const wabe_fluid_shape_space *space, const wabe_fluid_shape *s,
                                 const double place[3]) {
    double off[3], outside = 0.0, inside = -INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        if (wabe_fluid_shape_is_sphere(s)) {
            off[axis] = away(space, axis, place[axis], s->center[axis]);
        } else if (space->cells[axis] > 1) {
            const double beyond = beyond_box(space, s, axis, place[axis]);
            outside = hypot(outside, fmax(beyond, 0.0));
            inside = fmax(inside, beyond);
        }
    }
    if (wabe_fluid_shape_is_sphere(s))
        return sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) - s->radius;
    return outside > 0.0 ? outside : inside;
}
