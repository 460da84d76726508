#include "apps/lbm/turning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells of a surface whose offsets from the axis lie in one square. */
typedef struct {
    int64_t square[2];
    double first[2], sum[2]; /* of their offsets from the axis, along turning->axes */
    int64_t cells;
} spot;

typedef struct {
    const wabe_turning *turning;
    wabe_box solid;
    int64_t count, room;
    spot *spots;
} collection;

/* ---- places ------------------------------------------------------------------------- */

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int d = 0; d < 3; d++)
        out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Of the coordinate axes, the first comes from the one along which spin is least: its part normal
 * to spin. */
static void find_axes(const double spin[3], double axes[2][3]) {
    const double square = dot(spin, spin), length = sqrt(square);
    int least = 0;
    for (int d = 1; d < 3; d++)
        if (fabs(spin[d]) < fabs(spin[least]))
            least = d;
    for (int d = 0; d < 3; d++)
        axes[0][d] = (d == least ? 1.0 : 0.0) - spin[least] * spin[d] / square;
    const double norm = sqrt(dot(axes[0], axes[0]));
    for (int d = 0; d < 3; d++)
        axes[0][d] /= norm;
    cross(spin, axes[0], axes[1]);
    for (int d = 0; d < 3; d++)
        axes[1][d] /= length;
}

/* The offset of a cell's centre from the axis, along turning->axes. */
static void find_offset(const wabe_turning *t, const int64_t cell[3], double out[2]) {
    double from[3];
    for (int d = 0; d < 3; d++)
        from[d] = (double)cell[d] + 0.5 - t->pivot[d];
    out[0] = dot(from, t->axes[0]);
    out[1] = dot(from, t->axes[1]);
}

/* Squares lie symmetrically about the axis, so that the walls of a symmetric body neither add mass
 * nor take it away. Those of edge 1 separate all columns of cells along a coordinate axis; larger
 * ones are made of them. */
static void find_square(const double offset[2], double edge, int64_t square[2]) {
    for (int k = 0; k < 2; k++) {
        const double columns = floor(fabs(offset[k]) + 0.5);
        const int64_t steps = (int64_t)floor(columns / edge + 0.5);
        square[k] = offset[k] < 0.0 ? -steps : steps;
    }
}

static int compare_squares(const void *a, const void *b) {
    const int64_t *p = a, *q = b;
    const int k = p[0] == q[0];
    return p[k] < q[k] ? -1 : p[k] > q[k];
}

/* ---- the surface -------------------------------------------------------------------- */

/* Does a population reach the cell from fluid? */
static bool is_surface(wabe_lattice lattice, const wabe_flags *flags, int64_t x, int64_t y,
                       int64_t z) {
    for (int q = 1; q < wabe_lattice_flow(lattice); q++) {
        const int *e = wabe_lattice_e(lattice, q);
        if (wabe_flags_at(flags, x + e[0], y + e[1], z + e[2]) == 0)
            return true;
    }
    return false;
}

static wabe_status add_spot(collection *to, const int64_t cell[3]) {
    if (to->count == to->room) {
        to->room = 2 * to->room + 1024;
        spot *more = realloc(to->spots, (size_t)to->room * sizeof *more);
        WABE_CHECK(more, WABE_MEMORY, "no memory for a surface of %lld cells", (long long)to->room);
        to->spots = more;
    }
    spot *s = &to->spots[to->count++];
    s->cells = 1;
    find_offset(to->turning, cell, s->first);
    memcpy(s->sum, s->first, sizeof s->sum);
    return WABE_OK;
}

static wabe_status add_plane(void *context, const wabe_flags *flags, int64_t z) {
    collection *to = context;
    for (int64_t y = to->solid.begin[1]; y < to->solid.end[1]; y++)
        for (int64_t x = to->solid.begin[0]; x < to->solid.end[0]; x++)
            if (wabe_flags_at(flags, x, y, z) == to->turning->condition + 1 &&
                is_surface(to->turning->lattice, flags, x, y, z))
                WABE_TRY(add_spot(to, (const int64_t[3]){x, y, z}));
    return WABE_OK;
}

/* ---- conditions --------------------------------------------------------------------- */

/* Joins the spots in each square of this edge; returns how many remain, in ascending order. */
static int64_t join(spot *spots, int64_t count, double edge) {
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++)
        find_square(spots[i].first, edge, spots[i].square);
    qsort(spots, (size_t)count, sizeof *spots, compare_squares);
    for (int64_t i = 0; i < count; i++) {
        if (left == 0 || compare_squares(spots[left - 1].square, spots[i].square) != 0) {
            spots[left++] = spots[i];
            continue;
        }
        spot *last = &spots[left - 1];
        last->sum[0] += spots[i].sum[0];
        last->sum[1] += spots[i].sum[1];
        last->cells += spots[i].cells;
    }
    return left;
}

