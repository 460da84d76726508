/* Particles by bins of the domain's cells, to find those near a cell among many. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

struct wabe_object;

typedef struct wabe_particle_bins {
    double size;     /* cells of a bin along each axis */
    int64_t bins[3]; /* of the domain */
    int64_t *first;  /* by bin: its first one in particles; one more */
    int32_t *particles;
} wabe_particle_bins;

/* Makes the bins of a domain of this size. To be freed with wabe_particle_bins_free. WABE_MEMORY.
 * Local. */
wabe_status wabe_particle_bins_make(const struct wabe_object *particles, int count,
                                    const int64_t cells[3], wabe_particle_bins *out);
void wabe_particle_bins_free(wabe_particle_bins *bins);

/* Returns the bin that a cell lies in, or, of one outside the domain, the nearest bin. Local. */
int64_t wabe_particle_bins_at(const wabe_particle_bins *bins, const int64_t cell[3]);
