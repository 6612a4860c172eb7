/*
 * What collectives move, as seen from their arguments, on an MPI that is played by this test.
 * Arguments that MPI does not look at are NULL or absurd here: looking at them crashes or is
 * seen.
 */
#include "wrappers/mpi_rules.h"

#include "library/typed.h"
#include "tap.h"

#include <string.h>

/* The communicator that MPI is asked about. */
static struct {
    int size, rank, inter, remote;
} comm;

static unsigned bad_types; /* look-ups of a type that is none */

static int test_inter(MPI_Comm handle, int *flag)
{
    (void)handle;
    *flag = comm.inter;
    return MPI_SUCCESS;
}

static int size(MPI_Comm handle, int *value)
{
    (void)handle;
    *value = comm.size;
    return MPI_SUCCESS;
}

static int remote_size(MPI_Comm handle, int *value)
{
    (void)handle;
    *value = comm.remote;
    return MPI_SUCCESS;
}

static int rank(MPI_Comm handle, int *value)
{
    (void)handle;
    *value = comm.rank;
    return MPI_SUCCESS;
}

static int type_size(MPI_Datatype type, MPI_Count *bytes)
{
    bad_types += type == MPI_DATATYPE_NULL;
    *bytes = type == MPI_INT ? 4 : 8;
    return MPI_SUCCESS;
}

static void play(enum mpi_call call, void *function)
{
    memcpy(&mpi_real_table[1][call], &function, sizeof function);
}

static struct thread thread;
static struct level level;
static struct counted_mpi_call call;

/* Open MPI's handles are addresses in a library that is not there. */
static void play_handles(void)
{
#ifdef OPEN_MPI
    static char objects[OBJECT_COUNT];
    for (int i = 0; i < OBJECT_COUNT; i++)
        mpi_objects[i] = &objects[i];
#endif
}

static void start(void)
{
    static struct profile profile;
    play_handles();
    play(CALL_MPI_Comm_test_inter, test_inter);
    play(CALL_MPI_Comm_size, size);
    play(CALL_MPI_Comm_remote_size, remote_size);
    play(CALL_MPI_Comm_rank, rank);
    play(CALL_MPI_Type_size_x, type_size);
    layouts_start();
    NEED(arena_create_async(&thread.arena, 1 << 20) == 0);
    NEED(cct_create(&thread.tree, &thread.arena, 100));
    NEED(profile_create_async(&profile, &thread.tree, &thread.arena));
    level.profile = &profile;
    thread.level = &level;
    call = (struct counted_mpi_call){.thread = &thread, .leaf = thread.tree.other};
}

/* The value of METRIC since the last call of this, for all calls in between. */
static int64_t moved(enum metric metric)
{
    int64_t *cells = profile_cells_async(level.profile, &thread.tree, thread.tree.other);
    return cells[layout_table[LAYOUT_EVERYTHING].cell_of[metric]];
}

static void check(int64_t out, int64_t in, const char *what)
{
    EQ_INT(moved(METRIC_bytes_coll_out), out, "%s: bytes out", what);
    EQ_INT(moved(METRIC_bytes_coll_in), in, "%s: bytes in", what);
    profile_clear_async(level.profile);
}

#define NO_TYPE MPI_DATATYPE_NULL

static const struct count_array no_counts = {NULL, sizeof(int)};
static const int three_counts[] = {1, 2, 3};
static const struct count_array counts = {three_counts, sizeof(int)};

static void test_members_of_a_communicator(void)
{
    const void *buffer = &comm;
    comm.size = 3, comm.rank = 1, comm.inter = 0;
    rule_gatherv(&call, buffer, 5, MPI_INT, no_counts, NO_TYPE, 0, MPI_COMM_WORLD);
    check(20, 0, "gatherv, not the root");
    rule_gatherv(&call, buffer, 5, MPI_INT, counts, MPI_INT, 1, MPI_COMM_WORLD);
    check(20, 24, "gatherv, the root");
    rule_gatherv(&call, MPI_IN_PLACE, -9, NO_TYPE, counts, MPI_INT, 1, MPI_COMM_WORLD);
    check(0, 16, "gatherv, the root in place");
    rule_scatterv(&call, no_counts, NO_TYPE, buffer, 5, MPI_INT, 0, MPI_COMM_WORLD);
    check(0, 20, "scatterv, not the root");
    rule_scatterv(&call, counts, MPI_INT, MPI_IN_PLACE, -9, NO_TYPE, 1, MPI_COMM_WORLD);
    check(16, 0, "scatterv, the root in place");
    rule_allgatherv(&call, MPI_IN_PLACE, -9, NO_TYPE, counts, MPI_INT, MPI_COMM_WORLD);
    check(2 * 8, 16, "allgatherv in place");
    rule_alltoallv(&call, MPI_IN_PLACE, no_counts, NO_TYPE, counts, MPI_INT, MPI_COMM_WORLD);
    check(16, 16, "alltoallv in place");
    rule_alltoallw(&call, MPI_IN_PLACE, no_counts, NULL, counts,
                   (const MPI_Datatype[]){MPI_INT, NO_TYPE, MPI_DOUBLE}, MPI_COMM_WORLD);
    check(28, 28, "alltoallw in place");
    EQ_INT(bad_types, 0, "no type was asked about that is none");
}

