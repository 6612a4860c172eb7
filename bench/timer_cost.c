/*
 * What interrupts of a performance event cost, armed anew for each or standing.
 *
 *     timer_cost anew|standing RATE
 *
 * Computes for two seconds.  Prints the microseconds that arming took for each interrupt, and
 * those that the loop missed in gaps of more than a microsecond: the interrupt, the signal, the
 * handler, and what the machine did otherwise, so it wants to be alone on it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int file;
static int anew;
static uint64_t period;
static volatile long interrupts;
static volatile double arming_ns;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void on_event(int number)
{
    (void)number;
    interrupts++;
    if (!anew)
        return;
    const double begin = now_ns();
    /* Not always the same, as random gaps are not. */
    uint64_t next = period / 2 + (uint64_t)interrupts * 7919 % period;
    ioctl(file, PERF_EVENT_IOC_PERIOD, &next);
    ioctl(file, PERF_EVENT_IOC_REFRESH, 1);
    arming_ns += now_ns() - begin;
}

static int open_event(void)
{
    struct perf_event_attr event = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof event,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = period,
        .wakeup_events = 1,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    struct f_owner_ex owner = {F_OWNER_TID, gettid()};
    file = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return file >= 0 && fcntl(file, F_SETOWN_EX, &owner) == 0 &&
           fcntl(file, F_SETSIG, SIGURG) == 0 &&
           fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
}

/* Nanoseconds that are missing in SECONDS of reading the clock. */
static double missed_ns(double seconds)
{
    const double begin = now_ns();
    double missed = 0, last = begin;
    while (last - begin < 1e9 * seconds) {
        const double now = now_ns();
        if (now - last > 1000)
            missed += now - last;
        last = now;
    }
    return missed;
}

int main(int argc, char **argv)
{
    if (argc != 3 || atof(argv[2]) <= 0) {
        fprintf(stderr, "usage: timer_cost anew|standing RATE\n");
        return 2;
    }
    anew = strcmp(argv[1], "anew") == 0;
    period = (uint64_t)(1e9 / atof(argv[2]));
    const struct sigaction action = {.sa_handler = on_event, .sa_flags = SA_RESTART};
    if (!open_event() || sigaction(SIGURG, &action, NULL) != 0) {
        perror("timer_cost");
        return 1;
    }
    if (anew)
        ioctl(file, PERF_EVENT_IOC_REFRESH, 1);
    else
        ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
    const double missed = missed_ns(2);
    const double count = interrupts ? (double)interrupts : 1;
    printf("%.2f %.1f\n", arming_ns / count / 1000, missed / count / 1000);
    return 0;
}
