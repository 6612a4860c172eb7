/*
 * Timers that interrupt one thread after some of its own CPU time.
 *
 * Neither of the two kinds ever wakes a thread that waits, so no system call of the program
 * is interrupted.
 *
 * A timer of kind cpu is a POSIX timer on the thread's CPU time. It is allowed everywhere
 * and costs nothing but its interrupts; but it expires only at the first tick of the kernel
 * after it is due (timer_tick_ns). Since Linux 5.9 the signal is generated on the way back
 * to the program, when a system call under way has been left already.
 *
 * A timer of kind perf is a performance event of the kernel's task clock, exact to
 * microseconds. It counts while the thread runs and fires in the program's own code only, so
 * it cannot hit a system call; but it needs a file descriptor, is forbidden in many places
 * (kernel.perf_event_paranoid above 2, containers), and makes each switch between threads
 * about a microsecond longer. What is due while the thread is in the kernel is dropped by the
 * event; a timer of kind cpu beside it, due a little later, makes up for that at the next tick,
 * when the thread is back in the program; before Linux 5.9 maybe before that.
 *
 * Functions that end in _async are async-signal-safe; the others are for program context.
 */
#ifndef TSPROF_TIMER_H
#define TSPROF_TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum timer_kind { TIMER_KIND_CPU, TIMER_KIND_PERF, TIMER_KINDS };

/* So much later than a performance event the timer beside it is due: events come first. */
enum { LATE_NS = 100000 };

struct sample_timer {
    bool exists;
    bool has_late;    /* perf: there is a cpu timer beside it */
    uint8_t kind;     /* enum timer_kind */
    timer_t posix;    /* cpu, and beside perf */
    int file;         /* perf */
    int signal;       /* that it sends; what is beside perf sends that of kind cpu */
    bool waits;       /* perf: the event has been armed, and has not interrupted the thread */
    int64_t due_ns;   /* perf: when it was to interrupt, in the thread's CPU time */
    int64_t apart_ns; /* how much the clock was ahead of that time when it was armed */
};

/* The kind's name: "cpu" or "perf". */
const char *timer_kind_name(enum timer_kind kind);

/* The kernel's tick in nanoseconds, which timers of kind cpu are rounded up to. */
int64_t timer_tick_ns(void);

/* A signal for timers of a kind that the program does not use; 0 if there is none. */
int timer_signal_async(enum timer_kind kind);

/*
 * Makes TIMER one that sends SIGNAL to thread OS_ID, the calling thread or another of the
 * process, once it is armed.  False with errno set if the system does not allow it.  From now
 * on the thread may be interrupted.
 */
bool timer_create_for(struct sample_timer *timer, enum timer_kind kind, int signal, int os_id);

/*
 * Makes TIMER, which exists and is of kind cpu, one of kind perf that sends SIGNAL to thread
 * OS_ID, not armed yet; the one that it was stays beside it.  False with errno set, and TIMER
 * as it was, if the system does not allow it.
 */
bool timer_change_async(struct sample_timer *timer, int signal, int os_id);

/*
 * Arms the timer for one interrupt after NS more nanoseconds of the thread's CPU time; replaces
 * what was armed before.  To be called by that thread.  If a timer of kind perf is not armed
 * again when it has interrupted the thread, what would have made up for that follows.
 */
void timer_arm_async(struct sample_timer *timer, int64_t ns);

/* Whether a signal came from TIMER; to be asked once of each, by the thread that has it. */
bool timer_sent_async(struct sample_timer *timer, const siginfo_t *info);

/* Whether that signal makes up for one that TIMER's performance event has dropped. */
bool timer_sent_late_async(const struct sample_timer *timer, const siginfo_t *info);

/*
 * For how many nanoseconds of its CPU time the calling thread has run since TIMER, its own and
 * of kind perf, was to interrupt it; below LATE_NS if it has been armed again since such a
 * signal was sent.
 */
int64_t timer_overdue_async(const struct sample_timer *timer);

/*
 * For how many nanoseconds the calling thread has had no processor since TIMER, its own and of
 * kind perf, was armed last.
 */
int64_t timer_off_async(const struct sample_timer *timer);

/*
 * Forgets a timer in a child of fork, which inherits no timer but maybe the descriptor of a
 * perf event.
 */
void timer_forget_async(struct sample_timer *timer);

/* Destroys a timer; does nothing if it does not exist.  Its signal may still be pending. */
void timer_destroy_async(struct sample_timer *timer);

#endif
