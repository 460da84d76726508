/* A run, as its files share it. */
#pragma once

#include "apps/runtime/run.h"

/* run_prepare.c. Everything that can be checked before anything large is allocated: components,
 * their planes, kernels, memory. WABE_INPUT, WABE_MEMORY. Collective. */
wabe_status wabe_run_prepare(wabe_run *run);
/* Planes by measurement or by a machine file, then what depends on them. Collective. */
wabe_status wabe_run_balance(wabe_run *run);
/* The table of what follows from the input. Collective. */
void wabe_run_print_case(const wabe_run *run);

/* run_folder.c. Makes the output directory, and locks it for this run. WABE_FILE: who holds it, or
 * why it cannot be written. Once the run is sure to begin: moves an earlier run's files aside, or
 * removes those of its steps with --overwrite, unless this one goes on with them; opens the log.
 * Lets the folder go. Is a file in it? The last two Local, otherwise Collective. */
wabe_status wabe_run_take_folder(wabe_run *run);
wabe_status wabe_run_begin_folder(wabe_run *run);
void wabe_run_leave_folder(wabe_run *run);
bool wabe_run_is_in_folder(const wabe_run *run, const char *file);

/* run_fields.c. What output.fields and output.parts ask for: WABE_INPUT. Its files are opened, or
 * what was written up to the first step is taken over. Is some of it due after so many timed steps?
 * Begins to write what is due of the present state, last: all of it. WABE_FILE, WABE_MEMORY. The
 * first and the fourth Local, otherwise Collective. */
wabe_status wabe_run_choose_fields(wabe_run *run);
wabe_status wabe_run_open_fields(wabe_run *run);
wabe_status wabe_run_resume_fields(wabe_run *run);
bool wabe_run_fields_are_due(const wabe_run *run, int64_t timed);
wabe_status wabe_run_write_fields(wabe_run *run, int64_t timed, bool last);
/* WABE_INPUT: the value of this key is no name that files could have. Local. */
wabe_status wabe_run_check_name(const wabe_run *run, const char *path, const char *name);

/* run_averages.c. Sums over time begin, with no sample, or go on from those of a checkpoint, if it
 * has any. Adds the state after so many timed steps, if that is due: Collective. The numbers of a
 * quantity that is made of them, of which there is one, on a plane, in rows; out has room for one
 * row more. WABE_MEMORY, WABE_INPUT: the checkpoint is damaged. Rows that a checkpoint has of them.
 * Otherwise Local. */
wabe_status wabe_run_begin_averages(wabe_run *run, wabe_checkpoint *checkpoint);
wabe_status wabe_run_average(wabe_run *run, int64_t timed);
wabe_status wabe_run_read_average(const wabe_run *run, const wabe_output_quantity *quantity,
                                  wabe_box plane, double *out);
int wabe_run_average_rows(const wabe_run *run);
void wabe_run_end_averages(wabe_run *run);

/* run_probes.c. What output.probes asks for: WABE_INPUT, Local. Its files; a line of each, if that
 * is due. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_run_choose_probes(wabe_run *run);
wabe_status wabe_run_open_probes(wabe_run *run);
wabe_status wabe_run_follow_probes(wabe_run *run, int64_t timed);

/* run_pictures.c. Picture and profiles of the present state, if they are asked for. WABE_FILE,
 * WABE_MEMORY. Collective. */
wabe_status wabe_run_write_picture(wabe_run *run);
wabe_status wabe_run_write_profiles(const wabe_run *run);

/* run_monitor.c. Looks at the state: WABE_DIVERGED. A line in monitor.csv, and whether the state is
 * steady: WABE_FILE. Is it, by whichever measure? WABE_NOT_CONVERGED, if it should be and is not.
 * The last two Local, otherwise Collective. */
wabe_status wabe_run_open_monitor(wabe_run *run);
wabe_status wabe_run_check_state(wabe_run *run);
wabe_status wabe_run_add_monitor_line(wabe_run *run);
wabe_status wabe_run_check_criterion(wabe_run *run);
bool wabe_run_is_steady(const wabe_run *run);
wabe_status wabe_run_check_steady(const wabe_run *run);

/* run_checkpoints.c. The state before the first step: as the case begins, or as a checkpoint has
 * it. WABE_INPUT: it is damaged, or of another case. Begins a checkpoint of the present state: see
 * wabe_async_save. Collective. */
wabe_status wabe_run_begin_state(wabe_run *run);
wabe_status wabe_run_save(wabe_run *run, bool vital);

/* run_model.c. The machine file, if there is one. What it says of a step; it may be none to say it.
 * Beside it what was measured, as a table and as a part of timing.json; nothing without a machine
 * file. phases: of all processes. The last two Local, otherwise Collective. */
wabe_status wabe_run_read_machine(wabe_run *run);
void wabe_run_forecast_step(wabe_run *run);
void wabe_run_print_forecast(const wabe_run *run, const wabe_spread *phases);
void wabe_run_put_forecast(const wabe_run *run, const wabe_spread *phases, wabe_json *json);
/* wabe predict. WABE_INPUT, WABE_FILE. Collective. */
wabe_status wabe_run_predict(wabe_run *run);

/* run_report.c. The files and tables of a run that has ended; whole: all tables. WABE_FILE.
 * Collective. */
wabe_status wabe_run_report(wabe_run *run, bool whole);
/* Version, host, date and command line, as lines. Local. */
void wabe_run_print_origin(const wabe_run *run);
/* results.json of a run without results: its status, and where it comes from; of one that has
 * failed, with the last message, which stays the last. Rank 0. WABE_FILE. Local. */
wabe_status wabe_run_report_state(const wabe_run *run);
void wabe_run_report_failure(wabe_run *run, wabe_status status);
