/*
 * visits.c: functions that call MPI each time they are called, called in ways that leave the
 * same stack behind: in loops, by recursion, through pointers, left by longjmp.
 *
 *     visits ROUNDS
 *
 * Prints how often each was entered, a line each: name, number.
 */
#include <mpi.h>
#include <tsprof.h>

#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS(X)                                                                           \
    X(leaf)                                                                                    \
    X(middle)                                                                                  \
    X(recursive) X(by_pointer) X(with_alloca) X(jumps_out) X(catches_jump) X(marks) X(last_call)

enum function {
#define ENUMERATE(name) FUNCTION_##name,
    FUNCTIONS(ENUMERATE) FUNCTION_COUNT
};

static const char *const names[FUNCTION_COUNT] = {
#define NAME(name) #name,
    FUNCTIONS(NAME)};

static long entered[FUNCTION_COUNT];

#define ENTER(name) entered[FUNCTION_##name]++
#define KEPT        __attribute__((noipa)) static

KEPT void leaf(void)
{
    ENTER(leaf);
    MPI_Barrier(MPI_COMM_SELF);
    __asm__ volatile("");
}

KEPT void middle(int calls)
{
    ENTER(middle);
    for (int i = 0; i < calls; i++)
        leaf();
    __asm__ volatile("");
}

KEPT void recursive(int levels)
{
    ENTER(recursive);
    if (levels > 0)
        recursive(levels - 1);
    else
        leaf();
    __asm__ volatile("");
}

KEPT void by_pointer(void (*function)(void))
{
    ENTER(by_pointer);
    function();
    function();
    __asm__ volatile("");
}

KEPT void with_alloca(int bytes)
{
    ENTER(with_alloca);
    volatile char *memory = alloca((size_t)bytes);
    memory[0] = 1;
    leaf();
    memory = alloca((size_t)bytes);
    memory[0] = 2;
    leaf();
}

static jmp_buf place;

KEPT void jumps_out(void)
{
    ENTER(jumps_out);
    leaf();
    longjmp(place, 1);
}

KEPT void catches_jump(void)
{
    ENTER(catches_jump);
    if (setjmp(place) == 0)
        jumps_out();
    MPI_Barrier(MPI_COMM_SELF);
    __asm__ volatile("");
}

/* All of its MPI calls are in an iteration. */
KEPT void marks(int calls)
{
    ENTER(marks);
    TSPROF_ITERATION_BEGIN("step");
    for (int i = 0; i < calls; i++)
        leaf();
    TSPROF_ITERATION_END("step");
    __asm__ volatile("");
}

/* Leaves by a sibling call: the MPI function returns to the caller. */
KEPT int last_call(void)
{
    ENTER(last_call);
    leaf();
    return MPI_Barrier(MPI_COMM_SELF);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < rounds; i++) {
        leaf();
        middle(3);
        recursive(i % 7);
        by_pointer(leaf);
        with_alloca(16 << i % 6);
        catches_jump();
        marks(2);
        last_call();
    }
    for (int i = 0; i < FUNCTION_COUNT; i++)
        printf("%s %ld\n", names[i], entered[i]);
    MPI_Finalize();
    return 0;
}
