/*
 * Sparse profiles: the non-zero cells of a profile in ascending order, and sums of them.
 *
 * For files in compress only.  Copying and adding pauses.  A sparse profile owns one block of
 * memory, values before cell numbers; all zeros is a valid empty profile without a block.
 */
#ifndef TSPROF_SPARSE_H
#define TSPROF_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/*
 * Two ascending lists of numbers, side by side.  Which list the next number comes from is a
 * coin toss for the branch predictor, so loops over two lists advance by results of
 * comparisons.  But most lists have most numbers in common, and runs of those are passed in
 * strides.
 */

/* The number of numbers by which two lists are compared at once. */
enum { RUN = 4 };

/* Whether A, of which LEFT numbers are left, and B with OTHERS_LEFT go on with the same run. */
static inline bool runs_agree(const uint32_t *a, size_t left, const uint32_t *b,
                              size_t others_left)
{
    return left >= RUN && others_left >= RUN && memcmp(a, b, RUN * sizeof(*a)) == 0;
}

/* How many numbers one of the two lists, or both, have; with pauses. */
static inline size_t runs_union(const struct account *account, const uint32_t *a,
                                size_t a_count, const uint32_t *b, size_t b_count)
{
    size_t i = 0, j = 0, both = 0, pause_at = STEPS_AT_ONCE;
    while (i < a_count && j < b_count) {
        if (i + j >= pause_at) {
            account_pause(account);
            pause_at = i + j + STEPS_AT_ONCE;
        }
        if (runs_agree(a + i, a_count - i, b + j, b_count - j)) {
            i += RUN;
            j += RUN;
            both += RUN;
            continue;
        }
        const uint32_t one = a[i], other = b[j];
        i += one <= other;
        j += other <= one;
        both += one == other;
    }
    return a_count + b_count - both;
}

#endif
