/*
 * What the wrappers that are written by hand are made of.  Each function comes as MPI_Name and
 * PMPI_Name.
 */
#ifndef TSPROF_MPI_WRAPPER_H
#define TSPROF_MPI_WRAPPER_H

#include "measure/measure.h"
#include "mpi/mpi_entry.h"
#include "library/typed.h"

#define WRAPPER_FRAME ((const uintptr_t *)__builtin_frame_address(0))

/* A function DO_NAME(wrapper frame, profiled, ...) under both of its exported names. */
#define BOTH(type, name, params, ...)                                                          \
    MPI_ENTRY(type, name, params)                                                              \
    {                                                                                          \
        return do_##name(WRAPPER_FRAME, 0, ##__VA_ARGS__);                                     \
    }                                                                                          \
    MPI_ENTRY(type, P##name, params)                                                           \
    {                                                                                          \
        return do_##name(WRAPPER_FRAME, 1, ##__VA_ARGS__);                                     \
    }

/* Inlined into both, so that the exported function's frame stays while FRAME is looked at. */
#define BODY static inline __attribute__((always_inline))

#define NEXT(name, profiled) ((__typeof__(&name))mpi_real(CALL_##name, profiled))

/* Both halves of the measurement around an expression that calls the real function. */
#define MEASURED(measured, name, wrapper, outcome, call, leaf)                                 \
    uint64_t begin = measure_begin(measured, CALL_##name, wrapper);                            \
    int outcome = call;                                                                        \
    uint64_t end = measure_end(measured);                                                      \
    if (measure_over(measured))                                                                \
        return outcome;                                                                        \
    uint32_t leaf = measure_record(measured, CALL_##name, wrapper, begin, end)

#endif
