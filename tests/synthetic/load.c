/* See load.h. */
#include "load.h"

enum { PERIOD = 100, OUTLIERS = 5, OUTLIER_SHARE = 8, CHECKPOINT_SHARE = 8, HOT_SHARE = 8 };

#define HOT    1.2  /* what the hot spot adds */
#define GROWTH 0.2  /* what the run's length adds */
#define NOISE  0.01 /* of one iteration, up or down */

unsigned load_period(const struct synthetic *synthetic)
{
    unsigned fifth = synthetic->iterations / 5;
    return fifth >= PERIOD ? PERIOD : fifth < 2 ? 2 : fifth;
}

/* How far COORDINATE is from the hot spot at TIME (from 0 to 1), in widths of it, squared. */
static double distance_squared(const struct synthetic *synthetic, unsigned coordinate,
                               unsigned dimension, double time)
{
    const unsigned size = synthetic->sizes[dimension];
    double centre = time * (dimension + 1);
    centre = (centre - (double)(unsigned)centre) * size;
    double distance = coordinate > centre ? coordinate - centre : centre - coordinate;
    if (distance > size / 2.0)
        distance = size - distance;
    distance *= (double)HOT_SHARE / synthetic->dimensions / size;
    return distance * distance;
}

static double load_of(const struct synthetic *synthetic, unsigned rank, unsigned iteration)
{
    double time = (double)iteration / synthetic->iterations, far = 0;
    unsigned rest = rank;
    for (unsigned d = synthetic->dimensions; d-- > 0;) {
        far += distance_squared(synthetic, rest % synthetic->sizes[d], d, time);
        rest /= synthetic->sizes[d];
    }
    double noise = 2 * synthetic_chance(synthetic->seed, rank, iteration, 1) - 1;
    return 1 + HOT / (1 + far) + GROWTH * time + NOISE * noise;
}

/* Whether ITERATION takes RANK much longer than others do. */
static bool is_outlier(const struct synthetic *synthetic, unsigned rank, unsigned iteration)
{
    for (unsigned i = 0; i < OUTLIERS && synthetic->iterations > 2 * OUTLIERS; i++) {
        double at = (i + synthetic_chance(synthetic->seed, i, 2, 0)) / OUTLIERS;
        if (iteration != (unsigned)(at * synthetic->iterations))
            continue;
        unsigned first =
            (unsigned)(synthetic_chance(synthetic->seed, i, 3, 0) * synthetic->ranks);
        unsigned after = (rank + synthetic->ranks - first) % synthetic->ranks;
        return after * OUTLIER_SHARE < synthetic->ranks;
    }
    return false;
}

/* State 0 is that of outliers, then come those of checkpoints, then the usual ones. */
static unsigned checkpoint_states(const struct synthetic *synthetic)
{
    unsigned states = synthetic->clusters / CHECKPOINT_SHARE;
    return states ? states : 1;
}

static unsigned usual_states(const struct synthetic *synthetic)
{
    return synthetic->clusters - checkpoint_states(synthetic) - 1;
}

/* LOAD as one of COUNT levels. */
static unsigned level_of(double load, unsigned count)
{
    double level = (load - 1) / (LOAD_MOST - 1) * count;
    return level <= 0 ? 0 : level >= count ? count - 1 : (unsigned)level;
}

unsigned load_state(const struct synthetic *synthetic, unsigned rank, unsigned iteration)
{
    if (is_outlier(synthetic, rank, iteration))
        return 0;
    double load = load_of(synthetic, rank, iteration);
    unsigned checkpoints = checkpoint_states(synthetic), period = load_period(synthetic);
    if (iteration % period == period - 1)
        return 1 + level_of(load, checkpoints);
    return 1 + checkpoints + level_of(load, usual_states(synthetic));
}

/* The middle of a level. */
static double load_at(unsigned level, unsigned count)
{
    return 1 + (LOAD_MOST - 1) * (level + 0.5) / count;
}

struct state load_describe(const struct synthetic *synthetic, unsigned state)
{
    unsigned checkpoints = checkpoint_states(synthetic);
    if (state == 0)
        return (struct state){STATE_OUTLIER, LOAD_MOST};
    if (state <= checkpoints)
        return (struct state){STATE_CHECKPOINT, load_at(state - 1, checkpoints)};
    return (struct state){STATE_USUAL,
                          load_at(state - 1 - checkpoints, usual_states(synthetic))};
}
