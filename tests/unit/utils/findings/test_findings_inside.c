/*
 * What stands out in single call paths, in iterations whose time does not show it: found where
 * it was put, and nothing in noise, nor what ranks wait for.
 */
#include "tap.h"
#include "tests/unit/utils/findings/findings_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, ITERATIONS = 300, SEEDS = 10 };

/* How many times in a unit of time that has so many on average: Knuth's method. */
static double random_count(uint64_t *random, double mean)
{
    const double least = exp(-mean);
    double product = 1;
    int count = -1;
    do {
        product *= 0.5 * erfc(random_normal(random) / sqrt(2));
        count++;
    } while (product > least);
    return count;
}

/* Iterations of 10 ms that differ by a fifth, with messages of half a millisecond, and half a
 * millisecond of writing; samples every millisecond. */
static struct made_iteration usual(uint64_t *random)
{
    const double solve = fmax(10 + 2 * random_normal(random), 1);
    return (struct made_iteration){.solve = MS * solve,
                                   .others = random_count(random, solve),
                                   .send = 0.5 * MS,
                                   .message = 0.5 * MS * (1 + 0.05 * random_normal(random)),
                                   .messages = 4,
                                   .bytes = 4000};
}

/* WRITE milliseconds of writing, as samples see it. */
static void add_writing(struct made_iteration *made, uint64_t *random, double write)
{
    made->samples = random_count(random, write);
    made->write = MS * made->samples;
}

/* A rank loses its processor in a third of the iterations, in computation or in messages. */
static void lose_processor(struct made_iteration *made, uint64_t *random)
{
    if (random_normal(random) < 0.5)
        return;
    made->preempted = 8 * MS * fabs(random_normal(random));
    *(random_normal(random) > 0 ? &made->solve : &made->message) += made->preempted;
}

#define RULE(name, statement)                                                                  \
    static struct made_iteration name(uint32_t rank, uint64_t i, uint64_t *random)             \
    {                                                                                          \
        struct made_iteration made = usual(random);                                            \
        (void)rank, (void)i;                                                                   \
        statement;                                                                             \
        return made;                                                                           \
    }

#define MORE(condition, factor) ((condition) ? (factor) : 1)

RULE(more_calls, made.message *= MORE(i >= 120, 2); made.messages *= MORE(i >= 120, 2);
     made.bytes *= MORE(i >= 120, 2))
RULE(longer_messages, made.message *= MORE(i >= 120, 2); made.bytes *= MORE(i >= 120, 5))
RULE(slower_messages, made.message *= MORE(i >= 120 && i < 180, 2))
RULE(fewer_calls, made.message *= MORE(i < 100, 3); made.messages *= MORE(i < 100, 3))
RULE(growing_messages, made.message *= 1 + 2.0 * (double)i / ITERATIONS;
     made.bytes *= 1 + 2.0 * (double)i / ITERATIONS)
RULE(periodic_messages, made.message *= MORE(i % 7 == 3, 2.5);
     made.messages *= MORE(i % 7 == 3, 2.5))
RULE(rare_messages, made.message = i % 75 == 20 ? 10 * MS : 0)
RULE(periodic_writing, add_writing(&made, random, i % 10 == 9 ? 2.5 : 0.3))
RULE(more_bytes, made.bytes *= MORE(i >= 150, 3))
RULE(waiting, made.solve *= MORE(rank == 1 && i >= 150, 1.8))
RULE(waiting_in_turn, made.solve *= MORE(rank == i % RANKS && i >= 150, 1.8))

RULE(scarce_messages, made.message *= MORE(i >= 120, 8); made.bytes *= MORE(i >= 120, 8);
     lose_processor(&made, random))
RULE(scarce_messages_before, made.message *= MORE(i < 250, 8); made.bytes *= MORE(i < 250, 8);
     lose_processor(&made, random))
RULE(two_steps, made.message *= i < 100   ? 1
                                : i < 200 ? 3
                                          : 6;
     made.bytes *= i < 100   ? 1
                   : i < 200 ? 3
                             : 6)
RULE(step_and_a_little, made.message *= i < 100 ? 0.05 : i < 115 ? 1 : 1.15)
RULE(steep_messages,
     made.message *= i < 100 ? 0.01 : fmax(1 + 0.3 * random_normal(random), 0.1))
