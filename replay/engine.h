/*
 * How the analysis is put together; for the files of this folder only.
 *
 *     events -> calls (calls.c)
 *            -> messages, collectives, epochs: what belongs together (messages.c,
 *               collectives.c, fences.c, epochs.c, locks.c)
 *            -> patterns (patterns.c and the tables that it lists)
 *            -> severities (publish.c): values of paths, waits
 *            -> causes (delays.c, critical_path.c, impact.c), from the waits and from where
 *               threads were
 */
#ifndef TSPROF_REPLAY_ENGINE_H
#define TSPROF_REPLAY_ENGINE_H

#include "common/index.h"
#include "include/tsprof_pattern.h"
#include "replay/crew/share.h"
#include "replay/event.h"
#include "replay/pairs.h"
#include "replay/paths.h"
#include "replay/pool.h"
#include "replay/replay.h"
#include "replay/syncs.h"
#include "replay/topology/sources.h"

/* Transfers of a process between two fences of a window; their calls are held. */
struct transfers {
    struct tsprof_transfer *list; /* targets are processes */
    size_t list_count, list_room;
};

/* What a call has to do with a collective operation. */
struct membership {
    struct tsprof_member member; /* its call is CALL's */
    struct call *call;
    struct collective *collective;
    struct membership *next_in_call;
    struct transfers transfers; /* of a fence */
    uint32_t process;
    uint32_t operation, root; /* as this one says; root: a process */
    bool has_left;
};

/* A time that a pattern has published. */
struct found_time {
    uint32_t metric;
    uint64_t ns;
};

enum { DETAILS_MOST = 4 };

/* A call of MPI, from when it is entered until all is known of it. */
struct call {
    struct tsprof_call view; /* first, so that a pattern's call is one of these */
    bool is_open;
    bool is_foreign; /* of a process that is not its own: nothing is told of it */
    bool met_all;    /* it ended an operation in which all have synchronized */
    unsigned held;   /* by itself while it is open, and by everything that is not matched yet */
    struct replay_wait wait;                 /* the longest that was published; 0 ns: none */
    struct found_time completion;            /* likewise, of times without a cause */
    struct found_time details[DETAILS_MOST]; /* metrics that are parts of the wait */
    unsigned detail_count;
    struct membership *memberships;
    struct epoch *ends_epoch; /* of a window, until it is left */
    struct locked *locked;    /* what it has to do with a lock */
};

/* A message, from when its send begins until both ends have been told. */
struct message {
    struct tsprof_message view; /* first */
    struct call *sent_in;       /* the call that ends the send; NULL: not yet */
    uint64_t request, sent_ns;
    uint32_t to; /* process */
    enum { MESSAGE_SENT, MESSAGE_MATCHED, MESSAGE_LOST } state;
    unsigned ends;                   /* that have not been told */
    struct message *next;            /* in its channel */
    struct message *next_open;       /* of the sends of a thread that are not complete */
    struct message *older, *younger; /* of those to the same process that are not received */
};

/* From BEGIN_NS on the thread was on PATH. */
struct stay {
    uint64_t begin_ns;
    uint32_t path; /* REPLAY_NONE: nothing is known */
};

struct frame {
    uint32_t path, region;
    uint64_t enter_ns;
    struct call *call; /* NULL: not a call of MPI */
};

struct thread_state {
    struct frame *frames;
    size_t frames_count, frames_room;
    struct stay *stays;
    size_t stays_count, stays_room;
    uint64_t since_ns; /* until when its time is accounted for */
    uint32_t root, root_instance;
    bool is_on;
};

/* A thread has synchronized with one of another process, which went on when a call was left. */
struct open_note {
    struct tsprof_point other; /* when that call was entered */
    uint64_t ns;
    uint32_t thread;
};

/* A pattern that listens. */
struct listener {
    const struct tsprof_pattern *pattern;
    struct tsprof_analysis *analysis; /* NULL: it publishes nothing here (replay_listen) */
    void *state;
    bool ended; /* it is told of nothing any more */
};

/* One of those that hear of calls, in their order. */
struct callee {
    void (*on_call)(void *state, const struct tsprof_call *call);
    void *state;
};

/* Through which a pattern publishes: it has its own. */
struct tsprof_analysis {
    struct replay *replay;
    uint32_t first_metric;
};

