/* Two incompressible fluids, liquid and gas, with a sharp interface: a fraction of liquid that is
 * advected by THINC (F. Xiao, Y. Honma, T. Kono, Int. J. Numer. Methods Fluids 48 (2005) 1023) with
 * weights of the interface's normal (WLIC: K. Yokoi, J. Comput. Phys. 226 (2007) 1985), velocities
 * on faces, and a pressure that keeps them free of divergence (sweeps/cell/multigrid.h). Lengths
 * are in cells, times in time steps of the sweeps' arguments. A step:
 *
 * 1. The fraction psi, along one axis after the other, each time with a dilation that keeps mass
 *    and 0 <= psi <= 1 (G. D. Weymouth, D. K.-P. Yue, J. Comput. Phys. 229 (2010) 2853):
 *
 *        psi -= F_high - F_low - (psi^n > 1/2) (c_high - c_low), c = u dt / dx
 *
 *    F is what flows through a face. In the cell that it comes from psi is (1 + s tanh(beta (x -
 *    x_0))) / 2 along the axis, s the sign of its slope; a share |n| / (|n_x| + |n_y| + |n_z|) of
 *    F, n the slope along the axis, is that of this profile, the rest c psi.
 * 2. The curvature kappa, positive in drops: of the heights of liquid in columns of seven cells
 *    along the axis that is closest to the normal (S. J. Cummins, M. M. Francois, D. B. Kothe,
 *    Computers and Structures 83 (2005) 425). Where columns do not go from liquid to gas, the
 *    mean of cells around where they do; without any, -div(grad phi / |grad phi|) of a distance
 *    phi from the interface, 0.75 (2 psi - 1) at first, whose slope sweeps make 1 (M. Sussman, P.
 *    Smereka, S. Osher, J. Comput. Phys. 114 (1994) 146). At walls both go on with the contact
 *    angle.
 * 3. Velocities, with density and viscosity linear in psi. What a velocity takes with it is the
 *    mass that has flowed through the faces in 1. (M. Rudman, Int. J. Numer. Methods Fluids 28
 *    (1998) 357), so that the momentum is kept across interfaces: third-order upwind differences
 *    and Adams and Bashforth's two steps; near interfaces second order, limited, and one step.
 *    The viscous stress, whose viscosity at edges of cells is the harmonic mean of four cells;
 *    gravity; and the tension sigma kappa grad f / rho, f psi without its ends
 *    (wabe_two_phase_sharp), with the differences that the pressure has, so that both balance.
 * 4. div(1 / rho grad p) = div u / dt, and u -= dt / rho grad p.
 *
 * Velocities stand on the low faces of cells. Cells that are not fluid, as those behind walls, have
 * the number 0 in a constant field; faces beside them are closed. Behind a face that fluid flows in
 * through it is 1/2: the velocity there is given. At a face that fluid flows out through, the last
 * layer of cells is outside, with the number 2, and behind it 3: its velocities are those of the
 * cells before, as is its fraction, unless that is given, and its pressure is close to 0. What is
 * read in solid cells beside fluid is filled before: the fraction and the distance with those of
 * the fluid, velocities so that they are 0 on the surface. */
#pragma once

#include "sweeps/cell/grid.h"

extern const struct wabe_sweep wabe_sweep_two_phase_advect, wabe_sweep_two_phase_distance,
    wabe_sweep_two_phase_redistance, wabe_sweep_two_phase_curvature, wabe_sweep_two_phase_heights,
    wabe_sweep_two_phase_momentum, wabe_sweep_two_phase_source, wabe_sweep_two_phase_project,
    wabe_sweep_two_phase_show, wabe_sweep_two_phase_spread, wabe_sweep_two_phase_fill,
    wabe_sweep_two_phase_stop;

enum {
    WABE_FLOPS_TWO_PHASE_ADVECT = 350,
    WABE_FLOPS_TWO_PHASE_REDISTANCE = 40,
    WABE_FLOPS_TWO_PHASE_CURVATURE = 60,
    WABE_FLOPS_TWO_PHASE_MOMENTUM = 1000,
    WABE_FLOPS_TWO_PHASE_HEIGHTS = 350,
    WABE_FLOPS_TWO_PHASE_SPREAD = 60,
    WABE_FLOPS_TWO_PHASE_SOURCE = 30,
    WABE_FLOPS_TWO_PHASE_SHOW = 95,
    WABE_FLOPS_TWO_PHASE_FILL = 3, /* of most cells, which are not solid */
    WABE_FLOPS_TWO_PHASE_STOP = 12
};

/* What is linear in psi. */
typedef struct {
    wabe_coefficient gas, more;
} wabe_two_phase_mean;

/* axes: those of more than a cell, count of them; in a step they begin with another one than in the
 * step before. value 0 of an entry: which one of them it is. */
typedef struct wabe_two_phase_advect_args {
    wabe_grid_args grid;
    int axes[3], count;
    wabe_coefficient courant; /* dt / dx */
    wabe_coefficient per_courant;
    wabe_coefficient pure; /* psi below it, and above 1 less it, is that of a fluid alone */
    wabe_coefficient per_sharpness;          /* ln(2) / beta */
    wabe_coefficient rise, fall, fall_twice; /* exp(beta), exp(-beta), exp(-2 beta) */
    wabe_coefficient to_power;               /* beta / ln(2) */
} wabe_two_phase_advect_args;
enum {
    WABE_TWO_PHASE_ADVECT_TO,
    WABE_TWO_PHASE_ADVECT_HALF, /* psi^n > 1/2, written by the first one of a step */
    WABE_TWO_PHASE_ADVECT_FLUX, /* F dx / dt of low faces, three components: a sweep writes that of
                                   its axis */
    WABE_TWO_PHASE_ADVECT_FROM,
    WABE_TWO_PHASE_ADVECT_U
};

typedef struct wabe_two_phase_distance_args {
    wabe_grid_args grid;
} wabe_two_phase_distance_args;
typedef struct wabe_two_phase_redistance_args {
    wabe_grid_args grid;
} wabe_two_phase_redistance_args;
typedef struct wabe_two_phase_curvature_args {
    wabe_grid_args grid;
    wabe_coefficient most; /* of |kappa|: what the grid can resolve */
} wabe_two_phase_curvature_args;
enum {
    WABE_TWO_PHASE_CURVATURE_TO,
    WABE_TWO_PHASE_CURVATURE_DISTANCE,
    WABE_TWO_PHASE_CURVATURE_FLUID
};

/* Cells have a number for how the interface meets them: walls the cotangent of the contact angle,
 * which is what it adds to the height of the first column in the wall; fluid the first one of
 * these. The layer outside has 0 if its fraction is that of the cells before it, otherwise one of
 * the others. */
#define WABE_TWO_PHASE_NO_WALL 1e6
#define WABE_TWO_PHASE_GAS_OUTSIDE -1e3
#define WABE_TWO_PHASE_LIQUID_OUTSIDE -2e3

/* The numbers of cells in the field that tells fluid. */
#define WABE_TWO_PHASE_SOLID 0.0
#define WABE_TWO_PHASE_BEHIND_INFLOW 0.5
#define WABE_TWO_PHASE_IN_FLUID 1.0
#define WABE_TWO_PHASE_OUTSIDE 2.0
#define WABE_TWO_PHASE_BEHIND_OUTFLOW 3.0

typedef struct wabe_two_phase_heights_args {
    wabe_grid_args grid;
    wabe_coefficient most;
} wabe_two_phase_heights_args;
enum {
    WABE_TWO_PHASE_HEIGHTS_TO,
    WABE_TWO_PHASE_HEIGHTS_REACH, /* 1 where columns reach through the interface, -1 near it where
                                     they do not, 0 elsewhere */
    WABE_TWO_PHASE_HEIGHTS_FRACTION,
    WABE_TWO_PHASE_HEIGHTS_WALL
};

/* The curvature where columns do not reach: the mean of cells around where they do, or, where there
 * are none, that of the distance. */
typedef struct wabe_two_phase_spread_args {
    wabe_grid_args grid;
} wabe_two_phase_spread_args;
enum { WABE_TWO_PHASE_SPREAD_TO, WABE_TWO_PHASE_SPREAD_FROM, WABE_TWO_PHASE_SPREAD_REACH };

