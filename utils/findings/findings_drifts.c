/*
 * Searches for drifts: iterations that take longer and longer, or shorter and shorter.  Whether
 * it is that or a step, what leaves less of the values unexplained tells.  See
 * findings_levels.h; doc/report.md tells the rules.
 */
#include "findings/findings_levels.h"

#include "base/base.h"
#include "statistics/statistics.h"

#include <math.h>
#include <string.h>

#define TREND_VALUES 128 /* most values that a trend is looked for in */
#define FEW_VALUES   16  /* least, if there are so many */
#define DRIFT_TAU    0.7 /* least tau of a drift: how monotonic it is */
#define DRIFT_Z      3.9 /* least significance of a drift; ten values that only rise have it */
#define DRIFT_SHARE  0.05
#define DRIFT_LEAST  10
#define UNSURE_DRIFT 0.35 /* of the share for which processors were lacking */
#define PARTS        3    /* the first and last of so many parts tell why it is */
#define MOST_STEEPER 2    /* than those parts tell */

/* How a segment drifts: the medians of its first and last tenth. */
struct drift {
    double first, last;
    bool doubtful; /* by less than what lack of processors may have made: samples must tell */
};

/* Looks at the segment as COUNT medians, each of more points the fewer there are; whether they
 * get larger or smaller steadily. */
static bool is_drift_in(const struct levels *levels, const struct segment *segment,
                        size_t count, struct drift *drift)
{
    double values[TREND_VALUES] = {0};
    const size_t all = segment->end - segment->first, tenth = count / 10 ? count / 10 : 1;
    for (size_t i = 0; i < count; i++)
        values[i] = level_between(levels->look->rest, segment->first + all * i / count,
                                  segment->first + all * (i + 1) / count);
    const struct trend trend = trend_of(values, count);
    const double first = level_between(values, 0, tenth),
                 last = level_between(values, count - tenth, count);
    const double change = fabs(last - first), least = fmin(first, last);
    const size_t points = all * tenth / count;
    const struct part begin = {segment->first, segment->first + points},
                      end = {segment->end - points, segment->end};
    *drift = (struct drift){
        first, last,
        change < least_share(levels->look, DRIFT_SHARE, UNSURE_DRIFT, begin, end) * least};
    return fabs(trend.tau) >= DRIFT_TAU && fabs(trend.z) >= DRIFT_Z && first > 0 && last > 0 &&
           (last > first) == (trend.tau > 0) && change >= DRIFT_SHARE * least;
}

/* In many medians, which show when it is, then in fewer, which noise hides less. */
static bool is_drift(const struct levels *levels, const struct segment *segment,
                     struct drift *drift)
{
    const size_t all = segment->end - segment->first;
    for (size_t count = all < TREND_VALUES ? all : TREND_VALUES;
         count >= (all < FEW_VALUES ? DRIFT_LEAST : FEW_VALUES); count /= 2)
        if (is_drift_in(levels, segment, count, drift))
            return true;
    return false;
}

/* What a line leaves of the levels of SEGMENT. */
static double error_of_line(const struct levels *levels, const struct segment *segment)
{
    const size_t count = segment->level_end - segment->level;
    return fit_error(fit_line(levels->values + segment->level, count), count, 2);
}

/* What COUNT levels, and as many places but one at which they change, leave. */
static double error_of_steps(const struct levels *levels, const struct segment *segments,
                             size_t count)
{
    double error = 0;
    for (size_t s = 0; s < count; s++)
        error += fit_level(levels->values + segments[s].level,
                           segments[s].level_end - segments[s].level);
    return fit_error(error, segments[count - 1].level_end - segments[0].level, 2 * count - 1);
}

/* How many of COUNT segments only rise, or only fall. */
static size_t count_in_order(const struct segment *segments, size_t count)
{
    size_t same = 2;
    if (count < 2)
        return count;
    while (same < count && (segments[same].value > segments[same - 1].value) ==
                               (segments[1].value > segments[0].value))
        same++;
    return same;
}

/* COUNT segments as one. */
static struct segment joined(const struct levels *levels, const struct segment *segments,
                             size_t count)
{
    struct segment one =
        segment_between(levels, segments[0].level, segments[count - 1].level_end);
    one.first = segments[0].first;
    one.end = segments[count - 1].end;
    return one;
}

