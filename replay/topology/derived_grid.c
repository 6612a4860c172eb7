/* See derived_grid.h. */
#include "replay/topology/derived_grid.h"

#include "replay/event.h"

#include <stdlib.h>

enum { NEIGHBOUR_PERCENT = 95 };

static uint32_t rank_of(const struct replay_world *world, uint32_t process)
{
    return world->ranks ? world->ranks[process] : process;
}

static void number_places(struct grid *grid, const struct replay_world *world)
{
    for (uint32_t i = 0; i < grid->processes; i++) {
        uint32_t rank = rank_of(world, i);
        for (unsigned k = grid->axes; k-- > 0; rank /= grid->sizes[k])
            grid->places[i][k] = rank == REPLAY_NONE ? REPLAY_NONE : rank % grid->sizes[k];
        if (rank_of(world, i) == REPLAY_NONE)
            grid->places[i][0] = REPLAY_NONE;
    }
}

/* How many pairs of neighbours there are. */
static uint64_t count_neighbours(const struct grid *grid)
{
    uint64_t all = 1, count = 0;
    for (unsigned k = 0; k < grid->axes; k++)
        all *= grid->sizes[k];
    for (unsigned k = 0; k < grid->axes; k++)
        count += all / grid->sizes[k] * (grid->sizes[k] - 1);
    return count;
}

int grid_link_compare(const void *a, const void *b)
{
    const struct grid_link *one = a, *other = b;
    if (one->from != other->from)
        return one->from < other->from ? -1 : 1;
    return one->to < other->to ? -1 : one->to > other->to;
}

static bool has_link(const struct grid_link *links, size_t count, uint32_t from, uint32_t to)
{
    const struct grid_link sought = {from, to, 0};
    return bsearch(&sought, links, count, sizeof *links, grid_link_compare) != NULL;
}

static bool fits(const struct grid *grid, const struct grid_link *links, size_t count)
{
    uint64_t messages = 0, between = 0, pairs = 0;
    unsigned axis;
    enum grid_side side;
    for (size_t i = 0; i < count; i++) {
        const struct grid_link *link = &links[i];
        if (link->from == link->to)
            continue;
        messages += link->messages;
        if (!grid_neighbours(grid, link->from, link->to, &axis, &side))
            continue;
        between += link->messages;
        /* Of two links the one with the smaller number counts. */
        pairs += link->from < link->to || !has_link(links, count, link->to, link->from);
    }
    return pairs == count_neighbours(grid) && 100 * between >= NEIGHBOUR_PERCENT * messages;
}

bool grid_can_be_derived(size_t ranks)
{
    for (size_t i = 2; i <= ranks / i; i++)
        if (ranks % i == 0)
            return true;
    return false;
}

static bool try_sizes(struct grid *grid, const struct replay_world *world,
                      const struct grid_link *links, size_t count, unsigned axes,
                      const uint32_t *sizes)
{
    grid->axes = axes;
    for (unsigned k = 0; k < axes; k++)
        grid->sizes[k] = sizes[k];
    number_places(grid, world);
    return fits(grid, links, count);
}

static bool try_two(struct grid *grid, const struct replay_world *world,
                    const struct grid_link *links, size_t count, uint32_t ranks)
{
    for (uint32_t i = 2; i <= ranks / 2; i++)
        if (ranks % i == 0 &&
            try_sizes(grid, world, links, count, 2, (uint32_t[]){i, ranks / i}))
            return true;
    return false;
}

static bool try_three(struct grid *grid, const struct replay_world *world,
                      const struct grid_link *links, size_t count, uint32_t ranks)
{
    for (uint32_t i = 2; i <= ranks / 4; i++)
        for (uint32_t k = 2; ranks % i == 0 && k <= ranks / i / 2; k++)
            if (ranks / i % k == 0 &&
                try_sizes(grid, world, links, count, 3, (uint32_t[]){i, k, ranks / i / k}))
                return true;
    return false;
}

bool grid_derive(struct grid *grid, const struct replay_world *world,
                 const struct grid_link *links, size_t link_count)
{
    const uint32_t ranks = (uint32_t)world->rank_count;
    *grid = (struct grid){.processes = world->process_count};
    grid->places = malloc((grid->processes + 1) * sizeof *grid->places);
    grid->failed = !grid->places;
    if (grid->places && link_count > 0 &&
        (try_two(grid, world, links, link_count, ranks) ||
         try_three(grid, world, links, link_count, ranks)))
        return true;
    grid_free(grid);
    return false;
}
