/* Whether the populations of a flow are on the GPU, or streamed through it; and how many steps a
 * CPU does while a part of them is in its cache. */
#include "apps/lbm/lbm.h"

#include "apps/runtime/residency.h"
#include "comm/node.h"
#include "core/base/log.h"

#include <math.h>
#include <stdio.h>

/* The fullest plane of a list has so many times the mean's cells, where it is not measured. */
#define FULLER 1.2

enum {
    PLANES_BESIDE = 2,   /* that a pass needs in a cache beside one for each step */
    STEPS_OF_PLANES = 8, /* planes of a slab for each step of a pass, at least */
    /* While all of a slab is copied at 50 GB/s each way, a kernel at 0.92 of the memory's bandwidth
     * does 28 steps on an H100 (3000 GB/s), and 40 on an H200 (4290 GB/s); two H100s of a host gain
     * from 40, too (docs/performance.md). More share the bandwidth of the host's memory. */
    STEPS_TO_HIDE_ALL = 40,
    STEPS_BESIDE = 8,
    CACHED_STEPS_LEAST = 4,
    CACHED_STEPS_MOST = 6, /* more gain nothing */
    ROWS_OF_STEPS = 3      /* rows of a panel for each step of a pass, at least */
};

/* ---- what can be ---------------------------------------------------------------------- */

static wabe_streaming streaming_of(const wabe_run *run) {
    return wabe_flow_of(run)->lbm_case.simulation.model.streaming;
}

#define LAW "no solid may be of kind wall_function"

/* Why a flow cannot be streamed, whatever the processes; NULL: it can. */
static const char *obstacle_of_case(const wabe_run *run) {
    if (wabe_geometry_law(&wabe_flow_of(run)->lbm_case.simulation.geometry))
        return LAW;
    return streaming_of(run) == WABE_STREAMING_pull
               ? "lbm.streaming must be another one; \"in_place\" has the same bits"
               : NULL;
}

/* Is the domain periodic along z, and thicker than a cell? */
static bool goes_round(const wabe_run *run) {
    const wabe_geometry *g = &wabe_flow_of(run)->lbm_case.simulation.geometry;
    bool periodic[3];
    wabe_geometry_periodic(g, periodic);
    return periodic[2] && g->cells[2] > 1;
}

static const char *obstacle_to_cached_passes(const wabe_run *run) {
    if (run->size > 1)
        return "there must be one process";
    if (goes_round(run))
        return "z must not be periodic";
    if (wabe_geometry_law(&wabe_flow_of(run)->lbm_case.simulation.geometry))
        return LAW;
    if (wabe_streaming_grids(streaming_of(run)) == 2)
        return "lbm.streaming must be \"in_place\" or \"list\"";
    return run->components.count != 1 ? "there must be one component" : NULL;
}

/* Why this case cannot be streamed; NULL: it can. */
static const char *obstacle(const wabe_run *run) {
    const char *why = obstacle_of_case(run);
    return why ? why : wabe_residency_obstacle(run);
}

/* ---- memory ---------------------------------------------------------------------------- */

/* Bytes of links to images at faces; x and y, since slabs do not wrap round along z. */
static double image_bytes(wabe_lattice lattice, const wabe_geometry *geometry,
                          const int64_t cells[3]) {
    const double link = wabe_lattice_crossing(lattice, 1) * (double)sizeof(wabe_image_link);
    double bytes = 0.0;
    for (int face = 0; face < WABE_FACES; face++) {
        const int axis = face / 2;
        const int64_t cells_of_face = cells[(axis + 1) % 3] * cells[(axis + 2) % 3];
        const wabe_boundary kind = geometry->conditions[face].kind;
        if ((kind == WABE_BOUNDARY_periodic && axis < 2) || WABE_MIRRORS >> kind & 1)
            bytes += link * (double)cells_of_face;
    }
    return bytes;
}

static bool is_list(const wabe_run *run) {
    return wabe_simulation_expects_list(&wabe_flow_of(run)->lbm_case.simulation);
}

static double share_of_fluid(const wabe_simulation_options *s) {
    return s->fluid_share > 0.0 ? s->fluid_share : 1.0;
}

