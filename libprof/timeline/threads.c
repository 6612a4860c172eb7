/* See threads.h. */
#include "timeline/threads.h"

#include <pthread.h>
#include <time.h>

struct thread *thread_newest;
int threads_unmeasured;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static bool closed;

void threads_lock(void)
{
    pthread_mutex_lock(&lock);
}

void threads_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void threads_add(struct thread *thread)
{
    thread->number = count++;
    thread->next = thread_newest;
    __atomic_store_n(&thread_newest, thread, __ATOMIC_RELEASE);
}

void threads_close(void)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec++;
    /* A handler that ends the process may have interrupted the thread that holds the lock. */
    bool locked = pthread_mutex_timedlock(&lock, &limit) == 0;
    closed = true;
    if (locked)
        pthread_mutex_unlock(&lock);
}

bool threads_are_closed(void)
{
    return closed;
}

void threads_visit_resting(void (*visit)(struct thread *thread))
{
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    for (struct thread *each = thread_newest; each && !closed; each = each->next)
        if (each->stopped)
            visit(each);
    pthread_mutex_unlock(&lock);
}
