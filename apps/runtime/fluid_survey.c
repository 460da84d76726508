#include "apps/runtime/fluid_survey.h"

#include "core/base/sum_over_ranks.h"
#include "sweeps/stencil/fluid.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* Values of a cell, and the sums over cells. */
enum { SHARE, VELOCITY, PRESSURE = VELOCITY + 3, SURFACE, KIND, VALUES };
enum { OF_SURFACE, OF_FLUIDS, SUMS = OF_FLUIDS + 2 * WABE_FLUID_SUMS };
/* The share from which a cell's pressure is a fluid's: in an interface the tension has a part. */
#define PUREST 0.95
/* Of all cells, and of a cell: what may be rounding. */
#define LEAST_OF_ALL 1e-9
#define LEAST_OF_ONE 1e-6

typedef struct {
    wabe_sum sums[SUMS];
    double extents[2][6]; /* low, and high as its negative */
} partial;

static const partial nothing = {
    .extents = {{INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY},
                {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}}};

/* A plane of cells, whose rows are shared out among threads. */
typedef struct {
    const wabe_run *run;
    const wabe_fluid_look *look;
    wabe_box box;
    int64_t cells;
    const double *values; /* [value][y][x] */
    pthread_mutex_t lock; /* of what all threads have found */
    partial found;
} plane_work;

static double clamp(double value, double least, double most) {
    return fmin(fmax(value, least), most);
}

static void add_cell(const plane_work *w, int64_t i, partial *out) {
    const wabe_fluid_look *look = w->look;
    const int64_t nx = wabe_box_extent(w->box, 0), *n = w->run->o->domain.cells;
    const int64_t cell[3] = {w->box.begin[0] + i % nx, w->box.begin[1] + i / nx, w->box.begin[2]};
    const double *values = w->values + i, c = clamp(values[SHARE], -1.0, 2.0);
    const double shares[2] = {[WABE_GAS] = 1.0 - c, [WABE_LIQUID] = c};
    const double pressure = clamp(values[PRESSURE * w->cells] / look->highest, -2.0, 2.0);
    const double surface = look->surface < 0
                               ? 4.0 * c * (1.0 - c) * look->per_width
                               : fmin(values[SURFACE * w->cells] * look->spacing, 1.0);
    wabe_sum_add(&out->sums[OF_SURFACE], surface);
    for (int fluid = 0; fluid < 2; fluid++) {
        wabe_sum *own = out->sums + OF_FLUIDS + fluid * WABE_FLUID_SUMS;
        const double share = shares[fluid], pure = share > PUREST ? 1.0 : 0.0;
        wabe_sum_add(&own[WABE_FLUID_AMOUNT], share);
        wabe_sum_add(&own[WABE_FLUID_PRESSED], pure * pressure);
        wabe_sum_add(&own[WABE_FLUID_PURE], pure);
        for (int axis = 0; axis < 3; axis++) {
            const double at = ((double)cell[axis] + 0.5) / (double)n[axis];
            const double u = values[(VELOCITY + axis) * w->cells] / look->fastest;
            double *extents = out->extents[fluid];
            wabe_sum_add(&own[WABE_FLUID_PLACE + axis], share * at);
            wabe_sum_add(&own[WABE_FLUID_SPEED + axis], share * clamp(u, -1.0, 1.0));
            if (share > 0.5) {
                extents[axis] = fmin(extents[axis], (double)cell[axis]);
                extents[3 + axis] = fmin(extents[3 + axis], -(double)cell[axis] - 1.0);
            }
        }
    }
}

static void merge(const partial *part, partial *out) {
    for (int i = 0; i < SUMS; i++)
        wabe_sum_merge(&out->sums[i], &part->sums[i]);
    for (int i = 0; i < 2 * 6; i++)
        out->extents[i / 6][i % 6] = fmin(out->extents[i / 6][i % 6], part->extents[i / 6][i % 6]);
}

static void add_rows(void *context, int64_t begin, int64_t end) {
    plane_work *w = context;
    const int64_t nx = wabe_box_extent(w->box, 0);
    const bool has_solids = w->look->kind_field >= 0;
    partial own = nothing;
    for (int64_t i = begin * nx; i < end * nx; i++)
        if (!has_solids || !w->look->is_solid(w->values[KIND * w->cells + i]))
            add_cell(w, i, &own);
    pthread_mutex_lock(&w->lock);
    merge(&own, &w->found);
    pthread_mutex_unlock(&w->lock);
}