RULE(many_levels, made.message *= 0.3 + 3 * fabs(sin((double)(i / 17) * 12.9898)))
RULE(scarce_bytes, made.bytes *= MORE(i >= 120, 8); lose_processor(&made, random))
/* A call that takes as long whatever it moves, since a rank has no processor. */
RULE(hidden_growth, made.messages = 1; made.message = 4 * MS;
     made.bytes = 1e5 + 8e6 * (double)i / ITERATIONS; lose_processor(&made, random))
RULE(hidden_step, made.messages = 1; made.message = 4 * MS;
     made.bytes = MORE(i >= 120, 8) * 1e6; lose_processor(&made, random))
RULE(hidden_half, made.messages = 1; made.message = 4 * MS;
     made.bytes = MORE(i >= 120, 1.5) * 2e6; lose_processor(&made, random))
RULE(seen_bytes, made.messages = 1; made.message = 4 * MS; made.bytes = MORE(i >= 120, 8) * 1e6)

RULE(plain, )
RULE(scarce, lose_processor(&made, random))
RULE(noisy_messages, made.message *= exp(random_normal(random)))
RULE(very_noisy_messages, made.message *= exp(2 * random_normal(random)))
RULE(other_calls, made.messages = 1 + random_count(random, 3);
     made.message = made.messages * MS / 8; made.bytes = 1000 * made.messages)
RULE(rare_samples, add_writing(&made, random, 0.3))
RULE(very_rare_samples, add_writing(&made, random, 0.05))
/* A sample in fifteen milliseconds, and four of them in writing, in iterations 135 to 180. */
RULE(few_samples, made.solve *= 0.4; made.others = random_count(random, 0.27);
     made.samples = i == 135 + 15 * rank; made.write = 15 * MS * made.samples)
/* Twelve on each rank there. */
RULE(enough_samples, made.solve *= 0.4; made.others = random_count(random, 0.27);
     made.samples = i >= 133 && i < 190 && i % 5 == 0; made.write = 15 * MS * made.samples)
RULE(usual_messages, made.message *= i % 10 != 9)
RULE(noisy_solve, made.solve *= exp(0.5 * random_normal(random)))

/* Whether FINDING is of MADE_NODE's path. */
static bool is_in(const struct found *found, const struct finding *finding, enum made_node node)
{
    return finding->path == found->tree->of_node[node];
}

static const struct finding *find_in(const struct found *found, enum finding_kind kind,
                                     enum made_node node)
{
    for (size_t i = 0; i < found->findings->count; i++)
        if (found->findings->list[i].kind == kind &&
            is_in(found, &found->findings->list[i], node))
            return &found->findings->list[i];
    return NULL;
}

/* How many findings there are of call paths. */
static size_t count_in_paths(const struct found *found)
{
    size_t count = 0;
    for (size_t i = 0; i < found->findings->count; i++)
        count += found->findings->list[i].path != SUMMARY_NONE;
    return count;
}

struct planted {
    const char *name;
    made_rule *rule;
    enum finding_kind kind;
    enum made_node node;
    uint64_t first, last, period;
    double value, usual; /* milliseconds */
    const char *counted; /* NULL: none */
    const char *says;
};

static const struct planted planted[] = {
    {"more calls", more_calls, FINDING_STEP, MADE_message, 120, 299, 0, 1, 0.5, "visits",
     " on MPI_Send takes "},
    {"longer messages", longer_messages, FINDING_STEP, MADE_message, 120, 299, 0, 1, 0.5,
     "bytes", ", with 20.0 kB rather than 4.00 kB; "},
    {"slower messages", slower_messages, FINDING_RANGE, MADE_message, 120, 179, 0, 1, 0.5, NULL,
     "In iterations 120-179 MPI_Send takes "},
    {"fewer calls", fewer_calls, FINDING_STEP, MADE_message, 100, 299, 0, 0.5, 1.5, "visits",
     ", in 4 calls rather than 12; "},
    {"growing messages", growing_messages, FINDING_DRIFT, MADE_message, 0, 299, 0, 1.45, 0.55,
     "bytes", "Time in MPI_Send per iteration grows from "},
    {"periodic messages", periodic_messages, FINDING_PERIOD, MADE_message, 3, 297, 7, 1.25, 0.5,
     "visits", "Every 7th iteration (3, 10, 17, 24 and 39 more) MPI_Send takes 2.5"},
    {"rare messages", rare_messages, FINDING_PERIOD, MADE_message, 20, 245, 75, 10, 0, NULL,
     "Every 75th iteration (20, 95, 170, 245) MPI_Send takes longer (10.0 ms rather than 0"},
    {"periodic writing", periodic_writing, FINDING_PERIOD, MADE_write, 9, 299, 10, 2.5, 0.3,
     NULL, "Every 10th iteration (9, 19, 29, 39 and 26 more) write (io.c:7) computes "},
};

