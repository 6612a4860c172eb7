/*
 * Calls that the MPI library's Fortran bindings make for themselves.
 *
 * A binding converts arguments and calls the C function that it stands for, by whichever of its
 * names.  Some ask more of MPI before: Open MPI's of MPI_Alltoallv how many processes there
 * are, MPICH's of mpi_f08 make a datatype for a part of an array.  Such a call comes before the
 * one that counts, not inside it, and is not the program's.
 */
#ifndef TSPROF_BINDINGS_H
#define TSPROF_BINDINGS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the call of MPI function NAME that returns to ADDRESS was made by the Fortran layer
 * of the MPI library, and not by the binding of NAME.  Remembers the answer.  Program context
 * of any thread.
 */
bool fortran_calls_call(const char *name, uintptr_t address);

/* Code has been unloaded: other code may come to where it was. */
void fortran_calls_forget(void);

#endif
