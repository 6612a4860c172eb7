/* What a thread does in tsprof while it ends, such as waiting for others, is overhead. */
#include "calls/mpi_calls.h"
#include "host/clock.h"
#include "host/config.h"
#include "iterations/iteration.h"
#include "life/attach.h"
#include "timeline/context.h"
#include "timeline/threads.h"
#include "unwind/recipe.h"

#include "tap.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

enum { WAITS_NS = 30000000 };

static pthread_barrier_t attached, locked;
static struct thread *ended;
static int64_t attached_ns, returned_ns;

static void *live(void *argument)
{
    const struct follow_place nowhere = follow_place(NULL);
    const struct thread_identity identity = thread_identity();
    struct thread *thread = thread_attach(clock_now_async(), &nowhere, &identity);
    thread_worked_async(thread, clock_now_async());
    attached_ns = thread->last_ns;
    thread_release_async(thread);
    ended = thread;
    pthread_barrier_wait(&attached);
    pthread_barrier_wait(&locked);
    returned_ns = clock_now_async();
    return argument;
}

/* Ends a thread while another one keeps it from giving its context up for a while. */
static void end_one(void)
{
    const struct timespec wait = {.tv_nsec = WAITS_NS};
    pthread_t thread;
    pthread_create(&thread, NULL, live, NULL);
    pthread_barrier_wait(&attached);
    threads_lock();
    pthread_barrier_wait(&locked);
    while (__atomic_load_n(&ended->depth, __ATOMIC_ACQUIRE) != DEPTH_TSPROF)
        sched_yield();
    nanosleep(&wait, NULL);
    threads_unlock();
    pthread_join(thread, NULL);
}

int main(void)
{
    config_start();
    layouts_start();
    mpi_calls_start();
    recipe_start();
    clock_start();
    clock_calibrate();
    pthread_barrier_init(&attached, NULL, 2);
    pthread_barrier_init(&locked, NULL, 2);
    end_one();
    const int64_t overhead_ns = ended->levels[0].overhead_ns,
                  computed_ns = ended->end_ns - ended->begin_ns - overhead_ns;
    OK(computed_ns >= returned_ns - attached_ns, "a thread computes until it returns: %lld ns",
       (long long)computed_ns);
    /* Less, as other programs may have the processor before it knows when it began to wait. */
    OK(overhead_ns >= WAITS_NS / 2, "what it waits for then is overhead: %lld ns",
       (long long)overhead_ns);
    return tap_done();
}
