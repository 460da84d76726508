/* The performance model's forecast for a simulation that is set up: its slabs, its messages. */
#ifndef WABE_APPS_MODEL_FORECAST_H
#define WABE_APPS_MODEL_FORECAST_H

#include "apps/lbm/simulation.h"
#include "apps/model/machine.h"

typedef struct {
    int count; /* slabs of this process */
    wabe_model_step slabs[WABE_SLABS_MAX];
    double seconds; /* of a step of the slowest slab of all processes */
    double copy;    /* bytes per second of a copy on all components at once */
    bool measured;  /* false: the machine file has no kernel of a slab's flavour */
    bool inside;    /* false: a slab is far from the sizes that were measured */
} wabe_forecast;

/* The kernel that slabs will take, before there are any: instruction sets move the same bytes.
 * false: this build has none. Local. */
bool wabe_forecast_flavour(const wabe_simulation_options *options, wabe_machine_flavour *out);

/* What a byte of a list takes, of what one of a dense kernel's takes, on components of this kind
 * with slabs of so many cells: kernels differ in more than their bytes. 1: not measured. Local. */
double wabe_forecast_list_price(const wabe_machine *machine, wabe_target target, double cells,
                                const wabe_simulation_options *options);

/* WABE_INPUT: the machine file lacks a component or a link that the simulation uses. Collective. */
wabe_status wabe_forecast_make(const wabe_machine *machine, const wabe_simulation *simulation,
                               wabe_forecast *out);

#endif
