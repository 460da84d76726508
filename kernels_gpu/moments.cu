/* Streaming pattern moments for CUDA: compiled once per storage type.
 *
 * A thread block marches through the planes of a column, a thread per cell, and two warps for the
 * cells beside the column, of which they need what moves into it. In each step
 *
 *   - a thread rebuilds the populations of its cell of plane z, and puts those that leave it where
 *     they arrive, in shared memory; what a wall returns, in its own cell's place;
 *   - it loads the cell of plane z + 1; all threads wait for each other;
 *   - what has arrived from plane z completes its cell of plane z - 1, which it updates and stores;
 *     of plane z it adds up what is there so far: the nine populations that stay in the plane, and
 *     the five from below.
 *
 * Populations that stay in a plane, or go down, are read in the step in which they are put. Those
 * that go up are read one step later, since walls return some in that step. A place that belongs to
 * a wall is written by its own cell's thread alone, which is also the only one to read it. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/moments.h"
#include "kernels_gpu/moments_column.h"

#include <cuda_runtime.h>

#define CUDA(name) JOIN(wabe_cuda_##name, WABE_FLAVOUR)

enum { WARP = 32, FLATS = 8, RISING = 4, FLAT_BUFFERS = 2, UP_BUFFERS = 3, DOWN_BUFFERS = 2 };

/* A thread block's shape, and its shared memory: [buffer][population][y][x]. */
template <int NX, int NY, int PLANES> struct shape {
    enum {
        TX = NX,
        TY = NY,
        PITCH = TX + 2,
        PLANE = PITCH * (TY + 2),
        INNER = TX * TY,
        THREADS = INNER + 2 * WARP,
        UP = FLAT_BUFFERS * FLATS * PLANE,
        DOWN = UP + UP_BUFFERS * RISING * PLANE,
        NUMBERS = DOWN + DOWN_BUFFERS * RISING * PLANE,
        PLACES = NUMBERS / PLANE
    };
};
typedef shape<JOIN(WABE_MOMENTS_COLUMN, WABE_FLAVOUR)> block;
enum { BLOCKS = JOIN(WABE_MOMENTS_BLOCKS, WABE_FLAVOUR) };
static_assert(block::PLACES == WABE_MOMENTS_PLACES, "the shared memory that rows ask for");

/* Waits for all threads of the block; warps may come from different places. */
static __device__ __forceinline__ void barrier() {
    __syncwarp();
    asm volatile("bar.sync 0;" ::: "memory");
}

typedef struct {
    const wabe_stored *source;
    wabe_stored *target;
    wabe_marching marching;
    const wabe_cell_record *records;
    const uint32_t *classes;
    const wabe_patch *patches;
    wabe_collision collision;
} step_parameters;

/* Places of populations in shared memory, of this thread's cell: where those that stay in a plane,
 * go up, go down are put in step k; where walls return them; where they are read. */
typedef struct {
    wabe_real *flat, *up, *down, *up_arrived, *down_later;
} places;

static __device__ __forceinline__ places places_of(wabe_real *own, int k) {
    places p;
    p.flat = own + (k & 1) * FLATS * block::PLANE;
    p.up = own + block::UP + k % UP_BUFFERS * RISING * block::PLANE;
    p.up_arrived = own + block::UP + (k + 2) % UP_BUFFERS * RISING * block::PLANE;
    p.down = own + block::DOWN + (k & 1) * RISING * block::PLANE;
    p.down_later = own + block::DOWN + (~k & 1) * RISING * block::PLANE;
    return p;
}

/* X(population, place, cx, cy, e_dot_u, weight); the opposite one has place ^ 1, of UP in DOWN. */
#define FLAT(X)                                                                                    \
    X(e, 0, 1, 0, ux, axis)                                                                        \
    X(w, 1, -1, 0, -ux, axis)                                                                      \
    X(n, 2, 0, 1, uy, axis)                                                                        \
    X(s, 3, 0, -1, -uy, axis)                                                                      \
    X(ne, 4, 1, 1, ux + uy, diagonal)                                                              \
    X(sw, 5, -1, -1, -(ux + uy), diagonal)                                                         \
    X(se, 6, 1, -1, ux - uy, diagonal)                                                             \
    X(nw, 7, -1, 1, -(ux - uy), diagonal)
