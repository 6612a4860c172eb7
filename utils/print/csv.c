/* Comma-separated values.  See csv.h. */
#include "print/csv.h"

#include "common/printable.h"
#include "print/number.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static void begin_field(struct csv *csv)
{
    if (csv->fields++)
        putc(',', csv->stream);
}

/* Control characters are escaped, since tables are shown on terminals, too.  Line breaks are
 * not: within quotes they are allowed. */
static void put_character(struct csv *csv, const char *text, size_t size)
{
    if (size > 0 || strchr("\t\r\n", *text))
        fwrite(text, 1, size > 0 ? size : 1, csv->stream);
    else
        fprintf(csv->stream, "\\x%02x", (unsigned char)*text);
}

void csv_text(struct csv *csv, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n");
    begin_field(csv);
    if (quoted)
        putc('"', csv->stream);
    while (*text) {
        size_t size = printable_bytes(text);
        if (*text == '"')
            putc('"', csv->stream);
        put_character(csv, text, size);
        text += size > 0 ? size : 1;
    }
    if (quoted)
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
