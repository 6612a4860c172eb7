/*
 * waits_random.c: calls of all kinds that may wait, in an order and with computation between
 * them that follow from a seed, to compare two implementations of the wait states on what comes
 * of it.
 *
 *     waits_random [--iterations ROUNDS] [--size MOST US] [--seed N]
 *
 * All ranks draw the same plan from the seed; how long a rank computes, less than MOST
 * microseconds each time, it draws itself, and so which steps of a round lie in its iteration:
 * in some rounds it has none, so that iterations of one number are not the same on all ranks.
 *
 * WAITS_RANDOM=plain in the environment leaves out what not every analyser can read:
 * intercommunicators, threads, files, and all steps of the random_*.h; iterations are rounds.
 */
#include "random_collectives.h"
#include "random_files.h"
#include "random_messages.h"
#include "random_plan.h"
#include "random_threads.h"
#include "random_windows.h"

#include <tsprof.h>

struct message {
    int source, dest, tag, bytes, mode;
};

static void draw_messages(struct message *list)
{
    const int tags = new_tags();
    for (int i = 0; i < MESSAGES; i++) {
        list[i].source = draw(program_ranks);
        list[i].dest = (list[i].source + 1 + draw(program_ranks - 1)) % program_ranks;
        /* A receive from anybody must not take what a rank sends in the next step. */
        list[i].tag = tags + i % 4;
        list[i].bytes = draw(3) ? SMALL : LARGE;
        list[i].mode = draw(3);
    }
}

static int start_sends(const struct message *list, MPI_Request *requests)
{
    int count = 0;
    for (int i = 0; i < MESSAGES; i++) {
        if (list[i].source != program_rank)
            continue;
        compute();
        if (list[i].mode == 0)
            MPI_Isend(outgoing[i], list[i].bytes, MPI_BYTE, list[i].dest, list[i].tag, comms[0],
                      &requests[count++]);
        else if (list[i].mode == 1)
            MPI_Issend(outgoing[i], list[i].bytes, MPI_BYTE, list[i].dest, list[i].tag,
                       comms[0], &requests[count++]);
        else {
            MPI_Send_init(outgoing[i], list[i].bytes, MPI_BYTE, list[i].dest, list[i].tag,
                          comms[0], &requests[count]);
            MPI_Start(&requests[count++]);
        }
    }
    return count;
}

