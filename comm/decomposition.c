#include "comm/decomposition.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* A face normal to x loads a cache line per cell: eight numbers in f64, assumed for all types. */
enum { LINE = 8 };

/* Cells of the faces between blocks, to which the exchanged bytes are proportional, weighted by the
 * cost of their memory accesses. */
static int64_t crossing_cells(const wabe_decomposition *d) {
    int64_t sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t area = d->cells[(axis + 1) % 3] * d->cells[(axis + 2) % 3];
        const int64_t p = d->processes[axis];
        sum += area * (p - 1 + (p > 1 && d->periodic[axis])) * (axis == 0 ? LINE : 1);
    }
    return sum;
}

/* How many blocks an axis can be cut into at most. */
static int64_t most_along(const wabe_decomposition *d, int axis) {
    return d->cells[axis] / d->grain[axis];
}

static bool fits(const wabe_decomposition *d) {
    for (int axis = 0; axis < 3; axis++)
        if (d->processes[axis] > most_along(d, axis))
            return false;
    return true;
}

static wabe_status no_grid(const wabe_decomposition *d, const int64_t asked[3], int size) {
    char text[3][24];
    int64_t most = 1;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t fit = most_along(d, axis);
        most *= asked[axis] > 0 && asked[axis] < fit ? asked[axis] : fit;
        if (asked[axis] > 0)
            snprintf(text[axis], sizeof text[axis], "%lld", (long long)asked[axis]);
        else
            strcpy(text[axis], "any");
    }
    return WABE_FAIL(
        WABE_INPUT,
        "no process grid [%s, %s, %s] of %d processes fits %lld x %lld x %lld cells: "
        "its product must be %d, with %lld x %lld x %lld cells or more for each process; "
        "no more than %lld processes fit",
        text[0], text[1], text[2], size, (long long)d->cells[0], (long long)d->cells[1],
        (long long)d->cells[2], size, (long long)d->grain[0], (long long)d->grain[1],
        (long long)d->grain[2], (long long)most);
}

wabe_status wabe_decomposition_make(const int64_t cells[3], const bool periodic[3],
                                    const int64_t *grain, const int64_t processes[3], int size,
                                    wabe_decomposition *out) {
    wabe_decomposition trial = {0};
    for (int axis = 0; axis < 3; axis++)
        trial.grain[axis] = grain && grain[axis] > 0 ? grain[axis] : 1;
    memcpy(trial.cells, cells, sizeof trial.cells);
    memcpy(trial.periodic, periodic, sizeof trial.periodic);
    int64_t least = -1;
    /* With few processes along x first, the first best grid is cut along z, then y. */
    for (int px = 1; px <= size; px++) {
        if (size % px != 0 || (processes[0] > 0 && px != processes[0]))
            continue;
        for (int py = 1; py <= size / px; py++) {
            const int pz = size / px / py;
            if (px * py * pz != size || (processes[1] > 0 && py != processes[1]) ||
                (processes[2] > 0 && pz != processes[2]))
                continue;
            memcpy(trial.processes, (int[3]){px, py, pz}, sizeof trial.processes);
            if (fits(&trial) && (least < 0 || crossing_cells(&trial) < least)) {
                least = crossing_cells(&trial);
                *out = trial;
            }
        }
    }
    return least < 0 ? no_grid(&trial, processes, size) : WABE_OK;
}

/* The plane below which the weight is closest to the wanted one. */
static int64_t plane_for(const int64_t *below, int64_t planes, double wanted) {
    int64_t z = 0;
    while (z < planes && (double)below[z] < wanted)
        z++;
    if (z > 0 && wanted - (double)below[z - 1] < (double)below[z] - wanted)
        z--;
    return z;
}

void wabe_decomposition_share(const int64_t *weights, int64_t planes, int count,
                              const double *rates, int64_t *cuts) {
    double sum = 0.0, part = 0.0;
    for (int i = 0; i < count; i++)
        sum += rates[i];
    cuts[0] = 0;
    for (int i = 0; i < count; i++) {
        part += rates[i];
        const int64_t wanted = plane_for(weights, planes, (double)weights[planes] * part / sum);
        const int64_t least = cuts[i] + 1, most = planes - (count - 1 - i);
        const int64_t end = wanted > least ? wanted : least;
        cuts[i + 1] = i == count - 1 ? planes : end < most ? end : most;
    }
}

wabe_box wabe_decomposition_block(const wabe_decomposition *d, int rank) {
    const int *p = d->processes;
    const int place[3] = {rank % p[0], rank / p[0] % p[1], rank / p[0] / p[1]};
    wabe_box box;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t grains = most_along(d, axis);
        box.begin[axis] = grains * place[axis] / p[axis] * d->grain[axis];
        box.end[axis] = grains * (place[axis] + 1) / p[axis] * d->grain[axis];
    }
    if (d->cuts) {
        box.begin[2] = d->cuts[place[2]];
        box.end[2] = d->cuts[place[2] + 1];
    }
    return box;
}

int wabe_decomposition_neighbour(const wabe_decomposition *d, int rank, int axis, int step,
                                 bool wraps) {
    const int stride = axis == 0 ? 1 : d->processes[0] * (axis == 1 ? 1 : d->processes[1]);
    const int count = d->processes[axis], place = rank / stride % count;
    const int to = (place + step + count) % count;
    return to == place + step || wraps ? rank + (to - place) * stride : MPI_PROC_NULL;
}
