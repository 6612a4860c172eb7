/*
 * Searches for levels: iterations that take longer from one on, for a while, or more and more.
 * See findings_look.h; doc/report.md tells the rules.
 */
#include "findings/findings_levels.h"

#include "base/base.h"
#include "findings/findings_correct.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REACH        25     /* points on either side of a step among which it is refined */
#define LEVELS       512    /* most values that steps are looked for in */
#define STEP_SHARE   0.05   /* a step changes iterations by at least this share */
#define STEP_ERRORS  5      /* it is at least as many standard errors of medians */
#define MEDIAN_ERROR 1.2533 /* of a median, in standard errors of a mean of normal values */
#define STEP_CHANGES 4    /* it is at least as many times the usual change in as many values */
#define STEP_SHARP   0.75 /* share of a step that happens at once */
#define UNSURE       0.5  /* likewise of the share for which processors were lacking */
#define NEARLY       0.25 /* share of a step that may be left when it is taken back */

static struct levels make_levels(const struct look *look)
{
    const struct points *points = &look->points;
    struct levels levels = {.look = look};
    size_t reach = points->count / 10 < REACH ? points->count / 10 : REACH;
    levels.reach = reach;
    double *usual = allocate(points->count, sizeof *usual);
    double *work = allocate(points->count, sizeof *work);
    levels.count = points->count < LEVELS ? points->count : LEVELS;
    levels.values = allocate(levels.count, sizeof *levels.values);
    levels.first = allocate(levels.count + 1, sizeof *levels.first);
    rolling_median(look->rest, points->count, reach, usual);
    for (size_t i = 0; i + 1 < points->count; i++)
        work[i] = look->rest[i + 1] - look->rest[i];
    levels.spread = fmax(change_spread(work, points->count - 1), look->noise);
    for (size_t l = 0; l <= levels.count; l++)
        levels.first[l] = points->count * l / levels.count;
    for (size_t l = 0; l < levels.count; l++) {
        size_t length = levels.first[l + 1] - levels.first[l];
        memcpy(work, usual + levels.first[l], length * sizeof *work);
        levels.values[l] = median_of(work, length);
    }
    free(usual);
    free(work);
    return levels;
}

static void free_levels(struct levels *levels)
{
    free(levels->values);
    free(levels->first);
}

double level_between(const double *values, size_t from, size_t to)
{
    double *work = allocate(to - from, sizeof *work);
    memcpy(work, values + from, (to - from) * sizeof *work);
    double median = median_of(work, to - from);
    free(work);
    return median;
}

/* The median of the WIDTH values from AT on, minus that of the WIDTH values before. */
static double change_at(const struct levels *levels, size_t at, size_t width)
{
    return level_between(levels->values, at, at + width) -
           level_between(levels->values, at - width, at);
}

/* The median of LENGTH points from value AT on, minus that of as many points before; 0 near the
 * ends. */
static double change_of_points(const struct levels *levels, size_t at, size_t length)
{
    const size_t point = levels->first[at];
    return point < length || point + length > levels->look->points.count
               ? 0
               : level_between(levels->look->rest, point, point + length) -
                     level_between(levels->look->rest, point - length, point);
}

/* How much changes at once at value P: among a few values, which are medians of neighbours, or,
 * where that makes a step gradual, among few points. */
static double change_at_once(const struct levels *levels, size_t p, size_t width)
{
    const size_t near = width / 4, each = levels->look->points.count / levels->count,
                 few = width * each / 2 > levels->reach / 2 ? width * each / 2
                                                            : levels->reach / 2;
    const double values =
        p >= near && p + near <= levels->count ? fabs(change_at(levels, p, near)) : 0;
    return fmax(values, few ? fabs(change_of_points(levels, p, few)) : 0);
}

/*
 * The place near AT where most of CHANGE, over WIDTH values, happens at once; 0 if it happens
 * gradually.
 */
static size_t sharpen(const struct levels *levels, size_t at, size_t width, double change)
{
    size_t best = 0;
    double largest = STEP_SHARP * fabs(change);
    for (size_t p = at - width / 2; p <= at + width / 2; p++) {
        const double size = change_at_once(levels, p, width);
        if (size > largest || (size == largest && best == 0)) {
            largest = size;
            best = p;
        }
    }
    return best;
}

/*
 * The standard error of a difference between the medians of BEFORE and of AFTER points, which
 * differ as single ones do: medians of many are known far better than single points.
 */
static double error_of(const struct levels *levels, double before, double after)
{
    return MEDIAN_ERROR * levels->spread * sqrt(1 / before + 1 / after);
}

/* The points that the median of WIDTH values is of: values are medians of neighbours already.
 */
static double points_in(const struct levels *levels, size_t width)
{
    const double each = (double)levels->look->points.count / (double)levels->count;
    return fmax((double)width * each, (double)(2 * levels->reach + 1));
}

/* Steps found so far, in ascending order. */
struct steps {
    size_t at[MOST_STEPS];
    size_t count;
};

