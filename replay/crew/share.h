/*
 * An analysis that several share: each has the events of some processes, its *own*, and is told
 * by the others what it must know of theirs, which are *foreign* to it.
 *
 * Each consists of two replays that are given the same events.  The *scout* goes ahead and
 * matches nothing: it tells the others of what they need, in the form of `struct foreign`.  The
 * other one follows, takes in events and what it is told in the order of time, and finds what
 * its own calls waited for.  crew.h puts them together.  For replay/ only.
 */
#ifndef TSPROF_REPLAY_SHARE_H
#define TSPROF_REPLAY_SHARE_H

#include "include/tsprof_pattern.h"
#include "replay/crew/team.h"
#include "replay/event.h"

enum foreign_kind {
    FOREIGN_SEND,
    FOREIGN_ARRIVAL,
    FOREIGN_MEMBER,
    FOREIGN_SIGNAL,
    FOREIGN_EVENT,
    FOREIGN_SOURCE
};

/* The paths of points are numbers that their owners know. */
struct foreign_send {
    struct tsprof_point point;
    uint64_t sent_ns, bytes;
    uint32_t from, to, comm, tag;
    bool is_buffered;
};

struct foreign_arrival {
    struct tsprof_point start;
    uint64_t bytes, off_ns; /* off_ns: when the receiver's recording last paused */
    uint32_t peer, comm, tag, process;
};

/* A call that has ended. */
struct foreign_call {
    struct tsprof_point enter;
    uint64_t leave_ns;
    uint32_t region, process;
    bool blocks;
};

struct foreign_transfer {
    uint32_t target; /* a process */
    struct foreign_call call;
};

/* A part in a collective operation, whose call has ended. */
struct foreign_member {
    uint32_t sequence, number, stretch; /* which one it is: as in collectives.c */
    uint64_t ordinal;
    uint32_t operation, comm, root, process;
    struct tsprof_point start;
    struct foreign_call call;
};

/* That an epoch begins or ends. */
struct foreign_signal {
    struct tsprof_point point;
    uint64_t last_ns;
    uint32_t window, from, to;
    bool ends, is_used;
};

/* An event within a call of MPI, or around it: of those that have to do with locks. */
struct foreign_event {
    struct replay_event event;
    uint32_t path; /* of ENTER */
};

/* PROCESS receives from SOURCE in operations among neighbours. */
struct foreign_source {
    uint32_t comm, process, source;
};

struct foreign {
    enum foreign_kind kind;
    uint32_t transfer_count; /* of a fence; they follow */
    union {
        struct foreign_send send;
        struct foreign_arrival arrival;
        struct foreign_member member;
        struct foreign_signal signal;
        struct foreign_event event;
        struct foreign_source source;
    };
};

struct replay_share {
    const uint32_t *owners; /* by process: which of the team has its events */
    struct team *team;
    /* Of the scout: tells number TO of the team; false if out of memory.  NULL: it follows. */
    bool (*tell)(void *context, uint32_t to, const struct foreign *what,
                 const struct foreign_transfer *transfers);
    void *context;
};

struct replay;

/* Whether the events of PROCESS are taken in here. */
bool share_has(const struct replay *replay, uint32_t process);
/* Whether it is the scout. */
bool share_is_ahead(const struct replay *replay);
/* The scout tells the one that has PROCESS, unless it is this one. */
void share_tell(struct replay *replay, uint32_t process, const struct foreign *what);
/* The same for all that have processes of COMM (REPLAY_NONE: for all of the team). */
void share_tell_all(struct replay *replay, uint32_t comm, const struct foreign *what,
                    const struct foreign_transfer *transfers);

#endif
