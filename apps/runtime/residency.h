/* Where the state of a run is, if a GPU computes: in its memory, or streamed through it. What all
 * applications decide and report in the same way; each plans its own passes. */
#pragma once

#include "apps/runtime/run.h"
#include "sweeps/stream/window.h"

/* Share of a GPU's memory that buffers take, and drivers. */
#define WABE_RESIDENCY_SPARE 0.02
enum {
    WABE_RESIDENCY_UNIT = 2 << 20,  /* bytes: wabe_device_ring_unit of CUDA's devices */
    WABE_RESIDENCY_GPUS_OF_HOST = 2 /* that copy about as fast together as each would by itself;
                                       more share the bandwidth of the host's memory */
};

/* Does something hold for any process? Collective. */
bool wabe_residency_any(const wabe_run *run, bool mine);

/* Returns the number of GPUs through which processes of this node stream, sharing the bandwidth of
 * its memory. Collective. */
double wabe_residency_gpus_of_node(const wabe_run *run);

/* Returns why this process can stream no slab, whatever the application; NULL: it can. Local. */
const char *wabe_residency_obstacle(const wabe_run *run);
/* Decides by parallel.residency and memory whether the state is streamed. obstacle: why this
 * process cannot; NULL: it can. WABE_INPUT: "streamed" is asked for, but a process cannot.
 * Collective. */
wabe_status wabe_residency_decide(wabe_run *run, const char *obstacle, bool *streamed);

/* Checks the steps of a pass that the input asks for, of slabs that send planes to neighbours.
 * most: steps for which the thinnest slab has planes enough; thinnest: its planes. WABE_INPUT.
 * Local. */
wabe_status wabe_residency_check_steps(const wabe_run *run, int64_t most, int64_t thinnest);

/* Returns the status of a plan, with a message that names the key to be changed. window, others:
 * bytes of the smallest window, and of what is on the GPU beside it; room: of the GPU. Local. */
wabe_status wabe_residency_blame(const wabe_run *run, wabe_status status, double window,
                                 double others, double room);

/* Prints run->streamed, as a line of the table; warns of steps a pass that are not used. Local. */
void wabe_residency_print(const wabe_run *run);

/* What passes of the first process have moved. */
typedef struct {
    wabe_ring_shape ring;
    int64_t passes;
    wabe_window_traffic moved;
    double kernel_seconds;
} wabe_streamed_work;

/* Add it to results.json, and print it after the run. Local. */
void wabe_residency_put(const wabe_streamed_work *work, wabe_json *json);
void wabe_residency_print_copies(const wabe_run *run, const wabe_streamed_work *work);
