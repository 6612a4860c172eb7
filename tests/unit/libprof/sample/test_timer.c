/* Timers interrupt their own thread, after CPU time, and never one that waits. */
#include "host/claims.h"
#include "sample/timer.h"

#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static struct sample_timer timer;
static volatile sig_atomic_t interrupts, foreign;
static pthread_t owner;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    interrupts += timer_sent_async(&timer, info);
    foreign += !pthread_equal(owner, pthread_self());
}

static void on_another_signal(int number, siginfo_t *info, void *context)
{
    claims_pass_on_async(number, info, context);
}

static int64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* In the program's own code: the clock below is read in the kernel. */
static void compute(void)
{
    for (volatile int i = 0; i < 20000; i++)
        continue;
}

/* Works until an interrupt comes, for half a second at most; the CPU time it took. */
static int64_t work_until_interrupt(void)
{
    int64_t begin = cpu_ns(), passed = 0;
    int before = interrupts;
    while (interrupts == before && passed < 500000000) {
        compute();
        passed = cpu_ns() - begin;
    }
    return passed;
}

static void *work_elsewhere(void *argument)
{
    int64_t begin = cpu_ns();
    while (cpu_ns() - begin < 30000000)
        compute();
    return argument;
}

static bool setup(enum timer_kind kind)
{
    int number = timer_signal_async(kind);
    owner = pthread_self();
    interrupts = foreign = 0;
    claims_install_async(number, on_signal, NULL);
    bool made = timer_create_for(&timer, kind, number, gettid());
    int saved = errno;
    if (!made)
        printf("ok %u - %s # SKIP %s\n", ++tap_run, timer_kind_name(kind), strerror(saved));
    return made;
}

static void test_kind(enum timer_kind kind)
{
    const char *name = timer_kind_name(kind);
    const struct timespec pause = {.tv_nsec = 50000000};
    pthread_t other;
    if (!setup(kind))
        return;
    timer_arm_async(&timer, 20000000);
    OK(nanosleep(&pause, NULL) == 0 && interrupts == 0, "%s: does not count while waiting",
       name);
    pthread_create(&other, NULL, work_elsewhere, NULL);
    pthread_join(other, NULL);
    EQ_INT(interrupts, 0, "%s: does not count another thread's time", name);
    int64_t passed = work_until_interrupt();
    OK(passed > 10000000 && interrupts > 0, "%s: interrupts after work (%lld us)", name,
       (long long)passed / 1000);
    timer_arm_async(&timer, 5000000);
    work_until_interrupt();
    OK(interrupts > 1, "%s: can be armed again", name);
    EQ_INT(foreign, 0, "%s: only its own thread", name);
    int once = interrupts;
    timer_arm_async(&timer, 1000000);
    work_until_interrupt();
    work_elsewhere(NULL);
    EQ_INT(interrupts - once, 1, "%s: fires once, then waits to be armed", name);
    timer_destroy_async(&timer);
    int before = interrupts;
    work_elsewhere(NULL);
    EQ_INT(interrupts, before, "%s: nothing comes after its end", name);
    timer_destroy_async(&timer);
    claims_withdraw_async();
}

/* A thread may change over from one kind to the other while it is sampled. */
static void test_change(void)
{
    const int number = timer_signal_async(TIMER_KIND_PERF);
    if (!setup(TIMER_KIND_CPU))
        return;
    timer_arm_async(&timer, 1000000);
    if (!timer_change_async(&timer, number, gettid())) {
        work_until_interrupt();
        OK(interrupts == 1 && timer.kind == TIMER_KIND_CPU, "a timer that cannot change stays");
    } else {
        NEED(claims_install_async(number, on_signal, NULL));
        work_elsewhere(NULL);
        EQ_INT(interrupts, 0, "a timer that has changed waits to be armed");
        timer_arm_async(&timer, 1000000);
        work_until_interrupt();
        EQ_INT(interrupts, 1, "and then interrupts by the other signal");
    }
    timer_destroy_async(&timer);
    claims_withdraw_async();
}

static bool is_default(int number)
{
    struct sigaction action;
    return claims_real_sigaction_async(number, NULL, &action) == 0 &&
           !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

/* With both signals, neither the program nor a child sees anything of either afterwards. */
static void test_two_signals(void)
{
    struct sigaction seen;
    NEED(claims_install_async(CLAIMS_RESERVED, on_signal, NULL));
    NEED(claims_install_async(SIGURG, on_signal, NULL));
    OK(!claims_install_async(SIGURG, on_another_signal, NULL), "one handler for both signals");
    OK(sigaction(SIGURG, NULL, &seen) == 0 && seen.sa_handler == SIG_DFL,
       "the program does not see that the second signal is in use");
    claims_withdraw_async();
    OK(is_default(SIGURG), "after the end nobody handles it");
    OK(claims_install_async(CLAIMS_RESERVED, on_another_signal, NULL),
       "nor has the reserved one a handler any more");
    claims_withdraw_async();
}

/* A program that closes all files gets the numbers for its own. */
static void test_file_of_the_program(void)
{
    if (!setup(TIMER_KIND_PERF))
        return;
    int own = dup2(STDERR_FILENO, timer.file);
    timer_destroy_async(&timer);
    OK(fcntl(own, F_GETFD) != -1, "perf: a file that took its number stays open");
    close(own);
}

static void test_another_handler_is_refused(void)
{
    const int number = timer_signal_async(TIMER_KIND_CPU);
    NEED(claims_install_async(number, on_signal, NULL));
    OK(!claims_install_async(number, on_another_signal, NULL) && errno == EBUSY,
       "a second handler is refused, so the first one stays");
    OK(claims_install_async(number, on_signal, NULL), "the same one is not");
    claims_withdraw_async();
    OK(claims_install_async(number, on_another_signal, NULL), "nor is another one later");
    claims_withdraw_async();
}

int main(void)
{
    OK(timer_tick_ns() >= 100000 && timer_tick_ns() <= 20000000, "the tick is %lld us",
       (long long)timer_tick_ns() / 1000);
    for (int kind = 0; kind < TIMER_KINDS; kind++)
        test_kind((enum timer_kind)kind);
    test_file_of_the_program();
    test_another_handler_is_refused();
    test_change();
    test_two_signals();
    return tap_done();
}
