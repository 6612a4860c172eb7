/*
 * waits_rma.c: waits of one-sided communication, planted, the other way round, and just not;
 * see planted.h.
 *
 * Where a call blocks is the MPI's decision, so that what is expected may be the sum over the
 * calls in which it can be.
 */
#include "planted.h"

static int memory[64], value = 1;
static MPI_Win window;

static void create(void)
{
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

static void put_to(int target)
{
    MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, window);
}

static void free_window(void)
{
    MPI_Win_free(&window);
}

static void create_at(double first, double other)
{
    until(rank == 0 ? first : other);
    mark(0);
    create();
}

static void create_late(void)
{
    create_at(2, 0);
}

static void create_in_time(void)
{
    create_at(1, 1);
}

static void free_late(void)
{
    until(rank == 0 ? 2 : 0);
    mark(0);
    MPI_Win_free(&window);
}

static void free_in_time(void)
{
    until(1);
    mark(0);
    MPI_Win_free(&window);
}

/* Fences */

static void fences(double first, double other)
{
    MPI_Win_fence(0, window);
    until(rank == 0 ? first : other);
    mark(0);
    MPI_Win_fence(0, window);
}

static void fence_late(void)
{
    fences(3, 1);
}

static void fence_in_time(void)
{
    fences(1, 1);
}

/* The last access ends one step before the fence. */
static void early_fence(void)
{
    MPI_Win_fence(0, window);
    until(rank == 0 ? 3 : 1);
    mark(0);
    if (rank == 0) {
        put_to(1);
        mark(1);
        until(4);
        mark(2);
    }
    MPI_Win_fence(0, window);
}

/* Who accesses has no transfers to wait for. */
static void fence_of_origin(void)
{
    MPI_Win_fence(0, window);
    until(1);
    if (rank == 1)
        put_to(0);
    until(rank == 0 ? 3 : 1);
    mark(0);
    MPI_Win_fence(0, window);
}

static void fence_pairs(void)
{
    mark(0);
    MPI_Win_fence(0, window);
    if (rank == 0)
        put_to(1);
    mark(1);
    MPI_Win_fence(0, window);
    mark(2);
    MPI_Win_fence(0, window);
}

/* Post, start, complete, wait: rank 0 accesses rank 1. */

static MPI_Group neighbor(void)
{
    const int other = 1 - rank;
    MPI_Group all, one;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &one);
    MPI_Group_free(&all);
    return one;
}

/* When, in steps, rank 0 starts, puts (not if below 0) and completes; rank 1 posts and waits.
 */
static struct {
    double start, put, complete, post, wait;
    bool tests;
} plan;

static void access_by_plan(MPI_Group group)
{
    until(plan.start);
    mark(0);
    MPI_Win_start(group, 0, window);
    if (plan.put >= 0) {
        until(plan.put);
        put_to(1);
        mark(1);
    }
    until(plan.complete);
    mark(2);
    MPI_Win_complete(window);
}

static void expose_by_plan(MPI_Group group)
{
    until(plan.post);
    mark(0);
    MPI_Win_post(group, 0, window);
    until(plan.wait);
    mark(1);
    if (!plan.tests)
        MPI_Win_wait(window);
    for (int flag = !plan.tests; !flag;)
        MPI_Win_test(window, &flag);
}

static void run_plan(void)
{
    MPI_Group group = neighbor();
    if (rank == 0)
        access_by_plan(group);
    else
        expose_by_plan(group);
    MPI_Group_free(&group);
}

#define PLAN(name, ...)                                                                        \
    static void name(void)                                                                     \
    {                                                                                          \
        memcpy(&plan, &(__typeof__(plan)){__VA_ARGS__}, sizeof plan);                          \
        run_plan();                                                                            \
    }

PLAN(late_post, .start = 1, .put = 1, .complete = 1, .post = 3, .wait = 3)
PLAN(post_in_time, .start = 1, .put = 1, .complete = 1, .post = 1, .wait = 1)
PLAN(early_wait, .start = 1, .put = 2, .complete = 3, .post = 0, .wait = 1)
PLAN(wait_for_access, .start = 1, .put = 3, .complete = 3, .post = 0, .wait = 1)
PLAN(without_access, .start = 1, .put = -1, .complete = 3, .post = 0, .wait = 1)
PLAN(wait_in_time, .start = 1, .put = 1, .complete = 1, .post = 0, .wait = 2)
PLAN(wait_by_test, .start = 1, .put = 2, .complete = 3, .post = 0, .wait = 1, .tests = true)

/* Locks on the window of the last rank, which is in MPI all the time unless it is to be late.
 */

static void lock(int kind, int target)
{
    MPI_Win_lock(kind, target, 0, window);
}

