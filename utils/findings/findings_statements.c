/*
 * Searches for what changes in communication: steps, drifts and periods of the calls of MPI
 * that have most of its time, or of another metric, each call path that ends in one of its
 * functions for itself.  See findings_look.h; doc/report.md tells the rules.
 *
 * What ranks only wait for, since others compute longer, is told where computation is; here it
 * is taken away.
 *
 * Where processors are lacking the time that calls take says little: then changes are looked
 * for in how often they are made and in what they move, which is exact, and it is asked how
 * much longer they take by then.  Of large messages that become several times as large it is
 * told even if that cannot be seen: calls that wait for ranks without a processor take as long
 * whatever they move.
 */
#include "findings/findings_inside.h"

#include "base/base.h"
#include "findings/findings_paths.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE  0.01 /* of the time, or of the metric */
#define WHOLE        0.9  /* of the metric: that is no part of it */
#define WAITING      0.5  /* of a change: it is for uneven computation that ranks wait longer */
#define LEAST_EXCESS 0.002 /* of all iterations */
#define COUNTED      0.5   /* of the change in time: calls, or bytes, tell why */
#define LEAST_CHANGE 0.2   /* of the time */
#define UNSURE       0.5   /* likewise of the share for which processors were lacking */
#define COUNTS       2
#define BIG          1e6  /* bytes of a message: moving them takes longer than a call */
#define TIMES_MORE   2    /* so many times the bytes */
#define LEAST_HIDDEN 0.05 /* of the time: calls in which more may be hidden */
#define TENTH        10

/* What calls are made for. */
static const char *const counts[COUNTS] = {"visits", "bytes"};

/*
 * The iterations in which a finding of a call path has more, and those that they are compared
 * with: of a drift the first and last tenths.  Ranges are for sides_free; `length` is of all
 * that have more, which may not all be listed.
 */
struct sides {
    struct range *more, *less;
    size_t more_count, less_count;
    double length;
};

static struct range *one_range(uint64_t first, uint64_t end, size_t *count)
{
    struct range *range = allocate(1, sizeof *range);
    *range = (struct range){first, end > first ? end - 1 : first};
    *count = end > first;
    return range;
}

/* The iterations between those of the finding. */
static struct range *between_of(const struct finding *finding, size_t *count)
{
    struct range *list = allocate(finding->range_count, sizeof *list);
    *count = 0;
    for (size_t i = 1; i < finding->range_count; i++)
        list[(*count)++] = (struct range){finding->iterations[i - 1].last + 1,
                                          finding->iterations[i].first - 1};
    return list;
}

static struct range *copy_of(const struct finding *finding, size_t *count)
{
    struct range *list = allocate(finding->range_count, sizeof *list);
    for (size_t i = 0; i < finding->range_count; i++)
        list[i] = finding->iterations[i];
    *count = finding->range_count;
    return list;
}

/* How many iterations there are in COUNT ranges. */
static double length_of(const struct range *ranges, size_t count)
{
    double length = 0;
    for (size_t i = 0; i < count; i++)
        length += (double)(ranges[i].last - ranges[i].first + 1);
    return length;
}

static struct sides sides_of(const struct finding *finding)
{
    struct sides sides = {0};
    const struct range *all = &finding->iterations[0];
    const uint64_t length = all->last - all->first + 1,
                   tenth = length / TENTH ? length / TENTH : 1;
    if (finding->kind == FINDING_DRIFT) {
        sides.more = one_range(all->last + 1 - tenth, all->last + 1, &sides.more_count);
        sides.less = one_range(all->first, all->first + tenth, &sides.less_count);
    } else {
        sides.more = copy_of(finding, &sides.more_count);
        sides.less = finding->kind == FINDING_PERIOD
                         ? between_of(finding, &sides.less_count)
                         : one_range(finding->compared.first, finding->compared.last + 1,
                                     &sides.less_count);
    }
    sides.length = (double)finding->iteration_count;
    if (finding->value < finding->usual) {
        sides = (struct sides){sides.less, sides.more, sides.less_count, sides.more_count, 0};
        sides.length = length_of(sides.more, sides.more_count);
    }
    return sides;
}

static void sides_free(struct sides *sides)
{
    free(sides->more);
    free(sides->less);
}

static bool ends_in_mpi(const struct inside *inside, uint32_t path)
{
    return path_region(inside->look->tree, path)->kind == REGION_MPI;
}

static bool has_time(const struct inside *inside, uint32_t path, const long double *sums)
{
    return ends_in_mpi(inside, path) && sums[path] >= LEAST_SHARE * inside->look->mean;
}

static bool has_metric(const struct inside *inside, uint32_t path, const long double *sums)
{
    return ends_in_mpi(inside, path) && sums[path] > 0 && sums[path] >= LEAST_SHARE * sums[0] &&
           sums[path] < WHOLE * sums[0];
}

static struct range all_of(const struct look *look)
{
    return (struct range){look->first, look->first + look->count - 1};
}

