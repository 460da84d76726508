/* The keys of a two-phase case beside those of all applications: a row each. */
#include "apps/two_phase/two_phase.h"

#include "apps/lbm/solid_rows.h"

#define KEY(type, member) WABE_KEY(#member, type, wabe_two_phase_options, member)

/* clang-format off */
#define FACE(face, place) \
    {WABE_KEY("boundaries." face ".kind", WORD, wabe_two_phase_options, faces[place].kind), \
     .default_value = "unset", .words = "periodic|no_slip|free_slip|inflow|outflow", \
     .help = "periodic: the domain continues at the opposite face, which must be periodic too. " \
             "no_slip: a wall at rest. free_slip: a plane of symmetry. " \
             "inflow: boundaries.FACE.fluid comes in with boundaries.FACE.velocity. outflow: what is " \
             "at the face leaves or comes back, against the pressure 0 behind it; the last layer of " \
             "cells there is outside. Unset: no_slip; along axes of one cell periodic."}, \
    {WABE_KEY("boundaries." face ".contact_angle", REAL, wabe_two_phase_options, \
              faces[place].contact_angle), \
     .default_value = "unset", WABE_RANGE(1, 179), .unit = "degrees", \
     .help = "Of a face of kind no_slip; unset: two_phase.contact_angle."}, \
    {WABE_KEY("boundaries." face ".velocity", REAL3, wabe_two_phase_options, \
              faces[place].velocity), \
     .default_value = "unset", .unit = "length / time", \
     .help = "Of a face of kind inflow: what fluid has that comes in."}, \
    {WABE_KEY("boundaries." face ".fluid", WORD, wabe_two_phase_options, faces[place].fluid), \
     .default_value = "unset", .words = "gas|liquid", \
     .help = "Of a face of kind inflow: what comes in. Of one of kind outflow: what comes back; " \
             "unset: what has left."}
/* clang-format on */

static const wabe_option object_rows[] = {WABE_WETTED_OBJECT_ROWS("two_phase", 1, 179),
                                          {.path = NULL}};

const wabe_option wabe_two_phase_option_rows[] = {
    {WABE_KEY("domain.spacing", REAL, wabe_two_phase_options, spacing), .default_value = "1.0",
     WABE_POSITIVE, .unit = "length", .help = "Edge of a cell, in the unit of all lengths."},
    {KEY(WORD, two_phase.storage), .default_value = "f64", .words = "f64|f32",
     .help = "What values are stored as, and computed in."},
    {KEY(STRING, two_phase.kernel), .default_value = "",
     .help = "A part of the name of the kernels that must be taken (wabe kernels lists them)."},
    {KEY(REAL, two_phase.liquid.density), WABE_POSITIVE, .unit = "mass / length^3",
     .help = "Units are any that belong together, such as m, s and kg."},
    {KEY(REAL, two_phase.liquid.viscosity), WABE_POSITIVE, .unit = "mass / (length time)",
     .help = "The dynamic viscosity."},
    {KEY(REAL, two_phase.gas.density), WABE_POSITIVE, .unit = "mass / length^3",
     .help = "See two_phase.liquid.density."},
    {KEY(REAL, two_phase.gas.viscosity), WABE_POSITIVE, .unit = "mass / (length time)",
     .help = "The dynamic viscosity."},
    {KEY(REAL, two_phase.tension), .default_value = "0.0", WABE_RANGE(0, 1e300),
     .unit = "mass / time^2", .help = "Of the interface."},
    {KEY(REAL, two_phase.contact_angle), .default_value = "90.0", WABE_RANGE(1, 179),
     .unit = "degrees",
     .help = "At which the interface meets walls (no_slip) and solids, in the liquid: small where "
             "it spreads."},
    {KEY(REAL3, two_phase.gravity), .default_value = "[0.0, 0.0, 0.0]", .unit = "length / time^2",
     .help = "Acts on both fluids."},
    {KEY(REAL3, two_phase.velocity), .default_value = "[0.0, 0.0, 0.0]", .unit = "length / time",
     .help = "Of all fluid at the start."},
    {KEY(REAL, two_phase.time_step), .default_value = "unset", WABE_POSITIVE, .unit = "time",
     .help = "Unset: a third of what waves of the interface, viscosity, and what falls between "
             "walls or moves at the start allow. With courant the longest one."},
    {KEY(REAL, two_phase.courant), .default_value = "unset", WABE_RANGE(0.01, 0.3), .unit = "cells",
     .help = "Time steps differ: each is so long that nothing goes farther, by the largest "
             "velocity on a face; at most half of what waves of the interface and viscosity allow, "
             "and a quarter longer than the last one. Use end_time and output.interval with it. "
             "Means over time weigh all states alike. Unset: all are of time_step."},
    {KEY(REAL, two_phase.sharpness), .default_value = "2.3", WABE_RANGE(1, 4),
     .help = "beta: the fraction goes from 0 to 1 with tanh(beta x), x in cells. More is sharper, "
             "and less smooth."},
    {KEY(REAL, two_phase.pressure_tolerance), .default_value = "1e-6", WABE_RANGE(1e-13, 1e-2),
     .help = "A step does multigrid cycles of the pressure's equation until no cell gains or loses "
             "more than this share of its volume in the step; in f32 until they find nothing more. "
             "60 cycles that do not reach it are a warning when the state is checked next, and end "
             "the run if they leave more than 1e-3, and ten times the tolerance."},
    {KEY(INT, two_phase.pressure_cycles), .default_value = "0", WABE_RANGE(0, 60),
     .help = "Cycles in each step, whatever they leave; 0: see pressure_tolerance."},
    {KEY(WORD, two_phase.fluid), .default_value = "gas", .words = "gas|liquid",
     .help = "What is outside of all shapes."},
    {KEY(LIST, two_phase.shapes), .default_value = "()",
     .help = "What is where at the start; a later one replaces what earlier ones have put there.",
     .elements = wabe_fluid_shape_rows, .element_size = sizeof(wabe_fluid_shape)},
    WABE_EACH_FACE(FACE),
    WABE_WETTED_OBJECTS(wabe_two_phase_options, object_rows),
    WABE_PORE_ROWS(wabe_two_phase_options),
    {.path = NULL},
};
