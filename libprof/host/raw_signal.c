/* See raw_signal.h. */
#include "host/raw_signal.h"

#include "arch/arch.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FLAG_RESTORER = 0x04000000 };

static void add_restorer(struct raw_action *action)
{
    if (action->flags & FLAG_RESTORER)
        return;
    action->flags |= FLAG_RESTORER;
    action->restorer = arch_signal_return;
}

int raw_sigaction_async(int number, const struct raw_action *action, struct raw_action *old)
{
    struct raw_action set;
    if (action) {
        set = *action;
        add_restorer(&set);
    }
    return (int)syscall(SYS_rt_sigaction, number, action ? &set : NULL, old, sizeof set.mask);
}
