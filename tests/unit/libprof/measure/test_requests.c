/*
 * The table of requests: what is noted is found once, whatever the order; handles are used
 * again and shared; threads hand requests to each other; memory is bounded.
 */
#include "measure/requests.h"

#include "host/arena.h"
#include "tap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static const struct request_operation receive = {.kind = REQUEST_RECEIVE};
static const struct request_operation none = {.kind = REQUEST_NOTHING};

static struct request_operation collective(uint32_t comms, uint32_t syncs, int64_t bytes)
{
    return (struct request_operation){.kind = REQUEST_COLLECTIVE,
                                      .comms = comms,
                                      .syncs = syncs,
                                      .out = bytes,
                                      .in = 2 * bytes};
}

static struct request_operation complete(uint64_t handle)
{
    struct request_entry entry;
    requests_find(handle, &entry);
    return requests_complete(handle, entry, false);
}

static bool is_known(uint64_t handle)
{
    struct request_entry entry;
    return requests_find(handle, &entry);
}

static void test_an_operation_is_counted_once(void)
{
    EQ_INT(complete(7).kind, REQUEST_NOTHING, "an unknown request has nothing to count");
    OK(requests_note(7, &receive, REQUEST_ONCE), "a receive is noted");
    EQ_INT(complete(7).kind, REQUEST_RECEIVE, "and counted when it completes");
    EQ_INT(complete(7).kind, REQUEST_NOTHING, "but not again");
    requests_note(7, &receive, REQUEST_ONCE);
    struct request_entry entry;
    requests_find(7, &entry);
    EQ_INT(requests_complete(7, entry, true).kind, REQUEST_RECEIVE,
           "a call that leaves the request counts it");
    EQ_INT(complete(7).kind, REQUEST_NOTHING, "and so the next one does not");
    OK(!is_known(7), "after which it is forgotten");
}

static void test_what_was_known_of_a_handle_is_forgotten(void)
{
    requests_note(7, &receive, REQUEST_ONCE);
    requests_note(7, &none, REQUEST_ONCE);
    OK(!is_known(7), "when it is another request's that has nothing to count");
    requests_note(7, &receive, REQUEST_ONCE);
    requests_forget(7);
    OK(!is_known(7), "when the request is freed");
    requests_note(7, &receive, REQUEST_ONCE);
    requests_note(7, &(struct request_operation){.kind = REQUEST_WRITE}, REQUEST_ONCE);
    EQ_INT(complete(7).kind, REQUEST_WRITE, "when it is another request's");
    OK(!is_known(7), "with nothing left");
}

static void test_persistent_requests(void)
{
    const struct request_operation send = {.kind = REQUEST_SEND, .out = 40};
    requests_note(8, &receive, REQUEST_PERSISTENT);
    EQ_INT(complete(8).kind, REQUEST_NOTHING, "an inactive one has nothing to count");
    for (int i = 0; i < 3; i++) {
        EQ_INT(requests_start(8).kind, REQUEST_RECEIVE, "it is started");
        EQ_INT(complete(8).kind, REQUEST_RECEIVE, "and counted");
        EQ_INT(complete(8).kind, REQUEST_NOTHING, "once");
    }
    requests_forget(8);
    EQ_INT(requests_start(8).kind, REQUEST_NOTHING, "freed, it is unknown");
    requests_note(8, &send, REQUEST_PERSISTENT);
    EQ_INT(requests_start(8).out, 40, "a send says how much it sends");
    requests_note(8, &receive, REQUEST_ONCE);
    EQ_INT(requests_start(8).kind, REQUEST_NOTHING,
           "one that is not persistent does not start");
    requests_forget(8);
}

static void test_collectives_with_one_handle_add_up(void)
{
    struct request_operation one = collective(1, 0, 10), two = collective(1, 0, 4),
                             barrier = collective(0, 1, 0);
    requests_note(9, &one, REQUEST_SHARED);
    requests_note(9, &barrier, REQUEST_SHARED);
    requests_note(9, &none, REQUEST_ONCE);
    requests_note(9, &two, REQUEST_SHARED);
    struct request_operation sum = complete(9);
    EQ_INT(sum.comms, 2, "operations");
    EQ_INT(sum.syncs, 1, "barriers");
    EQ_INT(sum.out, 14, "bytes out");
    EQ_INT(sum.in, 28, "bytes in");
    EQ_INT(complete(9).kind, REQUEST_NOTHING, "and are counted once");
    requests_note(9, &one, REQUEST_PERSISTENT);
    requests_start(9);
    requests_note(9, &two, REQUEST_PERSISTENT);
    requests_start(9);
    EQ_INT(complete(9).out, 4, "persistent ones have handles of their own");
    requests_forget(9);
}

