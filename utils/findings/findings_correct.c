/* See findings_correct.h. */
#include "findings/findings_correct.h"

#include "base/base.h"
#include "query/query.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCARCE    0.05 /* of the time without a processor: it is corrected for */
#define REACH     25   /* neighbours on either side */
#define OWN_REACH 8    /* likewise, of ranks' own work */
#define MOST_CELLS                                                                             \
    ((size_t)1 << 21) /* ranks times points: more are not compared with others                 \
                       */

/* What a value may have been: LOW to HIGH, and what it was rather. */
struct possible {
    double low, rather, high;
};

enum { ENDS = 3 };

/* By point. */
struct correction {
    double *own;            /* the longest that a rank computes */
    double *first, *second; /* the longest and second longest that ranks had no processor for */
    double *least;          /* the shortest time of a rank */
};

/* The values of a rank in an iteration. */
enum { COMPUTATION, PREEMPTED, TIME, IO, VALUES };

/* Of one rank, whose own work is OWN. */
static struct possible possible_own(const double values[VALUES], double own)
{
    const double without = values[PREEMPTED], time = fmax(values[TIME], own),
                 outside = fmin(without, time - own);
    return (struct possible){fmax(own - without, 0),
                             time > 0 ? own * fmax(1 - without / time, 0) : 0,
                             fmax(own - (without - outside), 0)};
}

static void note_preempted(struct correction *correction, size_t point, double without)
{
    if (without > correction->first[point]) {
        correction->second[point] = correction->first[point];
        correction->first[point] = without;
    } else
        correction->second[point] = fmax(correction->second[point], without);
}

/* Takes of each of COUNT intervals the value most like those of REACH neighbours. */
static void choose(const struct possible *possible, size_t count, size_t reach, double *chosen)
{
    double *ends = allocate(ENDS * count, sizeof *ends),
           *usual = allocate(ENDS * count, sizeof *usual);
    for (size_t i = 0; i < count; i++) {
        ends[ENDS * i] = possible[i].low;
        ends[ENDS * i + 1] = possible[i].rather;
        ends[ENDS * i + 2] = possible[i].high;
    }
    /* The median of all ends is nearest to all intervals. */
    rolling_median(ends, ENDS * count, ENDS * reach + 1, usual);
    for (size_t i = 0; i < count; i++)
        chosen[i] = fmin(fmax(usual[ENDS * i + 1], possible[i].low), possible[i].high);
    free(ends);
    free(usual);
}

/* Own work of a rank by point; NaN where it has none. */
static void choose_own(const struct possible *possible, size_t count, struct own own)
{
    struct possible *there = allocate(count, sizeof *there);
    double *chosen = allocate(count, sizeof *chosen);
    size_t having = 0, at = 0;
    for (size_t p = 0; p < count; p++)
        if (!isnan(possible[p].low))
            there[having++] = possible[p];
    if (having > 0)
        choose(there, having, OWN_REACH, chosen);
    for (size_t p = 0; p < count; p++) {
        own.value[p] = isnan(possible[p].low) ? NAN : chosen[at++];
        own.rather[p] = possible[p].rather;
        own.low[p] = possible[p].low;
        own.high[p] = possible[p].high;
    }
    free(there);
    free(chosen);
}

/* Walks over one rank; POSSIBLE: by point, NaN where it has none. */
static void add_rank(const struct points *points, struct rank_walk *walk,
                     struct correction *correction, struct possible *possible)
{
    size_t at = 0;
    for (size_t p = 0; p < points->count; p++)
        possible[p] = (struct possible){NAN, NAN, NAN};
    while (rank_walk_step(walk)) {
        if (isnan(walk->values[COMPUTATION]))
            continue;
        const double own =
            walk->values[COMPUTATION] + (walk->of->metric_count > IO ? walk->values[IO] : 0);
        while (at < points->count && point_last(points, at) < walk->first)
            at++;
        for (size_t p = at; p < points->count && points->at[p] < walk->first + walk->length;
             p++) {
            const struct possible here = possible_own(walk->values, own);
            if (!(possible[p].rather > here.rather))
                possible[p] = here;
            correction->least[p] = fmin(correction->least[p], walk->values[TIME]);
        }
    }
}

/* How long ranks had no processor, all of them. */
static void note_ranks(const struct look *look, const struct rank_values *values,
                       struct correction *correction)
{
    const struct points *points = &look->points;
    for (size_t r = 0; r < look->selection->rank_count; r++) {
        struct rank_walk walk;
        size_t p = 0;
        rank_walk_begin(&walk, values, r);
        while (rank_walk_step(&walk)) {
            while (p < points->count && point_last(points, p) < walk.first)
                p++;
            for (size_t at = p; !isnan(walk.values[PREEMPTED]) && at < points->count &&
                                points->at[at] < walk.first + walk.length;
                 at++)
                note_preempted(correction, at, walk.values[PREEMPTED]);
        }
        rank_walk_end(&walk);
    }
}

