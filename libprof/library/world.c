/* See world.h. */
#include "library/world.h"

#include "library/typed.h"

#include <string.h>

static char version[MPI_MAX_LIBRARY_VERSION_STRING];

struct world world_look_up(void)
{
    struct world world = {.size = 1, .concurrent = true};
    int initialized = 0, finalized = 0, threads = MPI_THREAD_MULTIPLE;
    MPI_Comm parent = MPI_COMM_NULL;
    PREAL(MPI_Initialized)(&initialized);
    PREAL(MPI_Finalized)(&finalized);
    world.known = initialized && !finalized;
    if (!world.known)
        return world;
    PREAL(MPI_Comm_rank)(MPI_COMM_WORLD, &world.rank);
    PREAL(MPI_Comm_size)(MPI_COMM_WORLD, &world.size);
    PREAL(MPI_Query_thread)(&threads);
    PREAL(MPI_Comm_get_parent)(&parent);
    world.concurrent = threads == MPI_THREAD_MULTIPLE;
    world.spawned = parent != MPI_COMM_NULL;
    return world;
}

void world_wait(void)
{
    PREAL(MPI_Barrier)(MPI_COMM_WORLD);
}

const char *world_version(void)
{
    return version;
}

void world_ask_version(void)
{
    int length = 0;
    if (PREAL(MPI_Get_library_version)(version, &length) != MPI_SUCCESS)
        version[0] = '\0';
    version[strcspn(version, "\n")] = '\0';
    for (char *tab = version; (tab = strchr(tab, '\t')); tab++)
        *tab = ' ';
}
