#include "sweeps/lattice/internal.h"

#include "sweeps/cell/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- set-up ------------------------------------------------------------------------- */

static wabe_collision_parameters collision_of(const wabe_lbm_model *model) {
    wabe_collision_parameters p = {.even_rate = 1.0 / model->tau,
                                   .odd_rate = 1.0 / model->tau,
                                   .smagorinsky = model->smagorinsky,
                                   .turbulent_schmidt = 1.0};
    if (WABE_HAS_ALL_TERMS(model->collision)) {
        p.bulk_is_one = model->bulk_is_one;
        p.corrects = model->corrects;
    }
    if (model->collision == WABE_COLLISION_trt)
        p.odd_rate = 1.0 / (model->magic / (model->tau - 0.5) + 0.5);
    memcpy(p.force.constant, model->force, sizeof model->force);
    if (wabe_lattice_has_scalar(model->lattice)) {
        const double odd = model->scalar.diffusivity / wabe_lattice_diffusion(model->lattice) + 0.5;
        p.scalar_odd_rate = 1.0 / odd;
        p.scalar_even_rate = 1.0 / (model->scalar.magic / (odd - 0.5) + 0.5);
        if (model->smagorinsky > 0.0)
            p.turbulent_schmidt = model->scalar.turbulent_schmidt;
        memcpy(p.force.by_scalar, model->scalar.buoyancy, sizeof model->scalar.buoyancy);
    }
    return p;
}

static bool has_mirrors(const wabe_geometry *geometry, int axis) {
    return (1u << geometry->conditions[2 * axis].kind |
            1u << geometry->conditions[2 * axis + 1].kind) &
           WABE_MIRRORS;
}

/* The offset of the cell from which population q arrives, as far as that lies along axes. */
static int64_t behind_axes(const wabe_lbm_slab *lbm, int q, unsigned axes) {
    const int *e = wabe_lattice_e(lbm->model.lattice, q);
    return wabe_layout_cell(&lbm->layout, axes & 1 ? -e[0] : 0, axes & 2 ? -e[1] : 0,
                            axes & 4 ? -e[2] : 0);
}

/* From behind periodic faces, the offset of the place in the slab from which population q comes. */
static int64_t around_axes(const wabe_lbm_slab *lbm, int q, unsigned axes) {
    const int *e = wabe_lattice_e(lbm->model.lattice, q);
    int64_t offset[3];
    for (int d = 0; d < 3; d++)
        offset[d] = axes >> d & 1 ? e[d] * lbm->layout.cells[d] : 0;
    return wabe_layout_cell(&lbm->layout, offset[0], offset[1], offset[2]);
}

/* The offset of the mirror image of population q, which arrives from behind the faces normal to
 * axes: the mirrored population, where the cell behind those faces would read it. Of ten moments:
 * that cell. */
static void make_image_offsets(wabe_lbm_slab *lbm) {
    for (int parity = 0; parity < 2; parity++)
        for (unsigned axes = 0; axes < 8; axes++)
            for (int q = 0; q < populations_of(lbm); q++)
                lbm->image_from[parity][axes][q] =
                    behind_axes(lbm, q, axes) +
                    (holds_moments(lbm)
                         ? 0
                         : lbm->offsets
                               .in[parity][wabe_lattice_mirror(lbm->model.lattice, q, axes)]);
    for (unsigned axes = 0; axes < 8; axes++)
        for (int q = 0; q < populations_of(lbm); q++)
            lbm->image_around[axes][q] = around_axes(lbm, q, axes);
}

/* Turns links of populations into one for each cell that is mirrored: of a fluid cell of the slab,
 * or of a ghost cell beside it, whose image some cell of the slab reads. Of a link across three
 * axes that cell may lie round a periodic one. */
static wabe_status mirror_whole_cells(wabe_lbm_slab *lbm) {
    wabe_tiles *t = lbm->tiles;
    int64_t kept = 0;
    for (int64_t i = 0; i < t->image_count; i++) {
        wabe_image_link link = t->images[i];
        int64_t image[3], around[3];
        WABE_CHECK(wabe_is_mirror(t->patches.rows[link.patch].kind), WABE_INPUT,
                   "lbm.streaming = \"moments\" knows no pressure_normal faces: take "
                   "\"in_place\"");
        wabe_lbm_cell(lbm, link.cell, image);
        bool reads_own = true, in_slab = true;
        for (int d = 0; d < 3; d++) {
            const int *velocity = wabe_lattice_e(lbm->model.lattice, link.population);
            const int e = link.mirrored >> d & 1 ? 0 : velocity[d];
            image[d] -= e;
            reads_own &= e == 0;
            around[d] = !lbm->wraps[d]                   ? 0
                        : image[d] < lbm->block.begin[d] ? lbm->layout.cells[d]
                        : image[d] >= lbm->block.end[d]  ? -lbm->layout.cells[d]
                                                         : 0;
            in_slab &= lbm->spans[d] || (d == 2 && has_passes(lbm)) ||
                       (image[d] >= lbm->block.begin[d] && image[d] < lbm->block.end[d]);
        }
        link.cell += behind_axes(lbm, link.population, ~link.mirrored & 7u) +
                     wabe_layout_cell(&lbm->layout, around[0], around[1], around[2]);
        if (reads_own || !in_slab)
            t->images[kept++] = link;
    }
    t->image_count = kept;
    return WABE_OK;
}

