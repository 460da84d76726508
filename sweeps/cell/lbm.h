/* The data that lattice Boltzmann kernels work on: tiles of cells, wall links, and the arguments of
 * each sweep. Plain data, the same for every kernel.
 *
 * Streaming. Kernels do not depend on the streaming pattern: they read population q of cell n at
 * f[n + in[q]] and write it at g[n + out[q]]; sweeps/lattice/streaming.c fills the two tables. What
 * a cell writes by out is what its neighbour reads by in of the next step.
 *
 * Tiles. A tile is 16 cells of the slab's contiguous range of cells. Most tiles are plain. An
 * irregular tile has a record: which of its lanes are fluid, and which populations of which lanes
 * arrive from a wall.
 *
 * Walls. After the collision, populations that leave into a wall are reversed and written where the
 * same cell reads them in the next step (bounce-back). On CPUs that is the wall buffer, one value
 * per link in the order of reading, so that walls cost no memory access outside the stream. On GPUs
 * it is where the cell behind the wall would have written them, so that nothing is read beside the
 * stream. */
#pragma once

#include "core/base/box.h"
#include "core/base/hash.h"
#include "core/base/sum.h"
#include "core/geometry/boundary.h"
#include "core/geometry/turbulence.h"
#include "sweeps/cell/chunk.h"
#include "sweeps/cell/coefficient.h"
#include "sweeps/cell/lattice_rows.h"
#include "sweeps/cell/lbm_products.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const struct wabe_sweep wabe_sweep_initialise, wabe_sweep_stream_collide, wabe_sweep_reflect,
    wabe_sweep_absorb, wabe_sweep_boundary, wabe_sweep_macroscopic, wabe_sweep_monitor,
    wabe_sweep_hash, wabe_sweep_forces;

/* Storage type f16: fields and the wall buffer hold the half-precision number nearest to a value
 * times this scale (ties to even). Populations are small deviations from rest; scaled, they keep
 * all digits down to 2^-29 and reach up to 2. */
#define WABE_HALF_SCALE 32768.0

enum { WABE_LINKS_EAST, WABE_LINKS_WEST, WABE_LINKS_MIDDLE, WABE_LINK_GROUPS };

/* A record, of a lattice with so many populations; it fills whole cache lines (one of D3Q19), see
 * wabe_record_bytes. The links of a record are in the wall buffer group by group (populations that
 * move along +x, along -x, neither), in each group by population in the order of WABE_EAST, _WEST
 * or _MIDDLE, then by lane. */
#define WABE_TILE_RECORD(populations)                                                              \
    uint32_t tile;                           /* cells 16 tile to 16 tile + 15 */                   \
    uint32_t first_link;                     /* the record's first link in the wall buffer */      \
    uint16_t fluid;                          /* mask of fluid lanes; the others stay at rest */    \
    uint16_t patch;                          /* the wall's row in patches */                       \
    uint16_t last;                           /* this is the tile's last record */                  \
    uint16_t lanes[WABE_LINK_GROUPS];        /* lanes with a link in the group */                  \
    uint16_t group_offset[WABE_LINK_GROUPS]; /* first link of the group, from first_link on */     \
    uint16_t links[(populations)-1];         /* lanes where population q + 1 is a link */

/* Set-up code sees records of all lattices as this, of which smaller ones are the beginning. */
typedef struct {
    WABE_TILE_RECORD(WABE_Q_MAX)
} wabe_tile_record;

/* Bytes from a record to the next, by the number of populations. */
static inline int64_t wabe_record_bytes(int populations) {
    const int64_t used = (int64_t)offsetof(wabe_tile_record, links) + 2 * (populations - 1);
    return (used + 63) / 64 * 64;
}

/* The same for GPUs, where each thread has cells of its own: a word per cell, of 32 bits, or of 64
 * if these are too few. Bit 0: the cell is fluid. Bit q of a fluid cell:
 * population q arrives from a wall. Bit q of any other cell: a fluid cell reads where this cell
 * would write q, so a wall or the exchange has to write there. Kernels write the other populations
 * of such a cell although nobody reads them, because a partly written cache line would have to be
 * read first. The bits above those of populations hold the wall's row in patches
 * (WABE_CELL_PATCH_BITS), whether this is the tile's last record, and whether the wall rests, which
 * needs no patch. */
enum {
    WABE_CELL_FLUID = 1,
    WABE_CELL_PATCH_BITS = 11,
    WABE_PATCHES_MAX = 1 << WABE_CELL_PATCH_BITS,
    WABE_NARROW_WORDS = 32 - WABE_CELL_PATCH_BITS - 2 /* populations at most in 32 bits */
};

/* Bytes from a tile's words to the next, by the number of populations. */
static inline int64_t wabe_cell_record_bytes(int populations) {
    return WABE_TILE * (populations > WABE_NARROW_WORDS ? 8 : 4);
}

/* Each interpolated link to a curved wall has a place of its own (wabe_patch). In words of cells
 * all of a tile's are one record, its last, whose patch has by_place. Further records with the
 * places follow it: five bits for each moving population, as many as fit into a word. Records of
 * lanes have one for each place. */
enum { WABE_PLACE_BITS = 5 };
#define WABE_PLACES_IN_WORD(populations)                                                           \
    (((int)(populations) > (int)WABE_NARROW_WORDS ? 64 : 32) / (int)WABE_PLACE_BITS)
#define WABE_PLACE_RECORDS(populations)                                                            \
    (((int)(populations)-2) / WABE_PLACES_IN_WORD(populations) + 1)

