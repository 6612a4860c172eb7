/*
 * The wrappers of the functions that start, complete and free requests, and of nonblocking
 * matched receives.
 *
 * What a request has to count was noted when it was created (measure/requests.h).  Here it is
 * counted for the call that completes the request.  MPI overwrites the handles of completed
 * requests, so copies are kept during the call; and MPI is given statuses to fill in if the
 * program ignores them.
 */
#include "measure/measure.h"
#include "wrappers/mpi_rules.h"
#include "wrappers/wrappers.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The requests of a call, as they were before it. */
struct watch {
    int count;
    const MPI_Request *requests;
    const struct request_entry *entries; /* NULL: they are looked up after the call */
    MPI_Status *statuses;                /* the program's, or tsprof's if it ignores them */
};

/* The memory of a watch on a single request. */
struct watch_one {
    MPI_Request request;
    struct request_entry entry;
    MPI_Status status;
};

static inline struct watch watch_one(struct watch_one *one, const MPI_Request *request,
                                     MPI_Status *status)
{
    one->request = request ? *request : MPI_REQUEST_NULL;
    struct watch watch = {1, &one->request, NULL, status};
    if (requests_concurrent) {
        requests_find(request_key(one->request), &one->entry);
        watch.entries = &one->entry;
    }
    if (status == MPI_STATUS_IGNORE)
        watch.statuses = &one->status;
    return watch;
}

/*
 * Returns BYTES of memory that belong to THREAD and stay valid until it asks again; NULL if
 * there is no memory.
 */
static char *room_for(struct thread *thread, size_t bytes)
{
    struct call_memory *calls = thread->calls;
    if (__builtin_expect(bytes <= calls->waiting_bytes, 1))
        return calls->waiting;
    int saved = errno;
    size_t wanted = 4096;
    while (wanted < bytes)
        wanted *= 2;
    if (calls->waiting_bytes) {
        munmap(calls->waiting, calls->waiting_bytes);
        budget_return_async(calls->waiting_bytes);
        thread->other_bytes -= calls->waiting_bytes;
        calls->waiting_bytes = 0;
        calls->waiting_count = 0;
    }
    if (!budget_draw_async(wanted))
        return NULL;
    void *room = mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    if (room == MAP_FAILED) {
        budget_return_async(wanted);
        return NULL;
    }
    calls->waiting = room;
    calls->waiting_bytes = wanted;
    thread->other_bytes += wanted;
    return room;
}

/*
 * Copies COUNT REQUESTS and looks up their entries.  COPIES and ENTRIES still hold those of the
 * last call, so a program that polls for the same requests again and again finds them there.
 */
static void look_up(struct thread *thread, int count, const MPI_Request *requests,
                    MPI_Request *copies, struct request_entry *entries)
{
    const bool known = thread->calls->waiting_count == count;
    for (int i = 0; i < count; i++) {
        if (known && copies[i] == requests[i] && requests_unchanged(&entries[i]))
            continue;
        copies[i] = requests[i];
        entries[i].slot = NULL;
        if (copies[i] != MPI_REQUEST_NULL)
            requests_find(request_key(copies[i]), &entries[i]);
    }
    thread->calls->waiting_count = count;
}

/*
 * Watches COUNT REQUESTS.  ONE_STATUS says whether the call has one status or one for each
 * request, IGNORED whether the program ignores statuses.  Without memory nothing is watched.
 */
