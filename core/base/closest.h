/* "Did you mean": finds the known word that is closest to the typed one. */
#pragma once

#include <stddef.h>

typedef struct {
    const char *word; /* NULL: none is close */
    size_t length;
    int distance;
} wabe_closest;

/* Returns the edit distance: insertions, deletions, replacements and swaps of adjacent letters. It
 * is a large number if too many letters differ for the word to be meant: more than a third of the
 * longer one, or more than one in short words. Local. */
int wabe_closest_distance(const char *typed, size_t typed_length, const char *word, size_t length);

/* Stores the word in closest if it is closer than all before it. Local. */
void wabe_closest_offer(wabe_closest *closest, int distance, const char *word, size_t length);
