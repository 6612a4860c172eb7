/* The trace that waiting was found in, and how well its clocks agreed.  See info.h. */
#include "info/info.h"

#include "file/file.h"

#include <stdlib.h>
#include <string.h>

/* A number among the facts, 0 if it is not there. */
static unsigned long long number(const struct summary *summary, const char *key)
{
    const char *value = summary_fact(summary, key);
    return value ? strtoull(value, NULL, 10) : 0;
}

static void print_trace(const struct summary *summary)
{
    const char *path = summary_fact(summary, "trace");
    struct text text = {0};
    text_add(&text, path ? path : summary_fact(summary, "joined.trace"));
    text_addf(&text, ": %llu events, %llu sends and %llu receives without the other end",
              number(summary, "trace.events"), number(summary, "trace.unmatched_sends"),
              number(summary, "trace.unmatched_receives"));
    info_line("trace", &text);
}

/* Which iterations have what the trace has told. */
static void print_joined(const struct summary *summary)
{
    static const char prefix[] = "traced.";
    const size_t length = sizeof prefix - 1;
    char shown[QUANTITY_SIZE];
    for (size_t i = 0; i < summary->fact_count; i++)
        if (strncmp(summary->facts[i].key, prefix, length) == 0) {
            struct text text = {0};
            text_addf(&text, "%s of %s", summary->facts[i].value,
                      summary->facts[i].key + length);
            info_line("traced", &text);
        }
    if (!summary_fact(summary, "joined.trace"))
        return;
    struct text text = {0};
    text_addf(&text, "%s of waiting was cut, %llu profiles of traced iterations were left out",
              format_quantity(shown, (long double)number(summary, "joined.cut_ns") / 1e9L, "s"),
              number(summary, "joined.left_out"));
    info_line("joined", &text);
}

static void print_clocks(const struct summary *summary)
{
    char largest[QUANTITY_SIZE];
    struct text text = {0};
    if (!summary_fact(summary, "clocks.dependencies"))
        return;
    text_addf(
        &text,
        "of %llu messages and collective calls %llu were impossible, %llu are; %llu events "
        "moved, by %s at most, %llu not corrected",
        number(summary, "clocks.dependencies"), number(summary, "clocks.violations_before"),
        number(summary, "clocks.violations_after"), number(summary, "clocks.moved_events"),
        format_quantity(largest, (long double)number(summary, "clocks.largest_move_ns") / 1e9L,
                        "s"),
        number(summary, "clocks.given_up"));
    info_line("clocks", &text);
}

void info_trace(const struct summary *summary)
{
    if (!summary_is_of_trace(summary) && !summary_fact(summary, "joined.trace"))
        return;
    print_trace(summary);
    print_joined(summary);
    print_clocks(summary);
}
