/*
 * The wrappers of all MPI functions for which a row in calls/mpi_calls.def is enough.  There
 * are two for each, MPI_Name and PMPI_Name, because Fortran bindings call either of them.
 */
#include "library/typed.h"
#include "measure/measure.h"
#include "wrappers/mpi_entry.h"
#include "wrappers/mpi_file_rules.h"
#include "wrappers/mpi_fortran_calls.h"
#include "wrappers/mpi_neighborhood.h"
#include "wrappers/mpi_rules.h"

/*
 * The rules of the table, as expressions of the function's parameters and of `counted`, its
 * call.
 */
#define RULE_NOTHING (void)counted
#define RULE_SEND(count, datatype, dest)                                                       \
    do {                                                                                       \
        ABOUT(dest, tag, comm);                                                                \
        rule_send(&counted, count, datatype, dest);                                            \
    } while (0)
#define RULE_SEND_PARTS(partitions, count, datatype, dest)                                     \
    do {                                                                                       \
        RULE_SEND((partitions) * (count), datatype, dest);                                     \
        counted.later->partitions = (uint32_t)(partitions);                                    \
    } while (0)
#define RULE_READY(count) rule_ready(&counted, request, count)
#define RULE_BARRIER(comm)                                                                     \
    do {                                                                                       \
        ABOUT_ALL(comm);                                                                       \
        rule_barrier(&counted, comm);                                                          \
    } while (0)
#define RULE_BCAST(count, datatype, root, comm)                                                \
    do {                                                                                       \
        ABOUT_ROOT(root, comm);                                                                \
        rule_bcast(&counted, count, datatype, root, comm);                                     \
    } while (0)
#define RULE_GATHER(sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm)             \
    do {                                                                                       \
        ABOUT_ROOT(root, comm);                                                                \
        rule_gather(&counted, sendbuf, sendcount, sendtype, recvcount, recvtype, root, comm);  \
    } while (0)
#define RULE_GATHERV(sendbuf, sendcount, sendtype, recvcounts, recvtype, root, comm)           \
    do {                                                                                       \
        ABOUT_ROOT(root, comm);                                                                \
        rule_gatherv(&counted, sendbuf, sendcount, sendtype, COUNT_ARRAY(recvcounts),          \
                     recvtype, root, comm);                                                    \
    } while (0)
#define RULE_SCATTER(sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm)            \
    do {                                                                                       \
        ABOUT_ROOT(root, comm);                                                                \
        rule_scatter(&counted, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); \
    } while (0)
#define RULE_SCATTERV(sendcounts, sendtype, recvbuf, recvcount, recvtype, root, comm)          \
    do {                                                                                       \
        ABOUT_ROOT(root, comm);                                                                \
        rule_scatterv(&counted, COUNT_ARRAY(sendcounts), sendtype, recvbuf, recvcount,         \
                      recvtype, root, comm);                                                   \
    } while (0)
#define RULE_ALLGATHER(sendbuf, sendcount, sendtype, recvcount, recvtype, comm)                \
    do {                                                                                       \
        ABOUT_ALL(comm);                                                                       \
        rule_allgather(&counted, sendbuf, sendcount, sendtype, recvcount, recvtype, comm);     \
    } while (0)
#define RULE_ALLGATHERV(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm)              \
    do {                                                                                       \
        ABOUT_ALL(comm);                                                                       \
        rule_allgatherv(&counted, sendbuf, sendcount, sendtype, COUNT_ARRAY(recvcounts),       \
                        recvtype, comm);                                                       \
    } while (0)
#define RULE_ALLTOALL RULE_ALLGATHER
#define RULE_ALLTOALLV(sendbuf, sendcounts, sendtype, recvcounts, recvtype, comm)              \
    do {                                                                                       \
        ABOUT_ALL(comm);                                                                       \
        rule_alltoallv(&counted, sendbuf, COUNT_ARRAY(sendcounts), sendtype,                   \
                       COUNT_ARRAY(recvcounts), recvtype, comm);                               \
    } while (0)