/* A wall. Population p leaves a cell with moments (rho, u) into the wall and comes back as its
 * opposite
 *   q = sign p + term[q] + quadratic (4.5 (e_q.u)^2 - 1.5 u^2) w_q
 * where p, rho, u are post-collision values. They follow from what is stored, except in f16, which
 * rounds them when they are stored. no-slip: sign 1; moving wall and velocity: term 6 w_q rho_0
 * e_q.u_w (Feichtinger et al. 2015, section 2); pressure: sign -1, term 2 w_q (rho_w - rho_0),
 * quadratic 2 (anti-bounce-back, Ginzburg, Verhaeghe, d'Humieres 2008, with the cell's velocity as
 * the wall's). curved_wall: the surface lies at the part d of the link, from the cell's centre;
 *   q = p + k (p' - q'),  k = (1 - 2 d) / (1 + 2 d)
 * where q' has left the cell beside p, and p' arrives together with q: central linear interpolation
 * (CLI; Ginzburg, Verhaeghe, d'Humieres, Commun. Comput. Phys. 3 (2008) 427), whose wall lies at
 * the same place for all viscosities if Lambda is given (TRT); k = 0 is half-way bounce-back. The
 * wall returns p - k q'; the next step adds k p'. So it gives the cell the mass k (p' - q'), which
 * the next step takes from the cell's density: momentum is as it was, and no mass is lost.
 * It takes the sum over links of k (p' - q'') after its collision, where q'' leaves in that step:
 * q' is no longer known then. q'' falls with the density, so that what is taken is that sum over 1
 * less the sum of k w. What is exactly constant is the mass less the k q' of all such links, which
 * is the mass of what is on its way. Kernels of ten moments know q', and take just that from what
 * arrives. Mirrors return the mirror image of q in place of p: free_slip and wall_function
 * unchanged; pressure_normal as pressure does, but with the velocity normal to the face alone, 3
 * u_n^2 in the brackets. There the differences along the face come back as if the fluid continued
 * unchanged behind the face, and the sum has the pressure of the face.
 *
 * Seven populations of a scalar come back as
 *   q = scalar_sign p + term[q] + T (scalar_by_cell[q] + scalar_own (w + (e_q.u)^2 / 2))
 * where T is the cell's scalar. Insulated: sign 1, scalar_by_cell e_q.u_w, what a wall that moves
 * against the link takes along; a flux into the fluid, per cell face and step: the same, and term
 * the flux; a value T_w (anti-bounce-back; Ginzburg, Adv. Water Resour. 28 (2005) 1171): sign -1,
 * term 2 T_w (w + (e_q.u_w)^2 / 2); where the fluid leaves: the same with T in place of T_w, as if
 * the scalar continued unchanged behind the boundary, whose velocity is u_w, or with given pressure
 * the cell's (scalar_own 2).
 *
 * Of a scalar that is carried, what populations have beside T f comes back with scalar_sign, plus
 * term[q], where f are the flow's that leave and return, and T is scalar_value or, where
 * scalar_by_cell[q] is 1, the cell's. Insulated, with a flux, or where the fluid leaves: sign 1 and
 * the cell's T; where it comes in through a face of given velocity: sign 1 and the face's T; a
 * value: sign -1 and the wall's T. An insulated curved_wall returns the scalar as it returns the
 * flow; with a value or a flux, the scalar's wall is half-way. (Half-way walls hold up the flux
 * along them: of D a sixth in the cells there.) */
typedef struct {
    wabe_boundary kind;
    int normal; /* the axis that is normal to a face; 0 for other walls */
    double sign, quadratic;
    double scalar_sign, scalar_own, scalar_value;
    double scalar_by_cell[WABE_SCALAR_MOVING]; /* by q - WABE_FLOW_Q */
    bool by_cell;                              /* what is returned depends on the cell's moments */
    double interpolation;                      /* k of a curved_wall, otherwise 0 */
    int by_place; /* the rows behind this one belong to the places of its links */
    union {
        double term[WABE_Q_MAX];
        double interpolations[WABE_Q_MAX]; /* by_place: k of each place */
    };
} wabe_patch;

/* Does wabe_damp_at_walls know what the wall returns? */
WABE_HOST_DEVICE int wabe_patch_is_damped(const wabe_patch *patch) {
    return patch->sign == 1.0 && patch->quadratic == 0.0;
}

/* The boundaries that stream_collide treats itself: all but mirrors, which need the neighbours'
 * populations first. */
#define WABE_MIRRORS                                                                               \
    (1u << WABE_BOUNDARY_free_slip | 1u << WABE_BOUNDARY_wall_function |                           \
     1u << WABE_BOUNDARY_pressure_normal)
#define WABE_TREATED_BY_STREAM_COLLIDE                                                             \
    (((1u << WABE_BOUNDARY_end) - 1) & ~(1u << WABE_BOUNDARY_any | WABE_MIRRORS))

/* The force per cell, in lattice units: constant, and per unit of the scalar. */
typedef struct {
    double constant[3], by_scalar[3];
} wabe_cell_force;

WABE_HOST_DEVICE int wabe_has_force(const wabe_cell_force *force) {
    int has = 0;
    for (int d = 0; d < 3; d++)
        has |= force->constant[d] != 0.0 || force->by_scalar[d] != 0.0;
    return has;
}

/* Does an operator know a bulk rate of its own and the correction? */
#define WABE_HAS_ALL_TERMS(collision)                                                              \
    ((collision) == WABE_COLLISION_recursive_regularized || (collision) == WABE_COLLISION_cumulant)

