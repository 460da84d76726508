/* The keys that all applications share: how a run uses the node, what it writes, and when. */
#pragma once

#include "apps/runtime/checkpoint_policy.h"
#include "apps/runtime/components.h"
#include "core/base/box.h"
#include "core/config/option.h"

typedef enum {
    WABE_BALANCE_MEASURED,
    WABE_BALANCE_EQUAL,
    WABE_BALANCE_EXPLICIT,
    WABE_BALANCE_MODEL
} wabe_balance;

typedef enum {
    WABE_RESIDENCY_AUTO,
    WABE_RESIDENCY_RESIDENT,
    WABE_RESIDENCY_STREAMED
} wabe_residency_wish;

typedef struct {
    int mode;
    int64_t processes[3], threads;
    bool overlap, separate;
    int communication, transport, balance;
    int residency; /* wabe_residency_wish */
    int64_t steps_per_pass;
    double device_memory_limit; /* GB; NAN: none */
} wabe_parallel_options;

typedef struct {
    int64_t emulated_gpus;
    wabe_option_list components; /* wabe_component_options */
} wabe_node_rows;

/* An element of output.parts. */
typedef struct {
    char name[WABE_STRING_SIZE];
    int64_t begin[3], end[3], stride, every;
    char quantities[WABE_STRING_SIZE];
    int precision, format; /* format: 0: hdf5, 1: png */
    double low, high;
} wabe_part_options;

#define WABE_STEPS_MAX 1e15 /* of a run */

/* An element of output.probes. */
typedef struct {
    char name[WABE_STRING_SIZE];
    int64_t cell[3];
} wabe_probe_options;

typedef struct {
    char application[WABE_STRING_SIZE];
    char name[WABE_STRING_SIZE];
    int64_t steps;   /* INT64_MIN: not given, until the run begins */
    double end_time; /* NAN, or 0: not given */
    struct {
        int64_t cells[3];
    } domain;
    wabe_parallel_options parallel;
    wabe_node_rows node;
    struct {
        char directory[WABE_STRING_SIZE];
        int64_t every;
        double interval; /* 0: none */
        bool fields, compress, profiles, legend;
        int picture, precision, up;
        struct {
            double low, high;
        } picture_range, picture_range_beside;
        int64_t picture_at, stride, probe_every;
        char quantities[WABE_STRING_SIZE];
        wabe_option_list parts, probes;
        struct {
            int64_t begin, every;
        } average;
    } output;
    struct {
        int64_t every;
        double steady;
    } monitor;
    wabe_checkpoint_options checkpoint;
} wabe_run_options;

extern const wabe_option wabe_run_option_rows[];
/* steps, end_time, domain, monitor and checkpoint: only for applications whose users set them. */
extern const wabe_option wabe_run_case_rows[];

/* Returns the options of the node. Local. */
wabe_node_options wabe_run_node(const wabe_run_options *options);

/* Writes the path of the output directory, without wabe_application.folder. Local. */
void wabe_run_directory(const wabe_run_options *options, char *out, size_t size);

/* Sets keys that are not given, and whose default depends on others. Local. */
void wabe_run_complete_options(const wabe_config *config, wabe_run_options *options);
/* Checks these keys for contradictions. WABE_INPUT, with the key's line. Local. */
wabe_status wabe_run_check_options(const wabe_config *config, const wabe_run_options *options);

/* Is a box, given by the keys begin and end of a group ("output.parts[0]"), in the domain, and not
 * empty? WABE_INPUT, with the key's line. Local. */
wabe_status wabe_run_check_box(const wabe_config *config, const char *group, wabe_box box,
                               const int64_t cells[3]);

/* Are opposite faces periodic together, of applications with the keys boundaries.FACE.kind?
 * WABE_INPUT, with the line of the one that is not. Local. */
wabe_status wabe_run_check_periodic(const wabe_config *config, const bool periodic[WABE_FACES]);
