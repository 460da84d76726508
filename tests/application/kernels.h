/* The test application's sweeps and the table of their kernels. */
#pragma once

#include "core/registry/kernel.h"

extern const wabe_sweep wabe_sweep_drift, wabe_sweep_relax;
extern const wabe_kernel_table application_kernels;
