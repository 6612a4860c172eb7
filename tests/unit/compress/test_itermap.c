/*
 * Proves that the map from iterations to clusters (itermap.h) answers what a plain array does,
 * whatever is appended and merged, within its bound and without memory; that each encoding is
 * used where it should be; and that a map is as small as promised.
 */
#include "compress/itermap.h"

#include "compress/mappage.h"
#include "compress/mapwriter.h"
#include "counting_memory.h"
#include "random_iterations.h"
#include "tap.h"

enum { MOST_CLUSTERS = 100, MOST_ITERATIONS = 70000 };

static struct counting_memory memory;
static struct account account;
static struct itermap *map;

static bool start(size_t bound)
{
    memory.held = memory.requests = memory.failures = 0;
    memory.wrong_size = false;
    account = (struct account){.source = counting_source(&memory)};
    map = itermap_create(&account, bound);
    return map != NULL;
}

/* Whether all memory came back, as it was taken. */
static bool stop(void)
{
    itermap_destroy(map);
    map = NULL;
    return memory.held == 0 && account.held == 0 && !memory.wrong_size;
}

/* The second implementation: an array of iterations, and for each cluster the one it became. */
static struct {
    uint32_t iterations;
    uint32_t cluster_of[MOST_ITERATIONS];
    uint32_t clusters; /* that there ever were; also their owner numbers */
    uint32_t became[MOST_ITERATIONS + MOST_CLUSTERS];
    uint32_t count; /* now */
    uint32_t cluster[MOST_CLUSTERS];
    uint32_t label[MOST_CLUSTERS];
    uint64_t unmapped;
} ref;

static uint32_t owner_of(uint32_t cluster)
{
    if (cluster == ITERMAP_NONE || cluster == ITERMAP_UNMAPPED)
        return cluster;
    while (ref.became[cluster] != cluster)
        cluster = ref.became[cluster] = ref.became[ref.became[cluster]];
    return cluster;
}

static uint32_t new_cluster(void)
{
    uint32_t n = ref.count++, cluster = ref.clusters++;
    ref.became[cluster] = cluster;
    ref.cluster[n] = cluster;
    ref.label[n] = itermap_label(map, cluster);
    return n;
}

static void merge(uint32_t a, uint32_t b)
{
    ref.became[ref.cluster[b]] = ref.cluster[a];
    ref.label[a] = itermap_merge(map, ref.label[a], ref.label[b], ref.cluster[a]);
    ref.count--;
    ref.cluster[b] = ref.cluster[ref.count];
    ref.label[b] = ref.label[ref.count];
}

/* COUNT iterations of a cluster, or without a profile; false if the map answers wrongly. */
static bool append(uint32_t cluster, uint32_t label, uint32_t count)
{
    uint64_t before = itermap_unmapped(map);
    bool mapped = itermap_append_many(map, label, count);
    uint64_t unmapped = itermap_unmapped(map) - before;
    for (uint32_t i = 0; i < count; i++)
        ref.cluster_of[ref.iterations++] = i + unmapped < count ? cluster : ITERMAP_UNMAPPED;
    ref.unmapped += unmapped;
    return mapped == (unmapped == 0) && unmapped <= count;
}

static bool append_to(uint32_t n, uint32_t count)
{
    if (ref.label[n] == ITERMAP_LABEL_UNMAPPED)
        ref.label[n] = itermap_label(map, ref.cluster[n]);
    return append(ref.cluster[n], ref.label[n], count);
}

static bool is_same_at(uint32_t iteration)
{
    struct itermap_cursor cursor;
    struct itermap_run run;
    uint32_t owner = owner_of(ref.cluster_of[iteration]);
    itermap_start(map, &cursor, iteration);
    return itermap_owner(map, iteration) == owner && itermap_next(&cursor, &run) &&
           run.first == iteration && run.owner == owner;
}

/* Whether map and array are the same, and runs as long as they can be. */
static bool is_same(void)
{
    struct itermap_cursor cursor;
    struct itermap_run run;
    uint32_t i = 0;
    itermap_start(map, &cursor, 0);
    while (itermap_next(&cursor, &run)) {
        if (run.first != i || run.length > ref.iterations - i)
            return false;
        if (i > 0 && owner_of(ref.cluster_of[i - 1]) == run.owner)
            return false;
        for (uint64_t k = 0; k < run.length; k++)
            if (owner_of(ref.cluster_of[i++]) != run.owner)
                return false;
    }
    return i == ref.iterations && itermap_iterations(map) == i &&
           itermap_unmapped(map) == ref.unmapped && itermap_owner(map, i) == ITERMAP_NONE &&
           memory.held == account.held && memory.held == itermap_memory(map);
}

