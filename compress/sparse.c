/* Sparse profiles.  See sparse.h. */
#include "compress/sparse.h"

#include <string.h>

/*
 * Capacities are multiples of this: allocators do well with blocks of few sizes, and a cluster
 * that still meets new cells now and then rarely has to move.
 */
#define CELL_GRAIN 32

#define CELL_BYTES (sizeof(int64_t) + sizeof(uint32_t))

static size_t capacity_for(size_t count)
{
    return (count + CELL_GRAIN - 1) / CELL_GRAIN * CELL_GRAIN;
}

size_t sparse_bytes(size_t count)
{
    return capacity_for(count) * CELL_BYTES;
}

/* An empty profile with room for COUNT cells. */
static bool sparse_reserve(struct sparse *sparse, struct account *account, size_t count)
{
    size_t capacity = capacity_for(count);
    *sparse = (struct sparse){0};
    if (capacity == 0)
        return true;
    sparse->values = account_take(account, capacity * CELL_BYTES);
    if (!sparse->values)
        return false;
    sparse->cells = (uint32_t *)(sparse->values + capacity);
    sparse->capacity = capacity;
    return true;
}

bool sparse_copy(struct sparse *sparse, struct account *account, const uint32_t *cells,
                 const int64_t *values, size_t count)
{
    if (!sparse_reserve(sparse, account, count))
        return false;
    if (count > 0) {
        memcpy(sparse->cells, cells, count * sizeof(*cells));
        memcpy(sparse->values, values, count * sizeof(*values));
    }
    sparse->count = count;
    return true;
}

void sparse_clear(struct sparse *sparse, struct account *account)
{
    account_give_back(account, sparse->values, sparse->capacity * CELL_BYTES);
    *sparse = (struct sparse){0};
}

size_t sparse_search(const struct sparse *sparse, uint32_t cell)
{
    size_t low = 0, high = sparse->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sparse->cells[middle] < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sparse->count && sparse->cells[low] == cell ? low : sparse->count;
}

/* Metrics of a broken program may overflow; wrapping keeps that defined. */
static int64_t wrapping_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Adds the arrays to SPARSE, which has all their cells. */
static void add_inside(struct sparse *sparse, const uint32_t *cells,
                       const int64_t *restrict values, size_t count)
{
    int64_t *restrict sums = sparse->values;
    for (size_t i = 0, j = 0; j < count;) {
        if (runs_agree(&sparse->cells[i], sparse->count - i, &cells[j], count - j)) {
            for (int n = 0; n < RUN; n++)
                sums[i + n] = wrapping_sum(sums[i + n], values[j + n]);
            i += RUN;
            j += RUN;
            continue;
        }
        const bool same = sparse->cells[i] == cells[j];
        sums[i] = wrapping_sum(sums[i], same ? values[j] : 0);
        i++;
        j += same;
    }
}

/* Merges the arrays into SPARSE, which has room for the TOTAL cells of the union.  From the
 * back, so that nothing is overwritten before it was read; what lies before the first new cell
 * stays. */
static void merge_backward(struct sparse *sparse, const uint32_t *cells, const int64_t *values,
                           size_t count, size_t total)
{
    size_t i = sparse->count, j = count, end = total;
    while (i > 0 && j > 0) {
        if (i >= RUN && j >= RUN &&
            runs_agree(&sparse->cells[i - RUN], RUN, &cells[j - RUN], RUN)) {
            for (int n = 0; n < RUN; n++) {
                end--;
                sparse->cells[end] = cells[--j];
                sparse->values[end] = wrapping_sum(sparse->values[--i], values[j]);
            }
            continue;
        }
        uint32_t a = sparse->cells[i - 1], b = cells[j - 1];
        int64_t from_a = a >= b ? sparse->values[i - 1] : 0;
        int64_t from_b = b >= a ? values[j - 1] : 0;
        end--;
        sparse->cells[end] = a >= b ? a : b;
        sparse->values[end] = wrapping_sum(from_a, from_b);
        i -= a >= b;
        j -= b >= a;
    }
    if (j > 0) {
        memcpy(sparse->cells, cells, j * sizeof(*cells));
        memcpy(sparse->values, values, j * sizeof(*values));
    }
    sparse->count = total;
}

static bool sparse_move(struct sparse *sparse, struct account *account, size_t count)
{
    struct sparse larger;
    if (!sparse_reserve(&larger, account, count))
        return false;
    if (sparse->count > 0) {
        memcpy(larger.cells, sparse->cells, sparse->count * sizeof(*larger.cells));
        memcpy(larger.values, sparse->values, sparse->count * sizeof(*larger.values));
    }
    larger.count = sparse->count;
    sparse_clear(sparse, account);
    *sparse = larger;
    return true;
}

static bool same_cells(const struct sparse *sparse, const uint32_t *cells, size_t count)
{
    return sparse->count == count && memcmp(sparse->cells, cells, count * sizeof(*cells)) == 0;
}

bool sparse_add(struct sparse *sparse, struct account *account, const uint32_t *cells,
                const int64_t *values, size_t count)
{
    if (count == 0)
        return true;
    if (same_cells(sparse, cells, count)) {
        for (size_t i = 0; i < count; i++)
            sparse->values[i] = wrapping_sum(sparse->values[i], values[i]);
        return true;
    }
    size_t total = runs_union(sparse->cells, sparse->count, cells, count);
    if (total == sparse->count) {
        add_inside(sparse, cells, values, count);
        return true;
    }
    if (total > sparse->capacity && !sparse_move(sparse, account, total))
        return false;
    merge_backward(sparse, cells, values, count, total);
    return true;
}