typedef struct wabe_two_phase_momentum_args {
    wabe_grid_args grid;
    wabe_two_phase_mean density;
    wabe_two_phase_mean viscosity; /* over the larger one: products of four stay numbers */
    wabe_coefficient courant;      /* dt / dx */
    wabe_coefficient ahead;        /* dt / 2 over the dt of the step before */
    wabe_coefficient diffusion;    /* dt / dx^2 times the larger viscosity */
    wabe_coefficient tension;      /* sigma dt / dx^2 */
    wabe_coefficient gravity[3];   /* g dt */
    wabe_coefficient inflow[3];    /* velocity of what flows in through low faces */
    int flat[3];                   /* axes of one cell, along which nothing changes */
} wabe_two_phase_momentum_args;
enum {
    WABE_TWO_PHASE_MOMENTUM_TO,
    WABE_TWO_PHASE_MOMENTUM_ADVECTION = 3, /* of the step before, and of this one */
    WABE_TWO_PHASE_MOMENTUM_U,
    WABE_TWO_PHASE_MOMENTUM_FRACTION = WABE_TWO_PHASE_MOMENTUM_U + 3,
    WABE_TWO_PHASE_MOMENTUM_CURVATURE,
    WABE_TWO_PHASE_MOMENTUM_FLUID,
    WABE_TWO_PHASE_MOMENTUM_FLUX
};

/* The right-hand side of the pressure's equation, and 1 / rho on low faces; on those of the layer
 * outside and what is behind it a large number, which keeps the pressure there close to 0. */
typedef struct wabe_two_phase_source_args {
    wabe_grid_args grid;
    wabe_two_phase_mean density;
    wabe_coefficient outside;
    wabe_coefficient per_courant; /* dx / dt */
    int flat[3];                  /* axes of one cell, which nothing flows along */
} wabe_two_phase_source_args;
enum {
    WABE_TWO_PHASE_SOURCE_B,
    WABE_TWO_PHASE_SOURCE_W,
    WABE_TWO_PHASE_SOURCE_U,
    WABE_TWO_PHASE_SOURCE_FRACTION = WABE_TWO_PHASE_SOURCE_U + 3,
    WABE_TWO_PHASE_SOURCE_FLUID
};

/* Reduces the largest size of a velocity. */
typedef struct wabe_two_phase_project_args {
    wabe_grid_args grid;
    wabe_coefficient courant; /* dt / dx */
} wabe_two_phase_project_args;
enum {
    WABE_TWO_PHASE_PROJECT_TO,
    WABE_TWO_PHASE_PROJECT_U = 3,
    WABE_TWO_PHASE_PROJECT_P = WABE_TWO_PHASE_PROJECT_U + 3,
    WABE_TWO_PHASE_PROJECT_W
};

/* What is shown of a state: velocities at the middle of cells; the area of the surface over the
 * volume, |grad psi|; and the divergence, 0 in solids and in the layer outside. */
typedef struct wabe_two_phase_show_args {
    wabe_grid_args grid;
    wabe_coefficient per_length; /* 1 / dx */
} wabe_two_phase_show_args;
enum {
    WABE_TWO_PHASE_SHOW_TO,
    WABE_TWO_PHASE_SHOW_SURFACE,
    WABE_TWO_PHASE_SHOW_DIVERGENCE,
    WABE_TWO_PHASE_SHOW_U,
    WABE_TWO_PHASE_SHOW_FRACTION = WABE_TWO_PHASE_SHOW_U + 3,
    WABE_TWO_PHASE_SHOW_WALL
};

/* Fills a field in walls with that of the nearest fluid, up to three cells away. is_distance: the
 * field is the distance from the interface, and goes on behind the surface with the slope that the
 * contact angle gives it. */
typedef struct wabe_two_phase_fill_args {
    wabe_grid_args grid;
    int is_distance;
} wabe_two_phase_fill_args;
enum { WABE_TWO_PHASE_FILL_TO, WABE_TWO_PHASE_FILL_FROM, WABE_TWO_PHASE_FILL_WALL };

/* Velocities are 0 on closed faces beside fluid, between two cells that are not fluid the opposite
 * of those beside them, and between two cells outside the same as those. */
typedef struct wabe_two_phase_stop_args {
    wabe_grid_args grid;
} wabe_two_phase_stop_args;
enum { WABE_TWO_PHASE_STOP_TO, WABE_TWO_PHASE_STOP_U = 3, WABE_TWO_PHASE_STOP_FLUID = 6 };

/* See sweeps/cell/stencils.h. */
#define WABE_TWO_PHASE_CELLWISE(X)                                                                 \
    X(two_phase_advect, 5, 0, 0, 0, 11, 0, WABE_FLOPS_TWO_PHASE_ADVECT)                            \
    X(two_phase_distance, 2, 0, 0, 0, 3, 0, 2)                                                     \
    X(two_phase_redistance, 1, 0, 0, 0, 3, 0, WABE_FLOPS_TWO_PHASE_REDISTANCE)                     \
    X(two_phase_curvature, 1, 0, 0, 0, 3, 0, WABE_FLOPS_TWO_PHASE_CURVATURE)                       \
    X(two_phase_heights, 2, 0, 0, 0, 5, 0, WABE_FLOPS_TWO_PHASE_HEIGHTS)                           \
    X(two_phase_spread, 1, 0, 0, 0, 3, 0, WABE_FLOPS_TWO_PHASE_SPREAD)                             \
    X(two_phase_momentum, 6, 0, 0, 0, 18, 0, WABE_FLOPS_TWO_PHASE_MOMENTUM)                        \
    X(two_phase_source, 4, 0, 0, 0, 9, 0, WABE_FLOPS_TWO_PHASE_SOURCE)                             \
    X(two_phase_project, 3, 0, 0, 1, 10, 0, 12)                                                    \
    X(two_phase_show, 5, 0, 0, 0, 10, 0, WABE_FLOPS_TWO_PHASE_SHOW)                                \
    X(two_phase_fill, 1, 0, 0, 0, 3, 0, WABE_FLOPS_TWO_PHASE_FILL)                                 \
    X(two_phase_stop, 3, 0, 0, 0, 7, 0, WABE_FLOPS_TWO_PHASE_STOP)
enum {
    WABE_BEGINS_two_phase_advect = 7,
    WABE_BEGINS_two_phase_distance = 3,
    WABE_BEGINS_two_phase_redistance = 1,
    WABE_BEGINS_two_phase_curvature = 1,
    WABE_BEGINS_two_phase_heights = 3,
    WABE_BEGINS_two_phase_spread = 1,
    WABE_BEGINS_two_phase_momentum = 15,
    WABE_BEGINS_two_phase_source = 3,
    WABE_BEGINS_two_phase_project = 7,
    WABE_BEGINS_two_phase_show = 25,
    WABE_BEGINS_two_phase_fill = 1,
    WABE_BEGINS_two_phase_stop = 7
};

#ifdef WABE_AT

#include "sweeps/cell/stencil_math.h"

/* The number of a field with one component that is s away along an axis, and t and r along the
 * others. */
WABE_INLINE WABE_REAL wabe_two_phase_at(const wabe_cell *c, int access, int axis, int s, int t,
                                        int r) {
    const int x = axis == 0 ? s : t, y = axis == 1 ? s : axis == 0 ? t : r;
    return WABE_AT(c, access, 0, x, y, axis == 2 ? s : r);
}

WABE_INLINE WABE_REAL wabe_two_phase_square(WABE_REAL x) { return x * x; }
WABE_INLINE WABE_REAL wabe_two_phase_positive(WABE_REAL x) {
    return wabe_largest(x, WABE_REAL_OF(0.0));
}
WABE_INLINE WABE_REAL wabe_two_phase_size(WABE_REAL x) { return wabe_largest(x, -x); }

WABE_INLINE wabe_bits wabe_two_phase_is_wall(WABE_REAL number) {
    return number < WABE_REAL_OF(0.5 * WABE_TWO_PHASE_NO_WALL);
}

/* Is the fraction of a cell given? */
WABE_INLINE wabe_bits wabe_two_phase_is_given(WABE_REAL number) {
    return number < WABE_REAL_OF(0.5 * WABE_TWO_PHASE_GAS_OUTSIDE);
}

