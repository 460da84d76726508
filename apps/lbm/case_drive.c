#include "apps/lbm/case.h"
#include "apps/lbm/faces.h"
#include "apps/lbm/flux.h"

#include <math.h>

/* Sets the densities at the faces for a pressure gradient g rho along the axis (p = rho / 3). */
static void set_pressures(const wabe_lbm_options *o, int axis, wabe_lbm_case *c) {
    const double half = 1.5 * o->porous.gradient * (double)o->run.domain.cells[axis];
    for (int side = 0; side < 2; side++)
        c->conditions[2 * axis + side] = (wabe_condition){.kind = WABE_BOUNDARY_pressure,
                                                          .density = side ? -half : half,
                                                          .scalar.kind = WABE_SCALAR_OPEN};
}

/* Rejects keys that are unused without porous.axis. */
static wabe_status check_unused(const wabe_config *config, const wabe_lbm_options *o) {
    const struct {
        const char *key;
        bool is_default;
    } rows[] = {{"porous.drive", o->porous.drive == 0},
                {"porous.gradient", o->porous.gradient == WABE_POROUS_GRADIENT},
                {"porous.tolerance", o->porous.tolerance == WABE_POROUS_TOLERANCE},
                {"porous.interval", o->porous.interval == WABE_POROUS_INTERVAL},
                {"porous.begin", o->porous.begin == 0},
                {"porous.end", o->porous.end == 0},
                {"porous.tracers", o->porous.tracers == 0},
                {"porous.cell", !isfinite(o->porous.cell)}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].is_default)
            return wabe_config_fail(config, rows[i].key, "needs porous.axis");
    return WABE_OK;
}

/* Pressure is measured between slices, so that the part must end inside the domain. */
static wabe_status check_part(const wabe_config *config, const wabe_lbm_options *o, int axis) {
    const int64_t begin = o->porous.begin, end = o->porous.end, cells = o->run.domain.cells[axis];
    if (begin == 0 && end == 0)
        return WABE_OK;
    if (begin == 0)
        return wabe_config_fail(config, "porous.end",
                                "is %lld, but porous.begin is not given; it is 1 at least",
                                (long long)end);
    if (end <= begin || end >= cells)
        return wabe_config_fail(config, end == 0 ? "porous.begin" : "porous.end",
                                "porous.begin is %lld, porous.end %lld: the end must be from %lld "
                                "to %lld, as the domain has %lld slices along %c",
                                (long long)begin, (long long)end, (long long)begin + 1,
                                (long long)cells - 1, (long long)cells, 'x' + axis);
    return WABE_OK;
}

wabe_status wabe_lbm_check_drive(const wabe_config *config, const wabe_lbm_options *o) {
    const int axis = o->porous.axis - 1;
    if (axis < 0)
        return check_unused(config, o);
    for (int side = 0; side < 2; side++)
        if (o->faces[2 * axis + side].kind != 0)
            return wabe_config_fail(config, wabe_face_kind_key(2 * axis + side),
                                    "belongs to the axis along which porous.axis drives the flow; "
                                    "porous.drive says what happens at its faces: take it away, or "
                                    "drive along another axis");
    if (wabe_length_of(o->lbm.force) > 0.0)
        return wabe_config_fail(config, "lbm.force", "contradicts porous.gradient, which drives");
    if (wabe_length_of(o->scalar.buoyancy) > 0.0)
        return wabe_config_fail(config, "scalar.buoyancy",
                                "contradicts porous.gradient, which drives");
    WABE_TRY(check_part(config, o, axis));
    const double change = 3.0 * o->porous.gradient * (double)o->run.domain.cells[axis];
    if (o->porous.drive == 1 && change > 0.1)
        return wabe_config_fail(config, "porous.gradient",
                                "makes the density change by %.3g over the domain, which must stay "
                                "below 0.1: lower it",
                                change);
    return WABE_OK;
}

static wabe_status make_force_in_time(const wabe_config *config, const wabe_lbm_options *o,
                                      wabe_lbm_case *c) {
    const wabe_in_time_key key = {"lbm.force", wabe_largest_of(o->lbm.force), "", 1.0};
    return wabe_in_time_make(config, "lbm.force_in_time", &o->lbm.force_in_time, &key,
                             &c->force_in_time);
}

wabe_status wabe_case_drive(const wabe_config *config, const wabe_lbm_options *o,
                            wabe_lbm_case *c) {
    WABE_TRY(wabe_flux_check(config, o));
    WABE_TRY(make_force_in_time(config, o, c));
    c->porous = (wabe_porous){.axis = o->porous.axis - 1,
                              .forced = o->porous.drive == 0,
                              .gradient = o->porous.gradient,
                              .tolerance = o->porous.tolerance,
                              .interval = o->porous.interval,
                              .part_begin = o->porous.begin,
                              .part_end = o->porous.end,
                              .tracers = o->porous.tracers,
                              .cell = o->porous.cell};
    WABE_TRY(wabe_lbm_check_drive(config, o));
    if (c->porous.axis >= 0 && o->porous.drive == 1)
        set_pressures(o, c->porous.axis, c);
    return WABE_OK;
}
