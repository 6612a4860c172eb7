/* See early.h. */
#include "regions/early.h"

#include "regions/filtered.h"
#include "regions/region_memory.h"

enum { EARLY_MOST = 256 };

/* Belongs to the first thread that has entered a function. */
static struct {
    bool owned;
    uint32_t depth;
    struct region_event entered[EARLY_MOST];
} early;

/* The calling thread is that one.  It may end, and another may get its place in memory. */
static __thread bool owns_early __attribute__((tls_model("initial-exec")));

/* Whether the calling thread is the one that is listened to, or becomes it. */
static bool is_owner(void)
{
    if (owns_early || __atomic_load_n(&early.owned, __ATOMIC_RELAXED) ||
        measurement_state_async() != STATE_IDLE)
        return owns_early;
    owns_early = !__atomic_exchange_n(&early.owned, true, __ATOMIC_RELAXED);
    return owns_early;
}

void early_enter(const struct region_event *event)
{
    if (!is_owner())
        return;
    while (early.depth > 0 && early.entered[early.depth - 1].at.sp < event->at.sp)
        early.depth--;
    if (early.depth < EARLY_MOST)
        early.entered[early.depth++] = *event;
}

void early_leave(const struct region_event *event)
{
    if (!is_owner())
        return;
    while (early.depth > 0 && early.entered[early.depth - 1].at.sp < event->at.sp)
        early.depth--;
    if (early.depth > 0 && early.entered[early.depth - 1].function == event->function)
        early.depth--;
}

void early_take(struct regions *regions)
{
    if (!is_owner())
        return;
    const struct region_event *outer = NULL;
    for (uint32_t i = 0; i < early.depth; i++) {
        const struct region_event *event = &early.entered[i];
        if (filtered_is_out(event->function))
            continue;
        const bool inlined =
            outer && outer->at.sp == event->at.sp && outer->site == event->site;
        region_push(regions, event,
                    inlined ? regions->stack[regions->depth - 1].frame : UINT32_MAX);
        outer = event;
    }
    early.depth = 0;
}
