/* The application lbm: flow by the lattice Boltzmann method, from an input file to results. */
#ifndef WABE_APPS_LBM_LBM_H
#define WABE_APPS_LBM_LBM_H

#include "apps/geometry/fill.h"
#include "apps/lbm/options.h"
#include "apps/model/forecast.h"
#include "apps/runtime/async_output.h"
#include "apps/runtime/input.h"
#include "apps/runtime/kernels.h"
#include "apps/runtime/limits.h"
#include "apps/runtime/time_series.h"
#include "core/base/json.h"

enum { WABE_LBM_PARTS_MAX = 16, WABE_LBM_PROBES_MAX = 64, WABE_LBM_FIELDS_MAX = 8 };

/* A field: of the present state, or over time. */
typedef struct {
    wabe_output_field field;
    wabe_quantity quantity;
    enum { WABE_LBM_NOW, WABE_LBM_MEAN, WABE_LBM_RMS } over_time;
} wabe_lbm_field;

/* A part of the domain whose fields are written, every so many steps. */
typedef struct {
    char name[WABE_OUTPUT_NAME_MAX + 1];
    wabe_box box;
    int64_t stride, every;
    wabe_type type;
    int field_count;
    wabe_lbm_field fields[WABE_LBM_FIELDS_MAX];
} wabe_lbm_part;

/* A cell that is followed in time. */
typedef struct {
    char name[WABE_OUTPUT_NAME_MAX + 1];
    int64_t cell[3];
    wabe_time_series file;
} wabe_lbm_probe_point;

/* A run on all processes, and what it has measured so far. */
typedef struct {
    MPI_Comm comm;
    int rank, size;
    wabe_config *config;
    wabe_lbm_options options;
    wabe_lbm_case lbm_case;
    wabe_decomposition decomposition; /* known before anything is allocated */
    int64_t *cuts;                    /* along z, where processes get equal shares of the fluid */
    wabe_box block;
    wabe_fill fill;                             /* what geometry.fill asks for */
    wabe_components components;                 /* of this process */
    const wabe_kernel *kernels[WABE_SLABS_MAX]; /* of stream_collide, by component, for walls that
                                                   it treats itself */
    char directory[WABE_STRING_SIZE + 8];
    wabe_simulation *simulation;
    wabe_async_output async;
    int part_count; /* what of the fields is written: outputs behind the run */
    wabe_lbm_part parts[WABE_LBM_PARTS_MAX];
    int64_t samples; /* that the sums over time have */
    int probe_count;
    wabe_lbm_probe_point probes[WABE_LBM_PROBES_MAX];
    double copy_bandwidth; /* bytes per second, all processes at once */
    double seconds;        /* of the time loop, output aside */
    wabe_monitor_result first, last;
    double mass_at_start; /* at step 0, whoever has computed it */
    const char *restart;  /* what --restart says, or NULL */
    wabe_time_series monitor;
    struct {
        double energy; /* mean of kinetic energy at the last look that was noted; NAN: none was */
        int looks;     /* in a row that have found little change */
        bool steady;
    } calm;
    wabe_checkpoint_policy policy;
    bool begun;       /* results.json says so */
    bool stopped;     /* before the last step */
    bool tensor;      /* one of three runs, along each axis of a porous medium */
    wabe_pores pores; /* of a porous medium */
    wabe_porous_watch watch;
    wabe_porous_results porous;
    bool porous_measured;
    int64_t fluid_cells, memory; /* cells and bytes of all processes */
    const char *machine_file;
    bool machine_asked;     /* otherwise it is the one that lies here, if there is one */
    wabe_machine machine;   /* of no components: there is none */
    wabe_forecast forecast; /* of a step, if there is */
    const char *status;
} wabe_lbm_run_state;

/* Reads the options; fills what leads nowhere, if that is asked for; cuts the domain. axis: of a
 * porous medium that all axes are asked of. WABE_INPUT, WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_lbm_read(MPI_Comm comm, wabe_config *config, int axis, wabe_lbm_run_state *run);
/* Finds out how much is solid, and which pores lead through. WABE_INPUT, WABE_FILE: the voxels
 * cannot be read; WABE_MEMORY. Collective. */
wabe_status wabe_lbm_analyse_pores(wabe_lbm_run_state *run);
/* WABE_INPUT: no pore leads through along the axis of a porous medium; none would be left by
 * geometry.fill, which has filled nothing then. Local. */
wabe_status wabe_lbm_check_pores(const wabe_lbm_run_state *run);
/* Both of these where a case has images, particles or a porous medium; of others all cells are
 * taken for fluid. Collective. */
wabe_status wabe_lbm_survey(wabe_lbm_run_state *run);
/* Reads and checks everything; nothing large is allocated. WABE_INPUT; WABE_MEMORY: the case does
 * not fit the node's memory. Collective. */
wabe_status wabe_lbm_prepare(MPI_Comm comm, const wabe_input *input, wabe_config *config, int axis,
                             wabe_lbm_run_state *run);
void wabe_lbm_finish(wabe_lbm_run_state *run);
/* Bytes that all slabs will take. Collective. */
double wabe_lbm_forecast(const wabe_lbm_run_state *run);

/* The commands. Collective. */
wabe_status wabe_lbm_run(MPI_Comm comm, const wabe_input *input, wabe_config *config);
wabe_status wabe_lbm_check(MPI_Comm comm, const wabe_input *input, wabe_config *config);
wabe_status wabe_lbm_geometry(MPI_Comm comm, const wabe_input *input, wabe_config *config);
wabe_status wabe_lbm_predict(MPI_Comm comm, const wabe_input *input, wabe_config *config);

