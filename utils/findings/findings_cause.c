/* Why something stands out.  See findings_look.h. */
#include "findings/findings_look.h"

#include "base/base.h"
#include "findings/findings_means.h"
#include "findings/findings_paths.h"
#include "query/query.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWN_SHARE       0.5 /* a rank whose own work is this share of the difference causes it */
#define LIKE_MOST       0.5 /* ranks with this share of the largest difference are named, too */
#define GO_DOWN         0.7 /* a part with this share of the difference is named in its place */
#define GO_DOWN_SAMPLED 0.55 /* by samples, which are few, most is enough */
#define LEAST_SAMPLES   4    /* fewer do not tell where computation was */
#define SURE            2    /* standard errors that a part must have to be named by samples */
#define FEWER           1.25 /* so many times the time for a sample: not all is sampled alike */
#define SURE_FEWER      3    /* standard errors, of that and of what has more samples then */
#define SURE_ALONE      4    /* likewise, if nothing else tells that something is more */
#define LITTLE          0.3  /* of the computation: where it was does not matter */
#define MOST_EXAMPLES   16   /* ranks that all have the same more */
#define PREEMPTED       0.5  /* of the difference: it is for want of a processor */

/* How much more each rank has in ON than in OFF, by MEANS; for the caller to free(). */
static double *differences(const struct look *look, double *const *means,
                           struct iteration_list on, struct iteration_list off)
{
    size_t thread = 0;
    double *differences = allocate(look->selection->rank_count, sizeof *differences);
    for (size_t r = 0; r < look->selection->rank_count; r++) {
        differences[r] = mean_of_rank(look, means, thread, r, on) -
                         mean_of_rank(look, means, thread, r, off);
        thread += look->selection->ranks[r].count;
    }
    return differences;
}

static size_t largest_of(const double *values, size_t count)
{
    size_t largest = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[largest])
            largest = i;
    return largest;
}

static double sum_of(const struct path_values *values, const char *metric)
{
    return (double)efficiency_sum(values, summary_metric(values->tree->summary, metric));
}

/* What two sets of ranks and iterations have. */
struct contrast {
    struct path_values *more, *less;
    double more_number, less_number; /* ranks times iterations of each */
    bool sampled; /* both have so many samples that these tell where computation was */
};

static long double difference_of(const struct contrast *contrast, uint32_t metric)
{
    return efficiency_sum(contrast->more, metric) - efficiency_sum(contrast->less, metric);
}

/* The part of METRIC that has most of the difference. */
static uint32_t go_down_metric(const struct contrast *contrast, uint32_t metric)
{
    const struct summary *summary = contrast->more->tree->summary;
    /* Parts follow their metric in the table. */
    for (uint32_t m = metric + 1; m < summary->metric_count; m++)
        if (summary->metrics[m].parent == metric &&
            difference_of(contrast, m) >= GO_DOWN * difference_of(contrast, metric))
            metric = m;
    return metric;
}

/* Samples of one side of a contrast. */
struct sampling {
    long double *samples; /* by path, with those below: means of ranks and iterations */
    long double weight;   /* computation that one stands for */
    double number;        /* ranks times iterations */
};

static struct sampling sampling_of(const struct path_values *values, double number)
{
    const struct path_tree *tree = values->tree;
    const uint32_t metric = summary_metric(tree->summary, "samples");
    struct sampling all = {.samples = allocate(tree->count, sizeof *all.samples),
                           .number = number};
    for (uint32_t p = 0; p < tree->count && metric != SUMMARY_NONE; p++)
        all.samples[p] = path_value(values, p, metric);
    for (uint32_t p = (uint32_t)tree->count; p-- > 1;)
        all.samples[tree->paths[p].parent] += all.samples[p];
    if (all.samples[0] > 0)
        all.weight = sum_of(values, "computation") / all.samples[0];
    return all;
}

/* The variance of what PATH has of what CALLER has: so many of its samples happen to be there.
 */