static wabe_status read_plane(const plane_work *w, double *values) {
    const wabe_fluid_look *look = w->look;
    const wabe_stencil_case *s = wabe_stencil_case_of(w->run);
    const wabe_grid_slabs_number kind = {&s->slabs, {.field = look->kind_field}};
    const int numbers[KIND] = {look->share,        look->velocity, look->velocity + 1,
                               look->velocity + 2, look->pressure, look->surface};
    for (int value = 0; value < KIND; value++)
        if (numbers[value] >= 0)
            WABE_TRY(wabe_grid_slabs_read(&s->numbers[numbers[value]].of, w->run->domain, w->box,
                                          WABE_TYPE_f64, values + value * w->cells));
    return look->kind_field < 0 ? WABE_OK
                                : wabe_grid_slabs_read(&kind, w->run->domain, w->box, WABE_TYPE_f64,
                                                       values + KIND * w->cells);
}

static wabe_status add_planes(plane_work *w, const wabe_component *threads, wabe_box box) {
    double *values = calloc((size_t)(VALUES * w->cells), sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a plane of cells");
    wabe_status status = WABE_OK;
    w->values = values;
    for (int64_t z = box.begin[2]; z < box.end[2] && status == WABE_OK; z++) {
        w->box.begin[2] = z, w->box.end[2] = z + 1;
        status = read_plane(w, values);
        if (status == WABE_OK)
            wabe_team_run(1,
                          &(wabe_job){.component = threads,
                                      .count = wabe_box_extent(box, 1),
                                      .work = add_rows,
                                      .context = w},
                          NULL);
    }
    free(values);
    return status;
}

static wabe_status add_block(wabe_run *run, const wabe_component *threads,
                             const wabe_fluid_look *look, partial *out) {
    const wabe_box box = wabe_box_intersect(run->block, look->box);
    plane_work w = {.run = run, .look = look, .box = box, .found = nothing};
    w.cells = wabe_box_extent(box, 0) * wabe_box_extent(box, 1);
    *out = nothing;
    if (wabe_box_cells(box) == 0)
        return WABE_OK;
    pthread_mutex_init(&w.lock, NULL);
    const wabe_status status = add_planes(&w, threads, box);
    pthread_mutex_destroy(&w.lock);
    *out = w.found;
    return status;
}

wabe_status wabe_fluid_survey_make(wabe_run *run, const wabe_fluid_look *look,
                                   wabe_fluid_survey *out) {
    const wabe_component threads = wabe_components_host(run->comm, &run->components);
    partial all;
    WABE_TRY(wabe_agree(run->comm, add_block(run, &threads, look, &all)));
    MPI_Allreduce(MPI_IN_PLACE, all.extents, 2 * 6, MPI_DOUBLE, MPI_MIN, run->comm);
    for (int i = 0; i < SUMS; i++) {
        wabe_sum_over_ranks(run->comm, &all.sums[i]);
        const double value = wabe_sum_value(all.sums[i]);
        if (i < OF_FLUIDS)
            out->surface = value;
        else
            out->sums[(i - OF_FLUIDS) / WABE_FLUID_SUMS][(i - OF_FLUIDS) % WABE_FLUID_SUMS] = value;
    }
    for (int i = 0; i < 2 * 3; i++) {
        out->low[i / 3][i % 3] = all.extents[i / 3][i % 3];
        out->high[i / 3][i % 3] = -all.extents[i / 3][3 + i % 3];
    }
    return WABE_OK;
}

double wabe_fluid_survey_pressure(const wabe_fluid_look *look, const wabe_fluid_survey *survey,
                                  int fluid) {
    const double *own = survey->sums[fluid];
    return own[WABE_FLUID_PURE] > 0.0 ? own[WABE_FLUID_PRESSED] / own[WABE_FLUID_PURE] *
                                            look->highest * look->pressure_unit
                                      : NAN;
}

void wabe_fluid_survey_put(const wabe_run *run, const wabe_fluid_look *look,
                           const wabe_fluid_survey *survey, int fluid,
                           double out[WABE_FLUID_COLUMN_COUNT]) {
    const double *own = survey->sums[fluid], dx = look->spacing;
    const double least = fmax(LEAST_OF_ONE, LEAST_OF_ALL * wabe_run_cells(run));
    const double amount = own[WABE_FLUID_AMOUNT] > least ? own[WABE_FLUID_AMOUNT] : NAN;
    for (int axis = 0; axis < 3; axis++) {
        const double low = survey->low[fluid][axis], high = survey->high[fluid][axis];
        const double length = dx * (double)run->o->domain.cells[axis];
        out[axis] = own[WABE_FLUID_PLACE + axis] / amount * length;
        out[3 + axis] = own[WABE_FLUID_SPEED + axis] / amount * look->fastest * look->velocity_unit;
        out[6 + axis] = isfinite(low) ? dx * low : NAN;
        out[9 + axis] = isfinite(high) ? dx * high : NAN;
    }
    out[12] = wabe_fluid_survey_pressure(look, survey, fluid);
}
