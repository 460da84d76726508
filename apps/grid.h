/* A run on a grid of values, from options to results.json, whatever its slabs compute: what
 * applications such as diffusion have in common. */
#ifndef WABE_APPS_GRID_H
#define WABE_APPS_GRID_H

#include "apps/domain.h"
#include "apps/input.h"
#include "apps/parallel.h"
#include "core/json.h"

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
} wabe_grid_options;

extern const wabe_option wabe_grid_option_rows[];

/* What the values are like after a step, over all cells. */
typedef struct {
    double low, high, mean;
    int64_t broken;       /* values that are no numbers */
    int64_t first_broken; /* the number of the first cell with one, x fastest */
} wabe_grid_state;

/* What an application brings. Functions with a slab's number are Local. */
typedef struct {
    const char *field; /* what its values are, in files and pictures */
    wabe_sweep sweep;  /* the main one */
    wabe_type type;
    const char *kernel; /* a part of its kernel's name, or "" */
    bool periodic[3];
    double time_step;
    wabe_domain_slabs slabs;
    wabe_status (*read)(const void *context, int slab, wabe_box box, double *values);
    wabe_status (*initialise)(void *context, int slab);
    wabe_timeline *(*timeline)(void *context, int slab);
    void (*destroy)(void *context, int slab);
    /* Bytes of a slab of this size, before there is one. */
    int64_t (*bytes)(const void *context, const int64_t cells[3], wabe_target target);
    /* Rows of its own for results.json, or NULL. Collective; json is NULL but on rank 0. */
    wabe_status (*put)(void *context, const wabe_domain *domain, wabe_json *json);
} wabe_grid_application;

/* Runs, or stops when all has been checked and printed (check). Options of the application have
 * been read and checked; tables: the application's and the grid's, for what is written of them.
 * WABE_INPUT, WABE_MEMORY, WABE_FILE, WABE_DIVERGED. Collective. */
wabe_status wabe_grid_run(MPI_Comm comm, wabe_config *config, const wabe_grid_options *options,
                          const wabe_grid_application *application, int table_count,
                          const wabe_option_table tables[], bool check);

#endif
