/*
 * Recording single events (common/event_format.h).  Whether they are recorded at all is what
 * the caller asks first, with trace_records_async.
 */
#ifndef TSPROF_RECORD_H
#define TSPROF_RECORD_H

#include "trace/recorder.h"

/* Whether THREAD's events are recorded now. */
static inline bool trace_records_async(const struct thread *thread)
{
    return __builtin_expect(thread->trace != NULL, 0) && thread->trace->records;
}

static inline unsigned char *record_varint_async(unsigned char *at, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *at++ = (unsigned char)(value | 128);
    *at++ = (unsigned char)value;
    return at;
}

/* As records hold signed numbers: codec.h, encode_signed. */
static inline uint64_t record_signed_async(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

/* The time from the latest event in the stream to NS, which becomes the latest. */
static inline uint64_t record_time_async(struct stream *stream, int64_t ns)
{
    const int64_t passed = ns - stream->last_ns;
    if (passed <= 0)
        return 0;
    stream->last_ns = ns;
    return (uint64_t)passed;
}

/* Appends a record of COUNT numbers, at most six, for which there is room. */
static inline __attribute__((always_inline)) void record_append_async(struct stream *stream,
                                                                      unsigned tag,
                                                                      const uint64_t *numbers,
                                                                      unsigned count)
{
    unsigned char *at = stream->at;
    *at++ = (unsigned char)tag;
    for (unsigned i = 0; i < count; i++)
        at = record_varint_async(at, numbers[i]);
    stream_wrote_async(stream, at);
}

/*
 * The same for events, if there is room or can be made.  The numbers are found afterwards:
 * times in them count from the latest event, or from where a new chunk begins.
 */
#define RECORD(thread, tag, ...)                                                               \
    do {                                                                                       \
        if (trace_make_room_async((thread)->trace))                                            \
            record_append_async(&(thread)->trace->stream, tag,                                 \
                                (const uint64_t[]){__VA_ARGS__},                               \
                                sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t));         \
    } while (0)

/* An MPI call of THREAD, with the node LEAF, from BEGIN_NS to END_NS. */
static inline void trace_call_async(struct thread *thread, uint32_t leaf, int64_t begin_ns,
                                    int64_t end_ns)
{
    struct trace *trace = thread->trace;
    struct stream *stream = &trace->stream;
    if (!trace_make_room_async(trace))
        return;
    unsigned char *at = stream->at;
    *at++ = EVENT_CALL;
    at = record_varint_async(at, record_time_async(stream, begin_ns));
    at = record_varint_async(at, record_time_async(stream, end_ns));
    at = record_varint_async(at, leaf);
    stream_wrote_async(stream, at);
}

/* A sample of THREAD in NODE at NS. */
static inline void trace_sample_async(struct thread *thread, uint32_t node, int64_t ns)
{
    RECORD(thread, EVENT_SAMPLE, record_time_async(&thread->trace->stream, ns), node);
}

/*
 * A message of the call that was recorded last, TAG being EVENT_SEND or EVENT_RECEIVE.  COMM is
 * the communicator's number (objects.h).
 */
static inline void trace_message_async(struct thread *thread, enum event_tag tag, uint32_t comm,
                                       int peer, int message_tag, int64_t bytes)
{
    RECORD(thread, tag, comm, record_signed_async(peer), record_signed_async(message_tag),
           (uint64_t)bytes);
}

/*
 * The same of a message that REQUEST stands for, TAG being EVENT_START_SEND or
 * EVENT_DONE_RECEIVE.
 */
static inline void trace_request_message_async(struct thread *thread, enum event_tag tag,
                                               uint64_t request, uint32_t comm, int peer,
                                               int message_tag, int64_t bytes)
{
    RECORD(thread, tag, request, comm, record_signed_async(peer),
           record_signed_async(message_tag), (uint64_t)bytes);
}

/* Something else about REQUEST. */
static inline void trace_request_async(struct thread *thread, enum event_tag tag,
                                       uint64_t request)
{
    RECORD(thread, tag, request);
}

#endif