/* Bytes of what is on the device beside the populations and the neighbour indices of a list. */
static double beside(const wabe_run *run, const int64_t cells[3]) {
    const wabe_simulation_options *s = &wabe_flow_of(run)->lbm_case.simulation;
    const double all = (double)(cells[0] * cells[1] * cells[2]);
    const double forecast = (double)wabe_simulation_forecast(s, cells, WABE_TARGET_gpu);
    const double populations = wabe_lattice_count(s->model.lattice);
    bool flat[3];
    if (is_list(run))
        return forecast - share_of_fluid(s) * all *
                              (populations * (double)wabe_type_size(s->model.type) +
                               (populations - 1.0) * (double)sizeof(uint32_t));
    wabe_lbm_flat(&s->geometry, flat);
    return forecast - (double)wabe_lbm_field_bytes(&s->model, cells, flat, WABE_TARGET_gpu) +
           image_bytes(s->model.lattice, &s->geometry, cells) +
           0.5 * all; /* marks and classes of tiles */
}

static wabe_streaming expected_streaming(const wabe_run *run) {
    return is_list(run) ? WABE_STREAMING_list : streaming_of(run);
}

static int more_planes(const wabe_run *run) {
    return wabe_lbm_more_planes(&wabe_flow_of(run)->lbm_case.simulation.geometry,
                                expected_streaming(run));
}

/* The most steps of a pass if slabs, which send as many planes to neighbours and more_planes in
 * addition, have at least so many planes. The plane at a mirror is not sent: its images need what
 * has left it. A slab that is its own neighbour asks for flags in one image of the domain alone. */
static int64_t most_steps_of(const wabe_run *run, int64_t planes) {
    const wabe_condition *faces = wabe_flow_of(run)->lbm_case.simulation.geometry.conditions;
    const bool mirrors = ((1u << faces[4].kind | 1u << faces[5].kind) & WABE_MIRRORS) != 0;
    return planes - more_planes(run) - mirrors - (run->size == 1);
}

/* The slab of the only component, with ghost planes for passes of so many steps. */
static wabe_box held_by(const wabe_run *run, int steps) {
    const wabe_lbm_residency residency = {.memory = 1, .steps_per_pass = steps};
    return wabe_lbm_held(&residency, &wabe_flow_of(run)->lbm_case.simulation.geometry,
                         expected_streaming(run), run->block);
}

/* ---- lists ---------------------------------------------------------------------------- */

/* May there be a list, but the share of fluid cells is not yet known? */
static bool is_unknown(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_model *model = &flow->lbm_case.simulation.model;
    return wabe_flow_needs_analysis(flow) && flow->pores.cells == 0 &&
           (model->list_cost_ratio > 0.0 || model->streaming == WABE_STREAMING_list);
}

/* Passes are planned for a list, or for none. */
static void settle_on_list(const wabe_run *run) {
    wabe_lbm_model *model = &wabe_flow_of(run)->lbm_case.simulation.model;
    if (is_list(run))
        model->streaming = WABE_STREAMING_list;
    model->list_cost_ratio = 0.0;
}

/* Finds flow.list. Collective. */
static wabe_status measure_list(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    const wabe_simulation_options *s = &flow->lbm_case.simulation;
    wabe_list_extent *list = &flow->list;
    if (list->plane > 0) /* the same for all processes */
        return WABE_OK;
    WABE_TRY(wabe_agree(run->comm,
                        wabe_lbm_measure_list(s->model.lattice, &s->geometry, run->block, list)));
    MPI_Allreduce(MPI_IN_PLACE, &list->plane, 1, MPI_INT64_T, MPI_MAX, run->comm);
    MPI_Allreduce(MPI_IN_PLACE, &list->reach, 1, MPI_INT64_T, MPI_MAX, run->comm);
    return WABE_OK;
}

/* The list of a slab of so many cells, ghost planes included: of this process if own is set. */
static wabe_list_extent extent_of(const wabe_run *run, const int64_t cells[3], bool own) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_list_extent *list = &flow->list;
    const double plane = share_of_fluid(&flow->lbm_case.simulation) * (double)(cells[0] * cells[1]);
    if (!own)
        return (wabe_list_extent){.slots = (int64_t)(plane * (double)cells[2]),
                                  .plane = (int64_t)(FULLER * plane),
                                  .reach = (int64_t)(2.0 * FULLER * plane)};
    const int64_t more = cells[2] - wabe_box_extent(run->block, 2) + 2; /* with those beside it */
    return (wabe_list_extent){.slots = list->slots + more * list->plane,
                              .plane = list->plane,
                              .reach = list->reach};
}

