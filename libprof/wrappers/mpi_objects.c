/* See mpi_objects.h. */
#include "wrappers/mpi_objects.h"

#include "library/typed.h"
#include "wrappers/mpi_neighborhood.h"

#include <stdlib.h>
#include <string.h>

static uint64_t key_of_comm(MPI_Comm comm)
{
    return (uint64_t)(uintptr_t)comm;
}

static uint64_t key_of_window(MPI_Win win)
{
    return (uint64_t)(uintptr_t)win;
}

/*
 * The ranks of GROUP in that of OTHER, negative for those that are not in it; NULL ranks
 * without memory.  To be freed.
 */
static struct object_group ranks_in(MPI_Group group, MPI_Group other)
{
    struct object_group result = {NULL, 0};
    int size = 0;
    PREAL(MPI_Group_size)(group, &size);
    int *own = size > 0 ? malloc(2 * (size_t)size * sizeof *own) : NULL;
    if (!own)
        return result;
    for (int i = 0; i < size; i++)
        own[i + size] = i;
    if (PREAL(MPI_Group_translate_ranks)(group, size, own + size, other, own) != MPI_SUCCESS)
        size = 0;
    for (int i = 0; i < size; i++)
        if (own[i] == MPI_UNDEFINED)
            own[i] = -1;
    result = (struct object_group){own, size};
    return result;
}

