/* How the components of a process share its block along z. */
#ifndef WABE_APPS_BALANCE_H
#define WABE_APPS_BALANCE_H

#include "apps/simulation.h"

typedef enum { WABE_BALANCE_MEASURED, WABE_BALANCE_EQUAL, WABE_BALANCE_EXPLICIT } wabe_balance;

/* Fills the components' planes. Components that do not pay are left out (measured), and the log
 * says why. WABE_INPUT: planes given do not add up to the block's, fewer planes than components;
 * WABE_MEMORY. Collective. */
wabe_status wabe_balance_components(MPI_Comm comm, const wabe_simulation_options *options,
                                    wabe_balance balance, wabe_box block,
                                    wabe_components *components);

#endif