static bool is_near(uint64_t got, uint64_t wanted)
{
    return got <= wanted + 2 && wanted <= got + 2;
}

static bool is_right(const struct found *found, const struct finding *finding,
                     const struct planted *wanted)
{
    const struct summary *summary = &found->made->summary;
    const char *counted = finding->counted.metric == SUMMARY_NONE
                              ? ""
                              : summary->metrics[finding->counted.metric].name;
    return is_near(finding->iterations[0].first, wanted->first) &&
           is_near(finding->iterations[finding->range_count - 1].last, wanted->last) &&
           finding->period == wanted->period &&
           fabs(finding->value - wanted->value / 1e3) <= 0.2 * wanted->value / 1e3 &&
           fabs(finding->usual - wanted->usual / 1e3) <= 0.2 * wanted->usual / 1e3 + 1e-9 &&
           strcmp(counted, wanted->counted ? wanted->counted : "") == 0 &&
           finding->rank_count == 0;
}

static void test_planted(const struct planted *wanted)
{
    unsigned right = 0, all = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed += tap_stride(), all++) {
        struct found found = found_made(RANKS, ITERATIONS, wanted->rule, seed);
        const struct finding *finding = find_in(&found, wanted->kind, wanted->node);
        const bool good = finding && is_right(&found, finding, wanted);
        right += good && count_in_paths(&found) == 1;
        if (!good || count_in_paths(&found) > 1)
            found_show(&found);
        if (seed == 1)
            OK(finding && says(finding, wanted->says), "%s, in words: %s", wanted->name,
               finding ? finding->sentence : "nothing");
        found_forget(&found);
    }
    OK(right * 10 >= all * 9, "%s: found where it was put, and nothing else, %u times of %u",
       wanted->name, right, all);
}

static void test_nothing(const char *name, made_rule *rule, const char *metric)
{
    static const uint32_t ranks[] = {1, 2, 16};
    static const uint64_t iterations[] = {20, 60, 200, 700};
    unsigned wrong = 0;
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < 4; i++)
            for (uint64_t seed = 1; seed <= SEEDS; seed += tap_stride()) {
                struct found found = found_make(ranks[r], iterations[i], rule, seed);
                found_in(&found, metric);
                wrong += count_in_paths(&found) > 0;
                if (count_in_paths(&found) > 0)
                    found_show(&found);
                found_forget(&found);
            }
    EQ_INT(wrong, 0, "%s, %s: nothing is said of call paths", name, metric);
}

/* What ranks wait for in MPI_Allreduce is the computation of one of them. */
static void test_waiting(const char *name, made_rule *rule)
{
    unsigned wrong = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed += tap_stride()) {
        struct found found = found_made(RANKS, ITERATIONS, rule, seed);
        for (size_t i = 0; i < found.findings->count; i++)
            wrong += is_in(&found, &found.findings->list[i], MADE_wait);
        if (wrong)
            found_show(&found);
        found_forget(&found);
    }
    EQ_INT(wrong, 0, "%s: that others wait longer is not said of messages", name);
}

