/* A run of an application on all processes, from input file to results.json. */
#pragma once

#include "apps/runtime/application.h"
#include "apps/runtime/async_output.h"
#include "apps/runtime/forecast.h"
#include "apps/runtime/input.h"
#include "apps/runtime/time_series.h"

#include <time.h>

/* Parts: the whole domain, 15 of output.parts and output.picture. */
enum {
    WABE_PARTS_MAX = 17,
    WABE_PROBES_MAX = 64,
    WABE_PART_FIELDS_MAX = WABE_OUTPUT_FIELDS_MAX,
    WABE_PANELS_MAX = 2
};

/* A part of the domain whose fields are written, or drawn, at intervals. */
typedef struct {
    int number; /* in output.parts; -1: the whole domain, or output.picture */
    char name[WABE_OUTPUT_NAME_MAX + 1];
    wabe_box box;
    int64_t stride, every;
    double interval; /* of time, between outputs; 0: none */
    wabe_type type;
    int field_count; /* of a drawn one at most WABE_PANELS_MAX */
    const wabe_output_quantity *fields[WABE_PART_FIELDS_MAX];
    /* Of one that is drawn: */
    bool drawn;
    double low[WABE_PANELS_MAX],
        high[WABE_PANELS_MAX]; /* ends of the colours; NAN: of the values */
    double drawn_low[WABE_PANELS_MAX], drawn_high[WABE_PANELS_MAX]; /* of the last picture drawn */
    struct wabe_run_drawing *drawing; /* on rank 0, in the background; NULL: none */
} wabe_run_part;

/* The time of steps that differ; of others the time step alone is set. */
typedef struct {
    double before, now, next; /* after the last step but one, the last one, the one planned */
    double time_step;         /* of the last one, or of the one planned */
} wabe_run_clock;

/* A cell whose numbers are recorded over time. */
typedef struct {
    char name[WABE_OUTPUT_NAME_MAX + 1];
    int64_t cell[3];
    wabe_time_series file;
} wabe_run_probe;

/* The results of checks of the state. */
typedef struct {
    wabe_time_series file;
    double columns[WABE_MONITOR_COLUMNS_MAX];
    double last, also, below; /* values of steady_column, steady_also and steady_below in the
                                 previous line; NAN: none yet */
    double residual;          /* of the last line of this run */
    int steady_checks;        /* consecutive checks that found little change */
    bool steady;
} wabe_run_monitor;

/* Sums over time. */
typedef struct {
    bool kept;
    int rows; /* per cell */
    int64_t samples;
    wabe_time_sums of; /* the application's sums, or access to own */
    double *own;       /* [row][z][y][x] of the block */
} wabe_run_averages;

/* The machine file and its forecast. */
typedef struct {
    const char *file;
    bool asked; /* named on the command line; otherwise the one in the current folder, if any */
    wabe_machine machine;   /* without components: there is none */
    wabe_forecast forecast; /* of a step, if there is a machine file */
} wabe_run_model;

/* A state that goes through a GPU's memory in passes; by this process. */
typedef struct {
    const char *what;     /* "populations" */
    wabe_ring_shape ring; /* no pieces: the state is resident */
    double beside;        /* bytes of other windows on the GPU */
    double others;        /* and of all that goes through these */
    double host;          /* bytes of the host's memory */
    int64_t planes;       /* of neighbours, that come once a pass */
    double plane_bytes;   /* of each */
    bool told;            /* the log says why it is not streamed */
} wabe_run_streamed;

/* Applications read the members of a run, and set only those that the comments of their functions
 * (application.h) name. */
struct wabe_run {
    MPI_Comm comm;
    int rank, size;
    const wabe_input *input;
    wabe_config *config;
    const wabe_application *app;
    const wabe_run_options *o;
    char directory[WABE_STRING_SIZE + 16];
    wabe_folder folder; /* that directory, taken by this run */
    bool goes_on;       /* continues from a checkpoint in the directory, and appends to its files */
    time_t began;
    wabe_decomposition decomposition; /* known before any allocation */
    wabe_box block;                   /* of this process */
    wabe_components components;
    const wabe_kernel *kernel; /* of the first component */
    wabe_model_work work;      /* of a cell in a step of the first slab: of all its sweeps */
    int depth;                 /* steps per call of the kernel */
    int pass_steps; /* steps of a pass through the slabs, if they do several at once without a
                       kernel for that; otherwise 0 */
    wabe_run_streamed streamed;
    wabe_domain *domain;
    int64_t updates;                 /* cells updated per step, of all processes */
    int64_t rehearsal;               /* untimed steps before those of the input */
    int64_t first_step, step, steps; /* at its start; so far; at its end, with rehearsal */
    wabe_run_clock clock;
    int part_count;    /* those that are drawn come last */
    int written_count; /* part i of these is written by async.outputs[i] */
    wabe_run_part parts[WABE_PARTS_MAX];
    int probe_count;
    wabe_run_probe probes[WABE_PROBES_MAX];
    wabe_run_averages averages;
    wabe_run_monitor monitor;
    wabe_run_model model;
    wabe_async_output async;
    wabe_checkpoint_policy policy;
    double copy;      /* bandwidth: bytes per second of all processes at once; NAN: not measured */
    double memory;    /* bytes of the state, of all processes: a forecast before the run */
    double peak;      /* bytes of the host's memory that they take at most, likewise */
    double seconds;   /* of the time loop, as used for rates */
    double cpu_share; /* smallest share of processor time that a process got; NAN: unknown */
    bool changed;     /* it continues a checkpoint of other physics */
    bool begun;       /* results.json has been written with status "running" */
    bool told;        /* and then with the run's end */
    bool stopped;     /* it ended before the last step */
    const char *status;
    const char *message; /* why it failed, or NULL */
};