#define RULE_ALLTOALLW(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, comm)            \
    do {                                                                                       \
        ABOUT_ALL(comm);                                                                       \
        rule_alltoallw(&counted, sendbuf, COUNT_ARRAY(sendcounts), sendtypes,                  \
                       COUNT_ARRAY(recvcounts), recvtypes, comm);                              \
    } while (0)
#define RULE_REDUCE(sendbuf, count, datatype, root, comm)                                      \
    do {                                                                                       \
        ABOUT_ROOT(root, comm);                                                                \
        rule_reduce(&counted, sendbuf, count, datatype, root, comm);                           \
    } while (0)
#define RULE_ALLREDUCE(sendbuf, count, datatype, comm)                                         \
    do {                                                                                       \
        ABOUT_ALL(comm);                                                                       \
        rule_allreduce(&counted, sendbuf, count, datatype, comm);                              \
    } while (0)
#define RULE_REDUCE_SCATTER(sendbuf, recvcounts, datatype, comm)                               \
    do {                                                                                       \
        ABOUT_ALL(comm);                                                                       \
        rule_reduce_scatter(&counted, sendbuf, COUNT_ARRAY(recvcounts), datatype, comm);       \
    } while (0)
#define RULE_REDUCE_SCATTER_BLOCK(sendbuf, recvcount, datatype, comm)                          \
    do {                                                                                       \
        ABOUT_ALL(comm);                                                                       \
        rule_reduce_scatter_block(&counted, sendbuf, recvcount, datatype, comm);               \
    } while (0)
#define RULE_SCAN(sendbuf, count, datatype, comm)                                              \
    do {                                                                                       \
        ABOUT_ALL(comm);                                                                       \
        rule_scan(&counted, count, datatype, comm, (sendbuf) == MPI_IN_PLACE);                 \
    } while (0)
#define RULE_EXSCAN(count, datatype, comm)                                                     \
    do {                                                                                       \
        ABOUT_ALL(comm);                                                                       \
        rule_scan(&counted, count, datatype, comm, true);                                      \
    } while (0)
#define RULE_EXCHANGED(amount)                                                                 \
    do {                                                                                       \
        struct exchanged exchanged = amount;                                                   \
        ABOUT_ALL(comm);                                                                       \
        rule_collective(&counted, exchanged.out, exchanged.in);                                \
    } while (0)
#define RULE_NEIGHBOR(sendcount, sendtype, recvcount, recvtype, comm)                          \
    RULE_EXCHANGED(neighborhood_equal(sendcount, sendtype, recvcount, recvtype, comm))
#define RULE_NEIGHBOR_ALLGATHERV(sendcount, sendtype, recvcounts, recvtype, comm)              \
    RULE_EXCHANGED(                                                                            \
        neighborhood_allgatherv(sendcount, sendtype, COUNT_ARRAY(recvcounts), recvtype, comm))
#define RULE_NEIGHBOR_ALLTOALLV(sendcounts, sendtype, recvcounts, recvtype, comm)              \
    RULE_EXCHANGED(neighborhood_alltoallv(COUNT_ARRAY(sendcounts), sendtype,                   \
                                          COUNT_ARRAY(recvcounts), recvtype, comm))
#define RULE_NEIGHBOR_ALLTOALLW(sendcounts, sendtypes, recvcounts, recvtypes, comm)            \
    RULE_EXCHANGED(neighborhood_alltoallw(COUNT_ARRAY(sendcounts), sendtypes,                  \
                                          COUNT_ARRAY(recvcounts), recvtypes, comm))
#define RULE_PUT(count, datatype, target)                                                      \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_put(&counted, count, datatype, target);                                           \
    } while (0)
#define RULE_GET(count, datatype, target)                                                      \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_get(&counted, count, datatype, target);                                           \
    } while (0)
#define RULE_ATOMIC(count, datatype, target)                                                   \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_atomic(&counted, (int64_t)(count)*mpi_type_bytes(datatype), 0, target);           \
    } while (0)
#define RULE_COMPARE_AND_SWAP(datatype, target)                                                \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_atomic(&counted, 2 * mpi_type_bytes(datatype), mpi_type_bytes(datatype), target); \
    } while (0)
