/* See claims.h. */
#include "claims.h"

#include "sampler.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);
static __typeof__(&signal) real_signal;
static volatile int watched;

/* Before main, since programs call sigaction where dlsym may not be called. */
static void __attribute__((constructor)) find_real(void)
{
    void *found = dlsym(RTLD_NEXT, "sigaction");
    memcpy(&real_sigaction, &found, sizeof found);
    found = dlsym(RTLD_NEXT, "signal");
    memcpy(&real_signal, &found, sizeof found);
}

int claims_real_sigaction_async(int number, const struct sigaction *action,
                                struct sigaction *old)
{
    if (!real_sigaction)
        find_real();
    return real_sigaction(number, action, old);
}

void claims_watch(int number)
{
    watched = number;
}

/* The program wants the sampler's signal: it gets it as if nobody had used it. */
static void give_up_signal_async(int number)
{
    struct sigaction unused = {.sa_handler = SIG_DFL};
    watched = 0;
    sampler_give_up_async();
    claims_real_sigaction_async(number, &unused, NULL);
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (number != 0 && number == watched) {
        if (action)
            give_up_signal_async(number);
        else if (old)
            return memset(old, 0, sizeof *old), 0;
    }
    return claims_real_sigaction_async(number, action, old);
}

EXPORT __typeof__(signal(0, 0)) signal(int number, __typeof__(signal(0, 0)) handler)
{
    if (number != 0 && number == watched)
        give_up_signal_async(number);
    if (!real_signal)
        find_real();
    return real_signal(number, handler);
}
