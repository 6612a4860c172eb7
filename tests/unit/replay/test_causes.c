/* What delayed those that were waited for, and the critical path. */
#include "replay/script.h"
#include "tap.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static int64_t any(const struct replay *replay, const char *metric, int process)
{
    return script_value(replay, metric, process, SCRIPT_REGIONS);
}

/* Process 0 works for 300 longer than 1 does, which waits for its message. */
static void test_direct(void)
{
    static const struct script_stay stays[] = {{0, WORK, 0, 400}, {1, WORK, 0, 100}};
    static const struct script_call calls[] = {{0, SEND, 400, 410, 1}, {1, RECV, 100, 420, 0}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 2});
    EQ_INT(script_value(replay, "delay_latesender", 0, WORK), 300,
           "the delay is charged to the work of the sender");
    EQ_INT(any(replay, "delay_latesender", NOBODY), 300, "and to nothing else");
    EQ_INT(any(replay, "wait_direct", 1), 300, "the wait is a direct one");
    EQ_INT(any(replay, "wait_terminal", 1), 300, "that harms nobody else");
    EQ_INT(script_value(replay, "critical_path", 0, WORK) +
               script_value(replay, "critical_path_imbalance", 0, WORK),
           400, "the critical path goes through the work of the sender");
    EQ_INT(script_value(replay, "critical_path_imbalance", 0, WORK), 275,
           "of which some is more than the mean of four");
    EQ_INT(any(replay, "critical_path", NOBODY) +
               any(replay, "critical_path_imbalance", NOBODY),
           1000, "its length is that of the run");
    replay_free(replay);
}

/* 0 delays 1, and 1 therefore 2. */
static void test_indirect(void)
{
    static const struct script_stay stays[] = {
        {0, WORK, 0, 300}, {1, OTHER_WORK, 0, 100}, {2, OTHER_WORK, 0, 100}};
    static const struct script_call calls[] = {{0, SEND, 300, 310, 1},
                                               {1, RECV, 100, 320, 0},
                                               {1, SEND, 320, 330, 2},
                                               {2, RECV, 100, 340, 1}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 3});
    const int64_t direct = any(replay, "delay_latesender", NOBODY);
    const int64_t longterm = any(replay, "delay_latesender_longterm", NOBODY);
    EQ_INT(direct + longterm, 200 + 220, "delays add up to the waits");
    EQ_INT(script_value(replay, "delay_latesender_longterm", 0, WORK), longterm,
           "what was indirect comes down to the first one's work");
    EQ_INT(longterm, 200, "all that process 1 had waited is handed on");
    EQ_INT(any(replay, "wait_propagating", 1), 200, "its wait propagates");
    EQ_INT(any(replay, "wait_indirect", 2), 200, "to process 2");
    EQ_INT(any(replay, "wait_terminal", 2), 220, "which is the last");
    replay_free(replay);
}

/* The receiver goes on first, and both exchange something else before the wait is known. */
static void test_told_late(void)
{
    static const struct script_stay stays[] = {{1, WORK, 0, 300}};
    static const struct script_call calls[] = {{0, SEND, 100, 420, 1}, {1, RECV, 300, 410, 0}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 2});
    EQ_INT(script_value(replay, "delay_latereceiver", 1, WORK), 200,
           "the receiver's work is the cause, though it went on before the sender did");
    replay_free(replay);
    static const struct script_call later[] = {
        {0, SEND, 100, 420, 1},
        {1, IRECV, 300, 310, NOBODY, 5},
        {0, SEND, 430, 440, 1, .between = true},
        {1, RECV, 320, 450, 0, .between = true},
        {1, WAIT, 460, 470, 0, 5},
    };
    replay = script_run(&(struct script){later, COUNT(later), stays, COUNT(stays), 1000, 2});
    EQ_INT(script_value(replay, "delay_latereceiver", 1, WORK), 200,
           "what is exchanged before the receive is complete does not matter");
    replay_free(replay);
}

/* A message that has been there for long when it is received is no point from which both go on:
 * what the late one did before is why its answer is late. */
