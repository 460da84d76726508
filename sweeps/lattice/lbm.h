/* A slab of a lattice Boltzmann simulation: its populations, its cells, the kernels chosen for it,
 * and the sweeps that run on it. */
#pragma once

#include "core/device/field.h"
#include "core/device/memory.h"
#include "core/geometry/geometry.h"
#include "core/registry/call.h"
#include "core/registry/kernel.h"
#include "core/registry/transfer.h"
#include "sweeps/cell/lbm_attributes.h"
#include "sweeps/lattice/face_layers.h"
#include "sweeps/lattice/forces.h"
#include "sweeps/lattice/moments.h"
#include "sweeps/lattice/rheology.h"
#include "sweeps/lattice/streaming.h"
#include "sweeps/lattice/tiles.h"
#include "sweeps/slab/schedule.h"
#include "sweeps/stream/run.h"

/* The sweeps that a slab has kernels for. */
typedef enum {
    WABE_LBM_STREAM_COLLIDE,
    WABE_LBM_INITIALISE,
    WABE_LBM_REFLECT,
    WABE_LBM_ABSORB,
    WABE_LBM_BOUNDARY,
    WABE_LBM_MACROSCOPIC,
    WABE_LBM_MONITOR,
    WABE_LBM_FORCES,
    WABE_LBM_HASH,
    WABE_LBM_PACK,
    WABE_LBM_UNPACK,
    WABE_LBM_SWEEPS
} wabe_lbm_sweep;

/* How a slab's populations are on the device. */
typedef struct {
    int64_t memory;  /* bytes that they may take there, if the slab is streamed; 0: it is not, and
                        all of them are there */
    bool neighbours; /* streamed: the slab has ghost planes, of slabs below and above, or of its own
                        other end */
    bool summed;     /* there will be sums over time */
    int steps_per_pass; /* at most; streamed: 0: chosen; otherwise, on CPUs: 0: no passes */
    int rows; /* CPUs: of a panel (sweeps/stream/panels.h), if the slab can have them; 0: whole
                 planes */
} wabe_lbm_residency;

/* How the passes of a slab go; ring, places, at_once: if it is streamed. Cells of a list are its
 * slots. */
typedef struct {
    wabe_ring_shape ring;     /* of populations, or of the two grids of moments */
    wabe_window_arrays moved; /* of the ring's arrays; of two grids one at a time */
    wabe_ring_shape places;   /* of a list's neighbour indices, which are only loaded */
    int64_t reach;            /* cells */
    int64_t ahead;            /* cells, within the reach, by which images precede the kernel */
    int64_t image_plane;      /* moments: cells of the plane of images beyond either end */
    int64_t advance;          /* cells per round; see sweeps/stream/pass.h */
    int64_t grain;            /* cells of the largest item, beyond which a part goes */
    int64_t beside;  /* cells on the device beside a round: ghost planes that come or go, the plane
                        that is next to be added to sums */
    int64_t at_once; /* successive cells that a look at the state may have on the device */
    int steps_per_pass;
    int more_planes;     /* see wabe_lbm_more_planes */
    int room_steps;      /* streamed: those that leave a part of the window for copies */
    int64_t plane_bytes; /* of all arrays that are moved, for neighbours */
    int64_t least;       /* bytes of the smallest window that has room for a step */
} wabe_lbm_pass_plan;

/* Ghost planes of a streamed slab at a face, at most. */
enum { WABE_LBM_GHOSTS_MAX = WABE_PASS_LEVELS_MAX + 1 };

/* Looks at all cells that give a few numbers; kernels make them in parts. */
typedef enum { WABE_LOOK_MONITOR, WABE_LOOK_HASH, WABE_LOOKS } wabe_lbm_look;

/* A look that a pass takes while the state is on the device. */
typedef struct {
    bool wanted;         /* of the next pass */
    void *results;       /* of parts, on the device */
    int64_t count, room; /* parts */
    int64_t seen;        /* chunks */
    int64_t step;        /* of the timeline whose state it has seen; -1: of none */
} wabe_lbm_passing;

