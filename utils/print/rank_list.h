/*
 * Lists of ranks for people: "0-3,8,10-11".
 */
#ifndef TSPROF_RANK_LIST_H
#define TSPROF_RANK_LIST_H

#include "print/text.h"

#include <stdint.h>

/* Start from all zeros; free the text. */
struct rank_list {
    struct text text;
    uint32_t first, last;
    size_t count; /* of different ranks */
    size_t threads;
};

/* Ranks come in ascending order, each perhaps several times: once for each of its threads. */
void rank_list_add(struct rank_list *list, uint32_t rank);

/* Completes the text, once, after the last rank. */
const char *rank_list_end(struct rank_list *list);

#endif
