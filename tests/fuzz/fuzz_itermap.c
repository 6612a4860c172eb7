/*
 * Fuzz target: a map from iterations to clusters, with any bound and memory that fails in any
 * way, against an array that has an entry for every iteration.
 *
 * The input is a header of three bytes (bound, in which way memory fails, and when), then
 * operations; see the table below.
 */
#include "compress/itermap.h"

#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "tests/unit/compress/counting_memory.h"

enum { MOST_ITERATIONS = 8000, MOST_CLUSTERS = 200, MOST_BYTES = 1 << 20 };

/* What an entry of the array is, if not the number of a cluster. */
enum { NO_CLUSTER = -1, UNMAPPED = -2, NOT_SURE = -3 /* no cluster, or unmapped */ };

struct cluster {
    uint32_t label;
    int merged_into; /* another cluster, or itself */
};

struct session {
    const uint8_t *data;
    size_t size;
    struct counting_memory memory;
    struct account account;
    struct itermap *map;
    struct cluster clusters[MOST_CLUSTERS];
    int cluster_count;
    int entries[MOST_ITERATIONS];
    int entry_count;
};

static uint8_t take(struct session *s)
{
    if (s->size == 0)
        return 0;
    s->size--;
    return *s->data++;
}

static void fail(const char *what, int iteration)
{
    fprintf(stderr, "fuzz_itermap: iteration %d: %s\n", iteration, what);
    abort();
}

static int root_of(const struct session *s, int cluster)
{
    while (s->clusters[cluster].merged_into != cluster)
        cluster = s->clusters[cluster].merged_into;
    return cluster;
}

/* A cluster that is still there; -1 if there is none. */
static int any_cluster(struct session *s)
{
    return s->cluster_count ? root_of(s, take(s) % s->cluster_count) : NO_CLUSTER;
}

/* The owner number of a cluster is its own number. */
static void append(struct session *s, int cluster)
{
    if (s->entry_count == MOST_ITERATIONS)
        return;
    uint32_t label = ITERMAP_LABEL_NONE;
    if (cluster != NO_CLUSTER) {
        struct cluster *c = &s->clusters[cluster];
        if (c->label == ITERMAP_LABEL_UNMAPPED)
            c->label = itermap_label(s->map, (uint32_t)cluster);
        label = c->label;
    }
    bool mapped = itermap_append(s->map, label);
    s->entries[s->entry_count++] = mapped ? cluster : UNMAPPED;
}

static void add_cluster(struct session *s)
{
    if (s->cluster_count == MOST_CLUSTERS)
        return;
    int cluster = s->cluster_count++;
    s->clusters[cluster] = (struct cluster){ITERMAP_LABEL_UNMAPPED, cluster};
    append(s, cluster);
}

static void append_run(struct session *s)
{
    int cluster = any_cluster(s);
    for (int left = 1 + take(s); left > 0; left--)
        append(s, cluster);
}

/* Up to eight clusters in turn, with an exception now and then. */
static void append_period(struct session *s)
{
    int period[8], length = 1 + take(s) % 8;
    for (int i = 0; i < length; i++)
        period[i] = any_cluster(s);
    int count = 4 * take(s), exception = 1 + take(s);
    for (int i = 0; i < count; i++)
        append(s, i % exception == exception - 1 ? NO_CLUSTER : period[i % length]);
}

static void append_irregular(struct session *s)
{
    uint32_t state = 1 + take(s);
    for (int left = 4 * take(s); left > 0 && s->cluster_count; left--) {
        state = state * 1664525 + 1013904223;
        append(s, root_of(s, (int)((state >> 16) % (uint32_t)s->cluster_count)));
    }
}

static void skip(struct session *s)
{
    int count = take(s);
    if (s->entry_count + count > MOST_ITERATIONS)
        return;
    bool mapped = itermap_append_many(s->map, ITERMAP_LABEL_NONE, (uint64_t)count);
    while (count-- > 0)
        s->entries[s->entry_count++] = mapped ? NO_CLUSTER : NOT_SURE;
}

static void merge(struct session *s)
{
    int a = any_cluster(s), b = any_cluster(s);
    if (a == b)
        return;
    int owner = a < b ? a : b, other = a < b ? b : a;
    s->clusters[other].merged_into = owner;
    s->clusters[owner].label = itermap_merge(s->map, s->clusters[owner].label,
                                             s->clusters[other].label, (uint32_t)owner);
}

static bool right(const struct session *s, int iteration, uint32_t owner)
{
    int entry = s->entries[iteration];
    switch (entry) {
    case NO_CLUSTER:
        return owner == ITERMAP_NONE;
    case UNMAPPED:
        return owner == ITERMAP_UNMAPPED;
    case NOT_SURE:
        return owner == ITERMAP_NONE || owner == ITERMAP_UNMAPPED;
    default:
        return owner == (uint32_t)root_of(s, entry);
    }
}

static void check(struct session *s)
{
    struct itermap_cursor cursor;
    struct itermap_run run;
    int at = 0;
    uint64_t unmapped = 0;
    itermap_start(s->map, &cursor, 0);
    while (itermap_next(&cursor, &run)) {
        if (run.first != (uint64_t)at || run.length > (uint64_t)(s->entry_count - at))
            fail("a run is elsewhere", at);
        unmapped += run.owner == ITERMAP_UNMAPPED ? run.length : 0;
        for (uint64_t i = 0; i < run.length; i++, at++)
            if (!right(s, at, run.owner))
                fail("has another owner", at);
    }
    if (at != s->entry_count || itermap_iterations(s->map) != (uint64_t)at)
        fail("runs end there", at);
    if (itermap_unmapped(s->map) != unmapped)
        fail("unmapped ones are counted wrong", at);
    for (int i = take(s); i < s->entry_count; i += 97)
        if (!right(s, i, itermap_owner(s->map, (uint64_t)i)))
            fail("is looked up wrong", i);
    if (s->account.held != s->memory.held)
        fail("memory is counted wrong", at);
}

static void (*const operations[])(struct session *) = {
    add_cluster, append_run, append_period, append_irregular, skip, merge, merge, check};

/* Whether there is a map at all; *BOUND is what it may take. */
static bool start(struct session *s, size_t *bound)
{
    uint8_t size = take(s), way = take(s), when = take(s);
    *bound = size < 128 ? 0 : (size_t)(size - 127) * 128;
    s->memory = (struct counting_memory){.limit = MOST_BYTES};
    if (way % 4 == 1)
        s->memory.limit = 2048 + 256 * (size_t)when;
    if (way % 4 == 2)
        s->memory.fail_one_in = 2 + when;
    s->account = (struct account){.source = counting_source(&s->memory)};
    s->map = itermap_create(&s->account, *bound);
    return s->map != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct session s;
    size_t bound;
    s = (struct session){.data = data, .size = size};
    if (start(&s, &bound)) {
        while (s.size > 0 && s.entry_count < MOST_ITERATIONS) {
            operations[take(&s) % (sizeof operations / sizeof operations[0])](&s);
            if (bound && itermap_memory(s.map) > bound)
                fail("the map is larger than its bound", s.entry_count);
        }
        check(&s);
        itermap_destroy(s.map);
    }
    if (s.memory.held != 0 || s.memory.wrong_size)
        fail("memory is not given back", s.entry_count);
    return 0;
}