static struct watch watch_all(struct thread *thread, int count, const MPI_Request *requests,
                              MPI_Status *statuses, bool ignored, bool one_status)
{
    struct watch watch = {0, requests, NULL, statuses};
    if (count <= 0 || !requests)
        return watch;
    const size_t many = (size_t)count;
    const size_t entry_bytes = requests_concurrent ? many * sizeof *watch.entries : 0;
    const size_t request_bytes = (many * sizeof *requests + 7) & ~(size_t)7;
    const size_t status_bytes = ignored ? (one_status ? 1 : many) * sizeof *statuses : 0;
    char *room = room_for(thread, entry_bytes + request_bytes + status_bytes);
    if (!room) {
        thread_note_async(thread, NOTE_REQUESTS_LOST);
        return watch;
    }
    struct request_entry *entries = (struct request_entry *)room;
    MPI_Request *copies = (MPI_Request *)(room + entry_bytes);
    watch.count = count;
    watch.requests = copies;
    if (ignored)
        watch.statuses = (MPI_Status *)(room + entry_bytes + request_bytes);
    if (requests_concurrent) {
        look_up(thread, count, requests, copies, entries);
        watch.entries = entries;
    } else {
        memcpy(copies, requests, many * sizeof *requests);
    }
    return watch;
}

/*
 * Takes what is to be counted for request number I, which has completed.  STAYS is as for
 * requests_complete.
 */
static struct request_operation take(const struct watch *watch, int i, bool stays)
{
    const uint64_t key = request_key(watch->requests[i]);
    struct request_entry entry;
    if (watch->entries)
        entry = watch->entries[i];
    else
        requests_find(key, &entry);
    if (!entry.slot)
        return (struct request_operation){.kind = REQUEST_NOTHING};
    return requests_complete(key, entry, stays);
}

static inline void completed(const struct counted_mpi_call *call, const struct watch *watch,
                             int i, const MPI_Status *status)
{
    struct request_operation operation = take(watch, i, false);
    if (operation.kind != REQUEST_NOTHING)
        rule_completed(call, &operation, status);
}

/* Counts all requests of a call that has succeeded. */
static void completed_all(const struct counted_mpi_call *call, const struct watch *watch)
{
    for (int i = 0; i < watch->count; i++)
        completed(call, watch, i, &watch->statuses[i]);
}

/* Counts the requests whose numbers are in INDICES; statuses are in the same order. */
static void completed_some(const struct counted_mpi_call *call, const struct watch *watch,
                           int count, const int *indices)
{
    for (int i = 0; watch->count && i < count; i++)
        completed(call, watch, indices[i], &watch->statuses[i]);
}

/*
 * A call has failed.  Requests that MPI has removed from REQUESTS are gone; of these, only
 * those that completed without error count, which the statuses say if STATUSES_VALID.
 */
static void completed_despite(const struct counted_mpi_call *call, const struct watch *watch,
                              const MPI_Request *requests, bool statuses_valid)
{
    for (int i = 0; i < watch->count; i++) {
        const MPI_Status *status = &watch->statuses[i];
        if (statuses_valid && status->MPI_ERROR == MPI_SUCCESS)
            completed(call, watch, i, status);
        else if (requests[i] == MPI_REQUEST_NULL ||
                 (statuses_valid && status->MPI_ERROR != MPI_ERR_PENDING))
            take(watch, i, false);
    }
}

static bool in_status(int outcome)
{
    int class = MPI_SUCCESS;
    if (outcome == MPI_ERR_IN_STATUS)
        return true;
    PREAL(MPI_Error_class)(outcome, &class);
    return class == MPI_ERR_IN_STATUS;
}

/* The same for calls whose statuses belong to the requests with the numbers in INDICES. */
static void completed_some_despite(const struct counted_mpi_call *call,
                                   const struct watch *watch, const MPI_Request *requests,
                                   int count, const int *indices)
{
    for (int i = 0; watch->count && i < count; i++)
        if (watch->statuses[i].MPI_ERROR == MPI_SUCCESS)
            completed(call, watch, indices[i], &watch->statuses[i]);
    completed_despite(call, watch, requests, false);
}

#define COUNTED (&(struct counted_mpi_call){.thread = thread, .leaf = leaf})