/* Of wabe_rheology_keep: p:p from 2^-96 to 1, and for each eighth of an octave a cubic polynomial.
 */
#define WABE_RHEOLOGY_LEAST 0x1p-96
enum {
    WABE_RHEOLOGY_OCTAVES = 96,
    WABE_RHEOLOGY_PARTS_BITS = 3,
    WABE_RHEOLOGY_ROWS = WABE_RHEOLOGY_OCTAVES << WABE_RHEOLOGY_PARTS_BITS,
    WABE_RHEOLOGY_COEFFICIENTS = 4
};

/* From one step that damps the wave along walls to the next: they cost more than others. */
enum { WABE_DAMPED_STEPS = 64 };
#define WABE_WALL_DAMPING 0.75

/* Collision rates and force per cell, in lattice units. */
typedef struct {
    double even_rate, odd_rate; /* 1 / tau_+, 1 / tau_-; equal for SRT */
    wabe_cell_force force;
    double smagorinsky;  /* constant of the subgrid model of regularized collisions; 0: none */
    double wall_damping; /* of regularized collisions, see wabe_damp_at_walls; 0: none */
    /* Of operators with all terms (WABE_HAS_ALL_TERMS): see wabe_second_shear, wabe_second_correct.
     */
    int bulk_is_one, corrects;
    const void *rheology; /* likewise, the table of wabe_rheology_keep, in the device's memory;
                             NULL: tau is constant */
    double scalar_even_rate, scalar_odd_rate;
    double turbulent_schmidt; /* eddy viscosity over eddy diffusivity of a scalar */
} wabe_collision_parameters;

/* A run for each population of a group of eight cells: lanes whose neighbour indices are
 * consecutive, which CPUs load as a vector. lanes[q]: mask of the run's lanes of population q + 1;
 * first[q]: the first of their indices. A lane in no run has the cell's own index. */
enum { WABE_GROUP = 8 };

#define WABE_RUNS_LANES(populations) (((populations) + 6) / 8 * 8)
#define WABE_RUNS(populations)                                                                     \
    uint32_t first[(populations)-1];                                                               \
    uint8_t lanes[WABE_RUNS_LANES(populations)];

/* The number of runs of a group: that of its population with the most. */
enum {
    WABE_RUNS_UNKNOWN, /* more than WABE_RUNS_MAX: indices have to be read one by one */
    WABE_RUNS_MAX = 5,
    WABE_RUNS_FULL, /* one run of each population, with all lanes */
    WABE_RUNS_TILE, /* the same, and it continues over the tile's two groups */
    WABE_RUNS_BITS = 3
};

/* Streaming pattern list: the neighbour indices. at: the element of the field where an odd AA step
 * reads population q > 0 of cell n, tile by tile, population by population (wabe_neighbour_entry).
 * Such a step writes q where it has read q's opposite. The cell's own index, q stride + n, stands
 * for a resting wall. Other patterns have at = NULL. */
typedef struct {
    const uint32_t *at;
    /* CPUs: a group's number of runs, and from bit WABE_RUNS_BITS on its first row in runs. */
    const uint32_t *groups;
    const void *runs; /* WABE_RUNS */
    int64_t stride;
    bool moved; /* the populations in question are those of an odd AA step */
} wabe_neighbours;

WABE_HOST_DEVICE int64_t wabe_neighbour_entry(int populations, int q, int64_t n) {
    return (n / WABE_TILE * (populations - 1) + q - 1) * WABE_TILE + n % WABE_TILE;
}

/* Streaming pattern moments: a cell's state is ten numbers (sweeps/cell/moments.h) in groups of 32
 * cells along x, [z][y][x / 32][10][x % 32]. Other patterns hold populations. */
enum { WABE_MOMENTS = 10, WABE_MOMENTS_GROUP = 32 };

typedef enum {
    WABE_STATE_POPULATIONS,
    WABE_STATE_MOMENTS, /* ten numbers, and no third moments */
    WABE_STATE_THIRD    /* ten numbers, from which third moments follow */
} wabe_state_form;

/* The element of cell n's first moment; the others follow at distances of 32. */
WABE_HOST_DEVICE int64_t wabe_moments_place(int64_t n) {
    const int64_t lane = n & (WABE_MOMENTS_GROUP - 1);
    return (n - lane) * WABE_MOMENTS + lane;
}

/* A column of cells of a slab, which a thread or a GPU's block updates plane by plane. x_origin: a
 * multiple of WABE_MOMENTS_GROUP, from which the kernel's block of cells begins. */
typedef struct {
    int32_t x_origin, begin[3], end[3];
} wabe_column;

/* CPUs: cells of a column along x at most, and numbers that a thread keeps in its cache for each
 * cell of a plane of it, by the number of populations. */
enum { WABE_MARCHING_WIDEST = 256 };
#define WABE_MARCHING_PENDING(populations) ((populations) == 19 ? 14 : 18)

/* What kernels of this pattern need besides; items of stream_collide are columns. */
typedef struct {
    const wabe_column *columns;
    int32_t pitch, plane; /* cells from row to row, from plane to plane */
    int32_t cells[3];
    int wraps[3];      /* the slab is its own neighbour along this axis */
    int ghosts[3];     /* layers of ghost cells at both ends of this axis: 0 or 1 */
    int32_t planes[2]; /* kernels update planes[0] to planes[1] - 1 of the columns alone */
    /* Mask of the fluid cells of each group, ghosts included; fluid[0] belongs to cell (0, 0, 0).
     */
    const uint32_t *fluid;
} wabe_marching;