static void complete(int count, MPI_Request *requests, int way)
{
    MPI_Status statuses[2 * MESSAGES];
    int index, indices[2 * MESSAGES], done = 0;
    compute();
    switch (way) {
    case 0:
        MPI_Waitall(count, requests, statuses);
        break;
    case 1:
        for (int i = 0; i < count; i++)
            MPI_Waitany(count, requests, &index, statuses);
        break;
    case 2:
        for (int left = count; left > 0; left -= done)
            MPI_Waitsome(count, requests, &done, indices, statuses);
        break;
    default:
        for (int i = count - 1; i >= 0; i--)
            MPI_Wait(&requests[i], statuses);
        break;
    }
    for (int i = 0; i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
}

/* Sends are started; receives block, in the order of the plan or the other way round. */
static void in_any_order(void)
{
    struct message list[MESSAGES];
    MPI_Request requests[MESSAGES];
    MPI_Message found;
    draw_messages(list);
    const bool backwards = draw(2);
    const int way = draw(4), probes = draw(3);
    const int count = start_sends(list, requests);
    for (int at = 0; at < MESSAGES; at++) {
        const int i = backwards ? MESSAGES - 1 - at : at;
        if (list[i].dest != program_rank)
            continue;
        compute();
        if (probes == 0) {
            MPI_Mprobe(list[i].source, list[i].tag, comms[0], &found, MPI_STATUS_IGNORE);
            MPI_Mrecv(incoming[i], LARGE, MPI_BYTE, &found, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(incoming[i], LARGE, MPI_BYTE,
                     probes == 1 ? MPI_ANY_SOURCE : list[i].source, list[i].tag, comms[0],
                     MPI_STATUS_IGNORE);
        }
    }
    complete(count, requests, way);
}

/* Receives are posted before; all is completed together. */
static void posted_before(void)
{
    struct message list[MESSAGES];
    MPI_Request requests[2 * MESSAGES];
    int count = 0;
    draw_messages(list);
    const int way = draw(4);
    compute();
    for (int i = 0; i < MESSAGES; i++)
        if (list[i].dest == program_rank)
            MPI_Irecv(incoming[i], LARGE, MPI_BYTE, list[i].source, list[i].tag, comms[0],
                      &requests[count++]);
    count += start_sends(list, requests + count);
    complete(count, requests, way);
}

static void around(void)
{
    const int right = (program_rank + 1) % program_ranks;
    const int left = (program_rank + program_ranks - 1) % program_ranks;
    const int bytes = draw(2) ? SMALL : LARGE;
    compute();
    MPI_Sendrecv(outgoing[0], bytes, MPI_BYTE, right, 9, incoming[0], bytes, MPI_BYTE, left, 9,
                 comms[0], MPI_STATUS_IGNORE);
}

/* A blocking send of even ranks to odd ones. */
static void by_blocking(void)
{
    const int other = program_rank ^ 1, bytes = draw(2) ? SMALL : LARGE;
    if (other >= program_ranks)
        return;
    compute();
    if (program_rank % 2)
        MPI_Recv(incoming[0], bytes, MPI_BYTE, other, 10, comms[0], MPI_STATUS_IGNORE);
    else
        MPI_Send(outgoing[0], bytes, MPI_BYTE, other, 10, comms[0]);
}

static void collective(void)
{
    const int operation = draw(12), root = draw(program_ranks / 2); /* in the half, too */
    MPI_Comm comm = comms[draw(2)];
    compute();
    switch (operation) {
    case 0:
        MPI_Barrier(comm);
        break;
    case 1:
        MPI_Bcast(in, 1, MPI_INT, root, comm);
        break;
    case 2:
        MPI_Scatter(out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
        break;
    case 3:
        MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, root, comm);
        break;
    case 4:
        MPI_Gatherv(out, 1, MPI_INT, in, counts, offsets, MPI_INT, root, comm);
        break;
    case 5:
        MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, comm);
        break;
    case 6:
        MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm);
        break;
    case 7:
        MPI_Alltoallv(out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, comm);
        break;
    case 8:
        MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, comm);
        break;
    case 9:
        MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, comm);
        break;
    case 10:
        MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, comm);
        break;
    default:
        MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, comms[2]);
        break;
    }
}

/* Two are under way at a time. */
static void not_blocking(void)
{
    MPI_Request requests[2];
    const int first = draw(3), way = draw(4), root = draw(program_ranks);
    compute();
    if (first == 0)
        MPI_Ibarrier(comms[0], &requests[0]);
    else if (first == 1)
        MPI_Ibcast(out, 1, MPI_INT, root, comms[0], &requests[0]);
    else
        MPI_Ireduce(out, in, 1, MPI_INT, MPI_SUM, root, comms[0], &requests[0]);
    compute();
    MPI_Iallreduce(out + 4, in + 4, 1, MPI_INT, MPI_SUM, comms[0], &requests[1]);
    complete(2, requests, way);
}

static void fences(void)
{
    const int pairs = draw(3);
    compute();
    MPI_Win_fence(0, window);
    compute();
    if (program_rank < pairs)
        MPI_Put(out, 1, MPI_INT, program_ranks - 1 - program_rank, 0, 1, MPI_INT, window);
    compute();
    MPI_Win_fence(0, window);
}

