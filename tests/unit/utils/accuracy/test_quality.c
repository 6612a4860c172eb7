/* The error of the reconstruction: its arithmetic, its verdict, and the iterations it names. */
#include "accuracy/quality.h"

#include "tap.h"
#include "tests/unit/utils/summary_maker.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char path[64];

static struct summary *read_example(void)
{
    struct maker maker;
    struct encoder file = {0};
    struct error error;
    maker_example(&maker);
    maker_write(&maker, &file);
    maker_save(path, file.bytes, file.size);
    struct summary *summary = summary_read(path, &error);
    if (!summary)
        printf("# %s\n", error.text);
    encoder_free(&file);
    maker_free(&maker);
    return summary;
}

static struct selection select_ranks(const struct summary *summary, uint64_t first,
                                     uint64_t last)
{
    struct options options = {
        .iterations = {0, UINT64_MAX}, .ranks = {first, last}, .threads = {0, UINT64_MAX}};
    struct selection selection;
    struct error error;
    if (!selection_make(&selection, summary, &options, &error))
        printf("# %s\n", error.text);
    return selection;
}

static struct selection select_all(const struct summary *summary)
{
    return select_ranks(summary, 0, UINT64_MAX);
}

static double error_in(const struct quality *quality, const char *metric)
{
    return quality_error(quality, summary_metric(quality->selection->summary, metric));
}

static bool is_near(double value, double wanted)
{
    bool near = fabs(value - wanted) <= 1e-12 * fabs(wanted);
    if (!near)
        printf("# %.17g is not %.17g\n", value, wanted);
    return near;
}

static void test_the_error_is_of_all_iterations_and_the_largest(void)
{
    struct summary *summary = read_example();
    struct selection all = select_all(summary), first = select_ranks(summary, 0, 0),
                     second = select_ranks(summary, 1, 1);
    /* On rank 0 two iterations of 3 and 5 ms are in one cluster, all others are exact. */
    struct quality *quality = quality_create(&first, 1);
    EQ_INT(quality->iterations, 6, "rank 0 has six iterations");
    EQ_INT(quality->clustered, 6, "all of them in clusters of several");
    EQ_INT(quality->asked, 2, "of which two were asked for");
    OK(is_near(error_in(quality, "mpi"), sqrt(2.0 * 1e12 / 6) / 3.49e6), "1 ms of 3.49 ms");
    OK(is_near(error_in(quality, "execution"), sqrt(2.0 * 1e12 / 6) / 4.99e6),
       "and of 4.99 ms in all, without the overhead");
    OK(is_near(error_in(quality, "bytes"), sqrt(0.5 / 6) / 1601), "half a byte");
    OK(error_in(quality, "computation") == 0, "the computation is exact");
    OK(error_in(quality, "samples") == 0, "no error of what has no values");
    quality_free(quality);
    quality = quality_create(&all, 1);
    EQ_INT(quality->iterations, 11, "both ranks have eleven");
    OK(is_near(error_in(quality, "mpi"), sqrt(2.0 * 1e12 / 11) / 3.49e6), "fewer of them bad");
    quality_free(quality);
    quality = quality_create(&second, 1);
    OK(error_in(quality, "mpi") == 0 && error_in(quality, "execution") == 0,
       "rank 1 alone is exact");
    quality_free(quality);
    quality = quality_create(&all, 0);
    EQ_INT(quality->iterations, 0, "a phase that was summed has no iterations");
    OK(error_in(quality, "mpi") == 0 && quality_verdict(quality) == SUMMARY_NONE,
       "and no error");
    quality_free(quality);
    selection_free(&all);
    selection_free(&first);
    selection_free(&second);
    summary_free(summary);
}

static void test_the_mean_absolute_error_is_not_larger(void)
{
    struct summary *summary = read_example();
    struct selection all = select_all(summary);
    struct quality *quality = quality_create(&all, 1);
    OK(2 * 1e6 / 11 / 3.49e6 <= error_in(quality, "mpi"), "two of eleven are off by 1 ms");
    quality_free(quality);
    selection_free(&all);
    summary_free(summary);
}

/* The place of METRIC among the maxima of SERIES. */
static size_t place_of(const struct summary *summary, const struct series *series,
                       const char *metric)
{
    for (size_t i = 0; i < series->maximum_count; i++)
        if (series->maxima[i].metric == summary_metric(summary, metric))
            return i;
    abort();
}

