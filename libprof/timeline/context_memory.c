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
 * Bytes that are resident of BYTES from BASE on, which is where a page begins.  Pauses between
 * system calls of some microseconds, which it makes itself, because POSIX does not promise that
 * mincore is safe in a signal handler.
 */
static size_t resident_async(char *base, size_t bytes, struct encoder *pauses)
{
    /* Saves in the signal handler come through here, and sysconf is not safe there. */
    const size_t page = getauxval(AT_PAGESZ);
    unsigned char state[512];
    size_t resident = 0;
    for (size_t at = 0; at < bytes; at += sizeof state * page) {
        size_t left = bytes - at;
        size_t length = left < sizeof state * page ? left : sizeof state * page;
        if (syscall(SYS_mincore, base + at, length, state) != 0)
            return bytes;
        for (size_t i = 0; i < (length + page - 1) / page; i++)
            resident += (state[i] & 1) * page;
        if (pauses)
            encoder_pause_async(pauses);
    }
    return resident;
}

size_t memory_of_arena_async(const struct arena *arena)
{
    return resident_async(arena->base, arena->used, NULL);
}

size_t memory_of_tables_async(void)
{
    const size_t page = getauxval(AT_PAGESZ);
    const uintptr_t base = (uintptr_t)&__ehdr_start;
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);
    size_t bytes = 0;
    for (unsigned i = 0; i < __ehdr_start.e_phnum; i++) {
        if (headers[i].p_type != PT_LOAD || !(headers[i].p_flags & PF_W))
            continue;
        uintptr_t begin = (base + headers[i].p_vaddr) & ~(page - 1);
        uintptr_t end = base + headers[i].p_vaddr + headers[i].p_memsz;
        bytes += resident_async((char *)begin, end - begin, NULL);
    }
    return bytes;
}

size_t memory_of_thread_async(const struct thread *thread, struct encoder *pauses)
{
    size_t bytes = thread->other_bytes;
    for (int i = 0; i < ARENAS_MOST && thread->arenas[i]; i++)
        bytes += resident_async(thread->arenas[i]->base, thread->arenas[i]->used, pauses);
    if (thread->pieces.stack)
        bytes += resident_async(thread->pieces.stack, COROUTINE_STACK_BYTES, pauses);
    if (thread->number == 0)
        bytes += __atomic_load_n(&memory_shared_bytes, __ATOMIC_RELAXED);
    return bytes;
}

void memory_note_async(struct thread *thread)
{
    thread->noted_bytes = memory_most_async(thread, NULL);
}

size_t memory_most_async(const struct thread *thread, struct encoder *pauses)
{
    const size_t now = memory_of_thread_async(thread, pauses);
    return now > thread->noted_bytes ? now : thread->noted_bytes;
}