/* The attributes that stream_collide's kernel must have: the model's, and the boundaries of the
 * tiles. */
static wabe_lbm_attributes wanted_by(const wabe_lbm_slab *lbm, wabe_streaming streaming) {
    return (wabe_lbm_attributes){.lattice = lbm->model.lattice,
                                 .collision = lbm->model.collision,
                                 .streaming = streaming,
                                 .treats = lbm->tiles->kinds};
}

static wabe_status pick_kernels(const wabe_registry *registry, wabe_lbm_slab *lbm) {
    static const wabe_sweep *const sweeps[WABE_LBM_SWEEPS] = {
        [WABE_LBM_STREAM_COLLIDE] = &wabe_sweep_stream_collide,
        [WABE_LBM_INITIALISE] = &wabe_sweep_initialise,
        [WABE_LBM_REFLECT] = &wabe_sweep_reflect,
        [WABE_LBM_ABSORB] = &wabe_sweep_absorb,
        [WABE_LBM_BOUNDARY] = &wabe_sweep_boundary,
        [WABE_LBM_MACROSCOPIC] = &wabe_sweep_macroscopic,
        [WABE_LBM_MONITOR] = &wabe_sweep_monitor,
        [WABE_LBM_FORCES] = &wabe_sweep_forces,
        [WABE_LBM_HASH] = &wabe_sweep_hash,
        [WABE_LBM_PACK] = &wabe_sweep_pack,
        [WABE_LBM_UNPACK] = &wabe_sweep_unpack};
    wabe_lbm_attributes wanted = wanted_by(lbm, lbm->model.streaming);
    for (int i = 0; i < WABE_LBM_SWEEPS; i++) {
        const wabe_kernel_request request = {.sweep = sweeps[i],
                                             .storage = lbm->model.type,
                                             .attributes = &wanted,
                                             .name_part = i == WABE_LBM_STREAM_COLLIDE
                                                              ? lbm->model.kernel
                                                              : ""};
        if (i > WABE_LBM_STREAM_COLLIDE)
            wanted.treats = i == WABE_LBM_BOUNDARY && lbm->tiles->image_count > 0 ? WABE_MIRRORS
                                                                                  : 0;
        WABE_TRY(wabe_registry_select(registry, lbm->component, &request, &lbm->kernels[i]));
    }
    return WABE_OK;
}

/* Where the slab is its own neighbour lists, moments and slabs with passes need no exchange, so
 * cells there are inner cells. Slabs with passes have only these. */
static void wrap_round(wabe_lbm_slab *lbm, const wabe_geometry *geometry, wabe_box *inner) {
    const bool list = is_list(lbm);
    bool *wraps = lbm->wraps;
    wabe_geometry_periodic(geometry, wraps);
    for (int d = 0; d < 3; d++) {
        const bool can = list || holds_moments(lbm) || (has_passes(lbm) && !lbm->layout.flat[d]);
        wraps[d] = wraps[d] && can &&
                   (holds_moments(lbm) ? lbm->spans[d]
                                       : wabe_box_extent(lbm->block, d) == geometry->cells[d]);
        inner->begin[d] = wraps[d] ? lbm->block.begin[d] : inner->begin[d];
        inner->end[d] = wraps[d] ? lbm->block.end[d] : inner->end[d];
    }
    wraps[2] &= !has_passes(lbm) || ((list || holds_moments(lbm)) && geometry->cells[2] == 1);
    *inner = has_passes(lbm) ? lbm->held : *inner;
}

static wabe_status plan_passes(wabe_lbm_slab *lbm, const wabe_geometry *geometry,
                               const wabe_list_extent *list) {
    if (lbm->model.residency.memory > 0)
        return wabe_lbm_plan_passes(wabe_device_ring_unit(lbm->component->device),
                                    &lbm->model.residency, geometry, list,
                                    holds_moments(lbm) ? &lbm->stored : &lbm->layout,
                                    &lbm->passes.plan);
    wabe_lbm_plan_cached_passes(geometry, list, &lbm->layout, &lbm->passes.plan);
    return WABE_OK;
}