/* The most cells that indices tell apart; strides are multiples of some number. */
static double longest_list(const wabe_run *run) {
    const wabe_lattice lattice = wabe_flow_of(run)->lbm_case.simulation.model.lattice;
    return 0.95 * (double)wabe_list_cells_max(wabe_lattice_count(lattice));
}

/* Is some slab's list too long, with the ghost planes that it may have? Collective. */
static bool list_is_too_long(const wabe_run *run) {
    int64_t cells[3];
    wabe_box_extents(run->block, cells);
    if (run->size > 1 || goes_round(run))
        cells[2] += 2 * STEPS_TO_HIDE_ALL;
    return wabe_residency_any(run, (double)extent_of(run, cells, true).slots > longest_list(run));
}

/* Measures the list that will be streamed, or takes none if it is too long. Collective. */
static wabe_status plan_list(wabe_run *run) {
    wabe_lbm_model *m = &wabe_flow_of(run)->lbm_case.simulation.model;
    if (!is_list(run))
        return WABE_OK;
    WABE_TRY(measure_list(run));
    if (!list_is_too_long(run))
        return WABE_OK;
    m->list_cost_ratio = 0.0;
    return m->streaming != WABE_STREAMING_list
               ? WABE_OK
               : wabe_config_fail(run->config, "lbm.streaming",
                                  "cannot be \"list\": a slab has more than %.0f million fluid "
                                  "cells, the most of a list; use more processes, of which several "
                                  "may share a GPU, or \"in_place\"",
                                  1e-6 * longest_list(run));
}

/* ---- streamed flows ------------------------------------------------------------------- */

/* What passes are planned for. */
typedef struct {
    int64_t unit;     /* see wabe_device_ring_unit */
    int64_t cells[3]; /* with ghost planes */
    bool own;         /* this process's slab */
    bool neighbours;
    double room; /* bytes of the device for everything */
} demand;

/* steps: of a pass; 0: chosen, without room for ghost planes. Local. */
static wabe_status plan_slab(const wabe_run *run, const demand *d, int steps,
                             wabe_lbm_residency *residency, wabe_lbm_pass_plan *plan) {
    static const bool spans[3] = {true, true, true};
    const wabe_simulation_options *s = &wabe_flow_of(run)->lbm_case.simulation;
    wabe_layout layout = wabe_lbm_layout(&s->model, &s->geometry, d->cells, spans, WABE_TARGET_gpu);
    const double window = (1.0 - WABE_RESIDENCY_SPARE) * d->room - beside(run, d->cells);
    *residency = (wabe_lbm_residency){.memory = window > 1.0 ? (int64_t)window : 1,
                                      .neighbours = d->neighbours,
                                      .summed = run->averages.rows > 0,
                                      .steps_per_pass = steps};
    if (!is_list(run))
        return wabe_lbm_plan_passes(d->unit, residency, &s->geometry, NULL, &layout, plan);
    const wabe_list_extent list = extent_of(run, d->cells, d->own);
    wabe_layout_shorten(&layout, list.slots, WABE_TARGET_gpu);
    return wabe_lbm_plan_passes(d->unit, residency, &s->geometry, &list, &layout, plan);
}

/* Plans passes through the only component. Local. */
static wabe_status plan_passes(wabe_run *run, double room, int steps) {
    wabe_flow *flow = wabe_flow_of(run);
    demand d = {.unit = wabe_device_ring_unit(run->components.list[0].device),
                .neighbours = run->size > 1 || goes_round(run),
                .own = true,
                .room = room};
    wabe_box_extents(held_by(run, steps), d.cells);
    const wabe_status status = plan_slab(run, &d, steps, &flow->lbm_case.simulation.model.residency,
                                         &flow->pass_plan);
    return wabe_residency_blame(run, status, (double)flow->pass_plan.least, beside(run, d.cells),
                                room);
}

/* Steps of a pass that take as long as its copies, and some more, if all of a slab takes
 * STEPS_TO_HIDE_ALL; each step more means ghost planes to be computed. per_node: GPUs of a node. */
static int steps_that_hide(const wabe_lbm_pass_plan *p, double per_node) {
    const double moved = 1.0 - (double)p->ring.slots / (double)p->ring.pieces;
    const double slower = fmax(1.0, per_node / WABE_RESIDENCY_GPUS_OF_HOST);
    const int wanted = STEPS_BESIDE + (int)ceil(STEPS_TO_HIDE_ALL * slower * moved);
    return wanted < p->room_steps ? wanted : p->room_steps;
}

