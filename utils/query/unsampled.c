/* See unsampled.h. */
#include "query/unsampled.h"

#include "query/sums.h"

#include <string.h>

bool path_is_unsampled(const struct path_values *values, uint32_t path)
{
    const struct summary *summary = values->tree->summary;
    const uint32_t computation = summary_metric(summary, "computation");
    const uint32_t samples = summary_metric(summary, "samples");
    return computation != SUMMARY_NONE && samples != SUMMARY_NONE && !summary->derived &&
           path_value(values, path, computation) != 0 &&
           path_value(values, path, samples) == 0 &&
           strcmp(path_region(values->tree, path)->group, FORMAT_TOLD_GROUP) != 0;
}

long double path_unsampled(const struct path_values *values, uint32_t path, uint32_t metric)
{
    const struct summary *summary = values->tree->summary;
    const uint32_t computation = summary_metric(summary, "computation");
    return computation != SUMMARY_NONE && metric_is_part(summary, computation, metric) &&
                   path_is_unsampled(values, path)
               ? path_value(values, path, computation)
               : 0;
}
