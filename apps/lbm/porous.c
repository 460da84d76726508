#include "apps/lbm/porous.h"

#include "apps/lbm/tracers.h"
#include "core/base/change.h"
#include "core/base/log.h"
#include "core/base/sum_over_ranks.h"
#include "core/io/disk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DARCY 9.869233e-13 /* m^2 */
#define CREEPING 1.0       /* Reynolds number above which inertia matters */
#define UNBALANCED 0.01    /* of the driving force */

/* ---- before the run ----------------------------------------------------------------- */

static double share(int64_t part, int64_t all) { return (double)part / (double)all; }

wabe_status wabe_porous_check(int axis, const wabe_pores *pores) {
    WABE_CHECK(
        axis < 0 || pores->connected[axis] > 0, WABE_INPUT,
        "nothing can flow along %c: of %lld fluid cells (porosity %.4f) none is connected to "
        "both ends of the domain; check which labels are solid, or take a larger part",
        'x' + axis, (long long)pores->fluid, share(pores->fluid, pores->cells));
    return WABE_OK;
}

void wabe_porous_print_pores(int axis, const wabe_pores *p) {
    wabe_log_line("pores      porosity %.6f; connected along x %.6f, y %.6f, z %.6f",
                  share(p->fluid, p->cells), share(p->connected[0], p->cells),
                  share(p->connected[1], p->cells), share(p->connected[2], p->cells));
    wabe_log_line("           wetted area %.6g cells^2, %.4g per volume", p->wetted_area,
                  p->wetted_area / (double)p->cells);
    if (axis >= 0 && p->connected[axis] > 0 && !p->wide[axis])
        wabe_log_warning("every way along %c has a throat of less than 4 cells: the flow there is "
                         "not resolved, and the permeability too inexact to trust; use more cells",
                         'x' + axis);
}

/* ---- sums over slices --------------------------------------------------------------- */

/* Sums over the fluid cells of a slice normal to the axis. */
typedef struct {
    int64_t fluid;
    wabe_sum density, velocity[3], speed;
} slice;

static void add_cell(slice *s, const double *moments, int64_t stride) {
    double square = 0.0;
    s->fluid++;
    wabe_sum_add(&s->density, moments[0]);
    for (int d = 0; d < 3; d++) {
        const double u = moments[(d + 1) * stride];
        wabe_sum_add(&s->velocity[d], u);
        square += u * u;
    }
    wabe_sum_add(&s->speed, sqrt(square));
}

static void carry(slice *s) {
    wabe_sum_carry(&s->density);
    wabe_sum_carry(&s->speed);
    for (int d = 0; d < 3; d++)
        wabe_sum_carry(&s->velocity[d]);
}

/* The context of add_plane. moments: room for a plane. */
typedef struct {
    const wabe_simulation *simulation;
    int axis;
    double *moments;
    slice *slices;
} slicing;

/* Adds a plane of the process's block to the slices that it intersects. */
static wabe_status add_plane(void *context, const wabe_flags *flags, int64_t z) {
    const slicing *into = context;
    const wabe_box plane = wabe_box_plane(into->simulation->domain.block, z);
    const int64_t nx = wabe_box_extent(plane, 0), cells = wabe_box_cells(plane);
    const uint8_t *ids = wabe_flags_place(flags, plane.begin[0], plane.begin[1], z);
    WABE_TRY(wabe_simulation_moments(into->simulation, plane, into->moments));
    for (int64_t i = 0; i < cells; i++) {
        const int64_t cell[3] = {plane.begin[0] + i % nx, plane.begin[1] + i / nx, z};
        if (ids[i] == 0)
            add_cell(&into->slices[cell[into->axis]], into->moments + i, cells);
    }
    for (int64_t i = 0; i < into->simulation->options.geometry.cells[into->axis]; i++)
        carry(&into->slices[i]);
    return WABE_OK;
}

static wabe_status sum_slices(const wabe_simulation *s, int axis, slice *slices) {
    const int64_t cells = wabe_box_plane_cells(s->domain.block);
    double *moments = malloc((size_t)(4 * cells + 1) * sizeof *moments);
    WABE_CHECK(moments, WABE_MEMORY, "no memory for a plane of moments");
    slicing into = {s, axis, moments, slices};
    const wabe_status status = wabe_geometry_visit(&s->options.geometry, s->domain.block, 0, 0,
                                                   add_plane, &into);
    free(moments);
    return status;
}

