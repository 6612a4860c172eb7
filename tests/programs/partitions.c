/*
 * partitions.c: messages in partitions that threads fill, in any order (MPI 4).
 *
 *     partitions [ITERATIONS]
 *
 * Rank 0 sends rank 1 a message of THREADS partitions of 3 ints in each iteration of `step`,
 * with tag 7 on MPI_COMM_WORLD; each thread of rank 0 says that one of them is ready.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tsprof.h>
#include <unistd.h>

#if MPI_VERSION >= 4

enum { THREADS = 4, EACH = 3 };

static MPI_Request request;
static int numbers[THREADS * EACH], iteration;

static void *fill(void *argument)
{
    const int part = (int)(size_t)argument;
    if ((iteration + part) % 3 == 0)
        usleep(200);
    for (int i = 0; i < EACH; i++)
        numbers[part * EACH + i] = iteration + i;
    MPI_Pready(part, request);
    return NULL;
}

static void send_parts(void)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, fill, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    int rank, provided, wrong = 0;
    const int iterations = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(numbers, THREADS, EACH, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    if (rank == 1)
        MPI_Precv_init(numbers, THREADS, EACH, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    for (iteration = 0; iteration < iterations && rank < 2; iteration++) {
        TSPROF_ITERATION_BEGIN("step");
        MPI_Start(&request);
        if (rank == 0)
            send_parts();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong += numbers[THREADS * EACH - 1] != iteration + EACH - 1;
        TSPROF_ITERATION_END("step");
    }
    if (rank < 2)
        MPI_Request_free(&request);
    MPI_Finalize();
    return wrong > 0;
}

#else

int main(void)
{
    return 77;
}

#endif
