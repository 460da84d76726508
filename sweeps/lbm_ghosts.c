/* Ghost planes: planes of its neighbours along z that a streamed slab computes, too, so that a pass
 * of several steps needs nothing from them. Level l of a pass of s steps covers the slab and s - l
 * planes beyond each such face; the last one therefore knows all that arrives in the slab. (Some
 * boundaries of the outermost cells need one plane more, which no level covers.) After
 * the pass what arrives in the neighbour's planes replaces what has become wrong.
 *
 * Planes of a list come as the numbers that lie in their own slots: in every other step these are
 * not what arrives there, but what has left, and then one plane more is needed.
 *
 * Each plane is sent as soon as the last level has passed it, and copied to the device as soon as
 * the pass has no more need of the old one: both go on while kernels run. */
#include "sweeps/lbm_internal.h"

#include "comm/planes.h"
#include "core/base/wait.h"

#include "sweeps/cell/lattice.h"

#include <string.h>

enum { BELOW, ABOVE, SIDES };

/* ---- set-up ------------------------------------------------------------------------- */

static void beyond(const wabe_geometry *geometry, wabe_box block, bool out[SIDES]) {
    bool periodic[3];
    wabe_geometry_periodic(geometry, periodic);
    const bool around = periodic[2] && geometry->cells[2] > 1;
    out[BELOW] = block.begin[2] > 0 || around;
    out[ABOVE] = block.end[2] < geometry->cells[2] || around;
}

wabe_box wabe_lbm_held(const wabe_lbm_residency *residency, const wabe_geometry *geometry,
                       wabe_streaming streaming, wabe_box block) {
    bool sides[SIDES];
    beyond(geometry, block, sides);
    if (residency->memory > 0) {
        const int planes = residency->steps_per_pass + wabe_lbm_more_planes(geometry, streaming);
        block.begin[2] -= sides[BELOW] ? planes : 0;
        block.end[2] += sides[ABOVE] ? planes : 0;
    }
    return block;
}

static wabe_status make_events(wabe_lbm_slab *lbm) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < g->count && wabe_planes_has(g->planes, side); i++) {
            WABE_TRY(wabe_event_create(lbm->component->device, &g->left[side][i]));
            WABE_TRY(wabe_event_create(lbm->component->device, &g->came[side][i]));
        }
    return WABE_OK;
}

wabe_status wabe_lbm_meet_neighbours(wabe_lbm_slab *lbm, MPI_Comm comm, const int ranks[2],
                                     bool share) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    const wabe_lbm_pass_plan *plan = &lbm->passes.plan;
    const int planes = plan->steps_per_pass + plan->more_planes;
    int64_t bytes = plan->plane_bytes; /* planes of lists differ */
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_MAX, comm);
    WABE_TRY(wabe_planes_create(comm, ranks, planes, bytes, share, &g->planes));
    g->count = ranks[BELOW] < 0 && ranks[ABOVE] < 0 ? 0 : planes;
    return wabe_agree(comm, make_events(lbm));
}

void wabe_lbm_destroy_ghosts(wabe_lbm_slab *lbm) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < g->count; i++) {
            wabe_event_destroy(&g->left[side][i]);
            wabe_event_destroy(&g->came[side][i]);
        }
    wabe_planes_destroy(&g->planes);
}

/* ---- planes and what arrives there -------------------------------------------------- */

/* The i-th plane from the face between the slab and a neighbour: of the slab, or beyond. */
static int64_t own_plane(const wabe_lbm_slab *lbm, int side, int i) {
    const int64_t first = lbm->block.begin[2] - lbm->held.begin[2];
    return side == BELOW ? first + i : first + wabe_box_extent(lbm->block, 2) - 1 - i;
}
static int64_t ghost_plane(const wabe_lbm_slab *lbm, int side, int i) {
    return own_plane(lbm, side, -1 - i);
}

/* Where the numbers of a plane lie that belong to population q of its cells by these offsets. What
 * arrives in ghost cells, whose images are needed, begins before the plane if q goes down within
 * it.
 */
static wabe_window_part part_of(const wabe_lbm_slab *lbm, int64_t z, const ptrdiff_t *offsets,
                                bool arriving, int q) {
    const wabe_layout *l = &lbm->layout;
    const int *e = wabe_lattice_e(lbm->model.lattice, q);
    const int64_t within = wabe_layout_cell(l, e[0], e[1], 0);
    const int64_t size = (int64_t)wabe_type_size(l->type);
    const int64_t at = l->front + z * l->plane + (arriving && within < 0 ? within : 0) + offsets[q];
    return (wabe_window_part){.array = (int)(at / l->stride),
                              .begin = at % l->stride * size,
                              .bytes = l->plane * size};
}

