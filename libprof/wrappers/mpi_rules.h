/*
 * The rules by which the bytes and operations of an MPI call are counted from its arguments
 * (doc/metrics.md).
 *
 * Each function implements one rule of calls/mpi_calls.def, and is called by the wrapper after
 * the real function has succeeded.  Rules call MPI's local enquiry functions only, and look at
 * no argument that MPI itself would ignore.  Program context.
 */
#ifndef TSPROF_MPI_RULES_H
#define TSPROF_MPI_RULES_H

#include "calls/calls.h"
#include "measure/measure.h"
#include "timeline/timeline.h"
#include "trace/trace.h"
#include "wrappers/mpi_objects.h"

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

/* What the event of a call has in addition to what is counted. */
struct call_about {
    uint32_t object; /* number of the communicator, window or file */
    int peer;        /* other rank, or what mpi_root_code returns for the root */
    int tag;
};

/*
 * Note it of `counted`, the call that a wrapper counts: a message, a collective with a root or
 * without, a one-sided operation.
 */
#define ABOUT(rank, message_tag, comm)                                                         \
    do {                                                                                       \
        if (__builtin_expect(counted.thread->trace != NULL, 0))                                \
            counted.about = (struct call_about){mpi_comm_number(comm), (rank), (message_tag)}; \
    } while (0)
#define ABOUT_ROOT(root, comm) ABOUT(mpi_root_code(root), 0, comm)
#define ABOUT_ALL(comm)        ABOUT(EVENT_NO_ROOT, 0, comm)
#define ABOUT_WINDOW(win)                                                                      \
    do {                                                                                       \
        if (__builtin_expect(counted.thread->trace != NULL, 0))                                \
            counted.about.object = mpi_window_number(win);                                     \
    } while (0)

#define ABOUT_FILE(fh)                                                                         \
    do {                                                                                       \
        if (__builtin_expect(counted.thread->trace != NULL, 0))                                \
            counted.about.object = mpi_file_number(fh);                                        \
    } while (0)

/*
 * The call whose counts a rule adds to.  If `later` is not NULL, the call only starts or
 * prepares an operation, and the rule writes there what to count when it completes.  Passed by
 * address, because loading a copy would stall until all its members have been stored.
 */
struct counted_mpi_call {
    struct thread *thread;
    uint32_t leaf;
    struct request_operation *later;
    struct call_about about; /* if events are kept */
    uint64_t request;        /* likewise: of a call that starts to send; 0: of another one */
};

/* The key of HANDLE in the table of requests (measure/requests.h). */
static inline uint64_t request_key(MPI_Request handle)
{
    return (uint64_t)(uintptr_t)handle;
}

/*
 * An argument that is an array of int, or of MPI_Count or MPI_Aint.  The pointer may be NULL.
 */
struct count_array {
    const void *items;
    size_t item_bytes;
};

#define COUNT_ARRAY(pointer) ((struct count_array){(pointer), sizeof *(pointer)})

/* Element INDEX of ARRAY. */
int64_t count_at(struct count_array array, int index);

/* Bytes of one element of DATATYPE; 0 if unknown.  Remembers the last few datatypes. */
int64_t mpi_type_bytes(MPI_Datatype datatype);

/*
 * Forgets remembered datatypes, because one is about to be freed and its handle may come back.
 */
void mpi_type_forget(void);

/* Forgets remembered windows for the same reason. */
void mpi_window_forget(void);

/* A message of COUNT elements has been sent to DEST, or with `later` will be. */
void rule_send(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
               int dest);
/* A message of BYTES has left. */
void rule_sent(const struct counted_mpi_call *call, int64_t bytes);
/* A message has been received; STATUS says how many bytes. */
void rule_receive(const struct counted_mpi_call *call, const MPI_Status *status);
/*
 * Calls with `later` that start to receive from SOURCE.  The second one also says how many
 * bytes, for calls whose status is not reliable.
 */
void rule_receive_later(const struct counted_mpi_call *call, int source);
void rule_receive_bytes_later(const struct counted_mpi_call *call, int64_t count,
                              MPI_Datatype datatype, int source);
/* A call with `later` that starts a receive and counts a send at once. */
void rule_send_receive(const struct counted_mpi_call *call, int64_t sendcount,
                       MPI_Datatype sendtype, int dest, int64_t recvcount,
                       MPI_Datatype recvtype, int source);

/* Notes what is to be counted when the request HANDLE of a call with `later` completes. */
void rule_note_request(const struct counted_mpi_call *call, MPI_Request handle,
                       bool persistent);
/*
 * Notes for the trace what the operation of a call with `later` is about, and, if it STARTS
 * now, the event.
 */
void rule_trace_request(const struct counted_mpi_call *call, bool starts);
/* A persistent request with OPERATION has been started by this call. */
void rule_started(struct counted_mpi_call *call, const struct request_operation *operation);
/* This call has completed OPERATION, with that status. */
void rule_completed(const struct counted_mpi_call *call,
                    const struct request_operation *operation, const MPI_Status *status);