/* Chooses the number of steps that all windows have room for, ghost planes included; neighbours
 * send no more planes than they have. Collective. */
static wabe_status choose_steps(wabe_run *run, double room) {
    const int given = (int)run->o->parallel.steps_per_pass;
    const int thinnest = wabe_least(run->comm, (int)wabe_box_extent(run->block, 2));
    const int most = (int)most_steps_of(run, thinnest);
    const bool neighbours = run->size > 1 || goes_round(run);
    if (neighbours)
        WABE_TRY(wabe_residency_check_steps(run, most, thinnest));
    WABE_TRY(wabe_agree(run->comm, plan_passes(run, room, given)));
    const double per_node = wabe_residency_gpus_of_node(run);
    const wabe_lbm_pass_plan *plan = &wabe_flow_of(run)->pass_plan;
    int steps = wabe_least(run->comm, neighbours && given == 0 ? steps_that_hide(plan, per_node)
                                                               : plan->steps_per_pass);
    steps = neighbours && steps > most ? most : steps;
    wabe_status status = wabe_agree(run->comm, plan_passes(run, room, steps));
    while (status != WABE_OK && given == 0 && steps > 1)
        status = wabe_agree(run->comm, plan_passes(run, room, --steps));
    return status;
}

/* Bytes of homes of pieces that are not on the device, of ghost planes that are sent and received,
 * and of sums over time. cells: of the slab without ghost planes. */
static double host_bytes(const wabe_run *run, const wabe_lbm_pass_plan *p, const int64_t cells[3],
                         int64_t ghosts) {
    const int64_t sums = run->averages.rows * cells[0] * cells[1] * cells[2];
    return (double)(wabe_window_host_bytes(&p->ring, p->moved) +
                    wabe_window_host_bytes(&p->places, (wabe_window_arrays){.fixed = 1}) +
                    2 * ghosts * p->plane_bytes + sums * (int64_t)sizeof(double));
}

static int64_t ghost_planes(const wabe_run *run) {
    return wabe_box_extent(held_by(run, wabe_flow_of(run)->pass_plan.steps_per_pass), 2) -
           wabe_box_extent(run->block, 2);
}

static double host_memory(const wabe_run *run) {
    int64_t cells[3];
    wabe_box_extents(run->block, cells);
    return host_bytes(run, &wabe_flow_of(run)->pass_plan, cells, ghost_planes(run));
}

static const char *what_of(const wabe_run *run) {
    if (streaming_of(run) == WABE_STREAMING_moments)
        return "moments in two grids";
    return is_list(run) ? "a list's populations and indices" : "populations";
}

static wabe_status plan_stream(wabe_run *run, double room) {
    wabe_flow *flow = wabe_flow_of(run);
    wabe_lbm_model *model = &flow->lbm_case.simulation.model;
    WABE_TRY(plan_list(run));
    WABE_TRY(choose_steps(run, room));
    model->residency.steps_per_pass = flow->pass_plan.steps_per_pass;
    settle_on_list(run);
    run->pass_steps = flow->pass_plan.steps_per_pass;
    run->streamed =
        (wabe_run_streamed){.what = what_of(run),
                            .ring = flow->pass_plan.ring,
                            .beside = (double)wabe_ring_bytes(&flow->pass_plan.places),
                            .others = (double)wabe_ring_addresses(&flow->pass_plan.places),
                            .host = host_memory(run),
                            .planes = ghost_planes(run),
                            .plane_bytes = (double)flow->pass_plan.plane_bytes};
    return WABE_OK;
}

/* As choose_steps does, but for a slab that is not there. */
static wabe_status stream(const wabe_run *run, const int64_t cells[3], int neighbours, int per_node,
                          double room, wabe_model_passes *out, double *host) {
    const int given = (int)run->o->parallel.steps_per_pass;
    const int more = more_planes(run);
    const int64_t most = most_steps_of(run, cells[2]);
    demand d = {.unit = WABE_RESIDENCY_UNIT,
                .cells = {cells[0], cells[1], cells[2]},
                .neighbours = neighbours > 0,
                .room = room};
    wabe_lbm_residency residency;
    wabe_lbm_pass_plan plan;
    const char *why = obstacle_of_case(run);
    WABE_CHECK(!why, WABE_INPUT, "%s", why);
    WABE_CHECK(neighbours == 0 || (most >= 1 && given <= most), WABE_INPUT,
               "a slab of %lld planes has passes of %lld steps at most", (long long)cells[2],
               (long long)(most < 0 ? 0 : most));
    WABE_TRY(plan_slab(run, &d, given, &residency, &plan));
    int steps = neighbours > 0 && given == 0 ? steps_that_hide(&plan, per_node)
                                             : plan.steps_per_pass;
    steps = neighbours > 0 && steps > most ? (int)most : steps;
    wabe_status status = WABE_MEMORY;
    for (; status != WABE_OK && steps > 0; steps = given > 0 ? 0 : steps - 1) {
        d.cells[2] = cells[2] + neighbours * (steps + more);
        status = plan_slab(run, &d, steps, &residency, &plan);
    }
    WABE_TRY(status);
    const int64_t ghosts = d.cells[2] - cells[2];
    *out = wabe_simulation_passes(&plan, (double)cells[2], (double)ghosts);
    *host = host_bytes(run, &plan, cells, ghosts);
    return WABE_OK;
}

