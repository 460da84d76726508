/* The test program of column sweeps (tests/application/column.h) against a plain program of its
 * own.
 *
 *   test_column [emulated|gpu] */
#include "tests/application/column.h"
#include "tests/application/column_model.h"
#include "tests/mpi/programs.h"

enum { NX = 70, NY = 6, NZ = 12, CELLS = NX * NY * NZ }; /* two strips */

static const int64_t cells[3] = {NX, NY, NZ};

typedef struct {
    double q[CELLS], slopes[2][CELLS];
} plain;

/* The place of a number along x or z, also behind a wall. */
static int find(const bool periodic[3], int axis, int at, double *factor, double *offset) {
    const int n = (int)cells[axis];
    if (periodic[axis])
        return (at + n) % n;
    if (at >= 0 && at < n)
        return at;
    const wabe_wall *wall = &column_walls[2 * axis + (at >= n)];
    *factor *= wall->factor;
    *offset = wall->factor * *offset + wall->offset;
    return at < 0 ? -1 - at : 2 * n - 1 - at;
}

/* Columns end: their last cells stand for all beyond. */
static double at(const plain *p, const bool periodic[3], int x, int y, int z) {
    double factor = 1.0, offset = 0.0;
    z = find(periodic, 2, z, &factor, &offset);
    x = find(periodic, 0, x, &factor, &offset);
    y = y < 0 ? 0 : y >= NY ? NY - 1 : y;
    return factor * p->q[x + NX * (y + NY * z)] + offset;
}

static double map(int x, int z) { return column_value(COLUMN_MAP, 0, (const int64_t[3]){x, 0, z}); }
static double level(int component, int x, int y) {
    return column_value(COLUMN_LEVELS, component, (const int64_t[3]){x, y, 0});
}

#define FOR_ALL(x, y, z, i)                                                                        \
    for (int z = 0, i = 0; z < NZ; z++)                                                            \
        for (int y = 0; y < NY; y++)                                                               \
            for (int x = 0; x < NX; x++, i++)

static void spread(const plain *p, const bool periodic[3], double *out) {
    FOR_ALL(x, y, z, i) {
        const double own = p->q[i];
        const double along_x = (at(p, periodic, x - 1, y, z) + at(p, periodic, x + 1, y, z)) -
                               2.0 * own;
        const double along_z = (at(p, periodic, x, y, z - 2) + at(p, periodic, x, y, z + 2)) -
                               2.0 * own;
        const double up = at(p, periodic, x, y + 2, z) - at(p, periodic, x, y - 2, z);
        out[i] = own + ((map(x, z) + map(x - 1, z)) * (along_x + along_z) + level(0, x, y) * up);
    }
}

/* Solves the equations of a column, whose right-hand sides are NX apart. */
static void solve(int x, const double *right, double *q) {
    double upper[NY], sum[NY], last_upper = 0.0, last_sum = 0.0;
    for (int y = 0; y < NY; y++) {
        const double below = y == 0 ? 0.0 : level(1, x, y);
        const double above = y == NY - 1 ? 0.0 : level(1, x, y + 1);
        const double pivot = 1.0 / (((1.0 + below) + above) + below * last_upper);
        last_upper = upper[y] = 0.0 - above * pivot;
        last_sum = sum[y] = (right[y * NX] + below * last_sum) * pivot;
    }
    for (int y = NY - 1; y >= 0; y--)
        q[y * NX] = sum[y] - upper[y] * (y == NY - 1 ? 0.0 : q[(y + 1) * NX]);
}

/* That the solution solves the equations is checked with the matrix itself. */
static void check_solution(int x, const double *right, const double *q) {
    for (int y = 0; y < NY; y++) {
        const double below = y == 0 ? 0.0 : level(1, x, y);
        const double above = y == NY - 1 ? 0.0 : level(1, x, y + 1);
        const double left = (1.0 + below + above) * q[y * NX] -
                            (y == 0 ? 0.0 : below * q[(y - 1) * NX]) -
                            (y == NY - 1 ? 0.0 : above * q[(y + 1) * NX]);
        CHECK(fabs(left - right[y * NX]) < 1e-13, "row %d of column %d is not solved", y, x);
    }
}

static void find_slopes(plain *p, const bool periodic[3]) {
    FOR_ALL(x, y, z, i) {
        p->slopes[0][i] = at(p, periodic, x + 1, y, z) - p->q[i];
        p->slopes[1][i] = at(p, periodic, x, y + 1, z) - p->q[i];
    }
}

static void step_plain(double *numbers, const bool periodic[3]) {
    static double right[CELLS];
    plain *p = (plain *)numbers;
    spread(p, periodic, right);
    for (int z = 0; z < NZ; z++)
        for (int x = 0; x < NX; x++) {
            const int first = x + NX * NY * z;
            solve(x, right + first, p->q + first);
            check_solution(x, right + first, p->q + first);
        }
    find_slopes(p, periodic);
}

static double *open_plain(const bool periodic[3]) {
    plain *p = calloc(1, sizeof *p);
    FOR_ALL(x, y, z, i)
    p->q[i] = column_value(COLUMN_Q, 0, (const int64_t[3]){x, y, z});
    find_slopes(p, periodic);
    return p->q;
}

int main(int argc, char *argv[]) {
    static const program column = {.cells = cells,
                                   .whole = {false, true, false},
                                   .model = column_model,
                                   .fill = column_fill,
                                   .numbers = 1,
                                   .shown = 2,
                                   .open = open_plain,
                                   .step = step_plain,
                                   .bytes = sizeof(plain),
                                   .exchanges = 1};
    return program_main(&column, argc, argv);
}