static long double variance_of(const struct sampling *all, uint32_t caller, uint32_t path)
{
    const long double of_caller = all->samples[caller], here = all->samples[path];
    return of_caller > here && all->number > 0
               ? all->weight * all->weight * here * (of_caller - here) / of_caller / all->number
               : 0;
}

/* What samples tell of a difference: by path, and how sure that is. */
struct sampled {
    long double *found;
    struct sampling more, less;
    bool fewer; /* what is more has fewer samples for its time, which chance does not explain */
};

/* How many samples there are in all. */
static long double number_of_samples(const struct sampling *all)
{
    return all->samples[0] * all->number;
}

static bool has_fewer_samples(const struct sampling *more, const struct sampling *less)
{
    if (!(more->weight >= FEWER * less->weight && less->weight > 0))
        return false;
    const long double change = logl(more->weight / less->weight);
    return change * change >= SURE_FEWER * SURE_FEWER *
                                  (1 / number_of_samples(more) + 1 / number_of_samples(less));
}

/* How many samples more PATH has; below 0: fewer. */
static long double growth_of(const struct sampled *sampled, uint32_t path)
{
    return sampled->more.samples[path] - sampled->less.samples[path];
}

/* How many samples come on in CALLER and in what it calls, each for itself. */
static long double growth_below(const struct path_tree *tree, const struct sampled *sampled,
                                uint32_t caller)
{
    long double all = 0, own = growth_of(sampled, caller);
    for (uint32_t p = caller + 1; p < tree->count; p++)
        if (tree->paths[p].parent == caller) {
            all += fmaxl(growth_of(sampled, p), 0);
            own -= growth_of(sampled, p);
        }
    return all + fmaxl(own, 0);
}

/* Whether PATH has most of ALL the samples that come on, more than by chance. */
static bool is_new(const struct sampled *sampled, uint32_t path, long double all)
{
    const long double growth = growth_of(sampled, path),
                      variance = sampled->more.samples[path] / sampled->more.number +
                                 sampled->less.samples[path] / sampled->less.number;
    return growth > 0 && growth >= GO_DOWN * all &&
           growth * growth >= SURE_FEWER * SURE_FEWER * variance;
}

/*
 * The path called from CALLER that has most of the samples that come on, where there are fewer
 * for the same time; CALLER: none has.  So it is with what the timer hardly sees, as time in
 * the kernel: by samples' shares what is new would be in the functions that were there before.
 */
static uint32_t find_new(const struct path_tree *tree, const struct sampled *sampled,
                         uint32_t caller)
{
    if (!sampled->fewer)
        return caller;
    const long double all = growth_below(tree, sampled, caller);
    for (uint32_t p = caller + 1; p < tree->count; p++)
        if (tree->paths[p].parent == caller && is_new(sampled, p, all))
            return p;
    return caller;
}

/* Whether PATH has most of what its CALLER has more, by samples, and not just by chance. */
static bool is_found(const struct sampled *sampled, uint32_t caller, uint32_t path)
{
    const long double found = sampled->found[path];
    return sampled->found[caller] > 0 && found >= GO_DOWN_SAMPLED * sampled->found[caller] &&
           found * found >= SURE * SURE *
                                (variance_of(&sampled->more, caller, path) +
                                 variance_of(&sampled->less, caller, path));
}

/* From the root down to the path that has most of the difference, as far as one has; SUMS are
 * by path, SAMPLED has those in which computation without samples is where samples are. */
static struct finding_cause go_down(const struct path_tree *tree, uint32_t metric,
                                    const long double *sums, const struct sampled *sampled)
{
    uint32_t path = 0, above = 0, fresh = 0;
    /* Paths follow those that they are called from. */
    for (uint32_t p = 1; p < tree->count; p++) {
        if (tree->paths[p].parent != path || sums[path] <= 0)
            continue;
        const bool known = sums[p] >= GO_DOWN * sums[path] && above == 0;
        if (!known && (fresh != path ? fresh != p : !is_found(sampled, path, p)))
            continue;
        above = above || known ? above : path;
        path = p;
        fresh = find_new(tree, sampled, path);
    }
    path = path_outside_openmp(tree, path);
    return (struct finding_cause){metric, path, (double)sums[above ? above : path], above != 0};
}