struct history {
    const char *name;
    uint32_t iterations;
    uint32_t clusters;
    uint32_t merges; /* a new cluster, and so a merge, every so many iterations; 0: never */
    size_t bound;
    uint32_t checks; /* every so many iterations */
};

/* The next iterations: of a random cluster, or as the stretch of a thousand they are in goes.
 */
static bool next(const struct history *history, uint64_t *state)
{
    uint32_t i = ref.iterations, n = ref.count;
    uint64_t stretch = i / 1000, shape = stretch * 2654435761u >> 4;
    uint32_t period = 1 + (uint32_t)(shape % 140);
    uint32_t any = (uint32_t)(random_next(state) % n);
    switch (shape / 256 % 8) {
    case 0:
        return append_to(any, 1);
    case 1:
        return append_to(0, 1);
    case 2:
        return append_to(i % period % n, 1);
    case 3:
        return append_to(random_next(state) % 200 ? i % period % n : any, 1);
    case 4:
        return append_to(random_next(state) % 30 ? n - 1 : any, 1);
    case 5:
        return append_to(any, 1 + (uint32_t)(random_next(state) % 100));
    case 6:
        if (random_next(state) % 10 == 0 && i + 3000 < history->iterations)
            return append(ITERMAP_NONE, ITERMAP_LABEL_NONE,
                          1 + (uint32_t)(random_next(state) % 2000));
        return append_to(any, 1);
    default:
        return append_to(random_next(state) % 10 ? i / 7 % 2 % n : any, 1);
    }
}

static void change_clusters(const struct history *history, uint64_t *state)
{
    bool merges = history->merges && random_next(state) % history->merges == 0;
    if (ref.count < history->clusters && (ref.count == 0 || random_next(state) % 5 == 0)) {
        new_cluster();
    } else if (merges && ref.count > 1) {
        uint32_t a = (uint32_t)(random_next(state) % ref.count);
        uint32_t b = (uint32_t)(random_next(state) % (ref.count - 1));
        merge(a, b + (b >= a));
        new_cluster();
    }
}

/* Follows HISTORY; the iteration after which something was wrong, or 0. */
static uint32_t first_wrong(const struct history *history, uint64_t seed)
{
    uint64_t state = seed;
    uint32_t checked = 0;
    ref.iterations = ref.clusters = ref.count = 0;
    ref.unmapped = 0;
    while (ref.iterations + 200 < history->iterations) {
        change_clusters(history, &state);
        if (!next(history, &state) || !is_same_at(ref.iterations - 1) ||
            (history->bound > 0 && memory.held > history->bound))
            return ref.iterations;
        if (ref.iterations - checked < history->checks)
            continue;
        checked = ref.iterations;
        if (!is_same() || !is_same_at((uint32_t)(random_next(&state) % checked)))
            return ref.iterations;
    }
    return is_same() ? 0 : ref.iterations;
}

static const struct history histories[] = {
    {.name = "no merges", .iterations = 20000, .clusters = 64, .checks = 1500},
    {.name = "two clusters", .iterations = 20000, .clusters = 2, .merges = 50, .checks = 1500},
    {.name = "few merges", .iterations = 70000, .clusters = 64, .merges = 200, .checks = 3000},
    {.name = "some merges", .iterations = 70000, .clusters = 30, .merges = 10, .checks = 3000},
    {.name = "many merges", .iterations = 70000, .clusters = 100, .merges = 1, .checks = 3000},
    {.name = "many, in 40000 bytes",
     .iterations = 70000,
     .clusters = 100,
     .merges = 1,
     .bound = 40000,
     .checks = 3000},
    {.name = "few, in 30000 bytes",
     .iterations = 70000,
     .clusters = 20,
     .merges = 100,
     .bound = 30000,
     .checks = 3000},
    {.name = "no merges, in 8000 bytes",
     .iterations = 20000,
     .clusters = 64,
     .bound = 8000,
     .checks = 1500},
};

