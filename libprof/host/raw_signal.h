/*
 * sigaction by the kernel's own interface, for signals that the C library keeps for itself and
 * lets nobody else handle.  Any context.
 */
#ifndef TSPROF_RAW_SIGNAL_H
#define TSPROF_RAW_SIGNAL_H

#include <signal.h>

/* The kernel's struct sigaction. */
struct raw_action {
    void (*handler)(int number, siginfo_t *info, void *context);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

/*
 * Sets the action of signal NUMBER to ACTION and stores the one before in OLD; either may be
 * NULL.  An ACTION without a restorer gets one.  Returns 0, or -1 with errno set.
 */
int raw_sigaction_async(int number, const struct raw_action *action, struct raw_action *old);

#endif