#define RULE_ATOMIC_FETCH(out_count, out_type, in_count, in_type, target)                      \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_atomic(&counted, (out_count) ? (int64_t)(out_count)*mpi_type_bytes(out_type) : 0, \
                    (int64_t)(in_count)*mpi_type_bytes(in_type), target);                      \
    } while (0)
#define RULE_RMA_LOCK(lock_type, rank)                                                         \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_rma_lock(&counted, lock_type, rank);                                              \
    } while (0)
#define RULE_RMA_END(rank)                                                                     \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_rma_end(&counted, rank);                                                          \
    } while (0)
#define RULE_RMA_TEST(flag)                                                                    \
    do {                                                                                       \
        if (*(flag))                                                                           \
            RULE_RMA_END(MPI_ANY_SOURCE);                                                      \
    } while (0)
#define RULE_COMM(comm)             rule_comm(&counted, *(comm))
#define RULE_WINDOW(win)            rule_window(&counted, *(win))
#define RULE_MESSAGE(comm, message) rule_message(&counted, comm, message)
#define RULE_TOPOLOGY(comm)                                                                    \
    do {                                                                                       \
        rule_comm(&counted, *(comm));                                                          \
        topology_created(counted.thread, *(comm));                                             \
    } while (0)
#define RULE_NAME(comm, name) topology_named(counted.thread, comm, name)
#define RULE_RMA_FENCE(win)                                                                    \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_rma_fence(&counted, win);                                                         \
    } while (0)
#define RULE_RMA_EPOCH(group)                                                                  \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_rma_epoch(&counted, group, win);                                                  \
    } while (0)
#define RULE_RMA_SYNC(rank)                                                                    \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_rma_sync(&counted, rank);                                                         \
    } while (0)
#define RULE_RMA_SYNC_ALL()                                                                    \
    do {                                                                                       \
        ABOUT_WINDOW(win);                                                                     \
        rule_rma_sync(&counted, MPI_ANY_SOURCE);                                               \
    } while (0)
#define RULE_FILE_OPEN(fh) rule_file(&counted, *(fh), comm, filename)
#define RULE_FILE_READ(status)                                                                 \
    do {                                                                                       \
        ABOUT_FILE(fh);                                                                        \
        rule_file_read(&counted, status);                                                      \
    } while (0)
#define RULE_FILE_WRITE(status)                                                                \
    do {                                                                                       \
        ABOUT_FILE(fh);                                                                        \
        rule_file_write(&counted, status);                                                     \
    } while (0)
#define RULE_FILE_BEGIN(kind)                                                                  \
    do {                                                                                       \
        if (__builtin_expect(counted.thread->trace != NULL, 0))                                \
            rule_file_begin(&counted, fh, kind);                                               \
    } while (0)
#define RULE_FILE_READ_BEGIN()      RULE_FILE_BEGIN(REQUEST_READ)
#define RULE_FILE_WRITE_BEGIN()     RULE_FILE_BEGIN(REQUEST_WRITE)
#define RULE_FILE_READ_END(status)  rule_file_end(&counted, fh, REQUEST_READ, status)
#define RULE_FILE_WRITE_END(status) rule_file_end(&counted, fh, REQUEST_WRITE, status)

/*
 * Applies RULE to the operation of a request, so that it is counted when the request completes.
 */
#define REQUEST_OF(request, rule, persistent)                                                  \
    do {                                                                                       \
        struct request_operation operation = {.kind = REQUEST_NOTHING};                        \
        counted.later = &operation;                                                            \
        rule;                                                                                  \
        if (__builtin_expect(counted.thread->trace != NULL, 0))                                \
            rule_trace_request(&counted, !(persistent));                                       \
        rule_note_request(&counted, *(request), persistent);                                   \
    } while (0)
#define RULE_STARTS(request, rule)   REQUEST_OF(request, RULE_##rule, false)
#define RULE_PREPARES(request, rule) REQUEST_OF(request, RULE_##rule, true)
#define RULE_EXCHANGES(request, sendcount, sendtype, dest, recvcount, recvtype, source)        \
    ABOUT(dest, sendtag, comm);                                                                \
    REQUEST_OF(                                                                                \
        request,                                                                               \
        rule_send_receive(&counted, sendcount, sendtype, dest, recvcount, recvtype, source),   \
        false)