static wabe_status make_list(wabe_lbm_slab *lbm, const wabe_geometry *geometry, wabe_box inner) {
    const wabe_lbm_residency *residency = &lbm->model.residency;
    const bool streamed = residency->memory > 0;
    wabe_list_order order = {.by_planes = has_passes(lbm)};
    lbm->layout = wabe_layout_make(lbm->layout.cells, NULL, populations_of(lbm), lbm->model.type,
                                   lbm->component->target); /* a list needs no flat axes */
    if (streamed && wabe_device_ring_unit(lbm->component->device) > 0)
        order.multiple = wabe_lbm_piece_of_list(wabe_device_ring_unit(lbm->component->device),
                                                residency, &lbm->layout);
    WABE_TRY(wabe_list_create(lbm->model.lattice, &lbm->layout, lbm->component->target, geometry,
                              &lbm->flags, lbm->held, inner, lbm->wraps, order, &lbm->list));
    return has_passes(lbm) ? plan_passes(lbm, geometry, &lbm->list->extent) : WABE_OK;
}

/* Each level of a pass through panels is behind the one before by a chunk. */
static int grain_of(const wabe_lbm_slab *lbm) {
    enum { GRAIN_OF_PANELS = 32 };
    const int grain = lbm->component->grain;
    return lbm->model.residency.rows > 0 && grain > GRAIN_OF_PANELS ? GRAIN_OF_PANELS : grain;
}

static wabe_status make_cells(wabe_lbm_slab *lbm, const wabe_geometry *geometry, wabe_box inner) {
    const bool wraps_by_images = has_passes(lbm) && lbm->model.streaming == WABE_STREAMING_in_place;
    wrap_round(lbm, geometry, &inner);
    if (is_list(lbm))
        WABE_TRY(make_list(lbm, geometry, inner));
    lbm->offsets = wabe_streaming_offsets_make(lbm->model.streaming, lbm->model.lattice,
                                               &lbm->layout);
    make_image_offsets(lbm);
    WABE_TRY(wabe_tiles_create(lbm->model.lattice, &lbm->layout, lbm->list, geometry, &lbm->flags,
                               lbm->held, inner, wraps_by_images ? lbm->wraps : NULL, grain_of(lbm),
                               &lbm->tiles));
    WABE_CHECK(
        !lbm->list || lbm->tiles->image_count == 0, WABE_INPUT,
        "lbm.streaming = \"list\" knows no free_slip, wall_function and pressure_normal faces: "
        "take \"in_place\"");
    if (!holds_moments(lbm))
        return WABE_OK;
    WABE_TRY(mirror_whole_cells(lbm));
    return wabe_tiles_classify(lbm->tiles, &lbm->layout);
}

/* Bytes per cell that a pattern's kernel moves; 0: there is no kernel. */
static int bytes_of(const wabe_registry *registry, const wabe_lbm_slab *lbm,
                    wabe_streaming streaming) {
    const wabe_kernel *kernel;
    const wabe_lbm_attributes wanted = wanted_by(lbm, streaming);
    const wabe_kernel_request request = {.sweep = &wabe_sweep_stream_collide,
                                         .storage = lbm->model.type,
                                         .attributes = &wanted,
                                         .name_part = ""};
    return wabe_registry_select(registry, lbm->component, &request, &kernel) == WABE_OK
               ? kernel->bytes
               : 0;
}

/* Would a list move fewer bytes? Dense patterns update every tile with a fluid cell. */
static bool list_is_cheaper(const wabe_registry *registry, const wabe_lbm_slab *lbm) {
    const int dense = bytes_of(registry, lbm, lbm->model.streaming);
    const int listed = bytes_of(registry, lbm, WABE_STREAMING_list);
    int64_t tiles = 0, cells = 0;
    for (int64_t tile = 0; tile < lbm->tiles->tile_count; tile++) {
        tiles += lbm->tiles->fluid[tile] != 0;
        cells += __builtin_popcount(lbm->tiles->fluid[tile]);
    }
    /* Ghosts surround the slab, and also lie in its boundaries other than resting walls; half the
     * maximum is a safe bound. */
    const int64_t most = cells + wabe_box_cells(lbm->flags.box) - wabe_box_cells(lbm->block);
    return listed > 0 && lbm->tiles->image_count == 0 &&
           most < wabe_list_cells_max(populations_of(lbm)) / 2 &&
           (double)cells * listed * lbm->model.list_cost_ratio < (double)tiles * WABE_TILE * dense;
}

