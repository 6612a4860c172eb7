/* What measuring cost the job.  See job_cost.h. */
#include "accuracy/job_cost.h"

#include "accuracy/costs.h"
#include "accuracy/slowest_rank.h"
#include "accuracy/stalls.h"
#include "base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many equally likely lengths stand for a bin of the histogram. */
enum { PIECES = 8 };

/* The stalls of one rank, on average. */
struct stall_list {
    struct stall_rate rates[STALL_KINDS_MOST * STALL_BINS * PIECES];
    size_t count;
    double share; /* of the time that they take */
};

/* A phase whose iterations end together. */
struct loop {
    uint64_t iterations, steps; /* the fewest of a rank */
    long double seconds;        /* in its iterations, sum over ranks */
};

/* Stalls */

/* Adds those of BIN, of which there are PER_SECOND, none of them longer than LONGEST_S. */
static void add_bin(struct stall_list *list, int bin, double per_second, double longest_s)
{
    double low = ldexp(1e-9, bin), high = 2 * low;
    if (longest_s > 0)
        high = fmax(low, fmin(high, longest_s));
    for (int i = 0; i < PIECES; i++) {
        struct stall_rate *rate = &list->rates[list->count++];
        rate->seconds = low + (high - low) * (i + 0.5) / PIECES;
        rate->per_second = per_second / PIECES;
        list->share += rate->seconds * rate->per_second;
    }
}

/*
 * Whether all ranks have stalls of KIND in the same step: where iterations end; in saves, which
 * begin with the same second of the wall clock; and in looking for loops, which calls do that
 * all ranks make.
 */
static bool come_together(const struct stall_kind *kind)
{
    static const char *const kinds[] = {"clustering", "loops", "marker", "save"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kind->name_length == strlen(kinds[i]) &&
            memcmp(kind->name, kinds[i], kind->name_length) == 0)
            return true;
    return false;
}

static void add_kind(struct stall_list *list, const struct stall_kind *kind, double wall_s)
{
    for (int bin = 0; bin < STALL_BINS; bin++)
        if (kind->bins[bin] > 0)
            add_bin(list, bin, (double)kind->bins[bin] / wall_s,
                    1e-9 * (double)kind->longest_ns);
}

static int compare_lengths(const void *a, const void *b)
{
    const struct stall_rate *left = a, *right = b;
    return (left->seconds > right->seconds) - (left->seconds < right->seconds);
}

/* Of all selected locations, in WALL_S seconds of ranks, those that come TOGETHER or the
 * others; ascending by length, for free(). */
static struct stall_list *list_stalls(const struct stalls *stalls, bool together,
                                      long double wall_s)
{
    struct stall_list *list = allocate(1, sizeof *list);
    for (size_t k = 0; k < stalls->count; k++)
        if (come_together(&stalls->kinds[k]) == together)
            add_kind(list, &stalls->kinds[k], (double)wall_s);
    qsort(list->rates, list->count, sizeof list->rates[0], compare_lengths);
    return list;
}

/* Iterations */

/* Collective operations in the iterations of CLUSTER. */
static uint64_t collectives(const struct summary *summary, const struct cluster *cluster)
{
    static const char *const metrics[] = {"comms_coll", "syncs_coll"};
    uint64_t count = 0;
    for (size_t m = 0; m < sizeof metrics / sizeof metrics[0]; m++) {
        uint32_t metric = summary_metric(summary, metrics[m]);
        for (size_t i = 0; i < cluster->sums.count; i++)
            if (cluster->sums.cells[i].metric == metric && cluster->sums.cells[i].value > 0)
                count += (uint64_t)cluster->sums.cells[i].value;
    }
    return count;
}

/* Adds a rank's SERIES to LOOP.  False if iterations in it have no collective operation. */
static bool add_series(struct loop *loop, const struct summary *summary,
                       const struct series *series)
{
    uint64_t steps = 0;
    if (series->parent_phase != SUMMARY_NONE || series->lost || series->iterations == 0)
        return false;
    for (size_t c = 0; c < series->cluster_count; c++) {
        const struct cluster *cluster = &series->clusters[c];
        uint64_t count = collectives(summary, cluster);
        if (count < cluster->size)
            return false;
        steps += count;
        loop->seconds += (long double)cluster->wall_ns / 1e9L;
    }
    if (loop->iterations == 0 || series->iterations < loop->iterations)
        loop->iterations = series->iterations;
    if (loop->steps == 0 || steps < loop->steps)
        loop->steps = steps;
    return true;
}

