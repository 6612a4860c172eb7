/* See findings_run.h. */
#include "findings/findings_run.h"

#include "base/base.h"
#include "findings/findings_binding.h"
#include "findings/findings_overhead.h"
#include "findings/findings_paths.h"
#include "findings/findings_properties.h"
#include "print/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From this share of the time on something is worth a sentence. */
#define MUCH           0.02L
#define MUCH_SETUP     0.2L
#define MUCH_MESSAGES  0.05L /* programs communicate: that they do is nothing to say */
#define MUCH_PREEMPTED 0.05L
#define NOTABLY        1.05L /* more than by chance */
#define MOSTLY         0.5L  /* of the run, in iterations: then nothing needs to be said */
/* Of differences that do not last, as chance makes them (unevenness.h). */
#define MUCH_BY_CHANCE 0.1L
#define MOST_LASTS     0.5L /* of the gain: of chance it is 1 / sqrt(UNEVEN_LASTING) */
/* Of the time without a processor: by so much ranks still differ after times are corrected. */
#define LEFT_BY_LACK 0.05L
#define FEW_RANKS    4 /* of which that was measured; of more the longest is further off */

/* A search for findings. */
struct hunt {
    const struct scope *scope;
    const struct path_tree *tree;
    struct efficiency efficiency;
    /* Processors were lacking: how long ranks compute is less what they had none for, so far as
     * it was in that. */
    bool corrected;
    struct unevenness uneven;   /* of computation, corrected if that is */
    struct unevenness by_clock; /* with what processors lacked for */
    struct run_findings found;
};

static const struct summary *summary_of(const struct hunt *hunt)
{
    return hunt->scope->selection->summary;
}

/* Adds a finding, which owns SENTENCE from then on. */
static void add(struct hunt *hunt, enum run_finding_kind kind, long double gain, uint32_t path,
                struct text *sentence)
{
    hunt->found.list[hunt->found.count++] = (struct run_finding){.kind = kind,
                                                                 .gain = (double)gain,
                                                                 .path = path,
                                                                 .rank = SUMMARY_NONE,
                                                                 .sentence = sentence->bytes};
}

static void add_seconds(struct text *text, long double seconds)
{
    char shown[QUANTITY_SIZE];
    text_add(text, format_quantity(shown, seconds, "s"));
}

/* "12.7 s of 29.2 s, 43.4 %" */
static void add_part(struct text *text, long double part, long double whole)
{
    char percent[QUANTITY_SIZE];
    add_seconds(text, part);
    text_add(text, " of ");
    add_seconds(text, whole);
    text_addf(text, ", %s %%", format_percent(percent, part, whole));
}

/* The share of each process's time for which it had no processor: the largest.  LACKS: by
 * process, whether it is much. */
static long double most_preempted(const struct hunt *hunt, struct path_values *values,
                                  bool *lacks)
{
    const uint32_t time = summary_metric(summary_of(hunt), "time"),
                   preempted = summary_metric(summary_of(hunt), "preempted");
    long double most = 0;
    for (size_t r = 0; r < hunt->scope->selection->rank_count; r++) {
        efficiency_process(hunt->scope, r, values);
        const long double all = efficiency_sum(values, time),
                          share = all > 0 ? efficiency_sum(values, preempted) / all : 0;
        lacks[r] = share >= MUCH_PREEMPTED;
        most = share > most ? share : most;
    }
    return most;
}

/*
 * How long processes had no processor, in the mean, in seconds.  They let each other wait for
 * so long, and differ by it: less than that says nothing about the program.
 */
static long double preempted_of(const struct hunt *hunt)
{
    const struct efficiency *efficiency = &hunt->efficiency;
    return efficiency->processor < 0 ? 0 : (1 - efficiency->processor) * efficiency->time;
}

