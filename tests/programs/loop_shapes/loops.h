/*
 * loops.h: what the files of the program `loops` share, see loops.c.
 *
 * Blocks are what real codes have: exchanges with neighbours on a ring of the ranks, sums over
 * all, work.  They are in a file of their own (loops_blocks.c), so none is inlined into a case.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include "loops_contents.h"

#include <mpi.h>
#include <stdint.h>

#define APART __attribute__((noinline, noclone))

/* After the last call of a function: without it that call is a jump and the frame is gone. */
#define NO_JUMP() __asm__ volatile("")

extern int rank, ranks;

/* What one iteration's work takes unless the case says otherwise. */
extern long work_us;

/*
 * Ends the steps of a loop, if need be, and remembers a line "truth: ROLE NAME COUNT" for the
 * end of the program, see loops.c; COUNT must be what the program has counted.  Names are
 * single words.
 */
void truth(const char *role, const char *name, long count);

/* The same, of the calling rank alone. */
void truth_of_rank(const char *name, long count);

/* The time since some moment. */
long now_us(void);

/* Keeps the processor busy. */
void work(long us);

/* The same sequence on every rank: at most LIMIT - 1. */
int draw(int limit);

/* Blocks pass messages of step_count values, of a field of FIELD.
 *
 * Sends to both neighbours and receives from them: non-blocking, or one after the other. */
void exchange_halo(double *field);
void shift_left(double *field);
void shift_right(double *field);

double sum_over_ranks(double mine);
double largest_over_ranks(double mine);
void tell_all(double *value);
void gather_on_first(double mine);

enum { FIELD = 128 };

/* The cases: N is the number of iterations asked for. */
#define CASE(name, run, iterations) void run(long n);
#include "loops.def"
#undef CASE

#endif
