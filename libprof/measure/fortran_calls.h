/*
 * MPI calls that the MPI library's Fortran bindings make for their own purposes.
 *
 * A Fortran binding converts its arguments and calls the C function that it stands for, as MPI_
 * or as PMPI_.  Some call other MPI functions first: Open MPI's binding of MPI_Alltoallv asks
 * how many processes there are, and those of MPICH's mpi_f08 make datatypes for array sections.
 * Such a call comes before the call that counts, not inside it, and is not the program's, so it
 * must not be measured.
 */
#ifndef TSPROF_FORTRAN_CALLS_H
#define TSPROF_FORTRAN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a call of MPI function NAME that returns to ADDRESS comes from the MPI library's
 * Fortran bindings, but not from the binding of NAME itself.  Remembers the answer; preserves
 * errno.  Program context of any thread.
 */
bool fortran_calls_call(const char *name, uintptr_t address);

/* Forgets all answers, because code has been unloaded and other code may take its place. */
void fortran_calls_forget(void);

#endif
