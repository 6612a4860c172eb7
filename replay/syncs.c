/* See syncs.h. */
#include "replay/syncs.h"

#include "replay/list.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 4 };

/* THREAD went on at `ns`, when it had synchronized with `other`, which went on at `other_ns`.
 */
struct meeting_of_two {
    uint64_t ns, other_ns;
    uint32_t other;
};

/* An operation of a communicator in which all waited for all. */
struct meeting {
    uint64_t number; /* which one it was */
    uint64_t ns;     /* when the first went on */
};

/* The last of them. */
struct gathering {
    uint32_t comm;
    uint64_t count; /* of all that there were: the Nth is at N % KEPT */
    struct meeting last[KEPT];
};

/* What a thread took part in; of gatherings one for each communicator. */
struct thread_syncs {
    struct gathering *list;
    size_t list_count, list_room;
    struct meeting_of_two *pairs;
    size_t pairs_count, pairs_room;
};

struct syncs {
    struct thread_syncs *threads;
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
    for (size_t i = 0; i < syncs->thread_count; i++) {
        free(syncs->threads[i].list);
        free(syncs->threads[i].pairs);
    }
    free(syncs->threads);
    free(syncs);
}

/* A wait for a message is noted for the wait and for the message. */
static bool is_last(const struct thread_syncs *of, const struct meeting_of_two *meeting)
{
    const struct meeting_of_two *last =
        of->pairs_count ? &of->pairs[of->pairs_count - 1] : NULL;
    return last && last->other == meeting->other && last->ns == meeting->ns &&
           last->other_ns == meeting->other_ns;
}

static bool note(struct thread_syncs *of, struct meeting_of_two meeting)
{
    if (is_last(of, &meeting))
        return true;
    if (!LIST_RESERVE(of->pairs))
        return false;
    of->pairs[of->pairs_count++] = meeting;
    return true;
}

bool syncs_note_pair(struct syncs *syncs, uint32_t one, uint64_t one_ns, uint32_t other,
                     uint64_t other_ns)
{
    return note(&syncs->threads[one], (struct meeting_of_two){one_ns, other_ns, other}) &&
           note(&syncs->threads[other], (struct meeting_of_two){other_ns, one_ns, one});
}

/* As it is handed over. */
struct handed {
    struct meeting_of_two meeting;
    uint32_t thread;
};

bool syncs_hand_over(struct syncs *syncs, uint32_t thread, struct bytes *to)
{
    struct thread_syncs *of = &syncs->threads[thread];
    bool good = true;
    for (size_t i = 0; good && i < of->pairs_count; i++) {
        struct handed handed;
        memset(&handed, 0, sizeof handed);
        handed.meeting = of->pairs[i];
        handed.thread = thread;
        good = bytes_add(to, &handed, sizeof handed);
    }
    free(of->pairs);
    of->pairs = NULL;
    of->pairs_count = of->pairs_room = 0;
    return good;
}

bool syncs_take_over(struct syncs *syncs, const struct bytes *from)
{
    bool good = true;
    struct handed handed;
    for (size_t at = 0; good && at + sizeof handed <= from->count; at += sizeof handed) {
        memcpy(&handed, from->data + at, sizeof handed);
        good = note(&syncs->threads[handed.thread], handed.meeting);
    }
    return good;
}

static int compare_meetings(const void *a, const void *b)
{
    const struct meeting_of_two *one = a, *two = b;
    if (one->other != two->other)
        return one->other < two->other ? -1 : 1;
    if (one->ns != two->ns)
        return one->ns < two->ns ? -1 : 1;
    return one->other_ns < two->other_ns ? -1 : one->other_ns > two->other_ns;
}

void syncs_settle(struct syncs *syncs)
{
    for (size_t i = 0; i < syncs->thread_count; i++)
        if (syncs->threads[i].pairs_count > 1)
            qsort(syncs->threads[i].pairs, syncs->threads[i].pairs_count,
                  sizeof(struct meeting_of_two), compare_meetings);
}

bool syncs_find_pair(const struct syncs *syncs, uint32_t one, uint32_t other, uint64_t *one_ns,
                     uint64_t *other_ns)
{
    const struct thread_syncs *of = &syncs->threads[one];
    const struct meeting_of_two sought = {*one_ns, UINT64_MAX, other};
    size_t low = 0, high = of->pairs_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (compare_meetings(&of->pairs[middle], &sought) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low > 0 && of->pairs[low - 1].other == other; low--)
        if (of->pairs[low - 1].other_ns <= *other_ns) {
            *one_ns = of->pairs[low - 1].ns;
            *other_ns = of->pairs[low - 1].other_ns;
            return true;
        }
    return false;
}

static struct gathering *gathering_of(const struct syncs *syncs, uint32_t thread, uint32_t comm)
{
    const struct thread_syncs *all = &syncs->threads[thread];
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
        struct thread_syncs *all = &syncs->threads[call->enter.thread];
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

static void consider_gatherings(struct search *search, const struct gathering *one,
                                const struct gathering *other)
{
    for (uint64_t i = 0; i < one->count && i < KEPT; i++)
        for (uint64_t j = 0; j < other->count && j < KEPT; j++)
            if (one->last[i].number == other->last[j].number)
                consider(search, one->last[i].ns, other->last[j].ns);
    search->is_lost |= one->count > KEPT && other->count > KEPT;
}

enum sync_found syncs_find_gathering(const struct syncs *syncs, uint32_t one, uint32_t other,
                                     uint64_t *one_ns, uint64_t *other_ns)
{
    struct search search = {.before_ns = {*one_ns, *other_ns}};
    const struct thread_syncs *all = &syncs->threads[one];
    for (size_t i = 0; i < all->list_count; i++) {
        const struct gathering *with = gathering_of(syncs, other, all->list[i].comm);
        if (with)
            consider_gatherings(&search, &all->list[i], with);
    }
    if (!search.is_found)
        return search.is_lost ? SYNC_LOST : SYNC_NONE;
    *one_ns = search.ns[0];
    *other_ns = search.ns[1];
    return SYNC_FOUND;
}
