/* Hashes of a few numbers, for common/index.h. */
#ifndef TSPROF_REPLAY_HASH_H
#define TSPROF_REPLAY_HASH_H

#include <stdint.h>

/* Mixes two numbers: a multiplication whose upper half is folded into the lower one. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    const unsigned __int128 product = (unsigned __int128)(a ^ UINT64_C(0x9E3779B97F4A7C15)) *
                                      (b ^ UINT64_C(0xD6E8FEB86659FD93));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
