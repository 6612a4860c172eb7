/* See presence.h. */
#include "compress/presence.h"

#include <string.h>

#include "compress/sparse.h"

/* Capacities are multiples of this, as in sparse.c. */
enum { PATH_GRAIN = 32 };

/* Call paths that are to be added, and in how many iterations each occurred. */
struct addition {
    const struct path_entry *entries; /* of one iteration; NULL: those below */
    const uint32_t *paths;
    const uint32_t *counts; /* NULL: SIZE each */
    uint32_t count;
    uint32_t size; /* iterations */
};

static uint32_t path_at(const struct addition *addition, uint32_t i)
{
    return addition->entries ? addition->entries[i].path : addition->paths[i];
}

static uint32_t count_at(const struct addition *addition, uint32_t i)
{
    return addition->counts ? addition->counts[i] : addition->size;
}

static uint32_t capacity_for(size_t count)
{
    return (uint32_t)(count + PATH_GRAIN - 1) / PATH_GRAIN * PATH_GRAIN;
}

static size_t block_bytes(uint32_t capacity, bool counted)
{
    return (counted ? 2 : 1) * capacity * sizeof(uint32_t);
}

size_t presence_bytes(size_t count)
{
    return block_bytes(capacity_for(count), false);
}

static void give_back(struct presence *presence, struct account *account)
{
    account_give_back(account, presence->paths,
                      block_bytes(presence->capacity, presence->counts));
}

static void forget(struct presence *presence, struct account *account)
{
    give_back(presence, account);
    *presence = (struct presence){.unknown = true};
}

void presence_start(struct presence *presence, struct account *account,
                    const struct path_entry *paths, size_t count)
{
    *presence = (struct presence){.capacity = capacity_for(count)};
    if (count == 0)
        return;
    presence->paths = account_take(account, block_bytes(presence->capacity, false));
    if (!presence->paths) {
        *presence = (struct presence){.unknown = true};
        return;
    }
    for (size_t i = 0, end; i < count; i = end) {
        end = steps_end(i, count);
        for (size_t n = i; n < end; n++)
            presence->paths[n] = paths[n].path;
        steps_pause(account, end, count);
    }
    presence->count = (uint32_t)count;
}

/*
 * Makes room for COUNT call paths and for the numbers of those of the SIZE iterations that are
 * there.  Returns false, and presence is unknown, if out of memory.
 */
static bool make_room(struct presence *presence, struct account *account, uint32_t count,
                      uint32_t size)
{
    if (presence->counts && count <= presence->capacity)
        return true;
    const uint32_t capacity = capacity_for(count);
    uint32_t *paths = account_take(account, block_bytes(capacity, true));
    if (!paths) {
        forget(presence, account);
        return false;
    }
    uint32_t *counts = paths + capacity;
    for (size_t i = 0, end; i < presence->count; i = end) {
        end = steps_end(i, presence->count);
        for (size_t n = i; n < end; n++) {
            paths[n] = presence->paths[n];
            counts[n] = presence->counts ? presence->counts[n] : size;
        }
        steps_pause(account, end, presence->count);
    }
    give_back(presence, account);
    presence->paths = paths;
    presence->counts = counts;
    presence->capacity = capacity;
    return true;
}

static bool has_same_paths(const struct presence *presence, const struct account *account,
                           const struct addition *addition)
{
    if (presence->count != addition->count)
        return false;
    if (!addition->entries)
        return presence->count == 0 || memcmp(presence->paths, addition->paths,
                                              presence->count * sizeof *presence->paths) == 0;
    uint32_t differ = 0;
    for (size_t i = 0, end; i < presence->count; i = end) {
        end = steps_end(i, presence->count);
        for (size_t n = i; n < end; n++)
            differ |= presence->paths[n] ^ addition->entries[n].path;
        steps_pause(account, end, presence->count);
    }
    return differ == 0;
}

