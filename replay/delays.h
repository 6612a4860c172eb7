/*
 * What a wait is charged to: the steps of delays.c that those who share an analysis take apart
 * (crew/crew_delays.c).  For these two.
 */
#ifndef TSPROF_REPLAY_DELAYS_H
#define TSPROF_REPLAY_DELAYS_H

#include "replay/causes.h"

/* A share of what is charged: to a path, or to a wait. */
struct share {
    uint32_t path, wait; /* one of them REPLAY_NONE */
    uint64_t ns;
};

struct delaying {
    struct replay *replay;
    const struct wait_list *waits;
    uint64_t *longterm_ns; /* by wait: what later waits charge to it */
    bool *propagates;      /* by wait */
    int64_t *node_ns;      /* by node: how much longer the one that is waited for was on it */
    uint32_t *nodes;       /* those of which that is known, */
    size_t node_count;
    bool *is_known;       /* which are these */
    struct share *shares; /* of the wait that is looked at */
    size_t share_count, share_room;
    uint32_t *path_shares; /* by path: 1 + its share; 0: none */
    uint64_t end_ns;       /* of that wait: others that end later have been charged already */
    int sign;              /* whose stays are being visited: +1 of the one that is waited for */
};

/* False if out of memory; then, too, delays_close. */
bool delays_open(struct delaying *delaying, struct replay *replay,
                 const struct wait_list *waits);
void delays_close(struct delaying *delaying);

/* The metric for what causes waits of METRIC. */
enum cause delay_of(const struct replay *replay, uint32_t metric);

/* How much longer the one that is waited for was on NODE. */
int64_t *delays_excess(struct delaying *delaying, uint32_t node);

/* Adds to `node_ns`, SIGN times, what THREAD did between these times without waiting; if SIGN
 * is +1, also to `shares` where it was, and how it waited. */
void delays_visit(struct delaying *delaying, int sign, uint32_t thread, uint64_t begin_ns,
                  uint64_t end_ns);

/* Cuts the shares to what is in excess, and returns their sum, which is not 0: where nothing
 * is, all is CAUSE_PATH's.  Forgets the nodes. */
uint64_t delays_share(struct delaying *delaying, uint32_t cause_path);

/* Forgets what was on the nodes of two threads. */
void delays_forget(struct delaying *delaying);

/* AMOUNT's part for those of WHOLE that lie between FROM and TO; all parts add up to it. */
uint64_t delays_part(uint64_t amount, uint64_t from, uint64_t to, uint64_t whole);

#endif
