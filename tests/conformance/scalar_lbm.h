/* A plain lattice Boltzmann solver as a reference for the kernels: double precision, separate grids
 * before and after streaming, no optimisations. It shares only the description of the case with the
 * library: velocities, obstacles, boundaries and collision are implemented independently, from the
 * equations. Plain numbers are meant by "scalar" here; a scalar that the flow transports is
 * carried.
 */
#pragma once

#include "core/geometry/geometry.h"

#include <stdbool.h>
#include <stdint.h>

enum { SCALAR_Q_MAX = 27 };

typedef enum {
    SCALAR_SRT,
    SCALAR_TRT,
    SCALAR_REGULARIZED,
    SCALAR_RECURSIVE,
    SCALAR_SRT_LES,
    SCALAR_CUMULANT /* D3Q27 */
} scalar_collision;

typedef struct {
    const wabe_geometry *geometry;
    int populations; /* 19 or 27: D3Q19 or D3Q27 */
    scalar_collision collision;
    double tau, magic, force[3];
    int carried_populations; /* of a scalar: 7, D3Q7, or 19, D3Q19; 0: there is none */
    double diffusivity, carried_magic, buoyancy[3];
    double smagorinsky;          /* 0: no subgrid model */
    bool bulk_is_one, corrects;  /* see wabe_lbm_model */
    const double (*rheology)[4]; /* the table of wabe_rheology_table; NULL: tau is constant */
    double schmidt;              /* with one: eddy viscosity over diffusivity */
    bool moments;    /* the state is ten moments: it begins with the third ones that they imply */
    bool from_float; /* initial moments are first rounded to float */
    bool halves;     /* populations that leave a cell or a wall are rounded as half precision
                        stores them */
    double *carried_collided, *carried_sent, *carried_arrived; /* g[q][z][y][x], as below */
    double *collided; /* f[q][z][y][x] after collision; the input of walls */
    double *sent;     /* the same, as stored */
    double *arrived;
    double *gained; /* [z][y][x]: what curved walls have given with what has arrived */
    int64_t steps;  /* since the initial state */
} scalar_lbm;

enum { SCALAR_MOMENTS = 5 }; /* density deviation, ux, uy, uz, carried */
typedef void (*scalar_initial)(const void *context, const int64_t cell[3],
                               double moments[SCALAR_MOMENTS]);

/* Allocates the grids; the members before collided must be set. There is one solver at a time. */
void scalar_lbm_create(scalar_lbm *s);
void scalar_lbm_destroy(scalar_lbm *s);

/* Sets the populations that have left the cells before step 0: equilibrium of the moments. */
void scalar_lbm_initialise(scalar_lbm *s, scalar_initial initial, const void *context);
void scalar_lbm_step(scalar_lbm *s);

bool scalar_lbm_is_fluid(const scalar_lbm *s, const int64_t cell[3]);
/* Returns the population that has left the cell with velocity e. */
double scalar_lbm_sent(const scalar_lbm *s, const int64_t cell[3], const int e[3]);
/* Same, before rounding to the storage type. */
double scalar_lbm_collided(const scalar_lbm *s, const int64_t cell[3], const int e[3]);
/* Gets the momentum that no-slip and moving walls receive in the next step: incoming minus returned
 * populations, before rounding to the storage type. Returns the sum of the magnitudes of all
 * terms. */
double scalar_lbm_drag(const scalar_lbm *s, double drag[3]);
/* Replaces the population that has left the cell with velocity e. */
void scalar_lbm_replace(scalar_lbm *s, const int64_t cell[3], const int e[3], double value);
/* Gets the viscous stress 2 (nu + nu_t) S, xx, yy, zz, xy, yz, xz, and the eddy viscosity nu_t of
 * the last step's collision, from the populations that had arrived. */
void scalar_lbm_viscous(const scalar_lbm *s, const int64_t cell[3], double stress[6], double *eddy);
/* Gets density deviation, ux, uy, uz, carried at the time of the last collision. */
void scalar_lbm_moments(const scalar_lbm *s, const int64_t cell[3], double moments[SCALAR_MOMENTS]);

/* The same as above for the populations of what is carried. */
double scalar_lbm_carried_sent(const scalar_lbm *s, const int64_t cell[3], const int e[3]);
double scalar_lbm_carried_collided(const scalar_lbm *s, const int64_t cell[3], const int e[3]);
void scalar_lbm_carried_replace(scalar_lbm *s, const int64_t cell[3], const int e[3], double value);
/* Returns what curved walls have taken from a cell with what has left it, before they give what
 * arrives: with the masses of all cells a constant in closed domains. */
double scalar_lbm_taken(const scalar_lbm *s, const int64_t cell[3]);
/* Gets the flux u T - D grad T at the last collision, from the populations that had arrived. */
void scalar_lbm_carried_flux(const scalar_lbm *s, const int64_t cell[3], double flux[3]);
