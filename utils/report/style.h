/*
 * Colours on a terminal: a few, each with a meaning.  They can be told apart by people who
 * cannot tell red from green, and are about as readable on white as on black.
 */
#ifndef TSPROF_STYLE_H
#define TSPROF_STYLE_H

#include "print/print.h"

#include <stdbool.h>

enum style {
    STYLE_TITLE,     /* titles of tables, and important names in them */
    STYLE_MPI,       /* MPI functions */
    STYLE_ATTENTION, /* what stands out */
    STYLES
};

/* The escape sequences that begin each style, and the one that ends all; "" without colours. */
struct palette {
    const char *begin[STYLES];
    const char *end;
};

/*
 * The palette for stdout.  WHEN is "always", "never" or "auto" (or NULL): colours if stdout is
 * a terminal that is not dumb, unless NO_COLOR is set (https://no-color.org).  Returns NULL if
 * WHEN is none of these.
 */
const struct palette *palette_for(const char *when);

/* Adds STRING, which must be escaped already, in a style. */
void style_add(struct text *text, const struct palette *palette, enum style style,
               const char *string);

#endif