/* Where processors are lacking, what is moved tells when messages change. */
static void test_scarce(void)
{
    unsigned right = 0, wrong = 0, all = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed += tap_stride(), all++) {
        struct found found = found_made(RANKS, ITERATIONS, scarce_messages, seed);
        const struct finding *finding = find_in(&found, FINDING_STEP, MADE_message);
        right += finding && is_near(finding->iterations[0].first, 120) && finding->corrected &&
                 says(finding, ", time without a processor not counted), with 32.0 kB rather "
                               "than 4.00 kB; ");
        found_show(&found);
        found_forget(&found);
        found = found_made(RANKS, ITERATIONS, scarce_bytes, seed);
        wrong += count_in_paths(&found) > 0;
        found_forget(&found);
    }
    EQ_INT(right, all, "without processors: the step in messages, by what they move");
    EQ_INT(wrong, 0, "what does not take longer is not said");
}

/* That large messages become larger is known, whatever calls take. */
static void test_hidden(const char *name, made_rule *rule, enum finding_kind kind,
                        const char *words)
{
    unsigned right = 0, all = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed += tap_stride(), all++) {
        struct found found = found_made(RANKS, ITERATIONS, rule, seed);
        const struct finding *finding = find_in(&found, kind, MADE_message);
        right += finding && finding->hidden && says(finding, words) &&
                 says(finding, "; lack of processors hides whether that takes longer") &&
                 count_in_paths(&found) == 1;
        found_show(&found);
        found_forget(&found);
    }
    EQ_INT(right, all, "%s: what is moved is said, and that it may cost time", name);
}

static void test_not_hidden(const char *name, made_rule *rule)
{
    unsigned wrong = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed += tap_stride()) {
        struct found found = found_made(RANKS, ITERATIONS, rule, seed);
        wrong += count_in_paths(&found) > 0;
        found_forget(&found);
    }
    EQ_INT(wrong, 0, "%s: nothing is said", name);
}

/* A step down costs what was more in all iterations before. */
static void test_scarce_before(void)
{
    unsigned right = 0, all = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed += tap_stride(), all++) {
        struct found found = found_made(RANKS, ITERATIONS, scarce_messages_before, seed);
        const struct finding *finding = find_in(&found, FINDING_STEP, MADE_message);
        right += finding && is_near(finding->iterations[0].first, 250) &&
                 is_about(finding->excess, 250 * (finding->usual - finding->value), 0.1);
        found_show(&found);
        found_forget(&found);
    }
    EQ_INT(right, all, "without processors: a step down, and what it gains");
}

/* Each step is compared with what was between it and the one before. */
static void test_two_steps(void)
{
    struct found found = found_made(RANKS, ITERATIONS, two_steps, 1);
    unsigned said = 0;
    for (size_t i = 0; i < found.findings->count; i++) {
        const struct finding *finding = &found.findings->list[i];
        if (finding->path == SUMMARY_NONE || !is_in(&found, finding, MADE_message))
            continue;
        said += says(finding, "with 12.0 kB rather than 4.00 kB") ||
                says(finding, "with 24.0 kB rather than 12.0 kB");
    }
    EQ_INT(said, 2, "both of two steps, each with what was moved before it");
    found_show(&found);
    found_forget(&found);
}

/* A change that is too small to be told ends no other. */
static void test_a_little_more(void)
{
    struct found found = found_made(RANKS, ITERATIONS, step_and_a_little, 1);
    const struct finding *step = find_in(&found, FINDING_STEP, MADE_message);
    OK(step && step->iterations[0].first == 100 && step->iterations[0].last == ITERATIONS - 1,
       "a step lasts until the level is another by a fifth");
    OK(step && is_about(step->excess, (ITERATIONS - 100) * 0.00055, 0.15),
       "and all that it costs counts");
    found_show(&found);
    found_forget(&found);
}

/* The level right behind a large step is not known well, and is none of its own. */
static void test_steep(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct found found = found_made(RANKS, 200, steep_messages, seed);
        const struct finding *step = find_in(&found, FINDING_STEP, MADE_message);
        if (!OK(step && is_near(step->iterations[0].first, 100),
                "a step by a hundred times is told, seed %u", (unsigned)seed))
            found_show(&found);
        found_forget(&found);
    }
}

