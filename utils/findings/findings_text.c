/* Findings in words.  See findings_look.h. */
#include "findings/findings_look.h"

#include "base/base.h"
#include "print/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONSISTENT 1.2 /* so many times the change: what is more needs an explanation */

#define NAMED_RANGES 4
#define NAMED_RANKS  6
#define NAMED_PARTS  5
#define MOST_TIMES   1000

/* A sentence being written. */
struct words {
    struct text text;
    const struct finding *finding;
    const struct summary *summary;
    const struct path_tree *tree;
    const char *metric, *unit;
    bool of_time; /* in seconds */
};

static void add_quantity(struct words *words, double value)
{
    char shown[QUANTITY_SIZE];
    text_add(&words->text, format_quantity(shown, value, words->unit));
}

static void add_range(struct text *text, const struct range *range)
{
    text_addf(text, "%" PRIu64, range->first);
    if (range->last > range->first)
        text_addf(text, "-%" PRIu64, range->last);
}

/* "3, 17-20, 99 and 5 more". */
static void add_iterations(struct words *words)
{
    const struct finding *finding = words->finding;
    uint64_t told = 0;
    for (size_t i = 0; i < finding->range_count && i < NAMED_RANGES; i++) {
        text_add(&words->text, i ? ", " : "");
        add_range(&words->text, &finding->iterations[i]);
        told += finding->iterations[i].last - finding->iterations[i].first + 1;
    }
    if (told < finding->iteration_count)
        text_addf(&words->text, " and %" PRIu64 " more", finding->iteration_count - told);
}

/* "rank 3" or "ranks 0, 4-7 and 12 more". */
static void add_ranks(struct words *words, const char *rank, const char *ranks)
{
    const struct finding *finding = words->finding;
    size_t i = 0, named = 0;
    text_add(&words->text, finding->rank_count == 1 ? rank : ranks);
    while (i < finding->rank_count && named < NAMED_RANKS) {
        struct range range = {finding->ranks[i], finding->ranks[i]};
        for (i++; i < finding->rank_count && finding->ranks[i] == range.last + 1; i++)
            range.last++;
        text_add(&words->text, named++ ? ", " : " ");
        add_range(&words->text, &range);
    }
    if (i < finding->rank_count)
        text_addf(&words->text, " and %zu more", finding->rank_count - i);
}

/* The noun of what is not a time: "visits". */
static void add_ratio_word(struct words *words, const char *time, const char *count)
{
    text_add(&words->text, words->of_time ? time : count);
    if (!words->of_time)
        text_addf(&words->text, " %s", words->metric);
}

/* "takes 2.5 times as long", or "has 30 % more visits"; with "as OTHER" or "than OTHER". */
static void add_ratio(struct words *words, const char *verb_of_time, const char *verb,
                      const char *other)
{
    double value = words->finding->value, usual = words->finding->usual;
    /* Of what there is hardly any otherwise no number of times means anything. */
    double ratio = usual > 0 && value < MOST_TIMES * usual ? value / usual : 0;
    bool times = ratio >= 1.995;
    text_addf(&words->text, " %s ", words->of_time ? verb_of_time : verb);
    if (times) {
        text_addf(&words->text, "%.*f times as ", ratio >= 9.95 ? 0 : 1, ratio);
        add_ratio_word(words, "long", "many");
    } else {
        if (ratio > 0 || (usual > 0 && value <= 0))
            text_addf(&words->text, "%.0f %% ", 100 * fabs(ratio - 1));
        if (value < usual)
            add_ratio_word(words, "less", "fewer");
        else
            add_ratio_word(words, "longer", "more");
    }
    if (other)
        text_addf(&words->text, " %s %s", times ? "as" : "than", other);
}

/* Where values are not those of the clock, or are although these are doubtful. */
static const char *corrected(const struct words *words)
{
    if (words->finding->stretched)
        return ", time without a processor included";
    return words->finding->corrected && !words->finding->hidden
               ? ", time without a processor not counted"
               : "";
}

/* " (20 ms rather than 10 ms)". */
static void add_values(struct words *words)
{
    text_add(&words->text, " (");
    add_quantity(words, words->finding->value);
    text_add(&words->text, " rather than ");
    add_quantity(words, words->finding->usual);
    text_addf(&words->text, "%s)", corrected(words));
}

/* Whether it is about a call path, which is its own cause. */
static bool is_of_path(const struct words *words)
{
    return words->finding->path != SUMMARY_NONE;
}

/*
 * Whether the cause is more than what iterations differ by: other parts take less, or it is
 * compared with a mean where the level is a median, or by the clock where that is corrected.
 * Side by side the two would puzzle.  A rank that is named has waited before, so that it may
 * well have more.
 */
