/* See spawn.h. */
#include "life/spawn.h"

#include "host/host.h"
#include "life/attach.h"
#include "life/lifecycle.h"
#include "sample/sample.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    STARTS_AT_ONCE = 128, /* most threads between pthread_create and their first instruction */
    EARLY_MOST = 512      /* most threads that exist before the measurement starts */
};

/* What pthread_create hands to a new thread. */
struct start {
    char taken;
    bool ignored; /* the thread must not be measured */
    void *(*routine)(void *);
    void *argument;
    struct follow_place place;
};

/* A thread that exists before the measurement starts. */
struct early {
    bool alive;
    struct thread_identity identity;
};

static __typeof__(&pthread_create) real_create;

/* Static, because the program may count calls of malloc. */
static struct start starts[STARTS_AT_ONCE];

static pthread_mutex_t early_lock = PTHREAD_MUTEX_INITIALIZER;
static struct early early[EARLY_MOST];
static bool early_any, early_over;
static __thread struct early *own_entry __attribute__((tls_model("initial-exec")));

static void find_real(void)
{
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real_create, &found, sizeof found);
}

static struct start *take_start(void)
{
    for (int i = 0; i < STARTS_AT_ONCE; i++)
        if (!__atomic_test_and_set(&starts[i].taken, __ATOMIC_ACQUIRE))
            return &starts[i];
    return NULL;
}

static void release_start(struct start *start)
{
    __atomic_clear(&start->taken, __ATOMIC_RELEASE);
}

/* In a child of fork the other threads do not exist, and neither does the lock's holder. */
static void forget_early(void)
{
    if (!early_any)
        return;
    memset(early, 0, sizeof early);
    own_entry = NULL;
    early_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void __attribute__((constructor)) prepare(void)
{
    find_real();
    at_fork_in_child(forget_early);
}

/* Forgets the calling thread, which is ending. */
static void leave_early(void)
{
    if (!own_entry)
        return;
    pthread_mutex_lock(&early_lock);
    own_entry->alive = false;
    pthread_mutex_unlock(&early_lock);
}

/* Remembers the calling thread for the start of the measurement; false if that has started. */
static bool enter_early(void)
{
    /* A thread whose end would not be noticed must not be listed. */
    bool watched = thread_watch_exit(leave_early);
    pthread_mutex_lock(&early_lock);
    bool over = early_over;
    for (int i = 0; watched && !over && !own_entry && i < EARLY_MOST; i++) {
        if (early[i].alive)
            continue;
        early[i] = (struct early){true, thread_identity()};
        own_entry = &early[i];
        early_any = true;
    }
    pthread_mutex_unlock(&early_lock);
    return !over;
}

void spawn_join_early(int64_t ns)
{
    const struct follow_place nowhere = follow_place(NULL);
    pthread_mutex_lock(&early_lock);
    early_over = true;
    for (int i = 0; i < EARLY_MOST; i++) {
        if (!early[i].alive || early[i].identity.os_id == gettid())
            continue;
        struct thread *thread = thread_attach(ns, &nowhere, &early[i].identity);
        if (thread)
            sampler_attach(thread);
    }
    pthread_mutex_unlock(&early_lock);
}

/* Not inlined, so that it leaves nothing on the stack when the program's function begins. */
static __attribute__((noinline)) void join(struct start *start)
{
    if (start->ignored)
        lifecycle_ignore_thread();
    else if (measurement_runs_async() || !enter_early())
        lifecycle_thread_begins(&start->place);
    release_start(start);
}

static void *begin(void *context)
{
    struct start *start = context;
    void *(*routine)(void *) = start->routine;
    void *argument = start->argument;
    join(start);
    return routine(argument);
}

EXPORT int pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                          void *(*routine)(void *), void *argument)
{
    if (!real_create)
        find_real();
    /*
     * Threads that were not created here, as the main thread: another may start the
     * measurement.
     */
    if (!own_entry && !thread_self && measurement_state_async() == STATE_IDLE)
        enter_early();
    struct start *start = measurement_state_async() == STATE_ENDED ? NULL : take_start();
    if (!start)
        return real_create(handle, attributes, routine, argument);
    start->routine = routine;
    start->argument = argument;
    start->ignored = !lifecycle_place(&start->place);
    int status = real_create(handle, attributes, begin, start);
    if (status != 0)
        release_start(start);
    return status;
}
