/*
 * Memory of the runtime: address space reserved once, pages touched as they are needed.
 *
 * An arena only grows.  It never calls malloc, so it may be used where the program could be
 * anywhere, its own allocator included.
 */
#ifndef TSPROF_ARENA_H
#define TSPROF_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
    char *base;
    size_t size;
    size_t used;
    size_t granted; /* of a metered arena: how far it may be used so far */
    bool metered;
};

/* Reserves SIZE bytes of address space; returns 0, or -1 when there is none. */
int arena_create(struct arena *arena, size_t size);

/*
 * From now on what ARENA uses is drawn from the process's budget, from that part of it which
 * metered arenas may have.  Of arenas without a meter the owners draw what they fill.
 */
void arena_meter(struct arena *arena);

/* Gives the address space back.  An arena of zeros is allowed. */
void arena_destroy(struct arena *arena);

/* BYTES of zeros, aligned to 64, or NULL when the reservation is used up.  Async-signal-safe.
 */
void *arena_take_async(struct arena *arena, size_t bytes);

/*
 * The budget of the process: BYTES that all threads together may draw, METERED of them by
 * metered arenas.  Set once, before anything is drawn; until then it is endless.
 */
void budget_set(size_t bytes, size_t metered);

/* Draws BYTES; false, and nothing drawn, when there are not as many left. */
bool budget_draw_async(size_t bytes);

/* Gives back BYTES that were drawn and not used. */
void budget_return_async(size_t bytes);

/*
 * Promises half of what metered arenas may draw in all and nobody has been promised: as much as
 * one owner may take that would take all there is.  Nothing is drawn; together promises are
 * never more than there is, and none takes all.
 */
size_t budget_reserve_async(void);

/* Takes a promise of BYTES back. */
void budget_unreserve_async(size_t bytes);

/*
 * A heap on top of an arena, with free lists by size class, for objects that come and go
 * (clusters).  Sizes are rounded up to a quarter power of two, at least 64 bytes, so at most a
 * fifth of a larger one is wasted.
 */
enum { HEAP_CLASSES = 128 };

struct heap {
    struct arena arena;
    void *free[HEAP_CLASSES];
};

/* The allocate and release functions of a clustering's memory_source; CONTEXT is the heap. */
void *heap_allocate(void *context, size_t bytes);
void heap_release(void *context, void *memory, size_t bytes);

#endif
