/*
 * Fuzz target: events of processes, in any order and with any content, given to replay/.
 *
 * The input is a list of events, eight bytes each: how much later it is, what it is, and the
 * rest of it in small numbers, so that events meet.  Whatever they are, a wait is part of its
 * call and no value is below 0; delays add up to the waits, and so do the pairs of who waited
 * for whom; the critical path lasts from the first event to the last activity; the impact of
 * activities is the time of all.  Predictions from the same events: check_whatif.h.
 */
#include "check_whatif.h"
#include "fuzz.h"
#include "tests/unit/replay/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_BYTES = 8, EVENTS_MOST = 4000 };

static _Noreturn void fail(const char *what, int64_t got, int64_t wanted)
{
    fprintf(stderr, "fuzz_replay: %s: %" PRId64 ", not %" PRId64 "\n", what, got, wanted);
    abort();
}

static uint32_t process_of(unsigned number)
{
    number %= SCRIPT_PROCESSES + 1;
    return number < SCRIPT_PROCESSES ? number : REPLAY_NONE;
}

static struct replay_event event_of(const uint8_t *data, uint64_t before_ns)
{
    return (struct replay_event){.kind = (enum replay_kind)(data[1] % (REPLAY_OFF + 1)),
                                 .thread = data[2] % SCRIPT_PROCESSES,
                                 .time_ns = before_ns + data[0] % 32,
                                 .instance = data[2] >> 2 & 1 ? data[2] >> 3 & 3 : REPLAY_NONE,
                                 .region = data[3] % SCRIPT_REGIONS,
                                 .peer = process_of(data[4]),
                                 .comm = data[5] & 1,
                                 .tag = data[5] >> 1 & 1,
                                 .window = data[5] >> 2 & 3 ? data[5] >> 4 & 1 : REPLAY_NONE,
                                 .operation = data[6] % (TSPROF_OPERATIONS + 1),
                                 .root = process_of(data[4] >> 4),
                                 .is_exclusive = data[5] >> 5 & 1,
                                 .bytes = data[7] >> 4,
                                 .bytes_received = data[7] >> 6,
                                 .request =
                                     data[7] & 1 ? (data[7] >> 1) % 6 : REPLAY_NO_REQUEST};
}

/* Sums of a result; nothing in it may be below 0. */
struct sums {
    int64_t time, delays, path, impact;
};

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool is_impact(const char *name)
{
    return strcmp(name, "critical_path_activities") == 0 ||
           strcmp(name, "non_critical_path_activities") == 0 ||
           begins(name, "intra_partition_") || begins(name, "inter_partition_");
}

static void add_value(struct sums *sums, const struct replay_metric *metric, int64_t value)
{
    if (value < 0)
        fail(metric->name, value, 0);
    if (metric->unit != UNIT_seconds)
        return;
    if (begins(metric->name, "mpi_"))
        sums->time += value;
    else if (begins(metric->name, "delay_"))
        sums->delays += value;
    else if (is_impact(metric->name))
        sums->impact += value;
    else if (strcmp(metric->name, "critical_path") == 0 ||
             strcmp(metric->name, "critical_path_imbalance") == 0)
        sums->path += value;
}

static struct sums add_up(const struct replay_result *result)
{
    struct sums sums = {0};
    for (size_t i = 0; i < result->path_count; i++) {
        const struct path *path = &result->paths[i];
        if (path->time_ns < 0)
            fail("time of a path", path->time_ns, 0);
        sums.time += path->time_ns;
        for (uint32_t at = path->first_value; at != REPLAY_NONE; at = result->values[at].next)
            add_value(&sums, &result->metrics[result->values[at].metric],
                      result->values[at].value);
    }
    return sums;
}

static void check_reasons(const struct replay_result *result, const struct replay_pair *pair)
{
    uint64_t ns = 0;
    for (uint32_t at = pair->first_reason; at != REPLAY_NONE; at = result->reasons[at].next)
        ns += result->reasons[at].ns;
    if (ns != pair->ns)
        fail("reasons of a pair", (int64_t)ns, (int64_t)pair->ns);
    if (pair->longest_ns > pair->ns)
        fail("the longest wait", (int64_t)pair->longest_ns, (int64_t)pair->ns);
}