/* A look that has begun on the slab's device. */
typedef struct {
    wabe_lbm_look look;
    int64_t step;  /* of the timeline */
    int64_t count; /* partial sums; 0: none has begun */
} wabe_lbm_begun;

typedef struct {
    int64_t begin, end;
} wabe_lbm_range;

/* What a slab whose steps are passes has beside their driver. */
typedef struct {
    wabe_lbm_pass_plan plan;
    bool in_use;         /* the slab has them */
    wabe_window *places; /* on a list's neighbour indices, or NULL; the driver's: on populations or
                            moments */
    wabe_chunk *chunks;  /* of the inner region, which has all cells; on the host, as the rest */
    int64_t chunk_count;
    wabe_chunk *planes; /* moments: what a pass goes through in place of chunks */
    uint32_t *images;   /* the cell of each link to an image */
    wabe_lbm_passing passing[WABE_LOOKS];
    wabe_lbm_range not_seen;   /* chunks at which the present pass has not looked */
    bool summing;              /* the next pass adds its state to the sums over time */
    wabe_lbm_range not_summed; /* planes that the present pass has not added */
    int64_t summed;            /* the step whose state passes have added last; -1: none */
    int steps;                 /* of the next pass */
} wabe_lbm_passes;

/* The model, in lattice units. */
typedef struct {
    wabe_type type; /* storage type */
    wabe_lattice lattice;
    wabe_collision_operator collision;
    wabe_streaming streaming;
    double list_cost_ratio; /* use list instead if its bytes per step, times this, are fewer; 0:
                               never */
    double tau;             /* relaxation time of the even part: nu = (tau - 1/2) / 3 */
    double magic;           /* TRT: Lambda = (tau - 1/2)(tau_- - 1/2) */
    double smagorinsky;     /* regularized: constant of the subgrid model; 0: none */
    bool bulk_is_one; /* recursive_regularized: the trace of the second moments relaxes at rate 1 */
    bool corrects;    /* recursive_regularized: makes up for u^3, which the lattice leaves out */
    wabe_rheology rheology;          /* recursive_regularized without a subgrid model */
    double force[3];                 /* per cell */
    const wabe_table *force_in_time; /* by steps: a factor of it; NULL: 1. Must outlive the slab */
    struct {
        double diffusivity, magic; /* TRT: as that of the flow */
        double buoyancy[3];        /* force per cell and unit of the scalar */
        double turbulent_schmidt;  /* with a subgrid model: eddy viscosity over diffusivity */
    } scalar;                      /* that the flow carries, if the lattice has one */
    const char *kernel; /* part of the name that stream_collide's kernel must have, or "" */
    wabe_lbm_residency residency;
} wabe_lbm_model;

typedef struct {
    const wabe_component *component;
    wabe_lbm_model model;
    wabe_collision_parameters collision;
    wabe_box block;     /* global indices */
    wabe_box held;      /* the block and its ghost planes (driver.ghosts): the layout's cells */
    bool spans[3];      /* see wabe_lbm_create */
    bool wraps[3];      /* the slab is its own neighbour along this axis: no exchange */
    int64_t domain[3];  /* its cells */
    wabe_layout layout; /* numbers the cells */
    wabe_layout stored; /* of the fields; pattern moments: another one */
    wabe_state_form form;
    wabe_moments_plan moments;
    wabe_streaming_offsets offsets;
    wabe_field *fields[2]; /* the second one only with two grids */
    void *exchanged;       /* the exchange's grid: the one being written, or written last */
    wabe_field *wall;      /* the wall buffer */
    wabe_tiles *tiles;
    wabe_face_layers face_layers;
    wabe_list *list; /* NULL unless the streaming pattern is list */
    wabe_pass_driver driver;
    wabe_lbm_passes passes;
    wabe_flags flags; /* of the slab and one cell around it, until wabe_lbm_forget */
    /* By population, of mirrored axes and the step's parity; of the wrapped axes. */
    ptrdiff_t image_from[2][8][WABE_Q_MAX], image_around[8][WABE_Q_MAX];
    const wabe_kernel *kernels[WABE_LBM_SWEEPS];
    void *results;  /* partial sums, in the component's memory */
    void *rheology; /* the table of wabe_rheology_keep, likewise; NULL: none */
    wabe_lbm_begun begun;
    wabe_force_plan forces;
    wabe_scratch *scratch;
    void *sums; /* over time, sum_rows per cell, in the component's memory, or of a streamed slab in
                   the host's, where kernels reach it; NULL: none */
    int sum_rows;
    double sum_threshold;
    int64_t first_step;     /* steps of earlier runs, before the timeline's */
    double force_before[3]; /* of states up to step force_step; later ones have collision's */
    int64_t force_step;     /* -1: there are no earlier ones */
    wabe_timeline timeline;
    wabe_stream_collide_args stream_collide[WABE_REGION_COUNT]; /* of the present step */
    wabe_absorb_args absorb[WABE_REGION_COUNT];
    wabe_boundary_args boundary;
} wabe_lbm_slab;

