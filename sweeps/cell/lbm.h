/* What the lattice Boltzmann kernels are given: tiles of cells, wall links, and the arguments of
 * each sweep. Plain data, the same for every kernel.
 *
 * Streaming. A kernel never knows the streaming pattern. It reads population q of cell n at
 * f[n + in[q]] and writes it at g[n + out[q]]; sweeps/streaming.c fills the two tables. What leaves
 * a cell by out is what arrives at its neighbour by in of the next step.
 *
 * Tiles. Cells are worked on in tiles of 16, counted along the slab's contiguous range of cells.
 * Most tiles are plain. An irregular tile has a record: which of its lanes are fluid, and
 * which populations of which lanes arrive from a wall.
 *
 * Walls. A wall returns what was sent into it: when a cell has collided, the populations that leave
 * into a wall are turned round and put where the cell will find them in the next step. On CPUs that
 * is the wall buffer, one value per link, in the order in which they will be read, so that walls
 * cost no memory access outside the stream. On GPUs it is where the cell behind the wall would have
 * put them: there nothing has to be read beside the stream. */
#pragma once

#include "core/base/hash.h"
#include "core/base/sum.h"
#include "core/geometry/boundary.h"
#include "sweeps/cell/lattice_d3q19.h"
#include "sweeps/cell/lbm_products.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const struct wabe_sweep wabe_sweep_initialise, wabe_sweep_stream_collide, wabe_sweep_reflect,
    wabe_sweep_boundary, wabe_sweep_macroscopic, wabe_sweep_monitor, wabe_sweep_hash;

enum { WABE_TILE = 16 };

/* Storage type f16: what is stored of a number, in fields and in the wall buffer, is the half
 * precision number nearest to it times this scale (ties to even). Populations are small deviations
 * from rest; scaled, they keep all digits down to 2^-29 and reach up to 2. */
#define WABE_HALF_SCALE 32768.0

enum { WABE_LINKS_EAST, WABE_LINKS_WEST, WABE_LINKS_MIDDLE, WABE_LINK_GROUPS };

/* One cache line. The links of a record stand in the wall buffer group by group (populations that
 * move along +x, along -x, neither), population by population in the order of WABE_D3Q19_EAST and
 * its like, lane by lane. */
typedef struct {
    uint32_t tile;                           /* cells 16 tile to 16 tile + 15 */
    uint32_t first_link;                     /* of the record's links in the wall buffer */
    uint16_t fluid;                          /* lanes that are fluid; the others are kept at rest */
    uint16_t patch;                          /* the wall's row in patches */
    uint16_t last;                           /* no further record of this tile follows */
    uint16_t links[WABE_Q - 1];              /* of population q + 1: lanes where it is a link */
    uint16_t lanes[WABE_LINK_GROUPS];        /* lanes with a link in the group */
    uint16_t group_offset[WABE_LINK_GROUPS]; /* first link of the group, from first_link on */
} wabe_tile_record;

/* The same for GPUs, where each thread has its own cells: a word for each. Bit 0: the cell is
 * fluid. Bit q of a fluid cell: population q arrives from a wall. Of another cell: where it would
 * write q a fluid cell reads, so that a wall or the exchange has to put something there; nobody
 * reads its others, but they are written all the same, since lines of memory that are written in
 * part have to be read first. Then the wall's row in patches, and whether no further record of the
 * tile follows. */
typedef struct {
    uint32_t cells[WABE_TILE];
} wabe_cell_record;

enum { WABE_CELL_FLUID = 1, WABE_CELL_PATCH = WABE_Q, WABE_CELL_LAST = WABE_Q + 8 };

/* A run of tiles, the unit that threads share out. The last chunk is followed by one that holds
 * nothing but first_record, the end of the records. */
typedef struct {
    uint32_t first_tile, tile_count;
    uint32_t first_record;
} wabe_chunk;

