/*
 * What a pattern says of itself and publishes: read, and checked as what comes from a stranger.
 * For this room; program context.
 */
#ifndef TSPROF_ANSWERS_H
#define TSPROF_ANSWERS_H

#include "base/base.h"
#include "plugins/wire.h"
#include "replay/replay.h"

/* Start from all zeros; free with answers_free. */
struct answers {
    struct memory_pool pool; /* has the texts */
    uint32_t subscriptions;  /* bits by enum wire_event */
    struct tsprof_metric *metrics;
    size_t metric_count;
    struct replay_found *found; /* sums: each metric of a path once */
    size_t found_count, found_room;
    struct index index; /* of `found` */
    uint64_t *claimed;  /* by call of a batch, then by metric: what was published of it */
};

void answers_free(struct answers *answers);

/* Reads HELLO.  False, and ERROR, if there is something wrong with it. */
bool answers_hello(struct answers *answers, struct decoder *in, struct error *error);

/* CALLS are told of now: FOUND may be about these until the next call of it. */
void answers_expect(struct answers *answers, size_t calls);

/* Reads FOUND, about the CALLS of BATCH.  False, and ERROR, if there is something wrong. */
bool answers_found(struct answers *answers, struct decoder *in, const struct batch *batch,
                   struct error *error);

/* After END: adds all to the result of REPLAY.  False, and ERROR, if the pattern is wrong; then
 * nothing was changed. */
bool answers_adopt(struct answers *answers, struct replay *replay, struct error *error);

#endif
