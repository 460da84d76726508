#include "sweeps/cell/lbm_attributes.h"

#include "core/geometry/boundary.h"

WABE_ENUM_DEFINE(collision_operator, WABE_COLLISIONS)
WABE_ENUM_DEFINE(streaming, WABE_STREAMINGS)

unsigned wabe_lbm_moments_of(wabe_lattice lattice) {
#define OPERATOR(op, ...) | 1u << WABE_COLLISION_##op
#define LATTICE(word, ...) [WABE_LATTICE_##word] = 0u WABE_LBM_MOMENTS(word, OPERATOR, ),
    static const unsigned operators[WABE_LATTICE_end] = {WABE_LATTICE_ROWS(LATTICE, )};
#undef LATTICE
#undef OPERATOR
    return operators[lattice];
}

unsigned wabe_lbm_operators_of(wabe_lattice lattice) {
#define OPERATOR(op, ...) | 1u << WABE_COLLISION_##op
#define LATTICE(word, ...) [WABE_LATTICE_##word] = 0u WABE_LBM_OPERATORS_##word(OPERATOR, ),
    static const unsigned operators[WABE_LATTICE_end] = {WABE_LATTICE_ROWS(LATTICE, )};
#undef LATTICE
#undef OPERATOR
    return operators[lattice] | wabe_lbm_moments_of(lattice);
}

unsigned wabe_lbm_patterns_of(wabe_lattice lattice) {
#define PATTERN(pattern, ...) | 1u << WABE_STREAMING_##pattern
#define LATTICE(word, ...) [WABE_LATTICE_##word] = 0u WABE_LBM_PATTERNS_##word(PATTERN, ),
    static const unsigned patterns[WABE_LATTICE_end] = {WABE_LATTICE_ROWS(LATTICE, )};
#undef LATTICE
#undef PATTERN
    const unsigned moments = 1u << WABE_STREAMING_moments;
    return patterns[lattice] | (wabe_lbm_moments_of(lattice) ? moments : 0);
}

static bool differ(int has, int wanted) { return has && wanted && has != wanted; }

static const char *objection(const void *of_row, const void *of_slab) {
    const wabe_lbm_attributes *has = of_row, *wanted = of_slab;
    if (differ((int)has->lattice, (int)wanted->lattice))
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
    int n = wabe_kernel_attribute_add(out, 0, "lattice",
                                      a->lattice ? wabe_lattice_word(a->lattice) : NULL);
    n = wabe_kernel_attribute_add(out, n, "collision",
                                  a->collision ? wabe_collision_operator_word(a->collision) : NULL);
    n = wabe_kernel_attribute_add(out, n, "streaming",
                                  a->streaming ? wabe_streaming_word(a->streaming) : NULL);
    return wabe_kernel_attribute_add(out, n, "treats", a->treats ? treats : NULL);
}

const wabe_kernel_family wabe_lbm_family = {"lattice Boltzmann", objection, list};
