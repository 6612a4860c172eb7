/*
 * The program whose stacks are walked: a random nest of the patterns, with coroutines and
 * signal handlers, the same in every run.  The test that walks defines look().
 */
#ifndef TSPROF_UNWIND_WORLD_H
#define TSPROF_UNWIND_WORLD_H

#include "trap.h"
#include "unwind_patterns.h"

#include <ucontext.h>

enum { STRANDS = 5, DEEPEST_NEST = 6 };

struct world {
    bool over;           /* nothing more is begun */
    size_t strand_bytes; /* of a coroutine's stack */
    char *inside;        /* memory for STRANDS / 2 of them; the others' is malloc's */
    /* Told when a coroutine's stack is ready, and first and last thing in a signal handler. */
    void (*prepared)(const ucontext_t *context);
    void (*signalled)(const ucontext_t *interrupted);
    bool stepped; /* handlers go on trapping every instruction */
};

extern struct world world;

/* Installs the handlers of SIGUSR1, on the stack, and SIGUSR2, on one of its own. */
void world_start(void);
/* Coroutines start anew the next time; only outside of them. */
void world_free(void);

/* The stack that takes the place of the thread's own in handlers that ask for it. */
extern char world_signal_stack[1 << 18];

#endif
