/* See part_snapshot.h. */
#include "parts/part_snapshot.h"

#include "common/codec.h"

#include <stdlib.h>
#include <string.h>

enum { OPEN_BYTES = 3, CELL_BYTES = 3, READINGS_MOST = 50 };

static bool damaged(const struct part_reading *part, unsigned number, const char *what,
                    struct error *error)
{
    return error_set(error, "%s: is damaged: the snapshot of thread %u %s", part->shell.path,
                     number, what);
}

/* False if the cells are out of range or order. */
static bool read_profile(struct part_reading *part, struct decoder *in, struct profile *profile)
{
    const struct summary *shell = &part->shell;
    uint64_t node = 0;
    profile->count = (size_t)decode_count(in, CELL_BYTES);
    profile->cells =
        memory_pool_allocate(&part->shell.pool, profile->count, sizeof *profile->cells);
    for (size_t i = 0; i < profile->count; i++) {
        uint64_t step = decode_varint(in), metric = decode_varint(in);
        node += step;
        if (step >= shell->node_count || node >= shell->node_count ||
            metric >= shell->metric_count ||
            (i > 0 && step == 0 && metric <= profile->cells[i - 1].metric))
            return false;
        profile->cells[i] = (struct cell){(uint32_t)node, (uint32_t)metric, decode_signed(in)};
    }
    return !in->failed;
}

static bool read_open(struct part_reading *part, struct decoder *in,
                      struct part_snapshot *snapshot)
{
    snapshot->open_count = (size_t)decode_count(in, OPEN_BYTES);
    snapshot->open =
        memory_pool_allocate(&part->shell.pool, snapshot->open_count, sizeof *snapshot->open);
    for (size_t i = 0; i < snapshot->open_count; i++) {
        uint64_t phase = decode_varint(in);
        if (phase >= part->shell.phase_count)
            return false;
        snapshot->open[i].phase = (uint32_t)phase;
        snapshot->open[i].number = decode_varint(in);
        snapshot->open[i].begin_ns = (int64_t)decode_varint(in);
    }
    if (snapshot->open_count == 0)
        return !in->failed;
    uint64_t wall = decode_varint(in);
    snapshot->open_wall_ns = (int64_t)wall;
    return wall <= INT64_MAX && read_profile(part, in, &snapshot->open_profile);
}

/* Checks that all phases of LOCATION, and those of open iterations, are in the log. */
static bool phases_are_known(const struct part_log_reading *log,
                             const struct part_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->open_count; i++)
        if (!log->phases[snapshot->open[i].phase].name)
            return false;
    for (size_t i = 0; i < snapshot->location.series_count; i++) {
        const struct series *series = &snapshot->location.series[i];
        if (!log->phases[series->phase].name ||
            (series->parent_phase != SUMMARY_NONE && !log->phases[series->parent_phase].name))
            return false;
    }
    return true;
}

static bool decode(struct part_reading *part, unsigned number,
                   const struct part_log_reading *log, struct decoder *in,
                   struct part_snapshot *snapshot, struct error *error)
{
    struct summary *shell = &part->shell;
    snapshot->ended = decode_varint(in) == 1;
    snapshot->saved_ns = (int64_t)decode_varint(in);
    uint64_t nodes = decode_varint(in), phases = decode_varint(in);
    if (nodes > log->node_count || phases > log->phase_count)
        return damaged(part, number, "is newer than its log", error);
    shell->node_count = (size_t)nodes;
    shell->phase_count = (size_t)phases;
    if (!read_open(part, in, snapshot))
        return damaged(part, number, "is invalid", error);
    if (!summary_read_saved(shell, &part->runs_left, &snapshot->location, in, error))
        return false;
    if (in->at != in->size || !phases_are_known(log, snapshot))
        return damaged(part, number, "is invalid", error);
    return true;
}

bool part_snapshot_decode(struct part_reading *part, unsigned number,
                          const struct part_log_reading *log,
                          const struct found_snapshot *found, struct part_snapshot *snapshot,
                          struct error *error)
{
    struct decoder in = {found->bytes, found->size, 0, false};
    *snapshot = (struct part_snapshot){.is_older = found->is_older};
    return decode(part, number, log, &in, snapshot, error);
}

/* Whether THREAD's slots are as when RECORD was read, so that what is wrong there is no chance.
 */
static bool has_stayed(const struct part_reading *part, unsigned number,
                       const struct part_thread *record)
{
    struct part_thread now;
    return part_read_thread(part, number, &now) &&
           memcmp(record->slots, now.slots, sizeof now.slots) == 0;
}

struct found_snapshot part_snapshot_find(const struct part_reading *part, unsigned number,
                                         const struct part_thread *thread)
{
    struct part_thread now = *thread;
    /*
     * While one slot is being written, the other is complete.  But between reading the record
     * and reading the bytes, a running process may have started to write to that slot; then try
     * again.
     */
    for (int readings = 0; readings < READINGS_MOST; readings++) {
        for (unsigned i = 0; i < now.slot_count; i++) {
            unsigned char *bytes = part_read_slot(part, &now.slots[i]);
            if (bytes)
                return (struct found_snapshot){bytes, (size_t)now.slots[i].size,
                                               (i > 0 || now.slot_damaged) &&
                                                   has_stayed(part, number, &now)};
        }
        struct part_thread before = now;
        if (!part_read_thread(part, number, &now) ||
            memcmp(before.slots, now.slots, sizeof now.slots) == 0)
            break;
    }
    return (struct found_snapshot){0};
}

static bool comes_before(const struct cell *a, const struct cell *b)
{
    return a->node != b->node ? a->node < b->node : a->metric < b->metric;
}

/* The sum of two profiles, cell by cell. */
static struct profile add_profiles(struct memory_pool *pool, const struct profile *a,
                                   const struct profile *b)
{
    struct profile sum = {memory_pool_allocate(pool, a->count + b->count, sizeof *sum.cells),
                          0};
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        bool left =
            i < a->count && (j == b->count || !comes_before(&b->cells[j], &a->cells[i]));
        bool right =
            j < b->count && (i == a->count || !comes_before(&a->cells[i], &b->cells[j]));
        struct cell cell = left ? a->cells[i] : b->cells[j];
        if (left && right)
            cell.value = (int64_t)((uint64_t)cell.value + (uint64_t)b->cells[j].value);
        i += left;
        j += right;
        if (cell.value != 0)
            sum.cells[sum.count++] = cell;
    }
    return sum;
}

void part_snapshot_close(struct part_reading *part, struct part_snapshot *snapshot)
{
    struct location *location = &snapshot->location;
    struct memory_pool *pool = &part->shell.pool;
    if (snapshot->open_count == 0)
        return;
    location->whole = add_profiles(pool, &location->whole, &snapshot->open_profile);
    location->outside = add_profiles(pool, &location->outside, &snapshot->open_profile);
    if (__builtin_add_overflow(location->wall_ns, snapshot->open_wall_ns, &location->wall_ns))
        location->wall_ns = INT64_MAX;
}
