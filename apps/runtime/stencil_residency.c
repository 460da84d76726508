/* Whether the fields of a stencil application are on the GPU, or streamed through it. */
#include "apps/runtime/residency.h"
#include "apps/runtime/stencil_internal.h"

#include <math.h>

/* While all of an array is copied at 50 GB/s each way, a kernel at 0.95 of the memory's bandwidth
 * moves it 57 times on an H100 (3000 GB/s) and 81 times on an H200 (4290 GB/s); two H100s of a
 * host, which copy at 34 to 44 GB/s each, gain from more, too. */
#define MOVES_TO_HIDE 80.0

enum { CALLS_BESIDE = 4 }; /* of the kernel, in a pass that hides its copies */

/* ---- memory ------------------------------------------------------------------------- */

/* Bytes of the host's memory: of homes, and of ghost planes that are sent and received. */
static double host_bytes(const wabe_grid_pass_plan *p, int64_t ghosts) {
    return (double)(wabe_window_host_bytes(&p->ring, p->arrays) + 2 * ghosts * p->plane_bytes);
}

/* Passes of a slab of so many planes, which has ghost planes in addition; of levels, the last one
 * covers none of them. */
static wabe_model_passes passes_of(const wabe_grid_pass_plan *p, const wabe_grid_model *m,
                                   double planes, double ghosts) {
    const double levels = wabe_grid_ghost_planes(m, p->steps_per_pass) / (double)p->reach;
    const wabe_window_traffic t = wabe_window_traffic_of(&p->ring, p->arrays);
    const double copied = (double)(t.loaded > t.stored ? t.loaded : t.stored);
    return (wabe_model_passes){.steps = p->steps_per_pass,
                               .computed = 1.0 + 0.5 * ghosts / planes * (1.0 - 1.0 / levels),
                               .bytes = copied + ghosts * (double)p->plane_bytes};
}

double wabe_stencil_streamed_memory(const wabe_run *run) {
    return wabe_run_is_streamed(run)
               ? (double)wabe_ring_bytes(&run->streamed.ring) +
                     (double)wabe_grid_bytes_beside(&wabe_stencil_case_of(run)->slabs.model)
               : 0.0;
}

/* ---- the plan ----------------------------------------------------------------------- */

/* The model with what its kernels can do on all blocks. Collective. */
static wabe_status planned_model(const wabe_run *run, wabe_grid_model *out) {
    int depth = 0, wraps = 0;
    *out = wabe_stencil_case_of(run)->slabs.model;
    WABE_TRY(wabe_agree(run->comm, wabe_stencil_plan_passes(run, &depth, &wraps)));
    out->depth = wabe_least(run->comm, depth);
    out->wraps[0] = wabe_least(run->comm, wraps);
    return WABE_OK;
}

/* What passes are planned for. */
typedef struct {
    int64_t unit;     /* see wabe_device_ring_unit */
    int64_t cells[3]; /* without ghost planes */
    int faces;        /* those that have ghost planes */
    int64_t thinnest; /* planes of the slabs that send them */
    double room;      /* bytes of the device for everything */
    int steps;        /* per pass; 0: chosen */
    double per_node;  /* GPUs of a node */
} demand;

/* Steps of a pass for which the thinnest slab has planes enough to send. */
static int most_steps_of(const demand *d, const wabe_grid_model *m) {
    return (int)(d->thinnest / wabe_grid_ghost_planes(m, m->depth)) * m->depth;
}

static wabe_status plan_slab(const demand *d, int steps, wabe_grid_model *m,
                             wabe_grid_pass_plan *plan) {
    const double window = (1.0 - WABE_RESIDENCY_SPARE) * d->room -
                          (double)wabe_grid_bytes_beside(m);
    const int64_t planes = d->cells[2] + d->faces * wabe_grid_ghost_planes(m, steps);
    m->residency = (wabe_grid_residency){window > 1.0 ? (int64_t)window : 1, steps};
    return wabe_grid_plan_passes(d->unit, m, (const int64_t[3]){d->cells[0], d->cells[1], planes},
                                 plan);
}

