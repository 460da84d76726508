/* A run of an application on all processes, from the input file to results.json. */
#pragma once

#include "apps/runtime/application.h"
#include "apps/runtime/async_output.h"
#include "apps/runtime/forecast.h"
#include "apps/runtime/input.h"
#include "apps/runtime/time_series.h"

#include <time.h>

enum { WABE_PARTS_MAX = 16, WABE_PROBES_MAX = 64, WABE_PART_FIELDS_MAX = 8 };

/* A part of the domain whose fields are written, every so many steps. */
typedef struct {
    char name[WABE_OUTPUT_NAME_MAX + 1];
    wabe_box box;
    int64_t stride, every;
    wabe_type type;
    int field_count;
    const wabe_output_quantity *fields[WABE_PART_FIELDS_MAX];
} wabe_run_part;

/* A cell that is followed in time. */
typedef struct {
    char name[WABE_OUTPUT_NAME_MAX + 1];
    int64_t cell[3];
    wabe_time_series file;
} wabe_run_probe;

/* What looks at the state have told. */
typedef struct {
    wabe_time_series file;
    double columns[WABE_MONITOR_COLUMNS_MAX];
    double last;       /* of the column that decides, when it was noted; NAN: it was not */
    int steady_checks; /* looks in a row that have found little change */
    bool steady;
} wabe_run_monitor;

/* Sums over time. */
typedef struct {
    bool kept;
    int64_t samples;
    wabe_time_sums of; /* the application's, or these: */
    double *own;       /* [row][z][y][x] of the block */
} wabe_run_averages;

/* What a machine file says. */
typedef struct {
    const char *file;
    bool asked;             /* otherwise it is the one that lies here, if there is one */
    wabe_machine machine;   /* of no components: there is none */
    wabe_forecast forecast; /* of a step, if there is */
} wabe_run_model;

/* Applications look at it, and set what their functions say. */
struct wabe_run {
    MPI_Comm comm;
    int rank, size;
    const wabe_input *input;
    wabe_config *config;
    const wabe_application *app;
    const wabe_run_options *o;
    char directory[WABE_STRING_SIZE + 16];
    int lock;     /* rank 0: the descriptor that holds the directory's lock; otherwise -1 */
    bool goes_on; /* with the files that are in the directory: from one of its checkpoints */
    time_t began;
    wabe_decomposition decomposition; /* known before anything is allocated */
    wabe_box block;                   /* of this process */
    wabe_components components;
    const wabe_kernel *kernel; /* of the first component */
    int depth;                 /* steps of a pass */
    wabe_domain *domain;
    int64_t updates;                 /* cells that a step updates, of all */
    int64_t first_step, step, steps; /* begun at, done, and in all, the rehearsal included */
    int part_count;                  /* outputs written in the background, in this order */
    wabe_run_part parts[WABE_PARTS_MAX];
    int probe_count;
    wabe_run_probe probes[WABE_PROBES_MAX];
    wabe_run_averages averages;
    double picture_low, picture_high; /* of the last picture, rank 0 */
    wabe_run_monitor monitor;
    wabe_run_model model;
    wabe_async_output async;
    wabe_checkpoint_policy policy;
    double copy;    /* bytes per second, all processes at once; NAN: not measured */
    double memory;  /* bytes of all processes */
    double seconds; /* of the time loop, as rates are of */
    double
        cpu_share; /* smallest share of the processor time that a process could use; NAN: unknown */
    bool changed;  /* it goes on from other physics */
    bool begun;    /* results.json says so */
    bool stopped;  /* before the last step */
    const char *status;
    const char *message; /* why it did not end well, or NULL */
};

typedef enum { WABE_VERB_RUN, WABE_VERB_CHECK, WABE_VERB_PREDICT } wabe_verb;

/* What an input file asks for. Options have been read; tells whether the run was stopped on its
 * way. WABE_INPUT, WABE_MEMORY, WABE_FILE, WABE_DIVERGED, WABE_NOT_CONVERGED. Collective. */
wabe_status wabe_run_case(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                          const wabe_application *application, wabe_verb verb, bool *stopped);

/* The beginning of that, for other commands: what is to be written, and how the domain is cut. To
 * be followed by wabe_run_finish in any case. WABE_INPUT, WABE_MEMORY. Collective. */
wabe_status wabe_run_begin(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                           const wabe_application *application, wabe_run *out);
void wabe_run_finish(wabe_run *run);

/* Timed steps of this run. Local. */
static inline int64_t wabe_run_timed_steps(const wabe_run *run) {
    return run->step - run->app->rehearsal - run->first_step;
}

/* Of the domain. Local. */
static inline double wabe_run_cells(const wabe_run *run) {
    const int64_t *n = run->o->domain.cells;
    return (double)n[0] * (double)n[1] * (double)n[2];
}

/* So many updates a step, per second. Local. */
static inline double wabe_run_rate(const wabe_run *run, double updates) {
    return run->seconds > 0.0 ? updates * (double)wabe_run_timed_steps(run) / run->seconds : 0.0;
}

/* "(x, y, z)" of a cell's number, x fastest. Local. */
void wabe_run_name_cell(const wabe_run *run, int64_t number, char text[], size_t size);

/* Logs a warning of a key's value, with the place where it stands. Local. */
void wabe_run_warn(const wabe_run *run, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* DIRECTORY/NAME: a configuration, which gives the same run again. Rank 0 writes. WABE_FILE.
 * Collective. */
wabe_status wabe_run_write_options(const wabe_run *run, const char *name, int table_count,
                                   const wabe_option_table tables[]);
