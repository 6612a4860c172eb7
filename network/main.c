/*
 * tsprof-network: measures what `tsprof whatif --network FILE` wants to know of a network.
 *
 *     tsprof run -n 2 tsprof-network -o FILE
 *
 * Rank 0 exchanges messages with the nearest rank in its socket, in another one of its host,
 * and on another host, as far as there are such ranks, while the others wait.  Ranks should be
 * bound to cores.
 */
#include "network/measure.h"
#include "network/packets.h"
#include "network/places.h"

#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void write_header(FILE *file)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    fprintf(file,
            "# LogGPS parameters by tsprof-network, for tsprof whatif --network.\n"
            "# Times are in seconds, lengths in bytes.\n"
            "# %s\n",
            version);
}

static void write_network(FILE *file, const char *name, const struct network *network)
{
    fprintf(file, "[%s]\nL=%.9g\no=%.9g\ng=%.9g\nG=%.9g\n", name, network->latency,
            network->overhead, network->gap, network->per_byte);
    if (network->synchronous == UINT64_MAX)
        fprintf(file, "S=inf\n");
    else
        fprintf(file, "S=%" PRIu64 "\n", network->synchronous);
    if (network->packet == PACKETS_NONE)
        fprintf(file, "s=inf # sends of up to %" PRIu64 " bytes take no longer in steps\n",
                network->packets_to);
    else
        fprintf(file, "s=%" PRIu64 "\n", network->packet);
}

/* All ranks take part; FILE is rank 0's. */
static void measure_all(FILE *file, int rank)
{
    int partners[DISTANCES];
    find_partners(partners);
    for (int i = 0; i < DISTANCES; i++) {
        struct network network;
        if (partners[i] > 0 && (rank == 0 || rank == partners[i]))
            measure_network(0, partners[i], &network);
        if (partners[i] > 0 && rank == 0)
            write_network(file, distance_names[i], &network);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* The file to write to; NULL, with a message, if there is none. */
static FILE *open_output(int argc, char **argv, int *status)
{
    if (argc == 1)
        return stdout;
    *status = 2;
    if (argc != 3 || strcmp(argv[1], "-o") != 0) {
        fprintf(stderr, "usage: tsprof run -n 2 tsprof-network [-o FILE]\n");
        return NULL;
    }
    FILE *file = fopen(argv[2], "wx");
    *status = file ? 0 : 1;
    if (!file)
        fprintf(stderr, "tsprof-network: %s: cannot be written: %s\n", argv[2],
                strerror(errno));
    return file;
}

static int run(int argc, char **argv, int rank)
{
    int ranks, status = 0;
    FILE *file = NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2) {
        fprintf(stderr, "tsprof-network: needs two ranks at least: tsprof run -n 2 "
                        "tsprof-network\n");
        return 1;
    }
    if (rank == 0)
        file = open_output(argc, argv, &status);
    int is_open = file != NULL;
    MPI_Bcast(&is_open, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!is_open)
        return status;
    if (rank == 0)
        write_header(file);
    measure_all(file, rank);
    if (rank == 0 && (ferror(file) || (file == stdout ? fflush(file) : fclose(file)) != 0)) {
        fprintf(stderr, "tsprof-network: the file could not be written\n");
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int status = run(argc, argv, rank);
    MPI_Finalize();
    return status;
}