/* A wall: population q, leaving a cell that has moments (rho, u) as its opposite p, comes back as
 *   q = sign p + term[q] + quadratic (4.5 (e_q.u)^2 - 1.5 u^2) w_q
 * where p, rho, u are those of the cell after the collision: but for halves, which are rounded when
 * they are stored, what walls return follows from what is stored. no-slip: sign 1; moving wall and
 * velocity: term 6 w_q rho_0 e_q.u_w (Feichtinger et al. 2015, section 2); pressure: sign -1, term
 * 2 w_q (rho_w - rho_0), quadratic 2 (anti-bounce-back, Ginzburg, Verhaeghe, d'Humieres 2008, with
 * the wall's velocity taken from the cell). Mirrors return the mirror image of q in place of p:
 * free_slip as it is; pressure_normal as pressure does, with the velocity normal to the face alone,
 * 3 u_n^2 in the brackets. So what differs in direction along the face comes back as if from a
 * fluid that goes on unchanged behind it, and the sum has the pressure of the face. */
typedef struct {
    wabe_boundary kind;
    int normal; /* the axis that is normal to a face; of other walls 0 */
    double sign, quadratic;
    double term[WABE_Q];
} wabe_patch;

/* What stream_collide does itself: all but mirrors, which need the neighbours' populations first.
 */
#define WABE_MIRRORS (1u << WABE_BOUNDARY_free_slip | 1u << WABE_BOUNDARY_pressure_normal)
#define WABE_TREATED_BY_STREAM_COLLIDE                                                             \
    (((1u << WABE_BOUNDARY_end) - 1) & ~(1u << WABE_BOUNDARY_any | WABE_MIRRORS))

/* Collision rates and force per cell, lattice units. */
typedef struct {
    double even_rate, odd_rate; /* 1 / tau_+, 1 / tau_-; equal for SRT */
    double force[3];
} wabe_collision_parameters;

/* What the neighbours of a group of eight cells have in common, so that CPUs need not look at each:
 * the lanes of population q + 1 whose neighbours follow each other (bits), and the first of these.
 * Lanes in no run have the cell's own place. */
enum { WABE_GROUP = 8 };

typedef struct {
    uint32_t first[WABE_Q - 1];
    uint8_t lanes[24];
} wabe_runs;

/* How many runs a group has: of its population with the most of them. */
enum {
    WABE_RUNS_UNKNOWN, /* more than WABE_RUNS_MAX: neighbours have to be looked at one by one */
    WABE_RUNS_MAX = 5,
    WABE_RUNS_FULL, /* one of each population, with all lanes */
    WABE_RUNS_TILE, /* the same, with all lanes of the tile's two groups */
    WABE_RUNS_BITS = 3
};

/* Streaming pattern list: where population q > 0 of cell n is read in steps at the neighbours, as
 * an element of the field; tile by tile, population by population. What such a step writes of q
 * goes to where it has read q's opposite. A place that is the cell's own, q stride + n, stands for
 * a wall at rest. Other patterns have at = NULL. */
typedef struct {
    const uint32_t *at;
    /* CPUs: of each group how many runs it has, and above WABE_RUNS_BITS where in runs they are. */
    const uint32_t *groups;
    const wabe_runs *runs;
    int64_t stride;
    bool moved; /* the numbers in question are those of a step at the neighbours */
} wabe_neighbours;

WABE_HOST_DEVICE int64_t wabe_neighbour_entry(int q, int64_t n) {
    return (n / WABE_TILE * (WABE_Q - 1) + q - 1) * WABE_TILE + n % WABE_TILE;
}

WABE_HOST_DEVICE uint32_t wabe_neighbour_index(const wabe_neighbours *neighbours, int q,
                                               int64_t n) {
    return neighbours->at[wabe_neighbour_entry(q, n)];
}

/* stream_collide: items are chunks. With two grids out must be multiples of 64 bytes, as stores
 * past the caches need them. */
typedef struct wabe_stream_collide_args {
    const void *source;
    void *target;
    const ptrdiff_t *in, *out, *next_in; /* next_in: where the step after this one reads */
    wabe_neighbours neighbours, next_neighbours;
    void *wall;
    const wabe_chunk *chunks;
    bool contiguous; /* GPUs: chunks follow each other from first_tile to end_tile - 1 */
    uint32_t first_tile, end_tile;
    const wabe_tile_record *records;
    const wabe_cell_record *cell_records; /* GPUs */
    const uint32_t *classes; /* GPUs: of a tile its first record, from 1; 0: it is plain */
    const wabe_patch *patches;
    unsigned kinds; /* bit b: links to boundaries of kind b exist */
    wabe_collision_parameters collision;
} wabe_stream_collide_args;

