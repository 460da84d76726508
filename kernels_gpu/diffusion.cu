/* Diffusion for CUDA: a thread block marches through the planes of its tile with several time
 * levels at once, each a plane behind the level before it. A thread has some rows of one vector
 * each, and keeps for every level what it needs: the plane below, and the sums without the plane
 * above. Rows of other warps come through shared memory.
 *
 * Values that the levels need outside the tile are computed by its neighbours, too: a margin of as
 * many cells as there are steps. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/scalar.h"
#include "kernels_gpu/tiles.cuh"
#include "sweeps/cell/diffusion.h"

#include <cuda_runtime.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

enum {
    VECTOR = WABE_TILE_VECTOR,
    ENDS = 2, /* rows of a warp that others need: first and last */
    CHUNKS = 64
};

/* Sizes of a thread block, and of the part of its cells that comes out right. */
template <int steps> struct reach {
    enum {
        warps = 8,
        threads = warps * WABE_TILE_LANES,
        each = steps == 1 ? 2 : 4,   /* rows per thread */
        blocks = steps == 1 ? 4 : 1, /* per multiprocessor, as registers allow */
        height = warps * each,
        margin = (steps + VECTOR - 1) / VECTOR * VECTOR,
        width = WABE_TILE_LINE - 2 * margin,
        rows = height - 2 * steps,
        level = warps * ENDS * WABE_TILE_LANES, /* vectors in shared memory */
        shared = steps * level                  /* in one of its two places */
    };
};

/* A thread's part of a plane. */
template <int steps> struct patch { wabe_cells row[reach<steps>::each]; };

/* The time levels, each a plane below the level before it. */
template <int steps> struct levels { patch<steps> own[steps + 1], below[steps], sum[steps]; };

/* kappa dt / dx^2; a value behind a wall is factor times the cell's own, plus offset. */
typedef struct {
    wabe_real rate, factor[6], offset[6];
} numbers;

/* Positions of a thread's rows, and of walls: FAR if there is none. */
template <int steps> struct column {
    int x, y;
    int from[reach<steps>::each];   /* offset of what is read, from a plane's cell (0, 0) */
    unsigned inside;                /* bit r: row r belongs to the tile */
    int west, east;                 /* lanes of the vector that are at a wall */
    int south, north, below, above; /* rows of the thread and planes that are at a wall */
    bool along_x, along_y;          /* a wall is at the warp's rows */
    bool ragged;                    /* the wall at their end lies within a vector */
    int wrap;                       /* the plane after the last one */
    bool simple; /* no wall beside the tile's rows, and their vectors are whole */
};

enum { FAR = 1 << 30 };

WABE_INLINE wabe_real behind_wall(const numbers *w, int face, wabe_real own) {
    return WABE_FMA(w->factor[face], own, w->offset[face]);
}

WABE_INLINE wabe_cells behind_wall(const numbers *w, int face, const wabe_cells *own) {
    wabe_cells c;
    for (int i = 0; i < VECTOR; i++)
        c.at[i] = behind_wall(w, face, own->at[i]);
    return c;
}

/* ---- set-up ------------------------------------------------------------------------- */

WABE_INLINE int wall_at(const wabe_diffuse_args *a, int face, int cell) {
    return a->grid.sides[face] == WABE_SIDE_WALL ? cell : FAR;
}

WABE_INLINE bool is_within(int at, int count) { return at >= 0 && at < count; }

/* The cell to read in place of one that may be far outside, for which any value will do. */
WABE_INLINE int place_of(const wabe_diffuse_args *a, int axis, int at, int before, int behind) {
    const int n = (int)a->grid.cells[axis];
    if (a->grid.sides[2 * axis] == WABE_SIDE_ITSELF)
        return (at % n + n) % n;
    return min(max(at, -before), n + behind);
}

/* Must the cells of a thread's row be written? */
template <int steps>
WABE_INLINE bool is_inside(const wabe_row_box *box, const wabe_tile *tile, int x, int y) {
    const int low = (int)tile->x, south = (int)tile->y;
    return x >= low && x < low + reach<steps>::width && x + VECTOR > box->begin[0] &&
           x < box->end[0] && y >= south && y < south + reach<steps>::rows && y < box->end[1];
}

