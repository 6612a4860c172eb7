/* What was counted by the processor and the system.  See info.h. */
#include "info/info.h"
#include "query/query.h"

#include <stdlib.h>

/* What a counter came to on the selected threads. */
struct counter {
    int64_t in_program, in_tsprof;
    size_t locations; /* that counted it */
};

static struct counter add_up(const struct selection *selection, uint32_t metric)
{
    const struct summary *summary = selection->summary;
    struct counter counter = {0};
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            struct counted counted;
            if (!counted_find(summary, &summary->locations[selection->ranks[r].first + i],
                              metric, &counted))
                continue;
            counter.in_program = add_stored(counter.in_program, counted.in_program);
            counter.in_tsprof = add_stored(counter.in_tsprof, counted.in_tsprof);
            counter.locations++;
        }
    return counter;
}

static const char *format_counted(char out[QUANTITY_SIZE], const struct summary *summary,
                                  uint32_t metric, int64_t value)
{
    return format_quantity(out, shown_value(summary, metric, (long double)value, 1),
                           summary->metrics[metric].unit);
}

void info_counters(const struct selection *selection)
{
    const struct summary *summary = selection->summary;
    size_t all = selection_locations(selection);
    const char *label = "counters";
    for (uint32_t m = 0; m < summary->metric_count; m++) {
        struct text text = {0};
        char program[QUANTITY_SIZE], tsprof[QUANTITY_SIZE];
        if (summary->metrics[m].kind != FORMAT_METRIC_COUNTER)
            continue;
        struct counter counter = add_up(selection, m);
        text_addf(&text, "%s (%s): %s, and %s in tsprof", summary->metrics[m].name,
                  summary->metrics[m].unit,
                  format_counted(program, summary, m, counter.in_program),
                  format_counted(tsprof, summary, m, counter.in_tsprof));
        if (counter.locations < all)
            text_addf(&text, "; counted on %zu of %zu threads", counter.locations, all);
        info_line(label, &text);
        label = "";
    }
}
