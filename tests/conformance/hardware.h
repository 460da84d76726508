/* The hardware of a test program: the processor, emulated GPUs (argument "emulated"), or real ones
 * ("gpu"). */
#pragma once

#include "core/device/component.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { HARDWARE_SKIPPED = 77 }; /* exit code: nothing to test here */

static int hardware_gpus;      /* 0: the processor only */
static bool hardware_emulated; /* and the GPUs are */

/* Chooses the hardware by the program's argument. emulated: number of GPUs to emulate if requested.
 * Returns 0, or the exit code of a program that cannot test what is requested. Local. */
static inline int hardware_choose(int argc, char *argv[], int emulated) {
    const char *why = "";
    if (argc < 2)
        return 0;
    const bool emulate = strcmp(argv[1], "emulated") == 0;
    if (!emulate && strcmp(argv[1], "gpu") != 0) {
        fprintf(stderr, "usage: %s [emulated|gpu]\n", argv[0]);
        return 2;
    }
    hardware_emulated = emulate;
    if (emulate)
        wabe_devices_emulate(emulated);
    hardware_gpus = wabe_devices_count(&why);
    if (hardware_gpus == 0)
        printf("skipped: there is no GPU: %s\n", why);
    return hardware_gpus == 0 ? HARDWARE_SKIPPED : 0;
}

/* Opens one of the GPUs; indices wrap around. */
static inline wabe_status hardware_gpu(int index, wabe_component *out) {
    return wabe_component_open_gpu(index % hardware_gpus, out);
}
