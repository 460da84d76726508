/* Functions shared by the files run*.c. */
#pragma once

#include "apps/runtime/run.h"

static inline bool wabe_run_is_balance(const wabe_run *run, wabe_balance balance) {
    return run->o->parallel.balance == (int)balance;
}

/* run_clock.c: sets the clock to the step that the run begins with, of a checkpoint; NULL: to time
 * 0. WABE_INPUT: the run's end has been passed. Local. */
wabe_status wabe_run_set_clock(wabe_run *run, const wabe_checkpoint *checkpoint);
/* Chooses the time step of the next one, if they differ, so that times at which something is due
 * are the end of a step. Local. */
void wabe_run_plan_step(wabe_run *run);
/* Does the run end after this step, the present one or the next? Local. */
bool wabe_run_ends_at(const wabe_run *run, int64_t step);
/* Is something due after this step that is done at this interval of time? 0: never. Local. */
bool wabe_run_time_is_due(const wabe_run *run, double interval, int64_t step);
/* Returns the steps of equal length from one until something is due after it. Local. */
int64_t wabe_run_steps_to_time(const wabe_run *run, double interval, int64_t step);
/* Returns about how many steps are left to do, and the share of the run that is done. Local. */
double wabe_run_steps_left(const wabe_run *run);
double wabe_run_share_done(const wabe_run *run);
/* Write how long the run is ("200 steps", "until time 3"), and where it is ("step 20 of 200").
 * Return text. Local. */
enum { WABE_RUN_LENGTH_SIZE = 96 };
const char *wabe_run_length(const wabe_run *run, char text[WABE_RUN_LENGTH_SIZE]);
const char *wabe_run_place(const wabe_run *run, char text[WABE_RUN_LENGTH_SIZE]);

/* run_prepare.c: checks everything that can be checked before anything large is allocated:
 * components, their planes, kernels, memory. WABE_INPUT, WABE_MEMORY. Collective. */
wabe_status wabe_run_prepare(wabe_run *run);
/* run_memory.c: what the slabs take at least, before the domain has been surveyed, and what all
 * takes, about. */
typedef enum { WABE_AT_LEAST, WABE_ABOUT } wabe_precision;
/* Checks the memory of a run, and forecasts it, if the domain has been surveyed, in run->memory and
 * run->peak. WABE_MEMORY: it does not fit. Collective. */
wabe_status wabe_run_check_memory(wabe_run *run, wabe_precision precision);
/* Checks the devices' memory alone, for the present planes. WABE_MEMORY. Collective. */
wabe_status wabe_run_check_devices(const wabe_run *run);
/* Sets both to what the run has taken so far. Collective. */
void wabe_run_measure_memory(wabe_run *run);
void wabe_run_print_memory(const wabe_run *run);
/* run.c: is the bandwidth of the memory measured before the run? Local. */
bool wabe_run_measures_copy(const wabe_run *run);

/* Distributes planes by measurement or by a machine file, and updates what depends on them.
 * WABE_INPUT, WABE_MEMORY. Collective. */
wabe_status wabe_run_balance(wabe_run *run);
/* Prints the table of values derived from the input. Collective. */
void wabe_run_print_case(const wabe_run *run);

/* run_folder.c: takes the output directory for this run, as wabe_folder_take. WABE_FILE.
 * Collective. */
wabe_status wabe_run_take_folder(wabe_run *run);
/* Fails with WABE_INPUT if --restart latest finds no checkpoint, but a run that has begun: its
 * steps would be lost. In a folder without a run the first one begins, so that the same command
 * serves all jobs of a chain. Collective. */
wabe_status wabe_run_check_none_begun(const wabe_run *run);
/* Returns whether there is nothing to do: the run continues one in its folder that is done, and has
 * the same input. Collective. */
bool wabe_run_is_done(const wabe_run *run);
/* Opens the log, once the run is certain to begin. Unless this run continues an earlier one's
 * files, it first moves that run's folder aside or, with --overwrite, removes its files. WABE_FILE.
 * Collective. */
