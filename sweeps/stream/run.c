#include "sweeps/stream/run.h"

wabe_status wabe_pass_meet_neighbours(wabe_pass_driver *d, MPI_Comm comm, wabe_ghost_slab planes,
                                      int count, const int ranks[WABE_SIDES], bool share) {
    planes.context = d->own;
    planes.window = d->window;
    planes.stream = d->stream;
    planes.reach = d->reach;
    return wabe_ghosts_create(comm, &planes, count, ranks, share, &d->ghosts);
}

/* ---- passes ------------------------------------------------------------------------- */

static void through_panels(wabe_pass_driver *d, int levels) {
    wabe_pass_part part;
    wabe_panels_begin(&d->panels, levels);
    while (wabe_panels_next(&d->panels, &part))
        d->run(d->own, NULL, &part);
}

/* Levels cover the slab, and fewer ghost planes one after the other. */
static void shrink(const wabe_pass_driver *d, wabe_pass *pass) {
    const wabe_ghosts *g = &d->ghosts;
    for (int level = 0; level < pass->levels && g->count > 0; level++) {
        const int planes = (pass->levels - 1 - level) * d->shrink + d->beyond;
        int64_t low, high, begin, end;
        wabe_ghosts_shrink(g, planes, d->planes, &low, &high);
        wabe_items_of(pass->chunks, pass->count, g->slab.cell(d->own, low),
                      g->slab.cell(d->own, high), &begin, &end);
        wabe_pass_shrink(pass, level, begin, end);
    }
}

/* What the first round needs at the slab's end comes, and goes, with the copies as they were. */
static void swap_copies(const wabe_pass_driver *d, int levels, bool up) {
    const wabe_chunk *first = &d->items[up ? 0 : d->item_count - 1];
    d->load(d->own, wabe_chunk_begin(first), wabe_chunk_end(first));
    d->swap(d->own, levels);
}

static void begin_round(wabe_pass_driver *d, const wabe_pass_round *round) {
    if (d->window)
        wabe_ghosts_await_event(&d->ghosts, wabe_rounds_oldest(&d->rounds));
    wabe_ghosts_prepare_round(&d->ghosts, round);
    d->load(d->own, round->low, round->high);
    if (d->window)
        wabe_rounds_begin(&d->rounds, d->stream);
}

static void end_round(wabe_pass_driver *d, const wabe_pass_round *round, bool up) {
    if (d->finished)
        d->finished(d->own, round->known, up);
    wabe_rounds_end(&d->rounds, d->stream);
    wabe_ghosts_finish_round(&d->ghosts, round, up);
    d->release(d->own, wabe_ghosts_unsent(&d->ghosts, up, d->edge(d->own, round->left, up)), up);
}

static void through_planes(wabe_pass_driver *d, int levels, bool up) {
    wabe_pass pass;
    wabe_pass_round round;
    wabe_pass_begin(&pass, d->items, d->item_count, d->reach, d->advance, levels, up);
    wabe_ghosts_begin_pass(&d->ghosts, levels);
    shrink(d, &pass);
    if (d->swap)
        swap_copies(d, levels, up);
    while (wabe_pass_next(&pass, &round)) {
        begin_round(d, &round);
        for (int i = 0; i < round.count; i++)
            d->run(d->own, &pass, &round.parts[i]);
        if (d->window)
            end_round(d, &round, up);
    }
}

void wabe_pass_run(wabe_pass_driver *d, wabe_timeline *timeline, int levels, int64_t steps) {
    wabe_timeline_begin_pass(timeline);
    if (d->panels.chunks)
        through_panels(d, levels);
    else
        through_planes(d, levels, d->window ? wabe_window_is_low(d->window) : d->passes % 2 == 0);
    wabe_ghosts_end_pass(&d->ghosts);
    wabe_timeline_end_pass(timeline, steps);
    d->passes++;
}

void wabe_pass_destroy(wabe_pass_driver *d) {
    wabe_ghosts_destroy(&d->ghosts);
    wabe_window_destroy(&d->window);
    wabe_rounds_destroy(&d->rounds);
    wabe_panels_destroy(&d->panels);
}

/* ---- walks -------------------------------------------------------------------------- */

wabe_walk wabe_walk_through(const wabe_window *window, int64_t begin, int64_t end) {
    return (wabe_walk){.low = begin, .high = end, .up = !window || wabe_window_is_low(window)};
}

bool wabe_walk_take(wabe_walk *w, int64_t count) {
    if (w->low == w->high)
        return false;
    count = count < w->high - w->low ? count : w->high - w->low;
    w->begin = w->up ? w->low : w->high - count;
    w->end = w->begin + count;
    *(w->up ? &w->low : &w->high) = w->up ? w->end : w->begin;
    return true;
}
