/* What delayed those that were waited for, and the critical path. */
#include "replay/script.h"
#include "tap.h"

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

int main(void)
{
    test_who_waits_for_whom();
    test_direct();
    test_indirect();
    test_since_barrier();
    return tap_done();
}
