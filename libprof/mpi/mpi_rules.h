/*
 * Bytes and operations of an MPI call, as far as its arguments say (doc/metrics.md).
 *
 * Each function is the meaning of one rule in mpi_calls.def, called after the real function
 * succeeded.  They call MPI's local enquiry functions, and look at no argument that MPI would
 * not.
 */
#ifndef TSPROF_MPI_RULES_H
#define TSPROF_MPI_RULES_H

#include "calls/calls.h"
#include "measure/measure.h"
#include "timeline/timeline.h"

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * The call that a rule adds to; or, with `later`, one that only starts or prepares an
 * operation: then the rule says there what to count in the end.  By address: a copy would wait
 * for all its parts to be written.
 */
struct counted_mpi_call {
    struct thread *thread;
    uint32_t leaf;
    struct request_operation *later;
};

/* What the table of requests knows HANDLE by. */
static inline uint64_t request_key(MPI_Request handle)
{
    return (uint64_t)(uintptr_t)handle;
}

/* An argument that is an array of int or of MPI_Count (MPI_Aint); NULL pointers are allowed. */
struct count_array {
    const void *items;
    size_t item_bytes;
};

#define COUNT_ARRAY(pointer) ((struct count_array){(pointer), sizeof *(pointer)})

int64_t count_at(struct count_array array, int index);

/* Bytes of one element of DATATYPE; remembers the last few. */
int64_t mpi_type_bytes(MPI_Datatype datatype);

/* A datatype is about to be freed: what is remembered of its handle will be wrong. */
void mpi_type_forget(void);

/* The same of a window. */
void mpi_window_forget(void);

void rule_send(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
               int dest);
/* A message of BYTES has left. */
void rule_sent(const struct counted_mpi_call *call, int64_t bytes);
/* Bytes as the status of a receive tells. */
void rule_receive(const struct counted_mpi_call *call, const MPI_Status *status);
/* A call with `later` that starts to receive from SOURCE; with BYTES, if they are given. */
void rule_receive_later(const struct counted_mpi_call *call, int source);
void rule_receive_bytes_later(const struct counted_mpi_call *call, int64_t count,
                              MPI_Datatype datatype, int source);
/* A call with `later` that starts to receive and sends. */
void rule_send_receive(const struct counted_mpi_call *call, int64_t sendcount,
                       MPI_Datatype sendtype, int dest, int64_t recvcount,
                       MPI_Datatype recvtype, int source);
/* A call with `later` that starts to read or write a file. */
static inline void rule_file_later(const struct counted_mpi_call *call, enum request_kind kind)
{
    call->later->kind = kind;
}

/* Notes what the request HANDLE of a call with `later` has to count. */
void rule_note_request(const struct counted_mpi_call *call, MPI_Request handle,
                       bool persistent);
/* OPERATION has been completed by this call, with that status. */
void rule_completed(const struct counted_mpi_call *call,
                    const struct request_operation *operation, const MPI_Status *status);
void rule_barrier(const struct counted_mpi_call *call, MPI_Comm comm);
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
/* Also alltoall, which moves as much. */
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
/* OTHERS: only they count; an exclusive scan leaves the own value out, one in place keeps it.
 */
void rule_scan(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
               MPI_Comm comm, bool others);
void rule_put(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
              int target);
void rule_get(const struct counted_mpi_call *call, int64_t count, MPI_Datatype datatype,
              int target);
/* BYTES that go out and come back. */
void rule_atomic(const struct counted_mpi_call *call, int64_t out, int64_t in, int target);
void rule_rma_fence(const struct counted_mpi_call *call, MPI_Win win);
/* An epoch with each process of GROUP. */
void rule_rma_epoch(const struct counted_mpi_call *call, MPI_Group group);
/* A lock or flush of RANK, MPI_ANY_SOURCE for all. */
void rule_rma_sync(const struct counted_mpi_call *call, int rank);
/* As much of a file as the status says. */
void rule_file_read(const struct counted_mpi_call *call, const MPI_Status *status);
void rule_file_write(const struct counted_mpi_call *call, const MPI_Status *status);

#endif