template <int steps>
WABE_INLINE column<steps> column_of(const wabe_diffuse_args *a, const wabe_tile *tile) {
    const wabe_row_box *box = &a->grid.boxes[tile->box];
    const int n[3] = {(int)a->grid.cells[0], (int)a->grid.cells[1], (int)a->grid.cells[2]};
    const int margin = reach<steps>::margin;
    const int left = (int)tile->x - margin, low = (int)tile->y - steps;
    const int last = -1 - (n[0] - 1) % VECTOR; /* the row's last vector, from its end */
    column<steps> c;
    c.x = left + (int)threadIdx.x * VECTOR;
    c.y = low + (int)threadIdx.y * reach<steps>::each;
    c.west = wall_at(a, 0, 0) - c.x;
    c.east = wall_at(a, 1, n[0] - 1) - c.x;
    c.south = wall_at(a, 2, 0) - c.y;
    c.north = wall_at(a, 3, n[1] - 1) - c.y;
    c.below = tile->z < 2 * steps ? wall_at(a, 4, 0) : FAR;
    c.above = wall_at(a, 5, n[2] - 1);
    c.wrap = a->grid.sides[5] == WABE_SIDE_ITSELF ? n[2] : FAR;
    c.along_x = is_within(wall_at(a, 0, 0) - left, WABE_TILE_LINE) ||
                is_within(wall_at(a, 1, n[0] - 1) - left, WABE_TILE_LINE);
    c.along_y = is_within(c.south, reach<steps>::each) || is_within(c.north, reach<steps>::each);
    c.simple = !c.along_x && !is_within(wall_at(a, 2, 0) - low, reach<steps>::height) &&
               !is_within(wall_at(a, 3, n[1] - 1) - low, reach<steps>::height) &&
               box->begin[0] % VECTOR == 0 &&
               (box->end[0] % VECTOR == 0 || left + WABE_TILE_LINE <= box->end[0]);
    c.ragged = n[0] % VECTOR != 0;
    c.inside = 0;
    for (int r = 0; r < reach<steps>::each; r++) {
        c.from[r] = place_of(a, 0, c.x, margin, margin + last) +
                    place_of(a, 1, c.y + r, steps, steps - 1) *
                        (int)a->grid.fields[WABE_DIFFUSE_FROM].pitch;
        c.inside |= (unsigned)is_inside<steps>(box, tile, c.x, c.y + r) << r;
    }
    return c;
}

/* ---- a plane ------------------------------------------------------------------------ */

template <int steps>
WABE_INLINE void load(const column<steps> *c, const wabe_real *plane, patch<steps> *out) {
    for (int r = 0; r < reach<steps>::each; r++)
        out->row[r].all = *(const wabe_tile_vector *)(plane + c->from[r]);
}

/* whole: all vectors are whole. */
template <int steps, bool whole>
WABE_INLINE void store(const column<steps> *c, const wabe_row_box *box, int64_t pitch,
                       const patch<steps> *p, wabe_real *to) {
    for (int r = 0; r < reach<steps>::each; r++, to += pitch)
        if (whole && c->inside >> r & 1)
            *(wabe_tile_vector *)to = p->row[r].all;
        else if (c->inside >> r & 1)
            for (int i = 0; i < VECTOR; i++)
                if (c->x + i >= box->begin[0] && c->x + i < box->end[0])
                    to[i] = p->row[r].at[i];
}

/* beside: a plane's cells, or those in front of a wall. */
template <int steps>
WABE_INLINE void add(wabe_diffusion k, const patch<steps> *sum, const patch<steps> *beside,
                     const numbers *wall, int face, patch<steps> *out) {
    for (int r = 0; r < reach<steps>::each; r++)
        for (int i = 0; i < VECTOR; i++) {
            wabe_real value = beside->row[r].at[i];
            if (wall)
                value = behind_wall(wall, face, value);
            out->row[r].at[i] = wabe_diffuse_add(k, sum->row[r].at[i], value);
        }
}

