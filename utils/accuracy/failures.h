/*
 * Samples whose stack could not be walked to its root, by the place where the walk ended.
 *
 * The metric `samples_failed` counts them, on an artificial region that says why or below it.
 */
#ifndef TSPROF_FAILURES_H
#define TSPROF_FAILURES_H

#include "print/print.h"
#include "query/query.h"

#include <stdint.h>

/* Samples whose walk ended at the same frame, for the same reason. */
struct failure {
    uint32_t reason; /* the artificial region that says why; or SUMMARY_NONE */
    uint32_t region; /* of the outermost frame that was reached; SUMMARY_NONE: there is none */
    int64_t samples;
};

struct failures {
    int64_t samples, failed; /* in the whole run, on the selected locations */
    struct failure *list;    /* those with most samples first */
    size_t count;
};

/* Finds them; free with failures_free. */
struct failures failures_find(const struct selection *selection);
void failures_free(struct failures *failures);

/* Adds "memcpy in libc.so.6", or the reason if there is no frame; unescaped. */
void failure_add_place(struct text *text, const struct summary *summary,
                       const struct failure *failure);

#endif
