/*
 * The real MPI functions behind the wrappers.
 *
 * libtsprof is not linked with MPI; functions are looked up by name.  Each
 * wrapper calls the next function of its own name, so that other tools in the chain keep
 * working; tsprof's own calls use the PMPI_ names.
 */
#ifndef TSPROF_MPI_REAL_H
#define TSPROF_MPI_REAL_H

#include "calls/mpi_calls.h"

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

/* The real function of a name, typed: REAL(MPI_Send)(...), PREAL(MPI_Comm_rank)(...). */
#define REAL(name)  ((__typeof__(&name))mpi_real(CALL_##name, 0))
#define PREAL(name) ((__typeof__(&name))mpi_real(CALL_##name, 1))

#ifdef OPEN_MPI
/* Open MPI's predefined handles are addresses in its library: looked up like the functions. */
enum mpi_object {
#define OMPI_OBJECT(name) OBJECT_##name,
#include "mpi/ompi_objects.def"
#undef OMPI_OBJECT
    OBJECT_COUNT
};

extern void *mpi_objects[OBJECT_COUNT];

/* In terms of this mpi.h defines MPI_COMM_WORLD and its like; what is missing gets a row. */
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)mpi_objects[OBJECT_##global])
#endif

#endif