static void test_the_two_sides_of_an_intercommunicator(void)
{
    const void *buffer = &comm;
    comm.size = 2, comm.remote = 3, comm.inter = 1;
    for (comm.rank = 0; comm.rank < 2; comm.rank++) {
        rule_gather(&call, NULL, -9, NO_TYPE, -9, NO_TYPE, MPI_PROC_NULL, MPI_COMM_WORLD);
        check(0, 0, "gather beside the root");
        rule_gatherv(&call, NULL, -9, NO_TYPE, no_counts, NO_TYPE, MPI_PROC_NULL,
                     MPI_COMM_WORLD);
        check(0, 0, "gatherv beside the root");
        rule_scatter(&call, -9, NO_TYPE, NULL, -9, NO_TYPE, MPI_PROC_NULL, MPI_COMM_WORLD);
        check(0, 0, "scatter beside the root");
        rule_scatterv(&call, no_counts, NO_TYPE, NULL, -9, NO_TYPE, MPI_PROC_NULL,
                      MPI_COMM_WORLD);
        check(0, 0, "scatterv beside the root");
        rule_bcast(&call, -9, NO_TYPE, MPI_PROC_NULL, MPI_COMM_WORLD);
        check(0, 0, "bcast beside the root");
        rule_reduce(&call, NULL, -9, NO_TYPE, MPI_PROC_NULL, MPI_COMM_WORLD);
        check(0, 0, "reduce beside the root");
        rule_gatherv(&call, NULL, -9, NO_TYPE, counts, MPI_INT, MPI_ROOT, MPI_COMM_WORLD);
        check(0, 24, "gatherv, the root");
        rule_gatherv(&call, buffer, 5, MPI_INT, no_counts, NO_TYPE, 0, MPI_COMM_WORLD);
        check(20, 0, "gatherv, the other side");
        rule_bcast(&call, 5, MPI_INT, MPI_ROOT, MPI_COMM_WORLD);
        check(60, 0, "bcast, the root");
        rule_bcast(&call, 5, MPI_INT, 0, MPI_COMM_WORLD);
        check(0, 20, "bcast, the other side");
    }
    EQ_INT(bad_types, 0, "no type was asked about that is none");
}

static void test_messages_to_nobody(void)
{
    rule_send(&call, -9, NO_TYPE, MPI_PROC_NULL);
    rule_put(&call, -9, NO_TYPE, MPI_PROC_NULL);
    rule_get(&call, -9, NO_TYPE, MPI_PROC_NULL);
    rule_receive(&call, &(MPI_Status){.MPI_SOURCE = MPI_PROC_NULL});
    EQ_INT(moved(METRIC_comms_send) + moved(METRIC_syncs_send) + moved(METRIC_comms_put) +
               moved(METRIC_comms_get) + moved(METRIC_comms_recv) + moved(METRIC_syncs_recv),
           0, "are none");
    rule_send(&call, 0, MPI_INT, 0);
    EQ_INT(moved(METRIC_syncs_send), 1, "one of no bytes synchronizes");
    rule_send(&call, INT64_C(1) << 33, MPI_DOUBLE, 0);
    EQ_INT(moved(METRIC_bytes_sent), INT64_C(1) << 36, "and one can be huge");
    EQ_INT(bad_types, 0, "no type was asked about that is none");
}

int main(void)
{
    start();
    test_members_of_a_communicator();
    test_the_two_sides_of_an_intercommunicator();
    test_messages_to_nobody();
    arena_destroy_async(&thread.arena);
    return tap_done();
}