static void test_no_synchronization(void)
{
    static const struct script_stay stays[] = {{0, WORK, 0, 100}, {1, WORK, 0, 500}};
    static const struct script_call calls[] = {{0, SEND, 100, 110, 1},
                                               {1, RECV, 500, 510, 0},
                                               {1, SEND, 520, 530, 0},
                                               {0, RECV, 110, 540, 1}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 2});
    EQ_INT(any(replay, "delay_latesender", 1), 410, "the wait for the answer is charged");
    OK(script_value(replay, "delay_latesender", 1, WORK) > 390,
       "to what its sender did before it received");
    replay_free(replay);
}

/* After a barrier only what follows it counts. */
static void test_since_barrier(void)
{
    static const struct script_stay stays[] = {
        {0, OTHER_WORK, 0, 200}, {0, WORK, 211, 500}, {1, OTHER_WORK, 0, 100}};
    static const struct script_call calls[] = {
        {0, BARRIER, 200, 210, NOBODY}, {1, BARRIER, 100, 210, NOBODY},
        {2, BARRIER, 200, 210, NOBODY}, {3, BARRIER, 200, 210, NOBODY},
        {0, SEND, 500, 510, 1},         {1, RECV, 210, 520, 0}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 4});
    EQ_INT(script_value(replay, "delay_latesender", 0, OTHER_WORK), 0,
           "what was before the barrier is no cause");
    EQ_INT(script_value(replay, "delay_latesender", 0, WORK), 289, "what was after it is");
    EQ_INT(script_value(replay, "delay_barrier", 0, OTHER_WORK) +
               script_value(replay, "delay_barrier", 2, MAIN) +
               script_value(replay, "delay_barrier", 3, MAIN),
           100, "the barrier has a cause of its own");
    replay_free(replay);
}

/* The two have left the barrier, and wait, before another one has. */
static void test_since_barrier_of_threads(void)
{
    static const struct script_stay stays[] = {{2, WORK, 60, 180}, {2, OTHER_WORK, 180, 600}};
    static const struct script_call calls[] = {{0, BARRIER, 50, 60},   {1, BARRIER, 50, 60},
                                               {2, BARRIER, 50, 60},   {0, BARRIER, 200, 210},
                                               {1, BARRIER, 200, 210}, {3, BARRIER, 200, 210},
                                               {2, SEND, 600, 610, 0}, {0, RECV, 300, 620, 2}};
    struct replay *replay = script_run(&(struct script){.calls = calls,
                                                        .call_count = COUNT(calls),
                                                        .stays = stays,
                                                        .stay_count = COUNT(stays),
                                                        .end = 1000,
                                                        .processes = SCRIPT_PROCESSES,
                                                        .has_threads = true});
    EQ_INT(script_value(replay, "delay_latesender", 2, WORK), 300 * 120 / 540,
           "a barrier that another thread of the process was in synchronizes not this one");
    replay_free(replay);
}

static void test_since_barrier_not_over(void)
{
    static const struct script_stay stays[] = {
        {0, OTHER_WORK, 0, 200}, {0, WORK, 211, 500}, {1, MAIN, 0, 100}};
    static const struct script_call calls[] = {
        {0, BARRIER, 200, 210, NOBODY}, {1, BARRIER, 100, 210, NOBODY},
        {2, BARRIER, 200, 210, NOBODY}, {3, BARRIER, 200, 900, NOBODY},
        {0, SEND, 500, 510, 1},         {1, RECV, 210, 520, 0}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 4});
    EQ_INT(script_value(replay, "delay_latesender", 0, OTHER_WORK), 0,
           "nor if somebody is in it for longer");
    EQ_INT(script_value(replay, "delay_latesender", 0, WORK), 289, "and what was after it is");
    replay_free(replay);
}