/*
 * The deepest call path that has most of the difference in METRIC, with what is below it, as
 * the cause.  Computation without samples was somewhere below: where samples are.
 */
static struct finding_cause go_down_path(const struct contrast *contrast, uint32_t metric)
{
    long double *sums = paths_differences(contrast->more, contrast->less, metric);
    if (contrast->sampled) {
        paths_spread(contrast->more);
        paths_spread(contrast->less);
    }
    struct sampled sampled = {paths_differences(contrast->more, contrast->less, metric),
                              sampling_of(contrast->more, contrast->more_number),
                              sampling_of(contrast->less, contrast->less_number),
                              .fewer = false};
    sampled.fewer = has_fewer_samples(&sampled.more, &sampled.less);
    const struct finding_cause cause = go_down(contrast->more->tree, metric, sums, &sampled);
    free(sums);
    free(sampled.found);
    free(sampled.more.samples);
    free(sampled.less.samples);
    return cause;
}

/* Of a DIFFERENCE in seconds, whether so many MORE without a processor are most of it.  Where
 * threads always share processors, for the USUAL share of the time, all that takes longer is
 * preempted longer: that part of the difference says nothing. */
static bool is_preempted(double more, double difference, double usual)
{
    return more > 0 && difference > 0 &&
           more - usual * difference >= PREEMPTED * (1 - usual) * difference;
}

/* Whether lack of processors cannot be the cause: it was taken away, or something else is. */
static bool is_without_preemption(const struct finding *finding)
{
    return finding->corrected || finding->stretched;
}

/* Whether what MORE has more of METRIC than LESS is for want of a processor. */
static bool is_for_want(const struct finding *finding, const struct contrast *contrast,
                        uint32_t metric, double preempted)
{
    const double before = sum_of(contrast->less, "preempted"),
                 time = sum_of(contrast->less, "time"),
                 usual = time > 0 ? fmin(before / time, 1) : 0;
    return !is_without_preemption(finding) &&
           strcmp(contrast->more->tree->summary->metrics[metric].unit, "s") == 0 &&
           is_preempted(preempted, (double)difference_of(contrast, metric), usual);
}

/* Finds the part of METRIC, and the call path, with most of the difference between MORE and
 * LESS. */
static void find_place(struct finding *finding, const struct look *look,
                       const struct contrast *contrast, uint32_t metric)
{
    const struct summary *summary = look->selection->summary;
    const double preempted =
        (double)difference_of(contrast, summary_metric(summary, "preempted"));
    if (is_for_want(finding, contrast, metric, preempted)) {
        finding->cause =
            (struct finding_cause){summary_metric(summary, "preempted"), 0, preempted, false};
        return;
    }
    const struct finding_cause cause = go_down_path(contrast, go_down_metric(contrast, metric));
    if (cause.value > 0)
        finding->cause = cause;
}

static double number_of(const struct rank_set *set)
{
    double number = 0;
    for (size_t i = 0; i < set->list.count; i++)
        number += (double)(set->list.ranges[i].last - set->list.ranges[i].first + 1);
    return number * (double)set->count;
}

/* Room for what MORE and LESS have; for close_contrast. */
static struct contrast open_contrast(const struct look *look, const struct rank_set *more,
                                     const struct rank_set *less)
{
    struct contrast contrast = {path_values_create(look->tree), path_values_create(look->tree),
                                number_of(more), number_of(less), false};
    paths_fill(look, more, contrast.more);
    paths_fill(look, less, contrast.less);
    const double computation = sum_of(contrast.more, "computation");
    contrast.sampled = paths_samples(contrast.more, more) >= LEAST_SAMPLES &&
                       (paths_samples(contrast.less, less) >= LEAST_SAMPLES ||
                        sum_of(contrast.less, "computation") < LITTLE * computation);
    return contrast;
}