/* The cotangent of a wall; 0 outside. */
WABE_INLINE WABE_REAL wabe_two_phase_cotangent(WABE_REAL number) {
    return wabe_select(wabe_two_phase_is_given(number), WABE_REAL_OF(0.0), number);
}

/* Of a cell, or the smaller number of both cells at a face: 1 in fluid, outside, too; 0 otherwise.
 */
WABE_INLINE WABE_REAL wabe_two_phase_is_fluid(WABE_REAL number) {
    return wabe_select(number > WABE_REAL_OF(0.75), WABE_REAL_OF(1.0), WABE_REAL_OF(0.0));
}

/* 1 where fluid flows in, 0 otherwise. */
WABE_INLINE WABE_REAL wabe_two_phase_is_inflow(WABE_REAL number) {
    return wabe_select(number > WABE_REAL_OF(0.25), WABE_REAL_OF(1.0), WABE_REAL_OF(0.0)) -
           wabe_two_phase_is_fluid(number);
}

/* Is it outside? */
WABE_INLINE wabe_bits wabe_two_phase_is_outside(WABE_REAL number) {
    return number > WABE_REAL_OF(1.5);
}

/* Is it behind an outflow? */
WABE_INLINE wabe_bits wabe_two_phase_is_behind(WABE_REAL number) {
    return number > WABE_REAL_OF(2.5);
}

WABE_INLINE WABE_REAL wabe_two_phase_mean_of(const wabe_two_phase_mean *m, WABE_REAL psi) {
    const WABE_REAL share = wabe_smallest(WABE_REAL_OF(1.0), wabe_two_phase_positive(psi));
    return WABE_FMA(share, WABE_COEFFICIENT(m->more), WABE_COEFFICIENT(m->gas));
}

/* ---- the fraction ---------------------------------------------------------------------- */

/* Of a cell: its fraction, the share of the axis in the slope, and that slope's sign. */
typedef struct {
    WABE_REAL psi, share, sign;
} wabe_two_phase_slope;

/* Sums over the nine cells of a plane normal to an axis, s away, and their differences along the
 * two other axes. */
typedef struct {
    WABE_REAL all, first, second;
} wabe_two_phase_plane;

WABE_INLINE wabe_two_phase_plane wabe_two_phase_plane_of(const wabe_cell *c, int axis, int s) {
    WABE_REAL lines[3], slopes[3];
    WABE_UNROLL
    for (int r = -1; r <= 1; r++) {
        const WABE_REAL low = wabe_two_phase_at(c, WABE_TWO_PHASE_ADVECT_FROM, axis, s, -1, r);
        const WABE_REAL own = wabe_two_phase_at(c, WABE_TWO_PHASE_ADVECT_FROM, axis, s, 0, r);
        const WABE_REAL high = wabe_two_phase_at(c, WABE_TWO_PHASE_ADVECT_FROM, axis, s, 1, r);
        lines[r + 1] = WABE_FMA(WABE_REAL_OF(2.0), own, low + high);
        slopes[r + 1] = high - low;
    }
    const wabe_two_phase_plane plane = {WABE_FMA(WABE_REAL_OF(2.0), lines[1], lines[0] + lines[2]),
                                        WABE_FMA(WABE_REAL_OF(2.0), slopes[1],
                                                 slopes[0] + slopes[2]),
                                        lines[2] - lines[0]};
    return plane;
}

/* planes: before the cell, its own, and behind it. */
WABE_INLINE wabe_two_phase_slope wabe_two_phase_slope_of(const wabe_cell *c, int axis, int s,
                                                         const wabe_two_phase_plane planes[3]) {
    const WABE_REAL one = WABE_REAL_OF(1.0), two = WABE_REAL_OF(2.0);
    const WABE_REAL along = planes[2].all - planes[0].all;
    const WABE_REAL first = WABE_FMA(two, planes[1].first, planes[0].first + planes[2].first);
    const WABE_REAL second = WABE_FMA(two, planes[1].second, planes[0].second + planes[2].second);
    const WABE_REAL own = wabe_two_phase_size(along);
    const WABE_REAL all = (wabe_two_phase_size(first) + wabe_two_phase_size(second)) + own;
    wabe_two_phase_slope slope;
    slope.psi = wabe_two_phase_at(c, WABE_TWO_PHASE_ADVECT_FROM, axis, s, 0, 0);
    slope.share = own / (all + WABE_REAL_OF(1e-30));
    slope.sign = wabe_select(along > WABE_REAL_OF(0.0), one, -one);
    return slope;
}

WABE_INLINE wabe_two_phase_slope wabe_two_phase_select(wabe_bits first, wabe_two_phase_slope a,
                                                       wabe_two_phase_slope b) {
    wabe_two_phase_slope s;
    s.psi = wabe_select(first, a.psi, b.psi);
    s.share = wabe_select(first, a.share, b.share);
    s.sign = wabe_select(first, a.sign, b.sign);
    return s;
}

/* F of a profile, of a share c > 0 of the cell before the face, on whose side it has the slope's
 * sign. With E = exp(2 beta x_0) = (exp(beta) - q) / (q - exp(-beta)), q = exp(beta s (2 psi - 1)),
 * and G = E exp(-2 beta): F = (c + s (c + ln((1 + G) / (1 + G exp(2 beta c))) / beta)) / 2. */
WABE_INLINE WABE_REAL wabe_two_phase_profile(const wabe_two_phase_advect_args *a, WABE_REAL psi,
                                             WABE_REAL sign, WABE_REAL c) {
    const WABE_REAL one = WABE_REAL_OF(1.0), two = WABE_REAL_OF(2.0);
    const WABE_REAL power = WABE_REAL_OF(0.0) + WABE_COEFFICIENT(a->to_power);
    const WABE_REAL q = wabe_exp2(power * (sign * WABE_FMA(two, psi, -one)));
    const WABE_REAL g = (WABE_COEFFICIENT(a->rise) - q) / (q - WABE_COEFFICIENT(a->fall)) *
                        WABE_COEFFICIENT(a->fall_twice);
    const WABE_REAL log = wabe_log2((one + g) / WABE_FMA(g, wabe_exp2(two * power * c), one));
    return WABE_REAL_OF(0.5) *
           WABE_FMA(sign, WABE_FMA(log, WABE_COEFFICIENT(a->per_sharpness), c), c);
}

/* F of a face between two cells. */
WABE_INLINE WABE_REAL wabe_two_phase_flux(const wabe_two_phase_advect_args *a, WABE_REAL c,
                                          wabe_two_phase_slope before, wabe_two_phase_slope after) {
    const WABE_REAL none = WABE_REAL_OF(0.0), one = WABE_REAL_OF(1.0);
    const wabe_bits forwards = c > none;
    const wabe_two_phase_slope from = wabe_two_phase_select(forwards, before, after);
    const WABE_REAL pure = none + WABE_COEFFICIENT(a->pure), upwind = from.psi * c;
    const wabe_bits mixed = (from.psi > pure) & (from.psi < one - pure);
    if (!wabe_any(mixed))
        return upwind;
    const WABE_REAL way = wabe_select(forwards, one, -one);
    const WABE_REAL psi = wabe_select(mixed, from.psi, WABE_REAL_OF(0.5));
    const WABE_REAL profile = way * wabe_two_phase_profile(a, psi, way * from.sign, way * c);
    return wabe_select(mixed, WABE_FMA(from.share, profile - upwind, upwind), upwind);
}

