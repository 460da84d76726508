/* Forces, velocities and pressures that depend on time: a factor for each step, from a table. */
#pragma once

#include "core/config/option.h"
#include "core/geometry/geometry.h"
#include "core/io/table.h"

/* The group lbm.force_in_time, or in_time of a face, as read. */
typedef struct {
    char file[WABE_STRING_SIZE]; /* "": constant */
    double scale;                /* steps per unit of the file's time */
    bool periodic;
} wabe_in_time_options;

/* The rows of a group; its key ends with a dot. */
#define WABE_IN_TIME_ROWS(group, options, member)                                                  \
    {WABE_KEY(group "file", STRING, options, member.file), .default_value = "",                    \
     .help = "A CSV file with rows of ascending time and factor, by which the force, or a "        \
             "face's velocity, or its density's distance from 1, is multiplied; linear between "   \
             "rows, and constant before and after them. Time counts from the start of the first "  \
             "run. \"\": no factor."},                                                             \
        {WABE_KEY(group "scale", REAL, options, member.scale), .default_value = "1",               \
         WABE_POSITIVE, .unit = "steps per unit of the file",                                      \
         .help = "The length of the file's unit of time."},                                        \
    {                                                                                              \
        WABE_KEY(group "periodic", BOOL, options, member.periodic),                                \
            .default_value = "false",                                                              \
            .help = "The factors repeat; the last row, which has the first one's factor, is the "  \
                    "first of the next period."                                                    \
    }

/* A key that is multiplied by the factor. */
typedef struct {
    const char *path; /* "boundaries.x_low.velocity" */
    double size;      /* largest component; of a density, its distance from 1 */
    const char *from; /* "", of a density " away from 1" */
    double most;      /* that it may have */
} wabe_in_time_key;

/* Reads the table of a group ("lbm.force_in_time"), whose places are then steps; without a file
 * out->count is 0. WABE_INPUT: keys without a file, a malformed table, a factor that makes the key
 * larger than it may be, or a key that is 0; WABE_FILE; WABE_MEMORY. Local. */
wabe_status wabe_in_time_make(const wabe_config *config, const char *group,
                              const wabe_in_time_options *options, const wabe_in_time_key *key,
                              wabe_table *out);
/* Prints a line about the tables of a group of keys. table NULL: none. Local. */
void wabe_in_time_print(const char *group, const wabe_table *table);

/* By how much velocities of faces in time exceed those that are given. Local. */
double wabe_in_time_most(const wabe_condition conditions[WABE_FACES]);
