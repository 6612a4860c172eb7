/* See claims.h. */
#include "host/claims.h"

#include "host/bus_guard.h"
#include "host/raw_signal.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);
static __typeof__(&signal) real_signal;
static int (*real_cancel)(pthread_t);

/* The sampler's signals: whether it has the reserved one, and the other one; 0 if none. */
static volatile sig_atomic_t has_reserved;
static volatile int installed;
static claims_handler sampler_handler;
static void (*tell_async)(void);

/* What the C library had installed for the reserved signal, if anything. */
static struct raw_action before;

/* Before main, since programs call sigaction where dlsym may not be called. */
static void __attribute__((constructor)) find_real(void)
{
    void *found = dlsym(RTLD_NEXT, "sigaction");
    memcpy(&real_sigaction, &found, sizeof found);
    found = dlsym(RTLD_NEXT, "signal");
    memcpy(&real_signal, &found, sizeof found);
    found = dlsym(RTLD_NEXT, "pthread_cancel");
    memcpy(&real_cancel, &found, sizeof found);
}

int claims_real_sigaction_async(int number, const struct sigaction *action,
                                struct sigaction *old)
{
    if (!real_sigaction)
        find_real();
    return real_sigaction(number, action, old);
}

/*
 * Takes the reserved signal; remembers the handler before it, unless that is already the
 * sampler's.
 */
static bool take_reserved(void)
{
    const struct raw_action action = {.handler = sampler_handler,
                                      .flags = SA_RESTART | SA_SIGINFO};
    struct raw_action found;
    if (raw_sigaction_async(CLAIMS_RESERVED, NULL, &found) != 0)
        return false;
    if (found.handler != sampler_handler)
        before = found;
    return raw_sigaction_async(CLAIMS_RESERVED, &action, NULL) == 0;
}

static bool take_unused(int number)
{
    struct sigaction action = {.sa_sigaction = sampler_handler,
                               .sa_flags = SA_RESTART | SA_SIGINFO};
    /*
     * Block no other signal while the handler runs: the kernel would give a signal that is
     * meant for the process to another of its threads, which may not expect it.
     */
    sigemptyset(&action.sa_mask);
    return claims_real_sigaction_async(number, &action, NULL) == 0;
}

bool claims_install_async(int number, claims_handler handler, void (*on_claim_async)(void))
{
    if ((has_reserved || installed) && handler != sampler_handler) {
        errno = EBUSY;
        return false;
    }
    sampler_handler = handler;
    tell_async = on_claim_async;
    if (number == CLAIMS_RESERVED) {
        has_reserved = take_reserved();
        return has_reserved;
    }
    if (!take_unused(number))
        return false;
    installed = number;
    return true;
}

static void leave_unused_async(void)
{
    const struct sigaction unused = {.sa_handler = SIG_DFL};
    const int number = installed;
    installed = 0;
    if (number != 0)
        claims_real_sigaction_async(number, &unused, NULL);
}

void claims_withdraw_async(void)
{
    if (has_reserved)
        raw_sigaction_async(CLAIMS_RESERVED, &before, NULL);
    has_reserved = false;
    leave_unused_async();
}

void claims_pass_on_async(int number, siginfo_t *info, void *context)
{
    if (number == CLAIMS_RESERVED && (before.flags & SA_SIGINFO) && before.handler)
        before.handler(number, info, context);
}

/*
 * Leaves the signal to the program, as if the sampler had never used it.  The reserved one,
 * which the program does not see, stays: without a handler, what is still on its way to another
 * thread would end the program.
 */
static void give_up_async(void)
{
    tell_async();
    leave_unused_async();
}

static bool is_taken_async(int number)
{
    return number != 0 && number == installed;
}

void claims_claim_async(int number)
{
    if (is_taken_async(number))
        give_up_async();
    if (number == SIGBUS)
        bus_guard_end_async();
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    struct bus_guard_turn turn;
    if (is_taken_async(number)) {
        if (action)
            give_up_async();
        else if (old)
            return memset(old, 0, sizeof *old), 0;
    }
    bus_guard_yield_async(number, &turn);
    int status = claims_real_sigaction_async(number, action, old);
    bus_guard_resume_async(&turn);
    return status;
}

EXPORT __typeof__(signal(0, 0)) signal(int number, __typeof__(signal(0, 0)) handler)
{
    struct bus_guard_turn turn;
    if (is_taken_async(number))
        give_up_async();
    if (!real_signal)
        find_real();
    bus_guard_yield_async(number, &turn);
    __typeof__(signal(0, 0)) old = real_signal(number, handler);
    bus_guard_resume_async(&turn);
    return old;
}

EXPORT int pthread_cancel(pthread_t thread)
{
    if (!real_cancel)
        find_real();
    int status = real_cancel(thread);
    if (has_reserved) {
        int saved = errno;
        take_reserved();
        errno = saved;
    }
    return status;
}