/* Fills moments (density deviation, ux, uy, uz, scalar; lattice units) of a cell (global indices);
 * they are 0 before. Local. */
typedef void (*wabe_lbm_initial)(const void *context, const int64_t cell[3],
                                 double moments[WABE_MOMENTS_GIVEN]);

/* A wabe_lbm_initial for a fluid at rest; it ignores context. Local. */
void wabe_lbm_at_rest(const void *context, const int64_t cell[3],
                      double moments[WABE_MOMENTS_GIVEN]);

/* Allocates a slab and picks its kernels. inner: the part of block that needs no data from
 * neighbours. spans: axes along which every slab spans the domain, needed by pattern moments alone;
 * NULL: as this one does. WABE_INPUT: no kernel matches; WABE_MEMORY. Local. */
wabe_status wabe_lbm_create(const wabe_registry *registry, const wabe_component *component,
                            const wabe_lbm_model *model, const wabe_geometry *geometry,
                            wabe_box block, wabe_box inner, const bool spans[3],
                            wabe_lbm_slab **out);
void wabe_lbm_destroy(wabe_lbm_slab **lbm);
/* Sets the body force of the present state, and that of all later ones. Local. */
void wabe_lbm_set_force(wabe_lbm_slab *lbm, const double present[3], const double next[3]);
/* Gets the body force of the present state. Local. */
void wabe_lbm_present_force(const wabe_lbm_slab *lbm, double force[3]);
/* Frees what only set-up needs: the flags, and the list's map from cells to slots. Local. */
void wabe_lbm_forget(wabe_lbm_slab *lbm);

/* Returns the element of the field that holds population q of a cell of the slab or next to it
 * (global indices). sending: where a step of this parity writes q; otherwise where the step after
 * it reads q. WABE_NO_INDEX: the cell, or the one that q goes to (sending) or comes from, is not a
 * fluid cell in the list. Lists only, until wabe_lbm_forget. Local. */
uint32_t wabe_lbm_place(const wabe_lbm_slab *lbm, const int64_t cell[3], int q, int parity,
                        bool sending);

/* Sets flat[d] if slabs of a geometry are flat along axis d: see wabe_layout. Local. */
void wabe_lbm_flat(const wabe_geometry *geometry, bool flat[3]);
/* Returns how the numbers of a slab of this size are stored, populations or moments; spans: see
 * wabe_lbm_create, along z also true of streamed slabs. Local. */
wabe_layout wabe_lbm_layout(const wabe_lbm_model *model, const wabe_geometry *geometry,
                            const int64_t cells[3], const bool spans[3], wabe_target target);
/* Returns the bytes of the fields of a slab of this size, without walls and buffers; flat may be
 * NULL: no axis is. Of moments the rows may need a group more if the domain is cut along x or has
 * mirrors there. Local.
 */
int64_t wabe_lbm_field_bytes(const wabe_lbm_model *model, const int64_t cells[3],
                             const bool flat[3], wabe_target target);
/* Returns the bytes that this slab has allocated: fields, wall buffer, tiles, list, sums. Local. */
int64_t wabe_lbm_bytes(const wabe_lbm_slab *lbm);

/* Sets the state before step 0: equilibrium with the given moments. WABE_MEMORY. Local. */
wabe_status wabe_lbm_initialise(wabe_lbm_slab *lbm, wabe_lbm_initial initial, const void *context);

