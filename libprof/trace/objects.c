/* See objects.h. */
#include "trace/objects.h"

#include "common/index.h"
#include "host/host.h"
#include "trace/record.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

enum {
    SLOTS = 8192,       /* handles at the same time, half of them, so that searches are short */
    GROUPS_MOST = 8192, /* different groups, likewise */
    NUMBERS_MOST = 1 << 20,
    LOCK_TRIES = 10000,
    NAME_BYTES_MOST = 255, /* as file systems have it */
    BYTES_FOR_EACH = 128   /* of the memory for events; a description takes ten, as a rule */
};

/*
 * A handle and its number.  When one becomes another, or empty, `number` is OBJECT_UNKNOWN
 * meanwhile: who looks a handle up without the lock never gets the number of another one.
 */
struct slot {
    uint64_t key; /* 0: empty */
    uint32_t number;
};

/* A set of members, or for an intercommunicator two, and the objects with these members. */
struct members {
    uint64_t hash; /* 0: none */
    uint32_t number;
    uint32_t objects[3]; /* by kind: how many there were */
};

static struct {
    pthread_mutex_t lock;
    struct slot *slots;
    struct members *groups; /* of objects, by both groups' hash */
    struct members *sets;   /* single groups */
    uint32_t slot_count, group_count, set_count;
    uint32_t next, most;
    struct stream stream;
    uint64_t requests;
    bool name_is_left; /* of the last name only the beginning may have been written */
    struct arena arena;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .next = OBJECT_FIRST};

bool objects_start(size_t trace_bytes)
{
    table.most = trace_bytes / BYTES_FOR_EACH < NUMBERS_MOST
                     ? (uint32_t)(trace_bytes / BYTES_FOR_EACH)
                     : NUMBERS_MOST;
    table.stream.owner = EVENT_STREAM_OBJECTS;
    if (arena_create_async(&table.arena, SLOTS * sizeof *table.slots +
                                             2 * GROUPS_MOST * sizeof *table.groups + 4096) !=
        0)
        return false;
    table.slots = arena_take_async(&table.arena, SLOTS * sizeof *table.slots);
    table.groups = arena_take_async(&table.arena, GROUPS_MOST * sizeof *table.groups);
    table.sets = arena_take_async(&table.arena, GROUPS_MOST * sizeof *table.sets);
    return table.slots && table.groups && table.sets;
}

/*
 * False if the table is not free before long: a handler of the program may have left these
 * functions by a jump, and nobody may wait for that.  Then objects are not known.
 */
static bool lock_table(void)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (pthread_mutex_trylock(&table.lock) == 0)
            return true;
        sched_yield();
    }
    return false;
}

static uint64_t key_of(enum object_kind kind, uint64_t handle)
{
    const uint64_t key = index_hash_number((uint64_t)kind + 1, handle);
    return key ? key : 1;
}

/* The slot of KEY, or the empty one where it would be; NULL if the table is full. */
static struct slot *slot_of(uint64_t key)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct slot *slot = &table.slots[(key + i) % SLOTS];
        const uint64_t held = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
        if (held == key || held == 0)
            return slot;
    }
    return NULL;
}

uint32_t objects_find_async(enum object_kind kind, uint64_t handle)
{
    const uint64_t key = key_of(kind, handle);
    const struct slot *slot = slot_of(key);
    if (!slot)
        return OBJECT_UNKNOWN;
    const uint32_t number = __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE);
    /* Otherwise the slot was empty, or has become another one's meanwhile. */
    return __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) == key ? number : OBJECT_UNKNOWN;
}

static uint64_t hash_of(const struct object_group *group)
{
    uint64_t hash = index_hash_number(INDEX_HASH, (uint64_t)group->count);
    for (int i = 0; i < group->count; i++)
        hash = index_hash_number(hash, (uint64_t)(int64_t)group->ranks[i]);
    return hash ? hash : 1;
}

/* Appends a record; false without memory. */
static bool append(enum object_tag tag, const uint64_t *numbers, unsigned count)
{
    if (!stream_has_room_async(&table.stream))
        return false;
    record_append_async(&table.stream, tag, numbers, count);
    return true;
}

