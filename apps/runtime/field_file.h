/* Reads a field of numbers for the cells of a domain from a dataset of an HDF5 file. */
#pragma once

#include "apps/runtime/run_options.h"

typedef struct wabe_field_file wabe_field_file;

/* Checks that the file of this key is not among the run's own outputs: steps count from 0 again, so
 * that the run would overwrite it. WABE_INPUT. Local. */
wabe_status wabe_field_file_check_folder(const wabe_config *config, const wabe_run_options *options,
                                         const char *key, const char *path);

/* Opens the file and dataset given by the keys WHERE.file and WHERE.dataset; the shape must be the
 * domain's. WABE_INPUT, WABE_FILE, WABE_MEMORY. Local. */
wabe_status wabe_field_file_open(const wabe_config *config, const char *where, const char *file,
                                 const char *dataset, const int64_t cells[3],
                                 const bool periodic[3], wabe_field_file **out);
void wabe_field_file_close(wabe_field_file **file);

/* Reads count cells of a row; beyond a face of the domain, values of the opposite end if periodic,
 * otherwise of the nearest cell. Efficient plane by plane. WABE_FILE. Local. */
wabe_status wabe_field_file_row(wabe_field_file *file, const int64_t cell[3], int64_t count,
                                double *row);

/* Finds the minimum and maximum; NAN: a value is NaN or infinite. WABE_FILE. Collective. */
wabe_status wabe_field_file_extremes(MPI_Comm comm, wabe_field_file *file, double *low,
                                     double *high);