static void equals_an_array(const struct history *history)
{
    uint32_t wrong = 0;
    bool given_back = true;
    uint64_t unmapped = 0;
    for (uint64_t seed = 1; seed <= 3 && !wrong; seed += tap_stride()) {
        start(history->bound);
        wrong = first_wrong(history, seed);
        unmapped += ref.unmapped;
        given_back &= stop();
    }
    EQ_INT(wrong, 0, "%s: equals an array", history->name);
    OK(given_back, "%s: gives all memory back", history->name);
    OK((unmapped > 0) == (history->bound > 0), "%s: full where it has a bound", history->name);
}

/* Fails requests FROM to TO; false if anything is wrong.  *REACHED tells whether there were
 * that many requests. */
static bool survives(const struct history *history, uint64_t from, uint64_t to, bool *reached)
{
    bool good = true;
    memory.fail_from = from;
    memory.fail_to = to;
    if (start(history->bound))
        good = first_wrong(history, 9) == 0;
    *reached = memory.failures > 0;
    good = stop() && good;
    memory.fail_from = memory.fail_to = 0;
    return good;
}

static void survives_every_failure(void)
{
    static const struct history history = {
        .name = "", .iterations = 25000, .clusters = 64, .merges = 5, .checks = 5000};
    uint64_t n, wrong[2] = {0, 0};
    bool reached = true;
    for (n = 1; reached; n++) {
        if (!survives(&history, n, n, &reached) && !wrong[0])
            wrong[0] = n;
        if (!survives(&history, n, UINT64_MAX, &reached) && !wrong[1])
            wrong[1] = n;
    }
    OK(n > 10, "memory is asked for %d times", (int)n - 2);
    EQ_INT(wrong[0], 0, "each of them may fail");
    EQ_INT(wrong[1], 0, "each may be the last that succeeds");
}

static void packed_at_every_width(void)
{
    static uint16_t places[4000];
    _Alignas(struct page) static char memory_of_page[PAGE_MOST];
    struct page *page = (struct page *)memory_of_page;
    struct page_reader reader;
    uint64_t state = 1;
    uint32_t wrong = 0;
    for (unsigned width = 0; width <= 11; width++) {
        uint32_t labels = width < 10 ? 1u << width : 900, count = 0;
        page_start(page, PAGE_MOST);
        page->labels = labels;
        for (uint32_t place = 0; place < labels; place++)
            *page_label(page, place) = place + 5;
        while (count < 4000 && packed_bytes(count + 1, width) <= page_room(page))
            places[count++] = (uint16_t)(random_next(&state) % labels);
        page_add_packed(page, places, count, width);
        reader_start(&reader, page);
        for (uint32_t i = 0; i < count; i++, reader_skip(&reader, 1))
            wrong += !reader_more(&reader) || reader_label(&reader) != places[i] + 5u;
        wrong += reader_more(&reader) || page->iterations != count;
    }
    EQ_INT(wrong, 0, "packed places are read as written, up to the end of a page");
}

static void full_pages_stay_as_they_are(void)
{
    _Alignas(struct page) static char memory_of_page[PAGE_LEAST];
    struct page *page = (struct page *)memory_of_page, before;
    struct page_reader reader;
    const uint16_t places[2] = {0, 1};
    page_start(page, PAGE_LEAST);
    page_add_pattern(page, places, 2, 5);
    OK(page_add_again(page, 1000) && page->last == 0, "a pattern that goes on gets longer");
    while (page_room(page) >= sizeof(uint32_t))
        *page_label(page, page->labels++) = 9;
    while (page_room(page) > 0)
        page->used++; /* as if there were more */
    before = *page;
    OK(!page_add_again(page, 1000000) && !page_add_run(page, 0, 1) &&
           !page_add_packed(page, places, 1, 1) && !page_add_pattern(page, places, 2, 1),
       "a full page takes nothing");
    OK(memcmp(&before, page, sizeof(before)) == 0, "and stays as it was");
    reader_start(&reader, page);
    OK(reader_more(&reader) && reader.left == 1005, "what it holds is still there");
}

/* What a sequence of clusters becomes. */
struct sequence {
    const char *name;
    uint32_t (*cluster)(uint32_t iteration);
    uint32_t most_segments[4]; /* by kind, and 0: none at all */
    uint32_t most_bytes;       /* of segments */
};

