/*
 * Call-tree equivalence: which iterations may share a cluster (Szebenyi, "Capturing Parallel
 * Performance Dynamics", sections 4.1.4 and 5.4.2).
 *
 * For files in compress and their tests only.  The signature of an iteration is that part of
 * its call paths which the equivalence looks at; a class is a set of iterations with one
 * signature. Signatures are found by hash and then compared exactly, so a collision of hashes
 * never puts different iterations into one class.
 */
#ifndef TSPROF_EQUIVALENCE_H
#define TSPROF_EQUIVALENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/account.h"
#include "compress/clustering.h"

#define CLASS_NONE UINT32_MAX

/* All zeroes but for the mode (never EQUIVALENCE_AUTO) is a valid set without classes. */
struct classes {
    enum equivalence mode;
    uint32_t count;        /* classes are numbered 0 .. count-1 by first appearance */
    uint32_t capacity;     /* of signatures */
    uint32_t bucket_count; /* a power of two, or 0; more than half are free */
    struct signature *signatures;
    uint32_t *buckets; /* class number + 1 by hash, 0: free */
};

/* Hash of the signature that the COUNT call paths have under MODE. */
uint64_t equivalence_hash(enum equivalence mode, const struct path_entry *paths, size_t count);

/* The class of the call paths, whose signature has hash HASH; CLASS_NONE if there is none yet.
 */
uint32_t classes_find(const struct classes *classes, uint64_t hash,
                      const struct path_entry *paths, size_t count);

/* The number of a new class for call paths that classes_find did not know; CLASS_NONE, and
 * nothing changed, if memory is out. */
uint32_t classes_add(struct classes *classes, struct account *account, uint64_t hash,
                     const struct path_entry *paths, size_t count);

/* Takes back the newest class. */
void classes_remove_last(struct classes *classes, struct account *account);

/*
 * Unites classes that differ in visits only, for the weaker MODE: WEAK after STRONG,
 * COMMUNICATION after HYBRID.  Until classes_drop_united, classes_united tells the class that
 * class ID has become, and nothing else may be called; afterwards united classes have their new
 * numbers.  Needs no memory.
 */
void classes_unite(struct classes *classes, enum equivalence mode);
uint32_t classes_united(const struct classes *classes, uint32_t id);
void classes_drop_united(struct classes *classes, struct account *account);

/* Gives all memory back and leaves no class; the mode stays. */
void classes_clear(struct classes *classes, struct account *account);

#endif
