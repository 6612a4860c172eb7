/* See bus_guard.h. */
#include "host/bus_guard.h"

#include "host/other_libc.h"
#include "host/peek.h"
#include "host/raw_signal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* A mapping. */
struct guarded {
    char *memory; /* NULL: none */
    size_t bytes;
    bool mapped; /* the memory is the file's */
};

static struct {
    int lock;
    struct guarded list[BUS_GUARD_MEMORIES];
    unsigned mapped;           /* how many of them are */
    unsigned readers;          /* calls of bus_guard_read */
    bool on;                   /* the handler is installed, as far as is known */
    pid_t process;             /* whose handler it is */
    struct raw_action program; /* what the program has installed */
} guard;

/* What the calling thread does within bus_guard_read; otherwise all zero. */
static __thread struct reading {
    bool on;
    bool blocks;        /* SIGBUS is blocked but for the reading */
    bool lacks;         /* a page was missing */
    unsigned long mask; /* while it reads, unless a handler of the program's interrupts it */
} reading __attribute__((tls_model("initial-exec")));

static const unsigned long bus_mask = 1UL << (SIGBUS - 1);

/*
 * By the kernel's own interface, since the C library leaves signals out.  Whoever holds the
 * lock must not be interrupted by a handler of the program's, which may want it too.
 */
static unsigned long block_all_async(void)
{
    const unsigned long all = ~0UL;
    unsigned long before = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
    return before;
}

