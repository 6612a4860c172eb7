/*
 * Gives access to the page that shows a summary in a browser (page/, doc/page.md), which is
 * built into the command: a JavaScript program with a place for the data.  Only the command
 * uses this room.
 */
#ifndef TSPROF_PAGE_H
#define TSPROF_PAGE_H

#include <stdbool.h>
#include <stddef.h>

struct page {
    const char *head, *tail; /* what comes before and after the data */
    size_t head_bytes, tail_bytes;
};

/* False if this command was built without the page. */
bool page_find(struct page *page);

#endif
