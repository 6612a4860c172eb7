/* See ranking.h. */
#include "findings/ranking.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Of a gain: who accounts for so much says the same, and says when or who. */
#define MOST 0.5
/*
 * Ranks that share processors also share caches and, of those that run two threads at once, the
 * units that compute: balanced programs showed up to a twelfth of the time that ranks lacked
 * processors for as a difference between ranks; of the most that a rank computes in each
 * iteration, which is sometimes one rank's, sometimes another's, twice as much.
 */
#define SHARING        0.08
#define SHARING_UNEVEN 0.16
/* Of what the middle rank does: a rank that computes so much longer than the mean does more,
 * however long all of them wait for processors.  Of balanced programs that did so for 60 to
 * 75 % of the time none showed more than 0.11. */
#define CLEARLY 0.25
#define SAME    0.8 /* of the iterations: two findings are about the same ones */

/* A finding while it is ranked. */
struct entry {
    struct ranked ranked;
    double gain;     /* less what others account for that say more */
    bool left_out;   /* another one says it, or it may come of sharing processors */
    bool by_machine; /* it comes from lack of processors, which is a finding of its own */
};

/* What findings of the whole run are about, and how they are ranked. */
enum topic { TOPIC_NONE, TOPIC_WORK, TOPIC_MESSAGES };

static const struct {
    enum topic topic;
    int order;       /* less: first, whatever could be gained */
    bool is_general; /* says no more than how much there is of it */
    bool is_role;    /* says that a master waits for slaves, and with that why times differ */
} kinds[RUN_FINDING_KINDS] = {
    [RUN_NO_PROCESSOR] = {TOPIC_NONE, -2, false},
    [RUN_OVERHEAD] = {TOPIC_NONE, -1, false},
    [RUN_UNEVEN] = {TOPIC_WORK, 0, true},
    [RUN_SERIALISATION] = {TOPIC_MESSAGES, 0, false},
    [RUN_TRANSFER] = {TOPIC_MESSAGES, 0, false},
    [RUN_COMMUNICATION] = {TOPIC_MESSAGES, 0, true},
    [RUN_DOMINATING] = {TOPIC_MESSAGES, 0, true},
    [RUN_FREQUENT] = {TOPIC_MESSAGES, 0, false},
    [RUN_BIG_MESSAGES] = {TOPIC_MESSAGES, 0, false},
    [RUN_UNEVEN_COMMUNICATION] = {TOPIC_MESSAGES, 0, false},
    [RUN_SLOW_SLAVES] = {TOPIC_MESSAGES, 0, false, true},
    [RUN_OVERLOADED_MASTER] = {TOPIC_MESSAGES, 0, false},
    [RUN_SETUP] = {TOPIC_NONE, 2, false},
    [RUN_OUTSIDE] = {TOPIC_NONE, 3, false},
};

static bool is_of_mpi(const struct ranking *ranking, uint32_t metric)
{
    return metric != SUMMARY_NONE &&
           strncmp(ranking->summary->metrics[metric].name, "mpi", 3) == 0;
}

/* Whether FINDING's seconds are part of those that TOPIC is about.  Others wait in MPI for a
 * rank that reads or writes. */
static bool is_about(const struct ranking *ranking, const struct finding *finding,
                     enum topic topic)
{
    const bool mpi = is_of_mpi(ranking, finding->cause.metric);
    const bool of_ranks = finding->kind >= FINDING_SLOW_RANKS || finding->rank_count > 0;
    return topic == TOPIC_MESSAGES ? mpi : topic == TOPIC_WORK ? of_ranks && !mpi : false;
}

static bool is_below(const struct path_tree *tree, uint32_t path, uint32_t above)
{
    while (path != above && path != SUMMARY_NONE && path != 0)
        path = tree->paths[path].parent;
    return path == above;
}

/* Whether one of the paths is below the other; a path that is not known may be any. */
static bool are_related(const struct path_tree *tree, uint32_t a, uint32_t b)
{
    return a == SUMMARY_NONE || b == SUMMARY_NONE || is_below(tree, a, b) ||
           is_below(tree, b, a);
}

