/* See topology_check.h. */
#include "assemble/topology_check.h"

#include "common/format.h"

#define MOST_RANKS INT32_MAX

/* The fewest bytes that an item takes, for decode_count. */
enum { RUN_BYTES = 3, DIMENSION_BYTES = 2 };

static bool is_at_end(const struct decoder *in)
{
    return !in->failed && in->at == in->size;
}

static bool is_rank(int64_t rank)
{
    return rank >= 0 && rank <= MOST_RANKS;
}

/* Adds a run to *MEMBERS; false if its ranks are impossible. */
static bool read_run(struct decoder *in, uint64_t *members)
{
    uint64_t first = decode_varint(in);
    int64_t step = decode_signed(in);
    uint64_t count = decode_varint(in);
    if (in->failed || first > MOST_RANKS || count == 0 || count > MOST_RANKS - *members ||
        step < -MOST_RANKS || step > MOST_RANKS || (step == 0 && count > 1))
        return false;
    *members += count;
    return is_rank((int64_t)first + step * (int64_t)(count - 1));
}

static bool read_grid(struct decoder *in, uint64_t members)
{
    uint64_t places = 1, dimensions = decode_count(in, DIMENSION_BYTES);
    for (uint64_t i = 0; i < dimensions && !in->failed; i++) {
        uint64_t size = decode_varint(in);
        decode_varint(in);
        if (size == 0 || size > members / places)
            return false;
        places *= size;
    }
    return places == members;
}

bool topology_shape_read(struct decoder *in, struct topology_shape *shape)
{
    *shape = (struct topology_shape){.kind = decode_varint(in)};
    if (shape->kind < TOPOLOGY_CARTESIAN || shape->kind > TOPOLOGY_DISTRIBUTED)
        return false;
    uint64_t runs = decode_count(in, RUN_BYTES);
    for (uint64_t i = 0; i < runs; i++)
        if (!read_run(in, &shape->members))
            return false;
    if (shape->kind == TOPOLOGY_CARTESIAN && !read_grid(in, shape->members))
        return false;
    return is_at_end(in);
}

static bool read_neighbors(struct decoder *in, const struct topology_shape *shape,
                           bool weighted)
{
    uint64_t count = decode_count(in, weighted ? 2 : 1);
    for (uint64_t i = 0; i < count; i++) {
        if (decode_varint(in) >= shape->members)
            return false;
        if (weighted)
            decode_varint(in);
    }
    return !in->failed;
}

bool topology_neighborhoods_read(struct decoder *in, const struct topology_shape *shape,
                                 uint64_t count)
{
    bool distributed = shape->kind == TOPOLOGY_DISTRIBUTED;
    for (uint64_t i = 0; i < count; i++) {
        if (in->failed || decode_varint(in) >= shape->members)
            return false;
        bool weighted = distributed && decode_varint(in) != 0;
        if (distributed && !read_neighbors(in, shape, weighted))
            return false;
        if (!read_neighbors(in, shape, weighted))
            return false;
    }
    return is_at_end(in);
}
