/*
 * life_children.c: a process that starts others in all the ways there are, while it is
 * measured. Prints what the children see of their signals and timers, and how they ended.
 *
 *     life_children MODE
 */
#define _GNU_SOURCE
#define BURN_CLOCK CLOCK_PROCESS_CPUTIME_ID
#include "burn.h"

#include <tsprof.h>

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS INT64_C(12000000)

extern char **environ;

static char *own_name;

/* The lines of /proc/self/FILE that start with PREFIX. */
static void show_lines(const char *file, const char *prefix)
{
    char name[64], line[256];
    snprintf(name, sizeof name, "/proc/self/%s", file);
    FILE *lines = fopen(name, "r");
    while (lines && fgets(line, sizeof line, lines))
        if (strncmp(line, prefix, strlen(prefix)) == 0)
            printf("  %s", line);
    if (lines)
        fclose(lines);
}

static void show_files(void)
{
    int files = 0;
    for (int i = 100; i < 1100; i++)
        files += fcntl(i, F_GETFD) >= 0;
    printf("  %d files with high numbers\n", files);
}

static void show_itimers(void)
{
    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        struct itimerval value;
        getitimer(which, &value);
        printf("  itimer %d: %ld %ld\n", which, (long)value.it_value.tv_sec,
               (long)value.it_value.tv_usec);
    }
}

/*
 * The C library's own signal: no program handles, blocks or ignores it, so whether a launcher
 * had it ignored is of no account.
 */
static void reset_reserved_signal(void)
{
    const struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } standard = {SIG_DFL, 0, NULL, 0};
    syscall(SYS_rt_sigaction, 32, &standard, NULL, sizeof standard.mask);
}

/* What a process has of signals and timers, and that nothing comes while it computes. */
static void show_self(const char *who)
{
    static const char *const status[] = {"SigPnd", "SigBlk", "SigIgn",
                                         "SigCgt", "ShdPnd", "Threads"};
    printf("%s\n", who);
    burn(STEP_NS);
    for (int i = 1; i <= 64; i++) {
        struct sigaction action;
        if (sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            printf("  signal %d: %s\n", i,
                   action.sa_handler == SIG_IGN ? "ignored" : "handled");
    }
    for (size_t i = 0; i < sizeof status / sizeof *status; i++)
        show_lines("status", status[i]);
    show_lines("timers", "");
    show_itimers();
    show_files();
    fflush(stdout);
}

static void report(const char *what, int status)
{
    printf("%s: %s %d\n", what, WIFEXITED(status) ? "status" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    fflush(stdout);
}

static void await(const char *what, pid_t child)
{
    int status = -1;
    if (waitpid(child, &status, 0) != child)
        printf("waiting failed: %d\n", errno);
    report(what, status);
}

static pid_t fork_flushed(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        printf("fork failed: %d\n", errno);
    return child;
}

static void at_exit_of_child(void)
{
    printf("a handler at exit\n");
}

static void fork_and_leave(void)
{
    pid_t child = fork_flushed();
    if (child == 0) {
        show_self("child");
        _exit(3);
    }
    await("_exit", child);
    child = fork_flushed();
    if (child == 0) {
        atexit(at_exit_of_child);
        burn(STEP_NS);
        exit(4);
    }
    await("exit", child);
    child = fork_flushed();
    if (child == 0)
        abort();
    await("abort", child);
}

/* Markers and harmless MPI calls in a child, and children of it. */
static void fork_and_go_on(void)
{
    pid_t child = fork_flushed();
    if (child == 0) {
        int flag, version, subversion;
        TSPROF_ITERATION_BEGIN("in a child");
        MPI_Get_version(&version, &subversion);
        MPI_Initialized(&flag);
        TSPROF_ITERATION_END("in a child");
        printf("initialized in the child: %d\n", flag);
        pid_t grandchild = fork_flushed();
        if (grandchild == 0) {
            show_self("grandchild");
            exit(5);
        }
        await("grandchild", grandchild);
        exit(6);
    }
    await("child", child);
}

static void fork_and_exec(void)
{
    pid_t child = fork_flushed();
    if (child == 0) {
        execl(own_name, own_name, "show", NULL);
        _exit(9);
    }
    await("exec", child);
    child = vfork();
    if (child == 0) {
        execl(own_name, own_name, "show", NULL);
        _exit(9);
    }
    await("vfork and exec", child);
    child = vfork();
    if (child == 0)
        _exit(8);
    await("vfork", child);
}

static void spawn_children(void)
{
    pid_t child;
    char show[] = "show", *arguments[] = {own_name, show, NULL};
    int status = posix_spawn(&child, own_name, NULL, NULL, arguments, environ);
    printf("posix_spawn: %d\n", status);
    await("spawned", child);
    report("system", system("echo a shell; exit 3"));
    FILE *words = popen("echo from a pipe; exit 2", "r");
    char line[64] = "";
    while (words && fgets(line, sizeof line, words))
        printf("read %s", line);
    report("popen", pclose(words));
}

/* Children made behind the C library's back. */
static void clone_children(void)
{
    fflush(stdout);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        burn(STEP_NS);
        printf("cloned\n");
        exit(2);
    }
    await("clone", child);
}

static volatile int go_on = 1;

static void *compute(void *argument)
{
    int flag;
    while (go_on) {
        TSPROF_ITERATION_BEGIN("aside");
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        TSPROF_ITERATION_END("aside");
    }
    return argument;
}

/* Threads are in the middle of everything when the process forks. */
static void fork_among_threads(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, compute, NULL);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork_flushed();
        if (child == 0) {
            int version, subversion;
            TSPROF_PHASE_BEGIN("in a child");
            MPI_Get_version(&version, &subversion);
            TSPROF_PHASE_END("in a child");
            exit(i);
        }
        int status;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != i)
            report("child", status);
    }
    go_on = 0;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("fifty children\n");
}

/* So much memory that copying its tables takes far longer than a sample's period. */
static void fork_large(void)
{
    const size_t size = (size_t)1 << 30;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < size; at += 4096)
        memory[at] = 1;
    for (int i = 0; i < 3; i++) {
        pid_t child = fork_flushed();
        if (child == 0)
            _exit(memory[size / 2]);
        await("large", child);
    }
    munmap(memory, size);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"leave", fork_and_leave}, {"go-on", fork_and_go_on}, {"exec", fork_and_exec},
    {"spawn", spawn_children}, {"clone", clone_children}, {"threads", fork_among_threads},
    {"large", fork_large},
};

/* MPI is for each child alone: the parent never starts it. */
static int start_in_children(int *argc, char ***argv)
{
    for (int i = 0; i < 2; i++) {
        pid_t child = fork_flushed();
        if (child == 0) {
            int size;
            MPI_Init(argc, argv);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            printf("child: %d process\n", size);
            burn(STEP_NS);
            MPI_Finalize();
            exit(i);
        }
        await("child", child);
    }
    return 7;
}

int main(int argc, char **argv)
{
    int provided, flag;
    own_name = argv[0];
    reset_reserved_signal();
    if (argc == 2 && strcmp(argv[1], "show") == 0)
        return show_self("program"), 1;
    if (argc == 2 && strcmp(argv[1], "children-start") == 0)
        return start_in_children(&argc, &argv);
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        modes[i].run();
        /* The parent is measured as before. */
        for (int n = 0; n < 5; n++) {
            TSPROF_ITERATION_BEGIN("after");
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
            burn(STEP_NS);
            TSPROF_ITERATION_END("after");
        }
        MPI_Finalize();
        return 7;
    }
    fprintf(stderr, "usage: life_children MODE\n");
    return 2;
}
