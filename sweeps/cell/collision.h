/* The physics of one cell, shared by every kernel. Define before including:
 *   WABE_LATTICE       see sweeps/cell/lattice_of_kernel.h
 *   WABE_REAL          the arithmetic type: a scalar, or a SIMD vector of scalars
 *   WABE_FMA(a, b, c)  a * b + c, rounded as the flavour rounds it
 *   WABE_SQRT(a)       the square root, correctly rounded
 *   WABE_INLINE        the qualifiers of a function that must be inlined
 *   WABE_SCALE         populations, moments and force are in units of 1 / WABE_SCALE, a power of
 *                      two, so that every rounding is what it would be without it
 *
 * Populations are deviations from the rest state w_i (rho_0 = 1), as in Feichtinger et al. 2015,
 * section 2 (He, Luo 1997). Cells are passed and returned by value: compilers keep the
 * named members in registers, which they do not do for an array. */
#pragma once

#include "sweeps/cell/lattice_of_kernel.h"
#include "sweeps/cell/lbm.h"

#define WABE_SQRT_2 1.4142135623730951

typedef struct {
#define X(name, cx, cy, cz, class) WABE_REAL name;
    WABE_POPULATIONS(X)
#undef X
} wabe_cell;

/* Density deviation and velocity of a cell, in lattice units. */
typedef struct {
    WABE_REAL rho, ux, uy, uz;
    WABE_IF_SCALAR(WABE_REAL scalar;)
} wabe_moments;

typedef struct {
    WABE_REAL x, y, z;
} wabe_vector3;

/* Constants of a collision, computed from the even and odd rates p and m before the loop; SRT has p
 * = m. Factors of a weight w: even p w, odd 3 m w; for the force (1 - p/2) w and 3 (1 - m/2) w. */
typedef struct {
    WABE_REAL keep_rest, keep, swap; /* 1 - p, 1 - (p + m) / 2, (m - p) / 2 */
    WABE_REAL even_rest, force_even_rest;
    /* Of each class of velocities; quadratic: 9/2 times even. */
#define X(class)                                                                                   \
    WABE_REAL even_##class, quadratic_##class, odd_##class, force_even_##class, force_odd_##class;
    WABE_CLASSES(X)
#undef X
    WABE_REAL fx, fy, fz; /* force per cell */
    /* Of the scalar: as above; the force per unit of it; by what its flux differs from advection,
     * see wabe_scalar_of. */
    WABE_IF_SCALAR(WABE_REAL scalar_keep_rest, scalar_keep, scalar_swap, scalar_even, scalar_odd;)
    WABE_IF_SCALAR(WABE_REAL buoyancy_x, buoyancy_y, buoyancy_z, diffusive;)
    /* See wabe_carried_keep. */
    WABE_IF_SCALAR(WABE_REAL scalar_keep_flux, scalar_tau, over_schmidt;)
    /* Regularized collisions, and subgrid models: see wabe_second_keep. */
    WABE_REAL keep_second, tau, tau_square, subgrid;
    WABE_REAL bulk;            /* the part of the trace that wabe_second_shear adds: -1/3 or 0 */
    int bulk_is_one, corrects; /* see wabe_second_correct */
    const void *rheology;      /* see wabe_rheology_keep */
    WABE_REAL from_one, subgrid_from_one; /* see wabe_cell_viscous */
    int has_subgrid;
    WABE_REAL wall_damping; /* see wabe_damp_at_walls */
    int damps_walls;
} wabe_collision;

static inline wabe_collision wabe_collision_of(const wabe_collision_parameters *p) {
    const double even = p->even_rate, odd = p->odd_rate;
    wabe_collision k;
    k.keep_rest = WABE_REAL_OF(1.0 - even);
    k.keep = WABE_REAL_OF(1.0 - 0.5 * (even + odd));
    k.swap = WABE_REAL_OF(0.5 * (odd - even));
    k.even_rest = WABE_REAL_OF(even * WABE_WEIGHT(rest));
    k.force_even_rest = WABE_REAL_OF((1.0 - 0.5 * even) * WABE_WEIGHT(rest) / WABE_SCALE);
#define X(class)                                                                                   \
    k.even_##class = WABE_REAL_OF(even * WABE_WEIGHT(class));                                      \
    k.quadratic_##class = WABE_REAL_OF(4.5 / WABE_SCALE * even * WABE_WEIGHT(class));              \
    k.odd_##class = WABE_REAL_OF(3.0 * odd * WABE_WEIGHT(class));                                  \
    k.force_even_##class = WABE_REAL_OF((1.0 - 0.5 * even) * WABE_WEIGHT(class) / WABE_SCALE);     \
    k.force_odd_##class = WABE_REAL_OF(3.0 * (1.0 - 0.5 * odd) * WABE_WEIGHT(class));
    WABE_CLASSES(X)
#undef X
    k.fx = WABE_REAL_OF(p->force.constant[0] * WABE_SCALE);
    k.fy = WABE_REAL_OF(p->force.constant[1] * WABE_SCALE);
    k.fz = WABE_REAL_OF(p->force.constant[2] * WABE_SCALE);
    WABE_IF_SCALAR({
        const double scalar_even = p->scalar_even_rate, scalar_odd = p->scalar_odd_rate;
        k.scalar_keep_rest = WABE_REAL_OF(1.0 - scalar_even);
        k.scalar_keep = WABE_REAL_OF(1.0 - 0.5 * (scalar_even + scalar_odd));
        k.scalar_swap = WABE_REAL_OF(0.5 * (scalar_odd - scalar_even));
        k.scalar_even = WABE_REAL_OF(scalar_even);
        k.scalar_odd = WABE_REAL_OF(0.5 / WABE_SCALE * scalar_odd);
        k.diffusive = WABE_REAL_OF((1.0 - 0.5 * scalar_odd) / (1.0 - scalar_odd));
        k.scalar_keep_flux = WABE_REAL_OF(1.0 - scalar_odd);
        k.scalar_tau = WABE_REAL_OF(1.0 / scalar_odd);
        k.over_schmidt = WABE_REAL_OF(1.0 / p->turbulent_schmidt);
        k.buoyancy_x = WABE_REAL_OF(p->force.by_scalar[0]);
        k.buoyancy_y = WABE_REAL_OF(p->force.by_scalar[1]);
        k.buoyancy_z = WABE_REAL_OF(p->force.by_scalar[2]);
    })
    k.keep_second = WABE_REAL_OF(1.0 - even);
    k.tau = WABE_REAL_OF(1.0 / even);
    k.tau_square = WABE_REAL_OF(1.0 / even / even);
    k.subgrid = WABE_REAL_OF(18.0 * p->smagorinsky * p->smagorinsky * WABE_SQRT_2 / WABE_SCALE);
    k.from_one = WABE_REAL_OF(fabs(1.0 / even - 1.0));
    k.subgrid_from_one = even > 1.0 ? k.subgrid : -k.subgrid;
    k.has_subgrid = p->smagorinsky > 0.0;
    k.bulk = WABE_REAL_OF(p->bulk_is_one ? -1.0 / 3.0 : 0.0);
    k.bulk_is_one = p->bulk_is_one;
    k.corrects = p->corrects;
    k.rheology = p->rheology;
    k.wall_damping = WABE_REAL_OF(p->wall_damping);
    k.damps_walls = p->wall_damping > 0.0;
    return k;
}

/* Kernels are compiled several times, with more and more terms: none; the force, which a scalar may
 * always cause; all, for recursive_regularized alone: the force, a bulk rate of its own without a
 * subgrid model, the correction, and a viscosity that depends on the rate of strain. With a subgrid
 * model each of them has the bulk rate. */
enum { WABE_TERMS_NONE, WABE_TERMS_FORCE, WABE_TERMS_ALL };
static inline int wabe_terms_of(const wabe_collision_parameters *p) {
    if (p->corrects || p->rheology || (p->bulk_is_one && p->smagorinsky == 0.0))
        return WABE_TERMS_ALL;
    return WABE_HAS_SCALAR || wabe_has_force(&p->force) ? WABE_TERMS_FORCE : WABE_TERMS_NONE;
}

/* For kernels that need the force alone. */
static inline wabe_collision wabe_collision_of_force(const wabe_cell_force *force) {
    wabe_collision_parameters p = {.even_rate = 1.0,
                                   .odd_rate = 1.0, /* any rates */
                                   .force = *force,
                                   .scalar_even_rate = 0.5,
                                   .scalar_odd_rate = 0.5,
                                   .turbulent_schmidt = 1.0};
    return wabe_collision_of(&p);
}

