/* Streaming pattern moments for CUDA: compiled once per storage type.
 *
 * A thread block marches through the planes of a column, a thread per cell, and a few warps for the
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
 * a wall is written by its own cell's thread alone, which is also the only one to read it.
 *
 * Most groups of cells have no walls. Whether one has is looked up for many planes at once, and
 * decides for a warp as a whole between two paths (put_plain, put_special). */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/moments.h"
#include "kernels_gpu/moments_column.h"

#include <cuda_runtime.h>

#define CUDA(name) JOIN(JOIN(wabe_cuda_##name, WABE_LATTICE), WABE_FLAVOUR)

enum {
    WARP = 32,
    FLATS = 8,
    RISING = WABE_Q == (int)WABE_COUNT_d3q27 ? 8 : 4,
    FLAT_BUFFERS = 2,
    UP_BUFFERS = 3,
    DOWN_BUFFERS = 2
};

#define OF_LATTICE(what) JOIN(JOIN(what, WABE_LATTICE), WABE_FLAVOUR)

/* A thread block's shape, and its shared memory: [buffer][population][y][x]. */
template <int NX, int NY, int PLANES, int MARGINS> struct shape {
    enum {
        TX = NX,
        TY = NY,
        PITCH = TX + 2,
        PLANE = PITCH * (TY + 2),
        INNER = TX * TY,
        THREADS = INNER + MARGINS * WARP,
        UP = FLAT_BUFFERS * FLATS * PLANE,
        DOWN = UP + UP_BUFFERS * RISING * PLANE,
        FALLS = DOWN + DOWN_BUFFERS * RISING * PLANE, /* population b, if a wall returns it */
        NUMBERS = FALLS + PLANE,
        PLACES = NUMBERS / PLANE
    };
};
enum {
    BLOCKS = OF_LATTICE(WABE_MOMENTS_BLOCKS),
    MARGINS = OF_LATTICE(WABE_MOMENTS_MARGINS) /* warps for cells beside the column */
};
typedef shape<OF_LATTICE(WABE_MOMENTS_COLUMN), MARGINS> block;
static_assert(block::PLACES == JOIN(WABE_MOMENTS_PLACES, WABE_LATTICE),
              "the shared memory that rows ask for");

/* Waits for all threads of the block; warps may come from different places. */
static __device__ __forceinline__ void barrier() {
    __syncwarp();
    asm volatile("bar.sync 1, %0;" ::"n"((int)block::THREADS) : "memory");
}

typedef struct {
    const wabe_stored *source;
    wabe_stored *target;
    wabe_marching marching;
    int plane_moments, plane_groups, plane_tiles; /* numbers, groups, tiles from plane to plane */
    const wabe_cell_record *records;
    const uint32_t *classes;
    const wabe_patch *patches;
    wabe_collision collision;
} step_parameters;

/* Places of populations in shared memory, of this thread's cell: where those that stay in a plane,
 * go up, go down are put in step k; where walls return them; where they are read. */
typedef struct {
    wabe_real *flat, *up, *down, *up_arrived, *down_later;
    wabe_real *falls; /* this thread's own: b for the step after */
} places;

static __device__ __forceinline__ places places_of(wabe_real *own, int k) {
    const int turn = k % UP_BUFFERS, arrived = turn ? turn - 1 : UP_BUFFERS - 1;
    places p;
    p.flat = own + (k & 1) * FLATS * block::PLANE;
    p.up = own + block::UP + turn * RISING * block::PLANE;
    p.up_arrived = own + block::UP + arrived * RISING * block::PLANE;
    p.down = own + block::DOWN + (k & 1) * RISING * block::PLANE;
    p.down_later = own + block::DOWN + (~k & 1) * RISING * block::PLANE;
    p.falls = own + block::FALLS;
    return p;
}

/* X(population, place, cx, cy, e_dot_u, class); the opposite one has place ^ 1, of UP in DOWN. */
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
    X(ts, 3, 0, -1, -(uy - uz), diagonal)                                                          \
    WABE_IF_CORNERS(                                                                               \
        X(tne, 4, 1, 1, (ux + uy) + uz, corner) X(tsw, 5, -1, -1, -((ux + uy) - uz), corner)       \
            X(tse, 6, 1, -1, (ux - uy) + uz, corner) X(tnw, 7, -1, 1, -((ux - uy) - uz), corner))