/* The part of a column that a kernel updates; it may have no planes. */
WABE_HOST_DEVICE wabe_column wabe_marching_column(const wabe_marching *m, int64_t number) {
    wabe_column c = m->columns[number];
    c.begin[2] = c.begin[2] < m->planes[0] ? m->planes[0] : c.begin[2];
    c.end[2] = c.end[2] > m->planes[1] ? m->planes[1] : c.end[2];
    return c;
}

/* The cell along an axis that stands at place at, which may be one beyond the ends. */
WABE_HOST_DEVICE int wabe_marching_wrap(const wabe_marching *m, int axis, int index) {
    const int count = m->cells[axis];
    return !m->wraps[axis]  ? index
           : index < 0      ? index + count
           : index >= count ? index - count
                            : index;
}

/* Is there memory for a cell at this place? Others are behind walls, which return populations. */
WABE_HOST_DEVICE int wabe_marching_has(const wabe_marching *m, int axis, int index) {
    return m->wraps[axis] ||
           (index >= -m->ghosts[axis] && index < m->cells[axis] + m->ghosts[axis]);
}

/* A cell of the plane z = 0. */
WABE_HOST_DEVICE int wabe_marching_in_plane(const wabe_marching *m, int x, int y) {
    return wabe_marching_wrap(m, 0, x) + m->pitch * wabe_marching_wrap(m, 1, y);
}
WABE_HOST_DEVICE int64_t wabe_marching_cell(const wabe_marching *m, int x, int y, int z) {
    return wabe_marching_in_plane(m, x, y) + (int64_t)m->plane * wabe_marching_wrap(m, 2, z);
}

/* The cell at a distance of at most one from cell n along each axis. */
WABE_HOST_DEVICE int64_t wabe_marching_beside(const wabe_marching *m, int64_t n, const int e[3]) {
    const int x = (int)(n % m->pitch), y = (int)(n % m->plane / m->pitch), z = (int)(n / m->plane);
    return wabe_marching_cell(m, x + e[0], y + e[1], z + e[2]);
}

/* Where populations of the present state arrive in the next step, those of ten moments as cells
 * beside a cell. What images are for has to be made before (wabe_lbm_make_images). */
typedef struct {
    const ptrdiff_t *in;
    wabe_neighbours neighbours;
    wabe_marching marching; /* of ten moments */
} wabe_arrivals;

/* stream_collide: items are chunks, or columns of pattern moments. With two grids the offsets out
 * must be multiples of 64 bytes, as non-temporal stores require. */
typedef struct wabe_stream_collide_args {
    const void *source;
    void *target;
    const ptrdiff_t *in, *out, *next_in; /* next_in: where the next step reads */
    wabe_neighbours neighbours, next_neighbours;
    void *wall;
    const wabe_chunk *chunks;
    bool contiguous; /* GPUs: the chunks cover tiles first_tile to end_tile - 1 */
    uint32_t first_tile, end_tile;
    const void *records;      /* WABE_TILE_RECORD */
    const void *cell_records; /* GPUs, and pattern moments: words of cells */
    const uint32_t *classes;  /* likewise: a tile's first record, from 1; 0: the tile is plain */
    const wabe_patch *patches;
    unsigned kinds; /* bit b: there are links to boundaries of kind b */
    wabe_collision_parameters collision;
    wabe_marching marching;
} wabe_stream_collide_args;

/* population of cell arrives as the image of one that has left elsewhere in the slab. Bit d of
 * mirrored: a mirror plane normal to axis d turns that one into it; bit d of wrapped: it comes from
 * the other end of the periodic axis d. */
typedef struct {
    int64_t cell;
    uint8_t population, mirrored, wrapped, patch;
} wabe_image_link;

/* boundary: items are links to images. from[mirrored][q]: offset of the image, and, in addition,
 * around[wrapped][q]; out: offsets of the post-collision populations. Of ten moments the whole cell
 * of a link is mirrored: it is written to the ghost cell at offset from[mirrored][q]. */
typedef struct wabe_boundary_args {
    void *field;
    const ptrdiff_t *in, *out;
    const ptrdiff_t (*from)[WABE_Q_MAX], (*around)[WABE_Q_MAX];
    const wabe_image_link *links;
    const wabe_patch *patches;
    wabe_cell_force force;
    wabe_state_form form;
} wabe_boundary_args;

/* initialise: items are cells, numbered from first on. moments: arrays of doubles (density
 * deviation, ux, uy, uz, and with a scalar the scalar), moment_stride apart. Writes equilibrium as
 * post-collision populations (out). */
enum { WABE_MOMENTS_GIVEN = 5 };
typedef struct wabe_initialise_args {
    void *field;
    const ptrdiff_t *out;
    int64_t first;
    const double *moments;
    int64_t moment_stride;
    wabe_state_form form;
} wabe_initialise_args;

/* X(output, value): the outputs of a cell, from the moments m of its post-collision populations,
 * what it has of a scalar, s (0: there is none), and what is viscous, v; 0 in solid cells. A
 * quantity consists of consecutive outputs. */
