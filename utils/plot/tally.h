/*
 * Reduces many weighted values to one: the maximum, the mean, the median or the minimum.  NaN
 * is ignored.
 */
#ifndef TSPROF_TALLY_H
#define TSPROF_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum statistic { STATISTIC_MAX, STATISTIC_MEAN, STATISTIC_MEDIAN, STATISTIC_MIN };

/* Finds a statistic by its name: "max", "mean", "median" or "min".  False if NAME is none. */
bool statistic_find(const char *name, enum statistic *statistic);
/* The name for people: "maximum", "mean", "median" or "minimum". */
const char *statistic_name(enum statistic statistic);

struct weighted {
    double value;
    uint64_t weight;
};

struct tally {
    double high, low;
    long double sum;
    uint64_t weight; /* of all values together; 0: there are none */
    bool ordered;    /* values are kept, for a median */
    struct weighted *values;
    size_t count, room;
};

/* Starts an empty tally.  MEDIAN: tally_value may be asked for a median; only then is memory
 * taken.  End with tally_free. */
void tally_begin(struct tally *tally, bool median);
void tally_clear(struct tally *tally);
void tally_free(struct tally *tally);

/* Adds VALUE, WEIGHT times. */
void tally_add(struct tally *tally, double value, uint64_t weight);

/*
 * Computes a statistic; NaN if there are no values.  STATISTIC_MEDIAN needs tally_begin with
 * MEDIAN; between two values it is their mean.
 */
double tally_value(struct tally *tally, enum statistic statistic);

#endif
