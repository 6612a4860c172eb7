/*
 * How text for users names locations, and what it says about them.
 */
#ifndef TSPROF_PLACES_H
#define TSPROF_PLACES_H

#include "file/file.h"
#include "print/print.h"

/* Adds "rank 3", or "rank 3 thread 1" for any thread but the one that initialised MPI. */
void place_add_name(struct text *text, const struct location *location);

/* The remarks about LOCATION: what ended its measurement early, if anything did, then its
 * notes. */
size_t place_note_count(const struct location *location);
const char *place_note(const struct location *location, size_t number);

#endif
