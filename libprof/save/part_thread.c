/* See part_thread.h. */
#include "save/part_thread.h"

#include "host/host.h"
#include "save/part.h"
#include "save/part_file.h"

size_t part_thread_bytes(void)
{
    return sizeof(struct part_thread);
}

static struct part_thread *create_async(struct thread *thread)
{
    struct part_thread *part = arena_take_async(&thread->arena, sizeof *part);
    struct part_image *image = part ? part_image_create_async(thread) : NULL;
    if (!image)
        return NULL;
    part->thread = thread;
    part->image = image;
    part->sink.pieces = &thread->pieces;
    return part;
}

struct part_thread *part_thread_furnish_async(struct thread *thread)
{
    const size_t bytes = sizeof *thread->part + part_image_bytes_async();
    if (!thread->part && budget_draw_async(bytes)) {
        thread->part = create_async(thread);
        if (!thread->part)
            budget_return_async(bytes);
    }
    return thread->part;
}

/* Moves THREAD's live fields to TO.  By the kernel, since they may be mapped. */
static void move_live_async(struct thread *thread, struct live *to)
{
    if (!peek_async((uintptr_t)thread->live, to, sizeof *to))
        *to = (struct live){0};
    thread->live = to;
}

void part_thread_publish_async(struct thread *thread)
{
    struct live *live = bus_guard_allows_async()
                            ? part_file_live_async((unsigned)thread->number)
                            : &thread->unpublished;
    if (thread->live != live)
        move_live_async(thread, live);
    live->os_id = (uint32_t)thread->os_id;
    live->log = thread->part->log.first;
    __atomic_store_n(&live->used, 1, __ATOMIC_RELEASE);
}

bool part_thread_may_touch_live_async(const struct thread *thread)
{
    return thread->live == &thread->unpublished || bus_guard_allows_async();
}

void part_thread_hide_async(struct thread *thread)
{
    if (thread->live != &thread->unpublished && !bus_guard_allows_async())
        move_live_async(thread, &thread->unpublished);
}

uint64_t part_thread_record_async(const struct thread *thread)
{
    return PART_RECORDS + (uint64_t)thread->number * PART_RECORD_BYTES;
}

bool part_thread_write_live_async(const struct thread *thread)
{
    return (thread->live != &thread->unpublished && part_file_is_mapped_async()) ||
           part_file_write_async(part_thread_record_async(thread), thread->live,
                                 sizeof *thread->live);
}