/* Why processes had no processor for so long: where they are bound to too few, that is it. */
static void say_no_processor(const struct hunt *hunt, const bool *lacks, long double most,
                             struct text *text)
{
    char mean[QUANTITY_SIZE], high[QUANTITY_SIZE];
    struct text bound = {0};
    const bool is_bound = binding_add(hunt->scope->selection, lacks, &bound);
    format_percent(mean, 1 - hunt->efficiency.processor, 1);
    format_percent(high, most, 1);
    if (is_bound)
        text_addf(
            text,
            "%c%s: ranks were ready to run but had no processor for %s %% of the time, up "
            "to %s %%. ",
            bound.bytes[0] - 'a' + 'A', bound.bytes + 1, mean, high);
    else
        text_addf(text,
                  "Ranks were ready to run but had no processor for %s %% of the time, up to "
                  "%s %%: more threads wanted to run than there were processors for. ",
                  mean, high);
    text_add(text, "Their times say little about the program itself.");
    text_free(&bound);
}

static void find_no_processor(struct hunt *hunt, struct path_values *values)
{
    struct text text = {0};
    if (hunt->efficiency.processor < 0)
        return;
    bool *lacks = allocate(hunt->scope->selection->rank_count, sizeof *lacks);
    const long double most = most_preempted(hunt, values, lacks);
    if (most >= MUCH_PREEMPTED) {
        say_no_processor(hunt, lacks, most, &text);
        add(hunt, RUN_NO_PROCESSOR, 0, SUMMARY_NONE, &text);
    }
    free(lacks);
}

/* Whether METRIC is computation of PATH in which there is no sample: it was somewhere below. */
static bool is_unsampled(const struct path_values *values, uint32_t path, uint32_t metric)
{
    const struct summary *summary = values->tree->summary;
    const uint32_t samples = summary_metric(summary, "samples");
    return metric == summary_metric(summary, "computation") && samples != SUMMARY_NONE &&
           path_value(values, path, samples) <= 0;
}

/* The call path with most of METRIC in VALUES less the mean, in MEAN of so many RANKS;
 * ANYWHERE: also one without samples. */
static uint32_t largest_among(const struct path_values *values, const struct path_values *mean,
                              size_t ranks, uint32_t metric, bool anywhere, long double *most)
{
    uint32_t path = SUMMARY_NONE;
    *most = 0;
    for (size_t i = 0; metric != SUMMARY_NONE && i < values->count; i++) {
        long double value = path_value(values, values->list[i], metric);
        if (mean)
            value -= path_value(mean, values->list[i], metric) / (long double)ranks;
        if (value > *most && (anywhere || !is_unsampled(values, values->list[i], metric)) &&
            !path_is_in_openmp(values->tree, values->list[i])) {
            *most = value;
            path = values->list[i];
        }
    }
    return path;
}

/* Likewise, one with samples if there are any. */
static uint32_t largest_path(const struct path_values *values, const struct path_values *mean,
                             size_t ranks, uint32_t metric, long double *most)
{
    const uint32_t path = largest_among(values, mean, ranks, metric, false, most);
    return path == SUMMARY_NONE ? largest_among(values, mean, ranks, metric, true, most) : path;
}

/* Replaces VALUES by those of the first thread of process R (an index). */
static void fill_process(const struct hunt *hunt, size_t r, struct path_values *values)
{
    efficiency_process(hunt->scope, r, values);
    if (hunt->corrected)
        efficiency_correct(values);
}

static size_t index_of(const struct hunt *hunt, uint32_t rank)
{
    size_t r = 0;
    while (hunt->scope->selection->ranks[r].rank != rank)
        r++;
    return r;
}

/* The sums over the first threads of all processes; for path_values_free. */
static struct path_values *sum_all(const struct hunt *hunt)
{
    const struct selection *selection = hunt->scope->selection;
    struct path_values *sums = path_values_create(hunt->tree);
    for (size_t r = 0; r < selection->rank_count; r++)
        scope_add(hunt->scope, &selection->summary->locations[selection->ranks[r].first], NULL,
                  METRICS_INCLUSIVE, sums);
    return sums;
}

/* Likewise of what processes compute. */
static struct path_values *sum_computation(const struct hunt *hunt)
{
    struct path_values *sums = path_values_create(hunt->tree),
                       *one = path_values_create(hunt->tree);
    for (size_t r = 0; r < hunt->scope->selection->rank_count; r++) {
        fill_process(hunt, r, one);
        path_values_combine(sums, one, 1);
    }
    path_values_free(one);
    return sums;
}

