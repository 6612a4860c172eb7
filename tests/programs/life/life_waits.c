/*
 * life_waits.c: a program for which a system call that is interrupted, or returns before its
 * time, is an error.  It spends its time inside such calls: long ones, and as many short ones
 * as the processor can do, so that timers expire while the kernel is in the middle of one.
 *
 *     life_waits MODE
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <mpi.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static struct timespec to_timespec(int64_t ns)
{
    return (struct timespec){ns / 1000000000, ns % 1000000000};
}

static struct timespec deadline(clockid_t clock, int64_t ns)
{
    return to_timespec(now_ns(clock) + ns);
}

/* What the calls below work on. */
static struct {
    int pipe[2];
    int epoll;
    int event;
    int timer;
    int socket[2];
    int datagram;
    int listener;
    int queue;
    int semaphores;
    sem_t semaphore;
    pthread_mutex_t lock;
    pthread_cond_t condition;
    int word;
    char *large;
} on;

enum { LARGE = 1 << 20 };

/* Each waits for NS nanoseconds for what does not come and returns 0 or what went wrong. */

static int wait_nanosleep(int64_t ns)
{
    struct timespec time = to_timespec(ns);
    return nanosleep(&time, NULL) == 0 ? 0 : errno;
}

static int wait_clock_nanosleep(int64_t ns)
{
    struct timespec time = deadline(CLOCK_MONOTONIC, ns);
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static int wait_usleep(int64_t ns)
{
    return usleep((useconds_t)(ns / 1000)) == 0 ? 0 : errno;
}

static int timed_out(int result)
{
    return result == 0 ? 0 : result < 0 ? errno : -1;
}

static int wait_poll(int64_t ns)
{
    struct pollfd file = {on.pipe[0], POLLIN, 0};
    return timed_out(poll(&file, 1, (int)(ns / 1000000)));
}

static int wait_ppoll(int64_t ns)
{
    struct pollfd file = {on.pipe[0], POLLIN, 0};
    struct timespec time = to_timespec(ns);
    sigset_t all;
    sigfillset(&all);
    return timed_out(ppoll(&file, 1, &time, &all));
}

static int wait_select(int64_t ns)
{
    fd_set files;
    struct timeval time = {ns / 1000000000, ns % 1000000000 / 1000};
    FD_ZERO(&files);
    FD_SET(on.pipe[0], &files);
    return timed_out(select(on.pipe[0] + 1, &files, NULL, NULL, &time));
}

static int wait_pselect(int64_t ns)
{
    fd_set files;
    struct timespec time = to_timespec(ns);
    sigset_t none;
    sigemptyset(&none);
    FD_ZERO(&files);
    FD_SET(on.pipe[0], &files);
    return timed_out(pselect(on.pipe[0] + 1, &files, NULL, NULL, &time, &none));
}

static int wait_epoll(int64_t ns)
{
    struct epoll_event event;
    return timed_out(epoll_wait(on.epoll, &event, 1, (int)(ns / 1000000)));
}

static int wait_semaphore(int64_t ns)
{
    struct timespec time = deadline(CLOCK_REALTIME, ns);
    return sem_timedwait(&on.semaphore, &time) == 0 ? -1 : errno == ETIMEDOUT ? 0 : errno;
}

static int wait_semop(int64_t ns)
{
    struct sembuf take = {0, -1, 0};
    struct timespec time = to_timespec(ns);
    return semtimedop(on.semaphores, &take, 1, &time) == 0 ? -1 : errno == EAGAIN ? 0 : errno;
}

static int wait_futex(int64_t ns)
{
    struct timespec time = to_timespec(ns);
    long result = syscall(SYS_futex, &on.word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
    return result == 0 ? -1 : errno == ETIMEDOUT ? 0 : errno;
}

static int wait_condition(int64_t ns)
{
    struct timespec time = deadline(CLOCK_REALTIME, ns);
    pthread_mutex_lock(&on.lock);
    int result = pthread_cond_timedwait(&on.condition, &on.lock, &time);
    pthread_mutex_unlock(&on.lock);
    return result == ETIMEDOUT ? 0 : result ? result : -1;
}

static int wait_sigtimedwait(int64_t ns)
{
    struct timespec time = to_timespec(ns);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    return sigtimedwait(&one, NULL, &time) >= 0 ? -1 : errno == EAGAIN ? 0 : errno;
}

static int set_limit(int socket, int64_t ns)
{
    struct timeval time = {ns / 1000000000, ns % 1000000000 / 1000};
    return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

static int wait_recv(int64_t ns)
{
    char byte;
    set_limit(on.datagram, ns);
    return recv(on.datagram, &byte, 1, 0) >= 0 ? -1 : errno == EAGAIN ? 0 : errno;
}

static int wait_accept(int64_t ns)
{
    set_limit(on.listener, ns);
    return accept(on.listener, NULL, NULL) >= 0 ? -1 : errno == EAGAIN ? 0 : errno;
}

static int wait_timer(int64_t ns)
{
    struct itimerspec time = {{0, 0}, to_timespec(ns)};
    uint64_t times;
    timerfd_settime(on.timer, 0, &time, NULL);
    return read(on.timer, &times, sizeof times) == sizeof times ? 0 : errno;
}

/* A child that goes on for NS. */
static int wait_child(int64_t ns)
{
    struct timespec time = to_timespec(ns);
    int status;
    pid_t child = vfork();
    if (child == 0) {
        syscall(SYS_nanosleep, &time, NULL);
        _exit(0);
    }
    return waitpid(child, &status, 0) == child ? 0 : errno;
}

static const struct wait {
    const char *name;
    int (*wait)(int64_t ns);
    int64_t finest_ns;
} waits[] = {
    {"nanosleep", wait_nanosleep, 1},
    {"clock_nanosleep", wait_clock_nanosleep, 1},
    {"usleep", wait_usleep, 1000},
    {"poll", wait_poll, 1000000},
    {"ppoll", wait_ppoll, 1},
    {"select", wait_select, 1000},
    {"pselect", wait_pselect, 1},
    {"epoll_wait", wait_epoll, 1000000},
    {"sem_timedwait", wait_semaphore, 1},
    {"semtimedop", wait_semop, 1},
    {"futex", wait_futex, 1},
    {"pthread_cond_timedwait", wait_condition, 1},
    {"sigtimedwait", wait_sigtimedwait, 1},
    {"recv", wait_recv, 1000},
    {"accept", wait_accept, 1000},
    {"timerfd", wait_timer, 1},
    {"waitpid", wait_child, 1},
};

#define WAITS (sizeof waits / sizeof waits[0])

/* Each does a piece of work in the kernel, however small, and returns 0 or what went wrong. */

static int work_poll(void)
{
    struct pollfd file = {on.pipe[0], POLLIN, 0};
    return timed_out(poll(&file, 1, 0));
}

static int work_pipe(void)
{
    if (write(on.pipe[1], on.large, 4096) != 4096)
        return errno ? errno : -1;
    return read(on.pipe[0], on.large, 4096) == 4096 ? 0 : errno ? errno : -1;
}

static int work_zeros(void)
{
    int file = open("/dev/zero", O_RDONLY);
    ssize_t size = file < 0 ? -1 : read(file, on.large, LARGE);
    return close(file) == 0 && size == LARGE ? 0 : errno ? errno : -1;
}

static int work_event(void)
{
    uint64_t value = 1;
    if (write(on.event, &value, sizeof value) != sizeof value)
        return errno;
    return read(on.event, &value, sizeof value) == sizeof value ? 0 : errno;
}

static int work_socket(void)
{
    if (send(on.socket[0], on.large, 4096, 0) != 4096)
        return errno ? errno : -1;
    return recv(on.socket[1], on.large, 4096, MSG_WAITALL) == 4096 ? 0 : errno ? errno : -1;
}

static int work_queue(void)
{
    struct {
        long type;
        char text[64];
    } message = {1, ""};
    if (msgsnd(on.queue, &message, sizeof message.text, 0) != 0)
        return errno;
    return msgrcv(on.queue, &message, sizeof message.text, 1, 0) == 64 ? 0 : errno;
}

static int work_semop(void)
{
    struct sembuf both[] = {{0, 1, 0}, {0, -1, 0}};
    return semop(on.semaphores, both, 2) == 0 ? 0 : errno;
}

static int work_short_sleep(void)
{
    return wait_nanosleep(1);
}

static int work_short_ppoll(void)
{
    return wait_ppoll(1);
}

static int work_short_futex(void)
{
    return wait_futex(1);
}

static const struct work {
    const char *name;
    int (*work)(void);
} works[] = {
    {"poll", work_poll},         {"pipe", work_pipe},
    {"/dev/zero", work_zeros},   {"eventfd", work_event},
    {"socket", work_socket},     {"msgrcv", work_queue},
    {"semop", work_semop},       {"nanosleep", work_short_sleep},
    {"ppoll", work_short_ppoll}, {"futex", work_short_futex},
};

#define WORKS (sizeof works / sizeof works[0])

static void open_all(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    struct epoll_event event = {.events = EPOLLIN};
    on.event = eventfd(0, 0);
    on.timer = timerfd_create(CLOCK_MONOTONIC, 0);
    on.epoll = epoll_create1(0);
    on.datagram = socket(AF_INET, SOCK_DGRAM, 0);
    on.listener = socket(AF_INET, SOCK_STREAM, 0);
    on.queue = msgget(IPC_PRIVATE, 0600);
    on.semaphores = semget(IPC_PRIVATE, 1, 0600);
    on.large = malloc(LARGE);
    memset(on.large, 1, LARGE);
    if (pipe(on.pipe) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, on.socket) != 0 ||
        bind(on.datagram, (struct sockaddr *)&any, sizeof any) != 0 ||
        listen(on.listener, 1) != 0 || on.queue < 0 || on.semaphores < 0 ||
        epoll_ctl(on.epoll, EPOLL_CTL_ADD, on.pipe[0], &event) != 0)
        printf("cannot open: %s\n", strerror(errno));
    sem_init(&on.semaphore, 0, 0);
    pthread_mutex_init(&on.lock, NULL);
    pthread_cond_init(&on.condition, NULL);
}

static void close_all(void)
{
    msgctl(on.queue, IPC_RMID, NULL);
    semctl(on.semaphores, 0, IPC_RMID);
}

static void probe(void)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

/* Uses up a little time, so that a timer is about to expire. */
static void compute(void)
{
    for (volatile int i = 0; i < 200000; i++)
        continue;
}

/* One wait of each kind, none of them cut short, and then many of half a millisecond. */
static void wait_long(void)
{
    for (size_t i = 0; i < WAITS; i++) {
        int wrong = 0, early = 0;
        for (int round = 0; round < 15; round++) {
            int64_t ns = round ? 500000 : 8000000;
            ns = ns < waits[i].finest_ns ? waits[i].finest_ns : ns;
            compute();
            int64_t begin = now_ns(CLOCK_MONOTONIC);
            int result = waits[i].wait(ns);
            int64_t waited = now_ns(CLOCK_MONOTONIC) - begin;
            /* Some count ticks of the kernel. */
            early += waited < ns - 4000000 || (waits[i].finest_ns == 1 && waited < ns / 2);
            wrong = result ? result : wrong;
            probe();
        }
        printf("%s: %s, early %d\n", waits[i].name,
               wrong ? wrong > 0 ? strerror(wrong) : "?" : "good", early);
    }
}

/* So much processor time inside the kernel that every timer has expired there many times. */
static void work_short(void)
{
    for (size_t i = 0; i < WORKS; i++) {
        int wrong = 0;
        errno = 0;
        for (int64_t end = now_ns(CLOCK_PROCESS_CPUTIME_ID) + 40000000;
             now_ns(CLOCK_PROCESS_CPUTIME_ID) < end && !wrong;)
            for (int n = 0; n < 20 && !wrong; n++)
                wrong = works[i].work();
        probe();
        printf("%s: %s\n", works[i].name, wrong ? wrong > 0 ? strerror(wrong) : "?" : "good");
    }
}

static void *send_in_time(void *thread)
{
    struct timespec time = {0, 20000000};
    char byte = 0;
    nanosleep(&time, NULL);
    if (write(on.pipe[1], &byte, 1) != 1)
        printf("cannot write\n");
    nanosleep(&time, NULL);
    sem_post(&on.semaphore);
    nanosleep(&time, NULL);
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    nanosleep(&time, NULL);
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    return NULL;
}

static volatile sig_atomic_t came;

static void count(int number)
{
    (void)number;
    came++;
}

/* Waits without an end but the one that another thread sends. */
static void wait_for_ever(void)
{
    struct sigaction action = {.sa_handler = count};
    pthread_t self = pthread_self(), sender;
    sigset_t one, before;
    char byte;
    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, &before);
    pthread_create(&sender, NULL, send_in_time, &self);
    compute();
    printf("read %d\n", (int)read(on.pipe[0], &byte, 1));
    printf("sem_wait %d\n", sem_wait(&on.semaphore));
    sigsuspend(&before);
    printf("sigsuspend: %d\n", (int)came);
    sigsuspend(&before);
    printf("sigsuspend: %d\n", (int)came);
    pthread_join(sender, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void *wait_in_thread(void *argument)
{
    probe();
    wait_long();
    return argument;
}

static void wait_aside(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_in_thread, NULL);
    pthread_join(thread, NULL);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"long", wait_long}, {"short", work_short}, {"ever", wait_for_ever}, {"aside", wait_aside}};

int main(int argc, char **argv)
{
    int provided;
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        open_all();
        modes[i].run();
        close_all();
        MPI_Finalize();
        return 7;
    }
    fprintf(stderr, "usage: life_waits MODE\n");
    return 2;
}
