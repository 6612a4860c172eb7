/*
 * From a process to a summary: what a process with known numbers writes alone, or together with
 * nobody else through an MPI library that the test plays, is read by the command's own reader
 * with the same numbers.  Several processes need an MPI library: see tests/e2e.
 */
#include "write/merge.h"

#include "iterations/iterations.h"
#include "library/library.h"
#include "library/typed.h"
#include "life/attach.h"

#include "tests/unit/libprof/alone.h"
#include "tests/unit/libprof/read_back.h"
#include "tests/unit/libprof/timed_thread.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 3, RANK = 3, SEND_NS = 40, RECV_NS = 25, OWN_NS = 2 };

static char directory[] = "/tmp/tsprof-test-XXXXXX";
static struct thread *first, *second;

static __attribute__((noipa)) void solve(struct thread *thread)
{
    timed_pass(100);
    timed_call(thread, CALL_MPI_Send, SEND_NS, OWN_NS);
    timed_call(thread, CALL_MPI_Send, SEND_NS, OWN_NS);
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noipa)) void finish(struct thread *thread)
{
    timed_pass(30);
    timed_call(thread, CALL_MPI_Recv, RECV_NS, OWN_NS);
    __asm__ volatile("" ::: "memory");
}

/* Two threads: the first has iterations of `step`, the second none. */
static int64_t measure(void)
{
    timed_pass(500);
    first = timed_attach();
    second = timed_attach();
    second->next_border = BORDERS_NEVER;
    for (int i = 0; i < STEPS; i++) {
        timed_begin(first, "step", true);
        solve(first);
        timed_end(first, "step");
    }
    finish(first);
    finish(second);
    const int64_t end_ns = timed_pass(70);
    threads_close();
    thread_stop(first, end_ns);
    thread_stop(second, end_ns);
    return end_ns;
}

/* The file NAME in the test's directory; the test cannot go on without. */
static struct read_back *load(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    struct read_back *back = read_back_summary(path);
    NEED(back);
    unlink(path);
    return back;
}

static void check_numbers(const struct read_back *back, uint32_t rank)
{
    EQ_INT(read_back_locations(back), 2, "all threads are in it");
    for (size_t i = 0; i < 2; i++) {
        const struct thread *thread = i ? second : first;
        const struct read_place place = read_back_place(back, i);
        EQ_INT(place.rank, rank, "under the process's rank");
        EQ_INT(place.thread, thread->number, "the oldest first");
        EQ_INT(place.wall_ns, thread->end_ns - thread->begin_ns, "with their wall time");
        EQ_INT(place.host, 0, "on the host");
    }
    OK(read_back_holds(back), "computation, MPI and overhead are the wall time; totals add up");
    EQ_INT(read_back_sum(back, 0, READ_WHOLE, "MPI_Send", "solve", "visits"), 2 * STEPS,
           "calls are below the function that made them");
    EQ_INT(read_back_sum(back, 0, READ_WHOLE, "MPI_Send", NULL, "mpi_point2point"),
           2 * STEPS * SEND_NS, "with their time");
    EQ_INT(read_back_sum(back, 0, READ_WHOLE, "MPI_Send", "step", "visits"), 2 * STEPS,
           "and below the phase");
    EQ_INT(read_back_sum(back, 0, READ_OUTSIDE, "MPI_Send", NULL, "visits"), 0,
           "not outside of iterations");
    EQ_INT(read_back_sum(back, 0, READ_OUTSIDE, "MPI_Recv", "finish", "visits"), 1,
           "what was made outside is");
    EQ_INT(read_back_sum(back, 1, READ_WHOLE, "MPI_Recv", "finish", "mpi_point2point"), RECV_NS,
           "the other thread has its own");
    EQ_INT(read_back_sum(back, 0, READ_WHOLE, NULL, NULL, "overhead"), (2 * STEPS + 1) * OWN_NS,
           "overhead is told");
    EQ_INT(read_back_place(back, 0).series, 1, "there is a series");
    const struct read_series series = read_back_series(back, 0, 0);
    OK(strcmp(read_back_phase(back, series.phase), "step") == 0, "of the phase");
    EQ_INT(series.iterations, STEPS, "of all iterations");
    EQ_INT(series.wall_ns, STEPS * (100 + 2 * SEND_NS + 2 * OWN_NS), "with their time");
    EQ_INT(read_back_place(back, 1).series, 0, "the other thread has none");
}

