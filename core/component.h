/* Compute components of a node: what a slab of the domain is computed on.
 *
 * The only place that starts threads. Kernels are handed ranges of items; a component's threads
 * each begin with their own share (so that first touch and later use fall on the same core) and
 * then help whoever is behind, which leaves one thread free to drive communication. */
#ifndef WABE_CORE_COMPONENT_H
#define WABE_CORE_COMPONENT_H

#include "core/status.h"
#include "core/words.h"

#include <stdint.h>

typedef struct {
    char name[32];
    wabe_target target;
    wabe_instruction_set instruction_set; /* the widest that the processor has */
    int threads;
} wabe_component;

typedef void (*wabe_component_work)(void *context, int64_t begin, int64_t end);
typedef void (*wabe_component_progress)(void *context);

/* The processors that this process may use, as one component. threads <= 0: as many as OpenMP would
 * start (OMP_NUM_THREADS, or the cores in this process's affinity mask). Local. */
wabe_component wabe_component_detect(int threads);

/* Runs work over items 0 to count - 1 on all threads of the component and returns when all are
 * done. progress (or NULL) is called by the calling thread between its pieces: MPI may be used
 * there. Local. */
void wabe_component_for(const wabe_component *component, int64_t count, wabe_component_work work,
                        void *context, wabe_component_progress progress, void *progress_context);

/* The same without help for others: each thread works on its own share alone, so that memory that
 * it touches first lies near to it. Local. */
void wabe_component_for_own(const wabe_component *component, int64_t count,
                            wabe_component_work work, void *context);

/* The processor's name, and the bytes of memory that this process could still get (the system's
 * available memory, or what the control group leaves). Local. */
void wabe_component_processor_name(char *name, int size);
int64_t wabe_component_available_memory(void);

#endif