/* A link to a mirror: population q of cell arrives from its mirror image: the population that the
 * mirror plane (bit d of axes: normal to axis d) turns into q. */
typedef struct {
    uint32_t cell;
    uint8_t population, axes, patch;
} wabe_mirror_link;

/* boundary: items are mirror links. from[axes][q] is the offset of the mirror image; out: of what
 * has left a cell. */
typedef struct wabe_boundary_args {
    void *field;
    const ptrdiff_t *in, *out;
    const ptrdiff_t (*from)[WABE_Q];
    const wabe_mirror_link *links;
    const wabe_patch *patches;
    double force[3];
} wabe_boundary_args;

/* initialise: items are cells, begin to end - 1 counted from first. moments: 4 rows (density
 * deviation, ux, uy, uz) of values, moment_stride apart; doubles. Writes what has left the cells
 * (out) as equilibrium. */
typedef struct wabe_initialise_args {
    void *field;
    const ptrdiff_t *out;
    int64_t first;
    const double *moments;
    int64_t moment_stride;
} wabe_initialise_args;

/* X(output, value): what is read of cells, from their populations f after a collision and their
 * moments m; 0 in walls. A quantity is made of some that follow each other. */
#define WABE_LBM_OUTPUTS(X)                                                                        \
    X(density, m.rho)                                                                              \
    X(velocity_x, m.ux)                                                                            \
    X(velocity_y, m.uy)                                                                            \
    X(velocity_z, m.uz)                                                                            \
    X(fluid, WABE_REAL_OF(-WABE_SCALE)) /* -1, so that 1 more is what is solid */

enum {
#define X(output, value) WABE_OUTPUT_##output,
    WABE_LBM_OUTPUTS(X)
#undef X
        WABE_OUTPUT_COUNT
};

/* Where outputs of cells go, and as what. Of all outputs those from first on, each as factor
 * (offset + value): value k of cell i stands at i cell_stride + k moment_stride. */
typedef struct {
    void *values;
    wabe_type type; /* f64, f32 */
    int first, count;
    double offset, factor;
    int64_t cell_stride, moment_stride;
    /* Instead, moments and the squares of ux, uy, uz are added to WABE_SUM_ROWS doubles. */
    bool add;
} wabe_moment_values;

enum { WABE_SUM_ROWS = 7 };

WABE_HOST_DEVICE void wabe_add_moments(const wabe_moment_values *v, int64_t first, int64_t cells,
                                       const double *m, int64_t stride) {
    for (int row = 0; row < WABE_SUM_ROWS; row++) {
        const double *from = m + (row < 4 ? row : row - 3) * stride;
        double *sums = (double *)v->values + first + row * v->moment_stride;
        for (int64_t i = 0; i < cells; i++)
            sums[i] += row < 4 ? from[i] : from[i] * from[i];
    }
}

/* Of so many cells from the first one on; moment k of the i-th of them is m[k stride + i]. */
WABE_HOST_DEVICE void wabe_put_moments(const wabe_moment_values *v, int64_t first, int64_t cells,
                                       const double *m, int64_t stride) {
    const int64_t step = v->cell_stride;
    const double offset = v->offset, factor = v->factor;
    if (v->add) {
        wabe_add_moments(v, first, cells, m, stride);
        return;
    }
    for (int k = 0; k < v->count; k++) {
        const double *from = m + (v->first + k) * stride;
        const int64_t at = first * step + k * v->moment_stride;
        double *wide = (double *)v->values + at;
        float *narrow = (float *)v->values + at;
        if (v->type == WABE_TYPE_f64)
            for (int64_t i = 0; i < cells; i++)
                wide[i * step] = factor * (offset + from[i]);
        else
            for (int64_t i = 0; i < cells; i++)
                narrow[i * step] = (float)(factor * (offset + from[i]));
    }
}

