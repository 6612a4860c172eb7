/* See slice_list.h. */
#include "mainloop/slice_list.h"

#include "detect/loops.h"
#include "host/host.h"

#include <string.h>

/*
 * Call paths that are looked at at once, and by how many cells or call paths lists grow.  So
 * many call paths take some ten microseconds in all.
 */
enum { PATHS_AT_ONCE = 32, ROOM_STEP = 4096, CELLS_PER_PATH = 2, SHORT_PATHS = 256 };

/*
 * How many profiles can be frozen: what lies outside, and those of open passes, which swap with
 * one that is put aside.
 */
enum { FROZEN_MOST = LOOPS_NESTED + 2 };

/* Marks of a node. */
enum { HAS_GROWN = 1, HAS_MPI = 2 };

/* Address space for what depends on the tree's size. */
static size_t space_for(const struct cct *tree)
{
    enum { ALIGNED_EXTRA = 512 };
    const struct slice_list *list = NULL;
    const size_t cell = sizeof *list->cells + sizeof *list->values + sizeof(int64_t),
                 node = sizeof *list->paths + sizeof *list->marks + 2 * sizeof(uint32_t);
    return tree->cell_capacity * cell + tree->node_capacity * node + ALIGNED_EXTRA;
}

bool slice_list_create(struct slice_list *list, struct thread *thread, uint32_t series)
{
    const struct cct *tree = &thread->tree;
    struct arena *arena = &list->arena;
    *list = (struct slice_list){.stage = SLICE_NOTHING, .entry = {.series = series}};
    if (arena_create_async(arena, space_for(tree)) != 0)
        return false;
    if (arena_create_async(&list->kept, FROZEN_MOST * profile_kept_bytes_async(tree)) != 0) {
        slice_list_destroy(list);
        return false;
    }
    list->marks = arena_take_async(arena, tree->node_capacity);
    list->cells = arena_take_async(arena, tree->cell_capacity * sizeof *list->cells);
    list->values = arena_take_async(arena, tree->cell_capacity * sizeof *list->values);
    list->paths = arena_take_async(arena, tree->node_capacity * sizeof *list->paths);
    memory_add_arena_async(thread, arena);
    memory_add_arena_async(thread, &list->kept);
    return profile_create_async(&list->before, tree, arena) && list->paths;
}

void slice_list_destroy(struct slice_list *list)
{
    arena_destroy_async(&list->arena);
}

size_t slice_list_bytes_async(const struct slice_list *list, const struct cct *tree)
{
    const size_t cell = sizeof *list->cells + sizeof *list->values;
    return profile_bytes_async(tree) +
           tree->node_count *
               (CELLS_PER_PATH * cell + sizeof *list->paths + sizeof *list->marks);
}

static void release_async(struct slice_list *list)
{
    for (unsigned i = 0; list->frozen && i < list->now_count; i++)
        profile_release_async(list->now[i]);
    list->frozen = false;
}

/* Freezes all that makes up the whole profile of THREAD; if that cannot be, none of it. */
static void freeze_async(struct slice_list *list, const struct thread *thread)
{
    unsigned frozen = 0;
    while (frozen < list->now_count &&
           profile_allow_freezing_async(list->now[frozen], &thread->tree, &list->kept) &&
           profile_freeze_async(list->now[frozen]))
        frozen++;
    list->frozen = frozen == list->now_count;
    for (unsigned i = 0; !list->frozen && i < frozen; i++)
        profile_release_async(list->now[i]);
}

/* Finds the profiles of which the whole profile is the sum, open passes included. */
static void find_all_async(struct slice_list *list, struct thread *thread)
{
    list->now_count = 0;
    list->now[list->now_count++] = &thread->outside;
    for (const struct level *level = thread->levels + 1; level <= thread->level; level++)
        if (level->kept)
            list->now[list->now_count++] = level->profile;
}

/* Goes on to STAGE, which begins with NODE. */
static void enter_async(struct slice_list *list, enum slice_stage stage, uint32_t node)
{
    list->node = node;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    list->stage = stage;
}

/* Makes the lists empty. */
static void empty_async(struct slice_list *list)
{
    list->entry.profile.cell_count = list->entry.profile.path_count = 0;
    memset(list->entry.totals, 0, sizeof list->entry.totals);
}

bool slice_list_is_short_async(const struct thread *thread)
{
    return thread->tree.node_count <= SHORT_PATHS;
}

void slice_list_begin_async(struct slice_list *list, struct thread *thread, bool ends,
                            bool begins, int64_t wall_ns)
{
    /* The program has left the last one by a jump. */
    if (list->stage != SLICE_NOTHING)
        memset(list->marks, 0, list->node_count);
    find_all_async(list, thread);
    list->node_count = thread->tree.node_count;
    list->frozen = false;
    /* What a save has frozen cannot be frozen again, though paths have become many just now. */
    if (!thread->frozen && !slice_list_is_short_async(thread))
        freeze_async(list, thread);
    list->marked = ends;
    list->renews = begins;
    list->lapsed = list->works = list->listed = false;
    list->entry.profile = (struct iteration_profile){
        .cells = list->cells, .values = list->values, .paths = list->paths, .wall_ns = wall_ns};
    empty_async(list);
    if (ends)
        enter_async(list, SLICE_MARK, list->node_count);
    else
        enter_async(list, SLICE_RENEW, CCT_ROOT);
}

