/* What an application is to the run time: a table of what it has, and the functions that only it
 * can write. Everything else of a run, from options to results.json, is in run*.c. */
#pragma once

#include "apps/runtime/forecast.h"
#include "apps/runtime/run_options.h"
#include "core/base/json.h"
#include "core/io/checkpoint.h"

typedef struct wabe_run wabe_run;

/* A number that the state has for each cell: in the units of the run factor (offset + what is
 * stored). Probes and profiles have a column of this name. */
typedef struct {
    const char *name;
    double offset, factor;
} wabe_state_number;

/* In the units of the run. Local. */
static inline double wabe_state_number_of(const wabe_state_number *number, double stored) {
    return number->factor * (number->offset != 0.0 ? number->offset + stored : stored);
}

typedef enum { WABE_NOW, WABE_MEAN_OVER_TIME, WABE_RMS_OVER_TIME } wabe_over_time;

/* A field that can be written: 1 or 3 of the state's numbers, from first on, each as factor (offset
 * + what is stored). */
typedef struct {
    const char *name;
    int first, count;
    double offset, factor;
    wabe_over_time over_time;
    const char *unit; /* of what is written, "1": none; NULL: it is not known */
} wabe_output_quantity;

/* Sums over time that slabs keep themselves. */
typedef struct {
    int rows;                            /* numbers of a cell; 0: slabs keep none */
    int squares;                         /* row of a number's squares: so many behind its */
    wabe_status (*begin)(wabe_run *run); /* at zero. WABE_MEMORY. Local. */
    wabe_status (*add)(wabe_run *run);   /* those of the present state. WABE_MEMORY. Local. */
    /* A row of a box of this process's block; of a whole plane, back. WABE_MEMORY. Local. */
    wabe_status (*read)(const wabe_run *run, int row, wabe_box box, double *out);
    wabe_status (*write)(wabe_run *run, int row, int64_t z, const double *plane);
} wabe_time_sums;

/* When a run is steady by a measure of the application's own. */
typedef struct {
    int64_t every;                             /* steps between looks; 0: there is none */
    bool required;                             /* it is an error if all steps end before */
    wabe_status (*check)(wabe_run *run);       /* after wabe_application.check. Collective. */
    bool (*holds)(const wabe_run *run);        /* the same on all processes. Local. */
    wabe_status (*unmet)(const wabe_run *run); /* WABE_NOT_CONVERGED, and why. Local. */
} wabe_steady_criterion;

enum { WABE_MONITOR_COLUMNS_MAX = 64, WABE_LINE_SIZE = 2048 };

/* All functions get the run, whose app->context is the application's own; those that may be NULL
 * say so. */
