/*
 * life_limits.c: programs at the limits: of stacks, of what the system allows, of resources.
 *
 *     life_limits MODE
 */
#define _GNU_SOURCE
#include "burn.h"

#include <tsprof.h>

#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define LONG_NS INT64_C(100000000)

static void probe(void)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void work(void)
{
    for (int i = 0; i < 5; i++) {
        TSPROF_ITERATION_BEGIN("step");
        burn(LONG_NS / 5);
        probe();
        TSPROF_ITERATION_END("step");
    }
}

/* On an alternate stack: what another handler left there is not disturbed. */
static sigjmp_buf back;

static void on_overflow(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

/* For ever, as far as the compiler need not know. */
static volatile int deepest = 1 << 30;

__attribute__((noinline)) static int recurse(int depth)
{
    volatile char frame[512];
    if (depth > deepest)
        return 0;
    frame[0] = (char)depth;
    if (depth % 64 == 0)
        probe();
    int result = recurse(depth + 1) + frame[0];
    __asm__ volatile("" ::: "memory");
    return result;
}

static void overflow(const char *who)
{
    const size_t size = 65536;
    stack_t stack = {.ss_sp = malloc(size), .ss_size = size}, none = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK}, before;
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, &before);
    for (int i = 0; i < 3; i++) {
        if (sigsetjmp(back, 1) == 0)
            recurse(1);
        printf("%s overflowed\n", who);
        probe();
    }
    sigaction(SIGSEGV, &before, NULL);
    sigaltstack(&none, NULL);
    free(stack.ss_sp);
}

static void *overflow_in_thread(void *argument)
{
    probe();
    overflow("thread");
    return argument;
}

static int run_thread(size_t stack, void *(*run)(void *), void *argument)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    int status = pthread_create(&thread, &attributes, run, argument);
    return status ? status : pthread_join(thread, NULL);
}

static void overflow_stacks(void)
{
    struct rlimit limit = {1 << 20, RLIM_INFINITY};
    setrlimit(RLIMIT_STACK, &limit);
    overflow("main");
    printf("%d\n", run_thread(1 << 20, overflow_in_thread, NULL));
    work();
}

/* A program that needs no more than the smallest stack that a thread can have. */
static void *work_on_little_stack(void *argument)
{
    probe();
    TSPROF_ITERATION_BEGIN("little");
    burn(LONG_NS);
    probe();
    TSPROF_ITERATION_END("little");
    return argument;
}

static void use_little_stack(void)
{
    size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);
    work();
    for (int i = 0; i < 5; i++)
        printf("%d\n", run_thread(least, work_on_little_stack, NULL));
}

static void *end_on_little_stack(void *argument)
{
    TSPROF_PHASE_END("never begun");
    work();
    MPI_Finalize();
    return argument;
}

/* MPI ends where there is enough stack for it and little more. */
static void finalize_on_little_stack(void)
{
    printf("%d\n", run_thread(65536, end_on_little_stack, NULL));
}

static void on_alternate_stack(int number)
{
    (void)number;
    work();
}

/* All work is done in a handler, on a stack of its own. */
static void use_alternate_stack(void)
{
    const size_t size = 65536;
    char *memory = malloc(size);
    stack_t stack = {.ss_sp = memory, .ss_size = size};
    struct sigaction action = {.sa_handler = on_alternate_stack, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
    raise(SIGUSR2);
    work();
    printf("worked three times\n");
}

static ucontext_t main_context, other_context;

static void run_aside(void)
{
    work();
    swapcontext(&other_context, &main_context);
    work();
}

/* Coroutines on memory that no one knows as a stack. */
static void use_contexts(void)
{
    const size_t size = 65536;
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = malloc(size);
    other_context.uc_stack.ss_size = size;
    other_context.uc_link = &main_context;
    makecontext(&other_context, run_aside, 0);
    swapcontext(&main_context, &other_context);
    work();
    swapcontext(&main_context, &other_context);
    printf("came back twice\n");
}

/* Has system calls fail with EPERM, or whatever NUMBER, from now on. */
static void forbid(const int *calls, size_t count)
{
    struct sock_filter filter[64] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    size_t length = 1;
    for (size_t i = 0; i < count; i++) {
        filter[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
        filter[length++] =
            (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)length, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        printf("cannot forbid: %s\n", strerror(errno));
}

static void *work_in_thread(void *argument)
{
    work();
    return argument;
}

static void work_everywhere(void)
{
    work();
    printf("%d\n", run_thread(1 << 20, work_in_thread, NULL));
}

static void forbid_timers(void)
{
    static const int calls[] = {SYS_timer_create, SYS_perf_event_open};
    forbid(calls, 2);
}

static void forbid_looking(void)
{
    static const int calls[] = {SYS_membarrier,      SYS_process_vm_readv, SYS_perf_event_open,
                                SYS_process_madvise, SYS_mincore,          SYS_ptrace};
    forbid(calls, 6);
}

static void limit(int what, rlim_t most)
{
    struct rlimit limits = {most, most};
    if (setrlimit((__rlimit_resource_t)what, &limits) != 0)
        printf("cannot limit: %s\n", strerror(errno));
}

static void limit_signals(void)
{
    limit(RLIMIT_SIGPENDING, 0);
}

/* MPI may need a thread of its own at the start. */
static void limit_processes(void)
{
    limit(RLIMIT_NPROC, 1);
    work_everywhere();
}

static void limit_locked(void)
{
    limit(RLIMIT_MEMLOCK, 0);
}

/* No more file descriptors than MPI has left, at the end of the program. */
static void limit_files(void)
{
    work();
    limit(RLIMIT_NOFILE, 0);
}

/* Enough address space for MPI and little else. */
static void limit_memory(void)
{
    limit(RLIMIT_AS, (rlim_t)400 << 20);
}

static void nothing(void)
{
}

static const struct {
    const char *name;
    void (*before)(void); /* MPI starts */
    void (*run)(void);
} modes[] = {
    {"plain", nothing, work},
    {"overflow", nothing, overflow_stacks},
    {"little-stack", nothing, use_little_stack},
    {"little-at-the-end", nothing, finalize_on_little_stack},
    {"alternate-stack", nothing, use_alternate_stack},
    {"contexts", nothing, use_contexts},
    {"no-timers", forbid_timers, work_everywhere},
    {"no-looking", forbid_looking, work_everywhere},

    {"no-signals", limit_signals, work_everywhere},
    {"one-process", nothing, limit_processes},
    {"no-locking", limit_locked, work},
    {"no-files", nothing, limit_files},
    {"little-memory", limit_memory, work},
};

int main(int argc, char **argv)
{
    int provided, finalized;
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        modes[i].before();
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        modes[i].run();
        printf("done\n");
        fflush(stdout);
        MPI_Finalized(&finalized);
        if (!finalized)
            MPI_Finalize();
        return 7;
    }
    fprintf(stderr, "usage: life_limits MODE\n");
    return 2;
}
