/*
 * A map from iterations to clusters that a process saved as it was in memory (doc/parts.md,
 * "Map") is read as the process would read it itself, whatever is in it; and no bytes in its
 * place do more than be refused, or become iterations of which the cluster is not known.
 */
#include "compress/itermap.h"
#include "compress/plain_memory.h"
#include "file/decode_map.h"
#include "tap.h"
#include "tests/unit/compress/random_iterations.h"

#include <stdlib.h>
#include <string.h>

enum { CLUSTERS = 3000, NOW_MOST = 80, PLENTY = 1 << 24 };

/* A map that grows, and what is in it. */
static struct {
    struct account account;
    struct itermap *map;
    uint32_t count; /* clusters now */
    uint32_t owner[NOW_MOST], label[NOW_MOST];
    uint32_t owners; /* that there ever were */
} grown;

static void start(size_t bound)
{
    memset(&grown, 0, sizeof grown);
    grown.account = (struct account){.source = plain_memory()};
    grown.map = itermap_create(&grown.account, bound);
    NEED(grown.map);
}

static void stop(void)
{
    itermap_destroy(grown.map);
}

static void add_cluster(void)
{
    const uint32_t n = grown.count++;
    grown.owner[n] = grown.owners++;
    grown.label[n] = itermap_label(grown.map, grown.owner[n]);
}

/* Merges cluster B into A. */
static void merge(uint32_t a, uint32_t b)
{
    grown.label[a] = itermap_merge(grown.map, grown.label[a], grown.label[b], grown.owner[a]);
    grown.count--;
    grown.owner[b] = grown.owner[grown.count];
    grown.label[b] = grown.label[grown.count];
}

static void append(uint32_t n, uint64_t count)
{
    itermap_append_many(grown.map, grown.label[n % grown.count], count);
}

/* What a process saves. */
static uint64_t name_itself(const void *context, uint32_t owner)
{
    (void)context;
    return owner == ITERMAP_NONE       ? 0
           : owner == ITERMAP_UNMAPPED ? CLUSTERS + UINT64_C(1)
                                       : owner + UINT64_C(1);
}

static struct encoder save(void)
{
    const struct itermap_names names = {name_itself, NULL};
    struct encoder out = {0};
    itermap_save(grown.map, &names, &out);
    return out;
}

/* A reader of what was saved. */
struct reading {
    struct summary summary;
    struct cluster clusters[CLUSTERS];
    struct series series;
    struct error error;
    uint64_t runs_left;
    size_t read; /* bytes */
};

/* Reads SIZE bytes, with room for ITERATIONS in each cluster; false if they are refused. */
static bool read_saved(struct reading *reading, const void *bytes, size_t size,
                       uint64_t iterations, uint64_t runs)
{
    memset(reading, 0, sizeof *reading);
    for (size_t i = 0; i < CLUSTERS; i++)
        reading->clusters[i].size = iterations;
    reading->series.clusters = reading->clusters;
    reading->series.cluster_count = CLUSTERS;
    reading->summary.path = "the test";
    reading->runs_left = runs;
    struct reader reader = {.in = {bytes, size, 0, false},
                            .summary = &reading->summary,
                            .section = "LOCATION",
                            .version = 4,
                            .runs_left = &reading->runs_left,
                            .error = &reading->error};
    decode_saved_map(&reader, &reading->series);
    reading->read = reader.in.at;
    return reader_is_good(&reader);
}

static void forget(struct reading *reading)
{
    memory_pool_free(&reading->summary.pool);
}

/* Whether what was read is what the map itself says. */
static bool is_same(const struct series *series)
{
    struct itermap_cursor cursor;
    struct itermap_run run;
    size_t i = 0;
    uint64_t lost = 0;
    itermap_start(grown.map, &cursor, 0);
    for (; itermap_next(&cursor, &run); i++) {
        const struct run *read = &series->runs[i];
        const bool known = run.owner < ITERMAP_UNMAPPED;
        if (i == series->run_count || read->first != run.first || read->length != run.length ||
            read->unmapped != (run.owner == ITERMAP_UNMAPPED) ||
            read->cluster != (known ? run.owner : SUMMARY_NONE))
            return false;
        lost += run.owner == ITERMAP_NONE ? run.length : 0;
    }
    return i == series->run_count && series->iterations == itermap_iterations(grown.map) &&
           series->unmapped == itermap_unmapped(grown.map) && series->lost == lost;
}

