/* See series.h. */
#include "iterations/series.h"

#include "arch/arch.h"
#include "counters/counters.h"
#include "host/host.h"
#include "iterations/iteration.h"
#include "iterations/phase.h"
#include "trace/trace.h"

#include <stdio.h>

/* The part of TSPROF_MEMORY that the map from iterations to clusters of one series may take. */
enum { MAP_PART = 4 };

/*
 * The part of what is reserved for a series that it uses unless an error bound is asked for: a
 * sixteenth of TSPROF_MEMORY for the first one.
 */
enum { AUTO_PART = 4 };

_Static_assert((int)SERIES_MOST <= (int)TRACE_SERIES_MOST, "a trace tells them apart");

const char *series_name_async(const struct thread *thread, uint32_t series)
{
    return phase_table[thread->iterations->series[series].shown_as].name;
}

/* The series that an instance which begins in LEVEL would be nested in; -1: none. */
static int32_t enclosing_async(const struct thread *thread, const struct level *level)
{
    for (; level >= thread->levels; level--)
        if (level->kept)
            return (int32_t)level->series;
    return -1;
}

static bool is_shown(const struct thread *thread, uint32_t phase)
{
    for (uint32_t i = 0; i < thread->iterations->series_count; i++)
        if (thread->iterations->series[i].shown_as == phase)
            return true;
    return false;
}

/*
 * The phase that a new series is shown as.  The first series of PHASE is shown as PHASE itself.
 * One that is nested in another way gets a name of its own, because what is nested would be
 * counted twice if both had the same name.
 */
static int name_series(const struct thread *thread, uint32_t phase, int32_t nested_in)
{
    int shown_as = (int)phase;
    for (int number = 1; shown_as >= 0 && is_shown(thread, (uint32_t)shown_as); number++) {
        char name[256], more[16] = "";
        if (number > 1)
            snprintf(more, sizeof more, " (%d)", number);
        if (nested_in < 0)
            snprintf(name, sizeof name, "%.100s alone%s", phase_table[phase].name, more);
        else
            snprintf(name, sizeof name, "%.100s in %.100s%s", phase_table[phase].name,
                     phase_table[thread->iterations->series[nested_in].shown_as].name, more);
        shown_as = phase_register(name, true);
    }
    return shown_as;
}

/* A clustering takes long now and then, and is then done in pieces. */
static void pause_async(void *context)
{
    coroutine_pause_async(context);
}

_Static_assert(METRIC_mpi == METRIC_computation + 1 && METRIC_overhead == METRIC_mpi_other + 1,
               "the metrics below execution are side by side");

/* The node of CELL.  Cells are asked for in ascending order, those of one iteration. */
static const struct node *node_of_cell_async(struct thread *thread, uint32_t cell)
{
    const struct cct *tree = &thread->tree;
    uint32_t *last = &thread->iterations->last_asked;
    const uint32_t first = tree->nodes[*last].cell <= cell ? *last : CCT_ROOT;
    *last = profile_node_of_cell_async(tree, first, cell);
    return &tree->nodes[*last];
}

/*
 * What clustering is to know of CELL.  What happens in MPI is compared, and computation;
 * visits elsewhere are lower bounds, and samples are chance.  As many cells may be new as an
 * iteration has, so this pauses.
 */
static struct cell_role role_async(void *context, uint32_t cell)
{
    struct thread *thread = context;
    coroutine_pause_async(&thread->pieces);
    const struct node *node = node_of_cell_async(thread, cell);
    const enum metric metric = profile_metric_async(node, cell - node->cell);
    const bool is_time = metric >= METRIC_computation && metric <= METRIC_mpi_other;
    return (struct cell_role){
        .metric = (uint32_t)metric,
        .compared = is_time || (node->kind == NODE_MPI && metric < METRIC_COUNT &&
                                metric != METRIC_overhead && metric != METRIC_preempted &&
                                metric != METRIC_samples && metric != METRIC_samples_failed),
        .largest = is_time};
}

/* What the settings say of a clustering of THREAD, but for memory that is set aside for it. */
static struct clustering_config describe_async(struct thread *thread)
{
    return (struct clustering_config){
        .max_clusters = config_clusters_async(),
        .condensed_count = METRIC_COUNT + counters_count,
        .role = role_async,
        .role_context = thread,
        .method = config_clustering_async(),
        .equivalence = config_equivalence_async(),
        .memory = {heap_allocate_async, heap_release_async, &thread->heap},
        .map_bytes = (size_t)config.number[SETTING_MEMORY] / MAP_PART,
        .error_bound = config_error_bound_async(),
        .pause = pause_async,
        .pause_context = &thread->pieces,
    };
}

