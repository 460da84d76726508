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
 * into a wall are turned round and put into the wall buffer, one value per link, in the order in
 * which the cell will read them in the next step. So walls cost no memory access outside the
 * stream. */
#ifndef WABE_SWEEPS_CELL_LBM_H
#define WABE_SWEEPS_CELL_LBM_H

#include "core/lattice_d3q19.h"
#include "core/sum.h"
#include "core/words.h"

#include <stddef.h>
#include <stdint.h>

enum { WABE_TILE = 16 };

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

/* A run of tiles, the unit that threads share out. The last chunk is followed by one that holds
 * nothing but first_record, the end of the records. */
typedef struct {
    uint32_t first_tile, tile_count;
    uint32_t first_record;
} wabe_chunk;

/* A wall: population q, leaving a cell that has moments (rho, u) as its opposite p, comes back as
 *   q = sign p + term[q] + quadratic (4.5 (e_q.u)^2 - 1.5 u^2) w_q
 * no-slip: sign 1; moving wall and velocity: term 6 w_q rho_0 e_q.u_w (Feichtinger et al. 2015,
 * section 2); pressure: sign -1, term 2 w_q (rho_w - rho_0), quadratic 2 (anti-bounce-back,
 * Ginzburg, Verhaeghe, d'Humieres 2008, with the wall's velocity taken from the cell). */
typedef struct {
    wabe_boundary kind;
    double sign, quadratic;
    double term[WABE_Q];
} wabe_patch;

/* Collision rates and force per cell, lattice units. */
typedef struct {
    double even_rate, odd_rate; /* 1 / tau_+, 1 / tau_-; equal for SRT */
    double force[3];
} wabe_collision_parameters;

/* stream_collide: items are chunks. With two grids out must be multiples of 64 bytes, as stores
 * past the caches need them. */
typedef struct wabe_stream_collide_args {
    const void *source;
    void *target;
    const ptrdiff_t *in, *out;
    void *wall;
    const wabe_chunk *chunks;
    const wabe_tile_record *records;
    const wabe_patch *patches;
    wabe_collision_parameters collision;
} wabe_stream_collide_args;

/* A free-slip link: population q of cell arrives from its mirror image: the population that the
 * mirror plane (bit d of axes: normal to axis d) turns into q. */
typedef struct {
    uint32_t cell;
    uint8_t population, axes;
} wabe_mirror_link;

/* boundary: items are mirror links. from[axes][q] is the offset of the mirror image. */
typedef struct wabe_boundary_args {
    void *field;
    const ptrdiff_t *in;
    const ptrdiff_t (*from)[WABE_Q];
    const wabe_mirror_link *links;
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

/* macroscopic: the reverse. The velocity is that at the time of the collision: the force's half
 * step is taken off again. */
typedef struct wabe_macroscopic_args {
    const void *field;
    const ptrdiff_t *out;
    int64_t first;
    double force[3];
    double *moments;
    int64_t moment_stride;
} wabe_macroscopic_args;

/* reflect: what has left the cells into walls, turned round into the wall buffer: the wall's part
 * of an initial state. Items are chunks. */
typedef struct wabe_reflect_args {
    const void *field;
    const ptrdiff_t *out;
    void *wall;
    const wabe_chunk *chunks;
    const wabe_tile_record *records;
    const wabe_patch *patches;
    double force[3];
} wabe_reflect_args;

typedef struct {
    wabe_sum mass;                /* density deviations */
    wabe_sum energy;              /* u^2 / 2 */
    wabe_sum momentum[3];         /* u */
    int64_t cells;                /* fluid cells */
    int64_t broken, first_broken; /* cells beyond any physical value or NAN, and the first */
    double speed_squared;         /* the largest, and its cell */
    int64_t fastest;
} wabe_monitor_result;

/* monitor: items are chunks; adds to result. */
typedef struct wabe_monitor_args {
    const void *field;
    const ptrdiff_t *out;
    const wabe_chunk *chunks;
    const wabe_tile_record *records;
    double force[3];
    wabe_monitor_result *result;
} wabe_monitor_args;

#endif
