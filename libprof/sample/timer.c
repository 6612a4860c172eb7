/* See timer.h. */
#include "sample/timer.h"

#include "host/host.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum {
    /* The kernel's task clock does not fire sooner than this. */
    SOONEST_NS = 10000
};

static struct timespec to_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

int64_t timer_tick_ns(void)
{
    struct timespec tick;
    return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_sec == 0 ? tick.tv_nsec
                                                                                : 10000000;
}

/* The C library's close is a cancellation point: a cancelled thread would end in it. */
static void close_file_async(int file)
{
    syscall(SYS_close, file);
}

static bool is_free_async(int number)
{
    struct sigaction action;
    return claims_real_sigaction_async(number, NULL, &action) == 0 &&
           !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

static int cpu_signal_async(void)
{
    return CLAIMS_RESERVED;
}

static bool cpu_create(struct sample_timer *timer, int signal, int os_id)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal};
    event.sigev_notify_thread_id = os_id;
    /* The thread's CPU clock; the system's own encoding of pthread_getcpuclockid's answer. */
    clockid_t clock = (clockid_t)((~(unsigned)os_id << 3) | 6);
    return timer_create(clock, &event, &timer->posix) == 0;
}

static void cpu_arm_async(struct sample_timer *timer, int64_t ns)
{
    struct itimerspec once = {.it_value = to_timespec(ns)};
    timer_settime(timer->posix, 0, &once, NULL);
}

/* The CPU time of the calling thread. */
static int64_t cpu_now_async(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0
               ? now.tv_sec * INT64_C(1000000000) + now.tv_nsec
               : 0;
}

static bool cpu_sent_async(struct sample_timer *timer, const siginfo_t *info)
{
    (void)timer;
    return info->si_code == SI_TIMER;
}

static void cpu_destroy_async(struct sample_timer *timer)
{
    timer_delete(timer->posix);
}

/*
 * Not a real-time signal: when the queue for those is full the kernel sends SIGIO instead,
 * which kills a program that does not handle it.  SIGURG always arrives, and is ignored where
 * nobody handles it.
 */
static int perf_signal_async(void)
{
    return is_free_async(SIGURG) ? SIGURG : 0;
}

/*
 * An event that is due in the kernel is dropped, and would come a period later: what calls the
 * system often, or uses memory for the first time, would have too few.  With the kernel they
 * would interrupt the program's system calls, which some programs are not prepared for.
 */