/* Steps of a pass whose kernels take as long as its copies; ghost planes are computed for each. */
static int steps_that_hide(const demand *d, const wabe_grid_model *m,
                           const wabe_grid_pass_plan *p) {
    const double work =
        wabe_stencil_attributes_of(wabe_stencil_find_kernel(&m->sweeps[0], WABE_TARGET_gpu))->work;
    const double cost_of_call = (1.0 + work * m->depth) / (1.0 + work); /* over that of one step */
    const double moved = (double)(p->ring.pieces - p->ring.slots) / (double)p->ring.pieces;
    const double loaded = __builtin_popcountll(p->arrays.moved | p->arrays.fixed);
    const double slower = fmax(1.0, d->per_node / WABE_RESIDENCY_GPUS_OF_HOST);
    double accessed = 0.0;
    for (const wabe_grid_sweep_row *s = m->sweeps; s < m->sweeps + m->sweep_count; s++) {
        for (int i = 0; i < s->write_count; i++)
            accessed += m->fields[s->writes[i]].components;
        for (int i = 0; i < s->read_count; i++)
            accessed += m->fields[s->reads[i].field].components;
    }
    return m->depth * (CALLS_BESIDE + (int)ceil(MOVES_TO_HIDE * slower * moved * loaded /
                                                (accessed * cost_of_call)));
}

/* Plans passes of the steps asked for. Otherwise a slab without ghost planes has as many as there
 * is room for; one with them those that hide copies, if there is room, and neighbours have as many.
 */
static wabe_status find_plan(const demand *d, wabe_grid_model *m, wabe_grid_pass_plan *plan) {
    wabe_status status = plan_slab(d, d->steps, m, plan);
    if (d->faces == 0 || d->steps > 0 || status != WABE_OK)
        return status;
    int steps = steps_that_hide(d, m, plan), most = most_steps_of(d, m);
    most = plan->steps_per_pass < most ? plan->steps_per_pass : most;
    steps = most < steps ? most : steps;
    while ((status = plan_slab(d, steps, m, plan)) != WABE_OK && steps > m->depth)
        steps -= m->depth;
    return status;
}

/* ---- a run's slabs ------------------------------------------------------------------ */

/* Why this process cannot stream its slab; NULL: it can. */
static const char *obstacle(const wabe_run *run, const wabe_grid_model *model) {
    const char *why = wabe_residency_obstacle(run);
    return why ? why : wabe_grid_obstacle(model);
}

/* All processes do as many steps in a pass. Collective. */
static wabe_status plan_slabs(const wabe_run *run, demand *d, wabe_grid_model *m,
                              wabe_grid_pass_plan *plan) {
    wabe_status status = find_plan(d, m, plan);
    status = wabe_agree(run->comm,
                        wabe_residency_blame(run, status, (double)plan->least,
                                             (double)wabe_grid_bytes_beside(m), d->room));
    if (status != WABE_OK || run->size == 1)
        return status;
    return wabe_agree(run->comm,
                      plan_slab(d, wabe_least(run->comm, plan->steps_per_pass), m, plan));
}

static wabe_status plan_stream(wabe_run *run, wabe_grid_model *m) {
    demand d = {.unit = wabe_device_ring_unit(run->components.list[0].device),
                .faces = wabe_ghosts_faces(run->block, m->cells, m->periodic),
                .room = wabe_run_device_memory(run, 0),
                .steps = (int)run->o->parallel.steps_per_pass,
                .per_node = wabe_residency_gpus_of_node(run)};
    wabe_grid_pass_plan plan;
    wabe_box_extents(run->block, d.cells);
    d.thinnest = wabe_least(run->comm, (int)d.cells[2]);
    if (d.faces > 0)
        WABE_TRY(wabe_residency_check_steps(run, most_steps_of(&d, m), d.thinnest));
    WABE_TRY(plan_slabs(run, &d, m, &plan));
    const int64_t ghosts = d.faces * wabe_grid_ghost_planes(m, plan.steps_per_pass);
    wabe_stencil_case_of(run)->slabs.model.residency = m->residency;
    run->pass_steps = plan.steps_per_pass;
    run->streamed = (wabe_run_streamed){.what = "fields",
                                        .ring = plan.ring,
                                        .host = host_bytes(&plan, ghosts),
                                        .planes = ghosts,
                                        .plane_bytes = (double)plan.plane_bytes};
    return WABE_OK;
}

