#include "apps/lbm/simulation.h"

#include "apps/runtime/kernels.h"
#include "core/base/sum_over_ranks.h"
#include "sweeps/cell/lattice.h"

#include <stdlib.h>
#include <string.h>

enum { FLOW_MOMENTS = 4 }; /* without the scalar */
_Static_assert(WABE_Q_MAX - 1 <= WABE_HALO_LINKS_MAX, "an exchange has room for all");

/* ---- set-up ------------------------------------------------------------------------- */

static void make_halo_links(const wabe_lbm_slab *lbm, wabe_halo_link halo_links[]) {
    for (int q = 1; q <= wabe_lattice_moving(lbm->model.lattice); q++) {
        wabe_halo_link *c = &halo_links[q - 1];
        *c = (wabe_halo_link){.reach = {0}};
        memcpy(c->e, wabe_lattice_e(lbm->model.lattice, q), sizeof c->e);
        /* Written by the step of this parity, read by the next one. */
        for (int parity = 0; parity < 2; parity++) {
            c->out[parity] = lbm->offsets.out[parity][q];
            c->in[parity] = lbm->offsets.in[1 - parity][q];
        }
    }
}

static uint32_t place_of(const void *lbm, const int64_t cell[3], int halo_link, int parity,
                         bool sending) {
    return wabe_lbm_place(lbm, cell, halo_link + 1, parity, sending);
}

static void describe_slab(void *context, int slab, int exchange, wabe_exchange_data *out) {
    const wabe_simulation *s = context;
    const wabe_lbm_slab *lbm = s->slabs[slab];
    wabe_exchange_field *field = &out->fields[out->field_count++];
    (void)exchange; /* there is only one */
    field->pack = lbm->kernels[WABE_LBM_PACK];
    field->unpack = lbm->kernels[WABE_LBM_UNPACK];
    field->layout = lbm->stored;
    field->grid = &lbm->exchanged;
    if (lbm->form != WABE_STATE_POPULATIONS) {
        field->halo_links[0] = wabe_halo_link_around(&lbm->stored, lbm->moments.marching.ghosts);
        field->halo_link_count = lbm->passes.in_use ? 0 : 1;
        field->copies = WABE_MOMENTS;
        if (lbm->component->device && !lbm->driver.window) {
            field->grids[0] = lbm->fields[0];
            field->grids[1] = lbm->fields[1];
        }
        return;
    }
    make_halo_links(lbm, field->halo_links);
    field->halo_link_count = wabe_lattice_moving(lbm->model.lattice);
    if (lbm->passes.in_use)
        field->halo_link_count = 0; /* passes have ghost planes */
    field->copies = 1;
    field->flags = wabe_lbm_attributes_of(lbm->kernels[WABE_LBM_STREAM_COLLIDE])->wall_buffer ||
                           lbm->list
                       ? NULL
                       : &lbm->flags;
    field->place = lbm->list ? place_of : NULL;
    field->place_context = lbm;
    out->wraps = lbm->list != NULL;
}

static wabe_status create_slab(void *context, int slab, const wabe_component *component,
                               const wabe_domain_place *place, wabe_domain_slab *out) {
    wabe_simulation *s = context;
    WABE_TRY(wabe_lbm_create(wabe_kernels(), component, &s->options.model, &s->options.geometry,
                             place->box, place->inner, place->spans, &s->slabs[slab]));
    *out = (wabe_domain_slab){s->slabs[slab]->kernels[WABE_LBM_STREAM_COLLIDE],
                              &s->slabs[slab]->timeline};
    return WABE_OK;
}

static void schedule_slabs(void *context, int slab_count, wabe_schedule *schedule) {
    wabe_lbm_schedule(slab_count, ((wabe_simulation *)context)->slabs, schedule);
}

/* Slabs that are streamed have one neighbour above, and one below. */
static wabe_status meet_neighbours(MPI_Comm comm, wabe_simulation *s) {
    int ranks[WABE_SIDES];
    wabe_domain_ranks_beside(&s->domain, ranks);
    return s->slabs[0]->driver.window
               ? wabe_lbm_meet_neighbours(s->slabs[0], comm, ranks,
                                          s->options.transport != WABE_TRANSPORT_host)
               : WABE_OK;
}

