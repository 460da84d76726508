#include "sweeps/cell/lbm_attributes.h"

#include "core/geometry/boundary.h"

#include <string.h>

WABE_ENUM_DEFINE(collision_operator, WABE_COLLISIONS)
WABE_ENUM_DEFINE(streaming, WABE_STREAMINGS)

static bool differ(int has, int wanted) { return has && wanted && has != wanted; }

static const char *objection(const void *of_row, const void *of_slab) {
    const wabe_lbm_attributes *has = of_row, *wanted = of_slab;
    if (has->lattice && wanted->lattice && strcmp(has->lattice, wanted->lattice) != 0)
        return "another lattice";
    if (differ((int)has->collision, (int)wanted->collision))
        return "another collision operator";
    if (differ((int)has->streaming, (int)wanted->streaming))
        return "another streaming pattern";
    if ((has->treats & wanted->treats) != wanted->treats)
        return "does not treat all boundaries of the case";
    return NULL;
}

static void write_boundaries(unsigned kinds, char *word, size_t size) {
    size_t used = 0;
    word[0] = '\0';
    for (int b = WABE_BOUNDARY_any + 1; b < WABE_BOUNDARY_end && used < size; b++)
        if (kinds >> b & 1)
            used += (size_t)snprintf(word + used, size - used, "%s%s", used ? "," : "",
                                     wabe_boundary_word((wabe_boundary)b));
}

static int list(const void *attributes, wabe_kernel_attribute *out) {
    const wabe_lbm_attributes *a = attributes;
    char treats[sizeof out->word];
    write_boundaries(a->treats, treats, sizeof treats);
    int n = wabe_kernel_attribute_add(out, 0, "lattice", a->lattice);
    n = wabe_kernel_attribute_add(out, n, "collision",
                                  a->collision ? wabe_collision_operator_word(a->collision) : NULL);
    n = wabe_kernel_attribute_add(out, n, "streaming",
                                  a->streaming ? wabe_streaming_word(a->streaming) : NULL);
    return wabe_kernel_attribute_add(out, n, "treats", a->treats ? treats : NULL);
}

const wabe_kernel_family wabe_lbm_family = {"lattice Boltzmann", objection, list};
