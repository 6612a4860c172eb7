/* Time without a processor is found where others take it, and given to instances exactly once.
 */
#include "timeline/preemption.h"

#include "iterations/instance.h"
#include "timeline/timeline.h"

#include "tap.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { RIVALS = 3, NOBODY = 1 << 27 /* no system numbers its threads so high */ };

static atomic_bool over;

static int64_t wall_ns(void)
{
    return clock_monotonic_ns_async();
}

static void compute(void)
{
    for (volatile int i = 0; i < 20000; i++)
        continue;
}

static void *compete(void *argument)
{
    while (!over)
        compute();
    return argument;
}

/* Works until WALL has passed on the clock and WORKED of the processor's time. */
static void work(int64_t wall, int64_t worked)
{
    const int64_t begin = wall_ns(), used = processor_used_ns_async(gettid());
    while (wall_ns() - begin < wall || processor_used_ns_async(gettid()) - used < worked)
        compute();
}

/* Puts the calling thread, and those it creates, on the processor it is on; false if it cannot.
 */
static bool stay_here(void)
{
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    return sched_setaffinity(0, sizeof here, &here) == 0;
}

/* What is known of a thread that sleeps, and of one that shares its processor with three. */
static void test_processor(void)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    const int self = gettid();
    int64_t waited = processor_waited_ns_async(self);
    if (waited < 0) {
        printf("ok %u - processor # SKIP the system tells no delays\n", ++tap_run);
        return;
    }
    int64_t used = processor_used_ns_async(self), sleeps = processor_sleeps_async();
    const int64_t begin = wall_ns();
    nanosleep(&pause, NULL);
    OK(processor_used_ns_async(self) - used <= wall_ns() - begin - 40000000,
       "a thread that sleeps uses no processor");
    OK(processor_waited_ns_async(self) - waited <= wall_ns() - begin - 40000000,
       "nor does it wait for one");
    OK(processor_sleeps_async() > sleeps, "but it has slept");
    OK(processor_waited_ns_async(NOBODY) == -1 && processor_used_ns_async(NOBODY) == 0,
       "of a thread that is not there nothing is known");
}

static int64_t preempted_in(const struct thread *thread, const struct profile *profile)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        const struct node *node = &thread->tree.nodes[profile->touched[i]];
        for (unsigned n = 0; n < layout_table[node->layout].cells; n++)
            if (profile_metric_async(node, n) == METRIC_preempted)
                sum += profile->values[node->cell + n];
    }
    return sum;
}

static void test_shares(void)
{
    EQ_INT(preemption_share_async(90, 1000, 1300, 1100), 30, "in proportion to time");
    EQ_INT(preemption_share_async(90, 1000, 1300, 1300), 90, "all of it up to the end");
    EQ_INT(preemption_share_async(90, 1000, 1300, 9999), 90, "and beyond");
    EQ_INT(preemption_share_async(90, 1000, 1300, 1000), 0, "nothing in no time");
    EQ_INT(preemption_share_async(90, 1000, 1010, 1050), 50, "never more than the time itself");
    EQ_INT(preemption_share_async(INT64_C(1) << 60, 0, INT64_C(1) << 61, INT64_C(1) << 60),
           INT64_C(1) << 59, "of large numbers");
}

/* Borders that lie before the system was asked: each instance has its part, nothing is lost. */
static void test_late_borders(struct thread *thread)
{
    struct preemption *preemption = &thread->preemption;
    const int64_t before = preempted_in(thread, &thread->outside), now = clock_now_async();
    *preemption = (struct preemption){
        .until_ns = now, .given_ns = now - 1000000, .pending_ns = 10001, .waited_ns = -1};
    for (int i = 1; i <= 7; i++)
        preemption_give_async(thread, now - 1000000 + i * 142857);
    const int64_t most = preempted_in(thread, &thread->outside) - before;
    OK(most >= 9990 && most <= 10001, "nearly all is given before the last nanosecond (%lld)",
       (long long)most);
    preemption_give_async(thread, now);
    EQ_INT(preempted_in(thread, &thread->outside) - before, 10001, "and all in the end");
    preemption_give_async(thread, now);
    preemption_give_async(thread, now - 500);
    EQ_INT(preempted_in(thread, &thread->outside) - before, 10001, "once");
}