static void test_alone(void)
{
    const int64_t end_ns = measure();
    merge_set_rank(RANK);
    OK(write_alone(end_ns), "a process writes all that it has");
    struct read_back *back = load("out.rank3.tsprof");
    check_numbers(back, RANK);
    OK(strcmp(read_back_fact(back, "ranks"), "1") == 0, "it is one process");
    OK(strcmp(read_back_fact(back, "program"), "test_merge") == 0, "of this program");
    read_back_free(back);
}

static void test_existing_files_stay(void)
{
    char path[256], found[8] = "";
    snprintf(path, sizeof path, "%s/out.rank0.tsprof", directory);
    FILE *file = fopen(path, "w");
    NEED(file && fputs("old", file) >= 0 && fclose(file) == 0);
    OK(write_alone(measure()), "without a rank it is rank 0 that writes");
    file = fopen(path, "r");
    NEED(file && fgets(found, sizeof found, file));
    fclose(file);
    unlink(path);
    OK(strcmp(found, "old") == 0, "not over an existing file");
}

static void test_nowhere(void)
{
    config.text[SETTING_OUTPUT] = "/nonexistent/out.tsprof";
    config.text[SETTING_TMPDIR] = directory;
    const int64_t end_ns = measure();
    OK(write_alone(end_ns), "where there is no such directory it writes elsewhere");
    struct read_back *back = load("out.rank0.tsprof");
    check_numbers(back, 0);
    read_back_free(back);
}

/* An MPI library of one process. */
static int say_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    return *rank = 0;
}

static int say_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = 1;
    return MPI_SUCCESS;
}

static int get_handler(MPI_Comm comm, MPI_Errhandler *handler)
{
    (void)comm;
    *handler = MPI_ERRORS_ARE_FATAL;
    return MPI_SUCCESS;
}

static int set_handler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm;
    (void)handler;
    return MPI_SUCCESS;
}

static int free_handler(MPI_Errhandler *handler)
{
    (void)handler;
    return MPI_SUCCESS;
}

static int split_status;

static int split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    (void)color;
    (void)key;
    *part = comm;
    return split_status;
}

static int freed;

static int free_comm(MPI_Comm *comm)
{
    (void)comm;
    freed++;
    return MPI_SUCCESS;
}

static int say_version(char *text, int *length)
{
    strcpy(text, "Played MPI 1.0\nof one process");
    *length = (int)strlen(text);
    return MPI_SUCCESS;
}

static void play(enum mpi_call call, void *function)
{
    memcpy(&mpi_real_table[1][call], &function, sizeof function);
}

static void play_library(void)
{
    play(CALL_MPI_Comm_rank, (void *)say_rank);
    play(CALL_MPI_Comm_size, (void *)say_size);
    play(CALL_MPI_Comm_get_errhandler, (void *)get_handler);
    play(CALL_MPI_Comm_set_errhandler, (void *)set_handler);
    play(CALL_MPI_Errhandler_free, (void *)free_handler);
    play(CALL_MPI_Comm_split, (void *)split);
    play(CALL_MPI_Comm_free, (void *)free_comm);
    play(CALL_MPI_Get_library_version, (void *)say_version);
}

static void test_together(void)
{
    play_library();
    merge_set_rank(RANK);
    OK(merge_and_write(measure()), "a job of one process writes its summary");
    struct read_back *back = load("out.tsprof");
    check_numbers(back, 0);
    OK(strcmp(read_back_fact(back, "mpi"), "Played MPI 1.0") == 0, "which names the library");
    EQ_INT(freed, 1, "its communicator is given back");
    read_back_free(back);
}

static void test_without_a_communicator(void)
{
    play_library();
    split_status = MPI_ERR_OTHER;
    merge_set_rank(RANK);
    OK(merge_and_write(measure()), "without a communicator a process writes alone");
    struct read_back *back = load("out.rank3.tsprof");
    check_numbers(back, RANK);
    read_back_free(back);
}

int main(void)
{
    char output[64];
    NEED(mkdtemp(directory));
    snprintf(output, sizeof output, "%s/out.tsprof", directory);
    setenv("TSPROF_OUTPUT", output, 1);
    setenv("TSPROF_VERBOSE", "0", 1);
    timed_start();
    alone(test_alone);
    alone(test_existing_files_stay);
    alone(test_nowhere);
    alone(test_together);
    alone(test_without_a_communicator);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    EQ_INT(system(command), 0, "what is left can be removed");
    return tap_done();
}
