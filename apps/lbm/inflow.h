/* Wind profiles: the velocity of a face of kind "velocity" as a function of the height. Each level
 * of cells has a condition of its own, so that kernels need not know of profiles. */
#pragma once

#include "core/config/option.h"
#include "core/geometry/geometry.h"

typedef enum {
    WABE_PROFILE_NONE,
    WABE_PROFILE_LOGARITHMIC,
    WABE_PROFILE_POWER,
    WABE_PROFILE_PARABOLIC,
    WABE_PROFILE_TABLE
} wabe_profile_kind;
#define WABE_PROFILE_WORDS "none|logarithmic|power|parabolic|table"

/* The group profile of a face, as read. Lengths are in cells; NAN: not given. */
typedef struct {
    int kind, up;
    double height, roughness, displacement, exponent;
    char file[WABE_STRING_SIZE];
} wabe_profile_options;

/* The profile of a face. */
typedef struct {
    wabe_profile_kind kind; /* none: the face has no profile */
    int up;                 /* axis along which heights are measured */
    int64_t level_count;    /* cells along it */
    uint8_t *conditions;    /* by level, an index of the geometry's conditions */
    int condition_count;    /* they are consecutive */
    double most;            /* largest speed, in cells per step */
    double error;           /* by which a level's speed differs from what its condition has */
} wabe_inflow;

/* Makes the profiles of all faces: appends their conditions to those of the geometry, conditions,
 * and enters the levels. The face's own condition has the velocity at the profile's height. Levels
 * that are more than the conditions left share them with neighbours: where the profile is steep,
 * with fewer. WABE_INPUT: keys that contradict each other, with the key's line, or a malformed
 * table; WABE_FILE; WABE_MEMORY. Local. */
wabe_status wabe_inflow_make(const wabe_config *config,
                             const wabe_profile_options *const options[WABE_FACES],
                             wabe_geometry *geometry, wabe_condition *conditions,
                             wabe_inflow out[WABE_FACES]);
void wabe_inflow_free(wabe_inflow inflows[WABE_FACES]);

/* Returns the first face with a profile; -1: none has one. Local. */
int wabe_inflow_first(const wabe_inflow inflows[WABE_FACES]);

/* Returns the velocity of a level along an axis, in cells per step. Local. */
static inline double wabe_inflow_velocity(const wabe_inflow *inflow,
                                          const wabe_condition *conditions, int64_t level,
                                          int axis) {
    return conditions[inflow->conditions[level]].velocity[axis];
}

/* Prints a line for each profile. Local. */
void wabe_inflow_print(const wabe_inflow inflows[WABE_FACES], const wabe_condition *conditions);
