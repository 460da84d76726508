#include "sweeps/lbm.h"

#include "core/lattice.h"

#include <stdlib.h>
#include <string.h>

/* ---- set-up ------------------------------------------------------------------------- */

static wabe_collision_parameters collision_of(const wabe_lbm_model *model) {
    wabe_collision_parameters p = {.even_rate = 1.0 / model->tau, .odd_rate = 1.0 / model->tau};
    if (model->collision == WABE_COLLISION_trt)
        p.odd_rate = 1.0 / (model->magic / (model->tau - 0.5) + 0.5);
    memcpy(p.force, model->force, sizeof p.force);
    return p;
}

/* Where the mirror image of population q stands that arrives from behind the faces normal to axes:
 * under its mirrored name, where the cell behind those faces would read it. */
static void make_mirror_offsets(wabe_lbm *lbm) {
    for (int parity = 0; parity < 2; parity++)
        for (unsigned axes = 0; axes < 8; axes++)
            for (int q = 0; q < WABE_Q; q++) {
                const int *e = wabe_lattice_e[q];
                const int64_t behind = wabe_layout_cell(&lbm->layout, axes & 1 ? -e[0] : 0,
                                                        axes & 2 ? -e[1] : 0, axes & 4 ? -e[2] : 0);
                lbm->mirror_from[parity][axes][q] =
                    behind + lbm->offsets.in[parity][wabe_lattice_mirror(q, axes)];
            }
}

static wabe_status pick_kernels(const wabe_registry *registry, wabe_lbm *lbm) {
    static const wabe_sweep sweeps[] = {WABE_SWEEP_stream_collide, WABE_SWEEP_initialise,
                                        WABE_SWEEP_reflect,        WABE_SWEEP_boundary,
                                        WABE_SWEEP_macroscopic,    WABE_SWEEP_monitor,
                                        WABE_SWEEP_pack,           WABE_SWEEP_unpack};
    const wabe_lbm_model *m = &lbm->model;
    wabe_kernel_request request = {.storage = m->type,
                                   .collision = m->collision,
                                   .streaming = m->streaming};
    for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++) {
        const bool main_sweep = sweeps[i] == WABE_SWEEP_stream_collide;
        request.sweep = sweeps[i];
        request.needs = main_sweep ? lbm->tiles->kinds : 0;
        if (sweeps[i] == WABE_SWEEP_boundary && lbm->tiles->mirror_count > 0)
            request.needs = 1u << WABE_BOUNDARY_free_slip;
        request.name_part = main_sweep ? m->kernel : "";
        WABE_TRY(
            wabe_registry_select(registry, lbm->component, &request, &lbm->kernels[sweeps[i]]));
    }
    return WABE_OK;
}

static wabe_status make_tiles(wabe_lbm *lbm, const wabe_geometry *geometry, wabe_box inner) {
    wabe_flags flags;
    WABE_TRY(wabe_geometry_flags(geometry, wabe_box_grow(lbm->block, 1), &flags));
    wabe_status status = wabe_tiles_create(&lbm->layout, geometry, &flags, lbm->block, inner,
                                           &lbm->tiles);
    wabe_flags_free(&flags);
    return status;
}

static wabe_status make_fields(wabe_lbm *lbm) {
    for (int grid = 0; grid < lbm->offsets.grids; grid++)
        WABE_TRY(wabe_field_create(&lbm->layout, &lbm->fields[grid]));
    const wabe_layout values = wabe_layout_line(lbm->tiles->link_count + WABE_TILE,
                                                lbm->model.type);
    return wabe_field_create(&values, &lbm->wall);
}

wabe_status wabe_lbm_create(const wabe_registry *registry, const wabe_component *component,
                            const wabe_lbm_model *model, const wabe_geometry *geometry,
                            wabe_box block, wabe_box inner, wabe_lbm **out) {
    wabe_lbm *lbm = calloc(1, sizeof *lbm);
    WABE_CHECK(lbm, WABE_MEMORY, "no memory for a slab");
    lbm->component = component;
    lbm->model = *model;
    lbm->collision = collision_of(model);
    lbm->block = block;
    const int64_t cells[3] = {wabe_box_extent(block, 0), wabe_box_extent(block, 1),
                              wabe_box_extent(block, 2)};
    lbm->layout = wabe_layout_make(cells, WABE_Q, model->type);
    lbm->offsets = wabe_streaming_offsets_make(model->streaming, &lbm->layout);
    make_mirror_offsets(lbm);
    wabe_status status = make_tiles(lbm, geometry, inner);
    if (status == WABE_OK)
        status = pick_kernels(registry, lbm);
    if (status == WABE_OK)
        status = make_fields(lbm);
    if (status != WABE_OK)
        wabe_lbm_destroy(&lbm);
    *out = lbm;
    return status;
}

