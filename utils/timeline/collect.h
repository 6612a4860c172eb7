/*
 * The events of a trace by iteration, collected while it is read: calls, messages and samples
 * of the outermost iterations, or, where a trace has none, of all of it.  For timeline.c and
 * write_block.c.
 */
#ifndef TSPROF_COLLECT_H
#define TSPROF_COLLECT_H

#include "archive/archive.h"

#include <stddef.h>
#include <stdint.h>

/* A call of a function, in one thread. */
struct collected_call {
    uint64_t begin_ns, end_ns;
    uint32_t thread, region, depth;
};

struct collected_sample {
    uint64_t time_ns;
    uint32_t thread, region; /* the function that was sampled; TRACE_NONE: not known */
};

/* One iteration on all processes, or the whole trace. */
struct collected {
    uint32_t phase; /* a region; TRACE_NONE: the whole trace */
    uint64_t number;
    uint64_t begin_ns, end_ns;
    struct collected_call *calls;
    size_t call_count, call_room;
    struct message *messages;
    size_t message_count, message_room;
    struct collected_sample *samples;
    size_t sample_count, sample_room;
    bool left_out; /* there was no room for its calls */
};

struct collection_of_trace {
    struct collected *list; /* by when they begin */
    size_t count;
    uint64_t left_out; /* iterations that are not even named */
};

/* Reads TRACE, and keeps at most MOST_CALLS calls.  False, and ERROR, if it cannot be read. End
 * with collect_free. */
bool collect(struct trace *trace, size_t most_calls, struct collection_of_trace *collection,
             struct error *error);
void collect_free(struct collection_of_trace *collection);

#endif
