/*
 * life_endings.c: MPI begun and ended at unusual times and places: in handlers at exit, in
 * destructors of the program and of a thread's data, in other threads, late, twice, by
 * sessions.
 *
 *     life_endings MODE
 *
 * Every call of MPI_Iprobe is counted; the program prints at its very end how many there were.
 */
#define _GNU_SOURCE
#include "burn.h"

#include <tsprof.h>

#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LONG_NS INT64_C(60000000)

static int probes, finalize_at_exit, finalize_in_destructor;

static void probe(void)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    __atomic_add_fetch(&probes, 1, __ATOMIC_SEQ_CST);
}

static void step(void)
{
    TSPROF_ITERATION_BEGIN("step");
    burn(LONG_NS / 10);
    probe();
    TSPROF_ITERATION_END("step");
}

static void work(void)
{
    for (int i = 0; i < 3; i++)
        step();
}

static void finalize(void)
{
    MPI_Finalize();
    printf("probes %d\n", probes);
    fflush(stdout);
}

/* Registered before MPI starts: the last to run. */
static void at_exit_last(void)
{
    int initialized, finalized;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    printf("last handler: initialized %d, finalized %d\n", initialized, finalized);
    if (!initialized || finalized)
        return;
    probe();
    if (finalize_at_exit == 1)
        finalize();
}

/* Registered after MPI has started. */
static void at_exit_first(void)
{
    printf("first handler\n");
    probe();
    if (finalize_at_exit == 2)
        finalize();
}

static void __attribute__((destructor)) destroy_program(void)
{
    if (!finalize_in_destructor)
        return;
    printf("destructor\n");
    step();
    finalize();
}

static pthread_key_t keys[3];

static void destroy_data(void *data)
{
    probe();
    /* Once more, as the standard allows. */
    if (*(int *)data > 0) {
        --*(int *)data;
        pthread_setspecific(keys[1], data);
    }
}

static void *have_data(void *argument)
{
    static int twice = 2, once = 1, never;
    pthread_setspecific(keys[0], &never);
    pthread_setspecific(keys[1], &twice);
    pthread_setspecific(keys[2], &once);
    step();
    return argument;
}

static void run_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, argument);
    pthread_join(thread, NULL);
}

static void start(int level)
{
    int provided;
    MPI_Init_thread(NULL, NULL, level, &provided);
}

static int end_at_exit(void)
{
    finalize_at_exit = 1;
    atexit(at_exit_last);
    start(MPI_THREAD_SINGLE);
    atexit(at_exit_first);
    work();
    return 7;
}

static int end_at_exit_first(void)
{
    finalize_at_exit = 2;
    atexit(at_exit_last);
    start(MPI_THREAD_SINGLE);
    atexit(at_exit_first);
    work();
    exit(7);
}

static int end_in_destructor(void)
{
    finalize_in_destructor = 1;
    start(MPI_THREAD_SINGLE);
    work();
    return 7;
}

static int end_in_thread_data(void)
{
    pthread_key_create(&keys[0], destroy_data);
    start(MPI_THREAD_MULTIPLE);
    pthread_key_create(&keys[1], destroy_data);
    pthread_key_create(&keys[2], destroy_data);
    run_thread(have_data, NULL);
    finalize();
    return 7;
}

static int start_late(void)
{
    burn(5 * LONG_NS);
    for (int i = 0; i < 5; i++) {
        TSPROF_ITERATION_BEGIN("early");
        TSPROF_ITERATION_END("early");
    }
    start(MPI_THREAD_SINGLE);
    work();
    finalize();
    return 7;
}

static int go_on_after(void)
{
    start(MPI_THREAD_SINGLE);
    work();
    finalize();
    for (int i = 0; i < 5; i++) {
        TSPROF_ITERATION_BEGIN("late");
        burn(LONG_NS);
        TSPROF_ITERATION_END("late");
    }
    return 7;
}

static void *start_here(void *argument)
{
    start(MPI_THREAD_MULTIPLE);
    work();
    return argument;
}

/* Another program in the same process, with whatever was pending. */
static int become_another(void)
{
    start(MPI_THREAD_SINGLE);
    work();
    burn(LONG_NS);
    fflush(stdout);
    execl("/proc/self/exe", "life_endings", "another", NULL);
    return 1;
}

static int be_another(void)
{
    burn(2 * LONG_NS);
    printf("another\n");
    return 7;
}

/* The thread that started MPI ends long before it. */
static int start_in_thread(void)
{
    run_thread(start_here, NULL);
    work();
    finalize();
    return 7;
}

static void *live_here(void *argument)
{
    start(MPI_THREAD_SERIALIZED);
    work();
    finalize();
    return argument;
}

static int live_in_thread(void)
{
    run_thread(live_here, NULL);
    burn(LONG_NS);
    return 7;
}

static int never_end(void)
{
    start(MPI_THREAD_SINGLE);
    work();
    printf("probes %d\n", probes);
    return 7;
}

