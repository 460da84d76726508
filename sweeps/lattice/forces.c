#include "sweeps/lattice/forces.h"

#include "sweeps/cell/lattice.h"
#include "sweeps/lattice/internal.h"
#include "sweeps/lattice/link.h"

#include <stdlib.h>
#include <string.h>

/* ---- links -------------------------------------------------------------------------- */

/* What is found in two rounds: in the first one, links are only counted. */
typedef struct {
    const wabe_lbm_slab *lbm;
    const wabe_geometry *geometry;
    bool takes[256];                    /* by flag: solids whose links are wanted */
    int64_t count[WABE_CONDITIONS_MAX]; /* links of each condition so far */
    int64_t begin[WABE_CONDITIONS_MAX]; /* its first link */
    wabe_force_link *links;             /* NULL in the first round */
} search;

static void add_link(search *s, int condition, const int64_t cell[3], int q, unsigned axes) {
    const wabe_lbm_slab *lbm = s->lbm;
    const int64_t place = s->begin[condition] + s->count[condition]++;
    if (!s->links)
        return;
    const int64_t *b = lbm->held.begin;
    const int64_t n = lbm->list ? wabe_list_slot(lbm->list, cell)
                                : wabe_layout_cell(&lbm->layout, cell[0] - b[0], cell[1] - b[1],
                                                   cell[2] - b[2]);
    s->links[place] = (wabe_force_link){.cell = (uint32_t)n,
                                        .q = (uint8_t)q,
                                        .axes = (uint8_t)axes,
                                        .patch = (uint16_t)wabe_tiles_patch(lbm->model.lattice,
                                                                            s->geometry,
                                                                            &lbm->flags, cell, q)};
}

/* Adds the link for each solid that takes a part of its momentum. */
static void split_link(search *s, const int64_t cell[3], int q) {
    const int *e = wabe_lattice_e(s->lbm->model.lattice, q);
    const wabe_flags *flags = &s->lbm->flags;
    int owners[3] = {0};
    if (!wabe_link_boundary(s->geometry, flags, cell, e))
        return;
    for (int axis = 0; axis < 3; axis++)
        owners[axis] = e[axis] ? wabe_link_owner(s->geometry, flags, cell, e, axis) : 0;
    for (int axis = 0; axis < 3; axis++) {
        unsigned axes = 0;
        for (int other = axis; other < 3; other++)
            axes |= (unsigned)(owners[other] == owners[axis]) << other;
        const bool counted = (axis > 0 && owners[axis] == owners[0]) ||
                             (axis > 1 && owners[axis] == owners[1]);
        if (s->takes[owners[axis]] && !counted)
            add_link(s, owners[axis] - 1, cell, q, axes);
    }
}

/* The flags of a row of the slab, and of the rows around it. */
typedef struct {
    const uint8_t *at[3][3]; /* [z][y], from the slab's first cell on */
} rows_around;

static rows_around rows_of(const search *s, int64_t y, int64_t z) {
    rows_around rows;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            rows.at[k][j] = wabe_flags_place(&s->lbm->flags, s->lbm->block.begin[0], y + j - 1,
                                             z + k - 1);
    return rows;
}

static void search_row(search *s, int64_t y, int64_t z) {
    const wabe_box *b = &s->lbm->block;
    const rows_around rows = rows_of(s, y, z);
    const wabe_lattice lattice = s->lbm->model.lattice;
    const int populations = wabe_lattice_flow(lattice);
    for (int64_t x = 0; x < wabe_box_extent(*b, 0); x++) {
        for (int q = 1; q < populations && rows.at[1][1][x] == 0; q++) {
            const int *e = wabe_lattice_e(lattice, q);
            if (rows.at[1 - e[2]][1 - e[1]][x - e[0]] != 0)
                split_link(s, (int64_t[3]){b->begin[0] + x, y, z}, q);
        }
    }
}

static void search_slab(search *s) {
    const wabe_box b = s->lbm->block;
    memset(s->count, 0, sizeof s->count);
    for (int64_t z = b.begin[2]; z < b.end[2]; z++)
        for (int64_t y = b.begin[1]; y < b.end[1]; y++)
            search_row(s, y, z);
}