/* report.c. The table of what follows from the input; the files and tables of a finished run.
 * Collective. */
void wabe_lbm_print_case(const wabe_lbm_run_state *run);
void wabe_lbm_print_solids(const wabe_lbm_run_state *run);
wabe_status wabe_lbm_write_results(wabe_lbm_run_state *run);
void wabe_lbm_print_timing(wabe_lbm_run_state *run);

/* model.c. The machine file, if there is one, and by it whether lists pay; planes of the
 * components by it: WABE_INPUT. What it says of a step; it may be none to say it. Collective. */
wabe_status wabe_lbm_read_machine(wabe_lbm_run_state *run);
/* Lists are taken where they are faster on slabs of so many cells, not just of fewer bytes. Local.
 */
void wabe_lbm_price_lists(wabe_lbm_run_state *run, const wabe_machine *machine, wabe_target target,
                          double cells);
wabe_status wabe_lbm_balance_by_machine(wabe_lbm_run_state *run);
void wabe_lbm_foresee(wabe_lbm_run_state *run);
/* Beside it what was measured, as a table and as a part of timing.json; nothing without a machine
 * file. phases: of all processes. Local. */
void wabe_lbm_print_forecast(const wabe_lbm_run_state *run, const wabe_spread *phases);
void wabe_lbm_put_forecast(const wabe_lbm_run_state *run, const wabe_spread *phases,
                           wabe_json *json);

/* monitor.c. Sums and extremes of the state after a step. WABE_DIVERGED: it is no flow any
 * more. A line of them in monitor.csv, and whether the state is steady. WABE_FILE. What is told if
 * it should be and is not: WABE_NOT_CONVERGED. All but the last one Collective. */
wabe_status wabe_lbm_open_monitor(wabe_lbm_run_state *run);
wabe_status wabe_lbm_look(wabe_lbm_run_state *run, int64_t step);
wabe_status wabe_lbm_note(wabe_lbm_run_state *run, int64_t step);
wabe_status wabe_lbm_not_calm(const wabe_lbm_run_state *run);

/* restart.c. The state before the first step: as the case begins, or as a checkpoint has it.
 * WABE_INPUT: it is damaged, or of another case. Begins a checkpoint of the present state: see
 * wabe_async_save. Collective. */
wabe_status wabe_lbm_begin(wabe_lbm_run_state *run);
wabe_status wabe_lbm_save(wabe_lbm_run_state *run, wabe_decision decision);

/* fields.c. What output.fields and output.parts ask for; WABE_INPUT. Its files are opened, or
 * what was written up to the first step is taken over. Is some of it due after this step? Begins to
 * write what is due of the present state, last: all of it. WABE_FILE, WABE_MEMORY. The first and
 * the fourth Local, otherwise Collective. */
wabe_status wabe_lbm_choose_fields(wabe_lbm_run_state *run);
wabe_status wabe_lbm_open_fields(wabe_lbm_run_state *run);
wabe_status wabe_lbm_resume_fields(wabe_lbm_run_state *run);
bool wabe_lbm_fields_are_due(const wabe_lbm_run_state *run, int64_t step);
wabe_status wabe_lbm_write_fields(wabe_lbm_run_state *run, bool last);
/* WABE_INPUT: the value of this key is no name that files could have. Local. */
wabe_status wabe_lbm_check_name(const wabe_lbm_run_state *run, const char *path, const char *name);

/* averages.c. Is a field made of sums over time? They begin, with no sample, or go on from
 * those of a checkpoint, if it has any. Adds the state after this step, if that is due. Fills a
 * field that is made of them. WABE_MEMORY, WABE_INPUT: the checkpoint is damaged. Local. */
bool wabe_lbm_has_averages(const wabe_lbm_run_state *run);
wabe_status wabe_lbm_begin_averages(wabe_lbm_run_state *run, wabe_checkpoint *checkpoint);
void wabe_lbm_average(wabe_lbm_run_state *run, int64_t step);
wabe_status wabe_lbm_fill_average(const wabe_lbm_run_state *run, const wabe_lbm_field *field,
                                  wabe_box box, int64_t stride, wabe_type type, void *values);

/* probes.c. What output.probes asks for; WABE_INPUT, Local. Its files; a line of each, if that
 * is due after this step. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_lbm_choose_probes(wabe_lbm_run_state *run);
wabe_status wabe_lbm_open_probes(wabe_lbm_run_state *run);
wabe_status wabe_lbm_probe(wabe_lbm_run_state *run, int64_t step);

/* output.c. Picture and profiles of the present state. WABE_FILE. Collective. */
wabe_status wabe_lbm_write_picture(wabe_lbm_run_state *run);
wabe_status wabe_lbm_write_profiles(wabe_lbm_run_state *run);
/* config.resolved.cfg, which gives the same run again. One of three runs for a tensor leaves one
 * for all of them beside its folder. */
wabe_status wabe_lbm_write_configuration(const wabe_lbm_run_state *run);
/* Where a plane of the domain is not fluid, 1 for each cell on rank 0, which gets an array to be
 * freed; NULL on other ranks. Fails as wabe_geometry_flags. Collective. */
wabe_status wabe_lbm_gather_solid(const wabe_lbm_run_state *run, wabe_box plane, uint8_t **out);

#endif
