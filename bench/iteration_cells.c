/*
 * The cells of every iteration of a summary that keeps them all, by the call paths that it has.
 *
 *     iteration_cells SUMMARY
 *
 * Clusters are made of these: calls of a function from several lines are several call paths,
 * which `tsprof export` joins.  Prints a line for each cell, of the first phase that has
 * iterations: rank, iteration, number of the call path, metric, value as stored.
 */
#include "file/read_summary.h"

#include <inttypes.h>
#include <stdio.h>

static void print_iteration(const struct summary *summary, uint32_t rank, uint64_t iteration,
                            const struct profile *profile)
{
    for (size_t i = 0; i < profile->count; i++) {
        const struct cell *cell = &profile->cells[i];
        printf("%u %" PRIu64 " %u %s %" PRId64 "\n", rank, iteration, cell->node,
               summary->metrics[cell->metric].name, cell->value);
    }
}

static void print_series(const struct summary *summary, uint32_t rank,
                         const struct series *series)
{
    for (size_t r = 0; r < series->run_count; r++) {
        const struct run *run = &series->runs[r];
        for (uint64_t i = 0; run->cluster != SUMMARY_NONE && i < run->length; i++)
            print_iteration(summary, rank, run->first + i,
                            &series->clusters[run->cluster].sums);
    }
}

int main(int argc, char **argv)
{
    struct error error = {0};
    struct summary *summary = argc == 2 ? summary_read(argv[1], &error) : NULL;
    if (!summary) {
        fprintf(stderr, "iteration_cells: %s\n",
                argc == 2 ? error.text : "usage: iteration_cells SUMMARY");
        return 2;
    }
    uint32_t phase = SUMMARY_NONE;
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        for (size_t s = 0; s < location->series_count; s++) {
            const struct series *series = &location->series[s];
            if (phase == SUMMARY_NONE && series->iterations > 0)
                phase = series->phase;
            if (series->phase == phase)
                print_series(summary, location->rank, series);
        }
    }
    summary_free(summary);
    return 0;
}
