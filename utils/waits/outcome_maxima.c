/* See outcome_maxima.h. */
#include "waits/outcome_maxima.h"

#include <stdlib.h>
#include <string.h>

/* Adds up PROFILE by metric, each with its parts. */
static void add_up(const struct summary *summary, const struct profile *profile,
                   int64_t *totals)
{
    memset(totals, 0, summary->metric_count * sizeof *totals);
    for (size_t i = 0; i < profile->count; i++)
        for (uint32_t metric = profile->cells[i].metric; metric != SUMMARY_NONE;
             metric = summary->metrics[metric].parent)
            totals[metric] += profile->cells[i].value;
}

void outcome_add_maxima(struct summary *summary, struct series *series)
{
    int64_t *totals = allocate(summary->metric_count, sizeof *totals);
    uint64_t *most = allocate(summary->metric_count, sizeof *most);
    for (size_t i = 0; i < series->cluster_count; i++) {
        add_up(summary, &series->clusters[i].sums, totals);
        for (size_t m = 0; m < summary->metric_count; m++) {
            const uint64_t size = (uint64_t)(totals[m] < 0 ? -totals[m] : totals[m]);
            most[m] = size > most[m] ? size : most[m];
        }
    }
    series->maxima =
        memory_pool_allocate(&summary->pool, summary->metric_count, sizeof *series->maxima);
    for (uint32_t m = 0; m < summary->metric_count; m++)
        if (most[m] > 0)
            series->maxima[series->maximum_count++] = (struct maximum){m, most[m]};
    free(totals);
    free(most);
}
