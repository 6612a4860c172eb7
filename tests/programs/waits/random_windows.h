/* Steps of waits_random.c: one-sided communication of every kind, by every synchronization. */
#ifndef RANDOM_WINDOWS_H
#define RANDOM_WINDOWS_H

#include "random_plan.h"

/* Where a rank writes; every other place is read only. */
static void transfer(int operation, int target, MPI_Win to)
{
    switch (operation) {
    case 0:
        MPI_Put(out, 1, MPI_INT, target, program_rank, 1, MPI_INT, to);
        break;
    case 1:
        MPI_Get(in, 1, MPI_INT, target, program_rank, 1, MPI_INT, to);
        break;
    case 2:
        MPI_Accumulate(out, 1, MPI_INT, target, program_rank, 1, MPI_INT, MPI_SUM, to);
        break;
    case 3:
        MPI_Get_accumulate(out, 1, MPI_INT, in, 1, MPI_INT, target, program_rank, 1, MPI_INT,
                           MPI_SUM, to);
        break;
    case 4:
        MPI_Fetch_and_op(out, in, MPI_INT, target, program_rank, MPI_SUM, to);
        break;
    default:
        MPI_Compare_and_swap(out, out, in, MPI_INT, target, program_rank, to);
        break;
    }
}

enum { TRANSFERS = 6 };

/* Each rank reaches some others, and itself. */
static void between_fences(void)
{
    const int rounds = 1 + draw(3), step = draw(program_ranks);
    compute();
    MPI_Win_fence(0, window);
    for (int i = 0; i < rounds; i++) {
        const int operation = draw(TRANSFERS), other = draw(TRANSFERS), both = draw(2);
        compute();
        if ((program_rank + i) % 2)
            transfer(operation, (program_rank + step) % program_ranks, window);
        compute();
        if (both)
            transfer(other, (program_rank + i) % program_ranks, window);
        compute();
        MPI_Win_fence(0, window);
    }
}

/* Everyone exposes its window to some others, and accesses those that expose theirs to it. */
static void in_groups(void)
{
    const int reach = 1 + draw(program_ranks - 1), operation = draw(TRANSFERS);
    const bool tests = draw(3) == 0, is_used = draw(3);
    int done = 0, before[MOST_RANKS], after[MOST_RANKS];
    MPI_Group all, origins, targets;
    for (int i = 0; i < reach; i++) {
        after[i] = (program_rank + 1 + i) % program_ranks;
        before[i] = (program_rank + program_ranks - 1 - i) % program_ranks;
    }
    MPI_Comm_group(comms[0], &all);
    MPI_Group_incl(all, reach, before, &origins);
    MPI_Group_incl(all, reach, after, &targets);
    compute();
    MPI_Win_post(origins, 0, window);
    compute();
    MPI_Win_start(targets, 0, window);
    for (int i = 0; is_used && i < reach; i += 2) {
        compute();
        transfer(operation, after[i], window);
    }
    compute();
    MPI_Win_complete(window);
    compute();
    while (tests && !done) {
        MPI_Win_test(window, &done);
        rest();
    }
    if (!tests)
        MPI_Win_wait(window);
    MPI_Group_free(&all);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
}

static void by_requests(int target)
{
    MPI_Request requests[3];
    MPI_Rput(out, 1, MPI_INT, target, program_rank, 1, MPI_INT, window, &requests[0]);
    MPI_Raccumulate(out, 1, MPI_INT, target, program_rank, 1, MPI_INT, MPI_SUM, window,
                    &requests[1]);
    MPI_Rget(in, 1, MPI_INT, target, program_rank, 1, MPI_INT, window, &requests[2]);
    compute();
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

/* One rank may want its target for itself, the others want all at once. */
static void under_locks(void)
{
    const int alone = draw(program_ranks + 1), target = draw(program_ranks);
    const int operation = draw(TRANSFERS), flush = draw(5), asks = draw(2);
    compute();
    if (program_rank == alone)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
    else
        MPI_Win_lock_all(0, window);
    transfer(operation, target, window);
    compute();
    if (flush == 0)
        MPI_Win_flush(target, window);
    else if (flush == 1)
        MPI_Win_flush_local(target, window);
    else if (flush == 2 && program_rank != alone)
        MPI_Win_flush_all(window);
    else if (flush == 3 && program_rank != alone)
        MPI_Win_flush_local_all(window);
    if (asks)
        by_requests(target);
    compute();
    if (program_rank == alone)
        MPI_Win_unlock(target, window);
    else
        MPI_Win_unlock_all(window);
    MPI_Barrier(comms[0]);
}

/* A window that comes and goes, of all or of a half, beside the other. */
static void another_window(void)
{
    const int operation = draw(4), use = draw(2);
    MPI_Comm comm = comms[draw(2)];
    MPI_Win other;
    int *place, size;
    MPI_Comm_size(comm, &size);
    compute();
    MPI_Win_allocate(MOST_RANKS * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &place,
                     &other);
    if (use) {
        int rank;
        MPI_Comm_rank(comm, &rank);
        MPI_Win_fence(0, other);
        compute();
        transfer(operation, (rank + 1) % size, other);
        MPI_Win_fence(0, other);
    }
    compute();
    MPI_Win_free(&other);
}

#endif
