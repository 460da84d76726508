/* Compute components of a node, on which slabs of the domain are computed: CPU cores or a GPU. */
#pragma once

#include "core/base/enums.h"
#include "core/base/status.h"
#include "core/device/device.h"

#include <stdint.h>

enum {
    WABE_THREADS_MAX = 1024,
    WABE_GPU_GRAIN = 16 /* tiles per thread block of a GPU */
};

typedef struct {
    char name[32];
    wabe_target target;
    wabe_instruction_set instruction_set; /* the widest that the hardware supports */
    int threads, first_thread;            /* CPU: its range of the process's threads */
    int core_count;                       /* CPU: cores to bind threads to; 0: none */
    int cores[WABE_THREADS_MAX];
    wabe_device *device; /* GPU; otherwise NULL */
    int users;           /* processes of the node that have this GPU; 0: they were not counted */
    int grain;           /* tiles of cells per work item */
} wabe_component;

/* Returns the CPU cores that this process may use, as one component. threads <= 0: as many as
 * OpenMP would start (OMP_NUM_THREADS, or the cores in this process's affinity mask); at most
 * WABE_THREADS_MAX. Local. */
wabe_component wabe_component_detect(int threads);

/* Opens a GPU as a component. WABE_INPUT: there is no such device, or it cannot be used. Local. */
wabe_status wabe_component_open_gpu(int index, wabe_component *out);

/* Gets the processor's name, truncated to size bytes. Local. */
void wabe_component_processor_name(char *name, int size);
/* Returns the bytes of memory that this process can still get: the system's available memory, or
 * what the control group leaves if that is less. Local. */
int64_t wabe_component_available_memory(void);
/* Returns the bytes of the level 3 cache that so many cores share; 0: there is none for so many.
 * Local. */
int64_t wabe_component_shared_cache(int cores);
/* Returns the bytes of a core's level 2 cache. Local. */
int64_t wabe_component_cache(void);
