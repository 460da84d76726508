#include "apps/lbm/mean_profiles.h"

#include "apps/lbm/lbm.h"
#include "core/base/log.h"
#include "core/base/sum.h"
#include "core/io/disk.h"

#include <stdlib.h>
#include <string.h>

/* Of a level's fluid cells: density deviation, ux, uy, uz, squares, products. */
enum { NUMBERS = 10, VELOCITY = 1, SQUARES = 4, PRODUCTS = 7 };

typedef struct {
    wabe_sum sums[NUMBERS];
    int64_t cells;
} level;

/* The row of the sums over time. */
static int row_of(int number) {
    return number < PRODUCTS ? number : number - PRODUCTS + WABE_SUM_PRODUCTS;
}

typedef struct {
    const wabe_run *run;
    int axis;
    double *numbers; /* of a plane of the block */
    level *levels;
} collection;

static wabe_status add_plane(void *context, const wabe_flags *flags, int64_t z) {
    const collection *c = context;
    const wabe_box plane = wabe_box_plane(c->run->block, z);
    const int64_t cells = wabe_box_plane_cells(plane);
    for (int k = 0; k < NUMBERS; k++)
        WABE_TRY(c->run->averages.of.read(c->run, row_of(k), plane, c->numbers + k * cells));
    int64_t i = 0;
    for (int64_t y = plane.begin[1]; y < plane.end[1]; y++)
        for (int64_t x = plane.begin[0]; x < plane.end[0]; x++, i++) {
            level *to = &c->levels[(const int64_t[3]){x, y, z}[c->axis]];
            if (wabe_flags_at(flags, x, y, z))
                continue;
            to->cells++;
            for (int k = 0; k < NUMBERS; k++)
                wabe_sum_add(&to->sums[k],
                             c->numbers[k * cells + i] / (double)c->run->averages.samples);
        }
    return WABE_OK;
}

static wabe_status add_block(const wabe_run *run, int axis, level *levels) {
    const wabe_geometry *g = &wabe_flow_of(run)->lbm_case.simulation.geometry;
    collection c = {.run = run, .axis = axis, .levels = levels};
    c.numbers = malloc((size_t)(NUMBERS * wabe_box_plane_cells(run->block)) * sizeof *c.numbers);
    WABE_CHECK(c.numbers, WABE_MEMORY, "no memory for a plane of means");
    const wabe_status status = wabe_geometry_visit(g, run->block, 0, 0, add_plane, &c);
    free(c.numbers);
    return status;
}

static void reduce(MPI_Comm comm, int64_t count, level *levels) {
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < NUMBERS; k++)
            wabe_sum_carry(&levels[i].sums[k]);
    MPI_Allreduce(MPI_IN_PLACE, levels, (int)(count * (int64_t)(sizeof *levels / sizeof(int64_t))),
                  MPI_INT64_T, MPI_SUM, comm);
}

/* A line for a level; levels without fluid have none. */
static void print_level(FILE *file, const wabe_lbm_units *u, int64_t at, const level *of) {
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    double mean[NUMBERS];
    for (int k = 0; k < NUMBERS; k++)
        mean[k] = wabe_sum_value(of->sums[k]) / (double)of->cells;
    fprintf(file, "%.17g,%lld,%.17g", u->length * ((double)at + 0.5), (long long)of->cells,
            u->density * (1.0 + mean[0]));
    for (int d = 0; d < 3; d++)
        fprintf(file, ",%.17g", u->velocity * mean[VELOCITY + d]);
    for (int k = 0; k < 6; k++)
        fprintf(file, ",%.17g",
                u->energy * (mean[SQUARES + k] -
                             mean[VELOCITY + pairs[k][0]] * mean[VELOCITY + pairs[k][1]]));
    fputc('\n', file);
}

static wabe_status write_file(const wabe_run *run, int64_t count, const level *levels) {
    FILE *file;
    WABE_TRY(wabe_disk_open_text(run->directory, "mean_profiles.csv", &file));
    fputs("position,cells,density,ux,uy,uz,uxux,uyuy,uzuz,uxuy,uyuz,uxuz\n", file);
    for (int64_t i = 0; i < count; i++)
        if (levels[i].cells > 0)
            print_level(file, &wabe_flow_of(run)->lbm_case.units, i, &levels[i]);
    WABE_TRY(wabe_disk_close_text(run->directory, "mean_profiles.csv", file));
    wabe_log_line("means      %s/mean_profiles.csv, of %lld states", run->directory,
                  (long long)run->averages.samples);
    return WABE_OK;
}

wabe_status wabe_mean_profiles_write(const wabe_run *run) {
    const int axis = wabe_flow_of(run)->options.mean_profiles - 1;
    if (axis >= 0 && run->averages.samples == 0)
        wabe_log_line("means      there is no mean_profiles.csv: no state was averaged");
    if (axis < 0 || run->averages.samples == 0)
        return WABE_OK;
    const int64_t count = run->o->domain.cells[axis];
    level *levels = calloc((size_t)count, sizeof *levels);
    wabe_status status = wabe_agree_memory(run->comm, levels, "mean profiles");
    if (status == WABE_OK)
        status = wabe_agree(run->comm, add_block(run, axis, levels));
    if (status == WABE_OK) {
        reduce(run->comm, count, levels);
        status = wabe_agree(run->comm, run->rank == 0 ? write_file(run, count, levels) : WABE_OK);
    }
    free(levels);
    return status;
}
