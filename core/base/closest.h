/* "Did you mean": finds the known word that is closest to the typed one. */
#pragma once

#include <stddef.h>

typedef struct {
    const char *word; /* NULL: none is close */
    size_t length;
    int distance;
} wabe_closest;

/* Returns the edit distance in bytes: insertions, deletions, replacements and swaps of adjacent
 * bytes. Returns a large number if the word is unlikely to be meant: more than a third of the
 * longer word differs (more than one byte if it is shorter than 6), or all of the shorter one, or a
 * word has 64 bytes or more. Local. */
int wabe_closest_distance(const char *typed, size_t typed_length, const char *word, size_t length);

/* Stores the word in closest if the distance is not large, and less than all before. Local. */
void wabe_closest_offer(wabe_closest *closest, int distance, const char *word, size_t length);