#define WABE_LBM_OUTPUTS(X)                                                                        \
    X(density, m.rho)                                                                              \
    X(velocity_x, m.ux)                                                                            \
    X(velocity_y, m.uy)                                                                            \
    X(velocity_z, m.uz)                                                                            \
    X(scalar, s.value)                                                                             \
    X(scalar_flux_x, s.flux.x)                                                                     \
    X(scalar_flux_y, s.flux.y)                                                                     \
    X(scalar_flux_z, s.flux.z)                                                                     \
    X(fluid, WABE_REAL_OF(-WABE_SCALE)) /* -1, so that offset 1 gives 1 in solid cells */          \
    X(stress_xx, v.stress.xx)                                                                      \
    X(stress_yy, v.stress.yy)                                                                      \
    X(stress_zz, v.stress.zz)                                                                      \
    X(stress_xy, v.stress.xy)                                                                      \
    X(stress_yz, v.stress.yz)                                                                      \
    X(stress_xz, v.stress.xz)                                                                      \
    X(eddy_viscosity, v.eddy_viscosity)

enum {
#define X(output, value) WABE_OUTPUT_##output,
    WABE_LBM_OUTPUTS(X)
#undef X
        WABE_OUTPUT_COUNT
};

/* Where to write outputs of cells, and in which form: count outputs from first on, each as factor
 * (offset + value). Value k of cell i goes to i cell_stride + k moment_stride. */
typedef struct {
    void *values;
    wabe_type type; /* f64, f32 */
    int first, count;
    double offset, factor;
    int64_t cell_stride, moment_stride;
    /* Instead, add to this many arrays of doubles, the first of the following sums; 0: none. */
    int sums;
    double threshold; /* of the speed */
} wabe_moment_values;

/* Sums over time: density deviation, ux, uy, uz, then these. A run keeps the first few. */
enum {
    WABE_SUM_SQUARES = 4, /* of ux, uy, uz */
    WABE_SUM_SPEED = 7,
    WABE_SUM_EXCEEDANCE = 8, /* states in which the speed is above the threshold */
    WABE_SUM_PRODUCTS = 9,   /* ux uy, uy uz, ux uz */
    WABE_SUM_SCALAR = 12,
    WABE_SUM_SCALAR_SQUARE = 13,
    WABE_SUM_SCALAR_PRODUCTS = 14, /* with ux, uy, uz */
    WABE_SUM_ROWS = 17,
    WABE_SUM_ROWS_MIN = WABE_SUM_SPEED,
};

/* Are any of the viscous outputs wanted? */
WABE_HOST_DEVICE int wabe_wants_viscous(const wabe_moment_values *v) {
    return v->sums == 0 && v->first + v->count > WABE_OUTPUT_stress_xx;
}

WABE_HOST_DEVICE void wabe_add_speed(const wabe_moment_values *v, int64_t first, int64_t cells,
                                     const double *m, int64_t stride) {
    double *speeds = (double *)v->values + first + WABE_SUM_SPEED * v->moment_stride;
    double *exceedances = (double *)v->values + first + WABE_SUM_EXCEEDANCE * v->moment_stride;
    for (int64_t i = 0; i < cells; i++) {
        const double x = m[stride + i], y = m[2 * stride + i], z = m[3 * stride + i];
        const double speed = sqrt(x * x + y * y + z * z);
        speeds[i] += speed;
        if (v->sums > WABE_SUM_EXCEEDANCE)
            exceedances[i] += speed > v->threshold ? 1.0 : 0.0;
    }
}

WABE_HOST_DEVICE void wabe_add_scalar(const wabe_moment_values *v, int64_t first, int64_t cells,
                                      const double *m, int64_t stride) {
    const double *from = m + WABE_OUTPUT_scalar * stride;
    for (int row = WABE_SUM_SCALAR; row < v->sums; row++) {
        const int k = row - WABE_SUM_SCALAR_PRODUCTS;
        const double *by = k < 0 ? from : m + (1 + k) * stride;
        double *sums = (double *)v->values + first + row * v->moment_stride;
        for (int64_t i = 0; i < cells; i++)
            sums[i] += row == WABE_SUM_SCALAR ? from[i] : from[i] * by[i];
    }
}

WABE_HOST_DEVICE void wabe_add_moments(const wabe_moment_values *v, int64_t first, int64_t cells,
                                       const double *m, int64_t stride) {
    for (int row = 0; row < WABE_SUM_SPEED; row++) {
        const double *from = m + (row < 4 ? row : row - 3) * stride;
        double *sums = (double *)v->values + first + row * v->moment_stride;
        for (int64_t i = 0; i < cells; i++)
            sums[i] += row < 4 ? from[i] : from[i] * from[i];
    }
    if (v->sums > WABE_SUM_SPEED)
        wabe_add_speed(v, first, cells, m, stride);
    const int products = v->sums < WABE_SUM_SCALAR ? v->sums : WABE_SUM_SCALAR;
    for (int row = WABE_SUM_PRODUCTS; row < products; row++) {
        const int k = row - WABE_SUM_PRODUCTS;
        const double *a = m + (k == 1 ? 2 : 1) * stride, *b = m + (k == 0 ? 2 : 3) * stride;
        double *sums = (double *)v->values + first + row * v->moment_stride;
        for (int64_t i = 0; i < cells; i++)
            sums[i] += a[i] * b[i];
    }
    wabe_add_scalar(v, first, cells, m, stride);
}

/* Writes the outputs of this many cells from first on; m[k stride + i] is output k of the i-th
 * cell. */