/* A level's sums lack only the plane above; with it they are the next level. */
template <int steps, bool walled>
WABE_INLINE void add_above(wabe_diffusion k, const numbers *w, const column<steps> *c, int z,
                           levels<steps> *l) {
#pragma unroll
    for (int s = 0; s < steps; s++)
        if (walled && z - s - 1 == c->above)
            add(k, &l->sum[s], &l->below[s], w, 5, &l->own[s + 1]);
        else
            add(k, &l->sum[s], &l->own[s], NULL, 5, &l->own[s + 1]);
}

template <int steps, bool walled>
WABE_INLINE void add_below(wabe_diffusion k, const numbers *w, const column<steps> *c, int z,
                           const patch<steps> *own, patch<steps> *below, patch<steps> *sum) {
    if (walled && z == c->below)
        add(k, sum, own, w, 4, sum);
    else
        add(k, sum, below, NULL, 4, sum);
    *below = *own;
}

/* The whole warp must call this. */
template <int steps, bool walled>
WABE_INLINE void add_along_x(wabe_diffusion k, const numbers *w, const column<steps> *c,
                             const patch<steps> *own, patch<steps> *sum) {
    for (int r = 0; r < reach<steps>::each; r++) {
        const wabe_cells *row = &own->row[r];
        wabe_real wide[VECTOR + 2];
        wide[0] = __shfl_up_sync(WABE_TILE_ALL, row->at[VECTOR - 1], 1);
        wide[VECTOR + 1] = __shfl_down_sync(WABE_TILE_ALL, row->at[0], 1);
        for (int i = 0; i < VECTOR; i++)
            wide[i + 1] = row->at[i];
        if (walled && c->west == 0)
            wide[0] = behind_wall(w, 0, row->at[0]);
        if (walled && c->east == VECTOR - 1)
            wide[VECTOR + 1] = behind_wall(w, 1, row->at[VECTOR - 1]);
        if (walled && c->ragged)
            for (int i = 0; i < VECTOR - 1; i++)
                if (c->east == i)
                    wide[i + 2] = behind_wall(w, 1, row->at[i]);
        for (int i = 0; i < VECTOR; i++) {
            wabe_real f = wabe_diffuse_own(k, row->at[i]);
            f = wabe_diffuse_add(k, f, wide[i]);
            sum->row[r].at[i] = wabe_diffuse_add(k, f, wide[i + 2]);
        }
    }
}

/* south, north: the rows next to the thread's. */
template <int steps, bool walled>
WABE_INLINE void add_along_y(wabe_diffusion k, const numbers *w, const column<steps> *c,
                             const patch<steps> *own, const wabe_cells *south,
                             const wabe_cells *north, patch<steps> *sum) {
    for (int r = 0; r < reach<steps>::each; r++) {
        wabe_cells before = r > 0 ? own->row[r > 0 ? r - 1 : 0] : *south;
        wabe_cells behind = r < reach<steps>::each - 1
                                ? own->row[r < reach<steps>::each - 1 ? r + 1 : 0]
                                : *north;
        if (walled && c->south == r)
            before = behind_wall(w, 2, &own->row[r]);
        if (walled && c->north == r)
            behind = behind_wall(w, 3, &own->row[r]);
        for (int i = 0; i < VECTOR; i++) {
            const wabe_real f = wabe_diffuse_add(k, sum->row[r].at[i], before.at[i]);
            sum->row[r].at[i] = wabe_diffuse_add(k, f, behind.at[i]);
        }
    }
}

/* ---- a tile ------------------------------------------------------------------------- */

/* Given the levels' own planes, computes the sums without the plane above. rows: the thread's first
 * and last rows in shared memory. */
