/* See topology_list.h. */
#include "file/topology_list.h"

#include <string.h>

/* The least size of items in a file, in bytes, for decode_count. */
enum { TOPOLOGY_BYTES = 5, RUN_BYTES = 3, DIMENSION_BYTES = 2, NEIGHBORHOOD_BYTES = 2 };

#define MOST_RANKS INT32_MAX

/* A section being read. */
struct reading {
    struct decoder *in;
    struct memory_pool *pool;
    const char *fault; /* the first; NULL: none yet */
};

static bool good(struct reading *reading)
{
    return !reading->fault && !reading->in->failed;
}

static void fault(struct reading *reading, const char *what)
{
    if (good(reading))
        reading->fault = what;
}

static size_t read_count(struct reading *reading, size_t item_bytes)
{
    uint64_t count = decode_count(reading->in, item_bytes);
    return good(reading) ? (size_t)count : 0;
}

static const char *read_name(struct reading *reading)
{
    size_t length;
    const char *bytes = decode_string(reading->in, &length);
    if (memchr(bytes, '\0', length))
        fault(reading, "has a text with a zero byte");
    return memory_pool_copy(reading->pool, bytes, length);
}

static void read_run(struct reading *reading, struct topology *topology, struct rank_run *run)
{
    uint64_t first = decode_varint(reading->in);
    run->step = decode_signed(reading->in);
    run->count = decode_varint(reading->in);
    run->first = (int64_t)first;
    bool fits = first <= MOST_RANKS && run->count > 0 && (run->step != 0 || run->count == 1) &&
                run->count <= MOST_RANKS - topology->members && run->step <= MOST_RANKS &&
                run->step >= -MOST_RANKS;
    int64_t last = fits ? run->first + run->step * (int64_t)(run->count - 1) : -1;
    if (last < 0 || last > MOST_RANKS)
        fault(reading, "has impossible members");
    else
        topology->members += run->count;
}

static void read_members(struct reading *reading, struct topology *topology)
{
    topology->run_count = read_count(reading, RUN_BYTES);
    topology->runs =
        memory_pool_allocate(reading->pool, topology->run_count, sizeof *topology->runs);
    for (size_t i = 0; i < topology->run_count && good(reading); i++)
        read_run(reading, topology, &topology->runs[i]);
}

static void read_grid(struct reading *reading, struct topology *topology)
{
    uint64_t places = 1;
    topology->dimension_count = read_count(reading, DIMENSION_BYTES);
    topology->dimensions = memory_pool_allocate(reading->pool, topology->dimension_count,
                                                sizeof *topology->dimensions);
    for (size_t i = 0; i < topology->dimension_count && good(reading); i++) {
        struct dimension *dimension = &topology->dimensions[i];
        dimension->size = decode_varint(reading->in);
        dimension->periodic = decode_varint(reading->in) != 0;
        if (dimension->size == 0 || dimension->size > topology->members / places)
            fault(reading, "is a grid whose size is not its number of members");
        else
            places *= dimension->size;
    }
    if (places != topology->members)
        fault(reading, "is a grid whose size is not its number of members");
}

static uint64_t read_member(struct reading *reading, const struct topology *topology)
{
    uint64_t member = decode_varint(reading->in);
    if (member >= topology->members)
        fault(reading, "has a neighbour that is no member");
    return member;
}

static struct neighbor *read_neighbors(struct reading *reading, const struct topology *topology,
                                       bool weighted, size_t *count)
{
    *count = read_count(reading, weighted ? 2 : 1);
    struct neighbor *neighbors = memory_pool_allocate(reading->pool, *count, sizeof *neighbors);
    for (size_t i = 0; i < *count && good(reading); i++) {
        neighbors[i].member = read_member(reading, topology);
        neighbors[i].weight = weighted ? decode_varint(reading->in) : 1;
    }
    return neighbors;
}

static void read_neighborhood(struct reading *reading, const struct topology *topology,
                              struct neighborhood *one)
{
    bool distributed = topology->kind == TOPOLOGY_DISTRIBUTED;
    one->member = read_member(reading, topology);
    one->weighted = distributed && decode_varint(reading->in) != 0;
    if (distributed)
        one->sources = read_neighbors(reading, topology, one->weighted, &one->source_count);
    one->destinations =
        read_neighbors(reading, topology, one->weighted, &one->destination_count);
}

static void read_topology(struct reading *reading, struct topology *topology)
{
    topology->name = read_name(reading);
    topology->times = decode_varint(reading->in);
    uint64_t kind = decode_varint(reading->in);
    if (topology->times == 0 || kind < TOPOLOGY_CARTESIAN || kind > TOPOLOGY_DISTRIBUTED)
        fault(reading, "is of an unknown kind");
    if (!good(reading))
        return;
    topology->kind = (enum format_topology)kind;
    read_members(reading, topology);
    if (kind == TOPOLOGY_CARTESIAN && good(reading))
        read_grid(reading, topology);
    topology->neighborhood_count = read_count(reading, NEIGHBORHOOD_BYTES);
    topology->neighborhoods = memory_pool_allocate(reading->pool, topology->neighborhood_count,
                                                   sizeof *topology->neighborhoods);
    for (size_t i = 0; i < topology->neighborhood_count && good(reading); i++)
        read_neighborhood(reading, topology, &topology->neighborhoods[i]);
}

const char *topologies_read(struct decoder *in, struct memory_pool *pool,
                            struct topology_list *list, uint64_t *index)
{
    struct reading reading = {in, pool, NULL};
    list->count = read_count(&reading, TOPOLOGY_BYTES);
    list->items = memory_pool_allocate(pool, list->count, sizeof *list->items);
    for (*index = 0; *index < list->count && good(&reading); ++*index)
        read_topology(&reading, &list->items[*index]);
    list->left_out = decode_varint(in);
    *index -= reading.fault != NULL;
    return reading.fault;
}

uint32_t topology_rank(const struct topology *topology, uint64_t member)
{
    const struct rank_run *run = topology->runs;
    while (member >= run->count)
        member -= run++->count;
    return (uint32_t)(run->first + run->step * (int64_t)member);
}

/* Finds the place of RANK in RUN; false if it is not there. */
static bool find_in_run(const struct rank_run *run, uint32_t rank, uint64_t *place)
{
    int64_t distance = (int64_t)rank - run->first;
    if (distance == 0) {
        *place = 0;
        return true;
    }
    if (run->step == 0 || distance % run->step != 0 || distance / run->step < 0)
        return false;
    *place = (uint64_t)(distance / run->step);
    return *place < run->count;
}

struct topology_member *topology_members(const struct topology *topology, const uint32_t *ranks,
                                         size_t count, size_t *found)
{
    struct topology_member *list = NULL;
    size_t room = 0;
    uint64_t before = 0;
    *found = 0;
    for (size_t i = 0; i < topology->run_count; i++) {
        const struct rank_run *run = &topology->runs[i];
        for (size_t k = 0; k < count; k++) {
            uint32_t rank = ranks[run->step < 0 ? count - 1 - k : k];
            uint64_t place;
            if (!find_in_run(run, rank, &place))
                continue;
            if (*found == room) {
                room = room ? 2 * room : 64;
                list = reallocate(list, room, sizeof *list);
            }
            list[(*found)++] = (struct topology_member){before + place, rank};
        }
        before += run->count;
    }
    return list;
}

uint64_t topology_coordinate(const struct topology *topology, uint64_t member, size_t dimension)
{
    for (size_t i = topology->dimension_count; --i > dimension;)
        member /= topology->dimensions[i].size;
    return member % topology->dimensions[dimension].size;
}