/* Zeroth and first moments of the populations, without the force's half step. */
WABE_INLINE wabe_moments wabe_cell_moments(wabe_cell f) {
    wabe_moments m;
    m.rho = ((f.c + ((f.e + f.w) + (f.n + f.s))) + ((f.t + f.b) + (f.ne + f.sw))) +
            (((f.se + f.nw) + (f.te + f.bw)) + (((f.be + f.tw) + (f.tn + f.bs)) + (f.bn + f.ts)));
    m.ux = (((f.e - f.w) + (f.ne - f.sw)) + (f.se - f.nw)) + ((f.te - f.bw) + (f.be - f.tw));
    m.uy = (((f.n - f.s) + (f.ne - f.sw)) - (f.se - f.nw)) + ((f.tn - f.bs) + (f.bn - f.ts));
    m.uz = (((f.t - f.b) + (f.te - f.bw)) - (f.be - f.tw)) + ((f.tn - f.bs) - (f.bn - f.ts));
    WABE_IF_CORNERS({
        const WABE_REAL tne = f.tne - f.bsw, bne = f.bne - f.tsw;
        const WABE_REAL tse = f.tse - f.bnw, bse = f.bse - f.tnw;
        m.rho = m.rho + (((f.tne + f.bsw) + (f.bne + f.tsw)) + ((f.tse + f.bnw) + (f.bse + f.tnw)));
        m.ux = m.ux + ((tne + bne) + (tse + bse));
        m.uy = m.uy + ((tne + bne) - (tse + bse));
        m.uz = m.uz + ((tne - bne) + (tse - bse));
    })
    WABE_IF_SEVEN(m.scalar = ((f.ge + f.gw) + (f.gn + f.gs)) + ((f.gt + f.gb) + f.gc);)
    WABE_IF_CARRIED({
        const WABE_REAL sum =
            ((f.hc + ((f.he + f.hw) + (f.hn + f.hs))) + ((f.ht + f.hb) + (f.hne + f.hsw))) +
            (((f.hse + f.hnw) + (f.hte + f.hbw)) +
             (((f.hbe + f.htw) + (f.htn + f.hbs)) + (f.hbn + f.hts)));
        m.scalar = sum / WABE_FMA(WABE_REAL_OF(1.0 / WABE_SCALE), m.rho, WABE_REAL_OF(1.0));
    })
    return m;
}

/* The sum of a scalar's populations: the scalar itself, or times the density where it is carried.
 */
WABE_INLINE WABE_REAL wabe_scalar_amount(wabe_moments m) {
    WABE_REAL amount = WABE_REAL_OF(0.0);
    WABE_IF_SEVEN(amount = m.scalar;)
    WABE_IF_CARRIED(amount = WABE_FMA(WABE_REAL_OF(1.0 / WABE_SCALE) * m.rho, m.scalar, m.scalar);)
    (void)m;
    return amount;
}

/* The force on a cell: with a scalar, Boussinesq's. */
WABE_INLINE wabe_vector3 wabe_force_on(wabe_moments m, const wabe_collision *k) {
    wabe_vector3 force = {k->fx, k->fy, k->fz};
    WABE_IF_SCALAR({
        const WABE_REAL amount = wabe_scalar_amount(m);
        force.x = WABE_FMA(k->buoyancy_x, amount, force.x);
        force.y = WABE_FMA(k->buoyancy_y, amount, force.y);
        force.z = WABE_FMA(k->buoyancy_z, amount, force.z);
    })
    (void)m;
    return force;
}

/* Moves the velocity of m by scale times the force: +1/2 before the collision, -1/2 after it (Guo,
 * Zheng, Shi 2002). */
WABE_INLINE wabe_moments wabe_moments_add_force(wabe_moments m, const wabe_collision *k,
                                                WABE_REAL scale) {
    const wabe_vector3 force = wabe_force_on(m, k);
    m.ux = WABE_FMA(scale, force.x, m.ux);
    m.uy = WABE_FMA(scale, force.y, m.uy);
    m.uz = WABE_FMA(scale, force.z, m.uz);
    return m;
}

/* ---- the scalar --------------------------------------------------------------------- */

/* Seven populations, with two relaxation times (Ginzburg, Adv. Water Resour. 28 (2005) 1171): their
 * sum T is advected and diffuses with D = (1 / odd rate - 1/2) / 4.
 *
 * A scalar that is carried has a population h_i for each f_i of the flow, and T is the sum of h
 * over that of f. What h_i has beside T f_i is relaxed, the rest goes where f_i goes: h_i* = T f_i*
 * + relaxed(h_i - T f_i) so that h = T f with the same T everywhere stays, whatever the flow and
 * its walls do, and the sum of h is conserved. What is beside T f_i is the part -tau f_i (d/dt +
 * c_i.grad) T at leading order, since f_i itself is what arrives of f_i*: T diffuses with D = (1 /
 * odd rate - 1/2) / 3 (Chapman-Enskog as for two components of one fluid; Flekkoy, Phys. Rev. E 47
 * (1993) 4247). Regularized collisions keep of what is beside T f_i the diffusive flux J, and
 * second moments u J + J u, which follow from it in the same expansion. (With J alone short waves
 * grow at small diffusivities; docs/validation.md.) */

WABE_INLINE WABE_REAL wabe_scalar_value(wabe_moments m) {
    (void)m;
    WABE_REAL value = WABE_REAL_OF(0.0);
    WABE_IF_SCALAR(value = m.scalar;)
    return value;
}

/* The even part of the equilibrium of a moving population, T (w + u_a^2 / 2). The second term takes
 * away the numerical diffusion along the axes. */
WABE_INLINE WABE_REAL wabe_scalar_even(WABE_REAL value, WABE_REAL u) {
    const WABE_REAL half_square = WABE_REAL_OF(0.5 / WABE_SCALE / WABE_SCALE) * u * u;
    return value * (WABE_REAL_OF(WABE_WEIGHT_scalar) + half_square);
}

/* Adds times T f to the populations that are carried: f is a deviation from the weight. */
#define CARRIED_ADD(name, cx, cy, cz, class)                                                       \
    f.name = WABE_FMA(part, f.WABE_CARRIER(name), WABE_FMA(CARRIED_WEIGHT(class), value, f.name));
#define CARRIED_WEIGHT(class) WABE_REAL_OF(CARRIED_WEIGHT_OF(WABE_CLASS_OF_CARRIER_##class))
#define CARRIED_WEIGHT_OF(class) WABE_WEIGHT(class)
WABE_INLINE wabe_cell wabe_carried_add(wabe_cell f, wabe_moments m, double times) {
    WABE_IF_CARRIED({
        const WABE_REAL value = WABE_REAL_OF(times) * m.scalar;
        const WABE_REAL part = WABE_REAL_OF(1.0 / WABE_SCALE) * value;
        WABE_POPULATIONS_carried(CARRIED_ADD)
    })
    (void)m, (void)times;
    return f;
}

/* The equilibrium: T (w + u_a^2 / 2 +- u_a / 2), and the rest. */
#define SCALAR_EQUILIBRIUM(name, opposite, u, class)                                               \
    {                                                                                              \
        const WABE_REAL even = wabe_scalar_even(m.scalar, u), odd = half * (u)*m.scalar;           \
        moving = moving + even;                                                                    \
        f.name = even + odd;                                                                       \
        f.opposite = even - odd;                                                                   \
    }
#define CARRIED_ZERO(name, cx, cy, cz, class) f.name = WABE_REAL_OF(0.0);
WABE_INLINE wabe_cell wabe_scalar_equilibrium(wabe_cell f, wabe_moments m) {
    WABE_IF_CARRIED({ WABE_POPULATIONS_carried(CARRIED_ZERO) f = wabe_carried_add(f, m, 1.0); })
    WABE_IF_SEVEN({
        const WABE_REAL half = WABE_REAL_OF(0.5 / WABE_SCALE);
        const WABE_REAL ux = m.ux, uy = m.uy, uz = m.uz;
        WABE_REAL moving = WABE_REAL_OF(0.0);
        WABE_SCALAR_PAIRS(SCALAR_EQUILIBRIUM)
        f.gc = WABE_FMA(WABE_REAL_OF(-2.0), moving, m.scalar);
    })
    (void)m;
    return f;
}

/* The first moments of what is beside T f_i: see wabe_carried_add. */
WABE_INLINE wabe_vector3 wabe_carried_flux(wabe_cell d) {
    const WABE_REAL none = WABE_REAL_OF(0.0);
    wabe_vector3 flux = {none, none, none};
    WABE_IF_CARRIED({
        flux.x = (((d.he - d.hw) + (d.hne - d.hsw)) + (d.hse - d.hnw)) +
                 ((d.hte - d.hbw) + (d.hbe - d.htw));
        flux.y = (((d.hn - d.hs) + (d.hne - d.hsw)) - (d.hse - d.hnw)) +
                 ((d.htn - d.hbs) + (d.hbn - d.hts));
        flux.z = (((d.ht - d.hb) + (d.hte - d.hbw)) - (d.hbe - d.htw)) +
                 ((d.htn - d.hbs) - (d.hbn - d.hts));
    })
    (void)d;
    return flux;
}

/* Relaxes both parts of each pair, as wabe_relax does. */
#define SCALAR_RELAX(name, opposite, u, class)                                                     \
    {                                                                                              \
        const WABE_REAL even = wabe_scalar_even(m.scalar, u);                                      \
        const WABE_REAL odd = k->scalar_odd * (u)*m.scalar;                                        \
        const WABE_REAL to_name = WABE_FMA(k->scalar_swap, f.opposite,                             \
                                           WABE_FMA(k->scalar_even, even, odd));                   \
        const WABE_REAL to_opposite = WABE_FMA(k->scalar_swap, f.name,                             \
                                               WABE_FMA(k->scalar_even, even, -odd));              \
        moving = moving + even;                                                                    \
        f.name = WABE_FMA(k->scalar_keep, f.name, to_name);                                        \
        f.opposite = WABE_FMA(k->scalar_keep, f.opposite, to_opposite);                            \
    }
#define CARRIED_CHANGE(name, cx, cy, cz, class)                                                    \
    f.name = WABE_FMA(part, f.WABE_CARRIER(name) - before.WABE_CARRIER(name), f.name);
#define CARRIED_RELAX(name, opposite, u, class)                                                    \
    {                                                                                              \
        const WABE_REAL beside = f.name;                                                           \
        f.name = WABE_FMA(k->scalar_swap, f.opposite, k->scalar_keep * f.name);                    \
        f.opposite = WABE_FMA(k->scalar_swap, beside, k->scalar_keep * f.opposite);                \
    }