WABE_INLINE void wabe_two_phase_advect_along(const wabe_two_phase_advect_args *a,
                                             const wabe_cell *c, int axis, bool first,
                                             WABE_REAL out[]) {
    const int u = WABE_TWO_PHASE_ADVECT_U + axis;
    const WABE_REAL courant = WABE_REAL_OF(0.0) + WABE_COEFFICIENT(a->courant);
    const WABE_REAL low = courant * wabe_two_phase_at(c, u, axis, 0, 0, 0);
    const WABE_REAL high = courant * wabe_two_phase_at(c, u, axis, 1, 0, 0);
    wabe_two_phase_plane planes[5];
    wabe_two_phase_slope slopes[3];
    WABE_UNROLL
    for (int s = -2; s <= 2; s++)
        planes[s + 2] = wabe_two_phase_plane_of(c, axis, s);
    WABE_UNROLL
    for (int s = -1; s <= 1; s++)
        slopes[s + 1] = wabe_two_phase_slope_of(c, axis, s, planes + (s + 1));
    const WABE_REAL psi = slopes[1].psi;
    const WABE_REAL flux_low = wabe_two_phase_flux(a, low, slopes[0], slopes[1]);
    const WABE_REAL flux_high = wabe_two_phase_flux(a, high, slopes[1], slopes[2]);
    const WABE_REAL more = wabe_select(psi > WABE_REAL_OF(0.5), WABE_REAL_OF(1.0),
                                       WABE_REAL_OF(0.0));
    out[1] = more;
    if (!first)
        out[1] = WABE_AT(c, WABE_TWO_PHASE_ADVECT_HALF, 0, 0, 0, 0);
    out[0] = (psi - (flux_high - flux_low)) + out[1] * (high - low);
    WABE_UNROLL
    for (int other = 0; other < 3; other++)
        out[2 + other] = WABE_AT(c, WABE_TWO_PHASE_ADVECT_FLUX, other, 0, 0, 0);
    out[2 + axis] = WABE_COEFFICIENT(a->per_courant) * flux_low;
}

WABE_INLINE void wabe_two_phase_advect_cell(const wabe_two_phase_advect_args *a, const wabe_cell *c,
                                            WABE_REAL out[], WABE_REAL reduced[]) {
    const int place = (int)a->grid.values[0].f64;
    const int axis = a->axes[(place + (int)(a->grid.step % a->count)) % a->count];
    (void)reduced;
    if (axis == 0)
        wabe_two_phase_advect_along(a, c, 0, place == 0, out);
    else if (axis == 1)
        wabe_two_phase_advect_along(a, c, 1, place == 0, out);
    else
        wabe_two_phase_advect_along(a, c, 2, place == 0, out);
}

/* ---- the distance ---------------------------------------------------------------------- */

WABE_INLINE void wabe_two_phase_distance_cell(const wabe_two_phase_distance_args *a,
                                              const wabe_cell *c, WABE_REAL out[],
                                              WABE_REAL reduced[]) {
    (void)a, (void)reduced;
    out[0] = out[1] = WABE_FMA(WABE_REAL_OF(1.5), WABE_AT(c, 2, 0, 0, 0, 0), WABE_REAL_OF(-0.75));
}

/* Godunov's scheme in a time of 0.3 cells. */
WABE_INLINE void wabe_two_phase_redistance_cell(const wabe_two_phase_redistance_args *a,
                                                const wabe_cell *c, WABE_REAL out[],
                                                WABE_REAL reduced[]) {
    const WABE_REAL none = WABE_REAL_OF(0.0), one = WABE_REAL_OF(1.0);
    const WABE_REAL phi = WABE_AT(c, 1, 0, 0, 0, 0), first = WABE_AT(c, 2, 0, 0, 0, 0);
    const WABE_REAL sign = first / WABE_SQRT(WABE_FMA(first, first, one));
    const WABE_REAL way = wabe_select(sign > none, one, -one);
    WABE_REAL square = none;
    (void)a, (void)reduced;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const WABE_REAL low = way * (phi - wabe_two_phase_at(c, 1, axis, -1, 0, 0));
        const WABE_REAL high = way * (wabe_two_phase_at(c, 1, axis, 1, 0, 0) - phi);
        const WABE_REAL rising = wabe_two_phase_positive(low);
        const WABE_REAL falling = wabe_two_phase_positive(-high);
        square = square + wabe_two_phase_square(wabe_largest(rising, falling));
    }
    out[0] = WABE_FMA(WABE_REAL_OF(0.3) * sign, one - WABE_SQRT(square), phi);
}

WABE_INLINE void wabe_two_phase_curvature_cell(const wabe_two_phase_curvature_args *a,
                                               const wabe_cell *c, WABE_REAL out[],
                                               WABE_REAL reduced[]) {
    const WABE_REAL half = WABE_REAL_OF(0.5), quarter = WABE_REAL_OF(0.25);
    const WABE_REAL phi = WABE_AT(c, WABE_TWO_PHASE_CURVATURE_DISTANCE, 0, 0, 0, 0);
    WABE_REAL first[3], second[3], walls[3], sum = WABE_REAL_OF(0.0), square = WABE_REAL_OF(1e-12);
    (void)reduced;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const WABE_REAL low = wabe_two_phase_at(c, WABE_TWO_PHASE_CURVATURE_DISTANCE, axis, -1, 0,
                                                0);
        const WABE_REAL high = wabe_two_phase_at(c, WABE_TWO_PHASE_CURVATURE_DISTANCE, axis, 1, 0,
                                                 0);
        first[axis] = half * (high - low);
        second[axis] = (high - phi) + (low - phi);
        square = WABE_FMA(first[axis], first[axis], square);
        /* 2 beside a wall, where a mixed difference across it has one half of its slope alone */
        walls[axis] = WABE_REAL_OF(2.0) -
                      wabe_two_phase_is_fluid(
                          wabe_two_phase_at(c, WABE_TWO_PHASE_CURVATURE_FLUID, axis, -1, 0, 0)) *
                          wabe_two_phase_is_fluid(
                              wabe_two_phase_at(c, WABE_TWO_PHASE_CURVATURE_FLUID, axis, 1, 0, 0));
    }
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) { /* and the plane normal to it */
        const int s = (axis + 1) % 3, t = (axis + 2) % 3;
        const int x = s == 0 || t == 0, y = s == 1 || t == 1;
        const int dx[2] = {x, s == 0 ? 1 : t == 0 ? -1 : 0};
        const int dy[2] = {y, s == 1 ? 1 : t == 1 ? -1 : 0};
        const int dz[2] = {axis != 2, s == 2 ? 1 : t == 2 ? -1 : 0};
        const WABE_REAL same =
            WABE_AT(c, WABE_TWO_PHASE_CURVATURE_DISTANCE, 0, dx[0], dy[0], dz[0]) +
            WABE_AT(c, WABE_TWO_PHASE_CURVATURE_DISTANCE, 0, -dx[0], -dy[0], -dz[0]);
        const WABE_REAL other =
            WABE_AT(c, WABE_TWO_PHASE_CURVATURE_DISTANCE, 0, dx[1], dy[1], dz[1]) +
            WABE_AT(c, WABE_TWO_PHASE_CURVATURE_DISTANCE, 0, -dx[1], -dy[1], -dz[1]);
        const WABE_REAL mixed = quarter * (walls[s] * walls[t]) * (same - other);
        sum = WABE_FMA(second[s] + second[t], first[axis] * first[axis], sum);
        sum = WABE_FMA(WABE_REAL_OF(-2.0) * (first[s] * first[t]), mixed, sum);
    }
    const WABE_REAL kappa = -sum / (square * WABE_SQRT(square));
    const WABE_REAL most = WABE_REAL_OF(0.0) + WABE_COEFFICIENT(a->most);
    out[0] = wabe_largest(-most, wabe_smallest(most, kappa));
}

/* Sums of the fraction along the nine columns of seven cells around a cell, along an axis, and the
 * differences between both ends of all columns. */
typedef struct {
    WABE_REAL sums[3][3], ends;
} wabe_two_phase_column_sums;

WABE_INLINE wabe_two_phase_column_sums wabe_two_phase_columns_of(const wabe_cell *c, int axis) {
    const int psi = WABE_TWO_PHASE_HEIGHTS_FRACTION;
    wabe_two_phase_column_sums columns;
    columns.ends = WABE_REAL_OF(0.0);
    for (int i = 0; i < 9; i++) {
        const int t = i % 3, r = i / 3;
        WABE_REAL sum = wabe_two_phase_at(c, psi, axis, 0, t - 1, r - 1);
        WABE_UNROLL
        for (int s = 1; s < 3; s++)
            sum = sum + (wabe_two_phase_at(c, psi, axis, s, t - 1, r - 1) +
                         wabe_two_phase_at(c, psi, axis, -s, t - 1, r - 1));
        const WABE_REAL low = wabe_two_phase_at(c, psi, axis, -3, t - 1, r - 1);
        const WABE_REAL high = wabe_two_phase_at(c, psi, axis, 3, t - 1, r - 1);
        columns.sums[t][r] = sum + (low + high);
        columns.ends = columns.ends + (high - low);
    }
    return columns;
}

