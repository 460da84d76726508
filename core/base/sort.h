/* Sorting of many items by whole numbers. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

/* Sorts items by their first words; each item is so many words long. Those with equal first words
 * keep their order. WABE_MEMORY: it takes as much memory as the items. Local. */
wabe_status wabe_sort_words(uint64_t *items, int64_t count, int words);
