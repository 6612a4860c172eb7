/* The table of kinds of pictures.  See plot.h. */
#include "plot/plot.h"

#include <string.h>

#define LENGTH(array)  (sizeof(array) / sizeof(array)[0])
#define BIT(statistic) (1u << STATISTIC_##statistic)

static const struct plot_kind kinds[] = {
    {"graph", plot_graph, .statistics = BIT(MEAN) | BIT(MEDIAN), .usual = STATISTIC_MEAN,
     .scales = 1u << SCALE_ZERO | 1u << SCALE_RANGE},
    {"map", plot_map, .of_colors = true,
     .statistics = BIT(MAX) | BIT(MEAN) | BIT(MEDIAN) | BIT(MIN), .usual = STATISTIC_MAX},
    {"breakdown", plot_breakdown, .of_parts = true, .statistics = BIT(MEAN),
     .usual = STATISTIC_MEAN, .scales = 1u << SCALE_ZERO | 1u << SCALE_SHARE},
    {"ranks", plot_ranks, .whole_run = true, .statistics = BIT(MEAN) | BIT(MEDIAN),
     .usual = STATISTIC_MEAN, .scales = 1u << SCALE_ZERO | 1u << SCALE_RANGE},
    {"topology", plot_topology, .whole_run = true, .of_topology = true, .of_colors = true,
     .statistics = BIT(MAX) | BIT(MEAN) | BIT(MEDIAN) | BIT(MIN), .usual = STATISTIC_MEAN},
};

const struct plot_kind *plot_kind_find(const char *name)
{
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

void plot_kinds_list(struct text *text)
{
    const char *names[LENGTH(kinds)];
    for (size_t i = 0; i < LENGTH(kinds); i++)
        names[i] = kinds[i].name;
    text_add_list(text, names, LENGTH(kinds), "or");
}
