/*
 * Searches for what changes inside of iterations: steps and drifts of what the call paths with
 * most computation take, which the time of iterations may hide.  See findings_look.h;
 * doc/report.md tells the rules.
 *
 * Computation is sampled, so that values are means of ranks and of successive iterations: of as
 * many ranks and in as many groups as samples and MOST_WORK allow.  Time grows with that, not
 * with ranks times iterations times call paths.
 */
#include "findings/findings_look.h"

#include "base/base.h"
#include "findings/findings_paths.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PATHS         20   /* that have most */
#define LEAST_SHARE   0.01 /* of all computation */
#define WHOLE         0.9  /* of it, or of the caller's: that is no part of it */
#define LEAST_GROUPS  16
#define MOST_GROUPS   64
#define GROUP_SAMPLES 200 /* in a group: a tenth of the computation is known to a fifth */
#define MOST_RANKS    16
#define MOST_WORK     5e7   /* values that are added up */
#define LEAST_CHANGE  0.2   /* of what the call path takes */
#define LEAST_EXCESS  0.002 /* of all iterations */

/* What is searched. */
struct inside {
    const struct look *look;
    size_t *ranks; /* indexes, evenly spread */
    size_t rank_count;
    uint64_t length; /* iterations in a group */
    size_t groups;
    uint32_t paths[PATHS];
    size_t path_count;
    double *values; /* [path * groups + group] */
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

/* As many ranks as can be looked at in time. */
static void choose_ranks(struct inside *inside)
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

/* Whether PATH is a part of all computation, and of what its caller has. */
static bool is_part(const struct path_tree *tree, uint32_t path, const long double *sums)
{
    const long double all = sums[0], above = sums[tree->paths[path].parent];
    return sums[path] >= LEAST_SHARE * all && sums[path] < WHOLE * all &&
           (sums[path] < WHOLE * above || above >= WHOLE * all) &&
           !path_is_in_openmp(tree, path);
}

/* The PATHS with most, the largest first. */
static void choose_paths(struct inside *inside, const long double *sums)
{
    const struct path_tree *tree = inside->look->tree;
    for (uint32_t p = 1; p < tree->count; p++) {
        size_t at = inside->path_count;
        if (!is_part(tree, p, sums))
            continue;
        while (at > 0 && sums[inside->paths[at - 1]] < sums[p])
            at--;
        if (at == PATHS)
            continue;
        const size_t last =
            inside->path_count < PATHS ? inside->path_count++ : inside->path_count - 1;
        memmove(inside->paths + at + 1, inside->paths + at,
                (last - at) * sizeof *inside->paths);
        inside->paths[at] = p;
    }
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

static void fill_groups(struct inside *inside, struct path_values *values,
                        struct path_values *none)
{
    const struct look *look = inside->look;
    for (size_t g = 0; g < inside->groups; g++) {
        const uint64_t first = look->first + g * inside->length,
                       end = look->first + look->count;
        double samples;
        long double *sums = sums_of(
            inside, first, first + inside->length < end ? first + inside->length - 1 : end - 1,
            values, none, &samples);
        for (size_t p = 0; p < inside->path_count; p++)
            inside->values[p * inside->groups + g] = (double)sums[inside->paths[p]];
        free(sums);
    }
}

/* Chooses ranks, paths and groups, and fills in the values.  False if there are too few. */
static bool prepare(struct inside *inside)
{
    const struct look *look = inside->look;
    struct path_values *values = path_values_create(look->tree),
                       *none = path_values_create(look->tree);
    double samples;
    choose_ranks(inside);
    long double *sums =
        sums_of(inside, look->first, look->first + look->count - 1, values, none, &samples);
    choose_paths(inside, sums);
    free(sums);
    double groups = samples > 0 ? samples / GROUP_SAMPLES : MOST_GROUPS;
    groups = fmin(fmax(groups, LEAST_GROUPS), fmin(MOST_GROUPS, (double)look->count));
    inside->length = (look->count + (uint64_t)groups - 1) / (uint64_t)groups;
    inside->groups = (size_t)((look->count + inside->length - 1) / inside->length);
    const bool enough = inside->path_count > 0 && inside->groups >= LEAST_GROUPS / 2;
    if (enough) {
        inside->values = allocate(inside->path_count * inside->groups, sizeof *inside->values);
        fill_groups(inside, values, none);
    }
    path_values_free(values);
    path_values_free(none);
    return enough;
}

/* Whether FINDING is worth telling: by samples alone a part is not known exactly. */
static bool is_worth(const struct finding *finding, const struct look *look)
{
    return fabs(finding->value - finding->usual) >=
               LEAST_CHANGE * fmax(finding->value, finding->usual) &&
           finding->excess >= LEAST_EXCESS * look->total;
}

/* Makes the findings from FIRST on those of PATH. */
static void take_over(struct collection *collection, const struct look *look, size_t first,
                      uint32_t path)
{
    size_t kept = first;
    for (size_t i = first; i < collection->count; i++) {
        struct finding *finding = &collection->list[i];
        if (!is_worth(finding, look)) {
            finding_clear(finding);
            continue;
        }
        finding->metric = look->work;
        finding->path = path;
        finding->rank_count = 0;
        finding->cause = (struct finding_cause){look->work, path,
                                                fabs(finding->value - finding->usual), false};
        collection->list[kept++] = *finding;
    }
    collection->count = kept;
}

/* Searches path number P as iterations are searched. */
static void search(struct collection *collection, const struct inside *inside, size_t p)
{
    struct look of_path = *inside->look;
    const size_t first = collection->count, groups = inside->groups;
    of_path.points = (struct points){.values = inside->values + p * groups,
                                     .at = allocate(groups, sizeof *of_path.points.at),
                                     .count = groups,
                                     .group = inside->length,
                                     .end = inside->look->first + inside->look->count};
    for (size_t g = 0; g < groups; g++)
        of_path.points.at[g] = inside->look->first + g * inside->length;
    of_path.rest = of_path.points.values;
    of_path.noise = 0;
    of_path.of_path = true;
    find_levels(collection, &of_path);
    free(of_path.points.at);
    take_over(collection, inside->look, first, inside->paths[p]);
}

void find_inside(struct collection *collection, const struct look *look)
{
    struct inside inside = {.look = look};
    /* Where processors are lacking samples are, too. */
    if (!look->is_time || look->corrected || look->work == look->metric ||
        look->count < LEAST_GROUPS)
        return;
    if (prepare(&inside))
        for (size_t p = 0; p < inside.path_count; p++)
            search(collection, &inside, p);
    free(inside.ranks);
    free(inside.values);
}
