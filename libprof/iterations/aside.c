/* See aside.h. */
#include "iterations/aside.h"

#include "host/host.h"
#include "iterations/compose.h"
#include "iterations/iteration.h"
#include "iterations/shortage.h"

/*
 * From so many call paths on an iteration is put aside; fewer are taken in in some ten
 * microseconds.  So many are added to the profile around it between two pauses.
 */
enum { ASIDE_LEAST = 96, ADDED_AT_ONCE = 32 };

/* The profile of the innermost iteration around LEVEL, NULL if there is none. */
static struct profile *profile_around_async(const struct thread *thread,
                                            const struct level *level)
{
    while (--level >= thread->levels)
        if (level->kept)
            return level->profile;
    return NULL;
}

void ended_count_skipped_async(struct thread *thread, struct ended_iteration *ended)
{
    struct series *series = &thread->iterations->series[ended->series];
    ended->skipped = series->skipped;
    series->skipped = 0;
}

struct ended_iteration ended_describe_async(struct thread *thread, const struct level *level,
                                            int64_t wall_ns)
{
    struct ended_iteration ended = {
        .profile = level->profile,
        /* A pass of a searched loop also counts as outside all iterations, until the loop is
         * shown. */
        .around = level->is_pass ? level[-1].profile : profile_around_async(thread, level),
        .wall_ns = wall_ns,
        .series = level->series,
        .base = level->base,
        .is_pass = level->is_pass,
    };
    ended.outermost = !ended.around;
    ended_count_skipped_async(thread, &ended);
    return ended;
}

/* Adds ENDED to the profile around it, or to the sum of all iterations. */
static void add_async(struct thread *thread, struct ended_iteration *ended)
{
    struct profile *around = ended->around ? ended->around : &thread->closed;
    const uint32_t all = ended->profile->touched_count;
    while (ended->added < all) {
        const uint32_t first = ended->added,
                       end = all - first > ADDED_AT_ONCE ? first + ADDED_AT_ONCE : all;
        /* Beforehand: if the program leaves by a jump, nothing is added twice. */
        ended->added = end;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        profile_accumulate_part_async(around, ended->profile, &thread->tree, first, end);
        iteration_pause_async(thread);
    }
}

void ended_take_in_async(struct thread *thread, struct ended_iteration *ended)
{
    if (!ended->listed) {
        if (ended->begun)
            profile_list_anew_async(ended->profile, &thread->tree);
        ended->begun = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        ended->entry = compose_async(thread, ended);
        ended->listed = true;
    }
    /* What no cluster can have counts as outside all iterations. */
    if (ended->around || ended->entry)
        add_async(thread, ended);
    else
        profile_join_async(&thread->outside, ended->profile, &thread->tree);
}

void ended_enqueue_async(struct thread *thread, const struct ended_iteration *ended)
{
    if (ended->entry) {
        compose_enqueue_async(thread, ended->entry);
        return;
    }
    thread->iterations->series[ended->series].skipped += ended->skipped;
    shortage_skip_async(thread, ended->series);
}

/*
 * Makes the spare profile, as large as the tree can become, in an arena of its own: the levels'
 * profiles need the rest of the thread's.
 */
static struct profile *create_spare_async(struct thread *thread, struct aside *aside)
{
    enum { ALIGNED_EXTRA = 256 };
    const struct cct *tree = &thread->tree;
    const size_t space = sizeof(struct profile) + tree->cell_capacity * sizeof(int64_t) +
                         (size_t)tree->node_capacity * 2 * sizeof(uint32_t) + ALIGNED_EXTRA,
                 bytes = profile_bytes_async(tree);
    if (!budget_draw_async(bytes))
        return NULL;
    struct profile *spare = NULL;
    if (arena_create_async(&aside->arena, space) == 0)
        spare = arena_take_async(&aside->arena, sizeof *spare);
    if (!spare || !profile_create_async(spare, tree, &aside->arena)) {
        arena_destroy_async(&aside->arena);
        aside->arena = (struct arena){.base = NULL};
        budget_return_async(bytes);
        return NULL;
    }
    memory_add_arena_async(thread, &aside->arena);
    return spare;
}

/* Whether there is a profile that can replace one that is put aside. */
static bool has_spare_async(struct thread *thread, struct aside *aside)
{
    if (!aside->spare && !aside->refused) {
        aside->spare = create_spare_async(thread, aside);
        aside->refused = !aside->spare;
    }
    return aside->spare;
}

bool aside_put_async(struct thread *thread, struct level *level, int64_t wall_ns, bool waits)
{
    struct aside *aside = &thread->iterations->aside;
    const bool is_large = level->profile->touched_count >= ASIDE_LEAST;
    if (!is_large || !has_spare_async(thread, aside))
        return false;
    aside->ended = ended_describe_async(thread, level, wall_ns);
    aside->waits = waits;
    level->own_profile = aside->spare;
    aside->spare = NULL;
    return true;
}

void aside_take_in_async(struct thread *thread)
{
    struct aside *aside = &thread->iterations->aside;
    ended_take_in_async(thread, &aside->ended);
    aside->spare = aside->ended.profile;
    /* Beforehand: if the program leaves by a jump, it is not added twice. */
    aside->ended.profile = NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    ended_enqueue_async(thread, &aside->ended);
}
