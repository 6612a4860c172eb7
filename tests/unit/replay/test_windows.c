/* Wait states of one-sided communication. */
#include "replay/script.h"
#include "tap.h"

#define RUN(...)                                                                               \
    script_run(                                                                                \
        &(struct script){.calls = (const struct script_call[]){__VA_ARGS__},                   \
                         .call_count = sizeof((const struct script_call[]){__VA_ARGS__}) /     \
                                       sizeof(struct script_call),                             \
                         .processes = SCRIPT_PROCESSES,                                        \
                         .end = 1000})

static int64_t any(const struct replay *replay, const char *metric, int process)
{
    return script_value(replay, metric, process, SCRIPT_REGIONS);
}

static void test_fence(void)
{
    struct replay *replay = RUN({0, FENCE, 100, 410, NOBODY}, {1, FENCE, 400, 410, NOBODY},
                                {2, FENCE, 300, 410, NOBODY}, {3, FENCE, 200, 410, NOBODY});
    EQ_INT(any(replay, "mpi_rma_wait_at_fence", 0), 300, "fence: until the last comes");
    EQ_INT(any(replay, "mpi_rma_wait_at_fence", 1), 0, "fence: the last does not wait");
    replay_free(replay);
}

static void test_fence_that_does_not_wait(void)
{
    struct replay *replay = RUN({0, FENCE, 100, 110, NOBODY}, {1, FENCE, 1200, 1210, NOBODY},
                                {2, FENCE, 300, 410, NOBODY}, {3, FENCE, 200, 210, NOBODY});
    EQ_INT(any(replay, "mpi_rma_wait_at_fence", NOBODY), 0,
           "fence: nobody waits if they were never all in it");
    replay_free(replay);
}

/* Process 0 accesses 1 until 350, and is the last to come. */
static void test_early_fence(void)
{
    struct replay *replay = RUN({0, PUT, 50, 80, 2}, {0, PUT, 90, 350, 1},
                                {0, FENCE, 400, 410, NOBODY}, {1, FENCE, 100, 410, NOBODY},
                                {2, FENCE, 100, 410, NOBODY}, {3, FENCE, 100, 410, NOBODY});
    EQ_INT(any(replay, "mpi_rma_early_fence", 1), 250, "early fence: until the transfer ends");
    EQ_INT(any(replay, "mpi_rma_wait_at_fence", 1), 50, "early fence: it is part of the wait");
    EQ_INT(any(replay, "mpi_rma_early_fence", 2), 0, "no early fence: it ended before");
    EQ_INT(any(replay, "mpi_rma_early_fence", 3), 0, "no early fence: there was no transfer");
    EQ_INT(any(replay, "mpi_rma_wait_at_fence", 2), 300, "no early fence: but a wait");
    EQ_INT(any(replay, "mpi_rma_early_fence", 0), 0, "no early fence: where it came from");
    replay_free(replay);
}

/* Not what was transferred before the fence before, under a lock, or by the process itself. */
static void test_just_no_early_fence(void)
{
    struct replay *replay =
        RUN({0, PUT, 10, 20, 1}, {0, FENCE, 30, 40, NOBODY}, {1, FENCE, 30, 40, NOBODY},
            {2, FENCE, 30, 40, NOBODY}, {3, FENCE, 30, 40, NOBODY}, {1, PUT, 50, 60, 1},
            {0, WIN_LOCK, 100, 110, 1}, {0, PUT, 120, 350, 1}, {0, WIN_UNLOCK, 360, 370, 1},
            {0, FENCE, 400, 410, NOBODY}, {1, FENCE, 100, 410, NOBODY},
            {2, FENCE, 400, 410, NOBODY}, {3, FENCE, 400, 410, NOBODY});
    EQ_INT(any(replay, "mpi_rma_early_fence", NOBODY), 0, "no early fence: of other epochs");
    EQ_INT(any(replay, "mpi_rma_wait_at_fence", 1), 300, "no early fence: but a wait");
    replay_free(replay);
}

/* Inclusive, as doc/waits.md has it. */
static int64_t pairs(const struct replay *replay, int process)
{
    return any(replay, "mpi_rma_pairsync_count", process) +
           any(replay, "mpi_rma_pairsync_unneeded_count", process);
}

