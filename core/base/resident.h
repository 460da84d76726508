/* The memory of this process, as the system counts it. */
#pragma once

#include <stdint.h>

typedef struct {
    int64_t now;  /* bytes that it has now, those of its libraries included */
    int64_t most; /* that it has had at once so far */
} wabe_resident;

/* Returns 0 of what the system does not say. Local. */
wabe_resident wabe_resident_memory(void);
