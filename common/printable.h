/*
 * Which characters of a text may be shown on a terminal.  Names come from programs and files,
 * which may hold anything.
 */
#ifndef TSPROF_PRINTABLE_H
#define TSPROF_PRINTABLE_H

#include <stddef.h>

/* The bytes of the character at AT, in a terminated text; 0 if it is not UTF-8.  Any context.
 */
size_t utf8_bytes(const char *at);

/*
 * The bytes of the character at AT, in a terminated text; 0 if there is none that can be shown
 * as it is: the end, what is not UTF-8, and what a terminal would obey instead of showing it.
 * These are the controls (C0, DEL, C1), what turns the direction of writing, and the separators
 * of lines and paragraphs.  Any context.
 */
size_t printable_bytes(const char *at);

/* Puts a question mark in the place of every byte of TEXT that is of no such character. */
void printable_make(char *text);

#endif