void wabe_lbm_destroy(wabe_lbm **lbm) {
    if (!*lbm)
        return;
    wabe_field_destroy(&(*lbm)->fields[0]);
    wabe_field_destroy(&(*lbm)->fields[1]);
    wabe_field_destroy(&(*lbm)->wall);
    wabe_tiles_destroy(&(*lbm)->tiles);
    free(*lbm);
    *lbm = NULL;
}

int64_t wabe_lbm_field_bytes(const wabe_lbm_model *model, const int64_t cells[3]) {
    const wabe_layout layout = wabe_layout_make(cells, WABE_Q, model->type);
    return wabe_layout_bytes(&layout) * wabe_streaming_grids(model->streaming);
}

int64_t wabe_lbm_bytes(const wabe_lbm *lbm) {
    return wabe_layout_bytes(&lbm->layout) * lbm->offsets.grids +
           wabe_layout_bytes(&lbm->wall->layout) + lbm->tiles->bytes;
}

/* ---- the step ----------------------------------------------------------------------- */

static int parity_of(const wabe_lbm *lbm) { return (int)(lbm->step & 1); }

/* The parity of the step that left the present state. */
static int last_parity(const wabe_lbm *lbm) { return (int)((lbm->step + 1) & 1); }

wabe_field *wabe_lbm_state(const wabe_lbm *lbm) {
    return lbm->fields[lbm->offsets.grids == 2 ? parity_of(lbm) : 0];
}

static wabe_field *target_of(const wabe_lbm *lbm) {
    return lbm->fields[lbm->offsets.grids == 2 ? last_parity(lbm) : 0];
}

/* A region's kernel call in pieces. */
typedef struct {
    const wabe_kernel *kernel;
    const void *args;
} call;

static void stream_collide_piece(void *context, int64_t begin, int64_t end) {
    const call *c = context;
    c->kernel->run.stream_collide(c->args, begin, end);
}

static void run_stream_collide(void *context, wabe_region_name name,
                               wabe_component_progress progress, void *progress_context) {
    const wabe_lbm *lbm = context;
    const wabe_region *region = &lbm->tiles->regions[name];
    const int parity = parity_of(lbm);
    const wabe_stream_collide_args args = {.source = wabe_lbm_state(lbm)->data,
                                           .target = target_of(lbm)->data,
                                           .in = lbm->offsets.in[parity],
                                           .out = lbm->offsets.out[parity],
                                           .wall = lbm->wall->data,
                                           .chunks = region->chunks,
                                           .records = region->records,
                                           .patches = lbm->tiles->patches,
                                           .collision = lbm->collision};
    call c = {lbm->kernels[WABE_SWEEP_stream_collide], &args};
    if (region->chunk_count > 0)
        wabe_component_for(lbm->component, region->chunk_count, stream_collide_piece, &c, progress,
                           progress_context);
}

static void advance(void *context) { ((wabe_lbm *)context)->step++; }

static void boundary_piece(void *context, int64_t begin, int64_t end) {
    const call *c = context;
    c->kernel->run.boundary(c->args, begin, end);
}

/* Mirrors need what neighbours have sent, and are few: one go, before the step that reads them. */
static void run_boundary(void *context, wabe_region_name name, wabe_component_progress progress,
                         void *progress_context) {
    const wabe_lbm *lbm = context;
    if (name != WABE_REGION_INNER)
        return;
    const int parity = parity_of(lbm);
    const wabe_boundary_args args = {.field = wabe_lbm_state(lbm)->data,
                                     .in = lbm->offsets.in[parity],
                                     .from = lbm->mirror_from[parity],
                                     .links = lbm->tiles->mirrors};
    call c = {lbm->kernels[WABE_SWEEP_boundary], &args};
    wabe_component_for(lbm->component, lbm->tiles->mirror_count, boundary_piece, &c, progress,
                       progress_context);
}

void wabe_lbm_schedule(wabe_lbm *lbm, wabe_schedule *schedule) {
    if (lbm->tiles->mirror_count > 0)
        schedule->entries[schedule->entry_count++] = (wabe_schedule_entry){
            .sweep = WABE_SWEEP_boundary, .context = lbm, .run = run_boundary};
    schedule->entries[schedule->entry_count++] =
        (wabe_schedule_entry){.sweep = WABE_SWEEP_stream_collide,
                              .context = lbm,
                              .run = run_stream_collide,
                              .post = advance};
}

/* ---- the initial state -------------------------------------------------------------- */

