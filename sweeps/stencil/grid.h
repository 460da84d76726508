/* Slabs of grids that stencils work on. Tables define the fields, what each sweep reads and writes
 * of them, and the order of sweeps in a step. Memory, exchanges and the entries of the schedule are
 * derived from the tables. */
#pragma once

#include "core/base/box.h"
#include "core/device/field.h"
#include "core/device/memory.h"
#include "sweeps/cell/grid.h"
#include "sweeps/cell/scan.h"
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/slab/schedule.h"
#include "sweeps/stream/run.h"

enum {
    WABE_GRID_FIELDS_MAX = 40,
    WABE_GRID_VELOCITIES_MAX = 32, /* components with velocities */
    WABE_GRID_SWEEPS_MAX = 48,
    WABE_GRID_LOOPS_MAX = 8,
    WABE_GRID_REDUCTIONS_MAX = 8,
    WABE_GRID_LOOKS_MAX = 4,
    WABE_GRID_ENTRIES_MAX = WABE_SCHEDULE_ENTRIES_MAX,
    WABE_GRID_NUMBERS_MAX = 40 /* of a state; a checkpoint holds these and sums over time */
};

typedef enum {
    WABE_FIELD_STATE,    /* has initial values, and is restored from checkpoints */
    WABE_FIELD_CONSTANT, /* has given values, in ghosts too; no sweep writes it */
    WABE_FIELD_SCRATCH   /* a sweep of the step writes it before others read it */
} wabe_field_role;

typedef struct {
    const char *name;
    wabe_type type; /* f64 or f32 */
    wabe_field_role role;
    int components;           /* per cell */
    const char *const *names; /* of the components; NULL: made from the field's name */
    int grids; /* 2: sweeps read one and write the other, in turn; 1: they write in place */
    int group; /* see wabe_layout; 0: components are stored separately */
    const int (*velocities)[3]; /* NULL, or one of each component, whose parts are -1, 0 or 1, as of
                       a lattice's populations: sweeps read a component of a neighbour alone that
                       its velocity takes to their cell, so that few components are exchanged */
    wabe_location at;
    bool flat[3]; /* constants: one layer along y or z stands for all, as of a map or of a table of
                     levels. Its values are asked for as those of index 0 there */
    int level; /* 0: it has a number in each cell of the domain. Otherwise it is of a coarser grid:
                  each axis is halved so many times, as far as wabe_grid_halvings lets it. Only
                  scratch fields at cells can be */
    bool fixed_layer; /* fixed boundary layer: keeps its initial values behind the domain's faces,
                 without walls */
    wabe_odd odd;
    wabe_wall walls[6];
} wabe_grid_field_row;

typedef enum {
    WABE_STENCIL_OWN,   /* the cell itself. Column sweeps: up to 3 cells up and down its
                             column, too, but of a field that they write the cell alone */
    WABE_STENCIL_ALONG, /* cells along the axes */
    WABE_STENCIL_AROUND /* cells across edges and corners, too */
} wabe_stencil_shape;

typedef struct {
    int field;
    wabe_stencil_shape stencil;
    int layers;    /* cells on each side */
    bool previous; /* with two grids: read the values before the last ones written */
} wabe_grid_read;

typedef struct {
    const char *name;
    const wabe_sweep *sweep; /* in the registry: its arguments begin with wabe_grid_args */
    const char *kernel;      /* part of the kernel's name, or "" */
    wabe_type type;          /* element type of the kernel's row in the registry */
    int read_count, write_count, reduction_count;
    wabe_grid_read reads[WABE_GRID_ACCESSES_MAX];
    int writes[WABE_GRID_ACCESSES_MAX]; /* fields, all at the same location and level, which are
                                           those of the sweep. Of fields of the next finer or
                                           coarser level it reads its own cell alone */
    int reductions[WABE_GRID_REDUCED_MAX];
    bool whole[3]; /* axes along which a slab must span the domain; y: a column sweep
                      (sweeps/cell/stencil.h) */
} wabe_grid_sweep_row;

typedef struct {
    const char *name;
    wabe_reduction operation;
} wabe_grid_reduction_row;

