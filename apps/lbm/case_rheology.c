#include "apps/lbm/case.h"

#include <stddef.h>
#include <string.h>

/* ---- the keys of a model -------------------------------------------------------------- */

#define OF(model) (1u << WABE_RHEOLOGY_##model)
#define YIELD (OF(bingham) | OF(herschel_bulkley) | OF(casson))
#define ALL (YIELD | OF(power_law) | OF(carreau_yasuda))

#define VALUE(member) offsetof(wabe_lbm_options, lbm.rheology.member)

static const struct {
    const char *key;
    unsigned models; /* that take it */
    double usual;    /* the schema's default; NAN: there is none, so they need it */
    size_t value;
} keys[] = {{"lbm.rheology.rate", ALL, WABE_RHEOLOGY_RATE, VALUE(rate)},
            {"lbm.rheology.index", OF(power_law) | OF(herschel_bulkley) | OF(carreau_yasuda), NAN,
             VALUE(index)},
            {"lbm.rheology.exponent", OF(carreau_yasuda), WABE_RHEOLOGY_EXPONENT, VALUE(exponent)},
            {"lbm.rheology.limit", OF(carreau_yasuda), WABE_RHEOLOGY_LIMIT, VALUE(limit)},
            {"lbm.rheology.yield", YIELD, NAN, VALUE(yield)},
            {"lbm.rheology.growth", YIELD, WABE_RHEOLOGY_GROWTH, VALUE(growth)},
            {"lbm.rheology.lowest_tau", ALL, WABE_RHEOLOGY_LOWEST_TAU, VALUE(lowest_tau)},
            {"lbm.rheology.highest_tau", ALL, WABE_RHEOLOGY_HIGHEST_TAU, VALUE(highest_tau)}};

/* Rejects keys that the model does not take, and the lack of those that it needs. */
static wabe_status check_keys(const wabe_config *config, const wabe_lbm_options *o) {
    const wabe_rheology_model model = (wabe_rheology_model)o->lbm.rheology.model;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        double value;
        memcpy(&value, (const char *)o + keys[i].value, sizeof value);
        const bool required = isnan(keys[i].usual);
        const bool given = required ? !isnan(value) : value != keys[i].usual;
        const bool taken = model != WABE_RHEOLOGY_NONE && keys[i].models >> model & 1;
        if (given && !taken)
            return wabe_config_fail(config, keys[i].key,
                                    "is not used: lbm.rheology.model is \"%s\"",
                                    wabe_rheology_word(model));
        if (taken && required && !given)
            return wabe_config_fail(config, keys[i].key,
                                    "missing: lbm.rheology.model = \"%s\" needs it",
                                    wabe_rheology_word(model));
    }
    return WABE_OK;
}

/* ---- what goes with it ---------------------------------------------------------------- */

/* Rejects what needs one viscosity; wall functions: wabe_check_wall_function. */
static wabe_status check_others(const wabe_config *config, const wabe_lbm_options *o) {
    const wabe_collision_operator collision = wabe_lbm_collision_of(o);
    if (o->lbm.les.model)
        return wabe_config_fail(config, "lbm.les.model",
                                "contradicts lbm.rheology.model: the viscosity depends on the rate "
                                "of strain by one of them");
    if (!WABE_HAS_ALL_TERMS(collision))
        return wabe_config_fail(config, "lbm.collision",
                                "is \"%s\", with one relaxation time for all cells: "
                                "lbm.rheology.model needs \"recursive_regularized\"",
                                wabe_collision_operator_word(collision));
    if (o->porous.axis)
        return wabe_config_fail(config, "porous.axis",
                                "contradicts lbm.rheology.model: permeability is defined for "
                                "fluids of one viscosity");
    if (o->initial.kind == WABE_INITIAL_TURBULENT_CHANNEL)
        return wabe_config_fail(config, "initial.kind",
                                "is \"turbulent_channel\", whose profile is that of a fluid of "
                                "one viscosity, which contradicts lbm.rheology.model");
    return WABE_OK;
}

/* Rejects numbers that make no fluid. Its rates of strain are in units of velocity / length:
 * neither may be a default, which would change with the domain. */
static wabe_status check_numbers(const wabe_config *config, const wabe_lbm_options *o,
                                 const wabe_lbm_case *c) {
    static const char *const scales[] = {"lbm.velocity", "lbm.length"};
    for (int i = 0; i < 2; i++)
        if (!wabe_config_is_given(config, scales[i]))
            return wabe_config_fail(config, scales[i],
                                    "missing: lbm.rheology.rate is in units of lbm.velocity / "
                                    "lbm.length");
    if (o->lbm.rheology.limit > 0.0 && o->lbm.rheology.index > 1.0)
        return wabe_config_fail(config, "lbm.rheology.limit",
                                "must be 0: lbm.rheology.index is %g, and above 1 the "
                                "viscosity rises without a limit",
                                o->lbm.rheology.index);
    if (!(o->lbm.rheology.lowest_tau > 0.5 && o->lbm.rheology.lowest_tau <= c->tau))
        return wabe_config_fail(config, "lbm.rheology.lowest_tau",
                                "is %g, but must be above 1/2, and not above the relaxation time "
                                "%.6g that %s gives",
                                o->lbm.rheology.lowest_tau, c->tau, c->viscosity_key);
    return o->lbm.rheology.highest_tau > o->lbm.rheology.lowest_tau &&
                   o->lbm.rheology.highest_tau >= c->tau
               ? WABE_OK
               : wabe_config_fail(config, "lbm.rheology.highest_tau",
                                  "is %g, but must be above lbm.rheology.lowest_tau, and not below "
                                  "the relaxation time %.6g that %s gives",
                                  o->lbm.rheology.highest_tau, c->tau, c->viscosity_key);
}

wabe_status wabe_case_rheology(const wabe_config *config, const wabe_lbm_options *o,
                               wabe_lbm_case *c) {
    const wabe_rheology_model model = (wabe_rheology_model)o->lbm.rheology.model;
    WABE_TRY(check_keys(config, o));
    if (model == WABE_RHEOLOGY_NONE)
        return WABE_OK;
    WABE_TRY(check_others(config, o));
    WABE_TRY(check_numbers(config, o, c));
    c->rheology = (wabe_rheology){.model = model,
                                  .viscosity = c->viscosity,
                                  .rate = o->lbm.rheology.rate * c->velocity / c->length,
                                  .index = o->lbm.rheology.index,
                                  .exponent = o->lbm.rheology.exponent,
                                  .limit = o->lbm.rheology.limit,
                                  .yield = o->lbm.rheology.yield,
                                  .growth = o->lbm.rheology.growth,
                                  .lowest_tau = o->lbm.rheology.lowest_tau,
                                  .highest_tau = o->lbm.rheology.highest_tau};
    return WABE_OK;
}
