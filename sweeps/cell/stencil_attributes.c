#include "sweeps/cell/stencil_attributes.h"

static int list(const void *attributes, wabe_kernel_attribute *out) {
    const wabe_stencil_attributes *a = attributes;
    char depth[16], by[16];
    snprintf(depth, sizeof depth, "%d", a->depth);
    snprintf(by, sizeof by, "%d", a->wraps_by);
    int n = wabe_kernel_attribute_add(out, 0, "depth", depth);
    n = wabe_kernel_attribute_add(out, n, "items",
                                  a->tiles     ? "tiles"
                                  : a->marches ? "strips"
                                               : "rows");
    return wabe_kernel_attribute_add(out, n, "wraps_by", a->wraps_by ? by : NULL);
}

const wabe_kernel_family wabe_stencil_family = {.name = "stencil", .list = list};

const wabe_stencil_attributes *wabe_stencil_attributes_of(const wabe_kernel *kernel) {
    static const wabe_stencil_attributes none = {.depth = 1};
    return kernel->attributes ? kernel->attributes : &none;
}