static wabe_status make_tiles(const wabe_registry *registry, wabe_lbm_slab *lbm,
                              const wabe_geometry *geometry, wabe_box inner) {
    WABE_TRY(wabe_geometry_flags(geometry, wabe_box_grow(lbm->held, 1), &lbm->flags));
    WABE_TRY(make_cells(lbm, geometry, inner));
    if (lbm->list || has_passes(lbm) || lbm->model.list_cost_ratio == 0.0 ||
        !list_is_cheaper(registry, lbm))
        return WABE_OK;
    wabe_tiles_destroy(&lbm->tiles);
    lbm->model.streaming = WABE_STREAMING_list;
    return make_cells(lbm, geometry, inner);
}

/* Layers of ghost cells of moments: neighbours must agree on those that they exchange. */
static void ghosts_of(const wabe_geometry *geometry, const bool spans[3], int ghosts[3]) {
    for (int d = 0; d < 3; d++)
        ghosts[d] = !spans[d] || has_mirrors(geometry, d);
}

/* Streamed slabs have no ghost cells for neighbours, but ghost planes. */
static void spans_of(const wabe_lbm_slab *lbm, bool spans[3]) {
    memcpy(spans, lbm->spans, sizeof lbm->spans);
    spans[2] |= has_passes(lbm);
}

wabe_layout wabe_lbm_layout(const wabe_lbm_model *model, const wabe_geometry *geometry,
                            const int64_t cells[3], const bool spans[3], wabe_target target) {
    bool flat[3];
    int ghosts[3];
    wabe_lbm_flat(geometry, flat);
    ghosts_of(geometry, spans, ghosts);
    return model->streaming == WABE_STREAMING_moments
               ? wabe_moments_layout(cells, ghosts, model->type)
               : wabe_layout_make(cells, flat, wabe_lattice_count(model->lattice), model->type,
                                  target);
}

static wabe_status make_layouts(wabe_lbm_slab *lbm, const wabe_geometry *geometry) {
    const int64_t cells[3] = {wabe_box_extent(lbm->held, 0), wabe_box_extent(lbm->held, 1),
                              wabe_box_extent(lbm->held, 2)};
    bool spans[3];
    int ghosts[3];
    spans_of(lbm, spans);
    ghosts_of(geometry, spans, ghosts);
    lbm->stored = wabe_lbm_layout(&lbm->model, geometry, cells, spans, lbm->component->target);
    lbm->layout = holds_moments(lbm) ? wabe_moments_cells(cells, ghosts) : lbm->stored;
    return has_passes(lbm) && !is_list(lbm) ? plan_passes(lbm, geometry, NULL) : WABE_OK;
}

static wabe_status make_moments(wabe_lbm_slab *lbm, const wabe_geometry *geometry, wabe_box inner) {
    const wabe_kernel *kernel = lbm->kernels[WABE_LBM_STREAM_COLLIDE];
    bool spans[3];
    int ghosts[3];
    spans_of(lbm, spans);
    ghosts_of(geometry, spans, ghosts);
    wrap_round(lbm, geometry, &inner);
    return wabe_moments_plan_create(lbm->component, lbm->timeline.streams[WABE_REGION_OUTER],
                                    &lbm->layout, geometry, &lbm->flags, lbm->held, inner,
                                    lbm->wraps, ghosts, has_passes(lbm), kernel, &lbm->moments);
}

static bool has_rheology(const wabe_lbm_slab *lbm) {
    return lbm->model.rheology.model != WABE_RHEOLOGY_NONE;
}

static int64_t rheology_bytes(const wabe_lbm_slab *lbm) {
    const int64_t number = lbm->model.type == WABE_TYPE_f64 ? sizeof(double) : sizeof(float);
    return has_rheology(lbm) ? WABE_RHEOLOGY_ROWS * WABE_RHEOLOGY_COEFFICIENTS * number : 0;
}

/* Gives the kernels the fluid's table, in the type that they compute with. */
static wabe_status make_rheology(wabe_lbm_slab *lbm) {
    enum { COUNT = WABE_RHEOLOGY_ROWS * WABE_RHEOLOGY_COEFFICIENTS };
    if (!has_rheology(lbm))
        return WABE_OK;
    WABE_CHECK(
        WABE_HAS_ALL_TERMS(lbm->model.collision) && lbm->model.smagorinsky == 0.0, WABE_INPUT,
        "a viscosity that depends on the rate of strain needs recursive_regularized, without "
        "a subgrid model");
    double *wide = malloc(COUNT * (sizeof(double) + sizeof(float)));
    WABE_CHECK(wide, WABE_MEMORY, "no memory for a table of viscosities");
    float *narrow = (float *)(wide + COUNT);
    wabe_rheology_table(&lbm->model.rheology, wide);
    for (int i = 0; i < COUNT; i++)
        narrow[i] = (float)wide[i];
    const wabe_status status =
        wabe_memory_copy_of(lbm->component, lbm->timeline.streams[WABE_REGION_OUTER],
                            lbm->model.type == WABE_TYPE_f64 ? (void *)wide : narrow,
                            rheology_bytes(lbm), &lbm->rheology);
    free(wide);
    lbm->collision.rheology = lbm->rheology;
    return status;
}

