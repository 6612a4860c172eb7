/*
 * The program's MPI library in its own types: for files that are compiled for each MPI.
 */
#ifndef TSPROF_TYPED_H
#define TSPROF_TYPED_H

#include "library/library.h"
#include "timeline/timeline.h"

#include <mpi.h>

/* The real function of a name, typed: REAL(MPI_Send)(...), PREAL(MPI_Comm_rank)(...). */
#define REAL(name)  ((__typeof__(&name))mpi_real(CALL_##name, 0))
#define PREAL(name) ((__typeof__(&name))mpi_real(CALL_##name, 1))

#ifdef OPEN_MPI
/* Open MPI's predefined handles are addresses in its library: looked up like the functions. */
enum mpi_object {
#define OMPI_OBJECT(name) OBJECT_##name,
#include "library/ompi_objects.def"
#undef OMPI_OBJECT
    OBJECT_COUNT
};

extern void *mpi_objects[OBJECT_COUNT];

/* In terms of this mpi.h defines MPI_COMM_WORLD and its like; what is missing gets a row. */
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)mpi_objects[OBJECT_##global])
#endif

/* COMM has just been created with a topology; MPI_COMM_NULL where this process has no part. */
void topology_created(struct thread *thread, MPI_Comm comm);

/* COMM has been given a NAME; it need not have a topology. */
void topology_named(struct thread *thread, MPI_Comm comm, const char *name);

#endif
