/* Suggestions put together and ranked.  See suggest.h. */
#include "suggest/suggest.h"

#include "base/base.h"
#include "file/file.h"
#include "suggest/borders.h"
#include "suggest/groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A group with this share of the iterations, or of their time, is worth one of its own. */
#define LARGE 0.05

/* Candidates, the most important first. */
struct candidates {
    struct suggestion *list;
    size_t count, next;
};

static void say_group(struct text *text, const struct group *group, const struct groups *groups)
{
    char percent[QUANTITY_SIZE], time[QUANTITY_SIZE];
    const double each = group->time_s / (double)group->iterations;
    if (group->iterations == groups->iterations) {
        text_addf(text, "like all %" PRIu64 " iterations, which take %s each",
                  groups->iterations, format_quantity(time, each, "s"));
        return;
    }
    if (group->iterations == 1) {
        text_addf(text, "like no other; it takes %s, %s %% of the time of all",
                  format_quantity(time, each, "s"),
                  format_percent(percent, group->time_s, groups->time_s));
        return;
    }
    text_addf(text,
              "like %" PRIu64 " of the %" PRIu64 " iterations, which take %s each and %s %% of "
              "the time of all",
              group->iterations, groups->iterations, format_quantity(time, each, "s"),
              format_percent(percent, group->time_s, groups->time_s));
}

static bool is_large(const struct group *group, const struct groups *groups)
{
    return (double)group->iterations >= LARGE * (double)groups->iterations ||
           group->time_s >= LARGE * groups->time_s;
}

static struct candidates typical_ones(const struct groups *groups)
{
    struct candidates all = {allocate(groups->count, sizeof *all.list), 0, 0};
    for (size_t g = 0; g < groups->count; g++) {
        const struct group *group = &groups->list[g];
        struct suggestion *made = &all.list[all.count];
        if (!is_large(group, groups))
            continue;
        *made = (struct suggestion){.ranges = {{group->typical, group->typical}},
                                    .range_count = 1,
                                    .reason = "typical"};
        made->share = groups->time_s > 0 ? group->time_s / groups->time_s : 0;
        say_group(&made->text, group, groups);
        all.count++;
    }
    return all;
}

static struct candidates striking_ones(const struct selection *selection,
                                       const struct path_tree *tree, uint32_t phase)
{
    struct findings *findings =
        findings_find(selection, tree, summary_metric(selection->summary, "time"), 0);
    struct times *times = times_create(selection, phase);
    struct candidates all = {allocate(findings->count, sizeof *all.list), 0, 0};
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].phase == phase)
            all.count += border_of(&findings->list[i], times, &all.list[all.count]);
    times_free(times);
    findings_free(findings);
    return all;
}

static bool has_range(const struct suggestion *suggestion, struct range range)
{
    for (size_t i = 0; i < suggestion->range_count; i++)
        if (suggestion->ranges[i].first <= range.first &&
            suggestion->ranges[i].last >= range.last)
            return true;
    return false;
}

/* The suggestion that has all iterations of CANDIDATE, or NULL. */
static struct suggestion *find_same(struct suggestions *suggestions,
                                    const struct suggestion *candidate)
{
    for (size_t i = 0; i < suggestions->count; i++) {
        size_t having = 0;
        for (size_t r = 0; r < candidate->range_count; r++)
            having += has_range(&suggestions->list[i], candidate->ranges[r]);
        if (having == candidate->range_count)
            return &suggestions->list[i];
    }
    return NULL;
}

/* Takes over the next of FROM, if there is one: as a suggestion of its own, or as one more
 * reason for another. */
static void take_next(struct suggestions *suggestions, struct candidates *from, size_t most)
{
    if (from->next == from->count)
        return;
    struct suggestion *candidate = &from->list[from->next++];
    struct suggestion *same = find_same(suggestions, candidate);
    if (!same && suggestions->count < most) {
        suggestions->list[suggestions->count++] = *candidate;
        return;
    }
    if (same)
        text_addf(&same->text, "; also: %s", text_string(&candidate->text));
    else
        suggestions->left_out++;
    text_free(&candidate->text);
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *left = a, *right = b;
    return (left->first > right->first) - (left->first < right->first);
}

/* All iterations of the list, each once. */
static void unite_ranges(struct suggestions *suggestions)
{
    struct range *all = allocate(suggestions->count * SUGGESTION_RANGES, sizeof *all);
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < suggestions->count; i++)
        for (size_t r = 0; r < suggestions->list[i].range_count; r++)
            all[count++] = suggestions->list[i].ranges[r];
    qsort(all, count, sizeof *all, compare_ranges);
    for (size_t i = 0; i < count; i++) {
        struct range *last = kept ? &all[kept - 1] : NULL;
        if (last && all[i].first <= last->last + 1)
            last->last = all[i].last > last->last ? all[i].last : last->last;
        else
            all[kept++] = all[i];
    }
    suggestions->ranges = all;
    suggestions->range_count = kept;
}

static void measure(struct suggestions *suggestions)
{
    struct event_counts *counts =
        event_counts_create(suggestions->selection, suggestions->phase);
    for (size_t i = 0; i < suggestions->count; i++) {
        struct suggestion *suggestion = &suggestions->list[i];
        suggestion->size = event_counts_of(counts, suggestion->ranges, suggestion->range_count);
    }
    suggestions->size = event_counts_of(counts, suggestions->ranges, suggestions->range_count);
    event_counts_free(counts);
}

struct suggestions *suggestions_make(const struct selection *selection,
                                     const struct path_tree *tree, uint32_t phase, size_t most)
{
    struct groups groups = groups_find(selection, phase);
    struct candidates typical = typical_ones(&groups);
    struct candidates striking = striking_ones(selection, tree, phase);
    struct suggestions *suggestions = allocate(1, sizeof *suggestions);
    *suggestions = (struct suggestions){.selection = selection, .phase = phase};
    suggestions->list = allocate(typical.count + striking.count, sizeof *suggestions->list);
    /* What is usual first, to compare with; then in turn, since the shares of what stands out
     * and of what does not cannot be compared. */
    while (typical.next < typical.count || striking.next < striking.count) {
        take_next(suggestions, &typical, most);
        take_next(suggestions, &striking, most);
    }
    unite_ranges(suggestions);
    measure(suggestions);
    free(typical.list);
    free(striking.list);
    free(groups.list);
    return suggestions;
}

void suggestions_free(struct suggestions *suggestions)
{
    if (!suggestions)
        return;
    for (size_t i = 0; i < suggestions->count; i++)
        text_free(&suggestions->list[i].text);
    free(suggestions->list);
    free(suggestions->ranges);
    free(suggestions);
}