/* How many iterations the finding's first ranges have in common with those of OTHER. */
static uint64_t common_iterations(const struct finding *finding, const struct finding *other)
{
    uint64_t common = 0;
    for (size_t i = 0, j = 0; i < finding->range_count && j < other->range_count;) {
        const struct range a = finding->iterations[i], b = other->iterations[j];
        const uint64_t first = a.first > b.first ? a.first : b.first,
                       last = a.last < b.last ? a.last : b.last;
        common += last >= first ? last - first + 1 : 0;
        if (a.last < b.last)
            i++;
        else
            j++;
    }
    return common;
}

static bool shares_ranks(const struct finding *a, const struct finding *b)
{
    for (size_t i = 0; i < a->rank_count; i++)
        for (size_t j = 0; j < b->rank_count; j++)
            if (a->ranks[i] == b->ranks[j])
                return true;
    return a->rank_count == 0 || b->rank_count == 0;
}

/* How far the finding's iterations are listed. */
static uint64_t listed_to(const struct finding *finding)
{
    return finding->range_count == FINDING_MOST_RANGES
               ? finding->iterations[finding->range_count - 1].last
               : UINT64_MAX;
}

/* How many of the finding's iterations are listed up to LAST. */
static uint64_t iterations_to(const struct finding *finding, uint64_t last)
{
    uint64_t count = 0;
    for (size_t i = 0; i < finding->range_count && finding->iterations[i].first <= last; i++) {
        const struct range range = finding->iterations[i];
        count += (range.last < last ? range.last : last) - range.first + 1;
    }
    return count;
}

/* Of as many as are listed of both. */
static bool are_same_iterations(const struct finding *a, const struct finding *b)
{
    const uint64_t last = listed_to(a) < listed_to(b) ? listed_to(a) : listed_to(b),
                   of_a = iterations_to(a, last), of_b = iterations_to(b, last);
    return (double)common_iterations(a, b) >= SAME * (double)(of_a > of_b ? of_a : of_b);
}

/* Whether B says of its iterations what A has said of them. */
static bool says_the_same(const struct ranking *ranking, const struct finding *a,
                          const struct finding *b)
{
    return a->phase == b->phase && are_same_iterations(a, b) &&
           is_of_mpi(ranking, a->cause.metric) == is_of_mpi(ranking, b->cause.metric) &&
           are_related(ranking->tree, a->cause.path, b->cause.path) && shares_ranks(a, b);
}

/* Lack of processors is said once; what comes from it comes last: tsprof has none, either. */
static int order_of(const struct entry *entry)
{
    if (entry->ranked.run)
        return kinds[entry->ranked.run->kind].order;
    return entry->by_machine ? 1 : 0;
}

static int compare(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (order_of(left) != order_of(right))
        return order_of(left) - order_of(right);
    if (left->gain != right->gain)
        return left->gain > right->gain ? -1 : 1;
    return (left->ranked.run != NULL) - (right->ranked.run != NULL);
}

/* Leaves out the findings about iterations that say what those before them say. */
static void drop_repeated(const struct ranking *ranking, struct entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i && !entries[i].left_out; j++)
            entries[i].left_out =
                !entries[j].left_out &&
                says_the_same(ranking, entries[j].ranked.finding, entries[i].ranked.finding);
}

/* Whether FINDING accounts for seconds of RUN: those of its topic, or, of one that names a call
 * path, of that.  Ranks that have more to do wait less than others. */
static bool accounts_for(const struct ranking *ranking, const struct finding *finding,
                         const struct run_finding *run)
{
    if (run->kind == RUN_UNEVEN_COMMUNICATION && is_about(ranking, finding, TOPIC_WORK))
        return true;
    return is_about(ranking, finding, kinds[run->kind].topic) &&
           (kinds[run->kind].is_general ||
            are_related(ranking->tree, finding->cause.path, run->path));
}

/* FINDING's gain in seconds as RUN counts them: properties of messages have those in them that
 * ranks had no processor for. */
static double gain_as_told_by(const struct ranking *ranking, const struct finding *finding,
                              const struct run_finding *run)
{
    const bool has_all =
        kinds[run->kind].topic == TOPIC_MESSAGES && !kinds[run->kind].is_general;
    return finding->corrected && has_all && ranking->processor > 0
               ? finding->gain / ranking->processor
               : finding->gain;
}

