/*
 * What processes say of themselves, united: what their numbers refer to, their hosts, their
 * communicators' topologies.  Each process describes itself; descriptions are united two by two
 * in any tree, as long as those of lower ranks are the ones that others are merged into; what
 * is at the tree's root gets its numbers in the summary, and these travel back the same way.
 *
 * Program context; memory from malloc.
 */
#ifndef TSPROF_UNITED_H
#define TSPROF_UNITED_H

#include "common/codec.h"
#include "assemble/definitions.h"
#include "assemble/hosts.h"
#include "assemble/topologies.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from all zeros. */
struct united {
    struct definitions definitions; /* `failed` stands for all */
    struct hosts hosts;
    struct topologies topologies;
};

/* Where what has been merged is now; arrays from malloc. */
struct united_maps {
    struct definition_maps definitions;
    uint32_t *hosts;
    uint32_t host_count;
};

/* What united things are called in the summary: one array from malloc, `nodes`, and its parts.
 */
struct numbering {
    uint32_t *nodes, *phases, *counters, *hosts;
};

void united_encode(const struct united *united, struct encoder *out);

/* Merges an encoded description; `failed` is set if it is damaged or memory is out. */
void united_merge(struct united *united, struct decoder *in, struct united_maps *maps);

void united_free(struct united *united);
void united_maps_free(struct united_maps *maps);

/*
 * Takes over NUMBERS, COUNT of them: those of nodes, phases, counters and hosts, one after the
 * other.  False, and nothing is taken, if there are not as many.
 */
bool numbering_take(struct numbering *numbering, const struct united *united, uint32_t *numbers,
                    size_t count);

/* The numbering at the root, but for its nodes, which are 0 (see resolve.h); false without
 * memory. */
__attribute__((warn_unused_result)) bool numbering_begin(struct numbering *numbering,
                                                         const struct united *united);

/*
 * The numbers for whom MAPS is of, as numbering_take takes them, COUNT of them; from malloc,
 * NULL without memory.
 */
uint32_t *numbering_for(const struct numbering *numbering, const struct united *united,
                        const struct united_maps *maps, size_t *count);

#endif
