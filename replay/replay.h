/*
 * Finds out why ranks wait: events of processes in, severities out.
 *
 * Matches messages, the instances of collective operations and the epochs of windows, and
 * searches them for wait states by patterns, each of which publishes what it finds.  Knows
 * neither MPI nor files.  Böhme, Geimer, Wolf and Arnold, Identifying the Root Causes of Wait
 * States in Large-Scale Parallel Applications (ICPP 2010), has the ideas; what is found is
 * defined in doc/waits.md.
 *
 *     replay = replay_create(&world);
 *     replay_take(replay, &event);              for every event
 *     replay_end(replay);
 *     replay_result(replay, &result);
 *     replay_free(replay);
 *
 * Program context, one thread for each replay.  Memory follows what is not matched, and what is
 * found; where threads were is kept for the search for causes.
 */
#ifndef TSPROF_REPLAY_H
#define TSPROF_REPLAY_H

#include "include/tsprof_pattern.h"
#include "replay/event.h"
#include "replay/paths.h"
#include "replay/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay;

/* A metric of the result: first those of common/metrics.def, then those of patterns. */
struct replay_metric {
    const char *name;
    uint32_t parent; /* smaller than its own number; REPLAY_NONE */
    enum metric_unit unit;
    const char *text;
};

/* A time in which a thread waited for another one. */
struct replay_wait {
    uint64_t begin_ns, ns;
    uint32_t metric;
    uint32_t path;         /* of the call that waited */
    uint32_t cause_path;   /* of the call that was waited for; REPLAY_NONE: nobody's */
    uint32_t cause_thread; /* REPLAY_NONE likewise */
    uint64_t cause_ns;     /* when that call was entered */
    /* When the first of the two went on after they had last synchronized, for both, after
     * replay_end. */
    uint64_t since_ns;
};

/* All waits, of one kind, of a call path of a thread for another thread. */
struct replay_pair {
    uint32_t metric;       /* of the waits */
    uint32_t thread, node; /* that waited */
    uint32_t cause_thread;
    uint64_t count, ns, longest_ns;
    uint32_t first_reason; /* of `reasons`; they add up to `ns` */
};

/* What delayed the thread that was waited for, as far as it made the other one wait. */
struct replay_reason {
    uint32_t pair, node;
    bool is_indirect; /* it waited there itself */
    uint64_t ns;
    uint32_t next; /* of the same pair; REPLAY_NONE */
};

/* What was found; all of it belongs to the replay. */
struct replay_result {
    const struct replay_metric *metrics;
    size_t metric_count;
    const struct tree_node *nodes;
    size_t node_count;
    const struct path *paths;
    size_t path_count;
    const struct path_value *values;
    const struct replay_wait *waits;
    size_t wait_count;
    const struct replay_pair *pairs;
    size_t pair_count;
    const struct replay_reason *reasons;
    uint64_t events, unmatched_sends, unmatched_receives;
};

/* WORLD must outlive the result.  NULL if out of memory. */
struct replay *replay_create(const struct replay_world *world);
void replay_free(struct replay *replay);

/* Takes in the next event.  False if memory has run out: then nothing is of use any more. */
bool replay_take(struct replay *replay, const struct replay_event *event);
bool replay_end(struct replay *replay);

/* Where a thread was, other than its events say. */
struct replay_stay {
    uint32_t thread, instance; /* as of an event */
    uint64_t until_ns;         /* begins with the thread's latest event or stay */
    const uint32_t *regions;   /* below the functions that are open, the outermost first */
    size_t region_count;
    size_t visit_count; /* so many of them, the innermost, have been visited once more */
    uint64_t samples;   /* that tell so */
};

/* Takes in where a thread was, before its next event; it is outside of MPI.  False as above. */
bool replay_stay(struct replay *replay, const struct replay_stay *seen);

/* In operations among neighbours on COMM, PROCESS receives from SOURCE, too; REPLAY_NONE: it is
 * known whom it receives from, those that are told from now on.  False as above. */
bool replay_source(struct replay *replay, uint32_t comm, uint32_t process, uint32_t source);

void replay_result(const struct replay *replay, struct replay_result *result);

/* The order in which the longest waits are kept: by metric, the longest first, then the
 * earliest, then by path; less than 0, 0 or more, as qsort wants it. */
int replay_wait_compare(const struct replay_wait *one, const struct replay_wait *other);

/* Where a thread was from BEGIN_NS on. */
struct replay_place {
    uint64_t begin_ns;
    uint32_t path; /* REPLAY_NONE: it was not recorded */
};

/* After replay_end: how many places THREAD went to, and the NUMBERth of them in the order of
 * time.  The last is where recording ended: the thread does not stay there. */
size_t replay_place_count(const struct replay *replay, uint32_t thread);
struct replay_place replay_place(const struct replay *replay, uint32_t thread, size_t number);

/* Before the first event: calls PATTERN's functions, but `begin`, with STATE, until `end` is
 * called by replay_end or replay_free.  Its metrics are not looked at; it may not publish.
 * False if out of memory. */
bool replay_listen(struct replay *replay, const struct tsprof_pattern *pattern, void *state);

/* What one who listens has found: AMOUNT of the METRICth of its metrics on PATH. */
struct replay_found {
    uint32_t metric, path;
    uint64_t amount;
};

/* Metrics of one who listens, and what it has found; `metric` and `path` say where it is wrong,
 * `most` how much there is of what it takes too much of. */
struct replay_adoption {
    const struct tsprof_metric *metrics;
    size_t metric_count;
    const struct replay_found *found; /* by metric, then path; each pair at most once */
    size_t found_count;
    uint32_t metric, path;
    uint64_t amount, most;
};

enum replay_adopted {
    REPLAY_ADOPTED,
    REPLAY_OUT_OF_MEMORY,
    REPLAY_NAME_TAKEN,    /* there is such a metric already */
    REPLAY_NO_PARENT,     /* there is no such metric */
    REPLAY_NO_UNIT,       /* nobody knows its unit */
    REPLAY_OTHER_UNIT,    /* than its parent */
    REPLAY_PARENT_IS_SUM, /* of others: it has nothing of its own */
    REPLAY_NO_PATH,       /* there is no such path */
    REPLAY_TOO_MUCH       /* more than the path has of the metric's parent */
};

/* After replay_end: adds the metrics to those of the result, and what was found to their
 * values.  It is taken from what their parents have by themselves, and cut to that.  All or
 * nothing, except that the result is of no use after REPLAY_OUT_OF_MEMORY. */
enum replay_adopted replay_adopt(struct replay *replay, struct replay_adoption *adoption);

#endif
