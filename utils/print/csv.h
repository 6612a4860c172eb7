/*
 * Comma-separated values: fields are quoted as RFC 4180 says, lines end with a newline.
 * Control characters other than tabs and line breaks are written as \xNN, as in text.h.  Check
 * the stream for errors afterwards (ferror).
 */
#ifndef TSPROF_CSV_H
#define TSPROF_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A table that is being written.  Set the stream, and `fields` to 0, to start. */
struct csv {
    FILE *stream;
    unsigned fields; /* written so far in the current line */
};

void csv_text(struct csv *csv, const char *text);
void csv_empty(struct csv *csv);
void csv_count(struct csv *csv, uint64_t value);
/* Writes whole numbers exactly and others with 17 significant digits. */
void csv_value(struct csv *csv, long double value);
void csv_end_line(struct csv *csv);

#endif
