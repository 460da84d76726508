#include "tests/application/kernels.h"

#include "kernels_cpu/registry_row.h"
#include "kernels_gpu/registry_row.h"
#include "sweeps/cell/stencil_attributes.h"
#include "tests/application/stencils.h"

#define TEST_SWEEP(name, from, to)                                                                 \
    WABE_SWEEP(name, "a test", from, to, .family = &wabe_stencil_family)

TEST_SWEEP(keep, "a field", "a field");
TEST_SWEEP(slow, "a field, map", "slow");
TEST_SWEEP(fall, "a velocity, p, slow", "a velocity");
TEST_SWEEP(squeeze, "p, velocities, slow", "p, divergence");
TEST_SWEEP(trace, "q, u, divergence", "q");
TEST_SWEEP(measure, "red, blue", "phase");
TEST_SWEEP(collide, "red, blue, phase, solid", "red, blue");

TEST_SWEEP(spread, "q, map, levels", "spread");
TEST_SWEEP(climb, "spread, levels", "rows");
TEST_SWEEP(descend, "rows", "q");
TEST_SWEEP(slope, "q", "slopes");

const wabe_sweep wabe_sweep_drift = {.name = "drift",
                                     .text = "a test",
                                     .reads = "u, k, w",
                                     .writes = "u",
                                     .args_size = sizeof(wabe_drift_args),
                                     .family = &wabe_stencil_family};
const wabe_sweep wabe_sweep_relax = {.name = "relax",
                                     .text = "a test",
                                     .reads = "w, u",
                                     .writes = "w",
                                     .args_size = sizeof(wabe_relax_args),
                                     .family = &wabe_stencil_family};

TEST_STENCILS(WABE_CPU_STENCIL_DECLARE)
TEST_STENCILS(WABE_GPU_STENCIL_DECLARE)
TEST_COLUMNS(WABE_CPU_COLUMN_DECLARE)
TEST_COLUMNS(WABE_GPU_COLUMN_DECLARE)

static const wabe_kernel rows[] = {TEST_STENCILS(WABE_CPU_STENCIL_ROWS) TEST_STENCILS(
    WABE_GPU_STENCIL_ROWS) TEST_COLUMNS(WABE_CPU_COLUMN_ROWS) TEST_COLUMNS(WABE_GPU_COLUMN_ROWS)};

const wabe_kernel_table application_kernels = {sizeof rows / sizeof rows[0], rows};