static uint32_t constant(uint32_t i)
{
    (void)i;
    return 3;
}

static uint32_t alternating(uint32_t i)
{
    return i % 2;
}

static uint32_t every_20th(uint32_t i)
{
    return i % 20 * 7 % 20;
}

static uint32_t every_128th(uint32_t i)
{
    return i % 128 % 60;
}

static uint32_t exceptions(uint32_t i)
{
    return i % 997 == 500 ? 60 : i % 20;
}

/* As long as the first block is looked at, another period than later. */
static uint32_t settling(uint32_t i)
{
    return i < 700 ? i % 101 == 0 : 0;
}

static uint32_t stretches(uint32_t i)
{
    return i / 15 * 7 % 64;
}

static uint32_t late_period(uint32_t i)
{
    return i < 5000 ? i / 15 * 7 % 64 : i % 5;
}

static uint32_t any(uint32_t i)
{
    uint64_t state = i;
    return (uint32_t)(random_next(&state) % 64);
}

static uint32_t any_of_two(uint32_t i)
{
    return any(i) % 2;
}

enum { SEQUENCE = 30000, SOME = 1000000 };

/* Kinds: run, packed, pattern, again. */
static const struct sequence sequences[] = {
    {"constant", constant, {0, 0, 1, 0}, 10},
    {"alternating", alternating, {0, 0, 1, 0}, 12},
    {"period 20", every_20th, {0, 0, 1, 0}, 50},
    {"period 128", every_128th, {0, 0, 1, 0}, 270},
    {"period 20 with exceptions", exceptions, {SOME, 1, 1, 30}, 520},
    {"a period that ends", settling, {SOME, 0, 2, SOME}, 300},
    {"runs of 15", stretches, {SOME, 0, 0, 0}, SEQUENCE / 15 * 3},
    {"runs, then a period", late_period, {SOME, 0, 1, 0}, 1200},
    {"64 clusters", any, {0, SOME, 0, 0}, SEQUENCE * 6 / 8 + 400},
    {"2 clusters", any_of_two, {0, SOME, 0, 0}, SEQUENCE / 8 + 300},
};

static struct page *pages[100];
static uint32_t page_count;

static struct page *take_page(void *context, uint32_t bytes)
{
    (void)context;
    (void)bytes;
    struct page *page = malloc(PAGE_MOST);
    page_start(page, PAGE_MOST);
    return pages[page_count++] = page;
}

static void read_pages(const struct sequence *sequence, const uint32_t *labels,
                       uint32_t segments[4], uint32_t *wrong)
{
    struct page_reader reader;
    uint32_t i = 0;
    for (uint32_t p = 0; p < page_count; p++) {
        reader_start(&reader, pages[p]);
        while (reader_more(&reader)) {
            segments[reader.kind]++;
            for (; reader.left > 0; reader_skip(&reader, 1))
                *wrong += reader_label(&reader) != labels[sequence->cluster(i++)];
        }
    }
    *wrong += i != SEQUENCE;
}

/* Writes a sequence and looks at the pages. */
static void is_encoded_as_expected(const struct sequence *sequence)
{
    static struct map_writer writer;
    struct map_memory source = {.account = &account, .bound = SIZE_MAX};
    struct labels labels = {.memory = &source};
    uint32_t label[64], segments[4] = {0}, wrong = 0, bytes = 0;
    account = (struct account){.source = counting_source(&memory)};
    NEED(labels_start(&labels));
    for (uint32_t n = 0; n < 64; n++)
        label[n] = labels_add(&labels, n);
    writer.labels = &labels;
    writer.source.next = take_page;
    writer_start(&writer, NULL);
    for (uint32_t i = 0; i < SEQUENCE; i++)
        wrong += !writer_add(&writer, label[sequence->cluster(i)]);
    wrong += !writer_finish(&writer);
    read_pages(sequence, label, segments, &wrong);
    EQ_INT(wrong, 0, "%s: read as written", sequence->name);
    for (unsigned kind = 0; kind < 4; kind++)
        OK(segments[kind] <= sequence->most_segments[kind] &&
               (segments[kind] > 0) == (sequence->most_segments[kind] > 0),
           "%s: %u segments of kind %u", sequence->name, segments[kind], kind);
    while (page_count > 0) {
        bytes += pages[--page_count]->used;
        free(pages[page_count]);
    }
    OK(bytes <= sequence->most_bytes, "%s: %u bytes", sequence->name, bytes);
    labels_clear(&labels);
}