static wabe_status create(MPI_Comm comm, const wabe_components *components, wabe_simulation *s) {
    const wabe_simulation_options *o = &s->options;
    wabe_domain_options domain = {.halo = 1,
                                  .cuts = o->cuts,
                                  .overlap = o->overlap,
                                  .communicate = o->communicate,
                                  .separate = o->separate,
                                  .exchange.transport = o->transport};
    memcpy(domain.cells, o->geometry.cells, sizeof domain.cells);
    memcpy(domain.processes, o->processes, sizeof domain.processes);
    wabe_geometry_periodic(&o->geometry, domain.periodic);
    wabe_lbm_flat(&o->geometry, domain.wraps);
    memcpy(domain.exchange.flat, domain.wraps, sizeof domain.exchange.flat);
    for (int face = 0; face < WABE_FACES && o->model.streaming != WABE_STREAMING_moments; face++)
        domain.exchange.behind_faces |= WABE_MIRRORS >> o->geometry.conditions[face].kind & 1;
    domain.exchange.beside = wabe_geometry_law(&o->geometry) != NULL;
    const wabe_domain_slabs slabs = {s, 1, create_slab, describe_slab, NULL, schedule_slabs};
    WABE_TRY(wabe_domain_create(comm, &domain, components, &slabs, &s->domain));
    s->options.overlap = s->domain.options.overlap;
    WABE_TRY(meet_neighbours(comm, s));
    wabe_status status = WABE_OK;
    for (int i = 0; i < s->domain.slab_count; i++) {
        if (o->forces && status == WABE_OK)
            status = wabe_lbm_plan_forces(s->slabs[i], &o->geometry, o->force_faces);
        wabe_lbm_forget(s->slabs[i]);
    }
    return wabe_agree(comm, status);
}

wabe_status wabe_simulation_create(MPI_Comm comm, const wabe_simulation_options *options,
                                   const wabe_components *components, wabe_simulation **out) {
    *out = NULL;
    wabe_simulation *s = calloc(1, sizeof *s);
    wabe_status status = wabe_agree_memory(comm, s, "the simulation");
    if (status == WABE_OK) {
        s->options = *options;
        status = create(comm, components, s);
    }
    if (status != WABE_OK)
        wabe_simulation_destroy(&s);
    *out = s;
    return status;
}

/* Ends the messages of slabs that are streamed. Collective. */
static void settle(const wabe_simulation *s) {
    for (int i = 0; i < s->domain.slab_count; i++)
        wabe_lbm_drain_ghosts(s->slabs[i]);
}

void wabe_simulation_destroy(wabe_simulation **simulation) {
    wabe_simulation *s = *simulation;
    if (!s)
        return;
    settle(s);
    wabe_domain_destroy(&s->domain);
    for (int i = 0; i < WABE_SLABS_MAX; i++)
        wabe_lbm_destroy(&s->slabs[i]);
    free(s);
    *simulation = NULL;
}

/* ---- steps -------------------------------------------------------------------------- */

int64_t wabe_simulation_steps(const wabe_simulation *s) {
    const wabe_lbm_slab *lbm = s->slabs[0];
    return lbm->first_step + lbm->timeline.step;
}

static void fill_ghosts(const wabe_simulation *s) {
    for (int i = 0; i < s->domain.slab_count; i++)
        wabe_lbm_fill_ghosts(s->slabs[i]);
}

static wabe_status initialise_slabs(wabe_simulation *s, wabe_lbm_initial initial,
                                    const void *context) {
    settle(s);
    for (int i = 0; i < s->domain.slab_count; i++)
        WABE_TRY(wabe_lbm_initialise(s->slabs[i], initial, context));
    return WABE_OK;
}

wabe_status wabe_simulation_initialise(wabe_simulation *s, wabe_lbm_initial initial,
                                       const void *context) {
    WABE_TRY(wabe_agree(s->domain.comm, initialise_slabs(s, initial, context)));
    fill_ghosts(s);
    wabe_domain_initialise(&s->domain);
    return WABE_OK;
}