static wabe_status check_keys(const wabe_run *run) {
    const bool resident = run->o->parallel.residency == WABE_RESIDENCY_RESIDENT ||
                          !run->components.list[0].device;
    if (resident && run->o->parallel.steps_per_pass > 1)
        return wabe_config_fail(run->config, "parallel.steps_per_pass",
                                "is for flows, and for fields that are streamed through a GPU");
    return WABE_OK;
}

static wabe_status choose_residency(wabe_run *run) {
    wabe_grid_model model;
    bool streamed;
    wabe_stencil_case_of(run)->slabs.model.residency = (wabe_grid_residency){0};
    WABE_TRY(wabe_agree(run->comm, check_keys(run)));
    WABE_TRY(planned_model(run, &model));
    WABE_TRY(wabe_residency_decide(run, obstacle(run, &model), &streamed));
    return streamed ? plan_stream(run, &model) : WABE_OK;
}

/* For a slab that is not there, on a GPU of any kind. */
static wabe_status stream(const wabe_run *run, const int64_t cells[3], int neighbours, int per_node,
                          double room, wabe_model_passes *out, double *host) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    wabe_grid_model model = s->slabs.model;
    const wabe_kernel *kernel = wabe_stencil_find_kernel(&model.sweeps[0], WABE_TARGET_gpu);
    const demand d = {.unit = WABE_RESIDENCY_UNIT,
                      .cells = {cells[0], cells[1], cells[2]},
                      .faces = neighbours,
                      .thinnest = cells[2],
                      .room = room,
                      .steps = (int)run->o->parallel.steps_per_pass,
                      .per_node = per_node};
    wabe_grid_pass_plan plan;
    WABE_CHECK(kernel, WABE_INPUT, "there is no kernel for GPUs");
    model.depth = s->depth ? s->depth : wabe_grid_depth(kernel, &model, cells);
    const char *why = wabe_grid_obstacle(&model);
    WABE_CHECK(!why, WABE_INPUT, "%s", why);
    const int most = most_steps_of(&d, &model);
    WABE_CHECK(neighbours == 0 || (most >= 1 && d.steps <= most), WABE_INPUT,
               "a slab of %lld planes has passes of %d steps at most", (long long)cells[2], most);
    WABE_TRY(find_plan(&d, &model, &plan));
    const int64_t ghosts = neighbours * wabe_grid_ghost_planes(&model, plan.steps_per_pass);
    *out = passes_of(&plan, &model, (double)cells[2], (double)ghosts);
    *host = host_bytes(&plan, ghosts);
    return WABE_OK;
}

wabe_status wabe_stencil_meet_neighbours(const wabe_run *run) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    int ranks[WABE_SIDES];
    if (!wabe_run_is_streamed(run))
        return WABE_OK;
    wabe_domain_ranks_beside(&s->domain, ranks);
    return wabe_grid_meet_neighbours(s->slabs.list[0], run->comm, ranks,
                                     run->o->parallel.transport != WABE_TRANSPORT_host);
}

/* ---- results ------------------------------------------------------------------------ */

wabe_model_passes wabe_stencil_passes(const wabe_run *run) {
    const wabe_grid_slab *slab = wabe_stencil_case_of(run)->slabs.list[0];
    return wabe_run_is_streamed(run)
               ? passes_of(&slab->streamed.plan, &slab->model,
                           (double)wabe_box_extent(run->block, 2), (double)run->streamed.planes)
               : (wabe_model_passes){.steps = 0.0};
}

static wabe_streamed_work work_of(const wabe_grid_slab *slab) {
    return (wabe_streamed_work){slab->streamed.plan.ring, slab->passes[0],
                                wabe_window_moved(slab->driver.window),
                                wabe_grid_kernel_seconds(slab)};
}

void wabe_stencil_put_residency(const wabe_run *run, wabe_json *json) {
    const wabe_grid_slab *slab = wabe_stencil_case_of(run)->slabs.list[0];
    if (!wabe_run_is_streamed(run) || !slab)
        return;
    const wabe_streamed_work work = work_of(slab);
    wabe_residency_put(&work, json);
}

void wabe_stencil_print_copies(const wabe_run *run) {
    if (!wabe_run_is_streamed(run))
        return;
    const wabe_streamed_work work = work_of(wabe_stencil_case_of(run)->slabs.list[0]);
    wabe_residency_print_copies(run, &work);
}

void wabe_stencil_enter_residency(wabe_application *app) {
    app->choose_residency = choose_residency;
    app->stream = stream;
}
