/* Hashes of bits. */
#ifndef WABE_CORE_HASH_H
#define WABE_CORE_HASH_H

#include "core/anywhere.h"

#include <stdint.h>

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
WABE_ANYWHERE uint64_t wabe_hash_mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

#endif