/* What walls at both ends of an axis add to the heights of columns beside them, but for the slope
 * along the other axis; 1 where there is a wall. */
typedef struct {
    WABE_REAL low, high, walls;
} wabe_two_phase_lean;

WABE_INLINE wabe_two_phase_lean wabe_two_phase_lean_of(const wabe_cell *c, int axis) {
    const WABE_REAL none = WABE_REAL_OF(0.0), one = WABE_REAL_OF(1.0);
    const WABE_REAL low = wabe_two_phase_at(c, WABE_TWO_PHASE_HEIGHTS_WALL, axis, -1, 0, 0);
    const WABE_REAL high = wabe_two_phase_at(c, WABE_TWO_PHASE_HEIGHTS_WALL, axis, 1, 0, 0);
    const wabe_bits is_low = wabe_two_phase_is_wall(low), is_high = wabe_two_phase_is_wall(high);
    const wabe_two_phase_lean lean = {wabe_select(is_low, wabe_two_phase_cotangent(low), none),
                                      wabe_select(is_high, wabe_two_phase_cotangent(high), none),
                                      wabe_select(is_low | is_high, one, none)};
    return lean;
}

/* The curvature of a surface of heights h above the axes t and r, with s^2 = 1 + h_t^2 + h_r^2:
 *
 *     -(h_tt (1 + h_r^2) + h_rr (1 + h_t^2) - 2 h_t h_r h_tr) / s^3
 *
 * Behind walls it goes on at the contact angle, and h_tr is that in front of them, as one half of
 * its differences lies behind. */
WABE_INLINE WABE_REAL wabe_two_phase_bent(const wabe_two_phase_column_sums *columns,
                                          wabe_two_phase_lean first, wabe_two_phase_lean second) {
    const WABE_REAL half = WABE_REAL_OF(0.5), one = WABE_REAL_OF(1.0), two = WABE_REAL_OF(2.0);
    const WABE_REAL own = columns->sums[1][1];
    WABE_REAL t[2], r[2];
    t[0] = columns->sums[0][1] - own, t[1] = columns->sums[2][1] - own;
    r[0] = columns->sums[1][0] - own, r[1] = columns->sums[1][2] - own;
    const WABE_REAL along_t = half * (t[1] - t[0]), along_r = half * (r[1] - r[0]);
    const WABE_REAL long_t = WABE_SQRT(WABE_FMA(along_t, along_t, one));
    const WABE_REAL long_r = WABE_SQRT(WABE_FMA(along_r, along_r, one));
    t[0] = WABE_FMA(first.low, long_r, t[0]), t[1] = WABE_FMA(first.high, long_r, t[1]);
    r[0] = WABE_FMA(second.low, long_t, r[0]), r[1] = WABE_FMA(second.high, long_t, r[1]);
    const WABE_REAL ht = half * (t[1] - t[0]), hr = half * (r[1] - r[0]);
    const WABE_REAL mixed =
        WABE_REAL_OF(0.25) * ((one + first.walls) * (one + second.walls)) *
        ((columns->sums[2][2] - columns->sums[0][2]) - (columns->sums[2][0] - columns->sums[0][0]));
    const WABE_REAL tt = WABE_FMA(ht, ht, one), rr = WABE_FMA(hr, hr, one);
    const WABE_REAL square = tt + hr * hr;
    const WABE_REAL sum = (t[0] + t[1]) * rr + (r[0] + r[1]) * tt - two * (ht * hr) * mixed;
    return -sum / (square * WABE_SQRT(square));
}

/* The slope of the fraction along an axis, of differences over the 27 cells around, times dx. */
WABE_INLINE WABE_REAL wabe_two_phase_rise(const wabe_cell *c, int access, int axis) {
    WABE_REAL rise = WABE_REAL_OF(0.0);
    WABE_UNROLL
    for (int i = 0; i < 9; i++) {
        const int s = i % 3 - 1, t = i / 3 - 1;
        const WABE_REAL weight = WABE_REAL_OF(0.5 * (s ? 0.25 : 0.5) * (t ? 0.25 : 0.5));
        rise = WABE_FMA(weight,
                        wabe_two_phase_at(c, access, axis, 1, s, t) -
                            wabe_two_phase_at(c, access, axis, -1, s, t),
                        rise);
    }
    return rise;
}

/* Changes the curvature where the columns go from liquid to gas, but for a twentieth of all their
 * ends, and the interface is near. */
WABE_INLINE void wabe_two_phase_heights_cell(const wabe_two_phase_heights_args *a,
                                             const wabe_cell *c, WABE_REAL out[],
                                             WABE_REAL reduced[]) {
    const WABE_REAL most = WABE_REAL_OF(0.0) + WABE_COEFFICIENT(a->most);
    const WABE_REAL least = WABE_REAL_OF(1e-3), near = WABE_REAL_OF(1.6), full = WABE_REAL_OF(8.5);
    WABE_REAL slopes[3], kappa = WABE_AT(c, WABE_TWO_PHASE_HEIGHTS_TO, 0, 0, 0, 0);
    const WABE_REAL one = WABE_REAL_OF(1.0);
    WABE_REAL reach = WABE_REAL_OF(0.0);
    const wabe_bits is_fluid = WABE_AT(c, WABE_TWO_PHASE_HEIGHTS_WALL, 0, 0, 0, 0) >
                               WABE_REAL_OF(0.5 * WABE_TWO_PHASE_NO_WALL);
    (void)reduced;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        slopes[axis] =
            wabe_two_phase_size(wabe_two_phase_rise(c, WABE_TWO_PHASE_HEIGHTS_FRACTION, axis));
    for (int axis = 0; axis < 3; axis++) {
        const int s = (axis + 1) % 3, t = (axis + 2) % 3;
        const wabe_bits is_main = is_fluid & (slopes[axis] > least) & (slopes[axis] >= slopes[s]) &
                                  (slopes[axis] >= slopes[t]);
        if (!wabe_any(is_main))
            continue;
        const wabe_two_phase_column_sums columns = wabe_two_phase_columns_of(c, axis);
        const int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
        const WABE_REAL bent = wabe_two_phase_bent(&columns, wabe_two_phase_lean_of(c, first),
                                                   wabe_two_phase_lean_of(c, second));
        const WABE_REAL height = columns.sums[1][1] - WABE_REAL_OF(3.5);
        const wabe_bits is_good = is_main & (wabe_two_phase_size(height) < near) &
                                  (wabe_two_phase_size(columns.ends) > full);
        kappa = wabe_select(is_good, wabe_largest(-most, wabe_smallest(most, bent)), kappa);
        reach = wabe_select(is_good | (reach > least), one, wabe_select(is_main, -one, reach));
    }
    out[0] = kappa;
    out[1] = reach;
}

WABE_INLINE void wabe_two_phase_spread_cell(const wabe_two_phase_spread_args *a, const wabe_cell *c,
                                            WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL half = WABE_REAL_OF(0.5);
    const WABE_REAL own = WABE_AT(c, WABE_TWO_PHASE_SPREAD_FROM, 0, 0, 0, 0);
    const WABE_REAL reach = WABE_AT(c, WABE_TWO_PHASE_SPREAD_REACH, 0, 0, 0, 0);
    WABE_REAL sum = WABE_REAL_OF(0.0), count = sum;
    (void)a, (void)reduced;
    out[0] = own;
    if (!wabe_any(reach < -half))
        return;
    for (int i = 0; i < 27; i++) {
        const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
        const WABE_REAL is =
            wabe_two_phase_positive(WABE_AT(c, WABE_TWO_PHASE_SPREAD_REACH, 0, x, y, z));
        sum = WABE_FMA(is, WABE_AT(c, WABE_TWO_PHASE_SPREAD_FROM, 0, x, y, z), sum);
        count = count + is;
    }
    out[0] = wabe_select((reach < -half) & (count > half),
                         sum / wabe_largest(count, WABE_REAL_OF(1.0)), own);
}

/* ---- velocities ------------------------------------------------------------------------ */

