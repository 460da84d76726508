#include "apps/lbm/tracers.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- velocities at the faces of a block's cells ------------------------------------- */

/* normal[d]: velocity along d through the lower face of each cell and, after the last cells along
 * d, through their upper face. During set-up: of the cells, NAN where not fluid. */
typedef struct {
    const wabe_simulation *simulation;
    wabe_box block;
    int64_t n[3];
    float *normal[3];
    double *moments; /* room for a plane */
} velocities;

static int64_t face_index(const velocities *v, int d, const int64_t cell[3]) {
    return cell[0] + (v->n[0] + (d == 0)) * (cell[1] + (v->n[1] + (d == 1)) * cell[2]);
}

static void velocities_free(velocities *v) {
    for (int d = 0; d < 3; d++)
        free(v->normal[d]);
    free(v->moments);
}

static wabe_status take_plane(void *context, const wabe_flags *flags, int64_t z) {
    const velocities *v = context;
    const wabe_box plane = wabe_box_plane(v->block, z);
    const int64_t cells = wabe_box_cells(plane);
    const uint8_t *ids = wabe_flags_place(flags, plane.begin[0], plane.begin[1], z);
    WABE_TRY(wabe_simulation_moments(v->simulation, plane, v->moments));
    for (int64_t i = 0; i < cells; i++) {
        const int64_t cell[3] = {i % v->n[0], i / v->n[0], z - v->block.begin[2]};
        for (int d = 0; d < 3; d++)
            v->normal[d][face_index(v, d, cell)] = ids[i] == 0
                                                       ? (float)v->moments[(d + 1) * cells + i]
                                                       : NAN;
    }
    return WABE_OK;
}

static int64_t faces_of(wabe_box block, int d) {
    const int64_t n = wabe_box_extent(block, d);
    return wabe_box_cells(block) / n * (n + 1);
}

static wabe_status take_cells(const wabe_simulation *s, velocities *v) {
    for (int d = 0; d < 3; d++) {
        v->normal[d] = malloc((size_t)faces_of(s->domain.block, d) * sizeof *v->normal[d]);
        WABE_CHECK(v->normal[d], WABE_MEMORY, "no memory for the velocities that carry tracers");
    }
    v->moments = malloc((size_t)(4 * v->n[0] * v->n[1] + 1) * sizeof *v->moments);
    WABE_CHECK(v->moments, WABE_MEMORY, "no memory for a plane of moments");
    return wabe_geometry_visit(&s->options.geometry, s->domain.block, 0, 0, take_plane, v);
}

/* The cells of a layer normal to d; of the other two axes the lower one varies first. */
static int64_t layer_cells(const velocities *v, int d) {
    return v->n[0] * v->n[1] * v->n[2] / v->n[d];
}

static int64_t layer_index(const velocities *v, int d, int64_t layer, int64_t i) {
    const int a = d == 0, b = d == 2 ? 1 : 2;
    int64_t cell[3];
    cell[d] = layer;
    cell[a] = i % v->n[a];
    cell[b] = i / v->n[a];
    return face_index(v, d, cell);
}

static float mean_of(float a, float b) { return isnan(a) || isnan(b) ? 0.0f : 0.5f * (a + b); }

/* Averages cells to faces; below, above: cells of the layers adjacent to the block's ends. */
static void take_means(velocities *v, int d, const float *below, const float *above) {
    float *u = v->normal[d];
    const int64_t n = v->n[d], stride = layer_index(v, d, 1, 0) - layer_index(v, d, 0, 0);
    for (int64_t i = 0; i < layer_cells(v, d); i++) {
        float *line = u + layer_index(v, d, 0, i);
        line[n * stride] = mean_of(line[(n - 1) * stride], above[i]);
        for (int64_t k = n - 1; k > 0; k--)
            line[k * stride] = mean_of(line[(k - 1) * stride], line[k * stride]);
        line[0] = mean_of(below[i], line[0]);
    }
}