#define CARRIED_REGULARIZE(name, opposite, projection, class)                                      \
    {                                                                                              \
        WABE_REAL ux = u.x, uy = u.y, uz = u.z;                                                    \
        const WABE_REAL eu = projection;                                                           \
        ux = part.x, uy = part.y, uz = part.z;                                                     \
        const WABE_REAL odd = projection;                                                          \
        (void)ux, (void)uy, (void)uz;                                                              \
        const WABE_REAL even = WABE_FMA(WABE_REAL_OF(3.0) * eu, odd, -both);                       \
        f.name = CARRIED_WEIGHT(class) * (even + odd);                                             \
        f.opposite = CARRIED_WEIGHT(class) * (even - odd);                                         \
    }
/* Leaves the diffusive flux J, times keep, and the second moments u J + J u that belong to it. f:
 * its populations of the scalar are of what is beside T f_i. */
WABE_INLINE wabe_cell wabe_carried_regularize(wabe_cell f, wabe_moments m, WABE_REAL keep) {
    WABE_IF_CARRIED({
        const WABE_REAL unit = WABE_REAL_OF(1.0 / WABE_SCALE), three = WABE_REAL_OF(3.0) * keep;
        const wabe_vector3 flux = wabe_carried_flux(f);
        const wabe_vector3 u = {unit * m.ux, unit * m.uy, unit * m.uz};
        const wabe_vector3 part = {three * flux.x, three * flux.y, three * flux.z};
        const WABE_REAL both = WABE_FMA(u.z, part.z, WABE_FMA(u.y, part.y, u.x * part.x));
        WABE_CARRIED_PAIRS(CARRIED_REGULARIZE)
        f.hc = -CARRIED_WEIGHT(carried_rest) * both;
    })
    (void)m, (void)keep;
    return f;
}

/* f: after the flow's collision, with what wabe_carried_add(f, m, -1) has left of the scalar before
 * it. keep: wabe_carried_keep. regularized is a constant at every call. */
WABE_INLINE wabe_cell wabe_scalar_relax(wabe_cell f, wabe_moments m, const wabe_collision *k,
                                        int regularized, WABE_REAL keep) {
    WABE_IF_CARRIED({
        if (regularized) {
            f = wabe_carried_regularize(f, m, keep);
        } else {
            f.hc = k->scalar_keep_rest * f.hc;
            WABE_CARRIED_PAIRS(CARRIED_RELAX)
        }
        f = wabe_carried_add(f, m, 1.0);
    })
    WABE_IF_SEVEN({
        const WABE_REAL ux = m.ux, uy = m.uy, uz = m.uz;
        WABE_REAL moving = WABE_REAL_OF(0.0);
        WABE_SCALAR_PAIRS(SCALAR_RELAX)
        const WABE_REAL rest = WABE_FMA(WABE_REAL_OF(-2.0), moving, m.scalar);
        f.gc = WABE_FMA(k->scalar_keep_rest, f.gc, k->scalar_even * rest);
    })
    (void)m, (void)k, (void)regularized, (void)keep;
    return f;
}

/* Carries the scalar along with what has changed in the flow's populations, so that an even T
 * stays. before: the cell before the change, with its moments. */
WABE_INLINE wabe_cell wabe_carry_change(wabe_cell f, wabe_cell before) {
    WABE_IF_CARRIED({
        const WABE_REAL part = WABE_REAL_OF(1.0 / WABE_SCALE) * wabe_cell_moments(before).scalar;
        WABE_POPULATIONS_carried(CARRIED_CHANGE)
    })
    (void)before;
    return f;
}

/* ---- the flow ----------------------------------------------------------------------- */

/* Moments of a cell from its post-collision populations. */
WABE_INLINE wabe_moments wabe_cell_moments_after(wabe_cell f, const wabe_collision *k) {
    return wabe_moments_add_force(wabe_cell_moments(f), k, WABE_REAL_OF(-0.5));
}

/* rho - 3/2 u^2: common to the even equilibria of all directions. */
WABE_INLINE WABE_REAL wabe_moments_base(wabe_moments m) {
    WABE_REAL uu = WABE_FMA(m.uz, m.uz, WABE_FMA(m.uy, m.uy, m.ux * m.ux));
    return WABE_FMA(uu, WABE_REAL_OF(-1.5 / WABE_SCALE), m.rho);
}

/* Equilibrium (Feichtinger et al. 2015, eq. 2), as a deviation from the rest state. */
WABE_INLINE wabe_cell wabe_equilibrium(wabe_moments m) {
    const WABE_REAL ux = m.ux, uy = m.uy, uz = m.uz, base = wabe_moments_base(m);
    const WABE_REAL three = WABE_REAL_OF(3.0);
    wabe_cell f;
    f.c = WABE_REAL_OF(WABE_WEIGHT(rest)) * base;
#define X(name, opposite, projection, class)                                                       \
    {                                                                                              \
        WABE_REAL eu = projection;                                                                 \
        WABE_REAL even = WABE_FMA(eu * WABE_REAL_OF(4.5 / WABE_SCALE), eu, base);                  \
        f.name = WABE_REAL_OF(WABE_WEIGHT(class)) * WABE_FMA(eu, three, even);                     \
        f.opposite = WABE_REAL_OF(WABE_WEIGHT(class)) * WABE_FMA(-eu, three, even);                \
    }
    WABE_FLOW_PAIRS(X)
#undef X
    return wabe_scalar_equilibrium(f, m);
}

/* The force's source terms (Guo, Zheng, Shi 2002, eq. 20), split into even and odd parts so that
 * each is weighted with its own relaxation rate (Ginzburg, Verhaeghe, d'Humieres 2008). */
WABE_INLINE wabe_cell wabe_add_force(wabe_cell f, wabe_moments m, const wabe_collision *k) {
    const wabe_vector3 force = wabe_force_on(m, k);
    const WABE_REAL minus_3uf = WABE_REAL_OF(-3.0) *
                                WABE_FMA(m.uz, force.z, WABE_FMA(m.uy, force.y, m.ux * force.x));
    f.c = WABE_FMA(k->force_even_rest, minus_3uf, f.c);
    const wabe_moments u = m;
#define X(name, opposite, projection, class)                                                       \
    {                                                                                              \
        WABE_REAL ux = u.ux, uy = u.uy, uz = u.uz;                                                 \
        (void)ux, (void)uy, (void)uz;                                                              \
        WABE_REAL eu = projection;                                                                 \
        ux = force.x, uy = force.y, uz = force.z;                                                  \
        WABE_REAL ef = projection;                                                                 \
        WABE_REAL even = k->force_even_##class * WABE_FMA(eu * WABE_REAL_OF(9.0), ef, minus_3uf);  \
        WABE_REAL odd = k->force_odd_##class * ef;                                                 \
        f.name = f.name + (even + odd);                                                            \
        f.opposite = f.opposite + (even - odd);                                                    \
    }
    WABE_FLOW_PAIRS(X)
#undef X
    return f;
}

/* Relaxes both parts of each pair, with one rate or two: with f+- = (f_i +- f_ibar) / 2, f_i - p
 * (f+ - feq+) - m (f- - feq-) = keep f_i + swap f_ibar + p feq+ + m feq-, where swap is 0 for one
 * rate. two_rates is a constant at every call. */