/* First that of rank 0, which under shared locks is sent after the other. */
static void two_messages(void)
{
    for (int source = 0; source < 2; source++) {
        mark(source);
        MPI_Recv(&memory[32], 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Rank 0 has the lock from 0 to 2, rank 1 wants it at step WANTED. */
static void two_locks(int kind, double wanted)
{
    if (rank == 2) {
        two_messages();
        return;
    }
    until(rank == 0 ? 0 : wanted);
    mark(0);
    lock(kind, 2);
    put_to(2);
    if (rank == 0) {
        MPI_Win_flush(2, window);
        until(2);
        mark(1);
    }
    MPI_Win_unlock(2, window);
    mark(2);
    MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
}

static void exclusive_lock(void)
{
    two_locks(MPI_LOCK_EXCLUSIVE, 1);
}

static void shared_lock(void)
{
    two_locks(MPI_LOCK_SHARED, 1);
}

/* It has just been given back when the other one wants it. */
static void lock_in_time(void)
{
    two_locks(MPI_LOCK_EXCLUSIVE, 2.4);
}

/* Rank 0 computes until 2; rank 1 accesses it at 0. */
static void progress(void)
{
    int flag;
    until(rank == 0 ? 2 : 0);
    mark(0);
    if (rank == 0) {
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        return;
    }
    lock(MPI_LOCK_EXCLUSIVE, 0);
    put_to(0);
    MPI_Win_unlock(0, window);
}

#define COMPETITION "mpi_rma_sync_lock_competition|mpi_rma_comm_lock_competition"
#define PROGRESS    "mpi_rma_sync_wait_for_progress|mpi_rma_comm_wait_for_progress"
#define LATE_POST   "mpi_rma_sync_late_post|mpi_rma_comm_late_post"
#define EARLY_WAIT  "mpi_rma_early_wait"
#define COMPLETE    "mpi_rma_late_complete"
#define PAIRS       "mpi_rma_pairsync_count"
#define UNNEEDED    "mpi_rma_pairsync_unneeded_count"
#define FENCE       "mpi_rma_wait_at_fence"

/* What happens on a window that is made before and freed after it. */
#define ON_WINDOW(name, ranks, ...)                                                            \
    {                                                                                          \
#name, ranks, name, {__VA_ARGS__ }, create, free_window                                \
    }
#define RECEIVED WAITS("mpi_latesender", 2, 0, 0, 2), WAITS("mpi_latesender", 2, 1, 1, 2)

static const struct planted_case cases[] = {
    {"create_late",
     2,
     create_late,
     {WAITS("mpi_rma_wait_at_create", 1, 0, 0, 0)},
     NULL,
     free_window},
    {"create_in_time",
     2,
     create_in_time,
     {EITHER("mpi_rma_wait_at_create", 0)},
     NULL,
     free_window},
    {"free_late", 2, free_late, {WAITS("mpi_rma_wait_at_free", 1, 0, 0, 0)}, create, NULL},
    {"free_in_time", 2, free_in_time, {EITHER("mpi_rma_wait_at_free", 0)}, create, NULL},
    ON_WINDOW(fence_late, 2, WAITS(FENCE, 1, 0, 0, 0)),
    ON_WINDOW(fence_in_time, 2, EITHER(FENCE, 0)),
    ON_WINDOW(early_fence, 2, WAITS(FENCE, 1, 0, 0, 2),
              WAITS("mpi_rma_early_fence", 1, 0, 0, 1)),
    ON_WINDOW(fence_of_origin, 2, WAITS(FENCE, 1, 0, 0, 0)),
    ON_WINDOW(fence_pairs, 2, COUNTS(PAIRS, 0, 6), COUNTS(PAIRS, 1, 6), COUNTS(UNNEEDED, 0, 5),
              COUNTS(UNNEEDED, 1, 5), EITHER(FENCE, 0), EITHER(FENCE, 1), EITHER(FENCE, 2)),
    ON_WINDOW(late_post, 2, WAITS(LATE_POST, 0, 0, 1, 0), COUNTS(PAIRS, 0, 1),
              COUNTS(PAIRS, 1, 1)),
    ON_WINDOW(post_in_time, 2, WAITS(LATE_POST, 0, 0, 1, 0), WAITS(EARLY_WAIT, 1, 1, 0, 2)),
    ON_WINDOW(early_wait, 2, WAITS(EARLY_WAIT, 1, 1, 0, 2),
              WAITS_AFTER(COMPLETE, 1, 1, 0, 2, 1)),
    ON_WINDOW(wait_for_access, 2, WAITS(EARLY_WAIT, 1, 1, 0, 2)),
    ON_WINDOW(without_access, 2, WAITS(EARLY_WAIT, 1, 1, 0, 2), WAITS(COMPLETE, 1, 1, 0, 2),
              COUNTS(UNNEEDED, 0, 1), COUNTS(UNNEEDED, 1, 1)),
    ON_WINDOW(wait_in_time, 2, WAITS(EARLY_WAIT, 1, 1, 0, 2)),
    ON_WINDOW(wait_by_test, 2, {0}),
    ON_WINDOW(exclusive_lock, 3, WAITS(COMPETITION, 1, 0, 0, 1), RECEIVED),
    ON_WINDOW(lock_in_time, 3, WAITS(COMPETITION, 1, 0, 0, 1), RECEIVED),
    ON_WINDOW(shared_lock, 3, RECEIVED, WAITS("mpi_latesender_wo", 2, 0, 0, 2),
              WAITS("mpi_lswo_different", 2, 0, 0, 2)),
    ON_WINDOW(progress, 2, WAITS(PROGRESS, 1, 0, 0, 0)),
};

int main(int argc, char **argv)
{
    return planted_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
