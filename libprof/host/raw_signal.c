/* See raw_signal.h. */
#include "host/raw_signal.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)

enum { FLAG_RESTORER = 0x04000000 };

/*
 * Where a handler returns to.  Unwinders recognise these instructions, byte by byte, as the end
 * of a signal frame, provided that nothing describes the byte before them as something else.
 */
void raw_signal_return(void);
__asm__(".text\n"
        ".p2align 4, 0x90\n"
        "nop\n"
        ".globl raw_signal_return\n"
        ".hidden raw_signal_return\n"
        ".type raw_signal_return, @function\n"
        "raw_signal_return:\n"
        "mov $15, %rax\n"
        "syscall\n"
        ".size raw_signal_return, . - raw_signal_return\n");

static void add_restorer(struct raw_action *action)
{
    if (action->flags & FLAG_RESTORER)
        return;
    action->flags |= FLAG_RESTORER;
    action->restorer = raw_signal_return;
}

#else
#error "signals by the kernel's own interface: not written for this processor"
#endif

int raw_sigaction_async(int number, const struct raw_action *action, struct raw_action *old)
{
    struct raw_action set;
    if (action) {
        set = *action;
        add_restorer(&set);
    }
    return (int)syscall(SYS_rt_sigaction, number, action ? &set : NULL, old, sizeof set.mask);
}
