/* Rows of the keys of solids that applications share, whose options have a wabe_geometry_options
 * called geometry. */
#pragma once

#include "apps/lbm/grid_solids.h"

#define WABE_OBJECT_KEY(type, member) WABE_KEY(#member, type, wabe_object_options, member)

/* Of an element of geometry.objects. */
#define WABE_OBJECT_ROWS                                                                           \
    {WABE_OBJECT_KEY(WORD, shape), .words = "box|sphere|cylinder", .help = "Shape of the solid."}, \
        {WABE_OBJECT_KEY(REAL3, low), .default_value = "[0, 0, 0]", .unit = "cells",               \
         .help = "Box: its lower corner. Cylinder: one end of its axis."},                         \
        {WABE_OBJECT_KEY(REAL3, high), .default_value = "[0, 0, 0]", .unit = "cells",              \
         .help = "Box: its upper corner. Cylinder: the other end of its axis."},                   \
        {WABE_OBJECT_KEY(REAL3, center), .default_value = "[0, 0, 0]", .unit = "cells",            \
         .help = "Centre of a sphere."},                                                           \
        {WABE_OBJECT_KEY(REAL, radius), .default_value = "0", WABE_RANGE(0, 1e9), .unit = "cells", \
         .help = "Radius of a sphere or cylinder."},                                               \
    {                                                                                              \
        WABE_OBJECT_KEY(REAL, bore), .default_value = "0", WABE_RANGE(0, 1e9), .unit = "cells",    \
                                     .help = "Radius of a hole along a cylinder's axis."           \
    }

/* Of a wabe_wetted_object. section: that of the key contact_angle for all walls; least, most: what
 * contact angles may be, in degrees. */
#define WABE_WETTED_OBJECT_ROWS(section, least, most)                                              \
    WABE_OBJECT_ROWS, {                                                                            \
        WABE_KEY("contact_angle", REAL, wabe_wetted_object, contact_angle),                        \
            .default_value = "unset", WABE_RANGE(least, most), .unit = "degrees",                  \
            .help = "Unset: " section ".contact_angle."                                            \
    }
_Static_assert(offsetof(wabe_wetted_object, object) == 0, "rows of objects are those of both");
/* The key geometry.objects of these. */
#define WABE_WETTED_OBJECTS(options, rows)                                                         \
    {                                                                                              \
        WABE_SOLID_KEY(options, LIST, objects),                                                    \
            .default_value = "()",                                                                 \
            .help = "Solids, of which the first counts where they overlap; a cell is solid if "    \
                    "its centre lies in one. Lengths of geometry are in cells, from the domain's " \
                    "corner.",                                                                     \
            .elements = rows, .element_size = sizeof(wabe_wetted_object)                           \
    }

