/* See part_image.h. */
#include "save/part_image.h"

#include "host/host.h"

#include <string.h>

/* How many profiles can be frozen; more are open at the same time in few programs. */
enum { FROZEN_MOST = 6, ALIGNED_EXTRA = 64 * 6 };

/* Address space for an image; only what is used of it is ever touched. */
static size_t bytes_for(const struct cct *tree)
{
    return sizeof(struct part_image) + FROZEN_MOST * profile_kept_bytes_async(tree) +
           PROPOSED_CELLS * sizeof(int64_t) + ALIGNED_EXTRA;
}

size_t part_image_bytes_async(void)
{
    enum { PAGE = 4096, PAGES_BEGUN = 2 };
    return sizeof(struct part_image) + PAGES_BEGUN * PAGE;
}

struct part_image *part_image_create_async(struct thread *thread)
{
    struct arena arena;
    if (arena_create_async(&arena, bytes_for(&thread->tree)) != 0)
        return NULL;
    struct part_image *image = arena_take_async(&arena, sizeof *image);
    if (image)
        image->room = arena_take_async(&arena, PROPOSED_CELLS * sizeof *image->room);
    if (!image || !image->room) {
        arena_destroy_async(&arena);
        return NULL;
    }
    image->arena = arena;
    memory_add_arena_async(thread, &image->arena);
    return image;
}

/* Adds the computation that is pending on level NUMBER. */
static void add_pending_async(const struct part_image *image, unsigned number,
                              struct snapshot_profile *sum)
{
    const struct level *level = &image->thread.levels[number];
    sum->pending[sum->pending_count++] = (struct pending){
        .node = level->last_sample,
        .computation_ns = level->pending_ns,
        .counters = image->thread.counts ? image->counts.pending[number] : NULL,
    };
}

/* Freezes PROFILE of THREAD; false if it cannot be. */
static bool freeze_async(struct part_image *image, const struct thread *thread,
                         struct profile *profile)
{
    if (!profile_allow_freezing_async(profile, &thread->tree, &image->arena) ||
        !profile_freeze_async(profile))
        return false;
    image->frozen[image->frozen_count++] = profile;
    return true;
}

/* Freezes what THREAD has added to: outside of iterations, and on its open levels. */
static bool freeze_all_async(struct part_image *image, struct thread *thread)
{
    bool all = freeze_async(image, thread, &thread->outside) &&
               freeze_async(image, thread, &thread->closed);
    for (struct level *level = thread->levels; all && level <= thread->level; level++)
        if (level->kept)
            all = freeze_async(image, thread, level->profile);
    return all;
}

/* Lists what THREAD has on its open levels, outside of iterations and in them. */
static void take_levels_async(struct part_image *image, const struct thread *thread)
{
    const unsigned count = (unsigned)(thread->level - thread->levels) + 1;
    image->outside.profile_count = image->outside.pending_count = 0;
    image->inside.profile_count = image->inside.pending_count = image->iterations_open = 0;
    image->outside.profiles[image->outside.profile_count++] = &thread->outside;
    image->closed = &thread->closed;
    image->open_ns = thread->last_ns;
    for (unsigned i = 0; i < count; i++) {
        const struct level *level = &thread->levels[i];
        if (level->kept && !level->is_pass && image->iterations_open++ == 0)
            image->open_ns = level->begin_ns;
        struct snapshot_profile *sum =
            image->iterations_open ? &image->inside : &image->outside;
        if (level->kept)
            sum->profiles[sum->profile_count++] = level->profile;
        add_pending_async(image, i, sum);
    }
    image->thread.level = image->thread.levels + (count - 1);
}

bool part_image_take_async(struct part_image *image, struct thread *thread)
{
    const struct iterations *iterations = thread->iterations;
    part_image_release_async(image);
    const bool frozen = freeze_all_async(image, thread);
    image->thread = *thread;
    if (thread->counts) {
        image->counts = *thread->counts;
        image->thread.counts = &image->counts;
    }
    take_levels_async(image, thread);
    memcpy(image->iterations.series, iterations->series, sizeof iterations->series);
    image->iterations.series_count = iterations->series_count;
    image->iterations.queue.first = image->iterations.queue.count = 0;
    image->thread.iterations = &image->iterations;
    found_propose_async(thread, &image->proposed);
    return frozen;
}

bool part_image_is_whole_async(const struct part_image *image)
{
    bool whole = true;
    for (unsigned i = 0; i < image->frozen_count; i++)
        whole = whole && !image->frozen[i]->kept.spoilt;
    return whole;
}

void part_image_release_async(struct part_image *image)
{
    for (unsigned i = 0; i < image->frozen_count; i++)
        profile_release_async(image->frozen[i]);
    image->frozen_count = 0;
}