/* Adds which rank computes longest, and where. */
static void add_longest(struct hunt *hunt, struct path_values *values, struct text *text,
                        uint32_t *path)
{
    const uint32_t computation = summary_metric(summary_of(hunt), "computation");
    long double most;
    struct path_values *all = sum_computation(hunt);
    fill_process(hunt, index_of(hunt, hunt->uneven.most_rank), values);
    *path = largest_path(values, all, hunt->scope->selection->rank_count, computation, &most);
    path_values_free(all);
    text_addf(text, " Rank %u computes for ", hunt->uneven.most_rank);
    add_seconds(text, hunt->uneven.most);
    text_add(text, " rather than the mean, ");
    add_seconds(text, hunt->uneven.mean);
    text_add(text, hunt->corrected ? ", time without a processor not counted" : "");
    if (*path != SUMMARY_NONE) {
        text_add(text, ": ");
        add_seconds(text, most);
        text_add(text, " more in ");
        path_add_function(hunt->tree, *path, text);
    }
    text_add(text, ".");
}

/*
 * How much of unevenness may come of processors that lacked, in seconds.  Times are corrected
 * by what iterations had no processor for, but not by where in them that was; the longest of
 * many ranks is further off than that of few, by the square root of the logarithm of their
 * number.
 */
static long double left_by_lack(const struct hunt *hunt)
{
    const size_t ranks = hunt->scope->selection->rank_count;
    const long double further =
        ranks > FEW_RANKS ? sqrtl(logl((long double)ranks) / logl(FEW_RANKS)) : 1;
    return LEFT_BY_LACK * further * preempted_of(hunt);
}

/* Whether so much, of which so much lasts, is more than chance and lack of processors make. */
static bool is_much(const struct hunt *hunt, long double gain, long double lasting)
{
    const long double time = hunt->efficiency.time, left = left_by_lack(hunt);
    return (lasting >= MOST_LASTS * gain && lasting >= MUCH * time + left) ||
           gain >= MUCH_BY_CHANCE * time + left;
}

/* Whether computation is uneven by the clock and without what processors lacked for. */
static bool is_uneven(const struct hunt *hunt)
{
    const struct unevenness *by_clock = &hunt->by_clock;
    /* Most runs end here, without a second look at all iterations. */
    if (!is_much(hunt, by_clock->gain, 0) && !is_much(hunt, 0, by_clock->lasting))
        return false;
    const struct unevenness corrected = hunt->corrected || preempted_of(hunt) <= 0
                                            ? hunt->uneven
                                            : unevenness_of(hunt->scope, hunt->tree, true);
    return is_much(hunt, fminl(corrected.gain, by_clock->gain),
                   fminl(corrected.lasting, by_clock->lasting));
}

static void find_uneven(struct hunt *hunt, struct path_values *values)
{
    const long double gain = hunt->uneven.gain, whole = hunt->uneven.most - hunt->uneven.mean;
    uint32_t path = SUMMARY_NONE;
    struct text text = {0};
    if (!is_uneven(hunt))
        return;
    text_add(&text, "Computation is uneven: ");
    add_part(&text, gain, hunt->efficiency.time);
    text_addf(&text, ", could be gained if all ranks had the same%s.",
              gain > NOTABLY * whole ? " in each iteration" : "");
    if (whole >= gain / 2)
        add_longest(hunt, values, &text, &path);
    else
        text_add(&text, " Different ranks have most at different times.");
    add(hunt, RUN_UNEVEN, gain, path, &text);
    if (whole >= gain / 2)
        hunt->found.list[hunt->found.count - 1].rank = hunt->uneven.most_rank;
}

/* Of what a program does with MPI, the call path that has most of the time of ALL processes. */
static uint32_t largest_call(const struct hunt *hunt)
{
    static const char *const parts[] = {"mpi_communication", "mpi_synchronization", "mpi_io"};
    struct path_values *all = sum_all(hunt);
    uint32_t largest = SUMMARY_NONE;
    long double most = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        long double value;
        const uint32_t path =
            largest_path(all, NULL, 1, summary_metric(summary_of(hunt), parts[i]), &value);
        if (value > most) {
            most = value;
            largest = path;
        }
    }
    path_values_free(all);
    return largest;
}

