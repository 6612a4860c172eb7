/*
 * See iteration.h.  An iteration is handed over as the clustering wants it: its non-zero cells
 * in ascending order, its call paths with their kinds and visits, and its condensed profile
 * (Szebenyi, sections 4.1.2 and 5.4.2), which ends in a sketch of its call paths.
 */
#include "iterations/iteration.h"

#include "host/arena.h"
#include "compress/condense.h"
#include "host/config.h"
#include "counters/counters.h"
#include "arch/arch.h"
#include "compress/sketch.h"

#include <string.h>

/*
 * Shorter iterations find the clustering in the caches, and would notice that now and then one
 * of them does the work of several.
 */
enum { WAITING_LEAST_NS = 500000 };

/*
 * Call paths that only lead to others were not touched when the walk stopped at an unchanged
 * frame; they belong to the iteration all the same.  Visits below one are below the lower
 * bound, but for what is SOUGHT.
 */
static void complete_paths_async(struct thread *thread, struct profile *profile, uint32_t base,
                                 bool sought)
{
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        uint32_t node = profile->touched[i];
        while (node > base) {
            int64_t *cells = profile_cells_async(profile, &thread->tree, node);
            const struct node *at = &thread->tree.nodes[node];
            unsigned visits = layout_table[at->layout].cell_of[METRIC_visits];
            /*
             * Visits of MPI are exact: none yet where a call lies across the border.  So may
             * other functions, across that of a loop which is sought, or of a slice.
             */
            if (cells[visits] < 1 && at->kind != NODE_MPI && !sought)
                cells[visits] = 1;
            node = at->parent;
            if (profile->stamps[node] == profile->epoch)
                break;
        }
    }
}

/* MPI paths are themselves; COM paths have one below; the rest is USR.  Touched must be sorted.
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
            .kind = at->kind == NODE_MPI            ? PATH_MPI
                    : thread->iterations->queue.has_mpi[node] ? PATH_COM
                                                    : PATH_USR,
            .visits = profile->values[at->cell + visits],
        };
    }
}

_Static_assert(METRIC_mpi == METRIC_computation + 1 && METRIC_mpi_other < METRIC_overhead,
               "the metrics below execution are side by side");
_Static_assert(METRIC_bytes_io_written - METRIC_bytes == 8, "so are those below bytes");

/* What NODE has of a metric is part of the sketch, or not. */
static void sketch_async(double sketch[SKETCH_SIZE], uint32_t node, bool is_mpi,
                         enum metric metric, int64_t value)
{
    if (metric == METRIC_computation)
        sketch_add(sketch, SKETCH_COMPUTATION, node, value);
    else if (metric >= METRIC_mpi && metric <= METRIC_mpi_other)
        sketch_add(sketch, SKETCH_MPI, node, value);
    else if (metric >= METRIC_bytes && metric <= METRIC_bytes_io_written)
        sketch_add(sketch, SKETCH_BYTES, node, value);
    else if (metric == METRIC_visits && is_mpi)
        sketch_add(sketch, SKETCH_CALLS, node, value);
}

/* Lists the cells that are not zero, and adds them up. */
static size_t list_cells_async(const struct thread *thread, const struct profile *profile,
                               uint32_t *cells, int64_t *values, int64_t totals[METRIC_MOST],
                               double sketch[SKETCH_SIZE])
{
    size_t count = 0;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        uint32_t node = profile->touched[i];
        const struct node *at = &thread->tree.nodes[node];
        for (unsigned n = 0; n < layout_table[at->layout].cells; n++) {
            int64_t value = profile->values[at->cell + n];
            if (!value)
                continue;
            enum metric metric = profile_metric_async(at, n);
            cells[count] = at->cell + n;
            values[count++] = value;
            /* Counters may hold anything. */
            totals[metric] = (int64_t)((uint64_t)totals[metric] + (uint64_t)value);
            sketch_async(sketch, node, at->kind == NODE_MPI, metric, value);
        }
    }
    return count;
}

/* Says what became of iterations since memory is out. */
static void note_shortage_async(struct thread *thread, bool lost, bool relaxed)
{
    thread_note_async(thread, lost ? NOTE_ITERATIONS_LOST : NOTE_CLUSTERS_LOST);
    if (relaxed)
        thread_note_async(thread, NOTE_CLASSES_LOST);
}

/* Puts what ENDED adds up to before its sketch. */
static void condense_totals_async(struct queued_iteration *ended)
{
    condense(ended->totals, ended->condensed);
    for (unsigned i = METRIC_COUNT; i < METRIC_COUNT + counters_count; i++)
        ended->condensed[i] = (double)ended->totals[i];
    ended->profile.samples =
        (double)(ended->totals[METRIC_samples] + ended->totals[METRIC_samples_failed]);
}

/*
 * Hands over an iteration that is in the profile around it already.  What no cluster has is
 * outside all iterations, so that the whole stays the sum of both.
 */
