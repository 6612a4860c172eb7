/*
 * The sampler's signal, and the program's claims to it.
 *
 * A program may block every signal and wait for all of them, install handlers for all, or send
 * any of them to itself.  A signal of the sampler's must not show up there.  Two of the 64 are
 * out of every program's sight, because the C library keeps them to itself: no set of signals
 * holds them, no mask blocks them, no handler can be installed for them.  One of these is what
 * pthread_cancel uses, from the first time it is called; all that it sends, and nothing else,
 * has the code SI_TKILL, and its handler ignores every other.  So the sampler can share it: it
 * passes on what is not its own.
 *
 * Any other signal the program may claim at any time after the measurement has started.  Then
 * it must have it: sampling ends.  sigaction and signal are interposed for that, and do nothing
 * else; pthread_cancel, because it takes its signal for itself once.
 */
#ifndef TSPROF_CLAIMS_H
#define TSPROF_CLAIMS_H

#include <signal.h>
#include <stdbool.h>

enum { CLAIMS_RESERVED = 32 }; /* the C library's SIGCANCEL */

typedef void (*claims_handler)(int number, siginfo_t *info, void *context);

/*
 * Has HANDLER called for NUMBER, CLAIMS_RESERVED or a signal that the program does not use; the
 * handler passes on what it did not ask for.  System calls are restarted, no other signal is
 * blocked meanwhile.  ON_CLAIM_ASYNC is called when the program claims the signal, which is
 * withdrawn then; any context.  One signal at a time.  False with errno set on failure.
 */
bool claims_install(int number, claims_handler handler, void (*on_claim_async)(void));

/* Puts back what was there before, in a child of fork for instance.  Any context. */
void claims_withdraw_async(void);

/* For a HANDLER: hands a signal that is not its own to whom it may concern. */
void claims_pass_on_async(int number, siginfo_t *info, void *context);

/* The C library's sigaction.  Any context. */
int claims_real_sigaction_async(int number, const struct sigaction *action,
                                struct sigaction *old);

#endif
