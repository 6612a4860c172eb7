/* See compose.h. */
#include "iterations/compose.h"

#include "iterations/iteration.h"

#include <string.h>

/* Call paths between which work pauses: some microseconds, where they are not in the caches. */
enum { PATHS_AT_ONCE = 32, SORTED_AT_ONCE = 128 };

/* After the NTH call path of many. */
static void pause_async(struct thread *thread, uint32_t nth)
{
    if (nth % PATHS_AT_ONCE == PATHS_AT_ONCE - 1)
        iteration_pause_async(thread);
}

/*
 * Touches the ancestors, up to its base, of all call paths in ENDED: a walk that stopped at an
 * unchanged frame has not touched them, but they belong to the iteration.  The lower bound of
 * their visits is one, except in passes of the loop search and in slices.
 */
static void complete_paths_async(struct thread *thread, const struct ended_iteration *ended)
{
    struct profile *profile = ended->profile;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        uint32_t node = profile->touched[i];
        while (node > ended->base) {
            int64_t *cells = profile_cells_async(profile, &thread->tree, node);
            const struct node *at = &thread->tree.nodes[node];
            unsigned visits = layout_table[at->layout].cell_of[METRIC_visits];
            /*
             * Visits of MPI calls, and of functions that tell of them, are exact, and are zero
             * if a call began before the border.  Any function may have begun before the border
             * of a searched loop's pass or of a slice.
             */
            if (cells[visits] < 1 && at->kind != NODE_MPI && !at->told && !ended->is_pass)
                cells[visits] = 1;
            node = at->parent;
            if (profile_has_async(profile, node))
                break;
        }
        pause_async(thread, i);
    }
}

static void sort_async(struct thread *thread, struct profile *profile)
{
    struct profile_sorting sorting = {.next = 0};
    while (!profile_sort_some_async(profile, &thread->tree, &sorting, SORTED_AT_ONCE))
        iteration_pause_async(thread);
}

/*
 * Finds which touched nodes have MPI calls below them, which tells COM paths from USR paths.
 * The profile's touched nodes must be sorted.
 */
static void find_kinds_async(struct thread *thread, const struct profile *profile)
{
    uint8_t *has_mpi = thread->iterations->queue.has_mpi;
    const struct node *nodes = thread->tree.nodes;
    for (uint32_t i = 0; i < profile->touched_count; i++)
        has_mpi[profile->touched[i]] = 0;
    /* Children have higher numbers than their parents. */
    for (uint32_t i = profile->touched_count; i-- > 0;) {
        uint32_t node = profile->touched[i];
        if (nodes[node].kind == NODE_MPI || has_mpi[node])
            has_mpi[nodes[node].parent] = 1;
        pause_async(thread, i);
    }
}

static void list_paths_async(struct thread *thread, const struct profile *profile,
                             struct path_entry *paths)
{
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        uint32_t node = profile->touched[i];
        const struct node *at = &thread->tree.nodes[node];
        unsigned visits = layout_table[at->layout].cell_of[METRIC_visits];
        paths[i] = (struct path_entry){
            .path = node,
            .kind = at->kind == NODE_MPI                      ? PATH_MPI
                    : thread->iterations->queue.has_mpi[node] ? PATH_COM
                                                              : PATH_USR,
            .visits = profile->values[at->cell + visits],
        };
        pause_async(thread, i);
    }
}

/*
 * Lists the cells of PROFILE that are not zero in ENTRY, and adds them to its totals.  Returns
 * false if there is no memory for all of them.
 */
static bool list_cells_async(struct thread *thread, const struct profile *profile,
                             struct queued_iteration *entry)
{
    const struct cluster_queue *queue = &thread->iterations->queue;
    uint32_t *cells = queue->cells + queue->cells_used;
    int64_t *values = queue->values + queue->cells_used, *totals = entry->totals;
    size_t count = 0;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        uint32_t node = profile->touched[i];
        const struct node *at = &thread->tree.nodes[node];
        for (unsigned n = 0; n < layout_table[at->layout].cells; n++) {
            int64_t value = profile->values[at->cell + n];
            if (!value)
                continue;
            if (queue->cells_used + count == queue->cells_room &&
                !queue_grow_cells_async(thread))
                return false;
            enum metric metric = profile_metric_async(at, n);
            cells[count] = at->cell + n;
            values[count++] = value;
            /* Unsigned, because sums of counters may overflow. */
            totals[metric] = (int64_t)((uint64_t)totals[metric] + (uint64_t)value);
        }
        pause_async(thread, i);
    }
    entry->profile = (struct iteration_profile){
        .cells = cells, .values = values, .cell_count = count, .condensed = entry->condensed};
    return true;
}

/* Gives the queue room for all call paths of PROFILE. */
static bool has_paths_room_async(struct thread *thread, const struct profile *profile)
{
    const struct cluster_queue *queue = &thread->iterations->queue;
    while (queue->paths_room < queue->paths_used + profile->touched_count)
        if (!queue_grow_paths_async(thread))
            return false;
    return true;
}

struct queued_iteration *compose_async(struct thread *thread,
                                       const struct ended_iteration *ended)
{
    struct profile *profile = ended->profile;
    struct cluster_queue *queue = &thread->iterations->queue;
    struct queued_iteration *entry = &queue->ended[queue->count];
    struct path_entry *paths = queue->paths + queue->paths_used;
    complete_paths_async(thread, ended);
    if (!has_paths_room_async(thread, profile))
        return NULL;
    sort_async(thread, profile);
    find_kinds_async(thread, profile);
    list_paths_async(thread, profile, paths);
    memset(entry->totals, 0, sizeof entry->totals);
    if (!list_cells_async(thread, profile, entry))
        return NULL;
    entry->profile.paths = paths;
    entry->profile.path_count = profile->touched_count;
    entry->profile.wall_ns = ended->wall_ns;
    entry->series = ended->series;
    entry->skipped = ended->skipped;
    entry->outermost = ended->outermost;
    return entry;
}

void compose_enqueue_async(struct thread *thread, const struct queued_iteration *entry)
{
    struct cluster_queue *queue = &thread->iterations->queue;
    iterations_promise_async(thread, &entry->profile);
    queue->count++;
    queue->cells_used += entry->profile.cell_count;
    queue->paths_used += entry->profile.path_count;
}
