/* See join.h. */
#include "waits/join.h"

#include "waits/join_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Phases that are nested in others are part of those already. */
static void join_location(struct join *join, struct location *run, const struct location *waits)
{
    struct profile part;
    for (size_t i = 0; i < waits->series_count; i++)
        for (size_t k = 0; k < run->series_count; k++)
            if (run->series[k].phase == join->phase_of[waits->series[i].phase]) {
                join->notes_changes = run->series[k].parent_phase == SUMMARY_NONE;
                join_series(join, &run->series[k], &waits->series[i]);
            }
    join->notes_changes = true;
    join_profile(join, &run->outside, 1, &waits->outside, &part);
    run->outside = part;
    join_changes(join, &run->whole);
}

/* Facts */

static void add_fact(struct join *join, const char *key, const char *value)
{
    struct summary *run = join->run;
    run->facts[run->fact_count++] =
        (struct fact){memory_pool_copy(&run->pool, key, strlen(key)),
                      memory_pool_copy(&run->pool, value, strlen(value))};
}

static void add_number(struct join *join, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    add_fact(join, key, digits);
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Adds FIRST to LAST to TEXT, a list that grows. */
struct ranges {
    char *text;
    size_t length, room;
};

static void add_range(struct ranges *ranges, uint64_t first, uint64_t last)
{
    char range[48];
    int length = snprintf(range, sizeof range, "%s%" PRIu64, ranges->length ? "," : "", first);
    if (last > first)
        length += snprintf(range + length, sizeof range - (size_t)length, "-%" PRIu64, last);
    if (ranges->length + (size_t)length + 1 > ranges->room) {
        ranges->room = 2 * ranges->room + sizeof range;
        ranges->text = reallocate(ranges->text, ranges->room, 1);
    }
    memcpy(ranges->text + ranges->length, range, (size_t)length + 1);
    ranges->length += (size_t)length;
}

static int compare_runs(const void *a, const void *b)
{
    const struct run *one = a, *other = b;
    return one->first < other->first ? -1 : one->first > other->first;
}

/* The iterations of PHASE that were traced on any location; *COUNT of them, by their numbers.
 */
static struct run *traced_runs(const struct summary *waits, uint32_t phase, size_t *count)
{
    size_t room = 0;
    struct run *runs = NULL;
    *count = 0;
    for (size_t i = 0; i < waits->location_count; i++) {
        const struct series *series = location_series(&waits->locations[i], phase);
        for (size_t k = 0; series && k < series->run_count; k++) {
            if (series->runs[k].cluster == SUMMARY_NONE)
                continue;
            runs = grow_list(runs, *count, &room, sizeof *runs);
            runs[(*count)++] = series->runs[k];
        }
    }
    if (*count > 1)
        qsort(runs, *count, sizeof *runs, compare_runs);
    return runs;
}

static void add_iterations(struct join *join, uint32_t phase)
{
    struct ranges ranges = {NULL, 0, 0};
    char key[1024];
    size_t count;
    struct run *runs = traced_runs(join->waits, phase, &count);
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t last = runs[i].first;
        for (end = i; end < count && runs[end].first <= last + 1; end++)
            last = runs[end].first;
        add_range(&ranges, runs[i].first, last);
    }
    snprintf(key, sizeof key, "traced.%s", join->waits->phases[phase].name);
    if (ranges.text)
        add_fact(join, key, ranges.text);
    free(ranges.text);
    free(runs);
}

static void add_facts(struct join *join)
{
    struct summary *run = join->run;
    const struct summary *waits = join->waits;
    struct fact *longer = memory_pool_allocate(
        &run->pool, run->fact_count + waits->fact_count + waits->phase_count + 3,
        sizeof *longer);
    memcpy(longer, run->facts, run->fact_count * sizeof *longer);
    run->facts = longer;
    add_fact(join, "joined.trace", summary_fact(waits, "trace"));
    add_number(join, "joined.cut_ns", join->cut_ns);
    add_number(join, "joined.left_out", join->left_out);
    for (size_t i = 0; i < waits->fact_count; i++)
        if (begins_with(waits->facts[i].key, "trace.") ||
            begins_with(waits->facts[i].key, "clocks.") ||
            begins_with(waits->facts[i].key, "gain.") ||
            begins_with(waits->facts[i].key, "ideal."))
            add_fact(join, waits->facts[i].key, waits->facts[i].value);
    for (uint32_t i = 0; i < waits->phase_count; i++)
        add_iterations(join, i);
}

static void free_tables(struct join *join)
{
    void *tables[] = {join->changes,       join->metrics,  join->new_numbers, join->is_wall,
                      join->is_time,       join->is_mpi,   join->classes,     join->class_of,
                      join->wait_class_of, join->phase_of, join->location_of};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(tables[i]);
}

bool join_waits(struct summary *run, const struct summary *waits, struct error *error)
{
    struct join join = {.run = run, .waits = waits};
    bool good = join_find(&join, error);
    if (good)
        join_definitions(&join);
    good = good && join_check_calls(&join, error);
    if (good) {
        for (size_t i = 0; i < waits->location_count; i++)
            join_location(&join, &run->locations[join.location_of[i]], &waits->locations[i]);
        join_tables(&join);
        add_facts(&join);
    }
    free_tables(&join);
    return good;
}