/* ---- the plan ----------------------------------------------------------------------- */

/* The links of the block that begins with this one: up to so many of a condition, and, of a
 * streamed slab, of cells that are on the device together. *low, *high: the least and the largest
 * of their cells, which are in no order if they are the slots of a list. */
static int64_t links_of_block(const search *s, int64_t first, int64_t end, uint32_t *low,
                              uint32_t *high) {
    const int64_t span = s->lbm->driver.window ? s->lbm->passes.plan.at_once : INT64_MAX;
    int64_t count = 0;
    *low = *high = s->links[first].cell;
    for (; count < WABE_FORCE_LINKS && first + count < end; count++) {
        const uint32_t cell = s->links[first + count].cell;
        const uint32_t least = cell < *low ? cell : *low, largest = cell > *high ? cell : *high;
        if ((int64_t)largest - least >= span)
            break;
        *low = least;
        *high = largest;
    }
    return count;
}

/* Cuts the links of each condition into blocks; blocks: NULL, if they are only counted. */
static void make_blocks(const search *s, wabe_force_block *blocks, wabe_force_plan *plan) {
    plan->block_count = 0;
    for (int condition = 0; condition < WABE_CONDITIONS_MAX; condition++) {
        const int64_t end = s->begin[condition] + s->count[condition];
        for (int64_t i = s->begin[condition], count; i < end; i += count) {
            uint32_t low, high;
            count = links_of_block(s, i, end, &low, &high);
            if (blocks) {
                blocks[plan->block_count] = (wabe_force_block){.first = i, .count = (int32_t)count};
                plan->conditions[plan->block_count] = (uint16_t)condition;
                plan->first[plan->block_count] = low;
                plan->last[plan->block_count] = high;
            }
            plan->block_count++;
        }
    }
}

static void count_links(search *s, wabe_force_plan *plan) {
    for (int condition = 0; condition < WABE_CONDITIONS_MAX; condition++) {
        s->begin[condition] = plan->link_count;
        plan->link_count += s->count[condition];
    }
}

static wabe_status move_plan(const wabe_lbm_slab *lbm, const wabe_force_link *links,
                             const wabe_force_block *blocks, wabe_force_plan *plan) {
    const int64_t link_bytes = plan->link_count * (int64_t)sizeof *links;
    const int64_t block_bytes = plan->block_count * (int64_t)sizeof *blocks;
    const int64_t result_bytes = plan->block_count * (int64_t)sizeof(wabe_force);
    plan->component = lbm->component;
    plan->bytes = link_bytes + block_bytes + result_bytes;
    WABE_TRY(wabe_memory_copy_of(lbm->component, stream_of(lbm), links, link_bytes, &plan->links));
    WABE_TRY(
        wabe_memory_copy_of(lbm->component, stream_of(lbm), blocks, block_bytes, &plan->blocks));
    return wabe_memory_create(lbm->component, result_bytes, &plan->results);
}

static wabe_status plan_blocks(const search *s, wabe_force_plan *plan) {
    make_blocks(s, NULL, plan);
    const size_t count = (size_t)plan->block_count;
    wabe_force_block *blocks = malloc(count * sizeof *blocks);
    plan->conditions = malloc(count * sizeof *plan->conditions);
    plan->first = malloc(count * sizeof *plan->first);
    plan->last = malloc(count * sizeof *plan->last);
    wabe_status status = WABE_OK;
    if (blocks && plan->conditions && plan->first && plan->last) {
        make_blocks(s, blocks, plan);
        status = move_plan(s->lbm, s->links, blocks, plan);
    } else {
        status = WABE_FAIL(WABE_MEMORY, "no memory for %lld links between fluid and solids",
                           (long long)plan->link_count);
    }
    free(blocks);
    return status;
}

