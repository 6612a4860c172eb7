/*
 * Sparse profiles: the non-zero cells of a profile in ascending order, and sums of them.
 *
 * For files in compress only.  A sparse profile owns one block of memory, values before cell
 * numbers; all zeros is a valid empty profile without a block.
 */
#ifndef TSPROF_SPARSE_H
#define TSPROF_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/account.h"

struct sparse {
    int64_t *values;
    uint32_t *cells; /* strictly ascending */
    size_t count;
    size_t capacity; /* cells that fit without new memory */
};

/* The bytes of a profile of COUNT cells. */
size_t sparse_bytes(size_t count);

/*
 * Initialises *SPARSE, whatever it held, with a copy of the arrays; false, and an empty
 * profile, if out of memory.  Free it with sparse_clear.
 */
bool sparse_copy(struct sparse *sparse, struct account *account, const uint32_t *cells,
                 const int64_t *values, size_t count);

/*
 * Adds the arrays to SPARSE cell by cell; overflow wraps around.  Needs memory only if there
 * are new cells that do not fit; false, with SPARSE unchanged, if there is none.
 */
bool sparse_add(struct sparse *sparse, struct account *account, const uint32_t *cells,
                const int64_t *values, size_t count);

/* Frees the memory, and leaves an empty profile. */
void sparse_clear(struct sparse *sparse, struct account *account);

#endif