template <int steps, bool walled>
WABE_INLINE void begin_sums(wabe_diffusion k, const numbers *w, const column<steps> *c, int z,
                            wabe_tile_vector *rows, levels<steps> *l) {
    enum { LEVEL = reach<steps>::level, LAST = reach<steps>::each - 1 };
    /* next to the tile's first and last row any value will do */
    const int before = threadIdx.y > 0 ? -WABE_TILE_LANES : 0;
    const int behind = threadIdx.y < reach<steps>::warps - 1 ? ENDS * WABE_TILE_LANES : 0;
#pragma unroll
    for (int s = 0; s < steps; s++) {
        rows[s * LEVEL] = l->own[s].row[0].all;
        rows[s * LEVEL + WABE_TILE_LANES] = l->own[s].row[LAST].all;
    }
#pragma unroll
    for (int s = 0; s < steps; s++)
        if (walled && c->along_x)
            add_along_x<steps, true>(k, w, c, &l->own[s], &l->sum[s]);
        else
            add_along_x<steps, false>(k, w, c, &l->own[s], &l->sum[s]);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < steps; s++) {
        wabe_cells south, north;
        south.all = rows[s * LEVEL + before];
        north.all = rows[s * LEVEL + behind];
        if (walled && c->along_y)
            add_along_y<steps, true>(k, w, c, &l->own[s], &south, &north, &l->sum[s]);
        else
            add_along_y<steps, false>(k, w, c, &l->own[s], &south, &north, &l->sum[s]);
        add_below<steps, walled>(k, w, c, z - s, &l->own[s], &l->below[s], &l->sum[s]);
    }
}

/* Moves the levels on by a plane; simple: no walls are near, and all vectors are whole. */
template <int steps, bool simple>
WABE_INLINE void go_on(const wabe_diffuse_args *a, const numbers *w, const wabe_row_box *box,
                       const column<steps> *c, int z, bool stores, wabe_tile_vector *rows,
                       levels<steps> *l, wabe_real *to) {
    const wabe_diffusion k = wabe_diffusion_of(w->rate);
    add_above<steps, !simple>(k, w, c, z, l);
    if (stores)
        store<steps, simple>(c, box, a->grid.fields[WABE_DIFFUSE_FROM].pitch, &l->own[steps], to);
    begin_sums<steps, !simple>(k, w, c, z, rows, l);
}

/* The state of a march: plane z of the first level is next, and is plane from of the field. */
template <int steps> struct marcher {
    int z, begin, end, from; /* from plane begin on, planes of the last level are complete */
    int turn;                /* offset to the other place in shared memory */
    wabe_tile_vector *rows;  /* the thread's first and last rows in shared memory */
    wabe_real *to;
    levels<steps> l;
    patch<steps> next;
};

/* Marches up to plane end. Shared memory has two places, used in turn: the rows of one plane are
 * read while those of the next one are written. */
template <int steps, bool simple>
WABE_INLINE void march_to(const wabe_diffuse_args *a, const numbers *w, const wabe_row_box *box,
                          const column<steps> *c, marcher<steps> *m, int end) {
    const wabe_real *source = (const wabe_real *)a->grid.fields[WABE_DIFFUSE_FROM].data;
#pragma unroll 2
    for (; m->z < end; m->z++) {
        m->l.own[0] = m->next;
        m->from = m->from + 1 == c->wrap ? 0 : m->from + 1;
        if (m->z + 1 < m->end)
            load(c, source + m->from * a->grid.fields[WABE_DIFFUSE_FROM].plane, &m->next);
        go_on<steps, simple>(a, w, box, c, m->z, m->z >= m->begin, m->rows, &m->l, m->to);
        m->to += a->grid.fields[WABE_DIFFUSE_FROM].plane;
        m->rows += m->turn;
        m->turn = -m->turn;
    }
}

template <int steps>
WABE_INLINE void march(const wabe_diffuse_args *a, const numbers *w, const wabe_tile *tile,
                       int planes, wabe_tile_vector *shared) {
    const wabe_row_box *box = &a->grid.boxes[tile->box];
    const column<steps> c = column_of<steps>(a, tile);
    const int begin = (int)tile->z, end = min(begin + planes, (int)box->end[2]) + steps;
    marcher<steps> m = {};
    m.z = begin - steps;
    m.begin = begin + steps;
    m.end = end;
    m.from = place_of(a, 2, m.z, steps, steps - 1);
    m.rows = shared + (int)threadIdx.y * ENDS * WABE_TILE_LANES + threadIdx.x;
    m.turn = reach<steps>::shared;
    m.to = (wabe_real *)a->grid.fields[WABE_DIFFUSE_TO].data + c.x +
           c.y * a->grid.fields[WABE_DIFFUSE_FROM].pitch +
           (begin - 2 * steps) * a->grid.fields[WABE_DIFFUSE_FROM].plane;
    load(&c,
         (const wabe_real *)a->grid.fields[WABE_DIFFUSE_FROM].data +
             m.from * a->grid.fields[WABE_DIFFUSE_FROM].plane,
         &m.next);
    /* Walls below and above are near for a few planes only. */
    const int walled = c.below == FAR ? m.z : min(c.below + steps, end);
#pragma unroll 1
    while (m.z < end)
        if (c.simple && m.z >= walled && m.z <= c.above)
            march_to<steps, true>(a, w, box, &c, &m, min(end, c.above + 1));
        else
            march_to<steps, false>(a, w, box, &c, &m, m.z < walled ? walled : end);
}