/* Returns how many numbers per cell are the state: its populations, or ten moments. Local. */
int wabe_lbm_state_numbers(const wabe_lbm_model *model);

/* Copies number q of the state of a box of the slab (global indices), a post-collision population
 * or a moment as it is stored, to values, [z][y][x], in the storage type; solid cells are 0.
 * WABE_MEMORY. Local. */
wabe_status wabe_lbm_populations(const wabe_lbm_slab *lbm, int q, wabe_box box, void *values);

/* Sets the state after this many steps from such values, in place of wabe_lbm_initialise. Calls
 * stored for boxes of whole planes of the slab, and each population of a box; stored may change its
 * context. WABE_MEMORY, or what stored returns. Local. */
typedef wabe_status (*wabe_lbm_stored)(void *context, int q, wabe_box box, void *values);
wabe_status wabe_lbm_restore(wabe_lbm_slab *lbm, int64_t step, wabe_lbm_stored stored,
                             void *context);

/* Returns how many ghost planes a streamed slab needs besides one for each step of a pass: one, if
 * a face's boundary reads all that has left a cell (pressure_normal), if it is a list, whose planes
 * come with what has left their cells, or of moments, of which nothing arrives in the slab but from
 * a plane that the last step has covered; otherwise none. Local. */
int wabe_lbm_more_planes(const wabe_geometry *geometry, wabe_streaming streaming);
/* Returns the cells that a slab of this block holds: if it is streamed, steps_per_pass planes and
 * those of wabe_lbm_more_planes more at each face normal to z behind which the domain goes on.
 * Local. */
wabe_box wabe_lbm_held(const wabe_lbm_residency *residency, const wabe_geometry *geometry,
                       wabe_streaming streaming, wabe_box block);
/* Connects a streamed slab with those below and above it, the only ones of their processes. ranks:
 * -1: there is none; share: see wabe_planes_create. WABE_MEMORY, WABE_INPUT. Collective. */
wabe_status wabe_lbm_meet_neighbours(wabe_lbm_slab *lbm, MPI_Comm comm, const int ranks[WABE_SIDES],
                                     bool share);
/* Fills the ghost planes after wabe_lbm_initialise or wabe_lbm_restore. Collective. */
void wabe_lbm_fill_ghosts(wabe_lbm_slab *lbm);
/* Waits until neighbours have all that was sent, and leaves aside what they have sent: before ghost
 * planes are filled anew, or the slab is destroyed. Collective. */
void wabe_lbm_drain_ghosts(wabe_lbm_slab *lbm);

/* Measures the lists by planes that slabs of a geometry have: bounds for any that hold planes of
 * this box, whose neighbours along x and y are itself or none; slots: of the box. WABE_MEMORY, and
 * what wabe_geometry_flags returns. Local. */
wabe_status wabe_lbm_measure_list(wabe_lattice lattice, const wabe_geometry *geometry, wabe_box box,
                                  wabe_list_extent *out);
/* Plans how a slab of this layout (wabe_lbm_layout) is streamed, and widens that of populations.
 * unit: see wabe_device_ring_unit; the slab spans the domain along its periodic axes. list: NULL:
 * there is none; otherwise the layout has been shortened to it. WABE_MEMORY: the memory that it may
 * take on the device is too small for a step; WABE_INPUT: for so many steps per pass, or unit is 0.
 * Local. */
wabe_status wabe_lbm_plan_passes(int64_t unit, const wabe_lbm_residency *residency,
                                 const wabe_geometry *geometry, const wabe_list_extent *list,
                                 wabe_layout *layout, wabe_lbm_pass_plan *out);
/* The same for passes in the cache of CPUs. Local. */
void wabe_lbm_plan_cached_passes(const wabe_geometry *geometry, const wabe_list_extent *list,
                                 const wabe_layout *layout, wabe_lbm_pass_plan *out);

/* Appends the sweeps of slabs to a schedule; those of slabs with passes are one of passes.steps
 * steps. Local. */
void wabe_lbm_schedule(int slab_count, wabe_lbm_slab *const *slabs, wabe_schedule *schedule);

