/*
 * The hosts of a run, each listed once: consecutive ranks may be on different hosts.  A host is
 * identified by its name and all its facts.  Program context; memory from malloc.
 */
#ifndef TSPROF_HOSTS_H
#define TSPROF_HOSTS_H

#include "assemble/texts.h"
#include "common/codec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from all zeros. */
struct hosts {
    struct texts texts; /* their descriptions */
};

enum { HOSTS_NONE = TEXTS_NONE };

/*
 * Returns the number of a host, which is added if it is new; HOSTS_NONE without memory.  TEXT
 * has the LENGTH bytes of one host in the section SYSTEM (doc/format.md): its name and facts.
 */
uint32_t hosts_add(struct hosts *hosts, const void *text, size_t length);

/* Appends the section SYSTEM. */
void hosts_encode(const struct hosts *hosts, struct encoder *out);

/*
 * hosts_encode_message appends all hosts in the form that hosts_merge reads in another process.
 * hosts_merge adds them; MAP, from malloc, receives the new numbers of the COUNT hosts.  False
 * if the message is damaged or memory runs out.
 */
void hosts_encode_message(const struct hosts *hosts, struct encoder *out);
bool hosts_merge(struct hosts *hosts, struct decoder *in, uint32_t **map, uint32_t *count);

void hosts_free(struct hosts *hosts);

#endif
