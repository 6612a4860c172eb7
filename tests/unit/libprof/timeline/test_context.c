/* Who may touch a thread's context: signal handlers of the program may come at any instant. */
#include "../timed_thread.h"

#include "tap.h"

enum { FRAMES = 64 };

/* Where frames could be, on the stack: those further in are lower. */
static uintptr_t *frames;

static void enter_and_leave(struct thread *thread, int at)
{
    if (thread_enter(&frames[at], false))
        thread_release_async(thread);
}

static void test_nested(struct thread *thread)
{
    OK(thread_enter(&frames[20], false) == thread, "the program's call claims the context");
    OK(!thread_enter(&frames[10], false), "a call inside it is not measured");
    OK(thread_enter(&frames[30], false) == thread,
       "one from further out is: the first was left by a jump");
    thread_release_async(thread);
}

/* A handler comes when `depth` says that the context is claimed, and nothing else does yet. */
static void test_between(struct thread *thread)
{
    enter_and_leave(thread, 5);
    thread->depth = DEPTH_TSPROF;
    OK(!thread_enter(&frames[10], false), "a handler that comes while it is claimed");
    thread_claim_async(thread, (uintptr_t)&frames[20]);
    OK(!thread_enter(&frames[10], false), "and one that comes when it was");
    thread_release_async(thread);
    OK(thread_enter(&frames[10], false) == thread, "one that comes when it is free claims it");
    thread_release_async(thread);
}

int main(void)
{
    uintptr_t on_the_stack[FRAMES] = {0};
    /* What ARCH_FRAME gives has on some processors the frame's address in its third word. */
    for (size_t i = 2; i < FRAMES; i++)
        on_the_stack[i] = (uintptr_t)&on_the_stack[i - 2];
    frames = on_the_stack;
    timed_start();
    struct thread *thread = timed_attach();
    test_nested(thread);
    test_between(thread);
    timed_stop(thread);
    return tap_done();
}
