/*
 * The numbers by which events refer to communicators, windows and files (trace/objects.h).
 * Program context; only where events are kept.
 */
#ifndef TSPROF_MPI_OBJECTS_H
#define TSPROF_MPI_OBJECTS_H

#include "trace/trace.h"

#include <mpi.h>

/* The number of COMM, which is described if it is new; OBJECT_UNKNOWN if that cannot be. */
uint32_t mpi_comm_number(MPI_Comm comm);

/* The same for a window or a file. */
uint32_t mpi_window_number(MPI_Win win);
uint32_t mpi_file_number(MPI_File file);
/* The same of a file that the processes of COMM have just opened as PATH. */
uint32_t mpi_file_opened(MPI_File file, MPI_Comm comm, const char *path);

/* It is about to be freed, and its handle may come back; these return its number. */
uint32_t mpi_comm_forget(MPI_Comm comm);
uint32_t mpi_window_forget_number(MPI_Win win);
uint32_t mpi_file_forget(MPI_File file);

/*
 * Remembers that the message NOTE is one of communicator number COMM; and returns that number
 * when the message is about to be received, which is forgotten then: OBJECT_UNKNOWN if no
 * events are kept.
 */
void mpi_message_note(MPI_Message note, uint32_t comm);
uint32_t mpi_message_take(const MPI_Message *note);

/* How an event says who the root of a collective is (enum event_root). */
int mpi_root_code(int root);

/* Calls EACH with the rank in WIN's group of every member of GROUP. */
void mpi_window_ranks(MPI_Win win, MPI_Group group, void (*each)(const void *context, int rank),
                      const void *context);

#endif