static bool find_loop(struct loop *loop, const struct selection *selection, uint32_t phase)
{
    *loop = (struct loop){0};
    for (size_t r = 0; r < selection->rank_count; r++) {
        const struct series *series =
            rank_series(selection->summary, &selection->ranks[r], phase);
        if (!series || !add_series(loop, selection->summary, series))
            return false;
    }
    return true;
}

/* The phase whose iterations end together and take most time, or SUMMARY_NONE. */
static uint32_t longest_loop(struct loop *longest, const struct selection *selection)
{
    uint32_t found = SUMMARY_NONE;
    struct loop loop;
    for (uint32_t phase = 0; phase < selection->summary->phase_count; phase++)
        if (selection->phases[phase] && find_loop(&loop, selection, phase) &&
            (found == SUMMARY_NONE || loop.seconds > longest->seconds)) {
            found = phase;
            *longest = loop;
        }
    return found;
}

/* The time between the start and the end of measurement, sum over ranks. */
static long double wall_of_ranks(const struct selection *selection)
{
    long double wall_s = 0;
    for (size_t r = 0; r < selection->rank_count; r++)
        wall_s += (long double)selection->summary->locations[selection->ranks[r].first].wall_ns;
    return wall_s / 1e9L;
}

/* What the job pays for STAYS in a step of STEP_S seconds, as a share of it.  ON_AVERAGE
 * becomes what a rank loses. */
static double lost_to(const struct stalls *stalls, double step_s, uint64_t ranks,
                      long double wall_s, long double *on_average)
{
    struct stall_list *at_any_time = list_stalls(stalls, false, wall_s);
    struct stall_list *together = list_stalls(stalls, true, wall_s);
    double lost = slowest_rank_loss(at_any_time->rates, at_any_time->count, step_s, ranks) +
                  slowest_rank_loss_together(together->rates, together->count, step_s, ranks);
    *on_average = at_any_time->share + together->share;
    free(at_any_time);
    free(together);
    return lost / step_s;
}

/* What the job pays, as a share of the WALL_S seconds of its ranks. */
static long double share_of(const struct selection *selection, const struct loop *loop,
                            const struct stalls *stalls, long double wall_s)
{
    double steps = (double)loop->steps * (double)selection->rank_count;
    long double stalled;
    double lost =
        lost_to(stalls, (double)loop->seconds / steps, selection->rank_count, wall_s, &stalled);
    long double in_loop = fminl(loop->seconds / wall_s, 1);
    long double rest = fmaxl(costs_of(selection).overhead_s / wall_s - stalled, 0);
    return rest + (1 - in_loop) * stalled + in_loop * lost;
}

struct job_cost job_cost_of(const struct selection *selection)
{
    struct job_cost cost = {.ranks = selection->rank_count};
    struct loop loop = {0};
    const long double wall_s = wall_of_ranks(selection);
    const struct stalls stalls = stalls_of(selection);
    cost.phase = longest_loop(&loop, selection);
    cost.known = cost.ranks > 1 && cost.phase != SUMMARY_NONE && stalls.count > 0 &&
                 wall_s > 0 && loop.seconds > 0;
    if (cost.known) {
        cost.iterations = loop.iterations;
        cost.steps = loop.steps;
        cost.share = share_of(selection, &loop, &stalls, wall_s);
    }
    return cost;
}

void job_cost_add_reason(struct text *text, const struct summary *summary,
                         const struct job_cost *cost)
{
    const long double times = (long double)cost->steps / (long double)cost->iterations;
    text_addf(text, "%" PRIu64 " ranks wait for each other ", cost->ranks);
    if (cost->steps > cost->iterations)
        text_addf(text, "%.*Lf times ", times < 10 && times != floorl(times), times);
    text_addf(text, "in each of %" PRIu64 " iterations of %s", cost->iterations,
              summary->phases[cost->phase].name);
}
