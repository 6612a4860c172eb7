/* See syncs.h. */
#include "replay/syncs.h"

#include "common/index.h"
#include "replay/hash.h"
#include "replay/list.h"

#include <stdlib.h>

/* The last message between two threads; the lower number is first. */
struct pair {
    uint32_t threads[2];
    uint64_t ns[2];
};

/* The last operation of a communicator in which all waited for all. */
struct gathering {
    uint32_t comm;
    uint64_t number; /* which one it was */
    uint64_t ns;
};

/* Those of a thread, one for each communicator. */
struct gatherings {
    struct gathering *list;
    size_t list_count, list_room;
};

struct syncs {
    struct pair *pairs;
    size_t pairs_count, pairs_room;
    struct index index;
    struct gatherings *threads;
    size_t thread_count;
    uint64_t numbers;
};

struct syncs *syncs_create(size_t threads)
{
    struct syncs *syncs = calloc(1, sizeof *syncs);
    if (!syncs)
        return NULL;
    syncs->thread_count = threads;
    syncs->threads = calloc(threads + 1, sizeof *syncs->threads);
    if (syncs->threads)
        return syncs;
    free(syncs);
    return NULL;
}

void syncs_free(struct syncs *syncs)
{
    if (!syncs)
        return;
    for (size_t i = 0; i < syncs->thread_count; i++)
        free(syncs->threads[i].list);
    free(syncs->threads);
    free(syncs->pairs);
    index_free(&syncs->index);
    free(syncs);
}

struct sought {
    const struct syncs *syncs;
    uint32_t threads[2];
};

static bool is_same_pair(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct pair *pair = &sought->syncs->pairs[number];
    return pair->threads[0] == sought->threads[0] && pair->threads[1] == sought->threads[1];
}

/* Where the number of a pair is kept; a 0 if it never synchronized. */
static uint32_t *slot_of(const struct syncs *syncs, uint32_t low, uint32_t high)
{
    const struct sought sought = {syncs, {low, high}};
    return index_slot(&syncs->index, hash_mix(low, high), is_same_pair, &sought);
}

bool syncs_note_pair(struct syncs *syncs, uint32_t one, uint64_t one_ns, uint32_t other,
                     uint64_t other_ns)
{
    const bool turned = one > other;
    const struct pair pair = {{turned ? other : one, turned ? one : other},
                              {turned ? other_ns : one_ns, turned ? one_ns : other_ns}};
    if (!LIST_RESERVE(syncs->pairs) || !index_reserve(&syncs->index, syncs->pairs_count + 1))
        return false;
    uint32_t *slot = slot_of(syncs, pair.threads[0], pair.threads[1]);
    if (*slot == 0) {
        syncs->pairs_count++;
        *slot = (uint32_t)syncs->pairs_count;
    }
    syncs->pairs[*slot - 1] = pair;
    return true;
}

static struct gathering *gathering_of(const struct syncs *syncs, uint32_t thread, uint32_t comm)
{
    const struct gatherings *all = &syncs->threads[thread];
    for (size_t i = 0; i < all->list_count; i++)
        if (all->list[i].comm == comm)
            return &all->list[i];
    return NULL;
}

bool syncs_note_all(struct syncs *syncs, const struct tsprof_collective *collective)
{
    const uint64_t number = ++syncs->numbers;
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_call *call = collective->members[i].call;
        struct gatherings *all = &syncs->threads[call->enter.thread];
        struct gathering *gathering = gathering_of(syncs, call->enter.thread, collective->comm);
        if (!gathering) {
            if (!LIST_RESERVE(all->list))
                return false;
            gathering = &all->list[all->list_count++];
        }
        *gathering = (struct gathering){collective->comm, number, call->leave_ns};
    }
    return true;
}

void syncs_find(const struct syncs *syncs, uint32_t one, uint32_t other, uint64_t *one_ns,
                uint64_t *other_ns)
{
    const bool turned = one > other;
    const uint32_t *slot =
        syncs->index.slots ? slot_of(syncs, turned ? other : one, turned ? one : other) : NULL;
    *one_ns = *other_ns = 0;
    if (slot && *slot) {
        *one_ns = syncs->pairs[*slot - 1].ns[turned];
        *other_ns = syncs->pairs[*slot - 1].ns[!turned];
    }
    const struct gatherings *all = &syncs->threads[one];
    for (size_t i = 0; i < all->list_count; i++) {
        const struct gathering *with = gathering_of(syncs, other, all->list[i].comm);
        if (with && with->number == all->list[i].number && all->list[i].ns > *one_ns) {
            *one_ns = all->list[i].ns;
            *other_ns = with->ns;
        }
    }
}
