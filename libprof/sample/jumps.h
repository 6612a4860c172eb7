/*
 * Jumps of the program out of the handler that takes a sample.
 *
 * A signal handler of the program may interrupt that one, and leave by siglongjmp: programs do
 * so to end what takes too long.  The sample would stay half done, what it was about to change
 * in any state, and its timer not armed again.  Holding the program's signals back meanwhile is
 * no way out: the kernel would give them to another thread, which may not expect them.  So the
 * jump waits.  The program's handler is made to return, with its mask of signals left as it is;
 * the sample comes to its end; then the program jumps.  Nothing happens in between that could
 * not have happened just before the jump.
 *
 * longjmp and its siblings are interposed for that, and do nothing else.  A jump is made at
 * once, and a sample under way left half done, where the program's handler cannot be taken back
 * safely: it runs, or the sample, or the target lies, on another stack than the thread's own
 * (it may be a coroutine's, to be resumed later); it handles a fault of the sample's; another
 * jump waits already; there are shadow stacks, or the way back is not known.  Exceptions,
 * setcontext and whatever else leaves a handler do not wait.
 */
#ifndef TSPROF_JUMPS_H
#define TSPROF_JUMPS_H

#include "arch/arch.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

enum jump_function {
    JUMP_LONGJMP,
    JUMP__LONGJMP,
    JUMP_SIGLONGJMP,
    JUMP_CHECKED,
    JUMP_FUNCTIONS
};

/* A thread's sample under way, and the jump that waits for its end. */
struct jumps {
    volatile uintptr_t frame; /* frame address of the handler; 0: no sample is under way */
    volatile bool waits;
    enum jump_function function;
    sigjmp_buf where; /* a copy: the program's may be its handler's own */
    int value;
    int error;            /* errno at the jump */
    struct floating_state floating;
};

/* A sample begins in the handler whose frame address is FRAME.  On the thread itself. */
static inline void jumps_begin_async(struct jumps *jumps, uintptr_t frame)
{
    jumps->waits = false;
    jumps->frame = frame;
}

/* Makes the jump that waits, with SIGNAL, the handler's own, not blocked. */
_Noreturn void jumps_go_async(struct jumps *jumps, int signal);

/*
 * The sample has ended, and nothing is left to be done for it: does not return if a jump has
 * waited for that.  SIGNAL is the handler's own.
 */
static inline void jumps_end_async(struct jumps *jumps, int signal)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    jumps->frame = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(jumps->waits, 0))
        jumps_go_async(jumps, signal);
}

#endif
