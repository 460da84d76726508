#include "sweeps/cell/lattice.h"

const int wabe_lattice_e[WABE_Q][3] = {
#define X(name, cx, cy, cz, weight) {cx, cy, cz},
    WABE_D3Q19(X)
#undef X
};

const double wabe_lattice_w[WABE_Q] = {
#define X(name, cx, cy, cz, weight) weight,
    WABE_D3Q19(X)
#undef X
};

int wabe_lattice_mirror(int q, unsigned axes) {
    for (int p = 0; p < WABE_Q; p++) {
        int same = 1;
        for (int d = 0; d < 3; d++)
            same &= wabe_lattice_e[p][d] == (axes >> d & 1 ? -1 : 1) * wabe_lattice_e[q][d];
        if (same)
            return p;
    }
    return q;
}