static void add_step(struct steps *steps, size_t at)
{
    size_t place = steps->count++;
    for (; place > 0 && steps->at[place - 1] > at; place--)
        steps->at[place] = steps->at[place - 1];
    steps->at[place] = at;
}

/* Takes the changes away that WIDTH values on either side have because of a step at AT. */
static void take_away(double *changes, size_t places, size_t width, size_t at)
{
    for (size_t p = at > 2 * width ? at - 2 * width : 0; p < places && p <= at; p++)
        changes[p] = 0;
}

/* Adds the steps that show in the medians of WIDTH values before and after. */
static void find_steps_of(const struct levels *levels, size_t width, struct steps *steps)
{
    size_t places = levels->count - 2 * width + 1;
    double *changes = allocate(places, sizeof *changes),
           *sizes = allocate(places, sizeof *sizes);
    for (size_t p = 0; p < places; p++) {
        changes[p] = change_at(levels, p + width, width);
        sizes[p] = fabs(changes[p]);
    }
    const double points = points_in(levels, width), usual = median_of(sizes, places),
                 least =
                     fmax(STEP_CHANGES * usual, STEP_ERRORS * error_of(levels, points, points));
    for (size_t s = 0; s < steps->count; s++)
        take_away(changes, places, width, steps->at[s]);
    while (steps->count < MOST_STEPS) {
        size_t best = 0;
        for (size_t p = 1; p < places; p++)
            if (fabs(changes[p]) > fabs(changes[best]))
                best = p;
        if (fabs(changes[best]) < least || changes[best] == 0)
            break;
        size_t at = sharpen(levels, best + width, width, changes[best]);
        if (at > 0)
            add_step(steps, at);
        for (size_t p = best > width ? best - width : 0; p < places && p <= best + width; p++)
            changes[p] = 0;
    }
    free(changes);
    free(sizes);
}

/* Short ones first: what shows in few values shows where it is. */
static struct steps find_steps(const struct levels *levels)
{
    struct steps steps = {.count = 0};
    size_t width = levels->count / 32 > 4 ? levels->count / 32 : 4;
    for (; 4 * width <= levels->count || (2 * width <= levels->count && steps.count == 0);
         width *= 2)
        find_steps_of(levels, width, &steps);
    return steps;
}

/*
 * The exact point of a step that was found between two levels: the one where the points before
 * and after it fit the two levels best.
 */
static size_t refine(const struct levels *levels, size_t at, double before, double after)
{
    const double *values = levels->look->rest;
    size_t reach =
        levels->look->points.count / 10 < REACH ? levels->look->points.count / 10 : REACH;
    size_t first = levels->first[at > 1 ? at - 2 : 0];
    size_t last = levels->first[at + 2 < levels->count ? at + 2 : levels->count];
    first = first > reach ? first - reach : 0;
    last =
        last + reach < levels->look->points.count ? last + reach : levels->look->points.count;
    double distance = 0, best = INFINITY;
    size_t place = levels->first[at];
    for (size_t i = first; i < last; i++)
        distance += fabs(values[i] - after);
    for (size_t i = first; i < last; i++) {
        if (distance < best) {
            best = distance;
            place = i;
        }
        distance += fabs(values[i] - before) - fabs(values[i] - after);
    }
    return place;
}

double least_share(const struct look *look, double share, double unsure, struct part a,
                   struct part b)
{
    if (!look->corrected)
        return share;
    const double lacking =
        fmax(look_scarcity(look, a.first, a.end), look_scarcity(look, b.first, b.end));
    return fmax(share, unsure * lacking);
}

struct segment segment_between(const struct levels *levels, size_t from, size_t to)
{
    return (struct segment){0, 0, from, to, level_between(levels->values, from, to)};
}

/* The points of a segment's levels. */
static struct part part_of(const struct levels *levels, const struct segment *segment)
{
    return (struct part){levels->first[segment->level], levels->first[segment->level_end]};
}

/* What is too little to be told must not cut what is told, either. */
bool is_another(const struct levels *levels, const struct segment *before,
                const struct segment *after)
{
    const double size = fabs(after->value - before->value),
                 larger = fmax(fabs(after->value), fabs(before->value)),
                 share = least_share(levels->look, STEP_SHARE, UNSURE, part_of(levels, before),
                                     part_of(levels, after));
    return size > 0 && size >= share * fabs(before->value) &&
           size >= levels->look->least_change * larger &&
           size >= STEP_ERRORS * error_of(levels,
                                          points_in(levels, before->level_end - before->level),
                                          points_in(levels, after->level_end - after->level));
}

void place_segments(const struct levels *levels, struct segment *segments, size_t count)
{
    for (size_t s = 0; s < count; s++) {
        segments[s].first =
            s ? refine(levels, segments[s].level, segments[s - 1].value, segments[s].value) : 0;
        segments[s].end = levels->look->points.count;
        if (s && segments[s].first < segments[s - 1].first)
            segments[s].first = segments[s - 1].first;
        if (s)
            segments[s - 1].end = segments[s].first;
    }
}

