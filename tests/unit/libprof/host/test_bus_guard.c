/* Files that get shorter while they are read through a mapping, and whose SIGBUS that is. */
#include "host/bus_guard.h"

#include "tap.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 3 };

static size_t page;

/* Maps a file of PAGES pages of ones, which is then truncated behind KEPT of them. */
static char *map_truncated(int kept)
{
    char name[] = "/tmp/tsprof-bus-XXXXXX";
    int file = mkstemp(name);
    char *bytes = malloc(PAGES * page);
    memset(bytes, 1, PAGES * page);
    bool written = write(file, bytes, PAGES * page) == (ssize_t)(PAGES * page);
    char *memory = mmap(NULL, PAGES * page, PROT_READ, MAP_PRIVATE, file, 0);
    if (!written || memory == MAP_FAILED || ftruncate(file, (off_t)((size_t)kept * page)) != 0)
        abort();
    free(bytes);
    unlink(name);
    close(file);
    return memory;
}

struct sum {
    const char *memory;
    size_t bytes;
};

static void add_up(void *argument)
{
    struct sum *sum = argument;
    for (size_t i = 0; i < PAGES * page; i++)
        sum->bytes += (size_t)((const volatile char *)sum->memory)[i];
}

static bool reads(int kept)
{
    struct sum sum = {.memory = map_truncated(kept)};
    bool whole = bus_guard_read(add_up, &sum);
    EQ_INT(sum.bytes, (size_t)kept * page, "%d pages are read, and zeros", kept);
    munmap((void *)sum.memory, PAGES * page);
    return whole;
}

static bool has_action(sighandler_t wanted)
{
    struct sigaction now;
    return sigaction(SIGBUS, NULL, &now) == 0 && now.sa_handler == wanted;
}

static void test_missing_pages_are_zeros(void)
{
    OK(reads(PAGES), "a whole file");
    OK(!reads(1) && !reads(0), "is told from others");
    OK(has_action(SIG_DFL), "the program has its action back");
}

static sigjmp_buf back;
static const char *lost; /* of the program */
static int faults, other;

static void on_bus(int number)
{
    (void)number;
    faults++;
    siglongjmp(back, 1);
}

static void on_other(int number)
{
    (void)number;
    other++;
    if (lost && sigsetjmp(back, 1) == 0)
        other += *(const volatile char *)lost;
}

static void read_interrupted(void *argument)
{
    raise(SIGUSR1);
    add_up(argument);
}

static void test_a_handler_that_interrupts_faults_on_its_own(void)
{
    struct sum sum = {.memory = map_truncated(PAGES)};
    signal(SIGBUS, on_bus);
    signal(SIGUSR1, on_other);
    lost = map_truncated(0);
    OK(bus_guard_read(read_interrupted, &sum), "what is read is whole");
    EQ_INT(other, 1, "the handler ran");
    EQ_INT(faults, 1, "its fault was the program's");
    lost = NULL;
    signal(SIGUSR1, SIG_DFL);
}

static void read_sent(void *argument)
{
    raise(SIGBUS);
    struct sum *sum = argument;
    sum->bytes = (size_t)(unsigned char)*sum->memory;
}

static void test_what_is_blocked_stays_blocked(void)
{
    sigset_t bus, now, waiting;
    struct sum sum = {.memory = map_truncated(0)}, whole = {.memory = map_truncated(PAGES)};
    faults = 0;
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    pthread_sigmask(SIG_BLOCK, &bus, NULL);
    OK(!bus_guard_read(add_up, &sum) && sum.bytes == 0, "it is read where SIGBUS is blocked");
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    OK(sigismember(&now, SIGBUS), "which it is afterwards");
    OK(bus_guard_read(read_sent, &whole) && whole.bytes == 1, "one is sent meanwhile");
    sigpending(&waiting);
    OK(sigismember(&waiting, SIGBUS) && faults == 0, "and waits until it is let through");
    if (sigsetjmp(back, 1) == 0)
        pthread_sigmask(SIG_UNBLOCK, &bus, NULL);
    EQ_INT(faults, 1, "then it comes");
    OK(has_action(on_bus), "to the program");
}

static void jump_away(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

/* A handler leaves a reading by a jump; the next fault is the program's. */
static void test_left_by_a_jump(void)
{
    struct sum sum = {.memory = map_truncated(PAGES)}, gone = {.memory = map_truncated(0)};
    sigset_t bus;
    faults = 0;
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &bus, NULL);
    signal(SIGBUS, on_bus);
    signal(SIGUSR1, jump_away);
    if (sigsetjmp(back, 1) == 0)
        bus_guard_read(read_interrupted, &sum);
    bus_guard_abandon();
    if (sigsetjmp(back, 1) == 0)
        add_up(&gone);
    EQ_INT(faults, 1, "after a reading that was left a fault is the program's");
    OK(has_action(on_bus), "which has its action back");
    OK(!bus_guard_read(add_up, &gone), "and what is read next is looked at");
    signal(SIGUSR1, SIG_DFL);
}

static void test_who_ignores_it_goes_on_so(void)
{
    struct sum sum = {.memory = map_truncated(PAGES)};
    signal(SIGBUS, SIG_IGN);
    OK(bus_guard_read(add_up, &sum), "a whole file");
    OK(has_action(SIG_IGN), "it is ignored");
}

int main(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    signal(SIGBUS, SIG_DFL);
    test_missing_pages_are_zeros();
    test_a_handler_that_interrupts_faults_on_its_own();
    test_what_is_blocked_stays_blocked();
    test_left_by_a_jump();
    test_who_ignores_it_goes_on_so();
    return tap_done();
}
