/*
 * Threads that the program creates while it is measured: each gets a context and takes part in
 * the iteration that its creator is in; that of one that has ended rests, and the next one goes
 * on with it.
 */
#include "life/spawn.h"

#include "iterations/iterations.h"
#include "life/attach.h"

#include "tap.h"
#include "tests/unit/libprof/timed_thread.h"

#include <pthread.h>
#include <semaphore.h>

enum { CALL_NS = 5 };

static struct thread *leader;

/* What a thread is to do, and what it found. */
struct life {
    int64_t ns;              /* that it computes */
    sem_t *arrived, *waited; /* NULL: it waits for nobody */
    struct thread *context, *entered;
    uint32_t followed;
    pthread_t handle;
};

static __attribute__((noipa)) void *live(void *argument)
{
    struct life *life = argument;
    if (life->arrived) {
        sem_post(life->arrived);
        while (sem_wait(life->waited) != 0)
            ;
    }
    life->context = thread_self;
    if (!thread_self) {
        life->entered = thread_enter(ARCH_FRAME(), false);
        return NULL;
    }
    life->followed = thread_self->followed;
    timed_pass(life->ns);
    timed_call(thread_self, CALL_MPI_Comm_size, CALL_NS, 0);
    return NULL;
}

static void create(struct life *life)
{
    NEED(pthread_create(&life->handle, NULL, live, life) == 0);
}

/* A whole life of NS, and a call. */
static struct life have_life(int64_t ns)
{
    struct life life = {.ns = ns};
    create(&life);
    NEED(pthread_join(life.handle, NULL) == 0);
    return life;
}

static unsigned contexts(void)
{
    unsigned count = 0;
    for (const struct thread *each = thread_newest; each; each = each->next)
        count++;
    return count;
}

static sem_t arrived, go;

/* Before anything is measured; it ends later. */
static struct life early = {.ns = 70, .arrived = &arrived, .waited = &go};

static void create_early(void)
{
    create(&early);
    while (sem_wait(&arrived) != 0)
        ;
}

static void test_early_threads_join(void)
{
    EQ_INT(contexts(), 1,
           "before that only the thread that starts the measurement is measured");
    const int64_t ns = timed_pass(100);
    spawn_join_early(ns);
    EQ_INT(contexts(), 2, "then one that exists already is");
    EQ_INT(thread_newest->begin_ns, ns, "from that instant on");
    sem_post(&go);
    pthread_join(early.handle, NULL);
    OK(early.context == thread_newest, "it finds its context");
    OK(early.context->stopped, "which rests when it ends");
    EQ_INT(early.context->end_ns - early.context->begin_ns, 70 + CALL_NS, "after its time");
}

static void test_threads_are_in_iterations(void)
{
    timed_begin(leader, "step", true);
    timed_pass(10);
    /* The early one's context: others go on with it. */
    struct life life = have_life(30);
    OK(life.context == early.context, "a new thread goes on with the context that rests");
    EQ_INT(life.followed, 1, "in the iteration that its creator is in");
    EQ_INT(contexts(), 2, "so there are no more contexts than threads at a time");
    timed_pass(1);
    timed_end(leader, "step");
    timed_pass(7);
    timed_begin(leader, "step", true);
    timed_pass(3);
    life = have_life(20);
    EQ_INT(life.followed, 1, "the next one is in the next iteration");
    EQ_INT(iteration_count_async(life.context, 0), 1, "and one has ended there meanwhile");
    timed_pass(4);
    timed_end(leader, "step");
    timed_pass(9);
    life = have_life(50);
    EQ_INT(life.followed, 0, "one that is created outside of all is in none");
    iteration_flush_queue_async(life.context);
    EQ_INT(timed_times(life.context, &life.context->closed), 30 + 20 + 2 * CALL_NS,
           "iterations have what threads did in them, and no time between lives");
}

static void test_threads_side_by_side(void)
{
    struct life lives[2] = {{.ns = 11, .arrived = &arrived, .waited = &go},
                            {.ns = 12, .arrived = &arrived, .waited = &go}};
    timed_begin(leader, "step", true);
    for (int i = 0; i < 2; i++)
        create(&lives[i]);
    for (int i = 0; i < 2; i++)
        while (sem_wait(&arrived) != 0)
            ;
    EQ_INT(contexts(), 3, "threads that live at the same time have a context each");
    for (int i = 0; i < 2; i++)
        sem_post(&go);
    for (int i = 0; i < 2; i++)
        pthread_join(lives[i].handle, NULL);
    OK(lives[0].context != lives[1].context, "of their own");
    OK(lives[0].followed == 1 && lives[1].followed == 1, "both in their creator's iteration");
    timed_end(leader, "step");
    EQ_INT(threads_unmeasured, 0, "nobody found no memory");
}

static void test_threads_of_the_library(void)
{
    const unsigned before = contexts();
    thread_claim_async(leader, ARCH_FRAME_ADDRESS());
    const struct life life = have_life(1000);
    thread_release_async(leader);
    OK(!life.context, "a thread that is made inside a wrapper is not measured");
    OK(!life.entered, "nor is it later, when it calls MPI itself");
    EQ_INT(contexts(), before, "nothing was taken for it");
}

static int64_t calls_of(const struct thread *thread)
{
    int64_t calls = 0;
    for (uint32_t n = 0; n < thread->tree.node_count; n++) {
        const struct profile *profiles[] = {&thread->outside, &thread->closed};
        for (int i = 0; i < 2 && thread->tree.nodes[n].kind == NODE_MPI; i++)
            if (profile_has_async(profiles[i], n))
                calls += profiles[i]->values[thread->tree.nodes[n].cell + MPI_VISITS_CELL];
    }
    return calls;
}

static void test_everything_adds_up(void)
{
    int64_t calls = 0;
    bool all = true;
    threads_close();
    for (struct thread *each = thread_newest; each; each = each->next) {
        thread_stop(each, timed_pass(0));
        calls += calls_of(each);
        all = all && timed_total(each) == each->end_ns - each->begin_ns;
    }
    EQ_INT(calls, 1 + 3 + 2, "every call of every measured life is counted");
    OK(all, "on every line computation, MPI and overhead are the time that threads lived");
    EQ_INT(iteration_count_async(leader, 0), 3, "three iterations were led");
    const struct life life = have_life(0);
    OK(!life.context, "no thread is given a context any more");
    measurement_set_state_async(STATE_ENDED);
    OK(!have_life(0).context, "nor after the measurement");
}

int main(void)
{
    sem_init(&arrived, 0, 0);
    sem_init(&go, 0, 0);
    create_early();
    timed_start();
    leader = timed_attach();
    measurement_set_state_async(STATE_MEASURING);
    test_early_threads_join();
    test_threads_are_in_iterations();
    test_threads_side_by_side();
    test_threads_of_the_library();
    test_everything_adds_up();
    return tap_done();
}
