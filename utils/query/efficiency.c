/* See efficiency.h. */
#include "query/efficiency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void efficiency_correct(struct path_values *values)
{
    const struct summary *summary = values->tree->summary;
    const uint32_t preempted = summary_metric(summary, "preempted");
    const long double time = efficiency_sum(values, summary_metric(summary, "time")),
                      without = efficiency_sum(values, preempted);
    if (time <= 0 || without <= 0)
        return;
    const long double factor = without < time ? 1 - without / time : 0;
    for (uint32_t m = 0; m < values->metric_count; m++) {
        const bool is_time = m != preempted && strcmp(summary->metrics[m].unit, "s") == 0;
        for (size_t i = 0; is_time && i < values->count; i++)
            values->sums[(size_t)values->list[i] * values->metric_count + m] *= factor;
    }
}

/* A prediction of a summary of waits, in seconds. */
struct ideal {
    double of, time; /* unchanged, and on a network that takes no time */
    double most, mean;
};

static bool read_fact(const struct summary *summary, const char *key, double *value)
{
    const char *fact = summary_fact(summary, key);
    *value = fact ? strtod(fact, NULL) : 0;
    return isfinite(*value) && *value > 0;
}

static bool read_ideal(const struct summary *summary, struct ideal *ideal)
{
    return read_fact(summary, "ideal.of", &ideal->of) &&
           read_fact(summary, "ideal.time", &ideal->time) &&
           read_fact(summary, "ideal.most", &ideal->most) &&
           read_fact(summary, "ideal.mean", &ideal->mean);
}

/* Divides the communication efficiency: neither part is more than 1. */
static void divide_communication(struct efficiency *efficiency, const struct ideal *ideal)
{
    const long double transfer = (long double)ideal->time / (long double)ideal->of;
    efficiency->transfer = fminl(fmaxl(transfer, efficiency->communication), 1);
    efficiency->serialisation = efficiency->communication / efficiency->transfer;
}

bool efficiency_of_traced(const struct summary *summary, struct efficiency *efficiency)
{
    struct ideal ideal;
    if (!summary_fact(summary, "joined.trace") || !read_ideal(summary, &ideal))
        return false;
    *efficiency = (struct efficiency){.time = (long double)ideal.of,
                                      .mean = (long double)ideal.mean,
                                      .most = (long double)ideal.most,
                                      .most_rank = SUMMARY_NONE,
                                      .processor = -1};
    efficiency->parallel = fminl(efficiency->mean / efficiency->time, 1);
    efficiency->balance = fminl(efficiency->mean / efficiency->most, 1);
    efficiency->communication = fminl(efficiency->most / efficiency->time, 1);
    divide_communication(efficiency, &ideal);
    return true;
}

/* Whether SCOPE is all that was traced, of which the prediction is. */
static bool is_all_traced(const struct scope *scope)
{
    return scope->all_ranks && scope->phase == SUMMARY_NONE &&
           !summary_fact(scope->selection->summary, "joined.trace");
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
    struct ideal ideal;
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
    efficiency->serialisation = efficiency->transfer = -1;
    if (is_all_traced(scope) && read_ideal(summary, &ideal))
        divide_communication(efficiency, &ideal);
    return true;
}
