/* Whom processes receive from in operations among neighbours, by communicator. */
#ifndef TSPROF_REPLAY_SOURCES_H
#define TSPROF_REPLAY_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sources;

/* NULL if out of memory. */
struct sources *sources_create(void);
void sources_free(struct sources *sources);

/* PROCESS receives from SOURCE on COMM; REPLAY_NONE: from those that are added after this, and
 * from no others.  False if out of memory. */
bool sources_add(struct sources *sources, uint32_t comm, uint32_t process, uint32_t source);

/* Whom PROCESS receives from on COMM: *COUNT processes, valid until the next is added.  NULL,
 * and 0: it is not known. */
const uint32_t *sources_of(const struct sources *sources, uint32_t comm, uint32_t process,
                           size_t *count);

#endif
