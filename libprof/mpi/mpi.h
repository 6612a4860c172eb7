/*
 * The room where programs enter tsprof: the wrappers of all MPI functions, and the rules that
 * count the bytes and operations of each call.
 *
 * It is the topmost room, and nothing in it is for other rooms.  All of it uses mpi.h and is
 * therefore compiled for each MPI.  It runs in program context only.
 */
#ifndef TSPROF_MPI_ROOM_H
#define TSPROF_MPI_ROOM_H

#endif
