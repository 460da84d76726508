#include "core/io/dataset.h"

#include "core/io/disk.h"
#include "core/io/hdf_error.h"

#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 8 }; /* entries that a message lists */

struct wabe_dataset {
    const char *file_name, *name;
    hid_t file, dataset, type;
    int64_t size[3];
    int axes, components; /* a plane has two axes, and size[2] is 1 */
};

static int rank_of(const wabe_dataset *d) { return d->axes + (d->components > 1); }

/* Call it right after the failure: the next HDF5 call clears the error stack. */
static wabe_status failed(const wabe_dataset *d) {
    char reason[256];
    wabe_hdf_reason(reason);
    return WABE_FAIL(WABE_FILE, "%s: cannot be read: %s", d->file_name, reason);
}

/* Lists the entries at the top level, "a, b/, c": groups end in a slash. */
static void list_top_level(hid_t file, char text[], size_t size) {
    H5G_info_t about = {.nlinks = 0};
    H5Gget_info(file, &about);
    snprintf(text, size, "%s", about.nlinks ? "" : "nothing");
    for (hsize_t k = 0; k < about.nlinks && k < NAMES_MAX; k++) {
        char name[64] = "?";
        H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name,
                           H5P_DEFAULT);
        const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s%s", k ? ", " : "", name,
                 object >= 0 && H5Iget_type(object) == H5I_GROUP ? "/" : "");
        if (object >= 0)
            H5Oclose(object);
    }
    if (about.nlinks > NAMES_MAX)
        strncat(text, ", ...", size - strlen(text) - 1);
}

static wabe_status open_in_file(wabe_dataset *d) {
    d->dataset = H5Dopen2(d->file, d->name, H5P_DEFAULT);
    if (d->dataset < 0) {
        char names[(NAMES_MAX + 1) * 70];
        list_top_level(d->file, names, sizeof names);
        return WABE_FAIL(WABE_INPUT, "%s has no dataset \"%s\"; at its top level there is: %s",
                         d->file_name, d->name, names);
    }
    d->type = H5Dget_type(d->dataset);
    return d->type < 0 ? failed(d) : WABE_OK;
}

/* "three, (nz, ny, nx)", or what else the dimensions have to be. */
static const char *wanted_of(const wabe_dataset *d, char text[], size_t size) {
    if (d->components > 1)
        snprintf(text, size, "four, (nz, ny, nx, %d)", d->components);
    else
        snprintf(text, size, "%s", d->axes == 2 ? "two, rows and columns" : "three, (nz, ny, nx)");
    return text;
}

/* Gets the size. */
static wabe_status take_shape(wabe_dataset *d) {
    const hid_t space = H5Dget_space(d->dataset);
    hsize_t shape[4] = {0};
    char wanted[64];
    if (space < 0)
        return failed(d);
    const int rank = H5Sget_simple_extent_ndims(space);
    const bool fits = rank == rank_of(d);
    wabe_status status = WABE_OK;
    if (fits && H5Sget_simple_extent_dims(space, shape, NULL) < 0)
        status = failed(d);
    else if (!fits || (d->components > 1 && shape[3] != (hsize_t)d->components))
        status = WABE_FAIL(WABE_INPUT, "%s: dataset \"%s\" has %d dimensions; it has to have %s",
                           d->file_name, d->name, rank, wanted_of(d, wanted, sizeof wanted));
    H5Sclose(space);
    for (int axis = 0; axis < d->axes; axis++) {
        const hsize_t cells = shape[d->axes - 1 - axis];
        d->size[axis] = cells < INT64_MAX ? (int64_t)cells : INT64_MAX;
    }
    return status;
}

/* Fields that Wabe has written have two layers with the same values along an axis of one cell. */
static void take_layers(wabe_dataset *d) {
    double cells[3];
    if (d->axes == 3 && wabe_dataset_reals(d, "wabe", "cells", 3, cells))
        for (int axis = 0; axis < 3; axis++)
            if (d->size[axis] == 2 && cells[axis] == 1.0)
                d->size[axis] = 1;
}

bool wabe_dataset_is_hdf5(const char *file) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return H5Fis_hdf5(file) > 0;
}

/* HDF5 prints no errors from here on: messages take their reason from its error stack. */
static wabe_status open_shape(const char *file, const char *name, int axes, int components,
                              wabe_dataset **out) {
    int64_t bytes;
    *out = NULL;
    WABE_TRY(wabe_disk_check(file, &bytes));
    wabe_dataset *d = malloc(sizeof *d);
    WABE_CHECK(d, WABE_MEMORY, "no memory for a dataset's description");
    *d = (wabe_dataset){file, name, -1, -1, -1, {1, 1, 1}, axes, components};
    d->file = wabe_hdf_open(file);
    wabe_status status = d->file < 0 ? failed(d) : open_in_file(d);
    if (d->file < 0 && H5Fis_hdf5(file) == 0)
        status = WABE_FAIL(WABE_INPUT, "%s is no HDF5 file", file);
    if (status == WABE_OK)
        status = take_shape(d);
    if (status == WABE_OK)
        take_layers(d);
    else
        wabe_dataset_close(&d);
    *out = d;
    return status;
}

