/* Steps of waits_random.c: operations on a file. */
#ifndef RANDOM_FILES_H
#define RANDOM_FILES_H

#include "random_plan.h"

static MPI_File file;

static MPI_Offset own_place(void)
{
    return (MPI_Offset)program_rank * SMALL;
}

static void begin_and_end(int operation)
{
    if (operation % 2) {
        MPI_File_write_at_all_begin(file, own_place(), outgoing[0], SMALL, MPI_BYTE);
        compute();
        MPI_File_write_at_all_end(file, outgoing[0], MPI_STATUS_IGNORE);
    } else {
        MPI_File_read_at_all_begin(file, own_place(), incoming[0], SMALL, MPI_BYTE);
        compute();
        MPI_File_read_at_all_end(file, incoming[0], MPI_STATUS_IGNORE);
    }
}

/* The one of Open MPI that the tests choose has no collective ones that do not block. */
#ifdef OPEN_MPI
#define MPI_File_iwrite_at_all MPI_File_iwrite_at
#define MPI_File_iread_at_all  MPI_File_iread_at
#endif

static void start_in_file(int operation)
{
    MPI_Request requests[2];
    if (operation % 2)
        MPI_File_iwrite_at_all(file, own_place(), outgoing[0], SMALL, MPI_BYTE, &requests[0]);
    else
        MPI_File_iread_at_all(file, own_place(), incoming[0], SMALL, MPI_BYTE, &requests[0]);
    compute();
    MPI_File_iread_at(file, own_place(), incoming[1], SMALL, MPI_BYTE, &requests[1]);
    compute();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void in_file(void)
{
    const int operation = draw(9);
    compute();
    switch (operation) {
    case 0:
        MPI_File_write_at_all(file, own_place(), outgoing[0], SMALL, MPI_BYTE,
                              MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_File_read_at_all(file, own_place(), incoming[0], SMALL, MPI_BYTE,
                             MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_File_write_at(file, own_place(), outgoing[0], SMALL, MPI_BYTE, MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_File_seek(file, own_place(), MPI_SEEK_SET);
        compute();
        MPI_File_read_all(file, incoming[0], SMALL, MPI_BYTE, MPI_STATUS_IGNORE);
        break;
    case 4:
        MPI_File_write_ordered(file, outgoing[0], 1, MPI_BYTE, MPI_STATUS_IGNORE);
        break;
    case 5:
    case 6:
        begin_and_end(operation);
        break;
    default:
        start_in_file(operation);
        break;
    }
}

/* So large that no read comes to its end: some libraries wait for ever there. */
static void open_file(void)
{
    MPI_File_open(comms[0], "waits_random.data",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_write_at(file, own_place(), outgoing[0], SMALL, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void close_file(void)
{
    MPI_File_close(&file);
}

#endif
