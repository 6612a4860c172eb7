/* Kinds of regions.  See cubex_roles.h. */
#include "cubex/cubex_roles.h"

#include <string.h>

/* The first row applies whose group is the function's and whose text is part of its name, in
 * upper or lower case. */
static const struct role {
    const char *group, *text, *role;
} roles[] = {
    {"P2P", "", "point2point"},
    {"COLL", "barrier", "barrier"},
    {"COLL", "reduce_scatter", "all2all"},
    {"COLL", "allreduce", "all2all"},
    {"COLL", "allgather", "all2all"},
    {"COLL", "alltoall", "all2all"},
    {"COLL", "bcast", "one2all"},
    {"COLL", "scatter", "one2all"},
    {"COLL", "gather", "all2one"},
    {"COLL", "reduce", "all2one"},
    {"COLL", "scan", "other collective"},
    {"RMA", "accumulate", "atomic"},
    {"RMA", "compare_and_swap", "atomic"},
    {"RMA", "fetch_and_op", "atomic"},
    {"RMA", "win_allocate", "allocate"},
    {"RMA", "win_", "function"},
    {"RMA", "put", "rma"},
    {"RMA", "get", "rma"},
    {"IO", "read", "file io"},
    {"IO", "write", "file io"},
    {"IO", "sync", "file io"},
    {"IO", "open", "file io metadata"},
    {"IO", "close", "file io metadata"},
    {"IO", "delete", "file io metadata"},
    {"IO", "seek", "file io metadata"},
};

const char *cubex_paradigm(const struct region_entry *region)
{
    static const char *const paradigms[] = {[REGION_FUNCTION] = "compiler",
                                            [REGION_MPI] = "mpi",
                                            [REGION_PHASE] = "user",
                                            [REGION_ARTIFICIAL] = "measurement"};
    return paradigms[region->kind];
}

static const char *mpi_role(const struct region_entry *region)
{
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (strcmp(roles[i].group, region->group) == 0 &&
            strcasestr(region->name, roles[i].text))
            return roles[i].role;
    return "function";
}

const char *cubex_role(const struct region_entry *region)
{
    switch (region->kind) {
    case REGION_MPI:
        return mpi_role(region);
    case REGION_PHASE:
        return "phase";
    case REGION_ARTIFICIAL:
        return "artificial";
    default:
        return "function";
    }
}
