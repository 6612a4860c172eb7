/*
 * The wrappers of what MPICH's Fortran bindings of attributes call; see
 * library/mpich_attributes.def.  Its C functions do not call these.
 */
#include "wrappers/wrappers.h"

#ifndef OPEN_MPI
#define MPICH_ATTRIBUTE(symbol, name, params, args)                                            \
    MPI_ENTRY(int, symbol, params)                                                             \
    {                                                                                          \
        int(*real) params = (int(*) params)mpi_real_attribute(ATTRIBUTE_##symbol);             \
        struct thread *thread = thread_enter(WRAPPER_FRAME, true);                             \
        if (!thread)                                                                           \
            return real args;                                                                  \
        MEASURED(thread, name, WRAPPER_FRAME, outcome, real args, leaf);                       \
        (void)leaf;                                                                            \
        thread_leave(thread);                                                                  \
        return outcome;                                                                        \
    }
#include "library/mpich_attributes.def"
#endif