/* Everyone accesses the next one. */
static void epochs(void)
{
    const int right = (program_rank + 1) % program_ranks;
    const int left = (program_rank + program_ranks - 1) % program_ranks;
    const bool accesses = draw(3);
    MPI_Group all, before, after;
    MPI_Comm_group(comms[0], &all);
    MPI_Group_incl(all, 1, &left, &before);
    MPI_Group_incl(all, 1, &right, &after);
    compute();
    MPI_Win_post(before, 0, window);
    compute();
    MPI_Win_start(after, 0, window);
    if (accesses)
        MPI_Put(out, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    compute();
    MPI_Win_complete(window);
    compute();
    MPI_Win_wait(window);
    MPI_Group_free(&all);
    MPI_Group_free(&before);
    MPI_Group_free(&after);
}

static void locks(void)
{
    const int kind = draw(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE,
              target = draw(program_ranks);
    compute();
    MPI_Win_lock(kind, target, 0, window);
    MPI_Accumulate(out, 1, MPI_INT, target, program_rank, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(target, window);
    compute();
    MPI_Win_unlock(target, window);
    MPI_Barrier(comms[0]);
}

static void (*const steps[])(void) = {
    in_any_order, posted_before, around, by_blocking, collective, not_blocking, fences, epochs,
    locks, collective, around, in_any_order,
    /* From here on not in plain ones. */
    in_all_modes, in_all_modes, exchange, cancel, carry, carry, by_parts, by_lengths,
    between_groups, in_the_background, of_neighbors, again_and_again, between_fences, in_groups,
    under_locks, another_window, in_file, in_file, with_threads};

enum { PLAIN_STEPS = 12, STEPS = sizeof steps / sizeof *steps, ROUND = 4 };

static bool is_plain;

/* Where processes may be on any number of threads, some libraries have windows only in memory
 * that they allocate themselves. */
static void make_window(void)
{
    int *place;
    if (is_plain)
        MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comms[0], &window);
    else
        MPI_Win_allocate(sizeof memory, sizeof(int), MPI_INFO_NULL, comms[0], &place, &window);
}

static void set_up(void)
{
    for (int i = 0; i < MOST_RANKS; i++) {
        counts[i] = 1;
        offsets[i] = i;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(comms[0], program_rank % 2, 0, &comms[1]);
    if (is_plain)
        MPI_Comm_dup(comms[1], &comms[2]);
    else
        MPI_Intercomm_create(comms[1], 0, comms[0], 1 - program_rank % 2, 0, &comms[2]);
    make_window();
    if (is_plain)
        return;
    MPI_Buffer_attach(buffered, sizeof buffered);
    make_neighbors();
    open_file();
    open_threads();
}

static void tear_down_all(void)
{
    void *buffer;
    int size;
    if (carries)
        carry();
    close_threads();
    close_file();
    free_neighbors();
    MPI_Buffer_detach(&buffer, &size);
}

static void tear_down(void)
{
    if (!is_plain)
        tear_down_all();
    compute();
    MPI_Win_free(&window);
    for (int i = 2; i >= 0; i--)
        MPI_Comm_free(&comms[i]);
}

/* All of a round, but which steps of it lie in the iteration. */
static void choose_iteration(int *first, int *end)
{
    const int own = is_plain ? 2 : (int)(random_next(&chance) % 10);
    const bool has_none = own == 9;
    *first = has_none ? ROUND : own < 2 ? own : 0;
    *end = has_none ? 0 : own < 2 ? ROUND : ROUND - own % 2;
}

static void take_round(void)
{
    int first, end;
    choose_iteration(&first, &end);
    for (int i = 0; i < ROUND; i++) {
        if (i == first)
            TSPROF_ITERATION_BEGIN("round");
        steps[draw(is_plain ? PLAIN_STEPS : STEPS)]();
        if (i + 1 == end)
            TSPROF_ITERATION_END("round");
    }
}

static void start(int *argc, char ***argv)
{
    int provided;
    if (is_plain) {
        program_start(argc, argv);
        return;
    }
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &program_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &program_ranks);
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {12, 2000, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    const char *wanted = getenv("WAITS_RANDOM");
    is_plain = wanted && !strcmp(wanted, "plain");
    start(&argc, &argv);
    if (program_ranks > MOST_RANKS || program_ranks < 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    plan = (uint64_t)options.seed;
    chance = plan * 31 + (uint64_t)program_rank + 1;
    most_us = options.size > 0 ? options.size : 1;
    set_up();
    for (int i = 0; i < options.iterations; i++)
        take_round();
    tear_down();
    program_end("waits_random", CHECKSUM_START, &options);
    return 0;
}
