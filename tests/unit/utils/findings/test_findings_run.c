/* What is said of whole runs: what could be gained, where, and in which order. */
#include "findings/findings_overhead.h"
#include "tap.h"
#include "tests/unit/utils/findings/findings_checks.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 200 };

/* All iterations: nothing is made around them. */
static struct scope scope_of(const struct found *found)
{
    return (struct scope){.selection = &found->selection,
                          .phase = 0,
                          .iterations = {0, ITERATIONS - 1},
                          .count = ITERATIONS,
                          .divisor = 1};
}

static struct run_findings find(struct found *found, uint32_t ranks, made_rule *rule)
{
    *found = found_made(ranks, ITERATIONS, rule, 1);
    const struct scope scope = scope_of(found);
    const struct thresholds thresholds = thresholds_default();
    const struct run_findings run = run_findings_find(&scope, found->tree, &thresholds);
    for (size_t i = 0; i < run.count; i++)
        printf("# %s\n", run.list[i].sentence);
    return run;
}

static void forget(struct found *found, struct run_findings *run)
{
    run_findings_free(run);
    found_forget(found);
}

static struct efficiency efficiency(const struct found *found)
{
    const struct scope scope = scope_of(found);
    struct efficiency efficiency;
    OK(efficiency_of(&scope, found->tree, &efficiency), "its efficiency is known");
    return efficiency;
}

static struct made_iteration even(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    (void)iteration;
    (void)random;
    return (struct made_iteration){.solve = 10 * MS};
}

static struct made_iteration one_longer(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = even(rank, iteration, random);
    made.solve *= rank == 2 ? 2 : 1;
    return made;
}

static struct made_iteration by_turns(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = even(rank, iteration, random);
    made.solve *= rank == iteration % 4 ? 2 : 1;
    return made;
}

static struct made_iteration talkative(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = one_longer(rank, iteration, random);
    made.send = 60 * MS;
    return made;
}

static void test_nothing(void)
{
    struct found found;
    struct run_findings run = find(&found, 4, even);
    EQ_INT(run.count, 0, "where all ranks compute all the time nothing stands out");
    const struct efficiency of = efficiency(&found);
    OK(fabsl(of.parallel - 1) < 0.01L && fabsl(of.balance - 1) < 0.01L, "all are efficient");
    OK(fabsl(of.processor - 1) < 1e-9L, "and had a processor all the time");
    forget(&found, &run);
}

static void test_uneven(void)
{
    struct found found;
    struct run_findings run = find(&found, 4, one_longer);
    EQ_INT(run.count, 1, "a rank that computes longer");
    if (run.count == 1) {
        const struct run_finding *finding = &run.list[0];
        EQ_INT(finding->kind, RUN_UNEVEN, "is uneven computation");
        OK(fabs(finding->gain - ITERATIONS * 0.0075) < 0.02,
           "by what it has more than the mean: %g", finding->gain);
        OK(strstr(finding->sentence,
                  "if all ranks had the same. Rank 2 computes for 4 s rather "
                  "than the mean, 2.50 s"),
           "which rank");
        OK(strstr(finding->sentence, "more in solve"), "and where");
    }
    const struct efficiency of = efficiency(&found);
    OK(fabsl(of.balance - 0.625L) < 0.01L && fabsl(of.communication - 1) < 0.01L &&
           of.most_rank == 2,
       "so it is load balance that is low");
    forget(&found, &run);
}

static void test_by_turns(void)
{
    struct found found;
    struct run_findings run = find(&found, 4, by_turns);
    EQ_INT(run.count, 1, "ranks that compute longer one after another");
    if (run.count == 1) {
        OK(run.list[0].kind == RUN_UNEVEN &&
               fabs(run.list[0].gain - ITERATIONS * 0.0075) < 0.02,
           "are as uneven, though their sums are equal: %g", run.list[0].gain);
        OK(strstr(run.list[0].sentence, "in each iteration. Different ranks have most"),
           "which is said");
    }
    OK(fabsl(efficiency(&found).balance - 1) < 0.01L, "the load balance of sums is high");
    forget(&found, &run);
}

static void test_communication(void)
{
    struct found found;
    struct run_findings run = find(&found, 4, talkative);
    EQ_INT(run.count, 2, "communication and uneven computation");
    if (run.count == 2) {
        EQ_INT(run.list[0].kind, RUN_COMMUNICATION, "what could gain most comes first");
        EQ_INT(run.list[1].kind, RUN_UNEVEN, "the other then");
        OK(fabs(run.list[0].gain - ITERATIONS * 0.06) < 0.2,
           "waiting for others is not in it: %g", run.list[0].gain);
    }
    forget(&found, &run);
}

static struct made_iteration second_longer(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = even(rank, iteration, random);
    made.solve *= rank == 1 ? 2 : 1;
    return made;
}

