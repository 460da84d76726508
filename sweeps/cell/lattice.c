#include "sweeps/cell/lattice.h"

WABE_ENUM_DEFINE(lattice, WABE_LATTICES)

#define X(lattice, count, ...)                                                                     \
    _Static_assert((count) <= WABE_Q_MAX, "WABE_Q_MAX is that of the largest lattice");
WABE_LATTICE_ROWS(X, )
#undef X

/* A row of one of the tables below for each population of each lattice. */
#define TABLES(lattice, ...)                                                                       \
    static const int velocities_##lattice[][3] = {WABE_POPULATIONS_##lattice(VELOCITY)};           \
    static const double weights_##lattice[] = {WABE_POPULATIONS_##lattice(WEIGHT_##lattice)};
#define VELOCITY(name, cx, cy, cz, class) {cx, cy, cz},
#define WEIGHT_d3q19(name, cx, cy, cz, class) WABE_WEIGHT_##class##_d3q19,
#define WEIGHT_d3q27(name, cx, cy, cz, class) WABE_WEIGHT_##class##_d3q27,
#define WEIGHT_d3q19_d3q7(name, cx, cy, cz, class) WABE_WEIGHT_##class##_d3q19_d3q7,
#define WABE_WEIGHT_scalar_d3q19_d3q7 WABE_WEIGHT_scalar
#define WABE_WEIGHT_scalar_rest_d3q19_d3q7 WABE_WEIGHT_scalar_rest
#define WEIGHT_d3q19_d3q19(name, cx, cy, cz, class) WABE_WEIGHT_##class##_d3q19_d3q19,
#define WABE_WEIGHT_carried_rest_d3q19_d3q19 WABE_WEIGHT_rest_d3q19
#define WABE_WEIGHT_carried_axis_d3q19_d3q19 WABE_WEIGHT_axis_d3q19
#define WABE_WEIGHT_carried_diagonal_d3q19_d3q19 WABE_WEIGHT_diagonal_d3q19
WABE_LATTICE_ROWS(TABLES, )

typedef struct {
    int count, flow;
    const int (*velocities)[3];
    const double *weights;
} row;

static const row rows[WABE_LATTICE_end] = {
#define X(word, count, ...)                                                                        \
    [WABE_LATTICE_##word] = {count, WABE_FLOW_##word, velocities_##word, weights_##word},
    WABE_LATTICE_ROWS(X, )
#undef X
};

int wabe_lattice_count(wabe_lattice lattice) { return rows[lattice].count; }

int wabe_lattice_flow(wabe_lattice lattice) { return rows[lattice].flow; }

int wabe_lattice_moving(wabe_lattice lattice) {
    return rows[lattice].count - 1 - wabe_lattice_has_scalar(lattice);
}

const int *wabe_lattice_e(wabe_lattice lattice, int q) { return rows[lattice].velocities[q]; }

double wabe_lattice_weight(wabe_lattice lattice, int q) { return rows[lattice].weights[q]; }

bool wabe_lattice_carries(wabe_lattice lattice) {
    return wabe_lattice_count(lattice) == 2 * wabe_lattice_flow(lattice);
}

double wabe_lattice_diffusion(wabe_lattice lattice) {
    if (!wabe_lattice_has_scalar(lattice))
        return 1.0;
    return wabe_lattice_carries(lattice) ? 1.0 / 3.0 : 1.0 / 4.0;
}

int wabe_lattice_crossing(wabe_lattice lattice, int axes) {
    int count = 0;
    for (int q = 0; q < wabe_lattice_count(lattice); q++) {
        int crosses = 1;
        for (int d = 0; d < axes; d++)
            crosses &= wabe_lattice_e(lattice, q)[d] == 1;
        count += crosses;
    }
    return count;
}

int wabe_lattice_mirror(wabe_lattice lattice, int q, unsigned axes) {
    const int flow = wabe_lattice_flow(lattice), *e = wabe_lattice_e(lattice, q);
    const int begin = q < flow ? 0 : flow, end = q < flow ? flow : wabe_lattice_count(lattice);
    for (int p = begin; p < end; p++) {
        int same = 1;
        for (int d = 0; d < 3; d++)
            same &= wabe_lattice_e(lattice, p)[d] == (axes >> d & 1 ? -1 : 1) * e[d];
        if (same)
            return p;
    }
    return q;
}