#define RULE_AT_ONCE(request, rule)                                                            \
    do {                                                                                       \
        if (__builtin_expect(counted.thread->trace != NULL, 0))                                \
            counted.request = trace_new_request_async(counted.thread);                         \
        RULE_##rule;                                                                           \
        REQUEST_OF(request, (void)0, false);                                                   \
    } while (0)
#define RULE_RECEIVE(source)                                                                   \
    do {                                                                                       \
        ABOUT(source, tag, comm);                                                              \
        rule_receive_later(&counted, source);                                                  \
    } while (0)
#define RULE_RECEIVE_BYTES(count, datatype, source)                                            \
    do {                                                                                       \
        ABOUT(source, tag, comm);                                                              \
        rule_receive_bytes_later(&counted, count, datatype, source);                           \
    } while (0)
#define RULE_FILE_READ_LATER()                                                                 \
    do {                                                                                       \
        ABOUT_FILE(fh);                                                                        \
        rule_file_later(&counted, REQUEST_READ);                                               \
    } while (0)
#define RULE_FILE_WRITE_LATER()                                                                \
    do {                                                                                       \
        ABOUT_FILE(fh);                                                                        \
        rule_file_later(&counted, REQUEST_WRITE);                                              \
    } while (0)

/* Whether the call has succeeded; false for functions that do not return an error code. */
#define SUCCEEDED(outcome)                                                                     \
    (_Generic((outcome), int : (outcome), default : MPI_ERR_OTHER) == MPI_SUCCESS)

/*
 * Gives the real function a status to fill in if the program ignores it; goes before its call.
 */
#define KEEP_STATUS                                                                            \
    MPI_Status kept;                                                                           \
    if (status == MPI_STATUS_IGNORE)                                                           \
        status = &kept;

#define WRAPPER(type, symbol, name, profiled, starts, params, args, rule, before)              \
    MPI_ENTRY(type, symbol, params)                                                            \
    {                                                                                          \
        const uintptr_t *wrapper = ARCH_FRAME();                                               \
        __typeof__(&symbol) real = (__typeof__(&symbol))mpi_real(CALL_##name, profiled);       \
        struct thread *measured = mpi_fortran_calls_call(CALL_##name, profiled, wrapper)       \
                                      ? NULL                                                   \
                                      : thread_enter(wrapper, starts);                         \
        if (!measured)                                                                         \
            return real args;                                                                  \
        before uint64_t begin = measure_begin(measured, CALL_##name, wrapper);                 \
        type outcome = real args;                                                              \
        uint64_t end = measure_end(measured);                                                  \
        if (measure_over(measured))                                                            \
            return outcome;                                                                    \
        struct counted_mpi_call counted = {.thread = measured};                                \
        counted.leaf = measure_record(measured, CALL_##name, wrapper, begin, end);             \
        if (SUCCEEDED(outcome))                                                                \
            RULE_##rule;                                                                       \
        thread_leave(measured);                                                                \
        return outcome;                                                                        \
    }

#define MPI_CALL(type, name, group, time, params, args, rule)                                  \
    WRAPPER(type, name, name, 0, true, params, args, rule, )                                   \
    WRAPPER(type, P##name, name, 1, true, params, args, rule, )
#define MPI_CALL_PREINIT(type, name, group, time, params, args, rule)                          \
    WRAPPER(type, name, name, 0, false, params, args, rule, )                                  \
    WRAPPER(type, P##name, name, 1, false, params, args, rule, )
#define MPI_CALL_STATUS(type, name, group, time, params, args, rule)                           \
    WRAPPER(type, name, name, 0, true, params, args, rule, KEEP_STATUS)                        \
    WRAPPER(type, P##name, name, 1, true, params, args, rule, KEEP_STATUS)
#define MPI_CALL_BY_HAND(type, name, group, time, params, args)

/* Deprecated and removed functions are wrapped on purpose. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "calls/mpi_calls.def"