static void test_fence_pairs(void)
{
    struct replay *replay =
        RUN({0, PUT, 10, 20, 1}, {0, PUT, 30, 40, 1}, {1, PUT, 10, 20, 0}, {2, PUT, 10, 20, 2},
            {2, PUT, 30, 40, 0}, {0, FENCE, 100, 110, NOBODY}, {1, FENCE, 100, 110, NOBODY},
            {2, FENCE, 100, 110, NOBODY}, {3, FENCE, 100, 110, NOBODY});
    EQ_INT(pairs(replay, 0), 4, "pairs: a fence joins each with all");
    EQ_INT(any(replay, "mpi_rma_pairsync_count", 0), 2,
           "pairs: with those that access it, too");
    EQ_INT(any(replay, "mpi_rma_pairsync_count", 1), 1, "pairs: both ways is one");
    EQ_INT(any(replay, "mpi_rma_pairsync_count", 2), 2, "pairs: it may be one with itself");
    EQ_INT(any(replay, "mpi_rma_pairsync_unneeded_count", 3), 4, "pairs: none was needed");
    replay_free(replay);
}

static void test_late_post(void)
{
    struct replay *replay =
        RUN({0, WIN_START, 100, 310, 1}, {1, WIN_POST, 300, 305, 0}, {0, PUT, 320, 330, 1},
            {0, WIN_COMPLETE, 400, 410, 1}, {1, WIN_WAIT, 350, 420, 0});
    EQ_INT(script_value(replay, "mpi_rma_sync_late_post", 0, WIN_START), 200,
           "start waits for the post");
    EQ_INT(any(replay, "mpi_rma_early_wait", 1), 0, "early wait: all of it is late complete");
    EQ_INT(any(replay, "mpi_rma_late_complete", 1), 50, "late complete: since the wait");
    EQ_INT(any(replay, "mpi_rma_pairsync_count", 1), 1, "one pair, which was needed");
    EQ_INT(any(replay, "mpi_rma_pairsync_count", 0), 1, "for the other process as well");
    EQ_INT(any(replay, "mpi_rma_pairsync_unneeded_count", 1), 0, "and none that was not");
    replay_free(replay);
    replay = RUN({0, WIN_START, 100, 110, 1}, {1, WIN_POST, 300, 305, 0}, {0, PUT, 120, 330, 1},
                 {0, WIN_COMPLETE, 400, 410, 1}, {1, WIN_WAIT, 405, 420, 0});
    EQ_INT(any(replay, "mpi_rma_comm_late_post", 0), 180, "a transfer waits for the post");
    EQ_INT(any(replay, "mpi_rma_sync_late_post", 0), 0, "where start did not");
    EQ_INT(any(replay, "mpi_rma_late_complete", 1), 0, "a wait after the complete");
    replay_free(replay);
}

static void test_unneeded(void)
{
    struct replay *replay = RUN({1, WIN_POST, 50, 60, 0}, {0, WIN_START, 100, 110, 1},
                                {0, WIN_COMPLETE, 400, 410, 1}, {1, WIN_WAIT, 350, 420, 0});
    EQ_INT(any(replay, "mpi_rma_pairsync_unneeded_count", 1), 1, "a pair without transfers");
    replay_free(replay);
}

static void test_lock(void)
{
    struct replay *replay = RUN({0, WIN_LOCK, 100, 110, 2}, {0, WIN_UNLOCK, 400, 410, 2},
                                {1, WIN_LOCK, 200, 420, 2}, {1, WIN_UNLOCK, 450, 460, 2});
    EQ_INT(script_value(replay, "mpi_rma_sync_lock_competition", 1, WIN_LOCK), 200,
           "a lock waits until another is given back");
    EQ_INT(any(replay, "mpi_rma_sync_lock_competition", 0), 0, "who had it does not wait");
    replay_free(replay);
    replay = RUN({0, WIN_LOCK, 100, 110, 2}, {0, WIN_UNLOCK, 400, 410, 2},
                 {1, WIN_LOCK, 200, 420, 3}, {1, WIN_UNLOCK, 450, 460, 3});
    EQ_INT(any(replay, "mpi_rma_sync_lock_competition", NOBODY), 0, "locks of two processes");
    replay_free(replay);
    replay = RUN({0, WIN_LOCK, 100, 110, 2}, {0, WIN_UNLOCK, 200, 500, 2},
                 {1, WIN_LOCK, 250, 260, 2}, {1, WIN_UNLOCK, 400, 410, 2});
    EQ_INT(any(replay, "mpi_rma_sync_lock_competition", NOBODY), 0,
           "a lock that is asked for while another one is given back holds up nobody");
    replay_free(replay);
}

