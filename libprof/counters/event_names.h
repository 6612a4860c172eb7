/* Names of events, as users mistype them.  Pure functions: any context. */
#ifndef TSPROF_EVENT_NAMES_H
#define TSPROF_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How many letters or digits are to be changed, added or left out to make one name of the
 * other, without regard to upper and lower case, to other characters, and to what stands before
 * "::" or is PAPI_.  Of longer names than 64 the rest does not count.
 */
size_t event_names_distance(const char *a, const char *b);

/* Whether a name at this distance from NAME may have been meant. */
bool event_names_plausible(const char *name, size_t distance);

#endif
