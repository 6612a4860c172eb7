/* Suggestions as text, and as a setting.  See suggest.h. */
#include "suggest/suggest.h"

#include "base/base.h"
#include "file/file.h"
#include "print/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_ranges(struct text *text, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_addf(text, "%s%" PRIu64, i ? "," : "", ranges[i].first);
        if (ranges[i].last > ranges[i].first)
            text_addf(text, "-%" PRIu64, ranges[i].last);
    }
}

static uint64_t iterations_in(const struct range *ranges, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += ranges[i].last - ranges[i].first + 1;
    return sum;
}

/* Adds NAME as a shell takes it, in single quotes if it must. */
static void add_word(struct text *text, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-.:,/+@%";
    if (strspn(name, plain) == strlen(name)) {
        text_add(text, name);
        return;
    }
    text_add(text, "'");
    for (; *name; name++)
        text_add_bytes(text, *name == '\'' ? "'\\''" : name, *name == '\'' ? 4 : 1);
    text_add(text, "'");
}

void suggestions_add_setting(const struct suggestions *suggestions, struct text *text)
{
    const double bytes = suggestions->size.most * TRACE_EVENT_BYTES;
    struct text value = {0};
    text_addf(&value, "%s:", suggestions->selection->summary->phases[suggestions->phase].name);
    add_ranges(&value, suggestions->ranges, suggestions->range_count);
    text_add(text, "TSPROF_TRACE=");
    add_word(text, text_string(&value));
    if (bytes > (double)TRACE_MEMORY_BYTES)
        text_addf(text, " TSPROF_TRACE_MEMORY=%.0fM", ceil(bytes / (1 << 20)));
    text_free(&value);
}

static void add_size(struct text *text, const struct trace_size *size, size_t ranks)
{
    char events[QUANTITY_SIZE], bytes[QUANTITY_SIZE];
    if (!size->known) {
        text_add(text, "of unknown size, for iterations without a profile are among them");
        return;
    }
    text_addf(text, "%s event%s, %s", format_quantity(events, size->most, ""),
              size->most == 1 ? "" : "s",
              format_quantity(bytes, size->most * TRACE_EVENT_BYTES, "bytes"));
    if (ranks > 1)
        text_addf(text, ", on rank %" PRIu32 "; %s events, %s, in all", size->most_rank,
                  format_quantity(events, size->all, ""),
                  format_quantity(bytes, size->all * TRACE_EVENT_BYTES, "bytes"));
}

static void add_suggestion(struct text *text, const struct suggestion *suggestion, size_t ranks,
                           size_t indent, size_t columns)
{
    struct text line = {0};
    add_ranges(&line, suggestion->ranges, suggestion->range_count);
    text_add(text, "  ");
    text_add_left(text, text_string(&line), indent - 4);
    text_add(text, "  ");
    text_add_wrapped(text, text_string(&suggestion->text), indent, indent, columns);
    text_clear(&line);
    add_size(&line, &suggestion->size, ranks);
    text_add_repeated(text, " ", indent);
    text_add_wrapped(text, text_string(&line), indent, indent, columns);
    text_free(&line);
}

static void add_sum(struct text *text, const struct suggestions *suggestions, size_t columns)
{
    char percent[QUANTITY_SIZE];
    struct text line = {0};
    const double share =
        suggestions->size.most * TRACE_EVENT_BYTES / (double)TRACE_MEMORY_BYTES;
    const uint64_t iterations = iterations_in(suggestions->ranges, suggestions->range_count);
    text_addf(&line, "Together %" PRIu64 " iteration%s: ", iterations,
              iterations == 1 ? "" : "s");
    add_size(&line, &suggestions->size, suggestions->selection->rank_count);
    if (suggestions->size.known)
        text_addf(&line,
                  ". The most is %s %% of the 64 MiB that TSPROF_TRACE_MEMORY is by default",
                  share >= 1e-4 ? format_percent(percent, share, 1) : "less than 0.01");
    text_add(&line, ".");
    text_add_wrapped(text, text_string(&line), 0, 0, columns);
    if (suggestions->left_out > 0)
        text_addf(text, "%" PRIu64 " more with --top.\n", suggestions->left_out);
    text_free(&line);
}

void suggestions_write_text(const struct suggestions *suggestions, size_t columns, FILE *stream)
{
    const struct selection *selection = suggestions->selection;
    const uint64_t iterations = selection_iterations(selection, suggestions->phase);
    struct text text = {0}, setting = {0};
    size_t widest = 0;
    for (size_t i = 0; i < suggestions->count; i++) {
        text_clear(&setting);
        add_ranges(&setting, suggestions->list[i].ranges, suggestions->list[i].range_count);
        widest = setting.length > widest ? setting.length : widest;
    }
    text_add(&text, "Worth a trace in ");
    text_add_escaped(&text, selection->summary->phases[suggestions->phase].name);
    text_addf(&text, ", of %" PRIu64 " iteration%s on %zu rank%s:\n\n", iterations,
              iterations == 1 ? "" : "s", selection->rank_count,
              selection->rank_count == 1 ? "" : "s");
    for (size_t i = 0; i < suggestions->count; i++)
        add_suggestion(&text, &suggestions->list[i], selection->rank_count, widest + 4,
                       columns);
    text_add(&text, "\n");
    add_sum(&text, suggestions, columns);
    text_clear(&setting);
    suggestions_add_setting(suggestions, &setting);
    text_add(&text, "\n");
    text_add_escaped(&text, text_string(&setting));
    text_add(&text, "\n");
    fputs(text_string(&text), stream);
    text_free(&text);
    text_free(&setting);
}
