/* Hash functions. */
#pragma once

#include "core/base/host_device.h"

#include <stdint.h>
#include <string.h>

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
WABE_HOST_DEVICE uint64_t wabe_hash_mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/* Hashes bytes: FNV-1a by words in four independent chains, so that multiplications overlap. */
WABE_HOST_DEVICE uint64_t wabe_hash_bytes(const void *values, int64_t bytes) {
    const uint64_t prime = 1099511628211u;
    const char *at = (const char *)values;
    uint64_t sums[4] = {1, 2, 3, 4}, words[4];
    for (; bytes > 0; at += sizeof words, bytes -= (int64_t)sizeof words) {
        for (int i = 0; i < 4; i++)
            words[i] = 0;
        memcpy(words, at, bytes < (int64_t)sizeof words ? (size_t)bytes : sizeof words);
        for (int i = 0; i < 4; i++)
            sums[i] = (sums[i] ^ words[i]) * prime;
    }
    return wabe_hash_mix(sums[0] +
                         wabe_hash_mix(sums[1] + wabe_hash_mix(sums[2] + wabe_hash_mix(sums[3]))));
}
