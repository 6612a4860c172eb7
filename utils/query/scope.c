/* Parts of a run.  See scope.h. */
#include "query/scope.h"

#include "base/base.h"
#include "query/iterations.h"

#include <inttypes.h>
#include <stdlib.h>

/* The iterations that any location has, as ranges. */
struct ranges {
    struct range *list;
    size_t count, capacity;
};

static void add_range(struct ranges *ranges, uint64_t first, uint64_t last)
{
    if (ranges->count == ranges->capacity) {
        ranges->capacity = ranges->capacity ? 2 * ranges->capacity : 64;
        ranges->list = reallocate(ranges->list, ranges->capacity, sizeof *ranges->list);
    }
    ranges->list[ranges->count++] = (struct range){first, last};
}

/* Adds the iterations of SERIES within LIMITS that have a profile. */
static void add_series(struct ranges *ranges, const struct series *series,
                       const struct range *limits)
{
    size_t before = ranges->count;
    for (size_t i = 0; i < series->run_count; i++) {
        const struct run *run = &series->runs[i];
        uint64_t first = run->first, last = run->first + run->length - 1;
        if (run->cluster == SUMMARY_NONE || last < limits->first || first > limits->last)
            continue;
        first = first < limits->first ? limits->first : first;
        last = last > limits->last ? limits->last : last;
        if (ranges->count > before && ranges->list[ranges->count - 1].last + 1 == first)
            ranges->list[ranges->count - 1].last = last;
        else
            add_range(ranges, first, last);
    }
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *left = a, *right = b;
    return (left->first > right->first) - (left->first < right->first);
}

/* Counts the iterations in all ranges, each once, and narrows LIMITS to them. */
static uint64_t count_iterations(struct ranges *ranges, struct range *limits)
{
    uint64_t count = 0, next = 0;
    if (ranges->count > 0)
        qsort(ranges->list, ranges->count, sizeof *ranges->list, compare_ranges);
    for (size_t i = 0; i < ranges->count; i++) {
        struct range range = ranges->list[i];
        if (i == 0)
            limits->first = range.first;
        if (range.first < next)
            range.first = next;
        if (range.first > range.last)
            continue;
        count += range.last - range.first + 1;
        limits->last = range.last;
        next = range.last + 1;
    }
    return count;
}

static const struct location *location_at(const struct selection *selection, size_t rank,
                                          size_t i)
{
    return &selection->summary->locations[selection->ranks[rank].first + i];
}

static bool find_iterations(struct scope *scope, struct error *error)
{
    const struct selection *selection = scope->selection;
    struct ranges ranges = {0};
    struct range wanted = scope->iterations;
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct series *series =
                location_series(location_at(selection, r, i), scope->phase);
            if (series)
                add_series(&ranges, series, &wanted);
        }
    scope->count = count_iterations(&ranges, &scope->iterations);
    free(ranges.list);
    return scope->count > 0 ||
           error_set(error, "%s: none of the ranks has a profile of these iterations of %s",
                     selection->summary->path, selection->summary->phases[scope->phase].name);
}

/* Sets whether all ranks, and all threads of the selected ranks, are selected. */
static void find_places(struct scope *scope)
{
    const struct selection *selection = scope->selection;
    const struct summary *summary = selection->summary;
    size_t ranks = 0, threads = 0, next = 0;
    for (size_t i = 0; i < summary->location_count; i++) {
        uint32_t rank = summary->locations[i].rank;
        ranks += i == 0 || summary->locations[i - 1].rank != rank;
        while (next < selection->rank_count && selection->ranks[next].rank < rank)
            next++;
        threads += next < selection->rank_count && selection->ranks[next].rank == rank;
    }
    scope->all_ranks = ranks == selection->rank_count;
    scope->all_threads = threads == selection_locations(selection);
}

bool scope_make(struct scope *scope, const struct selection *selection,
                const struct options *options, struct error *error)
{
    *scope =
        (struct scope){.selection = selection, .phase = SUMMARY_NONE, .count = 1, .divisor = 1};
    find_places(scope);
    bool iterations = options->phase_count > 0 || options->iterations_given ||
                      options->minus_iterations_given;
    if (options->total && iterations)
        return error_set(error, "--total is the whole run, not iterations of a phase");
    if (!iterations)
        return true;
    scope->phase = selection_phase(selection, error);
    scope->iterations = selection->iterations;
    if (scope->phase == SUMMARY_NONE || !find_iterations(scope, error))
        return false;
    scope->divisor = options->sum ? 1 : scope->count;
    return true;
}

void scope_add(const struct scope *scope, const struct location *location,
               const struct path_map *map, enum metric_sums sums, struct path_values *values)
{
    values->divisor = scope->divisor;
    if (scope->phase == SUMMARY_NONE) {
        path_values_add_mapped(values, &location->whole, map, 1, 1, sums);
        return;
    }
    const struct series *series = location_series(location, scope->phase);
    if (!series)
        return;
    uint64_t *members = series_members(series, &scope->iterations, 1);
    for (size_t c = 0; c < series->cluster_count; c++)
        if (members[c] > 0)
            path_values_add_mapped(values, &series->clusters[c].sums, map, members[c],
                                   series->clusters[c].size, sums);
    free(members);
}

void scope_add_all(const struct scope *scope, const struct path_map *map, enum metric_sums sums,
                   struct path_values *values)
{
    for (size_t r = 0; r < scope->selection->rank_count; r++)
        for (size_t i = 0; i < scope->selection->ranks[r].count; i++)
            scope_add(scope, location_at(scope->selection, r, i), map, sums, values);
}

/* Adds ", rank 3" or ", ranks 3-7". */
static void add_numbers(struct text *text, const char *what, uint32_t first, uint32_t last)
{
    if (first == last)
        text_addf(text, ", %s %u", what, first);
    else
        text_addf(text, ", %ss %u-%u", what, first, last);
}

/* The lowest and the highest selected thread of any rank. */
static struct range thread_range(const struct selection *selection)
{
    struct range range = {UINT32_MAX, 0};
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            uint32_t thread = location_at(selection, r, i)->thread;
            range.first = thread < range.first ? thread : range.first;
            range.last = thread > range.last ? thread : range.last;
        }
    return range;
}

void scope_add_text(const struct scope *scope, struct text *text)
{
    const struct selection *selection = scope->selection;
    if (scope->phase == SUMMARY_NONE)
        text_add(text, "whole run");
    else if (scope->iterations.first == scope->iterations.last)
        text_addf(text, "iteration %" PRIu64 " of %s", scope->iterations.first,
                  selection->summary->phases[scope->phase].name);
    else
        text_addf(text, "iterations %" PRIu64 "-%" PRIu64 " of %s, %s", scope->iterations.first,
                  scope->iterations.last, selection->summary->phases[scope->phase].name,
                  scope->divisor == scope->count ? "mean" : "sum");
    if (selection->rank_count == 0)
        return;
    const struct rank_group *first = &selection->ranks[0],
                            *last = &selection->ranks[selection->rank_count - 1];
    if (!scope->all_ranks)
        add_numbers(text, "rank", first->rank, last->rank);
    if (!scope->all_threads) {
        struct range threads = thread_range(selection);
        add_numbers(text, "thread", (uint32_t)threads.first, (uint32_t)threads.last);
    }
}