template <int steps>
static __global__ void __launch_bounds__(reach<steps>::threads, reach<steps>::blocks)
    diffuse_kernel(const __grid_constant__ wabe_diffuse_args a, const __grid_constant__ numbers w,
                   const __grid_constant__ wabe_tiles tiles) {
    extern __shared__ wabe_tile_vector shared[];
    const wabe_tile tile = wabe_tile_of(&a.grid, &tiles, (int)blockIdx.x);
    march<steps>(&a, &w, &tile, tiles.shape[tile.box].planes, shared);
}

/* ---- the call ----------------------------------------------------------------------- */

/* The number of planes that keeps all multiprocessors busy to the end; those added at both ends of
 * a tile cost time, too. */
static int planes_of(const wabe_row_box *box, wabe_tile_shape shape, int steps, int blocks) {
    const int64_t depth = box->end[2] - box->begin[2];
    int best = 1;
    int64_t least = INT64_MAX;
    for (int chunks = 1; chunks <= CHUNKS && chunks <= depth; chunks++) {
        wabe_tiles t = {};
        shape.planes = wabe_tiles_along(depth, chunks);
        wabe_tiles_cut(&t, 0, box, shape);
        const int64_t rounds = (t.first[1] + blocks - 1) / blocks;
        const int64_t cost = rounds * (shape.planes + 2 * steps);
        if (cost < least) {
            best = shape.planes;
            least = cost;
        }
    }
    return best;
}

template <int steps> static void launch(const wabe_diffuse_args *a, cudaStream_t stream) {
    const size_t shared = 2 * reach<steps>::shared * sizeof(wabe_tile_vector);
    wabe_tile_shape shape = {VECTOR, reach<steps>::width, reach<steps>::rows, 0};
    wabe_tiles tiles = {};
    numbers w;
    w.rate = (wabe_real)a->rate;
    int device = 0, multiprocessors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    const int blocks = multiprocessors * reach<steps>::blocks;
    for (int face = 0; face < 6; face++) {
        w.factor[face] = (wabe_real)a->grid.fields[WABE_DIFFUSE_FROM].walls[face].factor;
        w.offset[face] = (wabe_real)a->grid.fields[WABE_DIFFUSE_FROM].walls[face].offset;
    }
    for (int i = 0; i < a->grid.box_count; i++) {
        shape.planes = planes_of(&a->grid.boxes[i], shape, steps, blocks);
        wabe_tiles_cut(&tiles, i, &a->grid.boxes[i], shape);
    }
    cudaFuncSetAttribute(diffuse_kernel<steps>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)shared);
    diffuse_kernel<steps>
        <<<tiles.first[a->grid.box_count], dim3(WABE_TILE_LANES, reach<steps>::warps), shared,
           stream>>>(*a, w, tiles);
}

void JOIN(wabe_cuda_diffuse, WABE_FLAVOUR)(const wabe_diffuse_args *a, int64_t begin, int64_t end,
                                           void *stream) {
    static void (*const launches[])(const wabe_diffuse_args *,
                                    cudaStream_t) = {launch<1>, launch<2>, launch<3>, launch<4>};
    static_assert(sizeof launches / sizeof launches[0] == WABE_DIFFUSION_DEPTH, "one for each");
    (void)begin, (void)end; /* all rows of the boxes */
    launches[a->grid.steps - 1](a, (cudaStream_t)stream);
}
