/*
 * Memory of the runtime: address space reserved once, pages touched as they are needed.
 *
 * An arena only grows.  It never calls malloc, so it may be used wherever the program may be,
 * even inside its own allocator.  An arena is not locked: whoever owns it sees to it that
 * nobody uses it at the same time, a signal handler included.  The budget belongs to the
 * process; any thread may draw from it in any context.
 */
#ifndef TSPROF_ARENA_H
#define TSPROF_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
    char *base;
    size_t size;
    size_t used;
    size_t granted;  /* of a metered arena: bytes drawn from the budget so far */
    size_t promised; /* likewise: bytes that count as used, so that they can always be had */
    bool metered;
};

/*
 * Reserves SIZE bytes of address space; returns 0, or -1 if there are none.  Async-signal-safe:
 * it asks the kernel only.
 */
__attribute__((warn_unused_result)) int arena_create_async(struct arena *arena, size_t size);

/*
 * From now on ARENA draws what it uses from the process's budget, out of the share of metered
 * arenas.  For an arena without a meter its owner draws.
 */
void arena_meter(struct arena *arena);

/* Returns the address space to the system.  An arena of zeros is allowed. */
void arena_destroy_async(struct arena *arena);

/*
 * Takes BYTES of zeroed memory, aligned to 64 bytes; NULL if the reservation or the budget is
 * used up.  Async-signal-safe.
 */
void *arena_take_async(struct arena *arena, size_t bytes);

/*
 * Sets the process's budget: all threads together may draw BYTES, metered arenas METERED of
 * them, an eighth of which nobody else may draw and which they draw last.  Call once, before
 * anything is drawn; until then the budget is unlimited.
 */
void budget_set(size_t bytes, size_t metered);

/*
 * USED_ASYNC says how many bytes of the budget are used.  What is drawn is what may be used in
 * the worst case; when there is nothing left to draw, USED_ASYNC is asked, and what has been
 * drawn for nothing can be drawn again.  Call after budget_set.
 */
void budget_settle_by(size_t (*used_async)(void));

/* Draws BYTES; returns false, and draws nothing, if fewer are left. */
bool budget_draw_async(size_t bytes);

/*
 * Whether the budget is enough for BYTES and for what is used, as the function says that was
 * given to budget_settle_by, which may count what nobody has drawn yet.  False if there is
 * none.  It asks the kernel, so not for what is done often.
 */
bool budget_covers_async(size_t bytes);

/* Bytes that only metered arenas may still draw. */
size_t budget_kept_async(void);

/* Gives back BYTES that were drawn but not used. */
void budget_return_async(size_t bytes);

/*
 * Reserves half of what nobody has reserved yet; returns how many bytes that is.  There is as
 * much to reserve as metered arenas may draw in all, but no more than half of the budget.
 * Nothing is drawn.  So no owner can reserve everything, and all reservations together never
 * exceed what there is.
 */
size_t budget_reserve_async(void);

/* Gives up a reservation of BYTES. */
void budget_unreserve_async(size_t bytes);

/*
 * A heap on top of an arena, with free lists by size class, for objects that come and go
 * (clusters).  Sizes are rounded up to a quarter of a power of two, and to at least 64 bytes,
 * so at most a fifth of a larger object is wasted.
 */
enum { HEAP_CLASSES = 128 };

struct heap {
    struct arena arena;
    void *free[HEAP_CLASSES];
};

/* The allocate and release functions of a clustering's memory_source; CONTEXT is the heap. */
void *heap_allocate_async(void *context, size_t bytes);
void heap_release_async(void *context, void *memory, size_t bytes);

#endif
