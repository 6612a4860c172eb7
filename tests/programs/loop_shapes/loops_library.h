/*
 * A library whose functions call MPI for a program; see `library` in loops_steps.c and
 * loops_forms.c.
 */
#ifndef LOOPS_LIBRARY_H
#define LOOPS_LIBRARY_H

/* Sends COUNT values of FIELD to the next rank, and receives as many FROM the one before. */
void library_exchange(const double *field, double *from, int count);

/* The sums of COUNT values of FIELD over all ranks. */
void library_sum(const double *field, double *sums, int count);

/*
 * Both N times, each time of COUNT values, as they are after NOTE was called.  Returns how
 * often.
 */
long library_run(const double *field, double *other, const int *count, long n,
                 void (*note)(void));

/* Calls STEP N times.  Returns how often. */
long library_repeat(long n, void (*step)(void));

#endif
