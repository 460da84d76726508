/* A slab of a lattice Boltzmann simulation: its populations, its cells, the kernels chosen for it,
 * and the sweeps run on it. */
#pragma once

#include "core/device/field.h"
#include "core/device/memory.h"
#include "core/geometry/geometry.h"
#include "core/registry/call.h"
#include "core/registry/kernel.h"
#include "core/registry/transfer.h"
#include "sweeps/cell/lbm_attributes.h"
#include "sweeps/schedule.h"
#include "sweeps/streaming.h"
#include "sweeps/tiles.h"

/* The sweeps that a slab has kernels for. */
typedef enum {
    WABE_LBM_STREAM_COLLIDE,
    WABE_LBM_INITIALISE,
    WABE_LBM_REFLECT,
    WABE_LBM_BOUNDARY,
    WABE_LBM_MACROSCOPIC,
    WABE_LBM_MONITOR,
    WABE_LBM_HASH,
    WABE_LBM_PACK,
    WABE_LBM_UNPACK,
    WABE_LBM_SWEEPS
} wabe_lbm_sweep;

/* The model, lattice units. */
typedef struct {
    wabe_type type; /* of storage */
    wabe_collision_operator collision;
    wabe_streaming streaming;
    double list_cost_ratio; /* take list instead where its bytes in a step, times this, are fewer;
                             * 0: never
                             */
    double tau;             /* relaxation time of the even part: nu = (tau - 1/2) / 3 */
    double magic;           /* TRT: Lambda = (tau - 1/2)(tau_- - 1/2) */
    double force[3];        /* per cell */
    const char
        *kernel; /* a part of the name of stream_collide's kernel that must be taken, or "" */
} wabe_lbm_model;

typedef struct {
    const wabe_component *component;
    wabe_lbm_model model;
    wabe_collision_parameters collision;
    wabe_box block; /* global indices */
    wabe_layout layout;
    wabe_streaming_offsets offsets;
    wabe_field *fields[2]; /* the second one with two grids only */
    void *exchanged;       /* of the grid that the last step has written, or the present one */
    wabe_field *wall;      /* the wall buffer */
    wabe_tiles *tiles;
    wabe_list *list;  /* NULL but for streaming pattern list */
    wabe_flags flags; /* of the slab and one cell around it, until they are forgotten */
    ptrdiff_t mirror_from[2][8][WABE_Q]; /* by parity of the step, axes, population */
    const wabe_kernel *kernels[WABE_LBM_SWEEPS];
    void *results; /* of sums in parts, in the component's memory */
    wabe_scratch *scratch;
    void *sums; /* over time: WABE_SUM_ROWS of the block, in the component's memory; NULL: none */
    wabe_timeline timeline;
    wabe_stream_collide_args stream_collide[WABE_REGION_COUNT]; /* of the present step */
    wabe_boundary_args boundary;
} wabe_lbm_slab;

/* Fills moments (density deviation, ux, uy, uz; lattice units) of a cell, global indices. Local. */
typedef void (*wabe_lbm_initial)(const void *context, const int64_t cell[3], double moments[4]);

/* The initial state of a fluid at rest, whatever the context. Local. */
void wabe_lbm_at_rest(const void *context, const int64_t cell[3], double moments[4]);

/* Allocates a slab and picks its kernels. inner: the part of block that needs nothing of its
 * neighbours. WABE_INPUT: no kernel matches; WABE_MEMORY. Local. */
wabe_status wabe_lbm_create(const wabe_registry *registry, const wabe_component *component,
                            const wabe_lbm_model *model, const wabe_geometry *geometry,
                            wabe_box block, wabe_box inner, wabe_lbm_slab **out);
void wabe_lbm_destroy(wabe_lbm_slab **lbm);
/* Frees what only set-up needs: flags, and the list's way from cells to slots. Local. */
void wabe_lbm_forget(wabe_lbm_slab *lbm);

/* Where population q of a cell of the slab or next to it, global indices, stands in the field:
 * left: after a step of this parity; otherwise: where the step after such a one reads it.
 * WABE_NO_INDEX: the cell is not in the list, or the population does not come from a cell that is.
 * For lists, until wabe_lbm_forget. Local. */
uint32_t wabe_lbm_place(const wabe_lbm_slab *lbm, const int64_t cell[3], int q, int parity,
                        bool left);