static wabe_status restore_slabs(wabe_simulation *s, int64_t step, wabe_lbm_stored stored,
                                 void *context) {
    settle(s);
    for (int i = 0; i < s->domain.slab_count; i++)
        WABE_TRY(wabe_lbm_restore(s->slabs[i], step, stored, context));
    return WABE_OK;
}

wabe_status wabe_simulation_restore(wabe_simulation *s, int64_t step, wabe_lbm_stored stored,
                                    void *context) {
    WABE_TRY(wabe_agree(s->domain.comm, restore_slabs(s, step, stored, context)));
    fill_ghosts(s);
    wabe_domain_initialise(&s->domain);
    return WABE_OK;
}

/* Slabs are stacked along z, in the order of the values. */
wabe_status wabe_simulation_populations(const wabe_simulation *s, int q, wabe_box box,
                                        void *values) {
    const int64_t plane = wabe_box_plane_cells(box) *
                          (int64_t)wabe_type_size(s->options.model.type);
    for (int i = 0; i < s->domain.slab_count; i++) {
        const wabe_box part = wabe_box_intersect(box, s->slabs[i]->block);
        if (!wabe_box_is_empty(part))
            WABE_TRY(wabe_lbm_populations(s->slabs[i], q, part,
                                          (char *)values + (part.begin[2] - box.begin[2]) * plane));
    }
    return WABE_OK;
}

void wabe_simulation_step(wabe_simulation *s) { wabe_domain_step(&s->domain); }

/* ---- memory ------------------------------------------------------------------------- */

bool wabe_simulation_expects_list(const wabe_simulation_options *o) {
    const int populations = wabe_lattice_count(o->model.lattice);
    const double bytes = 2.0 * populations * (double)wabe_type_size(o->model.type);
    if (o->model.streaming == WABE_STREAMING_list)
        return true;
    for (int face = 0; face < WABE_FACES; face++)
        if (WABE_MIRRORS >> o->geometry.conditions[face].kind & 1)
            return false; /* lists have none */
    return o->model.list_cost_ratio > 0.0 && o->fluid_share > 0.0 &&
           o->fluid_share * (bytes + WABE_NEIGHBOURS_BYTES(populations)) *
                   o->model.list_cost_ratio <
               o->touched_share * bytes;
}

/* Populations, neighbour indices and other data of a list's fluid cells. */
static double list_bytes(const wabe_simulation_options *o, double cells, wabe_target target) {
    const double share = o->fluid_share > 0.0 ? o->fluid_share : 1.0;
    const double populations = wabe_lattice_count(o->model.lattice);
    const double numbers = populations * (double)wabe_type_size(o->model.type);
    const double runs = target == WABE_TARGET_cpu ? 4.0 * populations / WABE_TILE : 0.5;
    return cells * share * (numbers + 4.0 * populations + runs);
}

int64_t wabe_simulation_forecast(const wabe_simulation_options *options, const int64_t n[3],
                                 wabe_target target) {
    const int64_t size = (int64_t)wabe_type_size(options->model.type);
    const int64_t crossing = wabe_lattice_crossing(options->model.lattice, 1);
    bool flat[3];
    wabe_lbm_flat(&options->geometry, flat);
    int64_t faces = 0; /* across flat axes nothing goes */
    for (int d = 0; d < 3; d++)
        faces += flat[d] ? 0 : 2 * n[(d + 1) % 3] * n[(d + 2) % 3];
    const int64_t sums = n[0] * n[1] * n[2] * options->sums * (int64_t)sizeof(double);
    if (wabe_simulation_expects_list(options))
        return sums + (int64_t)list_bytes(options, (double)(n[0] * n[1] * n[2]), target) +
               crossing * faces * (size + 16);
    /* Of the populations that cross a face: one wall link each, or one number in a buffer each way.
     * Each row has up to two tiles that are not plain. */
    const int64_t rows = n[1] * n[2];
    return sums + wabe_lbm_field_bytes(&options->model, n, flat, target) + crossing * faces * size +
           rows * 2 * wabe_record_bytes(wabe_lattice_count(options->model.lattice));
}

