/*
 * Writes JSON (RFC 8259) piece by piece.  Check the stream for errors afterwards (ferror).
 */
#ifndef TSPROF_JSON_H
#define TSPROF_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes STRING with quotation marks.  Whatever STRING contains, the result is valid UTF-8 and
 * safe on a terminal and inside an HTML script: control characters, line separators, characters
 * that change the direction of text, and < > & are escaped; a byte that is not UTF-8 becomes
 * U+FFFD.
 */
void json_string(FILE *stream, const char *string);

/* Writes whole numbers with all their digits and others with 17 significant ones. */
void json_number(FILE *stream, long double value);

#endif
