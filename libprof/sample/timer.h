/*
 * Timers that interrupt one thread after some of its own CPU time.
 *
 * None of them ever wakes a thread that waits: a program that does not expect a system call to
 * be interrupted sees none that is.  Two kinds:
 *
 * cpu   A POSIX timer on the thread's CPU time.  Allowed everywhere, costs nothing but its
 *       interrupts; but it expires only when the kernel's tick finds it due (tick_ns).  Since
 *       Linux 5.9 the signal is made on the way back to the program, when a system call under
 *       way has been left already.
 * perf  A performance event of the kernel's task clock, exact to microseconds.  Counts while
 *       the thread runs and fires in the program's own code only, so it cannot hit a system
 *       call; but it needs a file descriptor, is forbidden in many places
 *       (kernel.perf_event_paranoid above 2, containers), and makes each switch between threads
 *       about a microsecond longer.
 */
#ifndef TSPROF_TIMER_H
#define TSPROF_TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum timer_kind { TIMER_KIND_CPU, TIMER_KIND_PERF, TIMER_KINDS };

struct sample_timer {
    bool exists;
    uint8_t kind;  /* enum timer_kind */
    timer_t posix; /* cpu */
    int file;      /* perf */
    int signal;    /* perf: what the file was made to send */
};

/* "cpu", "perf". */
const char *timer_kind_name(enum timer_kind kind);

/* The kernel's tick in nanoseconds: what timers of kind cpu are rounded up to. */
int64_t timer_tick_ns(void);

/*
 * The signal for timers of a kind: not one that the program uses; 0 when there is none.
 * Program context.
 */
int timer_signal(enum timer_kind kind);

/*
 * A timer that sends SIGNAL to thread OS_ID, the calling one or another of the process; due
 * only when armed.  False with errno set if the system does not allow it.  Program context; the
 * thread may be interrupted from now on.
 */
bool timer_create_for(struct sample_timer *timer, enum timer_kind kind, int signal, int os_id);

/* One interrupt, after NS more nanoseconds of CPU time; replaces what was armed. */
void timer_arm_async(struct sample_timer *timer, int64_t ns);

/* Whether a signal came from TIMER. */
bool timer_sent_async(const struct sample_timer *timer, const siginfo_t *info);

/* Leaves nothing of a timer in a child of fork, where there is none but maybe its file. */
void timer_forget_async(struct sample_timer *timer);

/* Ends a timer; one that does not exist is allowed. A signal may still be pending. */
void timer_destroy_async(struct sample_timer *timer);

#endif