wabe_status wabe_lbm_plan_forces(wabe_lbm_slab *lbm, const wabe_geometry *geometry,
                                 unsigned faces) {
    wabe_force_plan *plan = &lbm->forces;
    search s = {.lbm = lbm, .geometry = geometry};
    for (int k = 0; k < geometry->condition_count; k++)
        s.takes[k + 1] = wabe_is_wall(geometry->conditions[k].kind) &&
                         !geometry->conditions[k].has_law && (k >= WABE_FACES || faces >> k & 1);
    search_slab(&s);
    count_links(&s, plan);
    if (plan->link_count == 0)
        return WABE_OK;
    s.links = malloc((size_t)plan->link_count * sizeof *s.links);
    WABE_CHECK(s.links, WABE_MEMORY, "no memory for %lld links between fluid and solids",
               (long long)plan->link_count);
    search_slab(&s);
    const wabe_status status = plan_blocks(&s, plan);
    free(s.links);
    return status;
}

void wabe_force_plan_destroy(wabe_force_plan *plan) {
    free(plan->conditions);
    free(plan->first);
    free(plan->last);
    if (plan->component) {
        wabe_memory_destroy(plan->component, &plan->links);
        wabe_memory_destroy(plan->component, &plan->blocks);
        wabe_memory_destroy(plan->component, &plan->results);
    }
    *plan = (wabe_force_plan){0};
}

/* ---- forces ------------------------------------------------------------------------- */

/* Of a streamed slab, successive blocks whose cells are on the device together. */
static void run_blocks(const wabe_lbm_slab *lbm, const wabe_forces_args *args) {
    const wabe_force_plan *plan = &lbm->forces;
    if (!lbm->driver.window) {
        if (looks_at_arrivals(lbm))
            wabe_lbm_make_images(lbm, 0, 0, INT64_MAX);
        run_once(lbm, WABE_LBM_FORCES, args, plan->block_count);
        return;
    }
    for (int64_t begin = 0, end; begin < plan->block_count; begin = end) {
        int64_t first = plan->first[begin], last = plan->last[begin];
        for (end = begin + 1; end < plan->block_count; end++) {
            const int64_t low = plan->first[end] < first ? plan->first[end] : first;
            const int64_t high = plan->last[end] > last ? plan->last[end] : last;
            if (high - low >= lbm->passes.plan.at_once)
                break;
            first = low;
            last = high;
        }
        wabe_lbm_load(lbm, first, last + 1);
        if (looks_at_arrivals(lbm))
            wabe_lbm_make_images(lbm, 0, first, last + 1);
        wabe_stream_launch(stream_of(lbm), lbm->kernels[WABE_LBM_FORCES], args, begin, end);
    }
}

wabe_status wabe_lbm_forces(const wabe_lbm_slab *lbm, wabe_force forces[]) {
    const wabe_force_plan *plan = &lbm->forces;
    const int parity = last_parity(lbm);
    wabe_forces_args args = {.field = wabe_lbm_state(lbm)->data,
                             .out = lbm->offsets.out[parity],
                             .neighbours = places_of(lbm, parity),
                             .cells = lbm->list ? lbm->list->cells_there : NULL,
                             .pitch = lbm->layout.pitch,
                             .plane = lbm->layout.plane,
                             .links = plan->links,
                             .blocks = plan->blocks,
                             .patches = patches_of(lbm, 0),
                             .results = plan->results,
                             .form = lbm->form,
                             .arrivals = arrivals_of(lbm, 0)};
    if (plan->block_count == 0)
        return WABE_OK;
    memcpy(args.begin, lbm->held.begin, sizeof args.begin);
    const int64_t bytes = plan->block_count * (int64_t)sizeof(wabe_force);
    wabe_force *results = malloc((size_t)bytes);
    WABE_CHECK(results, WABE_MEMORY, "no memory for the forces on solids");
    wabe_lbm_synchronise(lbm);
    run_blocks(lbm, &args);
    const wabe_status status = wabe_memory_read(lbm->component, stream_of(lbm), results,
                                                plan->results, bytes);
    for (int64_t block = 0; block < plan->block_count && status == WABE_OK; block++)
        wabe_force_merge(&forces[plan->conditions[block]], &results[block]);
    free(results);
    return status;
}
