/*
 * See iteration.h.  An iteration is handed over as the clustering wants it: its non-zero cells
 * in ascending order, its call paths with their kinds and visits, and its condensed profile
 * (Szebenyi, sections 4.1.2 and 5.4.2), which ends in a sketch of its call paths.
 */
#include "iteration.h"

#include "condense.h"
#include "floating.h"
#include "sketch.h"

/*
 * Call paths that only lead to others were not touched when the walk stopped at an unchanged
 * frame; they belong to the iteration all the same.  Visits below one are below the lower
 * bound.
 */
static void complete_paths_async(struct thread *thread, struct level *level)
{
    struct profile *profile = level->profile;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        uint32_t node = profile->touched[i];
        while (node > level->root) {
            int64_t *cells = profile_cells_async(profile, &thread->tree, node);
            const struct node *at = &thread->tree.nodes[node];
            unsigned visits = layout_table[at->layout].cell_of[METRIC_visits];
            /* Visits of MPI are exact: none yet where a call lies across the border. */
            if (cells[visits] < 1 && at->kind != NODE_MPI)
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
    int64_t totals[METRIC_COUNT];
    double condensed[METRIC_COUNT + SKETCH_SIZE];
};

/* Time below `execution` at a node has its part in one half of the sketch. */
static void sketch_async(double sketch[SKETCH_SIZE], uint32_t node, enum metric metric,
                         int64_t value)
{
    _Static_assert(METRIC_mpi == METRIC_computation + 1 && METRIC_mpi_other < METRIC_overhead,
                   "the metrics below execution are side by side");
    if (metric == METRIC_computation)
        sketch_add(sketch + SKETCH_COMPUTATION, node, value);
    else if (metric >= METRIC_mpi && metric <= METRIC_mpi_other)
        sketch_add(sketch + SKETCH_MPI, node, value);
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
            sums->totals[metric] += value;
            sketch_async(sums->condensed + METRIC_COUNT, node, metric, value);
        }
    }
    return count;
}

void iteration_close_async(struct thread *thread, struct level *level, int64_t wall_ns)
{
    struct profile *profile = level->profile;
    struct profile *around = NULL;
    struct clustering *clustering = thread->series[level->series].clustering;
    uint64_t lost_before = clustering_lost(clustering);
    struct sums sums = {0};
    complete_paths_async(thread, level);
    profile_sort_touched_async(profile);
    find_kinds_async(thread, profile);
    struct iteration_profile closed = {
        .cells = thread->closing.cells,
        .values = thread->closing.values,
        .paths = thread->closing.paths,
        .condensed = sums.condensed,
        .wall_ns = wall_ns,
    };
    closed.path_count = list_paths_async(thread, profile);
    struct floating floating;
    floating_begin(&floating);
    closed.cell_count = list_cells_async(thread, profile, &sums);
    condense(sums.totals, sums.condensed);
    closed.samples = (double)(sums.totals[METRIC_samples] + sums.totals[METRIC_samples_failed]);
    if (!clustering_add(clustering, &closed))
        thread_note_async(thread, NOTE_ITERATIONS_LOST);
    floating_end(&floating);
    for (struct level *outer = level - 1; outer >= thread->levels && !around; outer--)
        if (outer->kept)
            around = outer->profile;
    /* What no cluster has is outside all iterations, so that the whole stays the sum of both.
     */
    if (!around)
        around =
            clustering_lost(clustering) == lost_before ? &thread->closed : &thread->outside;
    profile_accumulate_async(around, profile, &thread->tree);
}