struct replay {
    const struct replay_world *world;
    const struct replay_share *share; /* NULL: all processes are its own */
    bool **told; /* by communicator, of the scout: who of the team takes part in it */
    struct open_note *open_notes;
    size_t open_notes_count, open_notes_room;
    struct paths paths;
    struct pairs pairs;
    struct thread_state *threads;
    struct pool calls, message_pool, membership_pool, collective_pool, lockeds;
    struct matching *messages;
    struct collectives *collectives;
    struct syncs *syncs;
    struct fences *fences;
    struct epochs *epochs;
    struct locks *locks;
    struct sources *sources;
    uint32_t first_cause; /* of the metrics of causes.h */
    struct replay_metric *metrics;
    size_t metrics_count, metrics_room;
    struct listener *listeners;
    size_t listeners_count, listeners_room;
    struct callee *callees;
    size_t callees_count, callees_room;
    bool hears_visits; /* some listener is told of every function */
    struct replay_wait *waits;
    size_t waits_count, waits_room;
    uint64_t events;
    uint64_t unmatched_sends, unmatched_receives;
    bool failed; /* out of memory: nothing is taken any more */
};

/* replay.c: one that shares the analysis; SHARE must outlive it.  NULL if out of memory. */
struct replay *replay_create_shared(const struct replay_world *world,
                                    const struct replay_share *share);

/* calls.c */
void calls_enter(struct replay *replay, const struct replay_event *event);
void calls_leave(struct replay *replay, const struct replay_event *event);
void calls_off(struct replay *replay, const struct replay_event *event);
void calls_stay(struct replay *replay, const struct replay_stay *seen);
/* The innermost call of MPI that THREAD is in, or NULL. */
struct call *calls_current(const struct replay *replay, uint32_t thread);
void call_hold(struct call *call);
/* Gives CALL to the patterns when nobody holds it any more. */
void call_release(struct replay *replay, struct call *call);
/* Where THREAD is, as a point at TIME_NS. */
struct tsprof_point calls_point(const struct replay *replay, uint32_t thread, uint64_t time_ns);

/* When the call that POINT is the beginning of was left; UNTIL_NS if that is later, or not
 * known yet. */
uint64_t calls_left_ns(const struct replay *replay, struct tsprof_point point,
                       uint64_t until_ns);
/* Whether something at NS happened while CALL went on, so that CALL may have waited for it. */
bool calls_is_within(const struct tsprof_call *call, uint64_t ns);
/* Notes that CALL, which was left, has waited for OTHER, the beginning of a call: they have
 * synchronized.  False if out of memory. */
bool calls_note_pair(struct replay *replay, const struct tsprof_call *call,
                     struct tsprof_point other);
/* A call of a foreign process, held once; NULL if out of memory. */
struct call *calls_foreign(struct replay *replay, const struct foreign_call *call);
struct foreign_call calls_image(const struct call *call);
void calls_take_foreign(struct replay *replay, const struct foreign_event *foreign);

/* share.c */
void share_free(struct replay *replay);
/* CALL has synchronized with a foreign call that OTHER is the beginning of: when that was left
 * its owner knows (crew.c).  False if out of memory. */
bool share_note_open(struct replay *replay, const struct tsprof_call *call,
                     struct tsprof_point other);
/* What another one's scout has told. */
void share_take(struct replay *replay, const struct foreign *what,
                const struct foreign_transfer *transfers);

/* messages.c */
struct matching *matching_create(const struct replay_world *world);
void matching_free(struct matching *messages);
void matching_take(struct replay *replay, const struct replay_event *event);
void matching_take_send(struct replay *replay, const struct foreign_send *send);
void matching_take_arrival(struct replay *replay, const struct foreign_arrival *arrival);
/* After the last event of THREAD, and of all. */
void matching_end_thread(struct replay *replay, uint32_t thread);
void matching_end(struct replay *replay);
/* CALL will be told of: what arrived in it has arrived. */
void matching_arrived(struct replay *replay, struct call *call);
/* The call is known: what it holds of messages is given back. */
void matching_forget(struct replay *replay, struct call *call);
/* CALL, of MPI_Mprobe, has found a message. */
void matching_probed(struct replay *replay, struct call *call);
/* A thread stops being recorded. */
void matching_off(struct replay *replay, const struct replay_event *event);