static void test_progress(void)
{
    struct replay *replay = RUN({0, WIN_LOCK, 100, 110, 2}, {0, PUT, 120, 310, 2},
                                {2, RECV, 300, 320, 3}, {0, WIN_UNLOCK, 400, 410, 2});
    EQ_INT(any(replay, "mpi_rma_comm_wait_for_progress", 0), 180,
           "a transfer waits until its target calls MPI");
    replay_free(replay);
}

/* The lock is given back at 200, but the target comes at 300; then the other way round. */
static void test_progress_after_lock(void)
{
    struct replay *replay =
        RUN({1, WIN_LOCK, 100, 110, 2}, {1, WIN_UNLOCK, 200, 210, 2},
            {0, WIN_LOCK, 150, 350, 2}, {2, RECV, 300, 310, 3}, {0, WIN_UNLOCK, 360, 370, 2},
            {1, WIN_LOCK, 400, 410, 2}, {0, WIN_LOCK, 450, 650, 2}, {2, RECV, 500, 510, 3},
            {1, WIN_UNLOCK, 600, 610, 2}, {0, WIN_UNLOCK, 660, 670, 2});
    EQ_INT(any(replay, "mpi_rma_sync_wait_for_progress", 0), 150,
           "of both waits the longer one counts: for the target");
    EQ_INT(any(replay, "mpi_rma_sync_lock_competition", 0), 150, "or for the lock");
    replay_free(replay);
}

/* The lock is of all, but only process 2 is accessed. */
static void test_progress_of_all(void)
{
    struct replay *replay =
        RUN({0, WIN_LOCK, 100, 110, NOBODY}, {0, PUT, 120, 130, 2}, {2, RECV, 300, 320, 3},
            {1, RECV, 350, 360, 3}, {0, WIN_UNLOCK, 200, 410, NOBODY},
            {0, WIN_LOCK, 500, 510, NOBODY}, {2, RECV, 600, 610, 3},
            {0, WIN_UNLOCK, 520, 700, NOBODY});
    EQ_INT(any(replay, "mpi_rma_sync_wait_for_progress", 0), 100,
           "a call about all waits for those that were accessed under the lock");
    replay_free(replay);
}

/* There are two locks, each of one target, of which one is accessed. */
static void test_progress_of_several(void)
{
    struct replay *replay =
        RUN({0, WIN_LOCK, 100, 105, 1}, {0, WIN_LOCK, 110, 115, 2}, {0, PUT, 120, 130, 1},
            {0, WIN_FLUSH, 200, 510, NOBODY}, {2, RECV, 300, 320, 3}, {1, RECV, 500, 520, 3},
            {0, WIN_UNLOCK, 600, 610, 1}, {0, WIN_UNLOCK, 620, 630, 2});
    EQ_INT(any(replay, "mpi_rma_sync_wait_for_progress", 0), 300,
           "a call about all targets waits for those that were accessed, whatever the lock");
    replay_free(replay);
}

static void test_progress_of_threads(void)
{
    static const struct script_call calls[] = {
        {0, WIN_LOCK, 100, 110, 2}, {0, PUT, 120, 310, 2},       {2, RECV, 300, 320, 1},
        {3, RECV, 90, 250, 1},      {0, PUT, 400, 700, 2},       {2, RECV, 600, 610, 1},
        {3, RECV, 550, 560, 1},     {0, WIN_UNLOCK, 800, 810, 2}};
    struct replay *replay =
        script_run(&(struct script){.calls = calls,
                                    .call_count = sizeof calls / sizeof *calls,
                                    .processes = SCRIPT_PROCESSES,
                                    .end = 1000,
                                    .has_threads = true});
    EQ_INT(any(replay, "mpi_rma_comm_wait_for_progress", 0), 150,
           "nobody waits for a target one of whose threads is in MPI, or longer than for the "
           "first that comes");
    replay_free(replay);
}

int main(void)
{
    test_fence();
    test_fence_that_does_not_wait();
    test_early_fence();
    test_just_no_early_fence();
    test_fence_pairs();
    test_late_post();
    test_unneeded();
    test_lock();
    test_progress();
    test_progress_after_lock();
    test_progress_of_all();
    test_progress_of_several();
    test_progress_of_threads();
    return tap_done();
}
