/* Flow through a porous medium: what the medium is like, when the flow is steady, and what follows.
 * All numbers in lattice units unless said otherwise; definitions in docs/porous.md. */
#pragma once

#include "apps/geometry/pores.h"
#include "apps/lbm/residence.h"

/* What is asked for. */
typedef struct {
    int axis;    /* -1: the case is no porous medium */
    bool forced; /* otherwise pressure drives */
    double gradient, viscosity;
    double tolerance; /* 0: no criterion */
    int64_t interval; /* steps between looks at the flux */
    double cell;      /* m, or NAN */
    /* The part of the domain along the axis that the medium takes, slices; 0, 0: all of it; layers
     * of fluid before and behind are taken to lose no pressure. */
    int64_t begin, end;
    bool trimmed; /* the medium ends with the first and the last slice that has something solid */
    int64_t part_begin, part_end; /* the slices that are measured instead; 0, 0: none are given */
    int64_t tracers;
} wabe_porous;

/* What looks at the flux have found so far; at the start nothing but zeros and a change of 1. */
typedef struct {
    double flux;       /* along the axis, at the last look; the sum of velocities */
    double change;     /* of the flux since the look before, relative */
    int steady_checks; /* looks in succession that found a change below the tolerance */
    double imbalance;  /* as in the results, where it was looked at; otherwise 0 */
    bool steady;
} wabe_porous_watch;

/* What is found of the medium, or of the part that is measured: slices begin to end - 1. */
typedef struct {
    bool flows; /* otherwise what a flow would tell is NAN: nothing has moved along the axis yet */
    int64_t begin, end;
    double gradient;                     /* over these slices alone */
    double porosity, connected;          /* of their volume */
    double surface;                      /* wetted area per volume, of all of the medium */
    double diameter;                     /* of spheres with as much surface per solid volume */
    double superficial[3];               /* mean velocity over all cells */
    double permeability[3];              /* nu superficial / gradient; a column of the tensor */
    double tortuosity;                   /* sum of |u| over sum of u along the axis */
    double residence;                    /* steps: pore volume over flux */
    wabe_residence_results distribution; /* of residence times, if there are tracers */
    double reynolds;                     /* superficial velocity and diameter */
    double friction;                     /* gradient diameter porosity^3 / (U^2 (1 - porosity)) */
    double of_ergun, of_macdonald;       /* the gradient, over what the correlations give */
    double imbalance;                    /* largest difference of the flux between slices, of it */
    double drag;                         /* force of the fluid on all walls along the axis */
    double drag_share;                   /* of the driving force; NAN: pressure drives */
} wabe_porous_results;

/* Wants a way through along the axis. WABE_INPUT: there is none. Local. */
wabe_status wabe_porous_check(const wabe_porous *porous, const wabe_pores *pores);

/* Looks at the present state, of which monitor was taken. The flow is steady when the flux has
 * changed by less than the tolerance at WABE_POROUS_CHECKS looks in succession and, where pressure
 * drives, differs between slices by less than WABE_POROUS_BALANCE tolerances. WABE_MEMORY, and what
 * wabe_geometry_flags fails with. Collective. */
enum { WABE_POROUS_CHECKS = 2, WABE_POROUS_BALANCE = 10 };
wabe_status wabe_porous_check_flux(const wabe_porous *porous, const wabe_simulation *simulation,
                                   const wabe_monitor_result *monitor, wabe_porous_watch *watch);
/* WABE_NOT_CONVERGED: says what is not steady after so many steps. Local. */
wabe_status wabe_porous_not_steady(const wabe_porous *porous, const wabe_porous_watch *watch,
                                   int64_t steps);

/* Measures the present state, of which monitor was taken. DIRECTORY/porous.csv gets the slices
 * normal to the axis; see wabe_residence_measure as well. WABE_MEMORY,
 * WABE_FILE. Collective. */
wabe_status wabe_porous_measure(const wabe_porous *porous, const wabe_pores *pores,
                                const wabe_simulation *simulation,
                                const wabe_monitor_result *monitor, const char *directory,
                                wabe_porous_results *out);

/* Logs what was found, with warnings; adds it to results. Local. */
void wabe_porous_print_pores(const wabe_porous *porous, const wabe_pores *pores);
void wabe_porous_print(const wabe_porous *porous, const wabe_porous_results *results);
void wabe_porous_put(const wabe_porous *porous, const wabe_porous_results *results,
                     wabe_json *json);
