/* Which iterations a thread keeps, and what it says of those that it lets go. */
#include "trace/trace.h"

#include "archive/recorded_thread.h"

#include "tests/unit/libprof/alone.h"

#include <string.h>

enum {
    LITTLE = 16 * EVENT_CHUNK_BYTES,
    MUCH = 1 << 24,
    THREADS = 40,
    SERIES = 3,
    CALLS = 500, /* of an iteration that takes about a chunk */
    MOST = 6000  /* iterations */
};

static struct thread threads[THREADS];
static int64_t now_ns;

/* Threads with MEMORY for the events that CHOICE asks for. */
static void start(const char *choice, size_t memory)
{
    NEED(trace_spec_read(choice, &trace_spec) && chunks_start(memory));
    for (int i = 0; i < THREADS; i++) {
        struct thread *thread = &threads[i];
        NEED(arena_create_async(&thread->arena, 1 << 20) == 0);
        NEED(trace_attach(thread));
        thread->number = i;
        trace_name_stream(thread);
        thread->level = thread->levels;
    }
}

/* An iteration of SERIES on THREAD that takes TIME_NS and has CALLS calls. */
static void iterate_in(struct thread *thread, uint32_t series, uint64_t number, int64_t time_ns,
                       int calls)
{
    struct level *level = ++thread->level;
    *level = (struct level){.series = series, .begin_ns = now_ns, .kept = true};
    trace_begin_iteration_async(thread, number, "step");
    for (int i = 0; i < calls && trace_records_async(thread); i++)
        trace_call_async(thread, 1, now_ns + i, now_ns + i + 1);
    now_ns += time_ns;
    trace_end_iteration_async(thread, now_ns);
    thread->level--;
}

static void iterate(struct thread *thread, uint64_t number, int64_t time_ns, int calls)
{
    iterate_in(thread, SERIES, number, time_ns, calls);
}

/* Planted times: all differ, in no order. */
static int64_t time_of(uint64_t number)
{
    return 1000000 + (int64_t)(number * 7919 % 10007) * 1000;
}

/* How many iterations of COUNT take longer than NUMBER. */
static unsigned rank_of(uint64_t number, uint64_t count)
{
    unsigned longer = 0;
    for (uint64_t i = 0; i < count; i++)
        longer += time_of(i) > time_of(number);
    return longer;
}

/* Which iterations of THREAD are there as a whole; returns how many. */
static size_t find_kept(const struct thread *thread, bool kept[MOST])
{
    struct recording recording;
    size_t count = 0;
    memset(kept, 0, MOST * sizeof *kept);
    NEED(recording_read(&recording, chunk_at_async(0), chunks_count_async()));
    struct recorded_iteration *list = recording_iterations(
        &recording, EVENT_STREAM_THREADS + (uint32_t)thread->number, &count);
    NEED(list);
    for (size_t i = 0; i < count; i++)
        kept[list[i].number] = true;
    free(list);
    recording_free(&recording);
    return count;
}

static const struct event_lost *lost(const struct thread *thread)
{
    return &thread->trace->lost[SERIES];
}

static bool is_published(const struct thread *thread)
{
    return memcmp(chunk_lost_async((unsigned)thread->number), thread->trace->lost,
                  sizeof thread->trace->lost) == 0;
}