#define UP(X)                                                                                      \
    X(te, 0, 1, 0, ux + uz, diagonal)                                                              \
    X(tw, 1, -1, 0, -(ux - uz), diagonal)                                                          \
    X(tn, 2, 0, 1, uy + uz, diagonal)                                                              \
    X(ts, 3, 0, -1, -(uy - uz), diagonal)
#define DOWN(X)                                                                                    \
    X(be, 0, 1, 0, ux - uz, diagonal)                                                              \
    X(bw, 1, -1, 0, -(ux + uz), diagonal)                                                          \
    X(bn, 2, 0, 1, uy - uz, diagonal)                                                              \
    X(bs, 3, 0, -1, -(uy + uz), diagonal)

/* The cell of each plane that a thread rebuilds. Offsets within a plane are short, and what depends
 * on the plane is the same for all threads: that saves registers. */
typedef struct {
    int offset; /* of its first moment */
    int group;
    int lane;   /* in its group */
    bool there; /* planes have such a cell */
} place_of_cell;

static __device__ __forceinline__ place_of_cell place_of(const step_parameters &p, int x, int y,
                                                         bool wanted) {
    const wabe_marching &m = p.marching;
    place_of_cell c;
    c.there = wanted && wabe_marching_has(&m, 0, x) && wabe_marching_has(&m, 1, y);
    const int n = c.there
                      ? (int)(wabe_marching_wrap(&m, 0, x) + m.pitch * wabe_marching_wrap(&m, 1, y))
                      : 0;
    c.lane = n & (WABE_MOMENTS_GROUP - 1);
    c.group = (n - c.lane) / WABE_MOMENTS_GROUP;
    c.offset = (int)wabe_moments_place(n);
    return c;
}

/* A cell of a plane as it is stored. Nothing is computed from it in the step that loads it, which
 * would wait for the memory. */
typedef struct {
    wabe_stored moments[WABE_MOMENTS];
    uint32_t mask;   /* fluid cells of its group */
    uint32_t record; /* of its tile: see wabe_record_of */
} loaded;

/* with_record: the cell is one of the column's. */
static __device__ __forceinline__ void load(const step_parameters &p, const place_of_cell &c, int z,
                                            bool with_record, loaded *out) {
    const wabe_marching &m = p.marching;
    out->mask = out->record = 0;
    if (!wabe_marching_has(&m, 2, z) || !c.there)
        return;
    const int64_t plane = m.plane * wabe_marching_wrap(&m, 2, z);
    const uint32_t *masks = m.fluid + plane / WABE_MOMENTS_GROUP;
    const wabe_stored *from = p.source + plane * WABE_MOMENTS + c.offset;
    out->mask = __ldg(masks + c.group);
    if (with_record)
        out->record = __ldg(p.classes + plane / WABE_TILE +
                            c.group * (WABE_MOMENTS_GROUP / WABE_TILE) + c.lane / WABE_TILE);
#pragma unroll
    for (int i = 0; i < WABE_MOMENTS; i++)
        out->moments[i] = from[i * WABE_MOMENTS_GROUP];
}

static __device__ __forceinline__ wabe_ten ten_of(const wabe_stored *moments) {
    const wabe_ten s = {wabe_from_stored(moments[0]), wabe_from_stored(moments[1]),
                        wabe_from_stored(moments[2]), wabe_from_stored(moments[3]),
                        wabe_from_stored(moments[4]), wabe_from_stored(moments[5]),
                        wabe_from_stored(moments[6]), wabe_from_stored(moments[7]),
                        wabe_from_stored(moments[8]), wabe_from_stored(moments[9])};
    return s;
}

