/* See grid.h. */
#include "replay/topology/grid.h"

#include "replay/event.h"

#include <stdlib.h>

static bool copy_places(struct grid *grid, const struct replay_grid *from,
                        const unsigned *dimensions)
{
    grid->places = malloc((grid->processes + 1) * sizeof *grid->places);
    grid->failed = !grid->places;
    if (grid->failed)
        return false;
    for (size_t i = 0; i < grid->processes; i++) {
        const uint32_t *place = &from->places[i * from->dimensions];
        for (unsigned k = 0; k < grid->axes; k++)
            grid->places[i][k] = place[0] == REPLAY_NONE ? REPLAY_NONE : place[dimensions[k]];
    }
    return true;
}

bool grid_copy(struct grid *grid, const struct replay_grid *from, size_t processes)
{
    unsigned dimensions[GRID_AXES];
    *grid = (struct grid){.processes = processes};
    for (unsigned i = 0; i < from->dimensions; i++) {
        if (from->sizes[i] < 2)
            continue;
        if (grid->axes == GRID_AXES)
            return false;
        dimensions[grid->axes] = i;
        grid->sizes[grid->axes++] = from->sizes[i];
    }
    return grid->axes >= 2 && copy_places(grid, from, dimensions);
}

void grid_free(struct grid *grid)
{
    free(grid->places);
    grid->places = NULL;
}

static bool has_place(const struct grid *grid, uint32_t process)
{
    return process < grid->processes && grid->places[process][0] != REPLAY_NONE;
}

size_t grid_count(const struct grid *grid)
{
    size_t count = 0;
    for (uint32_t i = 0; i < grid->processes; i++)
        count += has_place(grid, i);
    return count;
}

bool grid_neighbours(const struct grid *grid, uint32_t one, uint32_t other, unsigned *axis,
                     enum grid_side *side)
{
    unsigned different = 0;
    if (!has_place(grid, one) || !has_place(grid, other))
        return false;
    for (unsigned i = 0; i < grid->axes; i++) {
        const int64_t step = (int64_t)grid->places[other][i] - grid->places[one][i];
        if (step == 0)
            continue;
        if (step < -1 || step > 1)
            return false;
        different++;
        *axis = i;
        *side = step > 0 ? SIDE_LOWER : SIDE_UPPER;
    }
    return different == 1;
}

bool grid_is_border(const struct grid *grid, uint32_t process, unsigned axis,
                    enum grid_side side)
{
    const uint32_t place = grid->places[process][axis];
    return side == SIDE_LOWER ? place == 0 : place + 1 >= grid->sizes[axis];
}