/* What findings about iterations account for of RUN's seconds. */
static double told_in_iterations(const struct ranking *ranking, const struct entry *entries,
                                 size_t count, const struct run_finding *run)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct finding *finding = entries[i].ranked.finding;
        if (!entries[i].left_out && accounts_for(ranking, finding, run))
            sum += gain_as_told_by(ranking, finding, run);
    }
    return sum;
}

/* What the largest of the findings of the whole run accounts for of RUN's seconds.  A master
 * has other work than its slaves. */
static double told_of_whole(const struct ranking *ranking, const struct run_finding *run)
{
    double most = 0;
    for (size_t i = 0; i < ranking->run.count; i++) {
        const struct run_finding *other = &ranking->run.list[i];
        const bool is_told = kinds[other->kind].topic == kinds[run->kind].topic &&
                             !kinds[other->kind].is_general;
        if ((is_told || kinds[other->kind].is_role) && other->gain > most)
            most = other->gain;
    }
    return most;
}

/* A general statement is left out where others account for most of it; a property comes behind
 * what says when it has it, but for one that says why. */
static struct entry entry_of_run(const struct ranking *ranking, const struct entry *entries,
                                 size_t count, const struct run_finding *run)
{
    const double told = told_in_iterations(ranking, entries, count, run);
    struct entry entry = {.ranked = {.run = run}, .gain = run->gain};
    if (kinds[run->kind].is_general)
        entry.left_out =
            told >= MOST * run->gain || told_of_whole(ranking, run) >= MOST * run->gain;
    else if (told >= MOST * run->gain && !kinds[run->kind].is_role)
        entry.gain = told < entry.gain ? entry.gain - told : 0;
    return entry;
}

