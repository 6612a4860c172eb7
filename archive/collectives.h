/* What kind of operation an MPI function is, by its name. */
#ifndef TSPROF_COLLECTIVES_H
#define TSPROF_COLLECTIVES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The OTF2_CollectiveOp of the MPI function NAME, of LENGTH characters: also of its
 * non-blocking, persistent, neighbourhood and large-count form.  -1 if it is none.
 */
int collective_of(const char *name, size_t length);

/* How a function synchronizes the processes of a window. */
enum one_sided {
    ONE_SIDED_NONE,
    ONE_SIDED_FENCE,
    ONE_SIDED_POST,
    ONE_SIDED_START,
    ONE_SIDED_COMPLETE,
    ONE_SIDED_WAIT,
    ONE_SIDED_LOCK,
    ONE_SIDED_UNLOCK,
    ONE_SIDED_FLUSH
};

/* Whether the collective function NAME is one among neighbours, in any of its forms. */
bool is_neighborhood(const char *name, size_t length);

/*
 * Whether all processes that have opened a file take part in the function NAME that reads or
 * writes it.
 */
bool is_collective_io(const char *name, size_t length);

/* How the function NAME synchronizes the processes of a window. */
enum one_sided one_sided_of(const char *name, size_t length);

#endif
