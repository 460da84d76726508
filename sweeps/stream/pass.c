#include "sweeps/stream/pass.h"

/* ---- items -------------------------------------------------------------------------- */

int64_t wabe_items_behind(const wabe_chunk *items, int64_t count, int64_t cell) {
    int64_t begin = 0, end = count;
    while (begin < end) {
        const int64_t middle = (begin + end) / 2;
        if (wabe_chunk_end(&items[middle]) <= cell)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

int64_t wabe_items_from(const wabe_chunk *items, int64_t count, int64_t cell) {
    const int64_t i = wabe_items_behind(items, count, cell);
    return i < count && wabe_chunk_begin(&items[i]) < cell ? i + 1 : i;
}

void wabe_items_of(const wabe_chunk *items, int64_t count, int64_t first, int64_t end,
                   int64_t *begin_item, int64_t *end_item) {
    *begin_item = wabe_items_behind(items, count, first);
    *end_item = wabe_items_from(items, count, end);
}

/* ---- rounds ------------------------------------------------------------------------- */

void wabe_pass_begin(wabe_pass *pass, const wabe_chunk *chunks, int64_t count, int64_t reach,
                     int64_t advance, int levels, bool up) {
    *pass = (wabe_pass){.chunks = chunks,
                        .count = count,
                        .reach = reach,
                        .advance = advance,
                        .levels = levels,
                        .up = up};
    for (int level = 0; level < levels; level++)
        pass->stop[level] = count;
}

void wabe_pass_shrink(wabe_pass *p, int level, int64_t begin, int64_t end) {
    p->first[level] = p->done[level] = p->up ? begin : p->count - end;
    p->stop[level] = p->up ? end : p->count - begin;
}

/* Of a pass down, items and cells are counted from the slab's other end: cells have negative
 * numbers then. */

static int64_t item_of(const wabe_pass *p, int64_t i) { return p->up ? i : p->count - 1 - i; }

static int64_t begin_of(const wabe_pass *p, int64_t i) {
    const wabe_chunk *c = &p->chunks[item_of(p, i)];
    return p->up ? wabe_chunk_begin(c) : -wabe_chunk_end(c);
}

static int64_t end_of(const wabe_pass *p, int64_t i) {
    const wabe_chunk *c = &p->chunks[item_of(p, i)];
    return p->up ? wabe_chunk_end(c) : -wabe_chunk_begin(c);
}

static bool is_over(const wabe_pass *p, int level) { return p->done[level] == p->stop[level]; }

/* The items of a level that can be done, given what the level before has done. */
static int64_t reached(const wabe_pass *p, int level) {
    const int64_t front = level == 0              ? begin_of(p, p->first[0]) + p->front
                          : is_over(p, level - 1) ? INT64_MAX
                                                  : begin_of(p, p->done[level - 1]) - p->reach;
    int64_t done = p->done[level];
    while (done < p->stop[level] && end_of(p, done) <= front)
        done++;
    return done;
}

static void add_part(const wabe_pass *p, int level, int64_t end, wabe_pass_round *out) {
    const int64_t begin = p->done[level];
    const int64_t low = p->up ? begin_of(p, begin) : -end_of(p, end - 1);
    const int64_t high = p->up ? end_of(p, end - 1) : -begin_of(p, begin);
    out->low = out->count == 0 || low < out->low ? low : out->low;
    out->high = out->count == 0 || high > out->high ? high : out->high;
    out->parts[out->count++] = (wabe_pass_part){.level = level,
                                                .begin = p->up ? begin : p->count - end,
                                                .end = p->up ? end : p->count - begin};
}

/* The first cell of all levels that is not done: mostly the last level's. */
static int64_t left_of(const wabe_pass *p) {
    int64_t left = INT64_MAX / 4;
    for (int level = 0; level < p->levels; level++)
        if (!is_over(p, level) && begin_of(p, p->done[level]) < left)
            left = begin_of(p, p->done[level]);
    return left;
}

/* The end of the cells of the first level that is not over, which covers the most. */
static int64_t limit_of(const wabe_pass *p) {
    for (int level = 0; level < p->levels; level++)
        if (!is_over(p, level))
            return end_of(p, p->stop[level] - 1);
    return begin_of(p, 0);
}

bool wabe_pass_next(wabe_pass *p, wabe_pass_round *out) {
    const int last = p->levels - 1;
    *out = (wabe_pass_round){0};
    while (out->count == 0) {
        if (p->count == 0 || is_over(p, last))
            return false;
        p->front += p->advance;
        for (int level = 0; level < p->levels; level++) {
            const int64_t end = reached(p, level);
            if (end > p->done[level])
                add_part(p, level, end, out);
            p->done[level] = end;
        }
    }
    const int64_t known = is_over(p, last) ? INT64_MAX / 4 : begin_of(p, p->done[last]);
    const int64_t left = left_of(p), limit = limit_of(p);
    out->known = p->up ? known : -known;
    out->left = p->up ? left : -left;
    out->limit = p->up ? limit : -limit;
    return true;
}

int64_t wabe_pass_span(int levels, int64_t reach, int64_t advance, int64_t grain) {
    return advance + grain + (levels - 1) * (reach + grain);
}