/* Returns the seconds that the kernels of a streamed slab's passes took, without waiting for
 * copies: since wabe_lbm_initialise or wabe_lbm_restore. Local. */
double wabe_lbm_kernel_seconds(const wabe_lbm_slab *lbm);

/* Waits until all work queued for the slab is done. Local. */
void wabe_lbm_synchronise(const wabe_lbm_slab *lbm);

/* Returns the field that holds the state after the last step. Local. */
wabe_field *wabe_lbm_state(const wabe_lbm_slab *lbm);

/* Writes the first count moments (density deviation, ux, uy, uz, scalar) of a box of the slab
 * (global indices): arrays [z][y][x], one after the other; solid cells are at rest. WABE_MEMORY.
 * Local. */
wabe_status wabe_lbm_moments(const wabe_lbm_slab *lbm, wabe_box box, int count, double *moments);

/* A quantity made of consecutive outputs of a cell (WABE_LBM_OUTPUTS, lattice units): count outputs
 * from first on, each as factor (offset + value). */
typedef struct {
    int first, count;
    double offset, factor;
} wabe_quantity;

/* Writes a quantity of every step-th cell of a box of the slab (global indices), from its first
 * cell on: [z][y][x][component], f64 or f32. Solid cells are at rest. WABE_MEMORY. Local. */
wabe_status wabe_lbm_quantity(const wabe_lbm_slab *lbm, const wabe_quantity *quantity, wabe_box box,
                              int64_t step, wabe_type type, void *values);

/* Starts sums over time at zero. rows: how many of the sums that sweeps/cell/lbm.h lists, from the
 * first; the same in each call. threshold: of the speed, for WABE_SUM_EXCEEDANCE. WABE_MEMORY.
 * Local. */
wabe_status wabe_lbm_begin_sums(wabe_lbm_slab *lbm, int rows, double threshold);
/* Adds the present state to the sums. Local. */
void wabe_lbm_add_to_sums(wabe_lbm_slab *lbm);
/* Copies one row of the sums for whole planes of the slab, from z (a global index) on: [z][y][x].
 * WABE_MEMORY. Local. */
wabe_status wabe_lbm_read_sums(const wabe_lbm_slab *lbm, int row, int64_t z, int64_t planes,
                               double *out);
wabe_status wabe_lbm_write_sums(wabe_lbm_slab *lbm, int row, int64_t z, int64_t planes,
                                const double *values);

/* Begins to look at all cells, if that takes place on a device: several devices then work at once.
 * wabe_lbm_monitor or wabe_lbm_hash, called next and in the same step, takes the results. Local. */
void wabe_lbm_begin_look(wabe_lbm_slab *lbm, wabe_lbm_look look);
/* Computes the slab's mass deviation, energy, momentum, drag, largest speed and broken cells. Cells
 * are numbered within the slab. WABE_MEMORY. Local. */
wabe_status wabe_lbm_monitor(wabe_lbm_slab *lbm, wabe_monitor_result *out);

/* Finds the links of walls, for wabe_lbm_forces: those of all solids, and of the faces whose bits
 * are set (bit 0: x_low). Before wabe_lbm_forget. WABE_MEMORY. Local. */
wabe_status wabe_lbm_plan_forces(wabe_lbm_slab *lbm, const wabe_geometry *geometry, unsigned faces);
/* Adds what the solids of each condition take from the slab's fluid in a step; forces: an element
 * per condition of the geometry. WABE_MEMORY. Local. */
wabe_status wabe_lbm_forces(const wabe_lbm_slab *lbm, wabe_force forces[]);

/* Computes the sum of the hashes of every post-collision population of the fluid cells. It does not
 * depend on the streaming pattern or on how the domain is cut: sums of slabs add up, and two runs
 * with the same sum have the same bits. WABE_MEMORY. Local. */
wabe_status wabe_lbm_hash(wabe_lbm_slab *lbm, uint64_t *out);

/* Converts the number of a cell of the slab to global indices. Local. */
void wabe_lbm_cell(const wabe_lbm_slab *lbm, int64_t n, int64_t cell[3]);