/* All ranks, one by one; their own work is compared with neighbours if there is room for it. */
static void add_ranks(struct look *look, const struct rank_values *values,
                      struct correction *correction)
{
    const size_t count = look->points.count, ranks = look->selection->rank_count;
    struct possible *possible = allocate(count, sizeof *possible);
    if (look->points.group == 1 && count <= MOST_CELLS / ranks)
        look->own = (struct own){
            allocate(ranks * count, sizeof(double)), allocate(ranks * count, sizeof(double)),
            allocate(ranks * count, sizeof(double)), allocate(ranks * count, sizeof(double))};
    for (size_t r = 0; r < ranks; r++) {
        struct rank_walk walk;
        rank_walk_begin(&walk, values, r);
        add_rank(&look->points, &walk, correction, possible);
        rank_walk_end(&walk);
        if (look->own.value)
            choose_own(possible, count, look_own(look, r));
        for (size_t p = 0; p < count; p++)
            correction->own[p] =
                fmax(correction->own[p],
                     look->own.value ? look_own(look, r).value[p] : possible[p].rather);
    }
    free(possible);
}

struct own look_own(const struct look *look, size_t rank)
{
    const size_t at = rank * look->points.count;
    return (struct own){look->own.value + at, look->own.rather + at, look->own.low + at,
                        look->own.high + at};
}

void look_free_own(struct look *look)
{
    free(look->own.value);
    free(look->own.rather);
    free(look->own.low);
    free(look->own.high);
    look->own = (struct own){NULL, NULL, NULL, NULL};
}

/* The share of the time of iterations for which some rank had no processor. */
static double scarcity_of(const struct points *points, const struct correction *correction)
{
    double without = 0, all = 0;
    for (size_t p = 0; p < points->count; p++) {
        without += correction->first[p];
        all += points->values[p];
    }
    return all > 0 ? fmin(without / all, 1) : 0;
}

/* The value that is possible at each of POINTS and most like those that neighbours had at
 * least. */
static void choose_time(const double *low, struct points *points)
{
    double *usual = allocate(points->count, sizeof *usual);
    rolling_median(low, points->count, REACH, usual);
    for (size_t p = 0; p < points->count; p++)
        points->values[p] = fmin(fmax(usual[p], low[p]), points->values[p]);
    free(usual);
}

/* Of each of COUNT values the sum of those before, and of all; for the caller to free(). */
static double *running_sums(const double *values, size_t count)
{
    double *sums = allocate(count + 1, sizeof *sums);
    for (size_t p = 0; p < count; p++)
        sums[p + 1] = sums[p] + values[p];
    return sums;
}

double look_scarcity(const struct look *look, size_t first, size_t end)
{
    const double all = look->elapsed[end] - look->elapsed[first];
    return all > 0 ? fmin((look->lacking[end] - look->lacking[first]) / all, 1) : 0;
}

static void apply(struct look *look, const struct correction *correction)
{
    struct points *points = &look->points;
    const double before = look->total;
    look->corrected = true;
    look->elapsed = running_sums(points->values, points->count);
    look->lacking = running_sums(correction->first, points->count);
    look->uncorrected = allocate(points->count, sizeof *look->uncorrected);
    memcpy(look->uncorrected, points->values, points->count * sizeof *look->uncorrected);
    look->total = 0;
    double *low = allocate(points->count, sizeof *low);
    for (size_t p = 0; p < points->count; p++)
        low[p] = fmin(fmax(correction->least[p] - correction->first[p] - correction->second[p],
                           correction->own[p]),
                      points->values[p]);
    choose_time(low, points);
    free(low);
    for (size_t p = 0; p < points->count; p++)
        look->total += points->values[p] * (double)points->group;
    look->mean *= before > 0 ? look->total / before : 1;
}

void look_correct(struct look *look)
{
    const struct summary *summary = look->selection->summary;
    const uint32_t io = summary_metric(summary, "mpi_io_individual"),
                   metrics[VALUES] = {[COMPUTATION] = summary_metric(summary, "computation"),
                                      [PREEMPTED] = summary_metric(summary, "preempted"),
                                      [TIME] = look->metric,
                                      [IO] = io};
    const size_t count = look->points.count;
    if (!look->is_time || metrics[COMPUTATION] == SUMMARY_NONE ||
        metrics[PREEMPTED] == SUMMARY_NONE)
        return;
    const struct rank_values_of of = {.phase = look->phase,
                                      .metrics = metrics,
                                      .metric_count = io == SUMMARY_NONE ? IO : VALUES};
    struct rank_values *values = rank_values_create(look->selection, &of);
    struct correction correction = {
        allocate(count, sizeof(double)), allocate(count, sizeof(double)),
        allocate(count, sizeof(double)), allocate(count, sizeof(double))};
    for (size_t p = 0; p < count; p++)
        correction.least[p] = INFINITY;
    note_ranks(look, values, &correction);
    look->scarcity = scarcity_of(&look->points, &correction);
    if (look->scarcity >= SCARCE) {
        add_ranks(look, values, &correction);
        apply(look, &correction);
    }
    free(correction.own);
    free(correction.first);
    free(correction.second);
    free(correction.least);
    rank_values_free(values);
}