bool slice_list_is_urgent_async(const struct slice_list *list)
{
    return !list->frozen && list->stage != SLICE_HAND && list->stage != SLICE_NOTHING;
}

/*
 * The cells of NODE in PROFILE at the border; NULL: it was not there.  What is not frozen is
 * read at the border, and may be frozen for a save.
 */
static const int64_t *read_async(const struct slice_list *list, const struct profile *profile,
                                 const struct cct *tree, uint32_t node)
{
    if (list->frozen)
        return profile_then_async(profile, tree, node);
    return profile_has_async(profile, node) ? profile->values + tree->nodes[node].cell : NULL;
}

/* The cells of NODE, added up. */
static void add_up_async(const struct slice_list *list, const struct cct *tree, uint32_t node,
                         int64_t sums[LAYOUT_MOST_CELLS])
{
    const unsigned count = layout_table[tree->nodes[node].layout].cells;
    memset(sums, 0, count * sizeof *sums);
    for (unsigned i = 0; i < list->now_count; i++) {
        const int64_t *cells = read_async(list, list->now[i], tree, node);
        for (unsigned n = 0; cells && n < count; n++)
            /* Counters may hold anything. */
            sums[n] = (int64_t)((uint64_t)sums[n] + (uint64_t)cells[n]);
    }
}

/* By how much the cells of NODE have grown; returns whether any has. */
static bool compare_async(const struct slice_list *list, const struct cct *tree, uint32_t node,
                          int64_t grown[LAYOUT_MOST_CELLS])
{
    const struct node *at = &tree->nodes[node];
    const bool was_there = profile_has_async(&list->before, node);
    int64_t any = 0;
    add_up_async(list, tree, node, grown);
    for (unsigned n = 0; n < layout_table[at->layout].cells; n++) {
        if (was_there)
            grown[n] =
                (int64_t)((uint64_t)grown[n] - (uint64_t)list->before.values[at->cell + n]);
        any |= grown[n];
    }
    return any;
}

/*
 * Marks NODE if it has grown, or anything below it: children have higher numbers and have been
 * looked at.  A walk that stopped at an unchanged frame has counted nothing for those around.
 */
static void mark_async(struct slice_list *list, const struct cct *tree, uint32_t node)
{
    int64_t grown[LAYOUT_MOST_CELLS];
    const struct node *at = &tree->nodes[node];
    uint8_t *marks = list->marks;
    if (compare_async(list, tree, node, grown))
        marks[node] |= HAS_GROWN;
    if (!(marks[node] & HAS_GROWN) || node == CCT_ROOT)
        return;
    if (at->parent != CCT_ROOT)
        marks[at->parent] |= HAS_GROWN;
    if (at->kind == NODE_MPI || marks[node] & HAS_MPI)
        marks[at->parent] |= HAS_MPI;
}

/* Makes ROOM enough for COUNT and MORE things of so many BYTES; false without memory. */
static bool grow_async(size_t *room, size_t count, size_t more, size_t bytes)
{
    while (*room < count + more) {
        if (!budget_draw_async(ROOM_STEP * bytes) && !budget_covers_async(0))
            return false;
        *room += ROOM_STEP;
    }
    return true;
}

static enum path_kind kind_of(const struct slice_list *list, const struct node *at,
                              uint32_t node)
{
    if (at->kind == NODE_MPI)
        return PATH_MPI;
    return list->marks[node] & HAS_MPI ? PATH_COM : PATH_USR;
}

static void list_cells_async(struct slice_list *list, const struct node *at,
                             const int64_t grown[LAYOUT_MOST_CELLS])
{
    struct iteration_profile *profile = &list->entry.profile;
    int64_t *totals = list->entry.totals;
    for (unsigned n = 0; n < layout_table[at->layout].cells; n++) {
        if (!grown[n])
            continue;
        const enum metric metric = profile_metric_async(at, n);
        list->cells[profile->cell_count] = at->cell + n;
        list->values[profile->cell_count++] = grown[n];
        totals[metric] = (int64_t)((uint64_t)totals[metric] + (uint64_t)grown[n]);
    }
}