/* A list: all numbers of the plane's slots. */
static wabe_window_part part_of_slots(const wabe_lbm_slab *lbm, int64_t z, int q) {
    const int64_t begin = wabe_lbm_plane_begin(lbm, z),
                  size = (int64_t)wabe_type_size(lbm->model.type);
    return (wabe_window_part){.array = q,
                              .begin = begin * size,
                              .bytes = (wabe_lbm_plane_begin(lbm, z + 1) - begin) * size};
}

/* Moments: those of the plane's cells, in the grid with the state after so many steps. */
static wabe_window_part part_of_moments(const wabe_lbm_slab *lbm, int64_t z, int after) {
    const int64_t begin = wabe_lbm_byte(lbm, wabe_lbm_plane_begin(lbm, z));
    return (wabe_window_part){.array = grid_after(lbm, after),
                              .begin = begin,
                              .bytes = wabe_lbm_byte(lbm, wabe_lbm_plane_begin(lbm, z + 1)) -
                                       begin};
}

/* The numbers that a plane is sent with. */
typedef struct {
    int after;     /* steps after the present state */
    bool arriving; /* what arrives in its cells, otherwise what has left them */
} state;

/* Returns the number of parts. */
static int parts_of(const wabe_lbm_slab *lbm, int64_t z, state s,
                    wabe_window_part parts[WABE_Q_MAX]) {
    const ptrdiff_t *offsets = s.arriving ? lbm->offsets.in[(parity_of(lbm) + s.after) & 1]
                                          : lbm->offsets.out[(last_parity(lbm) + s.after) & 1];
    int count = 0;
    if (holds_moments(lbm))
        parts[count++] = part_of_moments(lbm, z, s.after);
    for (int q = 0; q < populations_of(lbm) && !holds_moments(lbm); q++) {
        parts[count] = lbm->list ? part_of_slots(lbm, z, q)
                                 : part_of(lbm, z, offsets, s.arriving, q);
        count += parts[count].bytes > 0;
    }
    return count;
}

/* The bytes of an array among which all numbers of a plane lie. */
static void bytes_of(const wabe_lbm_slab *lbm, int64_t z, int64_t *begin, int64_t *end) {
    const int64_t reach = lbm->passes.plan.reach + lbm->layout.pitch;
    *begin = wabe_lbm_byte(lbm, wabe_lbm_plane_begin(lbm, z) - reach);
    *end = wabe_lbm_byte(lbm, wabe_lbm_plane_begin(lbm, z + 1) + reach);
}

static void bring_plane(const wabe_lbm_slab *lbm, int64_t z) {
    int64_t begin, end;
    bytes_of(lbm, z, &begin, &end);
    wabe_window_bring(lbm->passes.window, stream_of(lbm), begin, end);
}

/* ---- messages ----------------------------------------------------------------------- */

/* Sends what has been copied from the device, and makes room for more where all is copied to it. */
static void drive(wabe_lbm_ghosts *g) {
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < g->count; i++) {
            if (g->leaving[side][i] && wabe_event_is_done(g->left[side][i])) {
                wabe_planes_send(g->planes, side, i);
                g->leaving[side][i] = false;
            }
            if (g->coming[side][i] && wabe_event_is_done(g->came[side][i])) {
                wabe_planes_receive(g->planes, side, i);
                g->coming[side][i] = false;
            }
        }
}

static bool may_send(wabe_lbm_ghosts *g, int side, int i) {
    return !g->leaving[side][i] && wabe_planes_is_sent(g->planes, side, i);
}
static bool is_here(wabe_lbm_ghosts *g, int side, int i) {
    return !g->coming[side][i] && wabe_planes_is_received(g->planes, side, i);
}
static bool has_come(wabe_lbm_ghosts *g, int side, int i) { return !g->coming[side][i]; }

static void await(wabe_lbm_ghosts *g, bool (*ready)(wabe_lbm_ghosts *, int, int), int side, int i) {
    wabe_wait wait = {0};
    while (!ready(g, side, i)) {
        drive(g);
        wabe_wait_go_on(&wait);
    }
}

void wabe_lbm_await_event(wabe_lbm_slab *lbm, wabe_event *event) {
    wabe_wait wait = {0};
    while (lbm->passes.ghosts.count > 0 && !wabe_event_is_done(event)) {
        drive(&lbm->passes.ghosts);
        wabe_wait_go_on(&wait);
    }
    wabe_event_synchronise(event);
}