static wabe_status make_face_layers(wabe_lbm_slab *lbm, const wabe_geometry *geometry) {
    /* What sponges add to the viscosity needs to know it. */
    const wabe_face_layers_flow flow = {.viscosity = (lbm->model.tau - 0.5) / 3.0,
                                        .smagorinsky = lbm->model.smagorinsky,
                                        .regularized = wabe_is_regularized(lbm->model.collision) &&
                                                       !has_rheology(lbm)};
    return wabe_face_layers_create(lbm->component, lbm->timeline.streams[WABE_REGION_OUTER],
                                   geometry, &lbm->layout, lbm->list, lbm->tiles, lbm->held,
                                   holds_moments(lbm) ? &lbm->moments.inner : NULL, &flow,
                                   &lbm->face_layers);
}

static wabe_status make_fields(wabe_lbm_slab *lbm) {
    if (!holds_moments(lbm))
        lbm->stored = lbm->layout; /* a list has made it shorter */
    /* First the list: the host has its indices twice until then. */
    if (lbm->list)
        WABE_TRY(wabe_lbm_move_list(lbm));
    if (lbm->model.residency.memory > 0)
        WABE_TRY(wabe_lbm_create_window(lbm));
    for (int grid = 0; grid < lbm->offsets.grids; grid++)
        WABE_TRY(lbm->driver.window
                     ? wabe_field_over(lbm->component, &lbm->stored,
                                       wabe_window_array(lbm->driver.window, grid),
                                       &lbm->fields[grid])
                     : wabe_field_create(lbm->component, &lbm->stored, &lbm->fields[grid]));
    lbm->exchanged = lbm->fields[0]->data;
    const bool buffered =
        wabe_lbm_attributes_of(lbm->kernels[WABE_LBM_STREAM_COLLIDE])->wall_buffer;
    const wabe_layout values = wabe_layout_line((buffered ? lbm->tiles->link_count : 0) + WABE_TILE,
                                                lbm->model.type);
    WABE_TRY(wabe_field_create(lbm->component, &values, &lbm->wall));
    WABE_TRY(
        wabe_memory_create(lbm->component,
                           WABE_REGION_COUNT * PARTS_MAX * (int64_t)sizeof(wabe_monitor_result),
                           &lbm->results));
    WABE_TRY(wabe_tiles_move(lbm->tiles, lbm->list, &lbm->layout, lbm->component,
                             lbm->timeline.streams[WABE_REGION_OUTER]));
    return has_passes(lbm) ? wabe_lbm_prepare_passes(lbm) : WABE_OK;
}

wabe_status wabe_lbm_create(const wabe_registry *registry, const wabe_component *component,
                            const wabe_lbm_model *model, const wabe_geometry *geometry,
                            wabe_box block, wabe_box inner, const bool spans[3],
                            wabe_lbm_slab **out) {
    wabe_lbm_slab *lbm = calloc(1, sizeof *lbm);
    WABE_CHECK(lbm, WABE_MEMORY, "no memory for a slab");
    lbm->component = component;
    lbm->model = *model;
    lbm->collision = collision_of(model);
    lbm->force_step = -1;
    lbm->block = block;
    lbm->held = wabe_lbm_held(&model->residency, geometry, model->streaming, block);
    memcpy(lbm->domain, geometry->cells, sizeof lbm->domain);
    for (int d = 0; d < 3; d++)
        lbm->spans[d] = spans ? spans[d] : wabe_box_extent(block, d) == geometry->cells[d];
    if (holds_moments(lbm))
        lbm->form = WABE_HAS_ALL_TERMS(model->collision) ? WABE_STATE_THIRD : WABE_STATE_MOMENTS;
    wabe_status status = make_layouts(lbm, geometry);
    if (status == WABE_OK)
        status = make_tiles(registry, lbm, geometry, inner);
    if (status == WABE_OK)
        status = pick_kernels(registry, lbm);
    if (status == WABE_OK)
        status = wabe_timeline_create(component, WABE_STEPS_AHEAD, &lbm->timeline);
    if (status == WABE_OK)
        status = wabe_scratch_create(component, &lbm->scratch);
    if (status == WABE_OK && holds_moments(lbm))
        status = make_moments(lbm, geometry, inner);
    if (status == WABE_OK)
        status = make_rheology(lbm);
    if (status == WABE_OK)
        status = make_face_layers(lbm, geometry);
    if (status == WABE_OK)
        status = make_fields(lbm);
    if (status != WABE_OK)
        wabe_lbm_destroy(&lbm);
    *out = lbm;
    return status;
}