static struct reading reading;

static bool comes_back(size_t *bytes)
{
    struct encoder out = save();
    const bool good =
        read_saved(&reading, out.bytes, out.size, itermap_iterations(grown.map), PLENTY) &&
        reading.read == out.size && is_same(&reading.series);
    if (reading.error.text[0])
        printf("# %s\n", reading.error.text);
    *bytes = out.size;
    forget(&reading);
    encoder_free(&out);
    return good;
}

static void check(const char *what)
{
    size_t bytes;
    OK(comes_back(&bytes), "%s", what);
}

static void few_things_come_back(void)
{
    start(0);
    check("an empty map");
    add_cluster();
    add_cluster();
    append(0, 1);
    check("one iteration, which still waits");
    append(0, 1000000);
    check("a long run that waits");
    append(1, 5);
    check("exceptions after it");
    append(0, 60);
    itermap_append_many(grown.map, ITERMAP_LABEL_NONE, 7);
    check("iterations without a profile");
    itermap_append_many(grown.map, ITERMAP_LABEL_UNMAPPED, 7);
    check("and some that are not known");
    merge(0, 1);
    check("clusters that became one");
    stop();
}

/* A pattern of PERIOD with an exception now and then, so that pages have it AGAIN. */
static void patterns_come_back(uint32_t period)
{
    bool good = true;
    size_t bytes = 0;
    start(0);
    for (uint32_t i = 0; i < period; i++)
        add_cluster();
    for (uint32_t i = 0; i < 6000; i++)
        append(i % 997 == 996 ? i + 1 : i % period, 1);
    for (uint32_t i = 0; good && i < 2 * period; i += 7) {
        append(i % period, 1);
        good = comes_back(&bytes);
    }
    OK(good, "a pattern of %u, wherever it stands, in %zu bytes", period, bytes);
    while (good && grown.count > 1) {
        merge(0, grown.count - 1);
        good = comes_back(&bytes);
    }
    OK(good, "while its clusters become one");
    stop();
}

/* The next iterations of a random history, which has stretches of every kind. */
static void grow(uint64_t *state)
{
    const uint64_t kind = random_next(state) % 8, random = random_next(state);
    const uint32_t any = (uint32_t)(random_next(state) % grown.count);
    const uint32_t count = 1 + (uint32_t)(random % 900), period = 1 + (uint32_t)(random % 60);
    for (uint32_t i = 0; i < count; i++) {
        if (kind < 3)
            append((uint32_t)random_next(state) % grown.count, 1);
        else if (kind < 6)
            append(random_next(state) % 150 ? i % period : any, 1);
        else if (kind == 6)
            append(any, 1 + random % 50);
        else if (random % 5 == 0)
            itermap_append(grown.map, ITERMAP_LABEL_NONE);
    }
}

static void random_maps_come_back(size_t bound, unsigned merges)
{
    bool good = true;
    uint64_t unmapped = 0;
    for (uint64_t seed = 1; good && seed <= 3; seed++) {
        uint64_t state = seed;
        size_t bytes;
        start(bound);
        for (unsigned i = 0; good && i < 150; i++) {
            while (grown.count < 2 ||
                   (grown.count < NOW_MOST && grown.owners < CLUSTERS && i % 3 == 0))
                add_cluster();
            for (unsigned k = 0; k < merges && grown.count > 2; k++)
                merge((uint32_t)(random_next(&state) % (grown.count - 1)), grown.count - 1);
            grow(&state);
            good = i % 5 || comes_back(&bytes);
        }
        unmapped += itermap_unmapped(grown.map);
        stop();
    }
    OK(good, "random maps of %zu bytes at most, %u mergers now and then", bound, merges);
    OK((unmapped > 0) == (bound > 0), "which is enough or not");
}

