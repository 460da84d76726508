/* A number for each cell of a domain from a dataset of an HDF5 file. */
#pragma once

#include "apps/runtime/run_options.h"

typedef struct wabe_field_file wabe_field_file;

/* WABE_INPUT: the file that this key names lies where the run's own files go: steps count from 0
 * again, and it would be written over. Local. */
wabe_status wabe_field_file_check_folder(const wabe_config *config, const wabe_run_options *options,
                                         const char *key, const char *path);

/* The file and dataset that the keys WHERE.file and WHERE.dataset name, which must have the
 * domain's shape. WABE_INPUT, WABE_FILE, WABE_MEMORY. Local. */
wabe_status wabe_field_file_open(const wabe_config *config, const char *where, const char *file,
                                 const char *dataset, const int64_t cells[3],
                                 const bool periodic[3], wabe_field_file **out);
void wabe_field_file_close(wabe_field_file **file);

/* Values of so many cells of a row; behind the domain's faces those of the other end if it is
 * periodic, else of the nearest cell. Fast plane by plane. WABE_FILE. Local. */
wabe_status wabe_field_file_row(wabe_field_file *file, const int64_t cell[3], int64_t count,
                                double *row);

/* The least and the largest value; NAN: one is no number. WABE_FILE. Collective. */
wabe_status wabe_field_file_extremes(MPI_Comm comm, wabe_field_file *file, double *low,
                                     double *high);
