/*
 * Counts the memory of one clustering: all of it is taken and given back here.
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
};

/* Takes BYTES of uninitialised memory, aligned as the source aligns; NULL if out of memory. */
void *account_take(struct account *account, size_t bytes);

/* Gives MEMORY of BYTES back.  NULL is allowed. */
void account_give_back(struct account *account, void *memory, size_t bytes);

#endif
