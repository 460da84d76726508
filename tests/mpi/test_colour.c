/* The test program of two lattices and a field (tests/application/colour.h) against a plain program
 * of its own.
 *
 *   test_colour [emulated|gpu] */
#include "tests/application/colour.h"
#include "tests/application/colour_model.h"
#include "tests/mpi/programs.h"

enum { NX = 11, NY = 9, NZ = 12, CELLS = NX * NY * NZ };

static const int64_t cells[3] = {NX, NY, NZ};

static const struct {
    int e[3], opposite;
    double weight;
} populations[COLOUR_Q] = {
#define X(q, x, y, z, opposite, weight) {{x, y, z}, opposite, 1.0 / (weight)},
    COLOUR_POPULATIONS(X)
#undef X
};

/* Of red, then of blue. */
typedef struct {
    double colour[2][COLOUR_Q][CELLS];
    float phase[CELLS];
} plain;

static bool is_behind_wall(const bool periodic[3], const int at[3]) {
    bool behind = false;
    for (int axis = 0; axis < 3; axis++)
        behind |= !periodic[axis] && (at[axis] < 0 || at[axis] >= cells[axis]);
    return behind;
}

/* The cell at these coordinates, which may be behind a periodic face. */
static int find(const int at[3]) {
    return (at[0] + NX) % NX + NX * ((at[1] + NY) % NY + NY * ((at[2] + NZ) % NZ));
}

static bool is_solid(int i) {
    return colour_value(COLOUR_SOLID, 0, (const int64_t[3]){i % NX, i / NX % NY, i / NX / NY}) !=
           0.0;
}

/* The phase beside a cell; what is behind a wall is that of the cell at it. */
static double phase_at(const plain *p, const bool periodic[3], const int cell[3], const int e[3]) {
    int at[3];
    for (int axis = 0; axis < 3; axis++) {
        const int n = (int)cells[axis];
        at[axis] = cell[axis] + e[axis];
        if (!periodic[axis])
            at[axis] = at[axis] < 0 ? 0 : at[axis] >= n ? n - 1 : at[axis];
    }
    return (double)p->phase[find(at)];
}

static double gradient_along(const plain *p, const bool periodic[3], const int cell[3], int axis) {
    double sum = 0.0;
    for (int i = -1; i <= 1; i++)
        for (int k = -1; k <= 1; k++) {
            int e[3];
            e[axis] = 1, e[axis == 0 ? 1 : 0] = i, e[axis == 2 ? 1 : 2] = k;
            const double high = phase_at(p, periodic, cell, e);
            e[axis] = -1;
            const double low = phase_at(p, periodic, cell, e);
            sum = sum + (i ? 1.0 : 4.0) * (k ? 1.0 : 4.0) / 72.0 * (high - low);
        }
    return sum;
}

static void measure(plain *p) {
    for (int i = 0; i < CELLS; i++) {
        double amount[2];
        for (int f = 0; f < 2; f++) {
            amount[f] = p->colour[f][0][i];
            for (int q = 1; q < COLOUR_Q; q++)
                amount[f] += p->colour[f][q][i];
        }
        p->phase[i] = (float)((amount[0] - amount[1]) / (amount[0] + amount[1]));
    }
}

static double dot(const int e[3], const double v[3]) {
    return e[0] * v[0] + (e[1] * v[1] + e[2] * v[2]);
}

/* What leaves a cell, from what arrives there. */
static void collide_cell(double in[2][COLOUR_Q], const double g[3], double out[2][COLOUR_Q]) {
    double all[COLOUR_Q], red = 0.0, rho = 0.0, u[3] = {0.0}, n[3];
    for (int q = 0; q < COLOUR_Q; q++) {
        all[q] = in[0][q] + in[1][q];
        red += in[0][q];
        rho += all[q];
        for (int d = 0; d < 3; d++)
            u[d] += populations[q].e[d] * all[q];
    }
    for (int d = 0; d < 3; d++)
        u[d] /= rho;
    const double size = sqrt(g[0] * g[0] + (g[1] * g[1] + g[2] * g[2]));
    const double unit = 1.0 / (size + 1e-12);
    for (int d = 0; d < 3; d++)
        n[d] = g[d] * unit;
    const double square = 1.5 * (u[0] * u[0] + (u[1] * u[1] + u[2] * u[2]));
    const double tension = COLOUR_TENSION * size, share = red / rho;
    const double mixed = COLOUR_RECOLOURING * share * (rho - red);
    for (int q = 0; q < COLOUR_Q; q++) {
        const int *e = populations[q].e;
        const double w = populations[q].weight, along = dot(e, u), across = dot(e, n);
        const double even = 1.0 - square + along * (3.0 + 4.5 * along);
        const double left = all[q] + COLOUR_RATE * (w * rho * even - all[q]);
        const double length = (double)(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) / 3.0;
        const double total = left + tension * w * (across * across - length);
        out[0][q] = share * total + mixed * w * across;
        out[1][q] = total - out[0][q];
    }
}

static void step_plain(double *numbers, const bool periodic[3]) {
    static double next[2][COLOUR_Q][CELLS];
    plain *p = (plain *)numbers;
    measure(p);
    memcpy(next, p->colour, sizeof next);
    for (int i = 0; i < CELLS; i++) {
        const int cell[3] = {i % NX, i / NX % NY, i / NX / NY};
        double in[2][COLOUR_Q], out[2][COLOUR_Q], g[3];
        for (int q = 0; q < COLOUR_Q; q++) {
            const int *e = populations[q].e;
            const int at[3] = {cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]};
            const int from = find(at);
            const bool returns = is_behind_wall(periodic, at) || is_solid(from);
            for (int f = 0; f < 2; f++)
                in[f][q] = returns ? p->colour[f][populations[q].opposite][i]
                                   : p->colour[f][q][from];
        }
        for (int axis = 0; axis < 3; axis++)
            g[axis] = gradient_along(p, periodic, cell, axis);
        collide_cell(in, g, out);
        for (int f = 0; f < 2 && !is_solid(i); f++)
            for (int q = 0; q < COLOUR_Q; q++)
                next[f][q][i] = out[f][q];
    }
    memcpy(p->colour, next, sizeof next);
}

static double *open_plain(const bool periodic[3]) {
    plain *p = calloc(1, sizeof *p);
    (void)periodic;
    for (int i = 0; i < CELLS; i++)
        for (int f = 0; f < 2; f++)
            for (int q = 0; q < COLOUR_Q; q++)
                p->colour[f][q][i] =
                    colour_value(COLOUR_RED + f, q,
                                 (const int64_t[3]){i % NX, i / NX % NY, i / NX / NY});
    return &p->colour[0][0][0];
}

int main(int argc, char *argv[]) {
    static const program colour = {.cells = cells,
                                   .model = colour_model,
                                   .fill = colour_fill,
                                   .numbers = 2 * COLOUR_Q,
                                   .open = open_plain,
                                   .step = step_plain,
                                   .bytes = sizeof(plain),
                                   .exchanges = 2};
    return program_main(&colour, argc, argv);
}
