/* The keys of a lattice Boltzmann case: a row each. */
#include "apps/lbm/options.h"
#include "apps/lbm/solid_rows.h"

#define KEY(type, member) WABE_KEY(#member, type, wabe_lbm_options, member)
#define GEOMETRY_KEY(type, member) KEY(type, geometry.member)
#define TEXT(value) TEXT_OF(value)
#define TEXT_OF(value) #value

#define FACE_KEY(type, face, place, member)                                                        \
    WABE_KEY("boundaries." face "." #member, type, wabe_lbm_options, faces[place].member)
#define FACE(face, place)                                                                          \
    {FACE_KEY(WORD, face, place, kind), .default_value = "periodic",                               \
     .words = WABE_ENUM_WORDS(WABE_FACE_BOUNDARIES),                                               \
     .help =                                                                                       \
         "What lies behind this face. Opposite faces are periodic together. pressure lets the "    \
         "fluid move along the face too, and with a sponge is the outlet where vortices leave; "   \
         "pressure_normal only lets it through, at the ends of channels; wall_function is a wall " \
         "of turbulent flow, smooth or with roughness, whose boundary layer is thinner than "      \
         "cells: with lbm.les.model."},                                                            \
        {FACE_KEY(REAL3, face, place, velocity), .default_value = "[0, 0, 0]", WABE_RANGE(-1, 1),  \
         .unit = "lattice units",                                                                  \
         .help = "Velocity of a moving wall or of the fluid at a velocity boundary."},             \
        {FACE_KEY(REAL, face, place, roughness), .default_value = "unset", WABE_RANGE(1e-6, 0.4),  \
         .unit = "cells",                                                                          \
         .help = "The roughness length z0 of a wall_function, over which u = u_tau ln(z / z0) / "  \
                 "0.4; if not given, it is smooth. The law is reached up to about 0.06 "           \
                 "(docs/validation.md)."},                                                         \
        {FACE_KEY(REAL, face, place, density), .default_value = "1", WABE_RANGE(0.5, 1.5),         \
         .unit = "lattice units",                                                                  \
         .help = "Density at a pressure or pressure_normal boundary; the pressure is a third of "  \
                 "it."},                                                                           \
        {FACE_KEY(REAL, face, place, scalar.value), .default_value = "unset",                      \
         .help = "With scalar.diffusivity: the scalar's value at a wall, or of the fluid at a "    \
                 "velocity boundary (if not given, scalar.reference where it comes in). A wall "   \
                 "without value or flux is insulated; at faces of given pressure the scalar is "   \
                 "that of the cell without it, and fixed with it, which suits fluid that comes "   \
                 "in."},                                                                           \
        {FACE_KEY(REAL, face, place, scalar.flux), .default_value = "unset",                       \
         .unit = "lattice units", .help = "The scalar's flux through a wall into the fluid."},     \
        {FACE_KEY(WORD, face, place, profile.kind), .default_value = "none",                       \
         .words = WABE_PROFILE_WORDS,                                                              \
         .help =                                                                                   \
             "How the velocity of a velocity boundary depends on the height y above the domain's " \
             "low face: velocity is that at profile.height, h. logarithmic: times "                \
             "ln((y - d) / z0) / ln((h - d) / z0), and 0 below d + z0; power: times (y / h)^a; "   \
             "parabolic: times 4 y (H - y) / H^2, where H is the domain's height, the flow "       \
             "between "                                                                            \
             "two walls, whose largest velocity is given; table: times the factors of a file. "    \
             "Cells have the height of their "                                                     \
             "centres."},                                                                          \
        {FACE_KEY(WORD, face, place, profile.up), .default_value = "y", .words = "x|y|z",          \
         .help = "The axis along which heights are measured."},                                    \
        {FACE_KEY(REAL, face, place, profile.height), .default_value = "unset", WABE_POSITIVE,     \
         .unit = "cells", .help = "The height h at which the velocity is the given one."},         \
        {FACE_KEY(REAL, face, place, profile.roughness), .default_value = "unset", WABE_POSITIVE,  \
         .unit = "cells", .help = "logarithmic: the roughness length z0."},                        \
        {FACE_KEY(REAL, face, place, profile.displacement), .default_value = "0",                  \
         WABE_RANGE(0, 1e9), .unit = "cells",                                                      \
         .help = "logarithmic: the height d by which plants or buildings displace the wind."},     \
        {FACE_KEY(REAL, face, place, profile.exponent), .default_value = "unset",                  \
         WABE_RANGE(1e-3, 1),                                                                      \
         .help = "power: the exponent a, such as 0.15 over open country, 0.27 over a city."},      \
        {FACE_KEY(STRING, face, place, profile.file), .default_value = "",                         \
         .help = "table: a CSV file with rows of ascending height, in cells, and factor, "         \
                 "interpolated linearly, and constant beyond its ends."},                          \
        {FACE_KEY(REAL, face, place, turbulence.intensity), .default_value = "0",                  \
         WABE_RANGE(0, 0.5),                                                                       \
         .help =                                                                                   \
             "Turbulence that the flow through a velocity boundary brings along: the root "        \
             "mean square of each component of its velocity, relative to the face's velocity; "    \
             "0: none. One face can have it."},                                                    \
        {FACE_KEY(REAL, face, place, turbulence.length), .default_value = "unset",                 \
         WABE_RANGE(4, 1024), .unit = "cells",                                                     \
         .help = "Its integral length scale. The turbulence consists of waves with von Karman's "  \
                 "spectrum, the shortest 8 cells long, which move at the face's velocity."},       \
        {FACE_KEY(INT, face, place, turbulence.width),                                             \
         .default_value = TEXT(WABE_TURBULENCE_WIDTH), WABE_RANGE(2, 256), .unit = "cells",        \
         .help = "The layers of cells before the face in which it arises."},                       \
        {FACE_KEY(INT, face, place, turbulence.seed), .default_value = TEXT(WABE_TURBULENCE_SEED), \
         WABE_RANGE(0, 1000000000), .help = "Another number makes other waves."},                  \
        {FACE_KEY(INT, face, place, sponge.width), .default_value = "0", WABE_RANGE(0, 65534),     \
         .unit = "cells",                                                                          \
         .help = "Width of a sponge before a pressure or pressure_normal boundary: a layer of "    \
                 "cells in which sound waves on their way out are damped, as the boundary alone "  \
                 "reflects them, and, with regularized collisions, waves of two cells; 0: none. "  \
                 "24 suits waves of any length."},                                                 \
        WABE_IN_TIME_ROWS("boundaries." face ".in_time.", wabe_lbm_options, faces[place].in_time), \
    {                                                                                              \
        FACE_KEY(REAL, face, place, sponge.strength),                                              \
            .default_value = TEXT(WABE_LBM_SPONGE_STRENGTH), WABE_RANGE(1e-3, 1),                  \
            .help = "Part of a wave's density that a sponge takes away in a step, at the "         \
                    "boundary; from there it falls to 0 with the square of the distance. Width "   \
                    "times strength is best about 7."                                              \
    }

/* The last rows of a solid with a boundary condition of its own; group: of its keys, or "" in a
 * list. */
#define SURFACE_ROWS(group, options, member)                                                       \
    {WABE_KEY(group "kind", WORD, options, member.kind), .default_value = "no_slip",               \
     .words = WABE_ENUM_WORDS(WABE_SOLID_BOUNDARIES),                                              \
     .help =                                                                                       \
         "What the surface is; the solid itself stays where it is. no_slip: a wall at rest, "      \
         "half-way between its cells and those beside them. curved_wall: a wall at rest where "    \
         "the object or mesh has its surface, or heights as a line from column to column have "    \
         "theirs, for smooth terrain. "                                                            \
         "moving_wall: a wall that drags the fluid along at velocity, such as a belt, or that "    \
         "turns. velocity: the fluid crosses the surface at velocity. pressure: the fluid "        \
         "crosses it at density 1. wall_function: flat parts of the surface, along axes, are "     \
         "walls of turbulent flow, as of boundaries.FACE.kind; edges, one link wide, are "         \
         "no_slip."},                                                                              \
        {WABE_KEY(group "roughness", REAL, options, member.roughness), .default_value = "unset",   \
         WABE_RANGE(1e-6, 0.4), .unit = "cells",                                                   \
         .help = "The roughness length z0 of a wall_function; without it the wall is smooth."},    \
        {WABE_KEY(group "velocity", REAL3, options, member.velocity),                              \
         .default_value = "[0, 0, 0]", WABE_RANGE(-1, 1), .unit = "lattice units",                 \
         .help = "Velocity of a moving_wall, or of the fluid at a surface of kind velocity."},     \
        {WABE_KEY(group "spin", REAL3, options, member.spin), .default_value = "[0, 0, 0]",        \
         WABE_RANGE(-1, 1), .unit = "rad per step",                                                \
         .help = "Angular velocity of a moving_wall: its surface has velocity + spin x (place - "  \
                 "pivot)."},                                                                       \
        {WABE_KEY(group "pivot", REAL3, options, member.pivot), .default_value = "unset",          \
         .unit = "cells",                                                                          \
         .help = "A point on the axis of spin, from the domain's corner; if not given, the "       \
                 "centre of a sphere or box, an end of a cylinder's axis; others need it."},       \
        {WABE_KEY(group "scalar.value", REAL, options, member.scalar.value),                       \
         .default_value = "unset",                                                                 \
         .help = "With scalar.diffusivity: the scalar's value at the surface, half-way between "   \
                 "cells, or that of the fluid at a surface of kind velocity. Without value or "    \
                 "flux it is insulated."},                                                         \
    {                                                                                              \
        WABE_KEY(group "scalar.flux", REAL, options, member.scalar.flux),                          \
            .default_value = "unset", .unit = "lattice units",                                     \
            .help = "The scalar's flux through the surface into the fluid, per face of its cells." \
    }

#define PARTICLE_KINDS "no_slip|curved_wall"

static const wabe_option object_rows[] = {
    WABE_OBJECT_ROWS,
    SURFACE_ROWS("", wabe_object_options, surface),
    {.path = NULL},
};

#define MESH_KEY(type, member) WABE_KEY(#member, type, wabe_mesh_options, member)

static const wabe_option mesh_rows[] = {
    {MESH_KEY(STRING, file), .help = "An STL file, binary or text, of closed surfaces."},
    {MESH_KEY(REAL, scale), .default_value = "1", WABE_RANGE(WABE_ABOVE_0, 1e9),
     .unit = "cells per unit of the file", .help = "The size of the file's unit of length."},
    {MESH_KEY(REAL3, rotation), .default_value = "[0, 0, 0]", WABE_RANGE(-360, 360),
     .unit = "degrees",
     .help =
         "Turns the scaled mesh about the x axis, then about the y axis, then about the z axis. "
         "The axes are those of the domain, through the file's origin."},
    {MESH_KEY(REAL3, place), .default_value = "[0, 0, 0]", .unit = "cells",
     .help = "Where the file's origin then lies, from the domain's corner."},
    {MESH_KEY(WORD, fluid), .default_value = "outside", .words = "outside|inside",
     .help =
         "Where the fluid is. outside: what is inside the surface is solid. inside: all else in "
         "the domain is, for a flow through a pipe or vessel; its inlets and outlets are where "
         "the domain's faces cut the surface."},
    SURFACE_ROWS("", wabe_mesh_options, surface),
    {.path = NULL},
};

#define SOURCE_KEY(type, member) WABE_KEY(#member, type, wabe_source_options, member)

static const wabe_option source_rows[] = {
    {SOURCE_KEY(INT3, begin), WABE_RANGE(0, 1e6), .unit = "cells", .help = "Its first cell."},
    {SOURCE_KEY(INT3, end), .default_value = "[0, 0, 0]", WABE_RANGE(0, 1e6), .unit = "cells",
     .help = "One past its last cell along each axis; 0: it is one cell thick."},
    {SOURCE_KEY(REAL, rate), .unit = "scalar times cells per step",
     .help = "The amount that its fluid cells give off together in a step, the same in each. Over "
             "velocity and area of a stream it is by how much the scalar is higher there."},
    {SOURCE_KEY(INT, start), .default_value = "0", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "The first step in which it gives off the scalar."},
    {SOURCE_KEY(INT, stop), .default_value = "1000000000000000", WABE_RANGE(1, 1e15),
     .unit = "steps", .help = "The first step in which it no longer does."},
    {.path = NULL},
};

#define BODY_KEY(type, member) WABE_KEY(#member, type, wabe_body_options, member)

static const wabe_option body_rows[] = {
    {BODY_KEY(STRING, name), .help = "Its name in forces.csv and results.json."},
    {BODY_KEY(STRING, of),
     .help = "The key of the solid: \"geometry.objects[0]\", \"geometry.meshes[0]\", "
             "\"geometry.heights\", \"geometry.city\", or \"geometry.voxels\", "
             "\"geometry.spheres\", \"geometry.bed\", which are one body together; or a face, "
             "\"boundaries.y_low\", which is not in the total force."},
    {BODY_KEY(REAL3, about), .default_value = "[0, 0, 0]", .unit = "cells",
     .help = "The point that torques are about, from the domain's corner."},
    {BODY_KEY(REAL, velocity), .default_value = "unset", WABE_POSITIVE, .unit = "lattice units",
     .help = "Reference velocity U of coefficients 2 F / (density U^2 area)."},
    {BODY_KEY(REAL, area), .default_value = "unset", WABE_POSITIVE, .unit = "cells^2",
     .help = "Reference area of coefficients; both are given, or neither."},
    {BODY_KEY(REAL3, stream), .default_value = "unset",
     .help =
         "Where the stream flows to: results have the force along it as drag, and one across it "
         "as lift. Its length does not matter."},
    {BODY_KEY(REAL3, lift), .default_value = "unset",
     .help =
         "The direction of lift; what it has along the stream is taken off. Unset: the first of "
         "z (but not of one layer of cells), y and x that is more across the stream than "
         "along it."},
    {.path = NULL},
};

const wabe_option wabe_lbm_option_rows[] = {
    {KEY(WORD, lbm.lattice), .default_value = "d3q19", .words = "d3q19|d3q27",
     .help =
         "Velocity set. d3q27 also has velocities to the corners of a cell: it moves 42 % more "
         "bytes than d3q19 in_place, and where the grid resolves the flow its errors depend less "
         "on the direction. It takes lbm.collision srt or trt and lbm.streaming pull or "
         "in_place, or cumulant and moments; in porous media d3q19 is several times as fast, by a "
         "list."},
    {KEY(WORD, lbm.collision), .default_value = "auto",
     .words = "auto" WABE_COLLISIONS(WABE_ENUM_BAR),
     .help =
         "Collision operator. srt: one relaxation time. trt: two, with walls exactly half-way. "
         "regularized: third and higher moments are set to equilibrium. recursive_regularized: "
         "third-order moments are computed from the second-order ones (Malaspinas); both are "
         "stable at higher Reynolds numbers. cumulant: of d3q27 in moments, all cumulants above "
         "second order are set to equilibrium (Geier et al. 2015), more stable still. "
         "srt_smagorinsky: what srt is with lbm.les. auto: trt, or recursive_regularized with "
         "lbm.les, lbm.rheology or lbm.streaming = \"moments\" (d3q27: cumulant)."},
    {KEY(WORD, lbm.les.model), .default_value = "none", .words = "none|smagorinsky",
     .help = "Large-eddy simulation: the model of the eddies that are smaller than cells. "
             "smagorinsky: their viscosity is nu_t = (constant times one cell)^2 |S|, |S| = "
             "sqrt(2 S:S), S the rate of strain."},
    {KEY(REAL, lbm.les.constant), .default_value = TEXT(WABE_LBM_LES_CONSTANT),
     WABE_RANGE(1e-3, 0.5),
     .help = "Of Smagorinsky's model: 0.1 near walls, 0.17 in isotropic turbulence."},
    {KEY(WORD, lbm.bulk), .default_value = "auto", .words = "auto|shear|one",
     .help =
         "recursive_regularized: how fast the trace of the second moments relaxes, and so the bulk "
         "viscosity, by which sound dies out. shear: as fast as the stress of shear, bulk "
         "viscosity 2/3 of viscosity. one: at rate 1, bulk viscosity 1/9; flows of next to no "
         "viscosity stay "
         "bounded far longer, in three dimensions above all, and stress is without its isotropic "
         "part. auto: one with lbm.les, otherwise shear."},
    {KEY(BOOL, lbm.correction), .default_value = "false",
     .help =
         "recursive_regularized: makes up for u_x^3, u_y^3 and u_z^3, which the lattice does not "
         "have. Without them the viscosity of waves at an angle to the axes is too small in a "
         "stream u, by up to 9/4 u^2 of itself."},
    {KEY(WORD, lbm.rheology.model), .default_value = "none",
     .words = "none" WABE_RHEOLOGIES(WABE_ENUM_BAR),
     .help =
         "Non-Newtonian fluids: the viscosity depends on the rate of strain, sqrt(2 S:S). With g = "
         "rate of strain / lbm.rheology.rate it is that of the flow (lbm.viscosity or what gives "
         "it) "
         "times: power_law: g^(index - 1). carreau_yasuda: limit + (1 - limit) (1 + "
         "g^exponent)^((index - 1) / exponent). bingham: 1 + yield (1 - exp(-growth g)) / g. "
         "herschel_bulkley: g^(index - 1) + yield (1 - exp(-growth g)) / g. casson: (1 + "
         "sqrt(yield / g) (1 - exp(-sqrt(growth g))))^2. lbm.velocity and lbm.length must be "
         "given. "
         "Goes with lbm.collision = \"recursive_regularized\", which auto then stands for, or "
         "cumulant, and not "
         "with lbm.les, wall functions, d3q27 but in moments, and porous; sponges then add no "
         "viscosity. "
         "scalar.prandtl, output and results.json mean the viscosity at the reference rate, but "
         "for "
         "the quantity viscosity."},
    {KEY(REAL, lbm.rheology.rate), .default_value = TEXT(WABE_RHEOLOGY_RATE), WABE_RANGE(1e-9, 1e9),
     .unit = "lbm.velocity / lbm.length",
     .help = "The rate of strain at which g is 1; of carreau_yasuda L / (U lambda). With 1 the "
             "Reynolds number of a power_law is the usual one, U^(2 - n) L^n density / "
             "consistency, and yield is the Bingham number."},
    {KEY(REAL, lbm.rheology.index), .default_value = "unset", WABE_RANGE(0.1, 3),
     .help = "n of power_law, herschel_bulkley and carreau_yasuda: below 1 the fluid is "
             "shear-thinning, above it shear-thickening."},
    {KEY(REAL, lbm.rheology.exponent), .default_value = TEXT(WABE_RHEOLOGY_EXPONENT),
     WABE_RANGE(0.1, 10), .help = "a of carreau_yasuda; 2: Carreau's model."},
    {KEY(REAL, lbm.rheology.limit), .default_value = TEXT(WABE_RHEOLOGY_LIMIT), WABE_RANGE(0, 1),
     .help = "carreau_yasuda: the viscosity at high rates of strain over that at low ones."},
    {KEY(REAL, lbm.rheology.yield), .default_value = "unset", WABE_RANGE(0, 1e6),
     .help = "bingham, herschel_bulkley, casson: the yield stress over density times viscosity "
             "times lbm.rheology.rate U / L."},
    {KEY(REAL, lbm.rheology.growth), .default_value = TEXT(WABE_RHEOLOGY_GROWTH),
     WABE_RANGE(1, 1e9),
     .help = "The same: below g of about 1 / growth the fluid creeps instead of being rigid "
             "(Papanastasiou)."},
    {KEY(REAL, lbm.rheology.lowest_tau), .default_value = TEXT(WABE_RHEOLOGY_LOWEST_TAU),
     WABE_RANGE(0.5, 100), .unit = "steps",
     .help =
         "The relaxation time is not below this one, whatever the rate of strain; not above that "
         "of the reference viscosity."},
    {KEY(REAL, lbm.rheology.highest_tau), .default_value = TEXT(WABE_RHEOLOGY_HIGHEST_TAU),
     WABE_RANGE(0.5, 100), .unit = "steps",
     .help = "Nor above this one, so that an unyielded fluid has the viscosity (highest_tau - 1/2) "
             "/ 3. The larger, the larger the errors at walls that touch it."},
    {KEY(WORD, lbm.streaming), .default_value = "auto",
     .words = "auto" WABE_STREAMINGS(WABE_ENUM_BAR),
     .help =
         "Streaming pattern: pull: two grids; in_place: one grid, with half the memory; list: one "
         "grid of fluid cells only. These give the same results. moments: two grids of ten moments "
         "in place of nineteen populations, for regularized collisions, with the results of these "
         "but for rounding (recursive_regularized: and third moments of the initial state and in "
         "sponges); without pressure_normal faces. auto: in_place, or list "
         "where that moves fewer bytes (with a machine file: takes less time)."},
    {KEY(WORD, lbm.storage), .default_value = "f64", .words = WABE_ENUM_WORDS(WABE_TYPES),
     .help = "Number type of the stored populations; f16 is converted to f32 for arithmetic."},
    {KEY(REAL, lbm.tau), .default_value = "unset", .unit = "steps",
     .help = "Relaxation time, above 1/2. One of tau, viscosity, reynolds, or units.viscosity."},
    {KEY(REAL, lbm.viscosity), .default_value = "unset", .unit = "lattice units",
     .help = "Kinematic viscosity, (tau - 1/2) / 3."},
    {KEY(REAL, lbm.reynolds), .default_value = "unset",
     .help = "Reynolds number, lbm.velocity lbm.length / viscosity."},
    {KEY(REAL, lbm.velocity), .default_value = "unset", WABE_RANGE(1e-12, 1),
     .unit = "lattice units",
     .help = "Reference velocity; if not given, the largest velocity of the boundaries and the "
             "initial state."},
    {KEY(REAL, lbm.length), .default_value = "unset", WABE_RANGE(1e-6, 1e9), .unit = "cells",
     .help =
         "Reference length; if not given, the number of cells along x; for taylor_green_3d over "
         "2 pi."},
    {KEY(REAL, lbm.magic), .default_value = TEXT(WABE_LBM_MAGIC), WABE_RANGE(1e-6, 10),
     .help = "TRT: Lambda = (tau+ - 1/2)(tau- - 1/2); 3/16 puts walls exactly half-way."},
    {KEY(REAL3, lbm.force), .default_value = "[0, 0, 0]", WABE_RANGE(-1, 1),
     .unit = "lattice units", .help = "Body force on each cell (Guo's scheme)."},
    WABE_IN_TIME_ROWS("lbm.force_in_time.", wabe_lbm_options, lbm.force_in_time),
    {KEY(REAL3, lbm.flux.velocity), .default_value = "[0, 0, 0]", WABE_RANGE(-0.3, 0.3),
     .unit = "lattice units",
     .help = "The mean velocity of the fluid that the body force is to keep, between periodic "
             "faces: along axes where it is not 0 the force, which begins as lbm.force, is chosen "
             "anew after every lbm.flux.every steps; monitor.csv has it as body_force."},
    {KEY(INT, lbm.flux.every), .default_value = TEXT(WABE_FLUX_EVERY), WABE_RANGE(1, 1e9),
     .unit = "steps",
     .help = "Steps between two changes of the force that keeps lbm.flux.velocity."},
    {KEY(INT, lbm.ramp), .default_value = "0", WABE_RANGE(0, 1e12), .unit = "steps",
     .help = "Steps from the start in which the velocities of inlets and moving walls grow from 0: "
             "at time n they are (1 - cos(pi n / ramp)) / 2 of what is given; 0: at once, "
             "which sends a strong sound wave through the domain. Advised, from rest, where a body "
             "stands in a stream: its lift settles soonest."},
    {KEY(REAL, scalar.diffusivity), .default_value = "unset", WABE_RANGE(1e-6, 5),
     .unit = "lattice units",
     .help =
         "The flow carries a scalar, such as a temperature or a concentration, with this "
         "diffusivity. It takes lbm.lattice d3q19, lbm.collision trt or, with lbm.les or without, "
         "recursive_regularized, lbm.streaming in_place or pull."},
    {KEY(WORD, scalar.lattice), .default_value = "auto", .words = "auto|d3q7|d3q19",
     .help =
         "The scalar's velocity set. d3q7: seven populations, for lbm.collision trt, the "
         "diffusivity is (tau - 1/2) / 4; at the edges of solids in a stream the scalar becomes "
         "too large and too small. d3q19: nineteen populations, which the flow's carry with them, "
         "(tau - 1/2) / 3; a scalar that is the same everywhere stays so past all walls but "
         "curved ones of a given value. It moves "
         "46 % more bytes, has no walls of given flux, and along walls a sixth less diffusivity in "
         "the cells there. auto: d3q19 with recursive_regularized, and where d3q7 would matter at "
         "the edges of solids, and there are no such walls."},
    {KEY(REAL, scalar.prandtl), .default_value = "unset", WABE_POSITIVE,
     .help = "In place of the diffusivity: viscosity over diffusivity, the Prandtl number of a "
             "temperature, the Schmidt number of a concentration."},
    {KEY(REAL, scalar.magic), .default_value = TEXT(WABE_SCALAR_MAGIC), WABE_RANGE(1e-6, 10),
     .help = "trt: (tau+ - 1/2)(tau- - 1/2) of the scalar's relaxation times; 1/4 is the most "
             "stable."},
    {KEY(REAL, scalar.turbulent_schmidt), .default_value = TEXT(WABE_SCALAR_SCHMIDT),
     WABE_RANGE(0.05, 20),
     .help = "With lbm.les: eddy viscosity over eddy diffusivity, which the diffusivity grows by."},
    {KEY(REAL, scalar.reference), .default_value = "0",
     .help = "The value at which there is no buoyancy; the flow begins with it."},
    {KEY(REAL, scalar.difference), .default_value = "1", WABE_RANGE(1e-30, 1e30),
     .help = "A typical difference from the reference. Values given may differ twice as much; "
             "those that differ more than four times as much count as diverged."},
    {KEY(REAL, scalar.initial), .default_value = "unset",
     .help = "The value at the start; if not given, the reference."},
    {KEY(REAL3, scalar.buoyancy), .default_value = "[0, 0, 0]", .unit = "lattice units",
     .help = "Force on a cell per unit of the scalar above the reference (Boussinesq): the "
             "expansion coefficient times gravity, against gravity."},
    {KEY(LIST, scalar.sources), .default_value = "()",
     .help =
         "Boxes of cells that give off the scalar, in a cell scalar.difference per step at most. "
         "No cell is in two of them.",
     .elements = source_rows, .element_size = sizeof(wabe_source_options)},
    {KEY(STRING, lbm.kernel), .default_value = "",
     .help = "Part of the name of the stream_collide kernel to use; see wabe kernels."},
    {KEY(REAL, units.cell), .default_value = "unset", WABE_RANGE(1e-15, 1e15), .unit = "m",
     .help = "Edge length of a cell. Physical units need cell, velocity and viscosity."},
    {KEY(REAL, units.velocity), .default_value = "unset", WABE_RANGE(1e-15, 1e15), .unit = "m/s",
     .help = "The velocity that lbm.velocity stands for."},
    {KEY(REAL, units.viscosity), .default_value = "unset", WABE_RANGE(1e-15, 1e15), .unit = "m^2/s",
     .help = "Kinematic viscosity."},
    {KEY(REAL, units.density), .default_value = "1000", WABE_RANGE(1e-15, 1e15), .unit = "kg/m^3",
     .help = "Density at rest."},
    {WABE_KEY("output.average.threshold", REAL, wabe_lbm_options, average_threshold),
     .default_value = "unset", WABE_RANGE(0, 10), .unit = "lattice units",
     .help = "A speed: the quantity exceedance is the share of the averaged states in which a "
             "cell's speed is above it."},
    {WABE_KEY("output.mean_profiles", WORD, wabe_lbm_options, mean_profiles),
     .default_value = "none", .words = "none|x|y|z",
     .help = "Write mean_profiles.csv: means over time, and over the fluid in each plane of cells "
             "normal to this axis, of density, velocity, and the velocity's covariance."},
    {WABE_KEY("output.units", WORD, wabe_lbm_options, output_units), .default_value = "unset",
     .words = "lattice|si",
     .help = "Units of output; if not given, SI if the group units is given, otherwise lattice "
             "units. results.json gives the unit of each of its numbers and of each column of the "
             "CSV files (units)."},
    WABE_EACH_FACE(FACE),
    {GEOMETRY_KEY(LIST, objects), .default_value = "()",
     .help = "Obstacles; a cell is solid if its centre lies in one.", .elements = object_rows,
     .element_size = sizeof(wabe_object_options)},
    {GEOMETRY_KEY(LIST, meshes), .default_value = "()",
     .help =
         "Solids enclosed by triangles. A cell is solid if rays from its centre leave the surface "
         "an odd number of times, along two of the three axes at least: where closed parts of a "
         "file overlap, there is fluid, so put them into several files. A surface with holes, at "
         "which the axes disagree about more than 1 % of the cells, is refused. Of overlapping "
         "solids geometry.objects goes first, then the earlier mesh.",
     .elements = mesh_rows, .element_size = sizeof(wabe_mesh_options)},
    {GEOMETRY_KEY(STRING, heights.file), .default_value = "",
     .help =
         "Solids below a height, such as terrain: a grey PNG of 8 or 16 bits, or an HDF5 file; "
         "\"\": none. It has a value for each column of cells along heights.up. Columns of the "
         "file lie along x, rows along z (with up = \"z\" along y, with up = \"x\" along y and "
         "z); the first row of the file, the upper one of an image, is the first row of cells."},
    {GEOMETRY_KEY(STRING, heights.dataset), .default_value = "heights",
     .help = "HDF5: the name of the dataset, of shape (rows, columns)."},
    {GEOMETRY_KEY(WORD, heights.up), .default_value = "y", .words = "x|y|z",
     .help = "The axis along which heights are counted, from the domain's lower face."},
    {GEOMETRY_KEY(REAL, heights.scale), .default_value = "1", .unit = "cells per unit of the file",
     .help = "A cell is solid if its centre lies below offset + scale * value."},
    {GEOMETRY_KEY(REAL, heights.offset), .default_value = "0", .unit = "cells",
     .help = "The height of the value 0."},
    SURFACE_ROWS("geometry.heights.", wabe_lbm_options, geometry.heights.surface),
    {GEOMETRY_KEY(REAL, city.pitch), .default_value = "unset", WABE_RANGE(4, 1e6), .unit = "cells",
     .help = "A generated city, with a square building in each square of a grid of streets: the "
             "distance from street to street. If not given there is no city. It stands on "
             "geometry.heights, if there are any."},
    {GEOMETRY_KEY(REAL, city.share), .default_value = "0.4", WABE_RANGE(0.01, 1),
     .help = "The share of the ground on which buildings stand; the rest is streets."},
    {GEOMETRY_KEY(REAL, city.height), .default_value = "unset", WABE_POSITIVE, .unit = "cells",
     .help = "The mean height of the buildings, which is distributed log-normally."},
    {GEOMETRY_KEY(REAL, city.sigma), .default_value = "0.5", WABE_RANGE(0, 2),
     .help = "Standard deviation of the logarithm of the heights; 0: all are the same."},
    {GEOMETRY_KEY(REAL, city.towers), .default_value = "0", WABE_RANGE(0, 1),
     .help = "The share of the buildings that are towers instead."},
    {GEOMETRY_KEY(REAL, city.tower_height), .default_value = "unset", WABE_POSITIVE,
     .unit = "cells", .help = "The height of towers."},
    {GEOMETRY_KEY(WORD, city.up), .default_value = "y", .words = "x|y|z",
     .help = "The axis along which buildings rise."},
    {GEOMETRY_KEY(REAL3, city.low), .default_value = "unset", .unit = "cells",
     .help = "Lower corner of the box in which the city stands; along city.up, its ground. If not "
             "given, the domain's."},
    {GEOMETRY_KEY(REAL3, city.high), .default_value = "unset", .unit = "cells",
     .help = "Upper corner of that box, which no building may exceed; if not given, the domain's."},
    {GEOMETRY_KEY(INT, city.seed), .default_value = "1", WABE_RANGE(0, 1e15),
     .help = "Seed of the random heights: the same seed gives the same city."},
    {GEOMETRY_KEY(WORD, city.kind), .default_value = "no_slip", .words = "no_slip|wall_function",
     .help = "What the buildings' surfaces are; wall_function: walls of turbulent flow, as of "
             "boundaries.FACE.kind, but for edges."},
    {GEOMETRY_KEY(REAL, city.roughness), .default_value = "unset", WABE_RANGE(1e-6, 0.4),
     .unit = "cells",
     .help = "The roughness length z0 of a wall_function; without it walls are smooth."},
    WABE_PORE_ROWS(wabe_lbm_options),
    {GEOMETRY_KEY(WORD, spheres.kind), .default_value = "no_slip", .words = PARTICLE_KINDS,
     .help = "no_slip: walls half-way between the spheres' cells and those beside them. "
             "curved_wall: walls where the spheres have their surfaces."},
    {GEOMETRY_KEY(WORD, bed.kind), .default_value = "no_slip", .words = PARTICLE_KINDS,
     .help =
         "As spheres.kind, for the bed's particles and a tube; together with spheres the same."},
    {GEOMETRY_KEY(REAL, scalar.value), .default_value = "unset",
     .help = "With scalar.diffusivity: the scalar's value at the surfaces of voxels, spheres, the "
             "bed and the city."},
    {GEOMETRY_KEY(REAL, scalar.flux), .default_value = "unset", .unit = "lattice units",
     .help = "Its flux through these surfaces into the fluid, per face of their cells."},
    {GEOMETRY_KEY(WORD, fill), .default_value = "none", .words = "none|unconnected",
     .help = "unconnected: before the run, fluid that is not connected through cell faces to both "
             "ends of the domain along porous.axis becomes solid; if porous.axis is none or all, "
             "fluid that is not connected along any axis."},
    {KEY(WORD, porous.axis), .default_value = "none", .words = "none|x|y|z|all",
     .help = "Drives flow through a porous medium along this axis and measures its permeability; "
             "all: along each axis in turn, for the whole tensor."},
    {KEY(WORD, porous.drive), .default_value = "force", .words = "force|pressure",
     .help = "force: a body force, with periodic faces along the axis. pressure: pressure "
             "boundaries at both faces normal to the axis."},
    {KEY(REAL, porous.gradient), .default_value = TEXT(WABE_POROUS_GRADIENT),
     WABE_RANGE(1e-15, 1e-1), .unit = "lattice units",
     .help = "Driving force per mass, or pressure gradient divided by density."},
    {KEY(REAL, porous.tolerance), .default_value = TEXT(WABE_POROUS_TOLERANCE), WABE_RANGE(0, 1),
     .help = "The run ends when the flux has changed by less than this fraction of itself in "
             "porous.interval steps, twice in succession; if pressure drives the flow, the flux "
             "must also differ between slices by less than ten times this fraction. The run fails "
             "if that does not happen within steps. 0: the run does all steps."},
    {KEY(INT, porous.interval), .default_value = TEXT(WABE_POROUS_INTERVAL), WABE_RANGE(1, 1e9),
     .unit = "steps", .help = "Steps between two checks of the flux."},
    {KEY(INT, porous.begin), .default_value = "0", WABE_RANGE(0, 1e9), .unit = "slices",
     .help = "First slice, normal to the axis, of the part that is measured; its gradient is that "
             "between the pressures at its two ends. 0: all of the medium is measured, and layers "
             "of fluid before and behind it are assumed to lose no pressure."},
    {KEY(INT, porous.end), .default_value = "0", WABE_RANGE(0, 1e9), .unit = "slices",
     .help = "One past the last slice of that part."},
    {KEY(INT, porous.tracers), .default_value = "0", WABE_RANGE(0, 1e6), .unit = "tracers",
     .help = "Number of points that start where the medium begins, distributed in proportion to "
             "the flux, and are carried through it by the velocity after the last step; they give "
             "the distribution of residence times."},
    {KEY(REAL, porous.cell), .default_value = "unset", WABE_RANGE(1e-15, 1e15), .unit = "m",
     .help = "Edge length of a cell, for a permeability in m^2 and darcy."},
    {KEY(INT, forces.every), .default_value = "0", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "Steps between two lines of forces.csv: forces and torques on bodies, in the units of "
             "the output; total: on all solids. 0: no forces."},
    {KEY(INT, forces.begin), .default_value = "0", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "results.json has means of the lines of forces.csv after this step."},
    {KEY(LIST, forces.bodies), .default_value = "()",
     .help = "The solids on which forces are recorded; if not given, each solid.",
     .elements = body_rows, .element_size = sizeof(wabe_body_options)},
    {KEY(WORD, initial.kind), .default_value = "rest",
     .words = "rest|uniform|taylor_green|taylor_green_3d|file|profile|turbulent_channel",
     .help = "Initial state: rest, a uniform velocity, the Taylor-Green vortex in x and y, which "
             "decays, or in all directions, which becomes turbulent, the fields of a file, "
             "everywhere the wind profile of the first face that has one, or the mean of a "
             "turbulent flow along two no_slip faces, or one (Reichardt's law). Vortices need a "
             "periodic domain without solids."},
    {KEY(STRING, initial.file), .default_value = "",
     .help = "With kind file: fields_STEP.hdf of another run, f32 or f64, of the whole domain, "
             "with velocity and with pressure or density. A domain with other numbers of cells in "
             "the same ratios is scaled: the state is interpolated linearly between cells, and "
             "populations begin at its equilibrium. The file names its units; lattice units are "
             "used without conversion."},
    {KEY(REAL3, initial.velocity), .default_value = "[0, 0, 0]", WABE_RANGE(-1, 1),
     .unit = "lattice units",
     .help =
         "The uniform velocity; for the vortex, [amplitude, 0, 0]; for turbulent_channel, the mean "
         "over the height (if not given, the one that lbm.force keeps up). With kind file it "
         "serves as a reference only: see lbm.velocity."},
    {KEY(REAL, initial.perturbation.velocity), .default_value = "0", WABE_RANGE(0, 0.5),
     .unit = "lattice units",
     .help = "Eddies without divergence that are added to the initial state: the root mean square "
             "of each component of their velocity over the domain; 0: none. They vanish at faces "
             "that are not periodic."},
    {KEY(REAL, initial.perturbation.length), .default_value = "unset", WABE_RANGE(4, 1024),
     .unit = "cells",
     .help = "Their integral length scale. They are waves with von Karman's spectrum, the shortest "
             "8 cells long."},
    {KEY(INT, initial.perturbation.seed), .default_value = TEXT(WABE_PERTURBATION_SEED),
     WABE_RANGE(0, 1000000000), .help = "Another number makes other eddies."},
    {.path = NULL},
};
