/* See fronts.h. */
#include "replay/topology/fronts.h"

/* What has come and gone along an axis. */
struct along {
    bool is_received, is_sent;
    enum grid_side from; /* if it was either */
};

/* Whether END can be part of the step that LIST is of so far. */
static bool goes_on(const struct along *list, unsigned axes, const struct front_end *end)
{
    const struct along *along = &list[end->axis];
    if (end->is_sent)
        return !along->is_sent &&
               (!along->is_received || end->side == grid_opposite(along->from));
    for (unsigned i = 0; i < axes; i++)
        if (list[i].is_sent)
            return false;
    return !along->is_received;
}

static void add(struct along *list, const struct front_end *end)
{
    struct along *along = &list[end->axis];
    along->from = end->is_sent ? grid_opposite(end->side) : end->side;
    along->is_sent |= end->is_sent;
    along->is_received |= !end->is_sent;
}

/* Whether a process has received and sent all that a wavefront brings along an axis. */
static bool is_complete(const struct grid *grid, uint32_t process, unsigned axis,
                        const struct along *along)
{
    if (!along->is_received && !along->is_sent)
        return false;
    return along->is_received != grid_is_border(grid, process, axis, along->from) &&
           along->is_sent != grid_is_border(grid, process, axis, grid_opposite(along->from));
}

/* Takes in what belongs together, whether or not it is of a wavefront. */
static void collect(const struct grid *grid, const struct front_end *ends, size_t count,
                    struct front_step *step, struct along *list)
{
    do
        add(list, &ends[step->end++]);
    while (step->end < count && goes_on(list, grid->axes, &ends[step->end]));
}

bool fronts_next(const struct grid *grid, const struct front_end *ends, size_t count,
                 size_t *at, struct front_step *step)
{
    while (*at < count) {
        struct along list[GRID_AXES] = {{false, false, SIDE_LOWER}};
        bool complete = true;
        *step = (struct front_step){.first = *at, .end = *at};
        collect(grid, ends, count, step, list);
        *at = step->end;
        for (unsigned i = 0; i < grid->axes; i++) {
            complete &= is_complete(grid, ends->process, i, &list[i]);
            step->direction |= (unsigned)(list[i].from == SIDE_UPPER) << i;
        }
        if (complete)
            return true;
    }
    return false;
}

unsigned fronts_directions(const struct grid *grid, const struct front_end *ends, size_t count)
{
    struct front_step step;
    size_t at = 0;
    unsigned directions = 0;
    while (fronts_next(grid, ends, count, &at, &step))
        directions |= 1u << step.direction;
    return directions;
}
