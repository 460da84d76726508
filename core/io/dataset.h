/* Datasets of HDF5 files with a number for each cell of a box, shape (nz, ny, nx). */
#pragma once

#include "core/base/box.h"
#include "core/base/status.h"

typedef enum { WABE_NUMBERS_INTEGER, WABE_NUMBERS_REAL, WABE_NUMBERS_OTHER } wabe_numbers;

typedef struct wabe_dataset wabe_dataset;

/* Local. */
bool wabe_dataset_is_hdf5(const char *file);

/* WABE_FILE: cannot be read; WABE_INPUT: no HDF5 file, no such dataset (says which there are), or
 * not of three dimensions. Messages begin with the file. The names must outlive it. Local. */
wabe_status wabe_dataset_open(const char *file, const char *name, wabe_dataset **out);
void wabe_dataset_close(wabe_dataset **dataset);

/* Cells along x, y, z. Local. */
const int64_t *wabe_dataset_size(const wabe_dataset *dataset);
/* What it holds, in so many bits each; booleans of numpy are integers. Local. */
wabe_numbers wabe_dataset_numbers(const wabe_dataset *dataset, int *bits);

/* A box of it, [z][y][x]: as it stands in the file, or converted. WABE_FILE. Local. */
wabe_status wabe_dataset_read_raw(const wabe_dataset *dataset, wabe_box box, void *out);
wabe_status wabe_dataset_read(const wabe_dataset *dataset, wabe_box box, double *out);
