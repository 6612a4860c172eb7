/* See syncs.h. */
#include "replay/syncs.h"

#include "common/index.h"
#include "replay/list.h"

#include <stdlib.h>
#include <string.h>

/* THREAD went on at `ns`, when it had synchronized with `other`, which went on at `other_ns`.
 */
struct meeting_of_two {
    uint64_t ns, other_ns;
    uint32_t other;
};

/* When the first went on after operations in which all of some threads waited for all: mostly
 * those of a communicator, but a process may take part by one thread and by another one later.
 */
struct gathering {
    uint32_t *threads;
    size_t thread_count;
    uint64_t *list;
    size_t list_count, list_room;
};

/* A gathering that a thread takes part in. */
struct part {
    uint32_t gathering;
    uint64_t latest_ns; /* the last time of it, and of all before it in the list */
    uint64_t first_ns;  /* the first time of it, and of all behind it */
};

/* What a thread took part in. */
struct thread_syncs {
    struct part *list; /* by the gatherings' numbers */
    size_t list_count, list_room;
    struct meeting_of_two *pairs;
    size_t pairs_count, pairs_room;
};

struct syncs {
    struct thread_syncs *threads;
    size_t thread_count;
    struct gathering *gatherings;
    size_t gatherings_count, gatherings_room;
    struct index index; /* of gatherings, by their threads */
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
    for (size_t i = 0; i < syncs->gatherings_count; i++) {
        free(syncs->gatherings[i].threads);
        free(syncs->gatherings[i].list);
    }
    free(syncs->gatherings);
    index_free(&syncs->index);
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

static int compare_times(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* All gatherings are in order: notes what the list of OF says of its beginning and its end. */
static void settle_parts(const struct syncs *syncs, struct thread_syncs *of)
{
    uint64_t latest_ns = 0, first_ns = UINT64_MAX;
    for (size_t i = 0; i < of->list_count; i++) {
        const struct gathering *gathering = &syncs->gatherings[of->list[i].gathering];
        const uint64_t ns =
            gathering->list_count ? gathering->list[gathering->list_count - 1] : 0;
        latest_ns = ns > latest_ns ? ns : latest_ns;
        of->list[i].latest_ns = latest_ns;
    }
    for (size_t i = of->list_count; i-- > 0;) {
        const struct gathering *gathering = &syncs->gatherings[of->list[i].gathering];
        const uint64_t ns = gathering->list_count ? gathering->list[0] : UINT64_MAX;
        first_ns = ns < first_ns ? ns : first_ns;
        of->list[i].first_ns = first_ns;
    }
}

void syncs_settle(struct syncs *syncs)
{
    for (size_t i = 0; i < syncs->gatherings_count; i++)
        qsort(syncs->gatherings[i].list, syncs->gatherings[i].list_count, sizeof(uint64_t),
              compare_times);
    for (size_t i = 0; i < syncs->thread_count; i++)
        settle_parts(syncs, &syncs->threads[i]);
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

struct sought {
    const struct syncs *syncs;
    const struct tsprof_collective *collective;
};

static uint32_t thread_of(const struct tsprof_collective *collective, size_t member)
{
    return collective->members[member].call->enter.thread;
}

static bool is_same(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct gathering *gathering = &sought->syncs->gatherings[number];
    if (gathering->thread_count != sought->collective->member_count)
        return false;
    for (size_t i = 0; i < gathering->thread_count; i++)
        if (gathering->threads[i] != thread_of(sought->collective, i))
            return false;
    return true;
}

/* A new one, of the threads of COLLECTIVE; false if out of memory. */
static bool add_gathering(struct syncs *syncs, const struct tsprof_collective *collective)
{
    const size_t count = collective->member_count;
    const uint32_t number = (uint32_t)syncs->gatherings_count;
    struct gathering gathering = {.threads = calloc(count + 1, sizeof *gathering.threads),
                                  .thread_count = count};
    if (!gathering.threads)
        return false;
    syncs->gatherings[syncs->gatherings_count++] = gathering;
    for (size_t i = 0; i < count; i++) {
        struct thread_syncs *of = &syncs->threads[thread_of(collective, i)];
        gathering.threads[i] = thread_of(collective, i);
        if (!LIST_RESERVE(of->list))
            return false;
        of->list[of->list_count++] = (struct part){.gathering = number};
    }
    return true;
}

/* That of the threads of COLLECTIVE; NULL if out of memory. */
static struct gathering *find_gathering(struct syncs *syncs,
                                        const struct tsprof_collective *collective)
{
    const struct sought sought = {syncs, collective};
    uint64_t hash = INDEX_HASH;
    for (size_t i = 0; i < collective->member_count; i++)
        hash = index_hash_number(hash, thread_of(collective, i));
    if (!LIST_RESERVE(syncs->gatherings) ||
        !index_reserve(&syncs->index, syncs->gatherings_count + 1))
        return NULL;
    uint32_t *slot = index_slot(&syncs->index, hash, is_same, &sought);
    if (*slot == 0) {
        if (!add_gathering(syncs, collective))
            return NULL;
        *slot = (uint32_t)syncs->gatherings_count;
    }
    return &syncs->gatherings[*slot - 1];
}

bool syncs_note_all(struct syncs *syncs, const struct tsprof_collective *collective)
{
    struct gathering *gathering = find_gathering(syncs, collective);
    uint64_t first_ns = UINT64_MAX;
    if (!gathering || !LIST_RESERVE(gathering->list))
        return false;
    for (size_t i = 0; i < collective->member_count; i++) {
        const uint64_t leave_ns = collective->members[i].call->leave_ns;
        first_ns = leave_ns < first_ns ? leave_ns : first_ns;
    }
    gathering->list[gathering->list_count++] = first_ns;
    return true;
}

/* The last time in GATHERING until NS; 0 if there is none. */
static uint64_t last_until(const struct gathering *gathering, uint64_t ns)
{
    size_t low = 0, high = gathering->list_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (gathering->list[middle] <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? gathering->list[low - 1] : 0;
}

/* How many of the gatherings of OF, the first ones, may have a time until NS. */
static size_t count_until(const struct thread_syncs *of, uint64_t ns)
{
    size_t low = 0, high = of->list_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (of->list[middle].first_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t syncs_find_gathering(const struct syncs *syncs, uint32_t one, uint32_t other,
                              uint64_t until_ns)
{
    const struct thread_syncs *of = &syncs->threads[one], *others = &syncs->threads[other];
    uint64_t last_ns = 0;
    /* The latest are found first: there may be as many gatherings as operations. */
    for (size_t i = count_until(of, until_ns), j = count_until(others, until_ns);
         i > 0 && j > 0 && of->list[i - 1].latest_ns > last_ns &&
         others->list[j - 1].latest_ns > last_ns;) {
        const uint32_t number = of->list[i - 1].gathering;
        if (number != others->list[j - 1].gathering) {
            *(number > others->list[j - 1].gathering ? &i : &j) -= 1;
            continue;
        }
        const uint64_t ns = last_until(&syncs->gatherings[number], until_ns);
        last_ns = ns > last_ns ? ns : last_ns;
        i--;
        j--;
    }
    return last_ns;
}
