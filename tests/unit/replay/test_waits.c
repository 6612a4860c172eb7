/* Wait states of messages and collective operations, of known length, their opposites and what
 * is just none. */
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

static void test_late_sender(void)
{
    struct replay *replay = RUN(2, {1, RECV, 100, 310, 0}, {0, SEND, 300, 305, 1});
    EQ_INT(any(replay, "mpi_latesender", 1), 200, "late sender: until the send is entered");
    EQ_INT(any(replay, "mpi_point2point", 1), 10, "late sender: the rest remains the call's");
    EQ_INT(any(replay, "mpi_latesender", 0), 0, "late sender: nothing at the sender");
    EQ_INT(any(replay, "comms_recv", 1) + any(replay, "bytes_rcvd", 1), 9,
           "messages are counted");
    replay_free(replay);
    replay = RUN(2, {1, RECV, 300, 310, 0}, {0, SEND, 100, 105, 1});
    EQ_INT(any(replay, "mpi_latesender", NOBODY), 0, "no late sender: it was sent before");
    replay_free(replay);
    replay = RUN(2, {1, RECV, 300, 310, 0}, {0, SEND, 300, 305, 1});
    EQ_INT(any(replay, "mpi_latesender", NOBODY), 0, "no late sender: at the same time");
    replay_free(replay);
}

static void test_late_sender_of_request(void)
{
    struct replay *replay = RUN(2, {1, IRECV, 100, 110, NOBODY, 5}, {0, SEND, 300, 305, 1},
                                {1, WAIT, 200, 320, 0, 5});
    EQ_INT(script_value(replay, "mpi_latesender", 1, WAIT), 100,
           "the wait lies in the call that completes the receive");
    replay_free(replay);
    replay = RUN(2, {1, IRECV, 100, 110, NOBODY, 5}, {0, SEND, 300, 305, 1},
                 {1, TEST, 200, 320, 0, 5});
    EQ_INT(any(replay, "mpi_latesender", NOBODY), 0, "calls that test do not wait");
    replay_free(replay);
}

static void test_late_receiver(void)
{
    struct replay *replay = RUN(2, {0, SEND, 100, 320, 1}, {1, RECV, 300, 330, 0});
    EQ_INT(any(replay, "mpi_latereceiver", 0), 200, "late receiver: until it is posted");
    replay_free(replay);
    replay = RUN(2, {0, SEND, 100, 120, 1}, {1, RECV, 300, 330, 0});
    EQ_INT(any(replay, "mpi_latereceiver", 0), 0, "no late receiver: the send did not wait");
    replay_free(replay);
    replay = RUN(2, {0, ISEND, 100, 120, 1, 9}, {1, RECV, 300, 330, 0},
                 {0, WAIT, 200, 320, NOBODY, 9, true});
    EQ_INT(script_value(replay, "mpi_latereceiver", 0, WAIT), 100,
           "late receiver: in the call that completes the send");
    replay_free(replay);
}

static void test_wrong_order(void)
{
    struct replay *replay = RUN(3, {0, SEND, 100, 110, 2}, {1, SEND, 300, 310, 2},
                                {2, RECV, 200, 320, 1}, {2, RECV, 330, 340, 0});
    EQ_INT(any(replay, "mpi_lswo_different", 2), 100,
           "wrong order: the message of another process had been sent earlier");
    EQ_INT(any(replay, "mpi_latesender", 2) + any(replay, "mpi_latesender_wo", 2), 0,
           "wrong order: it is not counted twice");
    replay_free(replay);
    replay = RUN(3, {0, SEND, 100, 110, 2}, {1, SEND, 300, 310, 2}, {2, RECV, 120, 130, 0},
                 {2, RECV, 200, 320, 1});
    EQ_INT(any(replay, "mpi_latesender", 2), 100, "right order: a late sender all the same");
    EQ_INT(any(replay, "mpi_lswo_different", 2), 0, "right order: nothing was overtaken");
    replay_free(replay);
}

static void test_order_of_messages(void)
{
    struct replay *replay = RUN(
        2, {0, ISEND, 10, 20, 1, 1}, {0, ISEND, 300, 310, 1, 2}, {1, IRECV, 30, 40, NOBODY, 3},
        {1, IRECV, 50, 60, NOBODY, 4}, {1, WAIT, 100, 330, 0, 4}, {1, WAIT, 400, 410, 0, 3},
        {0, WAIT, 500, 510, NOBODY, 1, true}, {0, WAIT, 520, 530, NOBODY, 2, true});
    EQ_INT(any(replay, "mpi_latesender", 1) + any(replay, "mpi_lswo_same", 1), 200,
           "the second receive that was posted gets the second message");
    replay_free(replay);
}

static void test_probe(void)
{
    struct replay *replay =
        RUN(2, {1, MPROBE, 100, 310, NOBODY}, {0, SEND, 300, 305, 1}, {1, MRECV, 320, 330, 0});
    EQ_INT(script_value(replay, "mpi_latesender", 1, MPROBE), 200,
           "MPI_Mprobe waits for the message that is received next");
    EQ_INT(script_value(replay, "mpi_latesender", 1, MRECV), 0, "and not its receive");
    replay_free(replay);
}

static void test_buffered(void)
{
    struct replay *replay = RUN(2, {0, BSEND, 100, 320, 1}, {1, RECV, 300, 330, 0});
    EQ_INT(any(replay, "mpi_latereceiver", 0), 0, "a buffered send waits for nobody");
    replay_free(replay);
}

