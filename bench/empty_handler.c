/*
 * What interrupts cost by themselves: preloaded, it arms the timer that tsprof would, with
 * random gaps as tsprof would, and a handler that does nothing but arm it again.
 *
 *     EMPTY_RATE=1000 LD_PRELOAD=empty_handler.so program
 *
 * For the main thread only.  Compiled together with the runtime's own timer.c and claims.c.
 */
#include "host/claims.h"
#include "sample/poisson.h"
#include "sample/timer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sample_timer timer;
static uint64_t state;
static double mean_ns;

/* Measuring nothing would look like interrupts that cost nothing. */
static void fail(const char *why)
{
    fprintf(stderr, "empty_handler: %s: %s\n", why, strerror(errno));
    abort();
}

static void give_up_async(void)
{
    fail("the program uses the timer's signal");
}

static void arm_async(void)
{
    timer_arm_async(&timer, poisson_gap_async(&state, mean_ns));
}

static void on_timer_async(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    if (timer_sent_async(&timer, info))
        arm_async();
    else
        claims_pass_on_async(number, info, context);
    errno = saved;
}

static bool create(enum timer_kind kind)
{
    int number = timer_signal_async(kind);
    return number && claims_install_async(number, on_timer_async, give_up_async) &&
           timer_create_for(&timer, kind, number, gettid());
}

/* As the sampler chooses: performance events only for what is too fast for the tick. */
__attribute__((constructor)) static void start(void)
{
    const char *rate = getenv("EMPTY_RATE");
    double period_ns = rate && atof(rate) > 0 ? 1e9 / atof(rate) : 0;
    double tick_ns = (double)timer_tick_ns();
    if (period_ns <= 0)
        return;
    state = poisson_seed((uint64_t)getpid());
    mean_ns = period_ns;
    if (period_ns < 2 * tick_ns && create(TIMER_KIND_PERF)) {
        arm_async();
        return;
    }
    mean_ns = period_ns > tick_ns ? -tick_ns / poisson_ln_async(1 - tick_ns / period_ns) : 0;
    if (!create(TIMER_KIND_CPU))
        fail("no timer");
    arm_async();
}