static void close_contrast(struct contrast *contrast)
{
    path_values_free(contrast->more);
    path_values_free(contrast->less);
}

/* The rank that had no processor for much longer in ON than in OFF, while all took DIFFERENCE
 * longer, and how long; the number of ranks if none had. */
static size_t find_preempted(const struct look *look, double difference,
                             struct iteration_list on, struct iteration_list off, double *most)
{
    size_t thread = 0, found = look->selection->rank_count;
    *most = 0;
    for (size_t r = 0; r < look->selection->rank_count; r++) {
        const double before = mean_of_rank(look, look->preempted_means, thread, r, off),
                     time = mean_of_rank(look, look->metric_means, thread, r, off),
                     more = mean_of_rank(look, look->preempted_means, thread, r, on) - before;
        if (more > *most &&
            is_preempted(more, difference, time > 0 ? fmin(before / time, 1) : 0)) {
            *most = more;
            found = r;
        }
        thread += look->selection->ranks[r].count;
    }
    return found;
}

/* The median of a rank's own work in the iterations of LIST, where it is known one by one. */
static double own_median(const struct look *look, size_t r, struct iteration_list list)
{
    const struct points *points = &look->points;
    const double *own = look_own(look, r).value;
    double *values = allocate(points->count, sizeof *values);
    size_t count = 0;
    for (size_t p = 0, i = 0; p < points->count && i < list.count; p++) {
        while (i < list.count && list.ranges[i].last < points->at[p])
            i++;
        if (i < list.count && list.ranges[i].first <= points->at[p] && !isnan(own[p]))
            values[count++] = own[p];
    }
    const double median = count ? median_of(values, count) : 0;
    free(values);
    return median;
}

/* How much more each rank does itself in ON than in OFF; for the caller to free(). */
static double *own_differences(const struct look *look, struct iteration_list on,
                               struct iteration_list off)
{
    if (!look->corrected || !look->own.value)
        return differences(look, look->own_means, on, off);
    double *more = allocate(look->selection->rank_count, sizeof *more);
    for (size_t r = 0; r < look->selection->rank_count; r++)
        more[r] = own_median(look, r, on) - own_median(look, r, off);
    return more;
}

/* Of DIFFERENCES in time, takes those away that ranks had no processor for. */
static void without_preempted(const struct look *look, double *differences_of,
                              struct iteration_list on, struct iteration_list off)
{
    double *preempted = differences(look, look->preempted_means, on, off);
    for (size_t r = 0; r < look->selection->rank_count; r++)
        differences_of[r] -= preempted[r];
    free(preempted);
}

/* The part of a rank's own work that differs most: computation, or input and output. */
static uint32_t work_of(const struct look *look, const struct contrast *contrast)
{
    const uint32_t io = look->has_io
                            ? summary_metric(look->selection->summary, "mpi_io_individual")
                            : SUMMARY_NONE;
    return io != SUMMARY_NONE &&
                   difference_of(contrast, io) > difference_of(contrast, look->work)
               ? io
               : look->work;
}

static bool is_below(const struct path_tree *tree, uint32_t path, uint32_t above)
{
    while (path > above && path != SUMMARY_NONE)
        path = tree->paths[path].parent;
    return path == above;
}

bool is_same_cause(const struct path_tree *tree, const struct finding_cause *a,
                   const struct finding_cause *b)
{
    return a->metric == b->metric &&
           (a->path == b->path || a->path == SUMMARY_NONE || b->path == SUMMARY_NONE ||
            is_below(tree, a->path, b->path) || is_below(tree, b->path, a->path));
}

