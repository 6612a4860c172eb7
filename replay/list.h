/* Lists that grow. */
#ifndef TSPROF_REPLAY_LIST_H
#define TSPROF_REPLAY_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Makes room for one more of SIZE bytes in the list at *LIST; false if out of memory, and
 * nothing is changed. */
static inline bool list_reserve(void *list, size_t count, size_t *room, size_t size)
{
    void **memory = list;
    if (count < *room)
        return true;
    const size_t larger = *room ? 2 * *room : 16;
    void *grown = realloc(*memory, larger * size);
    if (!grown)
        return false;
    *memory = grown;
    *room = larger;
    return true;
}

/* The same for LIST, a pointer with LIST_count and LIST_room beside it. */
#define LIST_RESERVE(list) list_reserve(&(list), list##_count, &list##_room, sizeof *(list))

#endif
