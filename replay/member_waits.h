/*
 * Waiting where many meet: what the patterns of collective operations have in common.  For
 * those, and for collectives.c.
 */
#ifndef TSPROF_REPLAY_MEMBER_WAITS_H
#define TSPROF_REPLAY_MEMBER_WAITS_H

#include "include/tsprof_pattern.h"

/* A pattern that keeps nothing but through whom it publishes. */
struct publisher {
    struct tsprof_analysis *analysis;
    const struct tsprof_analysis_functions *functions;
};

void *publisher_begin(struct tsprof_analysis *analysis,
                      const struct tsprof_analysis_functions *functions);
void publisher_end(void *publisher);

/* MEMBER waits from its call on until OTHER has started; nothing if it had before. */
void publish_member_wait(const struct publisher *publisher, unsigned metric,
                         const struct tsprof_member *member, const struct tsprof_member *other);

/* All wait for the one who starts last. */
void publish_waits_for_all(const struct publisher *publisher, unsigned metric,
                           const struct tsprof_collective *collective);

/* What all spend after the first has left. */
void publish_completions(const struct publisher *publisher, unsigned metric,
                         const struct tsprof_collective *collective);

/* Whether it is about a window of one-sided communication. */
bool is_of_window(const struct tsprof_collective *collective);

/* Whether there is a time at which all are in the operation.  If there is none nobody has
 * waited for all, as in fences whose assertions say that there is nothing to wait for. */
bool all_have_met(const struct tsprof_collective *collective);

/* Whether ONE waits for OTHER where all wait for all: in an intercommunicator for the other
 * group only. */
bool waits_for(const struct tsprof_collective *collective, const struct tsprof_member *one,
               const struct tsprof_member *other);

#endif