/* Along which axes slabs of a geometry are flat: see wabe_layout. Local. */
void wabe_lbm_flat(const wabe_geometry *geometry, bool flat[3]);
/* Bytes that a slab of this size takes for fields, without walls and buffers; flat: NULL for none.
 * Local. */
int64_t wabe_lbm_field_bytes(const wabe_lbm_model *model, const int64_t cells[3],
                             const bool flat[3], wabe_target target);
/* Bytes that this slab has taken: fields, wall buffer, tiles. Local. */
int64_t wabe_lbm_bytes(const wabe_lbm_slab *lbm);

/* The state before step 0: equilibrium of the given moments. WABE_MEMORY. Local. */
wabe_status wabe_lbm_initialise(wabe_lbm_slab *lbm, wabe_lbm_initial initial, const void *context);

/* What has left the cells of a box of the slab (global indices) as population q, as it is stored,
 * [z][y][x]; walls: 0. All of them are the state. WABE_MEMORY. Local. */
wabe_status wabe_lbm_populations(const wabe_lbm_slab *lbm, int q, wabe_box box, void *values);

/* The same back again, in place of wabe_lbm_initialise: step 0 comes next. stored is asked for all
 * populations of boxes of whole planes of the slab, and may change its context. WABE_MEMORY, or
 * what stored returns. Local. */
typedef wabe_status (*wabe_lbm_stored)(void *context, int q, wabe_box box, void *values);
wabe_status wabe_lbm_restore(wabe_lbm_slab *lbm, wabe_lbm_stored stored, void *context);

/* Appends the sweeps of slabs to a schedule. Local. */
void wabe_lbm_schedule(int slab_count, wabe_lbm_slab *const *slabs, wabe_schedule *schedule);

/* Waits until all that the slab was given is done. Local. */
void wabe_lbm_synchronise(const wabe_lbm_slab *lbm);

/* The field that holds the state after the last step. Local. */
wabe_field *wabe_lbm_state(const wabe_lbm_slab *lbm);

/* Moments of a box of the slab (global indices): 4 rows of values in the order [z][y][x], one after
 * the other; walls are at rest. WABE_MEMORY. Local. */
wabe_status wabe_lbm_moments(const wabe_lbm_slab *lbm, wabe_box box, double *moments);

/* Something that is made of outputs of cells (WABE_LBM_OUTPUTS, lattice units): count from first
 * on, each as factor (offset + value). */
typedef struct {
    int first, count;
    double offset, factor;
} wabe_quantity;

/* A quantity of every step-th cell of a box of the slab (global indices), from its first one on:
 * [z][y][x][component], f64 or f32. Walls are at rest. WABE_MEMORY. Local. */
wabe_status wabe_lbm_quantity(const wabe_lbm_slab *lbm, const wabe_quantity *quantity, wabe_box box,
                              int64_t step, wabe_type type, void *values);

/* Sums over time: WABE_SUM_ROWS for each cell, of density deviation, ux, uy, uz, and of the squares
 * of ux, uy, uz. From now on they are kept, beginning at zero. WABE_MEMORY. Local. */
wabe_status wabe_lbm_begin_sums(wabe_lbm_slab *lbm);
/* Adds those of the present state. Local. */
void wabe_lbm_add_to_sums(wabe_lbm_slab *lbm);
/* A row of whole planes of the slab, from z (a global index) on: [z][y][x]. WABE_MEMORY. Local. */
wabe_status wabe_lbm_read_sums(const wabe_lbm_slab *lbm, int row, int64_t z, int64_t planes,
                               double *out);
wabe_status wabe_lbm_write_sums(wabe_lbm_slab *lbm, int row, int64_t z, int64_t planes,
                                const double *values);

/* Mass deviation, energy, largest speed, broken cells of the slab. Cells are the slab's.
 * WABE_MEMORY. Local. */
wabe_status wabe_lbm_monitor(const wabe_lbm_slab *lbm, wabe_monitor_result *out);

/* A sum of hashes of every population that has left a fluid cell, the same for any streaming
 * pattern and any cut of the domain: sums of slabs add up, and two runs with the same sum have the
 * same bits. WABE_MEMORY. Local. */
wabe_status wabe_lbm_hash(const wabe_lbm_slab *lbm, const int64_t domain[3], uint64_t *out);

/* The global indices of a cell of the slab. Local. */
void wabe_lbm_cell(const wabe_lbm_slab *lbm, int64_t n, int64_t cell[3]);