static void test_the_verdict_names_the_worst_of_what_matters(void)
{
    struct summary *summary = read_example();
    struct selection all = select_all(summary);
    struct series *series = &summary->locations[0].series[0];
    struct quality *quality = quality_create(&all, 1);
    EQ_INT(quality_verdict(quality), summary_metric(summary, "mpi"), "mpi is worst");
    quality_free(quality);
    double *spreads = series->clusters[1].spreads;
    spreads[place_of(summary, series, "computation")] = 1e14;
    quality = quality_create(&all, 1);
    EQ_INT(quality_verdict(quality), summary_metric(summary, "computation"),
           "then computation");
    quality_free(quality);
    for (size_t i = 0; i < series->maximum_count; i++)
        spreads[i] = 0;
    spreads[place_of(summary, series, "bytes")] = 1e9;
    quality = quality_create(&all, 1);
    EQ_INT(quality_verdict(quality), SUMMARY_NONE, "bytes are not judged");
    OK(error_in(quality, "bytes") > QUALITY_LIMIT, "though they are worse");
    quality_free(quality);
    for (size_t i = 0; i < 2; i++) {
        struct series *each = &summary->locations[i].series[0];
        each->maxima[place_of(summary, each, "mpi")].value = 1000;
    }
    spreads[place_of(summary, series, "mpi")] = 1e6;
    quality = quality_create(&all, 1);
    OK(error_in(quality, "mpi") > QUALITY_LIMIT && quality_verdict(quality) == SUMMARY_NONE,
       "nor is mpi where it takes next to no time");
    quality_free(quality);
    selection_free(&all);
    summary_free(summary);
}

/* True if the doubtful iterations are the COUNT ranges. */
static bool doubts(const struct selection *selection, const struct range *ranges, size_t count,
                   uint64_t iterations)
{
    struct quality *quality = quality_create(selection, 1);
    struct iteration_set set = quality_doubtful(quality);
    bool same = set.count == count && set.iterations == iterations;
    for (size_t i = 0; i < set.count; i++) {
        same = same && set.ranges[i].first == ranges[i].first &&
               set.ranges[i].last == ranges[i].last;
        printf("# %ju to %ju\n", (uintmax_t)set.ranges[i].first, (uintmax_t)set.ranges[i].last);
    }
    free(set.ranges);
    quality_free(quality);
    return same;
}

static void test_doubtful_iterations_are_those_of_bad_clusters(void)
{
    struct summary *summary = read_example();
    struct selection all = select_all(summary), second = select_ranks(summary, 1, 1);
    struct series *series = &summary->locations[0].series[0];
    size_t computation = place_of(summary, series, "computation");
    OK(doubts(&all, (struct range[]){{2, 2}, {5, 5}}, 2, 2), "iterations 2 and 5");
    OK(doubts(&second, NULL, 0, 0), "none on rank 1");
    /* Iterations 0, 1, 3 and 4 on rank 0, 0 to 4 on rank 1. */
    series->clusters[0].spreads[computation] = 1e16;
    OK(doubts(&all, (struct range[]){{0, 5}}, 1, 6), "ranges that touch are one");
    series->clusters[0].spreads[computation] = 0;
    summary->locations[1].series[0].clusters[0].spreads[computation] = 1e16;
    OK(doubts(&all, (struct range[]){{0, 5}}, 1, 6), "over ranks too");
    OK(doubts(&second, (struct range[]){{0, 4}}, 1, 5), "each rank has its own");
    selection_free(&all);
    selection_free(&second);
    summary_free(summary);
}

static void test_a_cluster_counts_by_its_own_iterations(void)
{
    struct summary *summary = read_example();
    struct selection all = select_all(summary);
    struct series *series = &summary->locations[0].series[0];
    size_t mpi = place_of(summary, series, "mpi"),
           execution = place_of(summary, series, "execution");
    series->clusters[1].spreads[execution] = 0;
    /* 5 % of the largest mpi, 3.49 ms, in each of its two iterations. */
    double limit = 2 * (QUALITY_LIMIT * 3.49e6) * (QUALITY_LIMIT * 3.49e6);
    series->clusters[1].spreads[mpi] = limit * 1.001;
    OK(doubts(&all, (struct range[]){{2, 2}, {5, 5}}, 2, 2), "just above the limit");
    struct quality *quality = quality_create(&all, 1);
    EQ_INT(quality_verdict(quality), SUMMARY_NONE, "which is little among eleven");
    quality_free(quality);
    series->clusters[1].spreads[mpi] = limit * 0.999;
    OK(doubts(&all, NULL, 0, 0), "just below");
    selection_free(&all);
    summary_free(summary);
}

int main(void)
{
    int memory = memfd_create("example", 0);
    if (memory < 0)
        return 1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    test_the_error_is_of_all_iterations_and_the_largest();
    test_the_mean_absolute_error_is_not_larger();
    test_the_verdict_names_the_worst_of_what_matters();
    test_doubtful_iterations_are_those_of_bad_clusters();
    test_a_cluster_counts_by_its_own_iterations();
    close(memory);
    return tap_done();
}
