/* See requests.h. */
#include "measure/requests.h"

#include "host/host.h"
#include "timeline/timeline.h"
#include "trace/trace.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

/*
 * The table has up to LEVELS levels, each with four times as many slots as the one before; the
 * first always exists.  In each level a handle is in one of PROBES consecutive slots.  A slot
 * that was used once is never EMPTY again, so a search can stop at an EMPTY one.
 */
enum { LEVELS = 8, SLOTS_FIRST = 1024, LOG_GROWTH = 2, PROBES = 12, TRIES = 100 };

enum { SLOT_EMPTY, SLOT_BUSY, SLOT_FREE, SLOT_LIVE };

/* The bits of a slot's word.  Whoever sets the state to BUSY may write the rest of the slot. */
enum {
    STATE = 3,
    PERSISTENT = 4,
    ACTIVE = 8, /* its completion is to be counted */
    SHARED = 16,
    KIND_SHIFT = 5,
    NUMBER_SHIFT = 9
};

static struct request_slot first_level[SLOTS_FIRST];
static struct request_slot *levels[LEVELS] = {first_level};

/*
 * What the trace needs to know about the requests in a level, by slot, where events are kept.
 */
struct traced_slot {
    uint64_t request;             /* 0: nothing */
    uint64_t where;               /* object << 32 | leaf */
    uint64_t message;             /* peer << 32 | tag */
    uint32_t partitions, missing; /* those that are not ready since the latest start */
};

static struct traced_slot first_traced[SLOTS_FIRST];
static struct traced_slot *traced[LEVELS] = {first_traced};

bool requests_concurrent = true;

static const struct request_operation nothing = {.kind = REQUEST_NOTHING};