/* Is there another iteration? The loop is the innermost one of the position. values: of the
 * reductions, as far as the step has reduced them. Same answer on all processes. */
typedef struct {
    const char *name;
    bool (*again)(void *context, const wabe_position *position, const double values[]);
    void *context;
    int64_t count;  /* number of iterations if again is NULL */
    double average; /* otherwise about so many, for forecasts; 0: unknown, taken for 1 */
} wabe_grid_loop_row;

typedef struct {
    wabe_step_kind kind;
    int number;                      /* row in the table of sweeps, reductions or loops */
    double values[WABE_GRID_VALUES]; /* of a sweep, which finds them in its arguments */
    const double *changes; /* NULL, or where its values are each time that the sweep runs, as loops
                              decide; must outlive the slabs, which cannot be streamed */
} wabe_grid_entry;

/* Where a slab's fields are. */
typedef struct {
    int64_t memory;     /* bytes of a device for a window, if the slab is streamed; 0: it is not */
    int steps_per_pass; /* at most; 0: chosen, of slabs without ghost planes */
} wabe_grid_residency;

typedef struct {
    int field_count, sweep_count, reduction_count, loop_count, entry_count;
    wabe_grid_field_row fields[WABE_GRID_FIELDS_MAX];
    wabe_grid_sweep_row sweeps[WABE_GRID_SWEEPS_MAX];
    wabe_grid_reduction_row reductions[WABE_GRID_REDUCTIONS_MAX];
    wabe_grid_loop_row loops[WABE_GRID_LOOPS_MAX];
    wabe_grid_entry entries[WABE_GRID_ENTRIES_MAX]; /* a step */
    int look_count;
    int looks[WABE_GRID_LOOKS_MAX]; /* sweeps that compute what is shown, from the state and
                                       constants, when it is read or scanned between steps. They
                                       write scratch fields, which steps may use for other things;
                                       neighbours that they read have been exchanged for a sweep of
                                       the step */
    int64_t cells[3];               /* of the domain */
    bool periodic[3];
    bool wraps[3]; /* kernels wrap round themselves if a slab spans a periodic axis */
    int depth; /* maximal number of time steps per pass; more than 1 only for models of one sweep */
    int panel, chunk; /* rows and planes of tiles; 0: from cache size and threads */
    wabe_grid_residency residency;
} wabe_grid_model;

/* How the passes of a streamed slab go. */
typedef struct {
    wabe_ring_shape ring;
    wabe_window_arrays arrays; /* before the first pass */
    int64_t reach, advance;    /* planes; see sweeps/stream/pass.h */
    int64_t at_once;           /* successive planes that a look at the state may have */
    int steps_per_pass;
    int64_t plane_bytes; /* of the message with a plane */
    int64_t least;       /* bytes of the smallest window that has room for a step */
} wabe_grid_pass_plan;

/* What a slab whose fields go through a window on the device has beside the passes' driver. */
typedef struct {
    wabe_grid_pass_plan plan;
    wabe_chunk *planes;         /* that passes go through */
    wabe_grid_args *args;       /* of a part of a level */
    wabe_reduction_slot *aside; /* in the device's memory: of steps that nobody asks for */
} wabe_grid_streamed;

/* What the ghosts of a field's present values have been filled for. */
typedef struct {
    int layers; /* 0: nothing */
    wabe_type type;
    wabe_location at;
} wabe_grid_ghosts;

