/* The report's sentence about the clocks of the hosts that a trace is of.  See report.h. */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* A number among the summary's facts; false if it is none. */
static bool read_fact(const struct report *report, const char *key, uint64_t *number)
{
    const char *text = summary_fact(report->summary, key);
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0;
}

static const char *seconds(char shown[QUANTITY_SIZE], uint64_t ns)
{
    return format_quantity(shown, (long double)ns / 1e9L, "s");
}

/* "... by 12.0 us on average and 1.20 ms at most. After that 0 still do." */
static bool add_moves(const struct report *report, struct text *line)
{
    char mean[QUANTITY_SIZE], largest[QUANTITY_SIZE];
    uint64_t moved, mean_ns, largest_ns, after;
    if (!read_fact(report, "clocks.moved_events", &moved) ||
        !read_fact(report, "clocks.mean_move_ns", &mean_ns) ||
        !read_fact(report, "clocks.largest_move_ns", &largest_ns) ||
        !read_fact(report, "clocks.violations_after", &after))
        return false;
    text_addf(line,
              "; so %" PRIu64 " event%s been moved to later times, by %s on average and %s at "
              "most. After that %" PRIu64 " still %s.",
              moved, moved == 1 ? " has" : "s have", seconds(mean, mean_ns),
              seconds(largest, largest_ns), after, after == 1 ? "does" : "do");
    return true;
}

/* Events that nothing is known of for want of memory. */
static void add_given_up(const struct report *report, struct text *line)
{
    uint64_t given_up;
    if (read_fact(report, "clocks.given_up", &given_up) && given_up > 0)
        text_addf(line,
                  " %" PRIu64 " event%s not corrected, since too many waited for their other "
                  "end: clocks may be further apart than that.",
                  given_up, given_up == 1 ? " was" : "s were");
}

void report_clocks(struct report *report)
{
    struct text line = {0};
    uint64_t all, before;
    if (!read_fact(report, "clocks.dependencies", &all) ||
        !read_fact(report, "clocks.violations_before", &before))
        return;
    text_addf(&line,
              "By the clocks of the hosts %" PRIu64 " of %" PRIu64
              " messages and collective calls ended before they could",
              before, all);
    if (before == 0)
        text_add(&line, ".");
    if (before == 0 || add_moves(report, &line)) {
        add_given_up(report, &line);
        text_add(&report->text, "  ");
        text_add_wrapped(&report->text, text_string(&line), 2, 4, report->columns);
    }
    text_free(&line);
}