/* Sums the slices of all processes; a slice consists of additive 64-bit integers only.
 * Collective. */
static wabe_status all_slices(const wabe_simulation *s, int axis, slice **out) {
    const int64_t count = s->options.geometry.cells[axis];
    slice *slices = calloc((size_t)count, sizeof *slices);
    wabe_status status = slices ? sum_slices(s, axis, slices)
                                : WABE_FAIL(WABE_MEMORY, "no memory for the slices");
    status = wabe_agree(s->domain.comm, status);
    if (status != WABE_OK) {
        free(slices);
        return status;
    }
    MPI_Allreduce(MPI_IN_PLACE, slices, (int)(count * (int64_t)(sizeof *slices / sizeof(int64_t))),
                  MPI_INT64_T, MPI_SUM, s->domain.comm);
    for (int64_t i = 0; i < count; i++)
        carry(&slices[i]);
    *out = slices;
    return WABE_OK;
}

/* ---- steady state ------------------------------------------------------------------- */

/* The largest difference of flux between two slices, relative to the mean flux. */
static double imbalance_of(const slice *slices, int64_t count, int axis) {
    double low = INFINITY, high = -INFINITY, sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double flux = wabe_sum_value(slices[i].velocity[axis]);
        low = fmin(low, flux);
        high = fmax(high, flux);
        sum += flux;
    }
    return (high - low) / fabs(sum / (double)count);
}

static bool is_balanced(const wabe_porous *p, const wabe_porous_watch *w) {
    return w->imbalance < WABE_POROUS_BALANCE * p->tolerance;
}

/* Uses all slices: pressure waves entering from both ends leave the fluxes at inlet and outlet
 * equal. */
static wabe_status look_at_slices(const wabe_porous *p, const wabe_simulation *simulation,
                                  wabe_porous_watch *w) {
    slice *slices;
    WABE_TRY(all_slices(simulation, p->axis, &slices));
    w->imbalance = imbalance_of(slices, simulation->options.geometry.cells[p->axis], p->axis);
    free(slices);
    return WABE_OK;
}

wabe_status wabe_porous_check_flux(const wabe_porous *porous, const wabe_simulation *simulation,
                                   const wabe_monitor_result *monitor, wabe_porous_watch *watch) {
    const double flux = wabe_sum_value(monitor->momentum[porous->axis]);
    watch->change = flux > 0.0 ? wabe_change(watch->flux, flux, 0.0) : 1.0;
    watch->flux = flux;
    watch->steady_checks = watch->change < porous->tolerance ? watch->steady_checks + 1 : 0;
    watch->imbalance = 0.0;
    if (watch->steady_checks >= WABE_POROUS_CHECKS && !porous->forced)
        WABE_TRY(look_at_slices(porous, simulation, watch));
    watch->steady = watch->steady_checks >= WABE_POROUS_CHECKS && is_balanced(porous, watch);
    return WABE_OK;
}

wabe_status wabe_porous_not_steady(const wabe_porous *p, const wabe_porous_watch *w,
                                   int64_t steps) {
    WABE_CHECK(
        w->flux > 0.0 || steps < p->interval, WABE_NOT_CONVERGED,
        "not converged: after %lld steps nothing flows along %c as it is driven: if it "
        "should by now, porous.gradient is too small for the digits of lbm.storage; raise it",
        (long long)steps, 'x' + p->axis);
    WABE_CHECK(is_balanced(p, w), WABE_NOT_CONVERGED,
               "not converged: after %lld steps the fluxes through slices normal to %c still "
               "differ by %.2g of their mean, which has to be below %d times porous.tolerance, "
               "%.2g; allow more steps, with --restart latest",
               (long long)steps, 'x' + p->axis, w->imbalance, WABE_POROUS_BALANCE, p->tolerance);
    WABE_CHECK(
        w->steady_checks == 0 || w->steady_checks >= WABE_POROUS_CHECKS, WABE_NOT_CONVERGED,
        "not converged: after %lld steps the flux along %c changes by %.2g of itself in %lld "
        "steps, less than porous.tolerance, but that was seen at one look alone; allow %lld "
        "steps more, with --restart latest",
        (long long)steps, 'x' + p->axis, w->change, (long long)p->interval, (long long)p->interval);
    return WABE_FAIL(WABE_NOT_CONVERGED,
                     "not converged: after %lld steps the flux along %c still changes by %.2g of "
                     "itself in %lld steps, porous.tolerance is %.2g (at %d looks in succession); "
                     "allow more steps, with --restart latest",
                     (long long)steps, 'x' + p->axis, w->change, (long long)p->interval,
                     p->tolerance, WABE_POROUS_CHECKS);
}

