/*
 * The room where programs enter tsprof: the wrappers of all MPI functions, and the rules that
 * count the bytes and operations of each call.  It is the topmost room, and nothing in it is
 * for other rooms.  All of it uses the system's mpi.h and is therefore compiled for each MPI.
 * It runs in program context only.
 *
 * This header has what the wrappers share that are written by hand: macros.  Each wrapper is
 * exported as MPI_Name and as PMPI_Name.
 */
#ifndef TSPROF_WRAPPERS_ROOM_H
#define TSPROF_WRAPPERS_ROOM_H

#include "library/typed.h"
#include "measure/measure.h"
#include "wrappers/mpi_entry.h"

#define WRAPPER_FRAME ARCH_FRAME()

/* Exports do_NAME(wrapper frame, profiled, ...) under both names of the MPI function. */
#define BOTH(type, name, params, ...)                                                          \
    MPI_ENTRY(type, name, params)                                                              \
    {                                                                                          \
        return do_##name(WRAPPER_FRAME, 0, ##__VA_ARGS__);                                     \
    }                                                                                          \
    MPI_ENTRY(type, P##name, params)                                                           \
    {                                                                                          \
        return do_##name(WRAPPER_FRAME, 1, ##__VA_ARGS__);                                     \
    }

/*
 * do_NAME is inlined into both, so that the frame whose address it gets exists while it runs.
 */
#define BODY static inline __attribute__((always_inline))

#define NEXT(name, profiled) ((__typeof__(&name))mpi_real(CALL_##name, profiled))

/*
 * Measures CALL, an expression that calls the real function.  Declares OUTCOME, its result, and
 * LEAF, the node of the call; returns from the wrapper if the measurement has ended meanwhile.
 */
#define MEASURED(measured, name, wrapper, outcome, call, leaf)                                 \
    uint64_t begin = measure_begin(measured, CALL_##name, wrapper);                            \
    int outcome = call;                                                                        \
    uint64_t end = measure_end(measured);                                                      \
    if (measure_over(measured))                                                                \
        return outcome;                                                                        \
    uint32_t leaf = measure_record(measured, CALL_##name, wrapper, begin, end)

#endif
