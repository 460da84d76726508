/* Cycles on coarse grids (sweeps/cell/multigrid.h) against a plain program of its own.
 *
 *   test_multigrid [emulated|gpu] */
#include "sweeps/stencil/multigrid.h"
#include "tests/mpi/programs.h"

/* The y axis is halved once alone, to 3 cells; the others twice. */
enum { NX = 32, NY = 6, NZ = 24, CELLS = NX * NY * NZ, GRAIN = 4, LEVELS = 3 };
enum { P, B, W, FIELDS };
enum { SMOOTHING = 3, CYCLES = 2 };
#define LOWEST 0.35

static const int64_t cells[3] = {NX, NY, NZ};
static wabe_multigrid cycles;

static wabe_grid_model model_of(const int64_t size[3], const bool periodic[3]) {
    wabe_grid_model m = {.field_count = FIELDS, .wraps = {true, true, true}, .depth = 1};
    memcpy(m.cells, size, sizeof m.cells);
    memcpy(m.periodic, periodic, sizeof m.periodic);
    m.fields[P] = (wabe_grid_field_row){
        .name = "p", .type = WABE_TYPE_f64, .role = WABE_FIELD_STATE, .components = 1, .grids = 2};
    m.fields[B] = m.fields[W] = (wabe_grid_field_row){.name = "b",
                                                      .type = WABE_TYPE_f64,
                                                      .role = WABE_FIELD_CONSTANT,
                                                      .components = 1,
                                                      .grids = 1};
    m.fields[W].name = "w", m.fields[W].components = 3;
    for (int face = 0; face < 6; face++)
        m.fields[P].walls[face] = (wabe_wall){1.0, 0.0};
    cycles = wabe_multigrid_add(&m, WABE_TYPE_f64, &(wabe_multigrid_fields){.p = P, .b = B, .w = W},
                                1, "", NULL);
    wabe_multigrid_add_coarsening(&m, &cycles);
    m.loops[m.loop_count] = (wabe_grid_loop_row){.name = "cycles", .count = CYCLES};
    m.entries[m.entry_count++] = (wabe_grid_entry){.kind = WABE_STEP_LOOP,
                                                   .number = m.loop_count++};
    wabe_multigrid_add_cycle(&m, &cycles);
    m.entries[m.entry_count++] = (wabe_grid_entry){.kind = WABE_STEP_END};
    return m;
}

/* ---- the equations --------------------------------------------------------------------- */

static bool goes_round[3]; /* the periodic axes */

static double noise(int number, const int64_t cell[3]) {
    return 0.5 * sin(1.0 + (double)number + 12.9898 * (double)cell[0] + 78.233 * (double)cell[1] +
                     37.719 * (double)cell[2]);
}

/* b, or w on the low face normal to an axis: 0 at walls, in places 1000 times as large. */
static double number_at(int number, const int64_t cell[3]) {
    int64_t at[3];
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = cells[axis];
        if (!goes_round[axis] &&
            (cell[axis] < 0 || cell[axis] >= n || (number == 1 + axis && cell[axis] == 0)))
            return 0.0;
        at[axis] = (cell[axis] % n + n) % n;
    }
    if (number == 0)
        return noise(0, at);
    return (noise(number, at) > 0.2 ? 1000.0 : 1.0) * (0.75 + noise(number + 3, at));
}

static wabe_status number_row(const void *number, const int64_t cell[3], int64_t count,
                              double *row) {
    for (int64_t i = 0; i < count; i++)
        row[i] = number_at(*(const int *)number, (const int64_t[3]){cell[0] + i, cell[1], cell[2]});
    return WABE_OK;
}

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    (void)context;
    memcpy(goes_round, slab->model.periodic, sizeof goes_round);
    wabe_multigrid_set(slab, &cycles);
    for (int i = 0; i < 4; i++)
        WABE_TRY(wabe_grid_set(slab, i == 0 ? B : W, i == 0 ? 0 : i - 1, number_row, &i));
    return WABE_OK;
}

/* ---- the plain program ------------------------------------------------------------------ */

typedef struct {
    int n[3];
    double p[CELLS], before[CELLS], b[CELLS], residual[CELLS], w[3][CELLS];
} grid;

typedef struct {
    double p[CELLS];
    grid levels[LEVELS];
} plain;

static int place(const grid *g, int x, int y, int z) {
    for (int axis = 0; axis < 3; axis++) {
        int *at = axis == 0 ? &x : axis == 1 ? &y : &z;
        *at = (*at + g->n[axis]) % g->n[axis]; /* behind walls w is 0 */
    }
    return x + g->n[0] * (y + g->n[1] * z);
}

static bool is_last(const grid *g, int axis, int x, int y, int z) {
    return !goes_round[axis] && (axis == 0 ? x : axis == 1 ? y : z) == g->n[axis] - 1;
}

#define FOR_ALL(g, x, y, z)                                                                        \
    for (int z = 0; z < (g)->n[2]; z++)                                                            \
        for (int y = 0; y < (g)->n[1]; y++)                                                        \
            for (int x = 0; x < (g)->n[0]; x++)

static double flows(const grid *g, int x, int y, int z, double *weights) {
    double flow[3], weight[3];
    const double own = g->p[place(g, x, y, z)];
    for (int axis = 0; axis < 3; axis++) {
        const int d[3] = {axis == 0, axis == 1, axis == 2};
        const int high = place(g, x + d[0], y + d[1], z + d[2]);
        const int low = place(g, x - d[0], y - d[1], z - d[2]);
        const double w = g->w[axis][place(g, x, y, z)];
        const double w_high = is_last(g, axis, x, y, z) ? 0.0 : g->w[axis][high];
        flow[axis] = w * (g->p[low] - own) + w_high * (g->p[high] - own);
        weight[axis] = w + w_high;
    }
    *weights = (weight[0] + weight[1]) + weight[2];
    return (flow[0] + flow[1]) + flow[2];
}