/* The receive that was posted first completes last: what was told of it comes later. */
static void test_wrong_order_of_requests(void)
{
    struct replay *replay = RUN(3, {0, SEND, 100, 110, 2}, {1, SEND, 300, 310, 2},
                                {2, IRECV, 10, 20, NOBODY, 3}, {2, IRECV, 30, 40, NOBODY, 4},
                                {2, WAIT, 200, 320, 1, 4}, {2, WAIT, 330, 340, 0, 3});
    EQ_INT(any(replay, "mpi_lswo_different", 2), 100,
           "wrong order, where the earlier message has the earlier receive");
    replay_free(replay);
}

static void test_request_of_all(void)
{
    struct replay *replay = RUN(
        4, {0, IALLREDUCE, 10, 20, NOBODY, 1}, {1, IALLREDUCE, 10, 20, NOBODY, 1},
        {2, IALLREDUCE, 10, 20, NOBODY, 1}, {3, IALLREDUCE, 250, 260, NOBODY, 1},
        {0, WAIT_COLLECTIVE, 100, 320, NOBODY, 1}, {1, WAIT_COLLECTIVE, 100, 320, NOBODY, 1},
        {2, WAIT_COLLECTIVE, 100, 320, NOBODY, 1}, {3, WAIT_COLLECTIVE, 300, 320, NOBODY, 1});
    EQ_INT(any(replay, "mpi_wait_nxn", 0), 150,
           "an operation that does not block: in the call that completes it");
    EQ_INT(any(replay, "mpi_nxn_completion", 0), 0, "and nothing after the first has left");
    replay_free(replay);
}

static void test_barrier(void)
{
    struct replay *replay =
        RUN(4, {0, BARRIER, 100, 520, NOBODY}, {1, BARRIER, 200, 530, NOBODY},
            {2, BARRIER, 500, 540, NOBODY}, {3, BARRIER, 300, 510, NOBODY});
    EQ_INT(any(replay, "mpi_barrier_wait", 0), 400, "barrier: until the last comes");
    EQ_INT(any(replay, "mpi_barrier_wait", 2), 0, "barrier: the last does not wait");
    EQ_INT(any(replay, "mpi_barrier_completion", 2), 30, "barrier: after the first has left");
    EQ_INT(any(replay, "mpi_barrier_completion", 3), 0, "barrier: the first to leave");
    EQ_INT(any(replay, "mpi_sync_collective", 1), 10, "barrier: the rest");
    replay_free(replay);
}

static void test_rooted(void)
{
    struct replay *replay = RUN(4, {0, BCAST, 100, 520, 2}, {1, BCAST, 600, 610, 2},
                                {2, BCAST, 500, 540, 2}, {3, BCAST, 50, 60, 2});
    EQ_INT(any(replay, "mpi_latebroadcast", 0), 400, "broadcast: until the root comes");
    EQ_INT(any(replay, "mpi_latebroadcast", 1), 0, "broadcast: one that came later");
    EQ_INT(any(replay, "mpi_latebroadcast", 3), 10, "broadcast: cut to the call");
    replay_free(replay);
    replay = RUN(4, {0, REDUCE, 100, 520, 0}, {1, REDUCE, 300, 310, 0},
                 {2, REDUCE, 500, 510, 0}, {3, REDUCE, 400, 410, 0});
    EQ_INT(any(replay, "mpi_earlyreduce", 0), 200, "reduction: until the first has come");
    EQ_INT(any(replay, "mpi_earlyreduce", NOBODY), 200, "reduction: only the root waits");
    replay_free(replay);
    replay = RUN(4, {0, SCAN, 300, 310, NOBODY}, {1, SCAN, 100, 320, NOBODY},
                 {2, SCAN, 200, 330, NOBODY}, {3, SCAN, 500, 510, NOBODY});
    EQ_INT(any(replay, "mpi_earlyscan", 1), 200, "scan: until the lower ranks have come");
    EQ_INT(any(replay, "mpi_earlyscan", 2), 100, "scan: the last of them counts");
    EQ_INT(any(replay, "mpi_earlyscan", 0) + any(replay, "mpi_earlyscan", 3), 0,
           "scan: the first rank and the last to come");
    replay_free(replay);
}

static void test_between_groups(void)
{
    struct replay *replay = RUN(4, {0, ALLREDUCE, 100, 420, NOBODY, .between = true},
                                {1, ALLREDUCE, 300, 420, NOBODY, .between = true},
                                {2, ALLREDUCE, 200, 430, NOBODY, .between = true},
                                {3, ALLREDUCE, 250, 440, NOBODY, .between = true});
    EQ_INT(any(replay, "mpi_wait_nxn", 0), 150, "intercommunicator: for the other group");
    EQ_INT(any(replay, "mpi_wait_nxn", 2), 100, "and the other way round");
    replay_free(replay);
}

static void test_setup(void)
{
    struct replay *replay =
        RUN(4, {0, INIT, 10, 100, NOBODY}, {1, INIT, 10, 110, NOBODY},
            {2, INIT, 10, 150, NOBODY}, {3, INIT, 10, 130, NOBODY},
            {0, FINALIZE, 900, 960, NOBODY}, {1, FINALIZE, 800, 960, NOBODY},
            {2, FINALIZE, 950, 960, NOBODY}, {3, FINALIZE, 940, 960, NOBODY});
    EQ_INT(any(replay, "mpi_init_completion", 2), 50, "MPI_Init: after the first has left");
    EQ_INT(any(replay, "mpi_finalize_wait", 1), 150, "MPI_Finalize: until the last comes");
    replay_free(replay);
}

int main(void)
{
    test_late_sender();
    test_late_sender_of_request();
    test_late_receiver();
    test_wrong_order();
    test_order_of_messages();
    test_probe();
    test_buffered();
    test_wrong_order_of_requests();
    test_request_of_all();
    test_barrier();
    test_rooted();
    test_between_groups();
    test_setup();
    return tap_done();
}
