/* Lists of particles: regular arrays of spheres, and spheres from a file. */
#pragma once

#include "core/geometry/geometry.h"

#include <stdint.h>

typedef enum {
    WABE_ARRAY_SIMPLE_CUBIC,
    WABE_ARRAY_BODY_CENTRED,
    WABE_ARRAY_FACE_CENTRED
} wabe_array;

/* To be freed with wabe_particles_free. */
typedef struct {
    int count;
    wabe_object *list; /* spheres, and cylinders with or without a bore */
} wabe_particles;

/* Makes the spheres of a cubic array with this lattice constant (in cells) that touch the box of a
 * domain of this size. The centre of the first sphere is the centre (simple cubic) or the corner
 * (others) of the first unit cell. Spheres may overlap. WABE_INPUT: a length that is not positive,
 * too many spheres; WABE_MEMORY. Local. */
wabe_status wabe_particles_array(wabe_array array, double constant, double radius,
                                 const int64_t cells[3], wabe_particles *out);

/* Reads spheres from a CSV file with lines x, y, z, radius (in cells); skips blank lines, lines
 * that begin with #, and one heading. WABE_INPUT: a malformed line (with file and line), no sphere;
 * WABE_FILE, WABE_MEMORY. Local. */
wabe_status wabe_particles_read(const char *file, wabe_particles *out);

void wabe_particles_free(wabe_particles *particles);
