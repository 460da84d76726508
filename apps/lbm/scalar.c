#include "apps/lbm/scalar.h"

#include "core/base/log.h"

#include <math.h>
#include <string.h>

#define LEAST_DIFFUSIVITY 1e-6
#define MOST_DIFFUSIVITY 5.0
#define NEAR_ONE 0.01 /* a relaxation time */

enum { FURTHEST = 2 }; /* values given, from the reference, in differences: 4 are unsound */

/* ---- what boundaries do ------------------------------------------------------------- */

bool wabe_scalar_is_wanted(const wabe_scalar_options *o) {
    return isfinite(o->diffusivity) || isfinite(o->prandtl);
}

static bool is_wall(wabe_boundary kind) {
    return kind == WABE_BOUNDARY_no_slip || kind == WABE_BOUNDARY_moving_wall ||
           kind == WABE_BOUNDARY_curved_wall;
}

/* Rejects values that would soon count as diverged. */
static wabe_status check_value(const wabe_config *config, const wabe_scalar_options *o,
                               const char *key, double value) {
    const double from = fabs(value - o->reference);
    return from <= FURTHEST * o->difference
               ? WABE_OK
               : wabe_config_fail(config, key,
                                  "is %g, which lies %g from scalar.reference = %g: more than %d "
                                  "times scalar.difference = %g; raise that, or set the reference",
                                  value, from, o->reference, FURTHEST, o->difference);
}

wabe_status wabe_scalar_condition(const wabe_config *config, const char *group,
                                  const wabe_scalar_options *o, const wabe_scalar_surface *surface,
                                  wabe_condition *c) {
    char value[96], flux[96];
    snprintf(value, sizeof value, "%s.scalar.value", group);
    snprintf(flux, sizeof flux, "%s.scalar.flux", group);
    const bool has_value = isfinite(surface->value), has_flux = isfinite(surface->flux);
    const bool crosses = c->kind == WABE_BOUNDARY_velocity || c->kind == WABE_BOUNDARY_pressure ||
                         c->kind == WABE_BOUNDARY_pressure_normal;
    if ((has_value || has_flux) && !wabe_scalar_is_wanted(o))
        return wabe_config_fail(config, has_value ? value : flux,
                                "is not used: there is no scalar; scalar.diffusivity makes one");
    if (has_value && has_flux)
        return wabe_config_fail(config, flux, "contradicts %s: give one of them", value);
    if (has_value && !is_wall(c->kind) && !crosses)
        return wabe_config_fail(config, value,
                                "is not used: %s.kind is \"%s\"; walls, velocity and faces of "
                                "given pressure take one",
                                group, wabe_boundary_word(c->kind));
    if (has_flux && !is_wall(c->kind))
        return wabe_config_fail(config, flux, "is not used: %s.kind is \"%s\"; walls take one",
                                group, wabe_boundary_word(c->kind));
    if (has_value)
        WABE_TRY(check_value(config, o, value, surface->value));
    if (has_flux && !(fabs(surface->flux) <= o->difference))
        return wabe_config_fail(config, flux,
                                "is %g: in each step more than scalar.difference = %g; lower it",
                                surface->flux, o->difference);
    c->scalar.kind = has_flux && surface->flux != 0.0 ? WABE_SCALAR_FLUX
                     : has_value                      ? WABE_SCALAR_VALUE
                     : crosses                        ? WABE_SCALAR_OPEN
                                                      : WABE_SCALAR_INSULATED;
    c->scalar.value = has_flux    ? surface->flux / o->difference
                      : has_value ? (surface->value - o->reference) / o->difference
                                  : 0.0;
    return WABE_OK;
}

/* ---- the case ----------------------------------------------------------------------- */

static wabe_status check_unused(const wabe_config *config, const wabe_scalar_options *o) {
    const double *b = o->buoyancy;
    const struct {
        const char *key;
        bool is_default;
    } rows[] = {{"scalar.lattice", o->lattice == 0},
                {"scalar.magic", o->magic == WABE_SCALAR_MAGIC},
                {"scalar.turbulent_schmidt", o->turbulent_schmidt == WABE_SCALAR_SCHMIDT},
                {"scalar.reference", o->reference == 0.0},
                {"scalar.difference", o->difference == 1.0},
                {"scalar.initial", !isfinite(o->initial)},
                {"scalar.buoyancy", b[0] == 0.0 && b[1] == 0.0 && b[2] == 0.0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].is_default)
            return wabe_config_fail(config, rows[i].key,
                                    "is not used: there is no scalar; scalar.diffusivity or "
                                    "scalar.prandtl makes one");
    return WABE_OK;
}

static double tau_of(wabe_lattice lattice, double diffusivity) {
    return diffusivity / wabe_lattice_diffusion(lattice) + 0.5;
}

