/*
 * What is said first of runs that behave in one way, or in none: programs whose iterations are
 * made by a rule, with the noise that programs have, and again with ranks that share
 * processors.
 */
#include "tap.h"
#include "tests/unit/utils/findings/findings_checks.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 200, NOBODY = -1, ANYBODY = -2 };

static double noise = 0.02;
static double preemption; /* share of iterations in which a rank loses its processor */

/* 5 ms of work, and 0.1 ms of messages. */
static struct made_iteration usual(uint64_t *random)
{
    const double factor = 1 + noise * random_normal(random);
    return (struct made_iteration){
        .solve = 4 * MS * factor, .write = MS * factor, .send = 0.1 * MS};
}

/* Ranks that share processors wait for one now and then, for a slice of the system's. */
static struct made_iteration preempted(struct made_iteration made, uint64_t *random)
{
    if (preemption > 0 && fabs(random_normal(random)) < preemption) {
        made.preempted = 4 * MS * fabs(random_normal(random));
        made.solve += made.preempted;
    }
    return made;
}

/* Rules: usual, but for what their names say. */
#define RULE(name, statement)                                                                  \
    static struct made_iteration name(uint32_t rank, uint64_t i, uint64_t *random)             \
    {                                                                                          \
        struct made_iteration made = usual(random);                                            \
        (void)rank, (void)i;                                                                   \
        statement;                                                                             \
        return preempted(made, random);                                                        \
    }

#define PART ((double)i / ITERATIONS)

RULE(slow_rank, made.solve *= rank == 1 ? 1.6 : 1)
RULE(slow_rank_for_a_while, made.solve *= rank == 1 && i >= 100 && i < 150 ? 2 : 1)
RULE(step, made.solve *= i >= 120 ? 2 : 1)
RULE(large_step, made.solve *= i >= 120 ? 3.6 : 1)
RULE(step_on_a_rank, made.write += i >= 80 && rank == 0 ? 4 * MS : 0)
RULE(drift, made.solve *= 1 + PART)
RULE(small_function_grows, made.solve *= 4; made.write *= 1 + 4 * PART)
RULE(period, made.write += i % 10 == 9 ? 12 * MS : 0)
RULE(rare_period, made.write += i % 50 == 49 ? 60 * MS : 0)
RULE(period_on_a_rank, made.write += i % 20 == 0 && rank == 0 ? 20 * MS : 0)
RULE(period_of_messages, made.send += i % 25 == 3 ? 20 * MS : 0)
RULE(outlier_on_a_rank, made.write += i == 87 && rank == 1 ? 60 * MS : 0)
RULE(outlier_on_all, made.write += i == 87 ? 60 * MS : 0)
RULE(moving_rank, made.solve *= rank == (i < ITERATIONS / 2) ? 2 : 1)
RULE(in_turn, made.solve *= rank == i % 2 ? 2 : 1)
RULE(slow_messages, made.send += 4 * MS)
RULE(other_messages, made.send += i >= 100 ? 4 * MS : 0)
RULE(growing_messages, made.send += 6 * MS * PART)
RULE(a_slow_while, made.write += i >= 60 && i < 120 ? 4 * MS : 0)
RULE(warm_up, made.write += i < 15 ? 12 * MS : 0)

RULE(plain, )
RULE(with_messages, made.send += 0.05 * MS)
RULE(fast, made.solve /= 8; made.write /= 8; made.send /= 8)
RULE(slow, made.solve *= 10; made.write *= 10)
RULE(mostly_writing, made.write *= 9)
RULE(noisy, made.solve *= 1 + 0.05 * random_normal(random))
RULE(skewed, made.solve *= exp(0.05 * random_normal(random)))
RULE(noisy_messages, made.send *= exp(0.5 * random_normal(random)))
RULE(wandering, made.solve *= 1 + 0.01 * sin(0.1 * (double)i))
RULE(two_modes, made.solve *= random_normal(random) > 0 ? 1.03 : 1)

/* What is to be said first.  RANK may be NOBODY, or ANYBODY where several are named. */
struct planted {
    const char *name;
    made_rule *rule;
    const char *kind; /* NULL: nothing is to be said; one of two, joined by "|" */
    const char *metric, *region;
    int rank;
    uint64_t first, last; /* of the iterations */
};

#define COMPUTATION "computation"
#define MESSAGES    "mpi_collective"

