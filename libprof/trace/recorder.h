/* Which stretches of a thread's time are recorded, and which of them are kept. */
#ifndef TSPROF_RECORDER_H
#define TSPROF_RECORDER_H

#include "common/trace_spec.h"
#include "counters/counters.h"
#include "timeline/timeline.h"
#include "trace/novelty.h"
#include "trace/stream.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TRACE_SERIES_MOST = EVENT_FILE_SERIES,
    TRACE_KEPT_MOST = 1024, /* iterations of a thread, but for those in a list */
    /* So many times more are kept than were asked for, and at least so many. */
    TRACE_SPARE = 16,
    TRACE_KEPT_LEAST = 256,
    TRACE_KEPT_SERIES = 4 /* for so many series there is room for that; more share it */
};

/* An iteration that is kept. */
struct kept {
    struct stretch stretch;
    uint32_t series;
    uint64_t number;
    double score; /* the least important has the lowest */
};

/* What the events of a thread are recorded with. */
struct trace {
    bool records; /* some stretch is open that may be kept */
    struct stream stream;
    uint32_t open;    /* set of the levels that began such a stretch; bit 0: all is recorded */
    uint32_t forgone; /* set of the levels that began one for which there was no memory */
    struct stream_place begun[LEVELS_MOST];
    uint64_t number[LEVELS_MOST]; /* of the iteration that a level in these sets began */
    uint32_t kept_count;
    struct kept *kept;
    uint32_t generation[TRACE_SERIES_MOST]; /* how often a series was dropped */
    uint32_t shown_as[TRACE_SERIES_MOST];   /* phase, where the series itself does not say */
    struct event_series *published;         /* what the file says of series; NULL: nothing */
    struct event_lost *published_lost;      /* and of what was let go, likewise */
    int64_t *published_end;                 /* and of the end of recording, likewise */
    struct novelty novelty;
    int64_t counted[COUNTERS_MOST]; /* what the counters had counted at the latest event */
    struct event_lost lost[TRACE_SERIES_MOST]; /* what was let go */
    int64_t ended_ns;              /* TRACE_ALL: when memory was used up; 0: it was not */
    uint64_t request, request_end; /* numbers for the thread's requests; equal: none left */
};

/* What TSPROF_TRACE says.  Any context, once trace_start has been called. */
extern struct trace_spec trace_spec;

/* Whether this process keeps events. */
static inline bool trace_is_on_async(void)
{
    return trace_spec.choice != TRACE_NOTHING;
}

/* Reads the setting and reserves memory.  Program context, once, before the first thread. */
void trace_start(void);

/* Bytes that a thread's recorder takes from its arena; 0 where no events are kept. */
size_t trace_recorder_bytes(void);

/*
 * Gives THREAD, which is new, what its events are recorded with, if they are.  False if there
 * is no memory.
 */
bool trace_attach(struct thread *thread);

/* THREAD has got its number.  Before its first event. */
void trace_name_stream(struct thread *thread);

/*
 * An iteration has begun on THREAD's innermost level: number ITERATION of the phase called
 * NAME, NULL if that is not known yet.  For this function and the next four THREAD must have a
 * `trace`.
 */
void trace_begin_iteration_async(struct thread *thread, uint64_t iteration, const char *name);

/* The iteration of the innermost level, whose profile is complete, ends at NS. */
void trace_end_iteration_async(struct thread *thread, int64_t ns);

/* The same of an instance of a phase whose instances are summed. */
void trace_begin_phase_async(struct thread *thread);
void trace_end_phase_async(struct thread *thread, int64_t ns);

/* What the counters of THREAD, which has some, have counted up to the end of the latest call.
 */
void trace_counts_async(struct thread *thread);

/* The innermost level has turned out to be no iteration. */
void trace_undo_iteration_async(struct thread *thread);

/* No iteration of SERIES so far is one any more. */
void trace_drop_series_async(struct thread *thread, uint32_t series);

/* The iterations of SERIES, a loop that was found, are shown as those of PHASE. */
void trace_show_series(struct thread *thread, uint32_t series, uint32_t phase);

/*
 * If the process ended now those of SERIES would be, and of the other loops since
 * trace_propose_none_async none.  Any context.
 */
void trace_propose_none_async(const struct thread *thread);
void trace_propose_series_async(const struct thread *thread, uint32_t series, uint32_t phase);

/*
 * Whether a record of EVENT_RECORD_MOST bytes can be appended to what is recorded; if there is
 * no memory, kept iterations give way, and at last those that are open.
 */
bool trace_find_room_async(struct trace *trace);

static inline bool trace_make_room_async(struct trace *trace)
{
    return __builtin_expect(trace->records &&
                                trace->stream.end - trace->stream.at >= EVENT_RECORD_MOST,
                            1) ||
           trace_find_room_async(trace);
}

#endif
