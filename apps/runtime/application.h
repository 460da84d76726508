/* The interface between applications and the runtime: a table of an application's properties, and
 * the functions that only the application can provide. Everything else of a run, from options to
 * results.json, is in run*.c. */
#pragma once

#include "apps/runtime/folder.h"
#include "apps/runtime/forecast.h"
#include "apps/runtime/run_options.h"
#include "core/base/json.h"
#include "core/io/checkpoint.h"

typedef struct wabe_run wabe_run;

/* A number that the state stores for each cell; its value in the units of the run is factor *
 * (offset + stored value). Probes and profiles have a column of this name. */
typedef struct {
    const char *name;
    double offset, factor;
} wabe_state_number;

/* Converts a stored number to the units of the run. Local. */
static inline double wabe_state_number_of(const wabe_state_number *number, double stored) {
    return number->factor * (number->offset != 0.0 ? number->offset + stored : stored);
}

typedef enum {
    WABE_NOW,
    WABE_MEAN_OVER_TIME,
    WABE_RMS_OVER_TIME,
    WABE_COVARIANCE_OVER_TIME, /* of a vector's components: xx, yy, zz, xy, yz, xz */
    WABE_FLUX_OVER_TIME,       /* covariances of a number with a vector's components */
} wabe_over_time;

/* A field that can be written: count (1, 3 or 6) of the state's numbers, starting at first, each as
 * factor * (offset + stored value). */
typedef struct {
    const char *name;
    int first, count; /* of averages: rows of the sums. Of a covariance: the row of the vector's
                         first component, and 6 */
    double offset, factor;
    wabe_over_time over_time;
    const char *unit; /* of the values written; "1": dimensionless; NULL: unknown */
    bool has_sign;    /* pictures: colours diverge from 0; of a vector, of the component normal to
                         the plane instead of its magnitude */
} wabe_output_quantity;

/* Sums over time that slabs keep themselves. */
typedef struct {
    int rows;         /* numbers per cell at least; 0: slabs keep no sums */
    int squares;      /* the row of a number's squares is this many after its own */
    int vector;       /* the row of a vector's first component */
    int products;     /* the row of its products xy, followed by yz and xz; 0: none */
    int carried;      /* the row of a number whose squares are in the next one, and its products
                         with the vector in the three behind; 0: there is none */
    int wanted;       /* rows that are kept whatever is written; 0: those that this needs */
    double threshold; /* on which some rows depend; NAN: none do */
    /* Sets run->averages.rows sums to zero. WABE_MEMORY. Local. */
    wabe_status (*begin)(wabe_run *run);
    wabe_status (*add)(wabe_run *run); /* Adds the present state. WABE_MEMORY. Local. */
    /* Read a row on a box of this process's block; write back a row on a whole plane. WABE_MEMORY.
     * Local. */
    wabe_status (*read)(const wabe_run *run, int row, wabe_box box, double *out);
    wabe_status (*write)(wabe_run *run, int row, int64_t z, const double *plane);
} wabe_time_sums;

/* The application's own criterion for a steady state. */
typedef struct {
    int64_t every;   /* steps between checks; 0: no criterion */
    const char *key; /* that asks for them */
    bool required;   /* ending after the last step without a steady state is an error */
    wabe_status (*check)(wabe_run *run);       /* runs after wabe_application.check. Collective. */
    bool (*holds)(const wabe_run *run);        /* the same on all processes. Local. */
    wabe_status (*unmet)(const wabe_run *run); /* WABE_NOT_CONVERGED, with the reason. Local. */
} wabe_steady_criterion;

/* Records of the application's own over time. Functions may be called only if every is above 0. */
typedef struct {
    int64_t every;                      /* steps between records; 0: none */
    const char *key;                    /* that sets it */
    wabe_status (*open)(wabe_run *run); /* WABE_FILE, WABE_MEMORY. Collective. */
    /* Looks at the state a step before a record is added; or NULL. WABE_MEMORY. Collective. */
    wabe_status (*prepare)(wabe_run *run);
    wabe_status (*add)(wabe_run *run); /* Adds the present state. WABE_FILE, WABE_MEMORY.
                                          Collective. */
    void (*close)(wabe_run *run);      /* Local. */
} wabe_own_records;

/* Steps that are done together, and what is due right after them. */
typedef struct {
    int steps;
    bool checked;  /* the state is checked */
    bool averaged; /* it is added to the sums over time */
    bool last;     /* no step follows */
} wabe_coming_pass;

/* The folder of several runs of one command, each of which has a folder of its own in it. The
 * command takes care of it: it lives as long as these runs, and is left after them. */
typedef struct {
    wabe_folder folder;
    bool begun; /* by the first run that has begun */
    /* Writes what tells of all runs, into the folder that is theirs now. WABE_FILE. Collective. */
    wabe_status (*begin)(wabe_run *run);
} wabe_home;