/* ---- derived quantities ------------------------------------------------------------- */

/* Pressure gradient over density in a packed bed: a nu U (1 - e)^2 / (e^3 d^2) + b U^2 (1 - e) /
 * (e^3 d). a, b: 150, 1.75 (Ergun 1952); 180, 1.8 (Macdonald, El-Sayed, Mow, Dullien 1979). */
static double correlation(double a, double b, double nu, const wabe_porous_results *r, double u) {
    const double e = r->porosity, d = r->diameter;
    return a * nu * u * (1.0 - e) * (1.0 - e) / (e * e * e * d * d) +
           b * u * u * (1.0 - e) / (e * e * e * d);
}

static bool has_solid(const slice *s, int64_t area) { return s->fluid < area; }

static slice total_of(const slice *slices, int64_t count) {
    slice total = {0};
    for (int64_t i = 0; i < count; i++) {
        total.fluid += slices[i].fluid;
        wabe_sum_merge(&total.density, &slices[i].density);
        wabe_sum_merge(&total.speed, &slices[i].speed);
        for (int d = 0; d < 3; d++)
            wabe_sum_merge(&total.velocity[d], &slices[i].velocity[d]);
    }
    return total;
}

/* Finds the slices of the medium. */
static void find_medium(const wabe_porous *p, const slice *slices, int64_t count, int64_t area,
                        wabe_porous_results *r) {
    r->begin = p->begin;
    r->end = p->end > p->begin ? p->end : count;
    while (p->trimmed && r->begin + 1 < r->end && !has_solid(&slices[r->begin], area))
        r->begin++;
    while (p->trimmed && r->end - 1 > r->begin && !has_solid(&slices[r->end - 1], area))
        r->end--;
}

/* Fluid cells of the measured slices. */
static int64_t fluid_in(const slice *slices, const wabe_porous_results *r) {
    return total_of(slices + r->begin, r->end - r->begin).fluid;
}

static double volume_of(const wabe_porous_results *r, int64_t area) {
    return (double)(area * (r->end - r->begin));
}

/* Pressure over density at the lower face of slice z: p = rho / 3. */
static double pressure_at(const slice *slices, int64_t z) {
    return (wabe_sum_value(slices[z - 1].density) / (double)slices[z - 1].fluid +
            wabe_sum_value(slices[z].density) / (double)slices[z].fluid) /
           6.0;
}

/* Derives the properties of the medium, the measured slices, and the gradient over them. */
static void derive_medium(const wabe_porous *p, const wabe_pores *pores, const slice *slices,
                          int64_t area, wabe_porous_results *r) {
    find_medium(p, slices, pores->cells / area, area, r);
    const double all = volume_of(r, area), solid = 1.0 - (double)fluid_in(slices, r) / all;
    r->surface = pores->wetted_area / all;
    r->diameter = r->surface > 0.0 ? 6.0 * solid / r->surface : NAN;
    r->gradient = p->gradient * (double)pores->cells / all;
    if (p->part_end > 0) {
        r->begin = p->part_begin;
        r->end = p->part_end;
        r->gradient = (p->forced ? p->gradient : 0.0) +
                      (pressure_at(slices, r->begin) - pressure_at(slices, r->end)) /
                          (double)(r->end - r->begin);
    }
    r->porosity = (double)fluid_in(slices, r) / volume_of(r, area);
    r->connected = p->part_end > 0 ? NAN
                                   : r->porosity * share(pores->connected[p->axis], pores->fluid);
}