/* Adds NEXT to COUNT segments, as one with those before it from which it does not differ: what
 * was joined may not, either, from what is before that.  Returns how many there are. */
static size_t add_segment(const struct levels *levels, struct segment *segments, size_t count,
                          struct segment next)
{
    while (count > 0 && !is_another(levels, &segments[count - 1], &next))
        next = segment_between(levels, segments[--count].level, next.level_end);
    segments[count++] = next;
    return count;
}

/* Leaves out segments in which no points are, whose levels are on the way from one to the next.
 * Those beside them become one if they do not differ.  Returns how many are left. */
static size_t leave_out_empty(const struct levels *levels, struct segment *segments,
                              size_t count)
{
    size_t kept = 0;
    for (size_t s = 0; s < count; s++) {
        struct segment segment = segments[s];
        if (segment.first == segment.end) {
            if (kept > 0)
                segments[kept - 1].level_end = segment.level_end;
            continue;
        }
        segment.level = kept > 0 ? segment.level : 0;
        kept = add_segment(levels, segments, kept, segment);
    }
    return kept;
}

/* The segments between steps; returns how many. */
static size_t make_segments(const struct levels *levels, struct segment segments[MOST_SEGMENTS])
{
    const struct steps steps = find_steps(levels);
    size_t count = 0;
    for (size_t s = 0; s <= steps.count; s++)
        count = add_segment(levels, segments, count,
                            segment_between(levels, s ? steps.at[s - 1] : 0,
                                            s < steps.count ? steps.at[s] : levels->count));
    place_segments(levels, segments, count);
    for (size_t kept; (kept = leave_out_empty(levels, segments, count)) < count; count = kept)
        place_segments(levels, segments, kept);
    return count;
}

struct range range_of(const struct look *look, size_t first, size_t end)
{
    return (struct range){look->points.at[first], point_last(&look->points, end - 1)};
}

double sum_above(const struct look *look, size_t first, size_t end, double low)
{
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += look->rest[i] - low;
    return fmax(sum, 0) * (double)look->points.group;
}

/* Of two segments, whose levels are medians of medians of neighbours, takes the medians of
 * their own points, unless noise hides in these which is larger. */
static void take_own_medians(const struct look *look, struct segment *on, struct segment *off)
{
    const double own = level_between(look->rest, on->first, on->end),
                 other = level_between(look->rest, off->first, off->end);
    if ((own > other) != (on->value > off->value) || own == other)
        return;
    on->value = own;
    off->value = other;
}

/* Reports that points FIRST to END - 1 have VALUE rather than USUAL, the level of OTHER. */
void tell_level(struct collection *collection, const struct look *look, enum finding_kind kind,
                struct segment on, struct segment off)
{
    struct finding *finding = collection_add(collection, look, kind);
    /* Values of others are no single iteration's, and known less well than their neighbours'.
     */
    if (!look->of_path && !look->corrected)
        take_own_medians(look, &on, &off);
    struct range range = range_of(look, on.first, on.end),
                 other = range_of(look, off.first, off.end);
    finding->value = on.value;
    finding->usual = off.value;
    finding->compared = other;
    finding_add_range(finding, range.first, range.last);
    /* The excess is that of the side that has more, before or after the step. */
    const struct segment *more = on.value > off.value ? &on : &off;
    finding->excess =
        sum_above(look, more->first, more->end, fmax(fmin(on.value, off.value), 0));
    if (on.value > off.value)
        explain_iterations(finding, look, (struct iteration_list){&range, 1},
                           (struct iteration_list){&other, 1});
    else
        explain_iterations(finding, look, (struct iteration_list){&other, 1},
                           (struct iteration_list){&range, 1});
}

static bool is_back(const struct segment *before, const struct segment *between,
                    const struct segment *after)
{
    return fabs(after->value - before->value) <= NEARLY * fabs(between->value - before->value);
}

static void tell_segments(struct collection *collection, const struct levels *levels,
                          const struct segment *segments, size_t count)
{
    const struct look *look = levels->look;
    for (size_t s = 1; s < count; s++) {
        /* Levels that became a drift need not differ from those beside them any more. */
        if (!is_another(levels, &segments[s - 1], &segments[s]))
            continue;
        bool back = s + 1 < count && segments[s].value > segments[s - 1].value &&
                    is_back(&segments[s - 1], &segments[s], &segments[s + 1]);
        tell_level(collection, look, back ? FINDING_RANGE : FINDING_STEP, segments[s],
                   segments[s - 1]);
        s += back;
    }
}

void find_levels(struct collection *collection, const struct look *look)
{
    struct segment segments[MOST_SEGMENTS];
    if (look->points.count < LOOK_LEAST_ITERATIONS)
        return;
    struct levels levels = make_levels(look);
    size_t count = make_segments(&levels, segments);
    count = join_drifts(&levels, segments, count);
    tell_segments(collection, &levels, segments, count);
    for (size_t s = 0; s < count; s++)
        look_for_drift(collection, &levels, &segments[s]);
    free_levels(&levels);
}