WABE_INLINE wabe_cell wabe_relax(wabe_cell f, wabe_moments m, const wabe_collision *k,
                                 int two_rates) {
    const WABE_REAL ux = m.ux, uy = m.uy, uz = m.uz, base = wabe_moments_base(m);
#define X(class) const WABE_REAL base_##class = k->even_##class * base;
    WABE_CLASSES(X)
#undef X
    f.c = WABE_FMA(k->keep_rest, f.c, k->even_rest * base);
#define X(name, opposite, projection, class)                                                       \
    {                                                                                              \
        WABE_REAL eu = projection;                                                                 \
        WABE_REAL even = WABE_FMA(k->quadratic_##class * eu, eu, base_##class);                    \
        WABE_REAL odd = k->odd_##class * eu;                                                       \
        WABE_REAL to_name = even + odd, to_opposite = even - odd;                                  \
        if (two_rates) {                                                                           \
            to_name = WABE_FMA(k->swap, f.opposite, to_name);                                      \
            to_opposite = WABE_FMA(k->swap, f.name, to_opposite);                                  \
        }                                                                                          \
        f.name = WABE_FMA(k->keep, f.name, to_name);                                               \
        f.opposite = WABE_FMA(k->keep, f.opposite, to_opposite);                                   \
    }
    WABE_FLOW_PAIRS(X)
#undef X
    return f;
}

/* A symmetric tensor of second moments. */
typedef struct {
    WABE_REAL xx, yy, zz, xy, xz, yz;
} wabe_second;

/* sum c_a c_b f. */
WABE_INLINE wabe_second wabe_second_sums(wabe_cell f) {
    const WABE_REAL xy_sum = (f.ne + f.sw) + (f.se + f.nw), xz_sum = (f.te + f.bw) + (f.be + f.tw);
    const WABE_REAL yz_sum = (f.tn + f.bs) + (f.bn + f.ts);
    wabe_second sums = {(f.e + f.w) + (xy_sum + xz_sum), (f.n + f.s) + (xy_sum + yz_sum),
                        (f.t + f.b) + (xz_sum + yz_sum), (f.ne + f.sw) - (f.se + f.nw),
                        (f.te + f.bw) - (f.be + f.tw),   (f.tn + f.bs) - (f.bn + f.ts)};
    WABE_IF_CORNERS({
        const WABE_REAL tne = f.tne + f.bsw, bne = f.bne + f.tsw;
        const WABE_REAL tse = f.tse + f.bnw, bse = f.bse + f.tnw;
        const WABE_REAL all = (tne + bne) + (tse + bse);
        sums.xx = sums.xx + all, sums.yy = sums.yy + all, sums.zz = sums.zz + all;
        sums.xy = sums.xy + ((tne + bne) - (tse + bse));
        sums.xz = sums.xz + ((tne - bne) + (tse - bse));
        sums.yz = sums.yz + ((tne - bne) - (tse - bse));
    })
    return sums;
}

/* Their non-equilibrium part: sums - rho / 3 delta_ab - u_a u_b. */
WABE_INLINE wabe_second wabe_second_nonequilibrium(wabe_second sums, wabe_moments m) {
    const WABE_REAL third = WABE_REAL_OF(-1.0 / 3.0) * m.rho,
                    unit = WABE_REAL_OF(-1.0 / WABE_SCALE);
    const WABE_REAL ux = unit * m.ux, uy = unit * m.uy, uz = unit * m.uz;
    wabe_second p;
    p.xx = WABE_FMA(ux, m.ux, sums.xx + third);
    p.yy = WABE_FMA(uy, m.uy, sums.yy + third);
    p.zz = WABE_FMA(uz, m.uz, sums.zz + third);
    p.xy = WABE_FMA(ux, m.uy, sums.xy);
    p.xz = WABE_FMA(ux, m.uz, sums.xz);
    p.yz = WABE_FMA(uy, m.uz, sums.yz);
    return p;
}

/* Of second moments beside equilibrium, what relaxes at the rate of shear: all, or all but the
 * trace, which then relaxes at rate 1 and leaves nothing. */
WABE_INLINE wabe_second wabe_second_shear(wabe_second p, const wabe_collision *k) {
    const WABE_REAL bulk = k->bulk * ((p.xx + p.yy) + p.zz);
    p.xx = p.xx + bulk;
    p.yy = p.yy + bulk;
    p.zz = p.zz + bulk;
    return p;
}

/* p:p, and its root. */
WABE_INLINE WABE_REAL wabe_second_square(wabe_second p) {
    const WABE_REAL own = WABE_FMA(p.zz, p.zz, WABE_FMA(p.yy, p.yy, p.xx * p.xx));
    const WABE_REAL mixed = WABE_FMA(p.yz, p.yz, WABE_FMA(p.xz, p.xz, p.xy * p.xy));
    return WABE_FMA(WABE_REAL_OF(2.0), mixed, own);
}
WABE_INLINE WABE_REAL wabe_second_size(wabe_second p) { return WABE_SQRT(wabe_second_square(p)); }

/* Twice tau with a subgrid model: the eddy viscosity (C |S|)^2, |S|^2 = 2 S:S, S = -3/2 p / tau,
 * adds to that of the fluid, which makes tau the root of a quadratic equation (Hou et al., Fields
 * Inst. Commun. 6 (1996) 151):
 *   tau = (tau_0 + sqrt(tau_0^2 + 18 C^2 sqrt(2 p:p))) / 2 */
WABE_INLINE WABE_REAL wabe_twice_tau(wabe_second p, const wabe_collision *k) {
    return k->tau + WABE_SQRT(WABE_FMA(k->subgrid, wabe_second_size(p), k->tau_square));
}

/* What a collision keeps of p: 1 - 1 / tau. */
WABE_INLINE WABE_REAL wabe_second_keep(wabe_second p, const wabe_collision *k) {
    if (!k->has_subgrid)
        return k->keep_second;
    return WABE_REAL_OF(1.0) - WABE_REAL_OF(2.0) / wabe_twice_tau(p, k);
}

/* p + times (u F + F u) / 2. */
WABE_INLINE wabe_second wabe_second_add_half_force(wabe_second p, wabe_moments m, double times,
                                                   const wabe_collision *k) {
    const WABE_REAL unit = WABE_REAL_OF(times / WABE_SCALE), half = WABE_REAL_OF(0.5);
    const wabe_vector3 force = wabe_force_on(m, k);
    const WABE_REAL fx = unit * force.x, fy = unit * force.y, fz = unit * force.z;
    p.xx = WABE_FMA(m.ux, fx, p.xx);
    p.yy = WABE_FMA(m.uy, fy, p.yy);
    p.zz = WABE_FMA(m.uz, fz, p.zz);
    p.xy = WABE_FMA(half, WABE_FMA(m.ux, fy, m.uy * fx), p.xy);
    p.xz = WABE_FMA(half, WABE_FMA(m.ux, fz, m.uz * fx), p.xz);
    p.yz = WABE_FMA(half, WABE_FMA(m.uy, fz, m.uz * fy), p.yz);
    return p;
}

/* What a collision keeps where the viscosity depends on the rate of strain: p = -2/3 tau S, without
 * the force's part, gives 1 - 1 / tau by a table (sweeps/lattice/rheology.h), whose rows are the
 * exponent and the first bits of p:p. */
WABE_INLINE WABE_REAL wabe_rheology_keep(wabe_second p, const wabe_collision *k) {
    enum { REST = WABE_MANTISSA - WABE_RHEOLOGY_PARTS_BITS };
    const WABE_REAL least = WABE_REAL_OF(WABE_RHEOLOGY_LEAST);
    const WABE_REAL most = WABE_REAL_OF(1.0 - 0x1p-24), one = WABE_REAL_OF(1.0);
    const WABE_REAL square = WABE_REAL_OF(1.0 / WABE_SCALE / WABE_SCALE) * wabe_second_square(p);
    const WABE_REAL above = wabe_select(square > least, square, least);
    const wabe_bits bits = wabe_bits_of(wabe_select(above < most, above, most));
    const wabe_bits row = (bits >> REST) - (wabe_bits_of(least) >> REST);
    const wabe_bits rest = bits & ((1LL << REST) - 1);
    const WABE_REAL x = wabe_of_bits(rest | wabe_bits_of(one)) - one;
    const wabe_bits place = row * WABE_RHEOLOGY_COEFFICIENTS;
    WABE_REAL keep = wabe_look_up(k->rheology, place + 3);
    keep = WABE_FMA(keep, x, wabe_look_up(k->rheology, place + 2));
    keep = WABE_FMA(keep, x, wabe_look_up(k->rheology, place + 1));
    return WABE_FMA(keep, x, wabe_look_up(k->rheology, place));
}

/* What a regularized collision keeps of a scalar's diffusive flux, 1 - 1 / tau of the scalar, whose
 * diffusivity grows with the eddy viscosity. f: what has arrived, with the moments m. */
WABE_INLINE WABE_REAL wabe_carried_keep(wabe_cell f, wabe_moments m, const wabe_collision *k) {
    WABE_REAL keep = WABE_REAL_OF(0.0);
    WABE_IF_CARRIED({
        keep = k->scalar_keep_flux;
        if (k->has_subgrid) {
            const wabe_second p =
                wabe_second_shear(wabe_second_nonequilibrium(wabe_second_sums(f), m), k);
            const WABE_REAL added = WABE_FMA(WABE_REAL_OF(0.5), wabe_twice_tau(p, k), -k->tau);
            keep = WABE_REAL_OF(1.0) -
                   WABE_REAL_OF(1.0) / WABE_FMA(k->over_schmidt, added, k->scalar_tau);
        }
    })
    (void)f, (void)m, (void)k;
    return keep;
}

/* The viscous stress of a cell, 2 rho_0 (nu + nu_t) S with S the rate of strain, and the eddy
 * viscosity nu_t. */
typedef struct {
    wabe_second stress;
    WABE_REAL eddy_viscosity;
} wabe_viscous;

/* What second moments have beside equilibrium after the collision, without the force's part. With
 * it, they have
 *   -2/3 (tau - 1) S + (u F + F u) / 2,
 * since the collision has kept the part 1 - 1/tau (Chapman-Enskog expansion with the force of Guo,
 * Zheng, Shi 2002). With a bulk rate of its own the trace is left out, as by the collision. What
 * wabe_second_correct has added, of the order u^2 S, stays in. m: moments after the collision. */
WABE_INLINE wabe_second wabe_second_viscous(wabe_second sums, wabe_moments m,
                                            const wabe_collision *k) {
    const wabe_second q = wabe_second_nonequilibrium(sums, m);
    return wabe_second_shear(wabe_second_add_half_force(q, m, -1.0, k), k);
}

/* tau - tau_0 of the subgrid model, by the size of wabe_second_viscous: wabe_second_keep solved for
 * it gives 4 |1 - tau| (tau - tau_0) = 18 C^2 sqrt(2 q:q); of its roots below 1 the one next to
 * tau_0 is taken, which is that of an eddy viscosity below (1 - tau_0) / 6. */
WABE_INLINE WABE_REAL wabe_tau_added(WABE_REAL size, const wabe_collision *k) {
    const WABE_REAL half = WABE_REAL_OF(0.5);
    const WABE_REAL root = WABE_FMA(k->from_one, k->from_one, -(k->subgrid_from_one * size));
    const WABE_REAL positive = half * (root + WABE_SQRT(root * root));
    return half * (k->subgrid * size) / (k->from_one + WABE_SQRT(positive));
}

/* T, and its flux u T - D grad T. amount: see wabe_scalar_amount. */
typedef struct {
    WABE_REAL value, amount;
    wabe_vector3 flux;
} wabe_scalar_moments;

/* What the diffusive flux is of what the collision has left of it. f: post-collision populations,
 * whose moments are m. */
WABE_INLINE WABE_REAL wabe_scalar_diffusive(wabe_cell f, wabe_moments m, const wabe_collision *k) {
    WABE_REAL diffusive = WABE_REAL_OF(1.0);
    WABE_IF_SCALAR(diffusive = k->diffusive;)
    WABE_IF_CARRIED(if (k->has_subgrid) {
        const WABE_REAL half = WABE_REAL_OF(0.5), one = WABE_REAL_OF(1.0);
        const WABE_REAL size = wabe_second_size(wabe_second_viscous(wabe_second_sums(f), m, k));
        const WABE_REAL tau = WABE_FMA(k->over_schmidt, wabe_tau_added(size, k), k->scalar_tau);
        /* Next to tau = 1 nothing is left to tell: the flux is then told too small. */
        const WABE_REAL apart = tau - one, square = apart * apart, least = WABE_REAL_OF(1e-4);
        const WABE_REAL over = square - least;
        const WABE_REAL larger = half * ((square + least) + WABE_SQRT(over * over));
        diffusive = (tau - half) * apart / larger;
    })
    (void)f, (void)m, (void)k;
    return diffusive;
}

/* From post-collision populations f with moments m: of what they have beside u T, the collision has
 * kept the part 1 - odd rate; half of it lies before the collision, and half behind. */
WABE_INLINE wabe_scalar_moments wabe_scalar_of(wabe_cell f, wabe_moments m,
                                               const wabe_collision *k) {
    const WABE_REAL none = WABE_REAL_OF(0.0);
    wabe_scalar_moments s = {none, none, {none, none, none}};
    WABE_IF_CARRIED({
        const WABE_REAL unit = WABE_REAL_OF(1.0 / WABE_SCALE);
        const WABE_REAL diffusive = wabe_scalar_diffusive(f, m, k);
        const wabe_vector3 flux = wabe_carried_flux(wabe_carried_add(f, m, -1.0));
        s.value = m.scalar;
        s.amount = wabe_scalar_amount(m);
        s.flux.x = WABE_FMA(diffusive, flux.x, unit * m.ux * m.scalar);
        s.flux.y = WABE_FMA(diffusive, flux.y, unit * m.uy * m.scalar);
        s.flux.z = WABE_FMA(diffusive, flux.z, unit * m.uz * m.scalar);
    })
    WABE_IF_SEVEN({
        const WABE_REAL unit = WABE_REAL_OF(1.0 / WABE_SCALE);
        const WABE_REAL x = unit * m.ux * m.scalar, y = unit * m.uy * m.scalar;
        const WABE_REAL z = unit * m.uz * m.scalar;
        s.value = m.scalar;
        s.amount = wabe_scalar_amount(m);
        s.flux.x = WABE_FMA(k->diffusive, (f.ge - f.gw) - x, x);
        s.flux.y = WABE_FMA(k->diffusive, (f.gn - f.gs) - y, y);
        s.flux.z = WABE_FMA(k->diffusive, (f.gt - f.gb) - z, z);
    })
    (void)f, (void)m, (void)k;
    return s;
}

/* From the post-collision populations f, whose moments are m; tau = 1 keeps nothing to tell. */
WABE_INLINE wabe_viscous wabe_cell_viscous(wabe_cell f, wabe_moments m, const wabe_collision *k) {
    const WABE_REAL half = WABE_REAL_OF(0.5);
    const wabe_second q = wabe_second_viscous(wabe_second_sums(f), m, k);
    WABE_REAL more = WABE_REAL_OF(0.0);
    if (k->has_subgrid)
        more = wabe_tau_added(wabe_second_size(q), k);
    const WABE_REAL tau = k->tau + more;
    const WABE_REAL factor = (half - tau) / (tau - WABE_REAL_OF(1.0));
    const wabe_viscous v = {{factor * q.xx, factor * q.yy, factor * q.zz, factor * q.xy,
                             factor * q.xz, factor * q.yz},
                            WABE_REAL_OF(WABE_SCALE / 3.0) * more};
    return v;
}

/* Outputs of a cell from its post-collision populations; those that are viscous only on request. */
typedef struct {
    WABE_REAL value[WABE_OUTPUT_COUNT];
} wabe_outputs;

WABE_INLINE wabe_outputs wabe_cell_outputs(wabe_cell f, const wabe_collision *k, int viscous) {
    const WABE_REAL none = WABE_REAL_OF(0.0);
    const wabe_moments m = wabe_cell_moments_after(f, k);
    const wabe_scalar_moments s = wabe_scalar_of(f, m, k);
    wabe_viscous v = {{none, none, none, none, none, none}, none};
    if (viscous)
        v = wabe_cell_viscous(f, m, k);
    wabe_outputs out;
#define X(name, expression) out.value[WABE_OUTPUT_##name] = expression;
    WABE_LBM_OUTPUTS(X)
#undef X
    return out;
}

/* Third moments u_a u_b u_c, without the six that nineteen populations cannot tell from others
 * (Malaspinas, arXiv:1505.06900): xxy stands for that of u_x^2 u_y. */
typedef struct {
    WABE_REAL xxy, xyy, xxz, xzz, yyz, yzz;
} wabe_third;

/* From the velocity and the second moments, both after the collision: with their non-equilibrium
 * part p, u_x^2 u_y + 2 u_x p_xy + u_y p_xx. second: p + u u. */
WABE_INLINE wabe_third wabe_third_moments(wabe_moments m, wabe_second second) {
    const WABE_REAL unit = WABE_REAL_OF(1.0 / WABE_SCALE), two = WABE_REAL_OF(2.0 / WABE_SCALE);
    const WABE_REAL minus_2 = WABE_REAL_OF(-2.0 / WABE_SCALE);
    const WABE_REAL ux = unit * m.ux, uy = unit * m.uy, uz = unit * m.uz;
    const WABE_REAL xy = two * second.xy, xz = two * second.xz, yz = two * second.yz;
    const WABE_REAL xx = WABE_FMA(minus_2 * m.ux, m.ux, second.xx);
    const WABE_REAL yy = WABE_FMA(minus_2 * m.uy, m.uy, second.yy);
    const WABE_REAL zz = WABE_FMA(minus_2 * m.uz, m.uz, second.zz);
    wabe_third t;
    t.xxy = WABE_FMA(m.ux, xy, uy * xx);
    t.xyy = WABE_FMA(m.uy, xy, ux * yy);
    t.xxz = WABE_FMA(m.ux, xz, uz * xx);
    t.xzz = WABE_FMA(m.uz, xz, ux * zz);
    t.yyz = WABE_FMA(m.uy, yz, uz * yy);
    t.yzz = WABE_FMA(m.uz, yz, uy * zz);
    return t;
}

/* The populations that have these moments, and no others: an expansion in Hermite polynomials. The
 * velocity is that of momentum; third: NULL for none. D3Q19 alone. */
WABE_INLINE wabe_cell wabe_cell_of_moments(wabe_moments m, wabe_second a, const wabe_third *third) {
    const WABE_REAL axis = WABE_REAL_OF(WABE_WEIGHT(axis));
    const WABE_REAL diagonal = WABE_REAL_OF(WABE_WEIGHT(diagonal));
    const WABE_REAL three = WABE_REAL_OF(3.0), second = WABE_REAL_OF(4.5);
    const WABE_REAL base = WABE_FMA(WABE_REAL_OF(-1.5), (a.xx + a.yy) + a.zz, m.rho);
    const WABE_REAL none = WABE_REAL_OF(0.0);
    wabe_third t = {none, none, none, none, none, none};
    if (third)
        t = *third;
    wabe_cell f;
    WABE_IF_CARRIED(WABE_POPULATIONS_carried(CARRIED_ZERO))
    f.c = WABE_REAL_OF(WABE_WEIGHT(rest)) * base;
#define AXIS(name, opposite, u, own, others)                                                       \
    {                                                                                              \
        const WABE_REAL even = WABE_FMA(second, own, base);                                        \
        WABE_REAL odd = u;                                                                         \
        if (third)                                                                                 \
            odd = WABE_FMA(WABE_REAL_OF(-3.0), others, odd);                                       \
        f.name = axis * WABE_FMA(three, odd, even);                                                \
        f.opposite = axis * WABE_FMA(-three, odd, even);                                           \
    }
#define DIAGONAL(name, opposite, u, own, others)                                                   \
    {                                                                                              \
        const WABE_REAL even = WABE_FMA(second, own, base);                                        \
        WABE_REAL odd = u;                                                                         \
        if (third)                                                                                 \
            odd = WABE_FMA(three, others, odd);                                                    \
        f.name = diagonal * WABE_FMA(three, odd, even);                                            \
        f.opposite = diagonal * WABE_FMA(-three, odd, even);                                       \
    }
    const WABE_REAL two = WABE_REAL_OF(2.0), xy = two * a.xy, xz = two * a.xz, yz = two * a.yz;
    AXIS(e, w, m.ux, a.xx, t.xyy + t.xzz)
    AXIS(n, s, m.uy, a.yy, t.xxy + t.yzz)
    AXIS(t, b, m.uz, a.zz, t.xxz + t.yyz)
    DIAGONAL(ne, sw, m.ux + m.uy, (a.xx + a.yy) + xy, t.xyy + t.xxy)
    DIAGONAL(se, nw, m.ux - m.uy, (a.xx + a.yy) - xy, t.xyy - t.xxy)
    DIAGONAL(te, bw, m.ux + m.uz, (a.xx + a.zz) + xz, t.xzz + t.xxz)
    DIAGONAL(be, tw, m.ux - m.uz, (a.xx + a.zz) - xz, t.xzz - t.xxz)
    DIAGONAL(tn, bs, m.uy + m.uz, (a.yy + a.zz) + yz, t.yzz + t.yyz)
    DIAGONAL(bn, ts, m.uy - m.uz, (a.yy + a.zz) - yz, t.yzz - t.yyz)
#undef AXIS
#undef DIAGONAL
    return f;
}

/* Adds the force's second moments, (1 - 1/(2 tau)) (u_a F_b + F_a u_b). If the trace has a tau of
 * its own, this is off by a pressure of the order u F. */
WABE_INLINE wabe_second wabe_second_add_force(wabe_second a, wabe_moments m, WABE_REAL keep,
                                              const wabe_collision *k) {
    const WABE_REAL share = WABE_FMA(WABE_REAL_OF(0.5 / WABE_SCALE), keep,
                                     WABE_REAL_OF(0.5 / WABE_SCALE));
    const WABE_REAL ux = share * m.ux, uy = share * m.uy, uz = share * m.uz;
    const WABE_REAL two = WABE_REAL_OF(2.0);
    const wabe_vector3 force = wabe_force_on(m, k);
    a.xx = WABE_FMA(two * ux, force.x, a.xx);
    a.yy = WABE_FMA(two * uy, force.y, a.yy);
    a.zz = WABE_FMA(two * uz, force.z, a.zz);
    a.xy = WABE_FMA(ux, force.y, WABE_FMA(uy, force.x, a.xy));
    a.xz = WABE_FMA(ux, force.z, WABE_FMA(uz, force.x, a.xz));
    a.yz = WABE_FMA(uy, force.z, WABE_FMA(uz, force.y, a.yz));
    return a;
}

/* Adds what makes up for c_x^3 = c_x, which leaves momentum's flux u_x^3 out of the third moments:
 * -3 (1 - 1/(2 tau)) u_x^2 du_x/dx to that of xx, and so on, the trace's part with its own tau. The
 * gradients are those of the second moments beside equilibrium, du_x/dx = -3/2 (p_xx - tr p / 3) /
 * tau - 1/2 tr p / tau_bulk (M. Geier et al., Comput. Math. Appl. 70 (2015) 507, section 5). p: of
 * all of them, shear: wabe_second_shear. What the force adds to p, of the order u F, is left out.
 */
WABE_INLINE wabe_second wabe_second_correct(wabe_second a, wabe_moments m, wabe_second p,
                                            wabe_second shear, WABE_REAL keep,
                                            const wabe_collision *k) {
    const WABE_REAL one = WABE_REAL_OF(1.0), half = WABE_REAL_OF(0.5);
    const WABE_REAL third = WABE_REAL_OF(1.0 / 3.0), unit = WABE_REAL_OF(1.0 / WABE_SCALE);
    const WABE_REAL rate = one - keep, trace = (p.xx + p.yy) + p.zz;
    WABE_REAL bulk_rate = rate, mean = third * trace;
    if (k->bulk_is_one)
        bulk_rate = one, mean = WABE_REAL_OF(0.0); /* shear has no trace */
    const WABE_REAL by_shear = WABE_REAL_OF(4.5) * rate;
    const WABE_REAL by_trace = WABE_REAL_OF(1.5) * bulk_rate * trace;
    const WABE_REAL ux = unit * m.ux, uy = unit * m.uy, uz = unit * m.uz;
    const WABE_REAL x = ux * ux * WABE_FMA(by_shear, shear.xx - mean, by_trace);
    const WABE_REAL y = uy * uy * WABE_FMA(by_shear, shear.yy - mean, by_trace);
    const WABE_REAL z = uz * uz * WABE_FMA(by_shear, shear.zz - mean, by_trace);
    const WABE_REAL part = half * (one + keep), mean_part = WABE_FMA(-half, bulk_rate, one);
    const WABE_REAL bulk = third * (mean_part - part) * ((x + y) + z);
    a.xx = WABE_FMA(part, x, a.xx) + bulk;
    a.yy = WABE_FMA(part, y, a.yy) + bulk;
    a.zz = WABE_FMA(part, z, a.zz) + bulk;
    return a;
}

/* All that a regularized collision leaves of a cell: density, momentum, second moments without
 * density / 3. */
typedef struct {
    wabe_moments m;
    wabe_second a;
} wabe_ten_moments;

/* Relaxes the second moments towards their equilibrium, and adds the force. m: density and
 * velocity; sums: wabe_second_sums. terms: wabe_terms_of; it is a constant at every call. */
WABE_INLINE wabe_ten_moments wabe_relax_second(wabe_moments m, wabe_second sums,
                                               const wabe_collision *k, int terms) {
    const wabe_second all = wabe_second_nonequilibrium(sums, m);
    const WABE_REAL unit = WABE_REAL_OF(1.0 / WABE_SCALE);
    wabe_second p = all;
    WABE_REAL keep = k->keep_second;
    if (k->has_subgrid) {
        p = wabe_second_shear(all, k);
        keep = wabe_second_keep(p, k);
    } else if (terms == WABE_TERMS_ALL) {
        p = wabe_second_shear(all, k);
        if (k->rheology) {
            const wabe_second strain = wabe_second_add_half_force(all, m, 1.0, k);
            keep = wabe_rheology_keep(wabe_second_shear(strain, k), k);
        }
    }
    const WABE_REAL ux = unit * m.ux, uy = unit * m.uy, uz = unit * m.uz;
    wabe_ten_moments out = {m, p};
    out.a.xx = WABE_FMA(ux, m.ux, keep * p.xx);
    out.a.yy = WABE_FMA(uy, m.uy, keep * p.yy);
    out.a.zz = WABE_FMA(uz, m.uz, keep * p.zz);
    out.a.xy = WABE_FMA(ux, m.uy, keep * p.xy);
    out.a.xz = WABE_FMA(ux, m.uz, keep * p.xz);
    out.a.yz = WABE_FMA(uy, m.uz, keep * p.yz);
    if (terms) {
        if (terms == WABE_TERMS_ALL && k->corrects)
            out.a = wabe_second_correct(out.a, m, all, p, keep, k);
        out.a = wabe_second_add_force(out.a, m, keep, k);
        out.m = wabe_moments_add_force(m, k, WABE_REAL_OF(0.5));
    }
    return out;
}

/* Sets all moments beyond the second to their equilibrium, or with third ones to what follows from
 * the second ones; a scalar stays. third and terms are constants at every call. */
#define CARRIED_KEEP(name, cx, cy, cz, class) flow.name = f.name;
WABE_INLINE wabe_cell wabe_regularize(wabe_cell f, wabe_moments m, const wabe_collision *k,
                                      int third, int terms) {
    const wabe_ten_moments left = wabe_relax_second(m, wabe_second_sums(f), k, terms);
    const wabe_third t = wabe_third_moments(left.m, left.a);
    wabe_cell flow = wabe_cell_of_moments(left.m, left.a, third ? &t : NULL);
    WABE_IF_CARRIED(WABE_POPULATIONS_carried(CARRIED_KEEP))
    return flow;
}

/* The constants of SRT for the relaxation time of a cell, which the subgrid model has increased. */
WABE_INLINE wabe_collision wabe_collision_of_cell(wabe_cell f, wabe_moments m,
                                                  const wabe_collision *k) {
    const wabe_second p = wabe_second_nonequilibrium(wabe_second_sums(f), m);
    const WABE_REAL one = WABE_REAL_OF(1.0), keep = wabe_second_keep(p, k), rate = one - keep;
    const WABE_REAL quadratic = WABE_REAL_OF(4.5 / WABE_SCALE), three = WABE_REAL_OF(3.0);
    const WABE_REAL forced = WABE_FMA(WABE_REAL_OF(-0.5), rate, one);
    wabe_collision local = *k;
    local.keep_rest = local.keep = keep;
    local.even_rest = WABE_REAL_OF(WABE_WEIGHT(rest)) * rate;
    local.force_even_rest = WABE_REAL_OF(WABE_WEIGHT(rest) / WABE_SCALE) * forced;
#define X(class)                                                                                   \
    local.even_##class = WABE_REAL_OF(WABE_WEIGHT(class)) * rate;                                  \
    local.quadratic_##class = quadratic * local.even_##class;                                      \
    local.odd_##class = three * local.even_##class;                                                \
    local.force_even_##class = WABE_REAL_OF(WABE_WEIGHT(class) / WABE_SCALE) * forced;             \
    local.force_odd_##class = WABE_REAL_OF(3.0 * WABE_WEIGHT(class)) * forced;
    WABE_CLASSES(X)
#undef X
    return local;
}

/* The collision, with the force. srt: the single relaxation time of Feichtinger et al. 2015, eq. 1.
 * trt: even and odd parts of each pair relax at their own rates (Ginzburg, Verhaeghe, d'Humieres,
 * Commun. Comput. Phys. 3 (2008) 427). regularized: Latt, Chopard, Math. Comput. Simul. 72 (2006)
 * 165. recursive_regularized: Malaspinas, arXiv:1505.06900, with the third moments that D3Q19
 * carries. srt_smagorinsky: Hou et al. 1996, as in wabe_second_keep. The operator and terms are
 * constants at every call. */
WABE_INLINE wabe_cell wabe_collide(wabe_collision_operator collision, int terms, wabe_cell f,
                                   wabe_moments m, const wabe_collision *k) {
    switch (collision) {
    case WABE_COLLISION_regularized:
        return wabe_regularize(f, m, k, 0, terms);
    case WABE_COLLISION_recursive_regularized:
        return wabe_regularize(f, m, k, 1, terms);
    case WABE_COLLISION_srt_smagorinsky: {
        const wabe_collision local = wabe_collision_of_cell(f, m, k);
        f = wabe_relax(f, m, &local, 0);
        return terms ? wabe_add_force(f, m, &local) : f;
    }
    default:
        f = wabe_relax(f, m, k, collision == WABE_COLLISION_trt);
        return terms ? wabe_add_force(f, m, k) : f;
    }
}

/* Updates a cell whose populations have arrived. The operator and terms are constants at every
 * call. */
WABE_INLINE wabe_cell wabe_cell_update(wabe_collision_operator collision, int terms, wabe_cell f,
                                       const wabe_collision *k) {
    wabe_moments m = wabe_cell_moments(f);
    if (terms)
        m = wabe_moments_add_force(m, k, WABE_REAL_OF(0.5));
    const int regularized = WABE_IS_REGULARIZED(collision);
    WABE_REAL keep = WABE_REAL_OF(0.0);
    if (regularized)
        keep = wabe_carried_keep(f, m, k);
    f = wabe_carried_add(f, m, -1.0);
    return wabe_scalar_relax(wabe_collide(collision, terms, f, m, k), m, k, regularized, keep);
}

/* What a wall returns for a population that leaves into it: see wabe_patch. */
WABE_INLINE WABE_REAL wabe_wall_return(WABE_REAL leaving, WABE_REAL sign, WABE_REAL term) {
    return WABE_FMA(sign, leaving, term);
}

/* Adds what depends on the cell's scalar to what a wall returns of it; u: the velocity along the
 * link. */
WABE_INLINE WABE_REAL wabe_scalar_add(WABE_REAL back, WABE_REAL by_cell, WABE_REAL own, WABE_REAL u,
                                      wabe_moments m) {
    const WABE_REAL value = wabe_scalar_value(m);
    return WABE_FMA(own, wabe_scalar_even(value, u), WABE_FMA(by_cell, value, back));
}

/* What a wall returns of a population that is carried: see wabe_patch. back: the population that
 * has left, times the sign, plus the term; value: T; left, returned: the flow's population that has
 * left, and what the wall returns of it. */
WABE_INLINE WABE_REAL wabe_carried_return(WABE_REAL back, WABE_REAL sign, WABE_REAL value,
                                          WABE_REAL returned, WABE_REAL leaving, WABE_REAL weight) {
    const WABE_REAL beside = WABE_FMA(WABE_REAL_OF(-1.0) * sign, leaving, returned);
    const WABE_REAL rest = WABE_FMA(WABE_REAL_OF(-1.0) * sign, weight, weight);
    return WABE_FMA(value, WABE_FMA(WABE_REAL_OF(1.0 / WABE_SCALE), beside, rest), back);
}
/* T of a wall: value, or where own is 1 the cell's. */
WABE_INLINE WABE_REAL wabe_carried_value(WABE_REAL value, WABE_REAL own, wabe_moments m) {
    return WABE_FMA(own, wabe_scalar_value(m) - value, value);
}

/* Regularized collisions near tau = 1/2 conserve, beside momentum, momentum whose sign alternates
 * from cell to cell and from step to step (a staggered invariant; Zanetti, Phys. Rev. A 40 (1989)
 * 1539, for lattice gases). Half-way bounce-back is a free-slip wall for it, so that turbulence
 * leaves a wave of two cells in the first row along walls. This damps the wave: some steps take
 * from a cell's momentum the part wall_damping of what changes, from one step to the next, of the
 * momentum that leaves into walls. A steady flow is not changed, and mass is kept. (To change only
 * the populations that leave into walls damps no wave that spans the first two rows.)
 * change: for populations that leave into walls, what the wall would return less what has arrived
 * from it; 0 for others. */
WABE_INLINE wabe_cell wabe_damp_at_walls(wabe_cell f, wabe_cell change, const wabe_collision *k) {
    const wabe_moments m = wabe_cell_moments(change);
    const WABE_REAL part = WABE_REAL_OF(-3.0) * k->wall_damping;
    const wabe_cell before = f;
    const WABE_REAL ux = part * m.ux, uy = part * m.uy, uz = part * m.uz;
#define X(name, opposite, projection, class)                                                       \
    {                                                                                              \
        const WABE_REAL eu = projection;                                                           \
        f.name = WABE_FMA(WABE_REAL_OF(WABE_WEIGHT(class)), eu, f.name);                           \
        f.opposite = WABE_FMA(WABE_REAL_OF(-WABE_WEIGHT(class)), eu, f.opposite);                  \
    }
    WABE_FLOW_PAIRS(X)
#undef X
    return wabe_carry_change(f, before);
}

WABE_INLINE wabe_cell wabe_cell_of_zeros(void) {
    wabe_cell f;
#define X(name, cx, cy, cz, class) f.name = WABE_REAL_OF(0.0);
    WABE_POPULATIONS(X)
#undef X
    return f;
}

/* What a curved wall returns, and what the next step makes of it: see wabe_patch. opposite: has
 * left the cell in the direction in which the returned population arrives; k: the patch's
 * interpolation.
 */
WABE_INLINE WABE_REAL wabe_curved_return(WABE_REAL leaving, WABE_REAL opposite, WABE_REAL k) {
    return WABE_FMA(-k, opposite, leaving);
}
WABE_INLINE WABE_REAL wabe_curved_add(WABE_REAL returned, WABE_REAL k, WABE_REAL arriving) {
    return WABE_FMA(k, arriving, returned);
}

/* The mass that curved walls have given a cell, and the amount of what it carries. share: see
 * wabe_curved_share. */
typedef struct {
    WABE_REAL flow, scalar;
} wabe_curved_sums;

WABE_INLINE wabe_curved_sums wabe_curved_sums_of(WABE_REAL value) {
    const wabe_curved_sums sums = {value, value};
    return sums;
}

/* Adds to the mass that a curved wall has given a cell: k times what arrives, against what has left
 * the cell; see wabe_patch. */
WABE_INLINE WABE_REAL wabe_curved_gain(WABE_REAL gain, WABE_REAL k, WABE_REAL population) {
    return WABE_FMA(k, population, gain);
}

/* Takes from share, 1 before the first link, the part that population q of a cell has in what a
 * curved wall gives back of the mass that is taken from the cell. */
WABE_INLINE WABE_REAL wabe_curved_share(WABE_REAL share, WABE_REAL k, int q) {
    return WABE_FMA(WABE_REAL_OF(-wabe_weight_of(q)), k, share);
}

/* Takes the mass that curved walls have given a cell from its density, that is, from all of its
 * populations as an equilibrium has them: taken from the rest population alone, it would also
 * change a moment that hardly decays at low viscosities, and flows would diverge. */
#define CARRIED_SETTLE(name, cx, cy, cz, class)                                                    \
    f.name = WABE_FMA(WABE_REAL_OF(-1.0) * CARRIED_WEIGHT(class), carried, f.name);
WABE_INLINE wabe_cell wabe_curved_settle(wabe_cell f, wabe_curved_sums gain,
                                         wabe_curved_sums share) {
    const WABE_REAL mass = gain.flow / share.flow;
#define SETTLE(name, opposite, projection, class)                                                  \
    f.name = WABE_FMA(WABE_REAL_OF(-WABE_WEIGHT(class)), mass, f.name);                            \
    f.opposite = WABE_FMA(WABE_REAL_OF(-WABE_WEIGHT(class)), mass, f.opposite);
    WABE_FLOW_PAIRS(SETTLE)
#undef SETTLE
    f.c = WABE_FMA(WABE_REAL_OF(-WABE_WEIGHT(rest)), mass, f.c);
    WABE_IF_CARRIED({
        const WABE_REAL carried = gain.scalar / share.scalar;
        WABE_POPULATIONS_carried(CARRIED_SETTLE)
    })
    return f;
}

/* What a mirror of given pressure returns for the mirror image of population q of the flow: see
 * wabe_patch. un: velocity along the normal. */
WABE_INLINE WABE_REAL wabe_mirror_return_flow(WABE_REAL image, const wabe_patch *patch, int q,
                                              WABE_REAL un) {
    const double term = patch->term[q], weight = wabe_weight_of(q);
    return WABE_FMA(WABE_REAL_OF(patch->quadratic * weight * 3.0 / WABE_SCALE) * un, un,
                    wabe_wall_return(image, WABE_REAL_OF(patch->sign),
                                     WABE_REAL_OF(term * WABE_SCALE)));
}

/* The same for any population. m: moments of the cell; carrier: if the population is carried, the
 * image of that which carries it. */
WABE_INLINE WABE_REAL wabe_mirror_return(WABE_REAL image, WABE_REAL carrier,
                                         const wabe_patch *patch, int q, wabe_moments m) {
    const WABE_REAL un = patch->normal == 0 ? m.ux : patch->normal == 1 ? m.uy : m.uz;
    const double term = patch->term[q];
    WABE_IF_CARRIED(if (q >= (int)WABE_FLOW_Q) {
        const WABE_REAL sign = WABE_REAL_OF(patch->scalar_sign);
        const WABE_REAL value =
            wabe_carried_value(WABE_REAL_OF(patch->scalar_value * WABE_SCALE),
                               WABE_REAL_OF(patch->scalar_by_cell[q - (int)WABE_FLOW_Q]), m);
        const WABE_REAL returned = wabe_mirror_return_flow(carrier, patch, wabe_carrier_of(q), un);
        return wabe_carried_return(wabe_wall_return(image, sign, WABE_REAL_OF(term * WABE_SCALE)),
                                   sign, value, returned, carrier, WABE_REAL_OF(wabe_weight_of(q)));
    })
    (void)carrier;
    if (q >= (int)WABE_FLOW_Q)
        return wabe_scalar_add(wabe_wall_return(image, WABE_REAL_OF(patch->scalar_sign),
                                                WABE_REAL_OF(term * WABE_SCALE)),
                               WABE_REAL_OF(0.0), WABE_REAL_OF(patch->scalar_own), un, m);
    return wabe_mirror_return_flow(image, patch, q, un);
}

/* -3/2 u^2, and the term that is quadratic in the velocity; factor is the patch's times w_q. */
WABE_INLINE WABE_REAL wabe_wall_base(wabe_moments m) {
    return WABE_FMA(m.uz, m.uz, WABE_FMA(m.uy, m.uy, m.ux * m.ux)) *
           WABE_REAL_OF(-1.5 / WABE_SCALE);
}
WABE_INLINE WABE_REAL wabe_wall_add_quadratic(WABE_REAL back, WABE_REAL factor, WABE_REAL eu,
                                              WABE_REAL base) {
    return WABE_FMA(factor, WABE_FMA(eu * WABE_REAL_OF(4.5 / WABE_SCALE), eu, base), back);
}

/* What a wall returns for population q of a scalar that is carried: see wabe_patch. left, carrier:
 * what has left into it of the scalar and of the flow; eu: the velocity along the link. */
WABE_INLINE WABE_REAL wabe_carried_back(const wabe_patch *patch, int q, WABE_REAL leaving,
                                        WABE_REAL carrier, WABE_REAL eu, wabe_moments m) {
    const double weight = wabe_weight_of(q);
    const WABE_REAL sign = WABE_REAL_OF(patch->scalar_sign);
    const WABE_REAL value =
        wabe_carried_value(WABE_REAL_OF(patch->scalar_value * WABE_SCALE),
                           WABE_REAL_OF(patch->scalar_by_cell[q - (int)WABE_FLOW_Q]), m);
    WABE_REAL returned =
        wabe_wall_return(carrier, WABE_REAL_OF(patch->sign),
                         WABE_REAL_OF(patch->term[wabe_carrier_of(q)] * WABE_SCALE));
    if (patch->quadratic != 0.0)
        returned = wabe_wall_add_quadratic(returned, WABE_REAL_OF(patch->quadratic * weight), eu,
                                           wabe_wall_base(m));
    return wabe_carried_return(wabe_wall_return(leaving, sign,
                                                WABE_REAL_OF(patch->term[q] * WABE_SCALE)),
                               sign, value, returned, carrier, WABE_REAL_OF(weight));
}

/* The same for all populations of a scalar. */
#define CARRIED_BACK(name, opposite, projection, class)                                            \
    {                                                                                              \
        const WABE_REAL eu = projection;                                                           \
        back.name = wabe_carried_back(patch, WABE_Q_##name, f.opposite, f.WABE_CARRIER(opposite),  \
                                      eu, m);                                                      \
        back.opposite = wabe_carried_back(patch, WABE_Q_##opposite, f.name, f.WABE_CARRIER(name),  \
                                          eu, m);                                                  \
    }
WABE_INLINE wabe_cell wabe_carried_returns(wabe_cell f, wabe_moments m, const wabe_patch *patch) {
    wabe_cell back = f;
    WABE_IF_CARRIED({
        const WABE_REAL ux = m.ux, uy = m.uy, uz = m.uz;
        WABE_CARRIED_PAIRS(CARRIED_BACK)
    })
    (void)m, (void)patch;
    return back;
}

/* cos(2 pi turns) to 8e-7, by a polynomial (Chebyshev's points, in the square of the turns left
 * after whole ones), so that all hardware has the same digits. */
WABE_INLINE WABE_REAL wabe_cos_of_turns(WABE_REAL turns) {
    const WABE_REAL big = WABE_REAL_OF(WABE_ROUNDING);
    const WABE_REAL r = turns - ((turns + big) - big), s = r * r;
    WABE_REAL c = WABE_FMA(s, WABE_REAL_OF(-21.07110846181001), WABE_REAL_OF(58.79050662869544));
    c = WABE_FMA(s, c, WABE_REAL_OF(-85.27162830145845));
    c = WABE_FMA(s, c, WABE_REAL_OF(64.92865850463053));
    c = WABE_FMA(s, c, WABE_REAL_OF(-19.738980419470945));
    return WABE_FMA(s, c, WABE_REAL_OF(0.999999211770298));
}

/* What turbulence gains at a place relative to the waves, per cell of the flow's way, as moments
 * scale velocities; stir and bend: see wabe_face_layer. */
WABE_INLINE wabe_vector3 wabe_gust_at(const wabe_gust_wave *waves, wabe_vector3 place,
                                      WABE_REAL stir, WABE_REAL bend) {
    wabe_vector3 g = {WABE_REAL_OF(0.0), WABE_REAL_OF(0.0), WABE_REAL_OF(0.0)};
    for (const wabe_gust_wave *w = waves; w < waves + WABE_WAVES; w++) {
        WABE_REAL turns = WABE_COEFFICIENT(w->phase);
        turns = WABE_FMA(place.x, WABE_COEFFICIENT(w->turns[0]), turns);
        turns = WABE_FMA(place.y, WABE_COEFFICIENT(w->turns[1]), turns);
        turns = WABE_FMA(place.z, WABE_COEFFICIENT(w->turns[2]), turns);
        const WABE_REAL c = stir * wabe_cos_of_turns(turns);
        const WABE_REAL s = bend * wabe_cos_of_turns(turns - WABE_REAL_OF(0.25));
#define GAIN(d, sum)                                                                               \
    WABE_FMA(s, WABE_COEFFICIENT(w->across[d]), WABE_FMA(c, WABE_COEFFICIENT(w->velocity[d]), sum))
        g.x = GAIN(0, g.x), g.y = GAIN(1, g.y), g.z = GAIN(2, g.z);
#undef GAIN
    }
    const WABE_REAL scale = WABE_REAL_OF(WABE_SCALE);
    g.x = scale * g.x, g.y = scale * g.y, g.z = scale * g.z;
    return g;
}

/* What a layer does at the cells of a vector: see wabe_face_layer. gust: 0 in sponges. */
typedef struct {
    WABE_REAL rate, density, x, y, z;
    wabe_vector3 gust;
} wabe_layer_here;

/* The moments that a layer leaves of m. Linearised about a velocity u_n along the normal, the
 * model's equations rho_t + u_x = 0 and u_t + (u u)_x + rho_x / 3 = 0 have waves of the speeds u_n
 * +- sqrt(u_n^2 + 1/3), whose velocity is that times their density. */
WABE_INLINE wabe_moments wabe_moments_absorb(wabe_moments m, wabe_layer_here s) {
    const WABE_REAL un = WABE_REAL_OF(1.0 / WABE_SCALE) *
                         WABE_FMA(s.z, m.uz, WABE_FMA(s.y, m.uy, s.x * m.ux));
    const WABE_REAL speed = un + WABE_SQRT(WABE_FMA(un, un, WABE_REAL_OF(1.0 / 3.0)));
    const WABE_REAL more = s.rate * (s.density - m.rho), pushed = speed * more;
    m.rho = m.rho + more;
    m.ux = WABE_FMA(s.x, pushed, m.ux);
    m.uy = WABE_FMA(s.y, pushed, m.uy);
    m.uz = WABE_FMA(s.z, pushed, m.uz);
    const WABE_REAL way = WABE_REAL_OF(-1.0) * un; /* into the domain */
    m.ux = WABE_FMA(way, s.gust.x, m.ux);
    m.uy = WABE_FMA(way, s.gust.y, m.uy);
    m.uz = WABE_FMA(way, s.gust.z, m.uz);
    return m;
}

/* Adds an amount of the scalar to post-collision populations; it moves with the fluid. */
#define RELEASE(name, cx, cy, cz, class) f.name = f.name + e.name;
WABE_INLINE wabe_cell wabe_cell_release(wabe_cell f, WABE_REAL amount) {
    WABE_IF_SCALAR({
        wabe_moments m = wabe_cell_moments(f);
        m.scalar = amount;
        WABE_IF_CARRIED(
            m.scalar = amount / WABE_FMA(WABE_REAL_OF(1.0 / WABE_SCALE), m.rho, WABE_REAL_OF(1.0));)
        const wabe_cell e = wabe_scalar_equilibrium(f, m);
        WABE_IF_SEVEN(WABE_POPULATIONS_scalar(RELEASE))
        WABE_IF_CARRIED(WABE_POPULATIONS_carried(RELEASE))
    })
    (void)amount;
    return f;
}

/* What it leaves of post-collision populations: what they have beside equilibrium stays. The
 * velocity is that of momentum, so that a force's second moments stay, too. */
WABE_INLINE wabe_cell wabe_cell_absorb(wabe_cell f, wabe_layer_here s) {
    const wabe_moments m = wabe_cell_moments(f);
    const wabe_cell from = wabe_equilibrium(m), to = wabe_equilibrium(wabe_moments_absorb(m, s));
#define X(name, cx, cy, cz, class) f.name = f.name + (to.name - from.name);
    WABE_POPULATIONS(X)
#undef X
    return f;
}
