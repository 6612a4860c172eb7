/*
 * Recording single events (common/event_format.h).  Whether they are recorded at all is what
 * the caller asks first, with trace_records_async.
 */
#ifndef TSPROF_RECORD_H
#define TSPROF_RECORD_H

#include "common/event_short.h"
#include "trace/objects.h"
#include "trace/recorder.h"

#include <string.h>

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
 * The same out of line, of as many numbers as a record with a short form has at most.  They are
 * parameters so that they stay in registers where the record is a short one.
 */
void record_long_async(struct stream *stream, unsigned tag, unsigned count, uint64_t first,
                       uint64_t second, uint64_t third, uint64_t fourth, uint64_t fifth);

/*
 * The same of events, in the short form if the numbers allow it.  TAG and COUNT are constants,
 * so that of the loop only shifts are left.
 */
static inline __attribute__((always_inline)) void
record_event_async(struct stream *stream, unsigned tag, const uint64_t *numbers, unsigned count)
{
    if (event_short[tag][0] == 0) {
        record_append_async(stream, tag, numbers, count);
        return;
    }
    uint64_t words[2] = {tag | EVENT_SHORT, 0}, too_large = 0;
    unsigned bits[2] = {8, 0}, word = 0;
#ifdef __OPTIMIZE__
#pragma GCC unroll 8
#endif
    for (unsigned i = 0; i < count && i < EVENT_SHORT_FIELDS; i++) {
        const unsigned width = event_short[tag][i];
        word = bits[word] + width > 64 ? 1 : word;
        too_large |= numbers[i] >> width;
        words[word] |= numbers[i] << bits[word];
        bits[word] += width;
    }
    if (__builtin_expect(too_large != 0, 0)) {
        record_long_async(stream, tag, count, numbers[0], count > 1 ? numbers[1] : 0,
                          count > 2 ? numbers[2] : 0, count > 3 ? numbers[3] : 0,
                          count > 4 ? numbers[4] : 0);
        return;
    }
    /* There is room for more than is kept of them. */
    unsigned char *at = stream->at;
    memcpy(at, &words[0], sizeof words[0]);
    at += bits[0] / 8;
    if (bits[1] > 0)
        memcpy(at, &words[1], sizeof words[1]);
    stream_wrote_async(stream, at + bits[1] / 8);
}

/*
 * The same for events, if there is room or can be made.  The numbers are found afterwards:
 * times in them count from the latest event, or from where a new chunk begins.
 */
#define RECORD(thread, tag, ...)                                                               \
    do {                                                                                       \
        if (trace_make_room_async((thread)->trace))                                            \
            record_event_async(&(thread)->trace->stream, tag, (const uint64_t[]){__VA_ARGS__}, \
                               sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t));          \
    } while (0)

/* An MPI call of THREAD, with the node LEAF, from BEGIN_NS to END_NS. */
static inline __attribute__((always_inline)) void
trace_call_async(struct thread *thread, uint32_t leaf, int64_t begin_ns, int64_t end_ns)
{
    struct stream *stream = &thread->trace->stream;
    if (!trace_make_room_async(thread->trace))
        return;
    const uint64_t passed = record_time_async(stream, begin_ns);
    record_event_async(stream, EVENT_CALL,
                       (const uint64_t[]){passed, record_time_async(stream, end_ns), leaf}, 3);
}

/* A sample of THREAD in NODE at NS. */
static inline void trace_sample_async(struct thread *thread, uint32_t node, int64_t ns)
{
    RECORD(thread, EVENT_SAMPLE, record_time_async(&thread->trace->stream, ns), node);
}

/*
 * A function that tells of itself, with the node NODE: TAG is EVENT_ENTER, EVENT_LEAVE or
 * EVENT_VISIT.
 */
static inline __attribute__((always_inline)) void
trace_function_async(struct thread *thread, enum event_tag tag, uint32_t node, int64_t ns)
{
    RECORD(thread, tag, record_time_async(&thread->trace->stream, ns), node);
}

/*
 * A message of the call that was recorded last, TAG being EVENT_SEND or EVENT_RECEIVE.  COMM is
 * the communicator's number (objects.h).
 */
static inline __attribute__((always_inline)) void
trace_message_async(struct thread *thread, enum event_tag tag, uint32_t comm, int peer,
                    int message_tag, int64_t bytes)
{
    RECORD(thread, tag, comm, record_signed_async(peer), record_signed_async(message_tag),
           (uint64_t)bytes);
}

/*
 * The same of a message that REQUEST stands for, TAG being EVENT_START_SEND or
 * EVENT_DONE_RECEIVE.
 */
static inline __attribute__((always_inline)) void
trace_request_message_async(struct thread *thread, enum event_tag tag, uint64_t request,
                            uint32_t comm, int peer, int message_tag, int64_t bytes)
{
    RECORD(thread, tag, request, comm, record_signed_async(peer),
           record_signed_async(message_tag), (uint64_t)bytes);
}

/* A number for a request that THREAD makes, which no other of the process has. */
static inline uint64_t trace_new_request_async(struct thread *thread)
{
    enum { HANDFUL = 1024 }; /* threads hardly ever compete for them */
    struct trace *trace = thread->trace;
    if (__builtin_expect(trace->request == trace->request_end, 0)) {
        trace->request = objects_take_requests_async(HANDFUL);
        trace->request_end = trace->request + HANDFUL;
    }
    return trace->request++;
}

/* Something else about REQUEST. */
static inline __attribute__((always_inline)) void
trace_request_async(struct thread *thread, enum event_tag tag, uint64_t request)
{
    RECORD(thread, tag, request);
}

#endif