static const struct planted planted[] = {
    {"slow rank", slow_rank, "slow_ranks", COMPUTATION, "solve", 1, 0, 199},
    {"slow rank for a while", slow_rank_for_a_while, "range|slow_ranks", COMPUTATION, "solve",
     1, 100, 149},
    {"step", step, "step", COMPUTATION, "solve", NOBODY, 120, 199},
    {"large step", large_step, "step", COMPUTATION, "solve", NOBODY, 120, 199},
    {"step on a rank", step_on_a_rank, "step|slow_ranks", COMPUTATION, "write<int>", 0, 80,
     199},
    {"drift", drift, "drift", COMPUTATION, "solve", NOBODY, 0, 199},
    {"small function that grows", small_function_grows, "drift", COMPUTATION, "write<int>",
     NOBODY, 0, 199},
    {"period", period, "period", COMPUTATION, "write<int>", NOBODY, 9, 199},
    {"rare period", rare_period, "period", COMPUTATION, "write<int>", NOBODY, 49, 199},
    {"period on a rank", period_on_a_rank, "period", COMPUTATION, "write<int>", 0, 0, 180},
    {"period of messages", period_of_messages, "period", MESSAGES, "MPI_Allreduce", NOBODY, 3,
     178},
    {"outlier on a rank", outlier_on_a_rank, "slow_iterations", COMPUTATION, "write<int>", 1,
     87, 87},
    {"outlier on all", outlier_on_all, "slow_iterations", COMPUTATION, "write<int>", NOBODY, 87,
     87},
    {"moving rank", moving_rank, "moving_rank", COMPUTATION, "solve", ANYBODY, 0, 199},
    {"ranks in turn", in_turn, "moving_rank", NULL, NULL, ANYBODY, 0, 199},
    {"slow messages", slow_messages, "communication", "mpi", "MPI_Allreduce", NOBODY, 0, 0},
    {"other messages", other_messages, "step", MESSAGES, "MPI_Allreduce", NOBODY, 100, 199},
    {"growing messages", growing_messages, "drift", MESSAGES, "MPI_Allreduce", NOBODY, 0, 199},
    {"a slow while", a_slow_while, "range", COMPUTATION, "write<int>", NOBODY, 60, 119},
    {"warm-up", warm_up, "slow_iterations", COMPUTATION, "write<int>", NOBODY, 0, 14},
    {"plain", plain, NULL, NULL, NULL, NOBODY, 0, 0},
    {"with messages", with_messages, NULL, NULL, NULL, NOBODY, 0, 0},
    {"fast", fast, NULL, NULL, NULL, NOBODY, 0, 0},
    {"slow", slow, NULL, NULL, NULL, NOBODY, 0, 0},
    {"mostly writing", mostly_writing, NULL, NULL, NULL, NOBODY, 0, 0},
    {"noisy", noisy, NULL, NULL, NULL, NOBODY, 0, 0},
    {"skewed", skewed, NULL, NULL, NULL, NOBODY, 0, 0},
    {"noisy messages", noisy_messages, NULL, NULL, NULL, NOBODY, 0, 0},
    {"wandering", wandering, NULL, NULL, NULL, NOBODY, 0, 0},
    {"two modes", two_modes, NULL, NULL, NULL, NOBODY, 0, 0},
};

/* The first that is not about the machine; NULL: none. */
static const struct ranked *first_of_program(const struct ranking *ranking)
{
    const uint32_t without = summary_metric(ranking->summary, "preempted");
    for (size_t i = 0; i < ranking->count; i++) {
        const struct ranked *ranked = &ranking->list[i];
        if (ranked->run ? ranked->run->kind != RUN_NO_PROCESSOR
                        : ranked->finding->cause.metric != without)
            return ranked;
    }
    return NULL;
}

static bool is_near(uint64_t got, uint64_t wanted)
{
    return got <= wanted + 2 && wanted <= got + 2;
}

static bool is_in_region(const struct ranking *ranking, uint32_t path, const char *region)
{
    return !region || strcmp(path_region(ranking->tree, path)->name, region) == 0;
}

/* Whether NAME is one of KINDS. */
static bool is_kind(const char *name, const char *kinds)
{
    const char *bar = strchr(kinds, '|');
    return bar ? strcmp(name, bar + 1) == 0 || (strlen(name) == (size_t)(bar - kinds) &&
                                                strncmp(name, kinds, strlen(name)) == 0)
               : strcmp(name, kinds) == 0;
}

static bool is_of_run(const struct ranking *ranking, const struct run_finding *found,
                      const struct planted *wanted)
{
    return is_kind(run_finding_kind_name(found->kind), wanted->kind) &&
           is_in_region(ranking, found->path, wanted->region);
}

