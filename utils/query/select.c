/* Resolving a selection in a summary.  See select.h. */
#include "query/select.h"

#include "print/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The most bytes of names in a message: enough for all usual metrics, and it leaves room in
 * struct error for the file's name. */
#define LISTED_BYTES 1200

const struct series *rank_series(const struct summary *summary, const struct rank_group *rank,
                                 uint32_t phase)
{
    const struct series *series = NULL;
    for (size_t i = 0; i < rank->count && !series; i++)
        series = location_series(&summary->locations[rank->first + i], phase);
    return series;
}

static uint64_t most_iterations(const struct summary *summary, uint32_t phase)
{
    uint64_t most = 0;
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct series *series = location_series(&summary->locations[i], phase);
        if (series && series->iterations > most)
            most = series->iterations;
    }
    return most;
}

static bool has_series(const struct summary *summary, uint32_t phase)
{
    for (size_t i = 0; i < summary->location_count; i++)
        if (location_series(&summary->locations[i], phase))
            return true;
    return false;
}

/* Sets the message that lists the phases to choose from. */
static bool refuse_phase(const struct summary *summary, const char *name, struct error *error)
{
    struct text list = {0};
    for (uint32_t p = 0; p < summary->phase_count; p++)
        if (has_series(summary, p))
            text_addf(&list, "%s%s", list.length ? ", " : "", summary->phases[p].name);
    error_set(error, "%s: has no phase \"%s\"; it has %s", summary->path, name,
              list.length ? text_string(&list) : "none whose iterations were kept apart");
    text_free(&list);
    return false;
}

static bool select_phases(struct selection *selection, const struct options *options,
                          struct error *error)
{
    const struct summary *summary = selection->summary;
    selection->phases = allocate(summary->phase_count, sizeof *selection->phases);
    for (uint32_t p = 0; p < summary->phase_count && options->phase_count == 0; p++)
        selection->phases[p] = has_series(summary, p);
    for (size_t i = 0; i < options->phase_count; i++) {
        uint32_t phase = summary_phase(summary, options->phases[i]);
        if (phase == SUMMARY_NONE)
            return refuse_phase(summary, options->phases[i], error);
        if (!has_series(summary, phase))
            return error_set(error, "%s: the iterations of phase \"%s\" were not kept apart",
                             summary->path, options->phases[i]);
        selection->phases[phase] = true;
    }
    return true;
}

/* "time, execution, ...": the names to choose from, as many as a message has room for. */
static void list_metrics(const struct summary *summary, struct text *list)
{
    for (size_t m = 0; m < summary->metric_count; m++) {
        const char *name = summary->metrics[m].name;
        if (list->length + strlen(name) > LISTED_BYTES) {
            text_addf(list, " and %zu more", summary->metric_count - m);
            return;
        }
        text_addf(list, "%s%s", m ? ", " : "", name);
    }
}

static bool select_metrics(struct selection *selection, const struct options *options,
                           struct error *error)
{
    const struct summary *summary = selection->summary;
    if (options->metric_count == 0)
        return true;
    selection->metrics = allocate(summary->metric_count, sizeof *selection->metrics);
    for (size_t i = 0; i < options->metric_count; i++) {
        uint32_t metric = summary_metric(summary, options->metrics[i]);
        if (metric == SUMMARY_NONE) {
            struct text list = {0};
            list_metrics(summary, &list);
            error_set(error, "%s: has no metric \"%s\"; it has %s", summary->path,
                      options->metrics[i], text_string(&list));
            text_free(&list);
            return false;
        }
        selection->metrics[metric] = true;
    }
    return true;
}

static bool is_within(uint32_t value, const struct range *range)
{
    return value >= range->first && value <= range->last;
}

/* Nothing is selected: sets the message that says which rank or thread does not exist. */
static bool refuse_ranks(const struct summary *summary, const struct options *options,
                         struct error *error)
{
    uint32_t most = 0;
    bool any = false;
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        if (!is_within(location->rank, &options->ranks))
            continue;
        any = true;
        most = location->thread > most ? location->thread : most;
    }
    if (any)
        return error_set(error, "%s: has no thread from %" PRIu64 " on; the last is %u",
                         summary->path, options->threads.first, most);
    return error_set(error, "%s: has no rank from %" PRIu64 " on; its last is %u",
                     summary->path, options->ranks.first,
                     summary->locations[summary->location_count - 1].rank);
}