/* Two ranks of two threads each, the second of which computes longer on one of them. */
static void test_threads(void)
{
    struct found found = found_made(4, ITERATIONS, second_longer, 1);
    struct rank_group ranks[] = {{.rank = 0, .first = 0, .count = 2},
                                 {.rank = 1, .first = 2, .count = 2}};
    struct selection selection = found.selection;
    selection.ranks = ranks;
    selection.rank_count = 2;
    struct scope scope = scope_of(&found);
    scope.selection = &selection;
    const struct thresholds thresholds = thresholds_default();
    struct run_findings run = run_findings_find(&scope, found.tree, &thresholds);
    bool uneven = false;
    for (size_t i = 0; i < run.count; i++)
        uneven = uneven || run.list[i].kind == RUN_UNEVEN;
    OK(!uneven, "what other threads compute is nothing that ranks could gain");
    forget(&found, &run);
}

/* Each rank has had no processor for a quarter of the time. */
static struct made_iteration lacking(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = even(rank, iteration, random);
    made.preempted = made.solve / 4;
    return made;
}

/* The same of first threads; second ones do nothing. */
static struct made_iteration helpers_sleep(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    return rank % 2 ? (struct made_iteration){0} : lacking(rank, iteration, random);
}

/* Puts four ranks on a host of eight processors, each where its bits of ON say. */
static void bind(struct found *found, const uint64_t on[4])
{
    static struct fact eight = {"processors", "8"};
    static struct host_entry host = {"node", &eight, 1};
    static struct cost_fact facts[4];
    struct summary *summary = &found->made->summary;
    summary->hosts = &host;
    summary->host_count = 1;
    for (uint32_t r = 0; r < 4; r++) {
        facts[r] = (struct cost_fact){"processors.0", on[r]};
        summary->locations[r].host = 0;
        summary->locations[r].costs = &facts[r];
        summary->locations[r].cost_count = 1;
    }
}