static uint32_t label_of[64];

static void start_with_labels(size_t bound)
{
    start(bound);
    for (uint32_t n = 0; n < 64; n++)
        label_of[n] = itermap_label(map, n);
}

/* What a map takes before anything is in it. */
static size_t empty_bytes(void)
{
    start_with_labels(0);
    size_t bytes = itermap_memory(map);
    stop();
    return bytes;
}

/* Bytes of a map of ITERATIONS of a sequence, above those of an empty one. */
static size_t bytes_of(uint32_t (*cluster)(uint32_t iteration), uint32_t iterations)
{
    size_t empty = empty_bytes(), bytes;
    start_with_labels(0);
    for (uint32_t i = 0; i < iterations; i++)
        itermap_append(map, label_of[cluster(i)]);
    bytes = itermap_memory(map) - empty;
    stop();
    return bytes;
}

static void is_small(void)
{
    OK(empty_bytes() < 5500, "an empty map takes %zu bytes", empty_bytes());
    EQ_INT(bytes_of(constant, 1000000), 0, "10^6 iterations of one cluster: no page");
    EQ_INT(bytes_of(every_20th, 1000000), 0, "10^6 iterations of period 20: no page");
    OK(bytes_of(exceptions, 1000000) < 8500, "1000 exceptions: few bytes each");
    OK(bytes_of(any, 1000000) < 825000, "random, 64 clusters: less than 6.6 bits an iteration");
}

static void skips_any_number(void)
{
    struct itermap_cursor cursor;
    struct itermap_run run;
    uint64_t many = UINT64_C(1) << 40;
    start_with_labels(0);
    for (uint32_t i = 0; i < 1000; i++)
        itermap_append(map, label_of[i % 101 % 3]);
    itermap_append_many(map, ITERMAP_LABEL_NONE, many);
    itermap_append(map, label_of[5]);
    itermap_append_many(map, label_of[4], many);
    OK(itermap_iterations(map) == 2 * many + 1001, "2^40 iterations are appended at once");
    EQ_INT(itermap_owner(map, 999 + many), ITERMAP_NONE, "they have no profile");
    EQ_INT(itermap_owner(map, 1000 + many), 5, "the one after them has");
    EQ_INT(itermap_owner(map, 2 * many), 4, "any number of one cluster, too");
    itermap_start(map, &cursor, 1500);
    OK(itermap_next(&cursor, &run) && run.length == many - 500, "a run begins anywhere");
    stop();
}

static void patterns_survive_merges(void)
{
    size_t bytes;
    start_with_labels(0);
    for (uint32_t i = 0; i < 1000; i++)
        itermap_append(map, label_of[i % 4]);
    bytes = itermap_memory(map);
    for (uint32_t n = 4; n < 64; n++) {
        label_of[n % 4] = itermap_merge(map, label_of[n], label_of[n % 4], n % 4);
        for (uint32_t i = 0; i < 1000; i++)
            itermap_append(map, label_of[i % 4]);
    }
    EQ_INT(itermap_memory(map), bytes, "a pattern goes on while its clusters merge");
    EQ_INT(itermap_owner(map, 50001), 1, "and is read by their new names");
    stop();
}

/* Random iterations that take two bits each, which all become one cluster while there are new
 * ones all the time. */
static void labels_are_few_in_a_large_map(void)
{
    uint32_t newest;
    size_t before, most = 0;
    start_with_labels(0);
    for (uint32_t i = 0; i < 3200000; i += tap_stride())
        itermap_append(map, label_of[any(i) % 4]);
    before = itermap_memory(map);
    for (uint32_t n = 1; n < 4; n++)
        label_of[0] = itermap_merge(map, label_of[0], label_of[n], 0);
    for (uint32_t i = 0; i < 30000; i++) {
        newest = itermap_label(map, 1);
        itermap_append(map, newest);
        label_of[0] = itermap_merge(map, label_of[0], newest, 0);
        if (itermap_memory(map) > most)
            most = itermap_memory(map);
    }
    OK(most < before + 80000, "30000 new clusters after 3200000 iterations: %zu bytes more",
       most - before);
    stop();
}

