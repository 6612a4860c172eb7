/* Where the events of a thread are written to, and in which time.  For this folder. */
#ifndef TSPROF_ARCHIVE_OUT_H
#define TSPROF_ARCHIVE_OUT_H

#include "archive/events.h"

struct out {
    const struct otf2 *otf2;
    OTF2_EvtWriter *writer;
    const struct time_line *time_line;
    uint64_t latest; /* no event may come before it */
    struct written written;
};

/* The time in the archive of an event at NS, the latest one so far. */
static inline uint64_t out_time(struct out *out, int64_t ns)
{
    const uint64_t time = time_line_at(out->time_line, ns);
    if (time > out->latest)
        out->latest = time;
    if (out->latest < out->written.first)
        out->written.first = out->latest;
    out->written.last = out->latest;
    return out->latest;
}

/* Writes the event that OTF2_EvtWriter_NAME does, at TIME. */
#define OUT(out, name, time, ...)                                                              \
    ((out)->written.failed |=                                                                  \
     (out)->otf2->EvtWriter_##name((out)->writer, NULL, time, ##__VA_ARGS__) != OTF2_SUCCESS)

#endif
