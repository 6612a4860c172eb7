/* Texts of the program's in the summary, which holds UTF-8.  Pure: any context. */
#ifndef TSPROF_UTF8_H
#define TSPROF_UTF8_H

#include <stddef.h>

/*
 * Copies FROM to TO, which has SIZE bytes, cut at the end of a character if it is too long.
 * Where it is not UTF-8 every byte beyond ASCII becomes a question mark.
 */
void utf8_copy(char *to, size_t size, const char *from);

#endif
