/*
 * Searches for what changes inside of iterations: steps, drifts and periods of what the call
 * paths with most computation take, which the time of iterations may hide.  See
 * findings_look.h; doc/report.md tells the rules.
 *
 * Computation is sampled, so that levels are looked for in means of ranks and of successive
 * iterations: of as many ranks and in as many groups as samples and MOST_WORK allow.  Time
 * grows with that, not with ranks times iterations times call paths.
 */
#include "findings/findings_inside.h"

#include "base/base.h"
#include "findings/findings_paths.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE   0.01 /* of all computation */
#define WHOLE         0.9  /* of it, or of the caller's: that is no part of it */
#define LEAST_GROUPS  16
#define MOST_GROUPS   64
#define GROUP_SAMPLES 200 /* in a group: a tenth of the computation is known to a fifth */
#define MOST_RANKS    16
#define MOST_WORK     5e7   /* values that are added up */
#define LEAST_CHANGE  0.2   /* of what the call path takes */
#define LEAST_EXCESS  0.002 /* of all iterations */
#define PEAK_SAMPLES  0.5   /* noise of a single iteration: eight times that stand out */
#define SURE          3     /* standard errors by which numbers of samples must differ */
#define PARTS         3     /* of a drift: the first and the last are compared */
#define NO_SAMPLE     0.375 /* Anscombe's: roots of counts, and so much, have all one variance */

#define MOST_VALUES ((size_t)1 << 20) /* in the series of all paths */

/* Levels of computation that are searched. */
struct grouped {
    struct inside inside;
    uint64_t length; /* iterations in a group */
    size_t groups;
    double *values; /* [path * groups + group] */
    double weight;  /* computation that a sample stands for, as a mean of the ranks */
};

/* The values in the clusters of rank R's first thread. */
static double cells_of(const struct look *look, size_t r, double *clusters)
{
    const struct series *series = look_series(look, r, 0);
    double cells = 0;
    *clusters = series ? (double)series->cluster_count : 0;
    for (size_t c = 0; series && c < series->cluster_count; c++)
        cells += (double)series->clusters[c].sums.count;
    return *clusters > 0 ? cells / *clusters : 0;
}

void inside_choose_ranks(struct inside *inside)
{
    const struct look *look = inside->look;
    const size_t all = look->selection->rank_count;
    double clusters;
    const double cells = cells_of(look, 0, &clusters),
                 each = cells * fmin((double)look->count, MOST_GROUPS * clusters);
    size_t most =
        each > 0 && MOST_WORK / each < MOST_RANKS ? (size_t)(MOST_WORK / each) : MOST_RANKS;
    most = most < 1 ? 1 : most;
    inside->rank_count = all < most ? all : most;
    inside->ranks = allocate(inside->rank_count, sizeof *inside->ranks);
    for (size_t i = 0; i < inside->rank_count; i++)
        inside->ranks[i] = all * i / inside->rank_count;
}

void inside_choose_paths(struct inside *inside, const long double *sums,
                         bool (*is_wanted)(const struct inside *inside, uint32_t path,
                                           const long double *sums))
{
    for (uint32_t p = 1; p < inside->look->tree->count; p++) {
        size_t at = inside->path_count;
        if (!is_wanted(inside, p, sums))
            continue;
        while (at > 0 && sums[inside->paths[at - 1]] < sums[p])
            at--;
        if (at == INSIDE_PATHS)
            continue;
        const size_t last =
            inside->path_count < INSIDE_PATHS ? inside->path_count++ : inside->path_count - 1;
        memmove(inside->paths + at + 1, inside->paths + at,
                (last - at) * sizeof *inside->paths);
        inside->paths[at] = p;
    }
}

/* Whether PATH is a part of all computation, and of what its caller has. */
static bool is_part(const struct inside *inside, uint32_t path, const long double *sums)
{
    const struct path_tree *tree = inside->look->tree;
    const long double all = sums[0], above = sums[tree->paths[path].parent];
    return sums[path] >= LEAST_SHARE * all && sums[path] < WHOLE * all &&
           (sums[path] < WHOLE * above || above >= WHOLE * all) &&
           !path_is_in_openmp(tree, path);
}

