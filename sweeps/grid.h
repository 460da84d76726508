/* Slabs of grids of numbers that stencils work on: tables say which fields a cell has, what sweeps
 * read and write of them, and in which order a step runs these. From the tables follow memory, what
 * is exchanged when, and the entries of the schedule. */
#pragma once

#include "core/base/box.h"
#include "core/device/field.h"
#include "sweeps/cell/grid.h"
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/schedule.h"

enum {
    WABE_GRID_FIELDS_MAX = 12,
    WABE_GRID_SWEEPS_MAX = 12,
    WABE_GRID_LOOPS_MAX = 4,
    WABE_GRID_REDUCTIONS_MAX = 4,
    WABE_GRID_ENTRIES_MAX = 32,
    WABE_GRID_NUMBERS_MAX = 10 /* of a state: with sums over time all arrays of a checkpoint */
};

typedef enum {
    WABE_FIELD_STATE,    /* begins with what it is given, and goes on from a checkpoint */
    WABE_FIELD_CONSTANT, /* what it is given, ghosts too; no sweep writes it */
    WABE_FIELD_SCRATCH   /* a sweep writes it before others read it */
} wabe_field_role;

typedef struct {
    const char *name;
    wabe_type type; /* f64 or f32 */
    wabe_field_role role;
    int components; /* numbers of a cell */
    int grids;      /* 2: sweeps read one and write the other, in turn; 1: they write it in place */
    int group;      /* see wabe_layout; 0: components apart */
    wabe_location at;
    bool
        fixed_layer; /* behind the domain's faces it keeps what it begins with, in place of walls */
    wabe_wall walls[6];
} wabe_grid_field_row;

typedef enum {
    WABE_STENCIL_OWN,   /* the cell alone */
    WABE_STENCIL_ALONG, /* cells along the axes */
    WABE_STENCIL_AROUND /* those across edges and corners, too */
} wabe_stencil_shape;

typedef struct {
    int field;
    wabe_stencil_shape stencil;
    int layers;    /* cells beyond the own one */
    bool previous; /* of two grids the one that was written before the last */
} wabe_grid_read;

typedef struct {
    const char *name;
    const wabe_sweep *sweep; /* of the registry: its arguments begin with wabe_grid_args */
    const char *kernel;      /* a part of the kernel's name, or "" */
    wabe_type type;          /* of its row in the registry */
    int read_count, write_count, reduction_count;
    wabe_grid_read reads[WABE_GRID_ACCESSES_MAX];
    int writes[WABE_GRID_ACCESSES_MAX]; /* fields, all of one location */
    int reductions[WABE_GRID_REDUCED_MAX];
    bool whole[3]; /* axes that no slab may have a part of only */
} wabe_grid_sweep_row;

typedef struct {
    const char *name;
    wabe_reduction operation;
} wabe_grid_reduction_row;

/* Another iteration after so many? values: of the reductions, as far as the step has reduced them.
 * The same on all processes. */
typedef struct {
    const char *name;
    bool (*again)(void *context, int64_t iterations, const double values[]);
    void *context;
    int64_t count; /* iterations, if again is NULL */
} wabe_grid_loop_row;

typedef struct {
    wabe_step_kind kind;
    int number; /* in the table of sweeps, reductions, loops */
} wabe_grid_entry;

typedef struct {
    int field_count, sweep_count, reduction_count, loop_count, entry_count;
    wabe_grid_field_row fields[WABE_GRID_FIELDS_MAX];
    wabe_grid_sweep_row sweeps[WABE_GRID_SWEEPS_MAX];
    wabe_grid_reduction_row reductions[WABE_GRID_REDUCTIONS_MAX];
    wabe_grid_loop_row loops[WABE_GRID_LOOPS_MAX];
    wabe_grid_entry entries[WABE_GRID_ENTRIES_MAX]; /* a step */
    int64_t cells[3];                               /* of the domain */
    bool periodic[3];
    bool wraps[3];    /* kernels find a periodic slab's other end themselves */
    int depth;        /* time steps of a pass at most, of models of one sweep; otherwise 1 */
    int panel, chunk; /* rows and planes of tiles; 0: by cache and threads */
} wabe_grid_model;

