/*
 * Programs that use what a profiler might think is its own: signals, the standard error output,
 * dlerror, errno, MPI's error handlers, small stacks, threads that go on while MPI ends.  Each
 * mode prints what it saw; it must see the same with tsprof and without.
 *
 *     boundaries MODE
 */
#include "tsprof.h"

#include <mpi.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void burn(double seconds)
{
    volatile double sum = 0;
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        for (int i = 1; i < 1000; i++)
            sum += 1.0 / i;
}

static volatile sig_atomic_t handled;

static void count_signal(int number)
{
    (void)number;
    handled++;
}

/* Its own handlers for all real-time signals, installed while it runs. */
static void claim_signals(void)
{
    struct sigaction action = {.sa_handler = count_signal};
    burn(0.05);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        sigaction(i, &action, NULL);
    burn(0.1);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        raise(i);
    printf("handled %d\n", (int)handled - (SIGRTMAX - SIGRTMIN + 1));
}

static void reset_signals(void)
{
    for (int i = 1; i < 65; i++)
        signal(i, SIG_DFL);
    burn(0.1);
    printf("still here\n");
}

static sigjmp_buf back;

static void jump_back(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

/* A watchdog that leaves a computation from its handler, COUNT times, after MICROSECONDS each.
 */
static void jump(int count, int microseconds)
{
    struct sigaction action = {.sa_handler = jump_back};
    volatile int jumps = 0;
    sigaction(SIGALRM, &action, NULL);
    while (jumps < count) {
        if (sigsetjmp(back, 1)) {
            jumps++;
            continue;
        }
        struct itimerval soon = {.it_value = {0, microseconds}};
        setitimer(ITIMER_REAL, &soon, NULL);
        for (volatile double sum = 0;; sum += 1)
            continue;
    }
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    printf("jumped %d times\n", jumps);
}

static void jump_out_of_work(void)
{
    jump(100, 3000);
}

/* So often that some of the signals come while a sample is taken. */
static void jump_often(void)
{
    jump(20000, 100);
}

/* Nobody reads its standard error output. */
static void lose_reader(void)
{
    int ends[2];
    if (pipe(ends) == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
    }
    printf("nobody listens\n");
}

/* A file of its own gets the number of the standard error output. */
static void reuse_stderr(void)
{
    char name[] = "boundaries.XXXXXX", content[64] = "";
    close(STDERR_FILENO);
    int file = mkstemp(name);
    unlink(name);
    if (write(file, "mine", 4) != 4)
        printf("cannot write\n");
    MPI_Finalize();
    lseek(file, 0, SEEK_SET);
    ssize_t size = read(file, content, sizeof content - 1);
    printf("%d holds %zd bytes: %s\n", file, size, content);
}

/* Files may not grow: a signal tells who tries. */
static void forbid_growth(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    MPI_Finalize();
    /* The launcher's pipe is no file. */
    printf("no file grew\n");
}

static void keep_dlerror(void)
{
    int flag;
    void *handle = dlopen("/nonexistent/library.so", RTLD_NOW);
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    printf("%s, %s\n", handle ? "opened" : "not opened",
           dlerror() ? "and says why" : "no word");
}

static void keep_errno(void)
{
    errno = 42;
    TSPROF_PHASE_END("never begun");
    int after_marker = errno;
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    printf("errno %d, %d\n", after_marker, errno);
}

/* Children made behind the C library's back. */
static void fork_raw(void)
{
    fflush(stdout);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
}

static int complaints;

static void hear_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    complaints++;
}

/* No communicator can be made any more, and errors are heard. */
static void use_up_communicators(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    int made = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (made < 100000 && MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS)
        made++;
    MPI_Comm_create_errhandler(hear_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Finalize();
    printf("made %d, heard %d\n", made, complaints);
}

static void *misuse_marker(void *argument)
{
    TSPROF_ITERATION_END("never begun");
    return argument;
}

/* A marker that is wrong, where there is hardly any stack. */
static void misuse_on_small_stack(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    int status = pthread_create(&thread, &attributes, misuse_marker, NULL);
    if (status == 0)
        pthread_join(thread, NULL);
    printf("thread: %d\n", status);
}

/* Phases whose names are those that tsprof makes up for others. */
static void take_names(void)
{
    for (int i = 0; i < 3; i++) {
        TSPROF_ITERATION_BEGIN("b");
        TSPROF_ITERATION_END("b");
        TSPROF_ITERATION_BEGIN("c");
        TSPROF_ITERATION_BEGIN("b");
        TSPROF_ITERATION_END("b");
        TSPROF_ITERATION_END("c");
        TSPROF_ITERATION_BEGIN("b in c");
        TSPROF_ITERATION_END("b in c");
        TSPROF_ITERATION_BEGIN("c alone");
        TSPROF_ITERATION_END("c alone");
    }
    printf("four names\n");
}

/* A call path to MPI at each of many levels. */
__attribute__((noinline)) static int probe_and_descend(int levels)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    int found = flag + (levels > 1 ? probe_and_descend(levels - 1) : 0);
    __asm__ volatile("" ::: "memory");
    return found;
}

/* From four places: four times as many. */
static void have_many_paths(void)
{
    int found = probe_and_descend(400);
    found += probe_and_descend(400);
    found += probe_and_descend(400);
    found += probe_and_descend(400);
    printf("found %d\n", found);
}

static volatile int go_on = 1;

static void *mark_phases(void *argument)
{
    const char *name = argument;
    while (go_on) {
        TSPROF_ITERATION_BEGIN(name);
        TSPROF_PHASE_BEGIN("inside");
        TSPROF_PHASE_END("inside");
        TSPROF_ITERATION_END(name);
    }
    return NULL;
}

/* Threads in the middle of their phases while MPI ends. */
static void end_under_threads(void)
{
    static char names[4][8] = {"one", "two", "three", "four"};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, mark_phases, names[i]);
    burn(0.1);
    MPI_Finalize();
    go_on = 0;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("joined\n");
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"claim-signals", claim_signals},
    {"reset-signals", reset_signals},
    {"jump-out", jump_out_of_work},
    {"jump-often", jump_often},
    {"lose-reader", lose_reader},
    {"reuse-stderr", reuse_stderr},
    {"forbid-growth", forbid_growth},
    {"dlerror", keep_dlerror},
    {"errno", keep_errno},
    {"raw-fork", fork_raw},
    {"communicators", use_up_communicators},
    {"small-stack", misuse_on_small_stack},
    {"names", take_names},
    {"many-paths", have_many_paths},
    {"threads", end_under_threads},
};

int main(int argc, char **argv)
{
    int provided, finalized;
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        /* MPI's own threads are not to handle the program's alarms. */
        sigset_t alarm;
        sigemptyset(&alarm);
        sigaddset(&alarm, SIGALRM);
        sigprocmask(SIG_BLOCK, &alarm, NULL);
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        sigprocmask(SIG_UNBLOCK, &alarm, NULL);
        modes[i].run();
        fflush(stdout);
        MPI_Finalized(&finalized);
        if (!finalized)
            MPI_Finalize();
        return 7;
    }
    fprintf(stderr, "usage: boundaries MODE\n");
    return 2;
}
