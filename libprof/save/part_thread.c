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
    if (!thread->part && budget_draw_async(sizeof *thread->part)) {
        thread->part = create_async(thread);
        if (!thread->part)
            budget_return_async(sizeof *thread->part);
    }
    return thread->part;
}

void part_thread_publish_async(struct thread *thread)
{
    struct live *live = part_file_live_async((unsigned)thread->number);
    if (thread->live != live) {
        *live = thread->unpublished;
        thread->live = live;
    }
    live->os_id = (uint32_t)thread->os_id;
    live->log = thread->part->log.first;
    __atomic_store_n(&live->used, 1, __ATOMIC_RELEASE);
}

uint64_t part_thread_record_async(const struct thread *thread)
{
    return PART_RECORDS + (uint64_t)thread->number * PART_RECORD_BYTES;
}

bool part_thread_write_live_async(const struct thread *thread)
{
    return part_file_is_mapped_async() ||
           part_file_write_async(part_thread_record_async(thread), thread->live,
                                 sizeof *thread->live);
}
