/*
 * life_signals.c: programs that do with signals and timers what a profiler would rather have
 * for itself.  Prints what arrives.
 *
 *     life_signals MODE
 */
#define _GNU_SOURCE
#include "burn.h"

#include <tsprof.h>

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define LONG_NS INT64_C(60000000)

static void probe(void)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void show_set(const char *what, const sigset_t *set)
{
    printf("%s:", what);
    for (int i = 1; i <= 64; i++)
        if (sigismember(set, i) == 1)
            printf(" %d", i);
    printf("\n");
}

static void block_all(sigset_t *all)
{
    sigfillset(all);
    sigprocmask(SIG_BLOCK, all, NULL);
}

/* All signals are blocked, and taken one by one. */
static void take_all(void)
{
    const struct timespec at_once = {0, 0}, soon = {0, 20000000};
    sigset_t all, now;
    siginfo_t info;
    block_all(&all);
    for (int i = 0; i < 3; i++) {
        burn(LONG_NS / 3);
        probe();
        sigpending(&now);
        show_set("pending", &now);
        int taken = sigtimedwait(&all, &info, i ? &soon : &at_once);
        printf("nothing sent: %d, %s\n", taken, taken < 0 ? strerror(errno) : "?");
        for (int n = SIGRTMIN; n <= SIGRTMAX; n++)
            pthread_sigqueue(pthread_self(), n, (union sigval){.sival_int = n});
        raise(SIGUSR1);
        burn(LONG_NS / 3);
        while ((taken = sigtimedwait(&all, &info, &at_once)) > 0)
            printf("%d %d %d\n", taken, info.si_code, taken < 32 ? 0 : info.si_value.sival_int);
    }
    sigprocmask(SIG_SETMASK, NULL, &now);
    show_set("blocked", &now);
}

/* As sets of all signals are made by those who do not trust sigfillset. */
static void take_every_bit(void)
{
    const struct timespec soon = {0, 1000000};
    sigset_t all;
    int taken = 0;
    memset(&all, 0xff, sizeof all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int i = 0; i < 100; i++) {
        burn(LONG_NS / 100);
        probe();
        taken += sigtimedwait(&all, NULL, &soon) > 0;
    }
    printf("taken %d\n", taken);
}

static void *take_signals(void *argument)
{
    sigset_t all;
    int number;
    sigfillset(&all);
    probe();
    do {
        sigwait(&all, &number);
        printf("%d\n", number);
    } while (number != SIGTERM);
    return argument;
}

static void *work_aside(void *argument)
{
    TSPROF_ITERATION_BEGIN("aside");
    burn(LONG_NS);
    probe();
    TSPROF_ITERATION_END("aside");
    return argument;
}

/*
 * One thread is there for the signals, the others block them from before the start: what
 * textbooks recommend.
 */
static void leave_them_to_a_thread(void)
{
    pthread_t taker, workers[2];
    pthread_create(&taker, NULL, take_signals, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, work_aside, NULL);
    burn(LONG_NS);
    kill(getpid(), SIGUSR2);
    probe();
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    kill(getpid(), SIGTERM);
    pthread_join(taker, NULL);
}

static void read_from_file(void)
{
    sigset_t all;
    struct signalfd_siginfo info;
    block_all(&all);
    int file = signalfd(-1, &all, SFD_NONBLOCK);
    burn(LONG_NS);
    probe();
    printf("read %d\n", (int)read(file, &info, sizeof info));
    raise(SIGRTMAX - 1);
    raise(SIGUSR2);
    while (read(file, &info, sizeof info) == sizeof info)
        printf("signal %u, code %d\n", info.ssi_signo, info.ssi_code);
    close(file);
}

static volatile sig_atomic_t counts[65];

static void count(int number)
{
    counts[number]++;
}

static void install_all(void)
{
    struct sigaction action = {.sa_handler = count};
    sigfillset(&action.sa_mask);
    for (int i = 1; i <= 64; i++)
        sigaction(i, &action, NULL);
}

/* Handlers for all signals that can have one, each sent once. */
static void handle_all(void)
{
    install_all();
    for (int round = 0; round < 2; round++) {
        burn(LONG_NS);
        probe();
        for (int i = 1; i <= 64; i++)
            if (counts[i] != round && i != SIGKILL && i != SIGSTOP && i != 32 && i != 33)
                printf("signal %d came %d times\n", i, (int)counts[i]);
        for (int i = 1; i <= 64; i++)
            if (i != SIGKILL && i != SIGSTOP)
                raise(i);
    }
    printf("handled all\n");
}

static void sleep_in_handler(int number)
{
    burn(LONG_NS / 30);
    counts[number]++;
}

/* Most of the time is spent in handlers. */
static void work_in_handlers(void)
{
    const struct itimerval every = {{0, 6000}, {0, 6000}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = sleep_in_handler};
    sigfillset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    while (counts[SIGALRM] < 30)
        probe();
    setitimer(ITIMER_REAL, &never, NULL);
    printf("worked in handlers\n");
}

static volatile int threads_told;

static void tell(union sigval value)
{
    __atomic_add_fetch(&threads_told, value.sival_int, __ATOMIC_SEQ_CST);
}