BODY int do_MPI_Wait(const uintptr_t *wrapper, int profiled, MPI_Request *request,
                     MPI_Status *status)
{
    struct thread *thread = thread_enter(wrapper, true);
    if (!thread)
        return NEXT(MPI_Wait, profiled)(request, status);
    struct watch_one one;
    struct watch watch = watch_one(&one, request, status);
    MEASURED(thread, MPI_Wait, wrapper, outcome,
             NEXT(MPI_Wait, profiled)(request, watch.statuses), leaf);
    if (outcome == MPI_SUCCESS)
        completed_all(COUNTED, &watch);
    else if (request)
        completed_despite(COUNTED, &watch, request, false);
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Wait, (MPI_Request * request, MPI_Status *status), request, status)

BODY int do_MPI_Test(const uintptr_t *wrapper, int profiled, MPI_Request *request, int *flag,
                     MPI_Status *status)
{
    struct thread *thread = thread_enter(wrapper, true);
    if (!thread)
        return NEXT(MPI_Test, profiled)(request, flag, status);
    struct watch_one one;
    struct watch watch = watch_one(&one, request, status);
    MEASURED(thread, MPI_Test, wrapper, outcome,
             NEXT(MPI_Test, profiled)(request, flag, watch.statuses), leaf);
    if (outcome != MPI_SUCCESS && request)
        completed_despite(COUNTED, &watch, request, false);
    else if (outcome == MPI_SUCCESS && *flag)
        completed_all(COUNTED, &watch);
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Test, (MPI_Request * request, int *flag, MPI_Status *status), request, flag,
     status)

/*
 * The operation is counted when this function says that it has completed, and not again by the
 * call that then completes the request.
 */
BODY int do_MPI_Request_get_status(const uintptr_t *wrapper, int profiled, MPI_Request request,
                                   int *flag, MPI_Status *status)
{
    struct thread *thread = thread_enter(wrapper, true);
    if (!thread)
        return NEXT(MPI_Request_get_status, profiled)(request, flag, status);
    struct watch_one one;
    struct watch watch = watch_one(&one, &request, status);
    MEASURED(thread, MPI_Request_get_status, wrapper, outcome,
             NEXT(MPI_Request_get_status, profiled)(request, flag, watch.statuses), leaf);
    if (outcome == MPI_SUCCESS && *flag) {
        struct request_operation operation = take(&watch, 0, true);
        if (operation.kind != REQUEST_NOTHING)
            rule_completed(COUNTED, &operation, watch.statuses);
    }
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Request_get_status, (MPI_Request request, int *flag, MPI_Status *status), request,
     flag, status)

BODY int do_MPI_Waitall(const uintptr_t *wrapper, int profiled, int count,
                        MPI_Request requests[], MPI_Status statuses[])
{
    struct thread *thread = thread_enter(wrapper, true);
    if (!thread)
        return NEXT(MPI_Waitall, profiled)(count, requests, statuses);
    struct watch watch =
        watch_all(thread, count, requests, statuses, statuses == MPI_STATUSES_IGNORE, false);
    MEASURED(thread, MPI_Waitall, wrapper, outcome,
             NEXT(MPI_Waitall, profiled)(count, requests, watch.statuses), leaf);
    if (outcome == MPI_SUCCESS)
        completed_all(COUNTED, &watch);
    else
        completed_despite(COUNTED, &watch, requests, in_status(outcome));
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]), count,
     requests, statuses)

BODY int do_MPI_Testall(const uintptr_t *wrapper, int profiled, int count,
                        MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct thread *thread = thread_enter(wrapper, true);
    if (!thread)
        return NEXT(MPI_Testall, profiled)(count, requests, flag, statuses);
    struct watch watch =
        watch_all(thread, count, requests, statuses, statuses == MPI_STATUSES_IGNORE, false);
    MEASURED(thread, MPI_Testall, wrapper, outcome,
             NEXT(MPI_Testall, profiled)(count, requests, flag, watch.statuses), leaf);
    if (outcome != MPI_SUCCESS)
        completed_despite(COUNTED, &watch, requests, in_status(outcome));
    else if (*flag)
        completed_all(COUNTED, &watch);
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
     count, requests, flag, statuses)