/* The velocity at an offset from the axis. */
static void find_velocity(const wabe_turning *t, const double offset[2], double out[3]) {
    double from[3], turned[3];
    for (int d = 0; d < 3; d++)
        from[d] = offset[0] * t->axes[0][d] + offset[1] * t->axes[1][d];
    cross(t->spin, from, turned);
    for (int d = 0; d < 3; d++)
        out[d] = nearbyint(0x1p40 * (t->velocity[d] + turned[d])) * 0x1p-40;
}

static double length_of(const double v[3]) { return sqrt(dot(v, v)); }

/* The number of the square in which a place lies; -1: there is none. */
static int find_number(const wabe_turning *t, const double offset[2]) {
    int64_t square[2];
    find_square(offset, t->edge, square);
    const int64_t(*squares)[2] = t->squares;
    const int64_t(*found)[2] = bsearch(square, squares, (size_t)t->count, sizeof *squares,
                                       compare_squares);
    return found ? (int)(found - squares) : -1;
}

/* A condition for each spot; cells: of the whole surface. */
static wabe_status make_conditions(const spot *spots, const collection *cells,
                                   wabe_condition *conditions, wabe_turning *t) {
    t->squares = malloc((size_t)t->count * sizeof *t->squares);
    WABE_CHECK(t->squares, WABE_MEMORY, "no memory for a surface that turns");
    for (int k = 0; k < t->count; k++) {
        const double n = (double)spots[k].cells;
        const double mean[2] = {spots[k].sum[0] / n, spots[k].sum[1] / n};
        memcpy(t->squares[k], spots[k].square, sizeof spots[k].square);
        conditions[t->first + k] = conditions[t->condition];
        find_velocity(t, mean, conditions[t->first + k].velocity);
        memcpy(conditions[t->first + k].spin, t->spin, sizeof t->spin);
    }
    for (int64_t i = 0; i < cells->count; i++) {
        const double *offset = cells->spots[i].first;
        double velocity[3];
        find_velocity(t, offset, velocity);
        t->most = fmax(t->most, length_of(velocity));
        for (int d = 0; d < 3; d++)
            velocity[d] -= conditions[t->first + find_number(t, offset)].velocity[d];
        t->error = fmax(t->error, length_of(velocity));
    }
    return WABE_OK;
}

/* Squares as small as the number of conditions allows. */
static wabe_status divide(const collection *cells, int count, wabe_condition *conditions,
                          wabe_turning *t) {
    const size_t size = (size_t)cells->count * sizeof(spot);
    spot *columns = malloc(size), *spots = malloc(size);
    wabe_status status = WABE_OK;
    if (columns && spots) {
        memcpy(columns, cells->spots, size);
        const int64_t column_count = join(columns, cells->count, 1.0);
        int64_t left;
        t->edge = 1.0;
        do {
            memcpy(spots, columns, (size_t)column_count * sizeof *spots);
            left = join(spots, column_count, t->edge);
        } while (left > count && (t->edge *= 1.05, true));
        t->count = (int)left;
        status = make_conditions(spots, cells, conditions, t);
    } else {
        status = WABE_FAIL(WABE_MEMORY, "no memory for a surface of %lld cells",
                           (long long)cells->count);
    }
    free(columns);
    free(spots);
    return status;
}

wabe_status wabe_turning_make(const wabe_geometry *geometry, wabe_box solid, int count,
                              wabe_condition *conditions, int *condition_count, wabe_turning *t) {
    collection c = {.turning = t, .solid = solid};
    for (int d = 0; d < 3; d++) {
        c.solid.begin[d] = solid.begin[d] > 0 ? solid.begin[d] : 0;
        c.solid.end[d] = solid.end[d] < geometry->cells[d] ? solid.end[d] : geometry->cells[d];
    }
    t->first = *condition_count;
    find_axes(t->spin, t->axes);
    wabe_status status = wabe_geometry_visit(geometry, c.solid, 1, 1, add_plane, &c);
    if (status == WABE_OK && c.count > 0)
        status = divide(&c, count, conditions, t);
    free(c.spots);
    *condition_count += t->count;
    return status;
}

void wabe_turning_free(wabe_turning *turning) {
    free(turning->squares);
    turning->squares = NULL;
}

/* Cells inside have the solid's own condition: no link reaches them. */
static int condition_of(const void *source, const int64_t cell[3]) {
    const wabe_turning *t = source;
    double offset[2];
    find_offset(t, cell, offset);
    const int number = find_number(t, offset);
    return number < 0 ? t->condition : t->first + number;
}

wabe_motion wabe_turning_motion(const wabe_turning *turning) {
    return (wabe_motion){turning->condition, turning, condition_of};
}