/* Whether FINDING comes from what the machine, or tsprof, did to the program. */
static bool is_by_machine(const struct ranking *ranking, const struct finding *finding)
{
    static const char *const names[] = {"preempted", "overhead"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (finding->cause.metric != SUMMARY_NONE &&
            finding->cause.metric == summary_metric(ranking->summary, names[i]))
            return true;
    return false;
}

/* Whether GAIN, in seconds, of a difference between ranks is less than this PART of what ranks
 * lacked processors for. */
static bool may_be_sharing(const struct ranking *ranking, double gain, double part)
{
    return gain < part * (1 - ranking->processor) * ranking->wall_s;
}

static bool is_between_ranks(const struct finding *finding)
{
    return finding->kind == FINDING_SLOW_RANKS || finding->kind == FINDING_MOVING_RANK ||
           finding->kind == FINDING_IMBALANCE || finding->kind == FINDING_GROWING_IMBALANCE;
}

static bool is_clearly_slow(const struct finding *finding)
{
    return finding->kind == FINDING_SLOW_RANKS &&
           finding->gain >= CLEARLY * finding->usual * (double)finding->iteration_count;
}

static void rank(struct ranking *ranking)
{
    const size_t found = ranking->findings->count, whole = ranking->run.count;
    const bool scarce = whole > 0 && ranking->run.list[0].kind == RUN_NO_PROCESSOR;
    struct entry *entries = allocate(found + whole, sizeof *entries);
    for (size_t i = 0; i < found; i++) {
        const struct finding *finding = &ranking->findings->list[i];
        entries[i] = (struct entry){
            .ranked = {.finding = finding},
            .gain = ranking->wall_s > 0 ? finding->gain : finding->share,
            .left_out = scarce && is_between_ranks(finding) && !is_clearly_slow(finding) &&
                        may_be_sharing(ranking, finding->gain, SHARING),
            .by_machine = scarce && is_by_machine(ranking, finding)};
    }
    if (found > 1)
        qsort(entries, found, sizeof *entries, compare);
    drop_repeated(ranking, entries, found);
    for (size_t i = 0; i < whole; i++) {
        const struct run_finding *run = &ranking->run.list[i];
        entries[found + i] = entry_of_run(ranking, entries, found, run);
        if (scarce && run->kind == RUN_UNEVEN &&
            may_be_sharing(ranking, run->gain, SHARING_UNEVEN))
            entries[found + i].left_out = true;
    }
    if (found + whole > 1)
        qsort(entries, found + whole, sizeof *entries, compare);
    ranking->list = allocate(found + whole, sizeof *ranking->list);
    for (size_t i = 0; i < found + whole; i++)
        if (!entries[i].left_out) {
            ranking->list[ranking->count++] = entries[i].ranked;
            ranking->in_iterations += entries[i].ranked.finding != NULL;
        }
    free(entries);
}

struct ranking *ranking_make(const struct scope *scope, const struct path_tree *tree,
                             uint32_t metric, bool whole, const struct thresholds *thresholds)
{
    const struct summary *summary = scope->selection->summary;
    struct ranking *ranking = allocate(1, sizeof *ranking);
    struct efficiency efficiency;
    *ranking = (struct ranking){.summary = summary, .tree = tree, .predictions.tree = tree};
    if (strcmp(summary->metrics[metric].unit, "s") == 0)
        ranking->predictions = gains_read(tree);
    if (whole && strcmp(summary->metrics[metric].name, "time") == 0 &&
        efficiency_of(scope, tree, &efficiency)) {
        ranking->wall_s = (double)efficiency.time;
        ranking->processor = (double)efficiency.processor;
        ranking->run = run_findings_find(scope, tree, thresholds);
    }
    ranking->selection =
        ranking->wall_s > 0 ? selection_first_threads(scope->selection) : *scope->selection;
    ranking->findings = findings_find(&ranking->selection, tree, metric, ranking->wall_s);
    rank(ranking);
    return ranking;
}

void ranking_free(struct ranking *ranking)
{
    if (!ranking)
        return;
    run_findings_free(&ranking->run);
    findings_free(ranking->findings);
    gains_free(&ranking->predictions);
    if (ranking->wall_s > 0)
        free(ranking->selection.ranks);
    free(ranking->list);
    free(ranking);
}

double ranked_share(const struct ranking *ranking, const struct ranked *ranked)
{
    if (ranked->run || ranking->wall_s > 0)
        return (ranked->run ? ranked->run->gain : ranked->finding->gain) / ranking->wall_s;
    return ranked->finding->share;
}

const char *ranked_sentence(const struct ranked *ranked)
{
    return ranked->run ? ranked->run->sentence : ranked->finding->sentence;
}

uint32_t ranked_path(const struct ranked *ranked)
{
    if (ranked->run)
        return ranked->run->path;
    return ranked->finding->cause.metric == SUMMARY_NONE ? SUMMARY_NONE
                                                         : ranked->finding->cause.path;
}

/* Whether they differ in who calls the function that they are about, and in how much it is. */
static bool are_alike(const struct ranking *ranking, const struct ranked *one,
                      const struct ranked *another)
{
    const struct finding *a = one->finding, *b = another->finding;
    return a && b && a->path != SUMMARY_NONE && b->path != SUMMARY_NONE &&
           path_region(ranking->tree, a->path) == path_region(ranking->tree, b->path) &&
           a->kind == b->kind && a->phase == b->phase && a->metric == b->metric &&
           a->period == b->period && (a->value > a->usual) == (b->value > b->usual) &&
           are_same_iterations(a, b);
}

bool ranked_is_alike(const struct ranking *ranking, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (are_alike(ranking, &ranking->list[i], &ranking->list[place]))
            return true;
    return false;
}

size_t ranked_count_alike(const struct ranking *ranking, size_t place, double *gain)
{
    size_t count = 0;
    *gain = 0;
    for (size_t i = place + 1; i < ranking->count; i++)
        if (are_alike(ranking, &ranking->list[place], &ranking->list[i])) {
            *gain += ranking->list[i].finding->gain;
            count++;
        }
    return count;
}

const struct gain *ranked_prediction(const struct ranking *ranking, const struct ranked *ranked)
{
    return ranked->run ? gains_of_run_finding(&ranking->predictions, ranked->run)
                       : gains_of_finding(&ranking->predictions, ranked->finding);
}