/* The ranks of GROUP, which is freed, in MPI_COMM_WORLD. */
static struct object_group world_ranks(MPI_Group group)
{
    MPI_Group world;
    struct object_group ranks = {NULL, 0};
    int initialized = 0;
    PREAL(MPI_Initialized)(&initialized);
    /* With sessions alone there is no such communicator. */
    if (initialized && PREAL(MPI_Comm_group)(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
        ranks = ranks_in(group, world);
        PREAL(MPI_Group_free)(&world);
    }
    PREAL(MPI_Group_free)(&group);
    return ranks;
}

/* Adds whom this process receives from in operations among neighbours on COMM, whose members
 * are GROUP, and whose number is NUMBER. */
static void describe_sources(MPI_Comm comm, uint32_t number, const struct object_group *group)
{
    int count = 0;
    int *sources = neighborhood_sources(comm, &count);
    if (!sources)
        return;
    for (int i = 0; i < count; i++)
        sources[i] =
            sources[i] >= 0 && sources[i] < group->count ? group->ranks[sources[i]] : -1;
    objects_add_sources(number, &(struct object_group){sources, count});
    free(sources);
}

enum { DIMENSIONS_MOST = 32 };

/* The grid of COMM, whose sizes are in MEMORY; false if it has none, or more dimensions. */
static bool grid_of(MPI_Comm comm, int memory[3][DIMENSIONS_MOST], struct object_grid *grid)
{
    int kind = MPI_UNDEFINED;
    *grid = (struct object_grid){0, memory[0], memory[1]};
    return PREAL(MPI_Topo_test)(comm, &kind) == MPI_SUCCESS && kind == MPI_CART &&
           PREAL(MPI_Cartdim_get)(comm, &grid->dimensions) == MPI_SUCCESS &&
           grid->dimensions <= DIMENSIONS_MOST &&
           PREAL(MPI_Cart_get)(comm, grid->dimensions, memory[0], memory[1], memory[2]) ==
               MPI_SUCCESS;
}

static uint32_t describe_comm(MPI_Comm comm)
{
    MPI_Group group;
    int inter = 0;
    struct object_group own = {NULL, 0}, remote = {NULL, 0};
    PREAL(MPI_Comm_test_inter)(comm, &inter);
    if (PREAL(MPI_Comm_group)(comm, &group) == MPI_SUCCESS)
        own = world_ranks(group);
    if (inter && PREAL(MPI_Comm_remote_group)(comm, &group) == MPI_SUCCESS)
        remote = world_ranks(group);
    int memory[3][DIMENSIONS_MOST];
    struct object_grid grid;
    const bool has_grid = !inter && grid_of(comm, memory, &grid);
    uint32_t number = OBJECT_UNKNOWN;
    if (own.ranks && (!inter || remote.ranks))
        number = objects_add(OBJECT_KIND_COMM, key_of_comm(comm), &own, inter ? &remote : NULL,
                             has_grid ? &grid : NULL);
    if (number != OBJECT_UNKNOWN && !inter)
        describe_sources(comm, number, &own);
    free((void *)own.ranks);
    free((void *)remote.ranks);
    return number;
}

uint32_t mpi_comm_number(MPI_Comm comm)
{
    if (comm == MPI_COMM_WORLD)
        return OBJECT_WORLD;
    if (comm == MPI_COMM_SELF)
        return OBJECT_SELF;
    if (comm == MPI_COMM_NULL)
        return OBJECT_UNKNOWN;
    const uint32_t number = objects_find_async(OBJECT_KIND_COMM, key_of_comm(comm));
    return number != OBJECT_UNKNOWN ? number : describe_comm(comm);
}

uint32_t mpi_window_number(MPI_Win win)
{
    MPI_Group group;
    if (win == MPI_WIN_NULL)
        return OBJECT_UNKNOWN;
    uint32_t number = objects_find_async(OBJECT_KIND_WINDOW, key_of_window(win));
    if (number != OBJECT_UNKNOWN || PREAL(MPI_Win_get_group)(win, &group) != MPI_SUCCESS)
        return number;
    const struct object_group ranks = world_ranks(group);
    if (ranks.ranks)
        number = objects_add(OBJECT_KIND_WINDOW, key_of_window(win), &ranks, NULL, NULL);
    free((void *)ranks.ranks);
    return number;
}

static uint64_t key_of_file(MPI_File file)
{
    return (uint64_t)(uintptr_t)file;
}

static uint32_t number_of_file(MPI_File file, const char *name)
{
    MPI_Group group;
    if (file == MPI_FILE_NULL)
        return OBJECT_UNKNOWN;
    uint32_t number = objects_find_async(OBJECT_KIND_FILE, key_of_file(file));
    if (number != OBJECT_UNKNOWN || PREAL(MPI_File_get_group)(file, &group) != MPI_SUCCESS)
        return number;
    const struct object_group ranks = world_ranks(group);
    if (ranks.ranks)
        number = objects_add_file(key_of_file(file), &ranks, name);
    free((void *)ranks.ranks);
    return number;
}

uint32_t mpi_file_number(MPI_File file)
{
    return number_of_file(file, NULL);
}

/* Directories tell of users; and what a file is called is said once, by one process. */
uint32_t mpi_file_opened(MPI_File file, MPI_Comm comm, const char *path)
{
    int rank = -1;
    PREAL(MPI_Comm_rank)(comm, &rank);
    if (rank != 0 || !path || !config.number[SETTING_FILE_NAMES])
        return number_of_file(file, NULL);
    const char *slash = strrchr(path, '/');
    return number_of_file(file, slash ? slash + 1 : path);
}

uint32_t mpi_file_forget(MPI_File file)
{
    return objects_forget(OBJECT_KIND_FILE, key_of_file(file));
}

uint32_t mpi_comm_forget(MPI_Comm comm)
{
    return objects_forget(OBJECT_KIND_COMM, key_of_comm(comm));
}

uint32_t mpi_window_forget_number(MPI_Win win)
{
    return objects_forget(OBJECT_KIND_WINDOW, key_of_window(win));
}

void mpi_message_note(MPI_Message note, uint32_t comm)
{
    objects_note(OBJECT_KIND_MESSAGE, (uint64_t)(uintptr_t)note, comm);
}

uint32_t mpi_message_take(const MPI_Message *note)
{
    if (!trace_is_on_async() || !note)
        return OBJECT_UNKNOWN;
    return objects_forget(OBJECT_KIND_MESSAGE, (uint64_t)(uintptr_t)*note);
}

int mpi_root_code(int root)
{
    return root == MPI_ROOT        ? EVENT_ROOT_SELF
           : root == MPI_PROC_NULL ? EVENT_ROOT_ABSENT
                                   : root + EVENT_FIRST_ROOT;
}

void mpi_window_ranks(MPI_Win win, MPI_Group group, void (*each)(const void *context, int rank),
                      const void *context)
{
    MPI_Group all;
    if (PREAL(MPI_Win_get_group)(win, &all) != MPI_SUCCESS)
        return;
    const struct object_group ranks = ranks_in(group, all);
    for (int i = 0; i < ranks.count; i++)
        each(context, ranks.ranks[i]);
    free((void *)ranks.ranks);
    PREAL(MPI_Group_free)(&all);
}
