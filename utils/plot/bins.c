/* Neighbours in bins.  See bins.h. */
#include "plot/bins.h"

#include "base/base.h"

#include <stdlib.h>

struct division divide(uint64_t first, uint64_t end, size_t most)
{
    uint64_t things = end - first, each = things / most + (things % most != 0);
    each = each ? each : 1;
    return (struct division){first, end, each, (size_t)(things / each + (things % each != 0))};
}

void bins_begin(struct bins *bins, const struct division *division, bool median)
{
    bins->division = *division;
    bins->tallies = allocate(division->count, sizeof *bins->tallies);
    for (size_t i = 0; i < division->count; i++)
        tally_begin(&bins->tallies[i], median);
}

void bins_clear(struct bins *bins)
{
    for (size_t i = 0; i < bins->division.count; i++)
        tally_clear(&bins->tallies[i]);
}

void bins_free(struct bins *bins)
{
    for (size_t i = 0; i < bins->division.count; i++)
        tally_free(&bins->tallies[i]);
    free(bins->tallies);
    *bins = (struct bins){0};
}

void bins_add(struct bins *bins, uint64_t at, uint64_t length, double value)
{
    const struct division *division = &bins->division;
    uint64_t end = at + length < division->end ? at + length : division->end;
    at = at > division->first ? at : division->first;
    while (at < end) {
        uint64_t bin = (at - division->first) / division->each;
        uint64_t bin_end = division->first + (bin + 1) * division->each;
        uint64_t stop = bin_end < end ? bin_end : end;
        tally_add(&bins->tallies[bin], value, stop - at);
        at = stop;
    }
}

double *bins_values(struct bins *bins, enum statistic statistic)
{
    double *values = allocate(bins->division.count, sizeof *values);
    for (size_t i = 0; i < bins->division.count; i++)
        values[i] = tally_value(&bins->tallies[i], statistic);
    return values;
}