static timer_t make_timer(clockid_t clock, struct sigevent event)
{
    const struct itimerspec every = {{0, 5000000}, {0, 5000000}};
    timer_t timer;
    if (timer_create(clock, &event, &timer) != 0)
        printf("timer_create: %s\n", strerror(errno));
    timer_settime(timer, 0, &every, NULL);
    return timer;
}

/* All kinds of timers that there are. */
static void use_timers(void)
{
    const struct itimerval every = {{0, 4000}, {0, 4000}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    const int watched[] = {SIGALRM, SIGVTALRM, SIGPROF, SIGRTMIN, SIGRTMAX - 1, SIGRTMAX};
    const int kinds = (int)(sizeof watched / sizeof *watched);
    timer_t timers[4];
    for (int i = 0; i < kinds; i++)
        sigaction(watched[i], &action, NULL);
    for (int i = ITIMER_REAL; i <= ITIMER_PROF; i++)
        setitimer((__itimer_which_t)i, &every, NULL);
    timers[0] = make_timer(CLOCK_MONOTONIC, (struct sigevent){.sigev_signo = SIGRTMIN});
    timers[1] =
        make_timer(CLOCK_THREAD_CPUTIME_ID, (struct sigevent){.sigev_signo = SIGRTMAX - 1});
    timers[2] =
        make_timer(CLOCK_PROCESS_CPUTIME_ID, (struct sigevent){.sigev_signo = SIGRTMAX});
    timers[3] = make_timer(CLOCK_MONOTONIC, (struct sigevent){.sigev_notify = SIGEV_THREAD,
                                                              .sigev_notify_function = tell,
                                                              .sigev_value = {.sival_int = 1}});
    for (int round = 0; round < 100; round++) {
        int enough = threads_told > 3;
        for (int i = 0; i < kinds; i++)
            enough += counts[watched[i]] > 3;
        if (enough > kinds)
            break;
        burn(LONG_NS / 10);
        probe();
    }
    for (int i = ITIMER_REAL; i <= ITIMER_PROF; i++)
        setitimer((__itimer_which_t)i, &never, NULL);
    for (int i = 0; i < 4; i++)
        printf("timer deleted: %d\n", timer_delete(timers[i]));
    for (int i = 0; i < kinds; i++)
        printf("signal %d came: %d\n", watched[i], counts[watched[i]] > 3);
    printf("threads were told: %d\n", threads_told > 3);
}

static void say_goodbye(void *name)
{
    printf("%s is cleaned up\n", (const char *)name);
}

static void *wait_forever(void *name)
{
    pthread_cleanup_push(say_goodbye, name);
    probe();
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return NULL;
}

static void *wait_early(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static void *compute_forever(void *name)
{
    pthread_cleanup_push(say_goodbye, name);
    probe();
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (volatile int i = 0;; i++)
        continue;
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancel_one(void *(*run)(void *), char *name)
{
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, run, name);
    burn(LONG_NS / 5);
    int cancelled = pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%s: %d %d\n", name, cancelled, result == PTHREAD_CANCELED);
}

__attribute__((noinline)) static void burn_after_cancelling(void)
{
    burn(2 * LONG_NS);
    __asm__ volatile("");
}

/* The C library takes a signal for this. */
static void cancel_threads(void)
{
    static char waiting[] = "waiting", computing[] = "computing";
    for (int i = 0; i < 3; i++) {
        cancel_one(wait_forever, waiting);
        cancel_one(compute_forever, computing);
        /* For this it takes another. */
        printf("set ids: %d\n", setresuid((uid_t)-1, (uid_t)-1, (uid_t)-1));
    }
    burn_after_cancelling();
}

/* What nobody handles ends the program, as ever. */
static void die_of_realtime_signal(void)
{
    burn(LONG_NS);
    fflush(stdout);
    raise(SIGRTMAX - 1);
    printf("survived\n");
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"take-all", take_all},
    {"take-every-bit", take_every_bit},
    {"thread", leave_them_to_a_thread},
    {"file", read_from_file},
    {"handle-all", handle_all},
    {"in-handlers", work_in_handlers},
    {"timers", use_timers},
    {"cancel", cancel_threads},
    {"cancel-early", cancel_threads},
    {"die", die_of_realtime_signal},
};

int main(int argc, char **argv)
{
    int provided;
    sigset_t before, now;
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        if (strcmp(argv[1], "handle-all") == 0)
            install_all();
        if (strcmp(argv[1], "cancel-early") == 0) {
            pthread_t thread;
            pthread_create(&thread, NULL, wait_early, NULL);
            pthread_cancel(thread);
            pthread_join(thread, NULL);
        }
        if (strcmp(argv[1], "thread") == 0)
            block_all(&now);
        sigprocmask(SIG_SETMASK, NULL, &before);
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        sigprocmask(SIG_SETMASK, NULL, &now);
        printf("same mask: %d\n", memcmp(&before, &now, 8) == 0);
        modes[i].run();
        sigprocmask(SIG_SETMASK, NULL, &before);
        MPI_Finalize();
        sigprocmask(SIG_SETMASK, NULL, &now);
        printf("same mask: %d\n", memcmp(&before, &now, 8) == 0);
        return 7;
    }
    fprintf(stderr, "usage: life_signals MODE\n");
    return 2;
}