/* How many ranks from number FIRST on have the same distance from each other, and which. */
static int run_length(const struct object_group *group, int first, int64_t *stride)
{
    *stride =
        first + 1 < group->count ? (int64_t)group->ranks[first + 1] - group->ranks[first] : 0;
    int next = first + 1;
    while (next < group->count &&
           (int64_t)group->ranks[next] - group->ranks[next - 1] == *stride)
        next++;
    return next - first;
}

static bool append_group(uint32_t number, const struct object_group *group)
{
    if (!append(OBJECT_GROUP, (uint64_t[]){number, (uint64_t)group->count}, 2))
        return false;
    int64_t stride;
    for (int first = 0, length; first < group->count; first += length) {
        length = run_length(group, first, &stride);
        if (!append(OBJECT_RANKS,
                    (uint64_t[]){record_signed_async(group->ranks[first]),
                                 record_signed_async(stride), (uint64_t)length},
                    3))
            return false;
    }
    return true;
}

/* The entry with HASH in LIST, of COUNT entries, which is added if it is new; NULL if full. */
static struct members *find_members(struct members *list, uint32_t *count, uint64_t hash)
{
    for (uint32_t i = 0; i < GROUPS_MOST; i++) {
        struct members *members = &list[(hash + i) % GROUPS_MOST];
        if (members->hash == hash)
            return members;
        if (members->hash == 0) {
            if (*count == GROUPS_MOST / 2)
                return NULL;
            *members = (struct members){.hash = hash, .number = (*count)++};
            return members;
        }
    }
    return NULL;
}

/* The number of GROUP, with HASH, which is described if it is new; -1 if there is no room. */
static int64_t describe(const struct object_group *group, uint64_t hash)
{
    const uint32_t before = table.set_count;
    const struct members *set = find_members(table.sets, &table.set_count, hash);
    if (!set || (table.set_count > before && !append_group(set->number, group)))
        return -1;
    return set->number;
}

/* A grid of which not all is described is none for whoever reads it. */
static bool append_grid(const struct object_grid *grid)
{
    bool written = !grid || append(OBJECT_GRID, (uint64_t[]){(uint64_t)grid->dimensions}, 1);
    for (int i = 0; written && grid && i < grid->dimensions; i++)
        written = append(OBJECT_DIMENSION,
                         (uint64_t[]){(uint64_t)grid->sizes[i], grid->periods[i] != 0}, 2);
    return written;
}

/* What else is known of an object. */
struct object_facts {
    const struct object_group *remote;
    const struct object_grid *grid;
    const char *name;
};

static bool append_name(const char *name)
{
    const size_t length = name ? strnlen(name, NAME_BYTES_MOST) : 0;
    if (table.name_is_left && !append(OBJECT_LETTERS, &(const uint64_t){0}, 1))
        return false;
    table.name_is_left = length > 0;
    for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
        uint64_t letters = 0;
        memcpy(&letters, name + at,
               length - at < sizeof letters ? length - at : sizeof letters);
        if (!append(OBJECT_LETTERS, &letters, 1))
            return false;
    }
    return true;
}

static uint32_t add_locked(enum object_kind kind, const struct object_group *group,
                           const struct object_facts *facts)
{
    const struct object_group *remote = facts->remote;
    const uint64_t own = hash_of(group), other = remote ? hash_of(remote) : 0;
    /* Both sides of an intercommunicator must come to the same. */
    const uint64_t both = remote ? index_hash_number(own + other, own ^ other) : own;
    struct members *members = find_members(table.groups, &table.group_count, both);
    const int64_t first = describe(group, own), second = remote ? describe(remote, other) : -1;
    if (!members || table.next >= table.most || first < 0 || (remote && second < 0))
        return OBJECT_UNKNOWN;
    const uint32_t number = table.next;
    const uint64_t before = members->objects[kind]++;
    if (!append_grid(facts->grid) || !append_name(facts->name))
        return OBJECT_UNKNOWN;
    const bool written =
        kind == OBJECT_KIND_COMM
            ? append(OBJECT_COMM,
                     (uint64_t[]){number, (uint64_t)first, (uint64_t)(second + 1), before}, 4)
            : append(kind == OBJECT_KIND_FILE ? OBJECT_FILE : OBJECT_WINDOW,
                     (uint64_t[]){number, (uint64_t)first, before}, 3);
    if (!written)
        return OBJECT_UNKNOWN;
    table.name_is_left = false;
    table.next++;
    return number;
}