/* collectives.c */
/* Of a collective, whose content only collectives.c knows, in bytes. */
extern const size_t collective_bytes;
struct collectives *collectives_create(const struct replay_world *world);
void collectives_free(struct collectives *collectives);
void collectives_take(struct replay *replay, const struct replay_event *event);
/* A function that all processes call once: MPI_Init, MPI_Finalize. */
void collectives_setup(struct replay *replay, struct call *call,
                       enum tsprof_operation operation);
void collectives_left(struct replay *replay, struct call *call);
void collectives_off(struct replay *replay, const struct replay_event *event);
void collectives_take_member(struct replay *replay, const struct foreign_member *member,
                             const struct foreign_transfer *transfers, size_t transfer_count);
/* After the last event of PROCESS, and of all. */
void collectives_end_process(struct replay *replay, uint32_t process);
void collectives_end(struct replay *replay);

/* fences.c */
struct fences *fences_create(const struct replay_world *world);
void fences_free(struct fences *fences);
/* A transfer; nothing happens if it is not between two fences. */
void fences_take(struct replay *replay, const struct replay_event *event);
/* What PROCESS has transferred since its last fence of WINDOW; the caller gives it back. */
struct transfers fences_meet(struct replay *replay, uint32_t process, uint32_t window);
void transfers_give(struct replay *replay, struct transfers *transfers);
void fences_off(struct replay *replay, const struct replay_event *event);
void fences_end(struct replay *replay);

/* epochs.c */
struct epochs *epochs_create(const struct replay_world *world);
void epochs_free(struct epochs *epochs);
/* A notification, or a transfer within an epoch. */
void epochs_take(struct replay *replay, const struct replay_event *event);
void epochs_take_signal(struct replay *replay, const struct foreign_signal *signal);
void epochs_left(struct replay *replay, struct call *call);
/* Whether PROCESS is between MPI_Win_start and MPI_Win_complete. */
bool epochs_is_open(const struct replay *replay, uint32_t process, uint32_t window);
void epochs_end(struct replay *replay);

/* locks.c */
struct locks *locks_create(const struct replay_world *world);
void locks_free(struct locks *locks);
/* A lock, the end of one, or a transfer. */
void locks_take(struct replay *replay, const struct replay_event *event);
/* Whether PROCESS has a lock of WINDOW. */
bool locks_has(const struct replay *replay, uint32_t process, uint32_t window);
/* A call within a lock has been left. */
void locks_left(struct replay *replay, struct call *call);
/* Of a struct locked. */
extern const size_t locked_bytes;

/* patterns.c */
bool patterns_begin(struct replay *replay);
void patterns_call(struct replay *replay, const struct tsprof_call *call);
void patterns_collective(struct replay *replay, const struct tsprof_collective *collective);
void patterns_epoch(struct replay *replay, const struct tsprof_epoch *epoch);
void patterns_locked(struct replay *replay, const struct tsprof_locked *locked);
void patterns_enter(struct replay *replay, const struct tsprof_visit *visit);
void patterns_leave(struct replay *replay, const struct tsprof_visit *visit);
/* Tells all but the pattern that METRIC is of; FINDING's metric is filled in. */
void patterns_severity(struct replay *replay, uint32_t metric, struct tsprof_finding finding);
/* The number of the metric called NAME; REPLAY_NONE: there is none, or NAME is NULL. */
uint32_t patterns_metric(const struct replay *replay, const char *name);
/* Adds METRIC, whose name must be new, with its parent; false if out of memory. */
bool patterns_add_metric(struct replay *replay, const struct tsprof_metric *metric);
void patterns_end(struct replay *replay);
/* One of tsprof's own has run out of memory, where those that share the analysis may wait for
 * it in an exchange: then they hear of it there. */
void patterns_fail(struct replay *replay);

/* publish.c */
void publish(struct tsprof_analysis *analysis, const struct tsprof_severity *severity);
/* Takes what was published of CALL from its own time: all is known of it now. */
void publish_call(struct replay *replay, const struct call *call);
/* Adds to a metric of tsprof's own where THREAD is. */
void publish_count(struct replay *replay, uint32_t thread, enum metric metric, int64_t value);

/* The tables of patterns.c. */
extern const struct tsprof_pattern point_to_point_pattern;
extern const struct tsprof_pattern collective_pattern;
extern const struct tsprof_pattern setup_pattern;
extern const struct tsprof_pattern window_pattern;
extern const struct tsprof_pattern epoch_pattern;
extern const struct tsprof_pattern lock_pattern;
extern const struct tsprof_pattern master_pattern;
extern const struct tsprof_pattern refill_pattern;

#endif
