/*
 * The older functions by which a program says what a signal does.  They are used rarely, and
 * what they return depends on what is installed and blocked; so the program gets the signal for
 * good before they are called.  See claims.h.
 */
#include "host/claims.h"

#include <dlfcn.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*handler_function)(int number);

enum old_function { OLD_BSD, OLD_S, OLD_SYSV, OLD___SYSV, OLD_SIGSET, OLD_FUNCTIONS };

static handler_function (*real[OLD_FUNCTIONS])(int number, handler_function handler);
static int (*real_sigignore)(int number);
static int (*real_siginterrupt)(int number, int interrupts);

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* Before main, since programs may call these where dlsym must not be called. */
static void __attribute__((constructor)) find_real(void)
{
    static const char *const names[OLD_FUNCTIONS] = {[OLD_BSD] = "bsd_signal",
                                                     [OLD_S] = "ssignal",
                                                     [OLD_SYSV] = "sysv_signal",
                                                     [OLD___SYSV] = "__sysv_signal",
                                                     [OLD_SIGSET] = "sigset"};
    for (int i = 0; i < OLD_FUNCTIONS; i++)
        find(names[i], &real[i]);
    find("sigignore", &real_sigignore);
    find("siginterrupt", &real_siginterrupt);
}

static handler_function call_async(enum old_function function, int number,
                                   handler_function handler)
{
    claims_claim_async(number);
    if (!real[function])
        find_real();
    return real[function](number, handler);
}

#define OLD(name, function)                                                                    \
    EXPORT handler_function name(int number, handler_function handler);                        \
    handler_function name(int number, handler_function handler)                                \
    {                                                                                          \
        return call_async(function, number, handler);                                          \
    }

OLD(bsd_signal, OLD_BSD)
OLD(ssignal, OLD_S)
OLD(sysv_signal, OLD_SYSV)
OLD(__sysv_signal, OLD___SYSV)
OLD(sigset, OLD_SIGSET)

EXPORT int sigignore(int number)
{
    claims_claim_async(number);
    if (!real_sigignore)
        find_real();
    return real_sigignore(number);
}

EXPORT int siginterrupt(int number, int interrupts)
{
    claims_claim_async(number);
    if (!real_siginterrupt)
        find_real();
    return real_siginterrupt(number, interrupts);
}
