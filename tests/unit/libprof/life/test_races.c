/*
 * Threads that measure at the same time, under ThreadSanitizer: one leads through iterations,
 * others follow, come and go, and mark phases of their own.
 */
#include "calls/mpi_calls.h"
#include "host/clock.h"
#include "host/config.h"
#include "iterations/iteration.h"
#include "iterations/phase.h"
#include "life/attach.h"
#include "measure/measure.h"
#include "timeline/borders.h"
#include "unwind/caller.h"
#include "unwind/recipe.h"

#include "tap.h"

#include <pthread.h>
#include <stdlib.h>

enum { CREWS = 3, LIVES = 60, ITERATIONS = 3000, CALLS = 300 };

static int following;

/* What a wrapper does, without MPI. */
__attribute__((noinline)) static void call(struct thread *thread)
{
    const uintptr_t *frame = ARCH_FRAME();
    thread->depth = DEPTH_TSPROF;
    uint64_t begin = measure_begin(thread, CALL_MPI_Comm_size, frame),
             end = measure_end(thread);
    measure_record(thread, CALL_MPI_Comm_size, frame, begin, end);
    thread_leave(thread);
}

__attribute__((noinline)) static void mark(struct thread *thread, const char *name, bool begins,
                                           bool keep)
{
    struct registers caller = unwind_caller(ARCH_FRAME());
    thread->depth = DEPTH_TSPROF;
    if (begins)
        phase_begin(thread, name, keep, caller, clock_ticks_async());
    else
        phase_end(thread, name, caller, clock_ticks_async());
    thread->depth = DEPTH_PROGRAM;
}

static struct thread *attach(void)
{
    const struct follow_place nowhere = follow_place(NULL);
    const struct thread_identity identity = thread_identity();
    struct thread *thread = thread_attach(clock_now_async(), &nowhere, &identity);
    if (thread)
        thread->depth = DEPTH_PROGRAM;
    return thread;
}

/* One of many short lives; the context is put to rest by the thread's end. */
static void *live(void *argument)
{
    struct thread *thread = attach();
    if (!thread)
        return argument;
    for (int i = 0; i < CALLS; i++) {
        call(thread);
        if (i % 50 == 0)
            mark(thread, "own", true, false);
        if (i % 50 == 25)
            mark(thread, "own", false, false);
    }
    __atomic_fetch_add(&following, 1, __ATOMIC_RELAXED);
    return argument;
}

static void *crew(void *argument)
{
    for (int i = 0; i < LIVES; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, live, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return argument;
}

static int64_t visits(const struct thread *thread)
{
    int64_t sum = 0;
    const struct profile *profiles[] = {&thread->outside, &thread->closed};
    for (uint32_t node = 0; node < thread->tree.node_count; node++)
        for (int i = 0; i < 2; i++)
            if (thread->tree.nodes[node].kind == NODE_MPI &&
                profile_has_async(profiles[i], node))
                sum += profiles[i]->values[thread->tree.nodes[node].cell];
    return sum;
}

int main(void)
{
    pthread_t crews[CREWS];
    config_start();
    layouts_start();
    mpi_calls_start();
    recipe_start();
    clock_start();
    clock_calibrate();
    struct thread *leader = attach();
    for (int i = 0; i < CREWS; i++)
        pthread_create(&crews[i], NULL, crew, NULL);
    for (int i = 0; i < ITERATIONS; i++) {
        mark(leader, "timestep", true, true);
        call(leader);
        mark(leader, "timestep", false, true);
    }
    for (int i = 0; i < CREWS; i++)
        pthread_join(crews[i], NULL);
    threads_close();
    int64_t now = clock_now_async(), counted = 0, contexts = 0;
    for (struct thread *each = thread_newest; each; each = each->next) {
        thread_stop(each, now);
        counted += visits(each);
        contexts++;
    }
    EQ_INT(following, CREWS * LIVES, "all lives were measured");
    EQ_INT(counted, (int64_t)CREWS * LIVES * CALLS + ITERATIONS, "every call was counted");
    OK(contexts <= CREWS + 1, "with %d contexts", (int)contexts);
    EQ_INT(clustering_iterations(leader->iterations->series[0].clustering), ITERATIONS,
           "the leader has its iterations");
    return tap_done();
}
