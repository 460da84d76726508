/* The test program of many sweeps (tests/application/rk3.h) against a plain program of its own: the
 * same bits on every grid of processes, with several components each, with exchanges hidden and
 * not, and after its state has been set anew; and each exchange is needed.
 *
 *   test_rk3 [emulated|gpu] */
#include "apps/runtime/kernels.h"
#include "tests/application/kernels.h"
#include "tests/application/rk3.h"
#include "tests/application/rk3_model.h"
#include "tests/mpi/tables.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 3, SAVED = 1, NX = 11, NY = 9, NZ = 12, CELLS = NX * NY * NZ };

static const int64_t cells[3] = {NX, NY, NZ};

/* ---- the plain program -------------------------------------------------------------- */

typedef struct {
    const bool *periodic;
    double field[RK3_FIELDS][CELLS]; /* those of f32 hold floats */
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

static void step_plain(plain *p) {
    static const int substeps[3] = {1, RK3_SUBSTEPS / 2, RK3_SUBSTEPS};
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

static plain *plain_open(const bool periodic[3]) {
    plain *p = calloc(1, sizeof *p);
    p->periodic = periodic;
    FOR_ALL(x, y, z, i)
    for (int f = 0; f < RK3_FIELDS; f++)
        p->field[f][i] = rk3_value(f, (const int64_t[3]){x, y, z});
    return p;
}

/* ---- the same in tables ------------------------------------------------------------- */

static wabe_status row_of(const void *field, const int64_t cell[3], int64_t count, double *row) {
    memcpy(row, (const double *)field + place((int)cell[0], (int)cell[1], (int)cell[2]),
           (size_t)count * sizeof *row);
    return WABE_OK;
}

/* The state is that of the plain program: at the start, or a checkpoint. */
static void begin_with(tables *t, const plain *p) {
    for (int i = 0; i < t->domain.slab_count; i++) {
        CHECK(wabe_grid_reset(t->slabs.list[i]) == WABE_OK, "%s", wabe_error_message());
        for (int f = 0; f < RK3_STATE; f++)
            CHECK(wabe_grid_set(t->slabs.list[i], f, 0, row_of, p->field[f]) == WABE_OK, "%s",
                  wabe_error_message());
    }
    wabe_domain_initialise(&t->domain);
}

/* Numbers of the state with other bits than the plain program's, on all processes. */
static int64_t others_of(const tables *t, const plain *p) {
    static double found[CELLS];
    int64_t others = 0;
    for (int s = 0; s < t->domain.slab_count; s++) {
        const wabe_box box = t->slabs.list[s]->block;
        for (int f = 0; f < RK3_STATE; f++) {
            const double *value = found;
            CHECK(wabe_grid_read_field(t->slabs.list[s], f, 0, box, found) == WABE_OK, "%s",
                  wabe_error_message());
            for (int z = (int)box.begin[2]; z < box.end[2]; z++)
                for (int y = (int)box.begin[1]; y < box.end[1]; y++)
                    for (int x = (int)box.begin[0]; x < box.end[0]; x++)
                        others += *value++ != p->field[f][place(x, y, z)];
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return others;
}

static void check(const char *word, const int64_t processes[3], const bool periodic[3],
                  bool overlap) {
    const wabe_grid_model m = rk3_model(cells, periodic);
    tables t;
    plain *p = plain_open(periodic);
    if (tables_open(word, processes, overlap, &m, rk3_fill, &t)) {
        begin_with(&t, p);
        for (int step = 1; step <= STEPS; step++) {
            step_plain(p);
            wabe_domain_step(&t.domain);
            CHECK(others_of(&t, p) == 0, "%s: after step %d numbers have other bits", t.what, step);
            if (step == SAVED)
                begin_with(&t, p);
        }
        CHECK(isfinite(p->field[RK3_P][0]), "the plain program diverges");
    }
    tables_close(&t);
    free(p);
}

/* Without one of its exchanges a step has other results. Those of u, v, w as they go back to the
 * step's beginning would be needed by a stage without substeps alone. */
static void check_needs(const char *word, const int64_t processes[3]) {
    static const bool periodic[3] = {false};
    const wabe_grid_model m = rk3_model(cells, periodic);
    const int back = RK3_STATE + 1 + 4; /* their first entry */
    tables t;
    plain *p = plain_open(periodic);
    if (tables_open(word, processes, true, &m, rk3_fill, &t) && t.domain.partition.count > 1) {
        wabe_schedule *s = &t.domain.schedule;
        const wabe_schedule all = *s;
        int tried = 0;
        step_plain(p);
        for (int i = 0; i < all.entry_count; i++) {
            const bool unused = i >= back && i < back + 3;
            if (all.entries[i].kind != WABE_STEP_SWEEP ||
                all.entries[i].exchange == WABE_NO_EXCHANGE || unused)
                continue;
            tried++;
            s->entries[i].exchange = WABE_NO_EXCHANGE;
            begin_with(&t, p);
            wabe_domain_step(&t.domain);
            plain *next = plain_open(periodic);
            *next = *p;
            step_plain(next);
            CHECK(others_of(&t, next) > 0, "%s: the exchange of entry %d is not needed", t.what, i);
            free(next);
            *s = all;
        }
        CHECK(tried == 8, "%d exchanges are tried", tried); /* p twice; u, v, w; three q */
    }
    tables_close(&t);
    free(p);
}

int main(int argc, char *argv[]) {
    static const char *const of_processors[] = {"c", "cc"}, *const of_gpus[] = {"g", "cg", "gg"};
    static const bool periodic[][3] = {{false}, {true, false, false}, {false, true, true}};
    check_begin(&argc, &argv);
    const int code = hardware_choose(argc, argv, EMULATED_GPUS);
    const bool gpus = hardware_gpus > 0;
    wabe_kernels_add(&application_kernels);
    for (int i = 0; i < (gpus ? 3 : 2) && code == 0; i++) {
        const char *word = gpus ? of_gpus[i] : of_processors[i];
        const int64_t most[3] = {NX / 2, NY / 2, NZ / (2 * (int64_t)strlen(word))};
        int64_t grid[3] = {1, 0, 0};
        while (grids_next(most, grid)) {
            for (int k = 0; k < 6; k++)
                check(word, grid, periodic[k / 2], k % 2);
            check_needs(word, grid);
        }
    }
    return check_end(code);
}
