/* See quiet.h. */
#include "host/quiet.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

static const int held[] = {SIGPIPE, SIGXFSZ};

enum { HELD = sizeof held / sizeof held[0] };

void quiet_begin(struct quiet *quiet)
{
    sigset_t block;
    sigemptyset(&block);
    for (int i = 0; i < HELD; i++)
        sigaddset(&block, held[i]);
    sigpending(&quiet->pending);
    pthread_sigmask(SIG_BLOCK, &block, &quiet->mask);
}

void quiet_end(const struct quiet *quiet)
{
    const struct timespec at_once = {0, 0};
    int saved = errno;
    for (int i = 0; i < HELD; i++) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, held[i]);
        if (!sigismember(&quiet->pending, held[i]))
            sigtimedwait(&one, NULL, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &quiet->mask, NULL);
    errno = saved;
}
