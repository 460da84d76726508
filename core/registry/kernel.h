/* The registry: kernels with their metadata, and the selection of one for a sweep on a component.
 *
 * A sweep is a work step; a kernel is one implementation of it (Feichtinger et al. 2015, section
 * 3.1). Each folder of kernels exports one constant table of rows. */
#ifndef WABE_CORE_REGISTRY_KERNEL_H
#define WABE_CORE_REGISTRY_KERNEL_H

#include "core/base/status.h"
#include "core/base/words.h"
#include "core/device/component.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* X(sweep, what it does); a kernel of the sweep gets a struct wabe_<sweep>_args. */
#define WABE_SWEEPS(X)                                                                             \
    X(initialise, "density and velocity to equilibrium populations")                               \
    X(stream_collide, "streaming, collision, and walls, one pass")                                 \
    X(reflect, "what entered the walls at the start, turned round")                                \
    X(boundary, "boundaries that stream_collide leaves to a pass of its own")                      \
    X(macroscopic, "populations to density and velocity")                                          \
    X(monitor, "mass, kinetic energy, largest velocity, broken values")                            \
    X(hash, "a hash of the state, to compare runs by their bits")                                  \
    X(diffuse, "diffusion steps, and their walls")                                                 \
    X(diffuse_varied, "the same, where each cell has a diffusivity of its own")                    \
    X(himeno, "an iteration of Himeno's benchmark, and its residual")                              \
    X(pack, "what crosses to a neighbour into its buffer")                                         \
    X(unpack, "what came from a neighbour out of its buffer")                                      \
    X(copy, "limit: array copied to another, stores past the caches")                              \
    X(update, "limit: array updated in place")                                                     \
    X(throttle, "a wait, so that a component keeps to a rate: for experiments")

typedef enum {
#define X(sweep, text) WABE_SWEEP_##sweep,
    WABE_SWEEPS(X)
#undef X
        WABE_SWEEP_end
} wabe_sweep;

const char *wabe_sweep_word(wabe_sweep sweep);

#define X(sweep, text) struct wabe_##sweep##_args;
WABE_SWEEPS(X)
#undef X

typedef struct wabe_kernel {
    const char *name; /* unique: stream_collide.trt.d3q19.pull.f64.avx512 */
    wabe_sweep sweep;
    wabe_target target;
    wabe_instruction_set instruction_set;
    wabe_type storage, arithmetic;
    wabe_collision_operator collision;
    wabe_streaming streaming;
    unsigned treats;  /* bit b: treats boundaries of wabe_boundary b */
    bool wall_buffer; /* what walls return goes through a buffer, not through the field */
    int bytes;        /* moved per cell (or per element): the cost model */
    int flops;        /* per cell */
    int depth;        /* time steps that a pass can do; 0: the sweep has but one */
    double work;      /* of each of them, beside the 1 that memory takes for a pass */
    bool tiles;       /* items are tiles of a grid (wabe_tile_of), not its rows */
    int wraps_by;     /* slabs that wrap round x are a multiple of so many cells long; 0: any */
    bool (*available)(const wabe_component *component, const char **why);
    /* Works on items begin to end - 1 of the arguments: chunks, cells or values, as the arguments
     * say. Called by each thread of a CPU component with its share. A GPU's kernel has a plain loop
     * here, which emulated devices run. */
    union {
#define X(sweep, text)                                                                             \
    void (*sweep)(const struct wabe_##sweep##_args *, int64_t begin, int64_t end);
        WABE_SWEEPS(X)
#undef X
    } run;
    /* GPUs: starts the kernel on a stream (a cudaStream_t) and does not wait for it; NULL in builds
     * without CUDA. */
    union {
#define X(sweep, text)                                                                             \
    void (*sweep)(const struct wabe_##sweep##_args *, int64_t begin, int64_t end, void *stream);
        WABE_SWEEPS(X)
#undef X
    } launch;
    size_t args_size; /* GPUs: of the arguments' struct */
} wabe_kernel;

typedef struct {
    int count;
    const wabe_kernel *rows;
} wabe_kernel_table;

enum { WABE_REGISTRY_TABLES_MAX = 8 };

typedef struct {
    int table_count;
    wabe_kernel_table tables[WABE_REGISTRY_TABLES_MAX];
} wabe_registry;

/* What a kernel must be; "any" fields do not matter. */
typedef struct {
    wabe_sweep sweep;
    wabe_type storage;
    wabe_collision_operator collision;
    wabe_streaming streaming;
    unsigned needs;        /* boundary kinds that the kernel must treat */
    const char *name_part; /* of the name: the row must have it; "" for any */
} wabe_kernel_request;

/* The matching row of least modelled cost, at equal cost of the widest instruction set. WABE_INPUT:
 * no row matches (the message names the request and why each candidate lost), or two rows are
 * equal. Local. */
wabe_status wabe_registry_select(const wabe_registry *registry, const wabe_component *component,
                                 const wabe_kernel_request *request, const wabe_kernel **out);

/* The kernel's function, on args of its sweep's type. Local. */
void wabe_kernel_run(const wabe_kernel *kernel, const void *args, int64_t begin, int64_t end);
void wabe_kernel_launch(const wabe_kernel *kernel, const void *args, int64_t begin, int64_t end,
                        void *stream);

/* Rows in order: index 0 to wabe_registry_count - 1. Local. */
int wabe_registry_count(const wabe_registry *registry);
const wabe_kernel *wabe_registry_row(const wabe_registry *registry, int index);

/* The table of rows, for people or as JSON, and whether any of the components can run them. Local.
 */
void wabe_registry_print(const wabe_registry *registry, int component_count,
                         const wabe_component *components, bool json, FILE *file);

#endif
