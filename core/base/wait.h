/* How a thread waits for what others do: actively for a short time, since most waits are short and
 * to be woken takes longer. After that it gives its core away. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One wait; begins as {0}. */
typedef struct {
    int64_t since; /* nanoseconds; 0: it has not been asked yet */
} wabe_wait;

/* To be asked again and again: has this wait lasted so long that the core is others'? Local. */
bool wabe_wait_is_long(wabe_wait *wait);

/* For those who have to look themselves whether it is over, after each look: if the wait is long,
 * others get the core. Local. */
void wabe_wait_go_on(wabe_wait *wait);