static __device__ __forceinline__ void store(const step_parameters &p, const place_of_cell &c,
                                             int z, wabe_ten s) {
    wabe_stored *to = p.target + p.marching.plane * z * WABE_MOMENTS + c.offset;
    const wabe_real values[WABE_MOMENTS] = {s.base, s.x,  s.y,  s.z,  s.xx,
                                            s.yy,   s.zz, s.xy, s.xz, s.yz};
#pragma unroll
    for (int i = 0; i < WABE_MOMENTS; i++)
        to[i * WABE_MOMENTS_GROUP] = wabe_to_stored(values[i]);
}

/* As ten_of, from memory: for walls that few cells have, so that others need not keep registers. */
static __device__ __forceinline__ wabe_ten ten_again(const step_parameters &p, int offset, int z) {
    const wabe_stored *from = p.source + p.marching.plane * z * WABE_MOMENTS + offset;
    wabe_stored moments[WABE_MOMENTS];
#pragma unroll
    for (int i = 0; i < WABE_MOMENTS; i++)
        moments[i] = from[i * WABE_MOMENTS_GROUP];
    return ten_of(moments);
}

/* ---- the cells of the column -------------------------------------------------------- */

#define PUT_FLAT(name, place, cx, cy, ...)                                                         \
    at.flat[(place)*block::PLANE + (cx) + (cy)*block::PITCH] = left.name;
#define PUT_UP(name, place, cx, cy, ...)                                                           \
    at.up[(place)*block::PLANE + (cx) + (cy)*block::PITCH] = left.name;
#define PUT_DOWN(name, place, cx, cy, ...)                                                         \
    at.down[(place)*block::PLANE + (cx) + (cy)*block::PITCH] = left.name;

/* Puts what walls return to a cell in its own places. What has left it is read where this thread
 * has put it: behind the wall, where nobody else reads or writes. rises and returned: populations t
 * and b, which take no place there; left_t, left_b have left. Returns whether a wall returns b. */
