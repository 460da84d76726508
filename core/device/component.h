/* Compute components of a node: what a slab of the domain is computed on. */
#pragma once

#include "core/base/enums.h"
#include "core/base/status.h"
#include "core/device/device.h"

#include <stdint.h>

enum {
    WABE_THREADS_MAX = 1024,
    WABE_GPU_GRAIN = 16 /* tiles: what a block of a GPU's threads works on */
};

typedef struct {
    char name[32];
    wabe_target target;
    wabe_instruction_set instruction_set; /* the widest that the hardware has */
    int threads, first_thread;            /* CPU: of the threads of the process */
    int core_count;                       /* CPU: that threads are bound to; 0: they are not */
    int cores[WABE_THREADS_MAX];
    wabe_device *device; /* GPU, otherwise NULL */
    int grain;           /* tiles of cells that are handed out at once */
} wabe_component;

/* The processors that this process may use, as one component. threads <= 0: as many as OpenMP would
 * start (OMP_NUM_THREADS, or the cores in this process's affinity mask). Local. */
wabe_component wabe_component_detect(int threads);

/* A GPU. WABE_INPUT: there is no such device. Local. */
wabe_status wabe_component_open_gpu(int index, wabe_component *out);

/* The processor's name, and the bytes of memory that this process could still get (the system's
 * available memory, or what the control group leaves). Local. */
void wabe_component_processor_name(char *name, int size);
int64_t wabe_component_available_memory(void);
/* Bytes of the cache that a core has for itself. Local. */
int64_t wabe_component_cache(void);
