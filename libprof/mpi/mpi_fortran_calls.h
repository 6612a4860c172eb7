/*
 * Which MPI functions the Fortran bindings of others call; see fortran_calls.h.
 */
#ifndef TSPROF_MPI_BINDINGS_H
#define TSPROF_MPI_BINDINGS_H

#include "unwind/unwind.h"
#include "measure/measure.h"
#include "calls/calls.h"

/* Each wrapper knows which it is: in most of them the compiler finds nothing to do. */
static inline __attribute__((always_inline)) bool mpi_fortran_calls_use(enum mpi_call call,
                                                                   int profiled)
{
    switch (call) {
    case CALL_MPI_Comm_size:
    case CALL_MPI_Comm_rank:
    case CALL_MPI_Comm_remote_size:
    case CALL_MPI_Comm_test_inter:
    case CALL_MPI_Topo_test:
    case CALL_MPI_Cartdim_get:
    case CALL_MPI_Graph_neighbors_count:
    case CALL_MPI_Dist_graph_neighbors_count:
    case CALL_MPI_Type_contiguous:
    case CALL_MPI_Type_create_hvector:
    case CALL_MPI_Type_commit:
    case CALL_MPI_Type_free:
        return profiled;
#ifndef OPEN_MPI
    case CALL_MPI_File_c2f:
    case CALL_MPI_File_f2c:
        return true;
#endif
    default:
        return false;
    }
}

/* Whether a call that a wrapper, whose frame address is FRAME, has got is a binding's own. */
static inline __attribute__((always_inline)) bool
mpi_fortran_calls_call(enum mpi_call call, int profiled, const uintptr_t *frame)
{
    return mpi_fortran_calls_use(call, profiled) &&
           fortran_calls_call(mpi_call_name(call), alias_target_async(frame[1]));
}

#endif
