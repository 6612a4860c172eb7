/* See largest.h. */
#include "query/largest.h"

#include "query/sums.h"

#include <math.h>

static bool is_in(const struct scope *scope, uint64_t iteration)
{
    return scope->phase == SUMMARY_NONE ||
           (iteration >= scope->iterations.first && iteration <= scope->iterations.last);
}

static void take_series(const struct function_list *functions, const struct scope *scope,
                        const struct series *series, uint32_t metric, long double *largest)
{
    const struct path_tree *tree = functions->tree;
    for (size_t i = 0; i < series->largest_count; i++) {
        const struct largest *one = &series->largest[i];
        long double *known = &largest[functions->of_path[tree->of_node[one->node]]];
        if (!metric_is_part(tree->summary, one->metric, metric) || isnan(*known))
            continue;
        const long double value = shown_value(tree->summary, one->metric, one->value, 1);
        if (!is_in(scope, one->iteration))
            *known = NAN;
        else if (value > *known)
            *known = value;
    }
}

void functions_find_largest(const struct function_list *functions, const struct scope *scope,
                            const struct rank_group *rank, uint32_t metric,
                            long double *largest)
{
    const struct summary *summary = functions->tree->summary;
    for (size_t i = 0; i < rank->count; i++) {
        const struct location *location = &summary->locations[rank->first + i];
        for (size_t s = 0; s < location->series_count; s++)
            if (scope->phase == SUMMARY_NONE || location->series[s].phase == scope->phase)
                take_series(functions, scope, &location->series[s], metric, largest);
    }
}
