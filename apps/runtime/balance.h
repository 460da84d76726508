/* Load balance: distributes a process's block along z over its components. */
#pragma once

#include "apps/runtime/run.h"

/* Checks what can be checked before anything is allocated, and sets the components' planes: those
 * given, or equal shares as the start of a measurement; multiples of grain. WABE_INPUT: the planes
 * given are not, or do not add up to the block's, or there are fewer than components need. Local.
 */
wabe_status wabe_balance_prepare(wabe_balance balance, wabe_box block, int64_t grain,
                                 wabe_components *components);

/* Measures the rates of run->components on slabs of the shape that they would get, and distributes
 * planes in proportion, weighted by updates; measures again on those slabs and corrects once. If
 * CPUs help GPUs, it also tries other shares in whole steps, compares steps with and without
 * CPUs, and leaves them out if they do not pay off. Logs its findings. A single component
 * gets all planes without measurement. WABE_MEMORY. Collective. */
wabe_status wabe_balance_measure(wabe_run *run);

/* Distributes planes by the run's machine file: rates of the kernels on slabs of this size. Nothing
 * is measured, and no component is left out. WABE_INPUT: the file lacks a component, or this build
 * the kernel; WABE_MEMORY. Collective. */
wabe_status wabe_balance_predict(wabe_run *run);

/* Returns seconds per step of a single slab with this schedule and timeline: the minimum of several
 * rounds. For wabe_application.rate. Local. */
double wabe_balance_seconds(const wabe_schedule *schedule, const wabe_timeline *timeline);