static void send(wabe_lbm_slab *lbm, int side, int i, state s) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    wabe_window_part parts[WABE_Q_MAX];
    await(g, may_send, side, i);
    const int count = parts_of(lbm, own_plane(lbm, side, i), s, parts);
    wabe_window_get(lbm->passes.window, stream_of(lbm), count, parts,
                    wabe_planes_room(g->planes, side, i, true), g->left[side][i]);
    g->leaving[side][i] = true;
}

static void receive(wabe_lbm_slab *lbm, int side, int i, state s) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    wabe_window_part parts[WABE_Q_MAX];
    await(g, is_here, side, i);
    const int count = parts_of(lbm, ghost_plane(lbm, side, i), s, parts);
    wabe_window_put(lbm->passes.window, stream_of(lbm), count, parts,
                    wabe_planes_room(g->planes, side, i, false), g->came[side][i]);
    g->coming[side][i] = true;
}

/* Leaves aside what has come for the present pass and was not needed. */
static void leave_aside(wabe_lbm_ghosts *g) {
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < g->count && wabe_planes_has(g->planes, side); i++) {
            if (g->fresh[side][i] >= g->pass)
                continue;
            await(g, is_here, side, i);
            wabe_planes_receive(g->planes, side, i);
            g->fresh[side][i] = g->pass;
        }
}

void wabe_lbm_settle_ghosts(wabe_lbm_slab *lbm) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    leave_aside(g);
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < g->count && wabe_planes_has(g->planes, side); i++) {
            await(g, may_send, side, i);
            await(g, has_come, side, i);
        }
}

/* ---- the initial state -------------------------------------------------------------- */

/* Swaps the first count planes beyond each face; begins where the window is. */
static void swap(wabe_lbm_slab *lbm, int count, bool arriving) {
    const state now = {.after = 0, .arriving = arriving};
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    const int near = wabe_window_is_low(lbm->passes.window) ? BELOW : ABOVE, far = 1 - near;
    const int sends[SIDES] = {near, far}, receives[SIDES] = {far, near};
    for (int turn = 0; turn < SIDES; turn++)
        for (int i = 0; i < count && wabe_planes_has(g->planes, sends[turn]); i++) {
            bring_plane(lbm, own_plane(lbm, sends[turn], i));
            send(lbm, sends[turn], i, now);
        }
    for (int turn = 0; turn < SIDES; turn++)
        for (int i = 0; i < count && wabe_planes_has(g->planes, receives[turn]); i++) {
            bring_plane(lbm, ghost_plane(lbm, receives[turn], i));
            receive(lbm, receives[turn], i, now);
        }
}

void wabe_lbm_fill_ghosts(wabe_lbm_slab *lbm) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    if (g->count == 0)
        return;
    if (!holds_moments(lbm))
        swap(lbm, 1, false);
    wabe_lbm_reflect_at_walls(lbm); /* now what arrives in the slab is known */
    swap(lbm, g->count, true);
    wabe_lbm_settle_ghosts(lbm);
    g->pass = 0;
    memset(g->fresh, 0, sizeof g->fresh);
    memset(g->sent, 0, sizeof g->sent);
}

/* ---- during a pass ------------------------------------------------------------------ */

void wabe_lbm_narrow_pass(const wabe_lbm_slab *lbm, wabe_pass *pass) {
    const wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    for (int level = 0; level < pass->levels && g->count > 0; level++) {
        const int beyond = pass->levels - level; /* planes */
        const int64_t low = wabe_planes_has(g->planes, BELOW) ? own_plane(lbm, BELOW, -beyond) : 0;
        const int64_t high = wabe_planes_has(g->planes, ABOVE) ? own_plane(lbm, ABOVE, -beyond) + 1
                                                               : lbm->layout.cells[2];
        int64_t begin, end;
        wabe_lbm_chunks_of(pass->chunks, pass->count, wabe_lbm_plane_begin(lbm, low),
                           wabe_lbm_plane_begin(lbm, high), &begin, &end);
        wabe_pass_narrow(pass, level, begin, end);
    }
}

static state arrivals_after(int steps) { return (state){.after = steps, .arriving = true}; }

/* Do the steps of a round, or the images ahead of them, read or write numbers of a plane? */
static bool touches(const wabe_lbm_slab *lbm, const wabe_pass_round *round, int64_t z) {
    const int64_t reach = lbm->passes.plan.reach + lbm->layout.pitch;
    return wabe_lbm_plane_begin(lbm, z + 1) > round->low - reach &&
           wabe_lbm_plane_begin(lbm, z) < round->high + reach;
}

static void refresh_now(wabe_lbm_slab *lbm, int side, int i) {
    const int64_t z = ghost_plane(lbm, side, i);
    bring_plane(lbm, z);
    receive(lbm, side, i, arrivals_after(0));
    bring_plane(lbm, z); /* the kernels wait for it */
    lbm->passes.ghosts.fresh[side][i] = lbm->passes.ghosts.pass;
}

