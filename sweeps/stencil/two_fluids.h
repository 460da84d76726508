/* Two fluids on slabs of a grid: see sweeps/cell/two_fluids.h. */
#pragma once

#include "sweeps/cell/two_fluids.h"
#include "sweeps/stencil/fluid.h"
#include "sweeps/stencil/grid.h"

/* Field numbers, and those of the state's numbers that are shown. */
enum {
    WABE_TWO_FLUIDS_STATE,
    WABE_TWO_FLUIDS_VELOCITY,
    WABE_TWO_FLUIDS_SCRATCH,
    WABE_TWO_FLUIDS_KIND
};
enum {
    WABE_TWO_FLUIDS_PRESSURE = WABE_TWO_FLUIDS_NUMBERS + 3,
    WABE_TWO_FLUIDS_DENSITY,
    WABE_TWO_FLUIDS_SHOWN
};

typedef enum {
    WABE_TWO_FLUIDS_PERIODIC,
    WABE_TWO_FLUIDS_NO_SLIP,
    WABE_TWO_FLUIDS_FREE_SLIP,
    WABE_TWO_FLUIDS_OPEN /* as wabe_two_fluids_step.through says */
} wabe_two_fluids_face;

/* What flows through a face: a velocity or a pressure is given. */
typedef struct {
    bool has_pressure;
    double velocity[3], pressure;
    double phase; /* of what flows in; NAN: as the cell before the face */
} wabe_two_fluids_boundary;

/* In lattice units. */
typedef struct {
    wabe_fluid liquid, gas;
    double tension, width, mobility;
    double reference;                    /* density that gravity does not act on */
    double gravity[3], force[3];         /* of mass, of volume */
    double contact_angle;                /* radians, in the liquid */
    double smagorinsky;                  /* the constant of eddies; 0: none */
    wabe_two_fluids_boundary through[6]; /* of faces that are open */
} wabe_two_fluids_step;

/* Cells around a solid one that tell how its surface lies. */
enum { WABE_TWO_FLUIDS_REACH = 3 };

/* Which cells of a domain are solid. is_solid: of a cell of the domain; NULL: none. */
typedef struct {
    int64_t cells[3];
    wabe_two_fluids_face faces[6];
    bool (*is_solid)(const void *context, const int64_t cell[3]);
    const void *context;
    bool wetting_differs; /* between walls, or solid cells: true if any are solid, or have contact
                             angles of their own */
    double angles[6];     /* contact angles of faces, radians; NAN: that of the step */
    /* The same of a cell that is solid; NULL: that of the step. */
    double (*angle_of_solid)(const void *context, const int64_t cell[3]);
} wabe_two_fluids_place;

/* Makes the model of a domain. type: of all numbers but velocities. kernel: a part of its name, or
 * "". Local. */
wabe_grid_model wabe_two_fluids_model(wabe_type type, const wabe_two_fluids_place *place,
                                      const char *kernel);

/* Sets the arguments of a slab's sweeps, for the steps to come. Local. */
void wabe_two_fluids_set_step(wabe_grid_slab *slab, const wabe_two_fluids_step *step,
                              const wabe_two_fluids_place *place);
/* The same, and what its cells are. WABE_MEMORY. Local. */
wabe_status wabe_two_fluids_set(wabe_grid_slab *slab, const wabe_two_fluids_step *step,
                                const wabe_two_fluids_place *place);

/* Returns the inverse of the density. Local. */
double wabe_two_fluids_volume_of(const wabe_two_fluids_step *step, double c);

/* Returns a number of the state of a cell with a phase, a pressure and a velocity, in which nothing
 * is sheared. volume: V of sweeps/cell/two_fluids.h, for the number WABE_TWO_FLUIDS_BASE. Local. */
double wabe_two_fluids_initial(int number, double c, double volume, double pressure,
                               const double velocity[3]);