static bool exceeds_change(const struct finding *finding, const struct metric_entry *metric)
{
    return strcmp(metric->unit, "s") == 0 && (finding->corrected || finding->rank_count == 0) &&
           finding->kind != FINDING_MOVING_RANK &&
           fabs(finding->cause.value) > CONSISTENT * fabs(finding->value - finding->usual);
}

/* All of the time but tsprof's own. */
static bool is_execution(const struct words *words, uint32_t metric)
{
    return strcmp(words->summary->metrics[metric].name, "execution") == 0;
}

/* Whether the cause says no more than that iterations have more of the same. */
static bool is_the_whole(const struct words *words)
{
    const struct finding_cause *cause = &words->finding->cause;
    const bool same = cause->metric == words->finding->metric ||
                      (words->of_time && is_execution(words, cause->metric));
    return same &&
           (cause->path == 0 || path_region(words->tree, cause->path)->kind == REGION_PHASE);
}

/* Whether there is a cause to be told; of a call path there is none. */
static bool has_cause(const struct words *words)
{
    return words->finding->cause.metric != SUMMARY_NONE && !is_of_path(words) &&
           !is_the_whole(words);
}

/* ": 12.3 ms more computation in solve (solver.c:42), on rank 3". */
static void add_cause(struct words *words, const char *more)
{
    const struct finding_cause *cause = &words->finding->cause;
    char shown[QUANTITY_SIZE];
    if (!has_cause(words))
        return;
    const struct metric_entry *metric = &words->summary->metrics[cause->metric];
    if (strcmp(metric->name, "preempted") == 0) {
        text_addf(&words->text, ": without a processor for %s %s",
                  format_quantity(shown, fabs(cause->value), "s"),
                  strcmp(more, "less ") == 0 ? "less" : "more");
        return;
    }
    text_add(&words->text, ": ");
    if (!exceeds_change(words->finding, metric))
        text_addf(&words->text, "%s ", format_quantity(shown, cause->value, metric->unit));
    /* Nobody calls it execution where it is more than computation. */
    text_addf(&words->text, "%s%s", more,
              is_execution(words, cause->metric) ? "time" : metric->name);
    if (cause->path != 0) {
        text_add(&words->text, cause->of_samples ? ", by samples in " : " in ");
        path_add_function(words->tree, cause->path, &words->text);
    }
}

/* A time in calls of MPI is `mpi`, whatever part of it they are. */
static const char *verb_of_path(const struct words *words)
{
    return strcmp(words->metric, "computation") == 0 ? "computes" : "takes";
}

/* ", with 16 MB rather than 2 MB": what a call path of MPI is entered
 * for, or moves, if that tells why it takes longer. */
static void add_counted(struct words *words)
{
    const struct finding_count *counted = &words->finding->counted;
    char value[QUANTITY_SIZE], usual[QUANTITY_SIZE];
    if (counted->metric == SUMMARY_NONE)
        return;
    const struct metric_entry *metric = &words->summary->metrics[counted->metric];
    const bool calls = strcmp(metric->name, "visits") == 0;
    text_addf(&words->text, ", %s %s%s rather than %s", calls ? "in" : "with",
              format_quantity(value, counted->value, metric->unit),
              !calls                ? ""
              : counted->value == 1 ? " call"
                                    : " calls",
              format_quantity(usual, counted->usual, metric->unit));
}

/* " on MPI_Sendrecv (a.c:5) moves 4.19 MB rather than 524 kB": where that is all that is known
 * of a call path of MPI. */
static void add_moves(struct words *words)
{
    const struct finding_count *counted = &words->finding->counted;
    const char *unit = words->summary->metrics[counted->metric].unit;
    char value[QUANTITY_SIZE], usual[QUANTITY_SIZE];
    text_add(&words->text, " ");
    path_add_function(words->tree, words->finding->path, &words->text);
    text_addf(&words->text, " moves %s rather than %s in an iteration",
              format_quantity(value, counted->value, unit),
              format_quantity(usual, counted->usual, unit));
}

static void add_cause_on_ranks(struct words *words)
{
    if (words->finding->hidden)
        return;
    add_counted(words);
    add_cause(words, "more ");
    if (words->finding->rank_count > 0)
        add_ranks(words, " on rank", " on ranks");
}

static void say_slow_iterations(struct words *words)
{
    bool one = words->finding->iteration_count == 1;
    text_add(&words->text, one ? "Iteration " : "Iterations ");
    add_iterations(words);
    add_ratio(words, one ? "takes" : "take", one ? "has" : "have",
              one ? "its neighbours" : "their neighbours");
    add_values(words);
    add_cause_on_ranks(words);
}

