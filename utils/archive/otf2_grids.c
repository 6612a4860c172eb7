/* See otf2_grids.h. */
#include "archive/otf2_grids.h"

#include "archive/otf2_reader.h"

#include <stdlib.h>
#include <string.h>

struct dimension {
    uint32_t size;
    bool is_periodic;
};

struct topology {
    OTF2_CommRef comm;
    uint64_t *dimensions; /* references */
    size_t count;
};

/* RANK of the topology's communicator is at PLACE. */
struct coordinate {
    uint32_t topology, rank; /* the first an index */
    uint32_t *place;         /* as many as the topology has dimensions */
};

struct otf2_grids {
    struct references dimension_keys, topology_keys;
    struct dimension *dimensions;
    struct topology *topologies;
    struct coordinate *coordinates;
    size_t coordinate_count, coordinate_room, dimension_room, topology_room;
};

struct otf2_grids *otf2_grids_create(void)
{
    return allocate(1, sizeof(struct otf2_grids));
}

void otf2_grids_free(struct otf2_grids *grids)
{
    if (!grids)
        return;
    for (size_t i = 0; i < grids->topology_keys.count; i++)
        free(grids->topologies[i].dimensions);
    for (size_t i = 0; i < grids->coordinate_count; i++)
        free(grids->coordinates[i].place);
    references_free(&grids->dimension_keys);
    references_free(&grids->topology_keys);
    free(grids->dimensions);
    free(grids->topologies);
    free(grids->coordinates);
    free(grids);
}

/* LIST with room for COUNT items of SIZE bytes. */
static void *with_room(void *list, size_t count, size_t *room, size_t size)
{
    if (count <= *room)
        return list;
    *room = 2 * count;
    return reallocate(list, *room, size);
}

static OTF2_CallbackCode take_dimension(void *data, OTF2_CartDimensionRef self,
                                        OTF2_StringRef name, uint32_t size,
                                        OTF2_CartPeriodicity periodicity)
{
    struct otf2_grids *grids = ((struct otf2_reader *)data)->grids;
    const uint32_t index = reference_add(&grids->dimension_keys, self);
    (void)name;
    grids->dimensions = with_room(grids->dimensions, grids->dimension_keys.count,
                                  &grids->dimension_room, sizeof *grids->dimensions);
    grids->dimensions[index] = (struct dimension){size, periodicity == OTF2_CART_PERIODIC_TRUE};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_topology(void *data, OTF2_CartTopologyRef self,
                                       OTF2_StringRef name, OTF2_CommRef comm, uint8_t count,
                                       const OTF2_CartDimensionRef *dimensions)
{
    struct otf2_grids *grids = ((struct otf2_reader *)data)->grids;
    const size_t before = grids->topology_keys.count;
    const uint32_t index = reference_add(&grids->topology_keys, self);
    if (grids->topology_keys.count == before)
        return OTF2_CALLBACK_SUCCESS;
    grids->topologies = with_room(grids->topologies, grids->topology_keys.count,
                                  &grids->topology_room, sizeof *grids->topologies);
    struct topology *topology = &grids->topologies[index];
    (void)name;
    *topology = (struct topology){comm, allocate(count, sizeof *topology->dimensions), count};
    for (size_t i = 0; i < count; i++)
        topology->dimensions[i] = dimensions[i];
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_coordinate(void *data, OTF2_CartTopologyRef topology,
                                         uint32_t rank, uint8_t count,
                                         const uint32_t *coordinates)
{
    struct otf2_grids *grids = ((struct otf2_reader *)data)->grids;
    const uint32_t index = reference_find(&grids->topology_keys, topology);
    if (index == TRACE_NONE || grids->topologies[index].count != count)
        return OTF2_CALLBACK_SUCCESS;
    grids->coordinates = with_room(grids->coordinates, grids->coordinate_count + 1,
                                   &grids->coordinate_room, sizeof *grids->coordinates);
    struct coordinate *to = &grids->coordinates[grids->coordinate_count++];
    *to = (struct coordinate){index, rank, allocate(count, sizeof *to->place)};
    for (size_t i = 0; i < count; i++)
        to->place[i] = coordinates[i];
    return OTF2_CALLBACK_SUCCESS;
}

void otf2_grid_callbacks(OTF2_GlobalDefReaderCallbacks *all)
{
    OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback(all, take_dimension);
    OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback(all, take_topology);
    OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback(all, take_coordinate);
}

/* The sizes of a topology's dimensions; false if it lacks one, or its communicator. */
static bool settle_sizes(const struct otf2_reader *reader, const struct topology *from,
                         struct trace_grid *grid)
{
    const struct otf2_grids *grids = reader->grids;
    struct memory_pool *pool = &reader->trace->pool;
    grid->comm = reference_find(&reader->comms, from->comm);
    grid->dimensions = (unsigned)from->count;
    grid->sizes = memory_pool_allocate(pool, from->count, sizeof *grid->sizes);
    grid->is_periodic = memory_pool_allocate(pool, from->count, sizeof *grid->is_periodic);
    for (size_t i = 0; i < from->count; i++) {
        const uint32_t index = reference_find(&grids->dimension_keys, from->dimensions[i]);
        if (index == TRACE_NONE)
            return false;
        grid->sizes[i] = grids->dimensions[index].size;
        grid->is_periodic[i] = grids->dimensions[index].is_periodic;
    }
    return grid->comm != TRACE_NONE && from->count > 0;
}

/* Puts a process where COORDINATE says; nothing if that is outside. */
static void settle_place(const struct trace *trace, const struct trace_grid *grid,
                         const struct coordinate *coordinate)
{
    const struct trace_comm *comm = &trace->comms[grid->comm];
    const uint32_t process =
        coordinate->rank < comm->member_count ? comm->members[coordinate->rank] : TRACE_NONE;
    if (process == TRACE_NONE)
        return;
    for (unsigned i = 0; i < grid->dimensions; i++)
        if (coordinate->place[i] >= grid->sizes[i])
            return;
    memcpy(&grid->places[(size_t)process * grid->dimensions], coordinate->place,
           grid->dimensions * sizeof *grid->places);
}

void otf2_settle_grids(struct otf2_reader *reader)
{
    const struct otf2_grids *grids = reader->grids;
    struct trace *trace = reader->trace;
    const size_t count = grids->topology_keys.count;
    uint32_t *numbers = allocate(count + 1, sizeof *numbers); /* in the trace */
    trace->grids = memory_pool_allocate(&trace->pool, count, sizeof *trace->grids);
    for (size_t i = 0; i < count; i++) {
        struct trace_grid *grid = &trace->grids[trace->grid_count];
        numbers[i] = TRACE_NONE;
        if (!settle_sizes(reader, &grids->topologies[i], grid))
            continue;
        const size_t places = trace->process_count * grid->dimensions;
        grid->places = memory_pool_allocate(&trace->pool, places, sizeof *grid->places);
        memset(grid->places, 0xff, places * sizeof *grid->places);
        numbers[i] = (uint32_t)trace->grid_count++;
    }
    for (size_t i = 0; i < grids->coordinate_count; i++)
        if (numbers[grids->coordinates[i].topology] != TRACE_NONE)
            settle_place(trace, &trace->grids[numbers[grids->coordinates[i].topology]],
                         &grids->coordinates[i]);
    free(numbers);
}
