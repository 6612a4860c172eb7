/*
 * The real MPI functions behind the wrappers.
 *
 * libtsprof is not linked with MPI, so functions are looked up by name.  Each wrapper calls the
 * next function of its own name, so that other tools in the chain keep working; tsprof's own
 * calls use the PMPI_ names.
 */
#ifndef TSPROF_MPI_REAL_H
#define TSPROF_MPI_REAL_H

#include "calls/calls.h"

#include <stdbool.h>

typedef void (*mpi_function)(void);

extern mpi_function mpi_real_table[2][CALL_COUNT]; /* [profiled][call] */

/*
 * Looks up all functions and predefined handles when the measurement starts, because a later
 * lookup could change what dlerror tells the program.  Program context.
 */
void mpi_real_start(void);

/*
 * Looks up MPI_... (PROFILED 0) or PMPI_... (1) of CALL and remembers it.  Never returns NULL:
 * if the MPI library lacks the function, returns one that fails with MPI_ERR_OTHER.  Program
 * context.
 */
mpi_function mpi_real_find(enum mpi_call call, int profiled);

/* The address of the next definition of SYMBOL after tsprof's own; NULL if there is none. */
void *mpi_real_symbol(const char *symbol);

/* Whether the process has an MPI library at all. */
bool mpi_real_present(void);

/*
 * Whether the process's MPI library, if it has one, is of the kind that this runtime was built
 * for.  Other kinds have functions of the same names, but with other types.
 */
bool mpi_real_fits(void);

/* The function that mpi_real_find finds, looked up only the first time. */
static inline mpi_function mpi_real(enum mpi_call call, int profiled)
{
    mpi_function function = mpi_real_table[profiled][call];
    return __builtin_expect(function != NULL, 1) ? function : mpi_real_find(call, profiled);
}

#endif
