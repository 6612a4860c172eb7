/*
 * Formats lists of ranks for people: "0-3,8,10-11".
 */
#ifndef TSPROF_RANK_LIST_H
#define TSPROF_RANK_LIST_H

#include "print/text.h"

#include <stdint.h>

/* Start from all zeros; free `text` at the end. */
struct rank_list {
    struct text text;
    uint32_t first, last;
    size_t count; /* different ranks */
    size_t threads;
};

/* Adds a rank.  Ranks must come in ascending order; one may come once for each of its threads.
 */
void rank_list_add(struct rank_list *list, uint32_t rank);

/* Completes the text and returns it.  Call once, after the last rank. */
const char *rank_list_end(struct rank_list *list);

#endif
