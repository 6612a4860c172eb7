/*
 * See iteration.h.  The clustering gets an iteration as its non-zero cells in ascending order,
 * its call paths with their kinds and visits, and its condensed profile (Szebenyi,
 * sections 4.1.2 and 5.4.2).
 */
#include "iterations/iteration.h"

#include "arch/arch.h"
#include "compress/condense.h"
#include "counters/counters.h"
#include "host/host.h"
#include "iterations/shortage.h"
#include "trace/trace.h"

#include <string.h>

/*
 * A piece of clustering; how many times as long as a piece took the next one waits.  Unless
 * there are as many iterations in the queue as are too many, or a save waits for them: then
 * pieces are longer, so that the queue need not be emptied at once.
 */
enum { PIECE_NS = 20000, PIECE_GAPS = 4, TOO_MANY = ENDED_MOST / 4, PIECE_LONG_NS = 35000 };

/*
 * Touches the ancestors, up to BASE, of all call paths in PROFILE: a walk that stopped at an
 * unchanged frame has not touched them, but they belong to the iteration.  The lower bound of
 * their visits is one, except in passes of the loop search and in slices (IS_PASS).
 */
static void complete_paths_async(struct thread *thread, struct profile *profile, uint32_t base,
                                 bool is_pass)
{
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        uint32_t node = profile->touched[i];
        while (node > base) {
            int64_t *cells = profile_cells_async(profile, &thread->tree, node);
            const struct node *at = &thread->tree.nodes[node];
            unsigned visits = layout_table[at->layout].cell_of[METRIC_visits];
            /*
             * Visits of MPI calls, and of functions that tell of them, are exact, and are zero
             * if a call began before the border.  Any function may have begun before the border
             * of a searched loop's pass or of a slice.
             */
            if (cells[visits] < 1 && at->kind != NODE_MPI && !at->told && !is_pass)
                cells[visits] = 1;
            node = at->parent;
            if (profile_has_async(profile, node))
                break;
        }
    }
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
    }
}

/*
 * Lists the cells of PROFILE that are not zero in ENDED, and adds them to its totals.  Returns
 * false if there is no memory for all of them.
 */
static bool list_cells_async(struct thread *thread, const struct profile *profile,
                             struct queued_iteration *ended)
{
    const struct cluster_queue *queue = &thread->iterations->queue;
    uint32_t *cells = queue->cells + queue->cells_used;
    int64_t *values = queue->values + queue->cells_used, *totals = ended->totals;
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
    }
    ended->profile = (struct iteration_profile){
        .cells = cells, .values = values, .cell_count = count, .condensed = ended->condensed};
    return true;
}

/* Writes the totals of ENDED into its condensed profile. */
static void condense_totals_async(struct queued_iteration *ended)
{
    condense(ended->totals, ended->condensed);
    for (unsigned i = METRIC_COUNT; i < METRIC_COUNT + counters_count; i++)
        ended->condensed[i] = (double)ended->totals[i];
}

/*
 * Hands an iteration, which has been added to the profile around it, to the clustering.  If no
 * cluster takes it, it counts as outside all iterations, so that the clusters and the outside
 * still add up to the whole run.
 */
static void hand_over_async(struct thread *thread, struct queued_iteration *ended)
{
    if (ended->series == SERIES_DROPPED)
        return;
    struct clustering *clustering = thread->iterations->series[ended->series].clustering;
    uint64_t lost_before = clustering_lost(clustering);
    enum equivalence strict = clustering_equivalence(clustering);
    struct floating floating;
    floating_begin(&floating);
    condense_totals_async(ended);
    if (ended->skipped > 0)
        clustering_skip(clustering, ended->skipped);
    bool found_memory = clustering_add(clustering, &ended->profile);
    floating_end(&floating);
    bool lost = clustering_lost(clustering) != lost_before;
    if (!found_memory)
        shortage_note_async(thread, lost, clustering_equivalence(clustering) != strict);
    if (clustering_broke_bound(clustering))
        thread_note_async(thread, NOTE_BOUND_BROKEN);
    if (clustering_lacks_cells(clustering))
        thread_note_async(thread, NOTE_CELLS_LOST);
    if (ended->outermost && lost)
        shortage_move_outside_async(thread, &ended->profile);
}

