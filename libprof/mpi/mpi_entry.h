/*
 * How programs get into the wrappers.
 *
 * The libraries of MPICH and Open MPI have functions of the same names, but a handle is an int
 * in one and a pointer in the other: a wrapper made for one would cut what a program hands to
 * the other.  So what is exported under the name of an MPI function is a few instructions that
 * touch no argument.  They go on to the wrapper once it is known that the program's MPI is the
 * one that this runtime was built for.  As long as it is not, mpi_entry_target says for each
 * call where it goes: with another MPI to the program's own function, as if nobody stood
 * between.
 */
#ifndef TSPROF_MPI_ENTRY_H
#define TSPROF_MPI_ENTRY_H

#include "arch/arch.h"

#include <stdint.h>

/*
 * What an exported function knows of itself: where the wrapper is, its name, and a place, zero
 * at first, for the address of the program's own.  As distances from each member, because
 * addresses would have to be relocated in every process of a job.
 */
struct mpi_entry {
    int32_t wrapper;
    int32_t name;
    int32_t place;
};

/*
 * Where a call goes.  Any thread, program context; called by the exported functions before
 * their arguments are looked at.
 */
void *mpi_entry_target(const struct mpi_entry *entry);

/* Begins the definition of the wrapper that is exported as SYMBOL; its body follows. */
#define MPI_ENTRY(type, symbol, params)                                                        \
    ARCH_ENTRY(symbol, measured_##symbol, mpi_entry_fits, mpi_entry_ask);                                                 \
    type measured_##symbol params __attribute__((used, visibility("hidden")));                 \
    type measured_##symbol params

#endif
