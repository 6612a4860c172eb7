/* See borders.h. */
#include "timeline/borders.h"

#include <stddef.h>

/*
 * An entry may be read while it is overwritten.  All members are accessed atomically, and the
 * reader tells from the stamp that the values do not belong together.
 */
struct entry {
    uint64_t stamp; /* the border's number plus one; 0 while it is written */
    int64_t ns;
    uint64_t iteration;
    uint64_t what; /* twice the series, plus one at a begin */
};

struct thread *borders_led_by;
uint64_t borders_count;

static struct entry entries[BORDERS_KEPT];

bool borders_lead_async(struct thread *thread)
{
    struct thread *nobody = NULL;
    return __atomic_compare_exchange_n(&borders_led_by, &nobody, thread, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
           nobody == thread;
}

void borders_enter_async(const struct border *border)
{
    uint64_t number = borders_count;
    struct entry *entry = &entries[number % BORDERS_KEPT];
    __atomic_store_n(&entry->stamp, 0, __ATOMIC_RELAXED);
    /* Release stores, so that no reader sees the new values under the old stamp. */
    __atomic_store_n(&entry->ns, border->ns, __ATOMIC_RELEASE);
    __atomic_store_n(&entry->iteration, border->iteration, __ATOMIC_RELEASE);
    __atomic_store_n(&entry->what, 2 * (uint64_t)border->series + border->begins,
                     __ATOMIC_RELEASE);
    __atomic_store_n(&entry->stamp, number + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&borders_count, number + 1, __ATOMIC_RELEASE);
}

bool borders_read_async(uint64_t number, struct border *border)
{
    const struct entry *entry = &entries[number % BORDERS_KEPT];
    if (__atomic_load_n(&entry->stamp, __ATOMIC_ACQUIRE) != number + 1)
        return false;
    border->ns = __atomic_load_n(&entry->ns, __ATOMIC_ACQUIRE);
    border->iteration = __atomic_load_n(&entry->iteration, __ATOMIC_ACQUIRE);
    uint64_t what = __atomic_load_n(&entry->what, __ATOMIC_ACQUIRE);
    border->series = (uint32_t)(what / 2);
    border->begins = what & 1;
    /*
     * The acquire loads above are not reordered after this one: if any value came from a later
     * border, the stamp has changed as well.
     */
    return __atomic_load_n(&entry->stamp, __ATOMIC_RELAXED) == number + 1;
}
