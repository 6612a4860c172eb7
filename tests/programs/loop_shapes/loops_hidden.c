/* Cases whose machine code is hard to read. */
#include "loops.h"

#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>

static double field[FIELD];

APART static void step(void)
{
    begin_step("step");
    exchange_halo(field);
    work(work_us / 2);
    field[3] = sum_over_ranks(field[2]);
    NO_JUMP();
}

/* Calls step so often, from code that is made at run time. */
void generated(long n)
{
#ifdef __x86_64__
    /* push rbp; mov rbp, rsp; push rbx; push r12; mov rbx, rdi; mov r12, rsi; again: call r12;
     * dec rbx; jnz again; pop r12; pop rbx; pop rbp; ret */
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x53, 0x41, 0x54, 0x48, 0x89,
                                         0xfb, 0x49, 0x89, 0xf4, 0x41, 0xff, 0xd4, 0x48, 0xff,
                                         0xcb, 0x75, 0xf8, 0x41, 0x5c, 0x5b, 0x5d, 0xc3};
    void *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place != MAP_FAILED) {
        void (*run)(long, void (*)(void));
        memcpy(place, code, sizeof code);
        mprotect(place, 4096, PROT_READ | PROT_EXEC);
        memcpy(&run, &place, sizeof run);
        run(n, step);
    }
#else
    for (long i = 0; i < n; i++)
        step();
#endif
    truth("loop", "step", n);
}

/* The same from code that jumps into the middle of an instruction, to mislead. */
void overlapping(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
#ifdef __x86_64__
        __asm__ volatile(".byte 0xeb, 0xff, 0xc0" ::: "rax");
#endif
        step();
    }
    truth("loop", "step", steps);
}

/* A program is interpreted: two exchanges and a sum in each step. */
void interpreted(long n)
{
    static const unsigned char program[] = {0, 1, 0, 1, 2, 3};
    static void *const labels[] = {&&exchange, &&compute, &&sum, &&repeat};
    long steps = 0;
    int at = 0;
    begin_step("step");
    goto *labels[program[at++]];
exchange:
    exchange_halo(field);
    goto *labels[program[at++]];
compute:
    work(work_us / 4);
    goto *labels[program[at++]];
sum:
    field[3] = sum_over_ranks(field[2]);
    goto *labels[program[at++]];
repeat:
    at = 0;
    if (++steps < n) {
        begin_step("step");
        goto *labels[program[at++]];
    }
    truth("loop", "step", steps);
}

static jmp_buf place;

APART static void fail(long steps)
{
    exchange_halo(field);
    if (steps % 3 == 0)
        longjmp(place, 1);
    NO_JUMP();
}

APART static void try_to_step(long steps)
{
    if (setjmp(place) == 0)
        fail(steps);
    else
        shift_left(field);
    field[3] = sum_over_ranks(field[2]);
    NO_JUMP();
}

/* A function that every third step leaves by a jump. */
void jumping(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        try_to_step(steps);
        work(work_us / 2);
    }
    truth("loop", "step", steps);
}

APART static void iterate(long i, long last)
{
    exchange_halo(field);
    work(work_us / 8);
    field[3] = sum_over_ranks(field[2]);
    if (i == last)
        longjmp(place, 1);
    NO_JUMP();
}

/* A solver that does not return: its last iteration leaves it. */
APART static void iterate_until(long last)
{
    for (long i = 0;; i++)
        iterate(i, last);
}

APART static void solve_step(long last)
{
    if (setjmp(place) == 0)
        iterate_until(last);
    work(work_us / 4);
}

/* A loop inside each step that a jump leaves, and which the next step begins anew. */
void leaving(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        solve_step(3 + steps % 4);
    }
    truth("loop", "step", steps);
}

/* What compilers take for unlikely, and put into a part of the function that lies apart. */
__attribute__((cold)) APART static void note(long step)
{
    field[4] += (double)step;
}

/* Steps of which one in ten makes no call but one from that part. */
void steps_apart(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        work(work_us / 2);
        if (steps % 10 == 9) {
            note(steps);
            MPI_Barrier(MPI_COMM_WORLD);
            continue;
        }
        exchange_halo(field);
        field[3] = sum_over_ranks(field[2]);
    }
    truth("loop", "step", steps);
}
