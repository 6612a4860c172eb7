/* See context_memory.h. */
#include "timeline/context_memory.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

size_t memory_shared_bytes;

void memory_add_arena_async(struct thread *thread, const struct arena *arena)
{
    for (int i = 0; i < ARENAS_MOST; i++)
        if (!thread->arenas[i]) {
            thread->arenas[i] = arena;
            return;
        }
}

/*
 * Bytes of ARENA that are resident.  Makes the system call itself, because POSIX does not
 * promise that mincore is safe in a signal handler.
 */
static size_t resident_async(const struct arena *arena)
{
    /* Saves in the signal handler come through here, and sysconf is not safe there. */
    const size_t page = getauxval(AT_PAGESZ);
    unsigned char state[1024];
    size_t bytes = 0;
    for (size_t at = 0; at < arena->used; at += sizeof state * page) {
        size_t left = arena->used - at;
        size_t length = left < sizeof state * page ? left : sizeof state * page;
        if (syscall(SYS_mincore, arena->base + at, length, state) != 0)
            return arena->used;
        for (size_t i = 0; i < (length + page - 1) / page; i++)
            bytes += (state[i] & 1) * page;
    }
    return bytes;
}

size_t memory_of_thread_async(const struct thread *thread)
{
    size_t bytes = thread->other_bytes;
    for (int i = 0; i < ARENAS_MOST && thread->arenas[i]; i++)
        bytes += resident_async(thread->arenas[i]);
    if (thread->number == 0)
        bytes += __atomic_load_n(&memory_shared_bytes, __ATOMIC_RELAXED);
    return bytes;
}