/* FROM and TO: when the first event was, and the last. */
static void check(const struct replay_result *result, uint64_t from, uint64_t to)
{
    const struct sums sums = add_up(result);
    int64_t waits = 0, pairs = 0;
    for (size_t i = 0; i < result->wait_count; i++)
        waits += (int64_t)result->waits[i].ns;
    for (size_t i = 0; i < result->pair_count; i++) {
        pairs += (int64_t)result->pairs[i].ns;
        check_reasons(result, &result->pairs[i]);
    }
    if (sums.delays != waits)
        fail("delays", sums.delays, waits);
    if (pairs != waits)
        fail("who waited for whom", pairs, waits);
    if (sums.impact != sums.time)
        fail("impact", sums.impact, sums.time);
    if (sums.path > (int64_t)(to - from))
        fail("critical path, which is longer than everything", sums.path, (int64_t)(to - from));
    if (sums.path > sums.time)
        fail("critical path, which is longer than all activities", sums.path, sums.time);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct replay *replay = replay_create(&script_world);
    struct replay_result result;
    uint64_t from = 0, to = 0;
    struct whatif_recorder *recorder = replay ? whatif_listen(replay, &script_world) : NULL;
    bool good = recorder != NULL;
    for (size_t i = 0; good && i < EVENTS_MOST && size >= EVENT_BYTES; i++) {
        const struct replay_event event = event_of(data, to);
        from = i == 0 ? event.time_ns : from;
        to = event.time_ns;
        good = replay_take(replay, &event);
        data += EVENT_BYTES;
        size -= EVENT_BYTES;
    }
    if (!good || !replay_end(replay))
        fail("events that were taken in", 0, 1);
    replay_result(replay, &result);
    check(&result, from, to);
    check_whatif(recorder, replay);
    replay_free(replay);
    return 0;
}

/* What processes do of which they wait for each other: each calls a function of MPI in turn. */
static size_t add_event(uint8_t *data, size_t at, unsigned kind, unsigned thread,
                        unsigned region, unsigned peer, unsigned operation)
{
    const uint8_t event[EVENT_BYTES] = {7,
                                        (uint8_t)kind,
                                        (uint8_t)thread,
                                        (uint8_t)region,
                                        (uint8_t)peer,
                                        4,
                                        (uint8_t)operation,
                                        16};
    memcpy(data + at, event, sizeof event);
    return at + sizeof event;
}

static size_t add_message(uint8_t *data, size_t at, unsigned from, unsigned to)
{
    at = add_event(data, at, REPLAY_ENTER, to, RECV, from, 0);
    at = add_event(data, at, REPLAY_ENTER, from, WORK, to, 0);
    at = add_event(data, at, REPLAY_LEAVE, from, WORK, to, 0);
    at = add_event(data, at, REPLAY_ENTER, from, SEND, to, 0);
    at = add_event(data, at, REPLAY_SEND, from, SEND, to, 0);
    at = add_event(data, at, REPLAY_LEAVE, from, SEND, to, 0);
    at = add_event(data, at, REPLAY_RECEIVE, to, RECV, from, 0);
    return add_event(data, at, REPLAY_LEAVE, to, RECV, from, 0);
}

static size_t add_collective(uint8_t *data, size_t at, enum script_region region,
                             unsigned operation)
{
    for (unsigned i = 0; i < SCRIPT_PROCESSES; i++)
        at = add_event(data, at, REPLAY_ENTER, i, region, 0, operation);
    for (unsigned i = 0; i < SCRIPT_PROCESSES; i++) {
        at = add_event(data, at, REPLAY_COLLECT, i, region, 0, operation);
        at = add_event(data, at, REPLAY_LEAVE, i, region, 0, operation);
    }
    return at;
}

size_t fuzz_seed(size_t number, uint8_t *data, size_t most)
{
    size_t at = 0;
    if (number > TSPROF_OPERATIONS || most < 100 * EVENT_BYTES)
        return 0;
    for (unsigned i = 0; i < SCRIPT_PROCESSES; i++)
        at = add_event(data, at, REPLAY_ENTER, i, MAIN, 0, 0);
    at = add_message(data, at, 0, 1);
    at = add_message(data, at, 1, 2);
    at = add_collective(data, at, BARRIER, (unsigned)number);
    at = add_message(data, at, 3, 0);
    for (unsigned i = 0; i < SCRIPT_PROCESSES; i++)
        at = add_event(data, at, REPLAY_LEAVE, i, MAIN, 0, 0);
    return at;
}