void wabe_lbm_synchronise(const wabe_lbm_slab *lbm) { wabe_timeline_synchronise(&lbm->timeline); }

void wabe_lbm_destroy(wabe_lbm_slab **lbm) {
    if (!*lbm)
        return;
    wabe_lbm_synchronise(*lbm);
    wabe_memory_destroy((*lbm)->component, &(*lbm)->results);
    wabe_memory_destroy((*lbm)->component, &(*lbm)->rheology);
    wabe_lbm_destroy_sums(*lbm);
    wabe_scratch_destroy(&(*lbm)->scratch);
    wabe_field_destroy(&(*lbm)->fields[0]);
    wabe_field_destroy(&(*lbm)->fields[1]);
    wabe_field_destroy(&(*lbm)->wall);
    wabe_lbm_destroy_passes(*lbm);
    wabe_tiles_destroy(&(*lbm)->tiles);
    wabe_list_destroy(&(*lbm)->list);
    wabe_face_layers_destroy(&(*lbm)->face_layers);
    wabe_moments_plan_destroy(&(*lbm)->moments);
    wabe_force_plan_destroy(&(*lbm)->forces);
    wabe_flags_free(&(*lbm)->flags);
    wabe_timeline_destroy(&(*lbm)->timeline);
    free(*lbm);
    *lbm = NULL;
}

void wabe_lbm_flat(const wabe_geometry *geometry, bool flat[3]) {
    wabe_geometry_periodic(geometry, flat);
    for (int d = 0; d < 3; d++)
        flat[d] &= geometry->cells[d] == 1;
}

int64_t wabe_lbm_field_bytes(const wabe_lbm_model *model, const int64_t cells[3],
                             const bool flat[3], wabe_target target) {
    const wabe_layout layout =
        model->streaming == WABE_STREAMING_moments
            ? wabe_moments_layout(cells, (const int[3]){0, 1, 1}, model->type)
            : wabe_layout_make(cells, flat, wabe_lattice_count(model->lattice), model->type,
                               target);
    return wabe_layout_bytes(&layout) * wabe_streaming_grids(model->streaming);
}

int64_t wabe_lbm_bytes(const wabe_lbm_slab *lbm) {
    const wabe_ring_shape *ring = &lbm->passes.plan.ring;
    const int64_t fields = lbm->driver.window
                               ? wabe_ring_bytes(ring) +
                                     wabe_window_host_bytes(ring, lbm->passes.plan.moved)
                               : wabe_layout_bytes(&lbm->stored) * lbm->offsets.grids;
    const int64_t places = lbm->passes.places ? wabe_ring_bytes(&lbm->passes.plan.places) : 0;
    const wabe_planes *planes = lbm->driver.ghosts.messages;
    return fields + places + (planes ? wabe_planes_bytes(planes) : 0) +
           wabe_layout_bytes(&lbm->wall->layout) + lbm->tiles->bytes + lbm->moments.bytes +
           lbm->forces.bytes + lbm->face_layers.bytes + rheology_bytes(lbm) +
           (lbm->list ? lbm->list->bytes : 0) +
           (lbm->sums ? lbm->sum_rows * wabe_box_cells(lbm->block) * (int64_t)sizeof(double) : 0);
}

void wabe_lbm_forget(wabe_lbm_slab *lbm) {
    wabe_flags_free(&lbm->flags);
    if (lbm->list) {
        free(lbm->list->slot_of);
        lbm->list->slot_of = NULL;
    }
}

/* An odd AA step writes q into the cell that it goes to, and the next step reads it there. An even
 * AA step leaves q as its opposite in its own cell, and the next step reads it in the cell that it
 * comes from. */
