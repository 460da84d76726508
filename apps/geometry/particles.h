/* Lists of particles: regular arrays of spheres, and spheres of a file. */
#pragma once

#include "core/geometry/geometry.h"

#include <stdint.h>

typedef enum {
    WABE_ARRAY_SIMPLE_CUBIC,
    WABE_ARRAY_BODY_CENTRED,
    WABE_ARRAY_FACE_CENTRED
} wabe_array;

/* Particles; to be freed. */
typedef struct {
    int count;
    wabe_object *list; /* spheres, and cylinders with or without a bore */
} wabe_particles;

/* Spheres of a cubic array with this lattice constant (cells) that touch the box of a domain of
 * these cells; the first sphere's centre is the middle of the first cube (simple cubic) or its
 * corner. Spheres may overlap. WABE_INPUT: a length that is not positive, too many spheres;
 * WABE_MEMORY. Local. */
wabe_status wabe_particles_array(wabe_array array, double constant, double radius,
                                 const int64_t cells[3], wabe_particles *out);

/* Spheres of a CSV file with lines x, y, z, radius (cells; blank lines, lines that begin with #,
 * and one heading are passed over). WABE_INPUT: a line that is none (with file and line), no
 * sphere; WABE_FILE, WABE_MEMORY. Local. */
wabe_status wabe_particles_read(const char *file, wabe_particles *out);

void wabe_particles_free(wabe_particles *particles);
