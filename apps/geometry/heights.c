#include "apps/geometry/heights.h"

#include "core/io/dataset.h"
#include "core/io/disk.h"
#include "core/io/png_file.h"

#include <math.h>
#include <stdlib.h>

static int first_of(const wabe_heights *h) { return h->up == 0 ? 1 : 0; }
static int second_of(const wabe_heights *h) { return h->up == 2 ? 1 : 2; }

void wabe_heights_free(wabe_heights *heights) {
    free(heights->heights);
    heights->heights = NULL;
}

/* ---- files -------------------------------------------------------------------------- */

static wabe_status check_dataset(const wabe_heights_source *s, const wabe_dataset *set,
                                 int64_t columns, int64_t rows) {
    int bits;
    const int64_t *size = wabe_dataset_size(set);
    WABE_CHECK(wabe_dataset_numbers(set, &bits) != WABE_NUMBERS_OTHER, WABE_INPUT,
               "%s: dataset \"%s\" has no numbers", s->file, s->dataset);
    WABE_CHECK(size[0] == columns && size[1] == rows, WABE_INPUT,
               "%s: dataset \"%s\" has the shape (%lld, %lld); it has to be (%lld, %lld), rows and "
               "columns",
               s->file, s->dataset, (long long)size[1], (long long)size[0], (long long)rows,
               (long long)columns);
    return WABE_OK;
}

static wabe_status read_dataset(const wabe_heights_source *s, int64_t columns, int64_t rows,
                                float *values) {
    wabe_dataset *set;
    WABE_TRY(wabe_dataset_open_plane(s->file, s->dataset, &set));
    wabe_status status = check_dataset(s, set, columns, rows);
    double *row = malloc((size_t)columns * sizeof *row);
    if (status == WABE_OK && !row)
        status = WABE_FAIL(WABE_MEMORY, "%s: no memory for a row", s->file);
    for (int64_t j = 0; j < rows && status == WABE_OK; j++) {
        const wabe_box box = {{0, j, 0}, {columns, j + 1, 1}};
        status = wabe_dataset_read(set, box, row);
        for (int64_t i = 0; i < columns && status == WABE_OK; i++)
            values[j * columns + i] = (float)row[i];
    }
    free(row);
    wabe_dataset_close(&set);
    return status;
}

/* Turns values into heights. */
static wabe_status scale(const wabe_heights_source *s, wabe_heights *h) {
    const int u = first_of(h), v = second_of(h);
    h->low = INFINITY;
    h->high = -INFINITY;
    for (int64_t i = 0; i < h->cells[u] * h->cells[v]; i++) {
        const double height = s->offset + s->scale * h->heights[i];
        h->heights[i] = (float)height;
        WABE_CHECK(isfinite(h->heights[i]), WABE_INPUT,
                   "%s: the height at %c = %lld, %c = %lld is not a finite number", s->file,
                   'x' + u, (long long)(i % h->cells[u]), 'x' + v, (long long)(i / h->cells[u]));
        h->low = fmin(h->low, height);
        h->high = fmax(h->high, height);
    }
    return WABE_OK;
}

wabe_status wabe_heights_read(const wabe_heights_source *source, wabe_heights *out) {
    const int64_t columns = out->cells[first_of(out)], rows = out->cells[second_of(out)];
    int64_t bytes;
    WABE_TRY(wabe_disk_check(source->file, &bytes));
    WABE_CHECK(bytes > 0, WABE_INPUT, "%s is empty", source->file);
    out->heights = malloc((size_t)(columns * rows) * sizeof *out->heights);
    WABE_CHECK(out->heights, WABE_MEMORY, "%s: no memory for %lld heights", source->file,
               (long long)(columns * rows));
    wabe_status status = wabe_dataset_is_hdf5(source->file)
                             ? read_dataset(source, columns, rows, out->heights)
                             : wabe_png_read_grey(source->file, columns, rows, out->heights);
    if (status == WABE_OK)
        status = scale(source, out);
    if (status != WABE_OK)
        wabe_heights_free(out);
    return status;
}

/* ---- cells -------------------------------------------------------------------------- */

static wabe_status read_cells(const void *source, wabe_box box, uint8_t *solid) {
    const wabe_heights *h = source;
    const int u = first_of(h), v = second_of(h);
    int64_t at[3];
    for (at[2] = box.begin[2]; at[2] < box.end[2]; at[2]++)
        for (at[1] = box.begin[1]; at[1] < box.end[1]; at[1]++)
            for (at[0] = box.begin[0]; at[0] < box.end[0]; at[0]++)
                *solid++ = (double)at[h->up] + 0.5 < h->heights[at[u] + h->cells[u] * at[v]];
    return WABE_OK;
}

/* How far a cell's centre lies above the height of its column, or of the nearest one. */
static double above(const wabe_heights *h, const int64_t cell[3]) {
    int64_t at[3];
    for (int d = 0; d < 3; d++)
        at[d] = cell[d] < 0 ? 0 : cell[d] >= h->cells[d] ? h->cells[d] - 1 : cell[d];
    return (double)cell[h->up] + 0.5 -
           h->heights[at[first_of(h)] + h->cells[first_of(h)] * at[second_of(h)]];
}

/* Between two columns the surface is a straight line, as of smooth terrain. */
static double cut(const void *source, const int64_t cell[3], const int way[3]) {
    const wabe_heights *h = source;
    const double from = above(h,
                              (int64_t[3]){cell[0] - way[0], cell[1] - way[1], cell[2] - way[2]});
    const double to = above(h, cell);
    return from >= 0.0 && to < 0.0 ? from / (from - to) : 0.5;
}

wabe_raster wabe_heights_raster(const wabe_heights *h, int condition) {
    wabe_raster raster = {.read = read_cells, .cut = cut, .source = h, .condition = condition};
    for (int d = 0; d < 3; d++)
        raster.box.end[d] = h->cells[d];
    raster.box.end[h->up] = (int64_t)fmin(ceil(fmax(h->high, 0.0)), (double)h->cells[h->up]);
    return raster;
}