/* Lists NODE if it is marked; false without memory. */
static bool list_async(struct slice_list *list, const struct cct *tree, uint32_t node)
{
    int64_t grown[LAYOUT_MOST_CELLS];
    struct iteration_profile *profile = &list->entry.profile;
    const struct node *at = &tree->nodes[node];
    if (!(list->marks[node] & HAS_GROWN))
        return true;
    if (!grow_async(&list->paths_room, profile->path_count, 1, sizeof *list->paths) ||
        !grow_async(&list->cells_room, profile->cell_count, LAYOUT_MOST_CELLS,
                    sizeof *list->cells + sizeof *list->values))
        return false;
    compare_async(list, tree, node, grown);
    list->paths[profile->path_count++] =
        (struct path_entry){.path = node,
                            .kind = kind_of(list, at, node),
                            .visits = grown[layout_table[at->layout].cell_of[METRIC_visits]]};
    list_cells_async(list, at, grown);
    return true;
}

/* Makes NODE's values those that the next slice is compared with, if there is to be one. */
static void renew_async(struct slice_list *list, const struct cct *tree, uint32_t node)
{
    int64_t sums[LAYOUT_MOST_CELLS];
    const bool may_differ = !list->marked || list->marks[node] & HAS_GROWN;
    const struct node *at = &tree->nodes[node];
    if (list->renews && may_differ && (list->marked || compare_async(list, tree, node, sums))) {
        add_up_async(list, tree, node, sums);
        memcpy(profile_cells_async(&list->before, tree, node), sums,
               layout_table[at->layout].cells * sizeof *sums);
    }
    list->marks[node] = 0;
}

static void mark_some_async(struct slice_list *list, const struct cct *tree)
{
    const uint32_t least = list->node > PATHS_AT_ONCE ? list->node - PATHS_AT_ONCE : 0;
    while (list->node > least)
        mark_async(list, tree, --list->node);
    if (list->node == CCT_ROOT)
        enter_async(list, SLICE_LIST, CCT_ROOT);
}

/* The end of what a stage that looks at all call paths does now. */
static uint32_t end_of_some(const struct slice_list *list)
{
    const uint32_t left = list->node_count - list->node;
    return list->node + (left < PATHS_AT_ONCE ? left : PATHS_AT_ONCE);
}

/* Without memory the slice has no profile. */
static void list_some_async(struct slice_list *list, struct thread *thread)
{
    const uint32_t end = end_of_some(list);
    for (uint32_t node = list->node; node < end; node++)
        if (!list_async(list, &thread->tree, node)) {
            shortage_skip_async(thread, list->entry.series);
            enter_async(list, SLICE_RENEW, CCT_ROOT);
            return;
        }
    list->node = end;
    if (end == list->node_count) {
        list->listed = true;
        enter_async(list, SLICE_RENEW, CCT_ROOT);
    }
}

static void renew_some_async(struct slice_list *list, const struct cct *tree)
{
    const uint32_t end = end_of_some(list);
    for (; list->node < end; list->node++) {
        renew_async(list, tree, list->node);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    if (end < list->node_count)
        return;
    release_async(list);
    enter_async(list, list->listed ? SLICE_HAND : SLICE_NOTHING, CCT_ROOT);
}

/* The program has left this by a jump: what was being done is begun anew. */
static void begin_anew_async(struct slice_list *list)
{
    if (list->stage == SLICE_MARK)
        list->node = list->node_count;
    if (list->stage == SLICE_LIST) {
        empty_async(list);
        list->node = CCT_ROOT;
    }
}

static void do_some_async(struct slice_list *list, struct thread *thread)
{
    switch (list->stage) {
    case SLICE_MARK:
        mark_some_async(list, &thread->tree);
        break;
    case SLICE_LIST:
        list_some_async(list, thread);
        break;
    case SLICE_HAND:
        /* Beforehand: if the program leaves by a jump, it is not handed over twice. */
        enter_async(list, SLICE_NOTHING, CCT_ROOT);
        list->works = false;
        iteration_hand_over_async(thread, &list->entry);
        break;
    case SLICE_RENEW:
        renew_some_async(list, &thread->tree);
        break;
    case SLICE_NOTHING:
        break;
    }
}

static bool is_spoilt(const struct slice_list *list)
{
    bool spoilt = false;
    for (unsigned i = 0; list->frozen && i < list->now_count; i++)
        spoilt = spoilt || list->now[i]->kept.spoilt;
    return spoilt;
}

/* There was too little memory for what the profiles held at the border. */
static void give_up_async(struct slice_list *list, struct thread *thread)
{
    if (list->stage == SLICE_MARK || list->stage == SLICE_LIST)
        shortage_skip_async(thread, list->entry.series);
    memset(list->marks, 0, list->node_count);
    list->lapsed = true;
    release_async(list);
    enter_async(list, list->listed ? SLICE_HAND : SLICE_NOTHING, CCT_ROOT);
}

bool slice_list_work_async(struct slice_list *list, struct thread *thread)
{
    if (is_spoilt(list)) {
        give_up_async(list, thread);
        return list->stage != SLICE_NOTHING;
    }
    if (list->works)
        begin_anew_async(list);
    list->works = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    do_some_async(list, thread);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    list->works = false;
    return list->stage != SLICE_NOTHING;
}
