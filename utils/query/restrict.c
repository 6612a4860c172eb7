/* Looking at a part of the call tree.  See restrict.h. */
#include "query/restrict.h"

static void restrict_profile(struct profile *profile, const bool *nodes)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->count; i++)
        if (nodes[profile->cells[i].node])
            profile->cells[kept++] = profile->cells[i];
    profile->count = kept;
}

static void restrict_series(struct series *series, const bool *nodes)
{
    for (size_t c = 0; c < series->cluster_count; c++)
        restrict_profile(&series->clusters[c].sums, nodes);
}

void summary_restrict(struct summary *summary, const bool *nodes)
{
    for (size_t i = 0; i < summary->location_count; i++) {
        struct location *location = &summary->locations[i];
        restrict_profile(&location->whole, nodes);
        restrict_profile(&location->outside, nodes);
        for (size_t s = 0; s < location->series_count; s++)
            restrict_series(&location->series[s], nodes);
    }
}
