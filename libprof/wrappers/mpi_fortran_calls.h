/*
 * Which MPI functions are called by the Fortran bindings of other functions; see
 * measure/fortran_calls.h.
 */
#ifndef TSPROF_MPI_FORTRAN_CALLS_H
#define TSPROF_MPI_FORTRAN_CALLS_H

#include "calls/calls.h"
#include "measure/measure.h"
#include "unwind/unwind.h"

/*
 * Whether Fortran bindings of other functions call CALL, by its MPI_ (PROFILED 0) or PMPI_ (1)
 * name.  CALL is a constant in each wrapper, so in most of them this compiles to nothing.
 */
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

/*
 * Whether the call of the wrapper with frame address FRAME comes from a binding, not the
 * program.
 */
static inline __attribute__((always_inline)) bool
mpi_fortran_calls_call(enum mpi_call call, int profiled, const uintptr_t *frame)
{
    return mpi_fortran_calls_use(call, profiled) &&
           fortran_calls_call(mpi_call_name_async(call),
                              alias_target_async(arch_return_address(frame)));
}

#endif
