/*
 * The names of hosts, each once, where the summary is written: ranks may come round robin.
 * Program context; memory from malloc.
 */
#ifndef TSPROF_HOSTS_H
#define TSPROF_HOSTS_H

#include "codec.h"

/* Start from all zeros. */
struct hosts {
    struct encoder names; /* as the summary has them, one after the other */
    uint32_t *places;     /* of each name in `names`, by number */
    uint32_t *buckets;    /* of numbers + 1, by the name's hash; twice as many as places */
    uint32_t capacity;    /* of places: a power of two */
    uint32_t count;
};

/* The number of a host with a name of LENGTH bytes, added if new. */
uint64_t hosts_add(struct hosts *hosts, const char *name, size_t length);

/* Appends their number and names, as SYSTEM begins (doc/format.md). */
void hosts_encode(const struct hosts *hosts, struct encoder *out);

void hosts_free(struct hosts *hosts);

#endif