/* Sends layer `at` of the block's cells to one neighbour and receives that of another. If there is
 * none, the layer is NAN or, where the flow passes through (open), a copy of the block's own. */
static void exchange_layer(const velocities *v, int d, int64_t at, int to, int from, bool open,
                           float *sent, float *received) {
    const int count = (int)layer_cells(v, d);
    const int64_t own = at == 0 ? v->n[d] - 1 : 0;
    for (int i = 0; i < count; i++) {
        sent[i] = v->normal[d][layer_index(v, d, at, i)];
        received[i] = open ? v->normal[d][layer_index(v, d, own, i)] : NAN;
    }
    MPI_Sendrecv(sent, count, MPI_FLOAT, to, d, received, count, MPI_FLOAT, from, d,
                 v->simulation->domain.comm, MPI_STATUS_IGNORE);
}

static void make_faces(velocities *v, int axis, float *room) {
    const wabe_decomposition *d = &v->simulation->domain.decomposition;
    int rank;
    MPI_Comm_rank(v->simulation->domain.comm, &rank);
    for (int k = 0; k < 3; k++) {
        const int64_t cells = layer_cells(v, k);
        const bool open = k == axis && !d->periodic[k];
        const int below = wabe_decomposition_neighbour(d, rank, k, -1, d->periodic[k]);
        const int above = wabe_decomposition_neighbour(d, rank, k, 1, d->periodic[k]);
        exchange_layer(v, k, v->n[k] - 1, above, below, open, room, room + cells);
        exchange_layer(v, k, 0, below, above, open, room, room + 2 * cells);
        take_means(v, k, room + cells, room + 2 * cells);
    }
}

/* Call velocities_free even if it fails. Collective. */
static wabe_status velocities_take(const wabe_simulation *s, int axis, velocities *v) {
    *v = (velocities){.simulation = s, .block = s->domain.block};
    int64_t most = 0;
    for (int d = 0; d < 3; d++)
        v->n[d] = wabe_box_extent(s->domain.block, d);
    for (int d = 0; d < 3; d++)
        most = layer_cells(v, d) > most ? layer_cells(v, d) : most;
    float *room = most < INT_MAX ? malloc(3 * (size_t)most * sizeof *room) : NULL;
    wabe_status status = room ? take_cells(s, v)
                              : WABE_FAIL(WABE_MEMORY, "no memory for a layer of velocities");
    status = wabe_agree(s->domain.comm, status);
    if (status == WABE_OK)
        make_faces(v, axis, room);
    free(room);
    return status;
}

/* ---- one tracer --------------------------------------------------------------------- */

enum { LOST = -1, CROSSED_MAX = 1000 }; /* in sums of the domain's edges */

typedef struct {
    int64_t number, crossed; /* crossed: cells so far */
    int64_t cell[3];         /* of the domain */
    int64_t slice;           /* along the axis, unwrapped across periodic faces */
    double place[3];         /* within its cell, 0 to 1 */
    double steps;
} tracer;

/* The velocity along an axis of a cell: `at` the tracer's place, with a gradient `growth` per
 * cell. */
typedef struct {
    double at, growth;
} carrier;

/* Steps that a carrier needs to move a tracer by a signed distance. */
static double steps_to(carrier c, double distance) {
    const double x = c.growth * distance / c.at;
    return fabs(x) < 1e-8 ? distance / c.at : log1p(x) / c.growth;
}

static double way_in(carrier c, double steps) {
    if (c.at == 0.0) /* avoids 0 times infinity for a large growth */
        return 0.0;
    const double x = c.growth * steps;
    return fabs(x) < 1e-8 ? c.at * steps : c.at * expm1(x) / c.growth;
}