/* Fills moments of the cells of one plane. A cell that has collided has half a step of the force
 * more than its velocity. */
static void fill_plane(const wabe_lbm *lbm, int64_t z, wabe_lbm_initial initial,
                       const void *context, double *moments) {
    const wabe_layout *l = &lbm->layout;
    for (int64_t y = 0; y < l->cells[1]; y++)
        for (int64_t x = 0; x < l->cells[0]; x++) {
            const int64_t cell[3] = {lbm->block.begin[0] + x, lbm->block.begin[1] + y,
                                     lbm->block.begin[2] + z};
            double m[4];
            initial(context, cell, m);
            for (int k = 0; k < 4; k++)
                moments[k * l->plane + y * l->pitch + x] =
                    k == 0 ? m[k] : m[k] + 0.5 * lbm->model.force[k - 1];
        }
}

enum { TOUCHED_AT_ONCE = 4096 }; /* elements */

static void zero_piece(void *context, int64_t begin, int64_t end) {
    const wabe_field *field = context;
    const wabe_layout *l = &field->layout;
    const int64_t size = (int64_t)wabe_type_size(l->type);
    const int64_t first = begin * TOUCHED_AT_ONCE;
    const int64_t last = end * TOUCHED_AT_ONCE < l->stride ? end * TOUCHED_AT_ONCE : l->stride;
    for (int q = 0; q < l->components; q++)
        memset((char *)field->data + (q * l->stride - l->front + first) * size, 0,
               (size_t)((last - first) * size));
}

/* Each thread touches its share of the range of cells first, which is its share of the chunks too.
 */
static void touch_first(wabe_lbm *lbm) {
    const int64_t pieces = (lbm->layout.stride + TOUCHED_AT_ONCE - 1) / TOUCHED_AT_ONCE;
    for (int grid = 0; grid < lbm->offsets.grids; grid++)
        wabe_component_for_own(lbm->component, pieces, zero_piece, lbm->fields[grid]);
}

static void initialise_piece(void *context, int64_t begin, int64_t end) {
    const call *c = context;
    c->kernel->run.initialise(c->args, begin, end);
}

static void reflect_piece(void *context, int64_t begin, int64_t end) {
    const call *c = context;
    c->kernel->run.reflect(c->args, begin, end);
}

static void reflect_at_walls(wabe_lbm *lbm) {
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        const wabe_region *region = &lbm->tiles->regions[name];
        wabe_reflect_args args = {.field = wabe_lbm_state(lbm)->data,
                                  .out = lbm->offsets.out[last_parity(lbm)],
                                  .wall = lbm->wall->data,
                                  .chunks = region->chunks,
                                  .records = region->records,
                                  .patches = lbm->tiles->patches};
        memcpy(args.force, lbm->model.force, sizeof args.force);
        call c = {lbm->kernels[WABE_SWEEP_reflect], &args};
        if (region->chunk_count > 0)
            wabe_component_for(lbm->component, region->chunk_count, reflect_piece, &c, NULL, NULL);
    }
}

wabe_status wabe_lbm_initialise(wabe_lbm *lbm, wabe_lbm_initial initial, const void *context) {
    const wabe_layout *l = &lbm->layout;
    double *moments = calloc((size_t)(4 * l->plane), sizeof *moments);
    WABE_CHECK(moments, WABE_MEMORY, "no memory for the moments of a plane of cells");
    lbm->step = 0;
    touch_first(lbm);
    for (int64_t z = 0; z < l->cells[2]; z++) {
        fill_plane(lbm, z, initial, context, moments);
        const wabe_initialise_args args = {.field = wabe_lbm_state(lbm)->data,
                                           .out = lbm->offsets.out[last_parity(lbm)],
                                           .first = z * l->plane,
                                           .moments = moments,
                                           .moment_stride = l->plane};
        call c = {lbm->kernels[WABE_SWEEP_initialise], &args};
        wabe_component_for(lbm->component, (l->cells[1] - 1) * l->pitch + l->cells[0],
                           initialise_piece, &c, NULL, NULL);
    }
    free(moments);
    reflect_at_walls(lbm);
    return WABE_OK;
}

/* ---- results ------------------------------------------------------------------------ */

void wabe_lbm_cell(const wabe_lbm *lbm, int64_t n, int64_t cell[3]) {
    const wabe_layout *l = &lbm->layout;
    cell[0] = lbm->block.begin[0] + n % l->pitch;
    cell[1] = lbm->block.begin[1] + n % l->plane / l->pitch;
    cell[2] = lbm->block.begin[2] + n / l->plane;
}

