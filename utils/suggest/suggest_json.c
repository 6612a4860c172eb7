/* Suggestions as JSON.  See suggest.h. */
#include "suggest/suggest.h"

#include "file/file.h"
#include "print/print.h"

#include <inttypes.h>

static void write_ranges(FILE *stream, const struct range *ranges, size_t count)
{
    fputs("\"iterations\":[", stream);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "", ranges[i].first,
                ranges[i].last);
    fputc(']', stream);
}

static void write_number(FILE *stream, const char *key, bool known, double value)
{
    fprintf(stream, ",\"%s\":", key);
    if (known)
        json_number(stream, value);
    else
        fputs("null", stream);
}

static void write_size(FILE *stream, const struct trace_size *size)
{
    write_number(stream, "events", size->known, size->all);
    write_number(stream, "bytes", size->known, size->all * TRACE_EVENT_BYTES);
    write_number(stream, "most_events", size->known, size->most);
    write_number(stream, "most_bytes", size->known, size->most * TRACE_EVENT_BYTES);
    write_number(stream, "most_rank", size->known, size->most_rank);
}

static void write_suggestion(FILE *stream, const struct suggestion *suggestion)
{
    fputc('{', stream);
    write_ranges(stream, suggestion->ranges, suggestion->range_count);
    fprintf(stream, ",\"reason\":\"%s\",\"share\":", suggestion->reason);
    json_number(stream, suggestion->share);
    fputs(",\"text\":", stream);
    json_string(stream, text_string(&suggestion->text));
    write_size(stream, &suggestion->size);
    fputc('}', stream);
}

void suggestions_write_json(const struct suggestions *suggestions, FILE *stream)
{
    struct text setting = {0};
    suggestions_add_setting(suggestions, &setting);
    fputs("{\"phase\":", stream);
    json_string(stream, suggestions->selection->summary->phases[suggestions->phase].name);
    fputc(',', stream);
    write_ranges(stream, suggestions->ranges, suggestions->range_count);
    fprintf(stream, ",\"ranks\":%zu", suggestions->selection->rank_count);
    write_size(stream, &suggestions->size);
    fprintf(stream, ",\"memory_bytes\":%" PRIu64 ",\"setting\":", TRACE_MEMORY_BYTES);
    json_string(stream, text_string(&setting));
    fputs(",\"suggestions\":[", stream);
    for (size_t i = 0; i < suggestions->count; i++) {
        fputs(i ? "," : "", stream);
        write_suggestion(stream, &suggestions->list[i]);
    }
    fprintf(stream, "],\"left_out\":%" PRIu64 "}\n", suggestions->left_out);
    text_free(&setting);
}