/* Fills in VALUES of iterations FIRST to LAST, and returns their sums by path. */
static long double *sums_of(const struct inside *inside, uint64_t first, uint64_t last,
                            struct path_values *values, struct path_values *none,
                            double *samples)
{
    const struct range range = {first, last};
    const struct rank_set set = {inside->ranks, inside->rank_count, {&range, 1}};
    paths_fill(inside->look, &set, values);
    *samples = paths_samples(values, &set);
    paths_spread(values);
    return paths_differences(values, none, inside->look->work);
}

static void fill_groups(struct grouped *grouped, struct path_values *values,
                        struct path_values *none)
{
    const struct inside *inside = &grouped->inside;
    const struct look *look = inside->look;
    const uint64_t end = look->first + look->count;
    for (size_t g = 0; g < grouped->groups; g++) {
        const uint64_t first = look->first + g * grouped->length,
                       next = first + grouped->length;
        double samples;
        long double *sums =
            sums_of(inside, first, (next < end ? next : end) - 1, values, none, &samples);
        for (size_t p = 0; p < inside->path_count; p++)
            grouped->values[p * grouped->groups + g] = (double)sums[inside->paths[p]];
        free(sums);
    }
}

/* Chooses ranks, paths and groups, and fills in the values.  False if there are too few. */
static bool prepare(struct grouped *grouped)
{
    struct inside *inside = &grouped->inside;
    const struct look *look = inside->look;
    struct path_values *values = path_values_create(look->tree),
                       *none = path_values_create(look->tree);
    double samples;
    inside_choose_ranks(inside);
    long double *sums =
        sums_of(inside, look->first, look->first + look->count - 1, values, none, &samples);
    inside_choose_paths(inside, sums, is_part);
    grouped->weight = samples > 0 ? (double)sums[0] * (double)look->count / samples : 0;
    free(sums);
    double groups = samples > 0 ? samples / GROUP_SAMPLES : MOST_GROUPS;
    groups = fmin(fmax(groups, LEAST_GROUPS), fmin(MOST_GROUPS, (double)look->count));
    grouped->length = (look->count + (uint64_t)groups - 1) / (uint64_t)groups;
    grouped->groups = (size_t)((look->count + grouped->length - 1) / grouped->length);
    const bool enough = inside->path_count > 0 && grouped->groups >= LEAST_GROUPS / 2;
    if (enough) {
        grouped->values =
            allocate(inside->path_count * grouped->groups, sizeof *grouped->values);
        fill_groups(grouped, values, none);
    }
    path_values_free(values);
    path_values_free(none);
    return enough;
}

/* Series that are being made. */
struct maker {
    const struct inside *inside;
    struct path_values *values, *none;
    uint32_t computation;
    double *sums;  /* [path * points + point], over ranks */
    double *ranks; /* by point: how many have it */
    size_t *last;  /* by point: the last of them, plus 1 */
};

/* The means of each path in the clusters of SERIES, [cluster * paths + path]; for the caller to
 * free(). */
static double *cluster_means(struct maker *maker, const struct series *series)
{
    const struct inside *inside = maker->inside;
    double *means = allocate(series->cluster_count * inside->path_count, sizeof *means);
    for (size_t c = 0; c < series->cluster_count; c++) {
        path_values_clear(maker->values);
        path_values_add(maker->values, &series->clusters[c].sums, 1, METRICS_INCLUSIVE);
        maker->values->divisor = series->clusters[c].size ? series->clusters[c].size : 1;
        if (inside->metric == maker->computation)
            paths_spread(maker->values);
        long double *sums = paths_differences(maker->values, maker->none, inside->metric);
        for (size_t p = 0; p < inside->path_count; p++)
            means[c * inside->path_count + p] = (double)sums[inside->paths[p]];
        free(sums);
    }
    return means;
}

