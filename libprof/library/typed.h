/*
 * The program's MPI library in the types of its mpi.h.  Only for files that are compiled for
 * each MPI.
 */
#ifndef TSPROF_TYPED_H
#define TSPROF_TYPED_H

#include "library/library.h"
#include "timeline/timeline.h"

#include <mpi.h>

/* The real function with its type: REAL(MPI_Send)(...), PREAL(MPI_Comm_rank)(...). */
#define REAL(name)  ((__typeof__(&name))mpi_real(CALL_##name, 0))
#define PREAL(name) ((__typeof__(&name))mpi_real(CALL_##name, 1))

#ifdef OPEN_MPI
/*
 * Open MPI's predefined handles are addresses in its library, and are looked up like functions.
 */
enum mpi_object {
#define OMPI_OBJECT(name) OBJECT_##name,
#include "library/ompi_objects.def"
#undef OMPI_OBJECT
    OBJECT_COUNT
};

extern void *mpi_objects[OBJECT_COUNT];

/*
 * Open MPI's mpi.h defines MPI_COMM_WORLD and other handles by this macro.  A handle that is
 * missing here needs a row in ompi_objects.def.
 */
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)mpi_objects[OBJECT_##global])
#else
/* What MPICH's Fortran bindings call for attributes. */
enum mpich_attribute {
#define MPICH_ATTRIBUTE(symbol, name, params, args) ATTRIBUTE_##symbol,
#include "library/mpich_attributes.def"
#undef MPICH_ATTRIBUTE
    ATTRIBUTE_COUNT
};

/*
 * The real function, looked up when the measurement starts, or now; never NULL: if the MPI
 * library lacks it, one that fails with MPI_ERR_OTHER.  Program context.
 */
mpi_function mpi_real_attribute(enum mpich_attribute attribute);
#endif

/*
 * Notes the topology of COMM, which has just been created; MPI_COMM_NULL if this process is not
 * a member.
 */
void topology_created(struct thread *thread, MPI_Comm comm);

/* Notes the NAME that COMM has been given, if COMM has a topology. */
void topology_named(struct thread *thread, MPI_Comm comm, const char *name);

#endif