static bool is_of_iterations(const struct ranking *ranking, const struct finding *found,
                             const struct planted *wanted)
{
    const char *metric = found->cause.metric == SUMMARY_NONE
                             ? NULL
                             : ranking->summary->metrics[found->cause.metric].name;
    return is_kind(finding_kind_name(found->kind), wanted->kind) &&
           (!wanted->metric || (metric && strcmp(metric, wanted->metric) == 0)) &&
           (!wanted->region || is_in_region(ranking, found->cause.path, wanted->region)) &&
           (wanted->rank == ANYBODY ||
            (wanted->rank == NOBODY ? found->rank_count == 0
                                    : is_on(found, (uint32_t)wanted->rank))) &&
           is_near(found->iterations[0].first, wanted->first) &&
           is_near(found->iterations[found->range_count - 1].last, wanted->last);
}

static bool is_said(const struct ranking *ranking, const struct planted *wanted)
{
    const struct ranked *first = first_of_program(ranking);
    if (!wanted->kind || !first)
        return !wanted->kind && !first;
    return first->run ? is_of_run(ranking, first->run, wanted)
                      : is_of_iterations(ranking, first->finding, wanted);
}

static bool is_right(const struct planted *wanted, uint32_t ranks, uint64_t seed)
{
    struct found found = found_made(ranks, ITERATIONS, wanted->rule, seed);
    struct ranking *ranking = found_ranked(&found);
    const bool right = is_said(ranking, wanted);
    const struct ranked *first = first_of_program(ranking);
    if (!right)
        printf("# %s, %u ranks: %s\n", wanted->name, ranks,
               first ? ranked_sentence(first) : "nothing");
    ranking_free(ranking);
    found_forget(&found);
    return right;
}

/* Of the programs with a behaviour, and of the others: the first that is said is right. */
static void test_what_is_said_first(uint32_t ranks, const char *how)
{
    unsigned right[2] = {0}, all[2] = {0};
    for (size_t p = 0; p < sizeof planted / sizeof *planted; p++)
        for (uint64_t seed = 1; seed <= 2; seed += tap_stride()) {
            const bool none = !planted[p].kind;
            all[none]++;
            right[none] += is_right(&planted[p], ranks, seed);
        }
    OK(right[0] >= 0.95 * all[0], "%u ranks%s: %u of %u behaviours are said first", ranks, how,
       right[0], all[0]);
    OK(right[1] >= 0.9 * all[1], "%u ranks%s: in %u of %u without any nothing is said", ranks,
       how, right[1], all[1]);
}

static struct made_iteration outlier(uint32_t rank, uint64_t i, uint64_t *random)
{
    struct made_iteration made = usual(random);
    if (i == 50 && rank == 1) {
        made.preempted = 40 * MS;
        made.solve += made.preempted;
    }
    return made;
}

static void test_a_peak_that_is_preemption(void)
{
    struct found found = found_made(2, ITERATIONS, outlier, 1);
    const struct finding *finding =
        found_only(&found, FINDING_SLOW_ITERATIONS, "a rank without its processor");
    if (finding)
        OK(is_on(finding, 1) &&
               says(finding, ": without a processor for 40.0 ms more on rank 1"),
           "is called that");
    found_forget(&found);
}

/* Rank 2 has more to do; rank 1 only takes longer, since it has no processor for 3 ms of each
 * iteration; and all ranks have none at times. */
static struct made_iteration one_lacks(uint32_t rank, uint64_t i, uint64_t *random)
{
    struct made_iteration made = slow_rank(rank == 2 ? 1 : 0, i, random);
    if (rank == 1) {
        made.preempted += 3 * MS;
        made.solve += 3 * MS;
    }
    return made;
}

static void test_a_rank_without_a_processor(void)
{
    preemption = 0.3;
    struct found found = found_made(4, ITERATIONS, one_lacks, 1);
    struct ranking *ranking = found_ranked(&found);
    const struct ranked *first = first_of_program(ranking);
    OK(ranking->list[0].run && ranking->list[0].run->kind == RUN_NO_PROCESSOR,
       "that processors are lacking is said first");
    OK(first && first->finding && first->finding->kind == FINDING_SLOW_RANKS &&
           is_on(first->finding, 2) && first->finding->rank_count == 1,
       "then that the rank with more to do is slow, not the one that has no processor: %s",
       first ? ranked_sentence(first) : "nothing");
    if (first && first->finding)
        OK(first->finding->corrected && is_about(first->finding->value, 0.0074, 0.1) &&
               says(first->finding, "time without a processor not counted): "),
           "and how long it computes with one: %s", ranked_sentence(first));
    ranking_free(ranking);
    found_forget(&found);
    preemption = 0;
}

/* Longer and longer messages of megabytes; everything takes two and a half times as long as it
 * would with processors for all. */