/* Fills VALUES with what the chosen ranks have in LIST. */
static void fill(const struct inside *inside, struct iteration_list list,
                 struct path_values *values)
{
    const struct rank_set set = {inside->ranks, inside->rank_count, list};
    paths_fill(inside->look, &set, values);
}

static void choose(struct inside *inside)
{
    const struct look *look = inside->look;
    const struct range all = all_of(look);
    struct path_values *values = path_values_create(look->tree),
                       *none = path_values_create(look->tree);
    fill(inside, (struct iteration_list){&all, 1}, values);
    long double *sums = paths_differences(values, none, inside->metric);
    inside_choose_paths(inside, sums, look->is_time ? has_time : has_metric);
    free(sums);
    path_values_free(values);
    path_values_free(none);
}

/* How long ranks wait for the one that computes longest, as a mean of iterations. */
static double waiting_in(const struct look *look, const struct range *ranges, size_t count)
{
    const struct blocks *blocks = &look->blocks;
    double sum = 0, number = 0;
    for (size_t i = 0; i < count; i++)
        for (uint64_t n = ranges[i].first - look->first;
             n <= ranges[i].last - look->first && n < blocks->hot_count; n++) {
            sum += blocks->lead[n];
            number++;
        }
    return number > 0 ? sum / number : 0;
}

/* Takes away what uneven computation lets ranks wait longer for.  False if that is it. */
static bool is_more_than_waiting(struct finding *finding, const struct look *look,
                                 const struct sides *sides)
{
    const double change = fabs(finding->value - finding->usual),
                 waiting = waiting_in(look, sides->more, sides->more_count) -
                           waiting_in(look, sides->less, sides->less_count);
    if (!look->is_time || waiting <= 0)
        return true;
    if (waiting >= WAITING * change)
        return false;
    finding->excess *= 1 - waiting / change;
    return finding->excess >= LEAST_EXCESS * look->total;
}

/* What PATH, which nothing is below, has of METRIC. */
static double value_at(const struct path_values *values, uint32_t path, uint32_t metric)
{
    return metric == SUMMARY_NONE ? 0 : (double)path_value(values, path, metric);
}

/* Sets what FINDING's call path has more of, if that tells why it takes longer. */
static void find_count(struct finding *finding, const struct inside *inside,
                       const struct sides *sides)
{
    const struct look *look = inside->look;
    const double high = fmax(finding->value, finding->usual),
                 low = fmin(finding->value, finding->usual);
    struct path_values *more = path_values_create(look->tree),
                       *less = path_values_create(look->tree);
    fill(inside, (struct iteration_list){sides->more, sides->more_count}, more);
    fill(inside, (struct iteration_list){sides->less, sides->less_count}, less);
    for (size_t i = 0; i < COUNTS && finding->counted.metric == SUMMARY_NONE; i++) {
        const uint32_t metric = summary_metric(look->selection->summary, counts[i]);
        const double a = value_at(more, finding->path, metric),
                     b = value_at(less, finding->path, metric);
        if (b <= 0 || low <= 0 || a / b - 1 < COUNTED * (high / low - 1))
            continue;
        finding->counted = finding->value > finding->usual
                               ? (struct finding_count){metric, a, b}
                               : (struct finding_count){metric, b, a};
    }
    path_values_free(more);
    path_values_free(less);
}

/* Looks again at the findings from FIRST on. */
static void look_again(struct collection *collection, const struct inside *inside, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < collection->count; i++) {
        struct finding finding = collection->list[i];
        if (finding.hidden) {
            collection->list[kept++] = finding;
            continue;
        }
        struct sides sides = sides_of(&finding);
        if (is_more_than_waiting(&finding, inside->look, &sides)) {
            if (inside->look->is_time && sides.more_count > 0 && sides.less_count > 0)
                find_count(&finding, inside, &sides);
            collection->list[kept++] = finding;
        } else
            finding_clear(&finding);
        sides_free(&sides);
    }
    collection->count = kept;
}

/* Searches the series of what the paths have of METRIC. */
static void search(struct collection *collection, const struct inside *inside, uint32_t metric)
{
    struct inside of_metric = *inside;
    of_metric.metric = metric;
    struct inside_search how = {.points = inside->look->points,
                                .noise = look_noise(inside->look, metric),
                                .levels = true,
                                .periods = true};
    double *values = inside_series(&of_metric);
    for (size_t p = 0; values && p < of_metric.path_count; p++) {
        how.points.values = values + p * inside->look->points.count;
        inside_search(collection, &of_metric, p, &how);
    }
    free(values);
}

/* What a call path has where it has more of something counted, and where it has less: per
 * iteration, times without what ranks had no processor for. */
struct change {
    double time[2], bytes[2], calls[2];
    double iterations; /* that have as much more as the first has, or would */
    bool grows;
};

enum { MORE, LESS };