/* The velocity along axis d that is s cells away along axis e. */
WABE_INLINE WABE_REAL wabe_two_phase_velocity(const wabe_cell *c, int d, int e, int s) {
    return WABE_AT(c, WABE_TWO_PHASE_MOMENTUM_U + d, 0, e == 0 ? s : 0, e == 1 ? s : 0,
                   e == 2 ? s : 0);
}

/* The same, less a cell along axis d. */
WABE_INLINE WABE_REAL wabe_two_phase_crossing(const wabe_cell *c, int d, int e, int s) {
    return WABE_AT(c, WABE_TWO_PHASE_MOMENTUM_U + e, 0, (e == 0 ? s : 0) - (d == 0),
                   (e == 1 ? s : 0) - (d == 1), (e == 2 ? s : 0) - (d == 2));
}

/* The mass that flows through the low face normal to e of the cell at x, y, z, in a unit of time
 * and area. */
WABE_INLINE WABE_REAL wabe_two_phase_mass_flux(const wabe_two_phase_momentum_args *a,
                                               const wabe_cell *c, int e, int x, int y, int z) {
    return WABE_FMA(WABE_AT(c, WABE_TWO_PHASE_MOMENTUM_U + e, 0, x, y, z),
                    WABE_COEFFICIENT(a->density.gas),
                    WABE_COEFFICIENT(a->density.more) *
                        WABE_AT(c, WABE_TWO_PHASE_MOMENTUM_FLUX, e, x, y, z));
}

/* A face, s cells away along e, of the cell of the velocity along d, whose middle is the low face
 * normal to d: the mass that flows through it, and 1 where no interface is near, otherwise 0. */
typedef struct {
    WABE_REAL mass, smooth;
} wabe_two_phase_side;

WABE_INLINE wabe_two_phase_side wabe_two_phase_side_of(const wabe_two_phase_momentum_args *a,
                                                       const wabe_cell *c, int d, int e, int s) {
    const int fraction = WABE_TWO_PHASE_MOMENTUM_FRACTION;
    const int x = e == 0 ? s : 0, y = e == 1 ? s : 0, z = e == 2 ? s : 0;
    const WABE_REAL own = WABE_AT(c, fraction, 0, x, y, z);
    WABE_REAL spread = WABE_REAL_OF(0.0);
    WABE_UNROLL
    for (int i = 1; i < 4; i++) {
        const int along = e == d ? s - i % 3 : -(i % 2), across = e == d ? 0 : s - i / 2;
        const WABE_REAL off = WABE_AT(c, fraction, 0, (d == 0 ? along : 0) + (e == 0 ? across : 0),
                                      (d == 1 ? along : 0) + (e == 1 ? across : 0),
                                      (d == 2 ? along : 0) + (e == 2 ? across : 0)) -
                              own;
        spread = WABE_FMA(off, off, spread);
    }
    wabe_two_phase_side side;
    side.mass = WABE_REAL_OF(0.5) *
                (wabe_two_phase_mass_flux(a, c, e, x, y, z) +
                 wabe_two_phase_mass_flux(a, c, e, x - (d == 0), y - (d == 1), z - (d == 2)));
    side.smooth = wabe_select(spread < WABE_REAL_OF(1e-8), WABE_REAL_OF(1.0), WABE_REAL_OF(0.0));
    return side;
}

/* What the mass takes along, less what it would at the mean velocity of both sides: a velocity of
 * third order, or, near interfaces, of second order with a minmod limiter, which keeps the gas's
 * velocity out of the liquid. before, across, after: differences of the velocity up to the face,
 * across it, and from it on. */
WABE_INLINE WABE_REAL wabe_two_phase_upwind(wabe_two_phase_side side, WABE_REAL before,
                                            WABE_REAL across, WABE_REAL after) {
    const WABE_REAL twelfth = WABE_REAL_OF(1.0 / 12.0), none = WABE_REAL_OF(0.0);
    const WABE_REAL from = wabe_select(side.mass > none, before, after);
    const WABE_REAL less = wabe_select(from * from < across * across, from, across);
    const WABE_REAL limited = wabe_select(from * across > none, less, none);
    const WABE_REAL sharp = WABE_REAL_OF(0.5) * (limited - across);
    const WABE_REAL bent = twelfth * WABE_FMA(WABE_REAL_OF(-2.0), across, before + after);
    const WABE_REAL size = wabe_two_phase_size(side.mass);
    return WABE_FMA(size, WABE_FMA(side.smooth, bent - sharp, sharp),
                    (side.smooth * twelfth) * (side.mass * (before - after)));
}

/* What both sides along e take out of the momentum along d beyond the mass times the velocity. */
WABE_INLINE WABE_REAL wabe_two_phase_carried(const wabe_cell *c, int d, int e,
                                             wabe_two_phase_side low, wabe_two_phase_side high) {
    WABE_REAL steps[4];
    WABE_UNROLL
    for (int s = -2; s < 2; s++)
        steps[s + 2] = wabe_two_phase_velocity(c, d, e, s + 1) -
                       wabe_two_phase_velocity(c, d, e, s);
    const WABE_REAL mean = WABE_FMA(high.mass, steps[2], low.mass * steps[1]);
    return WABE_FMA(WABE_REAL_OF(0.5), mean,
                    wabe_two_phase_upwind(high, steps[1], steps[2], steps[3]) -
                        wabe_two_phase_upwind(low, steps[0], steps[1], steps[2]));
}

/* The viscosity of a cell, over the larger one of both fluids. */
WABE_INLINE WABE_REAL wabe_two_phase_viscosity(const wabe_two_phase_momentum_args *a,
                                               const wabe_cell *c, int x, int y, int z) {
    return wabe_two_phase_mean_of(&a->viscosity,
                                  WABE_AT(c, WABE_TWO_PHASE_MOMENTUM_FRACTION, 0, x, y, z));
}

/* The harmonic mean of the four cells around the edge between the low faces normal to d and to e,
 * s cells away along e: 4 / (1 / a + 1 / b + 1 / c + 1 / d), with one division. */
WABE_INLINE WABE_REAL wabe_two_phase_at_edge(const wabe_two_phase_momentum_args *a,
                                             const wabe_cell *c, int d, int e, int s) {
    WABE_REAL sums[2], products[2];
    WABE_UNROLL
    for (int i = 0; i < 2; i++) {
        const int t = s - i;
        const WABE_REAL here = wabe_two_phase_viscosity(a, c, e == 0 ? t : 0, e == 1 ? t : 0,
                                                        e == 2 ? t : 0);
        const WABE_REAL before = wabe_two_phase_viscosity(a, c, (e == 0 ? t : 0) - (d == 0),
                                                          (e == 1 ? t : 0) - (d == 1),
                                                          (e == 2 ? t : 0) - (d == 2));
        sums[i] = here + before;
        products[i] = here * before;
    }
    return WABE_REAL_OF(4.0) * (products[0] * products[1]) /
           WABE_FMA(sums[0], products[1], sums[1] * products[0]);
}

/* The viscous stress of edges at both ends along e, on the velocity along d; of its own axis. */
WABE_INLINE WABE_REAL wabe_two_phase_sheared(const wabe_two_phase_momentum_args *a,
                                             const wabe_cell *c, int d, int e) {
    const WABE_REAL own = wabe_two_phase_velocity(c, d, e, 0);
    const WABE_REAL high =
        (wabe_two_phase_velocity(c, d, e, 1) - own) +
        (wabe_two_phase_velocity(c, e, e, 1) - wabe_two_phase_crossing(c, d, e, 1));
    const WABE_REAL low =
        (own - wabe_two_phase_velocity(c, d, e, -1)) +
        (wabe_two_phase_velocity(c, e, e, 0) - wabe_two_phase_crossing(c, d, e, 0));
    return wabe_two_phase_at_edge(a, c, d, e, 1) * high -
           wabe_two_phase_at_edge(a, c, d, e, 0) * low;
}

WABE_INLINE WABE_REAL wabe_two_phase_stretched(const wabe_two_phase_momentum_args *a,
                                               const wabe_cell *c, int d) {
    const WABE_REAL own = wabe_two_phase_velocity(c, d, d, 0);
    const WABE_REAL here = wabe_two_phase_viscosity(a, c, 0, 0, 0);
    const WABE_REAL before = wabe_two_phase_viscosity(a, c, -(d == 0), -(d == 1), -(d == 2));
    return WABE_REAL_OF(2.0) * (here * (wabe_two_phase_velocity(c, d, d, 1) - own) -
                                before * (own - wabe_two_phase_velocity(c, d, d, -1)));
}

