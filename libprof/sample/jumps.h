/*
 * Lets a sample finish before the program jumps out of the handler that takes it.
 *
 * A signal handler of the program may interrupt tsprof's, and leave by siglongjmp: programs do
 * so to abandon what takes too long.  Then the sample would stay half done, the data that it
 * was changing inconsistent, and its timer not armed again.  Blocking the program's signals
 * meanwhile does not help: the kernel would deliver them to another thread, which may not
 * expect them.  So the jump waits: the program's handler is made to return, with its signal
 * mask left as it is; the sample is finished; then the program jumps.  To the program it looks
 * as if the signal had arrived a little later.
 *
 * For this longjmp and its siblings are interposed; they do nothing else.  A jump is made at
 * once, and a sample under way is left half done, where returning from the program's handler is
 * not safe:
 *
 * - the handler, the sample or the target of the jump is not on the thread's own stack (it may
 *   be on that of a coroutine, which is resumed later);
 * - the handler handles a fault that happened in the sample;
 * - another jump waits already;
 * - shadow stacks are in use, or the way back to the sample cannot be found.
 *
 * Exceptions, setcontext and other ways to leave a handler do not wait.
 */
#ifndef TSPROF_JUMPS_H
#define TSPROF_JUMPS_H

#include "arch/arch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum jump_function {
    JUMP_LONGJMP,
    JUMP__LONGJMP,
    JUMP_SIGLONGJMP,
    JUMP_CHECKED,
    JUMP_FUNCTIONS
};

/* The state of a thread's current sample, and the jump that waits for its end. */
struct jumps {
    volatile uintptr_t frame; /* frame address of the handler; 0: no sample is under way */
    volatile sig_atomic_t waits;
    enum jump_function function;
    sigjmp_buf where; /* a copy: the program's buffer may lie on its handler's stack */
    int value;
    int error; /* errno when the program jumped */
    struct floating_state floating;
};

/*
 * Begins a sample in the handler whose frame address is FRAME.  To be called by the thread
 * itself.
 */
static inline void jumps_begin_async(struct jumps *jumps, uintptr_t frame)
{
    jumps->waits = false;
    jumps->frame = frame;
}

/* Makes the jump that waits, and unblocks SIGNAL, the handler's own signal, first. */
_Noreturn void jumps_go_async(struct jumps *jumps, int signal);

/*
 * Ends a sample, as the last thing that the handler does: if a jump waits, this makes it and
 * does not return.  SIGNAL is the handler's own signal.
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
