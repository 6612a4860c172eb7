/* See timed_thread.h. */
#include "tests/unit/libprof/timed_thread.h"

#include "life/attach.h"
#include "measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static int64_t now_ns, tick_ns;

/* In place of the C library's: the runtime's clock shows what the test wants. */
int clock_gettime(clockid_t which, struct timespec *time)
{
    if (which != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, which, time);
    const int64_t ns = timed_pass(__atomic_load_n(&tick_ns, __ATOMIC_RELAXED));
    *time = (struct timespec){.tv_sec = ns / SECOND, .tv_nsec = ns % SECOND};
    return 0;
}

int64_t timed_pass(int64_t ns)
{
    return __atomic_add_fetch(&now_ns, ns, __ATOMIC_RELAXED);
}

void timed_tick(int64_t ns)
{
    __atomic_store_n(&tick_ns, ns, __ATOMIC_RELAXED);
}

void timed_start(void)
{
    config_start();
    layouts_start();
    mpi_calls_start();
    recipe_start();
    measurement_clock = (struct clock){.multiplier = UINT64_C(1) << 32};
}

struct thread *timed_attach(void)
{
    const struct follow_place nowhere = follow_place(NULL);
    const struct thread_identity identity = thread_identity();
    struct thread *thread = thread_attach(clock_now_async(), &nowhere, &identity);
    if (!thread) {
        printf("Bail out! no memory for a thread\n");
        exit(1);
    }
    thread_release_async(thread);
    return thread;
}

__attribute__((noinline)) uint32_t timed_call(struct thread *thread, enum mpi_call call,
                                              int64_t mpi_ns, int64_t own_ns)
{
    const uintptr_t *frame = ARCH_FRAME();
    thread_claim_async(thread, (uintptr_t)frame);
    uint64_t begin = measure_begin(thread, call, frame);
    timed_pass(mpi_ns);
    uint64_t end = measure_end(thread);
    timed_pass(own_ns);
    uint32_t leaf = measure_record(thread, call, frame, begin, end);
    thread_leave(thread);
    return leaf;
}

__attribute__((noinline)) void timed_begin(struct thread *thread, const char *name, bool keep)
{
    const uintptr_t *frame = ARCH_FRAME();
    thread_claim_async(thread, (uintptr_t)frame);
    phase_begin(thread, name, keep, unwind_caller(frame), clock_ticks_async());
    thread_leave_marker(thread);
}

__attribute__((noinline)) void timed_end(struct thread *thread, const char *name)
{
    const uintptr_t *frame = ARCH_FRAME();
    thread_claim_async(thread, (uintptr_t)frame);
    phase_end(thread, name, unwind_caller(frame), clock_ticks_async());
    thread_leave_marker(thread);
}

void timed_stop(struct thread *thread)
{
    threads_close();
    thread_stop(thread, clock_now_async());
}

static bool is_time(enum metric metric)
{
    return metric < METRIC_COUNT && metric_table[metric].unit == UNIT_seconds &&
           metric_table[metric].parent != METRIC_none;
}

static int64_t add_up(const struct thread *thread, const struct profile *profile,
                      enum metric wanted)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        const struct node *node = &thread->tree.nodes[profile->touched[i]];
        for (unsigned n = 0; n < layout_table[node->layout].cells; n++) {
            const enum metric metric = profile_metric_async(node, n);
            if (wanted == METRIC_none ? is_time(metric) : metric == wanted)
                sum += profile->values[node->cell + n];
        }
    }
    return sum;
}

int64_t timed_sum(const struct thread *thread, const struct profile *profile,
                  enum metric metric)
{
    return add_up(thread, profile, metric);
}

int64_t timed_times(const struct thread *thread, const struct profile *profile)
{
    return add_up(thread, profile, METRIC_none);
}

int64_t timed_total(const struct thread *thread)
{
    return timed_times(thread, &thread->outside) + timed_times(thread, &thread->closed);
}
