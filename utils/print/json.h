/*
 * JSON (RFC 8259) written piece by piece.  Errors stay in the stream (ferror).
 */
#ifndef TSPROF_JSON_H
#define TSPROF_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * STRING with its quotation marks.  Whatever it holds, the result is valid UTF-8 that is
 * harmless on a terminal and in an HTML script: control characters, those that end lines or
 * turn the direction of text, and < > & are escaped; each byte that is no UTF-8 becomes U+FFFD.
 */
void json_string(FILE *stream, const char *string);

/* Whole numbers with all their digits, others with 17 significant ones. */
void json_number(FILE *stream, long double value);

#endif