enum { WABE_MONITOR_COLUMNS_MAX = 192, WABE_APPLICATION_NUMBERS_MAX = 40, WABE_LINE_SIZE = 10240 };

/* All functions are given the run; run->app->context is the application's own. Functions marked "or
 * NULL" are optional. */
typedef struct {
    const char *name;
    void *context;

    /* The input: the common options as read, all tables that were read, and the struct that all of
     * them point into. */
    const wabe_run_options *options;
    int table_count;
    const wabe_option_table *tables;
    const void *all;
    size_t all_size;
    const char *const *may_differ; /* see wabe_restart_request */
    const char *const *fixed_keys; /* the same; NULL: none */
    const char *size_key;          /* the key that sets the number of cells */
    const char *memory_hint;       /* advice if the case needs too much memory, or "" */
    const char *folder; /* for results, below the output directory; "": that directory itself */
    wabe_home *home;    /* the output directory, if several runs share it; or NULL */

    /* The domain and its time steps. */
    bool periodic[3];
    bool whole[3];     /* axes that processes must not cut */
    int64_t grain[3];  /* blocks and slabs are multiples of so many cells; 0: of one */
    double spacing[3]; /* edges of a cell, or the mean ones along the uneven axis */
    int uneven;        /* 1 + the axis along which cells are not equally thick; 0: none. Pictures
                          count them there */
    double time_step;  /* the first one, if longest_step is set */
    const char *length_unit, *time_unit; /* of spacing and time_step; NULL: unknown */
    int64_t rehearsal;                   /* untimed steps before the steps of the input; two passes
                                            if it is for the duration, and passes have several */
    double duration;    /* if the input has 0 steps: seconds of timed steps, by the rate measured in
                           the rehearsal, which must have two steps or more; 0: not used */
    int64_t planes_min; /* minimum along z per slab */
    const char *rate_unit; /* unit of a million cell updates per second */
    bool checks_are_timed; /* rates include the time of checks of the state */

    /* The state. */
    int number_count; /* WABE_APPLICATION_NUMBERS_MAX at most */
    const wabe_state_number *numbers;
    int quantity_count;
    const wabe_output_quantity *quantities;
    const char *default_quantities; /* default of output.quantities */
    int up; /* 1 + the axis that points up in pictures, unless output.up says so; 0: z */
    const char *picture;        /* the quantity to draw */
    const char *picture_beside; /* another one, drawn to its right; or NULL */
    const char *plot;           /* scripts/plot_NAME.py draws the results; or NULL */
    int array_count;            /* per checkpoint; 0: no checkpoints */
    /* The key on which their number, count, depends if a checkpoint has another one; may be NULL.
     */
    const char *(*array_key)(int count, int stored);
    int other_array_count; /* of checkpoints in a form that restore converts; 0: there is none */
    wabe_type array_type;
    int64_t check_every; /* steps between further checks of the state; 0: none */
    const char *check_key;
    const char *columns; /* of monitor.csv between time and residual: "lowest,highest" */
    int column_count;
    int steady_column;   /* the column whose relative change decides monitor.steady */
    int steady_also;     /* another one, behind the first column; 0: none */
    int steady_below;    /* what decides instead while steady_column, a sum, is too small for its
                            digits, and so 0; 0: nothing, 0 is steady */
    double steady_least; /* changes of steady_below are relative to this at least */
    const char *steady_what; /* what that column is, in words */
    wabe_time_sums sums;
    wabe_steady_criterion steady;
    wabe_own_records records;

    /* Before the run: may change the cuts of the decomposition; or NULL. Collective. */
    wabe_status (*cut)(wabe_run *run);
    /* Decides whether the state is streamed through a GPU's memory, and whether slabs do several
     * steps in a pass: sets run->pass_steps and run->streamed, which are 0; NULL: never.
     * WABE_INPUT, WABE_MEMORY. Collective. */
    wabe_status (*choose_residency)(wabe_run *run);
    /* Analyses the domain; or NULL. Collective. */
    wabe_status (*survey)(wabe_run *run);
    /* Evaluates the machine file's rates for slabs of this many cells on components of this target;
     * called if there is a machine file; or NULL. Local. */
    void (*price)(wabe_run *run, const wabe_machine *machine, wabe_target target, double cells);
    /* Chooses the kernels that run->components will use for their planes: sets run->kernel, of the
     * first component, and run->depth. WABE_INPUT. Collective. */
    wabe_status (*plan)(wabe_run *run);
    /* Returns the bytes that a slab will take on a component; for CPUs, including the
     * threads' work space. Before the survey: those that it takes at least. Local. */
    double (*memory)(const wabe_run *run, const wabe_component *component, const int64_t cells[3]);
    /* Returns the bytes of the host's memory that filling fields, or conclude, takes at most,
     * whichever is more; NULL: next to nothing. Local. */
    int64_t (*beside)(const wabe_run *run);
    /* Counts the updates in each plane of a box; NULL: all cells. WABE_MEMORY. Local. */
    wabe_status (*count)(const wabe_run *run, wabe_box box, int64_t *planes);
    /* Measures the updates per second of a component on a slab by itself; 0: the slab has none. See
     * wabe_balance_seconds. WABE_INPUT, WABE_MEMORY. Local. */
    wabe_status (*rate)(const wabe_run *run, const wabe_component *component, wabe_box box,
                        double *out);
    /* Finds the cost of the main kernel for this target on the whole case, before there are slabs;
     * false: this build has no such kernel. Local. */
    bool (*cost)(const wabe_run *run, const int64_t cells[3], wabe_target target,
                 wabe_step_cost *out);
    /* Plans passes through a GPU with room for so many bytes, of a slab that does not fit it and
     * has neighbours at so many of its faces normal to z, on a node with per_node such slabs;
     * *host: bytes of the host's memory that it takes. WABE_INPUT, WABE_MEMORY: it cannot be
     * streamed. NULL: no slab can. Local. */
    wabe_status (*stream)(const wabe_run *run, const int64_t cells[3], int neighbours, int per_node,
                          double room, wabe_model_passes *out, double *host);
    /* Print the values derived from the input, as lines before and after the common ones; or NULL.
     * Local. */
    void (*print_model)(const wabe_run *run);
    void (*print_more)(const wabe_run *run);

    /* Creates the slabs of run->components on a domain. WABE_INPUT, WABE_MEMORY. Collective. */
    wabe_status (*create)(wabe_run *run, wabe_domain **out);
    void (*destroy)(wabe_run *run);
    /* Set the state, halos included: one for measuring steps; the initial one of the case; that of
     * a checkpoint. WABE_MEMORY, WABE_FILE. Collective. */
    wabe_status (*rest)(wabe_run *run);
    wabe_status (*initialise)(wabe_run *run);
    wabe_status (*restore)(wabe_run *run, wabe_checkpoint *checkpoint);
    /* Checks the initial state, takes over what an earlier run has stored in the checkpoint, if
     * there is one, and sets run->updates. WABE_INPUT: the run cannot start from it. Collective. */
    wabe_status (*begin)(wabe_run *run, const wabe_checkpoint *checkpoint);
    /* Returns the longest time step that may come next, of steps that differ, and for which
     * set_pass finds run->clock.time_step; NULL: all are of time_step. Same on all processes.
     * Local. */
    double (*longest_step)(const wabe_run *run);
    /* Says what the next pass is; NULL: passes are steps, and the application need not know what is
     * due after them. Local. */
    void (*set_pass)(wabe_run *run, const wabe_coming_pass *pass);
    /* Returns the bytes of all slabs of this process. Local. */
    int64_t (*bytes)(const wabe_run *run);
    /* Finds the cost of each slab. Local. */
    void (*slab_costs)(const wabe_run *run, wabe_step_cost out[]);

    /* Checks the state and fills the monitor's columns. WABE_DIVERGED, with the cell.
     * Collective. */
    wabe_status (*check)(wabe_run *run, double columns[]);
    wabe_values (*values)(const wabe_run *run); /* returns the state's numbers. Local. */
    /* Called before and after fields are written, for what fill needs from other processes; due:
     * the parts that are written. after_fields also if before_fields fails; or both NULL.
     * WABE_MEMORY, WABE_INPUT, WABE_FILE. Collective; after_fields: Local. */
    wabe_status (*before_fields)(wabe_run *run, const bool due[]);
    void (*after_fields)(wabe_run *run);
    /* Writes a quantity of every stride-th cell of a box of this process's block, from its first
     * cell on, [z][y][x][component]; NULL: computed from values. WABE_MEMORY. Local. */
    wabe_status (*fill)(const wabe_run *run, const wabe_output_quantity *quantity, wabe_box box,
                        int64_t stride, wabe_type type, void *values);
    /* Returns an array on rank 0, to be freed, with 1 for each cell of a plane of the domain to be
     * drawn grey; or NULL. Collective. */
    wabe_status (*mask)(const wabe_run *run, wabe_box plane, uint8_t **out);
    /* Copies an array of a checkpoint on a part of the block. WABE_MEMORY. Local. */
    wabe_status (*store)(const wabe_run *run, int array, wabe_box part, void *values);
    /* Adds the other numbers that a checkpoint must have; returns their count. Local. */
    int (*recall)(const wabe_run *run, wabe_checkpoint_number out[]);

    /* After the run: conclude computes the application's own results, put adds them to
     * results.json, print prints them (finished runs only); or NULL. WABE_MEMORY, WABE_FILE.
     * conclude: Collective; put, print: Local. */
    wabe_status (*conclude)(wabe_run *run);
    void (*put)(const wabe_run *run, wabe_json *json);
    void (*print)(const wabe_run *run);
} wabe_application;