/* Whatever is told of levels that follow each other closely, it is of iterations in order. */
static void test_many_levels(void)
{
    bool good = true;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct found found = found_made(RANKS, ITERATIONS, many_levels, seed);
        for (size_t i = 0; i < found.findings->count; i++) {
            const struct finding *finding = &found.findings->list[i];
            for (size_t r = 0; r < finding->range_count; r++)
                good &= finding->iterations[r].first <= finding->iterations[r].last &&
                        finding->iterations[r].last < ITERATIONS;
        }
        found_forget(&found);
    }
    OK(good, "findings are about iterations that there are");
}

static void test_few_samples(void)
{
    struct found found = found_made(RANKS, ITERATIONS, few_samples, 1);
    found_show(&found);
    EQ_INT(count_in_paths(&found), 0, "four samples that are near each other say nothing");
    found_forget(&found);
    found = found_made(RANKS, ITERATIONS, enough_samples, 1);
    found_show(&found);
    OK(find_in(&found, FINDING_RANGE, MADE_write), "some dozens do");
    found_forget(&found);
}

static void test_counts(void)
{
    struct found found = found_make(RANKS, ITERATIONS, more_bytes, 1);
    for (uint32_t r = 0; r < RANKS; r++) {
        /* Others move as much. */
        struct series *series = found.made->summary.locations[r].series;
        for (size_t c = 0; c < series->cluster_count; c++) {
            struct profile *sums = &series->clusters[c].sums;
            for (size_t i = 0; i < sums->count; i++)
                if (sums->cells[i].node == MADE_solve &&
                    strcmp(found.made->summary.metrics[sums->cells[i].metric].name,
                           "samples") == 0) {
                    sums->cells[i].node = MADE_wait;
                    sums->cells[i].metric = summary_metric(&found.made->summary, "bytes_sent");
                    sums->cells[i].value = 4000 + 3000 * (int64_t)((c * 7) % 3);
                }
        }
    }
    found_in(&found, "bytes");
    found_show(&found);
    const struct finding *finding = find_in(&found, FINDING_STEP, MADE_message);
    OK(finding && is_near(finding->iterations[0].first, 150) &&
           says(finding, " on MPI_Send has 3.0 times as many bytes (12.0 kB rather "
                         "than 4.00 kB)"),
       "bytes of a call path, asked for: %s", finding ? finding->sentence : "nothing");
    found_forget(&found);
}

static void test_json(void)
{
    struct found found = found_made(RANKS, ITERATIONS, longer_messages, 1);
    char *bytes = found_json(&found);
    OK(strstr(bytes, "\"metric\":\"mpi\",") &&
           strstr(bytes, "\"counted\":{\"metric\":\"bytes\",\"value\":20000,\"usual\":4000}"),
       "for scripts");
    free(bytes);
    found_forget(&found);
}

int main(void)
{
    static const struct {
        const char *name;
        made_rule *rule;
    } nothing[] = {
        {"plain", plain},
        {"noisy messages", noisy_messages},
        {"very noisy messages", very_noisy_messages},
        {"other numbers of calls", other_calls},
        {"a function with few samples", rare_samples},
        {"a function with hardly any", very_rare_samples},
        {"messages that are left out sometimes", usual_messages},
        {"uneven computation", noisy_solve},
        {"without processors", scarce},
    };
    for (size_t i = 0; i < sizeof planted / sizeof planted[0]; i++)
        test_planted(&planted[i]);
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        test_nothing(nothing[i].name, nothing[i].rule, "time");
        test_nothing(nothing[i].name, nothing[i].rule, "bytes");
        test_nothing(nothing[i].name, nothing[i].rule, "visits");
    }
    test_waiting("a rank that computes longer", waiting);
    test_waiting("ranks that do in turn", waiting_in_turn);
    test_scarce();
    test_scarce_before();
    test_two_steps();
    test_a_little_more();
    test_steep();
    test_many_levels();
    test_few_samples();
    test_hidden("growing messages", hidden_growth, FINDING_DRIFT,
                "MPI_Send moves more and more in iterations 0-299, at first ");
    test_hidden("larger messages", hidden_step, FINDING_STEP,
                "From iteration 120 on MPI_Send moves 8.00 MB rather than 1.00 MB in an "
                "iteration; ");
    test_not_hidden("messages that are half as large again", hidden_half);
    test_not_hidden("larger messages, with processors", seen_bytes);
    test_counts();
    test_json();
    return tap_done();
}