static __device__ __forceinline__ bool put_returned(const step_parameters &p,
                                                    const place_of_cell &c, int z, uint32_t first,
                                                    places at, wabe_real left_t, wabe_real left_b,
                                                    wabe_real *rises, wabe_real *returned) {
    uint32_t bits = 0;
    for (const wabe_cell_record *record = p.records + first - 1;; record++) {
        const uint32_t cell = record->cells[c.lane % WABE_TILE];
        wabe_returning w = wabe_returning_of(cell, p.patches);
        if (w.quadratic != 0.0)
            wabe_returning_add(&w, ten_again(p, c.offset, z), &p.collision);
        const wabe_real ux = w.ux, uy = w.uy, uz = w.uz;
#define RETURN(name, to, left, projection, weight)                                                 \
    if (cell >> WABE_Q_##name & 1)                                                                 \
        (to) = wabe_returned(&w, WABE_Q_##name, left, WEIGHT_##weight, projection);
#define RETURN_AT(name, buffer, from, place, cx, cy, projection, weight)                           \
    RETURN(name, at.buffer[(place)*block::PLANE],                                                  \
           at.from[((place) ^ 1) * block::PLANE - (cx) - (cy)*block::PITCH], projection, weight)
#define RETURN_FLAT(name, place, cx, cy, ...)                                                      \
    RETURN_AT(name, flat, flat, place, cx, cy, __VA_ARGS__)
#define RETURN_UP(name, place, cx, cy, ...)                                                        \
    RETURN_AT(name, up_arrived, down, place, cx, cy, __VA_ARGS__)
#define RETURN_DOWN(name, place, cx, cy, ...)                                                      \
    RETURN_AT(name, down_later, up, place, cx, cy, __VA_ARGS__)
        FLAT(RETURN_FLAT)
        UP(RETURN_UP)
        DOWN(RETURN_DOWN)
        RETURN(t, *rises, left_b, uz, axis) RETURN(b, *returned, left_t, -uz, axis) bits |= cell;
        if (cell >> WABE_CELL_LAST & 1)
            return bits >> WABE_Q_b & 1;
    }
}

/* What a thread keeps of its column from one step to the next. */
typedef struct {
    wabe_layer own; /* of the plane below: what has arrived so far */
    wabe_real below_all, below_x, below_y;
    wabe_real rises, returned; /* populations t, and b if a wall has returned it */
    bool has_returned, is_fluid;
} pending;

template <int third, int forced>
static __device__ __forceinline__ void march_inner(const step_parameters &p, const wabe_column &c,
                                                   wabe_real *shared) {
    const int tx = threadIdx.x % block::TX, ty = threadIdx.x / block::TX;
    const int x = c.x_origin + tx, y = c.begin[1] + ty;
    const bool active = x >= c.begin[0] && x < c.end[0] && y < c.end[1];
    const place_of_cell cell = place_of(p, x, y, x <= c.end[0] && y <= c.end[1]);
    wabe_real *own = shared + (ty + 1) * block::PITCH + tx + 1;
    pending rest = {};
    loaded now;
    load(p, cell, c.begin[2] - 1, false, &now);
#pragma unroll 1
    for (int z = c.begin[2] - 1, k = 0; z <= c.end[2]; z++, k++) {
        const places at = places_of(own, k);
        const wabe_cell left = wabe_cell_of_ten(ten_of(now.moments), third);
        const bool fluid = now.mask >> cell.lane & 1;
        const bool inside = active && fluid && z >= c.begin[2] && z < c.end[2];
        wabe_real rises = rest.rises, returned = left.b;
        bool has_returned = false;
        if (fluid) {
            FLAT(PUT_FLAT) UP(PUT_UP) DOWN(PUT_DOWN)
        }
        if (inside && now.record) {
            has_returned = put_returned(p, cell, z, now.record, at, left.t, left.b, &rises,
                                        &returned);
        }
        const wabe_real falls = rest.has_returned ? rest.returned : left.b;
        const wabe_real stays = left.c, rises_next = left.t;
        if (z < c.end[2])
            load(p, cell, z + 1, active && z + 1 < c.end[2], &now);
        barrier();
        wabe_cell f;
#define TAKE_DOWN(name, place, cx, cy, ...) f.name = at.down[(place)*block::PLANE];
        DOWN(TAKE_DOWN)
        if (rest.is_fluid) {
            const wabe_layer above = wabe_layer_of_five(falls, f.be, f.bw, f.bn, f.bs);
            const wabe_ten updated = wabe_ten_update(rest.own, rest.below_all, rest.below_x,
                                                     rest.below_y, above, &p.collision, forced);
            store(p, cell, z - 1, updated);
        }
#define TAKE_FLAT(name, place, cx, cy, ...) f.name = at.flat[(place)*block::PLANE];
#define TAKE_UP(name, place, cx, cy, ...) f.name = at.up_arrived[(place)*block::PLANE];
        FLAT(TAKE_FLAT) UP(TAKE_UP) f.c = stays;
        const wabe_layer below = wabe_layer_of_five(rises, f.te, f.tw, f.tn, f.ts);
        rest.own = wabe_layer_add(wabe_layer_of_nine(f), below);
        rest.below_all = below.all, rest.below_x = below.x, rest.below_y = below.y;
        rest.rises = rises_next;
        rest.returned = returned, rest.has_returned = has_returned;
        rest.is_fluid = inside;
    }
}

/* ---- the cells beside it ------------------------------------------------------------ */

/* A warp for the row of cells below (side 1) or above (-1) the column in y, and those beside it in
 * x, one lane each, corners included. Only what moves into the column is put, and nothing beyond
 * the places around it. */
template <int third, int side>
static __device__ __forceinline__ void march_margin(const step_parameters &p, const wabe_column &c,
                                                    wabe_real *shared) {
    enum { ROWS = block::TX / WARP };
    const int lane = threadIdx.x % WARP;
    const int width = c.end[0] - c.x_origin, height = c.end[1] - c.begin[1];
    const bool may_fall = lane > 0, may_rise = lane <= block::TY; /* beside the column, in y */
    const int beside_y = side > 0 ? -1 : block::TY, beside_x = side > 0 ? -1 : block::TX;
    place_of_cell cells[ROWS + 1];
    wabe_real *own[ROWS + 1];
    loaded now[ROWS + 1];
#pragma unroll
    for (int i = 0; i <= ROWS; i++) {
        const int tx = i < ROWS ? i * WARP + lane : beside_x, ty = i < ROWS ? beside_y : lane - 1;
        cells[i] = place_of(p, c.x_origin + tx, c.begin[1] + ty,
                            tx <= width && ty <= height && ty <= block::TY);
        own[i] = shared + (cells[i].there ? (ty + 1) * block::PITCH + tx + 1 : 0);
        load(p, cells[i], c.begin[2] - 1, false, &now[i]);
    }
#pragma unroll 1
    for (int z = c.begin[2] - 1, k = 0; z <= c.end[2]; z++, k++) {
#pragma unroll
        for (int i = 0; i <= ROWS; i++) {
            const wabe_cell left = wabe_cell_of_ten(ten_of(now[i].moments), third);
            const places at = places_of(own[i], k);
#define PUT_ROW(PUT, name, place, cx, cy)                                                          \
    if (i < ROWS ? (cy) == side                                                                    \
                 : (cx) == side && ((cy) == 0 || ((cy) > 0 ? may_rise : may_fall))) {              \
        PUT(name, place, cx, cy)                                                                   \
    }
#define ROW_FLAT(name, place, cx, cy, ...) PUT_ROW(PUT_FLAT, name, place, cx, cy)
#define ROW_UP(name, place, cx, cy, ...) PUT_ROW(PUT_UP, name, place, cx, cy)
#define ROW_DOWN(name, place, cx, cy, ...) PUT_ROW(PUT_DOWN, name, place, cx, cy)
            if (now[i].mask >> cells[i].lane & 1) {
                FLAT(ROW_FLAT) UP(ROW_UP) DOWN(ROW_DOWN)
            }
            if (z < c.end[2])
                load(p, cells[i], z + 1, false, &now[i]);
        }
        barrier();
    }
}

/* ---- a step ------------------------------------------------------------------------- */

template <int third, int forced>
static __global__ void __launch_bounds__(block::THREADS, BLOCKS)
    march(const __grid_constant__ step_parameters p) {
    extern __shared__ double shared_numbers[];
    wabe_real *shared = (wabe_real *)shared_numbers;
    const wabe_column c = p.marching.columns[blockIdx.x];
    if (threadIdx.x < block::INNER)
        march_inner<third, forced>(p, c, shared);
    else if (threadIdx.x < block::INNER + WARP)
        march_margin<third, 1>(p, c, shared);
    else
        march_margin<third, -1>(p, c, shared);
}

template <int third, int forced>
static void start(const step_parameters &p, int64_t count, void *stream) {
    enum { BYTES = block::NUMBERS * sizeof(wabe_real) };
    cudaFuncSetAttribute(march<third, forced>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    march<third, forced><<<(unsigned)count, block::THREADS, BYTES, (cudaStream_t)stream>>>(p);
}

template <int third>
static void step(const wabe_stream_collide_args *a, int64_t begin, int64_t end, void *stream) {
    step_parameters p;
    p.source = (const wabe_stored *)a->source;
    p.target = (wabe_stored *)a->target;
    p.marching = a->marching;
    p.marching.columns += begin;
    p.records = a->cell_records;
    p.classes = a->classes;
    p.patches = a->patches;
    p.collision = wabe_collision_of(&a->collision);
    if (wabe_has_force(a->collision.force))
        start<third, 1>(p, end - begin, stream);
    else
        start<third, 0>(p, end - begin, stream);
}

#define STREAM_COLLIDE(op, flops, third, ...)                                                      \
    extern "C" void CUDA(stream_collide_##op##_moments)(const wabe_stream_collide_args *a,         \
                                                        int64_t begin, int64_t end,                \
                                                        void *stream) {                            \
        step<third>(a, begin, end, stream);                                                        \
    }
WABE_LBM_MOMENTS(STREAM_COLLIDE, )
