/*
 * Random iterations for tests of clustering: the same for the same recipe, on every machine.
 *
 * All numbers are integers small enough that sums in double are exact: then a second
 * implementation meets the same ties and no others.  Unless the recipe has `odd` or
 * `fractions`.
 */
#ifndef TSPROF_RANDOM_ITERATIONS_H
#define TSPROF_RANDOM_ITERATIONS_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "compress/clustering.h"

enum { MAX_CELLS = 96, MAX_PATHS = 12, MAX_CONDENSED = 300 };

struct recipe {
    const char *name;
    uint32_t iterations;
    uint32_t max_clusters;
    enum equivalence equivalence;
    enum clustering_method method;
    uint32_t cells;     /* at most MAX_CELLS */
    uint32_t present;   /* per cent of the cells that an iteration has */
    uint32_t paths;     /* at most MAX_PATHS */
    uint32_t shapes;    /* different call trees */
    uint32_t kinds;     /* different iterations; 0: all differ */
    uint32_t condensed; /* at most MAX_CONDENSED */
    uint32_t range;     /* values are at most this; 0: a million */
    int sign;           /* -1: values of both signs */
    bool falling;       /* the first metric falls from one iteration to the next */
    bool fractions;     /* condensed values are no integers */
    uint32_t odd; /* per cent of the values, also condensed, that no program should have */
};

struct random_iteration {
    uint32_t cells[MAX_CELLS];
    int64_t values[MAX_CELLS];
    struct path_entry paths[MAX_PATHS];
    double condensed[MAX_CONDENSED];
    struct iteration_profile profile; /* points into the above */
};

/* Cells are of all metrics in turn, most of them compared; CONTEXT is how many there are. */
static inline struct cell_role random_role(void *context, uint32_t cell)
{
    const uint32_t *metrics = context;
    return (struct cell_role){cell / 2 % *metrics, cell % 8 != 3, cell % 6 == 1};
}

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline int64_t random_value(uint64_t *state, const struct recipe *recipe)
{
    uint32_t range = recipe->range ? recipe->range : 1000000;
    int64_t value = 1 + (int64_t)(random_next(state) % range);
    return recipe->sign < 0 && random_next(state) % 2 ? -value : value;
}

/* Call paths of tree SHAPE: some paths missing, some visited more often, some not MPI. */
static inline size_t random_paths(struct path_entry *paths, const struct recipe *recipe,
                                  uint32_t shape)
{
    uint64_t state = shape + 77;
    size_t count = 0;
    for (uint32_t p = 0; p < recipe->paths; p++)
        if (random_next(&state) % 4)
            paths[count++] = (struct path_entry){p * 3, (uint32_t)(random_next(&state) % 3),
                                                 (int64_t)(random_next(&state) % 3)};
    return count;
}

/* Replaces some of the values by what is at an end of its range, or not a number. */
static inline void random_oddities(struct random_iteration *it, uint64_t *state,
                                   const struct recipe *recipe)
{
    static const double odd[] = {NAN,     INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 5e-324,
                                 -1e-310, -0.0,     1e-130,    9.3e18,  -1};
    static const int64_t odd_integers[] = {INT64_MAX, INT64_MIN, -1, INT64_MIN + 1};
    for (uint32_t k = 0; k < recipe->condensed; k++)
        if (random_next(state) % 100 < recipe->odd)
            it->condensed[k] = odd[random_next(state) % (sizeof(odd) / sizeof(odd[0]))];
    for (size_t c = 0; c < it->profile.cell_count; c++)
        if (random_next(state) % 100 < recipe->odd)
            it->values[c] = odd_integers[random_next(state) % 4];
    if (random_next(state) % 100 < recipe->odd)
        it->profile.wall_ns = odd_integers[random_next(state) % 4];
}

/* Makes iteration NUMBER, counted from 0, of a run that follows RECIPE. */
static inline void random_iteration(struct random_iteration *it, const struct recipe *recipe,
                                    uint32_t number)
{
    uint64_t state = (recipe->kinds ? number * 7 % recipe->kinds : number) + 1000;
    uint32_t shape = (uint32_t)(random_next(&state) % (recipe->shapes ? recipe->shapes : 1));
    size_t count = 0;
    memset(it, 0, sizeof(*it));
    for (uint32_t c = 0; c < recipe->cells; c++)
        if (random_next(&state) % 100 < recipe->present) {
            it->cells[count] = c * 2 + 1;
            it->values[count++] = random_value(&state, recipe);
        }
    for (uint32_t k = 0; k < recipe->condensed; k++)
        it->condensed[k] = (double)random_value(&state, recipe);
    if (recipe->falling)
        it->condensed[0] = (double)(1000000 - 1000 * (int64_t)number);
    it->profile = (struct iteration_profile){
        .cells = it->cells,
        .values = it->values,
        .cell_count = count,
        .paths = it->paths,
        .path_count = random_paths(it->paths, recipe, shape),
        .condensed = it->condensed,
        .wall_ns = random_value(&state, recipe),
    };
    for (uint32_t k = 0; recipe->fractions && k < recipe->condensed; k++)
        it->condensed[k] /= (double)(1 + random_next(&state) % 1000);
    if (recipe->odd)
        random_oddities(it, &state, recipe);
}

#endif
