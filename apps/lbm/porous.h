/* Flow through a porous medium: properties of the medium, the criterion for a steady flow, and the
 * results. All numbers are in lattice units unless stated otherwise; definitions in
 * docs/porous.md. */
#pragma once

#include "apps/geometry/pores.h"
#include "apps/lbm/residence.h"

/* The input. */
typedef struct {
    int axis;    /* -1: no porous medium */
    bool forced; /* driven by a force; otherwise by pressure */
    double gradient, viscosity;
    double tolerance; /* 0: no criterion for a steady flow */
    int64_t interval; /* steps between checks of the flux */
    double cell;      /* m, or NAN */
    /* The slices of the medium along the axis; 0, 0: the whole domain. Layers of fluid before and
     * behind it are assumed to have no pressure drop. */
    int64_t begin, end;
    bool trimmed; /* the medium extends from the first to the last slice with a solid cell */
    int64_t part_begin, part_end; /* the slices to measure instead; 0, 0: not given */
    int64_t tracers;
} wabe_porous;

/* The results of checks of the flux so far; initially zero, with a change of 1. */
typedef struct {
    double flux;       /* along the axis, at the last check: the sum of velocities */
    double change;     /* relative to the flux at the check before */
    int steady_checks; /* consecutive checks with a change below the tolerance */
    double imbalance;  /* as in the results, if it was evaluated; otherwise 0 */
    bool steady;
} wabe_porous_watch;

/* The results, of the medium or of the part that is measured: slices begin to end - 1. */
typedef struct {
    bool flows; /* false: nothing has moved along the axis yet, and results of the flow are NAN */
    int64_t begin, end;
    double gradient;                     /* over these slices only */
    double porosity, connected;          /* fractions of their volume */
    double surface;                      /* wetted area per volume, of the whole medium */
    double diameter;                     /* of spheres with the same surface per solid volume */
    double superficial[3];               /* velocity averaged over all cells */
    double permeability[3];              /* nu superficial / gradient; a column of the tensor */
    double tortuosity;                   /* sum of |u| over the sum of u along the axis */
    double residence;                    /* in steps: pore volume over flux */
    wabe_residence_results distribution; /* of residence times, if there are tracers */
    double reynolds;                     /* of superficial velocity and diameter */
    double friction;                     /* gradient diameter porosity^3 / (U^2 (1 - porosity)) */
    double of_ergun, of_macdonald;       /* gradient over that of the correlations */
    double imbalance;  /* largest difference of flux between slices, relative to the flux */
    double drag;       /* force of the fluid on all walls, along the axis */
    double drag_share; /* fraction of the driving force; NAN: driven by pressure */
} wabe_porous_results;

/* Checks that pores percolate along an axis; -1: none has to. WABE_INPUT: none does. Local. */
wabe_status wabe_porous_check(int axis, const wabe_pores *pores);

enum { WABE_POROUS_CHECKS = 2, WABE_POROUS_BALANCE = 10 };

/* Checks the flux of the present state, of which monitor was taken. The flow is steady when the
 * flux goes the way it is driven, has changed by less than the tolerance at WABE_POROUS_CHECKS
 * consecutive checks and, if driven by pressure, differs between slices by less than
 * WABE_POROUS_BALANCE tolerances.
 * WABE_MEMORY, and the errors of wabe_geometry_flags. Collective. */
wabe_status wabe_porous_check_flux(const wabe_porous *porous, const wabe_simulation *simulation,
                                   const wabe_monitor_result *monitor, wabe_porous_watch *watch);
/* Fails with WABE_NOT_CONVERGED: what is not steady after this many steps. Local. */
wabe_status wabe_porous_not_steady(const wabe_porous *porous, const wabe_porous_watch *watch,
                                   int64_t steps);

/* Measures the present state, of which monitor was taken. Writes the slices normal to the axis to
 * DIRECTORY/porous.csv; see also wabe_residence_measure. WABE_MEMORY, WABE_FILE. Collective. */
wabe_status wabe_porous_measure(const wabe_porous *porous, const wabe_pores *pores,
                                const wabe_simulation *simulation,
                                const wabe_monitor_result *monitor, const char *directory,
                                wabe_porous_results *out);

/* Log the properties of the pores, through which it flows along an axis (-1: none), and the
 * results, with warnings; add the results to a JSON object. Local. */
void wabe_porous_print_pores(int axis, const wabe_pores *pores);
void wabe_porous_print(const wabe_porous *porous, const wabe_porous_results *results);
void wabe_porous_put(const wabe_porous *porous, const wabe_porous_results *results,
                     wabe_json *json);
