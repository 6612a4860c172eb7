/* See arena.h. */
#include "host/arena.h"

#include <stdint.h>
#include <sys/mman.h>

enum {
    ALIGNMENT = 64,
    GRANT_BYTES = 32768, /* what a metered arena draws at a time */
    KEPT_PART = 8,       /* of the budget, for metered arenas when others have used the rest */
    STEP_PART = 64       /* how much must have been drawn since the budget was last settled */
};

/*
 * The bytes that may still be drawn, in all and by metered arenas; the bytes of the latter that
 * are not reserved.
 */
static size_t budget_left = SIZE_MAX, metered_left = SIZE_MAX, reserve_left = SIZE_MAX;

/* The whole budget, what it was last settled at, and who says what is used of it. */
static size_t budget_whole = SIZE_MAX, settled_left = SIZE_MAX;

/* What only metered arenas may still draw. */
static size_t kept_left;
static size_t (*used_bytes_async)(void);

void budget_set(size_t bytes, size_t metered)
{
    kept_left = (bytes < metered ? bytes : metered) / KEPT_PART;
    budget_whole = bytes;
    budget_left = settled_left = bytes - kept_left;
    metered_left = metered;
    reserve_left = metered < bytes / 2 ? metered : bytes / 2;
    used_bytes_async = NULL;
}

void budget_settle_by(size_t (*used_async)(void))
{
    used_bytes_async = used_async;
}

size_t budget_kept_async(void)
{
    return __atomic_load_n(&kept_left, __ATOMIC_RELAXED);
}

static bool draw_async(size_t *from, size_t bytes)
{
    size_t left = __atomic_load_n(from, __ATOMIC_RELAXED);
    do {
        if (left < bytes)
            return false;
    } while (!__atomic_compare_exchange_n(from, &left, left - bytes, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return true;
}

/*
 * Makes what is left what is really left.  Does so only when something was drawn since the last
 * time: the more is used the less there is to be found.
 */
static void settle_async(void)
{
    size_t left = __atomic_load_n(&budget_left, __ATOMIC_RELAXED);
    const size_t last = __atomic_load_n(&settled_left, __ATOMIC_RELAXED);
    if (!used_bytes_async || last < left || last - left < budget_whole / STEP_PART)
        return;
    const size_t used = used_bytes_async() + budget_kept_async();
    const size_t now = used < budget_whole ? budget_whole - used : 0;
    if (now <= left)
        __atomic_store_n(&settled_left, left, __ATOMIC_RELAXED);
    else if (__atomic_compare_exchange_n(&budget_left, &left, now, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
        __atomic_store_n(&settled_left, now, __ATOMIC_RELAXED);
}

bool budget_draw_async(size_t bytes)
{
    if (draw_async(&budget_left, bytes))
        return true;
    settle_async();
    return draw_async(&budget_left, bytes);
}

bool budget_covers_async(size_t bytes)
{
    return used_bytes_async && used_bytes_async() + budget_kept_async() + bytes <= budget_whole;
}

void budget_return_async(size_t bytes)
{
    __atomic_fetch_add(&budget_left, bytes, __ATOMIC_RELAXED);
}

/*
 * Whether metered arenas may draw as much again as is kept for them.  If not, it would be kept
 * for nobody, and others would have less.
 */
static bool is_kept_for_later_async(void)
{
    return __atomic_load_n(&metered_left, __ATOMIC_RELAXED) >=
           __atomic_load_n(&kept_left, __ATOMIC_RELAXED);
}

static bool draw_metered_async(size_t bytes)
{
    if (!draw_async(&metered_left, bytes))
        return false;
    /* What is kept for them comes last: so there is some when others have used the rest. */
    if (is_kept_for_later_async() && budget_draw_async(bytes))
        return true;
    if (draw_async(&kept_left, bytes) || budget_draw_async(bytes))
        return true;
    __atomic_fetch_add(&metered_left, bytes, __ATOMIC_RELAXED);
    return false;
}

int arena_create_async(struct arena *arena, size_t size)
{
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return -1;
    *arena = (struct arena){.base = base, .size = size};
    return 0;
}

void arena_meter(struct arena *arena)
{
    arena->metered = true;
    arena->granted = arena->used;
}

void arena_destroy_async(struct arena *arena)
{
    if (arena->base)
        munmap(arena->base, arena->size);
    *arena = (struct arena){0};
}

size_t budget_reserve_async(void)
{
    size_t left = __atomic_load_n(&reserve_left, __ATOMIC_RELAXED);
    while (!draw_async(&reserve_left, left / 2))
        left = __atomic_load_n(&reserve_left, __ATOMIC_RELAXED);
    return left / 2;
}

void budget_unreserve_async(size_t bytes)
{
    __atomic_fetch_add(&reserve_left, bytes, __ATOMIC_RELAXED);
}

/* Draws from the budget so that USED bytes of ARENA may be used. */
static bool grant_async(struct arena *arena, size_t used)
{
    if (used <= arena->granted)
        return true;
    const size_t needed = used - arena->granted;
    size_t wanted = needed < GRANT_BYTES ? GRANT_BYTES : needed;
    if (!draw_metered_async(wanted)) {
        /* What is promised counts as used already; so what is granted is no more than that. */
        if (used > arena->promised || !budget_covers_async(0))
            return false;
        wanted = needed;
    }
    arena->granted += wanted;
    return true;
}

void *arena_take_async(struct arena *arena, size_t bytes)
{
    if (bytes > arena->size)
        return NULL;
    size_t rounded = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (arena->size - arena->used < rounded ||
        (arena->metered && !grant_async(arena, arena->used + rounded)))
        return NULL;
    void *memory = arena->base + arena->used;
    arena->used += rounded;
    return memory;
}

/*
 * Four classes for every power of two from 64 bytes on; *CLASS_BYTES is the size of the objects
 * in this one.
 */
static unsigned size_class(size_t bytes, size_t *class_bytes)
{
    if (bytes <= ALIGNMENT) {
        *class_bytes = ALIGNMENT;
        return 0;
    }
    unsigned log = 63u - (unsigned)__builtin_clzll(bytes - 1);
    size_t quarter = (size_t)1 << (log - 2);
    unsigned step = (unsigned)((bytes - 1 - ((size_t)1 << log)) / quarter);
    *class_bytes = ((size_t)1 << log) + (step + 1) * quarter;
    return 1 + (log - 6) * 4 + step;
}

void *heap_allocate_async(void *context, size_t bytes)
{
    struct heap *heap = context;
    size_t class_bytes;
    unsigned class = size_class(bytes, &class_bytes);
    if (class >= HEAP_CLASSES)
        return NULL;
    void *memory = heap->free[class];
    if (!memory)
        return arena_take_async(&heap->arena, class_bytes);
    heap->free[class] = *(void **)memory;
    return memory;
}

void heap_release_async(void *context, void *memory, size_t bytes)
{
    struct heap *heap = context;
    size_t class_bytes;
    if (!memory)
        return;
    unsigned class = size_class(bytes, &class_bytes);
    *(void **)memory = heap->free[class];
    heap->free[class] = memory;
}