/* A handle is given out again before its last owner has come to look. */
static void test_a_handle_that_is_used_again_too_soon(void)
{
    struct request_entry entry;
    struct request_operation old = collective(1, 0, 10), young = collective(1, 0, 1);
    requests_note(10, &receive, REQUEST_ONCE);
    requests_find(10, &entry);
    requests_note(10, &(struct request_operation){.kind = REQUEST_READ}, REQUEST_ONCE);
    EQ_INT(requests_complete(10, entry, false).kind, REQUEST_RECEIVE, "the old one is counted");
    EQ_INT(complete(10).kind, REQUEST_READ, "and the young one");
    requests_note(10, &old, REQUEST_ONCE);
    requests_find(10, &entry);
    requests_note(10, &receive, REQUEST_ONCE);
    EQ_INT(requests_complete(10, entry, false).out, 10, "a collective that was replaced");
    EQ_INT(complete(10).kind, REQUEST_RECEIVE, "and what replaced it");
    requests_note(10, &old, REQUEST_ONCE);
    requests_find(10, &entry);
    requests_note(10, &young, REQUEST_ONCE);
    EQ_INT(requests_complete(10, entry, false).out, 10,
           "a collective that another one replaced");
    EQ_INT(complete(10).out, 1, "and the other one");
    requests_note(10, &old, REQUEST_SHARED);
    requests_find(10, &entry);
    requests_note(10, &young, REQUEST_SHARED);
    EQ_INT(requests_complete(10, entry, false).out, 11,
           "two collectives that share it together");
    EQ_INT(complete(10).out, 0, "are not counted twice");
}

