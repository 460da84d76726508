#include "apps/runtime/field_file.h"

#include "core/io/dataset.h"

#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLANES = 2 }; /* planes kept: a row often needs its neighbouring rows' planes too */

struct wabe_field_file {
    wabe_dataset *dataset;
    int64_t cells[3];
    bool periodic[3];
    int64_t z[PLANES]; /* -1: none */
    int last;          /* last requested */
    double *values[PLANES];
};

wabe_status wabe_field_file_check_folder(const wabe_config *config, const wabe_run_options *options,
                                         const char *key, const char *path) {
    char folder[PATH_MAX], output[PATH_MAX], file[PATH_MAX], name[WABE_STRING_SIZE + 8];
    wabe_run_directory(options, name, sizeof name);
    snprintf(folder, sizeof folder, "%s", path);
    if (realpath(name, output) && realpath(dirname(folder), file) && strcmp(file, output) == 0)
        return wabe_config_fail(config, key,
                                "lies where this run's own files go, which may replace it; set "
                                "another output.directory");
    return WABE_OK;
}

static wabe_status check_shape(const wabe_config *config, const char *key,
                               const wabe_field_file *file) {
    const int64_t *is = wabe_dataset_size(file->dataset), *n = file->cells;
    int bits;
    if (wabe_dataset_numbers(file->dataset, &bits) == WABE_NUMBERS_OTHER)
        return wabe_config_fail(config, key, "holds no numbers");
    if (memcmp(is, n, 3 * sizeof *n) != 0)
        return wabe_config_fail(config, key,
                                "has the shape (%lld, %lld, %lld), but domain.cells wants (nz, ny, "
                                "nx) = (%lld, %lld, %lld)",
                                (long long)is[2], (long long)is[1], (long long)is[0],
                                (long long)n[2], (long long)n[1], (long long)n[0]);
    return WABE_OK;
}

static wabe_status open_dataset(const wabe_config *config, const char *where, const char *file,
                                const char *dataset, wabe_field_file *out) {
    char key[64];
    const wabe_status status = wabe_dataset_open(file, dataset, &out->dataset);
    if (status != WABE_OK) {
        const bool is_file = status == WABE_INPUT && wabe_dataset_is_hdf5(file);
        snprintf(key, sizeof key, "%s.%s", where, is_file ? "dataset" : "file");
        wabe_config_fail_because(config, key, "cannot be taken");
        return status;
    }
    snprintf(key, sizeof key, "%s.dataset", where);
    return check_shape(config, key, out);
}

wabe_status wabe_field_file_open(const wabe_config *config, const char *where, const char *file,
                                 const char *dataset, const int64_t cells[3],
                                 const bool periodic[3], wabe_field_file **out) {
    wabe_field_file *f = *out = calloc(1, sizeof *f);
    WABE_CHECK(f, WABE_MEMORY, "no memory for the values of a file");
    memcpy(f->cells, cells, sizeof f->cells);
    memcpy(f->periodic, periodic, sizeof f->periodic);
    WABE_TRY(open_dataset(config, where, file, dataset, f));
    for (int i = 0; i < PLANES; i++) {
        f->z[i] = -1;
        f->values[i] = malloc((size_t)(cells[0] * cells[1]) * sizeof(double));
        WABE_CHECK(f->values[i], WABE_MEMORY, "no memory for a plane of the values of a file");
    }
    return WABE_OK;
}

void wabe_field_file_close(wabe_field_file **file) {
    if (!*file)
        return;
    wabe_dataset_close(&(*file)->dataset);
    for (int i = 0; i < PLANES; i++)
        free((*file)->values[i]);
    free(*file);
    *file = NULL;
}

static int64_t place_of(const wabe_field_file *f, int axis, int64_t at) {
    const int64_t n = f->cells[axis];
    if (f->periodic[axis])
        return (at % n + n) % n;
    return at < 0 ? 0 : at < n ? at : n - 1;
}

static wabe_status plane_of(wabe_field_file *f, int64_t z, const double **out) {
    const wabe_box plane = {{0, 0, z}, {f->cells[0], f->cells[1], z + 1}};
    if (f->z[f->last] != z)
        f->last = (f->last + 1) % PLANES;
    if (f->z[f->last] != z)
        WABE_TRY(wabe_dataset_read(f->dataset, plane, f->values[f->last]));
    f->z[f->last] = z;
    *out = f->values[f->last];
    return WABE_OK;
}

wabe_status wabe_field_file_row(wabe_field_file *f, const int64_t cell[3], int64_t count,
                                double *row) {
    const double *plane;
    WABE_TRY(plane_of(f, place_of(f, 2, cell[2]), &plane));
    const double *from = plane + place_of(f, 1, cell[1]) * f->cells[0];
    for (int64_t i = 0; i < count; i++)
        row[i] = from[place_of(f, 0, cell[0] + i)];
    return WABE_OK;
}

/* Planes are distributed over ranks. */
wabe_status wabe_field_file_extremes(MPI_Comm comm, wabe_field_file *f, double *low, double *high) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    double ends[3] = {INFINITY, INFINITY, 0.0}; /* minimum, -maximum, -(any broken) */
    wabe_status status = WABE_OK;
    for (int64_t z = rank; z < f->cells[2] && status == WABE_OK; z += size) {
        const double *plane;
        status = plane_of(f, z, &plane);
        for (int64_t i = 0; i < f->cells[0] * f->cells[1] && status == WABE_OK; i++) {
            ends[0] = fmin(ends[0], plane[i]);
            ends[1] = fmin(ends[1], -plane[i]);
            ends[2] = isfinite(plane[i]) ? ends[2] : -1.0;
        }
    }
    WABE_TRY(wabe_agree(comm, status));
    MPI_Allreduce(MPI_IN_PLACE, ends, 3, MPI_DOUBLE, MPI_MIN, comm);
    *low = ends[2] < 0.0 ? NAN : ends[0];
    *high = ends[2] < 0.0 ? NAN : -ends[1];
    return WABE_OK;
}