wabe_status wabe_dataset_open(const char *file, const char *name, wabe_dataset **out) {
    return open_shape(file, name, 3, 1, out);
}

wabe_status wabe_dataset_open_vectors(const char *file, const char *name, int components,
                                      wabe_dataset **out) {
    return open_shape(file, name, 3, components, out);
}

wabe_status wabe_dataset_open_plane(const char *file, const char *name, wabe_dataset **out) {
    return open_shape(file, name, 2, 1, out);
}

void wabe_dataset_close(wabe_dataset **dataset) {
    wabe_dataset *d = *dataset;
    if (!d)
        return;
    if (d->type >= 0)
        H5Tclose(d->type);
    if (d->dataset >= 0)
        H5Dclose(d->dataset);
    if (d->file >= 0)
        H5Fclose(d->file);
    free(d);
    *dataset = NULL;
}

bool wabe_dataset_has(const wabe_dataset *dataset, const char *name) {
    return H5Lexists(dataset->file, name, H5P_DEFAULT) > 0;
}

const int64_t *wabe_dataset_size(const wabe_dataset *dataset) { return dataset->size; }

wabe_numbers wabe_dataset_numbers(const wabe_dataset *dataset, int *bits) {
    const H5T_class_t class = H5Tget_class(dataset->type);
    const size_t bytes = H5Tget_size(dataset->type); /* possibly gigabytes for opaque values */
    *bits = bytes < INT_MAX / 8 ? 8 * (int)bytes : INT_MAX;
    return class == H5T_INTEGER || (class == H5T_ENUM && *bits == 8) ? WABE_NUMBERS_INTEGER
           : class == H5T_FLOAT                                      ? WABE_NUMBERS_REAL
                                                                     : WABE_NUMBERS_OTHER;
}

/* ---- attributes --------------------------------------------------------------------- */

/* Reads a text of fixed length, or of variable length, which Python writes. */
static bool read_text(hid_t attribute, hid_t type, char text[], size_t size) {
    char *found = NULL;
    memset(text, 0, size);
    if (H5Tis_variable_str(type) == 0)
        return H5Tget_size(type) < size && H5Aread(attribute, type, text) >= 0;
    if (H5Aread(attribute, type, &found) < 0 || !found)
        return false;
    snprintf(text, size, "%s", found);
    const bool whole = strlen(found) < size;
    H5free_memory(found);
    return whole;
}

bool wabe_dataset_text(const wabe_dataset *d, const char *name, char text[], size_t size) {
    const hid_t attribute = H5Aopen(d->dataset, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const bool good = H5Tget_class(type) == H5T_STRING &&
                      H5Sget_simple_extent_npoints(space) == 1 &&
                      read_text(attribute, type, text, size);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return good;
}

bool wabe_dataset_reals(const wabe_dataset *d, const char *group, const char *name, int count,
                        double out[]) {
    const hid_t attribute = H5Aopen_by_name(d->file, group, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    const hid_t space = H5Aget_space(attribute);
    const bool good = H5Sget_simple_extent_npoints(space) == count &&
                      H5Aread(attribute, H5T_NATIVE_DOUBLE, out) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return good;
}

/* ---- values ------------------------------------------------------------------------- */

static wabe_status read_box(const wabe_dataset *d, wabe_box box, hid_t type, void *out) {
    const int last = d->axes - 1;
    hsize_t begin[4] = {0}, count[4] = {0};
    count[d->axes] = (hsize_t)d->components;
    for (int axis = 0; axis <= last; axis++) {
        begin[last - axis] = (hsize_t)box.begin[axis];
        count[last - axis] = (hsize_t)wabe_box_extent(box, axis);
    }
    const hid_t from = H5Dget_space(d->dataset), to = H5Screate_simple(rank_of(d), count, NULL);
    const bool good = H5Sselect_hyperslab(from, H5S_SELECT_SET, begin, NULL, count, NULL) >= 0 &&
                      H5Dread(d->dataset, type, to, from, H5P_DEFAULT, out) >= 0;
    const wabe_status status = good ? WABE_OK : failed(d);
    H5Sclose(to);
    H5Sclose(from);
    return status;
}

wabe_status wabe_dataset_read_raw(const wabe_dataset *dataset, wabe_box box, void *out) {
    return read_box(dataset, box, dataset->type, out);
}

wabe_status wabe_dataset_read(const wabe_dataset *dataset, wabe_box box, double *out) {
    return read_box(dataset, box, H5T_NATIVE_DOUBLE, out);
}
