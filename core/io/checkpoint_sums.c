/* The checksums that detect damaged checkpoints. */
#include "core/io/checkpoint_internal.h"

#include "core/base/hash.h"
#include "core/device/field.h"

#include <string.h>

static uint64_t bits_of(const char *value, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, value, size); /* little-endian: the first bytes are the low ones */
    return bits;
}

#define GOLDEN 0x9e3779b97f4a7c15u /* 2^64 over the golden ratio: spreads the positions */

/* Returns the sum of the hashes of a row of numbers, which begins at place. size: bytes per number,
 * a constant at every call. */
static inline uint64_t sum_of_row(const char *values, int64_t count, uint64_t place, size_t size) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += wabe_hash_mix(bits_of(values + (size_t)i * size, size) +
                             (place + (uint64_t)i + 1) * GOLDEN);
    return sum;
}

void wabe_checkpoint_add_to_sums(const int64_t cells[3], wabe_box part, wabe_type type,
                                 const void *values, uint64_t *sums) {
    const size_t size = wabe_type_size(type);
    const char *at = values;
    const int64_t count = wabe_box_extent(part, 0);
    for (int64_t z = part.begin[2]; z < part.end[2]; z++)
        for (int64_t y = part.begin[1]; y < part.end[1]; y++) {
            const uint64_t place = (uint64_t)(part.begin[0] + cells[0] * (y + cells[1] * z));
            sums[z] += size == 8   ? sum_of_row(at, count, place, 8)
                       : size == 4 ? sum_of_row(at, count, place, 4)
                                   : sum_of_row(at, count, place, 2);
            at += (size_t)count * size;
        }
}

static uint64_t add_text(uint64_t hash, const char *text) {
    for (; *text; text++)
        hash = wabe_hash_mix(hash + (unsigned char)*text);
    return wabe_hash_mix(hash + 256);
}

static uint64_t add_integer(uint64_t hash, int64_t value) {
    return wabe_hash_mix(hash + (uint64_t)value);
}

uint64_t wabe_checkpoint_hash_head(const wabe_checkpoint_head *h) {
    uint64_t hash = add_text(add_text(1, h->application), h->configuration);
    hash = add_integer(add_integer(hash, h->step), h->array_count);
    hash = add_integer(add_integer(hash, h->type), h->number_count);
    hash = add_integer(hash, h->real_count);
    for (int d = 0; d < 3; d++)
        hash = add_integer(hash, h->cells[d]);
    for (int i = 0; i < h->number_count; i++)
        hash = add_integer(add_text(hash, h->numbers[i].name),
                           (int64_t)bits_of((const char *)&h->numbers[i].value, sizeof(double)));
    return hash;
}