static struct made_iteration growing_without_processors(uint32_t rank, uint64_t i,
                                                        uint64_t *random)
{
    struct made_iteration made = usual(random);
    (void)rank;
    made.message = 8 * MS * PART + 0.1 * MS;
    made.preempted = 1.5 * (made.solve + made.message) * (1 + 0.2 * random_normal(random));
    made.solve *= 2.5;
    made.message *= 2.5;
    made.messages = 1;
    made.bytes = 1e6 + 1e7 * PART;
    return made;
}

static void test_when_messages_grow_comes_first(void)
{
    struct found found = found_made(4, ITERATIONS, growing_without_processors, 1);
    struct ranking *ranking = found_ranked(&found);
    const struct ranked *first = first_of_program(ranking);
    bool big = false;
    for (size_t i = 0; i < ranking->run.count; i++)
        big = big || ranking->run.list[i].kind == RUN_BIG_MESSAGES;
    OK(big && first && first->finding && first->finding->kind == FINDING_DRIFT &&
           strcmp(path_region(ranking->tree, first->finding->cause.path)->name, "MPI_Send") ==
               0,
       "that messages grow is said before that they are big: %s",
       first ? ranked_sentence(first) : "nothing");
    ranking_free(ranking);
    found_forget(&found);
}

/* The first of a program with RULE on four ranks, which is to be a KIND whose cause is REGION.
 */
static void test_first(made_rule *rule, enum finding_kind kind, const char *region,
                       const char *what)
{
    unsigned right = 0, all = 0;
    for (uint64_t seed = 1; seed <= 4; seed += tap_stride(), all++) {
        struct found found = found_made(4, ITERATIONS, rule, seed);
        struct ranking *ranking = found_ranked(&found);
        const struct ranked *first = first_of_program(ranking);
        right += first && first->finding && first->finding->kind == kind &&
                 is_in_region(ranking, first->finding->cause.path, region) &&
                 first->finding->rank_count == 0;
        printf("# %s\n", first ? ranked_sentence(first) : "nothing");
        ranking_free(ranking);
        found_forget(&found);
    }
    EQ_INT(right, all, "%s", what);
}

/* With chance SHARE. */
static double once_in(double share, uint64_t *random)
{
    return erfc(random_normal(random) / sqrt(2)) / 2 < share ? 1 : 0;
}

/* From 60 to 119 `write` is new, which the timer hardly sees: there are fewer samples then. */
static struct made_iteration hardly_sampled(uint32_t rank, uint64_t i, uint64_t *random)
{
    const bool more = i >= 60 && i < 120;
    struct made_iteration made = {.send = 0.1 * MS};
    (void)rank;
    made.others = 1 + once_in(more ? 0.1 : 0.3, random);
    made.samples = once_in(more ? 0.12 : 0, random);
    made.solve = 2 * MS * made.others;
    made.write = 2 * MS * made.samples;
    made.unknown =
        (more ? 36 : 20) * MS * (1 + noise * random_normal(random)) - made.solve - made.write;
    return made;
}

/* Takes two and a half times as long as with processors for all; `write` has more and more
 * samples, while all grows by an eighth. */
static struct made_iteration growing(uint64_t i, uint64_t *random, double more_samples)
{
    struct made_iteration made = {.send = 0.1 * MS};
    made.others = once_in(0.8, random);
    made.samples = once_in(0.1 + more_samples * PART, random);
    made.unknown = (16 + 2.2 * PART) * MS * (1 + noise / 2 * random_normal(random));
    made.preempted = 1.5 * made.unknown * (1 + 0.02 * random_normal(random));
    made.unknown *= 2.5;
    return made;
}

static struct made_iteration growth_in_samples(uint32_t rank, uint64_t i, uint64_t *random)
{
    (void)rank;
    return growing(i, random, 0.6);
}

static struct made_iteration growth_in_times(uint32_t rank, uint64_t i, uint64_t *random)
{
    (void)rank;
    return growing(i, random, 0);
}

/* What is less than lack of processors may have made is said if samples are sure of it. */
static void test_growth_without_processors(void)
{
    unsigned wrong = 0;
    test_first(growth_in_samples, FINDING_DRIFT, "write<int>",
               "what grows by less than lack of processors hides, but in samples");
    for (uint64_t seed = 1; seed <= 4; seed += tap_stride()) {
        struct found found = found_made(4, ITERATIONS, growth_in_times, seed);
        wrong += found.findings->count > 0;
        found_show(&found);
        found_forget(&found);
    }
    EQ_INT(wrong, 0, "without more samples nothing is said of it");
}

