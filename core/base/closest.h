/* "Did you mean": the known word that is closest to what was typed. */
#pragma once

#include <stddef.h>

typedef struct {
    const char *word; /* NULL: none is close */
    size_t length;
    int distance;
} wabe_closest;

/* How far a word is from what was typed: insertions, deletions, replacements and swaps of
 * neighbours. A large number, if so many letters differ that it will not have been meant: more than
 * a third of the longer one, or, of short words, more than one. Local. */
int wabe_closest_distance(const char *typed, size_t typed_length, const char *word, size_t length);

/* Takes a word at such a distance if none before was as close. Local. */
void wabe_closest_offer(wabe_closest *closest, int distance, const char *word, size_t length);
