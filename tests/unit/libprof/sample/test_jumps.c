/*
 * A handler that takes a sample comes to its end, whatever the program's handlers that
 * interrupt it do, and so do their jumps.
 */
#include "host/host.h"
#include "sample/sampler.h"
#include "unwind/recipe.h"

#include "tap.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 100, STACK_BYTES = 65536 };

static struct sampling sampling;
static struct thread self = {.sampling = &sampling};
static sigjmp_buf place;
static bool faults;
static int finished, blocked_meanwhile, jumped_inside;

static bool is_blocked(int signal)
{
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, signal);
}

/* Takes a sample, and is interrupted by SIGUSR1. */
static void sample(int signal)
{
    int saved = errno;
    jumps_begin_async(&sampling.jumps, ARCH_FRAME_ADDRESS());
    raise(faults ? SIGSEGV : SIGUSR1);
    finished++;
    blocked_meanwhile += is_blocked(SIGUSR1);
    errno = saved;
    jumps_end_async(&sampling.jumps, signal);
}

/* Within the handler: nothing has to wait for that. */
static void jump_inside(void)
{
    sigjmp_buf here;
    if (sigsetjmp(here, 1) == 0)
        siglongjmp(here, 1);
    jumped_inside++;
}

/* To a copy of the place that is gone when the handler is. */
static void jump_to_copy(int number)
{
    sigjmp_buf copy;
    (void)number;
    jump_inside();
    memcpy(copy, place, sizeof copy);
    errno = ERANGE;
    siglongjmp(copy, 42);
}

static void jump_without_mask(int number)
{
    (void)number;
    longjmp(place, 43);
}

static void jump_nowhere(int number)
{
    (void)number;
    jump_inside();
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

static void start(void (*handler)(int), int flags)
{
    finished = blocked_meanwhile = jumped_inside = 0;
    handle(SIGUSR1, handler, flags);
    handle(SIGUSR2, sample, 0);
}

static void test_jumps_wait(const char *where)
{
    volatile int arrived = 0, errors = 0, blocked = 0;
    for (volatile int i = 0; i < ROUNDS; i++) {
        errno = 0;
        switch (sigsetjmp(place, 1)) {
        case 0:
            raise(SIGUSR2);
            break;
        case 42:
            arrived++;
            errors += errno == ERANGE;
            blocked += is_blocked(SIGUSR1) || is_blocked(SIGUSR2);
        }
    }
    EQ_INT(arrived, ROUNDS, "%s: each jump arrives, with its value", where);
    EQ_INT(finished, ROUNDS, "%s: and each sample is completed", where);
    EQ_INT(blocked_meanwhile, ROUNDS, "%s: with the mask of the handler that jumps", where);
    EQ_INT(errors, ROUNDS, "%s: errno is what it was at the jump", where);
    EQ_INT(blocked, 0, "%s: the jump restores the mask of signals", where);
    EQ_INT(jumped_inside, ROUNDS, "%s: jumps inside the handler are made at once", where);
}

/* Where the handler's stack may be wanted again, and a sample is left as it is. */
static void test_jumps_at_once(const char *where)
{
    volatile int arrived = 0;
    for (volatile int i = 0; i < ROUNDS; i++) {
        if (sigsetjmp(place, 1) == 0)
            raise(SIGUSR2);
        else
            arrived++;
    }
    EQ_INT(arrived, ROUNDS, "%s: each jump arrives", where);
    EQ_INT(finished, 0, "%s: at once", where);
    OK(!sampling.jumps.waits, "%s: and no jump is left to be made", where);
}

/* A fault of the sample's own, which would come again. */
static void test_fault(void)
{
    volatile int arrived = 0;
    start(jump_nowhere, 0);
    handle(SIGSEGV, jump_to_copy, 0);
    faults = true;
    if (sigsetjmp(place, 1) == 0)
        raise(SIGUSR2);
    else
        arrived++;
    faults = false;
    EQ_INT(arrived, 1, "a jump out of a fault's handler arrives");
    EQ_INT(finished, 0, "at once");
    handle(SIGSEGV, SIG_DFL, 0);
}

static void raise_rounding(int number)
{
    (void)number;
    fesetround(FE_UPWARD);
    siglongjmp(place, 1);
}

static void test_floating_point(void)
{
    const int before = fegetround();
    start(raise_rounding, 0);
    if (sigsetjmp(place, 1) == 0)
        raise(SIGUSR2);
    EQ_INT(fegetround(), FE_UPWARD,
           "how the handler has the processor round goes with the jump");
    fesetround(before);
}

static void test_without_mask(void)
{
    start(jump_without_mask, 0);
    int value = setjmp(place);
    if (value == 0)
        raise(SIGUSR2);
    sigset_t both;
    EQ_INT(value, 43, "a jump without a mask arrives");
    EQ_INT(finished, 1, "when the sample is completed");
    OK(is_blocked(SIGUSR1), "leaves the program's signal blocked, as any does");
    OK(!is_blocked(SIGUSR2), "but not the sampler's, which the program knows nothing of");
    sigemptyset(&both);
    sigprocmask(SIG_SETMASK, &both, NULL);
}

static void test_returning_handler(void)
{
    start(jump_nowhere, 0);
    raise(SIGUSR2);
    EQ_INT(jumped_inside, 1, "a handler that stays jumps inside itself");
    EQ_INT(finished, 1, "and the sample goes on when it returns");
}

/* What an exception that left the handler leaves behind. */
static void test_sample_that_was_left(void)
{
    volatile int arrived = 0;
    start(jump_to_copy, 0);
    sampling.jumps.frame = ARCH_FRAME_ADDRESS() - 512;
    if (sigsetjmp(place, 1) == 0)
        raise(SIGUSR1);
    else
        arrived++;
    EQ_INT(arrived, 1, "of a sample that was left nothing holds a jump up");
    OK(!sampling.jumps.waits, "nor waits");
    sampling.jumps.frame = 0;
}

static void find_stack(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    self.stack = (struct stack_bounds){(uintptr_t)low, (uintptr_t)low + bytes};
}

int main(void)
{
    /* Without that nobody knows where a handler returns to (emulators). */
    if (!peek_async((uintptr_t)&place, &(char){0}, 1)) {
        puts("1..0 # SKIP a process must not look at its own memory here");
        return 0;
    }
    recipe_start();
    find_stack();
    thread_self = &self;
    start(jump_to_copy, 0);
    test_jumps_wait("same stack");
    stack_t other = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    sigaltstack(&other, NULL);
    start(jump_to_copy, SA_ONSTACK);
    test_jumps_at_once("alternate stack");
    start(jump_to_copy, SA_ONSTACK);
    handle(SIGUSR2, sample, SA_ONSTACK);
    test_jumps_at_once("both on an alternate stack");
    test_fault();
    test_floating_point();
    test_without_mask();
    test_returning_handler();
    test_sample_that_was_left();
    thread_self = NULL;
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(other.ss_sp);
    return tap_done();
}
