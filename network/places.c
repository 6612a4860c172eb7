/* See places.h. */
#include "network/places.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const distance_names[DISTANCES] = {"cores", "sockets", "hosts"};

struct place {
    char host[MPI_MAX_PROCESSOR_NAME];
    int socket;
};

/* The socket that this process runs in; 0 where the kernel does not say. */
static int own_socket(void)
{
    char path[96];
    int socket = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
             sched_getcpu());
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%d", &socket) != 1)
            socket = 0;
        fclose(file);
    }
    return socket;
}

static enum distance between(const struct place *one, const struct place *other)
{
    return strcmp(one->host, other->host) != 0 ? BETWEEN_HOSTS
           : one->socket != other->socket      ? BETWEEN_SOCKETS
                                               : BETWEEN_CORES;
}

void find_partners(int partners[DISTANCES])
{
    struct place own;
    int ranks, length;
    memset(&own, 0, sizeof own);
    MPI_Get_processor_name(own.host, &length);
    own.socket = own_socket();
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct place *all = calloc((size_t)ranks, sizeof *all);
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < DISTANCES; i++)
        partners[i] = -1;
    for (int i = ranks; i-- > 1;)
        partners[between(&all[0], &all[i])] = i;
    free(all);
}
