/*
 * The markup of manual pages, as macros of man(7).  Nothing that is given as text can be taken
 * for markup.
 */
#ifndef TSPROF_ROFF_H
#define TSPROF_ROFF_H

#include <stddef.h>
#include <stdio.h>

/* The line that every page begins with. */
void roff_title(FILE *out, const char *name, int section);

/* TEXT, or its first LENGTH bytes, within a line. */
void roff_words(FILE *out, const char *text);
void roff_part(FILE *out, const char *text, size_t length);

/* A line of text. */
void roff_line(FILE *out, const char *text);

/* The term of an item, in bold; its text follows. */
void roff_term(FILE *out, const char *text, size_t length);

#endif