/* Counts iterations without a profile after which none has come yet. */
static void count_skipped_async(struct iterations *iterations)
{
    for (uint32_t i = 0; iterations->skips && i < SERIES_MOST; i++) {
        struct series *series = &iterations->series[i];
        if (series->skipped > 0 && series->clustering)
            clustering_skip(series->clustering, series->skipped);
        series->skipped = 0;
    }
    iterations->skips = false;
}

static void drop_discarded_async(struct iterations *iterations)
{
    while (iterations->discarded_count > 0)
        series_drop_async(&iterations->discarded[--iterations->discarded_count]);
}

/* Clusters iterations that wait, mostly all of them: the work that is done in pieces. */
static void cluster_async(void *argument)
{
    struct thread *thread = argument;
    struct cluster_queue *queue = &thread->iterations->queue;
    /*
     * `first` is advanced beforehand: if the program leaves by a jump or exit, none is added
     * twice.
     */
    while (queue->first < queue->count && queue->first < queue->enough) {
        struct queued_iteration *ended = &queue->ended[queue->first++];
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        hand_over_async(thread, ended);
        coroutine_pause_async(&thread->pieces);
    }
    if (queue->first < queue->count)
        return;
    queue->first = queue->count = 0;
    queue->cells_used = queue->paths_used = 0;
    count_skipped_async(thread->iterations);
}

/*
 * Goes on clustering until UNTIL_NS, or until ENOUGH entries of the queue are done.  Returns
 * false if it stopped because of the time.
 */
static bool go_on_async(struct thread *thread, int64_t until_ns, uint32_t enough)
{
    thread->iterations->queue.enough = enough;
    thread_busy_async(thread, STALL_CLUSTERING);
    thread->awaits_all = false;
    drop_discarded_async(thread->iterations);
    /* Work that was left by a jump of the program's cannot be gone on with. */
    if (thread->pieces.runs || !thread->pieces.under_way)
        coroutine_start_async(&thread->pieces, cluster_async, thread);
    return coroutine_resume_async(&thread->pieces, until_ns);
}

/* Ends a save, during which clusters may not change. */
static void thaw_async(struct thread *thread)
{
    if (thread->frozen)
        timeline_hooks.thaw_async(thread);
}

void iteration_flush_queue_async(struct thread *thread)
{
    const struct cluster_queue *queue = &thread->iterations->queue;
    thaw_async(thread);
    if (queue->count > 0 || thread->pieces.under_way)
        go_on_async(thread, INT64_MAX, UINT32_MAX);
    count_skipped_async(thread->iterations);
    thread->awaits_all = false;
    thread->work_due_ns = thread->save_due_ns;
}

int64_t iteration_next_piece_async(const struct thread *thread, int64_t begin_ns,
                                   int64_t end_ns)
{
    return end_ns +
           (thread->iterations->queue.count < TOO_MANY ? PIECE_GAPS * (end_ns - begin_ns) : 0);
}

/* How long a piece of THREAD's clustering may take. */
static int64_t piece_ns(const struct thread *thread)
{
    const bool hurries =
        thread->iterations->queue.count >= TOO_MANY || thread->last_ns >= thread->save_due_ns;
    return hurries ? PIECE_LONG_NS : PIECE_NS;
}

bool iteration_cluster_async(struct thread *thread)
{
    const int64_t begin_ns = clock_now_async();
    if (thread->frozen)
        return false;
    if (iteration_is_idle_async(thread))
        return true;
    const bool done = go_on_async(thread, begin_ns + piece_ns(thread), UINT32_MAX);
    const int64_t due_ns = iteration_next_piece_async(thread, begin_ns, clock_now_async());
    thread->work_due_ns = done || due_ns > thread->save_due_ns ? thread->save_due_ns : due_ns;
    return done;
}

void iteration_skip_async(struct thread *thread, uint32_t series, uint64_t count)
{
    thread->iterations->series[series].skipped += count;
    thread->iterations->skips = true;
    if (!thread->frozen && iteration_is_idle_async(thread))
        count_skipped_async(thread->iterations);
}

