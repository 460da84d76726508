#include "apps/runtime/stencil_slabs.h"

#include "apps/runtime/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static wabe_status create(void *context, int number, const wabe_component *component,
                          const wabe_domain_place *place, wabe_domain_slab *out) {
    wabe_grid_slabs *slabs = context;
    wabe_grid_model model = slabs->model;
    memcpy(model.wraps, place->wraps, sizeof model.wraps);
    WABE_TRY(wabe_grid_create(wabe_kernels(), component, &model, place->box, place->inner,
                              &slabs->list[number]));
    *out = (wabe_domain_slab){slabs->list[number]->kernels[0], &slabs->list[number]->timeline};
    return slabs->fill ? slabs->fill(slabs->context, slabs->list[number]) : WABE_OK;
}

/* ---- exchanges ---------------------------------------------------------------------- */

/* Whole layers of all components. */
static void link_layers(const wabe_layout *l, const int layers[3], bool edges,
                        wabe_exchange_field *out) {
    for (int axis = 0; axis < 3 && !edges; axis++)
        if (layers[axis] > 0)
            out->halo_links[out->halo_link_count++] = wabe_halo_link_layers(l, axis, layers[axis]);
    if (edges)
        out->halo_links[out->halo_link_count++] = wabe_halo_link_around(l, layers);
}

_Static_assert((int)WABE_GRID_ACCESSES_MAX <= (int)WABE_EXCHANGE_FIELDS_MAX,
               "an exchange has room for all fields that a sweep writes");
_Static_assert((int)WABE_GRID_VELOCITIES_MAX <= (int)WABE_HALO_LINKS_MAX,
               "an exchange has a link for each component with a velocity");

/* Each component by itself, to the cells that its velocity takes it to. They read it from the cell
 * that it comes from, so ghosts are those of its own place. */
static void link_components(const wabe_layout *l, const int layers[3],
                            const wabe_grid_field_row *row, wabe_exchange_field *out) {
    for (int q = 0; q < row->components; q++) {
        wabe_halo_link link = {.e = {0}};
        for (int axis = 0; axis < 3; axis++)
            link.e[axis] = layers[axis] * row->velocities[q][axis];
        if (!link.e[0] && !link.e[1] && !link.e[2])
            continue;
        link.out[0] = link.out[1] = q * l->stride;
        link.in[0] = link.in[1] = q * l->stride -
                                  wabe_layout_cell(l, link.e[0], link.e[1], link.e[2]);
        out->halo_links[out->halo_link_count++] = link;
    }
}

static void describe_field(const wabe_grid_slab *s, int field, int layers, bool edges,
                           wabe_exchange_field *out) {
    const wabe_grid_field_row *row = &s->model.fields[field];
    const wabe_layout *l = &s->layouts[field];
    int each[3];
    for (int axis = 0; axis < 3; axis++)
        each[axis] = s->wraps[axis] || l->flat[axis] ? 0 : layers;
    if (row->velocities)
        link_components(l, each, row, out);
    else
        link_layers(l, each, edges, out);
    out->pack = s->pack[row->type];
    out->unpack = s->unpack[row->type];
    out->layout = *l;
    out->at = row->at;
    out->grid = &s->exchanged[field];
    out->copies = row->velocities ? 1 : row->components;
}

static void describe(void *context, int number, int exchange, wabe_exchange_data *out) {
    const wabe_grid_slab *s = ((wabe_grid_slabs *)context)->list[number];
    const wabe_grid_plan plan = wabe_grid_plan_of(&s->model);
    const wabe_grid_exchange *x = &plan.exchanges[exchange];
    for (int i = 0; i < x->field_count; i++)
        describe_field(s, x->fields[i].field, x->fields[i].layers, x->fields[i].edges,
                       &out->fields[out->field_count++]);
}

static void find_halvings(const void *context, int exchange, int out[3]) {
    const wabe_grid_model *m = &((const wabe_grid_slabs *)context)->model;
    const wabe_grid_plan plan = wabe_grid_plan_of(m);
    for (int axis = 0; axis < 3; axis++)
        out[axis] = wabe_grid_halvings(m, axis,
                                       wabe_grid_level_of(m, plan.exchanges[exchange].sweep));
}

/* ---- steps -------------------------------------------------------------------------- */

/* NAN: out of memory. Collective. */
static double reduce_all(const wabe_grid_slabs *slabs, int reduction) {
    const wabe_reduction operation = slabs->model.reductions[reduction].operation;
    const double neutral = wabe_reduction_neutral(operation);
    double bins[WABE_BINS] = {neutral, neutral, neutral};
    wabe_status status = WABE_OK;
    for (int i = 0; i < WABE_SLABS_MAX && status == WABE_OK; i++)
        if (slabs->list[i])
            status = wabe_grid_reduce(slabs->list[i], reduction, bins);
    if (wabe_agree(slabs->comm, status) != WABE_OK)
        return NAN;
    MPI_Allreduce(MPI_IN_PLACE, bins, WABE_BINS, MPI_DOUBLE,
                  operation == WABE_REDUCE_SUM   ? MPI_SUM
                  : operation == WABE_REDUCE_MIN ? MPI_MIN
                                                 : MPI_MAX,
                  slabs->comm);
    return operation == WABE_REDUCE_SUM ? wabe_bins_value(bins) : bins[0];
}

