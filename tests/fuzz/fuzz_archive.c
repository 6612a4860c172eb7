/*
 * Fuzz target: the way of an archive into the command, from what OTF2's library says
 * (fake_otf2.h) to the summary of what ranks waited for.
 *
 * Whatever definitions and events there are, the archive is refused or the summary is sound: it
 * can be written and read again, and no time in it is below 0.
 */
#include "fake_otf2.h"
#include "fuzz.h"

#include "clocks/clocks.h"
#include "waits/feed.h"
#include "waits/outcome.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Noreturn void fail(const char *what, const char *why)
{
    fprintf(stderr, "fuzz_archive: %s: %s\n", what, why);
    abort();
}

/* The anchor of the archive: a file has to be there. */
static const char *anchor(void)
{
    static char path[] = "/tmp/tsprof-fuzz-XXXXXX.otf2";
    static int file = -1;
    if (file < 0)
        file = mkstemps(path, 5);
    if (file < 0)
        fail(path, "cannot be created");
    return path;
}

/* Bytes are as the archive has them, and may be anything. */
static void check_profile(const struct summary *summary, const struct profile *profile)
{
    for (size_t i = 0; i < profile->count; i++) {
        const struct metric_entry *metric = &summary->metrics[profile->cells[i].metric];
        if (profile->cells[i].value < 0 && strcmp(metric->unit, "s") == 0)
            fail(metric->name, "a time is below 0");
    }
}

static void check_values(const struct summary *summary)
{
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        check_profile(summary, &location->whole);
        check_profile(summary, &location->outside);
        for (size_t k = 0; k < location->series_count; k++)
            for (size_t c = 0; c < location->series[k].cluster_count; c++)
                check_profile(summary, &location->series[k].clusters[c].sums);
    }
}

/* Writes SUMMARY and reads it again. */
static void check_summary(const struct summary *summary)
{
    struct error error;
    char path[64];
    const int file = memfd_create("summary", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file < 0 || !summary_put(summary, file, path, &error))
        fail("summary_put", error.text);
    struct summary *again = summary_read(path, &error);
    if (!again)
        fail("summary_read", error.text);
    check_values(again);
    summary_free(again);
    close(file);
}

/* Who has waited for whom, as a number of pairs. */
static size_t analyse(struct trace *trace)
{
    struct error error;
    struct clocks clocks;
    struct feed feed;
    clocks_correct(trace, &clocks, &error);
    feed_open(&feed, trace, TRACE_NONE);
    feed_run(&feed, trace, &error);
    struct summary *summary = outcome_make(&feed, &clocks);
    const size_t pairs = summary->waits.pair_count;
    check_summary(summary);
    summary_free(summary);
    feed_free(&feed);
    return pairs;
}

static size_t read_archive(const uint8_t *data, size_t size)
{
    struct error error;
    fake_otf2(data, size);
    struct trace *trace = trace_open(anchor(), &error);
    const size_t pairs = trace ? analyse(trace) : 0;
    trace_close(trace);
    return pairs;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_archive(data, size);
    return 0;
}

/* Seeds: a job of two ranks, and what it does. */

struct seed {
    uint8_t *data;
    size_t size, most;
};

static void add(struct seed *seed, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count && seed->size < seed->most; i++)
        seed->data[seed->size++] = bytes[i];
}

