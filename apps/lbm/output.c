/* Pictures and profiles of a run. */
#include "apps/lbm/lbm.h"

#include "core/io/image.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pictures ----------------------------------------------------------------------- */

/* Sets the part of a plane that this process knows. */
static wabe_status set_solid(const wabe_lbm_run_state *run, wabe_box plane, uint8_t *solid) {
    const wabe_box part = wabe_box_intersect(plane, run->block);
    wabe_flags flags;
    if (wabe_box_is_empty(part))
        return WABE_OK;
    WABE_TRY(wabe_geometry_flags(&run->lbm_case.simulation.geometry, part, &flags));
    const wabe_flags all = {plane, solid};
    const uint8_t *id = flags.ids;
    for (int64_t z = part.begin[2]; z < part.end[2]; z++)
        for (int64_t y = part.begin[1]; y < part.end[1]; y++)
            for (int64_t x = part.begin[0]; x < part.end[0]; x++)
                *wabe_flags_place(&all, x, y, z) = *id++ != 0;
    wabe_flags_free(&flags);
    return WABE_OK;
}

wabe_status wabe_lbm_gather_solid(const wabe_lbm_run_state *run, wabe_box plane, uint8_t **out) {
    const int64_t cells = wabe_box_cells(plane);
    uint8_t *solid = cells < INT_MAX ? calloc((size_t)cells, 1) : NULL;
    *out = NULL;
    wabe_status status = wabe_agree(run->comm,
                                    solid ? set_solid(run, plane, solid)
                                          : WABE_FAIL(WABE_MEMORY, "no memory for a picture"));
    if (status == WABE_OK)
        MPI_Reduce(run->rank == 0 ? MPI_IN_PLACE : solid, solid, (int)cells, MPI_UINT8_T, MPI_MAX,
                   0, run->comm);
    if (status == WABE_OK && run->rank == 0)
        *out = solid;
    else
        free(solid);
    return status;
}

/* What is solid becomes NAN, which is drawn grey. */
static wabe_status draw(const wabe_lbm_run_state *run, const uint8_t *solid, const double *moments,
                        int64_t width, int64_t height) {
    const int64_t cells = width * height;
    float *values = malloc((size_t)cells * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a picture");
    const double unit = run->lbm_case.dx / run->lbm_case.dt;
    for (int64_t i = 0; i < cells; i++) {
        const double *u = moments + cells + i;
        const double square = u[0] * u[0] + u[cells] * u[cells] + u[2 * cells] * u[2 * cells];
        values[i] = solid[i] ? NAN : (float)(unit * sqrt(square));
    }
    char file[sizeof run->directory + 64], label[64];
    snprintf(file, sizeof file, "%s/velocity_%08lld.png", run->directory,
             (long long)wabe_simulation_steps(run->simulation));
    snprintf(label, sizeof label, "velocity, %s", run->lbm_case.physical ? "m/s" : "lattice units");
    const wabe_status status = wabe_image_write(file, width, height, values, 0.0, 0.0, label);
    free(values);
    return status;
}

/* The middle plane normal to an axis; the first of the other two axes to the right. */
static wabe_status write_picture(const wabe_lbm_run_state *run, int axis) {
    wabe_box plane = {.end = {run->options.domain.cells[0], run->options.domain.cells[1],
                              run->options.domain.cells[2]}};
    plane.begin[axis] = plane.end[axis] / 2;
    plane.end[axis] = plane.begin[axis] + 1;
    const int right = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
    double *moments = NULL;
    uint8_t *solid;
    WABE_TRY(wabe_lbm_gather_solid(run, plane, &solid));
    wabe_status status = WABE_OK;
    if (run->rank == 0) {
        moments = malloc((size_t)(4 * wabe_box_cells(plane)) * sizeof *moments);
        if (!moments)
            status = WABE_FAIL(WABE_MEMORY, "no memory for a picture");
    }
    status = wabe_agree(run->comm, status);
    if (status == WABE_OK)
        status = wabe_simulation_gather(run->simulation, plane, moments);
    if (status == WABE_OK && run->rank == 0)
        status = draw(run, solid, moments, wabe_box_extent(plane, right),
                      wabe_box_extent(plane, up));
    free(solid);
    free(moments);
    return wabe_agree(run->comm, status);
}

wabe_status wabe_lbm_write_picture(wabe_lbm_run_state *run) {
    return run->options.output.picture > 0 ? write_picture(run, run->options.output.picture - 1)
                                           : WABE_OK;
}

/* ---- profiles ----------------------------------------------------------------------- */

/* The cells next to the line through the domain's middle along axis: one, two or four abreast. */
static wabe_box around_line(const int64_t cells[3], int axis) {
    wabe_box box;
    for (int d = 0; d < 3; d++) {
        box.begin[d] = d == axis ? 0 : (cells[d] - 1) / 2;
        box.end[d] = d == axis ? cells[d] : cells[d] / 2 + 1;
    }
    return box;
}

static double mean_abreast(const double *row, wabe_box box, int axis, int64_t at) {
    double sum = 0.0;
    int64_t count = 0, i = 0;
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++)
            for (int64_t x = box.begin[0]; x < box.end[0]; x++, i++)
                if ((const int64_t[3]){x, y, z}[axis] == at) {
                    sum += row[i];
                    count++;
                }
    return sum / (double)count;
}