#define DOWN(X)                                                                                    \
    X(be, 0, 1, 0, ux - uz, diagonal)                                                              \
    X(bw, 1, -1, 0, -(ux + uz), diagonal)                                                          \
    X(bn, 2, 0, 1, uy - uz, diagonal)                                                              \
    X(bs, 3, 0, -1, -(uy + uz), diagonal)                                                          \
    WABE_IF_CORNERS(                                                                               \
        X(bne, 4, 1, 1, (ux + uy) - uz, corner) X(bsw, 5, -1, -1, -((ux + uy) + uz), corner)       \
            X(bse, 6, 1, -1, (ux - uy) - uz, corner) X(bnw, 7, -1, 1, -((ux - uy) + uz), corner))

/* The cell of each plane that a thread rebuilds, within its plane. */
typedef struct {
    int group, lane; /* its group of cells, and which one of these it is */
    bool there;      /* planes have such a cell */
} place_of_cell;

static __device__ __forceinline__ place_of_cell place_at(int n, bool there) {
    const int lane = n & (WABE_MOMENTS_GROUP - 1);
    const place_of_cell c = {(n - lane) / WABE_MOMENTS_GROUP, lane, there};
    return c;
}

/* Element n of plane z of an array with so many elements per plane. */
static __device__ __forceinline__ int64_t at_plane(int n, int plane, int z) {
    return n + (int64_t)plane * z;
}

/* A cell's first moment in plane z. */
static __device__ __forceinline__ int64_t first_moment(const step_parameters &p,
                                                       const place_of_cell &c, int z) {
    return at_plane(c.group * (WABE_MOMENTS * WABE_MOMENTS_GROUP) + c.lane, p.plane_moments, z);
}

static __device__ __forceinline__ uint32_t fluid_mask(const step_parameters &p,
                                                      const place_of_cell &c, int z) {
    return c.there ? __ldg(p.marching.fluid +
                           at_plane(c.group, p.plane_groups, wabe_marching_wrap(&p.marching, 2, z)))
                   : 0;
}

/* The first record of a cell's tile: see wabe_record_of. */
static __device__ __forceinline__ uint32_t record_of(const step_parameters &p,
                                                     const place_of_cell &c, int z) {
    const int tile = c.group * (WABE_MOMENTS_GROUP / WABE_TILE) + c.lane / WABE_TILE;
    return c.there ? __ldg(p.classes + at_plane(tile, p.plane_tiles, z)) : 0;
}

/* What a warp knows of its group of cells besides moments. Each lane looks up a tile of one plane,
 * which makes a batch of planes at once. A plane is special if one of the group's two tiles is not
 * plain; only there words are loaded. All is loaded a step before it is needed, and before the
 * moments: what waits for a later load waits for the memory. */
enum {
    BATCH = WARP / 2,
    BOTH_TILES = 1 | 1 << BATCH,
};
/* The word of a cell of a plain tile. */
#define PLAIN ((wabe_cell_word)WABE_CELL_FLUID | (wabe_cell_word)1 << WABE_CELL_LAST)
typedef struct {
    uint32_t record;     /* of this lane's tile of the batch: see record_of */
    uint32_t special;    /* tiles of the batch that are not plain, a bit per lane */
    wabe_cell_word word; /* of this lane's cell in the next plane, if that is special */
    bool outside;        /* no cell of the group is in the column */
} walls;

/* Begins to load the records of a batch of planes, from z on. end: of the column. */
static __device__ __forceinline__ uint32_t records_from(const step_parameters &p,
                                                        const place_of_cell &c, int z, int end) {
    const int tile = c.group * (WABE_MOMENTS_GROUP / WABE_TILE) + c.lane / BATCH;
    z += c.lane % BATCH;
    return z < end ? __ldg(p.classes + at_plane(tile, p.plane_tiles, z)) : 0;
}

/* Planes beside the column are special, too: of their cells, only fluid ones are put. */
static __device__ __forceinline__ bool is_special(const walls &w, const wabe_column &c, int z) {
    return z < c.begin[2] || z == c.end[2] ||
           (w.special >> (z - c.begin[2]) % BATCH & BOTH_TILES) != 0;
}

/* Begins to load what is needed in plane z; beside the column, the mask of the group's fluid cells
 * in place of words. */
