/*
 * Writes a table for scripts, row by row, as CSV or JSON, without keeping rows in memory.
 * Write every field of a row, in the order of the columns.  Check the stream for errors
 * afterwards.
 */
#ifndef TSPROF_TABLE_H
#define TSPROF_TABLE_H

#include "print/csv.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* TABLE_JSON is described in doc/exports.md. */
enum table_notation { TABLE_CSV, TABLE_JSON };

#define TABLE_COLUMNS 12

struct table {
    enum table_notation notation;
    FILE *stream;
    struct csv csv;
    char *columns[TABLE_COLUMNS];
    size_t column_count;
    size_t field; /* the next column of the current row */
    uint64_t rows;
};

/* Begins the table WHAT on STREAM.  COLUMNS has at most TABLE_COLUMNS names, joined by commas.
 */
void table_begin(struct table *table, FILE *stream, enum table_notation notation,
                 const char *what, const char *columns);
void table_end(struct table *table);

void table_text(struct table *table, const char *text);
/* A field without a value: empty in CSV, null in JSON. */
void table_empty(struct table *table);
void table_count(struct table *table, uint64_t value);
void table_value(struct table *table, long double value);
/* A field with several values: joined by SEPARATOR in CSV, an array in JSON. */
void table_texts(struct table *table, const char *const *texts, size_t count,
                 const char *separator);
void table_counts(struct table *table, const uint64_t *values, size_t count,
                  const char *separator);
void table_end_row(struct table *table);

#endif
