/* See collectives.h. */
#include "archive/collectives.h"

#include <otf2/OTF2_Events.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    int operation;
} collectives[] = {
    {"barrier", OTF2_COLLECTIVE_OP_BARRIER},
    {"bcast", OTF2_COLLECTIVE_OP_BCAST},
    {"gather", OTF2_COLLECTIVE_OP_GATHER},
    {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
    {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
    {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
    {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
    {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
    {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
    {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"scan", OTF2_COLLECTIVE_OP_SCAN},
    {"exscan", OTF2_COLLECTIVE_OP_EXSCAN},
};

static const struct {
    const char *name;
    enum one_sided kind;
} synchronizations[] = {
    {"MPI_Win_fence", ONE_SIDED_FENCE},       {"MPI_Win_post", ONE_SIDED_POST},
    {"MPI_Win_start", ONE_SIDED_START},       {"MPI_Win_complete", ONE_SIDED_COMPLETE},
    {"MPI_Win_wait", ONE_SIDED_WAIT},         {"MPI_Win_test", ONE_SIDED_WAIT},
    {"MPI_Win_lock", ONE_SIDED_LOCK},         {"MPI_Win_lock_all", ONE_SIDED_LOCK},
    {"MPI_Win_unlock", ONE_SIDED_UNLOCK},     {"MPI_Win_unlock_all", ONE_SIDED_UNLOCK},
    {"MPI_Win_flush", ONE_SIDED_FLUSH},       {"MPI_Win_flush_all", ONE_SIDED_FLUSH},
    {"MPI_Win_flush_local", ONE_SIDED_FLUSH}, {"MPI_Win_flush_local_all", ONE_SIDED_FLUSH},
};

enum one_sided one_sided_of(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof synchronizations / sizeof *synchronizations; i++)
        if (strlen(synchronizations[i].name) == length &&
            memcmp(synchronizations[i].name, name, length) == 0)
            return synchronizations[i].kind;
    return ONE_SIDED_NONE;
}

/* Steps over PREFIX at the start of the LENGTH characters at *NAME, if it is there. */
static void skip(const char **name, size_t *length, const char *prefix)
{
    const size_t size = strlen(prefix);
    if (*length > size && strncasecmp(*name, prefix, size) == 0) {
        *name += size;
        *length -= size;
    }
}

/* Takes SUFFIX off the end, if it is there. */
static void cut(const char *name, size_t *length, const char *suffix)
{
    const size_t size = strlen(suffix);
    if (*length > size && strncasecmp(name + *length - size, suffix, size) == 0)
        *length -= size;
}

bool is_neighborhood(const char *name, size_t length)
{
    static const char *const prefixes[] = {"MPI_Neighbor_", "MPI_Ineighbor_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (length > strlen(prefixes[i]) &&
            strncasecmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

bool is_collective_io(const char *name, size_t length)
{
    cut(name, &length, "_c");
    cut(name, &length, "_begin");
    cut(name, &length, "_end");
    const size_t before = length;
    cut(name, &length, "_all");
    cut(name, &length, "_ordered");
    return length < before;
}

static int look_up(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (strlen(collectives[i].name) == length &&
            strncasecmp(collectives[i].name, name, length) == 0)
            return collectives[i].operation;
    return -1;
}

int collective_of(const char *name, size_t length)
{
    skip(&name, &length, "MPI_");
    cut(name, &length, "_c");
    cut(name, &length, "_init");
    const char *after = name;
    size_t rest = length;
    skip(&after, &rest, "I");
    skip(&after, &rest, "neighbor_");
    const int found = look_up(after, rest);
    return found >= 0 ? found : look_up(name, length);
}