static uint64_t load(const uint64_t *from)
{
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static size_t slots_of(int level)
{
    return (size_t)SLOTS_FIRST << (level * LOG_GROWTH);
}

static unsigned state_of(uint64_t word)
{
    return word & STATE;
}

static enum request_kind kind_of(uint64_t word)
{
    return (enum request_kind)(word >> KIND_SHIFT & 15);
}

/* The word that follows WORD, with state and flags FLAGS and the given kind. */
static uint64_t next_word(uint64_t word, unsigned flags, enum request_kind kind)
{
    return ((word >> NUMBER_SHIFT) + 1) << NUMBER_SHIFT | (uint64_t)kind << KIND_SHIFT | flags;
}

static bool change(struct request_slot *slot, uint64_t from, uint64_t to)
{
    if (!requests_concurrent) {
        slot->word = to;
        return true;
    }
    return __atomic_compare_exchange_n(&slot->word, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* The slots of a level and the first of those where HANDLE may be. */
struct probe {
    struct request_slot *slots;
    struct traced_slot *traced; /* NULL if no events are kept */
    size_t mask, at;
};

static struct probe probe_of(int level, uint64_t handle)
{
    size_t mask = slots_of(level) - 1;
    return (struct probe){levels[level], trace_is_on_async() ? traced[level] : NULL, mask,
                          (size_t)(handle * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask};
}

/* A slot, and what the trace needs to know about its request; NULL if no events are kept. */
struct place {
    struct request_slot *slot;
    struct traced_slot *traced;
};

static struct place nth(const struct probe *probe, int n)
{
    const size_t at = (probe->at + (size_t)n) & probe->mask;
    return (struct place){&probe->slots[at], probe->traced ? &probe->traced[at] : NULL};
}

/* The newest level, which has most of the entries. */
static int newest_level(void)
{
    int level = 0;
    while (level + 1 < LEVELS && __atomic_load_n(&levels[level + 1], __ATOMIC_ACQUIRE))
        level++;
    return level;
}

/* Whether operations of this kind have numbers of their own. */
static bool has_numbers(enum request_kind kind)
{
    return kind == REQUEST_COLLECTIVE || kind == REQUEST_SEND || kind == REQUEST_RECEIVE_IN;
}

static void read_numbers(struct request_slot *slot, struct request_operation *operation)
{
    uint64_t counts = load(&slot->counts);
    operation->comms = (uint32_t)counts;
    operation->syncs = (uint32_t)(counts >> 32);
    operation->out = __atomic_load_n(&slot->out, __ATOMIC_ACQUIRE);
    operation->in = __atomic_load_n(&slot->in, __ATOMIC_ACQUIRE);
}

static void read_traced(const struct traced_slot *more, struct request_operation *operation)
{
    operation->request = more ? load(&more->request) : 0;
    operation->partitions = 0;
    if (__builtin_expect(operation->request == 0, 1))
        return;
    const uint64_t where = load(&more->where), message = load(&more->message);
    operation->object = (uint32_t)(where >> 32);
    operation->leaf = (uint32_t)where;
    operation->peer = (int)(message >> 32);
    operation->tag = (int)message;
    operation->partitions = __atomic_load_n(&more->partitions, __ATOMIC_ACQUIRE);
}

static void write_traced(struct traced_slot *more, const struct request_operation *operation)
{
    if (!more)
        return;
    __atomic_store_n(&more->request, operation->request, __ATOMIC_RELEASE);
    __atomic_store_n(&more->partitions, operation->request ? operation->partitions : 0,
                     __ATOMIC_RELEASE);
    if (operation->request == 0)
        return;
    __atomic_store_n(&more->where, (uint64_t)operation->object << 32 | operation->leaf,
                     __ATOMIC_RELEASE);
    __atomic_store_n(&more->message,
                     (uint64_t)(uint32_t)operation->peer << 32 | (uint32_t)operation->tag,
                     __ATOMIC_RELEASE);
}

/* Whether PLACE holds a live entry of HANDLE; if so, copies it to *ENTRY. */
static bool read_entry(struct place place, uint64_t handle, struct request_entry *entry)
{
    struct request_slot *slot = place.slot;
    for (int tries = 0; tries < TRIES; tries++) {
        uint64_t word = load(&slot->word);
        if (state_of(word) != SLOT_LIVE || load(&slot->handle) != handle)
            return false;
        entry->operation.kind = kind_of(word);
        if (has_numbers(kind_of(word)))
            read_numbers(slot, &entry->operation);
        read_traced(place.traced, &entry->operation);
        entry->slot = slot;
        entry->traced = place.traced;
        entry->word = word;
        if (__builtin_expect(load(&slot->word) == word, 1))
            return true;
    }
    return false;
}

bool requests_find(uint64_t handle, struct request_entry *entry)
{
    for (int level = newest_level(); level >= 0; level--) {
        struct probe probe = probe_of(level, handle);
        for (int n = 0; n < PROBES; n++) {
            struct place place = nth(&probe, n);
            if (state_of(load(&place.slot->word)) == SLOT_EMPTY)
                break;
            if (read_entry(place, handle, entry))
                return true;
        }
    }
    entry->slot = NULL;
    entry->traced = NULL;
    entry->operation.kind = REQUEST_NOTHING;
    return false;
}

/*
 * Finds a slot without an entry for HANDLE, if possible the one that HANDLE had the last time,
 * and its word; NULL if there is none.
 */
static struct place find_vacant(uint64_t handle, uint64_t *word)
{
    struct place vacant = {NULL, NULL};
    for (int level = newest_level(); level >= 0; level--) {
        struct probe probe = probe_of(level, handle);
        for (int n = 0; n < PROBES; n++) {
            struct place place = nth(&probe, n);
            uint64_t seen = load(&place.slot->word);
            bool own = state_of(seen) == SLOT_FREE && load(&place.slot->handle) == handle;
            if (own ||
                (!vacant.slot && (state_of(seen) == SLOT_FREE || state_of(seen) == SLOT_EMPTY)))
                vacant = place, *word = seen;
            if (own)
                return vacant;
            if (state_of(seen) == SLOT_EMPTY)
                break;
        }
    }
    return vacant;
}

/* Gets what the trace needs for a new level; without it these requests are not in the trace. */
static void grow_traced(int level)
{
    if (!trace_is_on_async())
        return;
    void *slots = mmap(NULL, slots_of(level) * sizeof(struct traced_slot),
                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slots != MAP_FAILED)
        __atomic_store_n(&traced[level], slots, __ATOMIC_RELEASE);
}

/* Adds a level.  Returns false if there is no memory for it, or there are LEVELS already. */
static bool grow(void)
{
    int level = newest_level() + 1, saved = errno;
    if (level == LEVELS)
        return false;
    size_t bytes = slots_of(level) * sizeof(struct request_slot);
    if (!budget_draw_async(bytes))
        return false;
    void *slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct request_slot *none = NULL;
    bool added =
        slots != MAP_FAILED && __atomic_compare_exchange_n(&levels[level], &none, slots, false,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (added) {
        __atomic_add_fetch(&memory_shared_bytes, bytes, __ATOMIC_RELAXED);
        grow_traced(level);
    } else {
        /* Another thread may have added it first; then that is as good. */
        budget_return_async(bytes);
        if (slots != MAP_FAILED)
            munmap(slots, bytes);
    }
    errno = saved;
    return added || none;
}

/*
 * Claims the slot that HANDLE had the last time, if it is the first one to try, as it mostly
 * is.
 */
static struct place claim_own(uint64_t handle)
{
    struct probe probe = probe_of(newest_level(), handle);
    struct place place = nth(&probe, 0);
    uint64_t word = load(&place.slot->word);
    bool own = state_of(word) == SLOT_FREE && load(&place.slot->handle) == handle;
    return own && change(place.slot, word, next_word(word, SLOT_BUSY, REQUEST_NOTHING))
               ? place
               : (struct place){NULL, NULL};
}

/* Claims a slot for HANDLE and makes it BUSY; *ENTRY gets the entry that it held, if any. */
static struct place claim(uint64_t handle, struct request_entry *entry)
{
    entry->slot = NULL;
    struct place own = claim_own(handle);
    if (own.slot)
        return own;
    for (int tries = 0; tries < TRIES; tries++) {
        struct place place;
        uint64_t word = 0;
        if (requests_find(handle, entry))
            place = (struct place){entry->slot, entry->traced}, word = entry->word;
        else
            place = find_vacant(handle, &word);
        if (!place.slot) {
            if (!grow())
                return place;
            continue;
        }
        if (change(place.slot, word, next_word(word, SLOT_BUSY, REQUEST_NOTHING)))
            return place;
    }
    return (struct place){NULL, NULL};
}

static void publish(struct place place, uint64_t handle,
                    const struct request_operation *operation, unsigned flags)
{
    struct request_slot *slot = place.slot;
    uint64_t word = load(&slot->word);
    __atomic_store_n(&slot->handle, handle, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->counts, (uint64_t)operation->syncs << 32 | operation->comms,
                     __ATOMIC_RELEASE);
    __atomic_store_n(&slot->out, operation->out, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->in, operation->in, __ATOMIC_RELEASE);
    write_traced(place.traced, operation);
    __atomic_store_n(&slot->word, next_word(word, flags | SLOT_LIVE, operation->kind),
                     __ATOMIC_RELEASE);
}

/*
 * Whether ENTRY is a shared collective that is still to be counted, to which others are added.
 */
static bool adds_up(const struct request_entry *entry)
{
    return entry->slot && entry->operation.kind == REQUEST_COLLECTIVE &&
           (entry->word & (SHARED | ACTIVE)) == (SHARED | ACTIVE);
}

bool requests_note(uint64_t handle, const struct request_operation *operation,
                   enum request_life life)
{
    static const unsigned flags[] = {[REQUEST_ONCE] = ACTIVE,
                                     [REQUEST_SHARED] = ACTIVE | SHARED,
                                     [REQUEST_PERSISTENT] = PERSISTENT};
    struct request_entry entry;
    if (operation->kind == REQUEST_NOTHING) {
        if (requests_find(handle, &entry) && !adds_up(&entry))
            change(entry.slot, entry.word, next_word(entry.word, SLOT_FREE, REQUEST_NOTHING));
        return true;
    }
    const struct place place = claim(handle, &entry);
    if (!place.slot)
        return false;
    struct request_operation sum = *operation;
    if (sum.kind == REQUEST_COLLECTIVE && life == REQUEST_SHARED && adds_up(&entry)) {
        sum.comms += entry.operation.comms;
        sum.syncs += entry.operation.syncs;
        sum.out += entry.operation.out;
        sum.in += entry.operation.in;
    }
    publish(place, handle, &sum, flags[life]);
    return true;
}

void requests_forget(uint64_t handle)
{
    struct request_entry entry;
    if (requests_find(handle, &entry))
        change(entry.slot, entry.word, next_word(entry.word, SLOT_FREE, REQUEST_NOTHING));
}

struct request_operation requests_start(uint64_t handle)
{
    struct request_entry entry;
    if (!requests_find(handle, &entry) || !(entry.word & PERSISTENT))
        return nothing;
    if (entry.traced)
        __atomic_store_n(&entry.traced->missing, entry.traced->partitions, __ATOMIC_RELEASE);
    change(entry.slot, entry.word,
           next_word(entry.word, SLOT_LIVE | PERSISTENT | ACTIVE, entry.operation.kind));
    return entry.operation;
}

bool requests_ready(uint64_t handle, uint32_t count, struct request_operation *operation)
{
    struct request_entry entry;
    if (count == 0 || !requests_find(handle, &entry) || !(entry.word & ACTIVE))
        return false;
    *operation = entry.operation;
    return entry.traced && entry.operation.request != 0 &&
           __atomic_fetch_sub(&entry.traced->missing, count, __ATOMIC_ACQ_REL) == count;
}

/* The next word of an entry whose request has completed. */
static uint64_t completed_word(uint64_t word, bool stays)
{
    if (stays || (word & PERSISTENT))
        return next_word(word, SLOT_LIVE | (word & PERSISTENT), kind_of(word));
    return next_word(word, SLOT_FREE, REQUEST_NOTHING);
}

struct request_operation requests_complete(uint64_t handle, struct request_entry entry,
                                           bool stays)
{
    for (int tries = 0; entry.slot && tries < TRIES; tries++) {
        struct request_operation found = entry.word & ACTIVE ? entry.operation : nothing;
        if (change(entry.slot, entry.word, completed_word(entry.word, stays)))
            return found;
        /*
         * The entry has changed: the handle belongs to another request by now, or, if it is
         * shared, others have been added to or counted with it.
         */
        if (!(entry.word & SHARED))
            return found;
        if (requests_find(handle, &entry) && entry.operation.kind != REQUEST_COLLECTIVE)
            return found;
    }
    return nothing;
}
