/*
 * Decides which characters of a text may be shown on a terminal: names come from programs and
 * files, which may hold anything.
 */
#ifndef TSPROF_PRINTABLE_H
#define TSPROF_PRINTABLE_H

#include <stddef.h>

/*
 * The length in bytes of the UTF-8 character at AT, in a zero-terminated text; 0 if it is not
 * UTF-8.  Any context.
 */
size_t utf8_bytes(const char *at);

/*
 * The length in bytes of the character at AT, in a zero-terminated text; 0 if it cannot be
 * shown as it is: at the end, if it is not UTF-8, or if a terminal would obey it.  The latter
 * are control characters (C0, DEL, C1), marks that change the writing direction, and line and
 * paragraph separators.  Any context.
 */
size_t printable_bytes(const char *at);

/* Replaces every byte of TEXT that belongs to no printable character by a question mark. */
void printable_make(char *text);

#endif
