#include "apps/runtime/field_scan.h"

#include "core/base/hash.h"
#include "core/base/sum_over_ranks.h"
#include "core/device/team.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double low, high, scale; /* scale: a power of two that makes all values less than 1 */
    wabe_sum sum, squares;
    int64_t broken, first_broken;
    uint64_t hash;
} scan;

static scan scan_with(double scale) {
    return (scan){.low = INFINITY, .high = -INFINITY, .scale = scale, .first_broken = INT64_MAX};
}

/* Independent of the order. */
static void merge(scan *s, const scan *part) {
    s->low = fmin(s->low, part->low);
    s->high = fmax(s->high, part->high);
    s->broken += part->broken;
    s->first_broken = part->first_broken < s->first_broken ? part->first_broken : s->first_broken;
    s->hash += part->hash;
    wabe_sum_merge(&s->sum, &part->sum);
    wabe_sum_merge(&s->squares, &part->squares);
}

/* number: of the row's first cell in the domain. */
static void scan_row(const double *values, int64_t count, int64_t number, scan *s) {
    for (int64_t x = 0; x < count; x++) {
        uint64_t bits;
        memcpy(&bits, &values[x], sizeof bits);
        s->hash += wabe_hash_mix(bits + wabe_hash_mix((uint64_t)(number + x) + 1));
        if (!isfinite(values[x])) {
            s->first_broken = s->broken++ ? s->first_broken : number + x;
            continue;
        }
        s->low = fmin(s->low, values[x]);
        s->high = fmax(s->high, values[x]);
        const double scaled = values[x] * s->scale;
        if (s->scale > 0.0) {
            wabe_sum_add(&s->sum, scaled);
            wabe_sum_add(&s->squares, scaled * scaled);
        }
    }
    wabe_sum_carry(&s->sum);
    wabe_sum_carry(&s->squares);
}

typedef struct {
    const int64_t *cells; /* of the domain */
    wabe_box plane;
    const double *values;
    pthread_mutex_t lock;
    scan *total;
} plane_scan;

static void scan_rows(void *context, int64_t begin, int64_t end) {
    plane_scan *p = context;
    const int64_t *n = p->cells, nx = wabe_box_extent(p->plane, 0);
    scan part = scan_with(p->total->scale);
    for (int64_t y = begin; y < end; y++)
        scan_row(p->values + y * nx, nx,
                 p->plane.begin[0] + n[0] * (p->plane.begin[1] + y + n[1] * p->plane.begin[2]),
                 &part);
    pthread_mutex_lock(&p->lock);
    merge(p->total, &part);
    pthread_mutex_unlock(&p->lock);
}

/* Scans this process's block plane by plane. Local. */
static wabe_status scan_block(const wabe_domain *d, const wabe_values *v,
                              const wabe_component *host, scan *s) {
    const int64_t cells = wabe_box_plane_cells(d->block);
    double *values = malloc((size_t)cells * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a plane");
    wabe_status status = WABE_OK;
    plane_scan p = {d->options.cells, d->block, values, PTHREAD_MUTEX_INITIALIZER, s};
    const wabe_job job = {host, wabe_box_extent(d->block, 1), scan_rows, &p};
    for (int64_t z = d->block.begin[2]; z < d->block.end[2] && status == WABE_OK; z++) {
        p.plane = wabe_box_plane(d->block, z);
        status = wabe_domain_read(d, v, p.plane, values);
        if (status == WABE_OK)
            wabe_team_run_own(&job);
    }
    free(values);
    return status;
}

/* A power of two, the largest possible or less, that keeps fixed-point sums of values up to largest
 * exact. */
static double scale_of(double largest) {
    return largest > 0.0 ? exp2(fmin(1000.0, -ceil(log2(largest)))) : 1.0;
}

/* Two passes, since fixed-point sums need the largest value first. */
wabe_status wabe_field_scan(const wabe_domain *d, const wabe_values *values,
                            const wabe_component *host, wabe_field_state *out) {
    const double cells = (double)d->options.cells[0] * (double)d->options.cells[1] *
                         (double)d->options.cells[2];
    scan s = scan_with(0.0);
    WABE_TRY(wabe_agree(d->comm, scan_block(d, values, host, &s)));
    MPI_Allreduce(MPI_IN_PLACE, &s.low, 1, MPI_DOUBLE, MPI_MIN, d->comm);
    MPI_Allreduce(MPI_IN_PLACE, &s.high, 1, MPI_DOUBLE, MPI_MAX, d->comm);
    MPI_Allreduce(MPI_IN_PLACE, &s.broken, 1, MPI_INT64_T, MPI_SUM, d->comm);
    MPI_Allreduce(MPI_IN_PLACE, &s.first_broken, 1, MPI_INT64_T, MPI_MIN, d->comm);
    MPI_Allreduce(MPI_IN_PLACE, &s.hash, 1, MPI_UINT64_T, MPI_SUM, d->comm);
    *out = (wabe_field_state){s.low, s.high, NAN, NAN, s.broken, s.first_broken, s.hash};
    s = scan_with(scale_of(fmax(fabs(out->low), fabs(out->high))));
    WABE_TRY(wabe_agree(d->comm, scan_block(d, values, host, &s)));
    wabe_sum_over_ranks(d->comm, &s.sum);
    wabe_sum_over_ranks(d->comm, &s.squares);
    out->mean = wabe_sum_value(s.sum) / s.scale / cells;
    out->mean_square = wabe_sum_value(s.squares) / s.scale / s.scale / cells;
    return WABE_OK;
}