/* Moves a tracer to the face through which it leaves its cell. False: it never does. */
static bool cross_cell(const velocities *v, tracer *t, int *axis, int *side) {
    carrier c[3];
    double first = INFINITY;
    int64_t local[3];
    for (int d = 0; d < 3; d++)
        local[d] = t->cell[d] - v->block.begin[d];
    for (int d = 0; d < 3; d++) {
        const int64_t low = face_index(v, d, local);
        local[d]++;
        const double a = v->normal[d][low], b = v->normal[d][face_index(v, d, local)];
        local[d]--;
        c[d] = (carrier){a + (b - a) * t->place[d], b - a};
        const bool up = c[d].at > 0.0 && b > 0.0, down = c[d].at < 0.0 && a < 0.0;
        const double steps = up     ? steps_to(c[d], 1.0 - t->place[d])
                             : down ? steps_to(c[d], -t->place[d])
                                    : INFINITY;
        if (steps < first) {
            first = steps;
            *axis = d;
            *side = up ? 1 : -1;
        }
    }
    for (int d = 0; d < 3 && isfinite(first); d++)
        t->place[d] = fmin(fmax(t->place[d] + way_in(c[d], first), 0.0), 1.0);
    t->steps += first;
    return isfinite(first);
}

/* Follows a tracer until it arrives (its steps go to arrived), is lost, or leaves the block.
 * Returns the rank that continues with it, or LOST. */
static int follow(const velocities *v, const wabe_journey *j, int rank, tracer *t,
                  double *arrived) {
    const wabe_decomposition *d = &v->simulation->domain.decomposition;
    const int64_t crossed_max = CROSSED_MAX * (d->cells[0] + d->cells[1] + d->cells[2]);
    int axis = 0, side = 0;
    while (t->crossed++ < crossed_max && cross_cell(v, t, &axis, &side) &&
           t->steps < j->steps_max) {
        t->slice += axis == j->axis ? side : 0;
        if (t->slice == j->end) {
            arrived[t->number] = t->steps;
            return LOST;
        }
        const int to = wabe_decomposition_neighbour(d, rank, axis, side, d->periodic[axis]);
        int64_t *cell = &t->cell[axis];
        *cell += side;
        if (!d->periodic[axis] && (*cell < 0 || *cell == d->cells[axis]))
            return LOST;
        *cell = (*cell + d->cells[axis]) % d->cells[axis];
        t->place[axis] = side > 0 ? 0.0 : 1.0;
        if (!wabe_box_contains(v->block, t->cell[0], t->cell[1], t->cell[2]))
            return to;
    }
    return LOST;
}

/* ---- all tracers -------------------------------------------------------------------- */

typedef struct {
    int64_t count;
    tracer *items;
    int *to; /* the rank that continues with each */
} crowd;

static void crowd_free(crowd *c) {
    free(c->items);
    free(c->to);
    *c = (crowd){0};
}

static wabe_status crowd_make(int64_t room, crowd *out) {
    out->count = 0;
    out->items = malloc((size_t)(room + 1) * sizeof *out->items);
    out->to = malloc((size_t)(room + 1) * sizeof *out->to);
    WABE_CHECK(out->items && out->to, WABE_MEMORY, "no memory for %lld tracers", (long long)room);
    return WABE_OK;
}

/* Gathers the velocities into the cells of the slice where tracers start; 0 where there is no
 * inflow; on all processes. */
static void start_velocities(const velocities *v, const wabe_journey *j, double *weights) {
    const int a = j->axis == 0, b = j->axis == 2 ? 1 : 2;
    const int64_t *cells = v->simulation->domain.decomposition.cells;
    const int64_t layer = j->begin - v->block.begin[j->axis];
    memset(weights, 0, (size_t)(cells[a] * cells[b]) * sizeof *weights);
    for (int64_t i = 0; i < layer_cells(v, j->axis) && layer >= 0 && layer < v->n[j->axis]; i++) {
        const int64_t x = v->block.begin[a] + i % v->n[a], y = v->block.begin[b] + i / v->n[a];
        const double u = v->normal[j->axis][layer_index(v, j->axis, layer, i)];
        weights[x + cells[a] * y] = fmax(u, 0.0);
    }
    MPI_Allreduce(MPI_IN_PLACE, weights, (int)(cells[a] * cells[b]), MPI_DOUBLE, MPI_SUM,
                  v->simulation->domain.comm);
}

