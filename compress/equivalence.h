/*
 * Call-tree equivalence: which iterations may share a cluster (Szebenyi, "Capturing Parallel
 * Performance Dynamics", sections 4.1.4 and 5.4.2).
 *
 * For files in compress and their tests only.  The signature of an iteration is the part of its
 * call paths that the equivalence compares; a class is a set of iterations with the same
 * signature.  Signatures are looked up by hash and then compared exactly, so a hash collision
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

/* Start from all zeros with a mode, which is never EQUIVALENCE_AUTO: a set without classes. */
struct classes {
    enum equivalence mode;
    uint32_t count;        /* classes are numbered 0 .. count-1 by first appearance */
    uint32_t capacity;     /* of signatures */
    uint32_t bucket_count; /* a power of two, or 0; more than half are free */
    struct signature *signatures;
    uint32_t *buckets; /* class number + 1 by hash, 0: free */
};

/*
 * The hash of the signature of COUNT call paths under MODE.  This, and what else goes through
 * all call paths of an iteration or all classes, pauses as ACCOUNT says.
 */
uint64_t equivalence_hash(enum equivalence mode, const struct account *account,
                          const struct path_entry *paths, size_t count);

/*
 * The class of the call paths whose signature has hash HASH; CLASS_NONE if there is none yet.
 */
uint32_t classes_find(const struct classes *classes, const struct account *account,
                      uint64_t hash, const struct path_entry *paths, size_t count);

/* The most bytes of a table with one class, of an iteration with PATHS call paths. */
size_t classes_bytes_for_one(size_t paths);

/*
 * Adds a class for call paths that classes_find did not know, and returns its number.
 * CLASS_NONE, with nothing changed, if out of memory.
 */
uint32_t classes_add(struct classes *classes, struct account *account, uint64_t hash,
                     const struct path_entry *paths, size_t count);

/* Removes the newest class. */
void classes_remove_last(struct classes *classes, struct account *account);

/*
 * classes_unite unites classes that differ in visits only, for the weaker MODE: WEAK after
 * STRONG, COMMUNICATION after HYBRID.  From then on only classes_united may be called, which
 * tells what class ID has become, until classes_drop_united renumbers the classes that are
 * left.  None of this needs memory.
 */
void classes_unite(struct classes *classes, const struct account *account,
                   enum equivalence mode);
uint32_t classes_united(const struct classes *classes, uint32_t id);
void classes_drop_united(struct classes *classes, struct account *account);

/* Counts an iteration of class ID, which is what differences between classes are weighed by. */
void classes_count(struct classes *classes, uint32_t id);

/* From COMMUNICATION to SIMILAR: from now on classes_unite_similar may be called. */
void classes_liken(struct classes *classes, const struct account *account);

/* Two classes that become one: LATER becomes EARLIER, and all after LATER move up by one. */
struct class_pair {
    uint32_t earlier, later;
};

/*
 * Unites the two classes, of at least two, by which fewest call paths come to be in a class
 * some of whose iterations do not have them: their number in either class that the other has
 * not, times its iterations.  Call paths are compared by sketches of SKETCH_BITS, so that
 * it takes nanoseconds for each pair; of more call paths than that some go unnoticed.  From
 * then on an iteration is of the new class if it has all that the larger of the two required.
 */
enum { SKETCH_BITS = 256 };
struct class_pair classes_unite_similar(struct classes *classes, struct account *account);

/* Gives all memory back and leaves no class; the mode stays. */
void classes_clear(struct classes *classes, struct account *account);

#endif