static wabe_status check_keys(const wabe_run *run) {
    const bool resident = run->o->parallel.residency == WABE_RESIDENCY_RESIDENT;
    if (resident && run->components.list[0].device && run->o->parallel.steps_per_pass > 0)
        return wabe_config_fail(run->config, "parallel.steps_per_pass",
                                "is for parallel.residency = \"streamed\"");
    return WABE_OK;
}

/* Bytes of the populations of a row, and of the cache that the component's cores share. */
static int64_t row_bytes(const wabe_run *run) {
    const wabe_lbm_model *m = &wabe_flow_of(run)->lbm_case.simulation.model;
    return (run->o->domain.cells[0] + 1) * wabe_lattice_count(m->lattice) *
           (int64_t)wabe_type_size(m->type);
}
static int64_t cache_bytes(const wabe_run *run) {
    return wabe_component_shared_cache(run->components.list[0].threads);
}

/* Rows of panels of which a pass of so many steps has half of the cache; 0: it must go through
 * whole planes, or panels would have little more rows than levels are apart. */
static int rows_in_cache(const wabe_run *run, int steps) {
    const int64_t *n = run->o->domain.cells;
    const wabe_simulation_options *s = &wabe_flow_of(run)->lbm_case.simulation;
    if (is_list(run) || image_bytes(s->model.lattice, &s->geometry, n) > 0.0 ||
        n[0] + 1 < WABE_PANELS_PITCH_LEAST)
        return 0;
    const int64_t rows = cache_bytes(run) / (2 * (steps + PLANES_BESIDE) * row_bytes(run));
    return rows < ROWS_OF_STEPS * steps ? 0 : (int)(rows < n[1] ? rows : n[1] + 1);
}

/* Steps of a pass whose planes fit a cache, with one before and one behind, but not few: what
 * caches keep beyond that still helps. 0: a step by itself is as fast. */
static int steps_of_planes(const wabe_run *run) {
    const int64_t *n = run->o->domain.cells;
    bool periodic[3];
    wabe_geometry_periodic(&wabe_flow_of(run)->lbm_case.simulation.geometry, periodic);
    if (periodic[1] && n[1] > 1)
        return 0; /* steps are three planes apart: too far */
    const int64_t planes = cache_bytes(run) / (row_bytes(run) * (n[1] + 1));
    const int64_t fit = planes - PLANES_BESIDE < CACHED_STEPS_MOST ? planes - PLANES_BESIDE
                                                                   : CACHED_STEPS_MOST;
    const int64_t steps = fit < CACHED_STEPS_LEAST ? CACHED_STEPS_LEAST : fit;
    return planes < 1 || n[2] < STEPS_OF_PLANES * steps ? 0 : (int)steps;
}

static int steps_in_cache(const wabe_run *run) {
    const int64_t *n = run->o->domain.cells;
    if (row_bytes(run) * (n[1] + 1) * (n[2] + 1) <= cache_bytes(run))
        return 0; /* all of the flow stays there */
    for (int steps = CACHED_STEPS_MOST; steps >= CACHED_STEPS_LEAST; steps--)
        if (rows_in_cache(run, steps) > 0 && n[2] >= STEPS_OF_PLANES * steps)
            return steps;
    return steps_of_planes(run);
}

