/*
 * A table of the program's requests: what is to be counted when each of them completes.
 *
 * When a request completes, MPI tells only its handle, and the status does not say what the
 * operation was.  So a function that starts or prepares an operation notes here what the call
 * that completes it will have to count.  Requests with nothing to count have no entry.
 *
 * There is one table for the whole process, because a request may complete in another thread
 * than the one that started it.  It has no locks: an entry belongs to whoever may use its
 * handle by the rules of MPI, and passes from one owner to the next by a compare-and-swap of
 * one word.  A thread that leaves these functions by a jump out of a signal handler makes one
 * entry unusable and does no other harm.
 *
 * MPI uses handles again and again, and an entry goes where the same handle was before.  So the
 * table grows with the number of requests that are open at the same time.  An entry whose
 * request was lost is overwritten when MPI gives out its handle again.
 *
 * These functions are for wrappers, in any thread, and not for signal handlers.
 */
#ifndef TSPROF_REQUESTS_H
#define TSPROF_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

enum request_kind {
    REQUEST_NOTHING,
    REQUEST_SEND,       /* persistent: `out` bytes each time it is started */
    REQUEST_RECEIVE,    /* as many bytes as its status says */
    REQUEST_RECEIVE_IN, /* `in` bytes, for receives whose status is not reliable */
    REQUEST_COLLECTIVE, /* `comms` operations and `syncs` barriers, `out` and `in` bytes */
    REQUEST_READ,       /* a file is read or written: as many bytes as its status says */
    REQUEST_WRITE,
    REQUEST_SENT /* nothing; it is noted for the trace alone */
};

/* What an operation has to count. */
struct request_operation {
    enum request_kind kind;
    uint32_t comms, syncs;
    int64_t out, in;
    /* For the trace; `request` is 0 if no events are kept, and then the others are not set. */
    uint64_t request;      /* its number */
    uint32_t object, leaf; /* number of the communicator; node of the call that made it */
    int peer, tag;
    uint32_t partitions; /* of a partitioned send, which leaves with the last; otherwise 0 */
};

/*
 * The memory of an entry, for requests.c only.  It is written by the thread that has set the
 * state in `word` to busy; readers compare `word` before and after.
 */
struct request_slot {
    uint64_t word;   /* state, flags, kind, and a number that grows with each change */
    uint64_t handle; /* also of a free slot, since the handle will come back */
    uint64_t counts; /* syncs << 32 | comms */
    int64_t out, in;
};

struct traced_slot;

/* How often a request completes, and whether its handle is its own. */
enum request_life {
    REQUEST_ONCE,   /* it completes once, and until then no other has its handle */
    REQUEST_SHARED, /* it is complete from the start: MPI gives one handle to all of these */
    REQUEST_PERSISTENT, /* it completes once each time it has been started */
};

/* A copy of an entry; of `operation`, only the members that its kind uses are set. */
struct request_entry {
    struct request_slot *slot;  /* NULL: there was no entry */
    struct traced_slot *traced; /* what the trace knows about it; NULL: nothing */
    uint64_t word;
    struct request_operation operation;
};

/*
 * Whether threads may call MPI at the same time; true until that is known.  If so, entries must
 * be looked up before the call that completes a request, because its handle may belong to
 * another request when that call returns, or even a little earlier.
 */
extern bool requests_concurrent;

/*
 * Notes a new request HANDLE.  OPERATION is what to count when it completes or, if it is
 * persistent, each time it completes after requests_start; kind REQUEST_NOTHING if there is
 * nothing to count.  An older entry of the handle is replaced; but if LIFE is REQUEST_SHARED,
 * operations of kind REQUEST_COLLECTIVE are added up.  Returns false if there is no memory.
 */
bool requests_note(uint64_t handle, const struct request_operation *operation,
                   enum request_life life);

/* Removes the entry of HANDLE, which is about to be freed. */
void requests_forget(uint64_t handle);

/* Copies the entry of HANDLE.  Returns false, and sets the slot to NULL, if there is none. */
bool requests_find(uint64_t handle, struct request_entry *entry);

/* Whether ENTRY, which was found before, is still what requests_find would find. */
static inline bool requests_unchanged(const struct request_entry *entry)
{
    return entry->slot && __atomic_load_n(&entry->slot->word, __ATOMIC_ACQUIRE) == entry->word;
}

/*
 * The persistent request HANDLE has been started.  Returns the operation noted for it, of kind
 * REQUEST_NOTHING if there is none.
 */
struct request_operation requests_start(uint64_t handle);

/*
 * COUNT more partitions of HANDLE, a partitioned send that has been started, are ready.  True,
 * and *OPERATION is what leaves now, if these were the last; also of several threads that call
 * this at the same time for one only.  False where no events are kept.
 */
bool requests_ready(uint64_t handle, uint32_t count, struct request_operation *operation);

/*
 * The request HANDLE has completed; ENTRY was found before or after that.  Returns what is to
 * be counted now, of kind REQUEST_NOTHING if nothing is.  STAYS says that MPI keeps the
 * request, and another call will complete it again, which then has nothing to count.
 */
struct request_operation requests_complete(uint64_t handle, struct request_entry entry,
                                           bool stays);

#endif
