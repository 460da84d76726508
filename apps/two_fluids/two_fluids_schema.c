/* The keys of a case of two fluids beside those of all applications: a row each. */
#include "apps/two_fluids/two_fluids.h"

#include "apps/lbm/solid_rows.h"

#define TEXT(value) TEXT_OF(value)
#define TEXT_OF(value) #value

#define KEY(type, member) WABE_KEY(#member, type, wabe_two_fluids_options, member)

#define FACE_KEY(face, place, type, member)                                                        \
    WABE_KEY("boundaries." face "." #member, type, wabe_two_fluids_options, faces[place].member)
/* clang-format off */
#define FACE(face, place) \
    {FACE_KEY(face, place, WORD, kind), .default_value = "unset", \
     .words = "periodic|no_slip|free_slip|velocity|pressure", \
     .help = "periodic: the domain continues at the opposite face, which must be periodic too. " \
             "no_slip: a wall at rest, which the interface meets at a contact angle. " \
             "free_slip: a plane of symmetry. velocity, pressure: fluid flows through it, at a " \
             "velocity that is given or due to a pressure. Unset: no_slip; along axes of one cell " \
             "periodic."}, \
    {FACE_KEY(face, place, REAL3, velocity), .default_value = "unset", .unit = "length / time", \
     .help = "Of the fluid that flows through a face of kind velocity."}, \
    {FACE_KEY(face, place, REAL, pressure), .default_value = "unset", \
     .unit = "mass / (length time^2)", \
     .help = "At a face of kind pressure, beside the weight of the lighter fluid."}, \
    {FACE_KEY(face, place, REAL, contact_angle), .default_value = "unset", WABE_RANGE(5, 175), \
     .unit = "degrees", \
     .help = "Of a face of kind no_slip; unset: two_fluids.contact_angle."}, \
    {FACE_KEY(face, place, WORD, fluid), .default_value = "unset", .words = "gas|liquid", \
     .help = "What flows in through a face of kind velocity or pressure; unset: what is before " \
             "it. What is before it flows out."}
/* clang-format on */

static const wabe_option object_rows[] = {WABE_WETTED_OBJECT_ROWS("two_fluids", 5, 175),
                                          {.path = NULL}};

const wabe_option wabe_two_fluids_option_rows[] = {
    {WABE_KEY("domain.spacing", REAL, wabe_two_fluids_options, spacing), .default_value = "1.0",
     WABE_POSITIVE, .unit = "length", .help = "Edge of a cell, in the unit of all lengths."},
    {KEY(WORD, two_fluids.storage), .default_value = "f64", .words = "f64|f32",
     .help = "What values are stored as, and computed in; velocities are stored in f32."},
    {KEY(STRING, two_fluids.kernel), .default_value = "",
     .help = "A part of the name of the kernels that must be taken (wabe kernels lists them)."},
    {KEY(REAL, two_fluids.liquid.density), WABE_POSITIVE, .unit = "mass / length^3",
     .help = "Units are any that belong together, such as m, s and kg. A ratio of densities up to "
             "2000 is possible; the liquid may be the lighter one."},
    {KEY(REAL, two_fluids.liquid.viscosity), WABE_POSITIVE, .unit = "mass / (length time)",
     .help = "The dynamic viscosity."},
    {KEY(REAL, two_fluids.gas.density), WABE_POSITIVE, .unit = "mass / length^3",
     .help = "See two_fluids.liquid.density."},
    {KEY(REAL, two_fluids.gas.viscosity), WABE_POSITIVE, .unit = "mass / (length time)",
     .help = "The dynamic viscosity."},
    {KEY(REAL, two_fluids.tension), .default_value = "0.0", WABE_RANGE(0, 1e300),
     .unit = "mass / time^2", .help = "Of the interface."},
    {KEY(REAL, two_fluids.contact_angle), .default_value = "90.0", WABE_RANGE(5, 175),
     .unit = "degrees",
     .help = "At which the interface meets walls, in the liquid: below 90 the liquid wets them."},
    {KEY(REAL3, two_fluids.gravity), .default_value = "[0.0, 0.0, 0.0]", .unit = "length / time^2",
     .help = "Acts on the density less that of the lighter fluid: pressure is that beside its "
             "weight."},
    {KEY(REAL3, two_fluids.force), .default_value = "[0.0, 0.0, 0.0]",
     .unit = "mass / (length^2 time^2)",
     .help = "On a volume of either fluid, as of a pressure that falls along the domain."},
    {KEY(REAL3, two_fluids.velocity), .default_value = "[0.0, 0.0, 0.0]", .unit = "length / time",
     .help = "Of all fluid at the start."},
    {KEY(REAL, two_fluids.time_step), .default_value = "unset", WABE_POSITIVE, .unit = "time",
     .help = "Unset: the fastest of the velocities at the start and at faces, of what falls "
             "between walls, and of waves of ten cells goes a twentieth of a cell in a step; less "
             "where the tension would make the lighter fluid diverge. Forces and given pressures "
             "are not looked at."},
    {KEY(REAL, two_fluids.interface_width), .default_value = "4.0", WABE_RANGE(3, 20),
     .unit = "cells", .help = "xi: the phase of a flat interface is (1 + tanh(2 x / xi)) / 2."},
    {KEY(REAL, two_fluids.mobility), .default_value = "0.02", WABE_RANGE(1e-4, 0.3),
     .unit = "cells^2 / time step",
     .help = "How fast the interface goes back to its shape: more keeps it sharp in fast flows, "
             "less lets small drops live longer."},
    {KEY(REAL, two_fluids.smagorinsky_constant), .default_value = "0.0", WABE_RANGE(0, 0.5),
     .help =
         "Of eddies smaller than a cell, in both fluids, as Smagorinsky has them; usual are 0.1 "
         "to 0.17. 0: there is no model of eddies."},
    {KEY(WORD, two_fluids.fluid), .default_value = "gas", .words = "gas|liquid",
     .help = "What is outside of all shapes."},
    {KEY(LIST, two_fluids.shapes), .default_value = "()",
     .help = "What is where at the start; a later one replaces what earlier ones have put there.",
     .elements = wabe_fluid_shape_rows, .element_size = sizeof(wabe_fluid_shape)},
    {KEY(REAL, two_fluids.random_blobs.saturation), .default_value = "unset",
     WABE_RANGE(0.01, 0.99),
     .help = "Instead of shapes: at the start both fluids fill blobs in random places, and this "
             "share of what is not solid is liquid."},
    {KEY(REAL, two_fluids.random_blobs.length), .default_value = "unset", WABE_POSITIVE,
     .unit = "length",
     .help =
         "Mean length of a blob along a line, if half is liquid: twice the interface's width at "
         "least, half of the domain's shortest edge at most."},
    {KEY(INT, two_fluids.random_blobs.seed), .default_value = "0", WABE_RANGE(0, 1e15),
     .help = "Another number gives other places."},
    WABE_EACH_FACE(FACE),
    WABE_WETTED_OBJECTS(wabe_two_fluids_options, object_rows),
    WABE_PORE_ROWS(wabe_two_fluids_options),
    {KEY(WORD, porous.axis), .default_value = "none", .words = "none|x|y|z",
     .help = "Measures the flow of both fluids along it: phases.csv has a line every "
             "porous.interval, results.json permeabilities. A force, or pressures at both faces, "
             "must drive it for these."},
    {KEY(INT, porous.interval), .default_value = TEXT(WABE_TWO_FLUIDS_INTERVAL), WABE_RANGE(1, 1e9),
     .unit = "steps", .help = "Steps between two checks."},
    {KEY(REAL, porous.tolerance), .default_value = "0.0", WABE_RANGE(0, 1),
     .help = "The run ends, or goes on to the next of porous.pressures, when in porous.interval "
             "steps the saturation has changed by less than this, and, without pressures, each "
             "flux by less than this fraction of both, twice in succession. The run fails if that "
             "does not happen within steps. 0: the run does all steps."},
    {KEY(INT, porous.begin), .default_value = "0", WABE_RANGE(0, 1e9), .unit = "slices",
     .help =
         "First slice, normal to the axis, of the part in which saturation, fluxes and pressures "
         "are measured."},
    {KEY(INT, porous.end), .default_value = "0", WABE_RANGE(0, 1e9), .unit = "slices",
     .help = "One past the last slice of that part. 0: the whole domain is measured."},
    {KEY(REAL, porous.permeability), .default_value = "unset", WABE_POSITIVE, .unit = "length^2",
     .help = "That of the medium for one fluid, for relative permeabilities."},
    {KEY(REAL, porous.pressures.first), .default_value = "unset", .unit = "mass / (length time^2)",
     .help = "Pressure at the lower face along porous.axis, of kind pressure: the first one."},
    {KEY(REAL, porous.pressures.last), .default_value = "unset", .unit = "mass / (length time^2)",
     .help = "The last one."},
    {KEY(INT, porous.pressures.count), .default_value = "0", WABE_RANGE(0, 1000),
     .help =
         "How many there are, evenly spaced. Each lasts until the saturation is steady; with "
         "the lines of phases.csv that say settled they are a curve of capillary pressure "
         "over saturation. 0: boundaries says the pressure. The fluids begin at the pressure 0, "
         "but for their weight and tension."},
    {.path = NULL},
};