static void test_slowest_stay(void)
{
    static bool kept[MOST];
    const uint64_t count = 300;
    start("slowest:4", LITTLE);
    for (uint64_t i = 0; i < count; i++)
        iterate(&threads[0], i, time_of(i), CALLS);
    const size_t there = find_kept(&threads[0], kept);
    unsigned best = 0;
    bool sound = true;
    uint64_t longest = 0;
    for (uint64_t i = 0; i < count; i++) {
        best += kept[i] && rank_of(i, count) < 4;
        if (!kept[i] && (uint64_t)time_of(i) > longest)
            longest = (uint64_t)time_of(i);
        sound &=
            kept[i] || (i >= lost(&threads[0])->first - 1 && i <= lost(&threads[0])->last - 1);
    }
    OK(there >= 8 && there <= 20, "about as many are there as memory has room for: %zu", there);
    EQ_INT(best, 4, "the slowest are");
    EQ_INT(lost(&threads[0])->score, longest, "how slow the slowest one is that was let go");
    EQ_INT(time_of(lost(&threads[0])->best), longest, "and which it is");
    OK(lost(&threads[0])->count + there >= count && lost(&threads[0])->count < count,
       "so many were given up");
    OK(sound, "between the first and the last");
    OK(is_published(&threads[0]), "the file says so, too");
}

static void test_memory_comes_back(void)
{
    static bool kept[MOST];
    start("slowest:4", LITTLE);
    for (uint64_t i = 0; i < 5000; i++)
        iterate(&threads[0], i, 1000 + (int64_t)i, CALLS);
    const size_t there = find_kept(&threads[0], kept);
    bool latest = true;
    for (uint64_t i = 4992; i < 5000; i++)
        latest &= kept[i];
    OK(latest && there >= 10, "the latest, which are the slowest, have the memory of others");
    iterate(&threads[0], 5000, 100000, 200 * CALLS);
    OK(!threads[0].trace->records && find_kept(&threads[0], kept) == 0,
       "one that is too large takes the memory of all, and is not there");
    EQ_INT(lost(&threads[0])->best, 5000, "it is known as let go");
    EQ_INT(lost(&threads[0])->score, 100000, "and how slow it was");
    for (uint64_t i = 5001; i < 5011; i++)
        iterate(&threads[0], i, 1000, CALLS);
    EQ_INT(find_kept(&threads[0], kept), 10, "then there is memory again");
}

static void test_enough_are_kept(void)
{
    static bool kept[MOST];
    const uint64_t count = 1000;
    unsigned right = 0;
    uint64_t longest = 0;
    start("slowest:4", MUCH);
    for (uint64_t i = 0; i < count; i++)
        iterate(&threads[0], i, time_of(i), CALLS);
    find_kept(&threads[0], kept);
    for (uint64_t i = 0; i < count; i++) {
        const bool best = rank_of(i, count) < TRACE_KEPT_LEAST;
        right += !best || kept[i];
        if (!best && (uint64_t)time_of(i) > longest)
            longest = (uint64_t)time_of(i);
    }
    EQ_INT(right, count, "the slowest are there");
    EQ_INT(lost(&threads[0])->count, 0, "none was given up for want of memory");
    EQ_INT(lost(&threads[0])->score, longest, "of the others it is known how slow they were");
}

/* How many iterations of SERIES are kept on the first thread, the slowest MOST of 300 first. */
static unsigned kept_of(uint32_t series, unsigned most, unsigned *slowest)
{
    const struct trace *trace = threads[0].trace;
    unsigned count = 0;
    *slowest = 0;
    for (uint32_t i = 0; i < trace->kept_count; i++)
        if (trace->kept[i].series == series) {
            count++;
            *slowest += rank_of(trace->kept[i].number, 300) < most;
        }
    return count;
}

static void test_series_share_room(uint32_t series, unsigned wanted)
{
    unsigned least = MOST, slowest, all_slowest = 0;
    start("slowest:4", MUCH);
    for (uint32_t i = 0; i < series; i++)
        for (uint64_t number = 0; number < 300; number++)
            iterate_in(&threads[0], i, number, time_of(number) * (i + 1), 1);
    for (uint32_t i = 0; i < series; i++) {
        const unsigned count = kept_of(i, 4, &slowest);
        least = count < least ? count : least;
        all_slowest += slowest;
    }
    OK(least >= wanted, "of each of %u series at least %u are kept: %u", series, wanted, least);
    EQ_INT(all_slowest, 4 * series, "the four slowest of each among them");
    EQ_INT(threads[0].trace->kept_count, TRACE_KEPT_SERIES * TRACE_KEPT_LEAST,
           "and all room is used");
}