/* Whether the iterations are exactly every PERIOD-th one. */
static bool is_single_class(const struct finding *finding)
{
    for (size_t i = 0; i < finding->range_count; i++)
        if (finding->iterations[i].first != finding->iterations[i].last ||
            (finding->iterations[i].first - finding->iterations[0].first) % finding->period)
            return false;
    return true;
}

static const char *ordinal(uint64_t number)
{
    if (number % 100 / 10 == 1)
        return "th";
    return number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
}

/* The call path that it is about, if it is about one, then "takes 2.5 times as long", and from
 * what to what. */
static void add_takes(struct words *words, const char *takes, const char *has)
{
    if (words->finding->hidden)
        add_moves(words);
    else if (is_of_path(words)) {
        text_add(&words->text, " ");
        path_add_function(words->tree, words->finding->path, &words->text);
        add_ratio(words, verb_of_path(words), "has", NULL);
    } else
        add_ratio(words, takes, has, NULL);
    if (!words->finding->hidden)
        add_values(words);
}

static void say_period(struct words *words)
{
    const struct finding *finding = words->finding;
    const bool one = is_single_class(finding);
    if (one)
        text_addf(&words->text, "Every %" PRIu64 "%s iteration (", finding->period,
                  ordinal(finding->period));
    else
        text_addf(&words->text, "Iterations repeat every %" PRIu64 ": %s", finding->period,
                  is_of_path(words) ? "in " : "");
    add_iterations(words);
    text_add(&words->text, one ? ")" : "");
    add_takes(words, one ? "takes" : "take", one ? "has" : "have");
    add_cause_on_ranks(words);
}

static void say_range(struct words *words)
{
    text_add(&words->text, is_of_path(words) ? "In iterations " : "Iterations ");
    add_iterations(words);
    add_takes(words, "take", "have");
    add_cause_on_ranks(words);
}

static void say_step(struct words *words)
{
    text_addf(&words->text, "From iteration %" PRIu64 " on%s",
              words->finding->iterations[0].first, is_of_path(words) ? "" : " each");
    add_takes(words, "takes", "has");
    if (words->finding->value < words->finding->usual && has_cause(words))
        text_add(&words->text, "; before");
    add_cause_on_ranks(words);
}

static void say_hidden_drift(struct words *words)
{
    const struct finding_count *counted = &words->finding->counted;
    const char *unit = words->summary->metrics[counted->metric].unit;
    char first[QUANTITY_SIZE], last[QUANTITY_SIZE];
    path_add_function(words->tree, words->finding->path, &words->text);
    text_addf(&words->text, " moves %s and %s in iterations ",
              counted->value > counted->usual ? "more" : "less",
              counted->value > counted->usual ? "more" : "less");
    add_iterations(words);
    text_addf(&words->text, ", at first %s in each, at last %s",
              format_quantity(first, counted->usual, unit),
              format_quantity(last, counted->value, unit));
}

/* As a sentence begins with it; other metrics are names, which stay as they are. */
static const char *subject_of(const struct words *words)
{
    if (strcmp(words->metric, "time") == 0 ||
        (is_of_path(words) && strcmp(words->metric, "mpi") == 0))
        return "Time";
    return strcmp(words->metric, "computation") == 0 ? "Computation" : words->metric;
}

static void say_drift(struct words *words)
{
    const struct finding *finding = words->finding;
    bool grows = finding->value > finding->usual;
    if (finding->hidden) {
        say_hidden_drift(words);
        return;
    }
    text_add(&words->text, subject_of(words));
    if (is_of_path(words)) {
        text_add(&words->text, " in ");
        path_add_function(words->tree, finding->path, &words->text);
    }
    text_addf(&words->text, " per iteration %s from ", grows ? "grows" : "shrinks");
    add_quantity(words, finding->usual);
    text_add(&words->text, " to ");
    add_quantity(words, finding->value);
    text_add(&words->text, " in iterations ");
    add_iterations(words);
    text_add(&words->text, corrected(words));
    text_add(&words->text, grows || !has_cause(words) ? "" : "; at first");
    add_cause_on_ranks(words);
}

static bool is_everything(const struct words *words, const struct look *look)
{
    return words->finding->iteration_count == look->count;
}

/* Ranks also read and write, which is told of as well if iterations do. */
static void add_work(struct words *words, const struct look *look, const char *other)
{
    bool one = words->finding->rank_count == 1,
         computing = strcmp(words->metric, "computation") == 0;
    const char *time = computing ? (one ? "computes" : "compute") : (one ? "spends" : "spend");
    if (computing && look->has_io)
        time = one ? "is busy" : "are busy";
    add_ratio(words, time, one ? "has" : "have", other);
    if (words->of_time && !computing)
        text_addf(&words->text, " in %s", words->metric);
}

