/*
 * exercise.h: what the rows of exercise.def have in common: variables that they may write,
 * objects that they share, and what calls count.
 */
#ifndef EXERCISE_H
#define EXERCISE_H

#define _GNU_SOURCE

#include "program.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ROOM          512
#define TAG           7
#define ROOT          1
#define STRIDED_BYTES 8
#define MOST_RANKS    8
#define PIECE_BYTES   16 /* of the file, for each rank */

/* MPI-4, and what became of MPI-1, are not everywhere. */
#if MPI_VERSION >= 4
#define MPI4(...) __VA_ARGS__
#else
#define MPI4(...)
#endif
#if !defined(OPEN_MPI) || (defined(OMPI_ENABLE_MPI1_COMPAT) && OMPI_ENABLE_MPI1_COMPAT)
#define HAVE_MPI1
#endif

static int rank, ranks, left, right;
static int argument_count;
static char **arguments;
static const char *directory = ".";
static char path[4096];

/* Variables.  `in`, `out` and the numbers are the same before each row. */
static int in[ROOM], out[ROOM], memory[ROOM];
static char buffer[4096 + MPI_BSEND_OVERHEAD], scratch[4096];
static int number, flag, handled, copied, deleted, freed, long_length;
static int indices[4], dimensions[2];
static char text[1024], long_text[MPI_MAX_LIBRARY_VERSION_STRING];
static void *address;
static MPI_Aint aint;
static MPI_Offset offset;
static MPI_Count wide, wider;
static int size_i, place_i, unit_i;
static MPI_Aint bound_i, extent_i;
MPI4(static MPI_Count size_c, place_c, bound_c, extent_c, widest;)
MPI4(static MPI_Aint unit_c;)
static MPI_Fint fortran_status[64];
static int error_class, error_code; /* kept from row to row */

/* Handles */
static MPI_Request requests[2];
static MPI_Status status, statuses[2];
static MPI_Message message;
static MPI_Comm comm;
static MPI_Group group;
static MPI_Datatype type, other_type;
static MPI_Op op;
static MPI_Win win;
static MPI_File file;
static MPI_Info info, other_info;
static MPI_Errhandler errhandler;
static int key;
static MPI_T_enum enumeration;
static MPI_T_cvar_handle control;
static MPI_T_pvar_session variables;
static MPI_T_pvar_handle variable;
MPI4(static MPI_Session session; static MPI_F08_status f08_status;
     static MPI_T_event_registration registration; static MPI_T_source_order ordering;)

/* Shared objects */
static MPI_Comm world, half, inter, cart, graph, old_graph;
static MPI_Group world_group, half_group, other_half_group, left_group, right_group;
static MPI_Datatype strided;    /* two integers and a hole between them */
static int indegree, outdegree; /* in `graph` */

/* Arguments that are arrays */
static int lengths_i[MOST_RANKS], own_lengths_i[MOST_RANKS], at_i[MOST_RANKS],
    at_bytes_i[MOST_RANKS], own_at_i[2 * MOST_RANKS], own_at_bytes_i[2 * MOST_RANKS],
    threes_i[2 * MOST_RANKS];
static const int ones_i[MOST_RANKS] = {1, 1, 1, 1, 1, 1, 1, 1};
static int twos_i[2] = {2, 2};
static const int fours_i[2] = {4, 4};
static MPI_Aint type_at_i[2] = {0, 16};
static MPI_Aint aint_at_bytes[2 * MOST_RANKS];
static MPI_Datatype types[2 * MOST_RANKS];
MPI4(static MPI_Count lengths_c[MOST_RANKS], own_lengths_c[MOST_RANKS],
     threes_c[2 * MOST_RANKS];
     static MPI_Aint at_c[MOST_RANKS], at_bytes_c[MOST_RANKS], own_at_c[2 * MOST_RANKS],
     own_at_bytes_c[2 * MOST_RANKS];
     static const MPI_Count ones_c[2] = {1, 1}, twos_c[2] = {2, 2}, fours_c[2] = {4, 4},
     type_at_c[2] = {0, 16};
     static int partitions[2] = {0, 1};)
static int periods[1] = {1}, index_ends[MOST_RANKS], edges[MOST_RANKS];
static const int distribution[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
static const int distribution_arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG,
                                              MPI_DISTRIBUTE_DFLT_DARG};
static const int processes[2] = {2, 2};
static int ranges[1][3];
static char child[] = "child";
static char *child_arguments[] = {child, NULL};
static char *commands[2], **commands_arguments[2] = {child_arguments, child_arguments};
static MPI_Info infos[2];
static char port[MPI_MAX_PORT_NAME], service[64];
static int socket_fd = -1;
#define NO_CONVERSION_i MPI_CONVERSION_FN_NULL
#define NO_CONVERSION_c MPI_CONVERSION_FN_NULL_C
static const char *const representation_i = "exercise", *const representation_c = "exercise_c";

/* What a row found: part of the output. */
static char notes[256];

static void note(long value)
{
    size_t used = strlen(notes);
    snprintf(notes + used, sizeof notes - used, " %ld", value);
}

static void note_text(const char *what)
{
    note((long)(checksum_add(CHECKSUM_START, what, strlen(what)) >> 32));
}

/* What the call of the row counts besides its visits. */
static const char *row_function, *row_call;

static void moved(const char *metric, long long value)
{
    counts_add(row_function, row_call, metric, value);
}

static void sent(long long bytes)
{
    counts_sent(row_function, row_call, right, bytes);
}

static void received(long long bytes)
{
    counts_received(row_function, row_call, left, bytes);
}

static void collective(long long to, long long from)
{
    moved("comms_coll", 1);
    moved("bytes_coll_out", to);
    moved("bytes_coll_in", from);
}

static void barrier(void)
{
    moved("syncs_coll", 1);
}

static void put(long long bytes)
{
    moved("comms_put", 1);
    moved("bytes_put", bytes);
}

static void get(long long bytes)
{
    moved("comms_get", 1);
    moved("bytes_get", bytes);
}

static void atomic(long long to, long long from)
{
    moved("comms_atomic", 1);
    moved("bytes_put", to);
    moved("bytes_get", from);
}

/* Of a lock or a flush. */
static void rma_sync(void)
{
    moved("syncs_rma", 1);
}

/* With PEERS others, or as many as the window has. */
static void epoch(int peers)
{
    moved("syncs_rma", 1);
    moved("pairs_rma", peers);
}

static void was_read(long long bytes)
{
    moved("io_reads", 1);
    moved("bytes_io_read", bytes);
}

static void was_written(long long bytes)
{
    moved("io_writes", 1);
    moved("bytes_io_written", bytes);
}

#endif
