/* Finding where unwinding failed.  See failures.h. */
#include "accuracy/failures.h"

#include "base/base.h"
#include "query/query.h"

#include <stdlib.h>

/* Where walks that lead to a node of the call tree ended, without samples. */
static struct failure *ends_by_node(const struct summary *summary)
{
    struct failure *ends = allocate(summary->node_count, sizeof *ends);
    for (size_t i = 0; i < summary->node_count; i++) {
        const struct call_node *node = &summary->nodes[i];
        bool artificial = summary->regions[node->region].kind == REGION_ARTIFICIAL;
        ends[i] = i ? ends[node->parent] : (struct failure){SUMMARY_NONE, SUMMARY_NONE, 0};
        if (i > 0 && artificial && ends[i].reason == SUMMARY_NONE)
            ends[i].reason = node->region;
        else if (ends[i].reason != SUMMARY_NONE && ends[i].region == SUMMARY_NONE)
            ends[i].region = node->region;
    }
    return ends;
}

static void add_failure(struct failures *failures, struct failure end, int64_t samples)
{
    if ((failures->count & (failures->count - 1)) == 0)
        failures->list = reallocate(failures->list, failures->count ? 2 * failures->count : 1,
                                    sizeof *failures->list);
    end.samples = samples;
    failures->list[failures->count++] = end;
    failures->failed = add_stored(failures->failed, samples);
}

static int compare_places(const void *a, const void *b)
{
    const struct failure *left = a, *right = b;
    if (left->reason != right->reason)
        return left->reason < right->reason ? -1 : 1;
    return (left->region > right->region) - (left->region < right->region);
}

static int compare_samples(const void *a, const void *b)
{
    const struct failure *left = a, *right = b;
    if (left->samples != right->samples)
        return left->samples > right->samples ? -1 : 1;
    return compare_places(a, b);
}

/* Joins failures at the same place and sorts them, most samples first. */
static void join_failures(struct failures *failures)
{
    size_t kept = 0;
    if (failures->count == 0)
        return;
    qsort(failures->list, failures->count, sizeof *failures->list, compare_places);
    for (size_t i = 1; i < failures->count; i++) {
        struct failure *last = &failures->list[kept], *next = &failures->list[i];
        if (compare_places(last, next) == 0)
            last->samples = add_stored(last->samples, next->samples);
        else
            failures->list[++kept] = *next;
    }
    failures->count = kept + 1;
    qsort(failures->list, failures->count, sizeof *failures->list, compare_samples);
}

struct failures failures_find(const struct selection *selection)
{
    const struct summary *summary = selection->summary;
    uint32_t all = summary_metric(summary, "samples");
    uint32_t failed = summary_metric(summary, "samples_failed");
    struct failures failures = {0};
    struct failure *ends = ends_by_node(summary);
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct profile *whole =
                &summary->locations[selection->ranks[r].first + i].whole;
            for (size_t c = 0; c < whole->count; c++) {
                const struct cell *cell = &whole->cells[c];
                if (all != SUMMARY_NONE && metric_is_part(summary, cell->metric, all))
                    failures.samples = add_stored(failures.samples, cell->value);
                if (cell->metric == failed)
                    add_failure(&failures, ends[cell->node], cell->value);
            }
        }
    free(ends);
    join_failures(&failures);
    return failures;
}

void failures_free(struct failures *failures)
{
    free(failures->list);
    *failures = (struct failures){0};
}

void failure_add_place(struct text *text, const struct summary *summary,
                       const struct failure *failure)
{
    uint32_t shown = failure->region == SUMMARY_NONE ? failure->reason : failure->region;
    if (shown == SUMMARY_NONE) {
        text_add(text, "[unknown]");
        return;
    }
    const struct region_entry *region = &summary->regions[shown];
    text_add(text, region->name);
    if (region->module != SUMMARY_NONE)
        text_addf(text, " in %s", base_name(summary->modules[region->module].path));
}
