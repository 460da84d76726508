/* The keys of a diffusion case beside those of all applications: a row each. */
#include "apps/diffusion/diffusion.h"

#define AT(member) offsetof(wabe_diffusion_options, member)

#define FACE(face, place)                                                                          \
    {.path = "boundaries." face ".kind",                                                           \
     .type = WABE_OPTION_WORD,                                                                     \
     .offset = AT(faces[place].kind),                                                              \
     .default_value = "\"periodic\"",                                                              \
     .words = "periodic|dirichlet|neumann",                                                        \
     .help = "What holds at this face. Opposite faces are periodic together."},                    \
        {.path = "boundaries." face ".value",                                                      \
         .type = WABE_OPTION_REAL,                                                                 \
         .offset = AT(faces[place].value),                                                         \
         .default_value = "0.0",                                                                   \
         .help = "The value at the face, if it is dirichlet."},                                    \
        {.path = "boundaries." face ".gradient",                                                   \
         .type = WABE_OPTION_REAL,                                                                 \
         .offset = AT(faces[place].gradient),                                                      \
         .default_value = "0.0",                                                                   \
         .unit = "1/length",                                                                       \
         .help = "The derivative along the outward normal there, if it is neumann."},

const wabe_option wabe_diffusion_option_rows[] = {
    {.path = "domain.spacing",
     .type = WABE_OPTION_REAL,
     .offset = AT(spacing),
     .default_value = "1.0",
     .min = 1e-30,
     .max = 1e30,
     .unit = "length",
     .help = "Edge of a cell, in the unit that all lengths are given in."},
    {.path = "diffusion.diffusivity",
     .type = WABE_OPTION_REAL,
     .offset = AT(diffusion.diffusivity),
     .min = 0,
     .max = 1e30,
     .unit = "length^2/time",
     .help = "kappa; with a map, of cells where that is 1."},
    {.path = "diffusion.map.file",
     .type = WABE_OPTION_STRING,
     .offset = AT(diffusion.map.file),
     .default_value = "\"\"",
     .help =
         "An HDF5 file with a factor of the diffusivity for each cell, at least 0. Between cells "
         "there is the harmonic mean."},
    {.path = "diffusion.map.dataset",
     .type = WABE_OPTION_STRING,
     .offset = AT(diffusion.map.dataset),
     .default_value = "\"\"",
     .help = "Its dataset of numbers, shape (nz, ny, nx); unset: \"diffusivity\"."},
    {.path = "diffusion.time_step",
     .type = WABE_OPTION_REAL,
     .offset = AT(diffusion.time_step),
     .default_value = "unset",
     .min = 1e-30,
     .max = 1e30,
     .unit = "time",
     .help = "At most domain.spacing^2 / (6 kappa) with the largest kappa, beyond which it is "
             "unstable; unset: three "
             "quarters of that."},
    {.path = "diffusion.storage",
     .type = WABE_OPTION_WORD,
     .offset = AT(diffusion.storage),
     .default_value = "\"f64\"",
     .words = "f64|f32",
     .help = "What values are stored as, and computed in."},
    {.path = "diffusion.steps_per_pass",
     .type = WABE_OPTION_INT,
     .offset = AT(diffusion.steps_per_pass),
     .default_value = "0",
     .min = 0,
     .max = 64,
     .unit = "steps",
     .help = "Time steps of one pass over memory, with the same bits: up to 4, 1 with a map, and "
             "no more than a slab has cells along an axis that is cut "
             "or periodic. 0: as many as are fastest by the kernels' cost model."},
    {.path = "diffusion.kernel",
     .type = WABE_OPTION_STRING,
     .offset = AT(diffusion.kernel),
     .default_value = "\"\"",
     .help = "A part of the name of the kernel that must be taken (wabe kernels lists them)."},
    FACE("x_low", 0) FACE("x_high", 1) FACE("y_low", 2) FACE("y_high", 3) FACE("z_low",
                                                                               4) FACE("z_high", 5){
        .path = "initial.kind",
        .type = WABE_OPTION_WORD,
        .offset = AT(initial.kind),
        .default_value = "\"constant\"",
        .words = "constant|mode|gaussian|file",
        .help =
            "constant: initial.value. mode: beside that a product of waves that keep their shape "
            "between these faces. gaussian: beside it a bell. file: every value from an HDF5 "
            "dataset."},
    {.path = "initial.file",
     .type = WABE_OPTION_STRING,
     .offset = AT(initial.file),
     .default_value = "\"\"",
     .help = "Of kind file: the HDF5 file."},
    {.path = "initial.dataset",
     .type = WABE_OPTION_STRING,
     .offset = AT(initial.dataset),
     .default_value = "\"value\"",
     .help =
         "Its dataset of numbers, shape (nz, ny, nx). A file that Wabe has written has them as "
         "\"VTKHDF/PointData/value\", in single precision: runs with f32 go on from it exactly."},
    {.path = "initial.value",
     .type = WABE_OPTION_REAL,
     .offset = AT(initial.value),
     .default_value = "0.0",
     .help = "The value far from all else."},
    {.path = "initial.amplitude",
     .type = WABE_OPTION_REAL,
     .offset = AT(initial.amplitude),
     .default_value = "1.0",
     .help = "Height of the mode, or of the bell."},
    {.path = "initial.waves",
     .type = WABE_OPTION_INT3,
     .offset = AT(initial.waves),
     .default_value = "[1, 1, 1]",
     .min = 0,
     .max = 1e6,
     .help = "Of a mode: waves along x, y, z; half waves between walls. 0: constant along it."},
    {.path = "initial.center",
     .type = WABE_OPTION_REAL3,
     .offset = AT(initial.center),
     .default_value = "unset",
     .unit = "length",
     .help = "Of the bell, from the domain's corner; unset: the domain's middle."},
    {.path = "initial.width",
     .type = WABE_OPTION_REAL,
     .offset = AT(initial.width),
     .default_value = "unset",
     .min = 1e-30,
     .max = 1e30,
     .unit = "length",
     .help = "Of the bell: its standard deviation; unset: a tenth of the shortest edge."},
    {.path = NULL},
};
