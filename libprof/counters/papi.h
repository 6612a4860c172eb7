/*
 * PAPI: its library, and sets of events that count what one thread does.
 *
 * The library is opened when the measurement starts and counters are wanted, and stays open.
 * Nothing of it is needed to build: the functions used have had the same parameters since
 * version 5.  A set is made, used and given back by the thread that it counts.  Making one
 * takes PAPI's locks and memory of malloc, so it is for program context; reading one does
 * neither.
 *
 * Why reading may be done in a signal handler: PAPI_read of a set of performance events looks
 * the set up in an array, reads the counters with the processor's instruction for it or with
 * one read(2), and copies them out of memory of the set's own.  It must not interrupt another
 * reading of the same set; who holds the thread's context does not.
 */
#ifndef TSPROF_PAPI_H
#define TSPROF_PAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No set. */
enum { PAPI_NO_SET = -1 };

/* Why something could not be done, in words; empty where it could. */
struct papi_refusal {
    char text[256];
};

/*
 * Opens the library FILE, or where that is empty the one that the loader finds; false, and why.
 * Refused where PAPI is in the process already: a thread can count for one user at a time, and
 * the program goes first.  Program context, once.
 */
bool papi_open(const char *file, struct papi_refusal *why);

/* The version of the library that was opened, as PAPI writes it: 0x07000000 is 7.0. */
int papi_version(void);

/* The number of the event called NAME; false, and why: unknown, or not one of threads. */
bool papi_find(const char *name, int *event, struct papi_refusal *why);

/*
 * A set that counts the COUNT EVENTS for the calling thread from now on; PAPI_NO_SET, and why,
 * if that is refused: *REFUSED is then the first event that is, or COUNT if it is all of them
 * together.
 */
int papi_start(const int *events, unsigned count, unsigned *refused, struct papi_refusal *why);

/* Reads all counters of a set of the calling thread's; false if that failed.  Preserves errno.
 */
bool papi_read_async(int set, int64_t *values);

/* Gives a set of the calling thread's back, and forgets the thread. */
void papi_stop(int set);

#endif
