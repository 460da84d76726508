/* The keys of a dendrite case beside those of all applications: a row each. */
#include "apps/dendrite/dendrite.h"

#define KEY(type, member) WABE_KEY(#member, type, wabe_dendrite_options, member)
#define NUCLEUS_KEY(type, member) WABE_KEY(#member, type, wabe_dendrite_nucleus, member)

#define FACE_KEY(type, face, place, member)                                                        \
    WABE_KEY("boundaries." face "." #member, type, wabe_dendrite_options, faces[place].member)
#define FACE(face, place)                                                                          \
    {FACE_KEY(WORD, face, place, kind), .default_value = "mirror",                                 \
     .words = "mirror|periodic|fixed",                                                             \
     .help = "mirror: nothing flows through this face. periodic: the domain continues at the "     \
             "opposite face, which must be periodic too. fixed: a given temperature."},            \
    {                                                                                              \
        FACE_KEY(REAL, face, place, temperature),                                                  \
            .default_value = "unset", .unit = "K",                                                 \
            .help =                                                                                \
                "The temperature at a fixed face (karma_rappel: dimensionless, 0 at melting); "    \
                "unset: that of the undercooled melt. Alloys: the melt's initial concentration."   \
    }

static const wabe_option nucleus_rows[] = {
    {NUCLEUS_KEY(REAL3, center), .unit = "length", .help = "Its centre."},
    {NUCLEUS_KEY(REAL, radius), WABE_POSITIVE, .unit = "length", .help = "Its radius."},
    {.path = NULL},
};

const wabe_option wabe_dendrite_option_rows[] = {
    {WABE_KEY("domain.spacing", REAL, wabe_dendrite_options, spacing), .default_value = "20e-9",
     WABE_POSITIVE, .unit = "length", .help = "Edge of a cell, in the unit of all lengths."},
    {KEY(WORD, dendrite.model), .default_value = "pure_metal",
     .words = "pure_metal|karma_rappel|alloy",
     .help =
         "pure_metal: phi from 0 (liquid) to 1 (solid), units m, s, K; the interface moves by "
         "the kinetic coefficient (Shimokawabe et al., SC11). karma_rappel: phi from -1 to 1, "
         "any units of length and time, no kinetic effect (thin-interface limit). alloy: the same "
         "phase, at constant temperature in a dilute binary alloy whose solute does not diffuse "
         "in the solid (Karma 2001, with anti-trapping); the concentration takes the place of "
         "the temperature, and is 1 in melt that is in equilibrium with a flat crystal."},
    {KEY(WORD, dendrite.storage), .default_value = "f32", .words = "f64|f32",
     .help = "What values are stored as, and computed in."},
    {KEY(STRING, dendrite.kernel), .default_value = "",
     .help = "A part of the name of the kernel that must be taken (wabe kernels lists them)."},
    {KEY(REAL, dendrite.time_step), .default_value = "unset", WABE_POSITIVE, .unit = "time",
     .help = "Unset: nine tenths of the largest stable one."},
    {KEY(REAL, dendrite.interface_width), WABE_POSITIVE, .unit = "length",
     .help =
         "pure_metal: from phi = 0.1 to 0.9. karma_rappel, alloy: W0; the phase of a flat "
         "interface is "
         "tanh(x / (sqrt(2) W0)), so that a tenth to nine tenths are 3.1 W0 apart. The distance "
         "from a tenth to nine tenths must be at least 3 cells, usually 4 to 8."},
    {KEY(REAL, dendrite.undercooling), WABE_POSITIVE,
     .help =
         "Of the melt below the melting temperature, in units of latent_heat / heat_capacity. "
         "alloy: the supersaturation (1 - c) / (1 - k) of melt of concentration c, below 1 / (1 - "
         "k), k the partition coefficient."},
    {KEY(REAL, dendrite.anisotropy), .default_value = "0.04", WABE_RANGE(0, 0.3),
     .help =
         "g of the interface energy's factor 1 - 3 g + 4 g (nx^4 + ny^4 + nz^4). Beyond 1/15 the "
         "equilibrium shape has missing orientations."},
    {KEY(REAL3, dendrite.orientation), .default_value = "[0.0, 0.0, 0.0]", WABE_RANGE(-360, 360),
     .unit = "degrees",
     .help =
         "Bunge's Euler angles of the crystals: turns about z, then x, then z, each in the axes "
         "that are turned already."},
    {KEY(REAL, dendrite.noise), .default_value = "0.0", WABE_RANGE(0, 1),
     .help = "Amplitude of the noise at the interface that grows side branches, such as 0.01."},
    {KEY(INT, dendrite.noise_seed), .default_value = "0", WABE_RANGE(0, 1e15),
     .help = "Another number gives other noise."},
    {KEY(REAL, dendrite.diffusivity), .default_value = "1.55e-5", WABE_POSITIVE,
     .unit = "length^2/time",
     .help = "Of heat; alloy: of the solute in the melt. The defaults here and below are those of "
             "nickel, for pure_metal."},
    {KEY(REAL, dendrite.melting_temperature), .default_value = "1728.0", WABE_POSITIVE, .unit = "K",
     .help = "Of pure_metal, as are the next four."},
    {KEY(REAL, dendrite.latent_heat), .default_value = "2.35e9", WABE_POSITIVE, .unit = "J/m^3",
     .help = "Set free by solidification."},
    {KEY(REAL, dendrite.heat_capacity), .default_value = "5.42e6", WABE_POSITIVE,
     .unit = "J/(m^3 K)", .help = "Of solid and melt."},
    {KEY(REAL, dendrite.surface_energy), .default_value = "0.37", WABE_POSITIVE, .unit = "J/m^2",
     .help = "Of the interface."},
    {KEY(REAL, dendrite.kinetic_coefficient), .default_value = "2.0", WABE_POSITIVE,
     .unit = "m/(s K)", .help = "Velocity of a flat interface for each kelvin of undercooling."},
    {KEY(REAL, dendrite.capillary_length), .default_value = "unset", WABE_POSITIVE,
     .unit = "length", .help = "Of karma_rappel and alloy, required there."},
    {KEY(REAL, dendrite.partition_coefficient), .default_value = "unset", WABE_RANGE(1e-3, 0.999),
     .help = "Of alloy, required there: concentration of the crystal over that of melt in "
             "equilibrium with it."},
    {KEY(LIST, dendrite.nuclei), .default_value = "()", .help = "Solid spheres at the start.",
     .elements = nucleus_rows, .element_size = sizeof(wabe_dendrite_nucleus)},
    {KEY(INT, dendrite.random_nuclei.count), .default_value = "0", WABE_RANGE(0, 100000),
     .help = "Number of nuclei at random places, besides dendrite.nuclei."},
    {KEY(REAL, dendrite.random_nuclei.radius), .default_value = "unset", WABE_POSITIVE,
     .unit = "length", .help = "Their radius; unset: two widths of the interface."},
    {KEY(INT, dendrite.random_nuclei.seed), .default_value = "0", WABE_RANGE(0, 1e15),
     .help = "Another number gives other places."},
    WABE_EACH_FACE(FACE),
    {.path = NULL},
};
