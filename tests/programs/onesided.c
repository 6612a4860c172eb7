/*
 * onesided.c: one-sided communication by all ways of synchronizing it, with what each call
 * moves and joins stated beside it.
 *
 * Everyone works on the right-hand neighbour's window; the last one, where the line ends, on
 * MPI_PROC_NULL's, which moves nothing.  Epochs count where they begin, flushes each; a fence
 * joins all ranks, an epoch of post and start its group.
 */
#include "program.h"

#include <tsprof.h>

enum { WINDOW_INTS = 256 };

static MPI_Win window;
static int *memory;
static int left, right; /* MPI_PROC_NULL at the ends */
static int length;
static uint64_t sum = CHECKSUM_START;

static void count_moved(const char *function, const char *call, const char *kind, int target,
                        long long put, long long got)
{
    counts_visit(function, call);
    if (target == MPI_PROC_NULL)
        return;
    counts_add(function, call, kind, 1);
    counts_add(function, call, "bytes_put", put);
    counts_add(function, call, "bytes_get", got);
}

#define COUNT_MOVED(call, kind, target, put, got)                                              \
    count_moved(__func__, #call, kind, target, put, got)
#define COUNT_SYNC(call, epochs, pairs)                                                        \
    (COUNT_VISIT(call), counts_add(__func__, #call, "syncs_rma", epochs),                      \
     counts_add(__func__, #call, "pairs_rma", pairs))

PATH_FUNCTION static void fence(int assertion)
{
    MPI_Win_fence(assertion, window);
    COUNT_SYNC(MPI_Win_fence, 1, program_ranks);
}

PATH_FUNCTION static void put(const int *data)
{
    MPI_Put(data, length, MPI_INT, right, 0, length, MPI_INT, window);
    COUNT_MOVED(MPI_Put, "comms_put", right, 4 * length, 0);
}

PATH_FUNCTION static void get(int *data)
{
    MPI_Get(data, length, MPI_INT, right, 0, length, MPI_INT, window);
    COUNT_MOVED(MPI_Get, "comms_get", right, 0, 4 * length);
}

PATH_FUNCTION static void accumulate(const int *data)
{
    MPI_Accumulate(data, length, MPI_INT, right, 0, length, MPI_INT, MPI_SUM, window);
    COUNT_MOVED(MPI_Accumulate, "comms_atomic", right, 4 * length, 0);
}

PATH_FUNCTION static void get_accumulate(const int *data, int *before)
{
    MPI_Get_accumulate(data, length, MPI_INT, before, length, MPI_INT, right, 0, length,
                       MPI_INT, MPI_SUM, window);
    COUNT_MOVED(MPI_Get_accumulate, "comms_atomic", right, 4 * length, 4 * length);
}

/* What MPI_NO_OP ignores must not be looked at. */
PATH_FUNCTION static void get_by_accumulate(int *before)
{
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, before, length, MPI_INT, right, 0, length,
                       MPI_INT, MPI_NO_OP, window);
    COUNT_MOVED(MPI_Get_accumulate, "comms_atomic", right, 0, 4 * length);
}

PATH_FUNCTION static void fetch_and_op(const int *value, int *before)
{
    MPI_Fetch_and_op(value, before, MPI_INT, right, 0, MPI_SUM, window);
    COUNT_MOVED(MPI_Fetch_and_op, "comms_atomic", right, 4, 4);
}

PATH_FUNCTION static void fetch(int *before)
{
    MPI_Fetch_and_op(NULL, before, MPI_INT, right, 0, MPI_NO_OP, window);
    COUNT_MOVED(MPI_Fetch_and_op, "comms_atomic", right, 0, 4);
}

/* Two values go out: the new one and the one to compare with. */
PATH_FUNCTION static void compare_and_swap(const int *value, const int *expected, int *before)
{
    MPI_Compare_and_swap(value, expected, before, MPI_INT, right, 0, window);
    COUNT_MOVED(MPI_Compare_and_swap, "comms_atomic", right, 8, 4);
}

PATH_FUNCTION static void complete_request(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    COUNT_VISIT(MPI_Wait);
}

PATH_FUNCTION static void by_request(const int *data, int *got)
{
    MPI_Request request;
    MPI_Rput(data, length, MPI_INT, right, 0, length, MPI_INT, window, &request);
    COUNT_MOVED(MPI_Rput, "comms_put", right, 4 * length, 0);
    complete_request(&request);
    MPI_Rget(got, length, MPI_INT, right, 0, length, MPI_INT, window, &request);
    COUNT_MOVED(MPI_Rget, "comms_get", right, 0, 4 * length);
    complete_request(&request);
    MPI_Raccumulate(data, length, MPI_INT, right, 0, length, MPI_INT, MPI_SUM, window,
                    &request);
    COUNT_MOVED(MPI_Raccumulate, "comms_atomic", right, 4 * length, 0);
    complete_request(&request);
    MPI_Rget_accumulate(data, length, MPI_INT, got, length, MPI_INT, right, 0, length, MPI_INT,
                        MPI_SUM, window, &request);
    COUNT_MOVED(MPI_Rget_accumulate, "comms_atomic", right, 4 * length, 4 * length);
    complete_request(&request);
}

#if MPI_VERSION >= 4
PATH_FUNCTION static void put_large(const int *data)
{
    MPI_Put_c(data, length, MPI_INT, right, 0, length, MPI_INT, window);
    COUNT_MOVED(MPI_Put_c, "comms_put", right, 4 * length, 0);
}
#endif

PATH_FUNCTION static void between_fences(const int *data, int *got)
{
    fence(MPI_MODE_NOPRECEDE);
    put(data);
    fence(0);
    get(got);
#if MPI_VERSION >= 4
    fence(0);
    put_large(data);
#endif
    fence(MPI_MODE_NOSUCCEED);
}

/* The group of one neighbour, or of nobody. */
PATH_FUNCTION static MPI_Group group_of(int neighbor)
{
    MPI_Group all, group;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    COUNT_VISIT(MPI_Comm_group);
    MPI_Group_incl(all, neighbor != MPI_PROC_NULL, &neighbor, &group);
    COUNT_VISIT(MPI_Group_incl);
    MPI_Group_free(&all);
    COUNT_VISIT(MPI_Group_free);
    return group;
}

/* However often it was asked, the epoch is one. */
PATH_FUNCTION static void wait_by_test(void)
{
    int done = 0;
    while (!done) {
        MPI_Win_test(window, &done);
        COUNT_VISIT(MPI_Win_test);
    }
}

PATH_FUNCTION static void wait_at_once(void)
{
    MPI_Win_wait(window);
    COUNT_VISIT(MPI_Win_wait);
}

PATH_FUNCTION static void with_neighbors(MPI_Group origins, MPI_Group targets, const int *data,
                                         int tests)
{
    MPI_Win_post(origins, 0, window);
    COUNT_SYNC(MPI_Win_post, 1, left != MPI_PROC_NULL);
    MPI_Win_start(targets, 0, window);
    COUNT_SYNC(MPI_Win_start, 1, right != MPI_PROC_NULL);
    accumulate(data);
    MPI_Win_complete(window);
    COUNT_VISIT(MPI_Win_complete);
    if (tests)
        wait_by_test();
    else
        wait_at_once();
}

PATH_FUNCTION static void under_lock(const int *data, int *got)
{
    const int target = right == MPI_PROC_NULL ? program_rank : right;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
    COUNT_SYNC(MPI_Win_lock, 1, 0);
    put(data);
    MPI_Win_flush(target, window);
    COUNT_SYNC(MPI_Win_flush, 1, 0);
    get_accumulate(data, got);
    MPI_Win_flush_local(target, window);
    COUNT_SYNC(MPI_Win_flush_local, 1, 0);
    MPI_Win_unlock(target, window);
    COUNT_VISIT(MPI_Win_unlock);
}

PATH_FUNCTION static void under_all_locks(const int *data, int *got)
{
    MPI_Win_lock_all(0, window);
    COUNT_SYNC(MPI_Win_lock_all, 1, 0);
    get_by_accumulate(got);
    fetch_and_op(data, got);
    MPI_Win_flush_all(window);
    COUNT_SYNC(MPI_Win_flush_all, 1, 0);
    fetch(got);
    compare_and_swap(data, data + 1, got);
    MPI_Win_flush_local_all(window);
    COUNT_SYNC(MPI_Win_flush_local_all, 1, 0);
    by_request(data, got);
    MPI_Win_sync(window);
    COUNT_VISIT(MPI_Win_sync);
    MPI_Win_unlock_all(window);
    COUNT_VISIT(MPI_Win_unlock_all);
}

PATH_FUNCTION static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    COUNT_BARRIER(MPI_Barrier);
}

PATH_FUNCTION static void set_up(void)
{
    left = program_rank > 0 ? program_rank - 1 : MPI_PROC_NULL;
    right = program_rank < program_ranks - 1 ? program_rank + 1 : MPI_PROC_NULL;
    MPI_Win_allocate(WINDOW_INTS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &window);
    COUNT_VISIT(MPI_Win_allocate);
    memset(memory, 0, WINDOW_INTS * sizeof(int));
}

/*
 * Windows of different sizes in turn, which may have each other's handles: alone, with all, and
 * both in turn.
 */
PATH_FUNCTION static void fence_others(void)
{
    const MPI_Win first = window;
    for (int i = 0; i < 4; i++) {
        const int own = i % 2;
        MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, own ? MPI_COMM_SELF : MPI_COMM_WORLD,
                       &window);
        COUNT_VISIT(MPI_Win_create);
        for (int turn = 0; turn < 3; turn++) {
            MPI_Win_fence(0, window);
            COUNT_SYNC(MPI_Win_fence, 1, own ? 1 : program_ranks);
            MPI_Win_fence(0, first);
            COUNT_SYNC(MPI_Win_fence, 1, program_ranks);
        }
        MPI_Win_free(&window);
        COUNT_VISIT(MPI_Win_free);
    }
    window = first;
}

PATH_FUNCTION static void release(void)
{
    MPI_Win_free(&window);
    COUNT_VISIT(MPI_Win_free);
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {6, 100, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    static int data[WINDOW_INTS], got[WINDOW_INTS];
    uint64_t random = (uint64_t)options.seed;

    program_start(&argc, &argv);
    set_up();
    const MPI_Group origins = group_of(left), targets = group_of(right);
    for (int i = 0; i < WINDOW_INTS; i++)
        data[i] = 1 + program_rank + i;

    for (int i = 0; i < options.iterations; i++) {
        length = 2 + (int)(random_next(&random) % (uint64_t)options.size);
        TSPROF_ITERATION_BEGIN("step");
        counts_iteration(i);
        between_fences(data, got);
        meet();
        with_neighbors(origins, targets, data, i % 2);
        meet();
        under_lock(data, got);
        meet();
        under_all_locks(data, got);
        meet();
        fence_others();
        sum = checksum_add(sum, memory, WINDOW_INTS * sizeof(int));
        TSPROF_ITERATION_END("step");
    }
    counts_iteration(-1);

    release();
    program_end("onesided", sum, &options);
    return 0;
}
