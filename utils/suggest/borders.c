/* Iterations that show what a finding says.  See borders.h. */
#include "suggest/borders.h"

#include "base/base.h"
#include "file/file.h"

#include <stdlib.h>

#define MOST_SLOWEST 4096 /* iterations among which the slowest are looked for */
#define SAMPLE       15   /* of a range, to find what is typical there */
#define END          10   /* part of a drift that is its beginning, or its end */
#define NEARLY_ALL   0.9  /* what is seen in so many iterations needs none of its own */

struct times {
    const struct selection *selection;
    struct rank_values *values;
    uint64_t iterations; /* of the phase */
};

struct times *times_create(const struct selection *selection, uint32_t phase)
{
    const uint32_t metric = summary_metric(selection->summary, "time");
    struct times *times = allocate(1, sizeof *times);
    *times = (struct times){
        selection,
        rank_values_create(selection, &(struct rank_values_of){phase, &metric, 1, NULL}),
        selection_iterations(selection, phase)};
    return times;
}

void times_free(struct times *times)
{
    rank_values_free(times->values);
    free(times);
}

/* Seconds; 0 if no rank has ITERATION. */
static double time_of(const struct times *times, uint64_t iteration)
{
    double most = 0;
    for (size_t r = 0; r < times->selection->rank_count; r++) {
        double time = 0;
        for (size_t t = times->values->first[r]; t < times->values->first[r + 1]; t++) {
            const struct series *series = times->values->series[t];
            uint32_t cluster = series ? series_cluster(series, iteration) : SUMMARY_NONE;
            time += cluster != SUMMARY_NONE ? times->values->values[t][cluster] : 0;
        }
        most = time > most ? time : most;
    }
    return most;
}

static void add_range(struct suggestion *suggestion, uint64_t first, uint64_t last)
{
    size_t at = suggestion->range_count;
    for (size_t i = 0; i < suggestion->range_count; i++)
        if (first <= suggestion->ranges[i].last && last >= suggestion->ranges[i].first)
            return;
    if (at == SUGGESTION_RANGES)
        return;
    for (; at > 0 && suggestion->ranges[at - 1].first > first; at--)
        suggestion->ranges[at] = suggestion->ranges[at - 1];
    suggestion->ranges[at] = (struct range){first, last};
    suggestion->range_count++;
}

struct timed {
    uint64_t iteration;
    double time;
};

static int compare_timed(const void *a, const void *b)
{
    const struct timed *left = a, *right = b;
    if (left->time != right->time)
        return left->time > right->time ? -1 : 1;
    return (left->iteration > right->iteration) - (left->iteration < right->iteration);
}

/* The MOST slowest of the finding's iterations. */
static void add_slowest(struct suggestion *suggestion, const struct finding *finding,
                        const struct times *times, size_t most)
{
    struct timed *all = allocate(MOST_SLOWEST, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < finding->range_count; i++)
        for (uint64_t at = finding->iterations[i].first;
             at <= finding->iterations[i].last && count < MOST_SLOWEST; at++)
            all[count++] = (struct timed){at, time_of(times, at)};
    qsort(all, count, sizeof *all, compare_timed);
    for (size_t i = 0; i < count && i < most; i++)
        add_range(suggestion, all[i].iteration, all[i].iteration);
    free(all);
}

/* An iteration whose time is in the middle of those of a sample of RANGE. */
static void add_typical(struct suggestion *suggestion, struct range range,
                        const struct times *times)
{
    struct timed sample[SAMPLE];
    const uint64_t length = range.last - range.first + 1;
    const size_t count = length < SAMPLE ? (size_t)length : SAMPLE;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = range.first + length * i / count;
        sample[i] = (struct timed){at, time_of(times, at)};
    }
    qsort(sample, count, sizeof *sample, compare_timed);
    add_range(suggestion, sample[count / 2].iteration, sample[count / 2].iteration);
}

/* One iteration about the beginning of RANGE and one about its end. */
static void add_ends(struct suggestion *suggestion, struct range range,
                     const struct times *times)
{
    const uint64_t part = (range.last - range.first) / END;
    add_typical(suggestion, (struct range){range.first, range.first + part}, times);
    add_typical(suggestion, (struct range){range.last - part, range.last}, times);
}

/* The last iteration before the first one of FINDING, and that one. */
static void add_border(struct suggestion *suggestion, const struct finding *finding)
{
    const uint64_t first = finding->iterations[0].first;
    add_range(suggestion, first > 0 ? first - 1 : 0, first);
}

static bool is_everywhere(const struct finding *finding, const struct times *times)
{
    return (double)finding->iteration_count >= NEARLY_ALL * (double)times->iterations;
}

static void add_parts(struct suggestion *suggestion, const struct finding *finding,
                      const struct times *times)
{
    for (size_t i = 0; i < finding->part_count && i < SUGGESTION_RANGES; i++)
        add_typical(suggestion, finding->parts[i].iterations, times);
}

static void add_iterations(struct suggestion *suggestion, const struct finding *finding,
                           const struct times *times)
{
    switch (finding->kind) {
    case FINDING_SLOW_ITERATIONS:
        add_slowest(suggestion, finding, times, SUGGESTION_RANGES);
        break;
    case FINDING_PERIOD:
        add_slowest(suggestion, finding, times, 1);
        break;
    case FINDING_RANGE:
    case FINDING_STEP:
        add_border(suggestion, finding);
        break;
    case FINDING_DRIFT:
    case FINDING_GROWING_IMBALANCE:
        add_ends(suggestion, finding->iterations[0], times);
        break;
    case FINDING_MOVING_RANK:
        add_parts(suggestion, finding, times);
        break;
    case FINDING_SLOW_RANKS:
        if (!is_everywhere(finding, times))
            add_typical(suggestion, finding->iterations[0], times);
        break;
    case FINDING_IMBALANCE:
    case FINDING_IDLE_RANKS:
    case FINDING_KINDS:
        break;
    }
}

bool border_of(const struct finding *finding, const struct times *times,
               struct suggestion *suggestion)
{
    *suggestion = (struct suggestion){.reason = finding_kind_name(finding->kind),
                                      .share = finding->share};
    if (finding->range_count > 0)
        add_iterations(suggestion, finding, times);
    if (suggestion->range_count == 0)
        return false;
    text_add(&suggestion->text, finding->sentence);
    const size_t length = suggestion->text.length;
    if (length > 0 && suggestion->text.bytes[length - 1] == '.')
        text_cut(&suggestion->text, length - 1);
    return true;
}