/* What arrives in a solid cell shares its place with what the wall returns to the cell next to it,
 * so a plane must be renewed before the first level comes to the one beside it. */
void wabe_lbm_prepare_round(wabe_lbm_slab *lbm, const wabe_pass_round *round) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < g->count && wabe_planes_has(g->planes, side); i++) {
            const bool stale = g->fresh[side][i] < g->pass, left = g->sent[side][i] == g->pass;
            if (stale && touches(lbm, round, ghost_plane(lbm, side, i)))
                refresh_now(lbm, side, i);
            if (left && touches(lbm, round, own_plane(lbm, side, i))) /* may still be copied */
                wabe_stream_wait(stream_of(lbm), g->left[side][i]);
        }
}

/* Planes beyond the face where the pass ends that the rounds to come leave alone. */
static bool is_over(const wabe_lbm_slab *lbm, const wabe_pass_round *round, bool up, int64_t z) {
    const int64_t away = 2 * lbm->passes.plan.reach + lbm->layout.pitch;
    return up ? wabe_lbm_plane_begin(lbm, z) >= round->limit + away
              : wabe_lbm_plane_begin(lbm, z + 1) <= round->limit - away;
}

/* Refreshes a plane if it has come and is on the device, for this pass, or, if this one has done
 * with it, for the next. */
static void refresh_early(wabe_lbm_slab *lbm, int side, int i, const wabe_pass_round *round,
                          bool up) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    const int64_t z = ghost_plane(lbm, side, i);
    const bool next = g->fresh[side][i] == g->pass;
    int64_t begin, end;
    bytes_of(lbm, z, &begin, &end);
    if (g->fresh[side][i] > g->pass) /* the one after next may have come */
        return;
    if ((next && (side != (up ? ABOVE : BELOW) || !is_over(lbm, round, up, z))) ||
        !wabe_window_has(lbm->passes.window, begin, end) || !is_here(g, side, i))
        return;
    receive(lbm, side, i, arrivals_after(next ? lbm->passes.steps : 0));
    g->fresh[side][i] += 1;
}

/* Has the last level passed a plane, and the one after it? */
static bool is_known(const wabe_lbm_slab *lbm, const wabe_pass_round *round, bool up, int64_t z) {
    return up ? wabe_lbm_plane_begin(lbm, z + 2) <= round->known
              : wabe_lbm_plane_begin(lbm, z - 1) >= round->known;
}

/* Sends what arrives in a plane after the present pass. */
static void send_arrivals(wabe_lbm_slab *lbm, int side, int i) {
    bring_plane(lbm, own_plane(lbm, side, i));
    send(lbm, side, i, arrivals_after(lbm->passes.steps));
    lbm->passes.ghosts.sent[side][i]++;
}

void wabe_lbm_finish_round(wabe_lbm_slab *lbm, const wabe_pass_round *round, bool up) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    for (int side = 0; side < SIDES; side++) /* the next pass begins with the farthest plane */
        for (int i = g->count - 1; i >= 0 && wabe_planes_has(g->planes, side); i--) {
            const bool due = g->sent[side][i] == g->pass;
            if (due && is_known(lbm, round, up, own_plane(lbm, side, i)))
                send_arrivals(lbm, side, i);
            refresh_early(lbm, side, i, round, up);
        }
    drive(g);
}

/* Of a slab without fluid no round has sent anything. */
static void send_the_rest(wabe_lbm_slab *lbm) {
    wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < g->count && wabe_planes_has(g->planes, side); i++)
            if (g->sent[side][i] == g->pass)
                send_arrivals(lbm, side, i);
}

void wabe_lbm_end_ghost_pass(wabe_lbm_slab *lbm) {
    send_the_rest(lbm);
    leave_aside(&lbm->passes.ghosts);
    lbm->passes.ghosts.pass++;
}

int64_t wabe_lbm_unsent(const wabe_lbm_slab *lbm, bool up, int64_t cell) {
    const wabe_lbm_ghosts *g = &lbm->passes.ghosts;
    const int64_t around = lbm->passes.plan.reach + lbm->layout.pitch;
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < g->count && wabe_planes_has(g->planes, side); i++) {
            const int64_t z = own_plane(lbm, side, i);
            const int64_t at = up ? wabe_lbm_plane_begin(lbm, z) - around
                                  : wabe_lbm_plane_begin(lbm, z + 1) + around;
            if (g->sent[side][i] == g->pass)
                cell = (up ? at < cell : at > cell) ? at : cell;
        }
    return cell;
}
