#include "sweeps/lattice/streaming.h"

#include <stdbool.h>

/* Where a cell's population q is stored: in the cell move times e_q away, as q or as q's
 * opposite. */
typedef struct {
    int move;
    bool opposite;
} place;

typedef struct {
    int grids;
    place in[2], out[2];
} pattern;

static const pattern patterns[] = {
    [WABE_STREAMING_pull] = {.grids = 2,
                             .in = {{-1, false}, {-1, false}},
                             .out = {{0, false}, {0, false}}},
    [WABE_STREAMING_in_place] = {.grids = 1,
                                 .in = {{-1, true}, {0, false}},
                                 .out = {{1, false}, {0, true}}},
    /* As in_place; odd AA steps use the list's neighbour indices. */
    [WABE_STREAMING_list] = {.grids = 1,
                             .in = {{0, false}, {0, false}},
                             .out = {{0, true}, {0, true}}},
    [WABE_STREAMING_moments] = {.grids = 2}, /* holds no populations */
};

static ptrdiff_t offset_of(place at, wabe_lattice lattice, int q, const wabe_layout *layout) {
    const int *e = wabe_lattice_e(lattice, q);
    const int64_t step = wabe_layout_cell(layout, e[0], e[1], e[2]);
    const int name = at.opposite ? wabe_lattice_opposite(wabe_lattice_count(lattice), q) : q;
    return (ptrdiff_t)(name * layout->stride + at.move * step);
}

int wabe_streaming_grids(wabe_streaming streaming) { return patterns[streaming].grids; }

wabe_streaming_offsets wabe_streaming_offsets_make(wabe_streaming streaming, wabe_lattice lattice,
                                                   const wabe_layout *layout) {
    const pattern *p = &patterns[streaming];
    wabe_streaming_offsets offsets = {.grids = p->grids};
    for (int parity = 0; parity < 2; parity++)
        for (int q = 0; q < layout->components; q++) {
            offsets.in[parity][q] = offset_of(p->in[parity], lattice, q, layout);
            offsets.out[parity][q] = offset_of(p->out[parity], lattice, q, layout);
        }
    return offsets;
}
