/*
 * Writes base64 (RFC 4648, section 4) piece by piece, without line breaks.  Check the stream
 * for errors afterwards (ferror).
 */
#ifndef TSPROF_BASE64_H
#define TSPROF_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Encodes SIZE bytes.  SIZE must be a multiple of 3 except in the last call. */
void base64_write(FILE *stream, const unsigned char *bytes, size_t size);

#endif
