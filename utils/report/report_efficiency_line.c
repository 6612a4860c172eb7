/* The report's parallel efficiency over iterations.  See report.h, and query/efficiency.h for
 * what it is. */
#include "query/query.h"
#include "report/graph.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { ROWS = 3, LEAST_RANKS = 2, PERCENT = 100 };

/* Of LENGTH iterations from FIRST on, where ranks compute as in OWN and take TIME. */
static struct stretch efficiency_in(const struct stretch *own, const struct stretch *time,
                                    uint64_t first, uint64_t length)
{
    const double percent = time->max > 0 ? PERCENT * fmin(own->mean / time->max, 1) : NAN;
    return (struct stretch){first, length, percent, percent, percent, 0};
}

/* The efficiency in stretches of both views, which are of the same iterations; *COUNT of them,
 * for the caller to free(). */
static struct stretch *efficiencies(const struct iteration_view *own,
                                    const struct iteration_view *time, size_t *count)
{
    struct stretch *list = allocate(own->stretch_count + time->stretch_count, sizeof *list);
    size_t o = 0, t = 0;
    uint64_t at = time->first;
    *count = 0;
    while (o < own->stretch_count && t < time->stretch_count) {
        const struct stretch *a = &own->stretches[o], *b = &time->stretches[t];
        const uint64_t end_a = a->first + a->length, end_b = b->first + b->length,
                       end = end_a < end_b ? end_a : end_b;
        list[(*count)++] = efficiency_in(a, b, at, end - at);
        at = end;
        o += end == end_a;
        t += end == end_b;
    }
    return list;
}

static bool has_any(const struct stretch *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].max > 0)
            return true;
    return false;
}

void report_efficiency_line(struct report *report, uint32_t phase)
{
    const uint32_t computation = summary_metric(report->summary, "computation"),
                   time = summary_metric(report->summary, "time");
    if (!report->is_time || report->callpath || report->summary->derived ||
        report->selection->rank_count < LEAST_RANKS || computation == SUMMARY_NONE ||
        time == SUMMARY_NONE)
        return;
    struct selection first = selection_first_threads(report->selection);
    struct iteration_view *own = iteration_view_create(&first, phase, computation),
                          *taken = iteration_view_create(&first, phase, time);
    struct graph graph = {
        .unit = "", .columns = report->columns, .rows = ROWS, .palette = report->palette};
    struct stretch *list = efficiencies(own, taken, &graph.stretch_count);
    graph.stretches = list;
    if (has_any(list, graph.stretch_count)) {
        const uint64_t each = graph_iterations_per_column(&graph);
        text_add(&report->text, "parallel efficiency by iteration in %");
        if (each > 1)
            text_addf(&report->text,
                      ": " GRAPH_MIN " least, " GRAPH_MEAN " mean, " GRAPH_MAX
                      " most of %" PRIu64 " in a column",
                      each);
        text_add(&report->text, "\n");
        graph_add(&report->text, &graph);
    }
    free(list);
    iteration_view_free(own);
    iteration_view_free(taken);
    free(first.ranks);
}