static void say_slow_ranks(struct words *words, const struct look *look)
{
    add_ranks(words, "Rank", "Ranks");
    add_work(words, look, "the middle rank");
    if (!is_everything(words, look)) {
        text_add(&words->text, " in iterations ");
        add_iterations(words);
    }
    add_values(words);
    add_cause(words, "more ");
}

static void say_idle_ranks(struct words *words)
{
    add_ranks(words, "Rank", "Ranks");
    text_addf(&words->text, " %s little %s", words->finding->rank_count == 1 ? "has" : "have",
              words->metric);
    add_values(words);
    add_cause(words, "less ");
}

static void say_moving_rank(struct words *words)
{
    const struct finding *finding = words->finding;
    text_addf(&words->text, "The rank with most %s changes: ", words->metric);
    for (size_t i = 0; i < finding->part_count && i < NAMED_PARTS; i++) {
        text_addf(&words->text, "%srank %u in ", i ? ", " : "", finding->parts[i].rank);
        add_range(&words->text, &finding->parts[i].iterations);
    }
    if (finding->part_count > NAMED_PARTS)
        text_addf(&words->text, " and so on%s", finding->period ? "" : ", ");
    if (finding->period)
        text_addf(&words->text, ", the same again %" PRIu64 " iterations later",
                  finding->period);
    else if (finding->part_count > NAMED_PARTS)
        text_addf(&words->text, "%zu changes in all", finding->part_count - 1);
    add_values(words);
    add_cause(words, "more ");
}

static void say_imbalance(struct words *words)
{
    text_addf(&words->text,
              "Ranks have unequal shares of %s, always the same: imbalance %.0f %%, most on",
              words->metric, 100 * words->finding->value);
    add_ranks(words, " rank", " ranks");
    text_add(&words->text, corrected(words));
    add_cause(words, "more ");
}

static void say_growing_imbalance(struct words *words)
{
    text_addf(&words->text, "The imbalance of %s grows from %.0f %% to %.0f %%", words->metric,
              100 * words->finding->usual, 100 * words->finding->value);
    text_add(&words->text, corrected(words));
}

/* "; 645 ms of 7.19 s, 9.0 %, could be gained" */
static void add_gain(struct words *words, double wall_s)
{
    char part[QUANTITY_SIZE], whole[QUANTITY_SIZE], percent[QUANTITY_SIZE];
    const double gain = words->finding->gain;
    if (gain > 0)
        text_addf(&words->text, "; %s of %s, %s %%, could be gained%s",
                  format_quantity(part, gain, "s"), format_quantity(whole, wall_s, "s"),
                  format_percent(percent, gain, wall_s),
                  words->finding->hidden ? " at most" : "");
}

static void add_share(struct words *words)
{
    const struct finding *finding = words->finding;
    char percent[QUANTITY_SIZE];
    if (!(finding->share > 0))
        return;
    text_add(&words->text, "; ");
    add_quantity(words, finding->excess);
    text_addf(&words->text, " in all, %s %% of %s",
              format_percent(percent, finding->share < 1e6 ? finding->share : 0, 1),
              words->summary->phases[finding->phase].name);
}

void finding_write_sentence(struct finding *finding, const struct look *look, double wall_s)
{
    const struct summary *summary = look->selection->summary;
    const struct metric_entry *metric = &summary->metrics[finding->metric];
    struct words words = {.finding = finding,
                          .summary = summary,
                          .tree = look->tree,
                          .metric = metric->name,
                          .unit = metric->unit,
                          .of_time = strcmp(metric->unit, "s") == 0};
    switch (finding->kind) {
    case FINDING_SLOW_ITERATIONS:
        say_slow_iterations(&words);
        break;
    case FINDING_PERIOD:
        say_period(&words);
        break;
    case FINDING_RANGE:
        say_range(&words);
        break;
    case FINDING_STEP:
        say_step(&words);
        break;
    case FINDING_DRIFT:
        say_drift(&words);
        break;
    case FINDING_SLOW_RANKS:
        say_slow_ranks(&words, look);
        break;
    case FINDING_MOVING_RANK:
        say_moving_rank(&words);
        break;
    case FINDING_IMBALANCE:
        say_imbalance(&words);
        break;
    case FINDING_GROWING_IMBALANCE:
        say_growing_imbalance(&words);
        break;
    case FINDING_IDLE_RANKS:
        say_idle_ranks(&words);
        break;
    case FINDING_KINDS:
        break;
    }
    if (finding->hidden)
        text_add(&words.text, "; lack of processors hides whether that takes longer");
    if (look->is_time && wall_s > 0)
        add_gain(&words, wall_s);
    else
        add_share(&words);
    text_add(&words.text, ".");
    finding->sentence = words.text.bytes;
}