static uint32_t union_count(const struct presence *presence, const struct account *account,
                            const struct addition *addition)
{
    if (addition->paths)
        return (uint32_t)runs_union(account, presence->paths, presence->count, addition->paths,
                                    addition->count);
    uint32_t i = 0, j = 0, both = 0, pause_at = STEPS_AT_ONCE;
    while (i < presence->count && j < addition->count) {
        if (i + j >= pause_at) {
            account_pause(account);
            pause_at = i + j + STEPS_AT_ONCE;
        }
        const uint32_t a = presence->paths[i], b = addition->entries[j].path;
        i += a <= b;
        j += b <= a;
        both += a == b;
    }
    return presence->count + addition->count - both;
}

/* Adds a run of numbers to COUNTS: those of ADDITION from J on. */
static void add_run(uint32_t *counts, const struct addition *addition, uint32_t j)
{
    for (uint32_t n = 0; n < RUN; n++)
        counts[n] += count_at(addition, j + n);
}

/* Adds call paths all of which are there. */
static void add_inside(struct presence *presence, const struct account *account,
                       const struct addition *addition)
{
    uint32_t pause_at = STEPS_AT_ONCE;
    for (uint32_t i = 0, j = 0; j < addition->count;) {
        if (i >= pause_at) {
            account_pause(account);
            pause_at = i + STEPS_AT_ONCE;
        }
        if (addition->paths && runs_agree(&presence->paths[i], presence->count - i,
                                          &addition->paths[j], addition->count - j)) {
            add_run(&presence->counts[i], addition, j);
            i += RUN;
            j += RUN;
            continue;
        }
        const bool same = presence->paths[i] == path_at(addition, j);
        presence->counts[i++] += same ? count_at(addition, j) : 0;
        j += same;
    }
}

/* Adds call paths where there is room for all TOTAL, from the back, so that nothing is
 * overwritten before it was read. */
static void add_backward(struct presence *presence, const struct account *account,
                         const struct addition *addition, uint32_t total)
{
    uint32_t i = presence->count, j = addition->count, end = total;
    size_t pause_at = steps_end_back(total);
    while (j > 0) {
        if (end < pause_at) {
            account_pause(account);
            pause_at = steps_end_back(end);
        }
        const uint32_t b = path_at(addition, j - 1);
        const bool from_own = i > 0 && presence->paths[i - 1] >= b;
        const bool from_other = i == 0 || presence->paths[i - 1] <= b;
        end--;
        presence->paths[end] = from_own ? presence->paths[i - 1] : b;
        presence->counts[end] = (from_own ? presence->counts[i - 1] : 0) +
                                (from_other ? count_at(addition, j - 1) : 0);
        i -= from_own;
        j -= from_other;
    }
    presence->count = total;
}

static void add(struct presence *presence, struct account *account, uint32_t size,
                const struct addition *addition)
{
    const bool same = has_same_paths(presence, account, addition);
    if (presence->unknown || (same && !presence->counts && !addition->counts))
        return;
    const uint32_t total = same ? presence->count : union_count(presence, account, addition);
    if (!make_room(presence, account, total, size))
        return;
    if (total > presence->count)
        add_backward(presence, account, addition, total);
    else
        add_inside(presence, account, addition);
}

void presence_add(struct presence *presence, struct account *account, uint32_t size,
                  const struct path_entry *paths, size_t count)
{
    add(presence, account, size,
        &(struct addition){.entries = paths, .count = (uint32_t)count, .size = 1});
}

void presence_merge(struct presence *presence, struct account *account, uint32_t size,
                    const struct presence *other, uint32_t other_size)
{
    if (other->unknown)
        forget(presence, account);
    add(presence, account, size,
        &(struct addition){.paths = other->paths,
                           .counts = other->counts,
                           .count = other->count,
                           .size = other_size});
}

void presence_clear(struct presence *presence, struct account *account)
{
    give_back(presence, account);
    *presence = (struct presence){0};
}