/* Whether COUNT segments are one drift rather than steps. */
static bool are_drift(const struct levels *levels, const struct segment *segments, size_t count)
{
    const struct segment one = joined(levels, segments, count);
    struct drift drift;
    return error_of_line(levels, &one) < error_of_steps(levels, segments, count) &&
           is_drift(levels, &one, &drift) && !drift.doubtful;
}

size_t join_drifts(const struct levels *levels, struct segment *segments, size_t count)
{
    for (size_t s = 0; s < count; s++) {
        size_t length = count_in_order(segments + s, count - s);
        while (length > 1 && !are_drift(levels, segments + s, length))
            length--;
        if (length < 2)
            continue;
        segments[s] = joined(levels, segments + s, length);
        memmove(segments + s + 1, segments + s + length,
                (count - s - length) * sizeof *segments);
        count -= length - 1;
    }
    return count;
}

/* Of SEGMENT, which drifts, takes for the cause what its last third has more than its first,
 * or less: of tenths samples know less.  That is made as large as the drift.  Returns whether
 * samples alone are sure of it. */
static bool explain_drift(struct finding *finding, const struct look *look,
                          const struct segment *segment)
{
    const size_t count = segment->end - segment->first,
                 part = count / PARTS ? count / PARTS : 1;
    struct range begin = range_of(look, segment->first, segment->first + part),
                 end = range_of(look, segment->end - part, segment->end);
    struct iteration_list at_first = {&begin, 1}, at_last = {&end, 1};
    const bool grows = finding->value > finding->usual;
    explain_iterations(finding, look, grows ? at_last : at_first, grows ? at_first : at_last);
    const double change = fabs(finding->value - finding->usual),
                 between =
                     fabs(level_between(look->rest, segment->end - part, segment->end) -
                          level_between(look->rest, segment->first, segment->first + part));
    if (between > 0 && finding->cause.value < change)
        finding->cause.value =
            fmin(finding->cause.value * fmin(fmax(change / between, 1), MOST_STEEPER), change);
    return is_sure_by_samples(finding, look, grows ? at_last : at_first,
                              grows ? at_first : at_last);
}

static void tell_drift(struct collection *collection, const struct look *look,
                       const struct segment *segment, const struct drift *drift)
{
    struct finding *finding = collection_add(collection, look, FINDING_DRIFT);
    const struct range whole = range_of(look, segment->first, segment->end);
    finding->value = drift->last;
    finding->usual = drift->first;
    finding->excess =
        sum_above(look, segment->first, segment->end, fmin(drift->first, drift->last));
    finding_add_range(finding, whole.first, whole.last);
    if (!explain_drift(finding, look, segment) && drift->doubtful) {
        finding_clear(finding);
        collection->count--;
    }
}

/* Whether SEGMENT is two levels, in HALVES, rather than a drift. */
static bool is_step(const struct levels *levels, const struct segment *segment,
                    struct segment halves[2])
{
    const size_t count = segment->level_end - segment->level;
    size_t at;
    if (count < 2)
        return false;
    const double error = fit_two_levels(levels->values + segment->level, count, &at);
    if (fit_error(error, count, 3) >= error_of_line(levels, segment))
        return false;
    halves[0] = segment_between(levels, segment->level, segment->level + at);
    halves[1] = segment_between(levels, segment->level + at, segment->level_end);
    if (!is_another(levels, &halves[0], &halves[1]))
        return false;
    place_segments(levels, halves, 2);
    halves[0].first = segment->first;
    halves[1].end = segment->end;
    return halves[0].first < halves[0].end && halves[1].first < halves[1].end;
}

void look_for_drift(struct collection *collection, const struct levels *levels,
                    const struct segment *segment)
{
    struct segment halves[2];
    struct drift drift;
    if (!is_drift(levels, segment, &drift))
        return;
    if (is_step(levels, segment, halves) && !drift.doubtful)
        tell_level(collection, levels->look, FINDING_STEP, halves[1], halves[0]);
    else
        tell_drift(collection, levels->look, segment, &drift);
}
