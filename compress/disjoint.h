/*
 * Which cluster an iteration belongs to: a disjoint-set forest over iterations whose roots know
 * the slot of their cluster.  Four bytes an iteration.
 *
 * For files in compress only.  Stores no set sizes: its owner knows them and says which root
 * stays on top.  With the root of the larger set on top every lookup takes at most log2(size)
 * steps, without compressing paths, so a lookup changes nothing.
 */
#ifndef TSPROF_DISJOINT_H
#define TSPROF_DISJOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "account.h"

#define DISJOINT_NONE UINT32_MAX

/* Enough for 2^31 iterations, see disjoint.c. */
#define DISJOINT_SEGMENTS 88

/*
 * Segments grow with the forest, four of each size: at most about a fifth of the memory waits
 * for iterations to come, and growing never copies.  All zeroes is a valid empty forest.
 */
struct disjoint {
    int32_t *segments[DISJOINT_SEGMENTS];
};

/* Makes room for ITERATION, which belongs to no set yet; false if memory is out or the
 * iteration is beyond 2^31 - 2. */
bool disjoint_reserve(struct disjoint *forest, struct account *account, uint64_t iteration);

/* Makes ITERATION, for which there is room, the root and only member of a set in SLOT. */
void disjoint_root(struct disjoint *forest, uint32_t iteration, uint32_t slot);

/* Puts the set with root CHILD under ROOT. */
void disjoint_join(struct disjoint *forest, uint32_t root, uint32_t child);

/* Makes ITERATION, a root without other members, belong to no set again. */
void disjoint_remove(struct disjoint *forest, uint32_t iteration);

/* The slot of the set that ITERATION is in, DISJOINT_NONE if in none. */
uint32_t disjoint_slot(const struct disjoint *forest, uint64_t iteration);

/* Gives all memory back. */
void disjoint_clear(struct disjoint *forest, struct account *account);

#endif