wabe_status wabe_run_begin_folder(wabe_run *run);
/* Fails with WABE_FILE if the output directory is no longer this run's (wabe_folder_check). Call it
 * before each write. Collective. */
wabe_status wabe_run_check_folder(wabe_run *run);
/* Returns whether a file is in the output directory. Local. */
bool wabe_run_is_in_folder(const wabe_run *run, const char *file);

/* Renames the files of fields and the pictures NAME_STEP of steps after the one from which this run
 * goes on to *.old, and returns how many there were. Local. */
int64_t wabe_run_set_aside(const wabe_run *run, const char *name);

/* run_fields.c: reads output.fields and output.parts. WABE_INPUT. Local. */
wabe_status wabe_run_choose_fields(wabe_run *run);
/* Opens the outputs of all parts. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_run_open_fields(wabe_run *run);
/* Adds the memory that writing them takes. WABE_MEMORY. Collective. */
wabe_status wabe_run_fields_memory(const wabe_run *run, wabe_writer_memory *all);
/* Returns the bytes that wabe_run_fill takes at most, beside those of wabe_application.fill.
 * Local. */
int64_t wabe_run_fill_memory(const wabe_run *run);
/* Keeps the files that an earlier run wrote up to the first step in the series, and sets aside
 * those of later steps. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_run_resume_fields(wabe_run *run);
/* Returns whether any part is due after this many timed steps. Local. */
bool wabe_run_fields_are_due(const wabe_run *run, int64_t timed);
/* Starts writing, and draws, the parts of the present state that are due; last: all parts.
 * WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_run_write_fields(wabe_run *run, int64_t timed, bool last);
/* Returns the cells of a part that are written, and those of them in a process's block. Local. */
wabe_output_grid wabe_run_part_grid(const wabe_run *run, const wabe_run_part *part, wabe_box block);
/* Computes a field of a part on some of its cells that are written, within this process's block:
 * [z][y][x][component] of the part's type. WABE_MEMORY. Local. */
wabe_status wabe_run_fill(const wabe_run *run, const wabe_run_part *part, int field, wabe_box cells,
                          void *values);
/* Checks that the value of this key can be a file name. WABE_INPUT. Local. */
wabe_status wabe_run_check_name(const wabe_run *run, const char *path, const char *name);

/* run_averages.c: starts the sums over time from zero, or from those of a checkpoint if it has sums
 * over the same steps with the same physics. WABE_MEMORY; WABE_INPUT: the checkpoint is damaged.
 * Local. */
wabe_status wabe_run_begin_averages(wabe_run *run, wabe_checkpoint *checkpoint);
/* Returns the steps until something is due after this many timed ones, or the run ends. Local. */
int64_t wabe_run_steps_to_go(const wabe_run *run, int64_t timed);

/* Is the state after this many timed steps to be added? Local. */
bool wabe_run_average_is_due(const wabe_run *run, int64_t timed);
/* Adds it, if it is. WABE_MEMORY. Collective. */
wabe_status wabe_run_average(wabe_run *run, int64_t timed);
/* Reads a time average of a quantity on a plane, row by row; requires at least one sample. out:
 * with room for WABE_AVERAGE_ROOM rows. WABE_MEMORY. Local. */
enum { WABE_AVERAGE_ROOM = 9 };
wabe_status wabe_run_read_average(const wabe_run *run, const wabe_output_quantity *quantity,
                                  wabe_box plane, double *out);
/* Returns the number of rows of sums that the chosen outputs need. Local. */
int wabe_run_average_rows(const wabe_run *run);
void wabe_run_end_averages(wabe_run *run);

/* run_probes.c: reads output.probes. WABE_INPUT. Local. */
wabe_status wabe_run_choose_probes(wabe_run *run);
/* Opens the probes' files. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_run_open_probes(wabe_run *run);
/* Writes a line for each probe after this many timed steps, if it is due. WABE_FILE, WABE_MEMORY.
 * Collective. */
wabe_status wabe_run_follow_probes(wabe_run *run, int64_t timed);

