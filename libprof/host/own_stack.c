/* See own_stack.h. */
#include "host/own_stack.h"

#include "host/other_libc.h"

#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK_BYTES = 4 << 20, GUARD_BYTES = 64 << 10 };

/* The work for the new stack's first function, which has no parameters; and that stack. */
static __thread struct {
    void (*work)(void *);
    void *argument;
    const char *memory; /* NULL: there is none */
} task __attribute__((tls_model("initial-exec")));

/* At the stack's beginning, for on some processors they are larger than what callers have left.
 */
struct contexts {
    ucontext_t here, there;
};

static void begin(void)
{
    task.work(task.argument);
}

void own_stack_call(void (*work)(void *argument), void *argument)
{
    char *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    struct contexts *contexts =
        memory == MAP_FAILED ? NULL : (struct contexts *)(memory + STACK_BYTES) - 1;
    if (!contexts || mprotect(memory, GUARD_BYTES, PROT_NONE) != 0 ||
        getcontext(&contexts->there) != 0) {
        work(argument);
    } else {
        const char *outer = task.memory;
        contexts->there.uc_stack =
            (stack_t){.ss_sp = memory, .ss_size = STACK_BYTES - sizeof *contexts};
        contexts->there.uc_link = &contexts->here;
        makecontext(&contexts->there, begin, 0);
        task.work = work;
        task.argument = argument;
        task.memory = memory;
        swapcontext(&contexts->here, &contexts->there);
        task.memory = outer;
    }
    if (contexts)
        munmap(memory, STACK_BYTES);
}

bool own_stack_holds_async(uintptr_t frame)
{
    const uintptr_t memory = (uintptr_t)task.memory;
    return memory && frame >= memory && frame < memory + STACK_BYTES;
}
