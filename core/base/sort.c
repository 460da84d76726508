/* Radix sort, beginning with the lowest digits: a pass for each digit deals the items out from one
 * array to another. */
#include "core/base/sort.h"

#include <stdlib.h>

enum { BITS = 11, DIGITS = 1 << BITS, PASSES = 6 }; /* an even number: the last fills items */

static void deal(const uint64_t *from, uint64_t *to, int64_t count, int words, int shift) {
    int64_t places[DIGITS] = {0}, next = 0;
    for (int64_t i = 0; i < count; i++)
        places[from[i * words] >> shift & (DIGITS - 1)]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        const int64_t first = next;
        next += places[digit];
        places[digit] = first;
    }
    for (int64_t i = 0; i < count; i++) {
        uint64_t *place = to + words * places[from[i * words] >> shift & (DIGITS - 1)]++;
        for (int k = 0; k < words; k++)
            place[k] = from[i * words + k];
    }
}

wabe_status wabe_sort_words(uint64_t *items, int64_t count, int words) {
    uint64_t *other = malloc((size_t)(count * words + 1) * sizeof *other);
    WABE_CHECK(other, WABE_MEMORY, "no memory to sort %lld numbers", (long long)count);
    for (int pass = 0; pass < PASSES; pass += 2) {
        deal(items, other, count, words, pass * BITS);
        deal(other, items, count, words, (pass + 1) * BITS);
    }
    free(other);
    return WABE_OK;
}