static __device__ __forceinline__ void look_ahead(const step_parameters &p, const place_of_cell &c,
                                                  const wabe_column &column, int z, int last,
                                                  walls *w) {
    const int begin = column.begin[2], end = column.end[2], at = (z - begin) % BATCH;
    if (at == 0)
        w->special = __ballot_sync(~0u, w->record || !c.there);
    if (z == end) {
        w->word = z <= last ? fluid_mask(p, c, z) : 0;
    } else if (is_special(*w, column, z)) {
        const uint32_t record = __shfl_sync(~0u, w->record, at | (c.lane & BATCH));
        w->word = c.there ? PLAIN : 0;
        if (c.there && record)
            w->word = p.records[record - 1].cells[c.lane % WABE_TILE];
    }
    if (at == BATCH - 1)
        w->record = w->outside ? 0 : records_from(p, c, z + 1, end);
}

/* The word of a cell in a record after the first one; number: from 0. */
static __device__ __forceinline__ wabe_cell_word next_word(const step_parameters &p,
                                                           const place_of_cell &c, int z,
                                                           int number) {
    return p.records[record_of(p, c, z) + (uint32_t)number].cells[c.lane % WABE_TILE];
}

/* Begins to load the moments of a cell. */
static __device__ __forceinline__ void load(const step_parameters &p, const place_of_cell &c, int z,
                                            wabe_stored moments[WABE_MOMENTS]) {
    if (!c.there)
        return;
    const wabe_stored *from = p.source + first_moment(p, c, wabe_marching_wrap(&p.marching, 2, z));
#pragma unroll
    for (int i = 0; i < WABE_MOMENTS; i++)
        moments[i] = from[i * WABE_MOMENTS_GROUP];
}

static __device__ __forceinline__ wabe_ten ten_of(const wabe_stored *m) {
    const wabe_ten s = {wabe_from_stored(m[0]), wabe_from_stored(m[1]), wabe_from_stored(m[2]),
                        wabe_from_stored(m[3]), wabe_from_stored(m[4]), wabe_from_stored(m[5]),
                        wabe_from_stored(m[6]), wabe_from_stored(m[7]), wabe_from_stored(m[8]),
                        wabe_from_stored(m[9])};
    return s;
}

static __device__ __forceinline__ void store(const step_parameters &p, const place_of_cell &c,
                                             int z, wabe_ten s) {
    wabe_stored *to = p.target + first_moment(p, c, z);
    const wabe_real values[WABE_MOMENTS] = {s.base, s.x,  s.y,  s.z,  s.xx,
                                            s.yy,   s.zz, s.xy, s.xz, s.yz};
#pragma unroll
    for (int i = 0; i < WABE_MOMENTS; i++)
        to[i * WABE_MOMENTS_GROUP] = wabe_to_stored(values[i]);
}

/* As ten_of, from memory: for walls that few cells have, so that others need not keep registers. */
static __device__ __forceinline__ wabe_ten ten_again(const step_parameters &p,
                                                     const place_of_cell &c, int z) {
    wabe_stored moments[WABE_MOMENTS];
    load(p, c, z, moments);
    return ten_of(moments);
}

/* ---- the cells of the column -------------------------------------------------------- */

#define PUT_FLAT(name, place, cx, cy, ...)                                                         \
    at.flat[(place)*block::PLANE + (cx) + (cy)*block::PITCH] = left.name;
#define PUT_UP(name, place, cx, cy, ...)                                                           \
    at.up[(place)*block::PLANE + (cx) + (cy)*block::PITCH] = left.name;
#define PUT_DOWN(name, place, cx, cy, ...)                                                         \
    at.down[(place)*block::PLANE + (cx) + (cy)*block::PITCH] = left.name;

/* Puts what leaves a cell where it arrives: in its own places, if a resting wall returns it as the
 * opposite population, a bit of returned. */
