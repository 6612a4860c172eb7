/*
 * From addresses to regions: gives the functions of the united call tree their names and lines,
 * joins what turns out to be the same, leaves out frames that no user wants to see, and encodes
 * the sections that all locations share (doc/format.md).
 */
#ifndef TSPROF_RESOLVE_H
#define TSPROF_RESOLVE_H

#include "assemble/definitions.h"
#include "common/codec.h"

/* Set in a resolved node number when the frame was left out: its visits are not its parent's.
 */
#define RESOLVED_LEFT_OUT UINT32_C(0x80000000)

/* The sections that describe; each to be freed with encoder_free. */
struct description {
    struct encoder modules;
    struct encoder regions;
    struct encoder calltree;
    struct encoder phases;
};

/*
 * Resolves DEFINITIONS.  NODES (node_count long) receives the number of each node in the
 * summary's call tree, perhaps with RESOLVED_LEFT_OUT.  False when memory is out.  The files of
 * the modules stay open for further look-ups, until symbols_close.
 */
bool resolve(const struct definitions *definitions, struct description *description,
             uint32_t *nodes);

/*
 * Whether no call path shows the function NAME of the module at PATH, because it is a binding
 * of MPI or of the markers, or tsprof's own.
 */
bool resolve_is_binding(const char *path, const char *name);

/*
 * The name of a function without a symbol, after its place: OFFSET in the module at PATH, "" if
 * unknown.  The caller's to free; NULL without memory.
 */
char *resolve_nameless(const char *path, uint64_t offset);

#endif