/* run_pictures.c: begins to draw a part of the present state, after the earlier picture of this
 * part, if any, is drawn, and returns as that one has ended: WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_run_draw_part(wabe_run *run, wabe_run_part *part);
/* Waits until all pictures are drawn. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_run_end_pictures(wabe_run *run);
/* The same; a failure causes only a warning. Local. */
void wabe_run_close_pictures(wabe_run *run);
/* Returns the bytes that drawing takes at most on this process, beside what fills fields. Local. */
int64_t wabe_run_pictures_memory(const wabe_run *run);

/* run_profiles.c: writes the profiles of the present state. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_run_write_profiles(wabe_run *run);

/* run_monitor.c: opens monitor.csv. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_run_open_monitor(wabe_run *run);
/* Checks the state. WABE_DIVERGED: it has diverged. Collective. */
wabe_status wabe_run_check_state(wabe_run *run);
/* Adds a line to monitor.csv and decides by monitor.steady whether the state is steady. WABE_FILE.
 * Collective. */
wabe_status wabe_run_add_monitor_line(wabe_run *run);
/* Checks the application's own criterion for a steady state. Collective. */
wabe_status wabe_run_check_criterion(wabe_run *run);
/* Returns whether the state is steady by either criterion. Local. */
bool wabe_run_is_steady(const wabe_run *run);
/* Returns whether the run fails if it has done its steps without a steady state. Local. */
bool wabe_run_must_be_steady(const wabe_run *run);
/* Fails with WABE_NOT_CONVERGED if a steady state is required but was not reached. Local. */
wabe_status wabe_run_check_steady(const wabe_run *run);

/* run_checkpoints.c: sets the state before the first step: the initial one of the case, or that of
 * a checkpoint. WABE_INPUT: the checkpoint is damaged, or belongs to another case. Collective. */
wabe_status wabe_run_begin_state(wabe_run *run);
/* Adds the memory that writing checkpoints takes, if any are due. WABE_INTERNAL. Collective. */
wabe_status wabe_run_checkpoints_memory(wabe_run *run, wabe_writer_memory *all);
/* Starts to write a checkpoint of the present state; see wabe_async_save. Collective. */
wabe_status wabe_run_save(wabe_run *run, bool vital);

/* run_model.c: reads the machine file, if there is one. WABE_INPUT: as wabe_machine_read, if the
 * user named the file or the balance needs it; otherwise a failure causes only a warning.
 * Collective. */
wabe_status wabe_run_read_machine(wabe_run *run);
/* Forecasts the time of a step from the machine file, if it covers this case. Collective. */
void wabe_run_forecast_step(wabe_run *run);
/* Print forecast and measurement as a table, and add them to timing.json; they do nothing without a
 * machine file. phases: of all processes. Local. */
void wabe_run_print_forecast(const wabe_run *run, const wabe_spread *phases);
void wabe_run_put_forecast(const wabe_run *run, const wabe_spread *phases, wabe_json *json);
/* run_time.c: prints about how long the steps that are left will take, by the forecast of a step;
 * nothing without one. Local. */
void wabe_run_print_time(const wabe_run *run);
/* Estimates and prints the same before there is a domain, from the rates of kernels alone: of the
 * machine file, or measured in half a second. Nothing if the number of steps is open, the run is
 * short, or the state streamed. Collective. */
void wabe_run_estimate_time(const wabe_run *run);
/* run_model.c: runs wabe predict. WABE_INPUT, WABE_FILE. Collective. */
wabe_status wabe_run_predict(wabe_run *run);

/* run_report.c: writes the files and prints the tables of a run that has ended; whole: print all
 * tables. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_run_report(wabe_run *run, bool whole);
/* Prints version, host, date and command line. Local. */
void wabe_run_print_origin(const wabe_run *run);
/* Writes results.json for a run that has no results yet: status and origin. Rank 0 only. WABE_FILE.
 * Local. */
wabe_status wabe_run_report_state(const wabe_run *run);
/* The same for a run that has failed, with the last error message, which stays the last. Rank 0
 * only. Local. */
void wabe_run_report_failure(wabe_run *run, wabe_status status);