static void test_what_was_found_is_known_to_be_the_same_still(void)
{
    struct request_entry entry, missing;
    OK(!requests_find(11, &missing) && !requests_unchanged(&missing), "nothing is not known");
    requests_note(11, &receive, REQUEST_PERSISTENT);
    requests_find(11, &entry);
    OK(requests_unchanged(&entry), "nobody has touched it");
    requests_start(11);
    OK(!requests_unchanged(&entry), "it was started");
    requests_find(11, &entry);
    complete(11);
    OK(!requests_unchanged(&entry), "it has completed");
    requests_find(11, &entry);
    requests_note(11, &receive, REQUEST_PERSISTENT);
    OK(!requests_unchanged(&entry), "it is another one's of the same kind");
    requests_find(11, &entry);
    requests_forget(11);
    OK(!requests_unchanged(&entry), "it was freed");
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Handles as MPICH has them, and as Open MPI has. */
static uint64_t nth_handle(uint64_t n)
{
    return n & 1 ? UINT64_C(0xffffffffac000000) + n : UINT64_C(0x55719480e000) + n * 448;
}

/* Against an array, with handles that come back and ones that never do. */
static void test_random_requests(void)
{
    enum { HANDLES = 400, STEPS = 300000 };
    static int64_t model[HANDLES]; /* bytes of the open one, 0: none */
    uint64_t state = 1, other = HANDLES;
    int wrong = 0;
    budget_set(0, 0); /* what there is must do */
    for (int step = 0; step < STEPS; step++) {
        size_t at = random_next(&state) % HANDLES;
        int64_t bytes = 1 + (int64_t)(random_next(&state) % 1000);
        struct request_operation operation = {.kind = REQUEST_RECEIVE_IN, .in = bytes};
        if (random_next(&state) % 4 == 0) {
            uint64_t once = nth_handle(++other);
            wrong +=
                !requests_note(once, &operation, REQUEST_ONCE) || complete(once).in != bytes;
        } else if (model[at]) {
            wrong += complete(nth_handle(at)).in != model[at];
            model[at] = 0;
        } else {
            wrong += !requests_note(nth_handle(at), &operation, REQUEST_ONCE);
            model[at] = bytes;
        }
    }
    EQ_INT(wrong, 0, "every one of many is found, and there is room for all");
    for (size_t i = 0; i < HANDLES; i++) {
        requests_forget(nth_handle(i));
        model[i] = 0;
    }
    budget_set(SIZE_MAX, SIZE_MAX);
}

static void test_more_than_there_is_memory_for(void)
{
    enum { OPEN = 30000 };
    int noted = 0, found = 0;
    budget_set(1 << 20, 0);
    while (noted < OPEN) {
        struct request_operation operation = {.kind = REQUEST_RECEIVE_IN, .in = noted + 1};
        if (!requests_note(nth_handle((uint64_t)noted), &operation, false))
            break;
        noted++;
    }
    OK(noted > 10000 && noted < OPEN, "%d requests have room in a megabyte", noted);
    budget_set(SIZE_MAX, SIZE_MAX);
    for (int i = noted; i < OPEN; i++) {
        struct request_operation operation = {.kind = REQUEST_RECEIVE_IN, .in = i + 1};
        noted += requests_note(nth_handle((uint64_t)i), &operation, false);
    }
    EQ_INT(noted, OPEN, "and all of them if there is more");
    for (int i = 0; i < OPEN; i++)
        found += complete(nth_handle((uint64_t)i)).in == i + 1;
    EQ_INT(found, OPEN, "all of which are found");
    int left = 0;
    for (int i = 0; i < OPEN; i++)
        left += is_known(nth_handle((uint64_t)i));
    EQ_INT(left, 0, "once");
}

/* Requests that pass from one thread to the next, as do the handles of those that are done. */
enum { THREADS = 4, ROUNDS = 20000, SHARED = 500, QUEUE = 16 };

struct crew {
    pthread_mutex_t lock;
    uint64_t open[QUEUE], idle[QUEUE];
    int open_count, idle_count;
    int64_t bytes_noted, bytes_counted, syncs_counted;
};

static struct crew crew = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* As MPI does: a handle is somebody's or lies idle. */
static uint64_t take_out(uint64_t *from, int *count)
{
    pthread_mutex_lock(&crew.lock);
    uint64_t handle = *count ? from[--*count] : 0;
    pthread_mutex_unlock(&crew.lock);
    return handle;
}

static void put_in(uint64_t *into, int *count, uint64_t handle)
{
    pthread_mutex_lock(&crew.lock);
    into[(*count)++] = handle;
    pthread_mutex_unlock(&crew.lock);
}

static void finish_one(void)
{
    struct request_entry entry;
    uint64_t handle = take_out(crew.open, &crew.open_count);
    if (!handle)
        return;
    requests_find(handle, &entry);
    /* Now MPI completes it, and gives the handle to the next. */
    put_in(crew.idle, &crew.idle_count, handle);
    struct request_operation operation = requests_complete(handle, entry, false);
    __atomic_fetch_add(&crew.bytes_counted, operation.in, __ATOMIC_RELAXED);
}

static void *work(void *argument)
{
    const struct request_operation barrier = collective(0, 1, 0);
    uint64_t state = (uintptr_t)argument;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t handle = take_out(crew.idle, &crew.idle_count);
        if (handle) {
            struct request_operation operation = {.kind = REQUEST_RECEIVE_IN,
                                                  .in = (int64_t)(random_next(&state) % 100)};
            requests_note(handle, &operation, REQUEST_ONCE);
            __atomic_fetch_add(&crew.bytes_noted, operation.in, __ATOMIC_RELAXED);
            put_in(crew.open, &crew.open_count, handle);
        }
        if (!handle || random_next(&state) % 2)
            finish_one();
        if (i % (ROUNDS / SHARED) == 0) {
            requests_note(3, &barrier, REQUEST_SHARED);
            __atomic_fetch_add(&crew.syncs_counted, complete(3).syncs, __ATOMIC_RELAXED);
        }
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < QUEUE; i++)
        crew.idle[crew.idle_count++] = nth_handle((uint64_t)i + 1);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    while (crew.open_count)
        finish_one();
    EQ_INT(crew.bytes_counted, crew.bytes_noted,
           "what one thread has noted another one counts");
    for (int i = 0; i < THREADS; i++)
        crew.syncs_counted += complete(3).syncs;
    EQ_INT(crew.syncs_counted, THREADS * SHARED,
           "a handle that all have at once loses nothing");
}

int main(void)
{
    for (int concurrent = 0; concurrent < 2; concurrent++) {
        requests_concurrent = concurrent;
        test_an_operation_is_counted_once();
        test_what_was_known_of_a_handle_is_forgotten();
        test_persistent_requests();
        test_what_was_found_is_known_to_be_the_same_still();
        test_collectives_with_one_handle_add_up();
        test_random_requests();
    }
    test_a_handle_that_is_used_again_too_soon();
    test_threads();
    test_more_than_there_is_memory_for();
    return tap_done();
}
