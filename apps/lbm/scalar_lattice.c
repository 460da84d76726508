/* Which velocity set a scalar has. */
#include "apps/lbm/options.h"

#include <math.h>

/* The part of a scalar's deviation from the reference by which the edges of solids make it uneven
 * with seven populations, over the grid Peclet number, and the part from which d3q19 is
 * taken (docs/validation.md). */
#define UNEVEN_PER_PECLET 0.2
#define UNEVEN_MAX 1e-3

/* Has all that comes in, and was there at the start, the scalar's reference? */
static bool comes_with_reference(const wabe_lbm_case *c) {
    bool inlet = false, reference = c->scalar.initial == 0.0;
    for (int k = 0; k < c->simulation.geometry.condition_count; k++) {
        const bool open = wabe_is_open(c->conditions[k].kind);
        inlet |= open;
        reference &= !open || c->conditions[k].scalar.value == 0.0;
    }
    return inlet && reference;
}

/* Is there one body alone, and no wall beside it that gives off the scalar? */
static bool is_lone_body(const wabe_lbm_case *c) {
    const wabe_geometry *g = &c->simulation.geometry;
    bool passive = c->sources.count == 0;
    for (int face = 0; face < WABE_FACES; face++)
        passive &= wabe_is_open(c->conditions[face].kind) ||
                   c->conditions[face].scalar.value == 0.0;
    return passive && g->particle_count == 0 && g->object_count + c->solids.mesh_count == 1 &&
           g->raster_count == c->solids.mesh_count;
}

double wabe_scalar_unevenness(const wabe_lbm_case *c, bool *reference) {
    const double velocity = c->velocity * wabe_in_time_most(c->conditions);
    const double uneven = UNEVEN_PER_PECLET * wabe_scalar_peclet(&c->scalar, velocity);
    *reference = comes_with_reference(c);
    if (!(uneven > UNEVEN_MAX) || !wabe_geometry_has_solids(&c->simulation.geometry) ||
        (*reference && is_lone_body(c)))
        return 0.0;
    return fmin(uneven, 1.0);
}

bool wabe_scalar_has_flux(const wabe_lbm_case *c) {
    const wabe_geometry *g = &c->simulation.geometry;
    bool has = false;
    for (int k = 0; k < g->condition_count; k++)
        has |= g->conditions[k].scalar.kind == WABE_SCALAR_FLUX && wabe_scalar_is_at(g, k);
    return has;
}

/* Does something drive a flow past solids whose velocity nothing tells beforehand? */
static bool is_unknown(const wabe_lbm_options *o, const wabe_lbm_case *c) {
    bool driven = c->porous.axis >= 0;
    for (int d = 0; d < 3; d++)
        driven |= o->lbm.force[d] != 0.0;
    for (int face = 0; face < WABE_FACES; face++)
        driven |= wabe_is_pressure(c->conditions[face].kind);
    return driven && c->velocity == 0.0 && wabe_geometry_has_solids(&c->simulation.geometry);
}

wabe_lattice wabe_scalar_lattice_of_word(int word) {
    static const wabe_lattice by_word[] = {WABE_LATTICE_any, WABE_LATTICE_d3q19_d3q7,
                                           WABE_LATTICE_d3q19_d3q19};
    return by_word[word];
}

wabe_status wabe_scalar_choose_lattice(const wabe_config *config, const wabe_lbm_options *o,
                                       wabe_lbm_case *c) {
    const bool has_flux = wabe_scalar_has_flux(c);
    const wabe_collision_operator collision = wabe_lbm_collision_of(o);
    const bool lacks = !(wabe_lbm_operators_of(WABE_LATTICE_d3q19_d3q7) >> collision & 1);
    bool reference;
    const bool matters = wabe_scalar_unevenness(c, &reference) > 0.0 || is_unknown(o, c);
    c->scalar.lattice = wabe_scalar_lattice_of_word(o->scalar.lattice);
    if (c->scalar.lattice == WABE_LATTICE_any)
        c->scalar.lattice = lacks || (matters && !has_flux) ? WABE_LATTICE_d3q19_d3q19
                                                            : WABE_LATTICE_d3q19_d3q7;
    if (lacks && has_flux)
        return wabe_config_fail(config, "lbm.collision",
                                "is \"%s\", with which a scalar has no walls of given flux, and "
                                "there is one: take \"trt\"%s",
                                wabe_collision_operator_word(collision),
                                o->lbm.les.model ? " without lbm.les" : "");
    if (wabe_lattice_carries(c->scalar.lattice) && has_flux)
        return wabe_config_fail(config, "scalar.lattice",
                                "is \"d3q19\", which has no walls of given flux, and there is one: "
                                "take \"d3q7\"");
    return WABE_OK;
}
