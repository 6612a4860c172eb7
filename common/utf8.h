/* The program's texts as UTF-8, which is what summaries hold.  Pure: any context. */
#ifndef TSPROF_UTF8_H
#define TSPROF_UTF8_H

#include <stddef.h>

/*
 * Copies FROM to TO, which has SIZE bytes, cut at the end of a character if it is too long.  If
 * FROM is not UTF-8, every byte beyond ASCII becomes a question mark.
 */
void utf8_copy(char *to, size_t size, const char *from);

#endif
