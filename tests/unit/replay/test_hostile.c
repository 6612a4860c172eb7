/*
 * Events in any order, with any content: nothing is left, nothing is followed that is not
 * there, and what is promised of sums holds all the same.
 */
#include "replay/script.h"
#include "tap.h"

#include <string.h>

static uint64_t state = 1;

/* Marsaglia's xorshift64. */
static uint64_t number(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* Any process, or none. */
static uint32_t any_process(void)
{
    const uint32_t process = (uint32_t)number(SCRIPT_PROCESSES + 1);
    return process < SCRIPT_PROCESSES ? process : REPLAY_NONE;
}

static struct replay_event any_event(uint64_t ns)
{
    return (struct replay_event){.kind = (enum replay_kind)number(REPLAY_OFF + 1),
                                 .thread = (uint32_t)number(SCRIPT_PROCESSES),
                                 .time_ns = ns,
                                 .instance = number(3) ? (uint32_t)number(4) : REPLAY_NONE,
                                 .region = (uint32_t)number(SCRIPT_REGIONS),
                                 .peer = any_process(),
                                 .comm = (uint32_t)number(2),
                                 .tag = (uint32_t)number(2),
                                 .window = number(4) ? (uint32_t)number(2) : REPLAY_NONE,
                                 .operation = (uint32_t)number(TSPROF_OPERATIONS + 1),
                                 .root = any_process(),
                                 .is_exclusive = number(2),
                                 .bytes = number(100),
                                 .bytes_received = number(100),
                                 .request = number(2) ? number(6) : REPLAY_NO_REQUEST};
}

static const char *const delays[] = {"delay_latesender",   "delay_latesender_longterm",
                                     "delay_latereceiver", "delay_latereceiver_longterm",
                                     "delay_barrier",      "delay_barrier_longterm",
                                     "delay_n2n",          "delay_n2n_longterm",
                                     "delay_12n",          "delay_12n_longterm",
                                     "delay_n21",          "delay_n21_longterm"};

static const char *const impacts[] = {"critical_path_activities", "intra_partition_imbalance",
                                      "inter_partition_imbalance",
                                      "non_critical_path_activities"};

/* In how many seeds something is wrong. */
struct found {
    unsigned negative, unexplained, without_impact;
};

static int64_t any(const struct replay *replay, const char *metric)
{
    return script_value(replay, metric, NOBODY, SCRIPT_REGIONS);
}

/* How often a wait state took more from a call than it had. */
static unsigned count_negative(const struct replay_result *result)
{
    unsigned count = 0;
    for (size_t i = 0; i < result->path_count; i++) {
        count += result->paths[i].time_ns < 0;
        for (uint32_t at = result->paths[i].first_value; at != REPLAY_NONE;
             at = result->values[at].next)
            count += result->values[at].value < 0;
    }
    return count;
}

/* The time of all threads, wherever it was found to belong. */
static int64_t time_of(const struct replay_result *result)
{
    int64_t ns = 0;
    for (size_t i = 0; i < result->path_count; i++) {
        ns += result->paths[i].time_ns;
        for (uint32_t at = result->paths[i].first_value; at != REPLAY_NONE;
             at = result->values[at].next) {
            const struct replay_metric *metric = &result->metrics[result->values[at].metric];
            ns += metric->unit == UNIT_seconds && strncmp(metric->name, "mpi_", 4) == 0
                      ? result->values[at].value
                      : 0;
        }
    }
    return ns;
}

static void test_seed(uint64_t seed, unsigned events, struct found *found)
{
    struct replay *replay = replay_create(&script_world);
    struct replay_result result;
    uint64_t ns = 0;
    state = seed;
    for (unsigned i = 0; replay && i < events; i++) {
        const struct replay_event event = any_event(ns += number(20));
        replay_take(replay, &event);
    }
    if (!replay || !replay_end(replay)) {
        OK(false, "seed %ju: ended", (uintmax_t)seed);
        return;
    }
    replay_result(replay, &result);
    int64_t waits = 0, causes = 0, impact = 0;
    for (size_t i = 0; i < result.wait_count; i++)
        waits += (int64_t)result.waits[i].ns;
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++)
        causes += any(replay, delays[i]);
    for (size_t i = 0; i < sizeof impacts / sizeof *impacts; i++)
        impact += any(replay, impacts[i]);
    found->unexplained += waits != causes;
    found->without_impact += impact != time_of(&result);
    found->negative += count_negative(&result);
    replay_free(replay);
}

int main(void)
{
    struct found found = {0};
    for (uint64_t seed = 1; seed <= 400; seed++)
        test_seed(seed * UINT64_C(0x9E3779B97F4A7C15), (unsigned)(seed * 5), &found);
    EQ_INT(found.negative, 0, "no value is below 0");
    EQ_INT(found.unexplained, 0, "delays add up to the waits, always");
    EQ_INT(found.without_impact, 0, "impacts add up to the time of all");
    return tap_done();
}