static int start_with(int level)
{
    int provided;
    MPI_Init_thread(NULL, NULL, level, &provided);
    printf("provided enough: %d\n", provided >= level);
    work();
    finalize();
    return 7;
}

static int start_single(void)
{
    return start_with(MPI_THREAD_SINGLE);
}

static int start_funneled(void)
{
    return start_with(MPI_THREAD_FUNNELED);
}

static int start_serialized(void)
{
    return start_with(MPI_THREAD_SERIALIZED);
}

static int start_multiple(void)
{
    return start_with(MPI_THREAD_MULTIPLE);
}

static pthread_t main_thread;

static void *outlive_main(void *argument)
{
    pthread_join(main_thread, NULL);
    work();
    finalize();
    exit(7);
    return argument;
}

/* The thread that started MPI, the first of the process, ends before the program does. */
static int leave_main(void)
{
    pthread_t thread;
    main_thread = pthread_self();
    start(MPI_THREAD_MULTIPLE);
    work();
    pthread_create(&thread, NULL, outlive_main, NULL);
    pthread_exit(NULL);
}

/* Started before main, by a constructor. */
static int started_early;

static void __attribute__((constructor)) construct_program(int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], "constructor") != 0)
        return;
    start(MPI_THREAD_SINGLE);
    step();
    started_early = 1;
}

static int go_on_from_constructor(void)
{
    printf("started early: %d\n", started_early);
    work();
    finalize();
    return 7;
}

/* An error that MPI answers by ending the program. */
static int start_twice(void)
{
    start(MPI_THREAD_SINGLE);
    work();
    fflush(stdout);
    MPI_Init(NULL, NULL);
    printf("initialized twice\n");
    finalize();
    return 7;
}

/* Calls that are allowed before MPI starts, and could start a measurement. */
static int use_info_first(void)
{
    MPI_Info info;
    char value[8];
    int flag;
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Info_get(info, "key", 7, value, &flag);
    printf("%s\n", flag ? value : "none");
    start(MPI_THREAD_SINGLE);
    work();
    MPI_Info_free(&info);
    finalize();
    return 7;
}

/* What may be asked before MPI starts and after it has ended. */
static int ask_outside(void)
{
    int flag, version, subversion, length;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    for (int round = 0; round < 2; round++) {
        MPI_Initialized(&flag);
        printf("initialized: %d\n", flag);
        MPI_Finalized(&flag);
        printf("finalized: %d\n", flag);
        MPI_Get_version(&version, &subversion);
        MPI_Get_library_version(library, &length);
        printf("version %d.%d, %d characters\n", version, subversion, length);
        if (round == 0) {
            start(MPI_THREAD_SINGLE);
            work();
            finalize();
        }
    }
    return 7;
}

#if MPI_VERSION >= 4
static void use_session(int world)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int size, sum = 0, one = 1;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    if (world == 1)
        start(MPI_THREAD_MULTIPLE);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "tests", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 5; i++) {
        TSPROF_ITERATION_BEGIN("in a session");
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        burn(LONG_NS / 10);
        TSPROF_ITERATION_END("in a session");
    }
    printf("all: %d\n", sum == size);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    if (world == 1) {
        work();
        finalize();
    }
    MPI_Session_finalize(&session);
}

static int have_session(void)
{
    use_session(0);
    return 7;
}

static int have_sessions(void)
{
    for (int i = 0; i < 3; i++)
        use_session(0);
    return 7;
}

/* The world begins and ends inside the session. */
static int have_session_and_world(void)
{
    use_session(1);
    return 7;
}

static int have_world_and_session(void)
{
    start(MPI_THREAD_MULTIPLE);
    use_session(2);
    work();
    finalize();
    return 7;
}

static int have_session_then_world(void)
{
    use_session(0);
    start(MPI_THREAD_MULTIPLE);
    work();
    finalize();
    return 7;
}
#endif

static const struct {
    const char *name;
    int (*run)(void);
} modes[] = {
    {"at-exit", end_at_exit},
    {"at-exit-first", end_at_exit_first},
    {"destructor", end_in_destructor},
    {"thread-data", end_in_thread_data},
    {"late", start_late},
    {"go-on", go_on_after},
    {"thread-starts", start_in_thread},
    {"thread-lives", live_in_thread},
    {"never", never_end},
    {"exec", become_another},
    {"another", be_another},
    {"single", start_single},
    {"funneled", start_funneled},
    {"serialized", start_serialized},
    {"multiple", start_multiple},
    {"twice", start_twice},
    {"main-leaves", leave_main},
    {"constructor", go_on_from_constructor},
    {"info-first", use_info_first},
    {"ask", ask_outside},
#if MPI_VERSION >= 4
    {"session", have_session},
    {"sessions", have_sessions},
    {"session-world", have_session_and_world},
    {"world-session", have_world_and_session},
    {"session-then-world", have_session_then_world},
#endif
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            return modes[i].run();
    fprintf(stderr, "usage: life_endings MODE\n");
    return 2;
}
