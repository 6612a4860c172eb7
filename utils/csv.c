/* Comma-separated values.  See csv.h. */
#include "csv.h"

#include "number.h"

#include <inttypes.h>
#include <string.h>

static void begin_field(struct csv *csv)
{
    if (csv->fields++)
        putc(',', csv->stream);
}

void csv_text(struct csv *csv, const char *text)
{
    begin_field(csv);
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, csv->stream);
        return;
    }
    putc('"', csv->stream);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', csv->stream);
        putc(*text, csv->stream);
    }
    putc('"', csv->stream);
}

void csv_empty(struct csv *csv)
{
    begin_field(csv);
}

void csv_count(struct csv *csv, uint64_t value)
{
    begin_field(csv);
    fprintf(csv->stream, "%" PRIu64, value);
}

void csv_value(struct csv *csv, long double value)
{
    char digits[NUMBER_SIZE];
    begin_field(csv);
    fputs(number_text(digits, value), csv->stream);
}

void csv_end_line(struct csv *csv)
{
    putc('\n', csv->stream);
    csv->fields = 0;
}
