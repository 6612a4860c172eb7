/*
 * Signals that the program claims.
 *
 * The sampler uses a real-time signal that is free when the measurement starts, but the program
 * may install a handler for it, or reset it, at any time later.  Then it must have it: sampling
 * ends.  sigaction and signal are interposed for that, and do nothing else.
 */
#ifndef TSPROF_CLAIMS_H
#define TSPROF_CLAIMS_H

#include <signal.h>

/* The C library's sigaction.  Any context. */
int claims_real_sigaction_async(int number, const struct sigaction *action,
                                struct sigaction *old);

/* From now on NUMBER is the sampler's; 0: none is. */
void claims_watch(int number);

#endif
