/* Tables as comma-separated values or JSON.  See table.h. */
#include "print/table.h"

#include "base/base.h"
#include "print/json.h"
#include "print/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void split_columns(struct table *table, const char *columns)
{
    char *all = strdup(columns), *rest = all;
    if (!all)
        out_of_memory();
    for (char *name; (name = strsep(&rest, ",")) && table->column_count < TABLE_COLUMNS;)
        if (!(table->columns[table->column_count++] = strdup(name)))
            out_of_memory();
    free(all);
}

void table_begin(struct table *table, FILE *stream, enum table_notation notation,
                 const char *what, const char *columns)
{
    *table = (struct table){.notation = notation, .stream = stream, .csv = {stream, 0}};
    split_columns(table, columns);
    if (notation == TABLE_CSV) {
        fprintf(stream, "%s\n", columns);
        return;
    }
    fputs("{\"what\":", stream);
    json_string(stream, what);
    fputs(",\n\"columns\":[", stream);
    for (size_t i = 0; i < table->column_count; i++) {
        fputs(i ? "," : "", stream);
        json_string(stream, table->columns[i]);
    }
    fputs("],\n\"rows\":[", stream);
}

void table_end(struct table *table)
{
    if (table->notation == TABLE_JSON)
        fputs("\n]}\n", table->stream);
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i]);
}

/* Begins the next field of a JSON row. */
static void begin_member(struct table *table)
{
    if (table->field == 0)
        fputs(table->rows ? ",\n{" : "\n{", table->stream);
    else
        putc(',', table->stream);
    json_string(table->stream, table->columns[table->field++]);
    putc(':', table->stream);
}

void table_text(struct table *table, const char *text)
{
    if (table->notation == TABLE_CSV) {
        csv_text(&table->csv, text);
        return;
    }
    begin_member(table);
    json_string(table->stream, text);
}

void table_empty(struct table *table)
{
    if (table->notation == TABLE_CSV) {
        csv_empty(&table->csv);
        return;
    }
    begin_member(table);
    fputs("null", table->stream);
}

void table_count(struct table *table, uint64_t value)
{
    if (table->notation == TABLE_CSV) {
        csv_count(&table->csv, value);
        return;
    }
    begin_member(table);
    fprintf(table->stream, "%" PRIu64, value);
}

void table_value(struct table *table, long double value)
{
    if (table->notation == TABLE_CSV) {
        csv_value(&table->csv, value);
        return;
    }
    begin_member(table);
    json_number(table->stream, value);
}

static void join_texts(struct table *table, const char *const *texts, size_t count,
                       const char *separator)
{
    struct text all = {0};
    for (size_t i = 0; i < count; i++) {
        text_add(&all, i ? separator : "");
        text_add(&all, texts[i]);
    }
    csv_text(&table->csv, text_string(&all));
    text_free(&all);
}

void table_texts(struct table *table, const char *const *texts, size_t count,
                 const char *separator)
{
    if (table->notation == TABLE_CSV) {
        join_texts(table, texts, count, separator);
        return;
    }
    begin_member(table);
    for (size_t i = 0; i < count; i++) {
        putc(i ? ',' : '[', table->stream);
        json_string(table->stream, texts[i]);
    }
    fputs(count ? "]" : "[]", table->stream);
}

static void join_counts(struct table *table, const uint64_t *values, size_t count,
                        const char *separator)
{
    struct text all = {0};
    for (size_t i = 0; i < count; i++)
        text_addf(&all, "%s%" PRIu64, i ? separator : "", values[i]);
    csv_text(&table->csv, text_string(&all));
    text_free(&all);
}

void table_counts(struct table *table, const uint64_t *values, size_t count,
                  const char *separator)
{
    if (table->notation == TABLE_CSV) {
        join_counts(table, values, count, separator);
        return;
    }
    begin_member(table);
    putc('[', table->stream);
    for (size_t i = 0; i < count; i++)
        fprintf(table->stream, "%s%" PRIu64, i ? "," : "", values[i]);
    putc(']', table->stream);
}

void table_end_row(struct table *table)
{
    if (table->notation == TABLE_CSV)
        csv_end_line(&table->csv);
    else
        putc('}', table->stream);
    table->field = 0;
    table->rows++;
}
