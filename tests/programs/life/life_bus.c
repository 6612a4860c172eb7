/*
 * life_bus.c: programs that have to do with SIGBUS, and with files that get shorter while they
 * are mapped: their own, and those that tsprof keeps in the current directory.  Prints what
 * they see.
 *
 *     life_bus MODE
 */
#define _GNU_SOURCE
#include "burn.h"

#include <fcntl.h>
#include <glob.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void probe(void)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

/* So long that what tsprof keeps is there, and was looked at again. */
static void work(int64_t ns)
{
    for (int64_t end = cpu_ns() + ns; cpu_ns() < end;) {
        burn(5000000);
        probe();
    }
}

#define LONG_NS INT64_C(450000000)

/* Longer than from one save to the next, which is when tsprof looks. */
#define SAVE_NS INT64_C(1200000000)

/* What tsprof keeps of this process, if anything. */
static void truncate_parts(void)
{
    glob_t found;
    if (glob("*.parts/*.part", 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (truncate(found.gl_pathv[i], 0) != 0)
            perror(found.gl_pathv[i]);
    globfree(&found);
}

/* A page that its file has not got any more. */
static volatile char *lost;

static void lose_page(void)
{
    int file = open("lost", O_RDWR | O_CREAT, 0666);
    if (ftruncate(file, 4096) != 0)
        abort();
    lost = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (ftruncate(file, 0) != 0)
        abort();
    close(file);
}

static sigjmp_buf back;
static char stack[65536];

static void show_mask(const char *what)
{
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    printf("%s: blocked", what);
    for (int i = 1; i < 32; i++)
        if (sigismember(&mask, i) == 1)
            printf(" %d", i);
    printf("\n");
}

static void on_bus(int number, siginfo_t *info, void *context)
{
    char here;
    (void)context;
    if (info->si_code > 0)
        printf("signal %d, code %d, its own address %d\n", number, info->si_code,
               info->si_addr == lost);
    else
        printf("signal %d, code %d, own process %d, value %d\n", number, info->si_code,
               info->si_pid == getpid(), info->si_value.sival_int);
    printf("on the alternate stack: %d\n", &here >= stack && &here < stack + sizeof stack);
    show_mask("in the handler");
    fflush(stdout);
    if (info->si_code > 0)
        siglongjmp(back, 1);
}

static void on_bus_plain(int number)
{
    printf("signal %d\n", number);
    if (lost)
        siglongjmp(back, 1);
}

static const struct sigaction handling = {.sa_sigaction = on_bus,
                                          .sa_flags = SA_SIGINFO | SA_ONSTACK};

static void install(void)
{
    struct sigaction action = handling;
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGBUS, &action, NULL);
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&own, NULL);
}

static void show_action(void)
{
    struct sigaction now;
    sigaction(SIGBUS, NULL, &now);
    printf("installed: own %d, default %d, ignored %d, flags %x, SIGUSR2 %d\n",
           now.sa_sigaction == on_bus || now.sa_handler == on_bus_plain,
           now.sa_handler == SIG_DFL, now.sa_handler == SIG_IGN, (unsigned)now.sa_flags,
           sigismember(&now.sa_mask, SIGUSR2));
}

static void fault(void)
{
    lose_page();
    if (sigsetjmp(back, 1) == 0)
        *lost = 1;
    show_mask("afterwards");
    lost = NULL;
}

/* The handler is there before tsprof's file is, and gets what is its own. */
static void handle(void)
{
    install();
    show_action();
    work(LONG_NS);
    show_action();
    fault();
    show_action();
    work(LONG_NS);
}

/* It is installed, and changed, after tsprof's file is there. */
static void handle_late(void)
{
    signal(SIGBUS, SIG_DFL);
    work(LONG_NS);
    show_action();
    install();
    show_action();
    printf("before: own %d\n", signal(SIGBUS, on_bus_plain) == (sighandler_t)(void *)on_bus);
    show_action();
    truncate_parts();
    work(LONG_NS / 8);
    show_action();
    fault();
    show_action();
    printf("before: own %d\n", sysv_signal(SIGBUS, SIG_IGN) == on_bus_plain);
    show_action();
    kill(getpid(), SIGBUS);
    work(LONG_NS);
}

/* Sent by itself, with a value. */
static void get_sent(void)
{
    install();
    work(LONG_NS);
    sigqueue(getpid(), SIGBUS, (union sigval){.sival_int = 42});
    kill(getpid(), SIGBUS);
    show_action();
    work(LONG_NS / 8);
}

/* The same by the kernel's own interface, which tsprof does not see. */
static void handle_raw(void)
{
    struct {
        void (*handler)(int number);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } raw = {.handler = SIG_IGN}, now;
    work(LONG_NS);
    syscall(SYS_rt_sigaction, SIGBUS, &raw, NULL, sizeof raw.mask);
    work(SAVE_NS);
    truncate_parts();
    work(LONG_NS);
    syscall(SYS_rt_sigaction, SIGBUS, NULL, &now, sizeof now.mask);
    printf("still ignored: %d\n", now.handler == SIG_IGN);
}

static void ignore(void)
{
    signal(SIGBUS, SIG_IGN);
    work(LONG_NS);
    kill(getpid(), SIGBUS);
    truncate_parts();
    work(LONG_NS);
    show_action();
}

static void truncated(void)
{
    signal(SIGBUS, SIG_DFL);
    work(LONG_NS);
    truncate_parts();
    show_action();
    work(LONG_NS);
    show_action();
}

static void block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

/* A fault while SIGBUS is blocked ends the process, whatever is installed. */
static void block(void)
{
    block_all();
    work(LONG_NS);
    truncate_parts();
    work(LONG_NS);
}

static void block_late(void)
{
    work(LONG_NS);
    block_all();
    truncate_parts();
    work(LONG_NS);
}

static void *work_beside(void *argument)
{
    work(2 * LONG_NS);
    return argument;
}

/* Several threads meet the lost page at once. */
static void run_threads(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work_beside, NULL);
    work(LONG_NS);
    truncate_parts();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

/* Children see what the program has installed, and end as it says. */
static void have_children(void)
{
    int status;
    signal(SIGBUS, SIG_DFL);
    work(LONG_NS);
    for (int how = 0; how < 2; how++) {
        fflush(stdout);
        pid_t child = how == 0 ? fork() : vfork();
        if (child == 0 && how == 0) {
            show_action();
            fflush(stdout);
            lose_page();
            *lost = 1;
        }
        if (child == 0) {
            signal(SIGBUS, SIG_IGN);
            _exit(3);
        }
        waitpid(child, &status, 0);
        printf("child: %x\n", (unsigned)status & 0xff7f);
        show_action();
    }
    truncate_parts();
    work(LONG_NS);
}

static void die(void)
{
    signal(SIGBUS, SIG_DFL);
    work(LONG_NS);
    lose_page();
    *lost = 1;
}

static void die_sent(void)
{
    signal(SIGBUS, SIG_DFL);
    work(LONG_NS);
    kill(getpid(), SIGBUS);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"handle", handle},
    {"handle-late", handle_late},
    {"sent", get_sent},
    {"raw", handle_raw},
    {"ignore", ignore},
    {"truncated", truncated},
    {"block", block},
    {"block-late", block_late},
    {"threads", run_threads},
    {"children", have_children},
    {"die", die},
    {"die-sent", die_sent},
};

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        modes[i].run();
        MPI_Finalize();
        return 7;
    }
    fprintf(stderr, "usage: life_bus MODE\n");
    return 2;
}
