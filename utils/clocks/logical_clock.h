/*
 * A controlled logical clock (Rabenseifner): moves events to later times by as little as is
 * needed for each to come after what it depends on.  Works on a stream of events of all
 * threads, in the order of their own clocks; knows neither messages nor archives.
 *
 * What events depend on are gates.  A gate opens when all its sources have passed, such as the
 * entering of a barrier by all members; what passes through it, such as leaving the barrier, is
 * not earlier than any of them.  An event whose gate is closed waits, and with it what follows
 * on its thread.  So memory follows what waits: where clocks are right, hardly anything.
 *
 * Three runs over the same events make a correction: the first finds the jumps, the second how
 * far ramps before them may rise (archive/corrections.h), the third checks the outcome.
 */
#ifndef TSPROF_LOGICAL_CLOCK_H
#define TSPROF_LOGICAL_CLOCK_H

#include "archive/archive.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum clock_run { CLOCK_JUMPS, CLOCK_LIMITS, CLOCK_CHECK };

struct logical_clock;
struct gate;

/* What a run has found.  Violations are events that are earlier than what they depend on, by
 * their clocks (`before`), and by what the run has made of them (`after`). */
struct clock_findings {
    uint64_t events, dependencies, before, after;
    uint64_t moved, moved_ns, largest_ns; /* events, the sum and the largest of all moves */
    uint64_t given_up; /* events that did not wait any longer, since too many waited */
};

/* CORRECTIONS are added to in the first two runs, and must outlive the clock. */
struct logical_clock *logical_clock_create(size_t threads, enum clock_run run,
                                           struct corrections *corrections);
void logical_clock_free(struct logical_clock *clock);

/*
 * A gate with SOURCES, through which USES events pass, at least LATENCY_NS after its sources.
 * It is freed when all of these have passed or been called off.
 */
struct gate *gate_create(struct logical_clock *clock, size_t sources, size_t uses,
                         uint64_t latency_ns);
/* It opens into NEXT as well, as one of its sources. */
void gate_chain(struct gate *gate, struct gate *next);
/* A source, or a use, that does not come. */
void gate_no_source(struct logical_clock *clock, struct gate *gate);
void gate_no_use(struct logical_clock *clock, struct gate *gate);
/* Opens it without waiting any longer. */
void gate_give_up(struct logical_clock *clock, struct gate *gate);

/* Which moment of its thread an event is a source with. */
enum clock_source {
    SOURCE_EVENT, /* itself */
    SOURCE_ENTER, /* the latest that was marked `is_enter` */
    SOURCE_START, /* the latest `is_enter` when `request` was marked `is_start` */
};

#define CLOCK_NO_REQUEST UINT64_MAX

/* The ORDERth event of its thread. */
struct clock_event {
    uint32_t thread;
    uint64_t order, time_ns;
    bool is_enter, is_start;
    enum clock_source from;
    uint64_t request;     /* of starts, and of what ends them */
    struct gate *source;  /* that it is a source of; NULL */
    struct gate *through; /* that it passes through; NULL */
};

void logical_clock_take(struct logical_clock *clock, const struct clock_event *event);
/* After the last event: nothing waits any longer. */
void logical_clock_end(struct logical_clock *clock, struct clock_findings *findings);

#endif
