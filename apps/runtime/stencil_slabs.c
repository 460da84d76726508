#include "apps/runtime/stencil_slabs.h"

#include "apps/runtime/kernels.h"

#include <stdlib.h>
#include <string.h>

static wabe_status create(void *context, int number, const wabe_component *component,
                          const wabe_domain_place *place, wabe_domain_slab *out) {
    wabe_grid_slabs *slabs = context;
    wabe_grid_model model = slabs->model;
    memcpy(model.wraps, place->wraps, sizeof model.wraps);
    WABE_TRY(wabe_grid_create(wabe_kernels(), component, &model, place->box, place->inner,
                              &slabs->list[number]));
    *out = (wabe_domain_slab){slabs->list[number]->kernel, &slabs->list[number]->timeline};
    return slabs->furnish(slabs->context, slabs->list[number]);
}

static void describe(void *context, int number, wabe_crossing crossings[],
                     wabe_exchange_data *out) {
    const wabe_grid_slab *s = ((wabe_grid_slabs *)context)->list[number];
    const bool edges = wabe_grid_needs_edges(&s->model);
    int layers[3];
    for (int axis = 0; axis < 3; axis++) {
        layers[axis] = s->wraps[axis] ? 0 : wabe_grid_halo(&s->model);
        if (!edges && layers[axis] > 0)
            crossings[out->crossing_count++] = wabe_crossing_layers(&s->layout, axis, layers[axis]);
    }
    if (edges)
        crossings[out->crossing_count++] = wabe_crossing_around(&s->layout, layers);
    out->pack = s->pack;
    out->unpack = s->unpack;
    out->layout = s->layout;
    out->field[0] = s->fields[1]->data; /* what step 0 has written */
    out->field[1] = s->fields[0]->data;
    out->stream = s->timeline.streams[WABE_REGION_OUTER];
}

static void schedule(void *context, int slab_count, wabe_schedule *out) {
    wabe_grid_schedule(slab_count, ((wabe_grid_slabs *)context)->list, out);
}

wabe_domain_slabs wabe_grid_slabs_of_domain(wabe_grid_slabs *slabs) {
    return (wabe_domain_slabs){slabs, create, describe, schedule};
}

void wabe_grid_slabs_destroy(wabe_grid_slabs *slabs) {
    for (int i = 0; i < WABE_SLABS_MAX; i++) {
        if (slabs->release && slabs->list[i])
            slabs->release(slabs->context, slabs->list[i]);
        wabe_grid_destroy(&slabs->list[i]);
    }
}

static wabe_status read_slab(const void *context, int number, wabe_box box, double *values) {
    return wabe_grid_read(((const wabe_grid_slabs *)context)->list[number], box, values);
}

wabe_values wabe_grid_slabs_values(const wabe_grid_slabs *slabs) {
    return (wabe_values){.context = slabs, .rows = 1, .read = read_slab};
}

wabe_status wabe_grid_slabs_read(const wabe_grid_slabs *slabs, const wabe_domain *domain,
                                 wabe_box box, wabe_type type, void *out) {
    const wabe_values v = wabe_grid_slabs_values(slabs);
    const int64_t count = wabe_box_cells(box);
    if (type == WABE_TYPE_f64)
        return wabe_domain_read(domain, &v, box, out);
    double *values = malloc((size_t)count * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for the values of %lld cells", (long long)count);
    const wabe_status status = wabe_domain_read(domain, &v, box, values);
    for (int64_t i = 0; i < count && status == WABE_OK; i++)
        ((float *)out)[i] = (float)values[i];
    free(values);
    return status;
}

wabe_status wabe_grid_slabs_initialise(const wabe_grid_slabs *slabs, wabe_grid_values values,
                                       const void *context) {
    for (int i = 0; i < WABE_SLABS_MAX; i++)
        if (slabs->list[i])
            WABE_TRY(wabe_grid_initialise(slabs->list[i], values, context));
    return WABE_OK;
}

void wabe_grid_slabs_set_steps(const wabe_grid_slabs *slabs, int steps) {
    for (int i = 0; i < WABE_SLABS_MAX; i++)
        if (slabs->list[i])
            slabs->list[i]->steps = steps;
}
