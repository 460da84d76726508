/* A plain lattice Boltzmann solver to hold the kernels against: double, one grid for what has
 * collided and one for what arrives, no tricks. It shares the description of the case with the
 * library and nothing else: velocities, obstacles, boundaries and collision are written here once
 * more, from the equations. */
#pragma once

#include "core/geometry/geometry.h"

#include <stdbool.h>
#include <stdint.h>

enum { SCALAR_Q = 19 };

typedef struct {
    const wabe_geometry *geometry;
    bool trt; /* else SRT */
    double tau, magic, force[3];
    bool from_float;  /* initial moments are rounded to float first */
    bool halves;      /* what leaves a cell or a wall is rounded as half precision stores it */
    double *collided; /* f[q][z][y][x]: of the cells; walls are given this */
    double *sent;     /* what has left the cells: the same, as it is stored */
    double *arrived;
} scalar_lbm;

typedef void (*scalar_initial)(const void *context, const int64_t cell[3], double moments[4]);

/* Takes geometry, trt, tau, magic, force, from_float and halves as they are set; allocates the
 * rest. */
void scalar_lbm_create(scalar_lbm *s);
void scalar_lbm_destroy(scalar_lbm *s);

/* What has left the cells before step 0: equilibrium of the moments. */
void scalar_lbm_initialise(scalar_lbm *s, scalar_initial initial, const void *context);
void scalar_lbm_step(scalar_lbm *s);

bool scalar_lbm_is_fluid(const scalar_lbm *s, const int64_t cell[3]);
/* What has left the cell with velocity e. */
double scalar_lbm_sent(const scalar_lbm *s, const int64_t cell[3], const int e[3]);
/* The same before it was rounded to be stored. */
double scalar_lbm_collided(const scalar_lbm *s, const int64_t cell[3], const int e[3]);
/* Momentum that no-slip and moving walls take in the next step: what goes into them less what they
 * return, before that is rounded to be stored. Returns the sum of the magnitudes it is made of. */
double scalar_lbm_drag(const scalar_lbm *s, double drag[3]);
/* From now on it is this value that has left. */
void scalar_lbm_replace(scalar_lbm *s, const int64_t cell[3], const int e[3], double value);
/* Density deviation, ux, uy, uz at the time of the last collision. */
void scalar_lbm_moments(const scalar_lbm *s, const int64_t cell[3], double moments[4]);
