/* The test program of many sweeps (tests/application/rk3.h) against a plain program of its own.
 *
 *   test_rk3 [emulated|gpu] */
#include "tests/application/rk3.h"
#include "tests/application/rk3_model.h"
#include "tests/mpi/programs.h"

enum { NX = 11, NY = 9, NZ = 12, CELLS = NX * NY * NZ };

static const int64_t cells[3] = {NX, NY, NZ};

/* ---- the plain program -------------------------------------------------------------- */

typedef struct {
    double field[RK3_FIELDS][CELLS]; /* those of f32 hold floats */
    const bool *periodic;
} plain;

static int place(int x, int y, int z) { return x + NX * (y + NY * z); }

/* The place of a number along an axis, also behind a wall. */
static int find(const plain *p, int axis, int at, double *factor, double *offset) {
    const int n = (int)cells[axis];
    if (p->periodic[axis])
        return (at + n) % n;
    if (at >= 0 && at < n)
        return at;
    const wabe_wall *wall = &rk3_walls[2 * axis + (at >= n)];
    *factor *= wall->factor;
    *offset = wall->factor * *offset + wall->offset;
    return at < 0 ? -1 - at : 2 * n - 1 - at;
}

static double at(const plain *p, int f, int x, int y, int z) {
    double factor = 1.0, offset = 0.0;
    z = find(p, 2, z, &factor, &offset);
    y = find(p, 1, y, &factor, &offset);
    x = find(p, 0, x, &factor, &offset);
    const double value = p->field[f][place(x, y, z)];
    return f >= RK3_Q && f < RK3_STATE ? (double)((float)factor * (float)value + (float)offset)
                                       : factor * value + offset;
}

/* The difference across a cell along an axis. */
static double across(const plain *p, int f, int axis, int x, int y, int z) {
    const int e[3] = {axis == 0, axis == 1, axis == 2};
    return at(p, f, x + e[0], y + e[1], z + e[2]) - at(p, f, x - e[0], y - e[1], z - e[2]);
}

static double sum_across(const plain *p, int f, int x, int y, int z) {
    return across(p, f, 0, x, y, z) + (across(p, f, 1, x, y, z) + across(p, f, 2, x, y, z));
}

#define FOR_ALL(x, y, z, i)                                                                        \
    for (int z = 0, i = 0; z < NZ; z++)                                                            \
        for (int y = 0; y < NY; y++)                                                               \
            for (int x = 0; x < NX; x++, i++)

static void slow(plain *p, int f) {
    FOR_ALL(x, y, z, i) {
        double sum = -12.0 * p->field[f][i];
        for (int far = 1; far <= 2; far++) {
            sum += at(p, f, x - far, y, z) + at(p, f, x + far, y, z);
            sum += at(p, f, x, y - far, z) + at(p, f, x, y + far, z);
            sum += at(p, f, x, y, z - far) + at(p, f, x, y, z + far);
        }
        p->field[RK3_SLOW + f][i] = 0.015625 * (1 + f) * (sum * p->field[RK3_MAP][i]);
    }
}

static void substep(plain *p, double step) {
    static double next[CELLS];
    FOR_ALL(x, y, z, i) {
        for (int f = 0; f < 3; f++)
            p->field[f][i] += step *
                              (p->field[RK3_SLOW + f][i] - 0.25 * across(p, RK3_P, f, x, y, z));
    }
    FOR_ALL(x, y, z, i) {
        const double sum = sum_across(p, RK3_U, x, y, z) +
                           (sum_across(p, RK3_V, x, y, z) + sum_across(p, RK3_W, x, y, z));
        next[i] = p->field[RK3_P][i] + step * (p->field[RK3_SLOW + RK3_P][i] - sum);
        p->field[RK3_DIVERGENCE][i] = (double)(float)sum;
    }
    memcpy(p->field[RK3_P], next, sizeof next);
}

static void trace(plain *p, int f, float step) {
    static double next[CELLS];
    FOR_ALL(x, y, z, i) {
        float d[3];
        for (int axis = 0; axis < 3; axis++)
            d[axis] = (float)across(p, f, axis, x, y, z);
        const float flow = (float)p->field[RK3_U][i] * (d[0] + (d[1] + d[2]));
        next[i] = (double)((float)p->field[RK3_BEFORE + f][i] +
                           step * ((float)p->field[RK3_DIVERGENCE][i] - flow));
    }
    memcpy(p->field[f], next, sizeof next);
}

static void step_plain(double *numbers, const bool periodic[3]) {
    static const int substeps[3] = {1, RK3_SUBSTEPS / 2, RK3_SUBSTEPS};
    plain *p = (plain *)numbers;
    p->periodic = periodic;
    memcpy(p->field[RK3_BEFORE], p->field[0], RK3_STATE * sizeof p->field[0]);
    for (int stage = 0; stage < 3; stage++) {
        for (int f = 0; f < 4; f++)
            slow(p, f);
        memcpy(p->field[0], p->field[RK3_BEFORE], 4 * sizeof p->field[0]);
        for (int i = 0; i < substeps[stage]; i++)
            substep(p, (stage == 0 ? 1.0 / 3.0 : 1.0 / RK3_SUBSTEPS) * (i % 2 ? 0.75 : 1.0));
        for (int f = RK3_Q; f < RK3_STATE; f++)
            trace(p, f, stage == 0 ? (float)(1.0 / 3.0) : stage == 1 ? 0.5f : 1.0f);
    }
}

static double *open_plain(const bool periodic[3]) {
    plain *p = calloc(1, sizeof *p);
    (void)periodic;
    FOR_ALL(x, y, z, i)
    for (int f = 0; f < RK3_FIELDS; f++)
        p->field[f][i] = rk3_value(f, (const int64_t[3]){x, y, z});
    return &p->field[0][0];
}

/* Values of u, v, w that go back to the step's beginning would be needed by a stage without
 * substeps alone. */
static bool is_unused(int entry) {
    const int back = RK3_STATE + 1 + 4; /* their first entry */
    return entry >= back && entry < back + 3;
}

int main(int argc, char *argv[]) {
    static const program rk3 = {.cells = cells,
                                .model = rk3_model,
                                .fill = rk3_fill,
                                .numbers = RK3_STATE,
                                .open = open_plain,
                                .step = step_plain,
                                .bytes = sizeof(plain),
                                .exchanges = 8, /* p twice; u, v, w; three q */
                                .unused = is_unused};
    return program_main(&rk3, argc, argv);
}
