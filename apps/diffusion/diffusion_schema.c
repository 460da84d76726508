/* The keys of a diffusion case beside those of all applications: a row each. */
#include "apps/diffusion/diffusion.h"

#define KEY(type, member) WABE_KEY(#member, type, wabe_diffusion_options, member)

#define FACE_KEY(type, face, place, member)                                                        \
    WABE_KEY("boundaries." face "." #member, type, wabe_diffusion_options, faces[place].member)
#define FACE(face, place)                                                                          \
    {FACE_KEY(WORD, face, place, kind), .default_value = "periodic",                               \
     .words = "periodic|dirichlet|neumann",                                                        \
     .help = "What holds at this face. Opposite faces are periodic together."},                    \
        {FACE_KEY(REAL, face, place, value), .default_value = "0.0",                               \
         .help = "The value at the face, if it is dirichlet."},                                    \
    {                                                                                              \
        FACE_KEY(REAL, face, place, gradient),                                                     \
            .default_value = "0.0", .unit = "1/length",                                            \
            .help = "The derivative along the outward normal there, if it is neumann."             \
    }

const wabe_option wabe_diffusion_option_rows[] = {
    {WABE_KEY("domain.spacing", REAL, wabe_diffusion_options, spacing), .default_value = "1.0",
     WABE_RANGE(1e-30, 1e30), .unit = "length",
     .help = "Edge of a cell, in the unit that all lengths are given in."},
    {KEY(REAL, diffusion.diffusivity), WABE_RANGE(0, 1e30), .unit = "length^2/time",
     .help = "kappa; with a map, of cells where that is 1."},
    {KEY(STRING, diffusion.map.file), .default_value = "",
     .help =
         "An HDF5 file with a factor of the diffusivity for each cell, at least 0. Between cells "
         "there is the harmonic mean."},
    {KEY(STRING, diffusion.map.dataset), .default_value = "",
     .help = "Its dataset of numbers, shape (nz, ny, nx); unset: \"diffusivity\"."},
    {KEY(REAL, diffusion.time_step), .default_value = "unset", WABE_RANGE(1e-30, 1e30),
     .unit = "time",
     .help = "At most domain.spacing^2 / (6 kappa) with the largest kappa, beyond which it is "
             "unstable; unset: three "
             "quarters of that."},
    {KEY(WORD, diffusion.storage), .default_value = "f64", .words = "f64|f32",
     .help = "What values are stored as, and computed in."},
    {KEY(INT, diffusion.steps_per_pass), .default_value = "0", WABE_RANGE(0, 64), .unit = "steps",
     .help = "Time steps of one pass over memory, with the same bits: up to 4, 1 with a map, and "
             "no more than a slab has cells along an axis that is cut "
             "or periodic. 0: as many as are fastest by the kernels' cost model."},
    {KEY(STRING, diffusion.kernel), .default_value = "",
     .help = "A part of the name of the kernel that must be taken (wabe kernels lists them)."},
    WABE_EACH_FACE(FACE),
    {KEY(WORD, initial.kind), .default_value = "constant", .words = "constant|mode|gaussian|file",
     .help = "constant: initial.value. mode: beside that a product of waves that keep their shape "
             "between these faces. gaussian: beside it a bell. file: every value from an HDF5 "
             "dataset."},
    {KEY(STRING, initial.file), .default_value = "", .help = "Of kind file: the HDF5 file."},
    {KEY(STRING, initial.dataset), .default_value = "value",
     .help =
         "Its dataset of numbers, shape (nz, ny, nx). A file that Wabe has written has them as "
         "\"VTKHDF/PointData/value\", in single precision: runs with f32 go on from it exactly."},
    {KEY(REAL, initial.value), .default_value = "0.0", .help = "The value far from all else."},
    {KEY(REAL, initial.amplitude), .default_value = "1.0",
     .help = "Height of the mode, or of the bell."},
    {KEY(INT3, initial.waves), .default_value = "[1, 1, 1]", WABE_RANGE(0, 1e6),
     .help = "Of a mode: waves along x, y, z; half waves between walls. 0: constant along it."},
    {KEY(REAL3, initial.center), .default_value = "unset", .unit = "length",
     .help = "Of the bell, from the domain's corner; unset: the domain's middle."},
    {KEY(REAL, initial.width), .default_value = "unset", WABE_RANGE(1e-30, 1e30), .unit = "length",
     .help = "Of the bell: its standard deviation; unset: a tenth of the shortest edge."},
    {.path = NULL},
};
