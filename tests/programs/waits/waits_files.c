/*
 * waits_files.c: collective operations on a file, which one of two processes comes to late, and
 * individual ones; see planted.h.
 */
#include "planted.h"

static MPI_File file;
static char buffer[SMALL];

static void open_file(void)
{
    MPI_File_open(MPI_COMM_WORLD, "waits_files.tmp",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
}

static void close_file(void)
{
    MPI_File_close(&file);
}

/* Rank LATE comes a step after the other. */
static void come(int late)
{
    until(rank == late ? 2 : 1);
    mark(0);
}

static void write_late(void)
{
    come(0);
    MPI_File_write_at_all(file, rank * SMALL, buffer, SMALL, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void read_late(void)
{
    come(1);
    MPI_File_read_at_all(file, rank * SMALL, buffer, SMALL, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void write_alone(void)
{
    come(0);
    MPI_File_write_at(file, rank * SMALL, buffer, SMALL, MPI_BYTE, MPI_STATUS_IGNORE);
}

#define WAIT "mpi_io_wait"

static const struct planted_case cases[] = {
    {"write_late", 2, write_late, {WAITS(WAIT, 1, 0, 0, 0)}, open_file, close_file},
    {"read_late", 2, read_late, {WAITS(WAIT, 0, 0, 1, 0)}, open_file, close_file},
    {"write_alone", 2, write_alone, {{0}}, open_file, close_file},
};

int main(int argc, char **argv)
{
    return planted_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
