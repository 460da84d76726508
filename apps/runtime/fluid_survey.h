/* Where two fluids are on a grid, and how they move: sums over cells, for monitor.csv. */
#pragma once

#include "apps/runtime/stencil.h"

/* Sums over cells of what a fluid has: its share of a cell; that times the place, in edges of the
 * domain from its corner, and times the velocity; the pressure of cells of this fluid alone, and
 * their number. */
enum {
    WABE_FLUID_AMOUNT,
    WABE_FLUID_PLACE,
    WABE_FLUID_SPEED = WABE_FLUID_PLACE + 3,
    WABE_FLUID_PRESSED = WABE_FLUID_SPEED + 3,
    WABE_FLUID_PURE,
    WABE_FLUID_SUMS
};

/* What is looked at. Numbers are those of the stencil case. */
typedef struct {
    int share, velocity, pressure;       /* share: of liquid; velocity: the first of three */
    int surface;                         /* its area per volume; -1: per_width is given */
    double per_width;                    /* 4 C (1 - C) times it is that area */
    double spacing;                      /* a cell's edge, in units of the surface */
    double fastest, highest;             /* velocity and pressure that no cell's exceed, in size */
    double velocity_unit, pressure_unit; /* of both, in units of the run */
    int kind_field;                      /* says which cells are solid; -1: none are */
    bool (*is_solid)(double kind);
    wabe_box box; /* that is looked at, in the domain */
} wabe_fluid_look;

/* Of gas and liquid (WABE_GAS, WABE_LIQUID): the sums; the first cell along each axis that has more
 * of it than of the other, and that behind the last one, INFINITY and -INFINITY if there is none.
 */
typedef struct {
    double surface; /* in faces of a cell */
    double sums[2][WABE_FLUID_SUMS];
    double low[2][3], high[2][3];
} wabe_fluid_survey;

/* Looks at the cells of all processes. Sums are exact, in any order. WABE_MEMORY. Collective. */
wabe_status wabe_fluid_survey_make(wabe_run *run, const wabe_fluid_look *look,
                                   wabe_fluid_survey *out);

/* Returns the mean pressure of cells of a fluid alone; NAN: there are none. Local. */
double wabe_fluid_survey_pressure(const wabe_fluid_look *look, const wabe_fluid_survey *survey,
                                  int fluid);

/* Columns of a fluid: the centre of its volume, its mean velocity, the box around the cells that it
 * fills by more than half, the mean pressure of cells of it alone. */
#define WABE_FLUID_COLUMNS(fluid)                                                                  \
    fluid "_x," fluid "_y," fluid "_z," fluid "_velocity_x," fluid "_velocity_y," fluid            \
          "_velocity_z," fluid "_low_x," fluid "_low_y," fluid "_low_z," fluid "_high_x," fluid    \
          "_high_y," fluid "_high_z," fluid "_pressure"
enum { WABE_FLUID_COLUMN_COUNT = 13 };
/* Writes them, NAN where there is none of the fluid; lengths are in units of the look's spacing.
 * Local. */
void wabe_fluid_survey_put(const wabe_run *run, const wabe_fluid_look *look,
                           const wabe_fluid_survey *survey, int fluid,
                           double out[WABE_FLUID_COLUMN_COUNT]);