typedef enum { WABE_VERB_RUN, WABE_VERB_CHECK, WABE_VERB_PREDICT } wabe_verb;

/* Returns the bytes of sums over time that this process has in the host's memory, beside those of
 * a streamed state. Local. */
double wabe_run_host_sums(const wabe_run *run);

/* Is the state of this process streamed through a GPU? Local. */
static inline bool wabe_run_is_streamed(const wabe_run *run) {
    return run->streamed.ring.pieces > 0;
}

/* Returns a table with what wabe_config_read needs: the keys of all runs, of all cases, and own
 * ones. all: the application's options, size bytes, which begin with wabe_run_options. tables: is
 * filled, and must live as long as the table. Local. */
wabe_application wabe_run_application(const char *name, const wabe_option own[], void *all,
                                      size_t size, wabe_option_table tables[3]);

/* Says that cells are cubes with this edge. Local. */
void wabe_run_cubes(wabe_application *app, double edge);

/* Executes an input file whose options have been read. stopped: the run ended before its last step.
 * WABE_INPUT, WABE_MEMORY, WABE_FILE, WABE_DIVERGED, WABE_NOT_CONVERGED. Collective. */
wabe_status wabe_run_case(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                          const wabe_application *application, wabe_verb verb, bool *stopped);

/* Begins a run for commands other than run: chooses outputs and decomposes the domain. Call
 * wabe_run_finish afterwards even if it fails. WABE_INPUT, WABE_MEMORY. Collective. */
wabe_status wabe_run_begin(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                           const wabe_application *application, wabe_run *out);
void wabe_run_finish(wabe_run *run);

/* Returns the number of timed steps done by this run. Local. */
static inline int64_t wabe_run_timed_steps(const wabe_run *run) {
    return run->step - run->rehearsal - run->first_step;
}

/* run_clock.c: returns the time after a step; of steps that differ, of one beside the present one
 * at most. Local. */
double wabe_run_time_at(const wabe_run *run, int64_t step);
static inline double wabe_run_time(const wabe_run *run) { return wabe_run_time_at(run, run->step); }
/* Returns the step after which a run of equal time steps ends. Local. */
int64_t wabe_run_last_step(const wabe_run_options *options, double time_step);

/* Returns the bytes of a component that the run may take now. Local. */
double wabe_run_device_memory(const wabe_run *run, int component);

/* Returns the key of what ends passes of most steps early, so that there are many more of them, and
 * every how many steps it is due; NULL: nothing does. Local. */
const char *wabe_run_costly_interval(const wabe_run *run, int most, int64_t *every);

/* Returns the axis that points up in pictures. Local. */
static inline int wabe_run_up(const wabe_run *run) {
    const int up = run->o->output.up > 0 ? run->o->output.up : run->app->up;
    return up > 0 ? up - 1 : 2;
}

/* Returns the number of cells of the domain. Local. */
static inline double wabe_run_cells(const wabe_run *run) {
    const int64_t *n = run->o->domain.cells;
    return (double)n[0] * (double)n[1] * (double)n[2];
}

/* Returns updates per second, for this many updates per step. Local. */
static inline double wabe_run_rate(const wabe_run *run, double updates) {
    return run->seconds > 0.0 ? updates * (double)wabe_run_timed_steps(run) / run->seconds : 0.0;
}

/* Writes the coordinates "(x, y, z)" of the cell with this number, x fastest. Local. */
void wabe_run_name_cell(const wabe_run *run, int64_t number, char text[], size_t size);

/* Logs a warning about the value of a key, with the place where it stands. Local. */
void wabe_run_warn(const wabe_run *run, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes config.resolved.cfg, which reproduces the run, into a directory. Rank 0 writes. WABE_FILE.
 * Collective. */
#define WABE_RUN_CONFIGURATION "config.resolved.cfg"
wabe_status wabe_run_write_configuration(const wabe_run *run, const char *directory,
                                         int table_count, const wabe_option_table tables[]);
