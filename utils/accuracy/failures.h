/*
 * Samples whose stack could not be followed to the root, by where that ended.
 *
 * Such samples count as `samples_failed`, below an artificial region that says why (or on it).
 */
#ifndef TSPROF_FAILURES_H
#define TSPROF_FAILURES_H

#include "print/print.h"
#include "query/query.h"

#include <stdint.h>

/* The outermost frame that was reached: where stepping out failed. */
struct failure {
    uint32_t reason; /* the artificial region, or SUMMARY_NONE */
    uint32_t region; /* of the frame; SUMMARY_NONE if there was none */
    int64_t samples;
};

struct failures {
    int64_t samples, failed; /* of the whole run, on the selected locations */
    struct failure *list;    /* most samples first */
    size_t count;
};

/* For failures_free. */
struct failures failures_find(const struct selection *selection);
void failures_free(struct failures *failures);

/* Adds "memcpy in libc.so.6", or the reason if there is no frame; unescaped. */
void failure_add_place(struct text *text, const struct summary *summary,
                       const struct failure *failure);

#endif
