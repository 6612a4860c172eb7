/* The file, the program, and when and where it ran.  See info.h. */
#include "file/file.h"
#include "info/info.h"

#include <string.h>

static void print_file(const struct summary *summary)
{
    struct text text = {0};
    char size[QUANTITY_SIZE];
    text_addf(&text, "%s, %s, format version %u, %s", summary->path,
              format_quantity(size, (long double)summary->bytes, "bytes"), FORMAT_VERSION,
              summary->state == FORMAT_COMPLETE
                  ? "complete"
                  : "partial: not every process finished its measurement");
    info_line("file", &text);
}

/* What a summary was made from that was not measured itself. */
static void print_derivation(const struct summary *summary)
{
    static const char prefix[] = "operand.";
    const char *label = "of";
    if (!summary->derived)
        return;
    struct text text = {0};
    const char *ranks = summary_fact(summary, "derived.ranks");
    text_addf(&text, "%s%s", summary->derived,
              ranks && strcmp(ranks, "summed") == 0 ? ", summed over all ranks" : "");
    info_line("derived", &text);
    for (size_t i = 0; i < summary->fact_count; i++)
        if (strncmp(summary->facts[i].key, prefix, strlen(prefix)) == 0) {
            text_add(&text, summary->facts[i].value);
            info_line(label, &text);
            label = "";
        }
}

static int64_t longest_wall_ns(const struct summary *summary)
{
    int64_t longest = 0;
    for (size_t i = 0; i < summary->location_count; i++)
        if (summary->locations[i].wall_ns > longest)
            longest = summary->locations[i].wall_ns;
    return longest;
}

static void print_times(const struct summary *summary)
{
    struct text text = {0};
    char wall[QUANTITY_SIZE];
    const char *start = summary_fact(summary, "start"), *end = summary_fact(summary, "end");
    text_addf(&text, "%s measured",
              format_quantity(wall, (long double)longest_wall_ns(summary) / 1e9L, "s"));
    if (start)
        text_addf(&text, ", from %s", start);
    if (end)
        text_addf(&text, " to %s", end);
    info_line("time", &text);
}

size_t info_count_ranks(const struct summary *summary)
{
    size_t ranks = 0;
    for (size_t i = 0; i < summary->location_count; i++)
        ranks += i == 0 || summary->locations[i].rank != summary->locations[i - 1].rank;
    return ranks;
}

static void print_places(const struct summary *summary)
{
    struct text text = {0};
    size_t ranks = info_count_ranks(summary);
    text_addf(&text, "%zu", ranks);
    if (summary->location_count != ranks)
        text_addf(&text, " with %zu threads in all", summary->location_count);
    text_addf(&text, " on %zu host%s", summary->host_count,
              summary->host_count == 1 ? "" : "s");
    info_line("ranks", &text);
}

void info_run(const struct summary *summary)
{
    print_file(summary);
    print_derivation(summary);
    info_fact(summary, "program", "program");
    info_fact(summary, "command", "command");
    info_fact(summary, "job", "jobid");
    if (!summary->derived)
        print_times(summary);
    print_places(summary);
    info_fact(summary, "missing", "missing_ranks");
}