static bool select_ranks(struct selection *selection, const struct options *options,
                         struct error *error)
{
    const struct summary *summary = selection->summary;
    selection->ranks = allocate(summary->location_count, sizeof *selection->ranks);
    for (size_t i = 0; i < summary->location_count; i++) {
        uint32_t rank = summary->locations[i].rank;
        if (!is_within(rank, &options->ranks) ||
            !is_within(summary->locations[i].thread, &options->threads))
            continue;
        size_t count = selection->rank_count;
        if (count == 0 || selection->ranks[count - 1].rank != rank)
            selection->ranks[selection->rank_count++] = (struct rank_group){rank, i, 1};
        else
            selection->ranks[count - 1].count++;
    }
    return selection->rank_count > 0 || summary->location_count == 0 ||
           refuse_ranks(summary, options, error);
}

static bool select_iterations(struct selection *selection, const struct options *options,
                              struct error *error)
{
    const struct summary *summary = selection->summary;
    uint64_t most = 0;
    selection->iterations = options->iterations;
    for (uint32_t p = 0; p < summary->phase_count; p++)
        if (selection->phases[p] && most_iterations(summary, p) > most)
            most = most_iterations(summary, p);
    if (options->iterations.first == 0 || options->iterations.first < most)
        return true;
    return error_set(error,
                     "%s: has no iteration %" PRIu64 "; there are %" PRIu64 ", counted from 0",
                     summary->path, options->iterations.first, most);
}

bool selection_make(struct selection *selection, const struct summary *summary,
                    const struct options *options, struct error *error)
{
    *selection = (struct selection){.summary = summary};
    if (select_phases(selection, options, error) && select_metrics(selection, options, error) &&
        select_ranks(selection, options, error) && select_iterations(selection, options, error))
        return true;
    selection_free(selection);
    return false;
}

void selection_free(struct selection *selection)
{
    free(selection->phases);
    free(selection->metrics);
    free(selection->ranks);
    *selection = (struct selection){0};
}

struct selection selection_first_threads(const struct selection *selection)
{
    struct selection first = *selection;
    first.ranks = allocate(selection->rank_count, sizeof *first.ranks);
    for (size_t r = 0; r < selection->rank_count; r++) {
        first.ranks[r] = selection->ranks[r];
        first.ranks[r].count = 1;
    }
    return first;
}

uint32_t selection_phase(const struct selection *selection, struct error *error)
{
    const struct summary *summary = selection->summary;
    uint32_t found = SUMMARY_NONE;
    for (uint32_t p = 0; p < summary->phase_count; p++) {
        if (!selection->phases[p])
            continue;
        if (found != SUMMARY_NONE) {
            error_set(error, "%s: has iterations of %s and of %s; choose with --phase",
                      summary->path, summary->phases[found].name, summary->phases[p].name);
            return SUMMARY_NONE;
        }
        found = p;
    }
    if (found == SUMMARY_NONE)
        error_set(error, "%s: has no iterations", summary->path);
    return found;
}

size_t selection_locations(const struct selection *selection)
{
    size_t count = 0;
    for (size_t r = 0; r < selection->rank_count; r++)
        count += selection->ranks[r].count;
    return count;
}

bool selection_has(const struct selection *selection, size_t location)
{
    size_t low = 0, high = selection->rank_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct rank_group *rank = &selection->ranks[middle];
        if (location < rank->first)
            high = middle;
        else if (location - rank->first < rank->count)
            return true;
        else
            low = middle + 1;
    }
    return false;
}

bool selection_has_threads(const struct selection *selection)
{
    return selection_locations(selection) > selection->rank_count;
}

uint64_t selection_iterations(const struct selection *selection, uint32_t phase)
{
    uint64_t most = 0;
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct location *location =
                &selection->summary->locations[selection->ranks[r].first + i];
            const struct series *series = location_series(location, phase);
            if (series && series->iterations > most)
                most = series->iterations;
        }
    return most;
}
