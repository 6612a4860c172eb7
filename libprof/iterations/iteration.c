/* See iteration.h. */
#include "iterations/iteration.h"

#include "arch/arch.h"
#include "compress/condense.h"
#include "counters/counters.h"
#include "host/host.h"
#include "iterations/aside.h"
#include "iterations/compose.h"
#include "iterations/shortage.h"
#include "trace/trace.h"

#include <string.h>

/*
 * How many times as long as a piece of clustering took the next one waits, unless there are as
 * many iterations in the queue as are too many.
 */
enum { PIECE_GAPS = 4, TOO_MANY = ENDED_MOST / 4 };

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

static void empty_async(struct cluster_queue *queue)
{
    queue->first = queue->count = 0;
    queue->cells_used = queue->paths_used = 0;
}

/* Moves what waits to the beginning of the queue. */
static void move_up_async(struct cluster_queue *queue)
{
    struct queued_iteration *left = &queue->ended[queue->first];
    const uint32_t count = queue->count - queue->first;
    if (count == 0)
        empty_async(queue);
    if (queue->first == 0)
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

/* The longest time that counts at once: others must have had the processor. */
enum { CHARGED_MOST_NS = STALL_PIECE_MOST_NS };

/*
 * What is done from now on costs SERIES, or none if that is SERIES_MOST; until now it was
 * another one.
 */
static void charge_async(struct iterations *iterations, uint32_t series)
{
    const int64_t now_ns = clock_now_async(), spent_ns = now_ns - iterations->charged_ns;
    if (iterations->charged < SERIES_MOST) {
        const int64_t cost_ns = spent_ns < CHARGED_MOST_NS ? spent_ns : CHARGED_MOST_NS;
        iterations->series[iterations->charged].cost_ns += cost_ns;
        iterations->cost_ns += cost_ns;
    }
    iterations->charged = series;
    iterations->charged_ns = now_ns;
}

void iteration_pause_async(struct thread *thread)
{
    if (thread->iterations->charged_ns)
        charge_async(thread->iterations, thread->iterations->charged);
    coroutine_pause_async(&thread->pieces);
}

/* Hands over the first iteration of QUEUE. */
static void hand_over_first_async(struct thread *thread, struct cluster_queue *queue)
{
    /* `first` is advanced beforehand: if the program leaves by a jump or exit, none is added
     * twice. */
    struct queued_iteration *ended = &queue->ended[queue->first++];
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    charge_async(thread->iterations, ended->series);
    hand_over_async(thread, ended);
}

/* Does some of another room's work, unless all that is done now is in somebody's way. */
static bool work_beside_async(struct thread *thread)
{
    struct iterations *iterations = thread->iterations;
    const bool hurries =
        thread->pieces.until_ns == INT64_MAX && iterations->queue.enough != UINT32_MAX;
    if (!iterations->beside_async || hurries)
        return false;
    charge_async(iterations, SERIES_MOST);
    if (!iterations->beside_async(thread))
        iterations->beside_async = NULL;
    return true;
}

/*
 * Takes in the iteration that was put aside, clusters those that wait, mostly all of them, and
 * does another room's work: the work that is done in pieces.
 */
static void cluster_async(void *argument)
{
    struct thread *thread = argument;
    struct cluster_queue *queue = &thread->iterations->queue;
    for (;;) {
        const bool is_aside = aside_is_used_async(thread->iterations);
        if (is_aside && has_room_without(queue, queue->first)) {
            charge_async(thread->iterations, thread->iterations->aside.ended.series);
            if (!thread->iterations->aside.ended.listed && !has_room(queue))
                move_up_async(queue);
            aside_take_in_async(thread);
        } else if (queue->first < queue->count && (is_aside || queue->first < queue->enough)) {
            hand_over_first_async(thread, queue);
        } else if (!work_beside_async(thread)) {
            break;
        }
        coroutine_pause_async(&thread->pieces);
    }
    if (queue->first < queue->count)
        return;
    empty_async(queue);
    count_skipped_async(thread->iterations);
}

/* Starts the work, which others go on with, unless it has been. */
static void start_work_async(struct thread *thread)
{
    /* Work that was left by a jump of the program's cannot be gone on with. */
    if (!thread->pieces.runs && thread->pieces.under_way)
        return;
    coroutine_start_async(&thread->pieces, cluster_async, thread);
    thread->iterations->charged = SERIES_MOST;
}

/* Puts clustering off until another stay. */
static void put_off_async(struct thread *thread)
{
    thread->iterations->queue.enough = UINT32_MAX;
    start_work_async(thread);
    thread->work_due_ns = thread->stay_ns + 1;
}

/*
 * Goes on clustering until UNTIL_NS, or until ENOUGH entries of the queue are done.  Returns
 * false if it stopped because of the time.
 */
static bool go_on_async(struct thread *thread, int64_t until_ns, uint32_t enough)
{
    struct iterations *iterations = thread->iterations;
    iterations->queue.enough = enough;
    thread_busy_async(thread, STALL_CLUSTERING);
    thread->awaits_all = false;
    drop_discarded_async(iterations);
    start_work_async(thread);
    iterations->charged_ns = clock_now_async();
    const bool done = coroutine_resume_async(&thread->pieces, until_ns);
    charge_async(iterations, iterations->charged);
    iterations->charged_ns = 0;
    return done;
}

/* Ends a save, during which clusters may not change. */
static void thaw_async(struct thread *thread)
{
    if (thread->frozen)
        timeline_hooks.thaw_async(thread);
}

void iteration_flush_queue_async(struct thread *thread)
{
    thaw_async(thread);
    if (!iteration_is_idle_async(thread))
        go_on_async(thread, INT64_MAX, UINT32_MAX);
    count_skipped_async(thread->iterations);
    thread->awaits_all = false;
    thread->work_due_ns = thread->save_due_ns;
}

int64_t iteration_next_piece_async(const struct thread *thread, int64_t begin_ns,
                                   int64_t end_ns)
{
    const bool hurries = thread->iterations->queue.count >= TOO_MANY;
    const int64_t gaps = hurries ? 0 : iteration_is_owed_async(thread) ? 1 : PIECE_GAPS;
    return end_ns + gaps * (end_ns - begin_ns);
}

int64_t iteration_piece_end_async(const struct thread *thread, int64_t ns, int64_t waited_ns)
{
    const bool hurries = thread->iterations->queue.count >= TOO_MANY;
    return stall_piece_end(thread->stay_ns, ns, hurries ? INT64_MAX : waited_ns);
}

/* The same of a piece of clustering: longer if it has long been due, since calls are seldom
 * then. */
static int64_t piece_end(const struct thread *thread, int64_t ns)
{
    return iteration_piece_end_async(thread, ns,
                                     thread->pieces.under_way ? ns - thread->work_due_ns : 0);
}

bool iteration_cluster_async(struct thread *thread)
{
    const int64_t begin_ns = clock_now_async();
    if (thread->frozen)
        return false;
    if (iteration_is_idle_async(thread))
        return true;
    /* A long iteration is taken in, and then waits for others. */
    const uint32_t enough = aside_waits_async(thread->iterations) ? 0 : UINT32_MAX;
    const bool done = go_on_async(thread, piece_end(thread, begin_ns), enough);
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
    iteration_settle_async(thread);
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

/* Takes in what was put aside without pausing: the pieces are the save's. */
static void take_in_while_frozen_async(struct thread *thread)
{
    struct iterations *iterations = thread->iterations;
    const uint32_t charged = iterations->charged;
    iterations->charged = iterations->aside.ended.series;
    iterations->charged_ns = clock_now_async();
    aside_take_in_async(thread);
    charge_async(iterations, charged);
    iterations->charged_ns = 0;
}

void iteration_settle_async(struct thread *thread)
{
    const bool awaits_all = thread->awaits_all;
    /*
     * What the caller does next must not pause for a piece that the program has left by a jump,
     * or in which it ends.
     */
    thread->pieces.until_ns = INT64_MAX;
    if (!aside_is_used_async(thread->iterations))
        return;
    if (thread->frozen && !has_room(&thread->iterations->queue))
        thaw_async(thread);
    if (thread->frozen)
        take_in_while_frozen_async(thread);
    else
        go_on_async(thread, INT64_MAX, 0);
    thread->awaits_all = awaits_all;
}

void iteration_begin_beside_async(struct thread *thread,
                                  bool (*work_async)(struct thread *thread))
{
    thread->iterations->beside_async = work_async;
    thread->work_due_ns = thread->last_ns;
}

void iteration_hand_over_async(struct thread *thread, struct queued_iteration *entry)
{
    struct series *series = &thread->iterations->series[entry->series];
    entry->skipped = series->skipped;
    series->skipped = 0;
    entry->profile.condensed = entry->condensed;
    iterations_promise_async(thread, &entry->profile);
    hand_over_async(thread, entry);
}

/*
 * Whether the iteration of LEVEL, which took WALL_NS, is to wait in the queue.  Passes do not:
 * what they cost decides soon whether others have a profile.
 */
static bool waits(const struct thread *thread, const struct level *level, int64_t wall_ns)
{
    const struct cluster_queue *queue = &thread->iterations->queue;
    return thread->awaits_all || (!level->is_pass && wall_ns >= WAITING_LEAST_NS &&
                                  queue->count - queue->first < WAITING_MOST);
}

/* Takes in the iteration of LEVEL at once; false if there is no memory for it. */
static bool take_in_async(struct thread *thread, const struct level *level, int64_t wall_ns)
{
    if (!has_room(&thread->iterations->queue))
        make_room_async(thread);
    struct ended_iteration ended = ended_describe_async(thread, level, wall_ns);
    ended_take_in_async(thread, &ended);
    ended_enqueue_async(thread, &ended);
    return ended.entry;
}

void iteration_close_async(struct thread *thread, struct level *level, int64_t wall_ns)
{
    struct cluster_queue *queue = &thread->iterations->queue;
    /* Where several iterations end at once, or what came before took long, they follow later.
     */
    const bool first = thread->busy < STALL_CLUSTERING;
    thread_busy_async(thread, STALL_CLUSTERING);
    iteration_settle_async(thread);
    const bool all = config.number[SETTING_COMPRESS_AT] == COMPRESS_AT_COLLECTIVE,
               long_one = all || waits(thread, level, wall_ns),
               aside = aside_put_async(thread, level, wall_ns, long_one);
    if (!aside && !take_in_async(thread, level, wall_ns))
        return;
    thread->awaits_all = all;
    if (!furnish_async(queue))
        iteration_flush_queue_async(thread);
    else if (thread->frozen || (aside ? all : has_room(queue) && waits(thread, level, wall_ns)))
        return;
    else if (first && clock_now_async() - thread->stay_ns < STALL_REST_LEAST_NS)
        iteration_cluster_async(thread);
    else
        put_off_async(thread);
}
