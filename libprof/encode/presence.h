/*
 * Writes in how many iterations of a cluster its call paths occurred (doc/format.md,
 * "Presence").
 */
#ifndef TSPROF_ENCODE_PRESENCE_H
#define TSPROF_ENCODE_PRESENCE_H

#include "assemble/occurrences.h"
#include "common/codec.h"
#include "compress/clustering.h"
#include "tree/tree.h"

/*
 * Appends the presence of CLUSTER with NODES, the summary's numbers of the nodes of TREE.  ROOM
 * has room for as many occurrences as TREE has nodes.  Call paths of the program that are one
 * in the summary have no exact number there, unless one of them occurred in every iteration.
 * For the end of the program only.
 */
void presence_encode(const struct cct *tree, const uint32_t *nodes,
                     const struct cluster_view *cluster, struct told_occurrence *room,
                     struct encoder *out);

/* The same with own numbers, without memory.  Async-signal-safe if the encoder's flush is. */
void presence_encode_own_async(const struct cct *tree, const struct cluster_view *cluster,
                               struct encoder *out);

#endif