/* total: the sum of all slices. */
static void derive_flow(const wabe_porous *p, const slice *total, int64_t cells,
                        wabe_porous_results *r) {
    for (int d = 0; d < 3; d++)
        r->superficial[d] = wabe_sum_value(total->velocity[d]) / (double)cells;
    const double u = r->flows ? r->superficial[p->axis] : NAN, e = r->porosity;
    for (int d = 0; d < 3; d++)
        r->permeability[d] = r->flows ? p->viscosity * r->superficial[d] / r->gradient : NAN;
    const double along = r->flows ? wabe_sum_value(total->velocity[p->axis]) : NAN;
    r->tortuosity = wabe_sum_value(total->speed) / along;
    r->residence = e * (double)(r->end - r->begin) / fabs(u);
    r->reynolds = fabs(u) * r->diameter / p->viscosity;
    r->friction = r->gradient * r->diameter * e * e * e / (u * u * (1.0 - e));
    r->of_ergun = r->gradient / correlation(150.0, 1.75, p->viscosity, r, u);
    r->of_macdonald = r->gradient / correlation(180.0, 1.8, p->viscosity, r, u);
}

/* ---- files -------------------------------------------------------------------------- */

static wabe_status write_slices(const char *directory, const slice *slices, int64_t count, int axis,
                                int64_t cells) {
    FILE *file;
    WABE_TRY(wabe_disk_open_text(directory, "porous.csv", &file));
    fprintf(file, "%c,porosity,superficial_velocity,mean_density\n", 'x' + axis);
    for (int64_t i = 0; i < count; i++)
        fprintf(file, "%.1f,%.9g,%.17g,%.17g\n", (double)i + 0.5, share(slices[i].fluid, cells),
                wabe_sum_value(slices[i].velocity[axis]) / (double)cells,
                1.0 + wabe_sum_value(slices[i].density) / (double)slices[i].fluid);
    return wabe_disk_close_text(directory, "porous.csv", file);
}

static wabe_status measure_residence(const wabe_porous *p, const wabe_simulation *simulation,
                                     const char *directory, wabe_porous_results *r) {
    const wabe_journey journey = {.axis = p->axis,
                                  .begin = r->begin,
                                  .end = r->end,
                                  .count = r->flows ? p->tracers : 0};
    return wabe_residence_measure(simulation, journey, r->residence, directory, &r->distribution);
}

wabe_status wabe_porous_measure(const wabe_porous *porous, const wabe_pores *pores,
                                const wabe_simulation *simulation,
                                const wabe_monitor_result *monitor, const char *directory,
                                wabe_porous_results *out) {
    slice *slices;
    int rank;
    MPI_Comm_rank(simulation->domain.comm, &rank);
    const int64_t count = simulation->options.geometry.cells[porous->axis];
    WABE_TRY(all_slices(simulation, porous->axis, &slices));
    const int64_t area = pores->cells / count;
    const slice total = total_of(slices, count);
    out->flows = wabe_simulation_steps(simulation) > 0 &&
                 wabe_sum_value(total.velocity[porous->axis]) != 0.0;
    derive_medium(porous, pores, slices, area, out);
    for (int d = 0; d < 3; d++)
        if (simulation->options.geometry.cells[d] == 1)
            out->diameter = NAN; /* of discs: correlations are for spheres */
    derive_flow(porous, &total, pores->cells, out);
    out->imbalance = out->flows ? imbalance_of(slices, count, porous->axis) : NAN;
    out->drag = out->flows ? wabe_sum_value(monitor->drag[porous->axis]) : NAN;
    out->drag_share = porous->forced && out->flows
                          ? out->drag / (porous->gradient * (double)pores->fluid)
                          : NAN;
    wabe_status status = WABE_OK;
    if (rank == 0)
        status = write_slices(directory, slices, count, porous->axis, area);
    free(slices);
    status = wabe_agree(simulation->domain.comm, status);
    return status == WABE_OK ? measure_residence(porous, simulation, directory, out) : status;
}

/* ---- reports ------------------------------------------------------------------------ */

/* Pressure drop over the measured slices, divided by the density. */
static double drop_of(const wabe_porous_results *r) {
    return r->gradient * (double)(r->end - r->begin);
}

/* Correlations for beds apply to particles only. */
static bool has_particles(const wabe_porous_results *r) {
    return isfinite(r->diameter) && r->porosity < 1.0;
}