static void restore_mask_async(unsigned long mask)
{
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

static void lock_async(void)
{
    while (__atomic_exchange_n(&guard.lock, 1, __ATOMIC_ACQUIRE))
        continue;
}

static void unlock_async(void)
{
    __atomic_store_n(&guard.lock, 0, __ATOMIC_RELEASE);
}

static bool begin_async(unsigned long *mask)
{
    int saved = errno;
    *mask = block_all_async();
    lock_async();
    errno = saved;
    return guard.on;
}

static void end_async(unsigned long mask)
{
    int saved = errno;
    unlock_async();
    restore_mask_async(mask);
    errno = saved;
}

/*
 * System calls, since communication libraries put functions of their own before mmap and
 * mremap, with locks, and without mremap's last argument.
 */
static char *map_private_async(void *at, size_t bytes, int flags)
{
    return (char *)syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static bool move_over_async(const struct guarded *guarded, char *memory)
{
    enum { PIECE = 4096 }; /* no page is smaller */
    if (memory == MAP_FAILED)
        return false;
    /* Read by the kernel, since pages may be gone already. */
    for (size_t at = 0; at < guarded->bytes; at += PIECE)
        peek_async((uintptr_t)guarded->memory + at, memory + at, PIECE);
    return syscall(SYS_mremap, memory, guarded->bytes, guarded->bytes,
                   MREMAP_MAYMOVE | MREMAP_FIXED, guarded->memory) == (long)guarded->memory;
}

static void note_private_async(struct guarded *guarded, bool is_private)
{
    if (!guarded->mapped || !is_private)
        return;
    guarded->mapped = false;
    __atomic_fetch_sub(&guard.mapped, 1, __ATOMIC_RELAXED);
}

/* Puts zeros in the place of the mapping, at once for all threads. */
static void clear_async(struct guarded *guarded)
{
    if (guarded->mapped)
        note_private_async(guarded, map_private_async(guarded->memory, guarded->bytes,
                                                      MAP_FIXED) == guarded->memory);
}

/*
 * Puts private memory in the place of the mappings, at once for all threads.  Where there is no
 * memory to copy the content to, without that.
 */
static void make_private_async(void)
{
    for (struct guarded *each = guard.list; each < guard.list + BUS_GUARD_MEMORIES; each++) {
        if (each->mapped)
            note_private_async(each,
                               move_over_async(each, map_private_async(NULL, each->bytes, 0)));
        clear_async(each);
    }
}

/* Whether the fault is in a memory that is private now. */
static bool is_mended_async(const siginfo_t *info)
{
    const uintptr_t at = (uintptr_t)info->si_addr;
    for (int i = 0; info->si_code == BUS_ADRERR && i < BUS_GUARD_MEMORIES; i++) {
        const uintptr_t from = (uintptr_t)guard.list[i].memory;
        if (from && at >= from && at < from + guard.list[i].bytes)
            return !guard.list[i].mapped;
    }
    return false;
}

/*
 * Whether CONTEXT faulted as bus_guard_read foresees.  In a handler of the program's some
 * signal is blocked that was not before; and what is missing of a loaded module is the
 * program's loss.
 */
static bool is_read_async(const siginfo_t *info, const ucontext_t *context)
{
    struct dl_find_object object;
    return reading.on && info->si_code == BUS_ADRERR &&
           context->uc_sigmask.__val[0] == reading.mask &&
           _dl_find_object(info->si_addr, &object) != 0;
}

/* Puts zeros in the place of the page at ADDRESS, of a private mapping. */
static bool replace_page_async(uintptr_t address)
{
    const uintptr_t bytes = getauxval(AT_PAGESZ);
    void *page = (void *)(address / bytes * bytes);
    reading.lacks = true;
    return (void *)syscall(SYS_mmap, page, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page;
}

/* Whether the signal comes again by itself when the handler returns. */
static bool is_repeated(const siginfo_t *info)
{
    return info->si_code > 0 && info->si_code != BUS_MCEERR_AO;
}

/* One that the program blocks waits until it does no more; what was read is not guarded then.
 */
static void hand_on_async(int number, siginfo_t *info, ucontext_t *context)
{
    raw_sigaction_async(SIGBUS, &guard.program, NULL);
    guard.on = false;
    if (is_repeated(info))
        return;
    if (reading.blocks)
        context->uc_sigmask.__val[0] |= bus_mask;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info);
}

/* With all signals blocked. */
static void on_bus_async(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    if (!is_read_async(info, context) || !replace_page_async((uintptr_t)info->si_addr)) {
        lock_async();
        make_private_async();
        bool own = is_mended_async(info);
        /* Stays where it was its own: other threads may have been interrupted there, too. */
        if (!own)
            hand_on_async(number, info, context);
        unlock_async();
    }
    errno = saved;
}

/* Whether the kernel has the handler; otherwise *NOW is what it has. */
static bool is_installed_async(struct raw_action *now)
{
    return raw_sigaction_async(SIGBUS, NULL, now) == 0 && now->handler == on_bus_async;
}

/*
 * Installs the handler over the program's action, which it keeps.  On an alternate stack, if
 * there is one, since the program's may count on it; and a signal that was sent interrupts
 * system calls as the program wants it.
 */
static bool install_async(void)
{
    if (raw_sigaction_async(SIGBUS, NULL, &guard.program) != 0 ||
        guard.program.handler == (void (*)(int, siginfo_t *, void *))(void *)SIG_IGN)
        return false;
    const struct raw_action action = {.handler = on_bus_async,
                                      .flags = SA_SIGINFO | SA_ONSTACK |
                                               (guard.program.flags & SA_RESTART),
                                      .mask = ~0UL};
    return raw_sigaction_async(SIGBUS, &action, NULL) == 0;
}

static void turn_off_async(void)
{
    struct raw_action now;
    if (guard.on && is_installed_async(&now))
        raw_sigaction_async(SIGBUS, &guard.program, NULL);
    guard.on = false;
}

static void give_back_async(void)
{
    make_private_async();
    if (guard.readers == 0)
        turn_off_async();
}

/* Installs the handler unless it is; false if the program does without. */
static bool turn_on_async(void)
{
    struct raw_action now;
    if (guard.on && !is_installed_async(&now)) {
        make_private_async();
        guard.on = false;
    }
    guard.process = getpid();
    guard.on = guard.on || install_async();
    return guard.on;
}

/* The place of MEMORY in the list; of NULL one that is free; NULL if there is none. */
static struct guarded *find_async(const void *memory)
{
    for (int i = 0; i < BUS_GUARD_MEMORIES; i++)
        if (guard.list[i].memory == memory)
            return &guard.list[i];
    return NULL;
}

bool bus_guard_async(void *memory, size_t bytes)
{
    unsigned long mask;
    begin_async(&mask);
    struct guarded *place = find_async(NULL);
    const bool guarded = place && turn_on_async();
    if (guarded) {
        *place = (struct guarded){memory, bytes, true};
        __atomic_fetch_add(&guard.mapped, 1, __ATOMIC_RELAXED);
    }
    end_async(mask);
    return guarded;
}

/* Ends the guard if the program has another handler. */
static void look_async(void)
{
    struct raw_action now;
    if (guard.on && !is_installed_async(&now))
        give_back_async();
}

bool bus_guard_holds_async(const void *memory)
{
    unsigned long mask;
    if (!__atomic_load_n(&guard.mapped, __ATOMIC_RELAXED))
        return false;
    begin_async(&mask);
    look_async();
    const struct guarded *found = find_async(memory);
    const bool holds = found && found->mapped;
    end_async(mask);
    return holds;
}

bool bus_guard_map_async(void *memory, void *place, size_t bytes, int file, off_t offset)
{
    unsigned long mask;
    begin_async(&mask);
    look_async();
    struct guarded *found = find_async(memory);
    const size_t end = (size_t)((char *)place + bytes - (char *)memory);
    const bool mapped = found && found->mapped &&
                        (void *)syscall(SYS_mmap, place, bytes, PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_FIXED, file, offset) == place;
    if (mapped && found->bytes < end)
        found->bytes = end;
    end_async(mask);
    return mapped;
}

void bus_guard_drop_async(const void *memory)
{
    unsigned long mask;
    begin_async(&mask);
    struct guarded *found = find_async(memory);
    if (found)
        clear_async(found);
    if (found && !found->mapped)
        *found = (struct guarded){NULL, 0, false};
    if (guard.mapped == 0 && guard.readers == 0)
        turn_off_async();
    end_async(mask);
}

void bus_guard_end_async(void)
{
    unsigned long mask;
    begin_async(&mask);
    give_back_async();
    end_async(mask);
}

void bus_guard_forget_async(void)
{
    guard.lock = 0;
    guard.readers = 0;
    for (int i = 0; i < BUS_GUARD_MEMORIES; i++)
        clear_async(&guard.list[i]);
    bus_guard_end_async();
}

static void begin_reading(void)
{
    unsigned long before;
    begin_async(&before);
    guard.readers++;
    reading = (struct reading){
        .on = turn_on_async(), .blocks = before & bus_mask, .mask = before & ~bus_mask};
    end_async(reading.on ? reading.mask : before);
}

/* Returns whether all pages were there. */
static bool end_reading(void)
{
    unsigned long mask;
    const bool whole = !reading.lacks;
    begin_async(&mask);
    guard.readers--;
    if (guard.readers == 0 && !guard.mapped)
        turn_off_async();
    if (reading.blocks)
        mask |= bus_mask;
    reading = (struct reading){0};
    end_async(mask);
    return whole;
}

void bus_guard_abandon(void)
{
    unsigned long mask;
    if (!reading.on)
        return;
    begin_async(&mask);
    guard.readers--;
    if (guard.readers == 0 && !guard.mapped)
        turn_off_async();
    reading = (struct reading){0};
    end_async(mask);
}

bool bus_guard_read(void (*work)(void *argument), void *argument)
{
    if (reading.on) {
        work(argument);
        return true;
    }
    begin_reading();
    work(argument);
    return end_reading();
}

bool bus_guard_allows_async(void)
{
    unsigned long mask = 0;
    if (!__atomic_load_n(&guard.mapped, __ATOMIC_RELAXED))
        return true;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, sizeof mask);
    return !(mask >> (SIGBUS - 1) & 1);
}

void bus_guard_yield_async(int number, struct bus_guard_turn *turn)
{
    struct raw_action now;
    turn->taken = false;
    if (number != SIGBUS || !__atomic_load_n(&guard.on, __ATOMIC_RELAXED))
        return;
    begin_async(&turn->mask);
    turn->taken = guard.on && is_installed_async(&now);
    if (turn->taken)
        raw_sigaction_async(SIGBUS, &guard.program, NULL);
    else
        end_async(turn->mask);
}

void bus_guard_resume_async(const struct bus_guard_turn *turn)
{
    if (!turn->taken)
        return;
    /* A child made by vfork shares this memory, but not the actions of signals. */
    if (guard.process == getpid() && !install_async()) {
        guard.on = false;
        make_private_async();
    }
    end_async(turn->mask);
}
