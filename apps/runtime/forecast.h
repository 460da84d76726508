/* The performance model's forecast for slabs on a domain that is set up, and their messages. */
#pragma once

#include "apps/model/scaling.h"
#include "apps/runtime/domain.h"

/* What a slab, or all of a case, costs by the performance model. */
typedef struct {
    wabe_machine_flavour flavour;
    wabe_scaling_pass pass;
    bool wraps, flows; /* of a case: see wabe_scaling_case */
    double share;      /* of the cells, that are updated */
} wabe_step_cost;

typedef struct {
    int count; /* slabs of this process */
    wabe_model_step slabs[WABE_SLABS_MAX];
    double seconds; /* of a step of the slowest slab of all processes */
    double copy;    /* bytes per second of a copy on all components at once */
    bool measured;  /* false: the machine file has no kernel of a slab's flavour */
    bool inside;    /* false: a slab is far from the sizes that were measured */
} wabe_forecast;

/* costs: of this process's slabs. WABE_INPUT: the machine file lacks a component or a link that the
 * domain uses. Collective. */
wabe_status wabe_forecast_make(const wabe_machine *machine, const wabe_domain *domain,
                               const wabe_step_cost costs[], wabe_forecast *out);
