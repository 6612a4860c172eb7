/*
 * Bytes of neighbourhood collectives (MPI 4.0, section 8.6), as far as their arguments say.
 *
 * Each process sends to its destinations and receives from its sources in the topology of the
 * communicator.  On a Cartesian communicator both are the two neighbours along each dimension;
 * beyond an edge that is not periodic there is no neighbour, and what the arguments say for it
 * does not count.  The topologies of the last few communicators are remembered; for others
 * MPI's local enquiry functions are called.  Program context.
 */
#ifndef TSPROF_MPI_NEIGHBORHOOD_H
#define TSPROF_MPI_NEIGHBORHOOD_H

#include "wrappers/mpi_rules.h"

/* Bytes that one process sends and receives in a collective. */
struct exchanged {
    int64_t out;
    int64_t in;
};

/* Allgather and alltoall: the same amount with each neighbour. */
struct exchanged neighborhood_equal(int64_t sendcount, MPI_Datatype sendtype, int64_t recvcount,
                                    MPI_Datatype recvtype, MPI_Comm comm);
struct exchanged neighborhood_allgatherv(int64_t sendcount, MPI_Datatype sendtype,
                                         struct count_array recvcounts, MPI_Datatype recvtype,
                                         MPI_Comm comm);
struct exchanged neighborhood_alltoallv(struct count_array sendcounts, MPI_Datatype sendtype,
                                        struct count_array recvcounts, MPI_Datatype recvtype,
                                        MPI_Comm comm);
struct exchanged neighborhood_alltoallw(struct count_array sendcounts,
                                        const MPI_Datatype *sendtypes,
                                        struct count_array recvcounts,
                                        const MPI_Datatype *recvtypes, MPI_Comm comm);

/* Whom this process receives from in such operations on COMM, as ranks of COMM: an array of
 * *COUNT from malloc.  NULL if COMM has no topology, or without memory. */
int *neighborhood_sources(MPI_Comm comm, int *count);

/*
 * Forgets all remembered topologies, in all threads, because a communicator is about to be
 * freed and its handle may come back.  Any thread.
 */
void neighborhood_forget(void);

#endif
