/* All grids of processes, one after the other. */
#pragma once

#include "tests/mpi/check.h"

#include <stdbool.h>
#include <stdint.h>

/* The next grid of all processes with at most so many along each axis; false: there is none. The
 * first one comes after {1, 0}. */
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
