/* The components of a process, given as a word with a letter for each, in the order of their slabs
 * along z; c: a processor with one thread, g: a GPU. */
#pragma once

#include "core/device/component.h"
#include "tests/conformance/hardware.h"
#include "tests/mpi/check.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { EMULATED_GPUS = 3 }; /* per process */

static inline int components_gpus(const char *word) {
    int count = 0;
    for (const char *letter = word; *letter; letter++)
        count += *letter == 'g';
    return count;
}

/* Sets list and planes, the share of each component in planes_of_block; returns their number.
 * Processes use the GPUs in turn. */
static inline int components_make(const char *word, int64_t planes_of_block, wabe_component *list,
                                  int64_t *planes) {
    const int count = (int)strlen(word);
    int gpu = check_rank * components_gpus(word), threads = 0;
    for (int i = 0; i < count; i++) {
        planes[i] = planes_of_block * (i + 1) / count - planes_of_block * i / count;
        if (word[i] == 'g') {
            const wabe_status status = hardware_gpu(gpu++, &list[i]);
            CHECK(status == WABE_OK, "%s", wabe_error_message());
        } else {
            list[i] = wabe_component_detect(1);
            list[i].first_thread = threads++;
        }
    }
    return count;
}

/* Returns whether messages pass between GPUs, for a domain that is not periodic: whether two of
 * them are neighbours. */
static inline bool components_neighbour(const char *word, const int64_t processes[3]) {
    const bool beside = processes[0] > 1 || processes[1] > 1;
    const bool above = processes[2] > 1 && word[0] == 'g' && word[strlen(word) - 1] == 'g';
    return strstr(word, "gg") || (strchr(word, 'g') && beside) || above;
}
