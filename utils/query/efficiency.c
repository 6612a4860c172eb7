/* See efficiency.h. */
#include "query/efficiency.h"

void efficiency_process(const struct scope *scope, size_t rank, struct path_values *values)
{
    const struct selection *selection = scope->selection;
    path_values_clear(values);
    scope_add(scope, &selection->summary->locations[selection->ranks[rank].first], NULL,
              METRICS_INCLUSIVE, values);
}

long double efficiency_sum(const struct path_values *values, uint32_t metric)
{
    long double sum = 0;
    for (size_t i = 0; metric != SUMMARY_NONE && i < values->count; i++)
        sum += path_value(values, values->list[i], metric);
    return sum;
}

bool efficiency_of(const struct scope *scope, const struct path_tree *tree,
                   struct efficiency *efficiency)
{
    const struct summary *summary = scope->selection->summary;
    const size_t ranks = scope->selection->rank_count;
    const uint32_t time = summary_metric(summary, "time"),
                   computation = summary_metric(summary, "computation"),
                   overhead = summary_metric(summary, "overhead"),
                   preempted = summary_metric(summary, "preempted");
    struct path_values *values = path_values_create(tree);
    long double all = 0, computed = 0, measuring = 0, waited = 0;
    *efficiency = (struct efficiency){.time = 0};
    for (size_t r = 0; r < ranks; r++) {
        efficiency_process(scope, r, values);
        const long double taken = efficiency_sum(values, time),
                          own = efficiency_sum(values, computation);
        all += taken;
        computed += own;
        measuring += efficiency_sum(values, overhead);
        waited += efficiency_sum(values, preempted);
        efficiency->time = taken > efficiency->time ? taken : efficiency->time;
        if (own > efficiency->most) {
            efficiency->most = own;
            efficiency->most_rank = scope->selection->ranks[r].rank;
        }
    }
    path_values_free(values);
    if (efficiency->time <= 0 || efficiency->most <= 0 || summary->derived)
        return false;
    efficiency->mean = computed / (long double)ranks;
    efficiency->overhead = measuring / (long double)ranks;
    efficiency->balance = efficiency->mean / efficiency->most;
    efficiency->communication = efficiency->most / efficiency->time;
    efficiency->parallel = efficiency->mean / efficiency->time;
    efficiency->processor = preempted == SUMMARY_NONE ? -1 : 1 - waited / all;
    return true;
}