/* All grows by an eighth, and in the second half ranks lack processors more and more: at last
 * for half of the time. */
static struct made_iteration growing_lack(uint32_t rank, uint64_t i, uint64_t *random)
{
    struct made_iteration made = {.send = 0.1 * MS};
    (void)rank;
    made.others = once_in(0.8, random);
    made.unknown = (20 + 2.5 * PART) * MS * (1 + noise / 2 * random_normal(random));
    made.preempted = fmax(PART - 0.5, 0) * 46 * MS * fmax(1 + 0.3 * random_normal(random), 0);
    made.unknown += made.preempted;
    return made;
}

/* Processors that come to lack explain a growth that their lack on average would not. */
static void test_growth_of_lack(void)
{
    unsigned said = 0, wrong = 0, all = 0;
    for (uint64_t seed = 1; seed <= 4; seed += tap_stride(), all++) {
        struct found found = found_made(4, ITERATIONS, growing_lack, seed);
        const uint32_t without = summary_metric(&found.made->summary, "preempted");
        bool lack = false;
        for (size_t i = 0; i < found.findings->count; i++) {
            const struct finding *finding = &found.findings->list[i];
            lack = lack || finding->cause.metric == without;
            wrong += finding->corrected;
        }
        said += lack;
        found_show(&found);
        found_forget(&found);
    }
    EQ_INT(said, all, "that ranks lack processors more and more is said");
    EQ_INT(wrong, 0, "and of no growth besides, which that may have made");
}

/* Ranks share processors. Every 20th iteration computes more, of which the clock
 * shows that ranks wait for a processor; how many samples it has SAMPLES says. */
static struct made_iteration long_without_processors(uint64_t i, uint64_t *random,
                                                     double samples)
{
    const bool is_long = i % 20 == 18;
    struct made_iteration made = {0};
    made.others = is_long ? samples : once_in(0.25, random);
    made.solve = (is_long ? 180 : 2.5) * MS * (1 + noise * random_normal(random));
    made.send = (is_long ? 80 : 43) * MS * (1 + noise * random_normal(random));
    made.preempted =
        is_long ? 235 * MS : 31 * MS * fmin(fmax(1 + 0.4 * random_normal(random), 0), 1.4);
    return made;
}

static struct made_iteration much_to_do(uint32_t rank, uint64_t i, uint64_t *random)
{
    (void)rank;
    return long_without_processors(i, random, 2.5);
}

static struct made_iteration others_run(uint32_t rank, uint64_t i, uint64_t *random)
{
    (void)rank;
    return long_without_processors(i, random, once_in(0.25, random));
}

/* The finding of a program with RULE that is about every 20th iteration. */
static void test_work_or_lack(made_rule *rule, const char *cause, bool stretched)
{
    unsigned right = 0, all = 0;
    for (uint64_t seed = 1; seed <= 4; seed += tap_stride(), all++) {
        struct found found = found_made(4, ITERATIONS, rule, seed);
        for (size_t i = 0; i < found.findings->count; i++) {
            const struct finding *finding = &found.findings->list[i];
            right +=
                finding->kind == FINDING_PERIOD && finding->period == 20 &&
                finding->path == SUMMARY_NONE && finding->stretched == stretched &&
                strcmp(found.made->summary.metrics[finding->cause.metric].name, cause) == 0;
        }
        found_show(&found);
        found_forget(&found);
    }
    EQ_INT(right, all, "every 20th iteration is longer by %s", cause);
}

static void test_work_that_lacks_processors(void)
{
    test_work_or_lack(much_to_do, "computation", true);
    test_work_or_lack(others_run, "preempted", false);
}

/* Every fifth iteration the same function sends from two places, which hardly shows in that. */
static struct made_iteration from_two_places(uint32_t rank, uint64_t i, uint64_t *random)
{
    struct made_iteration made = usual(random);
    (void)rank;
    made.solve *= 1 + 0.15 * random_normal(random);
    if (i % 5 == 4) {
        made.message = 0.5 * MS;
        made.messages = 1;
        made.again = 0.4 * MS;
    }
    return made;
}

static void test_callers_of_one_function(void)
{
    struct found found = found_made(2, ITERATIONS, from_two_places, 1);
    struct ranking *ranking = found_ranked(&found);
    size_t alike = 0, counted = 0;
    double gain = 0, all = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        double more;
        const size_t count = ranked_count_alike(ranking, i, &more);
        alike += ranked_is_alike(ranking, i);
        if (ranked_is_alike(ranking, i))
            all += ranking->list[i].finding->gain;
        if (count > 0) {
            counted += count;
            gain += more;
        }
        printf("# %s\n", ranked_sentence(&ranking->list[i]));
    }
    OK(alike == 1 && counted == 1 && gain > 0 && gain == all,
       "what is alike but for the caller is counted with the first: %zu of %zu, %g s", alike,
       ranking->count, gain);
    ranking_free(ranking);
    found_forget(&found);
}