static __device__ __forceinline__ void put_or_return(places at, const wabe_cell &left,
                                                     wabe_cell_word returned) {
#define PUT(name, place, cx, cy, buffer, back)                                                     \
    *(returned >> wabe_lattice_opposite(WABE_Q, WABE_Q_##name) & 1                                 \
          ? &at.back[((place) ^ 1) * block::PLANE]                                                 \
          : &at.buffer[(place)*block::PLANE + (cx) + (cy)*block::PITCH]) = left.name;
#define PUT_FLAT_BACK(name, place, cx, cy, ...) PUT(name, place, cx, cy, flat, flat)
#define PUT_UP_BACK(name, place, cx, cy, ...) PUT(name, place, cx, cy, up, down_later)
#define PUT_DOWN_BACK(name, place, cx, cy, ...) PUT(name, place, cx, cy, down, up_arrived)
    FLAT(PUT_FLAT_BACK) UP(PUT_UP_BACK) DOWN(PUT_DOWN_BACK)
}

/* What has left the cell beside a cell of plane z. */
template <int third>
static __device__ __forceinline__ wabe_cell cell_beside(const step_parameters &p,
                                                        const place_of_cell &c, int z, int ex,
                                                        int ey, int ez) {
    const int n = c.group * WABE_MOMENTS_GROUP + c.lane, e[3] = {ex, ey, ez};
    const int64_t beside = wabe_marching_beside(&p.marching, at_plane(n, p.marching.plane, z), e);
    return wabe_cell_of_ten(wabe_ten_load(p.source, beside), third);
}

/* The mass that curved walls give a cell with populations that fall, and with others. */
typedef struct {
    wabe_real falling, others;
} gains;

/* Puts what curved walls return to a cell of plane z in its own places. number: of their record, as
 * of next_word; rises: as below. Few cells have such walls, so that all is computed again from
 * memory. */
template <int third>
static __device__ __forceinline__ void put_curved(const step_parameters &p, const place_of_cell &c,
                                                  int z, int number, const places &at,
                                                  wabe_real *rises, gains *gain) {
    const wabe_cell_record *record = &p.records[record_of(p, c, z) - 1 + (uint32_t)number];
    const int lane = c.lane % WABE_TILE;
    const uint32_t links = wabe_link_bits(record->cells[lane]);
    if (links == 0)
        return;
    const wabe_cell_places ways = wabe_places_of(record, lane, p.patches);
    const wabe_cell left = wabe_cell_of_ten(ten_again(p, c, z), third);
#define CURVED(name, to, ex, ey, ez)                                                               \
    if (links >> WABE_Q_##name & 1) {                                                              \
        const int q = wabe_lattice_opposite(WABE_Q, WABE_Q_##name);                                \
        const wabe_real k = wabe_interpolation_of(&ways, WABE_Q_##name);                           \
        const wabe_real arriving = wabe_cell_population(cell_beside<third>(p, c, z, ex, ey, ez),   \
                                                        q);                                        \
        wabe_real *its = (ez) < 0 ? &gain->falling : &gain->others;                                \
        (to) = wabe_curved_add(wabe_curved_return(wabe_cell_population(left, q), left.name, k), k, \
                               arriving);                                                          \
        *its = wabe_curved_gain(wabe_curved_gain(*its, k, arriving), -k, left.name);               \
    }
#define CURVED_FLAT(name, place, cx, cy, ...) CURVED(name, at.flat[(place)*block::PLANE], cx, cy, 0)
#define CURVED_UP(name, place, cx, cy, ...)                                                        \
    CURVED(name, at.up_arrived[(place)*block::PLANE], cx, cy, 1)
#define CURVED_DOWN(name, place, cx, cy, ...)                                                      \
    CURVED(name, at.down_later[(place)*block::PLANE], cx, cy, -1)
    FLAT(CURVED_FLAT)
    UP(CURVED_UP)
    DOWN(CURVED_DOWN)
    CURVED(t, *rises, 0, 0, 1)
    CURVED(b, *at.falls, 0, 0, -1)
#undef CURVED
}

/* Puts what walls return to a cell of plane z in its own places. What has left it is read where
 * this thread has put it: behind the wall, where nobody else reads or writes. word: of its first
 * record; left_t, left_b have left along z and take no place there; rises: population t, if a wall
 * returns it; gain: what curved walls give. Returns the bits of what walls return. */
template <int third, int curved>
static __device__ __forceinline__ wabe_cell_word put_returned(const step_parameters &p,
                                                              const place_of_cell &c, int z,
                                                              wabe_cell_word word, places at,
                                                              wabe_real left_t, wabe_real left_b,
                                                              wabe_real *rises, gains *gain) {
    wabe_cell_word bits = 0, cell = word;
    for (int number = 0;; cell = next_word(p, c, z, number++)) {
        wabe_returning w = wabe_returning_of(cell, p.patches);
        if (curved && w.by_place) { /* the last record */
            put_curved<third>(p, c, z, number, at, rises, gain);
            return bits | cell;
        }
        if (w.quadratic != 0.0)
            wabe_returning_add(&w, ten_again(p, c, z), &p.collision);
        const wabe_real ux = w.ux, uy = w.uy, uz = w.uz;
#define RETURN(name, to, left, projection, class)                                                  \
    if (cell >> WABE_Q_##name & 1)                                                                 \
        (to) = wabe_returned(&w, WABE_Q_##name, left, WABE_WEIGHT(class), projection);
#define RETURN_AT(name, buffer, from, place, cx, cy, projection, class)                            \
    RETURN(name, at.buffer[(place)*block::PLANE],                                                  \
           at.from[((place) ^ 1) * block::PLANE - (cx) - (cy)*block::PITCH], projection, class)
#define RETURN_FLAT(name, place, cx, cy, ...)                                                      \
    RETURN_AT(name, flat, flat, place, cx, cy, __VA_ARGS__)
#define RETURN_UP(name, place, cx, cy, ...)                                                        \
    RETURN_AT(name, up_arrived, down, place, cx, cy, __VA_ARGS__)
#define RETURN_DOWN(name, place, cx, cy, ...)                                                      \
    RETURN_AT(name, down_later, up, place, cx, cy, __VA_ARGS__)
        FLAT(RETURN_FLAT)
        UP(RETURN_UP)
        DOWN(RETURN_DOWN)
        RETURN(t, *rises, left_b, uz, axis)
        RETURN(b, *at.falls, left_t, -uz, axis)
        bits |= cell;
        if (cell >> WABE_CELL_LAST & 1)
            return bits;
    }
}

/* The last plane that a column needs: the one above it, if there is one. */
static __device__ __forceinline__ int last_plane(const step_parameters &p, const wabe_column &c) {
    return wabe_marching_has(&p.marching, 2, c.end[2]) ? c.end[2] : c.end[2] - 1;
}

/* What a thread keeps of its column from one step to the next. */
typedef struct {
    wabe_layer own; /* of the plane below: what has arrived so far */
    wabe_real below_all, below_x, below_y;
    wabe_real rises; /* population t */
    wabe_cell_word
        word; /* WABE_CELL_FLUID: the cell is to be updated; bit b: a wall has returned b */
} pending;

/* Populations of a cell's column, which no other thread reads: the one that stays in the cell, t
 * that leaves it, and b that arrives in the cell below. */
typedef struct {
    wabe_real stays, rises, falls;
    wabe_real gain; /* to be taken from the sum that arrives in the cell: see wabe_ten_of_arrived */
} own_part;

/* below: the cell below, to which a wall may have returned b. */
static __device__ __forceinline__ own_part part_of(const wabe_cell &left, const places &at,
                                                   const pending &below) {
    const own_part part = {left.c, left.t, below.word >> WABE_Q_b & 1 ? *at.falls : left.b, 0};
    return part;
}

/* Puts what leaves a cell of a group without walls. */
template <int third>
static __device__ __forceinline__ own_part put_plain(places at, const wabe_stored *moments,
                                                     const pending &below) {
    const wabe_cell left = wabe_cell_of_ten(ten_of(moments), third);
    FLAT(PUT_FLAT) UP(PUT_UP) DOWN(PUT_DOWN) return part_of(left, at, below);
}

/* Keeps compilers from computing ahead of a branch what both of its paths need, which takes more
 * registers than there are. */
static __device__ __forceinline__ void opaque(wabe_stored *moments) {
#pragma unroll
    for (int i = 0; i < WABE_MOMENTS; i++)
#if defined(WABE_STORE_F64)
        asm volatile("" : "+d"(moments[i]));
#elif defined(WABE_STORE_F32)
        asm volatile("" : "+f"(moments[i]));
#else
        asm volatile("" : "+h"(*(unsigned short *)&moments[i]));
#endif
}

/* Puts what leaves a cell of another group, if it is fluid, and what walls return to it, if it is
 * inside the column. word: the cell's; becomes what pending.word says. */
template <int third, int curved>
static __device__ __forceinline__ own_part put_special(const step_parameters &p,
                                                       const place_of_cell &c, int z, bool inside,
                                                       places at, wabe_stored *moments,
                                                       pending *below, wabe_cell_word *word) {
    const wabe_cell_word simple = (wabe_cell_word)1 << WABE_CELL_RESTING |
                                  (wabe_cell_word)1 << WABE_CELL_LAST; /* one resting wall */
    opaque(moments);
    const wabe_cell left = wabe_cell_of_ten(ten_of(moments), third);
    own_part part = part_of(left, at, *below);
    const wabe_cell_word resting = inside && (*word & simple) == simple ? *word : 0;
    if (!(*word & WABE_CELL_FLUID)) {
        *word = 0;
        return part;
    }
    put_or_return(at, left, resting);
    if (resting >> WABE_Q_t & 1)
        below->rises = left.b;
    if (resting >> WABE_Q_b & 1)
        *at.falls = left.t;
    if (!inside)
        *word = 0;
    gains gain = {0, 0};
    if (inside && !resting && *word != PLAIN)
        *word |= put_returned<third, curved>(p, c, z, *word, at, left.t, left.b, &below->rises,
                                             &gain);
    if (curved) {
        part.stays = part.stays - gain.others;
        part.gain = gain.falling;
    }
    return part;
}

/* Damps the wave along the walls of a cell of plane z, whose moments become s. Few cells have
 * walls, so that all is looked up again. */
template <int third>
static __device__ __forceinline__ wabe_ten damp_at_walls(const step_parameters &p,
                                                         const place_of_cell &c, int z,
                                                         wabe_ten s) {
    const int64_t n = at_plane(c.group * WABE_MOMENTS_GROUP + c.lane, p.marching.plane, z);
    return wabe_ten_damp(s, &p.collision, &p.records[record_of(p, c, z) - 1], c.lane % WABE_TILE,
                         p.patches, p.source, n, third);
}

/* Completes and updates the cell of plane z. part: of the cell above it. */
template <int third, int terms, int damped>
static __device__ __forceinline__ void update(const step_parameters &p, const place_of_cell &c,
                                              int z, places at, own_part part,
                                              const pending &below) {
    wabe_cell f;
#define TAKE_DOWN(name, place, cx, cy, ...) f.name = at.down[(place)*block::PLANE];
    DOWN(TAKE_DOWN)
    f.b = part.falls;
    const wabe_layer above = wabe_layer_of_falling(f);
    wabe_ten s = wabe_ten_update(below.own, below.below_all, below.below_x, below.below_y, above,
                                 &p.collision, terms);
    if (damped && wabe_link_bits(below.word))
        s = damp_at_walls<third>(p, c, z, s);
    store(p, c, z, s);
}

/* Adds up what has arrived in a cell from its own plane and the one below. part: of this cell. */
template <int curved>
static __device__ __forceinline__ void add_arrived(places at, own_part part, wabe_cell_word word,
                                                   pending *rest) {
    wabe_cell f;
#define TAKE_FLAT(name, place, cx, cy, ...) f.name = at.flat[(place)*block::PLANE];
#define TAKE_UP(name, place, cx, cy, ...) f.name = at.up_arrived[(place)*block::PLANE];
    FLAT(TAKE_FLAT) UP(TAKE_UP) f.c = part.stays;
    f.t = rest->rises;
    const wabe_layer below = wabe_layer_of_rising(f);
    rest->own = wabe_layer_add(wabe_layer_of_nine(f), below);
    if (curved)
        rest->own.all = rest->own.all - part.gain;
    rest->below_all = below.all, rest->below_x = below.x, rest->below_y = below.y;
    rest->rises = part.rises;
    rest->word = word;
}

enum { WARPS_IN_ROW = block::TX / WARP };

/* The cell of a lane of a warp of the column. */
static __device__ __forceinline__ place_of_cell inner_cell(const step_parameters &p,
                                                           const wabe_column &c, int warp,
                                                           int lane) {
    const int x = c.x_origin + warp % WARPS_IN_ROW * WARP, y = c.begin[1] + warp / WARPS_IN_ROW;
    place_of_cell cell;
    cell.group = (x + p.marching.pitch * y) / WABE_MOMENTS_GROUP;
    cell.lane = lane;
    cell.there = x + lane >= c.begin[0] && x + lane < c.end[0] && y < c.end[1];
    return cell;
}

template <int third, int terms, int curved, int damped>
static __device__ __forceinline__ void march_inner(const step_parameters &p, const wabe_column &c,
                                                   wabe_real *shared) {
    /* The shuffle tells compilers that a warp's threads have this number in common. */
    const int warp = __shfl_sync(~0u, threadIdx.x / WARP, 0), lane = threadIdx.x % WARP;
    const place_of_cell cell = inner_cell(p, c, warp, lane);
    wabe_real *own = shared + (warp / WARPS_IN_ROW + 1) * block::PITCH +
                     warp % WARPS_IN_ROW * WARP + lane + 1;
    const int first = c.begin[2] - 1, last = last_plane(p, c);
    wabe_stored moments[WABE_MOMENTS] = {};
    pending rest = {};
    walls now = {};
    now.outside = !__any_sync(~0u, cell.there);
    if (wabe_marching_has(&p.marching, 2, first)) {
        load(p, cell, first, moments);
        now.word = fluid_mask(p, cell, first);
    }
    now.record = now.outside ? 0 : records_from(p, cell, c.begin[2], c.end[2]);
#pragma unroll 1
    for (int z = first, k = 0; z <= c.end[2]; z++, k++) {
        const places at = places_of(own, k);
        wabe_cell_word word = PLAIN;
        own_part part;
        if (is_special(now, c, z)) {
            const bool inside = z > first && z < c.end[2];
            word = inside ? now.word : now.word >> lane & 1 ? PLAIN : 0;
            part = put_special<third, curved>(p, cell, z, inside, at, moments, &rest, &word);
        } else {
            part = put_plain<third>(at, moments, rest);
        }
        look_ahead(p, cell, c, z + 1, last, &now);
        if (z < last)
            load(p, cell, z + 1, moments);
        barrier();
        if (rest.word & WABE_CELL_FLUID)
            update<third, terms, damped>(p, cell, z - 1, at, part, rest);
        add_arrived<curved>(at, part, word, &rest);
    }
}

/* ---- the cells beside it ------------------------------------------------------------ */

/* What a warp for cells beside the column rebuilds, a lane each: 32 cells of the row below the
 * column in y, or of the one above it, or the cells beside it in x, corners included, of which half
 * of the lanes have those of one side. */
enum { ROW = block::TX / WARP, ITEMS = 2 * ROW + 1, HALF = WARP / 2 };
static_assert(block::TY + 2 <= HALF, "cells beside a column in x");

typedef struct {
    place_of_cell cell;
    wabe_real *own;
    int to_x, to_y;    /* where the column is; 0: along the other axis */
    bool falls, rises; /* beside the column in y after it has moved along x and down or up in y */
} margin_cell;

static __device__ __forceinline__ margin_cell margin_of(const step_parameters &p,
                                                        const wabe_column &c, int item,
                                                        wabe_real *shared) {
    const int lane = threadIdx.x % WARP, side = item < ROW ? 1 : -1;
    const int width = c.end[0] - c.x_origin, height = c.end[1] - c.begin[1];
    const int west = c.begin[0] - c.x_origin - 1;
    margin_cell m;
    int tx, ty;
    bool wanted;
    if (item < 2 * ROW) {
        m.to_x = 0, m.to_y = side;
        tx = item % ROW * WARP + lane, ty = side > 0 ? -1 : height;
        wanted = tx > west && tx < width;
    } else {
        m.to_x = lane < HALF ? 1 : -1, m.to_y = 0;
        tx = lane < HALF ? west : width, ty = lane % HALF - 1;
        wanted = ty <= height;
    }
    m.falls = ty >= 0, m.rises = ty < height;
    const int x = c.x_origin + tx, y = c.begin[1] + ty;
    wanted = wanted && wabe_marching_has(&p.marching, 0, x) && wabe_marching_has(&p.marching, 1, y);
    m.cell = place_at(wanted ? wabe_marching_in_plane(&p.marching, x, y) : 0, wanted);
    m.own = shared + (m.cell.there ? (ty + 1) * block::PITCH + tx + 1 : 0);
    return m;
}

/* Warp number warp of the margin. Only what moves into the column is put, and nothing beyond the
 * places around it. */
template <int third, int warp>
static __device__ __forceinline__ void march_margin(const step_parameters &p, const wabe_column &c,
                                                    wabe_real *shared) {
    enum { COUNT = (ITEMS - warp + MARGINS - 1) / MARGINS };
    margin_cell cells[COUNT];
    wabe_stored moments[COUNT][WABE_MOMENTS] = {};
    uint32_t masks[COUNT] = {};
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        cells[i] = margin_of(p, c, warp + i * MARGINS, shared);
        if (wabe_marching_has(&p.marching, 2, c.begin[2] - 1)) {
            load(p, cells[i].cell, c.begin[2] - 1, moments[i]);
            masks[i] = fluid_mask(p, cells[i].cell, c.begin[2] - 1);
        }
    }
    const int last = last_plane(p, c);
#pragma unroll 1
    for (int z = c.begin[2] - 1, k = 0; z <= c.end[2]; z++, k++) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const wabe_cell left = wabe_cell_of_ten(ten_of(moments[i]), third);
            const margin_cell &m = cells[i];
            const places at = places_of(m.own, k);
#define PUT_MARGIN(PUT, name, place, cx, cy)                                                       \
    if (warp + i * MARGINS < 2 * ROW                                                               \
            ? (cy) == m.to_y                                                                       \
            : (cx) != 0 && (cx) == m.to_x && ((cy) == 0 || ((cy) > 0 ? m.rises : m.falls))) {      \
        PUT(name, place, cx, cy)                                                                   \
    }
#define MARGIN_FLAT(name, place, cx, cy, ...) PUT_MARGIN(PUT_FLAT, name, place, cx, cy)
#define MARGIN_UP(name, place, cx, cy, ...) PUT_MARGIN(PUT_UP, name, place, cx, cy)
#define MARGIN_DOWN(name, place, cx, cy, ...) PUT_MARGIN(PUT_DOWN, name, place, cx, cy)
            if (masks[i] >> m.cell.lane & 1) {
                FLAT(MARGIN_FLAT) UP(MARGIN_UP) DOWN(MARGIN_DOWN)
            }
            if (z < last)
                load(p, m.cell, z + 1, moments[i]);
            masks[i] = z < last ? fluid_mask(p, m.cell, z + 1) : 0;
        }
        barrier();
    }
}

/* Calls march_margin for the warp that this thread belongs to. */
template <int third, int warp> struct margins {
    static __device__ __forceinline__ void march(const step_parameters &p, const wabe_column &c,
                                                 wabe_real *shared) {
        if (threadIdx.x / WARP == block::INNER / WARP + warp)
            march_margin<third, warp>(p, c, shared);
        else
            margins<third, warp + 1>::march(p, c, shared);
    }
};
template <int third> struct margins<third, MARGINS> {
    static __device__ __forceinline__ void march(const step_parameters &, const wabe_column &,
                                                 wabe_real *) {}
};

/* ---- a step ------------------------------------------------------------------------- */

template <int third, int terms, int curved, int damped>
static __global__ void __launch_bounds__(block::THREADS, BLOCKS)
    march(const __grid_constant__ step_parameters p) {
    extern __shared__ double shared_numbers[];
    wabe_real *shared = (wabe_real *)shared_numbers;
    const wabe_column c = wabe_marching_column(&p.marching, blockIdx.x);
    if (c.begin[2] >= c.end[2])
        return;
    if (threadIdx.x < block::INNER)
        march_inner<third, terms, curved, damped>(p, c, shared);
    else
        margins<third, 0>::march(p, c, shared);
}

template <int third, int terms, int curved, int damped>
static void start(const step_parameters &p, int64_t count, void *stream) {
    enum { BYTES = block::NUMBERS * sizeof(wabe_real) };
    const auto kernel = march<third, terms, curved, damped>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    kernel<<<(unsigned)count, block::THREADS, BYTES, (cudaStream_t)stream>>>(p);
}

template <int third>
static void step(const wabe_stream_collide_args *a, int64_t begin, int64_t end, void *stream) {
    step_parameters p;
    p.source = (const wabe_stored *)a->source;
    p.target = (wabe_stored *)a->target;
    p.marching = a->marching;
    p.marching.columns += begin;
    p.plane_moments = p.marching.plane * WABE_MOMENTS;
    p.plane_groups = p.marching.plane / WABE_MOMENTS_GROUP;
    p.plane_tiles = p.marching.plane / WABE_TILE;
    p.records = (const wabe_cell_record *)a->cell_records;
    p.classes = a->classes;
    p.patches = a->patches;
    p.collision = wabe_collision_of(&a->collision);
    const int terms = wabe_terms_of(&a->collision);
    const bool curved = wabe_has_curved_walls(a->kinds);
    const bool damped = a->collision.wall_damping > 0.0; /* few steps: one kernel for all walls */
    constexpr int NONE = WABE_TERMS_NONE, FORCE = WABE_TERMS_FORCE;
    constexpr int ALL = third ? (int)WABE_TERMS_ALL : FORCE; /* regularized has no more */
    const auto go = damped && terms            ? start<third, ALL, 1, 1>
                    : damped                   ? start<third, NONE, 1, 1>
                    : terms == FORCE && curved ? start<third, FORCE, 1, 0>
                    : terms == FORCE           ? start<third, FORCE, 0, 0>
                    : terms && curved          ? start<third, ALL, 1, 0>
                    : terms                    ? start<third, ALL, 0, 0>
                    : curved                   ? start<third, NONE, 1, 0>
                                               : start<third, NONE, 0, 0>;
    go(p, end - begin, stream);
}

#define STREAM_COLLIDE(op, flops, third, ...)                                                      \
    extern "C" void CUDA(stream_collide_##op##_moments)(const wabe_stream_collide_args *a,         \
                                                        int64_t begin, int64_t end,                \
                                                        void *stream) {                            \
        step<third>(a, begin, end, stream);                                                        \
    }
WABE_OF_LATTICE(WABE_LBM_MOMENTS_)(STREAM_COLLIDE, )
