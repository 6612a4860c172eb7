/*
 * Wavefronts that change their direction: sweeps through grids whose times are computed here,
 * so that it is known who waits for how long, and what looks like them.
 */
#include "replay/replay.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 24, EVENTS = 20000, SEND = 0, RECV = 1, PLACES = 3 * PROCESSES };

static const struct replay_region regions[] = {
    {METRIC_mpi_point2point, true, true, false, false, ROLE_NONE, "MPI_Send"},
    {METRIC_mpi_point2point, true, true, false, false, ROLE_NONE, "MPI_Recv"}};

struct timed {
    struct replay_event event;
    size_t order;
};

/* A job whose processes are numbered along the last axis first. */
struct job {
    unsigned axes;
    uint32_t sizes[3], count;
    uint64_t clock[PROCESSES];
    uint64_t sent[PROCESSES][3]; /* when the last message along an axis was */
    uint64_t expected[8];        /* waiting, by direction */
    uint64_t other;              /* the rest of it */
    struct timed events[EVENTS];
    size_t event_count;
};

static struct job job;

static void start(uint32_t planes, uint32_t rows, uint32_t columns)
{
    const uint32_t sizes[3] = {planes, rows, columns};
    memset(&job, 0, sizeof job);
    for (unsigned i = planes == 1; i < 3; i++)
        job.sizes[job.axes++] = sizes[i];
    job.count = planes * rows * columns;
    for (uint32_t i = 0; i < job.count; i++)
        job.clock[i] = 1000;
}

static uint32_t stride(unsigned axis)
{
    uint32_t stride = 1;
    for (unsigned i = axis + 1; i < job.axes; i++)
        stride *= job.sizes[i];
    return stride;
}

static uint32_t place(uint32_t process, unsigned axis)
{
    return process / stride(axis) % job.sizes[axis];
}

/* Whom PROCESS has UPPER or LOWER of it; REPLAY_NONE: nobody. */
static uint32_t next_to(uint32_t process, unsigned axis, bool upper)
{
    if (place(process, axis) == (upper ? job.sizes[axis] - 1 : 0))
        return REPLAY_NONE;
    return upper ? process + stride(axis) : process - stride(axis);
}

static void add(uint32_t process, enum replay_kind kind, uint32_t region, uint32_t peer)
{
    if (job.event_count == EVENTS)
        abort();
    job.events[job.event_count] = (struct timed){{.kind = kind,
                                                  .thread = process,
                                                  .time_ns = job.clock[process],
                                                  .instance = REPLAY_NONE,
                                                  .region = region,
                                                  .peer = peer,
                                                  .comm = 0,
                                                  .window = REPLAY_NONE,
                                                  .root = REPLAY_NONE,
                                                  .bytes = 8,
                                                  .bytes_received = 8,
                                                  .request = REPLAY_NO_REQUEST},
                                                 job.event_count};
    job.event_count++;
}

/* Sends to PEER; returns when the call was entered. */
static uint64_t send_to(uint32_t process, uint32_t peer)
{
    const uint64_t ns = job.clock[process];
    add(process, REPLAY_ENTER, SEND, 0);
    add(process, REPLAY_SEND, SEND, peer);
    job.clock[process] += 1;
    add(process, REPLAY_LEAVE, SEND, 0);
    return ns;
}

/* Receives what PEER sent at SENT_NS; returns how long it waited. */
static uint64_t receive_from(uint32_t process, uint32_t peer, uint64_t sent_ns)
{
    const uint64_t ns = job.clock[process];
    add(process, REPLAY_ENTER, RECV, 0);
    job.clock[process] = (sent_ns > ns ? sent_ns : ns) + 1;
    add(process, REPLAY_RECEIVE, RECV, peer);
    add(process, REPLAY_LEAVE, RECV, 0);
    return sent_ns > ns ? sent_ns - ns : 0;
}

/* One process's part of a block of a sweep from DIRECTION; the first block refills. */
static void pass(uint32_t process, unsigned direction, bool refills, bool last_axis_first)
{
    for (unsigned i = 0; i < job.axes; i++) {
        const unsigned axis = last_axis_first ? job.axes - 1 - i : i;
        const uint32_t from = next_to(process, axis, direction >> axis & 1);
        if (from != REPLAY_NONE)
            *(refills ? &job.expected[direction] : &job.other) +=
                receive_from(process, from, job.sent[from][axis]);
    }
    job.clock[process] += 20 + 7 * (process % 3);
    for (unsigned axis = 0; axis < job.axes; axis++) {
        const uint32_t to = next_to(process, axis, !(direction >> axis & 1));
        if (to != REPLAY_NONE)
            job.sent[process][axis] = send_to(process, to);
    }
}

