/*
 * What is known about the program's requests: what there will be to count when one completes.
 *
 * MPI tells a request's completion by its handle alone, and the status says nothing about what
 * the operation was.  So a function that starts or prepares an operation notes here what a call
 * that completes it has to count.  Requests without anything to count have no entry.
 *
 * A table for the whole process: a request may complete in another thread than the one that
 * started it.  No locks: an entry belongs to whoever may use its handle, as MPI has it, and
 * passes from hand to hand by a compare-and-swap of one word.  Who is left inside by a jump out
 * of a signal handler leaves one entry unusable and nothing else.
 *
 * Handles are used again and again, and an entry goes where the same handle was before: the
 * table grows with the requests that are open at the same time, not with those that have been.
 * An entry whose request was lost is overwritten once MPI gives out its handle again.
 *
 * All functions: in a wrapper, in any thread.  The signal handler stays away.
 */
#ifndef TSPROF_REQUESTS_H
#define TSPROF_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

enum request_kind {
    REQUEST_NOTHING,
    REQUEST_SEND,       /* persistent: `out` bytes each time it is started */
    REQUEST_RECEIVE,    /* what its status says */
    REQUEST_RECEIVE_IN, /* `in` bytes: its status may not say it */
    REQUEST_COLLECTIVE, /* `comms` operations and `syncs` barriers, `out` and `in` bytes */
    REQUEST_READ,       /* from a file, what its status says */
    REQUEST_WRITE
};

/* What there is to count. */
struct request_operation {
    enum request_kind kind;
    uint32_t comms, syncs;
    int64_t out, in;
};

/*
 * Where an entry is: nobody's but requests.c's.  Written by who has made its word say so;
 * readers look at the word before and after.
 */
struct request_slot {
    uint64_t word;   /* state, flags, kind, and a number that no other state of the slot has */
    uint64_t handle; /* stays when the slot is free: the handle will come back */
    uint64_t counts; /* syncs << 32 | comms */
    int64_t out, in;
};

/* What becomes of a request and its handle. */
enum request_life {
    REQUEST_ONCE,       /* it completes once, and until then the handle is its own */
    REQUEST_SHARED,     /* the same, but MPI gives the handle to all that complete at once */
    REQUEST_PERSISTENT, /* it completes each time after it was started */
};

/* An entry as it was when it was looked at; of its operation what the kind has. */
struct request_entry {
    struct request_slot *slot; /* NULL: there was none */
    uint64_t word;
    struct request_operation operation;
};

/*
 * Whether threads may call MPI at the same time: then a handle can belong to another request as
 * soon as the call that completes its own has returned, or a little earlier, and entries have
 * to be looked at before the call.  True until it is known.
 */
extern bool requests_concurrent;

/*
 * The request HANDLE is new.  OPERATION is to be counted when it completes or, if it is
 * persistent, each time it does after requests_start.  Of kind REQUEST_NOTHING: there is
 * nothing to count.  What was known of the handle is forgotten; but where it is shared, what
 * there is to count of operations of kind REQUEST_COLLECTIVE adds up.  False: no memory.
 */
bool requests_note(uint64_t handle, const struct request_operation *operation,
                   enum request_life life);

/* The request HANDLE is about to be freed. */
void requests_forget(uint64_t handle);

/* The entry of HANDLE; false, and one without a slot, if it has none. */
bool requests_find(uint64_t handle, struct request_entry *entry);

/* Whether ENTRY, which was found once, is what would be found of its handle now. */
static inline bool requests_unchanged(const struct request_entry *entry)
{
    return entry->slot && __atomic_load_n(&entry->slot->word, __ATOMIC_ACQUIRE) == entry->word;
}

/*
 * The persistent request HANDLE has been started.  The result is what its entry says; of kind
 * REQUEST_NOTHING if it has none.
 */
struct request_operation requests_start(uint64_t handle);

/*
 * The request HANDLE has completed, ENTRY being what was found before or after that: what there
 * is to count now, of kind REQUEST_NOTHING if nothing.  STAYS: MPI keeps the request, and
 * another call will complete it, which then has nothing to count.
 */
struct request_operation requests_complete(uint64_t handle, struct request_entry entry,
                                           bool stays);

#endif