/* Whether runs follow each other without gaps, and counts agree with them. */
static bool is_sound(const struct series *series)
{
    uint64_t at = 0, lost = 0, unmapped = 0;
    for (size_t i = 0; i < series->run_count; i++) {
        const struct run *run = &series->runs[i];
        if (run->first != at || run->length == 0 ||
            (run->cluster != SUMMARY_NONE && run->cluster >= CLUSTERS))
            return false;
        at += run->length;
        unmapped += run->unmapped ? run->length : 0;
        lost += !run->unmapped && run->cluster == SUMMARY_NONE ? run->length : 0;
    }
    return series->iterations == at && series->lost == lost && series->unmapped == unmapped &&
           at <= SUMMARY_MAX_ITERATIONS;
}

/* A map that has everything, and is small. */
static struct encoder save_example(void)
{
    uint64_t state = 5;
    start(0);
    for (int i = 0; i < 6; i++)
        add_cluster();
    for (int i = 0; i < 700; i++)
        append((uint32_t)random_next(&state), 1);
    for (uint32_t i = 0; i < 400; i++)
        append(i == 300 ? 5 : i % 3, 1);
    itermap_append_many(grown.map, ITERMAP_LABEL_NONE, 600);
    append(4, 20);
    struct encoder out = save();
    stop();
    return out;
}

static void damage_is_survived(void)
{
    struct encoder out = save_example();
    unsigned char *bytes = malloc(out.size);
    size_t whole = 0, unsound = 0, accepted = 0;
    uint64_t state = 1;
    NEED(bytes);
    for (size_t size = 0; size < out.size; size++) {
        memcpy(bytes, out.bytes, size);
        /* Where bytes end, so does the memory: valgrind and sanitizers would tell. */
        unsigned char *end = malloc(size ? size : 1);
        NEED(end);
        memcpy(end, bytes, size);
        whole += read_saved(&reading, end, size, PLENTY, PLENTY);
        forget(&reading);
        free(end);
    }
    EQ_INT(whole, 0, "none of the %zu beginnings is taken for a map", out.size);
    for (size_t i = 0; i < 20000; i += 1 + 10 * (tap_stride() > 1)) {
        memcpy(bytes, out.bytes, out.size);
        for (uint64_t changes = 1 + random_next(&state) % 3; changes > 0; changes--)
            bytes[random_next(&state) % (i % 2 ? 40 : out.size)] =
                (unsigned char)random_next(&state);
        const bool good = read_saved(&reading, bytes, out.size, PLENTY, 100000);
        accepted += good;
        unsound += good && !is_sound(&reading.series);
        forget(&reading);
    }
    OK(accepted > 0, "%zu times changed bytes are a map", accepted);
    EQ_INT(unsound, 0, "and what is read is sound");
    free(bytes);
    encoder_free(&out);
}

static void little_cannot_ask_for_much(void)
{
    struct encoder out = {0};
    const uint64_t all = SUMMARY_MAX_ITERATIONS;
    encode_varint(&out, all);
    encode_varint(&out, 2);
    encode_varint(&out, 1);
    encode_varint(&out, 2);
    encode_varint(&out, all << 2 | 2);
    encode_varint(&out, 2);
    encode_bytes(&out, "\0\0\1\0", 4);
    encode_varint(&out, 0);
    OK(read_saved(&reading, out.bytes, out.size, all, 1000), "2^32 iterations in %zu bytes",
       out.size);
    EQ_INT(reading.series.run_count, 1001, "have as many runs as are allowed");
    EQ_INT(reading.series.unmapped, all - 1000, "all others are unmapped");
    EQ_INT(reading.runs_left, 0, "none is left");
    forget(&reading);
    OK(!read_saved(&reading, out.bytes, out.size, 500, PLENTY), "clusters are not so large");
    forget(&reading);
    out.bytes[0]++;
    OK(!read_saved(&reading, out.bytes, out.size, all, 1000), "%s", reading.error.text);
    forget(&reading);
    encoder_free(&out);
}

int main(void)
{
    few_things_come_back();
    patterns_come_back(1);
    patterns_come_back(3);
    patterns_come_back(70);
    random_maps_come_back(0, 0);
    random_maps_come_back(0, 3);
    random_maps_come_back(0, 40);
    random_maps_come_back(20000, 3);
    damage_is_survived();
    little_cannot_ask_for_much();
    return tap_done();
}