static wabe_status choose_cache_pass(wabe_run *run) {
    const char *why = obstacle_to_cached_passes(run);
    const int64_t given = run->o->parallel.steps_per_pass;
    if (why && given > 1)
        return wabe_config_fail(run->config, "parallel.steps_per_pass", "must be 1, or 0: %s", why);
    if (given > WABE_PASS_LEVELS_MAX)
        return wabe_config_fail(run->config, "parallel.steps_per_pass", "must be %d at most",
                                WABE_PASS_LEVELS_MAX);
    if (why || given == 1 || is_unknown(run) || (given == 0 && is_list(run)))
        return WABE_OK;
    run->pass_steps = given > 0 ? (int)given : steps_in_cache(run);
    wabe_lbm_model *model = &wabe_flow_of(run)->lbm_case.simulation.model;
    model->residency.steps_per_pass = run->pass_steps;
    if (run->pass_steps == 0)
        return WABE_OK;
    model->residency.rows = rows_in_cache(run, run->pass_steps);
    settle_on_list(run);
    return WABE_OK;
}

static wabe_status choose_residency(wabe_run *run) {
    const bool device = run->components.list[0].device;
    bool streamed;
    wabe_flow_of(run)->lbm_case.simulation.model.residency = (wabe_lbm_residency){0};
    WABE_TRY(wabe_agree(run->comm, check_keys(run)));
    WABE_TRY(wabe_residency_decide(run, obstacle(run), &streamed));
    if (streamed && is_unknown(run))
        return WABE_OK; /* it is asked again when the share of fluid cells is known */
    if (streamed)
        return plan_stream(run, wabe_run_device_memory(run, 0));
    return wabe_residency_any(run, device) ? WABE_OK
                                           : wabe_agree(run->comm, choose_cache_pass(run));
}

bool wabe_flow_is_streamed(const wabe_flow *flow) {
    return flow->lbm_case.simulation.model.residency.memory > 0;
}

double wabe_flow_streamed_memory(const wabe_run *run) {
    const wabe_lbm_pass_plan *p = &wabe_flow_of(run)->pass_plan;
    int64_t cells[3];
    wabe_box_extents(held_by(run, p->steps_per_pass), cells);
    return (double)(wabe_ring_bytes(&p->ring) + wabe_ring_bytes(&p->places)) + beside(run, cells);
}

void wabe_flow_print_residency(const wabe_run *run) {
    const int rows = wabe_flow_of(run)->lbm_case.simulation.model.residency.rows;
    char what[64] = "planes of cells";
    if (rows > 0)
        snprintf(what, sizeof what, "%d rows of a few planes", rows);
    if (run->pass_steps > 0 && !wabe_flow_is_streamed(wabe_flow_of(run)))
        wabe_log_detail("passes     %d steps at a time, while %s are in the cache", run->pass_steps,
                        what);
}

static wabe_streamed_work work_of(const wabe_lbm_slab *slab) {
    wabe_window_traffic moved = wabe_window_moved(slab->driver.window);
    if (slab->passes.places) {
        const wabe_window_traffic places = wabe_window_moved(slab->passes.places);
        moved.loaded += places.loaded;
        moved.load_seconds = fmax(moved.load_seconds, places.load_seconds); /* at the same time */
    }
    return (wabe_streamed_work){slab->passes.plan.ring, slab->driver.passes, moved,
                                wabe_lbm_kernel_seconds(slab)};
}

void wabe_flow_put_residency(const wabe_run *run, wabe_json *json) {
    const wabe_flow *flow = wabe_flow_of(run);
    if (!wabe_flow_is_streamed(flow) || !flow->simulation)
        return;
    const wabe_streamed_work work = work_of(flow->simulation->slabs[0]);
    wabe_residency_put(&work, json);
}

void wabe_flow_print_copies(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    if (!wabe_flow_is_streamed(flow))
        return;
    const wabe_streamed_work work = work_of(flow->simulation->slabs[0]);
    wabe_residency_print_copies(run, &work);
}

static void set_pass(wabe_run *run, const wabe_coming_pass *pass) {
    wabe_simulation *s = wabe_flow_of(run)->simulation;
    wabe_flux_steer(run);
    for (int i = 0; i < s->domain.slab_count; i++) {
        wabe_lbm_passes *p = &s->slabs[i]->passes;
        p->steps = pass->steps;
        p->passing[WABE_LOOK_MONITOR].wanted = pass->checked;
        p->passing[WABE_LOOK_HASH].wanted = pass->last;
        p->summing = pass->averaged;
    }
}

void wabe_flow_enter_residency(wabe_application *app) {
    app->choose_residency = choose_residency;
    app->stream = stream;
    app->set_pass = set_pass;
}