/* All processes from the corner on; the order of numbers, each axis from its side, will do. */
static void sweep(unsigned direction, unsigned blocks, bool last_axis_first)
{
    for (unsigned block = 0; block < blocks; block++)
        for (uint32_t i = 0; i < job.count; i++) {
            uint32_t process = 0;
            for (unsigned axis = 0; axis < job.axes; axis++) {
                const uint32_t at = place(i, axis);
                process +=
                    stride(axis) * (direction >> axis & 1 ? job.sizes[axis] - 1 - at : at);
            }
            pass(process, direction, block == 0, last_axis_first);
        }
}

static int compare(const void *a, const void *b)
{
    const struct timed *one = a, *other = b;
    if (one->event.time_ns != other->event.time_ns)
        return one->event.time_ns < other->event.time_ns ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

/* Numbers and ranks of processes, and the world that they are in. */
static uint32_t numbers[PROCESSES];
static struct replay_comm comm;
static struct replay_world world;

static struct replay *run(const struct replay_grid *grids, size_t grid_count)
{
    for (uint32_t i = 0; i < PROCESSES; i++)
        numbers[i] = i;
    comm = (struct replay_comm){numbers, NULL, job.count, 0};
    world = (struct replay_world){.regions = regions,
                                  .region_count = 2,
                                  .processes = numbers,
                                  .thread_count = job.count,
                                  .process_count = job.count,
                                  .rank_count = job.count,
                                  .comms = &comm,
                                  .comm_count = 1,
                                  .grids = grids,
                                  .grid_count = grid_count};
    struct replay *replay = replay_create(&world);
    qsort(job.events, job.event_count, sizeof *job.events, compare);
    for (size_t i = 0; i < job.event_count; i++)
        replay_take(replay, &job.events[i].event);
    replay_end(replay);
    return replay;
}

/* Of all processes, exclusive. */
static uint64_t value(const struct replay *replay, const char *metric)
{
    struct replay_result result;
    int64_t sum = 0;
    replay_result(replay, &result);
    for (size_t i = 0; i < result.path_count; i++)
        for (uint32_t at = result.paths[i].first_value; at != REPLAY_NONE;
             at = result.values[at].next)
            if (strcmp(result.metrics[result.values[at].metric].name, metric) == 0)
                sum += result.values[at].value;
    return (uint64_t)sum;
}

static const char *const in_plane[] = {"nw", "sw", "ne", "se"};
static const char *const in_space[] = {"nwu", "nwd", "swu", "swd", "neu", "ned", "seu", "sed"};

static uint64_t refill(const struct replay *replay, const char *suffix)
{
    char name[32];
    snprintf(name, sizeof name, "wavefront_refill_%s", suffix);
    return value(replay, name);
}

static uint64_t any_refill(const struct replay *replay)
{
    uint64_t sum = value(replay, "wavefront_refill");
    for (unsigned i = 0; i < 4; i++)
        sum += refill(replay, in_plane[i]);
    for (unsigned i = 0; i < 8; i++)
        sum += refill(replay, in_space[i]);
    return sum;
}

/* The direction that a suffix stands for: bit K is set if it comes from the upper side of axis
 * K; the axes are up and down, north and south, west and east, without the first in a plane. */
static unsigned direction_of(const char *suffix)
{
    const unsigned plane = (unsigned)(suffix[0] == 's') | (unsigned)(suffix[1] == 'e') << 1;
    return suffix[2] ? plane << 1 | (unsigned)(suffix[2] == 'd') : plane;
}

static void check(const char *what, const struct replay *replay)
{
    const char *const *suffixes = job.axes == 2 ? in_plane : in_space;
    for (unsigned i = 0; i < 1u << job.axes; i++)
        EQ_INT(refill(replay, suffixes[i]), job.expected[direction_of(suffixes[i])], "%s: %s",
               what, suffixes[i]);
    uint64_t all = job.other;
    for (unsigned i = 0; i < 8; i++)
        all += job.expected[i];
    EQ_INT(value(replay, "mpi_latesender") + value(replay, "mpi_lswo_different"), all,
           "%s: all of it is waiting for late senders", what);
}

/* Again and again from all corners. */
static void sweep_from_all(unsigned blocks, bool last_axis_first)
{
    for (unsigned round = 0; round < 2; round++)
        for (unsigned direction = 0; direction < 1u << job.axes; direction++)
            sweep(direction, blocks, last_axis_first);
}

static void test_plane(void)
{
    start(1, 3, 4);
    sweep_from_all(3, false);
    OK(job.expected[0] > 0 && job.expected[1] > 0 && job.expected[2] > 0 &&
           job.expected[3] > 0 && job.other > 0,
       "there is waiting of all kinds");
    struct replay *replay = run(NULL, 0);
    check("a grid that follows from the messages", replay);
    replay_free(replay);
    start(1, 3, 4);
    sweep_from_all(1, true);
    replay = run(NULL, 0);
    check("one block each, the other axis first", replay);
    replay_free(replay);
    start(1, 2, 2);
    sweep_from_all(2, false);
    replay = run(NULL, 0);
    check("four processes", replay);
    replay_free(replay);
}

static void test_space(void)
{
    start(2, 3, 4);
    sweep_from_all(2, false);
    struct replay *replay = run(NULL, 0);
    check("three axes", replay);
    replay_free(replay);
}

/* Two sweeps from one corner are one. */
static void test_same_direction(void)
{
    start(1, 3, 4);
    sweep(0, 2, false);
    const uint64_t filled = job.expected[0];
    sweep(0, 2, false);
    job.other += job.expected[0] - filled;
    job.expected[0] = filled;
    struct replay *replay = run(NULL, 0);
    check("the same direction again", replay);
    replay_free(replay);
}

/* All send to all their neighbours, then receive from them; or with one after the other. */
static void exchange(bool in_turn)
{
    static uint64_t sent[PROCESSES][6];
    for (unsigned turn = 0; turn < (in_turn ? 2 * job.axes : 1); turn++) {
        for (uint32_t i = 0; i < job.count; i++)
            for (unsigned k = 0; k < 2 * job.axes; k++) {
                const uint32_t to = next_to(i, k / 2, k % 2);
                if (to != REPLAY_NONE && (!in_turn || k == turn))
                    sent[i][k] = send_to(i, to);
            }
        for (uint32_t i = 0; i < job.count; i++)
            for (unsigned k = 0; k < 2 * job.axes; k++) {
                const uint32_t from = next_to(i, k / 2, !(k % 2));
                if (from != REPLAY_NONE && (!in_turn || k == turn))
                    receive_from(i, from, sent[from][k]);
            }
    }
    for (uint32_t i = 0; i < job.count; i++)
        job.clock[i] += 10 + 100 * (i % 3);
}

static void test_exchange(void)
{
    for (unsigned in_turn = 0; in_turn < 2; in_turn++)
        for (uint32_t rows = 2; rows <= 3; rows++) {
            start(1, rows, 4);
            for (unsigned i = 0; i < 5; i++)
                exchange(in_turn);
            struct replay *replay = run(NULL, 0);
            OK(value(replay, "mpi_latesender") > 0, "who exchanges with all waits");
            EQ_INT(any_refill(replay), 0, "but not for a wavefront");
            replay_free(replay);
        }
}

/* The program's grid has the axes the other way round: what came from the south comes from the
 * east there.  A line, and a grid in which nobody is a neighbour, are of no use. */
static void test_given(void)
{
    static uint32_t turned[PLACES], line[PROCESSES], far[PLACES];
    static const uint32_t sizes[] = {4, 1, 3}, line_size[] = {12}, far_sizes[] = {24, 24};
    start(1, 3, 4);
    sweep_from_all(2, false);
    for (uint32_t i = 0; i < job.count; i++) {
        turned[3 * i] = i % 4;
        turned[3 * i + 1] = 0;
        turned[3 * i + 2] = i / 4;
        line[i] = i;
        far[2 * i] = 2 * i;
        far[2 * i + 1] = 0;
    }
    const struct replay_grid grids[] = {
        {line_size, 1, line}, {far_sizes, 2, far}, {sizes, 3, turned}};
    const uint64_t south_west = job.expected[1];
    job.expected[1] = job.expected[2];
    job.expected[2] = south_west;
    struct replay *replay = run(grids, 3);
    check("the program's grid", replay);
    replay_free(replay);
}

/* Messages that go everywhere form no grid. */
static void test_no_grid(void)
{
    start(1, 3, 4);
    sweep_from_all(2, false);
    for (unsigned i = 0; i < 100; i++)
        receive_from(11, 0, send_to(0, 11));
    struct replay *replay = run(NULL, 0);
    OK(value(replay, "mpi_latesender") > 0, "late senders without a grid");
    EQ_INT(any_refill(replay), 0, "are no refill");
    replay_free(replay);
}

int main(void)
{
    test_plane();
    test_space();
    test_same_direction();
    test_exchange();
    test_given();
    test_no_grid();
    return tap_done();
}