/* Iterations of which each is a new cluster; two neighbours become one. */
static size_t most_bytes_in_drift(uint32_t iterations)
{
    uint64_t state = 3;
    size_t most = 0;
    start_with_labels(0);
    for (uint32_t i = 0; i < iterations; i++) {
        uint32_t at = (uint32_t)(random_next(&state) % 63);
        label_of[at] = itermap_merge(map, label_of[at], label_of[at + 1], at);
        memmove(&label_of[at + 1], &label_of[at + 2], (62 - at) * sizeof(*label_of));
        itermap_append(map, label_of[63] = itermap_label(map, 63));
        if (itermap_memory(map) > most)
            most = itermap_memory(map);
    }
    stop();
    return most;
}

static void labels_are_used_anew(void)
{
    size_t few = most_bytes_in_drift(20000), many = most_bytes_in_drift(500000);
    OK(many < 65536, "500000 clusters that drift: %zu bytes at most", many);
    OK(many < few * 3 / 2, "about as many as 20000, %zu", few);
}

static void goes_on_where_merging_makes_room(void)
{
    uint32_t i = 0;
    start_with_labels(30000);
    itermap_append_many(map, ITERMAP_LABEL_NONE, 7);
    while (itermap_append(map, label_of[any(i)]))
        i++;
    OK(i > 10000, "a map of 30000 bytes has %u random iterations", i);
    EQ_INT(itermap_owner(map, i + 6), any(i - 1), "the last of them is there");
    EQ_INT(itermap_owner(map, i + 7), ITERMAP_UNMAPPED, "the one after it is unmapped");
    EQ_INT(itermap_owner(map, 6), ITERMAP_NONE, "what has no profile is told apart");
    for (uint32_t k = 0; k < 5000; k++)
        itermap_append(map, label_of[0]);
    EQ_INT(itermap_unmapped(map), 5001, "a full map stays full");
    for (uint32_t n = 1; n < 64; n++)
        label_of[0] = itermap_merge(map, label_of[0], label_of[n], 77);
    for (uint32_t k = 0; k < 5000; k++)
        itermap_append(map, label_of[0]);
    OK(itermap_append(map, label_of[0]), "but when clusters merge, there is room again");
    EQ_INT(itermap_owner(map, itermap_iterations(map) - 1), 77, "and the map goes on");
    EQ_INT(itermap_owner(map, i + 8), ITERMAP_UNMAPPED, "behind those that are unmapped");
    OK(stop(), "all memory comes back");
}

static void clusters_without_label_are_unmapped(void)
{
    uint32_t label;
    start(0);
    label = itermap_label(map, 8);
    OK(!itermap_append(map, ITERMAP_LABEL_UNMAPPED), "a cluster may have no label");
    EQ_INT(itermap_owner(map, 0), ITERMAP_UNMAPPED, "its iteration is unmapped");
    EQ_INT(itermap_merge(map, ITERMAP_LABEL_UNMAPPED, ITERMAP_LABEL_UNMAPPED, 3),
           ITERMAP_LABEL_UNMAPPED, "two without a label have none together");
    EQ_INT(itermap_owner(map, 0), ITERMAP_UNMAPPED, "and own nobody's iterations");
    itermap_append(map, label);
    EQ_INT(itermap_merge(map, ITERMAP_LABEL_UNMAPPED, label, 9), label, "it may be merged");
    EQ_INT(itermap_owner(map, 1), 9, "and the label is the cluster's that both become");
    itermap_own(map, label, 10);
    EQ_INT(itermap_owner(map, 1), 10, "which may have a new number");
    EQ_INT(itermap_owner(map, 0), ITERMAP_UNMAPPED, "what was unmapped stays so");
    stop();
}

int main(void)
{
    for (size_t h = 0; h < sizeof(histories) / sizeof(histories[0]); h++)
        equals_an_array(&histories[h]);
    survives_every_failure();
    packed_at_every_width();
    full_pages_stay_as_they_are();
    for (size_t s = 0; s < sizeof(sequences) / sizeof(sequences[0]); s++)
        is_encoded_as_expected(&sequences[s]);
    is_small();
    skips_any_number();
    patterns_survive_merges();
    labels_are_used_anew();
    labels_are_few_in_a_large_map();
    goes_on_where_merging_makes_room();
    clusters_without_label_are_unmapped();
    return tap_done();
}
