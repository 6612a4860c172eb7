/* See part_image.h. */
#include "save/part_image.h"

#include "host/host.h"

#include <string.h>

enum { PROFILES = 4, ALIGNED_EXTRA = 64 * (3 * PROFILES + 2) };

/* Address space for an image; of the profiles only what is used is ever touched. */
static size_t bytes_for(const struct cct *tree)
{
    return sizeof(struct part_image) + sizeof(struct arena) +
           PROFILES * ((size_t)tree->cell_capacity * sizeof(int64_t) +
                       (size_t)tree->node_capacity * 2 * sizeof(uint32_t)) +
           ALIGNED_EXTRA;
}

struct part_image *part_image_create_async(struct thread *thread)
{
    struct arena arena;
    if (arena_create_async(&arena, bytes_for(&thread->tree)) != 0)
        return NULL;
    struct arena *own = arena_take_async(&arena, sizeof *own);
    struct part_image *image = arena_take_async(&arena, sizeof *image);
    if (!own || !image || !profile_create_async(&image->outside, &thread->tree, &arena) ||
        !profile_create_async(&image->closed, &thread->tree, &arena) ||
        !profile_create_async(&image->open, &thread->tree, &arena) ||
        !profile_create_async(&image->less, &thread->tree, &arena)) {
        arena_destroy_async(&arena);
        return NULL;
    }
    *own = arena;
    memory_add_arena_async(thread, own);
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

/* Copies what THREAD has on its open levels, outside of iterations and in them. */
static void take_levels_async(struct part_image *image, const struct thread *thread)
{
    const struct cct *tree = &thread->tree;
    const unsigned count = (unsigned)(thread->level - thread->levels) + 1;
    image->pending.profile_count = image->pending.pending_count = 0;
    image->inside.profile_count = image->inside.pending_count = image->iterations_open = 0;
    image->open_ns = thread->last_ns;
    for (unsigned i = 0; i < count; i++) {
        const struct level *level = &thread->levels[i];
        if (level->kept && level->is_pass) {
            profile_accumulate_async(&image->outside, level->profile, tree);
        } else if (level->kept && image->iterations_open++ == 0) {
            profile_copy_async(&image->open, level->profile, tree);
            image->open_ns = level->begin_ns;
            image->inside.profiles[image->inside.profile_count++] = &image->open;
        } else if (level->kept) {
            profile_accumulate_async(&image->open, level->profile, tree);
        }
        add_pending_async(image, i, image->iterations_open ? &image->inside : &image->pending);
    }
    image->thread.level = image->thread.levels + (count - 1);
}

void part_image_take_async(struct part_image *image, const struct thread *thread)
{
    const struct iterations *iterations = thread->iterations;
    image->thread = *thread;
    profile_copy_async(&image->outside, &thread->outside, &thread->tree);
    profile_copy_async(&image->closed, &thread->closed, &thread->tree);
    if (thread->counts) {
        image->counts = *thread->counts;
        image->thread.counts = &image->counts;
    }
    take_levels_async(image, thread);
    image->thread.outside = image->outside;
    image->thread.closed = image->closed;
    memcpy(image->iterations.series, iterations->series, sizeof iterations->series);
    image->iterations.series_count = iterations->series_count;
    image->iterations.queue.first = image->iterations.queue.count = 0;
    image->thread.iterations = &image->iterations;
    found_propose_async(thread, &image->proposed);
    image->proposed.less = &image->less;
    profile_clear_async(&image->less);
}
