/* Whether a trace is of the run that a summary is of.  See join_parts.h. */
#include "waits/join_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The location of RANK and THREAD; SUMMARY_NONE: there is none. */
static uint32_t find_location(const struct summary *summary, uint32_t rank, uint32_t thread)
{
    for (uint32_t i = 0; i < summary->location_count; i++)
        if (summary->locations[i].rank == rank && summary->locations[i].thread == thread)
            return i;
    return SUMMARY_NONE;
}

static bool is_same_fact(const struct summary *run, const struct summary *waits,
                         const char *key, struct error *error)
{
    const char *one = summary_fact(run, key), *other = summary_fact(waits, key);
    if (!one || !other || strcmp(one, other) == 0)
        return true;
    return error_set(error, "%s: not of the same run as the trace: its %s is %s, not %s",
                     run->path, key, one, other);
}

static bool find_locations(struct join *join, struct error *error)
{
    const struct summary *waits = join->waits;
    join->location_of = allocate(waits->location_count + 1, sizeof *join->location_of);
    for (size_t i = 0; i < waits->location_count; i++) {
        const struct location *location = &waits->locations[i];
        join->location_of[i] = find_location(join->run, location->rank, location->thread);
        if (join->location_of[i] == SUMMARY_NONE)
            return error_set(error,
                             "%s: not of the same run as the trace: it has no rank %" PRIu32
                             ", thread %" PRIu32,
                             join->run->path, location->rank, location->thread);
    }
    return true;
}

static bool find_phases(struct join *join, struct error *error)
{
    const struct summary *waits = join->waits;
    join->phase_of = allocate(waits->phase_count + 1, sizeof *join->phase_of);
    for (size_t i = 0; i < waits->phase_count; i++) {
        join->phase_of[i] = summary_phase(join->run, waits->phases[i].name);
        if (join->phase_of[i] == SUMMARY_NONE)
            return error_set(error, "%s: not of the same run as the trace: it has no phase %s",
                             join->run->path, waits->phases[i].name);
    }
    return true;
}

/* Series of a location, and that there are as many iterations as the trace has met. */
static bool check_series(const struct join *join, const struct location *location,
                         const struct series *waits, struct error *error)
{
    const struct series *run = location_series(location, join->phase_of[waits->phase]);
    if (run && waits->iterations <= run->iterations)
        return true;
    return error_set(error,
                     "%s: not of the same run as the trace: rank %" PRIu32 " has %" PRIu64
                     " iterations of %s, and number %" PRIu64 " was traced",
                     join->run->path, location->rank, run ? run->iterations : 0,
                     join->waits->phases[waits->phase].name, waits->iterations - 1);
}

bool join_find(struct join *join, struct error *error)
{
    const struct summary *run = join->run, *waits = join->waits;
    if (run->derived || summary_is_of_trace(run) || run->waits.pair_count > 0)
        return error_set(error, "%s: not the summary of a run, as it was measured", run->path);
    if (!is_same_fact(run, waits, "program", error) ||
        !is_same_fact(run, waits, "ranks", error))
        return false;
    if (!find_locations(join, error) || !find_phases(join, error))
        return false;
    for (size_t i = 0; i < waits->location_count; i++)
        for (size_t k = 0; k < waits->locations[i].series_count; k++)
            if (!check_series(join, &run->locations[join->location_of[i]],
                              &waits->locations[i].series[k], error))
                return false;
    return true;
}

/* What a location has counted, by class of call paths. */
static int64_t *add_up(const struct join *join, const struct profile *profile, uint32_t metric,
                       const uint32_t *class_of)
{
    int64_t *sums = allocate(join->class_count + 1, sizeof *sums);
    for (size_t i = 0; i < profile->count; i++)
        if (profile->cells[i].metric == metric)
            sums[class_of[profile->cells[i].node]] += profile->cells[i].value;
    return sums;
}

/* Calls of MPI are counted exactly: the run has made all that were traced. */
bool join_check_calls(const struct join *join, struct error *error)
{
    const uint32_t of_run = summary_metric(join->run, "visits");
    const uint32_t of_waits = summary_metric(join->waits, "visits");
    bool good = true;
    for (size_t i = 0; good && i < join->waits->location_count; i++) {
        const struct location *run = &join->run->locations[join->location_of[i]];
        int64_t *made = add_up(join, &run->whole, of_run, join->class_of);
        int64_t *traced =
            add_up(join, &join->waits->locations[i].whole, of_waits, join->wait_class_of);
        for (size_t k = 0; good && k < join->class_count; k++) {
            const struct region_entry *region = &join->run->regions[join->classes[k].region];
            if (region->kind == REGION_MPI && made[k] > 0 && traced[k] > made[k])
                good = error_set(error,
                                 "%s: not of the same run as the trace: rank %" PRIu32
                                 " has called %s %" PRId64 " times on a call path on which "
                                 "%" PRId64 " calls were traced",
                                 join->run->path, run->rank, region->name, made[k], traced[k]);
        }
        free(made);
        free(traced);
    }
    return good;
}
