/*
 * Patterns as shells have them, for names of functions and files.
 *
 * They match as fnmatch(3) does without flags in the C locale, but whatever the locale is, with
 * no memory, and in no more steps than the product of both lengths.  Any context.
 */
#ifndef TSPROF_WILDCARD_H
#define TSPROF_WILDCARD_H

#include <stdbool.h>

/*
 * Whether PATTERN matches all of TEXT: `*` any bytes, `?` one byte, `[a-z]` one of a set,
 * `[!a]` and `[^a]` one that is not in it, `[[:digit:]]` one of a class; `\` takes the meaning
 * from what follows.  A `[` without an end is itself.
 */
bool wildcard_matches(const char *pattern, const char *text);

#endif
