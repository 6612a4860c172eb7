/*
 * Where programs enter: the wrappers of all MPI functions, and what each call moves.
 *
 * The top of the house: nothing here is for other rooms.  All of it is compiled for each MPI,
 * since it is in terms of mpi.h.  Program context.
 */
#ifndef TSPROF_MPI_ROOM_H
#define TSPROF_MPI_ROOM_H

#endif
