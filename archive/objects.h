/*
 * The communicators, windows and files of a job: each process describes its own, the
 * descriptions are united, and every process finds out which numbers its own have there.
 * Program context; memory from malloc.
 *
 * A description is a text that is the same in all processes that have the object: what it is,
 * its members as ranks in MPI_COMM_WORLD, how many like it were created before, and the grid of
 * a Cartesian communicator.  What a file is called is a text of its own, DESCRIBED_NAME, which
 * one of its processes has: they may call it differently, and it is the same file all the same.
 */
#ifndef TSPROF_ARCHIVE_OBJECTS_H
#define TSPROF_ARCHIVE_OBJECTS_H

#include "archive/recording.h"
#include "assemble/hosts.h"

#include <stdbool.h>
#include <stdint.h>

/* Whom a process receives from in operations among neighbours: ranks in MPI_COMM_WORLD, -1
 * where unknown; from malloc, NULL: it is not known. */
struct sources {
    int64_t *ranks;
    uint32_t count;
};

/* The objects of one process by its own numbers; their texts, and those of others, in TEXTS. */
struct own_objects {
    struct texts *texts;
    uint32_t *numbers; /* in `texts`; TEXTS_NONE: not known */
    uint32_t count;
    struct sources *sources; /* of communicators, by their own numbers */
    uint32_t source_count;
};

/* What text NUMBER of TEXTS describes. */
enum described_kind {
    DESCRIBED_COMM,
    DESCRIBED_WINDOW,
    DESCRIBED_FILE,
    DESCRIBED_NAME,
    DESCRIBED_KINDS
};
enum described_kind object_kind_of(const struct texts *texts, uint32_t number);

/* What the archive has an object by: OTF2 wants each kind to be numbered without gaps. */
struct object_number {
    uint32_t comm; /* of its members: how many objects there are before it */
    uint32_t own;  /* of a window or file: how many windows or files */
    uint32_t name; /* the text that says what a file is called; TEXTS_NONE: none does */
};

/* The numbers of objects, by number in TEXTS, from malloc; NULL without memory. */
struct object_number *objects_number(const struct texts *texts);

enum { OBJECT_GRIDS_MOST = 256 };

/*
 * Adds those that are MARKED of the objects that RECORDING describes to TEXTS, or finds them
 * there; and the first OBJECT_GRIDS_MOST Cartesian communicators, marked or not, since programs
 * send along grids by other communicators, too.  False without memory; own_objects_free frees
 * in any case.
 */
bool own_objects_read(struct own_objects *own, struct texts *texts,
                      const struct recording *recording, const struct marked_objects *marked);
void own_objects_free(struct own_objects *own);

enum { OBJECT_DIMENSIONS_MOST = 32 };

/* A decoded description. */
struct object {
    enum described_kind kind;
    int64_t *members[2]; /* ranks in MPI_COMM_WORLD, -1 where unknown; from malloc */
    uint32_t counts[2];  /* of an intercommunicator's two groups; the second is otherwise 0 */
    uint64_t before;     /* how many like it were created before */
    uint32_t dimensions; /* of a Cartesian communicator; otherwise 0 */
    uint32_t sizes[OBJECT_DIMENSIONS_MOST];
    bool periodic[OBJECT_DIMENSIONS_MOST];
};

/* Decodes text NUMBER of TEXTS; false if it is damaged.  object_free frees in any case. */
bool object_read(struct object *object, const struct texts *texts, uint32_t number);
void object_free(struct object *object);

/*
 * What a file with this NUMBER of TEXTS is called: LENGTH bytes without a terminating zero,
 * valid as long as TEXTS are not changed; NULL if it is not known.
 */
const char *object_file_name(const struct texts *texts, const struct object_number *number,
                             size_t *length);

/* How many members that are not in MPI_COMM_WORLD a group of TEXTS has at most. */
uint32_t objects_count_foreign(const struct texts *texts);

#endif