typedef struct {
    const wabe_component *component;
    wabe_grid_model model;
    wabe_box block; /* global indices */
    wabe_box held;  /* with the ghost planes of a streamed slab: the cells that kernels count */
    wabe_layout layouts[WABE_GRID_FIELDS_MAX];
    wabe_field *grids[WABE_GRID_FIELDS_MAX][2];
    int current[WABE_GRID_FIELDS_MAX];     /* the grid that was written last */
    void *exchanged[WABE_GRID_FIELDS_MAX]; /* data of that grid, or of the one being written: the
                                             exchange uses it */
    const wabe_kernel *kernels[WABE_GRID_SWEEPS_MAX];
    const wabe_kernel *fill[WABE_TYPE_end]; /* on CPUs */
    const wabe_kernel *pack[WABE_TYPE_end], *unpack[WABE_TYPE_end], *scan[WABE_TYPE_end];
    wabe_grid_args *args[WABE_GRID_SWEEPS_MAX][WABE_REGION_COUNT]; /* then the sweep's own */
    bool fills[WABE_GRID_SWEEPS_MAX][WABE_GRID_ACCESSES_MAX]; /* ghosts of a sweep's read, if they
                                                                 have not been filled already */
    wabe_grid_ghosts ghosts[WABE_GRID_FIELDS_MAX];
    int64_t passes[WABE_GRID_SWEEPS_MAX];
    wabe_reduction_slot *slots[WABE_GRID_REDUCTIONS_MAX]; /* in the component's memory */
    wabe_timeline timeline;
    wabe_scratch *scratch;
    wabe_pass_driver driver;
    wabe_grid_streamed streamed;
    bool wraps[3];   /* the slab is its own neighbour along this axis: no exchange */
    int steps;       /* time steps of the next pass: the model's depth unless set otherwise; of a
                        streamed slab, several times the depth */
    int64_t step;    /* time steps of the run before it: 0 unless set otherwise */
    bool has_looked; /* what is shown belongs to the present state */
} wabe_grid_slab;

/* ---- tables (grid_plan.c) ----------------------------------------------------------- */

/* Makes a model of one sweep; the caller adds fields, reads and writes. Local. */
wabe_grid_model wabe_grid_model_of_sweep(const wabe_grid_sweep_row *sweep, const int64_t cells[3],
                                         const bool periodic[3]);

/* Makes of an application's model one whose step is a kernel's sweep alone, on all of its fields:
 * those that earlier sweeps would write are of the state. The sweep must be in the model. Local. */
wabe_grid_model wabe_grid_model_of_one(const wabe_grid_model *model, const wabe_kernel *kernel);

/* Add a row to one of a model's tables, and return its number; the last one appends an entry to its
 * step, with this value. Rows that there is no room for are counted, too, and refused by
 * wabe_grid_check. Local. */
int wabe_grid_add_field(wabe_grid_model *model, const wabe_grid_field_row *row);
int wabe_grid_add_sweep(wabe_grid_model *model, const wabe_grid_sweep_row *row);
int wabe_grid_add_loop(wabe_grid_model *model, const wabe_grid_loop_row *row);
int wabe_grid_add_reduction(wabe_grid_model *model, const wabe_grid_reduction_row *row);
int wabe_grid_add_entry(wabe_grid_model *model, wabe_step_kind kind, int number, double value);

/* WABE_INPUT: the tables are inconsistent, or exceed a limit above, or that of exchanges; names
 * sweep and field. Local. */
wabe_status wabe_grid_check(const wabe_grid_model *model);

/* Lists the numbers per cell that make up the state: the components of the fields with that role,
 * in order; returns their count. Local. */
typedef struct {
    int field, component;
} wabe_grid_number;
int wabe_grid_state(const wabe_grid_model *model, wabe_grid_number out[WABE_GRID_NUMBERS_MAX]);
/* The same, followed by the numbers that looks write. Local. */
int wabe_grid_numbers(const wabe_grid_model *model, wabe_grid_number out[WABE_GRID_NUMBERS_MAX]);

/* Returns the maximal number of ghost layers that a slab needs; of fields of one level. Local. */
int wabe_grid_halo(const wabe_grid_model *model);
int wabe_grid_halo_at(const wabe_grid_model *model, int level);

/* Returns how often an axis is halved down to a level: as long as its number of cells is even.
 * Local. */
int wabe_grid_halvings(const wabe_grid_model *model, int axis, int level);
/* Returns the level of what a sweep writes. Local. */
int wabe_grid_level_of(const wabe_grid_model *model, int sweep);
/* Returns the same cells in a level's grid. Local. */
wabe_box wabe_grid_at_level(const wabe_grid_model *model, int level, wabe_box box);
/* Finds what slabs must be a multiple of, along each axis, so that they have all levels. Local. */
void wabe_grid_grain(const wabe_grid_model *model, int64_t out[3]);

