/*
 * Computes the ticks of an axis, their labels and the unit.  Pure arithmetic.
 */
#ifndef TSPROF_PLOT_TICKS_H
#define TSPROF_PLOT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

/* COUNT ticks from FIRST on, STEP apart: 1, 2 or 5 times a power of ten. */
struct ticks {
    double first, step;
    size_t count;
    unsigned decimals; /* of the labels */
};

/* The ticks between LOW and HIGH (LOW <= HIGH, both finite): at most MOST (at least 2); with
 * WHOLE, at whole numbers only. */
struct ticks ticks_make(double low, double high, size_t most, bool whole);
double ticks_at(const struct ticks *ticks, size_t i);

/* Formats the label of VALUE in OUT, with the decimals of TICKS.  Returns OUT. */
#define TICK_SIZE 48
const char *tick_label(char out[TICK_SIZE], const struct ticks *ticks, double value);

/*
 * The ticks of an axis for values between LOW and HIGH, which begins and ends with a tick.  It
 * includes zero unless FROM_LOW, and its ends are never the same.  At most MOST (at least 3)
 * ticks.
 */
struct ticks ticks_around(double low, double high, bool from_low, size_t most);

/*
 * The unit of an axis whose largest value is SIZE, in UNIT ("s", "bytes", "occ" or another):
 * its name in OUT ("ms", "MB", "10³"; "" for plain counts) and, as the result, the factor to
 * divide values by.
 */
#define UNIT_SIZE 48
double axis_unit(const char *unit, double size, char out[UNIT_SIZE]);

#endif