double wabe_grid_slabs_reduce(wabe_grid_slabs *slabs, int reduction) {
    slabs->values[reduction] = reduce_all(slabs, reduction);
    return slabs->values[reduction];
}

static void reduce(void *context, int reduction) { wabe_grid_slabs_reduce(context, reduction); }

static bool again(void *context, int loop, const wabe_position *position) {
    const wabe_grid_slabs *slabs = context;
    const wabe_grid_loop_row *row = &slabs->model.loops[loop];
    return row->again(row->context, position, slabs->values);
}

static void schedule(void *context, int slab_count, wabe_schedule *out) {
    const wabe_grid_control control = {context, reduce, again};
    wabe_grid_schedule(slab_count, ((wabe_grid_slabs *)context)->list, &control, out);
}

wabe_domain_slabs wabe_grid_slabs_of_domain(MPI_Comm comm, wabe_grid_slabs *slabs) {
    slabs->comm = comm;
    const bool streamed = slabs->model.residency.memory > 0; /* slabs have ghost planes */
    return (wabe_domain_slabs){slabs,         streamed ? 0 : wabe_grid_plan_of(&slabs->model).count,
                               create,        describe,
                               find_halvings, schedule};
}

void wabe_grid_slabs_destroy(wabe_grid_slabs *slabs) {
    for (int i = 0; i < WABE_SLABS_MAX; i++)
        wabe_grid_destroy(&slabs->list[i]);
}

void wabe_grid_slabs_set_steps(const wabe_grid_slabs *slabs, int64_t step, int steps) {
    for (int i = 0; i < WABE_SLABS_MAX; i++)
        if (slabs->list[i]) {
            slabs->list[i]->step = step;
            slabs->list[i]->steps = steps;
        }
}

/* ---- values ------------------------------------------------------------------------- */

static wabe_status read_number(const void *context, int slab, wabe_box box, double *values) {
    const wabe_grid_slabs_number *of = context;
    return wabe_grid_read_field(of->slabs->list[slab], of->at.field, of->at.component, box, values);
}

static wabe_status read_all(const void *context, int slab, wabe_box box, double *values) {
    const wabe_grid_slabs *slabs = context;
    wabe_grid_number numbers[WABE_GRID_NUMBERS_MAX];
    const int count = wabe_grid_numbers(&slabs->model, numbers);
    for (int i = 0; i < count; i++, values += wabe_box_cells(box))
        WABE_TRY(read_number(&(wabe_grid_slabs_number){slabs, numbers[i]}, slab, box, values));
    return WABE_OK;
}

wabe_values wabe_grid_slabs_values(const wabe_grid_slabs *slabs) {
    wabe_grid_number numbers[WABE_GRID_NUMBERS_MAX];
    return (wabe_values){slabs, wabe_grid_numbers(&slabs->model, numbers), read_all};
}

wabe_values wabe_grid_slabs_values_of(const wabe_grid_slabs_number *number) {
    return (wabe_values){number, 1, read_number};
}

wabe_status wabe_grid_slabs_read(const wabe_grid_slabs_number *number, const wabe_domain *domain,
                                 wabe_box box, wabe_type type, void *out) {
    const wabe_values v = wabe_grid_slabs_values_of(number);
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

typedef struct {
    wabe_grid_state_values values;
    const void *context;
    int number;
} row_source;

static wabe_status number_row(const void *context, const int64_t cell[3], int64_t count,
                              double *row) {
    const row_source *s = context;
    return s->values(s->context, s->number, cell, count, row);
}

wabe_status wabe_grid_slabs_initialise(wabe_grid_slabs *slabs, wabe_grid_state_values values,
                                       const void *context) {
    wabe_grid_number state[WABE_GRID_NUMBERS_MAX];
    const int count = wabe_grid_state(&slabs->model, state);
    memset(slabs->values, 0, sizeof slabs->values); /* no step has been done */
    for (int i = 0; i < WABE_SLABS_MAX; i++) {
        if (!slabs->list[i])
            continue;
        WABE_TRY(wabe_grid_reset(slabs->list[i]));
        for (int k = 0; k < count; k++)
            WABE_TRY(wabe_grid_set(slabs->list[i], state[k].field, state[k].component, number_row,
                                   &(row_source){values, context, k}));
    }
    return WABE_OK;
}
