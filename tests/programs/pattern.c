/*
 * pattern.c: one pattern of communication; pattern.F90 is the same in Fortran, and says more.
 *
 *     pattern FILE
 */
#include "counts.h"

#define ROOM 1024
#define TAG  7

static int rank, ranks, left, right;
static int out[ROOM], in[ROOM], lengths[64], places[64];
static MPI_Datatype strided;
static MPI_Comm world, ring;
static char *path, buffer[20000];

PATH_FUNCTION static void pattern_set_up(void)
{
    const int periods[1] = {1};
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    right = (rank + 1) % ranks;
    left = (rank + ranks - 1) % ranks;
    for (int i = 0; i < ROOM; i++)
        out[i] = 1000 * rank + i + 1;
    for (int i = 0; i < ranks; i++) {
        lengths[i] = i + 1;
        places[i] = 16 * i;
    }
    MPI_Type_vector(2, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    MPI_Cart_create(world, 1, &ranks, periods, 0, &ring);
    __asm__ volatile("");
}

PATH_FUNCTION static void pattern_blocking(void)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;
    void *detached;
    int bytes;
    MPI_Irecv(in, ROOM, MPI_INT, left, TAG, world, &request);
    MPI_Send(out, 3, MPI_INT, right, TAG, world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(in, ROOM, MPI_INT, left, TAG, world, &request);
    MPI_Ssend(out, 2, strided, right, TAG, world);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &bytes);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend(out, 5, MPI_INT, right, TAG, world);
    MPI_Recv(in, ROOM, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    MPI_Bsend(out, 0, MPI_INT, right, TAG, world);
    MPI_Recv(in, ROOM, MPI_INT, left, TAG, world, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &bytes);
    MPI_Sendrecv(out, 4, MPI_INT, right, TAG, in, ROOM, MPI_INT, left, TAG, world, &status);
    MPI_Sendrecv_replace(in, 6, MPI_INT, right, TAG, left, TAG, world, MPI_STATUS_IGNORE);
    MPI_Isend(out, 7, MPI_INT, right, TAG, world, &request);
    MPI_Mprobe(left, TAG, world, &message, &status);
    MPI_Mrecv(in, ROOM, MPI_INT, &message, &status);
    MPI_Wait(&request, &status);
    MPI_Isend(out, 8, MPI_INT, right, TAG, world, &request);
    MPI_Probe(left, TAG, world, &status);
    MPI_Recv(in, ROOM, MPI_INT, left, TAG, world, MPI_STATUS_IGNORE);
    MPI_Wait(&request, &status);
    MPI_Send(out, 9, MPI_INT, MPI_PROC_NULL, TAG, world);
    MPI_Recv(in, 9, MPI_INT, MPI_PROC_NULL, TAG, world, &status);
    MPI_Sendrecv(out, 6, MPI_INT, right, TAG, in + 500, 6, MPI_INT, left, TAG, world, &status);
    __asm__ volatile("");
}

/* Two receives, of 3 and of 0 integers, and what sends them. */
PATH_FUNCTION static void post_two(MPI_Request requests[4])
{
    MPI_Irecv(in, 100, MPI_INT, left, TAG, world, &requests[0]);
    MPI_Irecv(in + 100, 100, MPI_INT, left, TAG + 1, world, &requests[1]);
    MPI_Isend(out, 3, MPI_INT, right, TAG, world, &requests[2]);
    MPI_Issend(out, 0, MPI_INT, right, TAG + 1, world, &requests[3]);
    __asm__ volatile("");
}

PATH_FUNCTION static void pattern_waits(void)
{
    MPI_Request requests[4];
    MPI_Status statuses[4], status;
    int indx, count, indices[4];
    post_two(requests);
    MPI_Waitall(4, requests, statuses);
    post_two(requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    post_two(requests);
    for (int i = 0; i < 4; i++)
        MPI_Waitany(4, requests, &indx, &status);
    post_two(requests);
    for (int left_over = 4; left_over > 0; left_over -= count)
        MPI_Waitsome(4, requests, &count, indices, statuses);
    post_two(requests);
    for (int i = 0; i < 4; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Irecv(in, 100, MPI_INT, left, TAG + 2, world, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    __asm__ volatile("");
}

PATH_FUNCTION static void pattern_tests(void)
{
    MPI_Request requests[4];
    MPI_Status statuses[4], status;
    int indx, count, flag, indices[4];
    post_two(requests);
    for (int i = 0; i < 4; i++)
        do
            MPI_Test(&requests[i], &flag, &status);
        while (!flag);
    post_two(requests);
    do
        MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
    post_two(requests);
    for (int left_over = 4; left_over > 0; left_over -= flag)
        MPI_Testany(4, requests, &indx, &flag, &status);
    post_two(requests);
    for (int left_over = 4; left_over > 0; left_over -= count)
        MPI_Testsome(4, requests, &count, indices, statuses);
    __asm__ volatile("");
}

PATH_FUNCTION static void pattern_persistent(void)
{
    MPI_Request requests[2];
    MPI_Recv_init(in, ROOM, MPI_INT, left, TAG, world, &requests[0]);
    MPI_Send_init(out, 5, MPI_INT, right, TAG, world, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    __asm__ volatile("");
}

PATH_FUNCTION static void pattern_collectives(void)
{
    MPI_Barrier(world);
    MPI_Bcast(out, 3, MPI_INT, 1, world);
    MPI_Gather(out, 3, MPI_INT, in, 3, MPI_INT, 1, world);
    MPI_Gatherv(out, rank + 1, MPI_INT, in, lengths, places, MPI_INT, 0, world);
    MPI_Scatter(out, 2, strided, in, 4, MPI_INT, 0, world);
    MPI_Scatterv(out, lengths, places, MPI_INT, in, rank + 1, MPI_INT, 0, world);
    MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, world);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, 2, MPI_INT, world);
    MPI_Allgatherv(out, rank + 1, MPI_INT, in, lengths, places, MPI_INT, world);
    MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, world);
    MPI_Reduce(out, in, 4, MPI_INT, MPI_SUM, 1, world);
    MPI_Allreduce(out, in, 4, MPI_INT, MPI_MAX, world);
    MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_MAX, world);
    MPI_Reduce_scatter(out, in, lengths, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, world);
    MPI_Scan(out, in, 3, MPI_INT, MPI_SUM, world);
    MPI_Exscan(out, in, 3, MPI_INT, MPI_SUM, world);
    MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, ring);
    MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, ring);
    __asm__ volatile("");
}