/* What MPI_Waitany and MPI_Testany have completed. */
static void completed_any(const struct counted_mpi_call *call, const struct watch *watch,
                          int outcome, const MPI_Request *requests, int index)
{
    if (outcome != MPI_SUCCESS)
        completed_despite(call, watch, requests, false);
    else if (index != MPI_UNDEFINED && watch->count)
        completed(call, watch, index, watch->statuses);
}

BODY int do_MPI_Waitany(const uintptr_t *wrapper, int profiled, int count,
                        MPI_Request requests[], int *index, MPI_Status *status)
{
    struct thread *thread = thread_enter(wrapper, true);
    if (!thread)
        return NEXT(MPI_Waitany, profiled)(count, requests, index, status);
    struct watch watch =
        watch_all(thread, count, requests, status, status == MPI_STATUS_IGNORE, true);
    MEASURED(thread, MPI_Waitany, wrapper, outcome,
             NEXT(MPI_Waitany, profiled)(count, requests, index, watch.statuses), leaf);
    completed_any(COUNTED, &watch, outcome, requests,
                  outcome == MPI_SUCCESS ? *index : MPI_UNDEFINED);
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status),
     count, requests, index, status)

BODY int do_MPI_Testany(const uintptr_t *wrapper, int profiled, int count,
                        MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct thread *thread = thread_enter(wrapper, true);
    if (!thread)
        return NEXT(MPI_Testany, profiled)(count, requests, index, flag, status);
    struct watch watch =
        watch_all(thread, count, requests, status, status == MPI_STATUS_IGNORE, true);
    MEASURED(thread, MPI_Testany, wrapper, outcome,
             NEXT(MPI_Testany, profiled)(count, requests, index, flag, watch.statuses), leaf);
    completed_any(COUNTED, &watch, outcome, requests,
                  outcome == MPI_SUCCESS && *flag ? *index : MPI_UNDEFINED);
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Testany,
     (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status), count,
     requests, index, flag, status)

/* MPI_Waitsome and MPI_Testsome. */
#define DEFINE_SOME(name)                                                                      \
    BODY int do_##name(const uintptr_t *wrapper, int profiled, int incount,                    \
                       MPI_Request requests[], int *outcount, int indices[],                   \
                       MPI_Status statuses[])                                                  \
    {                                                                                          \
        struct thread *thread = thread_enter(wrapper, true);                                   \
        if (!thread)                                                                           \
            return NEXT(name, profiled)(incount, requests, outcount, indices, statuses);       \
        struct watch watch = watch_all(thread, incount, requests, statuses,                    \
                                       statuses == MPI_STATUSES_IGNORE, false);                \
        MEASURED(thread, name, wrapper, outcome,                                               \
                 NEXT(name, profiled)(incount, requests, outcount, indices, watch.statuses),   \
                 leaf);                                                                        \
        if (outcome == MPI_SUCCESS && *outcount != MPI_UNDEFINED)                              \
            completed_some(COUNTED, &watch, *outcount, indices);                               \
        else if (outcome != MPI_SUCCESS)                                                       \
            completed_some_despite(COUNTED, &watch, requests,                                  \
                                   in_status(outcome) ? *outcount : 0, indices);               \
        thread_leave(thread);                                                                  \
        return outcome;                                                                        \
    }                                                                                          \
    BOTH(int, name,                                                                            \
         (int incount, MPI_Request requests[], int *outcount, int indices[],                   \
          MPI_Status statuses[]),                                                              \
         incount, requests, outcount, indices, statuses)

DEFINE_SOME(MPI_Waitsome)
DEFINE_SOME(MPI_Testsome)

/*
 * A persistent request has been started: sends count now, other operations when they complete.
 */
