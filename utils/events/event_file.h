/* Reads the events of one process from the file beside its part (doc/parts.md, "Events"). */
#ifndef TSPROF_EVENT_FILE_H
#define TSPROF_EVENT_FILE_H

#include "archive/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A process, as its part tells of it. */
struct event_owner {
    uint32_t process;
    uint64_t started;
};

struct event_file {
    unsigned char *bytes;
    size_t size;
    const struct event_series *series; /* EVENT_FILE_SERIES of each thread */
    const struct event_lost *lost;     /* likewise; NULL: the file does not tell */
    const int64_t *ended;              /* one of each thread, likewise */
    struct recording recording;
};

/* The name of the file beside the part PATH, for free(). */
char *event_file_name(const char *path);

/*
 * Reads the file PATH as it is now.  False if there is none, or it is not that of OWNER; then
 * and later event_file_close frees.  A message says what is wrong with one that is damaged.
 */
bool event_file_open(struct event_file *file, const char *path,
                     const struct event_owner *owner);
void event_file_close(struct event_file *file);

/* The series of a thread, EVENT_FILE_SERIES of them; all zeros if the file has none. */
const struct event_series *event_file_series(const struct event_file *file, uint32_t thread);

/* What THREAD let go of each series; NULL: the file does not tell. */
const struct event_lost *event_file_lost(const struct event_file *file, uint32_t thread);

/* When THREAD ended recording for want of memory; 0: it did not, or the file does not tell. */
int64_t event_file_ended_ns(const struct event_file *file, uint32_t thread);

/* What the events of a thread refer to. */
struct event_uses {
    bool any;
    uint32_t begun[EVENT_FILE_SERIES]; /* node with which iterations begin; UINT32_MAX: none */
};

/*
 * Finds what the events of THREAD refer to, up to the first call or iteration at a node which
 * is not one of the COUNT in USED, where those that occur are marked.  Of passes of loops, the
 * nodes around them do not tell of what series they are.
 */
struct event_uses event_file_mark(const struct event_file *file, uint32_t thread, bool *used,
                                  size_t count);

#endif
