/*
 * Comma-separated values: fields quoted as RFC 4180 says, lines ended by a newline.  What a
 * terminal would obey, but for tabs and line breaks, is written as \xNN, as in text.h.
 * Errors stay in the stream (ferror).
 */
#ifndef TSPROF_CSV_H
#define TSPROF_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A table being written; start with the stream and `fields` 0. */
struct csv {
    FILE *stream;
    unsigned fields; /* of the current line */
};

void csv_text(struct csv *csv, const char *text);
void csv_empty(struct csv *csv);
void csv_count(struct csv *csv, uint64_t value);
/* Whole numbers exactly, others with 17 significant digits. */
void csv_value(struct csv *csv, long double value);
void csv_end_line(struct csv *csv);

#endif
