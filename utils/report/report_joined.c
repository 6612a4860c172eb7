/* What the report says of the iterations that were traced, where their waiting is in the
 * summary of the whole run.  See report.h. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "traced.";

bool report_is_joined(const struct report *report)
{
    return summary_fact(report->summary, "joined.trace") != NULL;
}

void report_add_traced(const struct report *report, struct text *line)
{
    const struct summary *summary = report->summary;
    bool is_first = true;
    for (size_t i = 0; i < summary->fact_count; i++) {
        const struct fact *fact = &summary->facts[i];
        if (strncmp(fact->key, prefix, sizeof prefix - 1) != 0)
            continue;
        text_add(line, is_first ? "In iterations " : " and ");
        /* A line may end behind each of them. */
        for (const char *at = fact->value; *at; at++)
            text_addf(line, *at == ',' ? "%c " : "%c", *at);
        text_add(line, " of ");
        text_add_escaped(line, fact->key + sizeof prefix - 1);
        is_first = false;
    }
    text_add(line, is_first ? "Where it was traced " : ", which were traced, ");
}

/* The first and the last of the numbers in a list such as "4,7-9". */
static void read_list(const char *list, uint64_t *first, uint64_t *last)
{
    *first = strtoull(list, NULL, 10);
    const char *end = list + strlen(list);
    while (end > list && end[-1] >= '0' && end[-1] <= '9')
        end--;
    *last = strtoull(end, NULL, 10);
}

bool report_traced_extent(const struct report *report, const char *phase, uint64_t *first,
                          uint64_t *last)
{
    const struct summary *summary = report->summary;
    for (size_t i = 0; i < summary->fact_count; i++) {
        const struct fact *fact = &summary->facts[i];
        if (strncmp(fact->key, prefix, sizeof prefix - 1) == 0 &&
            strcmp(fact->key + sizeof prefix - 1, phase) == 0) {
            read_list(fact->value, first, last);
            return true;
        }
    }
    return false;
}

void report_cut(struct report *report)
{
    const char *cut = summary_fact(report->summary, "joined.cut_ns");
    const char *left_out = summary_fact(report->summary, "joined.left_out");
    char shown[QUANTITY_SIZE];
    struct text line = {0};
    if (cut && strtoull(cut, NULL, 10) > 0)
        text_addf(&line,
                  "%s of it are not in the times below: by the measurement of the whole run "
                  "calls did not take as long.",
                  format_quantity(shown, (long double)strtoull(cut, NULL, 10) / 1e9L, "s"));
    if (left_out && strtoull(left_out, NULL, 10) > 0)
        text_addf(
            &line,
            "%s%llu profiles of traced iterations are not in the summary of the whole run, "
            "and so their waiting is not in the times below.",
            line.length ? " " : "", strtoull(left_out, NULL, 10));
    if (line.length) {
        text_add(&report->text, "  ");
        text_add_wrapped(&report->text, text_string(&line), 2, 4, report->columns);
    }
    text_free(&line);
}
