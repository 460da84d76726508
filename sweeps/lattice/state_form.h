/* Nineteen populations of cells as ten moments, and back, for restarts with another streaming
 * pattern. */
#pragma once

#include "core/device/field.h"
#include "sweeps/cell/lbm.h"

/* Converts count cells, stored as type (f64 or f32), from one form to another. Arrays have one
 * number of all cells after the other, [number][cell]; to and from differ in size. Populations that
 * a regularized collision has left are the same but for rounding; of others, what ten moments do
 * not hold is lost. Local. */
void wabe_state_to_moments(wabe_type type, int64_t count, const void *populations, void *moments);
/* third: with third moments, which follow from the ten (WABE_STATE_THIRD). */
void wabe_state_to_populations(wabe_type type, bool third, int64_t count, const void *moments,
                               void *populations);