/* The smaller number of both cells at the low face normal to an axis. */
WABE_INLINE WABE_REAL wabe_two_phase_face(const wabe_cell *c, int access, int axis) {
    return wabe_smallest(WABE_AT(c, access, 0, 0, 0, 0),
                         wabe_two_phase_at(c, access, axis, -1, 0, 0));
}

/* The fraction from 0.1 to 0.9, as 0 to 1: the tension leaves alone what is thinly spread, whose
 * curvature is that of no surface. */
WABE_INLINE WABE_REAL wabe_two_phase_sharp(WABE_REAL psi) {
    const WABE_REAL sharp = WABE_FMA(WABE_REAL_OF(1.25), psi, WABE_REAL_OF(-0.125));
    return wabe_smallest(WABE_REAL_OF(1.0), wabe_two_phase_positive(sharp));
}

WABE_INLINE void wabe_two_phase_accelerate(const wabe_two_phase_momentum_args *a,
                                           const wabe_cell *c, int d, WABE_REAL out[]) {
    const WABE_REAL half = WABE_REAL_OF(0.5);
    const int fraction = WABE_TWO_PHASE_MOMENTUM_FRACTION, bent = WABE_TWO_PHASE_MOMENTUM_CURVATURE;
    const WABE_REAL own = wabe_two_phase_velocity(c, d, d, 0);
    WABE_REAL carried = WABE_REAL_OF(0.0), smooth = WABE_REAL_OF(1.0);
    WABE_REAL stress = wabe_two_phase_stretched(a, c, d);
    WABE_UNROLL
    for (int i = 0; i < 3; i++) {
        const int e = (d + i) % 3;
        if (a->flat[e])
            continue;
        const wabe_two_phase_side low = wabe_two_phase_side_of(a, c, d, e, 0);
        const wabe_two_phase_side high = wabe_two_phase_side_of(a, c, d, e, 1);
        carried = carried + wabe_two_phase_carried(c, d, e, low, high);
        smooth = smooth * (low.smooth * high.smooth);
        if (i > 0)
            stress = stress + wabe_two_phase_sheared(a, c, d, e);
    }
    const WABE_REAL psi = WABE_AT(c, fraction, 0, 0, 0, 0);
    const WABE_REAL before = wabe_two_phase_at(c, fraction, d, -1, 0, 0);
    const WABE_REAL density = half * (wabe_two_phase_mean_of(&a->density, psi) +
                                      wabe_two_phase_mean_of(&a->density, before));
    const WABE_REAL kappa =
        half * (WABE_AT(c, bent, 0, 0, 0, 0) + wabe_two_phase_at(c, bent, d, -1, 0, 0));
    const WABE_REAL step = wabe_two_phase_sharp(psi) - wabe_two_phase_sharp(before);
    const WABE_REAL forces = WABE_FMA(WABE_COEFFICIENT(a->diffusion), stress,
                                      WABE_COEFFICIENT(a->tension) * (kappa * step)) /
                             density;
    const WABE_REAL last = WABE_AT(c, WABE_TWO_PHASE_MOMENTUM_ADVECTION, d, 0, 0, 0);
    const WABE_REAL advection = -carried / density;
    WABE_REAL both = advection;
    if (a->grid.step > 0)
        both = WABE_FMA(WABE_COEFFICIENT(a->ahead) * smooth, advection - last, advection);
    const WABE_REAL face = wabe_two_phase_face(c, WABE_TWO_PHASE_MOMENTUM_FLUID, d);
    const WABE_REAL faster = WABE_FMA(WABE_COEFFICIENT(a->courant), both, own) +
                             (forces + WABE_COEFFICIENT(a->gravity[d]));
    out[3 + d] = advection;
    const WABE_REAL moved =
        WABE_FMA(wabe_two_phase_is_fluid(face), faster,
                 wabe_two_phase_is_inflow(face) * WABE_COEFFICIENT(a->inflow[d]));
    out[d] = wabe_select(wabe_two_phase_is_outside(face), own, moved);
}

WABE_INLINE void wabe_two_phase_momentum_cell(const wabe_two_phase_momentum_args *a,
                                              const wabe_cell *c, WABE_REAL out[],
                                              WABE_REAL reduced[]) {
    (void)reduced;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        if (a->flat[axis])
            out[axis] = out[3 + axis] = WABE_REAL_OF(0.0);
        else
            wabe_two_phase_accelerate(a, c, axis, out);
}

/* ---- the pressure ---------------------------------------------------------------------- */

WABE_INLINE void wabe_two_phase_source_cell(const wabe_two_phase_source_args *a, const wabe_cell *c,
                                            WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL here =
        wabe_two_phase_mean_of(&a->density, WABE_AT(c, WABE_TWO_PHASE_SOURCE_FRACTION, 0, 0, 0, 0));
    WABE_REAL flows[3];
    (void)reduced;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const int u = WABE_TWO_PHASE_SOURCE_U + axis;
        const WABE_REAL before =
            wabe_two_phase_mean_of(&a->density, wabe_two_phase_at(c, WABE_TWO_PHASE_SOURCE_FRACTION,
                                                                  axis, -1, 0, 0));
        const WABE_REAL open =
            wabe_two_phase_is_fluid(wabe_two_phase_face(c, WABE_TWO_PHASE_SOURCE_FLUID, axis));
        const WABE_REAL beyond = wabe_two_phase_at(c, WABE_TWO_PHASE_SOURCE_FLUID, axis, -1, 0, 0);
        flows[axis] = wabe_two_phase_at(c, u, axis, 1, 0, 0) -
                      wabe_two_phase_at(c, u, axis, 0, 0, 0);
        out[1 + axis] = open * (WABE_REAL_OF(2.0) / (here + before));
        if (wabe_any(wabe_two_phase_is_behind(beyond))) { /* as at high faces, u goes on there */
            const WABE_REAL none = WABE_REAL_OF(0.0);
            const wabe_bits is_behind = wabe_two_phase_is_behind(beyond);
            flows[axis] = wabe_select(is_behind, none, flows[axis]);
            out[1 + axis] = wabe_select(is_behind, none + WABE_COEFFICIENT(a->outside),
                                        out[1 + axis]);
        }
        if (a->flat[axis])
            out[1 + axis] = WABE_REAL_OF(0.0);
    }
    const WABE_REAL fluid =
        wabe_two_phase_is_fluid(WABE_AT(c, WABE_TWO_PHASE_SOURCE_FLUID, 0, 0, 0, 0));
    out[0] = fluid * (WABE_COEFFICIENT(a->per_courant) * ((flows[0] + flows[1]) + flows[2]));
}

WABE_INLINE void wabe_two_phase_project_cell(const wabe_two_phase_project_args *a,
                                             const wabe_cell *c, WABE_REAL out[],
                                             WABE_REAL reduced[]) {
    const WABE_REAL p = WABE_AT(c, WABE_TWO_PHASE_PROJECT_P, 0, 0, 0, 0);
    reduced[0] = WABE_REAL_OF(0.0);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const WABE_REAL rise = p - wabe_two_phase_at(c, WABE_TWO_PHASE_PROJECT_P, axis, -1, 0, 0);
        const WABE_REAL weight = WABE_AT(c, WABE_TWO_PHASE_PROJECT_W, axis, 0, 0, 0);
        out[axis] = WABE_FMA(-WABE_COEFFICIENT(a->courant) * weight, rise,
                             WABE_AT(c, WABE_TWO_PHASE_PROJECT_U + axis, 0, 0, 0, 0));
        reduced[0] = wabe_largest(reduced[0], wabe_two_phase_size(out[axis]));
    }
}

