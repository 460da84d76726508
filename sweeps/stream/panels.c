#include "sweeps/stream/panels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

wabe_status wabe_panels_create(const wabe_chunk *chunks, int64_t count, int64_t plane,
                               int64_t planes, int64_t width, int64_t reach, int levels_max,
                               wabe_panels *out) {
    *out = (wabe_panels){.chunks = chunks,
                         .plane = plane,
                         .planes = planes,
                         .width = width,
                         .reach = reach,
                         .levels_max = levels_max};
    out->first = malloc((size_t)(planes + 1) * sizeof *out->first);
    out->done = malloc((size_t)(levels_max * planes) * sizeof *out->done);
    WABE_CHECK(out->first && out->done, WABE_MEMORY, "no memory for %lld planes of cells",
               (long long)planes);
    int64_t item = 0;
    for (int64_t z = 0; z < planes; z++) {
        out->first[z] = item;
        while (item < count && wabe_chunk_end(&chunks[item]) <= (z + 1) * plane)
            item++;
    }
    out->first[planes] = count;
    return WABE_OK;
}

void wabe_panels_destroy(wabe_panels *panels) {
    free(panels->first);
    free(panels->done);
    *panels = (wabe_panels){0};
}

static int64_t *done_in(const wabe_panels *p, int level, int64_t z) {
    return &p->done[level * p->planes + z];
}

void wabe_panels_begin(wabe_panels *p, int levels) {
    assert(levels <= p->levels_max);
    p->levels = levels;
    p->panel = p->front = 0;
    p->level = 0;
    for (int level = 0; level < levels; level++)
        memcpy(done_in(p, level, 0), p->first, (size_t)p->planes * sizeof *p->first);
}

/* Up to which cell of a plane the level before has gone so far that this one can follow it, as far
 * as plane z + dz decides. */
static int64_t limit_by(const wabe_panels *p, int level, int64_t z, int dz) {
    const int64_t there = z + dz;
    if (there < 0 || there >= p->planes || *done_in(p, level - 1, there) == p->first[there + 1])
        return INT64_MAX;
    return wabe_chunk_begin(&p->chunks[*done_in(p, level - 1, there)]) - dz * p->plane - p->reach;
}

/* One past the last item of a plane that a level can do in the present panel. */
static int64_t reached(const wabe_panels *p, int level, int64_t z) {
    int64_t limit = (p->panel + 1) * p->width;
    limit = limit >= p->plane ? INT64_MAX : z * p->plane + limit;
    for (int dz = -1; dz <= 1 && level > 0; dz++) {
        const int64_t by = limit_by(p, level, z, dz);
        limit = dz == -1 || by < limit ? by : limit;
    }
    int64_t item = *done_in(p, level, z);
    while (item < p->first[z + 1] && wabe_chunk_end(&p->chunks[item]) <= limit)
        item++;
    return item;
}

/* Goes on to the next level, plane, or panel; false: there is none. */
static bool go_on(wabe_panels *p) {
    if (++p->level < p->levels)
        return true;
    p->level = 0;
    if (++p->front < p->planes + p->levels - 1)
        return true;
    p->front = 0;
    return ++p->panel * p->width < p->plane;
}

bool wabe_panels_next(wabe_panels *p, wabe_pass_part *out) {
    bool more = p->panel * p->width < p->plane;
    *out = (wabe_pass_part){0};
    while (more && out->begin == out->end) {
        const int64_t z = p->front - p->level;
        if (z >= 0 && z < p->planes) {
            const int64_t end = reached(p, p->level, z);
            *out = (wabe_pass_part){p->level, *done_in(p, p->level, z), end};
            *done_in(p, p->level, z) = end;
        }
        more = go_on(p);
    }
    return out->begin < out->end;
}
