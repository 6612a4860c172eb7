/* Condensed profiles.  See condense.h. */
#include "compress/condense.h"

#include <stddef.h>
#include <string.h>

/*
 * The metrics that must not decide which iterations are alike: how long measuring took, which
 * Szebenyi's table 1.1 greys out as well; how many samples hit an iteration, which is chance;
 * and how long it had no processor.  The times that the latter has made longer have their say,
 * and there it counts for as much as it matters; by itself a thousandth of an iteration would
 * weigh as much as the iteration, where nothing worse happens.
 */
static const enum metric irrelevant[] = {METRIC_overhead, METRIC_preempted, METRIC_samples,
                                         METRIC_samples_failed};

#define IRRELEVANT_COUNT (sizeof(irrelevant) / sizeof(irrelevant[0]))

void condense(const int64_t exclusive[METRIC_COUNT], double condensed[METRIC_COUNT])
{
    int64_t inclusive[METRIC_COUNT];
    memcpy(inclusive, exclusive, sizeof(inclusive));
    /* Dropped before parents are summed up: `time` is then the same as `execution`, and does
     * not bring the overhead back in. */
    for (size_t i = 0; i < IRRELEVANT_COUNT; i++)
        inclusive[irrelevant[i]] = 0;
    metric_make_inclusive(inclusive);
    for (int m = 0; m < METRIC_COUNT; m++)
        condensed[m] = (double)inclusive[m];
}
