#include "sweeps/forces.h"

#include "sweeps/cell/lattice.h"
#include "sweeps/lbm_internal.h"

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

static void add_link(search *s, int condition, const int64_t cell[3], int q) {
    const wabe_lbm_slab *lbm = s->lbm;
    const int64_t place = s->begin[condition] + s->count[condition]++;
    if (!s->links)
        return;
    const int64_t *b = lbm->block.begin;
    const int64_t n = lbm->list ? wabe_list_slot(lbm->list, cell)
                                : wabe_layout_cell(&lbm->layout, cell[0] - b[0], cell[1] - b[1],
                                                   cell[2] - b[2]);
    s->links[place] =
        (wabe_force_link){.cell = (uint32_t)n,
                          .q = (uint16_t)q,
                          .patch = (uint16_t)wabe_tiles_patch(s->geometry, &lbm->flags, cell, q)};
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
    for (int64_t x = 0; x < wabe_box_extent(*b, 0); x++) {
        for (int q = 1; q < WABE_Q && rows.at[1][1][x] == 0; q++) {
            const int *e = wabe_lattice_e[q];
            const int id = rows.at[1 - e[2]][1 - e[1]][x - e[0]];
            if (s->takes[id])
                add_link(s, id - 1, (int64_t[3]){b->begin[0] + x, y, z}, q);
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

/* Cuts the links of each condition into blocks. */
static void make_blocks(const search *s, wabe_force_block *blocks, wabe_force_plan *plan) {
    int64_t made = 0;
    for (int condition = 0; condition < WABE_CONDITIONS_MAX; condition++)
        for (int64_t i = 0; i < s->count[condition]; i += WABE_FORCE_LINKS) {
            const int64_t left = s->count[condition] - i;
            blocks[made] = (wabe_force_block){.first = s->begin[condition] + i,
                                              .count = (int32_t)(left < WABE_FORCE_LINKS
                                                                     ? left
                                                                     : WABE_FORCE_LINKS)};
            plan->conditions[made++] = (uint16_t)condition;
        }
}

static void count_blocks(search *s, wabe_force_plan *plan) {
    for (int condition = 0; condition < WABE_CONDITIONS_MAX; condition++) {
        s->begin[condition] = plan->link_count;
        plan->link_count += s->count[condition];
        plan->block_count += (s->count[condition] + WABE_FORCE_LINKS - 1) / WABE_FORCE_LINKS;
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

wabe_status wabe_lbm_plan_forces(wabe_lbm_slab *lbm, const wabe_geometry *geometry,
                                 int first_body) {
    wabe_force_plan *plan = &lbm->forces;
    search s = {.lbm = lbm, .geometry = geometry};
    for (int k = first_body; k < geometry->condition_count; k++)
        s.takes[k + 1] = wabe_is_wall(geometry->conditions[k].kind);
    search_slab(&s);
    count_blocks(&s, plan);
    if (plan->block_count == 0)
        return WABE_OK;
    s.links = malloc((size_t)plan->link_count * sizeof *s.links);
    wabe_force_block *blocks = malloc((size_t)plan->block_count * sizeof *blocks);
    plan->conditions = malloc((size_t)plan->block_count * sizeof *plan->conditions);
    wabe_status status = WABE_OK;
    if (s.links && blocks && plan->conditions) {
        search_slab(&s);
        make_blocks(&s, blocks, plan);
        status = move_plan(lbm, s.links, blocks, plan);
    } else
        status = WABE_FAIL(WABE_MEMORY, "no memory for %lld links between fluid and solids",
                           (long long)plan->link_count);
    free(s.links);
    free(blocks);
    return status;
}

void wabe_force_plan_destroy(wabe_force_plan *plan) {
    free(plan->conditions);
    if (plan->component) {
        wabe_memory_destroy(plan->component, &plan->links);
        wabe_memory_destroy(plan->component, &plan->blocks);
        wabe_memory_destroy(plan->component, &plan->results);
    }
    *plan = (wabe_force_plan){0};
}

/* ---- forces ------------------------------------------------------------------------- */

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
                             .arrivals = arrivals_of(lbm)};
    if (plan->block_count == 0)
        return WABE_OK;
    memcpy(args.begin, lbm->block.begin, sizeof args.begin);
    const int64_t bytes = plan->block_count * (int64_t)sizeof(wabe_force);
    wabe_force *results = malloc((size_t)bytes);
    WABE_CHECK(results, WABE_MEMORY, "no memory for the forces on solids");
    wabe_lbm_synchronise(lbm);
    run_once(lbm, WABE_LBM_FORCES, &args, plan->block_count);
    const wabe_status status = wabe_memory_read(lbm->component, stream_of(lbm), results,
                                                plan->results, bytes);
    for (int64_t block = 0; block < plan->block_count && status == WABE_OK; block++)
        wabe_force_merge(&forces[plan->conditions[block]], &results[block]);
    free(results);
    return status;
}
