/* Multigrid cycles as a part of a grid's model: coarse grids, their fields and sweeps, and the
 * entries of a step (sweeps/cell/multigrid.h). */
#pragma once

#include "sweeps/cell/multigrid.h"
#include "sweeps/stencil/grid.h"

enum { WABE_MULTIGRID_LEVELS_MAX = 6 };

/* Numbers of fields and sweeps in the model, by level; 0 is the domain's grid. */
typedef struct {
    int p, b, w, residual;
} wabe_multigrid_fields;
typedef struct {
    int smooth, residual, to_coarser, prolong, coarsen; /* to_coarser, coarsen: to this level */
} wabe_multigrid_sweeps;

/* Conjugate gradients around cycles. Rows of reductions; the energy of the last change; and what
 * the entry of the sweep that runs next finds. */
typedef struct {
    int largest[2], products[2];
    double energy, scales[2], values[WABE_GRID_VALUES];
} wabe_multigrid_conjugate;

/* Ends a loop of cycles after one whose residual, before it went to the coarse grids, was at most
 * limit, or after most of them; with stalls, too, after a few that have found nothing more, as f32
 * does not. reduction: its row in the model. What loops have done: cycles of the last one; left,
 * the largest residual after most cycles over the limit, or 0. It must live as long as the slabs
 * of the model, whose loop points to it; clear left before a run's first step. */
typedef struct {
    double limit;
    int64_t most;
    bool stalls;
    int reduction;
    int64_t cycles, idle; /* idle: of those the last ones that have found nothing */
    double before, left;
    wabe_multigrid_conjugate conjugate;
} wabe_multigrid_goal;
/* See wabe_grid_loop_row.again; the context is a goal. Local. */
bool wabe_multigrid_goes_on(void *goal, const wabe_position *position, const double values[]);

typedef struct {
    int levels;
    wabe_multigrid_fields fields[WABE_MULTIGRID_LEVELS_MAX];
    wabe_multigrid_sweeps sweeps[WABE_MULTIGRID_LEVELS_MAX];
    int smoothing, bottom; /* loops: of sweeps on each level, and on the coarsest one */
    int keep, largest, products, conjugate;         /* with a goal: sweeps */
    int keeping, looking, multiplying, conjugating; /* loops around them, which run once or not */
    wabe_multigrid_goal *goal;                      /* NULL: it has none */
    int depth;                                      /* loops that are open around a cycle */
} wabe_multigrid;

/* Adds coarse grids, sweeps and loops to a model whose cells and periodic axes are set. fields: p,
 * of two grids, whose walls are mirrors, or make 0; b, the right-hand side; w, three components on
 * low faces, whose high walls make 0, or, where those of p do, a number that is not small beside
 * others. All have this type. depth: loops that are open around a cycle. goal: that of the loop of
 * cycles, whose reduction this sets; NULL: it has none. Local. */
wabe_multigrid wabe_multigrid_add(wabe_grid_model *model, wabe_type type,
                                  const wabe_multigrid_fields *fields, int depth,
                                  const char *kernel, wabe_multigrid_goal *goal);
/* Returns an axis whose number of cells, halved too few times, makes cycles slow, -1: there is
 * none; *multiple: of what it should be. Local. */
int wabe_multigrid_slow_axis(const wabe_grid_model *model, const wabe_multigrid *multigrid,
                             int64_t *multiple);
/* Appends to a step, once w is known, the entries that find those of coarse grids; and those of a
 * cycle. Local. */
void wabe_multigrid_add_coarsening(wabe_grid_model *model, const wabe_multigrid *multigrid);
void wabe_multigrid_add_cycle(wabe_grid_model *model, const wabe_multigrid *multigrid);
/* Sets the arguments of the sweeps of a slab. Local. */
void wabe_multigrid_set(wabe_grid_slab *slab, const wabe_multigrid *multigrid);
