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

/* The index of CELL in SPARSE, or its count if it is not there. */
size_t sparse_search(const struct sparse *sparse, uint32_t cell);

/* The same, trying *PLACE first, where others have it; that becomes where it is. */
static inline size_t sparse_find(const struct sparse *sparse, uint32_t cell, uint32_t *place)
{
    if (*place < sparse->count && sparse->cells[*place] == cell)
        return *place;
    const size_t at = sparse_search(sparse, cell);
    if (at < sparse->count)
        *place = (uint32_t)at;
    return at;
}

/* Frees the memory, and leaves an empty profile. */
void sparse_clear(struct sparse *sparse, struct account *account);

#endif
