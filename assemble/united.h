/*
 * Unites the descriptions of many processes: what their numbers refer to, their hosts, the
 * topologies of their communicators.  Descriptions are united pairwise in any tree, as long as
 * those of higher ranks are merged into those of lower ones.  At the root they get their
 * numbers in the summary, which travel back the same way.
 *
 * Program context; memory from malloc.
 */
#ifndef TSPROF_UNITED_H
#define TSPROF_UNITED_H

#include "assemble/definitions.h"
#include "assemble/hosts.h"
#include "assemble/topologies.h"
#include "common/codec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from all zeros. */
struct united {
    struct definitions definitions; /* its `failed` counts for the hosts and topologies too */
    struct hosts hosts;
    struct topologies topologies;
};

/* The new numbers of what was merged from another description; arrays from malloc. */
struct united_maps {
    struct definition_maps definitions;
    uint32_t *hosts;
    uint32_t host_count;
};

/*
 * The numbers in the summary of what has been united: one array from malloc, `nodes`, which the
 * other pointers point into.
 */
struct numbering {
    uint32_t *nodes, *phases, *counters, *hosts;
};

void united_encode(const struct united *united, struct encoder *out);

/*
 * Merges an encoded description into UNITED; sets `failed` if it is damaged or memory runs out.
 * MAPS is to be freed with united_maps_free.
 */
void united_merge(struct united *united, struct decoder *in, struct united_maps *maps);

void united_free(struct united *united);
void united_maps_free(struct united_maps *maps);

/*
 * Takes over NUMBERS, an array of COUNT from malloc: those of nodes, phases, counters and
 * hosts, one after the other.  False, with nothing taken, if COUNT is not the number of these.
 */
bool numbering_take(struct numbering *numbering, const struct united *united, uint32_t *numbers,
                    size_t count);

/*
 * Begins the numbering at the root of the tree.  The nodes are 0, for resolve (resolve.h) to
 * fill in.  False without memory.
 */
__attribute__((warn_unused_result)) bool numbering_begin(struct numbering *numbering,
                                                         const struct united *united);

/*
 * The numbers in the summary for the process whose description was merged with MAPS, in the
 * order that numbering_take wants.  Returns an array of *COUNT from malloc; NULL without
 * memory.
 */
uint32_t *numbering_for(const struct numbering *numbering, const struct united *united,
                        const struct united_maps *maps, size_t *count);

#endif