/* Where ranks may run that all lack processors, and how the first sentence begins. */
static void test_bound(void)
{
    static const struct {
        uint64_t on[4];
        const char *begins, *what;
    } cases[] = {
        {{1, 1, 1, 1}, "Ranks 0-3 are bound to the same processor: ", "all on one"},
        {{3, 3, 3, 3}, "Ranks 0-3 are bound to the same 2 processors: ", "all on two"},
        {{1, 1, 4, 4},
         "Ranks 0-1 are bound to the same processor, ranks 2-3 are bound to the same "
         "processor: ",
         "two each"},
        {{1, 255, 1, 2}, "Ranks 0,2 are bound to the same processor: ", "two of four"},
        {{1, 3, 2, 240}, "Ranks 0-2 are bound to 2 processors that overlap: ", "in a chain"},
        {{1, 2, 4, 8}, "Ranks were ready to run ", "apart"},
        {{15, 15, 15, 15}, "Ranks were ready to run ", "one for each"},
        {{255, 255, 255, 255}, "Ranks were ready to run ", "anywhere"},
        {{0, 0, 0, 0}, "Ranks were ready to run ", "it is not known"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct found found = found_made(4, ITERATIONS, lacking, 1);
        bind(&found, cases[i].on);
        const struct scope scope = scope_of(&found);
        const struct thresholds thresholds = thresholds_default();
        struct run_findings run = run_findings_find(&scope, found.tree, &thresholds);
        const char *said = run.count > 0 ? run.list[0].sentence : "nothing";
        OK(strncmp(said, cases[i].begins, strlen(cases[i].begins)) == 0, "%s: %s",
           cases[i].what, said);
        OK(strstr(said, "had no processor for 25.0 %"), "and for how long");
        forget(&found, &run);
    }
}

/* Two ranks of two threads, each rank on a processor of its own; the second threads had a
 * sample for so many of the first. */
static void bind_threads(struct found *found, struct rank_group ranks[2], uint64_t samples)
{
    static const uint64_t on[] = {1, 1, 4, 4};
    static struct cost_fact facts[4][3];
    bind(found, on);
    for (uint32_t i = 0; i < 4; i++) {
        facts[i][0] = (struct cost_fact){"processors.0", on[i]};
        facts[i][1] = (struct cost_fact){"samples", i % 2 ? samples : 200};
        facts[i][2] = (struct cost_fact){"sample_period_ns", 10000000};
        found->made->summary.locations[i].costs = facts[i];
        found->made->summary.locations[i].cost_count = 3;
    }
    ranks[0] = (struct rank_group){.rank = 0, .first = 0, .count = 2};
    ranks[1] = (struct rank_group){.rank = 1, .first = 2, .count = 2};
}

/* A helper thread that sleeps takes no processor away, one that computes does. */
static void test_bound_threads(void)
{
    static const struct {
        made_rule *rule;
        uint64_t samples;
        const char *begins;
    } cases[] = {
        {lacking, 150, "The 2 threads of rank 0 are bound to the same processor, "},
        {helpers_sleep, 2, "Ranks were ready to run "},
        {helpers_sleep, 0, "Ranks were ready to run "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct found found = found_made(4, ITERATIONS, cases[i].rule, 1);
        struct rank_group ranks[2], *const all = found.selection.ranks;
        bind_threads(&found, ranks, cases[i].samples);
        found.selection.ranks = ranks;
        found.selection.rank_count = 2;
        const struct scope scope = scope_of(&found);
        const struct thresholds thresholds = thresholds_default();
        struct run_findings run = run_findings_find(&scope, found.tree, &thresholds);
        const char *said = run.count > 0 ? run.list[0].sentence : "nothing";
        OK(strncmp(said, cases[i].begins, strlen(cases[i].begins)) == 0,
           "second threads with %d samples: %s", (int)cases[i].samples, said);
        found.selection.ranks = all;
        found.selection.rank_count = 4;
        forget(&found, &run);
    }
}

/* Rank 2 computes for twice as long, rank 1 takes longer since it has no processor. */
static struct made_iteration one_longer_one_lacking(uint32_t rank, uint64_t iteration,
                                                    uint64_t *random)
{
    struct made_iteration made = one_longer(rank, iteration, random);
    if (rank == 1)
        made.solve += made.preempted = 15 * MS;
    return made;
}

static void test_longest_is_not_preempted(void)
{
    struct found found;
    struct run_findings run = find(&found, 4, one_longer_one_lacking);
    const struct run_finding *uneven = NULL;
    for (size_t i = 0; i < run.count; i++)
        uneven = run.list[i].kind == RUN_UNEVEN ? &run.list[i] : uneven;
    OK(uneven && uneven->rank == 2, "the rank that computes longest is the one that has more "
                                    "to do, not the one without a processor");
    OK(uneven && strstr(uneven->sentence, " Rank 2 computes for 4 s rather than the mean, "
                                          "2.50 s, time without a processor not counted: "),
       "for so long: %s", uneven ? uneven->sentence : "");
    forget(&found, &run);
}

/* Each of so many ranks has no processor for MS milliseconds of ten, one after the other. */
static uint32_t lacking_ranks;
static double lacked_ms;

static struct made_iteration lack_by_turns(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = even(rank, iteration, random);
    if (rank % 8 == iteration % 8) {
        made.preempted = 8 * lacked_ms * MS;
        made.solve += made.preempted;
    }
    return made;
}

/* The same, and rank 2 has two fifths more to do. */
static struct made_iteration one_longer_of_many(uint32_t rank, uint64_t iteration,
                                                uint64_t *random)
{
    struct made_iteration made = lack_by_turns(rank, iteration, random);
    made.solve += rank == 2 ? 4 * MS : 0;
    return made;
}

static bool is_uneven(made_rule *rule, bool on_any)
{
    struct found found;
    struct run_findings run = find(&found, lacking_ranks, rule);
    bool uneven = false;
    for (size_t i = 0; i < run.count; i++)
        uneven =
            uneven || (run.list[i].kind == RUN_UNEVEN && (on_any || run.list[i].rank == 2));
    forget(&found, &run);
    return uneven;
}

/* However many ranks there are: what each lacks does not add up over them. */
static void test_little_lack_of_many_ranks(void)
{
    static const struct {
        uint32_t ranks;
        double ms;
    } cases[] = {{4, 0.4}, {64, 0.1}, {512, 0.01}, {16, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lacking_ranks = cases[i].ranks;
        lacked_ms = cases[i].ms;
        OK(is_uneven(one_longer_of_many, false), "%u ranks that lack %g %%: one has more to do",
           lacking_ranks, 10 * lacked_ms);
        OK(!is_uneven(lack_by_turns, true), "and it is not said if none has");
    }
}

/* Of runs of 10 s: seconds of overhead, the share of the time with a processor, and what is
 * said of tsprof itself. */
static void test_overhead(void)
{
    static const struct {
        double overhead, processor;
        const char *said;
    } cases[] = {
        {0.4, 1, NULL},
        {2, 1, "tsprof itself takes 2 s of 10 s, 20.0 %"},
        {2, -1, "tsprof itself takes 2 s of 10 s, 20.0 %"},
        {2, 0.97, "tsprof itself takes 2 s of 10 s, 20.0 %"},
        {3, 0.9, "tsprof itself takes at least 2.00 s of 10 s, 20.0 %"},
        {2.7, 0.33, NULL}, /* any of it may be lack of processors */
    };
    struct found found = found_made(4, ITERATIONS, even, 1);
    const struct scope scope = scope_of(&found);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_findings run = {.count = 0};
        const struct efficiency of = {
            .time = 10, .overhead = cases[i].overhead, .processor = cases[i].processor};
        overhead_find(&scope, &of, &run);
        const char *said = run.count ? run.list[0].sentence : NULL;
        OK(!said == !cases[i].said && (!said || strstr(said, cases[i].said)),
           "%g s of overhead, a processor for %g: %s", cases[i].overhead, cases[i].processor,
           said ? said : "nothing");
        run_findings_free(&run);
    }
    found_forget(&found);
}

int main(void)
{
    test_overhead();
    test_little_lack_of_many_ranks();
    test_bound();
    test_bound_threads();
    test_longest_is_not_preempted();
    test_nothing();
    test_uneven();
    test_by_turns();
    test_communication();
    test_threads();
    return tap_done();
}
