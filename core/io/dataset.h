/* Datasets of HDF5 files with a number for each cell of a box, shape (nz, ny, nx), or several. */
#pragma once

#include "core/base/box.h"
#include "core/base/status.h"

#include <stddef.h>

typedef enum { WABE_NUMBERS_INTEGER, WABE_NUMBERS_REAL, WABE_NUMBERS_OTHER } wabe_numbers;

typedef struct wabe_dataset wabe_dataset;

/* Local. */
bool wabe_dataset_is_hdf5(const char *file);

/* WABE_FILE: cannot be read; WABE_INPUT: no HDF5 file, no such dataset (says which there are), or
 * not of three dimensions. Messages begin with the file. The names must outlive it. Local. */
wabe_status wabe_dataset_open(const char *file, const char *name, wabe_dataset **out);
/* The same of a dataset with so many numbers of a cell, shape (nz, ny, nx, components). */
wabe_status wabe_dataset_open_vectors(const char *file, const char *name, int components,
                                      wabe_dataset **out);
void wabe_dataset_close(wabe_dataset **dataset);

/* Has the file that it is in another one of this name, in a group that is there? Local. */
bool wabe_dataset_has(const wabe_dataset *dataset, const char *name);

/* Cells along x, y, z. Local. */
const int64_t *wabe_dataset_size(const wabe_dataset *dataset);
/* What it holds, in so many bits each; booleans of numpy are integers. Local. */
wabe_numbers wabe_dataset_numbers(const wabe_dataset *dataset, int *bits);

/* Attributes, of the dataset itself or of a group of its file: a text, shorter than size; exactly
 * so many numbers. false: there is none like that. Local. */
bool wabe_dataset_text(const wabe_dataset *dataset, const char *attribute, char text[],
                       size_t size);
bool wabe_dataset_reals(const wabe_dataset *dataset, const char *group, const char *attribute,
                        int count, double out[]);

/* A box of it, [z][y][x][component]: as it stands in the file, or converted. WABE_FILE. Local. */
wabe_status wabe_dataset_read_raw(const wabe_dataset *dataset, wabe_box box, void *out);
wabe_status wabe_dataset_read(const wabe_dataset *dataset, wabe_box box, double *out);