uint32_t wabe_lbm_place(const wabe_lbm_slab *lbm, const int64_t cell[3], int q, int parity,
                        bool sending) {
    const int *e = wabe_lattice_e(lbm->model.lattice, q);
    const int64_t sign = sending ? 1 : -1;
    const int64_t other[3] = {cell[0] + sign * e[0], cell[1] + sign * e[1], cell[2] + sign * e[2]};
    const int64_t own = wabe_list_slot(lbm->list, cell), there = wabe_list_slot(lbm->list, other);
    const bool fluid = wabe_flags_at(&lbm->flags, other[0], other[1], other[2]) == 0 &&
                       wabe_flags_at(&lbm->flags, cell[0], cell[1], cell[2]) == 0;
    if (own < 0 || there < 0 || !fluid)
        return WABE_NO_INDEX;
    const int64_t stride = lbm->layout.stride;
    const int opposite = wabe_lattice_opposite(populations_of(lbm), q);
    const bool at_neighbours = moves(lbm, parity);
    if (sending)
        return (uint32_t)(at_neighbours ? q * stride + there : opposite * stride + own);
    return (uint32_t)(at_neighbours ? q * stride + own : opposite * stride + there);
}

/* ---- the step ----------------------------------------------------------------------- */

wabe_collision_parameters wabe_lbm_collision(const wabe_lbm_slab *lbm, int steps) {
    const int64_t state = lbm->first_step + lbm->timeline.step + steps + 1;
    const double factor = wabe_table_at(lbm->model.force_in_time, (double)state);
    wabe_collision_parameters p = lbm->collision;
    if (state <= lbm->force_step)
        memcpy(p.force.constant, lbm->force_before, sizeof lbm->force_before);
    for (int d = 0; d < 3; d++)
        p.force.constant[d] *= factor;
    return p;
}

void wabe_lbm_set_force(wabe_lbm_slab *lbm, const double present[3], const double next[3]) {
    memcpy(lbm->force_before, present, sizeof lbm->force_before);
    memcpy(lbm->collision.force.constant, next, sizeof lbm->force_before);
    lbm->force_step = lbm->first_step + lbm->timeline.step;
}

void wabe_lbm_present_force(const wabe_lbm_slab *lbm, double force[3]) {
    const wabe_collision_parameters p = wabe_lbm_collision(lbm, -1);
    memcpy(force, p.force.constant, sizeof p.force.constant);
}

wabe_field *wabe_lbm_state(const wabe_lbm_slab *lbm) { return lbm->fields[grid_after(lbm, 0)]; }

wabe_stream_collide_args wabe_lbm_step_args(const wabe_lbm_slab *lbm, wabe_region_name name,
                                            int steps) {
    const wabe_region *region = &lbm->tiles->regions[name];
    const int parity = (parity_of(lbm) + steps) & 1;
    wabe_stream_collide_args args = {.source = numbers_after(lbm, steps),
                                     .target = numbers_after(lbm, steps + 1),
                                     .in = lbm->offsets.in[parity],
                                     .out = lbm->offsets.out[parity],
                                     .next_in = lbm->offsets.in[1 - parity],
                                     .neighbours = places_of(lbm, parity),
                                     .next_neighbours = places_of(lbm, 1 - parity),
                                     .wall = lbm->wall->data,
                                     .chunks = region->chunks,
                                     .contiguous = region->contiguous,
                                     .first_tile = region->first_tile,
                                     .end_tile = region->end_tile,
                                     .records = region->records,
                                     .cell_records = lbm->tiles->cell_records,
                                     .classes = lbm->tiles->classes,
                                     .patches = patches_of(lbm, steps + 1),
                                     .kinds = lbm->tiles->kinds,
                                     .collision = wabe_lbm_collision(lbm, steps),
                                     .marching = lbm->moments.marching};
    if ((lbm->first_step + lbm->timeline.step + steps) % WABE_DAMPED_STEPS == 0)
        args.collision.wall_damping = WABE_WALL_DAMPING;
    args.marching.columns = lbm->moments.columns[name];
    return args;
}

static bool prepare_stream_collide(void *slab, int number, const wabe_position *position,
                                   wabe_region_name name, wabe_call *out) {
    (void)number, (void)position;
    wabe_lbm_slab *lbm = slab;
    lbm->exchanged = numbers_after(lbm, 1);
    lbm->stream_collide[name] = wabe_lbm_step_args(lbm, name, 0);
    *out = wabe_timeline_call(&lbm->timeline, name, lbm->kernels[WABE_LBM_STREAM_COLLIDE],
                              &lbm->stream_collide[name],
                              holds_moments(lbm) ? lbm->moments.column_count[name]
                                                 : lbm->tiles->regions[name].chunk_count);
    return true;
}

static void carry_waves(const wabe_lbm_slab *lbm, int ahead, wabe_absorb_args *args) {
    const double step = (double)(lbm->first_step + lbm->timeline.step + ahead);
    args->waves = lbm->face_layers.waves;
    args->numbers = lbm->list ? lbm->list->cells_there : NULL;
    args->pitch = lbm->layout.pitch;
    args->plane = lbm->layout.plane;
    args->planes = lbm->domain[2];
    for (int d = 0; d < 3; d++) {
        args->begin[d] = lbm->held.begin[d];
        args->carried[d] = fmod(step * lbm->face_layers.carried[d], lbm->face_layers.period[d]);
    }
}