int64_t wabe_simulation_bytes(const wabe_simulation *s) {
    int64_t bytes = 0;
    for (int i = 0; i < s->domain.exchange_count; i++)
        bytes += wabe_exchange_memory(s->domain.exchanges[i].exchange);
    for (int i = 0; i < s->domain.slab_count; i++)
        bytes += wabe_lbm_bytes(s->slabs[i]);
    return bytes;
}

/* ---- costs -------------------------------------------------------------------------- */

wabe_scaling_pass wabe_simulation_pass(const wabe_lbm_model *model) {
    wabe_scaling_pass pass = {.steps = 1, .cost = 1.0};
    for (int axes = 1; axes <= 3; axes++)
        pass.crossing[axes - 1] = model->streaming == WABE_STREAMING_moments
                                      ? WABE_MOMENTS
                                      : wabe_lattice_crossing(model->lattice, axes);
    return pass;
}

double wabe_simulation_times(wabe_lattice lattice) {
    return (double)wabe_lattice_count(lattice) / WABE_COUNT_d3q19;
}

static wabe_machine_flavour flavour_of(const wabe_simulation *s, const wabe_lbm_slab *lbm) {
    const wabe_kernel *kernel = lbm->kernels[WABE_LBM_STREAM_COLLIDE];
    const double cells = (double)wabe_box_cells(lbm->block);
    const double fluid = (double)(lbm->tiles->regions[0].cells + lbm->tiles->regions[1].cells);
    const double touched = s->options.touched_share > 0.0 ? s->options.touched_share : 1.0;
    return (wabe_machine_flavour){.storage = kernel->storage,
                                  .streaming = lbm->model.streaming,
                                  .times = wabe_simulation_times(lbm->model.lattice),
                                  .fluid = lbm->list ? fluid / cells : touched,
                                  .work = {.bytes = kernel->bytes, .flops = kernel->flops}};
}

wabe_model_passes wabe_simulation_passes(const wabe_lbm_pass_plan *p, double planes,
                                         double ghosts) {
    const wabe_window_arrays places = {.fixed = 1};
    const double copied = (double)(wabe_window_traffic_of(&p->ring, p->moved).loaded +
                                   wabe_window_traffic_of(&p->places, places).loaded);
    return (wabe_model_passes){.steps = p->steps_per_pass,
                               .computed = 1.0 +
                                           0.5 * ghosts / planes * (1.0 + 1.0 / p->steps_per_pass),
                               .bytes = copied + ghosts * (double)p->plane_bytes};
}

static wabe_model_passes passes_of(const wabe_lbm_slab *lbm) {
    const double planes = (double)wabe_box_extent(lbm->block, 2);
    const double ghosts = (double)wabe_box_extent(lbm->held, 2) - planes;
    return lbm->driver.window ? wabe_simulation_passes(&lbm->passes.plan, planes, ghosts)
                              : (wabe_model_passes){.steps = 0.0};
}

void wabe_simulation_costs(const wabe_simulation *s, wabe_step_cost out[]) {
    for (int i = 0; i < s->domain.slab_count; i++)
        out[i] = (wabe_step_cost){.flavour = flavour_of(s, s->slabs[i]),
                                  .pass = wabe_simulation_pass(&s->slabs[i]->model),
                                  .flows = true,
                                  .share = 1.0,
                                  .passes = passes_of(s->slabs[i])};
}

/* ---- results ------------------------------------------------------------------------ */

/* The domain-wide number of a slab's cell. */
static int64_t number_of(const wabe_simulation *s, const wabe_lbm_slab *lbm, int64_t n) {
    const int64_t *cells = s->options.geometry.cells;
    int64_t cell[3];
    wabe_lbm_cell(lbm, n, cell);
    return cell[0] + cells[0] * (cell[1] + cells[1] * cell[2]);
}

static void begin_looks(const wabe_simulation *s, wabe_lbm_look look) {
    for (int i = 0; i < s->domain.slab_count; i++)
        wabe_lbm_begin_look(s->slabs[i], look);
}

