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

/* Copies the arrays to the beginning of SPARSE, which has room for them. */
static void copy_in(struct sparse *sparse, const struct account *account, const uint32_t *cells,
                    const int64_t *values, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        end = steps_end(i, count);
        memcpy(&sparse->cells[i], &cells[i], (end - i) * sizeof(*cells));
        memcpy(&sparse->values[i], &values[i], (end - i) * sizeof(*values));
        steps_pause(account, end, count);
    }
}

bool sparse_copy(struct sparse *sparse, struct account *account, const uint32_t *cells,
                 const int64_t *values, size_t count)
{
    if (!sparse_reserve(sparse, account, count))
        return false;
    copy_in(sparse, account, cells, values, count);
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
static void add_inside(struct sparse *sparse, const struct account *account,
                       const uint32_t *cells, const int64_t *restrict values, size_t count)
{
    int64_t *restrict sums = sparse->values;
    size_t pause_at = STEPS_AT_ONCE;
    for (size_t i = 0, j = 0; j < count;) {
        if (i >= pause_at) {
            account_pause(account);
            pause_at = i + STEPS_AT_ONCE;
        }
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
static void merge_backward(struct sparse *sparse, const struct account *account,
                           const uint32_t *cells, const int64_t *values, size_t count,
                           size_t total)
{
    size_t i = sparse->count, j = count, end = total, pause_at = steps_end_back(total);
    while (i > 0 && j > 0) {
        if (end < pause_at) {
            account_pause(account);
            pause_at = steps_end_back(end);
        }
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
    copy_in(sparse, account, cells, values, j);
    sparse->count = total;
}

static bool sparse_move(struct sparse *sparse, struct account *account, size_t count)
{
    struct sparse larger;
    if (!sparse_reserve(&larger, account, count))
        return false;
    copy_in(&larger, account, sparse->cells, sparse->values, sparse->count);
    larger.count = sparse->count;
    sparse_clear(sparse, account);
    *sparse = larger;
    return true;
}

static bool same_cells(const struct sparse *sparse, const uint32_t *cells, size_t count)
{
    return sparse->count == count && memcmp(sparse->cells, cells, count * sizeof(*cells)) == 0;
}

/* Adds VALUES of the same cells. */
static void add_same(struct sparse *sparse, const struct account *account,
                     const int64_t *values)
{
    for (size_t i = 0, end; i < sparse->count; i = end) {
        end = steps_end(i, sparse->count);
        for (size_t n = i; n < end; n++)
            sparse->values[n] = wrapping_sum(sparse->values[n], values[n]);
        steps_pause(account, end, sparse->count);
    }
}

bool sparse_add(struct sparse *sparse, struct account *account, const uint32_t *cells,
                const int64_t *values, size_t count)
{
    if (count == 0)
        return true;
    if (same_cells(sparse, cells, count)) {
        add_same(sparse, account, values);
        return true;
    }
    size_t total = runs_union(account, sparse->cells, sparse->count, cells, count);
    if (total == sparse->count) {
        add_inside(sparse, account, cells, values, count);
        return true;
    }
    if (total > sparse->capacity && !sparse_move(sparse, account, total))
        return false;
    merge_backward(sparse, account, cells, values, count, total);
    return true;
}
