/* Slow slaves and an overloaded master, what looks like them, and who is a master. */
#include "replay/script.h"
#include "tap.h"

#define RUN(count, ...)                                                                        \
    script_run(                                                                                \
        &(struct script){.calls = (const struct script_call[]){__VA_ARGS__},                   \
                         .call_count = sizeof((const struct script_call[]){__VA_ARGS__}) /     \
                                       sizeof(struct script_call),                             \
                         .processes = (count),                                                 \
                         .end = 1000})

static int64_t any(const struct replay *replay, const char *metric, int process)
{
    return script_value(replay, metric, process, SCRIPT_REGIONS);
}

static int64_t of_masters(const struct replay *replay)
{
    return any(replay, "mpi_slow_slaves", NOBODY) +
           any(replay, "mpi_overloaded_master_send", NOBODY) +
           any(replay, "mpi_overloaded_master_recv", NOBODY);
}

/* Master 1 gets results at 200, 300 and 400, and answers all of them at once. */
static void test_slow_slaves(void)
{
    struct replay *replay =
        RUN(4, {1, RECV, 100, 210, 0}, {1, RECV, 220, 310, 2}, {1, RECV, 320, 410, 3},
            {0, SEND, 200, 205, 1}, {2, SEND, 300, 305, 1}, {3, SEND, 400, 405, 1},
            {1, SEND, 420, 425, 0}, {1, SEND, 430, 435, 2}, {1, SEND, 440, 445, 3},
            {0, RECV, 250, 450, 1}, {2, RECV, 450, 460, 1}, {3, RECV, 450, 460, 1});
    EQ_INT(any(replay, "mpi_slow_slaves", 1), 100 + 80 + 80, "slow slaves: all of its waits");
    EQ_INT(any(replay, "mpi_latesender", 1), 0, "they are no late senders besides");
    EQ_INT(any(replay, "mpi_slow_slaves", NOBODY), 260, "nobody else's");
    EQ_INT(any(replay, "mpi_overloaded_master_send", 0), 170 - 50 - 80,
           "a slave waits for the master, but not while that waits itself");
    EQ_INT(any(replay, "mpi_latesender", 0), 50 + 80, "the rest is a late sender");
    replay_free(replay);
}

/* Master 1 has all results, and works on each for 100. */
static void test_overloaded(void)
{
    struct replay *replay =
        RUN(4, {0, SEND, 100, 105, 1}, {2, SEND, 100, 105, 1}, {3, SEND, 100, 350, 1},
            {1, RECV, 120, 130, 0}, {1, RECV, 140, 150, 2}, {1, SEND, 200, 205, 0},
            {1, SEND, 300, 305, 2}, {1, RECV, 340, 360, 3}, {1, SEND, 400, 405, 3},
            {0, RECV, 110, 210, 1}, {2, RECV, 110, 310, 1}, {3, RECV, 405, 410, 1});
    EQ_INT(any(replay, "mpi_overloaded_master_send", 0), 90, "overloaded: until it sends");
    EQ_INT(any(replay, "mpi_overloaded_master_send", 2), 190, "the next waits for longer");
    EQ_INT(any(replay, "mpi_overloaded_master_send", 3), 0, "this one not at all");
    EQ_INT(any(replay, "mpi_overloaded_master_recv", 3), 240, "but until it receives");
    EQ_INT(any(replay, "mpi_latesender", NOBODY) + any(replay, "mpi_latereceiver", NOBODY) +
               any(replay, "mpi_slow_slaves", NOBODY),
           0, "and nothing else");
    replay_free(replay);
}

/* Waits of the master in wrong order are counted once. */
static void test_wrong_order(void)
{
    struct replay *replay =
        RUN(4, {0, SEND, 100, 105, 1}, {2, SEND, 300, 305, 1}, {3, SEND, 100, 105, 1},
            {1, RECV, 200, 310, 2}, {1, RECV, 320, 330, 0}, {1, RECV, 340, 350, 3},
            {1, SEND, 400, 405, 0}, {1, SEND, 410, 415, 2}, {1, SEND, 420, 425, 3},
            {0, RECV, 450, 460, 1}, {2, RECV, 450, 460, 1}, {3, RECV, 450, 460, 1});
    EQ_INT(any(replay, "mpi_lswo_different", 1), 100, "wrong order at the master");
    EQ_INT(of_masters(replay), 0, "it is not counted twice");
    replay_free(replay);
}

/* The same waits, but one thing or another is missing. */
static void test_no_master(void)
{
    struct replay *replay =
        RUN(3, {1, RECV, 100, 210, 0}, {0, SEND, 200, 205, 1}, {1, RECV, 220, 310, 2},
            {2, SEND, 300, 305, 1}, {1, SEND, 320, 325, 0}, {1, SEND, 330, 335, 2},
            {0, RECV, 400, 410, 1}, {2, RECV, 400, 410, 1});
    EQ_INT(of_masters(replay), 0, "of three in a row nobody is the master");
    EQ_INT(any(replay, "mpi_latesender", 1), 180, "late senders they are");
    replay_free(replay);
    replay = RUN(4, {1, RECV, 100, 210, 0}, {0, SEND, 200, 205, 1}, {1, RECV, 220, 310, 2},
                 {2, SEND, 300, 305, 1}, {1, RECV, 320, 410, 3}, {3, SEND, 400, 405, 1});
    EQ_INT(of_masters(replay), 0, "who only collects is no master");
    replay_free(replay);
    replay = RUN(4, {1, RECV, 100, 210, 0}, {0, SEND, 200, 205, 1}, {0, RECV, 210, 310, 1},
                 {1, SEND, 300, 305, 0}, {3, RECV, 100, 210, 2}, {2, SEND, 200, 205, 3},
                 {2, RECV, 210, 310, 3}, {3, SEND, 300, 305, 2});
    EQ_INT(of_masters(replay), 0, "nor is one of two pairs");
    replay_free(replay);
}

/* The caller says who the master is, though messages alone would not. */
static void test_named(void)
{
    script_master = 1;
    struct replay *replay =
        RUN(3, {1, RECV, 100, 210, 0}, {0, SEND, 200, 205, 1}, {1, RECV, 220, 310, 2},
            {2, SEND, 300, 305, 1}, {1, SEND, 420, 425, 0}, {0, RECV, 250, 430, 1});
    EQ_INT(any(replay, "mpi_slow_slaves", 1), 100 + 80, "the master that was named waits");
    EQ_INT(any(replay, "mpi_overloaded_master_send", 0), 170 - 50, "and is waited for");
    replay_free(replay);
    script_master = 2;
    replay = RUN(3, {1, RECV, 100, 210, 0}, {0, SEND, 200, 205, 1}, {1, RECV, 220, 310, 2},
                 {2, SEND, 300, 305, 1}, {1, SEND, 320, 325, 0}, {0, RECV, 400, 410, 1});
    EQ_INT(any(replay, "mpi_overloaded_master_send", 1), 80, "another one is waited for less");
    EQ_INT(any(replay, "mpi_slow_slaves", NOBODY), 0, "and waits for nobody");
    script_master = NOBODY;
    replay_free(replay);
}

int main(void)
{
    test_slow_slaves();
    test_overloaded();
    test_wrong_order();
    test_no_master();
    test_named();
    return tap_done();
}