#define ADD(seed, ...)                                                                         \
    add(seed, (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

/* References of regions are what they are called, as numbers of strings go. */
enum { MAIN = 5, STEP, SEND = 10, RECV, WAIT, BARRIER, NEIGHBORS };

static void add_region(struct seed *seed, uint8_t name, uint8_t role, uint8_t paradigm)
{
    ADD(seed, FAKE_REGION, name, name, role, paradigm, 1, 0);
}

static void add_definitions(struct seed *seed, uint8_t other_host)
{
    ADD(seed, 1, FAKE_CLOCK, 0, 0, 0);
    for (unsigned i = 0; i < fake_string_count; i++)
        ADD(seed, FAKE_STRING, (uint8_t)(i / 16), (uint8_t)(i % 16), 0);
    ADD(seed, FAKE_NODE, 0, 3, 255, FAKE_NODE, 1, 4, 255);
    ADD(seed, FAKE_PROCESS, 0, 1, 0, FAKE_PROCESS, 1, 2, other_host);
    ADD(seed, FAKE_THREAD, 0, 3, 0, FAKE_THREAD, 1, 3, 1);
    add_region(seed, MAIN, OTF2_REGION_ROLE_FUNCTION, 2);
    add_region(seed, STEP, OTF2_REGION_ROLE_CODE, 1);
    add_region(seed, SEND, OTF2_REGION_ROLE_POINT2POINT, 0);
    add_region(seed, RECV, OTF2_REGION_ROLE_POINT2POINT, 0);
    add_region(seed, WAIT, OTF2_REGION_ROLE_POINT2POINT, 0);
    add_region(seed, BARRIER, OTF2_REGION_ROLE_BARRIER, 0);
    add_region(seed, NEIGHBORS, OTF2_REGION_ROLE_COLL_ALL2ALL, 0);
    ADD(seed, FAKE_GROUP, 0, 0, 2, 0, 1, 0, FAKE_GROUP, 1, 1, 2, 0, 1, 0);
    ADD(seed, FAKE_COMM, 0, 0, 1, FAKE_WINDOW, 0, 0, 0);
    ADD(seed, FAKE_PARAMETER, 0, 7, 0, FAKE_PARAMETER, 1, 8, 0, FAKE_PARAMETER, 2, 9, 0);
    ADD(seed, FAKE_DIMENSION, 0, 0, 2, 0, FAKE_TOPOLOGY, 0, 0, 1, 0);
    ADD(seed, FAKE_COORDINATE, 0, 0, 1, 0, FAKE_COORDINATE, 0, 1, 1, 1);
    ADD(seed, FAKE_CONTEXT, 0, MAIN, 255, FAKE_EVENTS);
    ADD(seed, FAKE_ENTER, 0, 10, MAIN, FAKE_ENTER, 1, 0, MAIN);
}

static void add_call(struct seed *seed, enum fake_event kind, uint8_t location, uint8_t region)
{
    ADD(seed, (uint8_t)kind, location, 10, region);
}

/* A step, with a late sender, a barrier and an exchange among neighbours. */
static void add_step(struct seed *seed, uint8_t number)
{
    for (uint8_t i = 0; i < 2; i++) {
        add_call(seed, FAKE_ENTER, i, STEP);
        ADD(seed, FAKE_NUMBER, i, 0, 0, number);
    }
    add_call(seed, FAKE_ENTER, 1, RECV);
    ADD(seed, FAKE_SAMPLE, 0, 50, 0);
    add_call(seed, FAKE_ENTER, 0, SEND);
    ADD(seed, FAKE_SEND, 0, 0, 1, 0, 0, 8);
    add_call(seed, FAKE_LEAVE, 0, SEND);
    ADD(seed, FAKE_RECV, 1, 5, 0, 0, 0, 8);
    add_call(seed, FAKE_LEAVE, 1, RECV);
    for (uint8_t region = BARRIER; region <= NEIGHBORS; region++) {
        for (uint8_t i = 0; i < 2; i++)
            add_call(seed, FAKE_ENTER, i, region);
        ADD(seed, FAKE_NUMBER, 0, 0, 1, 0, FAKE_NUMBER, 0, 0, 2, 1);
        for (uint8_t i = 0; i < 2; i++) {
            ADD(seed, FAKE_COLLECTIVE, i, 1, 255, 0, 0, 8,
                region == BARRIER ? OTF2_COLLECTIVE_OP_BARRIER : OTF2_COLLECTIVE_OP_ALLTOALL);
            add_call(seed, FAKE_LEAVE, i, region);
        }
    }
    for (uint8_t i = 0; i < 2; i++)
        add_call(seed, FAKE_LEAVE, i, STEP);
}

size_t fuzz_seed(size_t number, uint8_t *data, size_t most)
{
    struct seed seed = {data, 0, most};
    if (number >= 4)
        return 0;
    add_definitions(&seed, (uint8_t)(number % 2));
    for (uint8_t i = 0; i < 1 + 3 * (number / 2); i++)
        add_step(&seed, i);
    ADD(&seed, FAKE_LEAVE, 0, 10, MAIN, FAKE_LEAVE, 1, 0, MAIN);
    /* Otherwise nothing is tried that is made of it. */
    if (seed.size < most && read_archive(data, seed.size) < 2)
        fail("a seed", "nobody waits in it");
    return seed.size;
}