static void print_line(FILE *file, const wabe_lbm_run_state *run, int axis, wabe_box box,
                       const double *moments) {
    const wabe_lbm_case *c = &run->lbm_case;
    const int64_t values = wabe_box_cells(box), n = run->options.domain.cells[axis];
    const double density = c->dm / (c->dx * c->dx * c->dx), velocity = c->dx / c->dt;
    for (int64_t at = 0; at < n; at++) {
        fprintf(file, "%c,%.17g,%.17g", 'x' + axis, ((double)at + 0.5) / (double)n,
                ((double)at + 0.5) * c->dx);
        fprintf(file, ",%.17g", density * (1.0 + mean_abreast(moments, box, axis, at)));
        for (int d = 1; d <= 3; d++)
            fprintf(file, ",%.17g", velocity * mean_abreast(moments + d * values, box, axis, at));
        fputc('\n', file);
    }
}

static wabe_status gather_line(const wabe_lbm_run_state *run, int axis, FILE *file) {
    const wabe_box box = around_line(run->options.domain.cells, axis);
    double *moments = calloc((size_t)(4 * wabe_box_cells(box)), sizeof *moments);
    wabe_status status = moments ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for a profile");
    status = wabe_agree(run->comm, status);
    if (status == WABE_OK)
        status = wabe_simulation_gather(run->simulation, box, moments);
    if (status == WABE_OK && run->rank == 0)
        print_line(file, run, axis, box, moments);
    free(moments);
    return status;
}

static wabe_status open_file(const wabe_lbm_run_state *run, const char *name, FILE **file) {
    char path[sizeof run->directory + 64];
    snprintf(path, sizeof path, "%s/%s", run->directory, name);
    *file = run->rank == 0 ? fopen(path, "w") : NULL;
    wabe_status status = WABE_OK;
    if (run->rank == 0 && !*file)
        status = WABE_FAIL(WABE_FILE, "%s: cannot be written: %s", path, strerror(errno));
    return wabe_agree(run->comm, status);
}

static wabe_status close_file(const wabe_lbm_run_state *run, const char *name, FILE *file) {
    wabe_status status = WABE_OK;
    if (run->rank == 0) {
        const bool failed = ferror(file) != 0;
        if (fclose(file) != 0 || failed)
            status = WABE_FAIL(WABE_FILE, "%s/%s: cannot be written: %s", run->directory, name,
                               strerror(errno));
    }
    return wabe_agree(run->comm, status);
}

wabe_status wabe_lbm_write_profiles(wabe_lbm_run_state *run) {
    FILE *file;
    WABE_TRY(open_file(run, "profiles.csv", &file));
    if (run->rank == 0)
        fprintf(file, "line,relative,position,density,ux,uy,uz\n");
    wabe_status status = WABE_OK;
    for (int axis = 0; axis < 3 && status == WABE_OK; axis++)
        status = gather_line(run, axis, file);
    const wabe_status closed = close_file(run, "profiles.csv", file);
    return status != WABE_OK ? status : closed;
}

static wabe_status write_options(const wabe_lbm_run_state *run, const char *name,
                                 wabe_lbm_options *options) {
    FILE *file;
    WABE_TRY(open_file(run, name, &file));
    if (run->rank == 0) {
        const wabe_option_table table = {wabe_lbm_option_rows, options};
        wabe_config_print_resolved(file, 1, &table);
    }
    return close_file(run, name, file);
}

wabe_status wabe_lbm_write_configuration(const wabe_lbm_run_state *run) {
    wabe_lbm_options options = run->options;
    WABE_TRY(write_options(run, "config.resolved.cfg", &options));
    options.porous.axis = WABE_POROUS_ALL;
    return run->tensor ? write_options(run, "../config.resolved.cfg", &options) : WABE_OK;
}