static void test_six_series_share_room(void)
{
    test_series_share_room(6, 160);
}

static void test_all_series_share_room(void)
{
    test_series_share_room(TRACE_SERIES_MOST, 32);
}

static void test_quick_series_has_room(void)
{
    unsigned slowest;
    start("slowest:4", MUCH);
    for (uint32_t i = 1; i <= 4; i++)
        for (uint64_t number = 0; number < 300; number++)
            iterate_in(&threads[0], i, number, 1000 * time_of(number), 1);
    for (uint64_t number = 0; number < 300; number++)
        iterate_in(&threads[0], 0, number, time_of(number), 1);
    OK(kept_of(0, 4, &slowest) >= 200 && slowest == 4,
       "a series whose iterations are quick has its share, too");
    EQ_INT(threads[0].trace->lost[1].count, 0, "none was given up for want of memory");
    OK(threads[0].trace->lost[1].first > 0, "but of others it is known that some went");
}

static void test_list_loses_its_last(void)
{
    static bool kept[MOST];
    start("10-99", LITTLE);
    for (uint64_t i = 0; i < 100; i++)
        iterate(&threads[0], i, time_of(i), CALLS);
    const size_t there = find_kept(&threads[0], kept);
    bool first = there > 5;
    for (uint64_t i = 0; i < there; i++)
        first &= kept[10 + i];
    OK(first, "the first ones are there");
    EQ_INT(lost(&threads[0])->count, 90 - there, "all others were given up");
    EQ_INT(lost(&threads[0])->first, 10 + there + 1, "from the first that had no room");
    EQ_INT(lost(&threads[0])->last, 100, "to the last");
}

static void test_recording_ends(void)
{
    int64_t latest_ns = 0;
    start("all", LITTLE);
    while (trace_records_async(&threads[0])) {
        trace_call_async(&threads[0], 1, now_ns, now_ns + 5);
        latest_ns = trace_records_async(&threads[0]) ? now_ns + 5 : latest_ns;
        now_ns += 10;
    }
    EQ_INT(threads[0].trace->ended_ns, latest_ns, "with the latest event");
    EQ_INT(*chunk_ended_async(0), latest_ns, "the file says so, too");
    EQ_INT(*chunk_ended_async(1), 0, "of this thread only");
    EQ_INT(chunks_count_async(), LITTLE / EVENT_CHUNK_BYTES * 15 / 16,
           "all memory is used but what is left for other threads");
}

/* Whether COUNT iterations of THREAD are there, from FIRST on. */
static bool are_kept(const struct thread *thread, uint64_t first, uint64_t count)
{
    static bool kept[MOST];
    find_kept(thread, kept);
    for (uint64_t i = first; i < first + count; i++)
        if (!kept[i])
            return false;
    return true;
}

static void test_many_threads_with_little_memory(void)
{
    unsigned whole = 0;
    start("slowest:4", THREADS * 2 * EVENT_CHUNK_BYTES);
    for (uint64_t i = 0; i < 20; i++)
        for (int t = 0; t < THREADS; t++)
            iterate(&threads[t], i, time_of(i), 10);
    for (int t = 0; t < THREADS; t++)
        whole += are_kept(&threads[t], 0, 20);
    EQ_INT(whole, THREADS, "where each needs one piece of memory, each has it");
}

static void test_a_late_thread(void)
{
    start("slowest:4", (size_t)64 * EVENT_CHUNK_BYTES);
    for (uint64_t i = 0; i < 200; i++)
        iterate(&threads[0], i, 1000 + (int64_t)i, CALLS);
    OK(lost(&threads[0])->count > 100, "a thread has used up the memory");
    for (uint64_t i = 200; i < 210; i++)
        for (int t = 0; t < 2; t++)
            iterate(&threads[t], i, 1000 + (int64_t)i, 10);
    OK(are_kept(&threads[0], 200, 10) && are_kept(&threads[1], 200, 10),
       "what it does together with one that begins then is there");
    EQ_INT(lost(&threads[1])->count, 0, "and nothing of that one was given up");
}

