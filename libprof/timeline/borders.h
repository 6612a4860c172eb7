/*
 * Where iterations begin and end: a log that one thread writes and the others read.
 *
 * Usually one thread, the first, runs the code with the markers, and what the other threads do
 * meanwhile belongs to the same iterations.  The first thread that marks an iteration leads: it
 * enters its borders here, and each of the others cuts its own time line at them when it next
 * has something to measure (iterations/follow.h).  The log is a ring and takes no lock: a
 * reader that is too late sees that its border has been overwritten.
 */
#ifndef TSPROF_BORDERS_H
#define TSPROF_BORDERS_H

#include <stdbool.h>
#include <stdint.h>

enum { BORDERS_KEPT = 4096 };

struct border {
    int64_t ns;
    uint64_t iteration; /* number of the instance in its series */
    uint32_t series;    /* of the leading thread */
    bool begins;        /* the iteration begins here; false: it ends here */
};

struct thread;

/* The thread that leads, NULL until one does. */
extern struct thread *borders_led_by;

/* Reads it.  Any context. */
static inline struct thread *borders_leader_async(void)
{
    return __atomic_load_n(&borders_led_by, __ATOMIC_ACQUIRE);
}

/* Number of borders entered so far. */
extern uint64_t borders_count __attribute__((visibility("hidden")));

/* Reads it.  Any context. */
static inline uint64_t borders_count_async(void)
{
    return __atomic_load_n(&borders_count, __ATOMIC_ACQUIRE);
}

/* The `next_border` of a thread that does not follow. */
#define BORDERS_NEVER UINT64_MAX

/* Whether border NEXT has been entered already. */
static inline bool borders_due_async(uint64_t next)
{
    return next < __atomic_load_n(&borders_count, __ATOMIC_RELAXED);
}

/*
 * Makes THREAD the leader if there is none.  Returns whether it leads.  Any thread may call it.
 */
bool borders_lead_async(struct thread *thread);

/* Enters the next border in the log.  Only the leading thread may call it. */
void borders_enter_async(const struct border *border);

/* Copies border NUMBER, which has been entered.  Returns false if it was overwritten since. */
bool borders_read_async(uint64_t number, struct border *border);

#endif
