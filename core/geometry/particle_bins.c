#include "core/geometry/particle_bins.h"

#include "core/geometry/geometry.h"

#include <math.h>
#include <stdlib.h>

/* The bin along an axis of a place, or the nearest one. */
static int64_t bin_along(const wabe_particle_bins *b, int axis, double place) {
    const double at = floor(place / b->size), last = (double)(b->bins[axis] - 1);
    return (int64_t)fmin(fmax(at, 0.0), last);
}

static int64_t bin_of(const wabe_particle_bins *b, int64_t x, int64_t y, int64_t z) {
    return x + b->bins[0] * (y + b->bins[1] * z);
}

int64_t wabe_particle_bins_at(const wabe_particle_bins *b, const int64_t cell[3]) {
    int64_t at[3];
    for (int d = 0; d < 3; d++)
        at[d] = bin_along(b, d, (double)cell[d] + 0.5);
    return bin_of(b, at[0], at[1], at[2]);
}

/* Enters a particle in the bins that it may reach; the first time bins only count: next[bin]. */
static void enter(const wabe_particle_bins *b, const wabe_object *particle, int number,
                  int64_t *next, int32_t *particles) {
    const wabe_box box = wabe_geometry_object_box(particle);
    int64_t low[3], high[3];
    for (int d = 0; d < 3; d++) {
        low[d] = bin_along(b, d, (double)box.begin[d]);
        high[d] = bin_along(b, d, (double)box.end[d]);
    }
    for (int64_t z = low[2]; z <= high[2]; z++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t x = low[0]; x <= high[0]; x++) {
                const int64_t place = next[bin_of(b, x, y, z)]++;
                if (particles)
                    particles[place] = number;
            }
}

static wabe_status fill(const wabe_object *list, int count, int64_t bins, wabe_particle_bins *b) {
    for (int k = 0; k < count; k++)
        enter(b, &list[k], k, b->first + 1, NULL);
    for (int64_t i = 0; i < bins; i++)
        b->first[i + 1] += b->first[i];
    b->particles = malloc((size_t)(b->first[bins] + 1) * sizeof *b->particles);
    WABE_CHECK(b->particles, WABE_MEMORY, "no memory to find %d particles", count);
    for (int k = 0; k < count; k++)
        enter(b, &list[k], k, b->first, b->particles);
    for (int64_t i = bins; i > 0; i--) /* each has moved to the end of its bin */
        b->first[i] = b->first[i - 1];
    b->first[0] = 0;
    return WABE_OK;
}

wabe_status wabe_particle_bins_make(const wabe_object *particles, int count, const int64_t cells[3],
                                    wabe_particle_bins *out) {
    const double volume = (double)cells[0] * (double)cells[1] * (double)cells[2];
    int64_t bins = 1;
    *out = (wabe_particle_bins){.size = fmax(1.0, cbrt(volume / fmax(1.0, count)))};
    for (int d = 0; d < 3; d++) {
        out->bins[d] = 1 + (int64_t)((double)(cells[d] - 1) / out->size);
        bins *= out->bins[d];
    }
    out->first = calloc((size_t)bins + 1, sizeof *out->first);
    WABE_CHECK(out->first, WABE_MEMORY, "no memory to find %d particles", count);
    return fill(particles, count, bins, out);
}

void wabe_particle_bins_free(wabe_particle_bins *bins) {
    free(bins->first);
    free(bins->particles);
    *bins = (wabe_particle_bins){0};
}