/*
 * Creates the clustering of SERIES of THREAD as the settings say.  If RESERVES, reserves memory
 * for it where tsprof chooses the number of clusters.  Returns false if there is no memory.
 */
static bool cluster_async(struct thread *thread, struct series *series, bool reserves)
{
    const bool set_aside = reserves && config_clusters_async() == CLUSTERS_AUTO;
    struct clustering_config wanted = describe_async(thread);
    series->reserved_bytes = set_aside ? budget_reserve_async() : 0;
    wanted.auto_bytes = series->reserved_bytes / (wanted.error_bound > 0 ? 1 : AUTO_PART);
    series->clustering = clustering_create(&wanted);
    if (!series->clustering)
        series_drop_async(series);
    return series->clustering;
}

bool series_begin_async(struct thread *thread, struct series *series, bool reserves)
{
    *series = (struct series){.nested_in = -1, .follows = -1};
    return cluster_async(thread, series, reserves);
}

void series_drop_async(struct series *series)
{
    clustering_destroy(series->clustering);
    series->clustering = NULL;
    budget_unreserve_async(series->reserved_bytes);
    series->reserved_bytes = 0;
}

/*
 * Adds a copy of NEW to the thread's series and creates its clustering.  Returns its number, or
 * -1 if there is no memory.
 */
static int append_async(struct thread *thread, const struct series *new)
{
    struct series *series = &thread->iterations->series[thread->iterations->series_count];
    *series = *new;
    return cluster_async(thread, series, true) ? (int)thread->iterations->series_count++ : -1;
}

/* The number of the series of PHASE nested in NESTED_IN; -1 if there is none yet. */
static int find_known_async(const struct thread *thread, uint32_t phase, int32_t nested_in)
{
    for (uint32_t i = 0; i < thread->iterations->series_count; i++) {
        const struct series *series = &thread->iterations->series[i];
        if (series->phase == phase && series->nested_in == nested_in && series->follows < 0)
            return (int)i;
    }
    return -1;
}

bool series_is_known_async(const struct thread *thread, const struct level *around,
                           uint32_t phase)
{
    return find_known_async(thread, phase, enclosing_async(thread, around)) >= 0;
}

int series_find_async(struct thread *thread, uint32_t phase)
{
    int32_t nested_in = enclosing_async(thread, thread->level);
    int known = find_known_async(thread, phase, nested_in);
    if (known >= 0)
        return known;
    if (thread->iterations->series_count == SERIES_MOST)
        return -1;
    int shown_as = name_series(thread, phase, nested_in);
    if (shown_as < 0)
        return -1;
    return append_async(thread, &(struct series){.phase = phase,
                                                 .shown_as = (uint32_t)shown_as,
                                                 .nested_in = nested_in,
                                                 .follows = -1});
}

int series_follow_async(struct thread *thread, const struct thread *leader, uint32_t series)
{
    for (uint32_t i = 0; i < thread->iterations->series_count; i++)
        if (thread->iterations->series[i].follows == (int32_t)series)
            return (int)i;
    if (thread->iterations->series_count == SERIES_MOST)
        return -1;
    const struct series *followed = &leader->iterations->series[series];
    return append_async(thread,
                        &(struct series){.phase = followed->phase,
                                         .shown_as = followed->shown_as,
                                         .nested_in = enclosing_async(thread, thread->level),
                                         .follows = (int32_t)series});
}

void series_finish(struct thread *thread)
{
    struct floating floating;
    floating_begin(&floating);
    for (uint32_t i = 0; i < thread->iterations->series_count; i++)
        clustering_finish(thread->iterations->series[i].clustering);
    floating_end(&floating);
}

/*
 * Moves the sums of a cluster from the closed iterations to the profile of what lies outside.
 */
static void move_outside_async(struct thread *thread, const struct cluster_view *cluster)
{
    profile_move_cells_async(&thread->outside, &thread->closed, &thread->tree, cluster->cells,
                             cluster->values, cluster->cell_count);
}

void series_forget_followed_async(struct thread *thread)
{
    uint32_t followed = 0;
    iteration_flush_queue_async(thread);
    while (followed < thread->iterations->series_count &&
           thread->iterations->series[followed].follows >= 0)
        followed++;
    /* The thread's own series may be nested in them; then they stay. */
    bool forgets = followed == thread->iterations->series_count;
    for (uint32_t i = 0; i < followed; i++) {
        struct series *series = &thread->iterations->series[i];
        series->follows = -1;
        if (!forgets)
            continue;
        trace_drop_series_async(thread, i);
        /* Nested series are part of the one around them, which is moved as a whole. */
        for (uint32_t c = 0; series->nested_in < 0 && c < clustering_count(series->clustering);
             c++) {
            struct cluster_view cluster;
            clustering_view(series->clustering, c, &cluster);
            move_outside_async(thread, &cluster);
        }
        series_drop_async(series);
    }
    if (forgets)
        thread->iterations->series_count = 0;
}