/* How long starting and ending MPI takes, in the mean. */
static long double setup_of(const struct hunt *hunt)
{
    struct path_values *all = sum_all(hunt);
    const long double sum = efficiency_sum(all, summary_metric(summary_of(hunt), "mpi_setup"));
    path_values_free(all);
    return sum / (long double)hunt->scope->selection->rank_count;
}

static void find_setup(struct hunt *hunt)
{
    const long double setup = setup_of(hunt);
    struct text text = {0};
    if (setup < MUCH_SETUP * hunt->efficiency.time)
        return;
    text_add(&text, "Starting and ending MPI takes ");
    add_part(&text, setup, hunt->efficiency.time);
    text_add(&text, ": a longer run would say more.");
    add(hunt, RUN_SETUP, 0, SUMMARY_NONE, &text);
}

/* What communication takes, less what is said elsewhere: waiting for ranks that compute longer,
 * or that have no processor, starting and ending MPI. */
static long double rest_of(const struct hunt *hunt)
{
    return hunt->efficiency.time - hunt->efficiency.mean - hunt->efficiency.overhead -
           hunt->by_clock.gain - preempted_of(hunt) - setup_of(hunt);
}

/* Whether processes spend more of MPI's time in barriers, locks and the like than in messages.
 */
static bool synchronizes_most(const struct hunt *hunt)
{
    struct path_values *all = sum_all(hunt);
    const struct summary *summary = summary_of(hunt);
    const bool most = efficiency_sum(all, summary_metric(summary, "mpi_synchronization")) >
                      efficiency_sum(all, summary_metric(summary, "mpi_communication"));
    path_values_free(all);
    return most;
}

static void find_communication(struct hunt *hunt)
{
    const struct efficiency *efficiency = &hunt->efficiency;
    const long double rest = rest_of(hunt);
    struct text text = {0};
    if (rest < MUCH_MESSAGES * efficiency->time)
        return;
    const uint32_t path = largest_call(hunt);
    text_add(&text,
             synchronizes_most(hunt) ? "Synchronization takes " : "Communication takes ");
    add_part(&text, rest, efficiency->time);
    if (hunt->by_clock.gain > 0)
        text_add(&text, ", without waiting for ranks that compute longer");
    if (path != SUMMARY_NONE) {
        text_add(&text, "; most of MPI's time is in ");
        path_add_function(hunt->tree, path, &text);
    }
    text_add(&text, ".");
    add(hunt, RUN_COMMUNICATION, rest, path, &text);
}

/*
 * What of communication is serialisation, and what transfers, where a prediction for an ideal
 * network tells: the larger one.
 */
static void find_parts_of_communication(struct hunt *hunt)
{
    const struct efficiency *efficiency = &hunt->efficiency;
    struct text text = {0};
    if (efficiency->transfer < 0)
        return;
    const long double ideal = efficiency->transfer * efficiency->time,
                      serialised = ideal - efficiency->most,
                      transfers = efficiency->time - ideal;
    const bool in_turn = serialised >= transfers;
    const long double gain = in_turn ? serialised : transfers;
    if (gain < MUCH_MESSAGES * efficiency->time)
        return;
    text_add(&text, in_turn ? "Ranks wait for each other in turn for "
                            : "Messages and what MPI does itself take ");
    add_part(&text, gain, efficiency->time);
    text_add(&text, in_turn ? ": on a network that takes no time the run would still take "
                            : ": on a network that takes no time the run would take ");
    add_seconds(&text, ideal);
    if (in_turn) {
        text_add(&text, ", and no rank computes for longer than ");
        add_seconds(&text, efficiency->most);
    }
    text_add(&text, ".");
    add(hunt, in_turn ? RUN_SERIALISATION : RUN_TRANSFER, gain, SUMMARY_NONE, &text);
}

/* The time that the first thread of a process has spent in outermost iterations, in seconds. */
static long double time_in_iterations(const struct location *location)
{
    int64_t sum_ns = 0;
    for (size_t s = 0; s < location->series_count; s++)
        for (size_t c = 0; location->series[s].parent_phase == SUMMARY_NONE &&
                           c < location->series[s].cluster_count;
             c++)
            sum_ns += location->series[s].clusters[c].wall_ns;
    return (long double)sum_ns / 1e9L;
}

