/* Events of iterations, by their profiles.  See trace_size.h. */
#include "suggest/trace_size.h"

#include "base/base.h"
#include "common/format.h"
#include "file/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The events that one thread has in an iteration of each of its clusters. */
struct thread_events {
    const struct series *series; /* NULL: the thread has no part in the phase */
    double *of_cluster;
};

struct event_counts {
    const struct selection *selection;
    struct thread_events *threads; /* of the selected ranks, one after the other */
    size_t count;
};

/* Whether a cell of a profile counts events. */
static bool is_event(const struct summary *summary, const struct cell *cell, uint32_t visits,
                     uint32_t samples)
{
    const struct region_entry *region = &summary->regions[summary->nodes[cell->node].region];
    if (cell->metric == visits)
        return region->kind == REGION_MPI || region->kind == REGION_PHASE ||
               strcmp(region->group, FORMAT_TOLD_GROUP) == 0;
    return samples != SUMMARY_NONE && metric_is_part(summary, cell->metric, samples);
}

static double *events_of_clusters(const struct summary *summary, const struct series *series)
{
    const uint32_t visits = summary_metric(summary, "visits");
    const uint32_t samples = summary_metric(summary, "samples");
    double *events = allocate(series->cluster_count, sizeof *events);
    for (size_t c = 0; c < series->cluster_count; c++) {
        const struct cluster *cluster = &series->clusters[c];
        for (size_t i = 0; i < cluster->sums.count; i++)
            if (is_event(summary, &cluster->sums.cells[i], visits, samples))
                events[c] += (double)cluster->sums.cells[i].value;
        events[c] /= (double)cluster->size;
    }
    return events;
}

struct event_counts *event_counts_create(const struct selection *selection, uint32_t phase)
{
    struct event_counts *counts = allocate(1, sizeof *counts);
    counts->selection = selection;
    counts->threads = allocate(selection_locations(selection), sizeof *counts->threads);
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const size_t at = selection->ranks[r].first + i;
            struct thread_events *thread = &counts->threads[counts->count++];
            thread->series = location_series(&selection->summary->locations[at], phase);
            if (thread->series)
                thread->of_cluster = events_of_clusters(selection->summary, thread->series);
        }
    return counts;
}

void event_counts_free(struct event_counts *counts)
{
    if (!counts)
        return;
    for (size_t i = 0; i < counts->count; i++)
        free(counts->threads[i].of_cluster);
    free(counts->threads);
    free(counts);
}

/* The events of THREAD in RANGE; adds to HAVING how many iterations have a profile. */
static double events_in(const struct thread_events *thread, const struct range *range,
                        uint64_t *having)
{
    struct piece piece = {.series = thread->series, .ranges = range, .range_count = 1};
    double events = 0;
    if (!thread->series)
        return 0;
    while (piece_next(&piece)) {
        events += (double)piece.length * thread->of_cluster[piece.cluster];
        *having += piece.length;
    }
    return events;
}

struct trace_size event_counts_of(const struct event_counts *counts, const struct range *ranges,
                                  size_t count)
{
    const struct selection *selection = counts->selection;
    struct trace_size size = {.most_rank = SUMMARY_NONE};
    uint64_t wanted = 0;
    size_t thread = 0;
    for (size_t i = 0; i < count; i++)
        wanted += ranges[i].last - ranges[i].first + 1;
    for (size_t r = 0; r < selection->rank_count; r++) {
        double events = 0;
        for (size_t t = 0; t < selection->ranks[r].count; t++, thread++) {
            uint64_t having = 0;
            for (size_t i = 0; i < count; i++)
                events += events_in(&counts->threads[thread], &ranges[i], &having);
            size.known |= having == wanted;
        }
        /* A mean over a cluster may be no whole number. */
        events = ceil(events - 1e-6);
        size.all += events;
        if (size.most_rank == SUMMARY_NONE || events > size.most) {
            size.most = events;
            size.most_rank = selection->ranks[r].rank;
        }
    }
    return size;
}