/* Low-discrepancy points on a face: the additive recurrence of the plastic number (Roberts
 * 2018). */
static double spread(int64_t number, double step) { return fmod(0.5 + step * (double)number, 1.0); }

/* Makes the tracers that start in the block. started: of all processes. */
static wabe_status start(const velocities *v, const wabe_journey *j, const double *weights,
                         int64_t *started, crowd *out) {
    const int a = j->axis == 0, b = j->axis == 2 ? 1 : 2;
    const int64_t *cells = v->simulation->domain.decomposition.cells;
    const int64_t area = cells[a] * cells[b];
    double sum = 0.0, below = 0.0;
    for (int64_t i = 0; i < area; i++)
        sum += weights[i];
    *started = 0;
    WABE_TRY(crowd_make(j->count, out));
    for (int64_t i = 0; i < area && sum > 0.0; i++) {
        below += weights[i];
        for (; *started < j->count && ((double)*started + 0.5) / (double)j->count * sum < below;
             ++*started) {
            tracer *t = &out->items[out->count];
            *t = (tracer){.number = *started, .slice = j->begin};
            t->cell[j->axis] = j->begin;
            t->cell[a] = i % cells[a];
            t->cell[b] = i / cells[a];
            t->place[a] = spread(*started, 0.7548776662466927);
            t->place[b] = spread(*started, 0.5698402909980532);
            out->count += wabe_box_contains(v->block, t->cell[0], t->cell[1], t->cell[2]);
        }
    }
    return WABE_OK;
}

static int64_t total_of(MPI_Comm comm, int64_t count) {
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, comm);
    return count;
}

/* Bytes and offsets of the data sent to and received from each process. */
typedef struct {
    int *sent, *sent_at, *came, *came_at;
} traffic;

static int count_traffic(MPI_Comm comm, const crowd *c, int size, traffic *t) {
    int before = 0, after = 0;
    memset(t->sent, 0, (size_t)size * sizeof *t->sent);
    for (int64_t i = 0; i < c->count; i++)
        t->sent[c->to[i]] += (int)sizeof(tracer);
    MPI_Alltoall(t->sent, 1, MPI_INT, t->came, 1, MPI_INT, comm);
    for (int i = 0; i < size; i++) {
        t->sent_at[i] = before;
        t->came_at[i] = after;
        before += t->sent[i];
        after += t->came[i];
    }
    return after;
}

/* Sends all tracers of a crowd to their ranks; c then holds those received. */
static wabe_status hand_on(MPI_Comm comm, traffic *t, crowd *c) {
    int size;
    MPI_Comm_size(comm, &size);
    crowd sorted = {0}, came = {0};
    const int bytes = count_traffic(comm, c, size, t);
    const int64_t count = bytes / (int64_t)sizeof(tracer);
    wabe_status status = crowd_make(c->count, &sorted);
    if (status == WABE_OK)
        status = crowd_make(count, &came);
    status = wabe_agree(comm, status);
    if (status == WABE_OK) {
        for (int64_t i = 0; i < c->count; i++) {
            memcpy((char *)sorted.items + t->sent_at[c->to[i]], &c->items[i], sizeof(tracer));
            t->sent_at[c->to[i]] += (int)sizeof(tracer);
        }
        for (int i = 0; i < size; i++)
            t->sent_at[i] -= t->sent[i];
        MPI_Alltoallv(sorted.items, t->sent, t->sent_at, MPI_BYTE, came.items, t->came, t->came_at,
                      MPI_BYTE, comm);
        crowd_free(c);
        *c = came;
        c->count = count;
    } else {
        crowd_free(&came);
    }
    crowd_free(&sorted);
    return status;
}