/* More of what is said than lists of iterations take. */
static struct made_iteration every_fourth(uint32_t rank, uint64_t i, uint64_t *random)
{
    struct made_iteration made = usual(random);
    (void)rank;
    if (i % 4 == 3) {
        made.write += 12 * MS;
        made.messages = 2;
        made.message = 6 * MS;
        made.bytes = 1e6;
    } else {
        made.messages = 1;
        made.message = 2 * MS;
        made.bytes = 3e5;
    }
    return made;
}

static void test_long_runs_say_it_once(void)
{
    struct found found = found_made(2, 6000, every_fourth, 1);
    struct ranking *ranking = found_ranked(&found);
    unsigned computing = 0, communicating = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        const struct finding *finding = ranking->list[i].finding;
        if (!finding || finding->kind != FINDING_PERIOD)
            continue;
        const char *metric = ranking->summary->metrics[finding->cause.metric].name;
        *(strncmp(metric, "mpi", 3) == 0 ? &communicating : &computing) += 1;
        printf("# %s\n", ranked_sentence(&ranking->list[i]));
    }
    OK(computing <= 1 && communicating <= 1 && computing + communicating > 0,
       "what repeats 1500 times is said once: %u and %u times", computing, communicating);
    ranking_free(ranking);
    found_forget(&found);
}

/* Nothing but a processor that is lacking, for a third of the time, and ever more often. */
static struct made_iteration lacking_more(uint32_t rank, uint64_t i, uint64_t *random)
{
    struct made_iteration made = usual(random);
    (void)rank;
    if (fabs(random_normal(random)) < 0.3 + 1.2 * PART) {
        made.preempted = 4 * MS;
        made.solve += made.preempted;
    }
    return made;
}

static void test_lack_that_grows(void)
{
    for (uint32_t ranks = 2; ranks <= 4; ranks += 2) {
        struct found found = found_made(ranks, ITERATIONS, lacking_more, ranks);
        struct ranking *ranking = found_ranked(&found);
        const struct ranked *first = first_of_program(ranking);
        OK(!first, "%u ranks that lack processors more and more: nothing else is said: %s",
           (unsigned)ranks, first ? ranked_sentence(first) : "");
        ranking_free(ranking);
        found_forget(&found);
    }
}

/* What changes inside of iterations that take as long as before. */
RULE(hidden_step, const double more = i >= 100 ? 2 * MS : 0; made.solve += more;
     made.write += 2 * MS - more)
RULE(hidden_growth, made.write += 4 * MS * PART; made.solve += 4 * MS * (1 - PART))

static const struct finding *change_in(const struct ranking *ranking, const char *region,
                                       enum finding_kind kind)
{
    for (size_t i = 0; i < ranking->count; i++) {
        const struct finding *finding = ranking->list[i].finding;
        if (finding && finding->kind == kind && finding->path != SUMMARY_NONE &&
            strcmp(path_region(ranking->tree, finding->path)->name, region) == 0)
            return finding;
    }
    return NULL;
}

static void test_a_change_inside(made_rule *rule, enum finding_kind kind, const char *region,
                                 uint64_t first, double usual, double value, const char *words)
{
    struct found found = found_made(4, ITERATIONS, rule, 1);
    struct ranking *ranking = found_ranked(&found);
    const struct finding *finding = change_in(ranking, region, kind);
    OK(finding, "%s: a change in %s that iterations hide is found", finding_kind_name(kind),
       region);
    if (finding) {
        OK(is_about(finding->value, value, 0.1) && is_about(finding->usual, usual, 0.1),
           "how large it is: %s", finding->sentence);
        OK(finding->iterations[0].first + 4 >= first &&
               finding->iterations[0].first <= first + 4,
           "when it is: %d", (int)finding->iterations[0].first);
        OK(strstr(finding->sentence, words), "in words");
        OK(finding->gain > 0 &&
               ranked_path(&(struct ranked){.finding = finding}) == finding->path,
           "with what could be gained, and where");
    }
    ranking_free(ranking);
    found_forget(&found);
}

static void test_changes_inside(void)
{
    test_a_change_inside(hidden_step, FINDING_STEP, "solve", 100, 0.004, 0.006,
                         " on solve (solve.c:42) computes 50 % longer (");
    test_a_change_inside(hidden_growth, FINDING_DRIFT, "write<int>", 0, 0.0012, 0.0048,
                         "Computation in write (io.c:7) per iteration grows from 1.");
}