wabe_absorb_args wabe_lbm_absorb_args(const wabe_lbm_slab *lbm, wabe_region_name name,
                                      const wabe_stream_collide_args *step, int steps) {
    wabe_absorb_args args = {.field = step->target,
                             .out = step->out,
                             .next_in = step->next_in,
                             .neighbours = step->neighbours,
                             .next_neighbours = step->next_neighbours,
                             .wall = step->wall,
                             .tiles = lbm->face_layers.tiles[name],
                             .levels = lbm->face_layers.levels,
                             .records = step->records,
                             .cell_records = step->cell_records,
                             .classes = step->classes,
                             .patches = step->patches,
                             .form = lbm->form};
    args.collision = step->collision;
    args.third = lbm->model.collision == WABE_COLLISION_recursive_regularized;
    args.laws = lbm->face_layers.laws;
    args.step = lbm->first_step + lbm->timeline.step + steps;
    carry_waves(lbm, steps, &args);
    return args;
}

/* The layers' cells of a region, right after their collision. */
static bool prepare_absorb(void *slab, int number, const wabe_position *position,
                           wabe_region_name name, wabe_call *out) {
    (void)number, (void)position;
    wabe_lbm_slab *lbm = slab;
    lbm->absorb[name] = wabe_lbm_absorb_args(lbm, name, &lbm->stream_collide[name], 0);
    *out = wabe_timeline_call_more(&lbm->timeline, name, lbm->kernels[WABE_LBM_ABSORB],
                                   &lbm->absorb[name], lbm->face_layers.tile_count[name]);
    return lbm->face_layers.tile_count[name] > 0;
}

static void advance(void *slab, int number) {
    (void)number;
    ((wabe_lbm_slab *)slab)->timeline.step++;
}

wabe_boundary_args wabe_lbm_boundary_args(const wabe_lbm_slab *lbm, int steps) {
    const int parity = (parity_of(lbm) + steps) & 1;
    wabe_boundary_args args = {.field = numbers_after(lbm, steps),
                               .in = lbm->offsets.in[parity],
                               .out = lbm->offsets.out[1 - parity],
                               .from = lbm->image_from[parity],
                               .around = lbm->image_around,
                               .links = lbm->tiles->images,
                               .patches = patches_of(lbm, steps),
                               .form = lbm->form};
    args.force = wabe_lbm_collision(lbm, steps - 1).force;
    return args;
}

/* Mirrors need what neighbours have sent; there are few of them. */
static bool prepare_boundary(void *slab, int number, const wabe_position *position,
                             wabe_region_name name, wabe_call *out) {
    (void)number, (void)position;
    wabe_lbm_slab *lbm = slab;
    lbm->boundary = wabe_lbm_boundary_args(lbm, 0);
    *out = wabe_timeline_call_before(&lbm->timeline, lbm->kernels[WABE_LBM_BOUNDARY],
                                     &lbm->boundary, lbm->tiles->image_count);
    return name == WABE_REGION_OUTER && lbm->tiles->image_count > 0;
}

static void pass(void *slab, int number) {
    (void)number;
    wabe_lbm_pass(slab);
}

void wabe_lbm_schedule(int slab_count, wabe_lbm_slab *const *slabs, wabe_schedule *schedule) {
    bool mirrors = false, layers = false, passes = false;
    schedule->slab_count = slab_count;
    for (int i = 0; i < slab_count; i++) {
        schedule->slabs[i] = slabs[i];
        schedule->components[i] = slabs[i]->component;
        mirrors |= slabs[i]->tiles->image_count > 0;
        layers |= slabs[i]->face_layers.component != NULL;
        passes |= slabs[i]->passes.in_use;
    }
    if (passes) {
        wabe_schedule_add(schedule, &(wabe_schedule_entry){.kind = WABE_STEP_PASS,
                                                           .phase = WABE_PHASE_inner,
                                                           .pass = pass});
        return;
    }
    if (mirrors)
        wabe_schedule_add(schedule, &(wabe_schedule_entry){.exchange = WABE_NO_EXCHANGE,
                                                           .phase = WABE_PHASE_boundary,
                                                           .prepare = prepare_boundary});
    wabe_schedule_add(schedule, &(wabe_schedule_entry){.exchange = 0,
                                                       .phase = WABE_PHASE_inner,
                                                       .prepare = prepare_stream_collide,
                                                       .follow = layers ? prepare_absorb : NULL,
                                                       .post = advance});
}