/* A message from before an operation of all is received in a call that ends after it. */
static void test_since_the_later(void)
{
    static const struct script_stay stays[] = {{1, WORK, 161, 179}, {1, OTHER_WORK, 201, 499}};
    static const struct script_call calls[] = {{0, IALLREDUCE, 50, 60, NOBODY, 1},
                                               {1, IALLREDUCE, 50, 60, NOBODY, 1},
                                               {2, IALLREDUCE, 50, 60, NOBODY, 1},
                                               {3, IALLREDUCE, 50, 60, NOBODY, 1},
                                               {0, RECV, 100, 300, 1},
                                               {1, SEND, 150, 160, 0},
                                               {0, WAIT_COLLECTIVE, 310, 320, NOBODY, 1},
                                               {1, WAIT_COLLECTIVE, 180, 200, NOBODY, 1},
                                               {2, WAIT_COLLECTIVE, 310, 320, NOBODY, 1},
                                               {3, WAIT_COLLECTIVE, 310, 320, NOBODY, 1},
                                               {0, RECV, 330, 520, 1},
                                               {1, SEND, 500, 510, 0}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 4});
    EQ_INT(script_value(replay, "delay_latesender", 1, WORK), 0,
           "the later of both counts, though the message's call ends after it");
    OK(script_value(replay, "delay_latesender", 1, OTHER_WORK) > 100,
       "what follows is a cause");
    replay_free(replay);
}

/* Epochs in which nobody waits synchronize nobody. */
static void test_since_epoch(void)
{
    static const struct script_stay stays[] = {{0, WORK, 0, 190}, {1, MAIN, 0, 100}};
    static const struct script_call early[] = {
        {1, WIN_POST, 100, 105, 0}, {0, WIN_START, 200, 205, 1}, {0, WIN_COMPLETE, 210, 215, 1},
        {1, WIN_WAIT, 230, 235, 0}, {0, SEND, 400, 410, 1},      {1, RECV, 300, 420, 0}};
    struct replay *replay =
        script_run(&(struct script){early, COUNT(early), stays, COUNT(stays), 1000, 2});
    OK(script_value(replay, "delay_latesender", 0, WORK) > 30,
       "what was before an epoch for which nobody waited is a cause");
    replay_free(replay);
    static const struct script_call late[] = {
        {1, WIN_POST, 100, 105, 0}, {0, WIN_START, 200, 205, 1}, {0, WIN_COMPLETE, 210, 215, 1},
        {1, WIN_WAIT, 110, 235, 0}, {0, SEND, 400, 410, 1},      {1, RECV, 300, 420, 0}};
    replay = script_run(&(struct script){late, COUNT(late), stays, COUNT(stays), 1000, 2});
    EQ_INT(script_value(replay, "delay_latesender", 0, WORK), 0,
           "of one that was waited for, not");
    EQ_INT(any(replay, "delay_latesender", 0), 100, "but the wait has a cause");
    replay_free(replay);
}

/* What late senders were charged to receives in iteration INSTANCE. */
static int64_t delay_of_receives(const struct replay *replay, uint32_t instance)
{
    struct replay_result result;
    int64_t sum = 0;
    replay_result(replay, &result);
    for (size_t i = 0; i < result.path_count; i++) {
        const struct path *path = &result.paths[i];
        if (path->instance != instance || result.nodes[path->node].region != RECV)
            continue;
        for (uint32_t at = path->first_value; at != REPLAY_NONE; at = result.values[at].next)
            if (strcmp(result.metrics[result.values[at].metric].name, "delay_latesender") == 0)
                sum += result.values[at].value;
    }
    return sum;
}

/* 0 waits in its first iteration, for 2, in a receive that takes longer in the second. */
static void test_waits_of_iterations(void)
{
    static const struct script_call calls[] = {{2, SEND, 300, 305, 0},
                                               {0, RECV, 100, 310, 2, .instance = 1},
                                               {2, SEND, 310, 315, 0},
                                               {0, RECV, 320, 500, 2, .instance = 2},
                                               {0, SEND, 500, 510, 1, .instance = 2},
                                               {1, RECV, 0, 520, 0}};
    struct replay *replay = script_run(&(struct script){calls, COUNT(calls), NULL, 0, 1000, 3});
    EQ_INT(delay_of_receives(replay, 0), 10, "waiting is no part of what an iteration did");
    EQ_INT(delay_of_receives(replay, 1), 180, "and is not taken from another iteration");
    replay_free(replay);
}

/* The pair of threads of which WAITER waits; NULL: none. */
static const struct replay_pair *pair_of(const struct replay_result *result, uint32_t waiter)
{
    for (size_t i = 0; i < result->pair_count; i++)
        if (result->pairs[i].thread == waiter)
            return &result->pairs[i];
    return NULL;
}