WABE_INLINE void wabe_two_phase_show_cell(const wabe_two_phase_show_args *a, const wabe_cell *c,
                                          WABE_REAL out[], WABE_REAL reduced[]) {
    WABE_REAL square = WABE_REAL_OF(0.0), flows = square;
    (void)reduced;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const int u = WABE_TWO_PHASE_SHOW_U + axis;
        const WABE_REAL low = wabe_two_phase_at(c, u, axis, 0, 0, 0);
        const WABE_REAL high = wabe_two_phase_at(c, u, axis, 1, 0, 0);
        const WABE_REAL rise = wabe_two_phase_rise(c, WABE_TWO_PHASE_SHOW_FRACTION, axis);
        square = WABE_FMA(rise, rise, square);
        out[axis] = WABE_REAL_OF(0.5) * (low + high);
        flows = flows + (high - low);
    }
    out[3] = WABE_COEFFICIENT(a->per_length) * WABE_SQRT(square);
    const wabe_bits is_wall =
        wabe_two_phase_is_wall(WABE_AT(c, WABE_TWO_PHASE_SHOW_WALL, 0, 0, 0, 0));
    out[4] = wabe_select(is_wall, WABE_REAL_OF(0.0), WABE_COEFFICIENT(a->per_length) * flows);
}

/* ---- solids ---------------------------------------------------------------------------- */

/* Of cells of fluid beside a wall: their number, and the sum of a field. */
typedef struct {
    WABE_REAL count, sum;
} wabe_two_phase_beside;

WABE_INLINE void wabe_two_phase_add(const wabe_cell *c, int x, int y, int z,
                                    wabe_two_phase_beside *to) {
    const WABE_REAL none = WABE_REAL_OF(0.0);
    const wabe_bits is_wall =
        wabe_two_phase_is_wall(WABE_AT(c, WABE_TWO_PHASE_FILL_WALL, 0, x, y, z));
    const WABE_REAL is = WABE_AT(c, WABE_TWO_PHASE_FILL_FROM, 0, x, y, z);
    to->count = to->count + wabe_select(is_wall, none, WABE_REAL_OF(1.0));
    to->sum = to->sum + wabe_select(is_wall, none, is);
}

/* Of those of this length: 1: across a face, 2: an edge, 3: a corner. */
WABE_INLINE wabe_two_phase_beside wabe_two_phase_touching(const wabe_cell *c, int squared) {
    wabe_two_phase_beside found = {WABE_REAL_OF(0.0), WABE_REAL_OF(0.0)};
    for (int i = 0; i < 27; i++) {
        const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
        if (x * x + y * y + z * z == squared)
            wabe_two_phase_add(c, x, y, z, &found);
    }
    return found;
}

/* So many cells away along the axes. */
WABE_INLINE wabe_two_phase_beside wabe_two_phase_along(const wabe_cell *c, int away) {
    wabe_two_phase_beside found = {WABE_REAL_OF(0.0), WABE_REAL_OF(0.0)};
    for (int i = 0; i < 6; i++) {
        const int s = i % 2 ? away : -away;
        wabe_two_phase_add(c, i / 2 == 0 ? s : 0, i / 2 == 1 ? s : 0, i / 2 == 2 ? s : 0, &found);
    }
    return found;
}

WABE_INLINE wabe_two_phase_beside wabe_two_phase_nearer(wabe_two_phase_beside near,
                                                        wabe_two_phase_beside far) {
    const wabe_bits there = near.count > WABE_REAL_OF(0.0);
    const wabe_two_phase_beside of = {wabe_select(there, near.count, far.count),
                                      wabe_select(there, near.sum, far.sum)};
    return of;
}

WABE_INLINE void wabe_two_phase_fill_cell(const wabe_two_phase_fill_args *a, const wabe_cell *c,
                                          WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL one = WABE_REAL_OF(1.0);
    const WABE_REAL own = WABE_AT(c, WABE_TWO_PHASE_FILL_FROM, 0, 0, 0, 0);
    const WABE_REAL wall = WABE_AT(c, WABE_TWO_PHASE_FILL_WALL, 0, 0, 0, 0);
    const wabe_bits is_wall = wabe_two_phase_is_wall(wall);
    (void)reduced;
    out[0] = own;
    if (!wabe_any(is_wall))
        return;
    wabe_two_phase_beside fluid = wabe_two_phase_along(c, 3);
    fluid = wabe_two_phase_nearer(wabe_two_phase_along(c, 2), fluid);
    for (int squared = 3; squared > 0; squared--)
        fluid = wabe_two_phase_nearer(wabe_two_phase_touching(c, squared), fluid);
    WABE_REAL image = fluid.sum / wabe_largest(fluid.count, one);
    const WABE_REAL cot = wabe_two_phase_cotangent(wall);
    if (a->is_distance) /* the cosine: its slope along the wall's normal */
        image = image + cot / WABE_SQRT(WABE_FMA(cot, cot, one));
    else if (wabe_any(wabe_two_phase_is_given(wall))) {
        const wabe_bits is_gas =
            wall > WABE_REAL_OF(0.5 * (WABE_TWO_PHASE_GAS_OUTSIDE + WABE_TWO_PHASE_LIQUID_OUTSIDE));
        const WABE_REAL given = wabe_select(is_gas, WABE_REAL_OF(0.0), one);
        image = wabe_select(wabe_two_phase_is_given(wall), given, image);
    }
    out[0] = wabe_select(is_wall & (fluid.count > WABE_REAL_OF(0.0)), image, own);
}

/* The velocity along an axis s cells away along another one, and 1 if it is between cells of fluid
 * that are not both outside, otherwise 0 of both. */
typedef struct {
    WABE_REAL is, velocity;
} wabe_two_phase_moving;

WABE_INLINE wabe_two_phase_moving wabe_two_phase_moves(const wabe_cell *c, int axis, int other,
                                                       int s) {
    const WABE_REAL none = WABE_REAL_OF(0.0);
    const int x = other == 0 ? s : 0, y = other == 1 ? s : 0, z = other == 2 ? s : 0;
    const WABE_REAL face = wabe_smallest(WABE_AT(c, WABE_TWO_PHASE_STOP_FLUID, 0, x, y, z),
                                         WABE_AT(c, WABE_TWO_PHASE_STOP_FLUID, 0, x - (axis == 0),
                                                 y - (axis == 1), z - (axis == 2)));
    wabe_two_phase_moving m;
    m.is = wabe_select(wabe_two_phase_is_outside(face), none, wabe_two_phase_is_fluid(face));
    m.velocity = m.is * WABE_AT(c, WABE_TWO_PHASE_STOP_U + axis, 0, x, y, z);
    return m;
}

/* The mean velocity beside a face between two cells of solid or outside: of those beside it, or,
 * of the outermost low face, of the next one. */
WABE_INLINE WABE_REAL wabe_two_phase_beside_it(const wabe_cell *c, int axis) {
    wabe_two_phase_moving all = wabe_two_phase_moves(c, axis, axis, 1);
    WABE_UNROLL
    for (int i = 0; i < 4; i++) {
        const wabe_two_phase_moving m = wabe_two_phase_moves(c, axis, (axis + 1 + i / 2) % 3,
                                                             i % 2 ? 1 : -1);
        all.is = all.is + m.is;
        all.velocity = all.velocity + m.velocity;
    }
    return all.velocity / wabe_largest(all.is, WABE_REAL_OF(1.0));
}

WABE_INLINE void wabe_two_phase_stop_cell(const wabe_two_phase_stop_args *a, const wabe_cell *c,
                                          WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL quarter = WABE_REAL_OF(0.25);
    const WABE_REAL here = WABE_AT(c, WABE_TWO_PHASE_STOP_FLUID, 0, 0, 0, 0);
    (void)a, (void)reduced;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const WABE_REAL own = WABE_AT(c, WABE_TWO_PHASE_STOP_U + axis, 0, 0, 0, 0);
        const WABE_REAL before = wabe_two_phase_at(c, WABE_TWO_PHASE_STOP_FLUID, axis, -1, 0, 0);
        const WABE_REAL face = wabe_smallest(here, before);
        const wabe_bits is_inside = wabe_largest(here, before) < quarter;
        const wabe_bits is_outside = wabe_two_phase_is_outside(face);
        out[axis] = (wabe_two_phase_is_fluid(face) + wabe_two_phase_is_inflow(face)) * own;
        if (!wabe_any(is_inside | is_outside))
            continue;
        const WABE_REAL beside = wabe_two_phase_beside_it(c, axis);
        out[axis] = wabe_select(is_outside, beside, wabe_select(is_inside, -beside, out[axis]));
    }
}

#endif