void iteration_discard_async(struct thread *thread, uint32_t series)
{
    trace_drop_series_async(thread, series);
    struct iterations *iterations = thread->iterations;
    struct cluster_queue *queue = &iterations->queue;
    const bool reads = thread->frozen && iterations->discarded_count == DISCARDED_MOST;
    const bool clusters = !thread->frozen && thread->pieces.under_way && queue->first > 0 &&
                          queue->ended[queue->first - 1].series == series;
    if (reads || clusters)
        iteration_flush_queue_async(thread);
    for (uint32_t i = queue->first; i < queue->count; i++)
        if (queue->ended[i].series == series)
            queue->ended[i].series = SERIES_DROPPED;
    if (thread->frozen)
        iterations->discarded[iterations->discarded_count++] = iterations->series[series];
    else
        series_drop_async(&iterations->series[series]);
    iterations->series[series] = (struct series){.clustering = NULL};
}

/* The profile of the innermost iteration around LEVEL, NULL if there is none. */
static struct profile *profile_around_async(const struct thread *thread,
                                            const struct level *level)
{
    while (--level >= thread->levels)
        if (level->kept)
            return level->profile;
    return NULL;
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

/*
 * Writes what the clustering needs of PROFILE, all of whose call paths are touched, into the
 * queue's next free entry, without adding that entry to the queue.  Returns NULL if there is no
 * memory for it.
 */
static struct queued_iteration *compose_async(struct thread *thread, struct profile *profile,
                                              uint32_t series, bool outermost, int64_t wall_ns)
{
    struct cluster_queue *queue = &thread->iterations->queue;
    struct queued_iteration *ended = &queue->ended[queue->count];
    struct path_entry *paths = queue->paths + queue->paths_used;
    if (!has_paths_room_async(thread, profile))
        return NULL;
    profile_sort_touched_async(profile);
    find_kinds_async(thread, profile);
    list_paths_async(thread, profile, paths);
    memset(ended->totals, 0, sizeof ended->totals);
    if (!list_cells_async(thread, profile, ended))
        return NULL;
    ended->profile.paths = paths;
    ended->profile.path_count = profile->touched_count;
    ended->profile.wall_ns = wall_ns;
    ended->series = series;
    ended->skipped = thread->iterations->series[series].skipped;
    thread->iterations->series[series].skipped = 0;
    ended->outermost = outermost;
    return ended;
}

/* Adds ENDED, which compose_async has just written, to the queue. */
static void enqueue_async(struct thread *thread, const struct queued_iteration *ended)
{
    struct cluster_queue *queue = &thread->iterations->queue;
    iterations_promise_async(thread, &ended->profile);
    queue->count++;
    queue->cells_used += ended->profile.cell_count;
    queue->paths_used += ended->profile.path_count;
}

/* Whether the queue would have room for another iteration without its first COUNT ones. */
static bool has_room_without(const struct cluster_queue *queue, uint32_t count)
{
    const struct queued_iteration *first = &queue->ended[count];
    if (count == queue->count)
        return true;
    const size_t freed = (size_t)(first->profile.cells - queue->cells) +
                         (size_t)(first->profile.paths - queue->paths);
    return queue->count - count < ENDED_MOST &&
           queue->cells_used + queue->paths_used - freed <= ENDED_CELLS;
}

static bool has_room(const struct cluster_queue *queue)
{
    return has_room_without(queue, 0);
}

/* Moves what waits to the beginning of the queue. */
static void move_up_async(struct cluster_queue *queue)
{
    struct queued_iteration *left = &queue->ended[queue->first];
    const uint32_t count = queue->count - queue->first;
    if (count == 0 || queue->first == 0)
        return;
    const ptrdiff_t cells = left->profile.cells - queue->cells,
                    paths = left->profile.paths - queue->paths;
    queue->cells_used -= (size_t)cells;
    queue->paths_used -= (size_t)paths;
    memmove(queue->cells, queue->cells + cells, queue->cells_used * sizeof *queue->cells);
    memmove(queue->values, queue->values + cells, queue->cells_used * sizeof *queue->values);
    memmove(queue->paths, queue->paths + paths, queue->paths_used * sizeof *queue->paths);
    for (uint32_t i = 0; i < count; i++) {
        struct queued_iteration *ended = &queue->ended[i];
        *ended = left[i];
        ended->profile.cells -= cells;
        ended->profile.values -= cells;
        ended->profile.paths -= paths;
        ended->profile.condensed = ended->condensed;
    }
    queue->first = 0;
    queue->count = count;
}

/* Clusters as many iterations as it takes for another one to find room in the queue. */
static void make_room_async(struct thread *thread)
{
    struct cluster_queue *queue = &thread->iterations->queue;
    thaw_async(thread);
    uint32_t enough = queue->first;
    while (!has_room_without(queue, enough))
        enough++;
    if (thread->pieces.under_way || queue->first < enough)
        go_on_async(thread, INT64_MAX, enough);
    move_up_async(queue);
}

/*
 * Whether iterations may wait in it, whose memory is drawn from the budget the first time.  The
 * last of them may be of any size: only the next one needs room.
 */
static bool furnish_async(struct cluster_queue *queue)
{
    const size_t bytes = ENDED_CELLS * sizeof *queue->paths + sizeof queue->ended;
    if (!queue->drawn)
        queue->drawn = budget_draw_async(bytes);
    return queue->drawn;
}

void iteration_add_async(struct thread *thread, struct profile *profile, uint32_t series,
                         int64_t wall_ns)
{
    struct cluster_queue *queue = &thread->iterations->queue;
    if (!has_room(queue))
        make_room_async(thread);
    complete_paths_async(thread, profile, CCT_ROOT, true);
    const struct queued_iteration *ended =
        compose_async(thread, profile, series, false, wall_ns);
    if (!ended) {
        shortage_skip_async(thread, series);
        return;
    }
    enqueue_async(thread, ended);
    if (!furnish_async(queue))
        iteration_flush_queue_async(thread);
    else
        iteration_cluster_async(thread);
}

/*
 * Whether the iteration of LEVEL, which took WALL_NS, is to wait in the queue.  Passes do not,
 * because the loop search accounts for its cost pass by pass.
 */
static bool waits(const struct thread *thread, const struct level *level, int64_t wall_ns)
{
    const struct cluster_queue *queue = &thread->iterations->queue;
    return thread->awaits_all || (!level->is_pass && wall_ns >= WAITING_LEAST_NS &&
                                  queue->count - queue->first < WAITING_MOST);
}

void iteration_close_async(struct thread *thread, struct level *level, int64_t wall_ns)
{
    struct profile *profile = level->profile;
    struct cluster_queue *queue = &thread->iterations->queue;
    /* Where several iterations end at once, the others follow later. */
    const bool first = thread->busy < STALL_CLUSTERING;
    thread_busy_async(thread, STALL_CLUSTERING);
    if (!has_room(queue))
        make_room_async(thread);
    complete_paths_async(thread, profile, level->base, level->is_pass);
    /*
     * A pass of a searched loop also counts as outside all iterations, until the loop is shown.
     */
    struct profile *around =
        level->is_pass ? level[-1].profile : profile_around_async(thread, level);
    const struct queued_iteration *ended =
        compose_async(thread, profile, level->series, !around, wall_ns);
    if (around || ended)
        profile_accumulate_async(around ? around : &thread->closed, profile, &thread->tree);
    else
        profile_join_async(&thread->outside, profile, &thread->tree);
    if (!ended) {
        shortage_skip_async(thread, level->series);
        return;
    }
    enqueue_async(thread, ended);
    thread->awaits_all = config.number[SETTING_COMPRESS_AT] == COMPRESS_AT_COLLECTIVE;
    if (!furnish_async(queue))
        iteration_flush_queue_async(thread);
    else if (thread->frozen || (has_room(queue) && waits(thread, level, wall_ns)))
        return;
    else if (first)
        iteration_cluster_async(thread);
    else
        thread->work_due_ns = thread->last_ns;
}
