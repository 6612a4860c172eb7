/*
 * The real MPI functions behind the wrappers.
 *
 * libtsprof is not linked with MPI; functions are looked up by name.  Each
 * wrapper calls the next function of its own name, so that other tools in the chain keep
 * working; tsprof's own calls use the PMPI_ names.
 */
#ifndef TSPROF_MPI_REAL_H
#define TSPROF_MPI_REAL_H

#include "calls/calls.h"

#include <stdbool.h>

typedef void (*mpi_function)(void);

extern mpi_function mpi_real_table[2][CALL_COUNT]; /* [profiled][call] */

/*
 * Looks up all functions, and handles, when measurement starts: later look-ups could disturb
 * what dlerror says to the program.  Program context.
 */
void mpi_real_start(void);

/*
 * Looks up MPI_... (PROFILED 0) or PMPI_... (1) of CALL and remembers it.  Never NULL: where
 * the MPI library lacks the function the answer reports MPI_ERR_OTHER.  Program context.
 */
mpi_function mpi_real_find(enum mpi_call call, int profiled);

/* The next definition of an MPI library's symbol after ours; NULL if there is none. */
void *mpi_real_symbol(const char *symbol);

/* Whether an MPI library is there at all. */
bool mpi_real_present(void);

/*
 * Whether the MPI library that is there, if any, is of the kind that this runtime was built
 * for: those of another have functions of the same names, but not the same types.
 */
bool mpi_real_fits(void);

static inline mpi_function mpi_real(enum mpi_call call, int profiled)
{
    mpi_function function = mpi_real_table[profiled][call];
    return __builtin_expect(function != NULL, 1) ? function : mpi_real_find(call, profiled);
}

#endif