static wabe_status monitor_slabs(wabe_simulation *s, wabe_monitor_result *out) {
    *out = (wabe_monitor_result){0};
    begin_looks(s, WABE_LOOK_MONITOR);
    for (int i = 0; i < s->domain.slab_count; i++) {
        wabe_monitor_result r;
        WABE_TRY(wabe_lbm_monitor(s->slabs[i], &r));
        r.first_broken = number_of(s, s->slabs[i], r.first_broken);
        r.fastest = number_of(s, s->slabs[i], r.fastest);
        wabe_monitor_merge(out, &r);
    }
    return WABE_OK;
}

/* The smallest number of the ranks that have one; -1 if none has. */
static int64_t first_over_ranks(const wabe_simulation *s, bool have, int64_t number) {
    if (!have)
        number = INT64_MAX;
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MIN, s->domain.comm);
    return number == INT64_MAX ? -1 : number;
}

wabe_status wabe_simulation_monitor(wabe_simulation *s, wabe_monitor_result *out) {
    wabe_monitor_result r;
    WABE_TRY(wabe_agree(s->domain.comm, monitor_slabs(s, &r)));
    const double mine = r.speed_squared;
    r.first_broken = first_over_ranks(s, r.broken > 0, r.first_broken);
    MPI_Allreduce(MPI_IN_PLACE, &r.speed_squared, 1, MPI_DOUBLE, MPI_MAX, s->domain.comm);
    r.fastest = first_over_ranks(s, r.cells > 0 && mine == r.speed_squared, r.fastest);
    MPI_Allreduce(MPI_IN_PLACE, &r.cells, 1, MPI_INT64_T, MPI_SUM, s->domain.comm);
    MPI_Allreduce(MPI_IN_PLACE, &r.broken, 1, MPI_INT64_T, MPI_SUM, s->domain.comm);
    wabe_sum_over_ranks(s->domain.comm, &r.mass);
    wabe_sum_over_ranks(s->domain.comm, &r.energy);
    for (int d = 0; d < 3; d++)
        wabe_sum_over_ranks(s->domain.comm, &r.momentum[d]);
    for (int d = 0; d < 3; d++)
        wabe_sum_over_ranks(s->domain.comm, &r.drag[d]);
    wabe_sum_over_ranks(s->domain.comm, &r.scalar);
    wabe_sum_over_ranks(s->domain.comm, &r.scalar_amount);
    wabe_sum_over_ranks(s->domain.comm, &r.scalar_square);
    for (int d = 0; d < 3; d++)
        wabe_sum_over_ranks(s->domain.comm, &r.scalar_flux[d]);
    *out = r;
    return WABE_OK;
}

wabe_status wabe_simulation_forces(const wabe_simulation *s, wabe_force forces[]) {
    enum { NUMBERS = sizeof(wabe_force) / sizeof(int64_t) };
    const int count = s->options.geometry.condition_count;
    const wabe_force none = {0};
    wabe_status status = WABE_OK;
    for (int k = 0; k < count; k++)
        forces[k] = none;
    for (int i = 0; i < s->domain.slab_count && status == WABE_OK; i++)
        status = wabe_lbm_forces(s->slabs[i], forces);
    WABE_TRY(wabe_agree(s->domain.comm, status));
    for (int k = 0; k < count; k++)
        wabe_force_merge(&forces[k], &none); /* carries, so that sums over ranks fit */
    MPI_Allreduce(MPI_IN_PLACE, forces, NUMBERS * count, MPI_INT64_T, MPI_SUM, s->domain.comm);
    return WABE_OK;
}

static wabe_status hash_slabs(const wabe_simulation *s, uint64_t *out) {
    *out = 0;
    begin_looks(s, WABE_LOOK_HASH);
    for (int i = 0; i < s->domain.slab_count; i++) {
        uint64_t hash;
        WABE_TRY(wabe_lbm_hash(s->slabs[i], &hash));
        *out += hash;
    }
    return WABE_OK;
}

wabe_status wabe_simulation_hash(const wabe_simulation *s, uint64_t *out) {
    WABE_TRY(wabe_agree(s->domain.comm, hash_slabs(s, out)));
    MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_UINT64_T, MPI_SUM, s->domain.comm);
    return WABE_OK;
}

static wabe_status read_flow(const void *context, int slab, wabe_box box, double *moments) {
    return wabe_lbm_moments(((const wabe_simulation *)context)->slabs[slab], box, FLOW_MOMENTS,
                            moments);
}