typedef struct {
    const char *name;
    void *context;

    /* The input: common options as read, all tables that were read, and the struct that they all
     * point into. */
    const wabe_run_options *options;
    int table_count;
    const wabe_option_table *tables;
    const void *all;
    size_t all_size;
    const char *const *may_differ; /* see wabe_restart_request */
    const char *size_key;          /* says how many cells there are */
    const char *memory_hint;       /* what would help if they are too many, or "" */
    const char *folder;            /* in the output directory, for the results; "": itself */

    /* The domain and its time. */
    bool periodic[3];
    double spacing, time_step;
    const char *length_unit, *time_unit; /* of these; NULL: not known */
    int64_t rehearsal;                   /* steps before those that are asked for, not timed */
    double duration;    /* seconds of the timed steps if their number is 0, by the rehearsal's rate,
                           which takes two steps of it; 0: none */
    int64_t planes_min; /* that a slab needs along z */
    const char *rate_unit; /* of a million updates of cells per second */
    bool checks_are_timed; /* looks at the state are part of the seconds that rates are of */

    /* The state. */
    int number_count;
    const wabe_state_number *numbers;
    int quantity_count;
    const wabe_output_quantity *quantities;
    const char *default_quantities; /* words of output.quantities */
    const char *picture;            /* the quantity that is drawn */
    const char *picture_unit;       /* or "" */
    int array_count;                /* of a checkpoint; 0: there are none */
    wabe_type array_type;
    const char *columns; /* of monitor.csv between time and residual: "lowest,highest" */
    int column_count;
    int steady_column;       /* whose relative change decides monitor.steady */
    const char *steady_what; /* what that is */
    wabe_time_sums sums;
    wabe_steady_criterion steady;

    /* Before the run. May change the cuts of the decomposition; NULL. Collective. */
    wabe_status (*cut)(wabe_run *run);
    /* Finds out what the domain is like; NULL. Collective. */
    wabe_status (*survey)(wabe_run *run);
    /* A machine file is there, for slabs of so many cells on such components; NULL. Local. */
    void (*price)(wabe_run *run, const wabe_machine *machine, wabe_target target, double cells);
    /* Which kernels run->components will take for their planes: sets run->kernel, of the first one,
     * and run->depth. WABE_INPUT. Collective. */
    wabe_status (*plan)(wabe_run *run);
    /* Bytes that a slab will take on a component; processors: with what threads work in. Local. */
    double (*memory)(const wabe_run *run, const wabe_component *component, const int64_t cells[3]);
    /* What there is to update in each plane of a box; NULL: all cells. WABE_MEMORY. Local. */
    wabe_status (*count)(const wabe_run *run, wabe_box box, int64_t *planes);
    /* Updates per second of a component on a slab alone; 0: it has none. See
     * wabe_balance_seconds. WABE_INPUT, WABE_MEMORY. Local. */
    wabe_status (*rate)(const wabe_run *run, const wabe_component *component, wabe_box box,
                        double *out);
    /* Of the main kernel on all of the case, before there are slabs; false: this build has none.
     * target: whose kernel. Local. */
    bool (*cost)(const wabe_run *run, const int64_t cells[3], wabe_target target,
                 wabe_step_cost *out);
    /* What follows from the input, as lines: before and after the common ones; NULL. Local. */
    void (*print_model)(const wabe_run *run);
    void (*print_more)(const wabe_run *run);

    /* Slabs on a domain, for run->components. WABE_INPUT, WABE_MEMORY. Collective. */
    wabe_status (*create)(wabe_run *run, wabe_domain **out);
    void (*destroy)(wabe_run *run);
    /* A state to measure steps with; the first one of the case, or one of a checkpoint, known to
     * all neighbours. WABE_MEMORY, WABE_FILE. Collective. */
    wabe_status (*rest)(wabe_run *run);
    wabe_status (*initialise)(wabe_run *run);
    wabe_status (*restore)(wabe_run *run, wabe_checkpoint *checkpoint);
    /* The first look at it, and what an earlier run knew, if there was one; sets run->updates.
     * WABE_INPUT: it cannot be begun with. Collective. */
    wabe_status (*begin)(wabe_run *run, const wabe_checkpoint *checkpoint);
    /* Steps of the next pass; NULL: always one. Local. */
    void (*set_steps)(wabe_run *run, int steps);
    /* Bytes of all slabs of this process. Local. */
    int64_t (*bytes)(const wabe_run *run);
    /* By slab. Local. */
    void (*slab_costs)(const wabe_run *run, wabe_step_cost out[]);

    /* Looks at the state, and fills the monitor's columns. WABE_DIVERGED, and in which cell.
     * Collective. */
    wabe_status (*check)(wabe_run *run, double columns[]);
    wabe_values (*values)(const wabe_run *run); /* the state's numbers. Local. */
    /* A quantity of every stride-th cell of a box of this process's block, from its first one on,
     * [z][y][x][component]; NULL: from values. WABE_MEMORY. Local. */
    wabe_status (*fill)(const wabe_run *run, const wabe_output_quantity *quantity, wabe_box box,
                        int64_t stride, wabe_type type, void *values);
    /* 1 where a plane of the domain is to be left grey, on rank 0, to be freed; NULL. Collective.
     */
    wabe_status (*mask)(const wabe_run *run, wabe_box plane, uint8_t **out);
    /* An array of a checkpoint on a part of the block. WABE_MEMORY. Local. */
    wabe_status (*store)(const wabe_run *run, int array, wabe_box part, void *values);
    /* Adds what else a checkpoint has to have; the number of them. Local. */
    int (*recall)(const wabe_run *run, wabe_checkpoint_number out[]);

    /* The run has ended: finds its own part of the results; adds it; prints it (finished runs
     * alone); NULL. WABE_MEMORY, WABE_FILE. The first one Collective. */
    wabe_status (*conclude)(wabe_run *run);
    void (*put)(const wabe_run *run, wabe_json *json);
    void (*print)(const wabe_run *run);
} wabe_application;
