/* The performance model's forecast for the slabs of an existing domain and their messages. */
#pragma once

#include "apps/model/scaling.h"
#include "apps/runtime/domain.h"

/* The cost of a slab, or of a whole case, for the performance model. */
typedef struct {
    wabe_machine_flavour flavour;
    wabe_scaling_pass pass;
    bool wraps, flows; /* whole case: see wabe_scaling_case */
    double share;      /* updated cells over all cells */
    double
        times[WABE_EXCHANGES_MAX]; /* how often each exchange of a slab goes in a step; 0: once */
    wabe_model_passes passes;      /* of a streamed slab */
} wabe_step_cost;

typedef struct {
    int count; /* slabs of this process */
    wabe_model_step slabs[WABE_SLABS_MAX];
    double seconds;  /* per step of the slowest slab of all processes */
    double resident; /* the same if no slab were streamed */
    double copy;     /* bytes per second of copies on all components at once */
    bool measured;   /* false: the machine file has no kernel of a slab's flavour */
    bool inside;     /* false: a slab's size is far from the measured ones */
} wabe_forecast;

/* Returns a component of the machine for the model, whose kernel does a pass of this cost: as
 * measured, or else a step's time multiplied by the pass's relative cost. threads, busy, measured:
 * see wabe_machine_model. Local. */
wabe_model_component wabe_forecast_component(const wabe_machine *machine, int index,
                                             const wabe_step_cost *cost, double threads,
                                             double busy, bool *measured);

/* Forecasts a step. costs: of this process's slabs. WABE_INPUT: the machine file lacks a component
 * or link that the domain uses. Collective. */
wabe_status wabe_forecast_make(const wabe_machine *machine, const wabe_domain *domain,
                               const wabe_step_cost costs[], wabe_forecast *out);