static wabe_status read_all(const void *context, int slab, wabe_box box, double *moments) {
    return wabe_lbm_moments(((const wabe_simulation *)context)->slabs[slab], box,
                            WABE_MOMENTS_GIVEN, moments);
}

wabe_values wabe_simulation_values(const wabe_simulation *s) {
    const bool scalar = wabe_lattice_has_scalar(s->options.model.lattice);
    return (wabe_values){.context = s,
                         .rows = scalar ? WABE_MOMENTS_GIVEN : FLOW_MOMENTS,
                         .read = scalar ? read_all : read_flow};
}

wabe_status wabe_simulation_moments(const wabe_simulation *s, wabe_box box, double *moments) {
    const wabe_values values = {.context = s, .rows = FLOW_MOMENTS, .read = read_flow};
    return wabe_domain_read(&s->domain, &values, box, moments);
}

/* Slabs divide the block along z. */
wabe_status wabe_simulation_quantity(const wabe_simulation *s, const wabe_quantity *quantity,
                                     wabe_box box, int64_t step, wabe_type type, void *values) {
    const int64_t plane = wabe_samples(wabe_box_extent(box, 0), step) *
                          wabe_samples(wabe_box_extent(box, 1), step) * quantity->count *
                          (int64_t)wabe_type_size(type);
    for (int i = 0; i < s->domain.slab_count; i++) {
        wabe_box part = wabe_box_intersect(box, s->slabs[i]->block);
        const int64_t first = wabe_samples(part.begin[2] - box.begin[2], step); /* ahead of it */
        part.begin[2] = box.begin[2] + first * step;
        if (!wabe_box_is_empty(part))
            WABE_TRY(wabe_lbm_quantity(s->slabs[i], quantity, part, step, type,
                                       (char *)values + first * plane));
    }
    return WABE_OK;
}

wabe_status wabe_simulation_begin_sums(wabe_simulation *s, int rows, double threshold) {
    for (int i = 0; i < s->domain.slab_count; i++)
        WABE_TRY(wabe_lbm_begin_sums(s->slabs[i], rows, threshold));
    return WABE_OK;
}

void wabe_simulation_add_to_sums(wabe_simulation *s) {
    for (int i = 0; i < s->domain.slab_count; i++)
        wabe_lbm_add_to_sums(s->slabs[i]);
}

/* Copies the part of a plane of the block that lies in a box. */
static void cut_plane(wabe_box block, const double *plane, wabe_box box, double *out) {
    const int64_t nx = wabe_box_extent(block, 0), length = wabe_box_extent(box, 0);
    for (int64_t y = box.begin[1]; y < box.end[1]; y++, out += length)
        memcpy(out, plane + (y - block.begin[1]) * nx + box.begin[0] - block.begin[0],
               (size_t)length * sizeof *out);
}

wabe_status wabe_simulation_read_sums(const wabe_simulation *s, int row, wabe_box box,
                                      double *out) {
    const wabe_box block = s->domain.block;
    const int64_t cells = wabe_box_plane_cells(box);
    double *plane = malloc((size_t)wabe_box_plane_cells(block) * sizeof *plane);
    WABE_CHECK(plane, WABE_MEMORY, "no memory for a plane of sums");
    wabe_status status = WABE_OK;
    for (int i = 0; i < s->domain.slab_count; i++) {
        const wabe_box part = wabe_box_intersect(box, s->slabs[i]->block);
        for (int64_t z = part.begin[2]; z < part.end[2] && status == WABE_OK; z++) {
            status = wabe_lbm_read_sums(s->slabs[i], row, z, 1, plane);
            cut_plane(block, plane, box, out + (z - box.begin[2]) * cells);
        }
    }
    free(plane);
    return status;
}

wabe_status wabe_simulation_write_sums(wabe_simulation *s, int row, int64_t z,
                                       const double *plane) {
    for (int i = 0; i < s->domain.slab_count; i++)
        if (z >= s->slabs[i]->block.begin[2] && z < s->slabs[i]->block.end[2])
            WABE_TRY(wabe_lbm_write_sums(s->slabs[i], row, z, 1, plane));
    return WABE_OK;
}