static wabe_status find_diffusivity(const wabe_config *config, const wabe_scalar_options *o,
                                    double viscosity, const char **key, double *out) {
    const bool direct = isfinite(o->diffusivity);
    if (direct && isfinite(o->prandtl))
        return wabe_config_fail(config, "scalar.prandtl",
                                "contradicts scalar.diffusivity: give one of them");
    *key = direct ? "scalar.diffusivity" : "scalar.prandtl";
    *out = direct ? o->diffusivity : viscosity / o->prandtl;
    if (!(*out >= LEAST_DIFFUSIVITY && *out <= MOST_DIFFUSIVITY))
        return wabe_config_fail(config, *key, "gives the diffusivity %.6g; it must be %g to %g",
                                *out, LEAST_DIFFUSIVITY, MOST_DIFFUSIVITY);
    return WABE_OK;
}

bool wabe_scalar_is_at(const wabe_geometry *g, int condition) {
    bool used = condition != g->solid || g->particle_count > 0 || g->filled != NULL;
    for (int k = 0; k < g->raster_count; k++)
        used |= g->rasters[k].condition == condition;
    return used;
}

static double range_of(const wabe_geometry *g) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < g->condition_count; k++)
        if (g->conditions[k].scalar.kind == WABE_SCALAR_VALUE && wabe_scalar_is_at(g, k)) {
            low = fmin(low, g->conditions[k].scalar.value);
            high = fmax(high, g->conditions[k].scalar.value);
        }
    return high > low ? high - low : 0.0;
}

wabe_status wabe_scalar_make(const wabe_config *config, const wabe_scalar_options *o,
                             double viscosity, double length, const wabe_geometry *geometry,
                             wabe_scalar_case *out) {
    *out = (wabe_scalar_case){.present = wabe_scalar_is_wanted(o),
                              .magic = o->magic,
                              .turbulent_schmidt = o->turbulent_schmidt};
    if (!out->present)
        return check_unused(config, o);
    WABE_TRY(find_diffusivity(config, o, viscosity, &out->diffusivity_key, &out->diffusivity));
    if (isfinite(o->initial))
        WABE_TRY(check_value(config, o, "scalar.initial", o->initial));
    out->reference = o->reference;
    out->difference = o->difference;
    out->initial = isfinite(o->initial) ? (o->initial - o->reference) / o->difference : 0.0;
    out->range = range_of(geometry);
    double square = 0.0;
    for (int d = 0; d < 3; d++) {
        out->buoyancies[d] = o->difference * o->buoyancy[d];
        out->length[d] = length > 0.0 ? length : (double)geometry->cells[d];
        square += out->buoyancies[d] * out->buoyancies[d];
    }
    out->buoyancy = (out->range > 0.0 ? out->range : 1.0) * sqrt(square);
    return WABE_OK;
}

/* With a relaxation time of 1 nothing is left of the gradient after a collision. */
wabe_status wabe_scalar_check_tau(const wabe_config *config, const wabe_scalar_case *s) {
    const double tau = tau_of(s->lattice, s->diffusivity);
    const double refused = 0.5 * wabe_lattice_diffusion(s->lattice), part = NEAR_ONE / 0.5;
    return fabs(tau - 1.0) >= NEAR_ONE
               ? WABE_OK
               : wabe_config_fail(
                     config, s->diffusivity_key,
                     "gives the diffusivity %.6g, the relaxation time %.4g: from "
                     "collisions so near to 1 the flux of the scalar cannot be found; "
                     "the diffusivity must be below %.4g or above %.4g, or take another "
                     "scalar.lattice",
                     s->diffusivity, tau, refused * (1.0 - part), refused * (1.0 + part));
}

/* ---- reports ------------------------------------------------------------------------ */

double wabe_scalar_free_fall(const wabe_scalar_case *s) { return sqrt(s->buoyancy * s->length[0]); }

double wabe_scalar_peclet(const wabe_scalar_case *s, double velocity) {
    return fmax(wabe_scalar_free_fall(s), velocity) / s->diffusivity;
}

void wabe_scalar_print(const wabe_scalar_case *s, const char *collision, bool eddies,
                       double viscosity, double velocity) {
    const double length = s->length[0], range = s->range > 0.0 ? s->range : 1.0;
    if (!s->present)
        return;
    wabe_log_line("scalar     %s %s, diffusivity %.6g, relaxation time %.4g, Prandtl number %.4g, "
                  "grid Peclet number %.3g",
                  wabe_lattice_carries(s->lattice) ? "D3Q19" : "D3Q7", collision, s->diffusivity,
                  tau_of(s->lattice, s->diffusivity), viscosity / s->diffusivity,
                  wabe_scalar_peclet(s, velocity));
    if (eddies)
        wabe_log_line("           turbulent Schmidt number %.4g", s->turbulent_schmidt);
    if (s->buoyancy > 0.0)
        wabe_log_line(
            "           Rayleigh number %.6g over %.6g cells and a difference of %.6g, velocity "
            "of free fall %.4g",
            s->buoyancy * length * length * length / (viscosity * s->diffusivity), length,
            range * s->difference, wabe_scalar_free_fall(s));
}

double wabe_scalar_nusselt(const wabe_scalar_case *s, int axis, double flux) {
    return s->range > 0.0 ? flux * s->length[axis] / (s->diffusivity * s->range) : NAN;
}
