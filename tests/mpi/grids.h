/* Iterates over all grids of processes. */
#pragma once

#include "tests/mpi/check.h"

#include <stdbool.h>
#include <stdint.h>

/* Finds the next grid of all processes with at most so many along each axis; start with {1, 0}.
 * Returns false after the last one. */
static inline bool grids_next(const int64_t most[3], int64_t grid[3]) {
    do {
        if (++grid[1] > check_size) {
            grid[0]++;
            grid[1] = 1;
        }
        if (grid[0] > check_size)
            return false;
        grid[2] = check_size / grid[0] / grid[1];
    } while (grid[0] * grid[1] * grid[2] != check_size || grid[0] > most[0] || grid[1] > most[1] ||
             grid[2] > most[2]);
    return true;
}
