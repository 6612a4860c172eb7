/* How long tsprof keeps a thread at once: each stay is counted, by length and by what it did.
 */
#include "iterations/iterations.h"
#include "timeline/timeline.h"

#include "tap.h"
#include "tests/unit/libprof/timed_thread.h"

static uint32_t all_bins(const struct stall_count *count)
{
    uint32_t sum = 0;
    for (unsigned bin = 0; bin < STALL_BINS; bin++)
        sum += count->bins[bin];
    return sum;
}

static void test_bins(void)
{
    static const struct {
        int64_t ns;
        unsigned bin;
    } stays[] = {{STALL_LEAST_NS, 0},
                 {2 * STALL_LEAST_NS - 1, 0},
                 {2 * STALL_LEAST_NS, 1},
                 {INT64_C(50000), 4},
                 {INT64_C(1) << (STALL_FIRST_BIN + STALL_BINS - 1), STALL_BINS - 1},
                 {INT64_MAX, STALL_BINS - 1}};
    for (size_t i = 0; i < sizeof stays / sizeof stays[0]; i++) {
        struct stalls stalls = {.kinds = {{.longest_ns = 0}}};
        stalls_count_async(&stalls, STALL_SAMPLE, stays[i].ns);
        OK(stalls.kinds[STALL_SAMPLE].bins[stays[i].bin] == 1 &&
               all_bins(&stalls.kinds[STALL_SAMPLE]) == 1 &&
               stalls.kinds[STALL_SAMPLE].longest_ns == stays[i].ns,
           "%lld ns are in bin %u", (long long)stays[i].ns, stays[i].bin);
    }
}

static void test_calls(struct thread *thread)
{
    const struct stall_count *calls = &thread->stalls.kinds[STALL_CALL];
    timed_call(thread, CALL_MPI_Barrier, 1000000, STALL_LEAST_NS - 1);
    EQ_INT(all_bins(calls), 0, "a short stay after a long call is no stall");
    timed_call(thread, CALL_MPI_Barrier, 100, 9000);
    EQ_INT(calls->bins[2], 1, "a long one after a short call is");
    EQ_INT(calls->longest_ns, 9000, "without the call itself");
}

static void test_iterations(struct thread *thread)
{
    const struct stall_count *closing = &thread->stalls.kinds[STALL_CLUSTERING];
    timed_begin(thread, "step", true);
    timed_call(thread, CALL_MPI_Barrier, 100, 10);
    timed_end(thread, "step");
    EQ_INT(all_bins(closing), 0, "the clock stood still while the iteration was closed");
    thread_claim_async(thread, 0);
    thread_busy_async(thread, STALL_CLUSTERING);
    thread_busy_async(thread, STALL_CALL);
    timed_pass(5000);
    thread_leave(thread);
    EQ_INT(closing->bins[1], 1, "what counts of several things is the last of the list");
    timed_call(thread, CALL_MPI_Barrier, 100, 5000);
    EQ_INT(all_bins(closing), 1, "and only for that stay");
}

int main(void)
{
    timed_start();
    struct thread *thread = timed_attach();
    test_bins();
    test_calls(thread);
    test_iterations(thread);
    timed_stop(thread);
    return tap_done();
}