/* Adds the values of the I-th thread of rank R. */
static void add_thread(struct maker *maker, size_t r, size_t i)
{
    const struct inside *inside = maker->inside;
    const struct look *look = inside->look;
    const struct points *points = &look->points;
    const struct series *series = look_series(look, r, i);
    const struct range all = {look->first, points->end - 1};
    size_t point = 0;
    if (!series)
        return;
    double *means = cluster_means(maker, series);
    struct piece piece = {.series = series, .ranges = &all, .range_count = 1};
    while (piece_next(&piece)) {
        const double *mean = means + piece.cluster * inside->path_count;
        while (point < points->count && points->at[point] < piece.end - piece.length)
            point++;
        for (; point < points->count && points->at[point] < piece.end; point++) {
            maker->ranks[point] += maker->last[point] != r + 1;
            maker->last[point] = r + 1;
            for (size_t p = 0; p < inside->path_count; p++)
                maker->sums[p * points->count + point] += mean[p];
        }
    }
    free(means);
}

/* How many values are looked at for the clusters of rank R. */
static double work_of(const struct look *look, size_t r)
{
    double clusters = 0;
    for (size_t i = 0; i < look->selection->ranks[r].count; i++) {
        const struct series *series = look_series(look, r, i);
        clusters += series ? (double)series->cluster_count : 0;
    }
    return clusters * (double)look->tree->count;
}

/* Leaves out ranks until there is time for the others.  False if there is for none. */
static bool has_time_for_series(struct inside *inside)
{
    double work = 0;
    for (size_t n = 0; n < inside->rank_count; n++)
        work += work_of(inside->look, inside->ranks[n]);
    while (inside->rank_count > 0 && work > MOST_WORK)
        work -= work_of(inside->look, inside->ranks[--inside->rank_count]);
    return inside->rank_count > 0;
}

double *inside_series(struct inside *inside)
{
    const struct look *look = inside->look;
    const size_t count = look->points.count;
    if (look->points.group > 1 || count == 0 || count > MOST_VALUES ||
        inside->path_count == 0 || !has_time_for_series(inside))
        return NULL;
    if (inside->path_count > MOST_VALUES / count)
        inside->path_count = MOST_VALUES / count;
    struct maker maker = {.inside = inside,
                          .values = path_values_create(look->tree),
                          .none = path_values_create(look->tree),
                          .computation =
                              summary_metric(look->selection->summary, "computation"),
                          .sums = allocate(inside->path_count * count, sizeof *maker.sums),
                          .ranks = allocate(count, sizeof *maker.ranks),
                          .last = allocate(count, sizeof *maker.last)};
    for (size_t n = 0; n < inside->rank_count; n++)
        for (size_t i = 0; i < look->selection->ranks[inside->ranks[n]].count; i++)
            add_thread(&maker, inside->ranks[n], i);
    for (size_t p = 0; p < inside->path_count; p++)
        for (size_t point = 0; point < count; point++)
            maker.sums[p * count + point] /= maker.ranks[point] > 0 ? maker.ranks[point] : 1;
    path_values_free(maker.values);
    path_values_free(maker.none);
    free(maker.ranks);
    free(maker.last);
    return maker.sums;
}

/* Whether FINDING is worth telling: by samples alone a part is not known exactly. */
static bool is_worth(const struct finding *finding, const struct look *look)
{
    return fabs(finding->value - finding->usual) >=
               LEAST_CHANGE * fmax(finding->value, finding->usual) &&
           finding->excess >= LEAST_EXCESS * look->total;
}

/* The root of how many samples an iteration of RANGE has, and the variance that chance gives
 * it, if samples come by chance: 1 / 4 divided by the number of iterations. */
static double root_of_samples(const struct inside_search *search, struct range range,
                              double *variance)
{
    const struct points *points = &search->points;
    double iterations = 0, sum = 0;
    for (size_t p = 0; p < points->count; p++)
        if (points->at[p] >= range.first && points->at[p] <= range.last) {
            const double length = (double)(point_last(points, p) - points->at[p] + 1);
            iterations += length;
            sum += points->values[p] * length;
        }
    if (iterations <= 0)
        return 0;
    *variance += 0.25 / iterations;
    return sqrt((fmax(sum, 0) / search->sample + NO_SAMPLE) / iterations);
}

