/*
 * Bytes of collectives on neighbourhoods (MPI 4.0, section 8.6), as far as their arguments say.
 *
 * Each process sends to its destinations and receives from its sources, as the topology of the
 * communicator has them.  On a Cartesian one both are the two neighbours along each dimension;
 * beyond a border that is not periodic there is none, and what the arguments have for it does
 * not count.  What the topology is, is remembered for the last few communicators; MPI's local
 * enquiry functions are called for others.  Program context.
 */
#ifndef TSPROF_MPI_NEIGHBORHOOD_H
#define TSPROF_MPI_NEIGHBORHOOD_H

#include "mpi/mpi_rules.h"

/* What one process gives to a collective and gets from it. */
struct exchanged {
    int64_t out;
    int64_t in;
};

/* Allgather and alltoall: as much with each neighbour. */
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

/*
 * A communicator is about to be freed: what is remembered of its handle will be wrong.  Any
 * thread.
 */
void neighborhood_forget(void);

#endif
