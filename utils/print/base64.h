/*
 * Base64 (RFC 4648, section 4) written piece by piece, without line breaks.  Errors stay in the
 * stream (ferror).
 */
#ifndef TSPROF_BASE64_H
#define TSPROF_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* SIZE bytes; only the last piece of a text may have a size that is no multiple of 3. */
void base64_write(FILE *stream, const unsigned char *bytes, size_t size);

#endif
