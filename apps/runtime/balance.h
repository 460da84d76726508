/* How the components of a process share its block along z. */
#pragma once

#include "apps/runtime/run.h"

/* Checks what can be checked before anything is allocated, and fills the components' planes: those
 * given, or equal shares, from which a measurement starts. WABE_INPUT: planes given do not add up
 * to the block's, fewer planes than components. Local. */
wabe_status wabe_balance_prepare(wabe_balance balance, wabe_box block, wabe_components *components);

/* Measures the rates of run->components on slabs of the shapes that they would get, and gives them
 * planes in proportion, counted in updates; measures again on those slabs, and corrects once. Where
 * processors help GPUs, some other shares are tried out in whole steps, steps with them and without
 * are compared, and they are left out if they do not pay. The log says what was found. One
 * component alone gets all without being measured. WABE_MEMORY. Collective. */
wabe_status wabe_balance_measure(wabe_run *run);

/* By what the run's machine file says of their kernels on slabs of that size; nothing is measured,
 * and nobody is left out. WABE_INPUT: the file lacks one of the components, WABE_MEMORY.
 * Collective. */
wabe_status wabe_balance_predict(wabe_run *run);

/* Seconds of a step of a slab alone, on whose timeline this schedule works: the fastest of some
 * rounds. For wabe_application.rate. Local. */
double wabe_balance_seconds(const wabe_schedule *schedule, const wabe_timeline *timeline);
