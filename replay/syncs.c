/* See syncs.h. */
#include "replay/syncs.h"

#include "common/index.h"
#include "replay/hash.h"
#include "replay/list.h"

#include <stdlib.h>

enum { KEPT = 4 };

/* The last times at which one of two threads had waited for the other one; the lower number is
 * first. */
struct pair {
    uint32_t threads[2];
    uint64_t count; /* of all that there were: the Nth is at N % KEPT */
    uint64_t ns[KEPT][2];
};

/* An operation of a communicator in which all waited for all. */
struct meeting {
    uint64_t number; /* which one it was */
    uint64_t ns;     /* when the first went on */
};

/* The last of them. */
struct gathering {
    uint32_t comm;
    uint64_t count; /* likewise */
    struct meeting last[KEPT];
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
    const struct pair pair = {.threads = {turned ? other : one, turned ? one : other}};
    if (!LIST_RESERVE(syncs->pairs) || !index_reserve(&syncs->index, syncs->pairs_count + 1))
        return false;
    uint32_t *slot = slot_of(syncs, pair.threads[0], pair.threads[1]);
    if (*slot == 0) {
        syncs->pairs[syncs->pairs_count++] = pair;
        *slot = (uint32_t)syncs->pairs_count;
    }
    struct pair *noted = &syncs->pairs[*slot - 1];
    /* A wait for a message is noted for the wait and for the message. */
    const uint64_t *last = noted->ns[(noted->count - 1) % KEPT];
    if (noted->count > 0 && last[turned] == one_ns && last[!turned] == other_ns)
        return true;
    uint64_t *ns = noted->ns[noted->count++ % KEPT];
    ns[turned] = one_ns;
    ns[!turned] = other_ns;
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
    uint64_t first_ns = UINT64_MAX;
    for (size_t i = 0; i < collective->member_count; i++)
        if (collective->members[i].call->leave_ns < first_ns)
            first_ns = collective->members[i].call->leave_ns;
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_call *call = collective->members[i].call;
        struct gatherings *all = &syncs->threads[call->enter.thread];
        struct gathering *gathering = gathering_of(syncs, call->enter.thread, collective->comm);
        if (!gathering) {
            if (!LIST_RESERVE(all->list))
                return false;
            gathering = &all->list[all->list_count++];
            *gathering = (struct gathering){.comm = collective->comm};
        }
        gathering->last[gathering->count++ % KEPT] = (struct meeting){number, first_ns};
    }
    return true;
}

/* What is sought, and the best that was found. */
struct search {
    uint64_t before_ns[2]; /* of the one, and of the other */
    uint64_t ns[2];
    bool is_found;
    bool is_lost; /* there may have been some that are not known any more */
};

static void consider(struct search *search, uint64_t one_ns, uint64_t other_ns)
{
    if (one_ns > search->before_ns[0] || other_ns > search->before_ns[1] ||
        (search->is_found && one_ns <= search->ns[0]))
        return;
    search->is_found = true;
    search->ns[0] = one_ns;
    search->ns[1] = other_ns;
}

static void consider_pair(struct search *search, const struct pair *pair, bool turned)
{
    for (uint64_t i = 0; i < pair->count && i < KEPT; i++)
        consider(search, pair->ns[i][turned], pair->ns[i][!turned]);
    search->is_lost |= pair->count > KEPT;
}

static void consider_gatherings(struct search *search, const struct gathering *one,
                                const struct gathering *other)
{
    for (uint64_t i = 0; i < one->count && i < KEPT; i++)
        for (uint64_t j = 0; j < other->count && j < KEPT; j++)
            if (one->last[i].number == other->last[j].number)
                consider(search, one->last[i].ns, other->last[j].ns);
    search->is_lost |= one->count > KEPT && other->count > KEPT;
}

void syncs_find(const struct syncs *syncs, uint32_t one, uint32_t other, uint64_t *one_ns,
                uint64_t *other_ns)
{
    const bool turned = one > other;
    struct search search = {.before_ns = {*one_ns, *other_ns}};
    const uint32_t *slot =
        syncs->index.slots ? slot_of(syncs, turned ? other : one, turned ? one : other) : NULL;
    if (slot && *slot)
        consider_pair(&search, &syncs->pairs[*slot - 1], turned);
    const struct gatherings *all = &syncs->threads[one];
    for (size_t i = 0; i < all->list_count; i++) {
        const struct gathering *with = gathering_of(syncs, other, all->list[i].comm);
        if (with)
            consider_gatherings(&search, &all->list[i], with);
    }
    if (!search.is_found && search.is_lost)
        return;
    /* One time for both: what the other one still does there delays it. */
    *one_ns = *other_ns = search.ns[0] < search.ns[1] ? search.ns[0] : search.ns[1];
}
