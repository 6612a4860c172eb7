/*
 * See iteration.h.  An iteration is handed over as the clustering wants it: its non-zero cells
 * in ascending order, its call paths with their kinds and visits, and its condensed profile
 * (Szebenyi, sections 4.1.2 and 5.4.2).
 */
#include "iteration.h"

#include "condense.h"
#include "floating.h"

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

static size_t list_cells_async(struct thread *thread, const struct profile *profile,
                               int64_t totals[METRIC_COUNT])
{
    struct closing *closing = &thread->closing;
    size_t count = 0;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        const struct node *at = &thread->tree.nodes[profile->touched[i]];
        for (unsigned n = 0; n < layout_table[at->layout].cells; n++) {
            int64_t value = profile->values[at->cell + n];
            if (!value)
                continue;
            closing->cells[count] = at->cell + n;
            closing->values[count++] = value;
            totals[profile_metric_async(at, n)] += value;
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
    int64_t totals[METRIC_COUNT] = {0};
    double condensed[METRIC_COUNT];
    complete_paths_async(thread, level);
    profile_sort_touched_async(profile);
    find_kinds_async(thread, profile);
    struct iteration_profile closed = {
        .cells = thread->closing.cells,
        .values = thread->closing.values,
        .paths = thread->closing.paths,
        .condensed = condensed,
        .wall_ns = wall_ns,
    };
    closed.path_count = list_paths_async(thread, profile);
    closed.cell_count = list_cells_async(thread, profile, totals);
    struct floating floating;
    floating_begin(&floating);
    condense(totals, condensed);
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