PATH_FUNCTION static void pattern_nonblocking_collectives(void)
{
    MPI_Request requests[3];
    MPI_Comm comm;
    MPI_Ibarrier(world, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Ibcast(out, 3, MPI_INT, 0, world, &requests[0]);
    MPI_Iallreduce(out, in, 3, MPI_INT, MPI_SUM, world, &requests[1]);
    MPI_Igather(out, 3, MPI_INT, in + 100, 3, MPI_INT, 0, world, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_dup(world, &comm);
    MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    __asm__ volatile("");
}

PATH_FUNCTION static void pattern_one_sided(void)
{
    static int memory[64], compare;
    MPI_Win win;
    MPI_Group everyone, group;
    MPI_Request request;
    MPI_Win_create(memory, 256, 4, MPI_INFO_NULL, world, &win);
    MPI_Win_fence(0, win);
    MPI_Put(out, 3, MPI_INT, right, 0, 3, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(in, 4, MPI_INT, right, 0, 4, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(out, 5, MPI_INT, right, 0, 5, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Fetch_and_op(out, in, MPI_INT, right, 0, MPI_SUM, win);
    MPI_Win_flush(right, win);
    MPI_Compare_and_swap(out, &compare, in, MPI_INT, right, 0, win);
    MPI_Rget(in + 100, 2, MPI_INT, right, 0, 2, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(right, win);
    MPI_Barrier(world);
    MPI_Comm_group(world, &everyone);
    MPI_Group_incl(everyone, 1, &left, &group);
    MPI_Win_post(group, 0, win);
    MPI_Group_free(&group);
    MPI_Group_incl(everyone, 1, &right, &group);
    MPI_Win_start(group, 0, win);
    MPI_Put(out, 6, MPI_INT, right, 0, 6, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&group);
    MPI_Group_free(&everyone);
    MPI_Win_free(&win);
    __asm__ volatile("");
}

PATH_FUNCTION static void pattern_files(void)
{
    const MPI_Offset place = 32 * rank;
    MPI_File file;
    MPI_Request request;
    MPI_Status status;
    MPI_File_open(world, path, MPI_MODE_RDWR + MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, place, out, 8, MPI_INT, &status);
    MPI_File_write_at_all(file, place, out, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(world);
    MPI_File_read_at(file, place, in, 4, MPI_INT, &status);
    MPI_File_read_at_all(file, place, in, 6, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, place, MPI_SEEK_SET);
    MPI_File_read(file, in, 2, MPI_INT, &status);
    MPI_File_read_ordered(file, in, 3, MPI_INT, &status);
    MPI_File_iread_at(file, place, in, 5, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_File_iwrite_at(file, place, out, 5, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_begin(file, place, in, 7, MPI_INT);
    MPI_File_read_at_all_end(file, in, &status);
    MPI_File_write_all_begin(file, out, 2, MPI_INT);
    MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    __asm__ volatile("");
}

PATH_FUNCTION static void pattern_attributes(void)
{
    void *value;
    int key, found, sum = 0;
    MPI_Win win;
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, world, &win);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(ring, key, &in[0]);
    MPI_Comm_get_attr(ring, key, &value, &found);
    sum += found;
    MPI_Comm_delete_attr(ring, key);
    MPI_Comm_get_attr(ring, key, &value, &found);
    sum += found;
    MPI_Comm_free_keyval(&key);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Type_set_attr(strided, key, &in[1]);
    MPI_Type_get_attr(strided, key, &value, &found);
    sum += found;
    MPI_Type_delete_attr(strided, key);
    MPI_Type_free_keyval(&key);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);
    MPI_Win_set_attr(win, key, &in[2]);
    MPI_Win_get_attr(win, key, &value, &found);
    sum += found;
    MPI_Win_delete_attr(win, key);
    MPI_Win_free_keyval(&key);
    MPI_Win_free(&win);
    in[0] += sum;
    __asm__ volatile("");
}

PATH_FUNCTION static void pattern_release(void)
{
    MPI_Comm_free(&ring);
    MPI_Type_free(&strided);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    int sum = 0;
    if (argc != 2)
        return 2;
    path = argv[1];
    MPI_Init(&argc, &argv);
    pattern_set_up();
    pattern_blocking();
    pattern_waits();
    pattern_tests();
    pattern_persistent();
    pattern_collectives();
    pattern_nonblocking_collectives();
    pattern_one_sided();
    pattern_files();
    pattern_attributes();
    pattern_release();
    for (int i = 0; i < 10; i++)
        sum += in[i];
    if (rank == 0)
        printf("pattern: sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
