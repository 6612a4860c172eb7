/*
 * Colours on a terminal: few, and each with a meaning.  They are told apart by those who cannot
 * tell red from green, and have about the same contrast to white as to black.
 */
#ifndef TSPROF_STYLE_H
#define TSPROF_STYLE_H

#include "print/print.h"

#include <stdbool.h>

enum style {
    STYLE_TITLE,     /* what a table is of, and the names in it that matter */
    STYLE_MPI,       /* MPI functions */
    STYLE_ATTENTION, /* what stands out */
    STYLES
};

/* How to begin each style, and to end any: empty texts without colours. */
struct palette {
    const char *begin[STYLES];
    const char *end;
};

/*
 * The palette for stdout as WHEN says: "always", "never", or "auto" (or NULL): colours on a
 * terminal that is not dumb, unless NO_COLOR is set (https://no-color.org).  NULL if WHEN is no
 * such word.
 */
const struct palette *palette_for(const char *when);

/* Adds STRING, harmless already, in a style. */
void style_add(struct text *text, const struct palette *palette, enum style style,
               const char *string);

#endif
