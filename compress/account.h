/*
 * What one clustering has of its caller: memory, all of which is taken and given back here and
 * counted, and time, which is given back for a while by pauses.
 *
 * For files in compress only.  Keeps no list of blocks: whoever takes one has to give it back,
 * with its size.  Usable in a signal handler if the memory source is.
 */
#ifndef TSPROF_ACCOUNT_H
#define TSPROF_ACCOUNT_H

#include <stddef.h>

#include "compress/clustering.h"

struct account {
    struct memory_source source;
    size_t held; /* bytes taken and not given back */
    /* See struct clustering_config. */
    void (*pause)(void *context);
    void *pause_context;
};

/*
 * So many cells or call paths are gone through between two pauses where each takes some ten
 * instructions.
 */
enum { STEPS_AT_ONCE = 256 };

/* Takes BYTES of uninitialised memory, aligned as the source aligns; NULL if out of memory. */
void *account_take(struct account *account, size_t bytes);

/* Gives MEMORY of BYTES back.  NULL is allowed. */
void account_give_back(struct account *account, void *memory, size_t bytes);

/*
 * Lets the caller of the clustering do something else for a while, if it has given a function
 * for that.  An iteration may be half added then, so that nothing may use the clustering
 * meanwhile but clustering_iterations.
 */
void account_pause(const struct account *account);

/* The end of the steps, of COUNT, that begin with FROM and are done before the next pause. */
static inline size_t steps_end(size_t from, size_t count)
{
    return count - from > STEPS_AT_ONCE ? from + STEPS_AT_ONCE : count;
}

/* The same of steps from the back: those from FROM - 1 down to what is returned. */
static inline size_t steps_end_back(size_t from)
{
    return from > STEPS_AT_ONCE ? from - STEPS_AT_ONCE : 0;
}

/* After the steps up to END, of COUNT: pauses, unless these were the last. */
static inline void steps_pause(const struct account *account, size_t end, size_t count)
{
    if (end < count)
        account_pause(account);
}

#endif
