/* Operations among neighbours: who waits for whom where that is known, and that nobody waits
 * where it is not. */
#include "replay/replay.h"
#include "tap.h"

#include <string.h>

enum { PROCESSES = 4, COMM = 0 };

static const struct replay_region regions[] = {
    {METRIC_mpi_collective, true, true, false, false, ROLE_NONE, "MPI_Neighbor_alltoall"}};
/* Ranks are not processes. */
static const uint32_t members[PROCESSES] = {3, 2, 1, 0}, threads[PROCESSES] = {0, 1, 2, 3};
static const struct replay_comm comms[] = {{members, NULL, PROCESSES, 0}};
static const struct replay_world world = {.regions = regions,
                                          .region_count = 1,
                                          .processes = threads,
                                          .thread_count = PROCESSES,
                                          .process_count = PROCESSES,
                                          .rank_count = PROCESSES,
                                          .comms = comms,
                                          .comm_count = 1};

static void take(struct replay *replay, uint32_t process, enum replay_kind kind, uint64_t ns)
{
    const struct replay_event event = {.kind = kind,
                                       .thread = process,
                                       .time_ns = ns,
                                       .instance = REPLAY_NONE,
                                       .comm = COMM,
                                       .root = REPLAY_NONE,
                                       .operation = TSPROF_NEIGHBORS,
                                       .request = REPLAY_NO_REQUEST};
    replay_take(replay, &event);
}

/* Process P comes at ENTER[P], all leave at 1000. */
static void operate(struct replay *replay, const uint64_t *enter)
{
    for (uint64_t ns = 0; ns < 1000; ns++)
        for (uint32_t i = 0; i < PROCESSES; i++)
            if (enter[i] == ns)
                take(replay, i, REPLAY_ENTER, ns);
    for (uint32_t i = 0; i < PROCESSES; i++) {
        take(replay, i, REPLAY_COLLECT, 1000);
        take(replay, i, REPLAY_LEAVE, 1000);
    }
}

static int64_t waited(const struct replay *replay, uint32_t process)
{
    struct replay_result result;
    int64_t sum = 0;
    replay_result(replay, &result);
    for (size_t i = 0; i < result.path_count; i++)
        for (uint32_t at = result.paths[i].first_value; at != REPLAY_NONE;
             at = result.values[at].next)
            if (result.paths[i].thread == process &&
                strcmp(result.metrics[result.values[at].metric].name, "mpi_wait_neighbors") ==
                    0)
                sum += result.values[at].value;
    return sum;
}

static const uint64_t enters[PROCESSES] = {100, 400, 200, 300};

static void test_waits(void)
{
    struct replay *replay = replay_create(&world);
    replay_source(replay, COMM, 0, REPLAY_NONE);
    replay_source(replay, COMM, 0, 2);
    replay_source(replay, COMM, 0, 3);
    replay_source(replay, COMM, 0, 0);
    replay_source(replay, COMM, 1, REPLAY_NONE);
    replay_source(replay, COMM, 3, REPLAY_NONE);
    replay_source(replay, COMM, 3, 2);
    operate(replay, enters);
    replay_end(replay);
    EQ_INT(waited(replay, 0), 200, "for the latest of the neighbours, not for all");
    EQ_INT(waited(replay, 1), 0, "who has none waits for nobody");
    EQ_INT(waited(replay, 2), 0, "nor does one whose neighbours are not known");
    EQ_INT(waited(replay, 3), 0, "nor for one that had come");
    struct replay_result result;
    replay_result(replay, &result);
    EQ_INT(result.pair_count, 1, "one waits for one");
    EQ_INT(result.pairs[0].cause_thread, 3, "it is known which");
    replay_free(replay);
}

/* A list that begins again takes the place of the one before. */
static void test_replaced(void)
{
    struct replay *replay = replay_create(&world);
    replay_source(replay, COMM, 0, REPLAY_NONE);
    replay_source(replay, COMM, 0, 1);
    replay_source(replay, COMM, 0, REPLAY_NONE);
    replay_source(replay, COMM, 0, 2);
    OK(replay_source(replay, 7, 0, 2) && replay_source(replay, COMM, 9, 2) &&
           replay_source(replay, COMM, 0, 9),
       "what is nowhere is ignored");
    operate(replay, enters);
    replay_end(replay);
    EQ_INT(waited(replay, 0), 100, "the second list holds");
    replay_free(replay);
}

int main(void)
{
    test_waits();
    test_replaced();
    return tap_done();
}
