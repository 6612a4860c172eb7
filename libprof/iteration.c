/*
 * See iteration.h.  An iteration is handed over as the clustering wants it: its non-zero cells
 * in ascending order, its call paths with their kinds and visits, and its condensed profile
 * (Szebenyi, sections 4.1.2 and 5.4.2), which ends in a sketch of its call paths.
 */
#include "iteration.h"

#include "condense.h"
#include "config.h"
#include "counters.h"
#include "floating.h"
#include "sketch.h"

#include <string.h>

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
    uint8_t *has_mpi = thread->closing.has_mpi;
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

static size_t list_paths_async(struct thread *thread, const struct profile *profile)
{
    struct closing *closing = &thread->closing;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        uint32_t node = profile->touched[i];
        const struct node *at = &thread->tree.nodes[node];
        unsigned visits = layout_table[at->layout].cell_of[METRIC_visits];
        closing->paths[i] = (struct path_entry){
            .path = node,
            .kind = at->kind == NODE_MPI     ? PATH_MPI
                    : closing->has_mpi[node] ? PATH_COM
                                             : PATH_USR,
            .visits = profile->values[at->cell + visits],
        };
    }
    return profile->touched_count;
}

/* What the cells of an iteration add up to. */
struct sums {
    int64_t totals[METRIC_MOST];
    double condensed[METRIC_MOST + SKETCH_SIZE];
};

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

static size_t list_cells_async(struct thread *thread, const struct profile *profile,
                               struct sums *sums)
{
    struct closing *closing = &thread->closing;
    size_t count = 0;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        uint32_t node = profile->touched[i];
        const struct node *at = &thread->tree.nodes[node];
        for (unsigned n = 0; n < layout_table[at->layout].cells; n++) {
            int64_t value = profile->values[at->cell + n];
            if (!value)
                continue;
            enum metric metric = profile_metric_async(at, n);
            closing->cells[count] = at->cell + n;
            closing->values[count++] = value;
            /* Counters may hold anything. */
            sums->totals[metric] = (int64_t)((uint64_t)sums->totals[metric] + (uint64_t)value);
            sketch_async(sums->condensed + METRIC_COUNT + counters_count, node,
                         at->kind == NODE_MPI, metric, value);
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

/*
 * Hands over an iteration that is in the profile around it already.  What no cluster has is
 * outside all iterations, so that the whole stays the sum of both.
 */
static void hand_over_async(struct thread *thread, uint32_t series, bool outermost,
                            const struct iteration_profile *closed)
{
    struct clustering *clustering = thread->series[series].clustering;
    uint64_t lost_before = clustering_lost(clustering);
    enum equivalence strict = clustering_equivalence(clustering);
    struct floating floating;
    floating_begin(&floating);
    bool found_memory = clustering_add(clustering, closed);
    floating_end(&floating);
    bool lost = clustering_lost(clustering) != lost_before;
    if (!found_memory)
        note_shortage_async(thread, lost, clustering_equivalence(clustering) != strict);
    if (outermost && lost)
        profile_move_cells_async(&thread->outside, &thread->closed, &thread->tree,
                                 closed->cells, closed->values, closed->cell_count);
}

void iteration_catch_up_async(struct thread *thread)
{
    struct closing *closing = &thread->closing;
    if (!closing->waits)
        return;
    closing->waits = false;
    hand_over_async(thread, closing->series, closing->outermost, &closing->profile);
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

/* What the clustering is told of PROFILE, all of whose call paths are touched. */
static struct iteration_profile compose_async(struct thread *thread, struct profile *profile,
                                              int64_t wall_ns, struct sums *sums)
{
    const struct closing *closing = &thread->closing;
    struct iteration_profile closed = {
        .cells = closing->cells,
        .values = closing->values,
        .paths = closing->paths,
        .condensed = sums->condensed,
        .wall_ns = wall_ns,
    };
    profile_sort_touched_async(profile);
    find_kinds_async(thread, profile);
    closed.path_count = list_paths_async(thread, profile);
    struct floating floating;
    floating_begin(&floating);
    closed.cell_count = list_cells_async(thread, profile, sums);
    condense(sums->totals, sums->condensed);
    for (unsigned i = 0; i < counters_count; i++)
        sums->condensed[METRIC_COUNT + i] = (double)sums->totals[METRIC_COUNT + i];
    closed.samples =
        (double)(sums->totals[METRIC_samples] + sums->totals[METRIC_samples_failed]);
    floating_end(&floating);
    return closed;
}

void iteration_add_async(struct thread *thread, struct profile *profile, uint32_t series,
                         int64_t wall_ns)
{
    struct sums sums = {0};
    iteration_catch_up_async(thread);
    complete_paths_async(thread, profile, CCT_ROOT, true);
    const struct iteration_profile closed = compose_async(thread, profile, wall_ns, &sums);
    hand_over_async(thread, series, false, &closed);
}

void iteration_close_async(struct thread *thread, struct level *level, int64_t wall_ns)
{
    struct profile *profile = level->profile;
    struct closing *closing = &thread->closing;
    struct sums sums = {0};
    iteration_catch_up_async(thread);
    complete_paths_async(thread, profile, level->base, level->sought);
    struct iteration_profile closed = compose_async(thread, profile, wall_ns, &sums);
    /* What is sought is outside of all iterations as well, until it is shown. */
    struct profile *around =
        level->sought ? level[-1].profile : profile_around_async(thread, level);
    profile_accumulate_async(around ? around : &thread->closed, profile, &thread->tree);
    if (config.number[SETTING_COMPRESS_AT] == COMPRESS_AT_ITERATION) {
        hand_over_async(thread, level->series, !around, &closed);
        return;
    }
    memcpy(closing->condensed, sums.condensed, sizeof sums.condensed);
    closed.condensed = closing->condensed;
    closing->profile = closed;
    closing->series = level->series;
    closing->outermost = !around;
    closing->waits = true;
}
