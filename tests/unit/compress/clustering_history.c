/* What was put into a clustering.  See clustering_history.h. */
#include "clustering_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more element of SIZE bytes in an array of COUNT; CAPACITY is its owner's. */
static void *with_room(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? *capacity * 2 : 16;
    array = realloc(array, *capacity * size);
    if (!array)
        abort();
    return array;
}

static void *copy(const void *from, size_t bytes)
{
    void *to = malloc(bytes ? bytes : 1);
    if (!to)
        abort();
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

void history_add(struct history *history, const struct iteration_profile *profile)
{
    history->past =
        with_room(history->past, history->count, &history->capacity, sizeof(*history->past));
    struct iteration_profile kept = *profile;
    kept.cells = copy(profile->cells, profile->cell_count * sizeof(*profile->cells));
    kept.values = copy(profile->values, profile->cell_count * sizeof(*profile->values));
    kept.paths = copy(profile->paths, profile->path_count * sizeof(*profile->paths));
    kept.condensed =
        copy(profile->condensed, history->condensed_count * sizeof(*profile->condensed));
    history->past[history->count++] =
        (struct past_iteration){.number = history->iterations++, .profile = kept};
}

void history_skip(struct history *history, uint64_t count)
{
    history->iterations += count;
}

double history_value(const struct history *history, size_t index, uint32_t k)
{
    double value = history->past[index].profile.condensed[k];
    if (!isfinite(value))
        return 0;
    return fmax(fmin(value, 1e140), -1e140);
}

/* The next call path from *I on that MODE looks at, reduced to what it compares; false if there
 * is none. */
static bool next_trait(enum equivalence mode, const struct iteration_profile *profile,
                       size_t *i, struct path_entry *trait)
{
    while (*i < profile->path_count) {
        *trait = profile->paths[(*i)++];
        switch (mode) {
        case EQUIVALENCE_STRONG:
            trait->kind = 0;
            return true;
        case EQUIVALENCE_WEAK:
            trait->kind = 0;
            trait->visits = 0;
            return true;
        case EQUIVALENCE_HYBRID:
            if (trait->kind == PATH_USR)
                continue;
            if (trait->kind == PATH_COM)
                trait->visits = 0;
            return true;
        case EQUIVALENCE_COMMUNICATION:
        case EQUIVALENCE_SIMILAR:
            if (trait->kind == PATH_USR)
                continue;
            trait->visits = 0;
            return true;
        case EQUIVALENCE_NONE:
        case EQUIVALENCE_AUTO:
            break;
        }
    }
    return false;
}

bool history_alike(enum equivalence mode, const struct iteration_profile *a,
                   const struct iteration_profile *b)
{
    size_t i = 0, j = 0;
    for (;;) {
        struct path_entry x, y;
        bool more = next_trait(mode, a, &i, &x);
        if (more != next_trait(mode, b, &j, &y))
            return false;
        if (!more)
            return true;
        if (x.path != y.path || x.kind != y.kind || x.visits != y.visits)
            return false;
    }
}

void history_clear(struct history *history)
{
    for (size_t i = 0; i < history->count; i++) {
        struct iteration_profile *profile = &history->past[i].profile;
        free((void *)(uintptr_t)profile->cells);
        free((void *)(uintptr_t)profile->values);
        free((void *)(uintptr_t)profile->paths);
        free((void *)(uintptr_t)profile->condensed);
    }
    free(history->past);
    *history = (struct history){.condensed_count = history->condensed_count};
}

int64_t wrapping_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

void cell_sum_add(struct cell_sum *sum, const uint32_t *cells, const int64_t *values,
                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sum->cells = with_room(sum->cells, sum->count, &sum->capacity, sizeof(*sum->cells));
        sum->cells[sum->count++] = (struct summand){cells[i], values[i]};
    }
}

static int by_cell(const void *a, const void *b)
{
    uint32_t left = ((const struct summand *)a)->cell,
             right = ((const struct summand *)b)->cell;
    return left < right ? -1 : left > right;
}

void cell_sum_finish(struct cell_sum *sum)
{
    size_t different = 0;
    if (sum->count > 1)
        qsort(sum->cells, sum->count, sizeof(*sum->cells), by_cell);
    for (size_t i = 0; i < sum->count; i++) {
        struct summand *last = different ? &sum->cells[different - 1] : NULL;
        if (last && last->cell == sum->cells[i].cell)
            last->value = wrapping_add(last->value, sum->cells[i].value);
        else
            sum->cells[different++] = sum->cells[i];
    }
    sum->count = different;
}

void cell_sum_clear(struct cell_sum *sum)
{
    free(sum->cells);
    *sum = (struct cell_sum){0};
}
