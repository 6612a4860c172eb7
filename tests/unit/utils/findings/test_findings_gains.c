/* Predicted gains stand beside the findings that are about the same, and beside no others. */
#include "tap.h"
#include "tests/unit/utils/findings/findings_checks.h"

#include <math.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static struct fact facts[] = {
    {"gain.1", "0.5 balance main"},
    {"gain.2", "0.4 balance solve"},
    {"gain.3", "0.3 zero-wait main;step;solve;MPI_Allreduce@1"},
    {"gain.4", "0.2 balance step:7"},
    {"gain.5", "0.1 balance iterations"},
    {"gain.of", "2"},
};

static struct made_iteration even(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank, (void)iteration, (void)random;
    return (struct made_iteration){.solve = 10 * MS, .send = MS};
}

static uint32_t path_of(const struct found *found, const char *region)
{
    uint32_t path = 0;
    while (strcmp(found->tree->paths[path].name, region) != 0)
        path++;
    return path;
}

/* The question that is found for a finding whose cause is METRIC in REGION (NULL: it has none),
 * in the iterations RANGE, on RANK or on none if that is SUMMARY_NONE. */
static const char *question_of(const struct found *found, enum finding_kind kind,
                               const char *metric, const char *region, struct range range,
                               uint32_t rank)
{
    struct gains gains = gains_read(found->tree);
    const struct summary *summary = &found->made->summary;
    const struct finding finding = {
        .kind = kind,
        .phase = 0,
        .metric = summary_metric(summary, "time"),
        .iterations = &range,
        .range_count = 1,
        .ranks = &rank,
        .rank_count = rank != SUMMARY_NONE,
        .cause = {region ? summary_metric(summary, metric) : SUMMARY_NONE,
                  region ? path_of(found, region) : 0, 1}};
    const struct gain *gain = gains_of_finding(&gains, &finding);
    const char *question = gain ? gain->question : "none";
    gains_free(&gains);
    return question;
}

static void test_iterations(const struct found *found)
{
    static const struct {
        enum finding_kind kind;
        const char *metric, *region;
        struct range range;
        uint32_t rank;
        const char *wanted, *why;
    } cases[] = {
        {FINDING_RANGE,
         "computation",
         "solve",
         {3, 9},
         SUMMARY_NONE,
         "balance solve",
         "what has a region for its cause: balancing that, and not what is around the loop"},
        {FINDING_RANGE,
         "computation",
         "write<int>",
         {3, 9},
         SUMMARY_NONE,
         "balance step:7",
         "another cause: an iteration of it"},
        {FINDING_RANGE,
         "computation",
         "write<int>",
         {8, 9},
         SUMMARY_NONE,
         "none",
         "not one that is not of it"},
        {FINDING_SLOW_RANKS,
         "computation",
         "write<int>",
         {8, 9},
         2,
         "balance iterations",
         "ranks that differ: balancing all iterations"},
        {FINDING_RANGE,
         "mpi",
         "MPI_Allreduce",
         {3, 9},
         SUMMARY_NONE,
         "zero-wait main;step;solve;MPI_Allreduce@1",
         "communication: waits of its call path"},
        {FINDING_RANGE,
         "mpi",
         "solve",
         {3, 9},
         1,
         "zero-wait main;step;solve;MPI_Allreduce@1",
         "and of those below it, on the rank that waits"},
        {FINDING_RANGE, "mpi", "solve", {3, 9}, 2, "none", "but on no other one"},
        {FINDING_RANGE,
         "mpi",
         "write<int>",
         {3, 9},
         SUMMARY_NONE,
         "none",
         "and at no other place"},
        {FINDING_STEP, "", NULL, {8, 9}, SUMMARY_NONE, "none", "without a cause there is none"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *question = question_of(found, cases[i].kind, cases[i].metric,
                                           cases[i].region, cases[i].range, cases[i].rank);
        OK(strcmp(question, cases[i].wanted) == 0, "%s: %s", cases[i].why, question);
    }
}

static void test_run(const struct found *found)
{
    struct gains gains = gains_read(found->tree);
    struct run_finding uneven = {.kind = RUN_UNEVEN, .path = path_of(found, "write<int>")},
                       calls = {.kind = RUN_DOMINATING,
                                .path = path_of(found, "MPI_Allreduce")},
                       lack = {.kind = RUN_NO_PROCESSOR, .path = SUMMARY_NONE};
    struct text text = {0};
    const struct gain *gain = gains_of_run_finding(&gains, &uneven);
    OK(gain == &gains.list[0], "uneven computation of the run: also what is around the loop");
    if (gain)
        gain_add_text(gain, &text);
    OK(strcmp(text_string(&text),
              "balance main would gain 500 ms, 25.0 % of what was traced") == 0,
       "it is told with its share: %s", text_string(&text));
    text_free(&text);
    OK(gains_of_run_finding(&gains, &calls) == &gains.list[2], "communication: its waits");
    OK(!gains_of_run_finding(&gains, &lack), "lack of processors: none");
    gains_free(&gains);
}

/* Files that somebody else made may say anything. */
static void test_damaged(struct found *found)
{
    static struct fact damaged[] = {{"gain.1", "0.5 balance main"},
                                    {"gain.2", "much"},
                                    {"gain.3", "0.1 balance solve"},
                                    {"gain.of", "?"}};
    found->made->summary.facts = damaged;
    found->made->summary.fact_count = COUNT(damaged);
    struct gains gains = gains_read(found->tree);
    OK(gains.count == 1 && gains.list[0].share == 0, "they end where one says nothing");
    gains_free(&gains);
    found->made->summary.fact_count = 0;
    gains = gains_read(found->tree);
    EQ_INT(gains.count, 0, "there may be none");
    gains_free(&gains);
}

int main(void)
{
    struct found found = found_make(2, 20, even, 1);
    found.made->summary.facts = facts;
    found.made->summary.fact_count = COUNT(facts);
    found_in(&found, "time");
    test_iterations(&found);
    test_run(&found);
    test_damaged(&found);
    found_forget(&found);
    return tap_done();
}