static int64_t work_and_look(struct thread *thread, int64_t wall, int64_t worked)
{
    const int64_t before = thread->preemption.total_ns;
    preemption_begin_async(thread, clock_now_async());
    work(wall, worked);
    preemption_look_async(thread);
    return thread->preemption.total_ns - before;
}

/* The figure is at most what the thread lacks, and with rivals on its processor it is much. */
static void test_rivals(struct thread *thread)
{
    pthread_t rivals[RIVALS];
    if (!stay_here()) {
        printf("ok %u - rivals # SKIP threads cannot be put on one processor\n", ++tap_run);
        return;
    }
    for (int i = 0; i < RIVALS; i++)
        NEED(pthread_create(&rivals[i], NULL, compete, NULL) == 0);
    const int64_t begin = wall_ns(), used = processor_used_ns_async(gettid());
    const int64_t found = work_and_look(thread, 100000000, 40000000);
    const int64_t lacked = wall_ns() - begin - (processor_used_ns_async(gettid()) - used);
    over = true;
    for (int i = 0; i < RIVALS; i++)
        pthread_join(rivals[i], NULL);
    OK(found > 10000000, "a thread that takes turns with others was preempted (%lld us)",
       (long long)found / 1000);
    OK(found <= lacked, "by no more than it lacks (%lld us)", (long long)lacked / 1000);
}

/* Without figures of the system's, what a thread lacks counts unless it slept. */
static void test_without_figures(struct thread *thread)
{
    const struct timespec pause = {.tv_nsec = 30000000};
    struct preemption *preemption = &thread->preemption;
    thread_self = thread;
    preemption_begin_async(thread, clock_now_async());
    preemption->waited_ns = -1;
    preemption->total_ns = 0;
    preemption->until_ns -= 5000000;
    preemption_look_async(thread);
    OK(preemption->total_ns >= 4900000, "time that a thread lacks though it never slept");
    preemption->total_ns = 0;
    nanosleep(&pause, NULL);
    preemption_look_async(thread);
    EQ_INT(preemption->total_ns, 0, "it may have slept all the time");
    thread_self = NULL;
}

/*
 * What the system's figure does not explain counts as well if the thread never slept: the host
 * of a virtual machine has run something else.
 */
static void test_taken_by_host(struct thread *thread)
{
    const struct timespec pause = {.tv_nsec = 30000000};
    struct preemption *preemption = &thread->preemption;
    thread_self = thread;
    preemption_begin_async(thread, clock_now_async());
    preemption->total_ns = 0;
    preemption->until_ns -= 5000000;
    preemption_look_async(thread);
    OK(preemption->total_ns >= 4900000, "time that nobody in the system had instead (%lld us)",
       (long long)preemption->total_ns / 1000);
    if (preemption->waited_ns < 0) {
        printf("ok %u - asleep # SKIP the system tells no delays\n", ++tap_run);
    } else {
        const int64_t begin = wall_ns();
        preemption->total_ns = 0;
        nanosleep(&pause, NULL);
        preemption_look_async(thread);
        OK(preemption->total_ns <= wall_ns() - begin - 28000000, "but not while it sleeps");
    }
    thread_self = NULL;
}

/* What the system tells too early is found when the time without a processor is. */
static void test_told_early(struct thread *thread)
{
    struct preemption *preemption = &thread->preemption;
    preemption_begin_async(thread, clock_now_async());
    if (preemption->waited_ns < 0) {
        printf("ok %u - told early # SKIP the system tells no delays\n", ++tap_run);
        return;
    }
    preemption->total_ns = 0;
    preemption->waited_ns -= 5000000;
    preemption_look_async(thread);
    preemption->until_ns -= 5000000;
    preemption_look_async(thread);
    OK(preemption->total_ns >= 4900000, "what was told before it was missed (%lld us)",
       (long long)preemption->total_ns / 1000);
}

int main(void)
{
    config_start();
    clock_start();
    clock_calibrate();
    layouts_start();
    static struct thread thread;
    thread.os_id = gettid();
    budget_set(1 << 20, 1 << 20);
    NEED(arena_create_async(&thread.arena, 1 << 20) == 0);
    NEED(cct_create(&thread.tree, &thread.arena, 64));
    NEED(profile_create_async(&thread.outside, &thread.tree, &thread.arena));
    NEED(instance_open_program(&thread));
    test_processor();
    test_shares();
    test_late_borders(&thread);
    test_rivals(&thread);
    test_without_figures(&thread);
    test_taken_by_host(&thread);
    test_told_early(&thread);
    return tap_done();
}
