/* Finding the event that a user meant by a mistyped name.  Pure functions: any context. */
#ifndef TSPROF_EVENT_NAMES_H
#define TSPROF_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How many letters or digits must be changed, added or left out to turn one name into the other
 * (their edit distance).  Upper and lower case, other characters, a prefix that ends in "::"
 * and a leading PAPI_ make no difference.  Only the first 64 letters and digits count.
 */
size_t event_names_distance(const char *a, const char *b);

/* Whether a name at DISTANCE from NAME may be what was meant. */
bool event_names_plausible(const char *name, size_t distance);

#endif