/* Whether the iterations of FINDING, a level or a drift, have so many more samples, or fewer,
 * than those that they are compared with that chance does not explain it: three samples that
 * happen to be near each other tell nothing. */
static bool has_enough_samples(const struct finding *finding,
                               const struct inside_search *search)
{
    struct range these = finding->iterations[0], others = finding->compared;
    double variance = 0;
    if (search->sample <= 0)
        return true;
    if (finding->kind == FINDING_DRIFT) {
        const uint64_t part = (these.last - these.first + 1) / PARTS;
        others = (struct range){these.first, these.first + part - 1};
        these.first = these.last - part + 1;
    }
    const double change =
        root_of_samples(search, these, &variance) - root_of_samples(search, others, &variance);
    return change * change >= SURE * SURE * variance;
}

/* Makes the findings from FIRST on those of PATH. */
static void take_over(struct collection *collection, const struct inside *inside, size_t first,
                      uint32_t path, const struct inside_search *search)
{
    size_t kept = first;
    for (size_t i = first; i < collection->count; i++) {
        struct finding *finding = &collection->list[i];
        if (!is_worth(finding, inside->look) || !has_enough_samples(finding, search)) {
            finding_clear(finding);
            continue;
        }
        finding->metric = inside->metric;
        finding->path = path;
        finding->rank_count = 0;
        finding->cause = (struct finding_cause){inside->metric, path,
                                                fabs(finding->value - finding->usual), false};
        collection->list[kept++] = *finding;
    }
    collection->count = kept;
}

void inside_search(struct collection *collection, const struct inside *inside, size_t p,
                   const struct inside_search *search)
{
    struct look of_path = *inside->look;
    const size_t first = collection->count, count = search->points.count;
    of_path.points = search->points;
    of_path.rest = allocate(count, sizeof *of_path.rest);
    memcpy(of_path.rest, search->points.values, count * sizeof *of_path.rest);
    of_path.noise = search->noise;
    of_path.of_path = true;
    of_path.corrected = false;
    of_path.sampled = search->sampled;
    of_path.least_change = LEAST_CHANGE;
    if (search->periods)
        find_outliers(collection, &of_path);
    if (search->levels)
        find_levels(collection, &of_path);
    free(of_path.rest);
    take_over(collection, inside, first, inside->paths[p], search);
}

/* Looks for levels in groups of iterations. */
static void search_levels(struct collection *collection, const struct grouped *grouped)
{
    const struct inside *inside = &grouped->inside;
    const struct look *look = inside->look;
    struct inside_search search = {.points = {.at = allocate(grouped->groups, sizeof(uint64_t)),
                                              .count = grouped->groups,
                                              .group = grouped->length,
                                              .end = look->first + look->count},
                                   .sample = grouped->weight,
                                   .sampled = true,
                                   .levels = true};
    for (size_t g = 0; g < grouped->groups; g++)
        search.points.at[g] = look->first + g * grouped->length;
    for (size_t p = 0; p < inside->path_count; p++) {
        search.points.values = grouped->values + p * grouped->groups;
        inside_search(collection, inside, p, &search);
    }
    free(search.points.at);
}

/* Looks for periods in single iterations. */
static void search_periods(struct collection *collection, struct grouped *grouped)
{
    struct inside *inside = &grouped->inside;
    struct inside_search search = {.points = inside->look->points,
                                   .noise = PEAK_SAMPLES * grouped->weight,
                                   .sampled = true,
                                   .periods = true};
    double *values = inside_series(inside);
    for (size_t p = 0; values && p < inside->path_count; p++) {
        search.points.values = values + p * inside->look->points.count;
        inside_search(collection, inside, p, &search);
    }
    free(values);
}

void find_inside(struct collection *collection, const struct look *look)
{
    struct grouped grouped = {.inside = {.look = look, .metric = look->work}};
    /* Where processors are lacking samples are, too. */
    if (!look->is_time || look->corrected || look->work == look->metric ||
        look->count < LEAST_GROUPS)
        return;
    if (prepare(&grouped)) {
        search_levels(collection, &grouped);
        search_periods(collection, &grouped);
    }
    free(grouped.inside.ranks);
    free(grouped.values);
}