#define WABE_SOLID_KEY(options, type, member)                                                      \
    WABE_KEY("geometry." #member, type, options, geometry.member)

/* Voxels, spheres, a packed bed. */
#define WABE_PORE_ROWS(options)                                                                    \
    {WABE_SOLID_KEY(options, STRING, voxels.file), .default_value = "",                            \
     .help = "An image of labels, 8 bits each, such as a segmented tomography; \"\": none."},      \
        {WABE_SOLID_KEY(options, WORD, voxels.format), .default_value = "raw",                     \
         .words = "raw|hdf5",                                                                      \
         .help = "raw: bytes without a description. hdf5: a dataset of shape (nz, ny, nx)."},      \
        {WABE_SOLID_KEY(options, STRING, voxels.dataset), .default_value = "voxels",               \
         .help = "HDF5: the dataset's name."},                                                     \
        {WABE_SOLID_KEY(options, INT3, voxels.size), .default_value = "[0, 0, 0]",                 \
         WABE_RANGE(0, 1e6), .unit = "voxels",                                                     \
         .help = "raw: the size of the whole image along x, y, z."},                               \
        {WABE_SOLID_KEY(options, INT, voxels.header), .default_value = "0", WABE_RANGE(0, 1e12),   \
         .unit = "bytes", .help = "raw: size of the header before the first voxel."},              \
        {WABE_SOLID_KEY(options, WORD, voxels.order), .default_value = "x_fastest",                \
         .words = "x_fastest|z_fastest",                                                           \
         .help = "raw: the index that varies fastest from byte to byte."},                         \
        {WABE_SOLID_KEY(options, INT3, voxels.begin), .default_value = "[0, 0, 0]",                \
         WABE_RANGE(0, 1e6), .unit = "voxels",                                                     \
         .help = "The first voxel that is used, to crop the image."},                              \
        {WABE_SOLID_KEY(options, INT3, voxels.cells), .default_value = "[0, 0, 0]",                \
         WABE_RANGE(0, 1e6), .unit = "voxels",                                                     \
         .help = "Number of voxels used along x, y, z; 0: all up to the end."},                    \
        {WABE_SOLID_KEY(options, WORD, voxels.mirror), .default_value = "none",                    \
         .words = "none|x|y|xy|z|xz|yz|xyz",                                                       \
         .help =                                                                                   \
             "Axes along which the image is followed by its mirror image, so that opposite faces " \
             "match where the domain is periodic."},                                               \
        {WABE_SOLID_KEY(options, INT3, voxels.at), .default_value = "[0, 0, 0]",                   \
         WABE_RANGE(0, 1e6), .unit = "cells",                                                      \
         .help = "The cell at which the first voxel is placed; cells that the image does not "     \
                 "cover are "                                                                      \
                 "fluid, for example layers before and behind it."},                               \
        {WABE_SOLID_KEY(options, STRING, voxels.solid), .default_value = "\"1\"",                  \
         .help = "Labels that are solid, such as \"1\" or \"2,5-7\"."},                            \
        {WABE_SOLID_KEY(options, STRING, voxels.fluid), .default_value = "\"0\"",                  \
         .help = "Labels that are fluid. Any other label in the file is an error."},               \
        {WABE_SOLID_KEY(options, STRING, spheres.file), .default_value = "",                       \
         .help = "A CSV file with a sphere in each line: x, y, z, radius in cells; \"\": none."},  \
        {WABE_SOLID_KEY(options, WORD, spheres.array), .default_value = "none",                    \
         .words = "none|simple_cubic|body_centred|face_centred",                                   \
         .help = "A regular array of spheres."},                                                   \
        {WABE_SOLID_KEY(options, REAL, spheres.constant), .default_value = "unset",                \
         WABE_RANGE(1, 1e6), .unit = "cells",                                                      \
         .help = "The array's lattice constant; if not given, the number of cells along x."},      \
        {WABE_SOLID_KEY(options, REAL, spheres.radius), .default_value = "unset",                  \
         WABE_RANGE(1e-3, 1e6), .unit = "cells", .help = "Radius of the array's spheres."},        \
        {WABE_SOLID_KEY(options, WORD, bed.particle), .default_value = "none",                     \
         .words = "none|sphere|cylinder|ring",                                                     \
         .help = "A packed bed of these particles, which are dropped along -z and come to rest "   \
                 "on each other."},                                                                \
        {WABE_SOLID_KEY(options, REAL, bed.diameter), .default_value = "unset",                    \
         WABE_RANGE(1, 1e6), .unit = "cells", .help = "Outer diameter of a particle."},            \
        {WABE_SOLID_KEY(options, REAL, bed.length), .default_value = "unset", WABE_RANGE(1, 1e6),  \
         .unit = "cells", .help = "Length of cylinders and rings; if not given, their diameter."}, \
        {WABE_SOLID_KEY(options, REAL, bed.bore), .default_value = "unset", WABE_RANGE(0, 1e6),    \
         .unit = "cells", .help = "Inner diameter of rings; if not given, 0.6 of the outer one."}, \
        {WABE_SOLID_KEY(options, REAL, bed.spread), .default_value = "0", WABE_RANGE(0, 0.5),      \
         .help = "Standard deviation of the sizes, relative to their mean."},                      \
        {WABE_SOLID_KEY(options, REAL3, bed.low), .default_value = "unset", .unit = "cells",       \
         .help = "Lower corner of the bed's container; if not given, the domain's."},              \
        {WABE_SOLID_KEY(options, REAL3, bed.high), .default_value = "unset", .unit = "cells",      \
         .help = "Upper corner of the bed's container; if not given, the domain's."},              \
        {WABE_SOLID_KEY(options, WORD, bed.container), .default_value = "channel",                 \
         .words = "channel|tube",                                                                  \
         .help = "channel: between the domain's faces, or unbounded where they are periodic. "     \
                 "tube: the largest round tube that fits; everything outside it is solid."},       \
        {WABE_SOLID_KEY(options, REAL, bed.porosity), .default_value = "0", WABE_RANGE(0, 0.99),   \
         .help = "The porosity that the bed must have, within 0.01; 0: any."},                     \
    {                                                                                              \
        WABE_SOLID_KEY(options, INT, bed.seed),                                                    \
            .default_value = "1", WABE_RANGE(0, 1e15),                                             \
            .help = "Seed of the random numbers: the same seed gives the same bed."                \
    }