static void test_dropped_series_lost_nothing(void)
{
    start("slowest:4", LITTLE);
    for (uint64_t i = 0; i < 100; i++)
        iterate(&threads[0], i, time_of(i), CALLS);
    OK(lost(&threads[0])->count > 0, "some were given up");
    trace_drop_series_async(&threads[0], SERIES);
    OK(lost(&threads[0])->count == 0 && lost(&threads[0])->first == 0,
       "which are no iterations any more");
    OK(is_published(&threads[0]), "the file says so, too");
}

static void offer(const char *choice, struct supply *supply, struct shortage *shortage)
{
    struct program_phase phase = {.name = {"step", 4}};
    const struct program program = {.phases = &phase, .phase_count = 1};
    struct recorded_thread list[THREADS];
    struct recording recording;
    struct trace_spec spec;
    NEED(trace_spec_read(choice, &spec));
    NEED(recording_read(&recording, chunk_at_async(0), chunks_count_async()));
    for (uint32_t i = 0; i < THREADS; i++) {
        list[i] = (struct recorded_thread){.recording = &recording,
                                           .owner = EVENT_STREAM_THREADS + i,
                                           .lost = threads[i].trace->lost,
                                           .ended_ns = threads[i].trace->ended_ns};
        memset(list[i].phases, 255, sizeof list[i].phases);
        list[i].phases[SERIES] = 0;
    }
    *supply = (struct supply){.there.list = NULL};
    *shortage = (struct shortage){.processes = 0};
    recorded_threads_offer(list, THREADS, &program, &spec, supply, shortage);
    recording_free(&recording);
}

static void test_halves_are_not_offered(void)
{
    static bool kept[THREADS][MOST];
    struct supply supply;
    struct shortage shortage;
    bool whole = true;
    unsigned halves = 0;
    start("0-99", 4 * LITTLE);
    /* The second one comes late, and then needs more than there is. */
    for (uint64_t i = 0; i < 60; i++) {
        iterate(&threads[0], i, time_of(i), CALLS);
        if (i >= 10)
            iterate(&threads[1], i, time_of(i), 4 * CALLS);
    }
    for (int i = 0; i < THREADS; i++)
        find_kept(&threads[i], kept[i]);
    offer("0-99", &supply, &shortage);
    for (uint64_t i = 10; i < 60; i++) {
        halves += kept[0][i] != kept[1][i];
        whole &= offers_have(&supply.there, 0, i) == (kept[0][i] && kept[1][i]);
    }
    OK(halves > 0, "there are iterations that one of two threads gave up: %u", halves);
    OK(whole, "what both kept is offered, and nothing else");
    OK(offers_have(&supply.there, 0, 0) && offers_have(&supply.there, 0, 9),
       "and what only one of them took part in");
    EQ_INT(shortage.processes, 1, "it is known that memory was used up");
    EQ_INT(supply_missing(&supply, &trace_spec), 60 - supply.there.count,
           "and how many are missing, as if the program had ended with the last");
    supply_free(&supply);
}

int main(void)
{
    alone(test_slowest_stay);
    alone(test_memory_comes_back);
    alone(test_enough_are_kept);
    alone(test_six_series_share_room);
    alone(test_all_series_share_room);
    alone(test_quick_series_has_room);
    alone(test_list_loses_its_last);
    alone(test_recording_ends);
    alone(test_many_threads_with_little_memory);
    alone(test_a_late_thread);
    alone(test_dropped_series_lost_nothing);
    alone(test_halves_are_not_offered);
    return tap_done();
}
