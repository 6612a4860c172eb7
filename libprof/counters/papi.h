/*
 * PAPI: its library, and sets of events that count what one thread does.
 *
 * The library is opened when the measurement starts and counters are wanted, and stays open.
 * Building tsprof needs no PAPI: the functions used have had the same parameters since version
 * 5.  A set is made, used and given back by the thread that it counts.  Making one takes PAPI's
 * locks and memory from malloc, so that is for program context; reading one does neither.
 *
 * Reading is safe in a signal handler because PAPI_read of a set of performance events looks
 * the set up in an array, reads the counters with the processor's instruction for it or with
 * one read(2), and copies them out of the set's own memory.  It must not interrupt another
 * reading of the same set; whoever holds the thread's context does not.
 */
#ifndef TSPROF_PAPI_H
#define TSPROF_PAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stands for no set. */
enum { PAPI_NO_SET = -1 };

/* Why something could not be done, in words. */
struct papi_refusal {
    char text[256];
};

/*
 * Opens the library FILE or, if that is empty, the one that the loader finds; on failure
 * returns false and fills WHY.  Refuses if PAPI is in the process already: a thread can count
 * for one user at a time, and the program goes first.  Program context, once.
 */
bool papi_open(const char *file, struct papi_refusal *why);

/*
 * The version of the library that was opened, as PAPI encodes it (0x07000000 is 7.0); 0 if
 * none.
 */
int papi_version(void);

/*
 * Sets *EVENT to the number of the event called NAME.  Returns false and fills WHY if there is
 * no such event or it does not count by thread.  Program context.
 */
bool papi_find(const char *name, int *event, struct papi_refusal *why);

/*
 * Makes a set that counts COUNT EVENTS for the calling thread from now on.  On failure returns
 * PAPI_NO_SET and fills WHY; *REFUSED is then the index of the first event that was refused, or
 * COUNT if they were refused together.  Program context.
 */
int papi_start(const int *events, unsigned count, unsigned *refused, struct papi_refusal *why);

/*
 * Reads all counters of a set that belongs to the calling thread; false if that failed.  VALUES
 * has room for one value for each event.  Preserves errno.
 */
bool papi_read_async(int set, int64_t *values);

/*
 * Stops and frees a set that belongs to the calling thread, and has PAPI forget the thread.
 * Program context.
 */
void papi_stop(int set);

#endif