/* What neighbours need of a sweep's results. */
typedef struct {
    int sweep, field_count;
    struct {
        int field, layers;
        bool edges; /* with edges and corners */
    } fields[WABE_GRID_ACCESSES_MAX];
} wabe_grid_exchange;

/* The exchanges of a step; for each entry the exchange that begins there (or WABE_NO_EXCHANGE) and
 * a mask of those that it waits for. */
typedef struct {
    int count;
    wabe_grid_exchange exchanges[WABE_EXCHANGES_MAX];
    int begins[WABE_GRID_ENTRIES_MAX];
    uint64_t awaits[WABE_GRID_ENTRIES_MAX];
} wabe_grid_plan;

/* Derives the exchanges of a model that has been checked. Local. */
wabe_grid_plan wabe_grid_plan_of(const wabe_grid_model *model);

/* Checks that slabs of this size can do depth time steps per pass: their ghosts must be cells of
 * the direct neighbour. WABE_INPUT: they cannot; names sweep and field. Local. */
wabe_status wabe_grid_fits(const wabe_grid_model *model, const int64_t cells[3], int depth);

/* ---- slabs (grid.c, grid_shape.c, passes.c) ------------------------------------ */

/* Returns the number of time steps per pass that makes a step of a slab of this size cheapest, from
 * the kernel's row and the cells that both sides of a face compute. Local. */
int wabe_grid_depth(const wabe_kernel *kernel, const wabe_grid_model *model,
                    const int64_t cells[3]);

/* Creates a slab. inner: the part of block that needs no data from neighbours. The sweeps' own
 * arguments are zero. WABE_INPUT: no kernel matches; WABE_MEMORY. Local. */
wabe_status wabe_grid_create(const wabe_registry *registry, const wabe_component *component,
                             const wabe_grid_model *model, wabe_box block, wabe_box inner,
                             wabe_grid_slab **out);
/* Collective if the slab has neighbours (wabe_grid_meet_neighbours). */
void wabe_grid_destroy(wabe_grid_slab **slab);

/* Why slabs of this model cannot be streamed; NULL: those that span the domain along x and y can.
 * Local. */
const char *wabe_grid_obstacle(const wabe_grid_model *model);
/* Returns the number of ghost planes at each face to a neighbour that passes of so many steps need.
 * Local. */
int wabe_grid_ghost_planes(const wabe_grid_model *model, int steps);
/* Returns the cells that a slab of this block holds: with ghost planes, if it is streamed and the
 * domain goes on behind its faces normal to z; then model->residency.steps_per_pass must be set.
 * Local. */
wabe_box wabe_grid_held(const wabe_grid_model *model, wabe_box block);
/* Connects a streamed slab with those below and above it, the only ones of their processes. ranks:
 * -1: there is none; share: see wabe_planes_create. WABE_MEMORY, WABE_INPUT. Collective. */
wabe_status wabe_grid_meet_neighbours(wabe_grid_slab *slab, MPI_Comm comm,
                                      const int ranks[WABE_SIDES], bool share);
/* Plans the passes of a slab of this size, ghost planes included. unit: see wabe_device_ring_unit.
 * WABE_MEMORY: too little for a step; WABE_INPUT: for residency.steps_per_pass. Local. */
wabe_status wabe_grid_plan_passes(int64_t unit, const wabe_grid_model *model,
                                  const int64_t cells[3], wabe_grid_pass_plan *out);
/* Returns the bytes of a device that a streamed slab takes beside its window: of reductions, those
 * aside too, and of statistics. Local. */
int64_t wabe_grid_bytes_beside(const wabe_grid_model *model);
/* Returns the seconds that the kernels of a streamed slab's passes took; waits for them. Local. */
double wabe_grid_kernel_seconds(const wabe_grid_slab *slab);

/* Callbacks of a step that concern the slabs of all processes. */
typedef struct {
    void *context;
    void (*reduce)(void *context, int reduction); /* Collective. */
    bool (*again)(void *context, int loop, const wabe_position *position);
} wabe_grid_control;

/* Appends a step of slabs, all of one model, to a schedule; control: NULL for models without
 * reductions and loops. Local. */