void wabe_porous_print(const wabe_porous *p, const wabe_porous_results *r) {
    const double k = r->permeability[p->axis];
    wabe_log_line(" ");
    if (!r->flows) {
        wabe_log_line("porous     nothing has flowed along %c yet, so the permeability is unknown",
                      'x' + p->axis);
        return;
    }
    wabe_log_line("porous     permeability along %c, slices %lld to %lld%s: %.8g cells^2",
                  'x' + p->axis, (long long)r->begin, (long long)r->end - 1,
                  p->part_end > 0 ? " by the pressures there" : "", k);
    if (isfinite(p->cell))
        wabe_log_line("           = %.6g m^2 = %.6g darcy", k * p->cell * p->cell,
                      k * p->cell * p->cell / DARCY);
    wabe_log_line("           superficial velocity %.6g, porosity %.6f, tortuosity %.5f",
                  r->superficial[p->axis], r->porosity, r->tortuosity);
    wabe_log_line("           pressure drop over density %.6g, gradient %.6g%s", drop_of(r),
                  r->gradient, has_particles(r) ? "" : "; no solid in what is measured");
    if (has_particles(r))
        wabe_log_line("           = %.3f of Ergun's, %.3f of Macdonald's (diameter %.4g cells, Re "
                      "%.3g, friction factor %.4g)",
                      r->of_ergun, r->of_macdonald, r->diameter, r->reynolds, r->friction);
    wabe_log_line("           mean residence %.6g steps, flux differs by %.2g between slices",
                  r->residence, r->imbalance);
    if (p->tracers > 0)
        wabe_residence_print(&r->distribution);
    if (isfinite(r->drag_share))
        wabe_log_line("           the walls take %.9f of the driving force", r->drag_share);
    if (fabs(r->drag_share - 1.0) > UNBALANCED)
        wabe_log_warning("the walls take %.3g of the driving force, not all of it: the flow is not "
                         "steady yet, or porous.gradient is too small for the digits of "
                         "lbm.storage",
                         r->drag_share);
    if (r->reynolds > CREEPING)
        wabe_log_warning("Reynolds number %.3g: above about %g the pressure drop has a part from "
                         "inertia, and the permeability is too small; lower porous.gradient",
                         r->reynolds, CREEPING);
}

void wabe_porous_put(const wabe_porous *p, const wabe_porous_results *r, wabe_json *json) {
    static const char *const names[3][2] = {{"superficial_velocity_x", "permeability_x"},
                                            {"superficial_velocity_y", "permeability_y"},
                                            {"superficial_velocity_z", "permeability_z"}};
    const double k = r->permeability[p->axis];
    wabe_json_open(json, "porous", '{');
    wabe_json_text(json, "axis", (const char *const[]){"x", "y", "z"}[p->axis]);
    wabe_json_integer(json, "begin", r->begin);
    wabe_json_integer(json, "end", r->end);
    wabe_json_real(json, "gradient", r->gradient);
    wabe_json_real(json, "pressure_drop", drop_of(r));
    wabe_json_real(json, "permeability", k);
    if (isfinite(p->cell)) {
        wabe_json_real(json, "permeability_m2", k * p->cell * p->cell);
        wabe_json_real(json, "permeability_darcy", k * p->cell * p->cell / DARCY);
    }
    for (int d = 0; d < 3; d++) {
        wabe_json_real(json, names[d][0], r->superficial[d]);
        wabe_json_real(json, names[d][1], r->permeability[d]);
    }
    wabe_json_real(json, "porosity", r->porosity);
    if (isfinite(r->connected))
        wabe_json_real(json, "connected_porosity", r->connected);
    wabe_json_real(json, "wetted_area_per_volume", r->surface);
    wabe_json_real(json, "tortuosity", r->tortuosity);
    wabe_json_real(json, "mean_residence_steps", r->residence);
    if (p->tracers > 0)
        wabe_residence_put(&r->distribution, json);
    wabe_json_real(json, "flux_imbalance", r->imbalance);
    wabe_json_real(json, "drag", r->drag);
    if (isfinite(r->drag_share))
        wabe_json_real(json, "drag_over_driving_force", r->drag_share);
    if (has_particles(r)) {
        wabe_json_real(json, "equivalent_diameter", r->diameter);
        wabe_json_real(json, "reynolds", r->reynolds);
        wabe_json_real(json, "friction_factor", r->friction);
        wabe_json_real(json, "gradient_over_ergun", r->of_ergun);
        wabe_json_real(json, "gradient_over_macdonald", r->of_macdonald);
    }
    wabe_json_close(json, '}');
}
