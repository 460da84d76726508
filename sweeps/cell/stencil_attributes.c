#include "sweeps/cell/stencil_attributes.h"

static const char *objection(const void *of_row, const void *of_slab) {
    const wabe_stencil_attributes *has = of_row, *wanted = of_slab;
    return wanted->depth > has->depth ? "fewer time steps of a pass" : NULL;
}

static int list(const void *attributes, wabe_kernel_attribute *out) {
    const wabe_stencil_attributes *a = attributes;
    out[0].key = "depth";
    snprintf(out[0].word, sizeof out[0].word, "%d", a->depth);
    out[1].key = "items";
    snprintf(out[1].word, sizeof out[1].word, "%s", a->tiles ? "tiles" : "rows");
    out[2].key = "wraps_by";
    snprintf(out[2].word, sizeof out[2].word, "%d", a->wraps_by);
    return a->wraps_by ? 3 : 2;
}

const wabe_kernel_family wabe_stencil_family = {"stencil", objection, list};

const wabe_stencil_attributes *wabe_stencil_of(const wabe_kernel *kernel) {
    static const wabe_stencil_attributes none = {.depth = 1};
    return kernel->attributes ? kernel->attributes : &none;
}
