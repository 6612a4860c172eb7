/* Timers interrupt their own thread, after CPU time, and never one that waits. */
#include "host/claims.h"
#include "host/raw_signal.h"
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
    claims_install_async(CLAIMS_RESERVED, on_signal, NULL);
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
    EQ_INT(interrupts - once, 1 + timer.has_late,
           "%s: fires once, and what would make up for that, then waits to be armed", name);
    timer_destroy_async(&timer);
    int before = interrupts;
    work_elsewhere(NULL);
    EQ_INT(interrupts, before, "%s: nothing comes after its end", name);
    timer_destroy_async(&timer);
    claims_withdraw_async();
}

/* In the kernel nearly all of the time: MS milliseconds, or until an interrupt comes. */
static int64_t clear_pages(int64_t ms)
{
    static char pages[1 << 20];
    const int zero = open("/dev/zero", O_RDONLY), before = interrupts;
    const int64_t begin = cpu_ns();
    while (interrupts == before && cpu_ns() - begin < ms * 1000000)
        if (read(zero, pages, sizeof pages) < 0)
            break;
    close(zero);
    return cpu_ns() - begin;
}

/* What is due in the kernel comes at the next tick, by either kind; at the one after at most.
 */
static void test_in_kernel(enum timer_kind kind)
{
    const int64_t ns = 5000000, most = ns + LATE_NS + 2 * timer_tick_ns();
    const int times = 10;
    int in_time = 0;
    if (!setup(kind))
        return;
    for (int i = 0; i < times; i++) {
        timer_arm_async(&timer, ns);
        in_time += clear_pages(200) <= most;
    }
    OK(in_time >= times * 7 / 10, "%s: interrupts who is in the kernel (%d of %d in time)",
       timer_kind_name(kind), in_time, times);
    timer_destroy_async(&timer);
    claims_withdraw_async();
}

/* Whoever makes up for an event can tell when that was due, and whether it was taken already.
 */
static void test_overdue(void)
{
    if (!setup(TIMER_KIND_PERF))
        return;
    const siginfo_t event = {.si_signo = timer.signal}, late = {.si_signo = CLAIMS_RESERVED};
    OK(timer_sent_late_async(&timer, &late) && !timer_sent_late_async(&timer, &event),
       "an event and what makes up for it can be told apart");
    timer_arm_async(&timer, 5000000);
    OK(timer_overdue_async(&timer) < LATE_NS, "what is armed is not overdue");
    clear_pages(200);
    int64_t overdue = timer_overdue_async(&timer);
    /* The event may have come just between two system calls. */
    for (int i = 0; i < 20 && overdue < LATE_NS; i++) {
        timer_arm_async(&timer, 5000000);
        clear_pages(200);
        overdue = timer_overdue_async(&timer);
    }
    OK(overdue >= LATE_NS && overdue < 195000000, "what was due in the kernel is (%lld us)",
       (long long)overdue / 1000);
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

static void stop(void)
{
    timer_destroy_async(&timer);
}

/*
 * When the program wants one signal, what is on its way by the other must still find a handler:
 * without one it would end the program.
 */
static void test_claimed_by_the_program(void)
{
    struct raw_action reserved;
    const struct sigaction own = {.sa_handler = SIG_IGN};
    struct sigaction before;
    NEED(claims_install_async(CLAIMS_RESERVED, on_signal, stop));
    NEED(claims_install_async(SIGURG, on_signal, stop));
    OK(sigaction(SIGURG, &own, &before) == 0 && before.sa_handler == SIG_DFL,
       "the program may have the second signal");
    OK(raw_sigaction_async(CLAIMS_RESERVED, NULL, &reserved) == 0 &&
           reserved.handler == on_signal,
       "the reserved one keeps its handler");
    claims_withdraw_async();
    OK(sigaction(SIGURG, NULL, &before) == 0 && before.sa_handler == SIG_IGN,
       "and the program its own, also when the sampler withdraws");
    signal(SIGURG, SIG_DFL);
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
    for (int kind = 0; kind < TIMER_KINDS; kind++) {
        test_kind((enum timer_kind)kind);
        test_in_kernel((enum timer_kind)kind);
    }
    test_overdue();
    test_file_of_the_program();
    test_another_handler_is_refused();
    test_change();
    test_two_signals();
    test_claimed_by_the_program();
    return tap_done();
}