/* The samples of SET in all, and below PATH. */
static void count_samples(const struct look *look, const struct rank_set *set, uint32_t path,
                          long double *all, long double *below)
{
    struct path_values *values = path_values_create(look->tree);
    paths_fill(look, set, values);
    const struct sampling sampling = sampling_of(values, number_of(set));
    *all = number_of_samples(&sampling);
    *below = sampling.samples[path] * sampling.number;
    free(sampling.samples);
    path_values_free(values);
}

/*
 * Whether COUNT of the RANKS have so many more samples in ON than in OFF that most of what
 * makes ON longer is work: they are taken of processor time, which nobody has more of for want
 * of a processor.
 */
static bool have_more_work(const struct finding *finding, const struct look *look,
                           const size_t *ranks, size_t count, struct iteration_list on,
                           struct iteration_list off)
{
    const struct rank_set more = {ranks, count, on}, less = {ranks, count, off};
    long double all[2], below;
    count_samples(look, &more, 0, &all[0], &below);
    count_samples(look, &less, 0, &all[1], &below);
    const long double number[] = {number_of(&more), number_of(&less)};
    const long double growth = all[0] / number[0] - all[1] / number[1],
                      variance =
                          all[0] / number[0] / number[0] + all[1] / number[1] / number[1],
                      usual = all[1] / number[1];
    return growth > 0 && growth * growth >= SURE_ALONE * SURE_ALONE * variance &&
           growth * finding->usual >= PREEMPTED * usual * (finding->value - finding->usual);
}

/* Whether ranks have, all together or one of them that the others wait for: some, from the
 * first to the last, if there are many. */
static bool is_more_work(const struct finding *finding, const struct look *look,
                         struct iteration_list on, struct iteration_list off)
{
    const size_t all = look->selection->rank_count,
                 count = all < MOST_EXAMPLES ? all : MOST_EXAMPLES;
    size_t ranks[MOST_EXAMPLES];
    for (size_t i = 0; i < count; i++)
        ranks[i] = all == count ? i : i * (all - 1) / (count - 1);
    if (have_more_work(finding, look, ranks, count, on, off))
        return true;
    for (size_t i = 0; i < count; i++)
        if (have_more_work(finding, look, &ranks[i], 1, on, off))
            return true;
    return false;
}

/* Lack of a processor on one rank may be the cause; then it is told. Others that share
 * processors may take them in turn, but not always when there is more to do. */
static bool explain_by_preemption(struct finding *finding, const struct look *look,
                                  double difference, struct iteration_list on,
                                  struct iteration_list off)
{
    double without;
    if (is_without_preemption(finding))
        return false;
    const size_t rank = find_preempted(look, difference, on, off, &without);
    if (rank == look->selection->rank_count)
        return false;
    if (finding->kind == FINDING_PERIOD && is_more_work(finding, look, on, off)) {
        finding->stretched = true;
        return false;
    }
    finding->cause = (struct finding_cause){
        summary_metric(look->selection->summary, "preempted"), 0, without, false};
    finding_add_rank(finding, look->selection->ranks[rank].rank);
    return true;
}

/* What the ranks have more in ON than in OFF; WORK: of what they do themselves. */
static struct finding_cause cause_on(const struct finding *finding, const struct look *look,
                                     const size_t *ranks, size_t count, bool work,
                                     struct iteration_list on, struct iteration_list off)
{
    const struct rank_set these = {ranks, count, on}, others = {ranks, count, off};
    struct contrast contrast = open_contrast(look, &these, &others);
    struct finding one = *finding;
    one.cause = (struct finding_cause){.metric = SUMMARY_NONE, .path = SUMMARY_NONE};
    find_place(&one, look, &contrast, work ? work_of(look, &contrast) : look->metric);
    close_contrast(&contrast);
    return one.cause;
}

/*
 * Names the ranks that do nearly as much more themselves as rank MOST, for the same cause. They
 * are asked for what they do themselves: of time they have as much more that wait for it.
 */
