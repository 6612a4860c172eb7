/*
 * Many values, each as often as it counts, made one that can be shown: the largest, the mean,
 * the median or the smallest.  NaN is no value.
 */
#ifndef TSPROF_TALLY_H
#define TSPROF_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum statistic { STATISTIC_MAX, STATISTIC_MEAN, STATISTIC_MEDIAN, STATISTIC_MIN };

/* A statistic by its name: "max", "mean", "median", "min"; false if there is none. */
bool statistic_find(const char *name, enum statistic *statistic);
/* "maximum", "mean", "median", "minimum". */
const char *statistic_name(enum statistic statistic);

struct weighted {
    double value;
    uint64_t weight;
};

struct tally {
    double high, low;
    long double sum;
    uint64_t weight; /* of all values; 0: there are none */
    bool ordered;    /* values are kept, as a median needs */
    struct weighted *values;
    size_t count, room;
};

/* Starts from anything.  MEDIAN: the only case in which memory is taken; end with tally_free.
 */
void tally_begin(struct tally *tally, bool median);
void tally_clear(struct tally *tally);
void tally_free(struct tally *tally);

/* VALUE, WEIGHT times. */
void tally_add(struct tally *tally, double value, uint64_t weight);

/*
 * The statistic; NaN if there are no values.  A median must have been asked for; between two
 * values it is their mean.
 */
double tally_value(struct tally *tally, enum statistic statistic);

#endif
