/*
 * instrumented.c: functions that tell when they are entered and left, called in all ways that C
 * has: in loops, by recursion, through pointers, from libraries, left by longjmp, on threads,
 * in a library that comes and goes, in iterations.
 *
 *     instrumented ROUNDS LIBRARY [mark]
 *
 * Prints what instrumented.h states, a line for each function.
 */
#include "instrumented.h"

#include <mpi.h>
#include <tsprof.h>

#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

KEPT void leaf(void)
{
    ENTER("leaf");
    MPI_Barrier(MPI_COMM_SELF);
}

KEPT int tiny(int number)
{
    ENTER("tiny");
    return number + 1;
}

KEPT void middle(int calls)
{
    ENTER("middle");
    for (int i = 0; i < calls; i++)
        leaf();
}

KEPT void recursive(int levels)
{
    ENTER("recursive");
    if (levels > 0)
        recursive(levels - 1);
    else
        leaf();
    tiny(levels);
}

KEPT int compares(const void *a, const void *b)
{
    ENTER("compares");
    return *(const int *)a - *(const int *)b;
}

KEPT void sorts(void)
{
    ENTER("sorts");
    int numbers[16];
    for (int i = 0; i < 16; i++)
        numbers[i] = i * 7 % 16;
    qsort(numbers, 16, sizeof numbers[0], compares);
}

KEPT int with_alloca(int bytes)
{
    ENTER("with_alloca");
    volatile char *memory = alloca((size_t)bytes);
    memory[0] = (char)tiny(1);
    memory = alloca((size_t)bytes);
    memory[0] = (char)tiny(2);
    return memory[0];
}

static jmp_buf place;

KEPT void jumps_out(void)
{
    ENTER("jumps_out");
    leaf();
    longjmp(place, 1);
}

KEPT void passes_through(void (*function)(void))
{
    ENTER("passes_through");
    function();
    tiny(0);
}

KEPT void catches_jump(void)
{
    ENTER("catches_jump");
    if (setjmp(place) == 0)
        passes_through(jumps_out);
    tiny(2);
    if (setjmp(place) == 0)
        jumps_out();
    MPI_Barrier(MPI_COMM_SELF);
}

KEPT void computes(long long ns, struct stated *own)
{
    const long long begin_ns = now_ns();
    own->visits++;
    compute(ns);
    own->least_ns += now_ns() - begin_ns;
}

/* What it computes itself, what is computed in what it calls, and MPI can be told apart. */
KEPT void around(long long ns, struct stated *inner)
{
    static const char name[] = "around";
    const long long begin_ns = now_ns();
    state(name)->visits++;
    compute(ns);
    state(name)->least_ns += now_ns() - begin_ns;
    leaf();
    const long long call_ns = now_ns();
    computes(2 * ns, inner);
    inner->most_ns += now_ns() - call_ns;
}

static void *on_thread(void *rounds)
{
    ENTER("on_thread");
    for (long i = 0; i < *(const long *)rounds; i++)
        recursive(3);
    return NULL;
}

/* Threads come one after the other. */
KEPT void begins_thread(long rounds)
{
    ENTER("begins_thread");
    pthread_t thread;
    pthread_create(&thread, NULL, on_thread, &rounds);
    pthread_join(thread, NULL);
}

KEPT void loads(const char *path)
{
    ENTER("loads");
    void *library = dlopen(path, RTLD_NOW), *symbol = library ? dlsym(library, "loaded") : NULL;
    long (*loaded)(void (*)(void));
    memcpy(&loaded, &symbol, sizeof loaded);
    static const char name[] = "loaded";
    if (loaded)
        state(name)->visits += loaded(leaf);
    if (library)
        dlclose(library);
}

KEPT void calls_all(const char *library, int round)
{
    ENTER("calls_all");
    leaf();
    middle(3);
    recursive(round % 7);
    sorts();
    with_alloca(16 << round % 6);
    catches_jump();
    static const char name[] = "computes";
    around(50000, state(name));
    for (int i = 0; i < 50; i++)
        tiny(i);
    if (round % 8 == 0)
        begins_thread(5);
    if (round % 8 == 0)
        loads(library);
}

KEPT void starts(int *argc, char ***argv)
{
    ENTER("starts");
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    tiny(0);
}

int main(int argc, char **argv)
{
    ENTER("main");
    starts(&argc, &argv);
    const int rounds = argc > 1 ? atoi(argv[1]) : 10, marked = argc > 3;
    for (int i = 0; i < rounds; i++) {
        if (marked)
            TSPROF_ITERATION_BEGIN("round");
        calls_all(argc > 2 ? argv[2] : "", i);
        if (marked)
            TSPROF_ITERATION_END("round");
    }
    print_stated();
    MPI_Finalize();
    return 0;
}