static void find_outside(struct hunt *hunt)
{
    const struct selection *selection = hunt->scope->selection;
    long double inside = 0, all = 0;
    char percent[QUANTITY_SIZE];
    struct text text = {0};
    for (size_t r = 0; r < selection->rank_count; r++) {
        const struct location *location =
            &selection->summary->locations[selection->ranks[r].first];
        inside += time_in_iterations(location);
        all += (long double)location->wall_ns / 1e9L;
    }
    if (hunt->scope->phase != SUMMARY_NONE || inside <= 0 || inside >= MOSTLY * all)
        return;
    text_addf(&text,
              "Only %s %% of the run is in iterations: when the rest was slow is not known.",
              format_percent(percent, inside, all));
    add(hunt, RUN_OUTSIDE, 0, SUMMARY_NONE, &text);
}

/*
 * One MPI function that has most of communication's time says more than how much that is; but
 * not if most is synchronization, which it is not part of.
 */
static void drop_less_said(struct run_findings *found)
{
    double dominating = 0;
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++)
        if (found->list[i].kind == RUN_DOMINATING)
            dominating = found->list[i].gain;
    for (size_t i = 0; i < found->count; i++)
        if (found->list[i].kind == RUN_COMMUNICATION && dominating > found->list[i].gain / 2)
            free(found->list[i].sentence);
        else
            found->list[kept++] = found->list[i];
    found->count = kept;
}

/* Lack of processors and overhead come first, what is said of iterations last. */
static int order_of(enum run_finding_kind kind)
{
    return kind == RUN_NO_PROCESSOR ? 0
           : kind == RUN_OVERHEAD   ? 1
           : kind == RUN_OUTSIDE    ? 3
                                    : 2;
}

static int compare(const void *a, const void *b)
{
    const struct run_finding *left = a, *right = b;
    if (order_of(left->kind) != order_of(right->kind))
        return order_of(left->kind) - order_of(right->kind);
    return (left->gain < right->gain) - (left->gain > right->gain);
}

struct run_findings run_findings_find(const struct scope *scope, const struct path_tree *tree,
                                      const struct thresholds *thresholds)
{
    struct hunt hunt = {.scope = scope, .tree = tree};
    if (!efficiency_of(scope, tree, &hunt.efficiency))
        return hunt.found;
    struct path_values *values = path_values_create(tree);
    hunt.corrected =
        hunt.efficiency.processor >= 0 && 1 - hunt.efficiency.processor >= MUCH_PREEMPTED;
    hunt.by_clock = unevenness_of(scope, tree, false);
    hunt.uneven = hunt.corrected ? unevenness_of(scope, tree, true) : hunt.by_clock;
    find_no_processor(&hunt, values);
    overhead_find(scope, &hunt.efficiency, &hunt.found);
    find_uneven(&hunt, values);
    find_communication(&hunt);
    find_parts_of_communication(&hunt);
    find_setup(&hunt);
    find_outside(&hunt);
    properties_find(scope, tree, hunt.efficiency.time, rest_of(&hunt), hunt.corrected,
                    thresholds, &hunt.found);
    path_values_free(values);
    drop_less_said(&hunt.found);
    qsort(hunt.found.list, hunt.found.count, sizeof *hunt.found.list, compare);
    return hunt.found;
}

const char *run_finding_kind_name(enum run_finding_kind kind)
{
    static const char *const names[RUN_FINDING_KINDS] = {
        [RUN_NO_PROCESSOR] = "no_processor",
        [RUN_OVERHEAD] = "overhead",
        [RUN_UNEVEN] = "uneven_computation",
        [RUN_SERIALISATION] = "serialisation",
        [RUN_TRANSFER] = "transfer",
        [RUN_COMMUNICATION] = "communication",
        [RUN_DOMINATING] = "dominating",
        [RUN_FREQUENT] = "frequent",
        [RUN_BIG_MESSAGES] = "big_messages",
        [RUN_UNEVEN_COMMUNICATION] = "uneven_communication",
        [RUN_SLOW_SLAVES] = "slow_slaves",
        [RUN_OVERLOADED_MASTER] = "overloaded_master",
        [RUN_SETUP] = "setup",
        [RUN_OUTSIDE] = "outside",
    };
    return names[kind];
}

void run_findings_free(struct run_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        free(findings->list[i].sentence);
    findings->count = 0;
}
