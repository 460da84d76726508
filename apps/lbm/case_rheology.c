#include "apps/lbm/case.h"

/* ---- the keys of a model -------------------------------------------------------------- */

#define OF(model) (1u << WABE_RHEOLOGY_##model)
#define YIELD (OF(bingham) | OF(herschel_bulkley) | OF(casson))
#define ALL (YIELD | OF(power_law) | OF(carreau_yasuda))

static const struct {
    const char *key;
    unsigned models; /* that take it */
    bool required;
} keys[] = {{"lbm.rheology.rate", ALL, false},
            {"lbm.rheology.index", OF(power_law) | OF(herschel_bulkley) | OF(carreau_yasuda), true},
            {"lbm.rheology.exponent", OF(carreau_yasuda), false},
            {"lbm.rheology.limit", OF(carreau_yasuda), false},
            {"lbm.rheology.yield", YIELD, true},
            {"lbm.rheology.growth", YIELD, false},
            {"lbm.rheology.lowest_tau", ALL, false},
            {"lbm.rheology.highest_tau", ALL, false}};

/* Rejects keys that the model does not take, and the lack of those that it needs. */
static wabe_status check_keys(const wabe_config *config, wabe_rheology_model model) {
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const bool given = wabe_config_is_given(config, keys[i].key);
        const bool taken = model != WABE_RHEOLOGY_NONE && keys[i].models >> model & 1;
        if (given && !taken)
            return wabe_config_fail(config, keys[i].key,
                                    "is not used: lbm.rheology.model is \"%s\"",
                                    wabe_rheology_word(model));
        if (taken && keys[i].required && !given)
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
    if (o->lbm.rheology.limit > 0.0 && o->lbm.rheology.index > 1.0)
        return wabe_config_fail(config, "lbm.rheology.limit",
                                "is of fluids whose viscosity falls, but lbm.rheology.index is %g",
                                o->lbm.rheology.index);
    return WABE_OK;
}

/* The fluid is that of rates of strain in units of velocity / length: neither may be a default that
 * changes with the domain. */
static wabe_status check_numbers(const wabe_config *config, const wabe_lbm_options *o,
                                 const wabe_lbm_case *c) {
    static const char *const scales[] = {"lbm.velocity", "lbm.length"};
    for (int i = 0; i < 2; i++)
        if (!wabe_config_is_given(config, scales[i]))
            return wabe_config_fail(config, scales[i],
                                    "missing: lbm.rheology.rate is in units of lbm.velocity / "
                                    "lbm.length");
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
    WABE_TRY(check_keys(config, model));
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
