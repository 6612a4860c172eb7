/*
 * The sampler's signal, and the program's claims to it.
 *
 * A program may block every signal and wait for all of them, install handlers for all of them,
 * or send itself any of them.  The sampler's signal must not show up there.  Two of the 64
 * signals are out of every program's sight because the C library keeps them for itself: no
 * signal set holds them, no mask blocks them, and no handler can be installed for them.  One of
 * these is used by pthread_cancel, from its first call on.  It always sends it with the code
 * SI_TKILL, which nothing else does, and its handler ignores all other codes.  So the sampler
 * can share this signal: it passes on what is not its own.
 *
 * Any other signal may be claimed by the program at any time after the measurement has started.
 * Then the program must have it, and sampling ends.  sigaction and signal are interposed for
 * that, and for bus_guard.h; so are older functions that do the same (claims_old.c).
 * pthread_cancel is interposed because its first call installs a handler of its own over the
 * sampler's.
 */
#ifndef TSPROF_CLAIMS_H
#define TSPROF_CLAIMS_H

#include <signal.h>
#include <stdbool.h>

enum { CLAIMS_RESERVED = 32 }; /* the C library's SIGCANCEL */

typedef void (*claims_handler)(int number, siginfo_t *info, void *context);

/*
 * Installs HANDLER for signal NUMBER: CLAIMS_RESERVED, or a signal that the program does not
 * use.  The handler must pass on what it did not ask for.  System calls are restarted, and no
 * other signal is blocked while it runs.  When the program claims the signal, ON_CLAIM_ASYNC is
 * called, in any context, and the handler is withdrawn from all but the reserved one.  There
 * may be one handler, for the reserved signal, one other signal, or both: another handler is
 * refused (EBUSY) until claims_withdraw_async.  Returns false with errno set on failure.  Any
 * context.
 */
bool claims_install_async(int number, claims_handler handler, void (*on_claim_async)(void));

/* Restores the handlers that were there before, in a child of fork for instance.  Any context.
 */
void claims_withdraw_async(void);

/* For a HANDLER: passes a signal that is not its own to the handler that was there before. */
void claims_pass_on_async(int number, siginfo_t *info, void *context);

/*
 * Leaves signal NUMBER to the program for good, whatever tsprof uses it for.  To be called
 * before a function of the C library that claims it and is not interposed as sigaction is.  Any
 * context.
 */
void claims_claim_async(int number);

/* Calls the C library's sigaction, which this file interposes.  Any context. */
int claims_real_sigaction_async(int number, const struct sigaction *action,
                                struct sigaction *old);

#endif