size_t iterations_bytes(void)
{
    const struct cluster_queue *queue = NULL;
    return sizeof(struct iterations) +
           ENDED_CELLS * (sizeof *queue->cells + sizeof *queue->values + sizeof *queue->paths);
}

enum { CELLS_PER_PATH = 2 }; /* that are not zero, rather more than usual */

/* What a call path takes in the queue besides its cells. */
static size_t bytes_per_path(void)
{
    const struct cluster_queue *queue = NULL;
    return sizeof *queue->paths + sizeof *queue->has_mpi;
}

static size_t bytes_per_cell(void)
{
    const struct cluster_queue *queue = NULL;
    return sizeof *queue->cells + sizeof *queue->values;
}

/* The most call paths that an iteration has which is open, or has just ended. */
static uint32_t most_paths(const struct thread *thread)
{
    uint32_t most = 0;
    for (int i = 0; i < LEVELS_MOST; i++) {
        const struct profile *own = thread->levels[i].own_profile;
        if (own && own->touched_count > most)
            most = own->touched_count;
    }
    const struct profile *aside = iterations_profile_aside_async(thread);
    if (aside && aside->touched_count > most)
        most = aside->touched_count;
    return most;
}

size_t iterations_bytes_of_async(const struct thread *thread)
{
    const struct cluster_queue *queue = &thread->iterations->queue;
    const size_t room =
        queue->cells_room * bytes_per_cell() + queue->paths_room * bytes_per_path();
    const size_t expected = (most_paths(thread) + (size_t)ENDED_CELLS) *
                            (CELLS_PER_PATH * bytes_per_cell() + bytes_per_path());
    return room > expected ? room : expected;
}

/*
 * What it takes to keep an iteration of THREAD as a cluster, with what the classes of size of
 * its memory waste: a quarter at most.
 */
static size_t cluster_bytes(struct thread *thread, size_t cells, size_t paths)
{
    const struct clustering_config described = describe_async(thread);
    return clustering_bytes_for_one(&described, cells, paths) / 4 * 5;
}

void iterations_promise_async(struct thread *thread, const struct iteration_profile *ended)
{
    const size_t bytes = cluster_bytes(thread, ended->cell_count, ended->path_count);
    if (bytes > thread->heap.arena.promised)
        thread->heap.arena.promised = bytes;
}

size_t iterations_cluster_bytes_async(struct thread *thread)
{
    /* Any call path may be in a slice. */
    const uint32_t paths = thread->searching ? thread->tree.node_count : most_paths(thread);
    const size_t expected = cluster_bytes(thread, (size_t)paths * CELLS_PER_PATH, paths),
                 promised = thread->heap.arena.promised;
    return promised > expected ? promised : expected;
}

static bool grow_async(size_t *room, size_t bytes)
{
    *room += ENDED_CELLS;
    if (budget_draw_async(ENDED_CELLS * bytes) || budget_covers_async(0))
        return true;
    *room -= ENDED_CELLS;
    return false;
}

bool queue_grow_cells_async(struct thread *thread)
{
    return grow_async(&thread->iterations->queue.cells_room, bytes_per_cell());
}

bool queue_grow_paths_async(struct thread *thread)
{
    return grow_async(&thread->iterations->queue.paths_room, bytes_per_path());
}

static bool queue_create(struct cluster_queue *queue, const struct cct *tree,
                         struct arena *arena)
{
    const size_t cells = tree->cell_capacity + ENDED_CELLS,
                 paths = tree->node_capacity + ENDED_CELLS;
    queue->cells = arena_take_async(arena, cells * sizeof *queue->cells);
    queue->values = arena_take_async(arena, cells * sizeof *queue->values);
    queue->paths = arena_take_async(arena, paths * sizeof *queue->paths);
    queue->has_mpi = arena_take_async(arena, tree->node_capacity);
    queue->cells_room = queue->paths_room = ENDED_CELLS;
    return queue->cells && queue->values && queue->paths && queue->has_mpi;
}

struct iterations *iterations_create(const struct cct *tree, struct arena *arena)
{
    struct iterations *iterations = arena_take_async(arena, sizeof *iterations);
    return iterations && queue_create(&iterations->queue, tree, arena) ? iterations : NULL;
}