static inline void started(struct counted_mpi_call *call, MPI_Request request)
{
    struct request_operation operation = requests_start(request_key(request));
    if (operation.kind == REQUEST_SEND || __builtin_expect(operation.request != 0, 0))
        rule_started(call, &operation);
}

BODY int do_MPI_Start(const uintptr_t *wrapper, int profiled, MPI_Request *request)
{
    struct thread *thread = thread_enter(wrapper, true);
    if (!thread)
        return NEXT(MPI_Start, profiled)(request);
    MEASURED(thread, MPI_Start, wrapper, outcome, NEXT(MPI_Start, profiled)(request), leaf);
    if (outcome == MPI_SUCCESS)
        started(COUNTED, *request);
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Start, (MPI_Request * request), request)

BODY int do_MPI_Startall(const uintptr_t *wrapper, int profiled, int count,
                         MPI_Request requests[])
{
    struct thread *thread = thread_enter(wrapper, true);
    if (!thread)
        return NEXT(MPI_Startall, profiled)(count, requests);
    MEASURED(thread, MPI_Startall, wrapper, outcome,
             NEXT(MPI_Startall, profiled)(count, requests), leaf);
    for (int i = 0; outcome == MPI_SUCCESS && i < count; i++)
        started(COUNTED, requests[i]);
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Startall, (int count, MPI_Request requests[]), count, requests)

/*
 * Nobody will be told when the operation completes, so its entry is removed; and before the
 * real function, because after that another request may get the handle.
 */
BODY int do_MPI_Request_free(const uintptr_t *wrapper, int profiled, MPI_Request *request)
{
    struct thread *thread = thread_enter(wrapper, true);
    if (!thread)
        return NEXT(MPI_Request_free, profiled)(request);
    if (request)
        requests_forget(request_key(*request));
    MEASURED(thread, MPI_Request_free, wrapper, outcome,
             NEXT(MPI_Request_free, profiled)(request), leaf);
    (void)leaf;
    thread_leave(thread);
    return outcome;
}
BOTH(int, MPI_Request_free, (MPI_Request * request), request)

/* The source is looked at before the call, because the call overwrites the message handle. */
#define DEFINE_IMRECV(name, count_type)                                                        \
    BODY int do_##name(const uintptr_t *wrapper, int profiled, void *buf, count_type count,    \
                       MPI_Datatype datatype, MPI_Message *note, MPI_Request *request)         \
    {                                                                                          \
        struct thread *thread = thread_enter(wrapper, true);                                   \
        if (!thread)                                                                           \
            return NEXT(name, profiled)(buf, count, datatype, note, request);                  \
        int source = note && *note == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL : MPI_ANY_SOURCE;    \
        const uint32_t comm = mpi_message_take(note);                                          \
        MEASURED(thread, name, wrapper, outcome,                                               \
                 NEXT(name, profiled)(buf, count, datatype, note, request), leaf);             \
        struct request_operation operation = {.kind = REQUEST_NOTHING};                        \
        struct counted_mpi_call counted = *COUNTED;                                            \
        counted.later = &operation;                                                            \
        counted.about.object = comm;                                                           \
        if (outcome == MPI_SUCCESS) {                                                          \
            rule_receive_later(&counted, source);                                              \
            if (thread->trace)                                                                 \
                rule_trace_request(&counted, true);                                            \
            rule_note_request(&counted, *request, false);                                      \
        }                                                                                      \
        thread_leave(thread);                                                                  \
        return outcome;                                                                        \
    }                                                                                          \
    BOTH(int, name,                                                                            \
         (void *buf, count_type count, MPI_Datatype datatype, MPI_Message *note,               \
          MPI_Request *request),                                                               \
         buf, count, datatype, note, request)

DEFINE_IMRECV(MPI_Imrecv, int)
#if MPI_VERSION >= 4
DEFINE_IMRECV(MPI_Imrecv_c, MPI_Count)
#endif
