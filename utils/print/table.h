/*
 * A table for scripts, row by row, in one of several notations: nothing is kept but the row's
 * place.  Every field of a row is written, in the order of the columns.  Errors stay in the
 * stream.
 */
#ifndef TSPROF_TABLE_H
#define TSPROF_TABLE_H

#include "print/csv.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* TABLE_JSON is described in doc/exports.md. */
enum table_notation { TABLE_CSV, TABLE_JSON };

#define TABLE_COLUMNS 8

struct table {
    enum table_notation notation;
    FILE *stream;
    struct csv csv;
    char *columns[TABLE_COLUMNS];
    size_t column_count;
    size_t field; /* the next one of the row */
    uint64_t rows;
};

/* Begins the table WHAT on STREAM.  COLUMNS are at most TABLE_COLUMNS names joined by commas.
 */
void table_begin(struct table *table, FILE *stream, enum table_notation notation,
                 const char *what, const char *columns);
void table_end(struct table *table);

void table_text(struct table *table, const char *text);
/* There is no value: an empty field, or null. */
void table_empty(struct table *table);
void table_count(struct table *table, uint64_t value);
void table_value(struct table *table, long double value);
/* Several values: joined by SEPARATOR, or an array. */
void table_texts(struct table *table, const char *const *texts, size_t count,
                 const char *separator);
void table_counts(struct table *table, const uint64_t *values, size_t count,
                  const char *separator);
void table_end_row(struct table *table);

#endif