typedef struct {
    const wabe_component *component;
    wabe_grid_model model;
    wabe_box block; /* global indices */
    wabe_layout layouts[WABE_GRID_FIELDS_MAX];
    wabe_field *grids[WABE_GRID_FIELDS_MAX][2];
    int current[WABE_GRID_FIELDS_MAX];     /* the grid that was written last */
    void *exchanged[WABE_GRID_FIELDS_MAX]; /* its address, or that of the one being written */
    const wabe_kernel *kernels[WABE_GRID_SWEEPS_MAX];
    const wabe_kernel *pack[WABE_TYPE_end], *unpack[WABE_TYPE_end];
    wabe_grid_args *args[WABE_GRID_SWEEPS_MAX][WABE_REGION_COUNT]; /* with the sweep's own behind */
    int64_t passes[WABE_GRID_SWEEPS_MAX];
    wabe_reduction_slot *slots[WABE_GRID_REDUCTIONS_MAX]; /* in the component's memory */
    wabe_timeline timeline;
    bool wraps[3]; /* its own neighbour along this axis: nothing is exchanged */
    int steps;     /* of time, that the next pass does: the model's depth, if nothing else is set */
} wabe_grid_slab;

/* ---- tables (grid_plan.c) ----------------------------------------------------------- */

/* A model of one sweep: what of it is left to set are fields, reads, and writes. Local. */
wabe_grid_model wabe_grid_model_of_sweep(const wabe_grid_sweep_row *sweep, const int64_t cells[3],
                                         const bool periodic[3]);

/* WABE_INPUT: tables that cannot work, with the sweep's and the field's name. Local. */
wabe_status wabe_grid_check(const wabe_grid_model *model);

/* The numbers that the state has for a cell: components of the fields of that role, in their order.
 * Local. */
typedef struct {
    int field, component;
} wabe_grid_number;
int wabe_grid_state(const wabe_grid_model *model, wabe_grid_number out[WABE_GRID_NUMBERS_MAX]);

/* Layers of cells that a slab's neighbours need at most. Local. */
int wabe_grid_halo(const wabe_grid_model *model);

/* What neighbours need of a sweep's results. */
typedef struct {
    int sweep, field_count;
    struct {
        int field, layers;
        bool edges; /* across edges and corners, too */
    } fields[WABE_GRID_ACCESSES_MAX];
} wabe_grid_exchange;

/* The exchanges of a step, and by entry the one that begins there (or WABE_NO_EXCHANGE) and those
 * that it has to wait for. */
typedef struct {
    int count;
    wabe_grid_exchange exchanges[WABE_EXCHANGES_MAX];
    int begins[WABE_GRID_ENTRIES_MAX];
    unsigned awaits[WABE_GRID_ENTRIES_MAX];
} wabe_grid_plan;

/* Of a model that has been checked. Local. */
wabe_grid_plan wabe_grid_plan_of(const wabe_grid_model *model);

/* Can slabs of so many cells do that many time steps a pass? Their ghosts must be cells of the next
 * slab, and of no other behind it. WABE_INPUT: no; names sweep and field. Local. */
wabe_status wabe_grid_fits(const wabe_grid_model *model, const int64_t cells[3], int depth);

/* ---- slabs (grid.c, grid_shape.c) --------------------------------------------------- */

/* Time steps of a pass that make a step of a slab of so many cells cheapest, by the kernel's row
 * and what both sides of a face compute. Local. */
int wabe_grid_depth(const wabe_kernel *kernel, const wabe_grid_model *model,
                    const int64_t cells[3]);

