/* Walking over the runs of several series.  See sweep.h. */
#include "query/sweep.h"

#include <stdlib.h>

void sweep_begin(struct sweep *sweep, const struct series *const *series, size_t count,
                 struct range iterations)
{
    *sweep = (struct sweep){.series = series,
                            .count = count,
                            .next = iterations.first,
                            .runs = allocate(count, sizeof *sweep->runs),
                            .clusters = allocate(count, sizeof *sweep->clusters)};
    for (size_t i = 0; i < count; i++)
        if (series[i] && series[i]->iterations > sweep->end)
            sweep->end = series[i]->iterations;
    if (iterations.last < sweep->end)
        sweep->end = iterations.last + 1;
}

/* The run of series I that the next iteration is in; NULL if the series has ended. */
static const struct run *find_run(struct sweep *sweep, size_t i)
{
    const struct series *series = sweep->series[i];
    if (!series)
        return NULL;
    while (sweep->runs[i] < series->run_count) {
        const struct run *run = &series->runs[sweep->runs[i]];
        if (sweep->next < run->first + run->length)
            return run;
        sweep->runs[i]++;
    }
    return NULL;
}

bool sweep_step(struct sweep *sweep)
{
    if (sweep->next >= sweep->end)
        return false;
    uint64_t end = sweep->end;
    for (size_t i = 0; i < sweep->count; i++) {
        const struct run *run = find_run(sweep, i);
        sweep->clusters[i] = run ? run->cluster : SUMMARY_NONE;
        if (run && run->first + run->length < end)
            end = run->first + run->length;
    }
    sweep->length = end - sweep->next;
    sweep->next = end;
    return true;
}

void sweep_end(struct sweep *sweep)
{
    free(sweep->runs);
    free(sweep->clusters);
}
