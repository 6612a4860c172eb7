/*
 * The hosts of a run, each once: ranks may come round robin.  A host is known by all that is
 * said of it.  Program context; memory from malloc.
 */
#ifndef TSPROF_HOSTS_H
#define TSPROF_HOSTS_H

#include "common/codec.h"
#include "common/index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from all zeros. */
struct hosts {
    struct encoder texts; /* what is said of each, one after the other */
    size_t *ends;         /* of each in `texts`, by number */
    struct index index;   /* by the text */
    uint32_t capacity;    /* of `ends` */
    uint32_t count;
};

enum { HOSTS_NONE = UINT32_MAX };

/*
 * The number of a host, added if new; HOSTS_NONE without memory.  The LENGTH bytes at TEXT are
 * as the section SYSTEM has them of one host (doc/format.md): its name and facts.
 */
uint32_t hosts_add(struct hosts *hosts, const void *text, size_t length);

/* Appends the section SYSTEM. */
void hosts_encode(const struct hosts *hosts, struct encoder *out);

/* Between processes: appends all hosts; takes in what that has written.  MAP, from malloc,
 * gives the COUNT hosts their new numbers.  False if it is damaged or memory is out. */
void hosts_encode_message(const struct hosts *hosts, struct encoder *out);
bool hosts_merge(struct hosts *hosts, struct decoder *in, uint32_t **map, uint32_t *count);

void hosts_free(struct hosts *hosts);

#endif