/* inner: the part of block that needs nothing of neighbours. The sweeps' own arguments are zero.
 * WABE_INPUT: no kernel matches; WABE_MEMORY. Local. */
wabe_status wabe_grid_create(const wabe_registry *registry, const wabe_component *component,
                             const wabe_grid_model *model, wabe_box block, wabe_box inner,
                             wabe_grid_slab **out);
void wabe_grid_destroy(wabe_grid_slab **slab);

/* What a step asks whoever drives the slabs of all processes. */
typedef struct {
    void *context;
    void (*reduce)(void *context, int reduction); /* Collective. */
    bool (*again)(void *context, int loop, int64_t iterations);
} wabe_grid_control;

/* Appends a step of slabs, all of one model, to a schedule; control: NULL for models without
 * reductions and loops. Local. */
void wabe_grid_schedule(int slab_count, wabe_grid_slab *const *slabs,
                        const wabe_grid_control *control, wabe_schedule *schedule);

/* Bytes that a slab of this size takes, and those that each thread works in. Local. */
int64_t wabe_grid_bytes(const wabe_grid_model *model, const int64_t cells[3], wabe_target target);
int64_t wabe_grid_scratch(const wabe_kernel *kernel, const wabe_grid_model *model,
                          const int64_t cells[3]);

/* Adds to bins what the last pass of a slab has left for a reduction, or makes bins[0] the lower or
 * the higher one: they begin with wabe_reduction_neutral. Sums are exact in any order. WABE_MEMORY.
 * Local. */
wabe_status wabe_grid_reduce(const wabe_grid_slab *slab, int reduction, double bins[WABE_BINS]);

/* ---- samples ------------------------------------------------------------------------ */

/* What kernels of a sweep are measured on, by wabe bench and wabe calibrate: wabe_sweep.sample. */
typedef struct {
    const char *application; /* in machine files, of this sweep alone; NULL: they do not have it */
    bool walls;              /* they have it between walls, and periodic; otherwise as it is */
    /* Of one sweep, without loops, for a kernel of it; walls: at all faces. Local. */
    wabe_grid_model (*model)(const wabe_kernel *kernel, const int64_t cells[3], bool walls);
    /* The sweep's own arguments, and constants. WABE_MEMORY. Local. */
    wabe_status (*fill)(wabe_grid_slab *slab);
} wabe_grid_sample;

/* A slab that is all of the domain of its kernel's sample. depth: time steps of a pass; 0: those
 * that make a step cheapest. WABE_INPUT: the kernel cannot run here; WABE_MEMORY. Local. */
wabe_status wabe_grid_sample_create(const wabe_registry *registry, const wabe_component *component,
                                    const wabe_kernel *kernel, const int64_t cells[3], bool walls,
                                    int depth, wabe_grid_slab **out);

/* ---- values (grid_values.c) --------------------------------------------------------- */

/* Values of so many cells of a row, from this one on (global indices; of constants and rims ghosts,
 * too). Called plane by plane. */
typedef wabe_status (*wabe_grid_values)(const void *context, const int64_t cell[3], int64_t count,
                                        double *row);

/* Step 0 comes next; all fields but the constants are zero. WABE_MEMORY. Local. */
wabe_status wabe_grid_reset(wabe_grid_slab *slab);
/* Gives a component of a field its values. WABE_MEMORY, or what values returns. Local. */
wabe_status wabe_grid_set(wabe_grid_slab *slab, int field, int component, wabe_grid_values values,
                          const void *context);
/* Cells of the slab where a field has numbers: on faces there may be a layer more. Local. */
wabe_box wabe_grid_box(const wabe_grid_slab *slab, int field);
/* Values of a box of the slab (global indices) after the last step, [z][y][x]. WABE_MEMORY. Local.
 */
wabe_status wabe_grid_read_field(const wabe_grid_slab *slab, int field, int component, wabe_box box,
                                 double *values);