/* How many of ten runs of RULE say first that there is KIND from FIRST on, of REGION. */
static unsigned count_said(made_rule *rule, uint32_t ranks, enum finding_kind kind,
                           uint64_t first, const char *region)
{
    unsigned right = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct found found = found_made(ranks, ITERATIONS, rule, seed);
        struct ranking *ranking = found_ranked(&found);
        const struct ranked *said = first_of_program(ranking);
        const struct finding *finding = said ? said->finding : NULL;
        const bool good = finding && finding->kind == kind &&
                          finding->iterations[0].first <= first + 4 &&
                          finding->iterations[0].first + 4 >= first &&
                          finding->cause.metric != SUMMARY_NONE &&
                          is_in_region(ranking, finding->cause.path, region);
        right += good;
        if (!good)
            printf("# %s\n", said ? ranked_sentence(said) : "nothing");
        ranking_free(ranking);
        found_forget(&found);
    }
    return right;
}

/* A drift that makes a small step on its way, and a step that takes some iterations, and drifts
 * a little before and after. */
RULE(uneven_drift, made.solve *= 1 + PART + (i >= 64 ? 0.25 : 0))
RULE(gradual_step, made.solve *= 1 + 0.2 * PART + 1 / (1 + exp((100 - (double)i) / 10)))

static void test_a_drift_is_no_step(void)
{
    const unsigned drifts = count_said(uneven_drift, 2, FINDING_DRIFT, 0, "solve"),
                   steps = count_said(gradual_step, 2, FINDING_STEP, 100, "solve");
    OK(drifts >= 9, "what a line explains better is a drift, %u times of 10", drifts);
    OK(steps >= 9, "what two levels explain better is a step, %u times of 10", steps);
}

/* Samples of the last iterations happen to be in the other function. */
RULE(drift_by_samples, made.solve *= 1 + PART; made.write += i >= 180 ? 3 * MS : 0;
     made.solve -= i >= 180 ? 3 * MS : 0)

static void test_a_drift_is_where_most_samples_are(void)
{
    const unsigned right = count_said(drift_by_samples, 2, FINDING_DRIFT, 0, "solve");
    OK(right >= 9, "a drift is where many samples are, %u times of 10", right);
}

/* Each rank has a processor for half of the time, at clock ticks: one after another computes
 * for 8 ms, which takes 16, the others for 5, which takes 9. */
static struct made_iteration moving_without_processors(uint32_t rank, uint64_t i,
                                                       uint64_t *random)
{
    struct made_iteration made = usual(random);
    made.solve += rank == i * 4 / ITERATIONS ? 11 * MS : 4 * MS;
    made.preempted = 8 * MS * (1 + 0.01 * random_normal(random));
    return made;
}

/* Each rank has a processor for half of the time, and rank 1 computes for a fifth longer in a
 * quarter of the iterations: it may be who it shares with. */
static struct made_iteration shared_unevenly(uint32_t rank, uint64_t i, uint64_t *random)
{
    struct made_iteration made = usual(random);
    made.solve *= rank == 1 && i >= 100 && i < 150 ? 1.2 : 1;
    made.preempted = 5 * MS * (1 + 0.01 * random_normal(random));
    made.solve += made.preempted;
    return made;
}

/* Each rank has a processor for a fifth of the time: rank 1 computes for 7 ms, which takes 37,
 * the others for 5, which takes 25.  That is little beside what all of them wait for
 * processors. */
static struct made_iteration slow_without_processors(uint32_t rank, uint64_t i,
                                                     uint64_t *random)
{
    (void)i;
    struct made_iteration made = usual(random);
    made.solve += rank == 1 ? 32 * MS : 20 * MS;
    made.preempted = 30 * MS * (1 + 0.01 * random_normal(random));
    return made;
}

/* It computes for longer and longer, which takes away from what it waits for, busily; so all
 * that it has a processor for is as long as ever. */
static struct made_iteration drift_without_processors(uint32_t rank, uint64_t i,
                                                      uint64_t *random)
{
    struct made_iteration made = usual(random);
    (void)rank;
    made.solve += 4 * MS + 6 * MS * PART;
    made.send = 11 * MS - 6 * MS * PART;
    made.preempted = 10 * MS;
    return made;
}