/* macroscopic: the reverse, for every step-th cell of a box along each axis. Items are rows of
 * these cells, along x; or, for a list, so many slots one after the other, of which those count
 * whose cells are asked for. Walls are at rest. The velocity is that at the time of the collision:
 * the force's half step is taken off again. */
enum { WABE_SLOTS_OF_ITEM = 1024 };
typedef struct wabe_macroscopic_args {
    const void *field;
    const ptrdiff_t *out;
    double force[3];
    int64_t pitch, plane;       /* of the slab */
    int64_t begin[3], step;     /* first cell, in the slab */
    int64_t cells[3];           /* that are asked for along each axis */
    const uint16_t *fluid;      /* of every tile its lanes that are fluid; NULL: none is */
    wabe_neighbours neighbours; /* list */
    const uint32_t *numbers; /* list: of each slot the cell's number in the slab; NULL: no list */
    int64_t first, end;      /* list: slots */
    wabe_moment_values values;
} wabe_macroscopic_args;

/* Where the cell of this number in the slab comes among those asked for; -1: it does not. */
WABE_HOST_DEVICE int64_t wabe_macroscopic_place(const wabe_macroscopic_args *a, int64_t n) {
    const int64_t x = n % a->pitch - a->begin[0], y = n % a->plane / a->pitch - a->begin[1],
                  z = n / a->plane - a->begin[2];
    if (x < 0 || y < 0 || z < 0 || x % a->step || y % a->step || z % a->step)
        return -1;
    const int64_t i = x / a->step, j = y / a->step, k = z / a->step;
    return i < a->cells[0] && j < a->cells[1] && k < a->cells[2]
               ? i + a->cells[0] * (j + a->cells[1] * k)
               : -1;
}

/* The first cell of a row. */
WABE_HOST_DEVICE int64_t wabe_macroscopic_row(const wabe_macroscopic_args *a, int64_t row) {
    return a->begin[0] + (a->begin[1] + row % a->cells[1] * a->step) * a->pitch +
           (a->begin[2] + row / a->cells[1] * a->step) * a->plane;
}

WABE_HOST_DEVICE int wabe_macroscopic_is_fluid(const wabe_macroscopic_args *a, int64_t n) {
    return a->fluid != NULL && a->fluid[n / WABE_TILE] >> n % WABE_TILE & 1;
}

/* reflect: what has left the cells into walls, turned round into the wall buffer: the wall's part
 * of an initial state. Items are chunks. */
typedef struct wabe_reflect_args {
    void *field;
    const ptrdiff_t *out, *next_in;
    wabe_neighbours next_neighbours; /* out: a step that stayed within the cells */
    void *wall;
    const wabe_chunk *chunks;
    const wabe_tile_record *records;
    const wabe_cell_record *cell_records;
    const uint32_t *classes;
    const wabe_patch *patches;
    double force[3];
} wabe_reflect_args;

/* Sums over a region are made in parts, a result for each: part p has the chunks from the p-th of
 * part_count shares of them. */
typedef struct {
    const wabe_chunk *chunks;
    const wabe_tile_record *records;
    const wabe_cell_record *cell_records;
    const uint32_t *classes;
    int64_t chunk_count;
    int part_count;
} wabe_parts;

WABE_HOST_DEVICE int64_t wabe_part_begin(const wabe_parts *parts, int64_t part) {
    return parts->chunk_count * part / parts->part_count;
}

typedef struct {
    wabe_sum mass;                /* density deviations */
    wabe_sum energy;              /* u^2 / 2 */
    wabe_sum momentum[3];         /* u */
    wabe_sum drag[3];             /* momentum that no-slip and moving walls take in a step */
    int64_t cells;                /* fluid cells */
    int64_t broken, first_broken; /* cells beyond any physical value or NAN, and the first */
    double speed_squared;         /* the largest, and its cell */
    int64_t fastest;
} wabe_monitor_result;

