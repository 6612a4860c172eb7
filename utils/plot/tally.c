/* Statistics of weighted values.  See tally.h. */
#include "plot/tally.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *option, *name;
} names[] = {[STATISTIC_MAX] = {"max", "maximum"},
             [STATISTIC_MEAN] = {"mean", "mean"},
             [STATISTIC_MEDIAN] = {"median", "median"},
             [STATISTIC_MIN] = {"min", "minimum"}};

bool statistic_find(const char *name, enum statistic *statistic)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i].option) == 0) {
            *statistic = (enum statistic)i;
            return true;
        }
    return false;
}

const char *statistic_name(enum statistic statistic)
{
    return names[statistic].name;
}

void tally_begin(struct tally *tally, bool median)
{
    *tally = (struct tally){.ordered = median, .high = NAN, .low = NAN};
}

void tally_clear(struct tally *tally)
{
    tally->high = tally->low = NAN;
    tally->sum = 0;
    tally->weight = 0;
    tally->count = 0;
}

void tally_free(struct tally *tally)
{
    free(tally->values);
    *tally = (struct tally){0};
}

void tally_add(struct tally *tally, double value, uint64_t weight)
{
    if (isnan(value) || weight == 0)
        return;
    if (tally->weight == 0 || value > tally->high)
        tally->high = value;
    if (tally->weight == 0 || value < tally->low)
        tally->low = value;
    tally->sum += (long double)value * (long double)weight;
    tally->weight += weight;
    if (!tally->ordered)
        return;
    if (tally->count == tally->room) {
        tally->room = tally->room ? 2 * tally->room : 16;
        tally->values = reallocate(tally->values, tally->room, sizeof *tally->values);
    }
    tally->values[tally->count++] = (struct weighted){value, weight};
}

static int compare_values(const void *a, const void *b)
{
    double left = ((const struct weighted *)a)->value;
    double right = ((const struct weighted *)b)->value;
    return (left > right) - (left < right);
}

/* The value at PLACE, counted from 0, of the sorted values. */
static double value_at(const struct tally *tally, uint64_t place)
{
    const struct weighted *at = tally->values;
    while (place >= at->weight)
        place -= at++->weight;
    return at->value;
}

static double median_of(struct tally *tally)
{
    qsort(tally->values, tally->count, sizeof *tally->values, compare_values);
    double upper = value_at(tally, tally->weight / 2);
    if (tally->weight % 2)
        return upper;
    double lower = value_at(tally, tally->weight / 2 - 1);
    return lower + (upper - lower) / 2;
}

double tally_value(struct tally *tally, enum statistic statistic)
{
    if (tally->weight == 0)
        return NAN;
    switch (statistic) {
    case STATISTIC_MAX:
        return tally->high;
    case STATISTIC_MIN:
        return tally->low;
    case STATISTIC_MEAN:
        return (double)(tally->sum / tally->weight);
    default:
        return median_of(tally);
    }
}