/* How many bytes were moved, as STATUS says; 0 where it does not. */
int64_t mpi_status_bytes(const MPI_Status *status);
void rule_barrier(const struct counted_mpi_call *call, MPI_Comm comm);
/* A collective that sends OUT and receives IN bytes. */
void rule_collective(const struct counted_mpi_call *call, int64_t out, int64_t in);
void rule_bcast(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
                int root, MPI_Comm comm);
void rule_gather(const struct counted_mpi_call *call, const void *sendbuf, int64_t sendcount,
                 MPI_Datatype sendtype, int64_t recvcount, MPI_Datatype recvtype, int root,
                 MPI_Comm comm);
void rule_gatherv(const struct counted_mpi_call *call, const void *sendbuf, int64_t sendcount,
                  MPI_Datatype sendtype, struct count_array recvcounts, MPI_Datatype recvtype,
                  int root, MPI_Comm comm);
void rule_scatter(const struct counted_mpi_call *call, int64_t sendcount, MPI_Datatype sendtype,
                  const void *recvbuf, int64_t recvcount, MPI_Datatype recvtype, int root,
                  MPI_Comm comm);
void rule_scatterv(const struct counted_mpi_call *call, struct count_array sendcounts,
                   MPI_Datatype sendtype, const void *recvbuf, int64_t recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm);
/* Also for alltoall, which moves the same amounts. */
void rule_allgather(const struct counted_mpi_call *call, const void *sendbuf, int64_t sendcount,
                    MPI_Datatype sendtype, int64_t recvcount, MPI_Datatype recvtype,
                    MPI_Comm comm);
void rule_allgatherv(const struct counted_mpi_call *call, const void *sendbuf,
                     int64_t sendcount, MPI_Datatype sendtype, struct count_array recvcounts,
                     MPI_Datatype recvtype, MPI_Comm comm);
void rule_alltoallv(const struct counted_mpi_call *call, const void *sendbuf,
                    struct count_array sendcounts, MPI_Datatype sendtype,
                    struct count_array recvcounts, MPI_Datatype recvtype, MPI_Comm comm);
void rule_alltoallw(const struct counted_mpi_call *call, const void *sendbuf,
                    struct count_array sendcounts, const MPI_Datatype *sendtypes,
                    struct count_array recvcounts, const MPI_Datatype *recvtypes,
                    MPI_Comm comm);
void rule_reduce(const struct counted_mpi_call *call, const void *sendbuf, int64_t count,
                 MPI_Datatype datatype, int root, MPI_Comm comm);
void rule_allreduce(const struct counted_mpi_call *call, const void *sendbuf, int64_t count,
                    MPI_Datatype datatype, MPI_Comm comm);
void rule_reduce_scatter(const struct counted_mpi_call *call, const void *sendbuf,
                         struct count_array recvcounts, MPI_Datatype datatype, MPI_Comm comm);
void rule_reduce_scatter_block(const struct counted_mpi_call *call, const void *sendbuf,
                               int64_t recvcount, MPI_Datatype datatype, MPI_Comm comm);
/*
 * If OTHERS, the process's own contribution does not count: an exclusive scan leaves it out,
 * and a scan in place does not move it.
 */
void rule_scan(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
               MPI_Comm comm, bool others);
void rule_put(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
              int target);
void rule_get(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
              int target);
/* An atomic operation with OUT bytes sent to the target and IN bytes returned. */
void rule_atomic(const struct counted_mpi_call *call, int64_t out, int64_t in, int target);
void rule_rma_fence(const struct counted_mpi_call *call, MPI_Win win);
/* Begins or ends an epoch with each process of GROUP. */
void rule_rma_epoch(const struct counted_mpi_call *call, MPI_Group group, MPI_Win win);
/* A lock, unlock or flush of RANK; MPI_ANY_SOURCE stands for all ranks. */
void rule_rma_sync(const struct counted_mpi_call *call, int rank);
/* The same of a lock of that type. */
void rule_rma_lock(const struct counted_mpi_call *call, int lock_type, int rank);
/* An epoch with RANK ends, which says nothing but when; MPI_ANY_SOURCE stands for all. */
void rule_rma_end(const struct counted_mpi_call *call, int rank);
/* A communicator or window was created, MPI_COMM_NULL if this process is not a member. */
void rule_comm(const struct counted_mpi_call *call, MPI_Comm comm);
void rule_window(const struct counted_mpi_call *call, MPI_Win win);
/* The message that NOTE stands for is one of COMM. */
void rule_message(const struct counted_mpi_call *call, MPI_Comm comm, const MPI_Message *note);
/* COUNT more partitions of REQUEST are ready. */
void rule_ready(const struct counted_mpi_call *call, MPI_Request request, int count);

#endif
