/* Long tests have a short form, with fewer sizes, steps and combinations. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Is the full form asked for? */
static inline bool test_is_full(void) {
    const char *value = getenv("WABE_TEST_FULL");
    return value && strcmp(value, "1") == 0;
}