static void name_alike(struct finding *finding, const struct look *look, const double *own,
                       size_t most, struct iteration_list on, struct iteration_list off)
{
    const struct finding_cause cause = cause_on(finding, look, &most, 1, true, on, off);
    size_t asked = 0;
    for (size_t r = 0; r < look->selection->rank_count; r++) {
        if (own[r] < LIKE_MOST * own[most])
            continue;
        if (r != most) {
            if (asked++ >= MOST_ASKED)
                continue;
            const struct finding_cause another = cause_on(finding, look, &r, 1, true, on, off);
            if (!is_same_cause(look->tree, &cause, &another))
                continue;
        }
        finding_add_rank(finding, look->selection->ranks[r].rank);
    }
}

/* Explains by the rank that does most more itself, or, if most ranks do, by several. */
static void explain_by_own(struct finding *finding, const struct look *look, const double *own,
                           size_t most, struct iteration_list on, struct iteration_list off)
{
    const size_t ranks = look->selection->rank_count;
    /* A rank that waits busily for others takes longer or less for their sake. */
    const bool work = finding->corrected || finding->stretched;
    size_t examples[MOST_EXAMPLES], count = 0, alike = 0;
    for (size_t r = 0; r < ranks; r++)
        if (own[r] >= LIKE_MOST * own[most] && alike++ < MOST_EXAMPLES)
            examples[count++] = r;
    /* The more ranks, the more samples; but a call takes some for all, and all for one. */
    if (2 * alike > ranks) {
        finding->cause = cause_on(finding, look, examples, count, work, on, off);
        return;
    }
    finding->cause = cause_on(finding, look, &most, 1, work, on, off);
    name_alike(finding, look, own, most, on, off);
}

void explain_iterations(struct finding *finding, const struct look *look,
                        struct iteration_list on, struct iteration_list off)
{
    const size_t ranks = look->selection->rank_count;
    if (off.count == 0 || on.count == 0 || look->of_path)
        return;
    double *all = differences(look, look->metric_means, on, off);
    double *own = own_differences(look, on, off);
    if (!explain_by_preemption(finding, look, all[largest_of(all, ranks)], on, off)) {
        if (finding->corrected)
            without_preempted(look, all, on, off);
        const size_t most = largest_of(all, ranks), cause = largest_of(own, ranks);
        if (own[cause] > 0 && own[cause] >= OWN_SHARE * all[most])
            explain_by_own(finding, look, own, cause, on, off);
        else
            finding->cause = cause_on(finding, look, &most, 1, false, on, off);
    }
    free(all);
    free(own);
}

void explain_rank(struct finding *finding, const struct look *look, size_t r, size_t usual,
                  struct iteration_list on)
{
    const struct rank_set this = {&r, 1, on}, other = {&usual, 1, on};
    struct contrast contrast = open_contrast(look, &this, &other);
    find_place(finding, look, &contrast, work_of(look, &contrast));
    close_contrast(&contrast);
}

bool is_sure_by_samples(const struct finding *finding, const struct look *look,
                        struct iteration_list on, struct iteration_list off)
{
    const size_t count = look->selection->rank_count;
    if (finding->cause.metric != look->work || look->work == look->metric)
        return false;
    size_t *ranks = allocate(count, sizeof *ranks);
    for (size_t r = 0; r < count; r++)
        ranks[r] = r;
    const struct rank_set more = {ranks, count, on}, less = {ranks, count, off};
    long double all[2], below[2];
    count_samples(look, &more, finding->cause.path, &all[0], &below[0]);
    count_samples(look, &less, finding->cause.path, &all[1], &below[1]);
    free(ranks);
    if (all[0] <= 0 || all[1] <= 0)
        return false;
    const long double share = (below[0] + below[1]) / (all[0] + all[1]),
                      change = below[0] / all[0] - below[1] / all[1],
                      variance = share * (1 - share) * (1 / all[0] + 1 / all[1]);
    return change > 0 && variance > 0 && change * change >= SURE_ALONE * SURE_ALONE * variance;
}
