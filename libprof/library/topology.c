/* See topology.h. */

#include "common/format.h"
#include "common/utf8.h"
#include "host/host.h"
#include "library/typed.h"

#include <pthread.h>
#include <string.h>

enum {
    TOPOLOGIES_MOST = 256,
    ALIKE_MOST = 16,
    MEMORY_BYTES = 256 * 1024,
    CHUNK = 128 /* number of ranks translated at once */
};

/* A range of bytes in `memory`. */
struct piece {
    uint32_t at;
    uint32_t size;
};

/* One communicator, or the sixteenth and all later ones of those that are alike. */
struct topology {
    struct piece shape;     /* kind, members and grid, as in the summary */
    struct piece neighbors; /* this process's own, as in the summary; empty for a grid */
    uint32_t name;     /* offset of MPI_MAX_OBJECT_NAME bytes in `memory`; 0: no name yet */
    uint32_t sequence; /* its number among those of the same shape */
    uint32_t member;   /* this process's rank in it */
    uint64_t times;    /* how many communicators it stands for */
    MPI_Comm comm;     /* the latest of them, until another one gets its handle */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct topology topologies[TOPOLOGIES_MOST];
static uint32_t topology_count;
static uint64_t lost; /* number of topologies for which there was no room */
/* The first byte is not used, so that no piece is at 0. */
static _Alignas(int) unsigned char memory[MEMORY_BYTES];
static uint32_t used = 1;

/* Where to write next in the unused part of `memory`. */
struct pen {
    uint32_t at;
    bool full;
};

static void put_varint(struct pen *pen, uint64_t value)
{
    do {
        if (pen->at >= MEMORY_BYTES) {
            pen->full = true;
            return;
        }
        memory[pen->at++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
}

static void put_signed(struct pen *pen, int64_t value)
{
    put_varint(pen, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

/* Takes room for COUNT integers at PEN and moves PEN past it; NULL if there is none. */
static int *take_ints(struct pen *pen, int count)
{
    uint32_t at = (pen->at + (uint32_t)sizeof(int) - 1) & ~((uint32_t)sizeof(int) - 1);
    if (count < 0 || at >= MEMORY_BYTES || (size_t)count > (MEMORY_BYTES - at) / sizeof(int)) {
        pen->full = true;
        return NULL;
    }
    pen->at = at + (uint32_t)count * (uint32_t)sizeof(int);
    return (int *)(void *)(memory + at);
}

/* Consecutive members whose ranks in MPI_COMM_WORLD are equally far apart. */
struct run {
    int64_t first;
    int64_t step;
    int64_t count;
};

static bool extend_run(struct run *run, int rank)
{
    if (run->count == 1)
        run->step = rank - run->first;
    else if (run->count > 1 && rank != run->first + run->step * run->count)
        return false;
    else if (run->count == 0)
        *run = (struct run){rank, 1, 0};
    run->count++;
    return true;
}

static void end_run(struct run *run, struct pen *pen)
{
    if (pen) {
        put_varint(pen, (uint64_t)run->first);
        put_signed(pen, run->step);
        put_varint(pen, (uint64_t)run->count);
    }
    *run = (struct run){0};
}

/*
 * Writes the members of GROUP as runs and returns how many runs there are; with PEN NULL it
 * only counts them.  Returns -1 if a member is not in WORLD.
 */
static int put_runs(MPI_Group group, MPI_Group world, int size, struct pen *pen)
{
    struct run run = {0};
    int runs = 0;
    for (int done = 0; done < size; done += CHUNK) {
        int here[CHUNK], there[CHUNK], count = size - done < CHUNK ? size - done : CHUNK;
        for (int i = 0; i < count; i++)
            here[i] = done + i;
        if (PREAL(MPI_Group_translate_ranks)(group, count, here, world, there) != MPI_SUCCESS)
            return -1;
        for (int i = 0; i < count; i++) {
            if (there[i] < 0)
                return -1;
            if (extend_run(&run, there[i]))
                continue;
            end_run(&run, pen);
            extend_run(&run, there[i]);
            runs++;
        }
    }
    end_run(&run, pen);
    return runs + 1;
}

/* Writes the members of COMM.  Returns false if some have no rank in MPI_COMM_WORLD. */
static bool put_members(MPI_Comm comm, struct pen *pen)
{
    MPI_Group group, world;
    int size = 0, initialized = 0;
    PREAL(MPI_Initialized)(&initialized);
    if (!initialized || PREAL(MPI_Comm_group)(comm, &group) != MPI_SUCCESS)
        return false;
    PREAL(MPI_Comm_group)(MPI_COMM_WORLD, &world);
    PREAL(MPI_Group_size)(group, &size);
    int runs = put_runs(group, world, size, NULL);
    if (runs >= 0) {
        put_varint(pen, (uint64_t)runs);
        put_runs(group, world, size, pen);
    }
    PREAL(MPI_Group_free)(&group);
    PREAL(MPI_Group_free)(&world);
    return runs >= 0;
}

static void put_grid(MPI_Comm comm, struct pen *pen)
{
    int dimensions = 0;
    PREAL(MPI_Cartdim_get)(comm, &dimensions);
    put_varint(pen, (uint64_t)dimensions);
    struct pen scratch = *pen;
    /* Scratch space beyond all that will be written at PEN. */
    scratch.at += (uint32_t)dimensions * 16;
    int *sizes = take_ints(&scratch, dimensions);
    int *periods = take_ints(&scratch, dimensions);
    int *coordinates = take_ints(&scratch, dimensions);
    pen->full |= scratch.full;
    if (pen->full)
        return;
    PREAL(MPI_Cart_get)(comm, dimensions, sizes, periods, coordinates);
    for (int i = 0; i < dimensions; i++) {
        put_varint(pen, (uint64_t)sizes[i]);
        put_varint(pen, periods[i] != 0);
    }
}

/* Writes COUNT NEIGHBORS, with their WEIGHTS unless NULL. */
static void put_list(struct pen *pen, int count, const int *neighbors, const int *weights)
{
    put_varint(pen, (uint64_t)count);
    for (int i = 0; i < count; i++) {
        put_varint(pen, (uint64_t)neighbors[i]);
        if (weights)
            put_varint(pen, (uint64_t)(weights[i] < 0 ? 0 : weights[i]));
    }
}

static void put_graph_neighbors(MPI_Comm comm, int rank, struct pen *pen, struct pen *scratch)
{
    int count = 0;
    PREAL(MPI_Graph_neighbors_count)(comm, rank, &count);
    scratch->at += (uint32_t)count * 5;
    int *neighbors = take_ints(scratch, count);
    if (!neighbors)
        return;
    PREAL(MPI_Graph_neighbors)(comm, rank, count, neighbors);
    put_list(pen, count, neighbors, NULL);
}

static void put_distributed_neighbors(MPI_Comm comm, struct pen *pen, struct pen *scratch)
{
    int in = 0, out = 0, weighted = 0;
    PREAL(MPI_Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
    scratch->at += (uint32_t)(in + out) * 10;
    int *sources = take_ints(scratch, in), *source_weights = take_ints(scratch, in);
    int *targets = take_ints(scratch, out), *target_weights = take_ints(scratch, out);
    if (scratch->full)
        return;
    /* If the graph has no weights, MPI leaves their arrays as they are. */
    PREAL(MPI_Dist_graph_neighbors)
    (comm, in, sources, source_weights, out, targets, target_weights);
    put_varint(pen, weighted != 0);
    put_list(pen, in, sources, weighted ? source_weights : NULL);
    put_list(pen, out, targets, weighted ? target_weights : NULL);
}

/* Writes this process's neighbours in a graph as ranks of COMM. */
static void put_neighbors(MPI_Comm comm, int kind, int rank, struct pen *pen)
{
    struct pen scratch = *pen;
    scratch.at += 64;
    put_varint(pen, (uint64_t)rank);
    if (kind == MPI_GRAPH)
        put_graph_neighbors(comm, rank, pen, &scratch);
    else
        put_distributed_neighbors(comm, pen, &scratch);
    pen->full |= scratch.full;
}

static enum format_topology format_kind(int kind)
{
    return kind == MPI_CART    ? TOPOLOGY_CARTESIAN
           : kind == MPI_GRAPH ? TOPOLOGY_GRAPH
                               : TOPOLOGY_DISTRIBUTED;
}

/*
 * Describes COMM in the unused part of `memory`, without marking that as used.  Returns false
 * if there is no room, or a member is not in MPI_COMM_WORLD.
 */
static bool describe(MPI_Comm comm, int kind, struct topology *topology)
{
    struct pen pen = {.at = used};
    int rank = 0;
    PREAL(MPI_Comm_rank)(comm, &rank);
    *topology = (struct topology){.comm = comm, .member = (uint32_t)rank, .times = 1};
    put_varint(&pen, format_kind(kind));
    if (!put_members(comm, &pen))
        return false;
    if (kind == MPI_CART)
        put_grid(comm, &pen);
    topology->shape = (struct piece){used, pen.at - used};
    if (kind != MPI_CART)
        put_neighbors(comm, kind, rank, &pen);
    topology->neighbors = (struct piece){topology->shape.at + topology->shape.size,
                                         pen.at - topology->shape.at - topology->shape.size};
    return !pen.full;
}

static bool same(struct piece a, struct piece b)
{
    return a.size == b.size && memcmp(memory + a.at, memory + b.at, a.size) == 0;
}

/*
 * The latest topology with the shape of WANTED and, unless COMM is NULL, with that handle; NULL
 * if there is none.
 */
static struct topology *find(const struct topology *wanted, const MPI_Comm *comm)
{
    for (uint32_t i = topology_count; i-- > 0;)
        if (same(topologies[i].shape, wanted->shape) && (!comm || topologies[i].comm == *comm))
            return &topologies[i];
    return NULL;
}

/* COMM is new: an older communicator that had the same handle is gone. */
static void forget_handle(MPI_Comm comm)
{
    for (uint32_t i = 0; i < topology_count; i++)
        if (topologies[i].comm == comm)
            topologies[i].comm = MPI_COMM_NULL;
}

/* Keeps the topology that describe has described; returns NULL if there is no room. */
static struct topology *keep(struct topology *described)
{
    struct topology *before = find(described, NULL);
    forget_handle(described->comm);
    if (before && before->sequence + 1 == ALIKE_MOST) {
        before->times++;
        before->comm = described->comm;
        return before;
    }
    if (topology_count == TOPOLOGIES_MOST)
        return NULL;
    if (before) {
        described->sequence = before->sequence + 1;
        described->shape = before->shape;
    }
    if (before && same(before->neighbors, described->neighbors))
        described->neighbors = before->neighbors;
    else
        used = described->neighbors.at + described->neighbors.size;
    topologies[topology_count] = *described;
    return &topologies[topology_count++];
}

static struct topology *describe_and_keep(struct thread *thread, MPI_Comm comm, int kind)
{
    struct topology described;
    struct topology *kept = describe(comm, kind, &described) ? keep(&described) : NULL;
    if (!kept) {
        lost++;
        thread_note_async(thread, NOTE_TOPOLOGIES_LOST);
    }
    return kept;
}

static int kind_of(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED;
    if (comm != MPI_COMM_NULL)
        PREAL(MPI_Topo_test)(comm, &kind);
    return kind;
}

void topology_created(struct thread *thread, MPI_Comm comm)
{
    int kind = kind_of(comm);
    if (kind == MPI_UNDEFINED)
        return;
    pthread_mutex_lock(&lock);
    describe_and_keep(thread, comm, kind);
    pthread_mutex_unlock(&lock);
}

/* Names longer than MPI allows are cut, as MPI does it. */
static void set_name(struct topology *topology, const char *name)
{
    if (!topology->name && MEMORY_BYTES - used >= MPI_MAX_OBJECT_NAME) {
        topology->name = used;
        used += MPI_MAX_OBJECT_NAME;
    }
    if (topology->name)
        utf8_copy((char *)memory + topology->name, MPI_MAX_OBJECT_NAME, name);
}

void topology_named(struct thread *thread, MPI_Comm comm, const char *name)
{
    struct topology described;
    int kind = kind_of(comm);
    if (kind == MPI_UNDEFINED)
        return;
    pthread_mutex_lock(&lock);
    struct topology *known = describe(comm, kind, &described) ? find(&described, &comm) : NULL;
    /*
     * Not known yet: a duplicate, which has the original's topology but may have another name.
     */
    if (!known)
        known = describe_and_keep(thread, comm, kind);
    if (known)
        set_name(known, name);
    pthread_mutex_unlock(&lock);
}

static void encode_piece(struct encoder *out, struct piece piece)
{
    encode_varint(out, piece.size);
    encode_bytes(out, memory + piece.at, piece.size);
}

void topology_encode(struct encoder *out)
{
    /* A handler that ends the process may have interrupted the thread that holds the lock. */
    bool locked = pthread_mutex_trylock(&lock) == 0;
    encode_varint(out, locked ? topology_count : 0);
    for (uint32_t i = 0; locked && i < topology_count; i++) {
        const struct topology *topology = &topologies[i];
        encode_piece(out, topology->shape);
        encode_varint(out, topology->sequence);
        encode_varint(out, topology->member == 0);
        encode_varint(out, topology->times);
        encode_string(out, topology->name ? (const char *)memory + topology->name : "");
        encode_varint(out, topology->neighbors.size > 0);
        encode_piece(out, topology->neighbors);
    }
    encode_varint(out, lost);
    encode_varint(out, 0); /* nothing else was left out */
    if (locked)
        pthread_mutex_unlock(&lock);
}
