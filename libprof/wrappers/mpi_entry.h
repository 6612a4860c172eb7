/*
 * How programs get into the wrappers.
 *
 * MPICH and Open MPI have functions of the same names, but a handle is an int in one and a
 * pointer in the other, so a wrapper built for one would truncate the arguments meant for the
 * other.  Therefore what is exported under the name of an MPI function is a few instructions
 * that touch no argument.  They jump to the wrapper once it is known that the program's MPI is
 * the one that this runtime was built for.  Until then they ask mpi_entry_target where each
 * call has to go; with another MPI that is the program's own function, as if tsprof were not
 * there.
 */
#ifndef TSPROF_MPI_ENTRY_H
#define TSPROF_MPI_ENTRY_H

#include "arch/arch.h"

#include <stdint.h>

/*
 * What belongs to an exported function: its wrapper, its name, and a place, zero at first, for
 * the address of the program's own function.  Each is a distance from the member itself,
 * because addresses would have to be relocated in every process of a job.
 */
struct mpi_entry {
    int32_t wrapper;
    int32_t name;
    int32_t place;
};

/*
 * The address to which a call has to go.  Called by the exported functions, which preserve the
 * program's arguments meanwhile; preserves errno.  Program context of any thread.
 */
void *mpi_entry_target(const struct mpi_entry *entry);

/* Begins the definition of the wrapper that is exported as SYMBOL; its body comes next. */
#define MPI_ENTRY(type, symbol, params)                                                        \
    ARCH_ENTRY(symbol, measured_##symbol, mpi_entry_fits, mpi_entry_ask);                      \
    type measured_##symbol params __attribute__((used, visibility("hidden")));                 \
    type measured_##symbol params

#endif