static void smooth(grid *g, double lowest, int count) {
    static double next[CELLS];
    const double middle = 0.5 * (2.0 + lowest), half = 0.5 * (2.0 - lowest);
    double ratio = half / middle;
    for (int k = 0; k < count; k++) {
        const double rho = 1.0 / (2.0 * middle / half - ratio);
        const double keep = k ? rho * ratio : 0.0, change = k ? 2.0 * rho / half : 1.0 / middle;
        ratio = k ? rho : ratio;
        FOR_ALL(g, x, y, z) {
            const int i = place(g, x, y, z);
            double weights;
            const double lacks = flows(g, x, y, z, &weights) - g->b[i];
            next[i] = g->p[i] + (keep * (g->p[i] - g->before[i]) + change * (lacks / weights));
        }
        memcpy(g->before, g->p, sizeof next);
        memcpy(g->p, next, sizeof next);
    }
}

static void cycle(plain *p, int level) {
    grid *g = &p->levels[level], *coarse = g + 1;
    if (level == LEVELS - 1) {
        const double lowest = (1.0 - cos(acos(-1.0) / (8 + 1))) / 3.0;
        smooth(g, lowest, (int)ceil(log(40.0) / (2.0 * sqrt(0.5 * lowest))));
        return;
    }
    smooth(g, LOWEST, SMOOTHING);
    FOR_ALL(g, x, y, z) {
        double weights;
        g->residual[place(g, x, y, z)] = g->b[place(g, x, y, z)] - flows(g, x, y, z, &weights);
    }
    const int ratio[3] = {g->n[0] / coarse->n[0], g->n[1] / coarse->n[1], g->n[2] / coarse->n[2]};
    FOR_ALL(coarse, x, y, z) {
        double sum = 0.0; /* along axes that are not halved twice the same, for the same rounding */
        for (int i = 0; i < 8; i++)
            sum += g->residual[place(g, ratio[0] * x + i % 2 * (ratio[0] - 1),
                                     ratio[1] * y + i / 2 % 2 * (ratio[1] - 1),
                                     ratio[2] * z + i / 4 * (ratio[2] - 1))];
        coarse->b[place(coarse, x, y, z)] = sum * ratio[0] * ratio[1] * ratio[2] / 8.0;
        coarse->p[place(coarse, x, y, z)] = 0.0;
    }
    cycle(p, level + 1);
    FOR_ALL(g, x, y, z)
    g->p[place(g, x, y, z)] += coarse->p[place(coarse, x / ratio[0], y / ratio[1], z / ratio[2])];
    smooth(g, LOWEST, SMOOTHING);
}

/* w of the faces of coarse cells. */
static void coarsen(const grid *g, grid *coarse) {
    const int ratio[3] = {g->n[0] / coarse->n[0], g->n[1] / coarse->n[1], g->n[2] / coarse->n[2]};
    FOR_ALL(coarse, x, y, z)
    for (int axis = 0; axis < 3; axis++) {
        const int one = axis == 0, other = axis == 2 ? 1 : 2; /* the other axes */
        double sum = 0.0;
        for (int i = 0; i < 4; i++) {
            int at[3] = {ratio[0] * x, ratio[1] * y, ratio[2] * z};
            at[one] += i % 2 * (ratio[one] - 1), at[other] += i / 2 * (ratio[other] - 1);
            sum += g->w[axis][place(g, at[0], at[1], at[2])];
        }
        coarse->w[axis][place(coarse, x, y, z)] = sum * ratio[one] * ratio[other] / 4.0 /
                                                  ratio[axis];
    }
}

static void step_plain(double *numbers, const bool periodic[3]) {
    plain *p = (plain *)numbers;
    (void)periodic;
    memcpy(p->levels[0].p, p->p, sizeof p->p);
    for (int i = 0; i < CYCLES; i++)
        cycle(p, 0);
    memcpy(p->p, p->levels[0].p, sizeof p->p);
}

static double *open_plain(const bool periodic[3]) {
    static const int sizes[LEVELS][3] = {{NX, NY, NZ}, {NX / 2, 3, NZ / 2}, {NX / 4, 3, NZ / 4}};
    plain *p = calloc(1, sizeof *p);
    memcpy(goes_round, periodic, sizeof goes_round);
    for (int level = 0; level < LEVELS; level++)
        memcpy(p->levels[level].n, sizes[level], sizeof sizes[level]);
    FOR_ALL(&p->levels[0], x, y, z) {
        const int i = place(&p->levels[0], x, y, z);
        const int64_t cell[3] = {x, y, z};
        p->p[i] = noise(9, cell);
        p->levels[0].b[i] = number_at(0, cell);
        for (int axis = 0; axis < 3; axis++)
            p->levels[0].w[axis][i] = number_at(1 + axis, cell);
    }
    for (int level = 1; level < LEVELS; level++)
        coarsen(&p->levels[level - 1], &p->levels[level]);
    return p->p;
}

int main(int argc, char *argv[]) {
    static const program multigrid = {.cells = cells,
                                      .grain = GRAIN,
                                      .model = model_of,
                                      .fill = fill,
                                      .numbers = 1,
                                      .open = open_plain,
                                      .step = step_plain,
                                      .bytes = sizeof(plain),
                                      .exchanges = 11}; /* 2 of w, 5 of smoothing, 2 each to and
                                                          from coarser grids */
    return program_main(&multigrid, argc, argv);
}
