#include "core/base/closest.h"

enum {
    WORD_SIZE = 64, /* words of this length or more get no suggestions */
    FAR = WORD_SIZE,
};

static int smallest(int a, int b, int c) {
    int smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

/* Optimal string alignment distance. */
static int edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    unsigned char d[WORD_SIZE][WORD_SIZE];
    for (size_t i = 0; i <= a_length; i++) {
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (unsigned char)(i + j);
                continue;
            }
            int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            int best = smallest(d[i - 1][j] + 1, d[i][j - 1] + 1, change);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = smallest(best, best, d[i - 2][j - 2] + 1);
            d[i][j] = (unsigned char)best;
        }
    }
    return d[a_length][b_length];
}

int wabe_closest_distance(const char *typed, size_t typed_length, const char *word, size_t length) {
    if (typed_length >= WORD_SIZE || length >= WORD_SIZE)
        return FAR;
    const int longer = (int)(typed_length > length ? typed_length : length);
    const int shorter = (int)(typed_length > length ? length : typed_length);
    const int distance = edit_distance(typed, typed_length, word, length);
    return distance <= (longer < 6 ? 1 : longer / 3) && distance < shorter ? distance : FAR;
}

void wabe_closest_offer(wabe_closest *closest, int distance, const char *word, size_t length) {
    if (distance < FAR && (!closest->word || distance < closest->distance))
        *closest = (wabe_closest){word, length, distance};
}
