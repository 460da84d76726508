/* Datasets of HDF5 files with one number per cell of a box, shape (nz, ny, nx), or several; or with
 * the numbers of a plane. */
#pragma once

#include "core/base/box.h"
#include "core/base/status.h"

#include <stddef.h>

typedef enum { WABE_NUMBERS_INTEGER, WABE_NUMBERS_REAL, WABE_NUMBERS_OTHER } wabe_numbers;

typedef struct wabe_dataset wabe_dataset;

/* Returns whether the file is an HDF5 file. Local. */
bool wabe_dataset_is_hdf5(const char *file);

/* Opens a dataset. WABE_FILE: the file cannot be read; WABE_INPUT: it is not HDF5, has no such
 * dataset (the message lists those at its top level), or the dataset is not three-dimensional;
 * WABE_MEMORY. Messages begin with the file's name. The names must outlive the dataset. Local. */
wabe_status wabe_dataset_open(const char *file, const char *name, wabe_dataset **out);
/* Same for components numbers per cell, shape (nz, ny, nx, components). Local. */
wabe_status wabe_dataset_open_vectors(const char *file, const char *name, int components,
                                      wabe_dataset **out);
/* Same for the numbers of a plane, shape (rows, columns): a box of columns x rows x 1. Local. */
wabe_status wabe_dataset_open_plane(const char *file, const char *name, wabe_dataset **out);
void wabe_dataset_close(wabe_dataset **dataset);

/* Returns whether the same file has an object of this name; the group that it would be in must
 * exist. Local. */
bool wabe_dataset_has(const wabe_dataset *dataset, const char *name);

/* Returns the number of cells along x, y, z: one where a field that Wabe has written has two layers
 * for one cell (core/io/output.h). Local. */
const int64_t *wabe_dataset_size(const wabe_dataset *dataset);
/* Returns the kind of its numbers, and their size in bits; booleans of numpy are integers.
 * Local. */
wabe_numbers wabe_dataset_numbers(const wabe_dataset *dataset, int *bits);

/* Read an attribute: a text of the dataset, shorter than size, or exactly count numbers of a group
 * of its file. Return false if there is none like that. Local. */
bool wabe_dataset_text(const wabe_dataset *dataset, const char *attribute, char text[],
                       size_t size);
bool wabe_dataset_reals(const wabe_dataset *dataset, const char *group, const char *attribute,
                        int count, double out[]);

/* Read a box, [z][y][x][component]: raw as stored in the file, or converted to double. WABE_FILE.
 * Local. */
wabe_status wabe_dataset_read_raw(const wabe_dataset *dataset, wabe_box box, void *out);
wabe_status wabe_dataset_read(const wabe_dataset *dataset, wabe_box box, double *out);
