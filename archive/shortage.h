/*
 * What is said where memory for events was used up, or where others than the best iterations
 * are in a trace.
 */
#ifndef TSPROF_SHORTAGE_H
#define TSPROF_SHORTAGE_H

#include "archive/choose.h"

/* Of one process, or of several together; start from all zeros. */
struct shortage {
    uint64_t processes; /* in which memory was used up */
    uint64_t given_up;  /* iterations that one of their threads gave up for that, at most */
    int64_t ended_ns;   /* of a trace of everything: when the first thread ended recording, from
                           the start of its process; 0: none did */
};

/* Adds what OTHER, of other processes, says.  Any context. */
void shortage_add(struct shortage *shortage, const struct shortage *other);

/* Writes it for another process, and reads what that wrote; errors are those of OUT and IN. */
void shortage_encode(const struct shortage *shortage, struct encoder *out);
void shortage_decode(struct shortage *shortage, struct decoder *in);

/*
 * Says it, a sentence at a time, to SAY: of a job of RANKS processes with SHORTAGE together,
 * where SPEC says what was asked for and SUPPLY offers those that were chosen.
 */
void shortage_tell(const struct shortage *shortage, const struct supply *supply,
                   const struct trace_spec *spec, size_t ranks, void (*say)(const char *text));

#endif
