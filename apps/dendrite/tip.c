#include "apps/dendrite/tip.h"

#include <math.h>
#include <stdlib.h>

const char wabe_tip_columns[] = "tip_position,tip_velocity,tip_radius";

/* Rows of cells along x around the one that the tip is on, as far as the domain has them. */
typedef struct {
    wabe_box box;
    const double *phi;
    int64_t y, z;         /* the row of the tip, in the box */
    const bool *periodic; /* axes */
} rows;

/* Faces of the domain are mirrors; NAN across periodic ones, where no rows have been gathered. */
static double phi_at(const rows *r, int64_t x, int64_t dy, int64_t dz) {
    const int64_t nx = wabe_box_extent(r->box, 0), ny = wabe_box_extent(r->box, 1);
    const int64_t nz = wabe_box_extent(r->box, 2);
    const bool beyond_y = r->y + dy < 0 || r->y + dy >= ny;
    const bool beyond_z = r->z + dz < 0 || r->z + dz >= nz;
    const int64_t y = beyond_y ? r->y : r->y + dy, z = beyond_z ? r->z : r->z + dz;
    if ((beyond_y && r->periodic[1]) || (beyond_z && r->periodic[2]))
        return NAN;
    return r->phi[x + nx * (y + ny * z)];
}

/* The surface of a level is x = tip - (y^2 + z^2) / (2 radius) there, to second order. */
static double radius_at(const rows *r, int64_t x, double share) {
    double curved = 0.0, axes = 0.0;
    for (int axis = 1; axis < 3; axis++) {
        const int64_t dy = axis == 1, dz = axis == 2;
        if (wabe_box_extent(r->box, axis) == 1)
            continue;
        axes += 1.0;
        for (int64_t i = 0; i < 2; i++)
            curved += (i ? share : 1.0 - share) *
                      (phi_at(r, x + i, dy, dz) - 2.0 * phi_at(r, x + i, 0, 0) +
                       phi_at(r, x + i, -dy, -dz));
    }
    const double slope = phi_at(r, x + 1, 0, 0) - phi_at(r, x, 0, 0);
    const double radius = axes > 0.0 ? slope * axes / curved : NAN;
    return radius > 0.0 && isfinite(radius) ? radius : NAN; /* flat or hollow: no tip */
}

/* Where phi falls to a level, in cells from the centre of cell x; NAN: not in one of the next cells
 * along sign. */
static double falls_at(const rows *r, double level, int64_t x, int sign) {
    const int64_t last = wabe_box_extent(r->box, 0) - 1;
    for (int64_t i = x; i >= 0 && i < last; i += sign) {
        const double own = phi_at(r, i, 0, 0), next = phi_at(r, i + 1, 0, 0);
        if (own >= level && next < level)
            return (double)(i - x) + (own - level) / (own - next);
    }
    return NAN;
}

static void find(const rows *r, double solid, double liquid, double spacing, double center,
                 wabe_tip *tip) {
    const int64_t last = wabe_box_extent(r->box, 0) - 1;
    const double level = 0.5 * (solid + liquid), tenth = 0.1 * (solid - liquid);
    const int64_t first = (int64_t)fmin(fmax(floor(center / spacing), 0.0), (double)last);
    const double way = falls_at(r, level, first, 1);
    tip->position = tip->radius = tip->width = NAN;
    if (isnan(way))
        return;
    const int64_t x = first + (int64_t)way;
    tip->position = ((double)first + 0.5 + way) * spacing - center;
    tip->radius = radius_at(r, x, way - floor(way)) * spacing;
    tip->width = spacing * (falls_at(r, liquid + tenth, x, 1) - falls_at(r, solid - tenth, x, -1));
}

wabe_status wabe_tip_find(const wabe_run *run, const double center[3], double solid, double liquid,
                          wabe_tip *tip, double columns[WABE_TIP_COLUMNS]) {
    const int64_t *n = run->o->domain.cells;
    const double spacing = run->app->spacing[0], step = (double)run->step;
    const wabe_values values = run->app->values(run);
    rows r = {.box = {.end = {n[0], 1, 1}}, .periodic = run->app->periodic};
    int64_t row[3] = {0};
    for (int axis = 1; axis < 3; axis++) {
        const double at = floor(center[axis] / spacing);
        row[axis] = (int64_t)fmin(fmax(at, 0.0), (double)(n[axis] - 1));
        r.box.begin[axis] = row[axis] > 0 ? row[axis] - 1 : 0;
        r.box.end[axis] = row[axis] + 1 < n[axis] ? row[axis] + 2 : n[axis];
    }
    r.y = row[1] - r.box.begin[1];
    r.z = row[2] - r.box.begin[2];
    double *phi = run->rank > 0
                      ? NULL
                      : malloc((size_t)(values.rows * wabe_box_cells(r.box)) * sizeof *phi);
    WABE_TRY(wabe_agree_memory(run->comm, run->rank > 0 || phi, "the rows of cells at a tip"));
    wabe_status status = wabe_domain_gather(run->domain, &values, r.box, phi);
    if (status == WABE_OK && run->rank == 0) {
        r.phi = phi;
        find(&r, solid, liquid, spacing, center[0], tip);
    }
    free(phi);
    WABE_TRY(status);
    double found[] = {tip->position, tip->radius, tip->width};
    MPI_Bcast(found, 3, MPI_DOUBLE, 0, run->comm);
    tip->position = found[0];
    tip->radius = found[1];
    tip->width = found[2];
    if (step != tip->from_step)
        tip->velocity = (tip->position - tip->from) /
                        ((step - tip->from_step) * run->app->time_step);
    columns[0] = tip->position;
    columns[1] = tip->velocity;
    columns[2] = tip->radius;
    if (run->step % run->o->monitor.every == 0) {
        tip->from = tip->position;
        tip->from_step = step;
    }
    return WABE_OK;
}

/* P exp(P) E((axes - 1) / 2, P) = integral from 0 on of exp(-t) / (1 + t / P)^((axes - 1) / 2):
 * with t = e^v the integrand falls off fast at both ends, where the trapezoidal rule is exact to
 * rounding. */
static double undercooling_of(double peclet, int axes) {
    const double step = 1.0 / 16.0;
    double sum = 0.0;
    for (double v = -40.0; v < 5.0; v += step)
        sum += exp(v - exp(v)) * pow(1.0 + exp(v) / peclet, -0.5 * (double)(axes - 1));
    return sum * step;
}

double wabe_tip_peclet(double undercooling, int axes) {
    double low = 1e-9, high = 1e9;
    while (high / low > 1.0 + 1e-12) {
        const double middle = sqrt(low * high);
        *(undercooling_of(middle, axes) < undercooling ? &low : &high) = middle;
    }
    return low;
}