static bool perf_open_async(struct sample_timer *timer, int signal, int os_id)
{
    struct perf_event_attr event = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof event,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = INT64_C(1) << 62,
        .wakeup_events = 1,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    struct f_owner_ex owner = {F_OWNER_TID, os_id};
    int file = (int)syscall(SYS_perf_event_open, &event, os_id, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0)
        return false;
    int moved = descriptors_move_async(file, DESCRIPTOR_TIMERS);
    if (moved >= 0) {
        close_file_async(file);
        file = moved;
    }
    timer->file = file;
    if (fcntl(file, F_SETOWN_EX, &owner) == 0 && fcntl(file, F_SETSIG, signal) == 0 &&
        fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
        return true;
    close_file_async(file);
    return false;
}

static bool perf_create(struct sample_timer *timer, int signal, int os_id)
{
    if (!perf_open_async(timer, signal, os_id))
        return false;
    timer->has_late = cpu_create(timer, cpu_signal_async(), os_id);
    return true;
}

/*
 * Armed for one interrupt only: while the signal is blocked an event that went on would
 * interrupt for nothing.  REFRESH adds one to those that an event has left, and one that was
 * dropped has its own left.  If its signal came, but the program has left the handler before it
 * noted that, it goes on until it interrupts the thread again.
 */
static void perf_arm_async(struct sample_timer *timer, int64_t ns)
{
    uint64_t period = (uint64_t)(ns < SOONEST_NS ? SOONEST_NS : ns);
    ioctl(timer->file, PERF_EVENT_IOC_PERIOD, &period);
    ioctl(timer->file, timer->waits ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_REFRESH, 1);
    timer->waits = true;
    if (timer->has_late) {
        const int64_t cpu_ns = cpu_now_async();
        timer->due_ns = cpu_ns + (int64_t)period;
        timer->apart_ns = clock_monotonic_ns_async() - cpu_ns;
        cpu_arm_async(timer, (int64_t)period + LATE_NS);
    }
}

static bool perf_sent_async(struct sample_timer *timer, const siginfo_t *info)
{
    if (info->si_signo != timer->signal)
        return timer->has_late && cpu_sent_async(timer, info);
    const bool sent = info->si_code > 0 && info->si_fd == timer->file;
    timer->waits = timer->waits && !sent;
    return sent;
}

/* A program that closes all descriptors may by now have a file of its own under this number. */
static void perf_destroy_async(struct sample_timer *timer)
{
    if (fcntl(timer->file, F_GETSIG) == timer->signal)
        close_file_async(timer->file);
}

static void both_destroy_async(struct sample_timer *timer)
{
    perf_destroy_async(timer);
    if (timer->has_late)
        cpu_destroy_async(timer);
}

static const struct {
    const char *name;
    int (*signal_async)(void);
    bool (*create)(struct sample_timer *timer, int signal, int os_id);
    void (*arm_async)(struct sample_timer *timer, int64_t ns);
    bool (*sent_async)(struct sample_timer *timer, const siginfo_t *info);
    void (*destroy_async)(struct sample_timer *timer);
} kinds[TIMER_KINDS] = {
    [TIMER_KIND_CPU] = {.name = "cpu",
                        .signal_async = cpu_signal_async,
                        .create = cpu_create,
                        .arm_async = cpu_arm_async,
                        .sent_async = cpu_sent_async,
                        .destroy_async = cpu_destroy_async},
    [TIMER_KIND_PERF] = {.name = "perf",
                         .signal_async = perf_signal_async,
                         .create = perf_create,
                         .arm_async = perf_arm_async,
                         .sent_async = perf_sent_async,
                         .destroy_async = both_destroy_async},
};

const char *timer_kind_name(enum timer_kind kind)
{
    return kinds[kind].name;
}

int timer_signal_async(enum timer_kind kind)
{
    return kinds[kind].signal_async();
}

bool timer_create_for(struct sample_timer *timer, enum timer_kind kind, int signal, int os_id)
{
    *timer = (struct sample_timer){.kind = (uint8_t)kind, .signal = signal};
    timer->exists = kinds[kind].create(timer, signal, os_id);
    return timer->exists;
}

bool timer_change_async(struct sample_timer *timer, int signal, int os_id)
{
    static const struct itimerspec disarmed;
    struct sample_timer perf = {.exists = true,
                                .has_late = true,
                                .kind = TIMER_KIND_PERF,
                                .posix = timer->posix,
                                .signal = signal};
    if (!perf_open_async(&perf, signal, os_id))
        return false;
    timer_settime(timer->posix, 0, &disarmed, NULL);
    *timer = perf;
    return true;
}

void timer_arm_async(struct sample_timer *timer, int64_t ns)
{
    if (timer->exists)
        kinds[timer->kind].arm_async(timer, ns > 0 ? ns : 1);
}

bool timer_sent_async(struct sample_timer *timer, const siginfo_t *info)
{
    return timer->exists && kinds[timer->kind].sent_async(timer, info);
}

bool timer_sent_late_async(const struct sample_timer *timer, const siginfo_t *info)
{
    return timer->kind == TIMER_KIND_PERF && info->si_signo != timer->signal;
}

int64_t timer_overdue_async(const struct sample_timer *timer)
{
    return cpu_now_async() - timer->due_ns;
}

int64_t timer_off_async(const struct sample_timer *timer)
{
    return clock_monotonic_ns_async() - cpu_now_async() - timer->apart_ns;
}

void timer_forget_async(struct sample_timer *timer)
{
    if (timer->exists && timer->kind == TIMER_KIND_PERF)
        perf_destroy_async(timer);
    timer->exists = false;
}

void timer_destroy_async(struct sample_timer *timer)
{
    /* A thread that ends and another that stops it may both call this at the same time. */
    if (__atomic_exchange_n(&timer->exists, false, __ATOMIC_ACQ_REL))
        kinds[timer->kind].destroy_async(timer);
}
