/* How the components of a process share its block along z. */
#ifndef WABE_APPS_RUNTIME_BALANCE_H
#define WABE_APPS_RUNTIME_BALANCE_H

#include "apps/lbm/simulation.h"
#include "apps/model/machine.h"

typedef enum {
    WABE_BALANCE_MEASURED,
    WABE_BALANCE_EQUAL,
    WABE_BALANCE_EXPLICIT,
    WABE_BALANCE_MODEL
} wabe_balance;

/* Checks what can be checked before anything is allocated, and fills the components' planes: those
 * given, or equal shares, from which a measurement starts. WABE_INPUT: planes given do not add up
 * to the block's, fewer planes than components. Local. */
wabe_status wabe_balance_prepare(wabe_balance balance, wabe_box block, wabe_components *components);

/* Measures the components' rates on slabs of the shapes that they would get, and gives them planes
 * in proportion, counted in fluid cells; measures again on those slabs, and corrects once. Where
 * processors help GPUs, some other shares are tried out in whole steps, steps with them and without
 * are compared, and they are left out if they do not pay. The log says what was found. One
 * component alone gets all without being measured. WABE_MEMORY. Collective. */
wabe_status wabe_balance_measure(MPI_Comm comm, const wabe_simulation_options *options,
                                 wabe_box block, wabe_components *components);

/* By what a machine file says of their kernels on slabs of that size; nothing is measured, and
 * nobody is left out. WABE_INPUT: the file lacks one of the components, WABE_MEMORY. Collective. */
wabe_status wabe_balance_foresee(MPI_Comm comm, const wabe_simulation_options *options,
                                 wabe_box block, const wabe_machine *machine,
                                 wabe_components *components);

#endif
