/*
 * A thread that blocks SIGBUS must not touch what is mapped of the part (host/bus_guard.h).  So
 * the functions by which programs block signals are interposed; they do nothing else.
 */
#include "host/host.h"
#include "save/part_thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef int (*change_mask)(int how, const sigset_t *set, sigset_t *old);

static change_mask real_process, real_thread;

/* Before main, since programs may block signals where dlsym must not be called. */
static void __attribute__((constructor)) find_real(void)
{
    void *found = dlsym(RTLD_NEXT, "sigprocmask");
    memcpy(&real_process, &found, sizeof found);
    found = dlsym(RTLD_NEXT, "pthread_sigmask");
    memcpy(&real_thread, &found, sizeof found);
}

/* After the change, so that a sample in between does not undo what is done here. */
static void look_async(int how, const sigset_t *set)
{
    struct thread *thread = thread_self;
    if (!thread || !set || how == SIG_UNBLOCK || sigismember(set, SIGBUS) != 1)
        return;
    int saved = errno;
    part_thread_hide_async(thread);
    errno = saved;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!real_process)
        find_real();
    int status = real_process(how, set, old);
    look_async(how, set);
    return status;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!real_thread)
        find_real();
    int status = real_thread(how, set, old);
    look_async(how, set);
    return status;
}
