/*
 * Axes: where to put ticks, what to write beside them, and in which unit.  Pure arithmetic.
 */
#ifndef TSPROF_PLOT_TICKS_H
#define TSPROF_PLOT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

/* COUNT ticks from FIRST on, STEP apart: 1, 2 or 5 times a power of ten. */
struct ticks {
    double first, step;
    size_t count;
    unsigned decimals; /* that their labels need */
};

/* Those from LOW to HIGH (LOW <= HIGH, both finite), at most MOST (at least 2) of them; WHOLE:
 * of whole numbers only.
 */
struct ticks ticks_make(double low, double high, size_t most, bool whole);
double ticks_at(const struct ticks *ticks, size_t i);

/* The label of VALUE where labels have as many decimals as TICKS need. */
#define TICK_SIZE 48
const char *tick_label(char out[TICK_SIZE], const struct ticks *ticks, double value);

/*
 * What an axis of values between LOW and HIGH shows: both ends are ticks.  Zero is in it unless
 * FROM_LOW, and there is always some room between the ends.  MOST is at least 3.
 */
struct ticks ticks_around(double low, double high, bool from_low, size_t most);

/*
 * The factor by which an axis divides values of UNIT ("s", "bytes", "occ" or another) whose
 * largest is SIZE, and the unit that it then has: "ms", "MB", "10³"; "" for plain counts.
 */
#define UNIT_SIZE 48
double axis_unit(const char *unit, double size, char out[UNIT_SIZE]);

#endif
