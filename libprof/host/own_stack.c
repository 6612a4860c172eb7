/* See own_stack.h. */
#include "host/own_stack.h"

#include "host/other_libc.h"

#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK_BYTES = 4 << 20, GUARD_BYTES = 64 << 10 };

/* The work for the new stack's first function, which has no parameters. */
static __thread struct {
    void (*work)(void *);
    void *argument;
} task __attribute__((tls_model("initial-exec")));

static void begin(void)
{
    task.work(task.argument);
}

void own_stack_call(void (*work)(void *argument), void *argument)
{
    ucontext_t here, there;
    char *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, GUARD_BYTES, PROT_NONE) != 0 ||
        getcontext(&there) != 0) {
        work(argument);
    } else {
        there.uc_stack = (stack_t){.ss_sp = memory, .ss_size = STACK_BYTES};
        there.uc_link = &here;
        makecontext(&there, begin, 0);
        task.work = work;
        task.argument = argument;
        swapcontext(&here, &there);
    }
    if (memory != MAP_FAILED)
        munmap(memory, STACK_BYTES);
}
