/*
 * The run that a synthetic summary is of, as it was asked for.
 */
#ifndef TSPROF_SYNTHETIC_H
#define TSPROF_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>

enum { DIMENSIONS_MOST = 3, PATHS_LEAST = 12, CLUSTERS_LEAST = 3, RANKS_PER_HOST = 64 };

struct synthetic {
    unsigned iterations; /* 0: there is no series */
    unsigned ranks;
    unsigned paths;    /* nodes of the call tree; at least PATHS_LEAST */
    unsigned clusters; /* most on a rank; at least CLUSTERS_LEAST */
    unsigned dimensions, sizes[DIMENSIONS_MOST]; /* their product is the number of ranks */
    bool grid; /* there is a Cartesian topology of these dimensions */
    uint64_t seed;
    const char *phase, *region; /* names of the main loop and of what computes most */
};

/* A number from 0 to below 1 that SEED and the others determine. */
static inline double synthetic_chance(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t mixed = seed;
    const uint64_t parts[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        mixed = (mixed ^ parts[i]) * UINT64_C(0x9E3779B97F4A7C15);
        mixed = (mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93);
        mixed ^= mixed >> 29;
    }
    return (double)(mixed >> 11) * 0x1p-53;
}

#endif