static void fill(struct slot *slot, uint64_t key, uint32_t number)
{
    __atomic_store_n(&slot->number, OBJECT_UNKNOWN, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->number, number, __ATOMIC_RELEASE);
}

static uint32_t enter(struct slot *slot, uint64_t key, uint32_t number)
{
    if (slot->key == 0 && table.slot_count == SLOTS / 2)
        return OBJECT_UNKNOWN;
    table.slot_count += slot->key == 0;
    fill(slot, key, number);
    return number;
}

/*
 * Empties SLOT.  Those behind it that would not be found beyond an empty one move up, each in
 * both places meanwhile.  Who misses one without the lock finds it with the lock.
 */
static void empty(const struct slot *slot)
{
    uint32_t hole = (uint32_t)(slot - table.slots);
    for (uint32_t i = (hole + 1) % SLOTS; table.slots[i].key != 0; i = (i + 1) % SLOTS) {
        const struct slot *next = &table.slots[i];
        const uint32_t home = (uint32_t)(next->key % SLOTS);
        if ((i - home) % SLOTS < (i - hole) % SLOTS)
            continue;
        fill(&table.slots[hole], next->key, next->number);
        hole = i;
    }
    fill(&table.slots[hole], 0, OBJECT_UNKNOWN);
    table.slot_count--;
}

static uint32_t add(enum object_kind kind, uint64_t handle, const struct object_group *group,
                    const struct object_facts *facts)
{
    const uint64_t key = key_of(kind, handle);
    if (!lock_table())
        return OBJECT_UNKNOWN;
    struct slot *slot = slot_of(key);
    uint32_t number = slot && slot->key == key ? slot->number : OBJECT_UNKNOWN;
    if (slot && number == OBJECT_UNKNOWN) {
        number = add_locked(kind, group, facts);
        number = number == OBJECT_UNKNOWN ? number : enter(slot, key, number);
    }
    pthread_mutex_unlock(&table.lock);
    return number;
}

uint32_t objects_add(enum object_kind kind, uint64_t handle, const struct object_group *group,
                     const struct object_group *remote, const struct object_grid *grid)
{
    return add(kind, handle, group, &(struct object_facts){remote, grid, NULL});
}

uint32_t objects_add_file(uint64_t handle, const struct object_group *group, const char *name)
{
    return add(OBJECT_KIND_FILE, handle, group, &(struct object_facts){NULL, NULL, name});
}

void objects_add_sources(uint32_t number, const struct object_group *sources)
{
    if (!lock_table())
        return;
    const int64_t set = describe(sources, hash_of(sources));
    if (set >= 0)
        append(OBJECT_SOURCES, (uint64_t[]){number, (uint64_t)set}, 2);
    pthread_mutex_unlock(&table.lock);
}

void objects_note(enum object_kind kind, uint64_t handle, uint32_t number)
{
    const uint64_t key = key_of(kind, handle);
    if (!lock_table())
        return;
    struct slot *slot = slot_of(key);
    if (slot)
        enter(slot, key, number);
    pthread_mutex_unlock(&table.lock);
}

uint32_t objects_forget(enum object_kind kind, uint64_t handle)
{
    const uint64_t key = key_of(kind, handle);
    if (!lock_table())
        return OBJECT_UNKNOWN;
    struct slot *slot = slot_of(key);
    const uint32_t number = slot && slot->key == key ? slot->number : OBJECT_UNKNOWN;
    if (number != OBJECT_UNKNOWN)
        empty(slot);
    pthread_mutex_unlock(&table.lock);
    return number;
}

uint64_t objects_take_requests_async(uint64_t count)
{
    return __atomic_fetch_add(&table.requests, count, __ATOMIC_RELAXED) + 1;
}