void wabe_grid_schedule(int slab_count, wabe_grid_slab *const *slabs,
                        const wabe_grid_control *control, wabe_schedule *schedule);

/* Return the bytes of the fields of a slab of this size, and those of each thread's scratch memory.
 * Local. */
int64_t wabe_grid_bytes(const wabe_grid_model *model, const int64_t cells[3], wabe_target target);
int64_t wabe_grid_scratch(const wabe_kernel *kernel, const wabe_grid_model *model,
                          const int64_t cells[3]);

/* Merges into bins what the last pass of a slab has left for a reduction: a sum adds to all bins,
 * an extreme replaces bins[0] if it is lower or higher. Callers begin with wabe_reduction_neutral.
 * Sums are exact in any order. WABE_MEMORY. Local. */
wabe_status wabe_grid_reduce(const wabe_grid_slab *slab, int reduction, double bins[WABE_BINS]);

/* ---- samples ------------------------------------------------------------------------ */

/* The case on which wabe bench and wabe calibrate measure kernels of a sweep: wabe_sweep.sample. */
typedef struct {
    const char *application; /* the sweep's name in machine files; NULL: not in them */
    bool walls; /* machine files have it with walls and periodic; otherwise as the model is */
    /* Makes a model of one sweep, without loops, for a kernel; walls: at all faces. Local. */
    wabe_grid_model (*model)(const wabe_kernel *kernel, const int64_t cells[3], bool walls);
    /* Sets the sweeps' own arguments, and constants, of either model. WABE_MEMORY. Local. */
    wabe_status (*fill)(wabe_grid_slab *slab);
    /* NULL: this sweep is a step of the application. Otherwise it is the first one of several:
     * makes the model of a whole step, which reduces nothing. Local. */
    wabe_grid_model (*step)(wabe_type type, const int64_t cells[3], bool walls);
} wabe_grid_sample;

/* Creates a slab that spans the domain of its kernel's sample. depth: time steps per pass; 0: the
 * number that makes a step cheapest. WABE_INPUT: the kernel cannot run here; WABE_MEMORY. Local. */
wabe_status wabe_grid_sample_create(const wabe_registry *registry, const wabe_component *component,
                                    const wabe_kernel *kernel, const int64_t cells[3], bool walls,
                                    int depth, wabe_grid_slab **out);
/* The same for a whole step, if the sample has one. Local. */
wabe_status wabe_grid_sample_create_step(const wabe_registry *registry,
                                         const wabe_component *component, const wabe_kernel *kernel,
                                         const int64_t cells[3], bool walls, int depth,
                                         wabe_grid_slab **out);

/* ---- values (grid_values.c) --------------------------------------------------------- */

/* Fills row with the values of count cells along x, beginning at cell (global indices; for
 * constants and fixed boundary layers also ghosts). Called plane by plane. */
typedef wabe_status (*wabe_grid_values)(const void *context, const int64_t cell[3], int64_t count,
                                        double *row);

/* Makes the next step step 0 and zeroes all fields but the constants. WABE_MEMORY. Local; of slabs
 * with ghost planes Collective. */
wabe_status wabe_grid_reset(wabe_grid_slab *slab);
/* Sets a component of a field, from which the next step starts. WABE_MEMORY, or what values
 * returns. Local. */
wabe_status wabe_grid_set(wabe_grid_slab *slab, int field, int component, wabe_grid_values values,
                          const void *context);
/* Returns the box of the slab where a field has numbers: one layer more than cells if they are on
 * faces and the slab reaches the domain's high face. Local. */
wabe_box wabe_grid_box(const wabe_grid_slab *slab, int field);
/* Adds the statistics of a component of a field after the last step, over the slab's cells, to *s,
 * which begins as wabe_scan_of_none(). scale: see wabe_scan_args. WABE_MEMORY: *s is unchanged.
 * Local. */
wabe_status wabe_grid_scan(wabe_grid_slab *slab, int field, int component, double scale,
                           wabe_scan_result *s);
/* Copies the values of a box of the slab (global indices) after the last step, [z][y][x].
 * WABE_MEMORY. Local. */
wabe_status wabe_grid_read_field(wabe_grid_slab *slab, int field, int component, wabe_box box,
                                 double *values);