/* Follows tracers from block to block until none is left. arrived: steps by tracer number; 0: did
 * not arrive. */
static wabe_status follow_all(const velocities *v, const wabe_journey *j, crowd *c,
                              double *arrived) {
    const MPI_Comm comm = v->simulation->domain.comm;
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int *room = calloc(4 * (size_t)size, sizeof *room);
    traffic t = {room, room + size, room + 2 * (size_t)size, room + 3 * (size_t)size};
    wabe_status status = wabe_agree_memory(comm, room, "tracers");
    while (status == WABE_OK && total_of(comm, c->count) > 0) {
        int64_t left = 0;
        for (int64_t i = 0; i < c->count; i++) {
            tracer one = c->items[i];
            c->to[left] = follow(v, j, rank, &one, arrived);
            c->items[left] = one;
            left += c->to[left] != LOST;
        }
        c->count = left;
        status = hand_on(comm, &t, c);
    }
    free(room);
    return status;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Moves the tracers that arrived to the front, sorted. */
static int64_t sort_arrived(int64_t count, double *steps) {
    int64_t arrived = 0;
    for (int64_t i = 0; i < count; i++)
        if (steps[i] > 0.0)
            steps[arrived++] = steps[i];
    qsort(steps, (size_t)arrived, sizeof *steps, ascending);
    return arrived;
}

static wabe_status journey(const velocities *v, const wabe_journey *j, double *weights,
                           wabe_residence *out) {
    const MPI_Comm comm = v->simulation->domain.comm;
    int rank;
    MPI_Comm_rank(comm, &rank);
    crowd moving = {0};
    start_velocities(v, j, weights);
    wabe_status status = wabe_agree(comm, start(v, j, weights, &out->started, &moving));
    if (status == WABE_OK)
        status = follow_all(v, j, &moving, out->steps);
    crowd_free(&moving);
    if (status != WABE_OK)
        return status;
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : out->steps, out->steps, (int)j->count, MPI_DOUBLE,
               MPI_SUM, 0, comm);
    if (rank == 0)
        out->arrived = sort_arrived(j->count, out->steps);
    MPI_Bcast(&out->arrived, 1, MPI_INT64_T, 0, comm);
    return WABE_OK;
}

int64_t wabe_tracers_memory(wabe_box block, int64_t count) {
    int64_t faces = 0;
    for (int d = 0; d < 3; d++)
        faces += faces_of(block, d);
    return faces * (int64_t)sizeof(float) +
           4 * wabe_box_plane_cells(block) * (int64_t)sizeof(double) +
           count * (int64_t)(sizeof(tracer) + sizeof(int) + sizeof(double));
}

wabe_status wabe_tracers_follow(const wabe_simulation *s, const wabe_journey *j,
                                wabe_residence *out) {
    const int64_t *cells = s->domain.decomposition.cells;
    const int64_t area = cells[0] * cells[1] * cells[2] / cells[j->axis];
    velocities v;
    int rank;
    MPI_Comm_rank(s->domain.comm, &rank);
    double *weights = area < INT_MAX ? malloc((size_t)area * sizeof *weights) : NULL;
    *out = (wabe_residence){.steps = calloc((size_t)j->count + 1, sizeof *out->steps)};
    wabe_status status = velocities_take(s, j->axis, &v);
    if (status == WABE_OK && !(weights && out->steps))
        status = WABE_FAIL(WABE_MEMORY, "no memory for tracers");
    status = wabe_agree(s->domain.comm, status);
    if (status == WABE_OK)
        status = journey(&v, j, weights, out);
    velocities_free(&v);
    free(weights);
    if (status != WABE_OK || rank != 0) {
        free(out->steps);
        out->steps = NULL;
    }
    return status;
}
