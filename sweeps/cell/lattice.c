#include "sweeps/cell/lattice.h"

WABE_ENUM_DEFINE(lattice, WABE_LATTICES)

#define X(lattice, count, ...)                                                                     \
    _Static_assert((count) <= WABE_Q_MAX, "WABE_Q_MAX is that of the largest lattice");
WABE_LATTICE_ROWS(X, )
#undef X

const int wabe_lattice_e[WABE_Q_MAX][3] = {
#define X(name, cx, cy, cz, class) {cx, cy, cz},
    WABE_POPULATIONS_d3q27(X)
#undef X
};

int wabe_lattice_count(wabe_lattice lattice) {
#define X(word, count, ...) [WABE_LATTICE_##word] = (count),
    static const int counts[WABE_LATTICE_end] = {WABE_LATTICE_ROWS(X, )};
#undef X
    return counts[lattice];
}

double wabe_lattice_weight(wabe_lattice lattice, int q) {
#define X(word, count, ...)                                                                        \
    [WABE_LATTICE_##word] = {WABE_WEIGHT_rest_##word, WABE_WEIGHT_axis_##word,                     \
                             WABE_WEIGHT_diagonal_##word, WABE_WEIGHT_corner_##word},
    static const double weights[WABE_LATTICE_end][4] = {WABE_LATTICE_ROWS(X, )};
#undef X
    const int *e = wabe_lattice_e[q];
    return weights[lattice][e[0] * e[0] + e[1] * e[1] + e[2] * e[2]];
}

int wabe_lattice_crossing(wabe_lattice lattice, int axes) {
    int count = 0;
    for (int q = 0; q < wabe_lattice_count(lattice); q++) {
        int crosses = 1;
        for (int d = 0; d < axes; d++)
            crosses &= wabe_lattice_e[q][d] == 1;
        count += crosses;
    }
    return count;
}

int wabe_lattice_mirror(int q, unsigned axes) {
    for (int p = 0; p < WABE_Q_MAX; p++) {
        int same = 1;
        for (int d = 0; d < 3; d++)
            same &= wabe_lattice_e[p][d] == (axes >> d & 1 ? -1 : 1) * wabe_lattice_e[q][d];
        if (same)
            return p;
    }
    return q;
}