WABE_HOST_DEVICE void wabe_monitor_add_cell(wabe_monitor_result *r, int64_t cell, double rho,
                                            double ux, double uy, double uz) {
    const double uu = ux * ux + uy * uy + uz * uz;
    r->cells++;
    if (!(fabs(rho) < 4.0 && uu < 4.0)) {
        if (r->broken++ == 0 || cell < r->first_broken)
            r->first_broken = cell;
        return;
    }
    wabe_sum_add(&r->mass, rho);
    wabe_sum_add(&r->energy, 0.5 * uu);
    wabe_sum_add(&r->momentum[0], ux);
    wabe_sum_add(&r->momentum[1], uy);
    wabe_sum_add(&r->momentum[2], uz);
    if (uu > r->speed_squared || (uu == r->speed_squared && cell < r->fastest)) {
        r->speed_squared = uu;
        r->fastest = cell;
    }
}

/* A link to a wall: population q, of velocity e, comes back for one of value left that has gone
 * into it, in the opposite direction (momentum exchange, Ladd 1994). patch: NULL for a wall
 * at rest. */
WABE_HOST_DEVICE void wabe_monitor_add_link(wabe_monitor_result *r, const wabe_patch *patch, int q,
                                            const int e[3], double left) {
    if (patch && patch->kind != WABE_BOUNDARY_no_slip && patch->kind != WABE_BOUNDARY_moving_wall)
        return;
    const double momentum = 2.0 * left + (patch ? patch->term[q] : 0.0);
    if (!(fabs(momentum) < 4.0)) /* broken: the cells' values tell */
        return;
    for (int d = 0; d < 3; d++)
        wabe_sum_add(&r->drag[d], -e[d] * momentum);
}

WABE_HOST_DEVICE void wabe_monitor_merge(wabe_monitor_result *total,
                                         const wabe_monitor_result *part) {
    wabe_sum_merge(&total->mass, &part->mass);
    wabe_sum_merge(&total->energy, &part->energy);
    for (int d = 0; d < 3; d++)
        wabe_sum_merge(&total->momentum[d], &part->momentum[d]);
    for (int d = 0; d < 3; d++)
        wabe_sum_merge(&total->drag[d], &part->drag[d]);
    if (part->broken && (!total->broken || part->first_broken < total->first_broken))
        total->first_broken = part->first_broken;
    total->broken += part->broken;
    if (part->cells &&
        (!total->cells || part->speed_squared > total->speed_squared ||
         (part->speed_squared == total->speed_squared && part->fastest < total->fastest))) {
        total->speed_squared = part->speed_squared;
        total->fastest = part->fastest;
    }
    total->cells += part->cells;
}

/* monitor: items are parts. */
typedef struct wabe_monitor_args {
    const void *field;
    const ptrdiff_t *out;
    wabe_parts parts;
    const wabe_patch *patches;
    wabe_neighbours neighbours;
    const uint32_t *cells; /* list: the cell's number in the slab; NULL: it has its own */
    double force[3];
    wabe_monitor_result *results; /* by part */
} wabe_monitor_args;

/* hash: items are parts. A population's hash depends on its value and its place in the domain, not
 * on the slab; hashes are added. */
typedef struct wabe_hash_args {
    const void *field;
    const ptrdiff_t *out;
    wabe_parts parts;
    int64_t pitch, plane;
    int64_t begin[3], domain[3]; /* first cell of the slab, cells of the domain */
    wabe_neighbours neighbours;
    const uint32_t *cells; /* list: the cell's number in the slab; NULL: it has its own */
    uint64_t *results;     /* by part */
} wabe_hash_args;

/* Number of cell n's rest population in the domain. */
WABE_HOST_DEVICE uint64_t wabe_hash_id(const wabe_hash_args *a, int64_t n) {
    n = a->cells ? a->cells[n] : n;
    const int64_t x = a->begin[0] + n % a->pitch, y = a->begin[1] + n % a->plane / a->pitch,
                  z = a->begin[2] + n / a->plane;
    return (uint64_t)(x + a->domain[0] * (y + a->domain[1] * z)) * WABE_Q;
}

WABE_HOST_DEVICE uint64_t wabe_hash_value(uint64_t id, double value) {
    union {
        double value;
        uint64_t bits;
    } both;
    both.value = value;
    return wabe_hash_mix(both.bits + wabe_hash_mix(id + 1));
}
