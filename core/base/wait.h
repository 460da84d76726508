/* How a thread waits for others: it polls for a short time, since most waits are short and waking
 * up takes longer. Then it yields its core. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The state of one wait; begins as {0}. */
typedef struct {
    int64_t since; /* start in nanoseconds; 0: not started */
} wabe_wait;

/* Returns whether this wait has lasted so long that the core should be left to others. Call it
 * after each unsuccessful poll. Local. */
bool wabe_wait_is_long(wabe_wait *wait);

/* Call it after each unsuccessful poll: if the wait is long, yields the core, or sleeps briefly if
 * others use it. Local. */
void wabe_wait_go_on(wabe_wait *wait);
