/*
 * life_seccomp.c: programs that confine themselves by seccomp while they run.
 *
 *     life_seccomp WHAT HOW [RANK]
 *
 * WHAT is denied or ends the process, HOW the filter is installed, on which rank (default:
 * all).
 */
#define _GNU_SOURCE
#include "burn.h"

#include <tsprof.h>

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(number, action)                                                                     \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)
#define OTHERS BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define DENY   (SECCOMP_RET_ERRNO | EPERM)

/* What neither MPICH nor Open MPI does here; tsprof would. */
static struct sock_filter kill_timers[] = {
    LOAD(nr), IF(SYS_timer_settime, SECCOMP_RET_KILL_PROCESS),
    IF(SYS_timer_delete, SECCOMP_RET_KILL_PROCESS), OTHERS};
static struct sock_filter kill_files[] = {LOAD(nr),
                                          IF(SYS_timer_settime, SECCOMP_RET_KILL_PROCESS),
                                          IF(SYS_timer_delete, SECCOMP_RET_KILL_PROCESS),
                                          IF(SYS_pwrite64, SECCOMP_RET_KILL_PROCESS),
                                          IF(SYS_fallocate, SECCOMP_RET_KILL_PROCESS),
                                          IF(SYS_membarrier, SECCOMP_RET_KILL_PROCESS),
                                          OTHERS};
static struct sock_filter deny_files[] = {LOAD(nr), IF(SYS_pwrite64, DENY),
                                          IF(SYS_fallocate, DENY), IF(SYS_timer_settime, DENY),
                                          OTHERS};
/* As hardened programs do; tsprof makes none of these. */
static struct sock_filter harmless[] = {LOAD(nr),
                                        IF(SYS_ptrace, SECCOMP_RET_KILL_PROCESS),
                                        IF(SYS_sched_getaffinity, SECCOMP_RET_KILL_PROCESS),
                                        IF(SYS_mount, SECCOMP_RET_KILL_PROCESS),
                                        IF(SYS_execve, DENY),
                                        OTHERS};
/* Depends on an argument: nothing can be written beyond the first 4 GiB of a file. */
static struct sock_filter by_argument[] = {
    LOAD(nr),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3]) + 4),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    OTHERS};

#define FILTER(name, code)                                                                     \
    {                                                                                          \
        name,                                                                                  \
        {                                                                                      \
            sizeof(code) / sizeof(code)[0], code                                               \
        }                                                                                      \
    }

static const struct {
    const char *name;
    struct sock_fprog program;
} filters[] = {FILTER("kill-timers", kill_timers), FILTER("kill-files", kill_files),
               FILTER("deny-files", deny_files), FILTER("harmless", harmless),
               FILTER("by-argument", by_argument)};

static void work(int iterations)
{
    for (int i = 0; i < iterations; i++) {
        int flag;
        TSPROF_ITERATION_BEGIN("step");
        burn(5000000);
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        TSPROF_ITERATION_END("step");
    }
}

static long install(const char *how, const struct sock_fprog *program)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (strcmp(how, "prctl") == 0)
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
    if (strcmp(how, "prctl-by-syscall") == 0)
        return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program);
}

/* Nothing but read, write, exit and returning from signals is left. */
static void be_strict(const char *how)
{
    static const char text[] = "strict\n";
    fflush(stdout);
    alarm(2);
    if (strcmp(how, "prctl") == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    else
        syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
    /* Not burn, which may ask the system for the time. */
    for (int i = 0; i < 20; i++) {
        int flag;
        for (volatile long n = 0; n < 5000000; n++)
            continue;
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
    if (write(1, text, sizeof text - 1) < 0)
        abort();
    /* Which is not allowed, and kills the thread; MPI may have others. */
    _exit(7);
}

/* A child confines itself, which is not its parent's business. */
static void confine_child(const char *how)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(install(how, &filters[1].program) == 0 ? 3 : 4);
    waitpid(child, &status, 0);
    printf("child: %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 3)
        return 2;
    work(100);
    if (argc < 4 || atoi(argv[3]) == rank) {
        if (strcmp(argv[1], "strict") == 0)
            be_strict(argv[2]);
        if (strcmp(argv[1], "child") == 0)
            confine_child(argv[2]);
        for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
            if (strcmp(argv[1], filters[i].name) == 0)
                printf("installed: %ld\n", install(argv[2], &filters[i].program));
    }
    work(100);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 7;
}
