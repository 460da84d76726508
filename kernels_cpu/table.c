/* The rows of the CPU kernels. To add a kernel, declare its function in functions.h and add a row
 * here. */
#include "core/registry/transfer.h"
#include "kernels_cpu/registry_row.h"
#include "sweeps/cell/diffusion.h"
#include "sweeps/cell/himeno.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/cell/lbm.h"
#include "sweeps/cell/lbm_attributes.h"
#include "sweeps/cell/scan.h"
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/cell/stencils.h"

#define STREAM_COLLIDE(op, operations, pattern, cells, lattice_, type, set)                        \
    {.name = "stream_collide." #op "." #lattice_ "." #pattern "." #type "." #set,                  \
     WABE_CPU_COMMON(stream_collide, type, set),                                                   \
     .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE_##lattice_,                \
                                                .collision = WABE_COLLISION_##op,                  \
                                                .streaming = WABE_STREAMING_##pattern,             \
                                                .treats = WABE_TREATED_BY_STREAM_COLLIDE,          \
                                                .wall_buffer = true},                              \
     .bytes = 2 * WABE_COUNT_##lattice_ * WABE_SIZE_##type +                                       \
              WABE_BESIDE_##cells(WABE_COUNT_##lattice_),                                          \
     .flops = operations,                                                                          \
     .run = WABE_RUN(stream_collide,                                                               \
                     wabe_stream_collide_##op##_##pattern##_##lattice_##_##type##_##set)},

#define MOMENTS(op, operations, third, lattice_, type, set)                                        \
    {.name = "stream_collide." #op "." #lattice_ ".moments." #type "." #set,                       \
     WABE_CPU_COMMON(stream_collide, type, set),                                                   \
     .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE_##lattice_,                \
                                                .collision = WABE_COLLISION_##op,                  \
                                                .streaming = WABE_STREAMING_moments,               \
                                                .treats = WABE_TREATED_BY_STREAM_COLLIDE},         \
     .bytes = 2 * WABE_MOMENTS * WABE_SIZE_##type,                                                 \
     .flops = operations,                                                                          \
     .run = WABE_RUN(stream_collide,                                                               \
                     wabe_stream_collide_##op##_moments_##lattice_##_##type##_##set)},

/* passes: how often it reads or writes all populations. */
#define SIMPLE(step, passes, lattice_, type, set)                                                  \
    {.name = #step "." #lattice_ "." #type "." #set,                                               \
     WABE_CPU_COMMON(step, type, set),                                                             \
     .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE_##lattice_},               \
     .bytes = (passes)*WABE_COUNT_##lattice_ * WABE_SIZE_##type,                                   \
     .run = WABE_RUN(step, wabe_##step##_##lattice_##_##type##_##set)},

#define MIRROR(lattice_, type, set)                                                                \
    {.name = "boundary.mirror." #lattice_ "." #type "." #set,                                      \
     WABE_CPU_COMMON(boundary, type, set),                                                         \
     .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE_##lattice_,                \
                                                .treats = WABE_MIRRORS},                           \
     .bytes = 2 * WABE_SIZE_##type,                                                                \
     .run = WABE_RUN(boundary, wabe_boundary_##lattice_##_##type##_##set)},

#define LIMIT(step, type, set)                                                                     \
    {.name = #step "." #type "." #set,                                                             \
     WABE_CPU_COMMON(step, type, set),                                                             \
     .bytes = 2 * WABE_SIZE_##type,                                                                \
     .run = WABE_RUN(step, wabe_##step##_##type##_##set)},

#define LATTICE(lattice_, count, type, set)                                                        \
    WABE_LBM_PRODUCTS(lattice_, STREAM_COLLIDE, type, set)                                         \
    WABE_LBM_MOMENTS(lattice_, MOMENTS, type, set)                                                 \
    MIRROR(lattice_, type, set)                                                                    \
    SIMPLE(initialise, 1, lattice_, type, set)                                                     \
    SIMPLE(reflect, 1, lattice_, type, set)                                                        \
    SIMPLE(absorb, 2, lattice_, type, set)                                                         \
    SIMPLE(macroscopic, 1, lattice_, type, set)                                                    \
    SIMPLE(monitor, 1, lattice_, type, set)                                                        \
    SIMPLE(forces, 1, lattice_, type, set)                                                         \
    SIMPLE(hash, 1, lattice_, type, set)

#define FLAVOUR(type, set)                                                                         \
    WABE_LATTICE_ROWS(LATTICE, type, set)                                                          \
    LIMIT(copy, type, set)                                                                         \
    LIMIT(update, type, set)

#define MOVE(step, type, size)                                                                     \
    {.name = #step "." #type,                                                                      \
     WABE_CPU_COMMON_OF_ALL(step, type),                                                           \
     .bytes = 2 * WABE_SIZE_##type,                                                                \
     .run = WABE_RUN(step, wabe_##step##_##size)},

#define SCAN(type)                                                                                 \
    {                                                                                              \
        .name = "scan." #type, WABE_CPU_COMMON_OF_ALL(scan, type), .bytes = WABE_SIZE_##type,      \
        .run = WABE_RUN(scan, wabe_scan)                                                           \
    }

#define MOVES(type, size, ...) MOVE(pack, type, size) MOVE(unpack, type, size)

#define DIFFUSE(type, set)                                                                         \
    {.name = "diffuse." #type "." #set,                                                            \
     WABE_CPU_COMMON(diffuse, type, set),                                                          \
     .bytes = 2 * WABE_SIZE_##type,                                                                \
     .flops = WABE_FLOPS_DIFFUSION,                                                                \
     .attributes = &(const wabe_stencil_attributes){.depth = WABE_DIFFUSION_DEPTH,                 \
                                                    .work = 0.5,                                   \
                                                    .tiles = true},                                \
     .run = WABE_RUN(diffuse, wabe_diffuse_##type##_##set)},

#define FILL(type, set)                                                                            \
    {.name = "fill." #type "." #set,                                                               \
     WABE_CPU_COMMON(fill, type, set),                                                             \
     .bytes = 2 * WABE_SIZE_##type,                                                                \
     .run = WABE_RUN(fill, wabe_fill_##type##_##set)},

#define HIMENO(type, set)                                                                          \
    {.name = "himeno." #type "." #set,                                                             \
     WABE_CPU_COMMON(himeno, type, set),                                                           \
     .bytes = (2 + WABE_HIMENO_CONSTANTS) * WABE_SIZE_##type,                                      \
     .flops = WABE_FLOPS_HIMENO,                                                                   \
     .run = WABE_RUN(himeno, wabe_himeno_##type##_##set)},

WABE_STENCILS(WABE_CPU_STENCIL_DECLARE)
WABE_COLUMNS(WABE_CPU_COLUMN_DECLARE)

static const wabe_kernel rows[] = {
#define X(type, set) FLAVOUR(type, set)
    WABE_CPU_FLAVOURS(X)
#undef X
        WABE_STENCILS(WABE_CPU_STENCIL_ROWS) WABE_COLUMNS(WABE_CPU_COLUMN_ROWS)
            WABE_CPU_GRID_FLAVOURS(DIFFUSE) WABE_CPU_GRID_FLAVOURS(FILL)
                WABE_CPU_F32_FLAVOURS(HIMENO) WABE_STORAGES(MOVES, ) SCAN(f64),
    SCAN(f32)};

const wabe_kernel_table wabe_kernels_cpu = {.count = sizeof rows / sizeof rows[0], .rows = rows};
