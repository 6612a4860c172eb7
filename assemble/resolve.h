/*
 * Turns addresses into regions: gives the functions of the united call tree their names and
 * lines, joins nodes that turn out to be the same, leaves out frames that no user wants to see,
 * and encodes the sections that all locations share (doc/format.md).  Program context; memory
 * from malloc, reads files.
 */
#ifndef TSPROF_RESOLVE_H
#define TSPROF_RESOLVE_H

#include "assemble/definitions.h"
#include "common/codec.h"

/*
 * Set in a resolved node number if the frame was left out: its visits must not be added to its
 * parent's.
 */
#define RESOLVED_LEFT_OUT UINT32_C(0x80000000)

/* The sections that describe the call tree.  Each is to be freed with encoder_free. */
struct description {
    struct encoder modules;
    struct encoder regions;
    struct encoder calltree;
    struct encoder phases;
};

/*
 * Resolves DEFINITIONS.  NODES (node_count long) receives the number of each node in the
 * summary's call tree, perhaps with RESOLVED_LEFT_OUT.  False if out of memory.  The modules'
 * files stay open for further look-ups until symbols_close.
 */
bool resolve(const struct definitions *definitions, struct description *description,
             uint32_t *nodes);

/*
 * Whether the function NAME of the module at PATH is left out of all call paths: because it is
 * a Fortran binding of MPI or of the markers, or belongs to tsprof.
 */
bool resolve_is_binding(const char *path, const char *name);

/*
 * Makes a name for a function without a symbol from its OFFSET in the module at PATH ("" if
 * unknown).  To be freed by the caller; NULL without memory.
 */
char *resolve_nameless(const char *path, uint64_t offset);

#endif