/* Walls are at rest, whatever their cells hold. */
static void rest_in_walls(const wabe_lbm *lbm, const wabe_macroscopic_args *args, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t n = args->first + i;
        if (!(lbm->tiles->fluid[n / WABE_TILE] >> n % WABE_TILE & 1))
            for (int k = 0; k < 4; k++)
                args->moments[k * args->moment_stride + i] = 0.0;
    }
}

wabe_status wabe_lbm_moments(const wabe_lbm *lbm, wabe_box box, double *moments) {
    const wabe_layout *l = &lbm->layout;
    const int64_t nx = wabe_box_extent(box, 0), values = wabe_box_cells(box);
    wabe_macroscopic_args args = {.field = wabe_lbm_state(lbm)->data,
                                  .out = lbm->offsets.out[last_parity(lbm)],
                                  .moments = moments,
                                  .moment_stride = values};
    memcpy(args.force, lbm->model.force, sizeof args.force);
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++) {
            args.first = wabe_layout_cell(l, box.begin[0] - lbm->block.begin[0],
                                          y - lbm->block.begin[1], z - lbm->block.begin[2]);
            lbm->kernels[WABE_SWEEP_macroscopic]->run.macroscopic(&args, 0, nx);
            rest_in_walls(lbm, &args, nx);
            args.moments += nx;
        }
    return WABE_OK;
}

/* A well-mixing hash of 64 bits (the finaliser of splitmix64). */
static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static double value_at(const wabe_lbm *lbm, int64_t index) {
    const void *data = wabe_lbm_state(lbm)->data;
    return lbm->model.type == WABE_TYPE_f64 ? ((const double *)data)[index]
                                            : (double)((const float *)data)[index];
}

static uint64_t hash_cell(const wabe_lbm *lbm, const int64_t domain[3], int64_t n) {
    int64_t cell[3];
    wabe_lbm_cell(lbm, n, cell);
    const uint64_t id = (uint64_t)(cell[0] + domain[0] * (cell[1] + domain[1] * cell[2])) * WABE_Q;
    uint64_t sum = 0;
    for (int q = 0; q < WABE_Q; q++) {
        const double value = value_at(lbm, n + lbm->offsets.out[last_parity(lbm)][q]);
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        sum += mix(bits + mix(id + (uint64_t)q + 1));
    }
    return sum;
}

uint64_t wabe_lbm_hash(const wabe_lbm *lbm, const int64_t domain[3]) {
    uint64_t sum = 0;
    for (int64_t tile = 0; tile < lbm->tiles->tile_count; tile++)
        for (int lane = 0; lane < WABE_TILE; lane++)
            if (lbm->tiles->fluid[tile] >> lane & 1)
                sum += hash_cell(lbm, domain, tile * WABE_TILE + lane);
    return sum;
}

typedef struct {
    call call;
    wabe_monitor_result total;
} monitor_call;

static void monitor_add(wabe_monitor_result *total, const wabe_monitor_result *part) {
    wabe_sum_merge(&total->mass, &part->mass);
    wabe_sum_merge(&total->energy, &part->energy);
    for (int d = 0; d < 3; d++)
        wabe_sum_merge(&total->momentum[d], &part->momentum[d]);
    total->cells += part->cells;
    if (part->broken && (!total->broken || part->first_broken < total->first_broken))
        total->first_broken = part->first_broken;
    total->broken += part->broken;
    if (part->speed_squared > total->speed_squared ||
        (part->speed_squared == total->speed_squared && part->fastest < total->fastest)) {
        total->speed_squared = part->speed_squared;
        total->fastest = part->fastest;
    }
}

static void monitor_piece(void *context, int64_t begin, int64_t end) {
    monitor_call *m = context;
    wabe_monitor_result part = {0};
    wabe_monitor_args args = *(const wabe_monitor_args *)m->call.args;
    args.result = &part;
    m->call.kernel->run.monitor(&args, begin, end);
#pragma omp critical(wabe_monitor)
    monitor_add(&m->total, &part);
}

wabe_monitor_result wabe_lbm_monitor(const wabe_lbm *lbm) {
    monitor_call m = {.call.kernel = lbm->kernels[WABE_SWEEP_monitor]};
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        const wabe_region *region = &lbm->tiles->regions[name];
        wabe_monitor_args args = {.field = wabe_lbm_state(lbm)->data,
                                  .out = lbm->offsets.out[last_parity(lbm)],
                                  .chunks = region->chunks,
                                  .records = region->records};
        memcpy(args.force, lbm->model.force, sizeof args.force);
        m.call.args = &args;
        if (region->chunk_count > 0)
            wabe_component_for(lbm->component, region->chunk_count, monitor_piece, &m, NULL, NULL);
    }
    return m.total;
}