/* How much of PAIR is, or is not, due to waiting of the other thread. */
static uint64_t due_to(const struct replay_result *result, const struct replay_pair *pair,
                       bool is_indirect)
{
    uint64_t sum = 0;
    for (uint32_t at = pair->first_reason; at != REPLAY_NONE; at = result->reasons[at].next)
        sum += result->reasons[at].is_indirect == is_indirect ? result->reasons[at].ns : 0;
    return sum;
}

/* 0 delays 1 twice, and 1 therefore 2. */
static void test_who_waits_for_whom(void)
{
    static const struct script_stay stays[] = {
        {0, WORK, 0, 300}, {1, OTHER_WORK, 0, 100}, {2, OTHER_WORK, 0, 100}};
    static const struct script_call calls[] = {{0, SEND, 300, 310, 1}, {0, SEND, 360, 370, 1},
                                               {1, RECV, 100, 320, 0}, {1, SEND, 320, 330, 2},
                                               {1, RECV, 330, 380, 0}, {2, RECV, 100, 340, 1}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 3});
    struct replay_result result;
    replay_result(replay, &result);
    const struct replay_pair *first = pair_of(&result, 1), *second = pair_of(&result, 2);
    OK(first && second && !pair_of(&result, 0), "process 0 waits for nobody");
    if (first && second) {
        EQ_INT(first->cause_thread, 0, "1 waits for 0");
        EQ_INT(first->count, 2, "twice");
        EQ_INT(first->ns, 200 + 30, "for so long in all");
        EQ_INT(first->longest_ns, 200, "and the longest is the longest");
        EQ_INT(due_to(&result, first, false), first->ns, "all because of what 0 did");
        EQ_INT(second->cause_thread, 1, "2 waits for 1");
        EQ_INT(due_to(&result, second, true), 200, "which had waited itself");
        EQ_INT(due_to(&result, second, false), second->ns - 200, "and did something as well");
    }
    replay_free(replay);
}

/* 0 works for 400 and 1 for 100 on the same, and 1 waits for 300: 1000 of each are charged. */
static void test_impact(void)
{
    static const struct script_stay stays[] = {{0, WORK, 0, 400}, {1, WORK, 0, 100}};
    static const struct script_call calls[] = {{0, SEND, 400, 410, 1}, {1, RECV, 100, 420, 0}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 2});
    EQ_INT(script_value(replay, "critical_path_activities", 0, WORK), 400,
           "impact: the time on the critical path");
    EQ_INT(script_value(replay, "critical_path_activities", 1, WORK), 100,
           "impact: the same activity elsewhere");
    EQ_INT(script_value(replay, "non_critical_path_activities", 1, RECV), 20,
           "impact: what the critical path has nothing of");
    EQ_INT(any(replay, "non_critical_path_activities", 0), 0, "impact: and all that it has");
    /* Process 1 lacks 300 of the work, 10 of the send and 10 of the rest: 281.25, and what was
     * rounded off the rest. */
    EQ_INT(script_value(replay, "intra_partition_imbalance", 0, WORK), 282,
           "impact: waiting is charged to what the waiting process has less of");
    EQ_INT(any(replay, "intra_partition_imbalance", NOBODY), 300, "impact: all of it");
    EQ_INT(any(replay, "inter_partition_imbalance", NOBODY), 0,
           "impact: both have the same activities");
    EQ_INT(any(replay, "critical_path_activities", NOBODY) +
               any(replay, "non_critical_path_activities", NOBODY) +
               any(replay, "intra_partition_imbalance", NOBODY),
           2000, "impact: it is the time of all");
    replay_free(replay);
}

/* The same, but each works on something that the other has not. */
static void test_impact_of_partitions(void)
{
    static const struct script_stay stays[] = {{0, WORK, 0, 400}, {1, OTHER_WORK, 0, 100}};
    static const struct script_call calls[] = {{0, SEND, 400, 410, 1}, {1, RECV, 100, 420, 0}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 2});
    EQ_INT(script_value(replay, "non_critical_path_activities", 1, OTHER_WORK), 100,
           "partitions: the work of the other is not on the critical path");
    /* Of the 300, all but 10 that it lacks of main, in 410 that it has no part in. */
    EQ_INT(any(replay, "inter_partition_imbalance", NOBODY), 290,
           "partitions: waiting for those that do something else");
    EQ_INT(script_value(replay, "inter_partition_imbalance", 0, WORK), 283,
           "partitions: charged to their work");
    EQ_INT(any(replay, "intra_partition_imbalance", NOBODY), 10, "partitions: the rest");
    replay_free(replay);
}

