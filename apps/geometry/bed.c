#include "apps/geometry/bed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tolerance for bodies that touch a wall. */
static const double ROUNDING = 1e-11;

double wabe_random_next(wabe_random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void random_vector(wabe_random *random, double v[3]) {
    for (int d = 0; d < 3; d++)
        v[d] = 2.0 * wabe_random_next(random) - 1.0;
}

void wabe_bed_direction(wabe_bed *bed, double v[3]) {
    double square;
    do {
        random_vector(&bed->random, v);
        square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    } while (square > 1.0 || square < 0.01);
    for (int d = 0; d < 3; d++)
        v[d] /= sqrt(square);
}

wabe_status wabe_bed_create(const wabe_container *container, double reach, double thinnest,
                            bool exact, uint64_t seed, wabe_bed *bed) {
    *bed = (wabe_bed){.container = *container, .random = {seed}, .reach = reach};
    bed->gap = exact ? 1e-6 * reach : 1.01 * wabe_body_tolerance(reach);
    bed->stride = 0.5 * thinnest + bed->gap;
    bed->finest = 0.001 * reach;
    bed->highest = container->low[2];
    int64_t cells = 1;
    for (int d = 0; d < 3; d++) {
        const double width = container->high[d] - container->low[d];
        bed->cells[d] = (int64_t)fmax(floor(0.5 * width / reach), 1.0);
        bed->spacing[d] = width / (double)bed->cells[d];
        cells *= bed->cells[d];
    }
    if (container->tube) {
        const double radius = 0.5 * fmin(container->high[0] - container->low[0],
                                         container->high[1] - container->low[1]);
        bed->wall = wabe_body_cylinder(radius + 4.0 * reach, 16.0 * reach, radius);
        for (int d = 0; d < 2; d++)
            bed->wall.center[d] = 0.5 * (container->low[d] + container->high[d]);
    }
    bed->first = malloc((size_t)cells * sizeof *bed->first);
    WABE_CHECK(bed->first, WABE_MEMORY, "no memory for a grid of %lld cells for particles",
               (long long)cells);
    memset(bed->first, -1, (size_t)cells * sizeof *bed->first);
    return WABE_OK;
}

void wabe_bed_destroy(wabe_bed *bed) {
    free(bed->bodies);
    free(bed->first);
    free(bed->next);
    free(bed->near);
    *bed = (wabe_bed){0};
}

/* ---- the grid ----------------------------------------------------------------------- */

static int64_t cell_of(const wabe_bed *bed, int d, double position) {
    return (int64_t)floor((position - bed->container.low[d]) / bed->spacing[d]);
}

static bool is_periodic(const wabe_bed *bed, int d) { return d < 2 && bed->container.periodic[d]; }

/* The container's cell of which this is the cell itself or a periodic image; -1: none. */
static int64_t wrapped(const wabe_bed *bed, int d, int64_t cell) {
    const int64_t n = bed->cells[d];
    if (is_periodic(bed, d))
        return (cell % n + n) % n;
    return cell >= 0 && cell < n ? cell : -1;
}

static int *list_at(const wabe_bed *bed, const int64_t cell[3]) {
    return bed->first + cell[0] + bed->cells[0] * (cell[1] + bed->cells[1] * cell[2]);
}

static bool has_room(int count, int *capacity, size_t size, void **list) {
    if (count < *capacity)
        return true;
    const int more = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(*list, (size_t)more * size);
    if (grown)
        *list = grown, *capacity = more;
    return grown != NULL;
}

static void add_near(wabe_bed *bed, int i, const double shift[3]) {
    wabe_body body = bed->bodies[i];
    double square = 0.0;
    for (int d = 0; d < 3; d++) {
        body.center[d] += shift[d];
        const double from = body.center[d] - bed->near_center[d];
        square += from * from;
    }
    const double reach = bed->near_reach + body.reach;
    if (square >= reach * reach)
        return;
    if (!has_room(bed->near_count, &bed->near_capacity, sizeof *bed->near, (void **)&bed->near))
        bed->status = WABE_FAIL(WABE_MEMORY, "no memory for the neighbours of a particle");
    else
        bed->near[bed->near_count++] = body;
}

static void add_near_cell(wabe_bed *bed, const int64_t cell[3]) {
    int64_t own[3];
    double shift[3];
    for (int d = 0; d < 3; d++) {
        own[d] = wrapped(bed, d, cell[d]);
        if (own[d] < 0)
            return;
        shift[d] = (double)(cell[d] - own[d]) * bed->spacing[d];
    }
    for (int i = *list_at(bed, own); i >= 0; i = bed->next[i])
        add_near(bed, i, shift);
}

/* Lists the bodies that a body of this reach could touch while its centre is within half of
 * bed->reach of center. */
static void find_near(wabe_bed *bed, const double center[3], double reach) {
    int64_t begin[3], end[3];
    bed->near_count = 0;
    bed->near_reach = reach + 0.5 * bed->reach + bed->gap;
    const double most = bed->near_reach + bed->reach;
    for (int d = 0; d < 3; d++) {
        bed->near_center[d] = center[d];
        begin[d] = cell_of(bed, d, center[d] - most);
        end[d] = cell_of(bed, d, center[d] + most) + 1;
    }
    for (int64_t z = begin[2]; z < end[2]; z++)
        for (int64_t y = begin[1]; y < end[1]; y++)
            for (int64_t x = begin[0]; x < end[0]; x++)
                add_near_cell(bed, (const int64_t[3]){x, y, z});
}

static bool knows_near(const wabe_bed *bed, const wabe_body *body) {
    double square = 0.0;
    for (int d = 0; d < 3; d++) {
        const double from = body->center[d] - bed->near_center[d];
        square += from * from;
    }
    const double slack = bed->near_reach - body->reach - bed->gap;
    return slack > 0.0 && square < slack * slack;
}

wabe_status wabe_bed_add(wabe_bed *bed, const wabe_body *body) {
    const int i = bed->count;
    int next_capacity = bed->capacity;
    if (!has_room(i, &next_capacity, sizeof *bed->next, (void **)&bed->next) ||
        !has_room(i, &bed->capacity, sizeof *bed->bodies, (void **)&bed->bodies))
        return WABE_FAIL(WABE_MEMORY, "no memory for more than %d particles", i);
    int64_t cell[3];
    bed->bodies[i] = *body;
    double *center = bed->bodies[i].center;
    for (int d = 0; d < 3; d++) {
        const int64_t at = cell_of(bed, d, center[d]), last = bed->cells[d] - 1;
        cell[d] = is_periodic(bed, d) ? wrapped(bed, d, at) : at < 0 ? 0 : at > last ? last : at;
        if (is_periodic(bed, d))
            center[d] += (double)(cell[d] - at) * bed->spacing[d];
    }
    bed->next[i] = *list_at(bed, cell);
    *list_at(bed, cell) = i;
    bed->count++;
    bed->highest = fmax(bed->highest, center[2] + wabe_body_extent(body, 2));
    bed->near_reach = 0.0;
    return WABE_OK;
}

/* ---- free bodies -------------------------------------------------------------------- */

static bool is_in_tube(wabe_bed *bed, const wabe_body *body) {
    bed->wall.center[2] = body->center[2];
    return wabe_body_rims_distance(body, &bed->wall, bed->gap, bed->gap) >= bed->gap;
}

bool wabe_bed_contains(wabe_bed *bed, const wabe_body *body) {
    const wabe_container *box = &bed->container;
    const double slack = ROUNDING * body->reach;
    if (body->center[2] - wabe_body_extent(body, 2) < box->low[2] - slack)
        return false;
    if (box->tube)
        return is_in_tube(bed, body);
    for (int d = 0; d < 2; d++) {
        if (box->periodic[d])
            continue;
        const double extent = wabe_body_extent(body, d) - slack;
        if (body->center[d] - extent < box->low[d] || body->center[d] + extent > box->high[d])
            return false;
    }
    return true;
}

bool wabe_bed_is_below_top(const wabe_bed *bed, const wabe_body *body) {
    return body->center[2] + wabe_body_extent(body, 2) <=
           bed->container.high[2] + ROUNDING * body->reach;
}

/* Is it inside the walls and free of overlaps? The body in the way moves to the front, since it is
 * likely to be in the way again. */
static bool is_free(wabe_bed *bed, const wabe_body *body) {
    if (!wabe_bed_contains(bed, body))
        return false;
    if (!knows_near(bed, body))
        find_near(bed, body->center, body->reach);
    for (int k = 0; k < bed->near_count; k++)
        if (wabe_body_distance(body, &bed->near[k], bed->gap, bed->gap) < bed->gap) {
            const wabe_body other = bed->near[k];
            bed->near[k] = bed->near[0];
            bed->near[0] = other;
            return false;
        }
    return bed->status == WABE_OK;
}

/* ---- descent ------------------------------------------------------------------------ */

void wabe_bed_drop(wabe_bed *bed, wabe_body *body) {
    const double lowest = bed->container.low[2] + wabe_body_extent(body, 2);
    double step = bed->stride;
    while (step >= bed->finest && body->center[2] > lowest) {
        wabe_body trial = *body;
        trial.center[2] = fmax(trial.center[2] - step, lowest);
        if (is_free(bed, &trial))
            *body = trial;
        else
            step *= 0.5;
    }
}

/* Randomised descent: random moves and turns, none upwards, which grow after a success and shrink
 * after a failure. Slower shrinkage gives denser beds, but takes longer. */
void wabe_bed_sink(wabe_bed *bed, wabe_body *body) {
    const double growth = 1.25, shrinkage = 0.985;
    double step = bed->stride;
    while (step >= bed->finest) {
        wabe_body trial = *body;
        double move[3], turn[3];
        random_vector(&bed->random, move);
        random_vector(&bed->random, turn);
        for (int d = 0; d < 3; d++) {
            trial.center[d] += 0.5 * step * (d == 2 ? -fabs(move[d]) : move[d]);
            turn[d] = body->axis[d] + 0.5 * step / body->reach * turn[d];
        }
        if (!body->round)
            wabe_body_turn(&trial, turn);
        if (is_free(bed, &trial)) {
            *body = trial;
            step = fmin(growth * step, bed->stride);
        } else
            step *= shrinkage;
    }
}

/* ---- contacts ----------------------------------------------------------------------- */

static int wall_contacts(wabe_bed *bed, const wabe_body *body, double within, double *least) {
    const wabe_container *box = &bed->container;
    double distances[5];
    int count = 0, contacts = 0;
    distances[count++] = body->center[2] - wabe_body_extent(body, 2) - box->low[2];
    for (int d = 0; d < 2 && !box->tube; d++) {
        if (box->periodic[d])
            continue;
        distances[count++] = body->center[d] - wabe_body_extent(body, d) - box->low[d];
        distances[count++] = box->high[d] - body->center[d] - wabe_body_extent(body, d);
    }
    if (box->tube) {
        bed->wall.center[2] = body->center[2];
        distances[count++] = wabe_body_rims_distance(body, &bed->wall, within, -HUGE_VAL);
    }
    for (int k = 0; k < count; k++) {
        contacts += distances[k] < within;
        *least = fmin(*least, distances[k]);
    }
    return contacts;
}

static bool is_same_place(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

int wabe_bed_contacts(wabe_bed *bed, int i, double within, double *least) {
    const wabe_body *body = &bed->bodies[i];
    *least = within;
    int contacts = wall_contacts(bed, body, within, least);
    find_near(bed, body->center, body->reach);
    for (int k = 0; k < bed->near_count; k++) {
        if (is_same_place(bed->near[k].center, body->center))
            continue;
        const double distance = wabe_body_distance(body, &bed->near[k], within, -HUGE_VAL);
        contacts += distance < within;
        *least = fmin(*least, distance);
    }
    return contacts;
}
