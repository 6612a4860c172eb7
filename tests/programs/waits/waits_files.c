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
    /* Some libraries wait for ever where a read that does not block meets the end. */
    MPI_File_write_at(file, rank * SMALL, buffer, SMALL, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void close_file(void)
{
    MPI_File_close(&file);
}

/* Rank LATE, if there is one, comes a step after the other. */
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

static void write_in_time(void)
{
    come(-1);
    MPI_File_write_at_all(file, rank * SMALL, buffer, SMALL, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void write_alone(void)
{
    come(0);
    MPI_File_write_at(file, rank * SMALL, buffer, SMALL, MPI_BYTE, MPI_STATUS_IGNORE);
}

/* Some libraries do all of it where it begins, some where it ends, and some never wait. */
static void begin_late(void)
{
    come(0);
    MPI_File_write_at_all_begin(file, rank * SMALL, buffer, SMALL, MPI_BYTE);
    MPI_File_write_at_all_end(file, buffer, MPI_STATUS_IGNORE);
    mark(1);
}

/* Nobody waits for who comes late to the end. */
static void end_late(void)
{
    until(1);
    MPI_File_read_all_begin(file, buffer, SMALL, MPI_BYTE);
    until(rank ? 2 : 4);
    MPI_File_read_all_end(file, buffer, MPI_STATUS_IGNORE);
}

static void start_late(void)
{
    MPI_Request request;
    come(1);
    MPI_File_iwrite_at_all(file, rank * SMALL, buffer, SMALL, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    mark(1);
}

/* Two at once, completed together: waiting for the later one counts. */
static void start_two_late(void)
{
    MPI_Request requests[2];
    come(0);
    MPI_File_iread_at_all(file, rank * SMALL, buffer, SMALL, MPI_BYTE, &requests[0]);
    until(rank ? 1.5 : 3);
    mark(1);
    MPI_File_iread_at_all(file, rank * SMALL, buffer, SMALL, MPI_BYTE, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    mark(2);
}

static void start_and_test(void)
{
    MPI_Request request;
    int done = 0;
    come(0);
    MPI_File_iwrite_at_all(file, rank * SMALL, buffer, SMALL, MPI_BYTE, &request);
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/* In all ways, with a different size in each. */
static void write_and_read(void)
{
    MPI_Request requests[2];
    MPI_File_write_at(file, rank * SMALL, buffer, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, rank * SMALL, buffer, 2, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(file, rank * SMALL, buffer, 4, MPI_BYTE, &requests[0]);
    MPI_File_iwrite_at_all(file, rank * SMALL, buffer, 8, MPI_BYTE, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_File_write_at_all_begin(file, rank * SMALL, buffer, SMALL, MPI_BYTE);
    MPI_File_write_at_all_end(file, buffer, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, rank * SMALL, buffer, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, rank * SMALL, buffer, 2, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, rank * SMALL, buffer, 4, MPI_BYTE, &requests[0]);
    MPI_File_iread_at_all(file, rank * SMALL, buffer, 8, MPI_BYTE, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_File_read_at_all_begin(file, rank * SMALL, buffer, SMALL, MPI_BYTE);
    MPI_File_read_at_all_end(file, buffer, MPI_STATUS_IGNORE);
}

#define WAIT "mpi_io_wait"

static const struct planted_case cases[] = {
    {"write_late", 2, write_late, {WAITS(WAIT, 1, 0, 0, 0)}, open_file, close_file},
    {"read_late", 2, read_late, {WAITS(WAIT, 0, 0, 1, 0)}, open_file, close_file},
    {"write_in_time", 2, write_in_time, {EITHER(WAIT, 0)}, open_file, close_file},
    {"write_alone", 2, write_alone, {{0}}, open_file, close_file},
    {"begin_late",
     2,
     begin_late,
     {WAITS_UNTIL_LEFT(WAIT, 1, 0, 0, 0, 1)},
     open_file,
     close_file},
    {"end_late", 2, end_late, {{0}}, open_file, close_file},
    {"start_late",
     2,
     start_late,
     {WAITS_UNTIL_LEFT(WAIT "@MPI_Wait", 0, 0, 1, 0, 1)},
     open_file,
     close_file},
    {"start_two_late",
     2,
     start_two_late,
     {WAITS_UNTIL_LEFT(WAIT "@MPI_Waitall", 1, 1, 0, 1, 2)},
     open_file,
     close_file},
    {"start_and_test", 2, start_and_test, {{0}}, open_file, close_file},
    {"write_and_read", 2, write_and_read, {{0}}, open_file, close_file},
};

int main(int argc, char **argv)
{
    return planted_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
