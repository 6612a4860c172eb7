/*
 * What the name of an MPI function says of its calls, for the search for wait states.  For any
 * thread.
 */
#ifndef TSPROF_MPI_ROLES_H
#define TSPROF_MPI_ROLES_H

#include "replay/world.h"

/*
 * Whether calls of the function NAME may wait for others: not those that test, nor those that
 * start an operation, even if that is complete when they return.  True for other functions.
 */
bool mpi_may_wait(const char *name);

/* What its calls are to messages, windows and files. */
enum call_role mpi_role(const char *name);

#endif