static void hand_over_async(struct thread *thread, struct queued_iteration *ended)
{
    struct clustering *clustering = thread->iterations->series[ended->series].clustering;
    uint64_t lost_before = clustering_lost(clustering);
    enum equivalence strict = clustering_equivalence(clustering);
    struct floating floating;
    floating_begin(&floating);
    condense_totals_async(ended);
    bool found_memory = clustering_add(clustering, &ended->profile);
    floating_end(&floating);
    bool lost = clustering_lost(clustering) != lost_before;
    if (!found_memory)
        note_shortage_async(thread, lost, clustering_equivalence(clustering) != strict);
    if (ended->outermost && lost)
        profile_move_cells_async(&thread->outside, &thread->closed, &thread->tree,
                                 ended->profile.cells, ended->profile.values,
                                 ended->profile.cell_count);
}

void iteration_flush_queue_async(struct thread *thread)
{
    struct cluster_queue *queue = &thread->iterations->queue;
    /* Should the program leave one, as by exit in a handler, it is not added again. */
    while (queue->first < queue->count) {
        struct queued_iteration *ended = &queue->ended[queue->first++];
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        hand_over_async(thread, ended);
    }
    queue->first = queue->count = 0;
    queue->cells_used = queue->paths_used = 0;
    thread->awaits_all = false;
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

/*
 * What the clustering is told of PROFILE, all of whose call paths are touched: behind what
 * waits, but not waiting yet.
 */
static struct queued_iteration *compose_async(struct thread *thread, struct profile *profile,
                                   uint32_t series, bool outermost, int64_t wall_ns)
{
    struct cluster_queue *queue = &thread->iterations->queue;
    struct queued_iteration *ended = &queue->ended[queue->count];
    uint32_t *cells = queue->cells + queue->cells_used;
    int64_t *values = queue->values + queue->cells_used;
    struct path_entry *paths = queue->paths + queue->paths_used;
    double *sketch = ended->condensed + METRIC_COUNT + counters_count;
    profile_sort_touched_async(profile);
    find_kinds_async(thread, profile);
    list_paths_async(thread, profile, paths);
    memset(sketch, 0, SKETCH_SIZE * sizeof *sketch);
    memset(ended->totals, 0, sizeof ended->totals);
    struct floating floating;
    floating_begin(&floating);
    size_t cell_count = list_cells_async(thread, profile, cells, values, ended->totals, sketch);
    floating_end(&floating);
    ended->profile = (struct iteration_profile){
        .cells = cells,
        .values = values,
        .cell_count = cell_count,
        .paths = paths,
        .path_count = profile->touched_count,
        .condensed = ended->condensed,
        .wall_ns = wall_ns,
    };
    ended->series = series;
    ended->outermost = outermost;
    return ended;
}

void iteration_add_async(struct thread *thread, struct profile *profile, uint32_t series,
                         int64_t wall_ns)
{
    iteration_flush_queue_async(thread);
    complete_paths_async(thread, profile, CCT_ROOT, true);
    hand_over_async(thread, compose_async(thread, profile, series, false, wall_ns));
}

/* Whether another iteration may wait. */
static bool has_room(const struct cluster_queue *queue)
{
    return queue->count < ENDED_MOST &&
           queue->cells_used + queue->paths_used <= ENDED_CELLS;
}

/* The same, with what they take drawn from the budget. */
static bool furnish_async(struct cluster_queue *queue)
{
    const size_t bytes = ENDED_CELLS * sizeof *queue->paths + sizeof queue->ended;
    if (!queue->drawn)
        queue->drawn = budget_draw_async(bytes);
    return queue->drawn && has_room(queue);
}

/*
 * Whether an iteration of LEVEL and WALL_NS is to wait.  What it takes to look for loops is
 * charged to them pass by pass.
 */
static bool waits(const struct thread *thread, const struct level *level, int64_t wall_ns)
{
    return thread->awaits_all || (!level->is_pass && wall_ns >= WAITING_LEAST_NS);
}

void iteration_close_async(struct thread *thread, struct level *level, int64_t wall_ns)
{
    struct profile *profile = level->profile;
    struct cluster_queue *queue = &thread->iterations->queue;
    /* There is room unless the program left, as by a jump, when it was to be made. */
    if (!has_room(queue))
        iteration_flush_queue_async(thread);
    complete_paths_async(thread, profile, level->base, level->is_pass);
    /* What is sought is outside of all iterations as well, until it is shown. */
    struct profile *around =
        level->is_pass ? level[-1].profile : profile_around_async(thread, level);
    const struct queued_iteration *ended = compose_async(thread, profile, level->series, !around, wall_ns);
    profile_accumulate_async(around ? around : &thread->closed, profile, &thread->tree);
    queue->count++;
    queue->cells_used += ended->profile.cell_count;
    queue->paths_used += ended->profile.path_count;
    thread->awaits_all = config.number[SETTING_COMPRESS_AT] == COMPRESS_AT_COLLECTIVE;
    if (!waits(thread, level, wall_ns) || !furnish_async(queue))
        iteration_flush_queue_async(thread);
}