static void fill_change(struct change *change, int side, const struct inside *inside,
                        uint32_t path, struct iteration_list list)
{
    const struct summary *summary = inside->look->selection->summary;
    struct path_values *values = path_values_create(inside->look->tree);
    fill(inside, list, values);
    change->time[side] = value_at(values, path, inside->metric);
    change->bytes[side] = value_at(values, path, summary_metric(summary, "bytes"));
    change->calls[side] = value_at(values, path, summary_metric(summary, "visits"));
    path_values_free(values);
}

static struct change change_of(const struct finding *finding, const struct inside *inside)
{
    struct sides sides = sides_of(finding);
    struct change change = {.grows = finding->value > finding->usual};
    fill_change(&change, MORE, inside, finding->path,
                (struct iteration_list){sides.more, sides.more_count});
    fill_change(&change, LESS, inside, finding->path,
                (struct iteration_list){sides.less, sides.less_count});
    change.iterations =
        finding->kind == FINDING_DRIFT ? (double)finding->iteration_count / 2 : sides.length;
    sides_free(&sides);
    return change;
}

/* Makes of a change in counts one of the time that calls take. */
static void make_time(struct finding *finding, const struct inside *inside,
                      const struct change *change)
{
    finding->value = change->time[change->grows ? MORE : LESS];
    finding->usual = change->time[change->grows ? LESS : MORE];
    finding->excess = (change->time[MORE] - change->time[LESS]) * change->iterations;
    finding->metric = finding->cause.metric = inside->metric;
    finding->cause.value = change->time[MORE] - change->time[LESS];
    finding->corrected = inside->look->corrected;
}

/* Whether calls take longer where there are more of them, or they move more. */
static bool takes_longer(const struct finding *finding, const struct look *look,
                         const struct change *change)
{
    const double least = fmax(LEAST_CHANGE, UNSURE * look->scarcity);
    return change->time[MORE] - change->time[LESS] >= least * change->time[MORE] &&
           finding->excess >= LEAST_EXCESS * look->total;
}

/* Whether messages are so large, and so much larger, that calls take longer for it, whatever
 * can be seen; and would do so for a part of the time that matters. */
static bool moves_more(const struct look *look, const struct change *change)
{
    return change->bytes[MORE] >= BIG * change->calls[MORE] && change->calls[MORE] > 0 &&
           change->bytes[MORE] >= TIMES_MORE * change->bytes[LESS] &&
           change->time[MORE] * change->iterations >= LEAST_HIDDEN * look->total;
}

/* Tells what is moved; as much of the time as is moved more is what it may cost at most. */
static void make_hidden(struct finding *finding, const struct look *look,
                        const struct change *change)
{
    const double more = change->bytes[MORE], less = change->bytes[LESS];
    finding->hidden = true;
    finding->excess = change->time[MORE] * (1 - less / more) * change->iterations;
    finding->counted =
        (struct finding_count){summary_metric(look->selection->summary, "bytes"),
                               change->grows ? more : less, change->grows ? less : more};
}

/* Looks for changes in counts; what is said of a path twice is left out when all are ranked. */
static void search_counts(struct collection *collection, const struct inside *inside)
{
    for (size_t c = 0; c < COUNTS; c++) {
        const uint32_t metric = summary_metric(inside->look->selection->summary, counts[c]);
        const size_t first = collection->count;
        size_t kept = first;
        if (metric != SUMMARY_NONE)
            search(collection, inside, metric);
        for (size_t i = first; i < collection->count; i++) {
            struct finding finding = collection->list[i];
            const struct change change = change_of(&finding, inside);
            make_time(&finding, inside, &change);
            const bool seen = takes_longer(&finding, inside->look, &change);
            if (!seen && moves_more(inside->look, &change))
                make_hidden(&finding, inside->look, &change);
            if (seen || finding.hidden)
                collection->list[kept++] = finding;
            else
                finding_clear(&finding);
        }
        collection->count = kept;
    }
}

/* The metric to search; SUMMARY_NONE: calls of MPI have none of it, or only by samples. */
static uint32_t metric_of(const struct look *look)
{
    const struct summary *summary = look->selection->summary;
    const struct metric_entry *metric = &summary->metrics[look->metric];
    if (look->is_time)
        return summary_metric(summary, "mpi");
    if (strcmp(metric->unit, "s") == 0 || strncmp(metric->name, "samples", 7) == 0)
        return strncmp(metric->name, "mpi", 3) == 0 ? look->metric : SUMMARY_NONE;
    return look->metric;
}

void find_in_statements(struct collection *collection, const struct look *look)
{
    struct inside inside = {.look = look, .metric = metric_of(look)};
    const size_t first = collection->count;
    if (inside.metric == SUMMARY_NONE || look->points.count < LOOK_LEAST_ITERATIONS)
        return;
    inside_choose_ranks(&inside);
    choose(&inside);
    if (look->corrected)
        search_counts(collection, &inside);
    else
        search(collection, &inside, inside.metric);
    look_again(collection, &inside, first);
    free(inside.ranks);
}
