/*
 * The communicators, windows and files that events refer to by number.
 *
 * An object is described when it is first seen: by the ranks of its members in MPI_COMM_WORLD,
 * and by how many with the same members there have been before.  All members create their
 * objects in the same order, so that tells them apart, and processes can find out at the end,
 * without having sent a message, which of their numbers stand for the same object.
 *
 * The table is the process's.  Looking up takes no lock and is for any thread; what adds or
 * removes is for program context.
 */
#ifndef TSPROF_OBJECTS_H
#define TSPROF_OBJECTS_H

#include "common/event_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum object_kind {
    OBJECT_KIND_COMM,
    OBJECT_KIND_WINDOW,
    OBJECT_KIND_FILE,
    OBJECT_KIND_MESSAGE
};

/* The members of an object: COUNT ranks in MPI_COMM_WORLD, negative where unknown. */
struct object_group {
    const int *ranks;
    int count;
};

/* The grid of a Cartesian communicator, as MPI_Cart_get tells it. */
struct object_grid {
    int dimensions;
    const int *sizes, *periods;
};

/*
 * Gets the table ready, for so many objects as their share of TRACE_BYTES of chunks allows.
 * False without memory.  Once.
 */
bool objects_start(size_t trace_bytes);

/* The number of the object with HANDLE, OBJECT_UNKNOWN if it is not known.  Any context. */
uint32_t objects_find_async(enum object_kind kind, uint64_t handle);

/*
 * Adds an object with HANDLE, or returns its number if another thread has added it.  REMOTE is
 * the other group of an intercommunicator, GRID is of a Cartesian one, otherwise NULL.
 * OBJECT_UNKNOWN if there is no room.
 */
uint32_t objects_add(enum object_kind kind, uint64_t handle, const struct object_group *group,
                     const struct object_group *remote, const struct object_grid *grid);

/* The same of a file with the members GROUP, called NAME; NULL: that is not known. */
uint32_t objects_add_file(uint64_t handle, const struct object_group *group, const char *name);

/* The process receives from SOURCES in operations among neighbours on the communicator with
 * NUMBER.  Of several threads that say so, all do. */
void objects_add_sources(uint32_t number, const struct object_group *sources);

/*
 * From now on HANDLE, of something that has no description of its own, stands for the object
 * with NUMBER.
 */
void objects_note(enum object_kind kind, uint64_t handle, uint32_t number);

/* The object with HANDLE is about to be freed; returns its number. */
uint32_t objects_forget(enum object_kind kind, uint64_t handle);

/*
 * COUNT numbers for requests, which no other request of the process has, from the one returned
 * on.  Any context.
 */
uint64_t objects_take_requests_async(uint64_t count);

#endif