WABE_HOST_DEVICE void wabe_put_moments(const wabe_moment_values *v, int64_t first, int64_t cells,
                                       const double *m, int64_t stride) {
    const int64_t step = v->cell_stride;
    const double offset = v->offset, factor = v->factor;
    if (v->sums > 0) {
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

/* macroscopic: moments from populations, for every step-th cell of a box along each axis. Items are
 * rows of these cells along x; for a list, WABE_SLOTS_OF_ITEM consecutive slots, of which those
 * outside the box are skipped. Solid cells are at rest. The velocity is that at the time of the
 * collision: the force's half step is subtracted again. */
enum { WABE_SLOTS_OF_ITEM = 1024 };
typedef struct wabe_macroscopic_args {
    const void *field;
    const ptrdiff_t *out;
    wabe_collision_parameters collision;
    int64_t pitch, plane;       /* of the slab */
    int64_t begin[3], step;     /* begin: the first cell, in the slab */
    int64_t cells[3];           /* cells to write along each axis */
    const uint16_t *fluid;      /* mask of fluid lanes per tile; NULL: none is */
    wabe_neighbours neighbours; /* list */
    const uint32_t *numbers;    /* list: a slot's cell number in the slab; NULL: no list */
    int64_t first, end;         /* list: slots */
    wabe_moment_values values;
    wabe_state_form form;
} wabe_macroscopic_args;

/* Index among the cells to write of the slab's cell n; -1: it is not one of them. */
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

/* reflect: the walls' part of an initial state. Reverses the populations that leave into walls, and
 * writes them where stream_collide reads them. Items are chunks. */
typedef struct wabe_reflect_args {
    void *field;
    const ptrdiff_t *out, *next_in;
    wabe_neighbours next_neighbours; /* list: out is then that of an even AA step */
    void *wall;
    const wabe_chunk *chunks;
    const void *records; /* WABE_TILE_RECORD */
    const void *cell_records;
    const uint32_t *classes;
    const wabe_patch *patches;
    wabe_cell_force force;
} wabe_reflect_args;

/* What layers of cells before faces, and sources of a scalar, do to cells in a step. A sponge takes
 * the part rate of the difference from the face's density, and with a density d the velocity that a
 * sound wave which goes to the face has with it. So it damps such waves, but sends none back.
 * Turbulence arises as the flow passes layers whose share grows: per cell of its way the share's
 * curl grows by stir velocity cos(a) + bend across sin(a) (wabe_wave, wabe_moments_absorb). */
typedef struct {
    int absorbs; /* a sponge, or turbulence */
    double rate, density;
    double stir, bend; /* first and second derivative of the share, per cell */
    double outward[3]; /* the face's normal */
    /* Regularized collisions: the viscosity is another than the model's (wabe_second_mixed): 18
     * sqrt(2) times the square of the mixing length, and what is added to the relaxation time. */
    int mixes;
    wabe_coefficient subgrid, tau_added;
    /* Bits of the wall functions that the cell lies at: of faces, then of solids on the same side
     * as a face. */
    unsigned friction;
    /* The amount of the scalar that a cell gives off in each step from begin to end - 1. */
    double release;
    int64_t begin, end;
} wabe_face_layer;

/* A law of the wall for the velocity at a distance z, which relates it to the friction velocity
 * u_tau: u+ = u / u_tau is a sum of Chebyshev polynomials of (Re^(1/32) - middle) part, which is
 * between -1 and 1, with Re = u z / nu. The stress is u_tau^2, but that of a linear profile, nu u /
 * z, where this is larger. reynolds: z / nu. */
enum { WABE_WALL_LAW_TERMS = 16, WABE_WALL_SIDES = 2 * WABE_FACES };
typedef struct {
    wabe_coefficient reynolds, middle, part;
    wabe_coefficient terms[WABE_WALL_LAW_TERMS];
} wabe_wall_law;

/* The law of a side of wabe_face_layer.friction: solids share one. */
WABE_HOST_DEVICE const wabe_wall_law *wabe_wall_law_at(const wabe_wall_law *laws, int side) {
    return &laws[side < WABE_FACES ? side : WABE_FACES];
}

/* A wabe_wave for kernels. */
typedef struct {
    wabe_coefficient turns[3], phase, velocity[3], across[3];
} wabe_gust_wave;

/* A tile with cells in such layers. level: by lane, the row of levels; 0: the cell is in none. */
typedef struct {
    uint32_t tile;
    uint32_t record; /* CPUs: its first record in the region's records, from 1; 0: it has none */
    uint16_t level[WABE_TILE];
} wabe_face_layer_tile;

/* absorb: items are tiles of layers. Changes the post-collision state of their cells, by the
 * difference of two equilibria or as wall functions do, and what walls return for it; the other
 * arguments are those of stream_collide. */
typedef struct wabe_absorb_args {
    void *field;
    const ptrdiff_t *out, *next_in;
    wabe_neighbours neighbours, next_neighbours;
    void *wall;
    const wabe_face_layer_tile *tiles;
    const wabe_face_layer *levels;
    const void *records; /* WABE_TILE_RECORD */
    const void *cell_records;
    const uint32_t *classes;
    const wabe_patch *patches;
    wabe_collision_parameters collision;
    wabe_state_form form;
    bool third;                  /* populations have third moments that follow from the others */
    const wabe_wall_law *laws;   /* by face, then of solids; NULL: there is no wall_function */
    const wabe_gust_wave *waves; /* WABE_WAVES of them; NULL: there is no turbulence */
    int64_t step;                /* since the start of the first of all runs */
    double carried[3];           /* how far the flow has carried the waves, in cells */
    int64_t planes;              /* of the domain along z */
    const uint32_t *numbers;     /* list: the number of a slot's cell; NULL: the same */
    int64_t begin[3], pitch, plane;
} wabe_absorb_args;

/* What a cell of a level gives off in this step. */
WABE_HOST_DEVICE double wabe_absorb_release(const wabe_absorb_args *a,
                                            const wabe_face_layer *level) {
    return a->step >= level->begin && a->step < level->end ? level->release : 0.0;
}

/* The place of a cell, by its slot, relative to the waves, in cells. */
WABE_HOST_DEVICE void wabe_absorb_place(const wabe_absorb_args *a, int64_t slot, double place[3]) {
    const int64_t n = a->numbers ? a->numbers[slot] : slot;
    const int64_t z = a->begin[2] + n / a->plane; /* ghost planes are those of the other end */
    const int64_t cell[3] = {a->begin[0] + n % a->pitch, a->begin[1] + n % a->plane / a->pitch,
                             z < 0           ? z + a->planes
                             : z < a->planes ? z
                                             : z - a->planes};
    for (int d = 0; d < 3; d++)
        place[d] = (double)cell[d] - a->carried[d];
}

/* Sums over a region are made in parts with a result each. Part p has the p-th of part_count shares
 * of the chunks. */
typedef struct {
    const wabe_chunk *chunks;
    const void *records; /* WABE_TILE_RECORD */
    const void *cell_records;
    const uint32_t *classes;
    int64_t first_cell, end_cell; /* GPUs: cells outside do not count */
    int64_t chunk_count;
    int part_count;
} wabe_parts;

WABE_HOST_DEVICE int64_t wabe_part_begin(const wabe_parts *parts, int64_t part) {
    return parts->chunk_count * part / parts->part_count;
}

typedef struct {
    wabe_sum mass;        /* density deviations */
    wabe_sum energy;      /* u^2 / 2 */
    wabe_sum momentum[3]; /* u */
    wabe_sum drag[3];     /* momentum that no-slip and moving walls take per step */
    wabe_sum scalar, scalar_amount, scalar_square /* of its half */, scalar_flux[3];
    int64_t cells;                /* fluid cells */
    int64_t broken, first_broken; /* number of unphysical or NAN cells, and the first of them */
    double speed_squared;         /* the largest, and its cell (fastest) */
    int64_t fastest;
} wabe_monitor_result;

/* A cell's scalar, what is conserved of it, and its flux. */
typedef struct {
    double value, amount, flux[3];
} wabe_cell_scalar;

WABE_HOST_DEVICE int wabe_scalar_is_sound(const wabe_cell_scalar *s) {
    return !s || (fabs(s->value) < 4.0 && fabs(s->flux[0]) < 4.0 && fabs(s->flux[1]) < 4.0 &&
                  fabs(s->flux[2]) < 4.0);
}

/* s: NULL: there is no scalar. */
WABE_HOST_DEVICE void wabe_monitor_add_cell(wabe_monitor_result *r, int64_t cell, double rho,
                                            double ux, double uy, double uz,
                                            const wabe_cell_scalar *s) {
    const double uu = ux * ux + uy * uy + uz * uz;
    r->cells++;
    if (!(fabs(rho) < 4.0 && uu < 4.0 && wabe_scalar_is_sound(s))) {
        if (r->broken++ == 0 || cell < r->first_broken)
            r->first_broken = cell;
        return;
    }
    if (s) {
        wabe_sum_add(&r->scalar, s->value);
        wabe_sum_add(&r->scalar_amount, s->amount);
        wabe_sum_add(&r->scalar_square, 0.25 * s->value * s->value);
    }
    for (int d = 0; d < 3 && s; d++)
        wabe_sum_add(&r->scalar_flux[d], s->flux[d]);
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

/* Does a boundary take momentum that is counted as a force on it? */
WABE_HOST_DEVICE int wabe_is_wall(wabe_boundary kind) {
    return kind == WABE_BOUNDARY_no_slip || kind == WABE_BOUNDARY_moving_wall ||
           kind == WABE_BOUNDARY_curved_wall;
}

/* The populations of a wall's link: p, which has left into the wall; and of an interpolated one q',
 * which has left in the opposite direction, and p as it arrives in the next step. */
typedef struct {
    double left, opposite, arriving;
} wabe_link_populations;

/* The momentum, against the direction of population q, that a wall takes per step by momentum
 * exchange (Ladd 1994; at curved walls Mei, Yu, Shyy, Luo, Phys. Rev. E 65 (2002) 041203): p has
 * gone into the wall, q comes back. 0 if that is unphysical or NAN,
 * which the monitor counts by cell. patch: NULL for a resting wall. */
WABE_HOST_DEVICE double wabe_wall_momentum(const wabe_patch *patch, int q,
                                           const wabe_link_populations *f) {
    double momentum = 2.0 * f->left + (patch ? patch->term[q] : 0.0);
    if (patch && patch->interpolation != 0.0)
        momentum += patch->interpolation * (f->arriving - f->opposite);
    return fabs(momentum) < 4.0 ? momentum : 0.0;
}

/* Adds the drag of a wall link; e: the velocity of q. See wabe_wall_momentum. Of populations, mass
 * is what curved walls keep constant: see wabe_patch. */
WABE_HOST_DEVICE void wabe_monitor_add_link(wabe_monitor_result *r, const wabe_patch *patch, int q,
                                            const int e[3], const wabe_link_populations *f,
                                            wabe_state_form form) {
    if (patch && !wabe_is_wall(patch->kind))
        return;
    const double momentum = wabe_wall_momentum(patch, q, f);
    for (int d = 0; d < 3; d++)
        wabe_sum_add(&r->drag[d], -e[d] * momentum);
    if (patch && form == WABE_STATE_POPULATIONS && fabs(f->opposite) < 4.0)
        wabe_sum_add(&r->mass, -patch->interpolation * f->opposite);
}

WABE_HOST_DEVICE void wabe_monitor_merge(wabe_monitor_result *total,
                                         const wabe_monitor_result *part) {
    wabe_sum_merge(&total->mass, &part->mass);
    wabe_sum_merge(&total->energy, &part->energy);
    for (int d = 0; d < 3; d++)
        wabe_sum_merge(&total->momentum[d], &part->momentum[d]);
    for (int d = 0; d < 3; d++)
        wabe_sum_merge(&total->drag[d], &part->drag[d]);
    wabe_sum_merge(&total->scalar, &part->scalar);
    wabe_sum_merge(&total->scalar_amount, &part->scalar_amount);
    wabe_sum_merge(&total->scalar_square, &part->scalar_square);
    for (int d = 0; d < 3; d++)
        wabe_sum_merge(&total->scalar_flux[d], &part->scalar_flux[d]);
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
    const uint32_t *cells; /* list: a slot's cell number in the slab; NULL: n itself */
    wabe_collision_parameters collision;
    wabe_monitor_result *results; /* by part */
    wabe_state_form form;
    wabe_arrivals arrivals;
} wabe_monitor_args;

/* A link between a fluid cell and a body: population q arrives there from the body's surface. */
typedef struct {
    uint32_t cell;   /* list: its slot */
    uint8_t q, axes; /* bit d of axes: the momentum along axis d acts on this body */
    uint16_t patch;
} wabe_force_link;

enum { WABE_FORCE_LINKS = 256 };

/* Up to so many links, of one body. */
typedef struct {
    int64_t first;
    int32_t count;
} wabe_force_block;

/* Torques are summed in units of so many, since wabe_sum takes small values. */
#define WABE_TORQUE_UNIT 65536.0

/* Momentum and angular momentum, about the corner of the domain, that a body takes per step. */
typedef struct {
    wabe_sum force[3], torque[3];
} wabe_force;

WABE_HOST_DEVICE void wabe_force_merge(wabe_force *total, const wabe_force *part) {
    for (int d = 0; d < 3; d++) {
        wabe_sum_merge(&total->force[d], &part->force[d]);
        wabe_sum_merge(&total->torque[d], &part->torque[d]);
    }
}

/* forces: items are blocks of links. */
typedef struct wabe_forces_args {
    const void *field;
    const ptrdiff_t *out;
    wabe_neighbours neighbours;
    const uint32_t *cells; /* list: a slot's cell number in the slab; NULL: n itself */
    int64_t pitch, plane;
    int64_t begin[3]; /* the slab's first cell */
    const wabe_force_link *links;
    const wabe_force_block *blocks;
    const wabe_patch *patches;
    wabe_force *results; /* by block */
    wabe_state_form form;
    wabe_arrivals arrivals;
} wabe_forces_args;

/* Adds what a link takes, at the wall on the way to the cell from which q, with velocity e, seems
 * to come: see wabe_wall_momentum. */
WABE_HOST_DEVICE void wabe_force_add(wabe_force *f, const wabe_forces_args *a,
                                     const wabe_force_link *link, const int e[3],
                                     const wabe_link_populations *values) {
    const wabe_patch *patch = &a->patches[link->patch];
    const double momentum = wabe_wall_momentum(patch, link->q, values);
    const double k = patch->interpolation, part = 0.5 * (1.0 - k) / (1.0 + k);
    const int64_t n = a->cells ? a->cells[link->cell] : link->cell;
    const int64_t at[3] = {n % a->pitch, n % a->plane / a->pitch, n / a->plane};
    double r[3], p[3];
    for (int d = 0; d < 3; d++) {
        r[d] = ((double)(a->begin[d] + at[d]) + 0.5 - part * e[d]) / WABE_TORQUE_UNIT;
        p[d] = link->axes >> d & 1 ? -e[d] * momentum : 0.0;
        wabe_sum_add(&f->force[d], p[d]);
    }
    wabe_sum_add(&f->torque[0], r[1] * p[2] - r[2] * p[1]);
    wabe_sum_add(&f->torque[1], r[2] * p[0] - r[0] * p[2]);
    wabe_sum_add(&f->torque[2], r[0] * p[1] - r[1] * p[0]);
}

/* hash: items are parts. The hash of a population depends on its value and its position in the
 * domain, not on the slab; hashes are added. */
typedef struct wabe_hash_args {
    const void *field;
    const ptrdiff_t *out;
    wabe_parts parts;
    int64_t pitch, plane;
    int64_t begin[3], domain[3]; /* the slab's first cell; cells of the domain */
    wabe_neighbours neighbours;
    const uint32_t *cells; /* list: a slot's cell number in the slab; NULL: n itself */
    uint64_t *results;     /* by part */
    wabe_state_form form;
} wabe_hash_args;

/* Number in the domain of cell n. */
WABE_HOST_DEVICE uint64_t wabe_hash_cell_number(const wabe_hash_args *a, int64_t n) {
    n = a->cells ? a->cells[n] : n;
    const int64_t x = a->begin[0] + n % a->pitch, y = a->begin[1] + n % a->plane / a->pitch,
                  z = a->begin[2] + n / a->plane;
    return (uint64_t)(x + a->domain[0] * (y + a->domain[1] * z));
}

WABE_HOST_DEVICE uint64_t wabe_hash_value(uint64_t id, double value) {
    union {
        double value;
        uint64_t bits;
    } both;
    both.value = value;
    return wabe_hash_mix(both.bits + wabe_hash_mix(id + 1));
}