/* Nobody waits. */
static void test_impact_of_balance(void)
{
    static const struct script_stay stays[] = {{0, WORK, 0, 400}, {1, WORK, 0, 400}};
    static const struct script_call calls[] = {{0, SEND, 400, 410, 1}, {1, RECV, 400, 420, 0}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 2});
    EQ_INT(script_value(replay, "critical_path_activities", NOBODY, WORK), 800,
           "balance: all of the work counts");
    EQ_INT(any(replay, "intra_partition_imbalance", NOBODY) +
               any(replay, "inter_partition_imbalance", NOBODY),
           0, "balance: no waiting is charged");
    replay_free(replay);
}

/* Iterations are apart: the second has no imbalance, and what the first has is not in it. */
static void test_impact_of_iterations(void)
{
    static const struct script_call calls[] = {{0, SEND, 400, 410, 1, .instance = 1},
                                               {1, RECV, 100, 410, 0, .instance = 1},
                                               {0, SEND, 600, 610, 1, .instance = 2},
                                               {1, RECV, 600, 610, 0, .instance = 2}};
    struct replay *replay = script_run(&(struct script){calls, COUNT(calls), NULL, 0, 1000, 2});
    EQ_INT(any(replay, "intra_partition_imbalance", NOBODY) +
               any(replay, "inter_partition_imbalance", NOBODY),
           300, "iterations: all waiting is charged");
    EQ_INT(any(replay, "critical_path_activities", NOBODY) +
               any(replay, "non_critical_path_activities", NOBODY),
           1700, "iterations: and the rest is the time of activities");
    replay_free(replay);
}

/* Who leaves a barrier later than the others is late by that, though all do the same after it.
 */
static void test_late_out(void)
{
    static const struct script_stay stays[] = {{0, WORK, 301, 501}, {1, WORK, 211, 411}};
    static const struct script_call calls[] = {
        {0, BARRIER, 200, 300, NOBODY}, {1, BARRIER, 200, 210, NOBODY},
        {2, BARRIER, 200, 210, NOBODY}, {3, BARRIER, 200, 210, NOBODY},
        {0, SEND, 502, 510, 1},         {1, RECV, 412, 520, 0}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 4});
    EQ_INT(script_value(replay, "delay_latesender", 0, BARRIER), 90,
           "leaving late is the delay");
    EQ_INT(any(replay, "delay_latesender", NOBODY), 90, "and nothing else is");
    replay_free(replay);
}

/* Likewise of a message that one had to wait for: both go on when the first has left. */
static void test_late_out_of_message(void)
{
    static const struct script_stay stays[] = {{0, WORK, 301, 501}, {1, WORK, 221, 421}};
    static const struct script_call calls[] = {{0, SEND, 200, 300, 1},
                                               {1, RECV, 100, 220, 0},
                                               {0, SEND, 502, 510, 1},
                                               {1, RECV, 422, 520, 0}};
    struct replay *replay =
        script_run(&(struct script){calls, COUNT(calls), stays, COUNT(stays), 1000, 2});
    EQ_INT(script_value(replay, "delay_latesender", 0, SEND), 80,
           "so is leaving a send after the receiver has gone on");
    replay_free(replay);
}

int main(void)
{
    test_who_waits_for_whom();
    test_direct();
    test_indirect();
    test_told_late();
    test_no_synchronization();
    test_since_barrier();
    test_since_barrier_not_over();
    test_since_barrier_of_threads();
    test_since_the_later();
    test_since_epoch();
    test_waits_of_iterations();
    test_late_out();
    test_late_out_of_message();
    test_impact();
    test_impact_of_partitions();
    test_impact_of_balance();
    test_impact_of_iterations();
    return tap_done();
}