static void test_without_processors(void)
{
    struct found found = found_made(4, ITERATIONS, moving_without_processors, 1);
    struct ranking *ranking = found_ranked(&found);
    const struct ranked *said = first_of_program(ranking);
    OK(said && said->finding && said->finding->kind == FINDING_MOVING_RANK &&
           said->finding->rank_count == 4,
       "the rank that computes longest moves: %s", said ? ranked_sentence(said) : "nothing");
    ranking_free(ranking);
    found_forget(&found);
    found = found_made(4, ITERATIONS, shared_unevenly, 1);
    ranking = found_ranked(&found);
    OK(ranking->findings->count > 0, "ranks that share processors do not compute alike");
    said = first_of_program(ranking);
    OK(!said, "a little of that is not said: %s", said ? ranked_sentence(said) : "nothing");
    ranking_free(ranking);
    found_forget(&found);
    found = found_made(4, ITERATIONS, slow_without_processors, 1);
    ranking = found_ranked(&found);
    said = first_of_program(ranking);
    OK(said && said->finding && said->finding->kind == FINDING_SLOW_RANKS &&
           said->finding->rank_count == 1 && said->finding->ranks[0] == 1,
       "a rank that clearly does more is named: %s", said ? ranked_sentence(said) : "nothing");
    ranking_free(ranking);
    found_forget(&found);
    const unsigned drifts = count_said(drift_without_processors, 4, FINDING_DRIFT, 0, "solve");
    OK(drifts >= 9, "a drift is where ranks compute, %u times of 10", drifts);
    found = found_made(4, ITERATIONS, drift_without_processors, 1);
    ranking = found_ranked(&found);
    said = first_of_program(ranking);
    OK(said && strstr(ranked_sentence(said), ", time without a processor not counted"),
       "and it is said that these times are not the clock's: %s",
       said ? ranked_sentence(said) : "nothing");
    ranking_free(ranking);
    found_forget(&found);
}

static void test_gains(void)
{
    struct found found = found_made(4, ITERATIONS, slow_rank, 1);
    struct ranking *ranking = found_ranked(&found);
    OK(ranking->count == 1 && ranking->list[0].finding, "a slow rank is said of once");
    if (ranking->count == 1 && ranking->list[0].finding) {
        const struct finding *finding = ranking->list[0].finding;
        OK(is_about(finding->gain, ITERATIONS * 0.75 * 0.0024, 0.1),
           "what could be gained is what it has more than the mean: %g", finding->gain);
        OK(is_about(ranking->wall_s, ITERATIONS * 0.0075, 0.1) &&
               strstr(finding->sentence, "%, could be gained."),
           "of the run's time");
        OK(is_about(ranked_share(ranking, &ranking->list[0]), finding->gain / ranking->wall_s,
                    1e-9),
           "as a share");
    }
    ranking_free(ranking);
    found_forget(&found);
}

/* Two ranks of two threads each, all of which have a peak of 60 ms at the same time. */
static void test_gains_of_threads(void)
{
    struct found found = found_made(4, ITERATIONS, outlier_on_all, 1);
    struct rank_group ranks[] = {{.rank = 0, .first = 0, .count = 2},
                                 {.rank = 1, .first = 2, .count = 2}};
    struct rank_group *const all = found.selection.ranks;
    const size_t count = found.selection.rank_count;
    found.selection.ranks = ranks;
    found.selection.rank_count = 2;
    struct ranking *ranking = found_ranked(&found);
    OK(ranking->count > 0 && ranking->list[0].finding, "the peak is said of first");
    if (ranking->count > 0 && ranking->list[0].finding)
        OK(is_about(ranking->list[0].finding->gain, 0.06, 0.1),
           "the run could be shorter by it once, however many threads have it: %g",
           ranking->list[0].finding->gain);
    ranking_free(ranking);
    found.selection.ranks = all;
    found.selection.rank_count = count;
    found_forget(&found);
}

int main(void)
{
    test_what_is_said_first(2, "");
    test_what_is_said_first(4, "");
    test_what_is_said_first(16, "");
    preemption = 0.1;
    test_what_is_said_first(4, " that share processors");
    preemption = 0;
    test_a_peak_that_is_preemption();
    test_a_rank_without_a_processor();
    test_when_messages_grow_comes_first();
    test_first(hardly_sampled, FINDING_RANGE, "write<int>",
               "what has samples that are new, though there are fewer for the time");
    test_growth_without_processors();
    test_growth_of_lack();
    test_work_that_lacks_processors();
    test_callers_of_one_function();
    test_long_runs_say_it_once();
    test_lack_that_grows();
    test_changes_inside();
    test_a_drift_is_no_step();
    test_a_drift_is_where_most_samples_are();
    test_without_processors();
    test_gains();
    test_gains_of_threads();
    return tap_done();
}
