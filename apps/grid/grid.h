/* A run on a grid of values, from options to results.json, whatever its slabs compute: what
 * applications such as diffusion have in common. */
#ifndef WABE_APPS_GRID_GRID_H
#define WABE_APPS_GRID_GRID_H

#include "apps/grid/grid_slabs.h"
#include "apps/runtime/input.h"
#include "apps/runtime/lifetime.h"
#include "apps/runtime/parallel.h"
#include "core/base/json.h"

/* The keys of all of them; rows are in grid_schema.c. */
typedef struct {
    char application[WABE_STRING_SIZE];
    char name[WABE_STRING_SIZE];
    int64_t steps;
    struct {
        int64_t cells[3];
        double spacing;
    } domain;
    wabe_parallel_options parallel;
    wabe_node_rows node;
    struct {
        char directory[WABE_STRING_SIZE];
        int64_t every;
        bool fields, compress;
        int picture;
    } output;
    struct {
        int64_t every;
    } monitor;
    wabe_checkpoint_options checkpoint;
} wabe_grid_options;

extern const wabe_option wabe_grid_option_rows[];
/* steps, the domain and monitor, of applications whose users choose them. */
extern const wabe_option wabe_grid_case_rows[];

/* A run as its application sees it. */
typedef struct {
    const wabe_domain *domain;
    int64_t step; /* of time, done */
    wabe_grid_slabs *slabs;
    double rate; /* updates per second */
} wabe_grid_view;

/* What an application brings. */
typedef struct {
    const char *field;     /* what its values are, in files and pictures */
    const char *size_key;  /* of the input: says how many cells there are */
    wabe_grid_slabs slabs; /* as they are before there is one */
    double time_step;
    int depth;              /* time steps of a pass; 0: what wabe_grid_depth finds best */
    const char *depth_key;  /* of the input, or NULL: 0 */
    const char *kernel_key; /* of the input: names a part of the kernel */
    int64_t rehearsal;      /* steps before those that are asked for, not timed */
    double duration; /* seconds: of the timed steps if their number is 0, by the rehearsal's rate,
                        which takes two of it; 0: none */
    /* What all tables of the run point into: with it the run has checkpoints. NULL: it has none. */
    const void *options;
    size_t options_size;
    const char *const *may_differ; /* see wabe_restart_request */
    /* These get the slabs' context. */
    wabe_grid_values initial;
    /* Finds its own part of the results, and prints it. WABE_MEMORY. Collective. */
    wabe_status (*conclude)(void *context, const wabe_grid_view *view);
    void (*put)(const void *context, wabe_json *json); /* Local. */
} wabe_grid_application;

/* Where a run's results go. Local. */
void wabe_grid_directory(const wabe_grid_options *options, char *out, size_t size);

typedef enum { WABE_GRID_RUN, WABE_GRID_CHECK, WABE_GRID_PREDICT } wabe_grid_verb;

/* Runs; or stops when all has been checked and printed; or foretells what steps take. Options of
 * the application have been read and checked; tables: the application's and the grid's, for what is
 * written of them. WABE_INPUT, WABE_MEMORY, WABE_FILE, WABE_DIVERGED. Collective. */
wabe_status wabe_grid_run(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                          const wabe_grid_options *options,
                          const wabe_grid_application *application, int table_count,
                          const wabe_option_table tables[], wabe_grid_verb verb);

/* The last of these. WABE_INPUT, WABE_FILE. Collective. */
wabe_status wabe_grid_predict(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                              const wabe_grid_options *options,
                              const wabe_grid_application *application);

#endif
